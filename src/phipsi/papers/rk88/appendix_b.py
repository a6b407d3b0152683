"""RK88, appendix B: a base that moves freely, and spherical joints."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import skew

from .operators import Operators, mobile_base
from .recursions import fd1, fd3, fd4
from .section2 import INFERRED, of, per_link


def quaternion(o: Operators, k: int) -> tuple[Array, Array]:
    """q(k) and q̇(k) of a free or spherical joint, along the measured motion."""
    arm = o.arm
    first = int(arm.robot.q_index[arm.of(k)])
    q = arm.path[:, first : first + 4]
    q = q / np.linalg.norm(q, axis=1, keepdims=True)
    q = q * np.sign(q @ q[4])[:, None]  # q and -q are one rotation
    return q[4], arm.rates(q)


def attitude(q: Array, fixed_axes: bool) -> Array:
    """Λ(q), 4 x 3: q̇ = Λ ω, ω in fixed axes (as a base's) or in the link's own (as a spherical joint's)."""
    sign = -1.0 if fixed_axes else 1.0
    return np.concatenate([-q[None, 1:], q[0] * np.eye(3) + sign * skew(q[1:])]) / 2


def _coordinates(o: Operators, k: int) -> tuple[Array, Array]:
    """θ̇(k), measured, and Ω(k) with θ̇(k) = Ω(k) W(k)."""
    arm = o.arm
    i = int(arm.robot.q_index[arm.of(k)])
    rates = arm.rates(arm.path[:, i : int(arm.robot.q_index[arm.of(k) + 1])])
    if arm.kind(k) in ("revolute", "prismatic"):
        return rates, np.eye(1)
    q, q_dot = quaternion(o, k)
    turn = attitude(q, fixed_axes=arm.kind(k) == "free")
    if arm.kind(k) == "spherical":
        return q_dot, turn
    omega = np.zeros((7, 6))
    omega[:4, :3], omega[4:, 3:] = turn, np.eye(3)
    return np.concatenate([q_dot, rates[4:]]), omega


def _all_coordinates(o: Operators) -> tuple[Array, Array]:
    parts = [_coordinates(o, k) for k in range(1, o.N + 1)]
    return np.concatenate([p[0] for p in parts]), o.arm.per_link([p[1] for p in parts]) @ o.W


def _bias(o: Operators) -> Array:
    """C, of the operators."""
    return o.H @ o.phi @ (o.M @ o.phi.T @ o.a + o.b)


def _base(o: Operators) -> Array:
    """α(N), by the compiled core (W-dot(N) is measured)."""
    return np.asarray(o.arm.robot.accelerations(o.arm.q, o.arm.rate, o.arm.rate_dot)[o.arm.of(o.N)])


def _both_ways(o: Operators) -> list[tuple[Any, Any]]:
    q, q_dot = quaternion(o, o.N)
    turn = attitude(q, fixed_axes=True)
    return [(q_dot, turn @ o.arm.w[o.N]), (o.arm.w[o.N], 4 * turn.T @ q_dot), (4 * turn.T @ turn, np.eye(3))]


APPENDIX_B = Section("B", "Appendix B: extension to a mobile base", mobile_base, (
    Row("b.1", "T = 𝓜 Ẇ + C + J* f(0), W = θ̇",
        lambda o: (o.T, o.mass @ o.W_dot + _bias(o) + (o.H @ o.phi @ o.B) @ o.f0), note=INFERRED),
    Row("b.2", "V(N) = H*(N) W(N), H(N) = 1, W(N) = V(N)",
        lambda o: [(of(o.V, o.N), o.H_of(o.N).T @ o.W[o.arm.own(o.N)]), (o.W[o.arm.own(o.N)], of(o.V, o.N))]),
    misprint("b.3", "q̇ = Λ(q) ω, ω = 4 Λ*(q) q̇ on |q| = 1; Λ is 4 × 3", _both_ways,
             "Λ(q) is always nonsingular, ω = Λ⁻¹(q) q̇", note="a 4 × 3 matrix has no inverse"),
    misprint("b.4", "θ̇(N) = Ω(θ(N)) W(N), Ω(θ(N)) = diag[Λ, 1], 7 × 6", lambda o: _coordinates_match(o),
             "diag[Λ⁻¹, 1], nonsingular", note="a 7 × 6 matrix has no inverse"),
    Row("b.5", "θ̇ = Ω W, Ω = diag[Ω(k)], Ω(θ(k)) = 1 for k < N", _all_coordinates, note=INFERRED),
    Row("b.6", "α(N) = H*(N) Ẇ(N) = Ẇ(N)", lambda o: (_base(o), o.W_dot[o.arm.own(o.N)])),
    Row("b.7", "a(N) = 0", lambda o: (_base(o) - o.H_of(o.N).T @ o.W_dot[o.arm.own(o.N)], o.a_of(o.N)),
        note=INFERRED),
    Row("b.8", "T(N) = H(N) f(N) = f(N)", lambda o: (o.T[o.arm.own(o.N)], of(o.f, o.N)), note=INFERRED),
    Row("b.9", "T = 𝓜 Ẇ + C + J* f(0), θ̇ = Ω W",
        lambda o: [(o.T, o.arm.mass_matrix @ o.W_dot + _bias(o) + o.arm.jacobian.T @ o.f0), _all_coordinates(o)]),
    Row("b.10", "Ẇ = 𝓜⁻¹ [T - C - J* f(0)], by the same factorization: D(N) = P(N), 6 × 6",
        lambda o: [(o.W_dot, o.whitening.T @ o.D_inverse @ o.whitening @ (o.T - _bias(o) - o.arm.jacobian.T @ o.f0)),
                   (o.riccati[1][o.N], o.riccati[0][o.N]),
                   *((how(o).acceleration, o.W_dot) for how in (fd1, fd3, fd4))]),
    definition("B, spherical", "H(k) = [R*(k), 0], W(k) in link axes, a(k) = [ω(k+1) × ω(k); "
               "ω(k+1) × (ω(k+1) × l(k+1, k))]",
               per_link(lambda o, k: of(o.alpha, k), lambda o, k: _spherical(o, k), "spherical")),
))  # fmt: skip


def _coordinates_match(o: Operators) -> tuple[Any, Any]:
    rates, omega = _coordinates(o, o.N)
    return rates, omega @ o.W[o.arm.own(o.N)]


def _spherical(o: Operators, k: int) -> Array:
    beyond = of(o.alpha, k + 1)
    return o.arm.shift(k + 1, k).T @ beyond + o.H_of(k).T @ o.W_dot[o.arm.own(k)] + o.a_of(k)
