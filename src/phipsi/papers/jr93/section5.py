"""JR93, section 5: closed forms of S_pp, S_ap and S_aa, and the recursive algorithm for mixed dynamics."""

from __future__ import annotations

import numpy as np

from phipsi.papers.row import Pair, Section, definition, misprint, together
from phipsi.papers.row import Row as _Row
from phipsi.reference.description import Array, block
from phipsi.reference.spatial import solve

from .system import System, anything

Row = _Row[System]


def wide(o: System) -> Array:
    """ψ~ = ψ - 1."""
    return o.psi - o.I


def driven(o: System) -> Array:
    """H_a*β̇_a + a."""
    return o.H_a.T @ o.v_dot[o.a] + o.coriolis


def residual(o: System) -> Array:
    """z = ψ [K_p T_p + b + P (H_a*β̇_a + a)]."""
    return o.psi @ (o.K @ o.T[o.p] + o.b + o.P @ driven(o))


def nu(o: System) -> Array:
    """ν_p = D_p⁻¹ [T_p - H_p z]."""
    return o.D_inv @ (o.T[o.p] - o.H_p @ residual(o))


def sweeps(o: System) -> tuple[list[Array], list[Array], Array, Array, Array]:
    """(5.4): z and z⁺, ε_p from the tips to the base; then T, β̇, α, back. Hinges of mixed dofs in one step."""
    z, z_plus = [np.zeros(6)] * o.n, [np.zeros(6)] * o.n
    epsilon, T, v_dot = np.zeros(o.N), o.T.copy(), np.zeros(o.N)
    v_dot[o.a] = o.v_dot_wish[o.a]
    gain: list[Array] = [np.zeros((6, 0))] * o.n
    for k in reversed(range(o.n)):
        passive, active = _own(o, k)
        Pk, H_p, H_a = o.P[block(k), block(k)], o.H[passive, block(k)], o.H[active, block(k)]
        z[k] = o.gathered(z_plus, k) + o.b[block(k)] + Pk @ (H_a.T @ v_dot[active] + o.coriolis[block(k)])
        D = H_p @ Pk @ H_p.T
        epsilon[passive] = o.T[passive] - H_p @ z[k]
        gain[k] = solve(D, H_p @ Pk).T
        z_plus[k] = z[k] + gain[k] @ epsilon[passive]
        epsilon[passive] = solve(D, epsilon[passive])  # ν_p
    alpha = np.zeros((o.n + 1, 6))  # row -1 is the world
    for k in range(o.n):
        passive, active = _own(o, k)
        plus = o.carried(k).T @ alpha[o.parent(k)]
        v_dot[passive] = epsilon[passive] - gain[k].T @ plus
        kept = o.P[block(k), block(k)] - gain[k] @ o.H[passive, block(k)] @ o.P[block(k), block(k)]
        T[active] = o.H[active, block(k)] @ (kept @ plus + z_plus[k])
        alpha[k] = plus + o.H[o.own(k), block(k)].T @ v_dot[o.own(k)] + o.coriolis[block(k)]
    return z, z_plus, v_dot, T, alpha[:-1].ravel()


def _own(o: System, k: int) -> tuple[list[int], list[int]]:
    own = range(o.own(k).start, o.own(k).stop)
    return [i for i in own if o.passive[i]], [i for i in own if not o.passive[i]]


def _forces(o: System) -> list[Pair]:
    """z is the residual: P (α - H_a*β̇_a - a) + z is the force through the joint, whatever moves."""
    z = np.concatenate(sweeps(o)[0])
    return [(z, residual(o)), (o.P @ (o.alpha - driven(o)) + z, o.f)]


_5_1A = Row("5.1a", "S_pp = [1 - H_p ψ K_p]* D_p⁻¹ [1 - H_p ψ K_p]",
            lambda o: (o.white.T @ o.D_inv @ o.white, o.S_pp))  # fmt: skip
_5_1B = Row("5.1b", "S_ap = H_a {ψ K_p + P ψ* H_p* D_p⁻¹ [1 - H_p ψ K_p]} = H_a {(ψ - PΩ) K_p + P ψ* H_p* D_p⁻¹}",
            lambda o: [(o.H_a @ (o.psi @ o.K + o.P @ o.psi.T @ o.H_p.T @ o.D_inv @ o.white), o.S_ap),
                       (o.H_a @ ((o.psi - o.P @ o.Omega) @ o.K + o.P @ o.psi.T @ o.H_p.T @ o.D_inv),
                        o.S_ap)])  # fmt: skip
