"""Rows of JR95d that speak of a motion: rates of operators, the Coriolis forces in closed form, that they do no work.

They have a table of their own, MOVING, because their statements need a velocity: they are read by `MovingLetters`.

>>> from phipsi import zoo
>>> from phipsi.algebra.identities import diagonal
>>> row = diagonal.MOVING["Coriolis forces, any joints"]
>>> robot = zoo.tree(5, seed=1)
>>> bool(diagonal.residual(row, robot, *robot.random(rng=0)) < 1e-9)
True
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi.reference import diagonal as dense
from phipsi.reference import joints, operators
from phipsi.reference.description import block, q_of, v_of
from phipsi.reference.letters import Letters, Matrix
from phipsi.reference.spatial import both, skew

from .table import Row, Statement, difference

_PAIRED = ("universal", "spherical", "planar", "free", "custom")  # of several dofs whose columns may not commute


class MovingLetters(Letters):
    """The letters of a robot that moves with v: vectors are columns, `V_cross` is V~, `Delta` is Δ~ of Δ = H*v.

    `H_ring`, `P_ring` are rates as the bodies see them, `lam` is λ̇; `m_dot`, `C_v`, `C_nu`, `C_xi` are truths from
    Cholesky and Christoffel symbols, not from the theorems.
    """

    def __init__(self, robot: Any, q: ArrayLike, v: ArrayLike) -> None:
        super().__init__(robot, q)
        place, speed = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
        s = operators.at(robot, place, speed)
        f = dense.factor(robot, place, speed)
        self.v, self.V = Matrix(speed[:, None]), Matrix(s.V[:, None])
        self.V_plus = self.E_phi.T @ self.V
        self.V_cross = _crosses(s.V)
        self.Delta = _crosses(s.H.T @ speed)
        self.H_ring = Matrix(_joint_map_ring(robot, place, speed, s))
        rates = robot._diagonal_inertias("identities", place, speed)[1]
        ring = np.zeros_like(s.M)
        for k in range(robot.n):
            ring[block(k), block(k)] = rates[k].reshape(6, 6)
        self.P_ring = Matrix(ring)
        self.lam = self.P_ring - self.Delta.T @ self.P - self.P @ self.Delta
        self.S, self.S_dot, self.m, self.m_dot = map(Matrix, (f.S, f.S_dot, f.m, f.m_dot))
        self.M_dot = self.m @ self.m_dot.T + self.m_dot @ self.m.T
        self.C_v = Matrix(dense.coriolis_forces(robot, place, speed)[:, None])
        nu, xi = f.m.T @ speed, f.A.T @ speed
        self.nu, self.xi = Matrix(nu[:, None]), Matrix(xi[:, None])
        self.C_nu = Matrix(dense.diagonal_coriolis(robot, place, nu)[:, None])
        self.C_xi = Matrix(dense.diagonal_coriolis(robot, place, xi, normalized=False)[:, None])


def _crosses(stacked: Any) -> Matrix:
    out = np.zeros((len(stacked), len(stacked)))
    for k in range(len(stacked) // 6):
        x = stacked[block(k)]
        out[block(k), block(k)] = both(skew(x[:3]))
        out[6 * k + 3 : 6 * k + 6, 6 * k : 6 * k + 3] = skew(x[3:])
    return Matrix(out)


def _joint_map_ring(robot: Any, q: Any, v: Any, s: operators.State) -> Any:
    out = np.zeros_like(s.H)
    for k, joint in enumerate(robot.joints):
        own = joints.columns_rate(joint, q[q_of(robot, k)], v[v_of(robot, k)])
        out[v_of(robot, k), block(k)] = (both(s.rotation[k]) @ own).T
    return out


@dataclass(frozen=True)
class MovingRow(Row):
    """A theorem about a motion. `several`: also for joints of several dofs; `commuting`: only where Δ × H* = 0."""

    several: bool = True
    commuting: bool = False

    def holds_for(self, robot: Any, passive: ArrayLike | None = None) -> bool:
        """Whether the theorem claims anything about this robot."""
        kinds = {joint.kind for joint in robot.joints}
        return (
            super().holds_for(robot, passive)
            and (self.several or all(joint.nv <= 1 for joint in robot.joints))
            and not (self.commuting and kinds & set(_PAIRED))
        )


MOVING: dict[str, MovingRow] = {}


def residual(row: MovingRow, robot: Any, q: ArrayLike, v: ArrayLike) -> float:
    """How far apart the two sides are in a motion, relative to the largest entry on the way."""
    return difference(*row.statement(MovingLetters(robot, q, v)))


def _row(name: str, ref: str, words: str, statement: Statement, **properties: Any) -> None:
    MOVING[name] = MovingRow(name, ref, words, statement, masks=False, **properties)


def _handed_on(s: Any) -> Any:
    """The rate of P⁺, as the parent sees it."""
    mixed = s.tau_bar @ s.P @ s.H_ring.T @ s.G.T
    own = s.tau_bar @ s.P_ring @ s.tau_bar.T - mixed - mixed.T
    return own - s.Delta.T @ s.P_plus - s.P_plus @ s.Delta


def _turned_by_others(s: Any) -> Any:
    """E_ψ λ̇ - λ̇ E_ψ* + Δ~* P - P Δ~."""
    return s.E_psi @ s.lam - s.lam @ s.E_psi.T + s.Delta.T @ s.P - s.P @ s.Delta


def _any_joint(s: Any) -> Any:
    a = s.H_ring.T @ s.v - s.Delta @ s.V
    local = s.H @ s.P_ring @ s.tau_bar.T + s.H_ring @ s.P @ s.tau_bar.T - s.H @ s.P @ s.H_ring.T @ s.G.T
    return s.H @ s.psi @ (s.P @ a - s.V_cross.T @ s.M @ s.V) - (local - s.H @ s.P @ s.Delta) @ s.V_plus


# fmt: off

_row("rate of the articulated inertia", "[JR95d G4]", "P̊: what the bodies see of the rate of P, any joints",
     lambda s: (s.P_ring, s.E_phi @ _handed_on(s) @ s.E_phi.T))
_row("sensitivity of the articulated inertia", "[JR95d 6.4]", "P̊ = E_ψ λ̇ E_ψ*",
     lambda s: (s.P_ring, s.E_psi @ s.lam @ s.E_psi.T), commuting=True, why="Δ × H* must vanish")
_row("rate of phi", "[JR95d 6.7]", "φ̊ = V~*φ - φV~* = -φ E_φ Δ~* φ",
     lambda s: (s.V_cross.T @ s.phi - s.phi @ s.V_cross.T, -(s.phi @ s.E_phi @ s.Delta.T @ s.phi)))
_row("rate of phi, at the joints", "[JR95d 6.8]", "H(V~*φ - φV~*) = -HφΔ~*φ",
     lambda s: (s.H @ (s.V_cross.T @ s.phi - s.phi @ s.V_cross.T), -(s.H @ s.phi @ s.Delta.T @ s.phi)),
     commuting=True, why="H Δ~* must vanish")
_row("rate of the factor", "[JR95d 6.11]", "ṁ = Hφ[-Δ~*φ~P + ½(1 + τ̄)λ̇]H*S⁻*",
     lambda s: (s.m_dot @ s.S.T, s.H @ s.phi @ (0.5 * ((s.I + s.tau_bar) @ s.lam) - s.Delta.T @ s.phi_tilde @ s.P)
                @ s.H.T),
     several=False, armature=False, why="of joints of one dof, without rotors")
_row("quadratic sensitivities", "[JR95d 6.16a]", "v*M_θ v = 2HV~*φMV",
     lambda s: (2.0 * (s.M_dot @ s.v - s.C_v), 2.0 * (s.H @ s.V_cross.T @ s.phi @ s.M @ s.V)),
     commuting=True, why="θ must be coordinates, and Δ × H* vanish")
_row("Coriolis forces in the rates nu", "[JR95d 7.1]", "C(θ, ν) = ½S⁻¹Hψ[E_ψλ̇ - λ̇E_ψ* + Δ~*P - PΔ~ - 2V~*M]V",
     lambda s: (s.S @ s.C_nu, 0.5 * (s.H @ s.psi @ (_turned_by_others(s) - 2.0 * (s.V_cross.T @ s.M)) @ s.V)),
     several=False, why="of joints of one dof")
_row("Coriolis forces in the rates xi", "[JR95d 7.9]", "C(θ, ξ) = Hψ[λ̇H*ξ + (Δ~*P - V~*M)V]",
     lambda s: (s.C_xi, s.H @ s.psi @ (s.lam @ s.H.T @ s.xi + (s.Delta.T @ s.P - s.V_cross.T @ s.M) @ s.V)),
     commuting=True, why="Δ × H* must vanish")
_row("Coriolis forces in the rates xi, second form", "[JR95d 7.9]", "C(θ, ξ) = Hψ[P̊H*ξ + Δ~*P⁺V⁺ - V~*MV]",
     lambda s: (s.C_xi, s.H @ s.psi @ (s.P_ring @ s.H.T @ s.xi + s.Delta.T @ s.P_plus @ s.V_plus
                                       - s.V_cross.T @ s.M @ s.V)),
     commuting=True, why="Δ × H* must vanish")
_row("Coriolis forces, any joints", "[JR95d G4]",
     "C(θ, ξ) = Hψ(Pa - V~*MV) - [HP̊τ̄* + H̊Pτ̄* - HPH̊*G* - HPΔ~]V⁺, a = H̊*v - Δ~V",
     lambda s: (s.C_xi, _any_joint(s)))
_row("from xi to nu", "[JR95d G4]", "S C(θ, ν) = C(θ, ξ) - SṠ*ξ",
     lambda s: (s.S @ s.C_nu, s.C_xi - s.S @ s.S_dot.T @ s.xi))
_row("no work", "[JR95d 7.3]", "ν*C(θ, ν) = 0, whatever the joints",
     lambda s: (s.nu.T @ s.C_nu, 0.0 * (s.nu.T @ s.nu)))
_row("no work, the reason", "[JR95d 7.5]", "E_ψλ̇ - λ̇E_ψ* + Δ~*P - PΔ~ is skew",
     lambda s: (_turned_by_others(s), -_turned_by_others(s).T))
