"""The operators of RK88, built as the paper defines them: the RSD quantities, phi and psi, the Riccati equation."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TypeAlias

import numpy as np

from phipsi.reference.description import Array
from phipsi.reference.spatial import skew

from .arm import Arm, cross, inverse, mobile, serial

BlockOf: TypeAlias = Callable[[int, int], Array]


class Operators:
    """The operators of an arm, tip first, so that causal ones are lower block triangular. Vectors are stacked."""

    def __init__(self, arm: Arm) -> None:
        self.arm, self.N = arm, arm.N
        self.one = np.eye(6 * arm.N)
        self.one_joints = np.eye(len(arm.W))

    # ── section 2: vectors of the links ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def V(self) -> Array:
        """V = [w; v], measured."""
        return self.stack([np.concatenate([self.arm.w[k], self.arm.v[k]]) for k in range(1, self.N + 1)])

    @cached_property
    def alpha(self) -> Array:
        """alpha = [w-dot; v-dot], measured."""
        return self.stack([np.concatenate([self.arm.w_dot[k], self.arm.v_dot[k]]) for k in range(1, self.N + 1)])

    @cached_property
    def f(self) -> Array:
        """f = [N; F], by d'Alembert."""
        return self.stack([self.arm.wrench(k) for k in range(1, self.N + 1)])

    @cached_property
    def T(self) -> Array:
        """T of the motion, by the compiled core."""
        return self.arm.torque()

    @property
    def W(self) -> Array:
        """theta-dot."""
        return self.arm.W

    @property
    def W_dot(self) -> Array:
        """theta-double-dot."""
        return self.arm.W_dot

    @property
    def f0(self) -> Array:
        """f(0)."""
        return self.arm.f0

    @cached_property
    def V0(self) -> Array:
        """V(0), measured."""
        return np.concatenate([self.arm.w[0], self.arm.v[0]])

    @cached_property
    def alpha0(self) -> Array:
        """alpha(0), measured."""
        return np.concatenate([self.arm.w_dot[0], self.arm.v_dot[0]])

    def a_of(self, k: int, second: bool = False) -> Array:
        """The bias acceleration a(k), (2.19), (2.32) corrected, or of a free base; a(0) at the tip."""
        arm = self.arm
        if k == 0:
            return np.concatenate([np.zeros(3), cross(arm.w[1], cross(arm.w[1], arm.l(1, 0)))])
        w, kind = arm.w[k + 1], arm.kind(k)
        if kind == "free":  # V(N) is its own rate in fixed axes
            return np.zeros(6)
        if kind == "prismatic":
            h_rate = arm.h[k] * arm.W[arm.own(k)][0]
            if second:
                return np.concatenate([np.zeros(3), cross(w, arm.v[k] - arm.v[k + 1]) + cross(w, h_rate)])
            return np.concatenate([np.zeros(3), cross(w, cross(w, arm.l(k + 1, k)) + 2 * h_rate)])
        angular = cross(w, arm.w[k])
        if kind == "revolute" and not second:
            angular = cross(w, arm.h[k] * arm.W[arm.own(k)][0])
        return np.concatenate([angular, cross(w, cross(w, arm.l(k + 1, k)))])

    def b_of(self, k: int) -> Array:
        """The bias force b(k) = [w x I w; m w x (w x p)]."""
        arm = self.arm
        w = arm.w[k]
        return np.concatenate([cross(w, arm.I[k] @ w), arm.m[k] * cross(w, cross(w, arm.p[k]))])

    @cached_property
    def a(self) -> Array:
        """Bias accelerations."""
        return self.stack([self.a_of(k) for k in range(1, self.N + 1)])

    @cached_property
    def b(self) -> Array:
        """Bias forces."""
        return self.stack([self.b_of(k) for k in range(1, self.N + 1)])

    def stack(self, parts: list[Array]) -> Array:
        """col[x(1), ..., x(N)]."""
        return np.concatenate(parts)

    # ── section 3: H, M, B, E, phi ────────────────────────────────────────────────────────────────────────────────

    def H_of(self, k: int) -> Array:
        """H(k): [h*, 0] (2.16), [0, h*] (2.31), [R*, 0] of a spherical joint, 1 of a free base."""
        arm = self.arm
        kind, none = arm.kind(k), np.zeros(3)
        if kind == "revolute":
            return np.concatenate([arm.h[k], none])[None]
        if kind == "prismatic":
            return np.concatenate([none, arm.h[k]])[None]
        return np.eye(6) if kind == "free" else np.concatenate([arm.R[k].T, np.zeros((3, 3))], axis=1)

    def M_of(self, k: int) -> Array:
        """M(k) = [[I, m p~], [-m p~, m 1]]. (2.15)"""
        first = self.arm.m[k] * skew(self.arm.p[k])
        return np.block([[self.arm.I[k], first], [-first, self.arm.m[k] * np.eye(3)]])

    @cached_property
    def H(self) -> Array:
        """diag[H(1), ..., H(N)]."""
        return self.arm.per_link([self.H_of(k) for k in range(1, self.N + 1)])

    @cached_property
    def M(self) -> Array:
        """diag[M(1), ..., M(N)]."""
        return self.arm.per_link([self.M_of(k) for k in range(1, self.N + 1)])

    @cached_property
    def B(self) -> Array:
        """col[phi(1, 0), 0, ..., 0]: a force at the tip, on link 1."""
        return self.stack([self.arm.shift(1, 0), *[np.zeros((6, 6))] * (self.N - 1)])

    @cached_property
    def E(self) -> Array:
        """col[0, ..., 0, phi*(N + 1, N)]: an acceleration of the base, of link N."""
        return self.stack([*[np.zeros((6, 6))] * (self.N - 1), self.arm.shift(self.N + 1, self.N).T])

    @cached_property
    def phi(self) -> Array:
        """The blocks phi(i, j), i >= j."""
        return self.causal(lambda i, j: self.arm.shift(i, j))

    def causal(self, block_of: BlockOf, offset: int = 0) -> Array:
        """The lower block triangular operator with the blocks x(i, j) where i >= j + offset."""
        out = np.zeros_like(self.one)
        for i in range(1, self.N + 1):
            for j in range(1, i + 1 - offset):
                out[Arm.at(i), Arm.at(j)] = block_of(i, j)
        return out

    # ── section 4: the Riccati equation ───────────────────────────────────────────────────────────────────────────

    @cached_property
    def riccati(self) -> tuple[list[Array], list[Array], list[Array]]:
        """P(k), D(k), L(k) for k = 0 ... N, by the loop of (4.4)-(4.6), carried to k = N."""
        P, D, L = [np.zeros((6, 6))], [np.zeros((0, 0))], [np.zeros((6, 0))]
        for k in range(1, self.N + 1):
            Pk = self.M_of(k)
            if k > 1:
                H, phi = self.H_of(k - 1), self.arm.shift(k, k - 1)
                less = P[k - 1] @ H.T @ inverse(D[k - 1]) @ H @ P[k - 1]
                Pk = phi @ (P[k - 1] - less) @ phi.T + Pk
            own = self.H_of(k)
            P.append(Pk)
            D.append(own @ Pk @ own.T)
            L.append(self.arm.shift(k + 1, k) @ Pk @ own.T @ inverse(D[k]))
        return P, D, L

    def psi_step(self, k: int) -> Array:
        """psi(k, k - 1) = phi(k, k - 1) - L(k - 1) H(k - 1); psi(1, 0) = phi(1, 0)."""
        step = self.arm.shift(k, k - 1)
        return step if k == 1 else step - self.riccati[2][k - 1] @ self.H_of(k - 1)

    def psi_of(self, i: int, j: int) -> Array:
        """psi(i, j) = psi(i, i - 1) ... psi(j + 1, j). (4.7)"""
        out = np.eye(6)
        for k in range(j + 1, i + 1):
            out = self.psi_step(k) @ out
        return out

    @cached_property
    def P(self) -> Array:
        """diag[P(1), ..., P(N)]."""
        return self.arm.per_link(self.riccati[0][1:])

    @cached_property
    def D(self) -> Array:
        """diag[D(1), ..., D(N)]."""
        return self.arm.per_link(self.riccati[1][1:])

    @cached_property
    def D_inverse(self) -> Array:
        """D^-1."""
        return self.arm.per_link([inverse(d) for d in self.riccati[1][1:]])

    @cached_property
    def L(self) -> Array:
        """diag[L(1), ..., L(N)]."""
        return self.arm.per_link(self.riccati[2][1:])

    @cached_property
    def psi(self) -> Array:
        """The blocks psi(i, j), i >= j. (5.1)"""
        return self.causal(self.psi_of)

    @cached_property
    def Phi(self) -> Array:
        """The blocks phi(i, j + 1), i > j. (4.9)"""
        return self.causal(lambda i, j: self.arm.shift(i, j + 1), offset=1)

    @cached_property
    def Psi(self) -> Array:
        """The blocks psi(i, j + 1), i > j. (4.10)"""
        return self.causal(lambda i, j: self.psi_of(i, j + 1), offset=1)

    # ── section 5 and appendix A ──────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def S(self) -> Array:
        """The shift: ones in the first block subdiagonal."""
        return np.eye(6 * self.N, k=-6)

    @cached_property
    def G(self) -> Array:
        """P H* D^-1."""
        return self.P @ self.H.T @ self.D_inverse

    @cached_property
    def tau_bar(self) -> Array:
        """1 - G H."""
        return self.one - self.G @ self.H

    @cached_property
    def phi_tilde(self) -> Array:
        """phi - 1."""
        return self.phi - self.one

    @cached_property
    def psi_tilde(self) -> Array:
        """psi - 1."""
        return self.psi - self.one

    @cached_property
    def E_phi(self) -> Array:
        """diag[phi(2, 1), ..., phi(N + 1, N)]; S E_phi is the E_phi of the later papers."""
        return self.arm.per_link([self.arm.shift(k + 1, k) for k in range(1, self.N + 1)])

    @cached_property
    def E_psi(self) -> Array:
        """diag[psi(2, 1), ..., psi(N + 1, N)]."""
        return self.arm.per_link([self.psi_step(k + 1) for k in range(1, self.N + 1)])

    @cached_property
    def innovations(self) -> Array:
        """1 + H Phi L."""
        return self.one_joints + self.H @ self.Phi @ self.L

    @cached_property
    def whitening(self) -> Array:
        """1 - H Psi L."""
        return self.one_joints - self.H @ self.Psi @ self.L

    @cached_property
    def mass(self) -> Array:
        """H phi M phi* H*, the mass operator of (3.20)."""
        return self.H @ self.phi @ self.M @ self.phi.T @ self.H.T

    @cached_property
    def bias_free(self) -> Array:
        """T' = T - H phi [M phi* a + b + B f(0)]. (3.23)"""
        return self.T - self.H @ self.phi @ (self.M @ self.phi.T @ self.a + self.b + self.B @ self.f0)


def fixed_base(rng: np.random.Generator) -> Operators:
    """The operators of an arm on a fixed base, of revolute and sliding joints."""
    return Operators(serial(rng))


def mobile_base(rng: np.random.Generator) -> Operators:
    """The operators of an arm on a free base, with spherical joints."""
    return Operators(mobile(rng))