_5_1C = Row("5.1c", "S_aa = H_a [ψ M ψ* - P Ω P] H_a* = H_a [(ψ - PΩ) P + P ψ~*] H_a*",
            lambda o: [(o.H_a @ (o.psi @ o.M @ o.psi.T - o.P @ o.Omega @ o.P) @ o.H_a.T, o.S_aa),
                       (o.H_a @ ((o.psi - o.P @ o.Omega) @ o.P + o.P @ wide(o).T) @ o.H_a.T, o.S_aa)])  # fmt: skip
_5_3A = Row("5.3a", "α = ψ* [H_p*ν_p + H_a*β̇_a + a]",
            lambda o: (o.psi.T @ (o.H_p.T @ nu(o) + driven(o)), o.alpha))  # fmt: skip
_5_3B = Row("5.3b", "β̇_p = [1 - H_p ψ K_p]* ν_p - K_p* ψ* [H_a*β̇_a + a] = ν_p - K_p* α",
            lambda o: [(o.white.T @ nu(o) - o.K.T @ o.psi.T @ driven(o), o.v_dot[o.p]),
                       (nu(o) - o.K.T @ o.alpha, o.v_dot[o.p])])  # fmt: skip
_5_3C = Row("5.3c", "T_a = H_a {z + P [ψ*H_p*ν_p + ψ~*(H_a*β̇_a + a)]} = H_a P [α - H_a*β̇_a - a] + H_a z",
            lambda o: [(o.H_a @ (residual(o) + o.P @ (o.psi.T @ o.H_p.T @ nu(o) + wide(o).T @ driven(o))),
                        o.torques[o.a]),
                       (o.H_a @ (o.P @ (o.alpha - driven(o)) + residual(o)), o.torques[o.a])])  # fmt: skip


SECTION_5: Section[System] = Section(
    "5",
    "Recursive O(N) dynamics algorithm",
    anything,
    (
        _5_1A,
        _5_1B,
        _5_1C,
        together("5.1", "S_pp, S_ap and S_aa in closed form", [_5_1A, _5_1B, _5_1C]),
        together("Lemma 5.1", "S_pp, S_ap and S_aa in closed form", [_5_1A, _5_1B, _5_1C]),
        definition("5.2", "Ω = ψ* H_p* D_p⁻¹ H_p ψ",
            lambda o: (o.Omega, o.phi.T @ o.H_p.T @ o.S_pp @ o.H_p @ o.phi),
            title="operational compliance of the passive arm",
            note="checked as the accelerations that forces on bodies cause with the active dofs held"),
        _5_3A,
        _5_3B,
        _5_3C,
        together("5.3", "α, β̇_p and T_a from z and ν_p", [_5_3A, _5_3B, _5_3C]),
        together("Lemma 5.2", "α, β̇_p and T_a in operators", [_5_3A, _5_3B, _5_3C]),
        definition("5.3z", "z = ψ [K_p T_p + b + P (H_a*β̇_a + a)], ε_p = T_p - H_p z, ν_p = D_p⁻¹ ε_p", _forces,
            title="residual force", note="defined below (5.3c), without a number"),
        misprint("5.4", "z⁺(0) = 0; z, ε_p, ν_p from tip to base; α(n+1) = 0; β̇_p, T_a, α from base to tip",
            lambda o: [(sweeps(o)[2], o.v_dot), (sweeps(o)[3][o.a], o.torques[o.a]), (sweeps(o)[4], o.alpha)],
            "z(0) = 0; α⁺(n+1) = 0", title="mixed dynamics algorithm"),
        Row("5.4a", "z(k) = φ z⁺(k-1) + b + P (H_a*β̇_a + a); z⁺(k) = z(k) + G_p(k) ε_p(k)",
            lambda o: (np.concatenate(sweeps(o)[0]), residual(o))),
        Row("5.4b", "α⁺(k) = φ*α(k+1); T_a = H_a [P⁺α⁺ + z⁺]; β̇_p = ν_p - G_p*α⁺; α = α⁺ + H*β̇ + a",
            lambda o: [(sweeps(o)[2][o.p], o.v_dot[o.p]), (sweeps(o)[4], o.alpha)],
            note="T_a = H_a [P α⁺ + z] of the paper is the same at hinges that are active as a whole"),
        Row("5, limits", "all passive: forward dynamics; all active: inverse dynamics",
            lambda o: [(_with(o, True)[2], o.robot.forward_dynamics(o.q, o.v, o.T)),
                       (_with(o, False)[3], o.robot.inverse_dynamics(o.q, o.v, o.v_dot_wish))]),
    ),
)  # fmt: skip


def _with(o: System, passive: bool) -> tuple[list[Array], list[Array], Array, Array, Array]:
    """The sweeps of the same robot in the same state, when all its dofs are passive, or none."""
    return sweeps(o.masked(np.full(o.N, passive)))
