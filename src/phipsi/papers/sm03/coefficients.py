"""The coefficients of (28), corrected, for whatever is passive; and the systems that rows are checked on."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi.model.joints import Free
from phipsi.papers.least_constraint import diagonal
from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

from .ship import Ship


class Model:
    """The coefficients of (28), corrected, with any passive dofs: of the base, and of virtual elastic joints."""

    def __init__(self, o: Ship) -> None:
        self.o = o
        soft = np.flatnonzero(o.soft)
        hard = np.flatnonzero(~o.soft)
        self.active, self.soft = hard, soft
        self.A_a = o.XP[:, hard]
        parts = [o.X_b, o.XP[:, soft]] if o.on_base else [o.XP[:, soft]]
        self.A_p = np.concatenate(parts, axis=1)
        self.b_p = np.r_[o.b_b if o.on_base else np.zeros(0), np.zeros(len(soft))]
        self.T_p = np.r_[o.f_b, o.T_a[soft]]
        self.T_a = o.T_a[hard]
        own = diagonal([o.M_b, np.zeros((len(soft), len(soft)))]) if o.on_base else np.zeros((len(soft), len(soft)))
        self.M_p = own + self.A_p.T @ o.M_q @ self.A_p
        self.M_ap = self.A_p.T @ o.M_q @ self.A_a
        self.M_a = self.A_a.T @ o.M_q @ self.A_a
        load = o.b + o.M_q @ o.g
        self.C_a, self.C_p = self.A_a.T @ load, self.A_p.T @ load + self.b_p
        self.J_a, self.J_p = o.at.B @ self.A_a, o.at.B @ self.A_p
        self.coupling = solve(self.M_p, self.M_ap).T if self.M_p.size else self.M_ap.T
        self.M = self.M_a - self.coupling @ self.M_ap
        self.C = self.C_a - self.coupling @ self.C_p
        self.T_hat = self.T_a - self.coupling @ self.T_p
        self.J = self.J_a - self.J_p @ self.coupling.T

    @property
    def q_dd(self) -> Array:
        """q̈ of the active dofs, of the motion."""
        return self.o.rate_rate_q[self.active]

    @property
    def p_dd(self) -> Array:
        """Of the passive ones."""
        return np.r_[self.o.V_b_dot if self.o.on_base else np.zeros(0), self.o.rate_rate_q[self.soft]]

    def of_passive(self, x: Array) -> Array:
        """M_p⁻¹ x."""
        return solve(self.M_p, x) if self.M_p.size else x

    @property
    def H(self) -> Array:
        """J M⁻¹ J* + J_p M_p⁻¹ J_p*."""
        return self.J @ solve(self.M, self.J.T) + self.J_p @ self.of_passive(self.J_p.T)

    @property
    def V_open_dot(self) -> Array:
        """V̇_open."""
        o = self.o
        drift = o.at.B @ o.g  # Ḃ = 0
        return self.J @ solve(self.M, self.T_hat - self.C) + self.J_p @ self.of_passive(self.T_p - self.C_p) + drift

    def table_1(self) -> tuple[Array, Array, Array, Array]:
        """V̇°, f_e, q̈ and the passive accelerations, by the corrected Table I."""
        o, H = self.o, self.H
        right = o.W.T @ solve(H, self.V_open_dot) - o.b_o  # Ẇ = 0 in body axes
        V_o_dot = solve(o.M_o + o.W.T @ solve(H, o.W), right)
        f_e = solve(H, self.V_open_dot - o.W @ V_o_dot)
        q_dd = solve(self.M, self.T_hat - self.J.T @ f_e - self.C)
        return V_o_dot, f_e, q_dd, self.of_passive(self.T_p - self.C_p - self.M_ap @ q_dd - self.J_p.T @ f_e)


def _well_posed(rng: np.random.Generator, *given: Any, **more: Any) -> Ship:
    """A system far enough from a singular configuration for ten digits."""
    while True:
        o = Ship(rng, *given, **more)
        H = Model(o).H
        smallest = min(np.linalg.svd(o.at.B @ o.XP, compute_uv=False))
        if smallest > 0.03 and np.linalg.cond(H) < 1e4:
            return o


def floating(rng: np.random.Generator) -> Ship:
    """Two arms on a base that flies, with revolute, sliding and universal joints."""
    return _well_posed(rng, Free())


def revolute(rng: np.random.Generator) -> Ship:
    """The same, of revolute joints."""
    return _well_posed(rng, Free(), ("revolute",) * 6)


def on_springs(rng: np.random.Generator) -> Ship:
    """A base on springs and dampers."""
    return _well_posed(rng, Free(stiffness=(3.0,) * 3 + (9.0,) * 3, damping=(2.0,) * 3 + (5.0,) * 3))


def on_world(rng: np.random.Generator) -> Ship:
    """A fixed base."""
    return _well_posed(rng, None)


def elastic(rng: np.random.Generator) -> Ship:
    """A fixed base, and two virtual elastic joints in each arm."""
    return _well_posed(rng, None, ("revolute",) * 8, elastic=True)
