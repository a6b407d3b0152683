"""JR93, section 6: the generalized and the disturbance Jacobian, the projections, and forces for a trajectory."""

from __future__ import annotations

import numpy as np

from phipsi.papers.row import Pair, Section, definition, misprint, together
from phipsi.papers.row import Row as _Row
from phipsi.reference.description import Array

from .system import System, floating

Row = _Row[System]


def J_G(o: System) -> Array:
    """B* [ψ* - Ω P] H_a*."""
    return o.B.T @ (o.psi.T - o.Omega @ o.P) @ o.H_a.T


def J_D(o: System) -> Array:
    """-[1 - H_p ψ K_p]* D_p⁻¹ H_p ψ P H_a* - K_p* ψ* H_a*."""
    return -o.white.T @ o.D_inv @ o.H_p @ o.psi @ o.P @ o.H_a.T - o.K.T @ o.psi.T @ o.H_a.T


def tip_drift(o: System) -> Array:
    """The terms of (6.10) that do not hold β̇_a."""
    forced = o.B.T @ o.psi.T @ o.H_p.T @ o.D_inv @ o.white @ o.T[o.p]
    return forced - o.B.T @ o.Omega @ (o.b + o.P @ o.coriolis) + o.B.T @ o.psi.T @ o.coriolis + o.a_tip


def passive_drift(o: System) -> Array:
    """The terms of (6.12) that do not hold β̇_a."""
    bias = o.K @ o.T[o.p] + o.b + o.M @ o.phi.T @ o.coriolis
    return o.white.T @ o.D_inv @ (o.T[o.p] - o.H_p @ o.psi @ bias)


def _tip_of(o: System, active: Array) -> Array:
    """α(0) when the active dofs accelerate so, by elimination and the compiled core."""
    return o.robot.acceleration(o.q, o.v, o.moved(active), "tip")


def _free_flyer(o: System) -> tuple[System, Array]:
    """The robot with nothing but its base passive, and its velocities without momentum."""
    ship = o.masked(np.asarray(o.robot.passive))
    v = o.v.copy()
    v[ship.p] = -ship.S_pp @ ship.part("p", "a") @ v[ship.a]
    return ship, v


def _columns(o: System) -> tuple[Array, Array]:
    """J_G and J_D, a column at a time: rest, no passive forces, one active dof accelerated by one."""
    still = o.masked(o.passive)
    still.v, still.T = np.zeros(o.N), np.zeros(o.N)
    still.__dict__.pop("C", None)
    moves = [still.moved(e) for e in np.eye(len(o.a))]
    tips = [o.robot.acceleration(o.q, still.v, v_dot, "tip") for v_dot in moves]
    return np.array(tips).T, np.array([v_dot[o.p] for v_dot in moves]).T


def _trajectory_step(o: System) -> list[Pair]:
    """β̇_a = J_G⁺ [α(0) - drift], T_a of it, and what forward dynamics then does."""
    wanted = np.linspace(-1.0, 1.0, 6)
    active = np.linalg.pinv(J_G(o)) @ (wanted - tip_drift(o))
    T = o.robot.inverse_dynamics(o.q, o.v, o.moved(active))
    v_dot = o.robot.forward_dynamics(o.q, o.v, T)
    return [(T[o.p], o.T[o.p]), (o.robot.acceleration(o.q, o.v, v_dot, "tip"), wanted)]


def _ranks(o: System) -> list[Pair]:
    rank = np.linalg.matrix_rank
    moved = rank(o.bar @ o.phi.T @ o.H_a.T, 1e-8)
    return [(rank(o.projection, 1e-8), len(o.p)), (rank(o.bar, 1e-8), 6 * o.n - len(o.p)), (moved, len(o.a))]


_6_5 = Row("6.5", "T² = T, T̄² = T̄, with T = ΩM and T̄ = 1 - ΩM",
           lambda o: [(o.projection @ o.projection, o.projection), (o.bar @ o.bar, o.bar)])  # fmt: skip
_6_6 = Row("6.6", "T̄ φ* = ψ* - ΩP",
           lambda o: (o.bar @ o.phi.T, o.psi.T - o.Omega @ o.P))  # fmt: skip
_6_7 = Row("6.7", "T̄ φ* H_p* = 0",
           lambda o: (o.bar @ o.phi.T @ o.H_p.T, np.zeros((6 * o.n, len(o.p)))))  # fmt: skip
_6_11 = Row("6.11", "J_G = B* [ψ* - ΩP] H_a* = B* T̄ φ* H_a*",
            lambda o: [(J_G(o), o.robot.generalized_jacobian(o.q, "tip", o.passive)),
                       (o.B.T @ o.bar @ o.phi.T @ o.H_a.T, _columns(o)[0])])  # fmt: skip
_6_13 = Row("6.13", "J_D = -S_ap* = -[1 - H_p ψ K_p]* D_p⁻¹ H_p ψ P H_a* - K_p* ψ* H_a*",
            lambda o: [(J_D(o), -o.S_ap.T), (J_D(o), o.robot.disturbance_jacobian(o.q, o.passive))])  # fmt: skip

SECTION_6: Section[System] = Section(
    "6",
    "Kinematical quantities",
    floating,
    (
        Row("6.1", "V(0) = J_G β_a of a free-flyer without momentum; V(0) = J β_a of regular manipulators",
            lambda o: [(J_G(_free_flyer(o)[0]) @ o.v[_free_flyer(o)[0].a],
                        o.robot.velocity(o.q, _free_flyer(o)[1], "tip")),
                       (J_G(o.masked(np.zeros(o.N, dtype=np.bool_))) @ o.v, o.robot.velocity(o.q, o.v, "tip"))]),
        Row("6.2", "β_p = J_D β_a of a free-flyer without momentum",
            lambda o: [(J_D(_free_flyer(o)[0]) @ o.v[_free_flyer(o)[0].a], _free_flyer(o)[1][:6]),
                       (o.robot.momentum(o.q, _free_flyer(o)[1]), np.zeros(6))]),
        definition("6.3", "α(0) = J_G β̇_a + terms without accelerations",
            lambda o: (_tip_of(o, o.v_dot[o.a]) - _tip_of(o, o.other[o.a]), J_G(o) @ (o.v_dot - o.other)[o.a])),
        definition("6.4", "β̇_p = J_D β̇_a + terms without accelerations",
            lambda o: ((o.moved(o.v_dot[o.a]) - o.moved(o.other[o.a]))[o.p], J_D(o) @ (o.v_dot - o.other)[o.a])),
        _6_5,
        misprint("Lemma 6.1", "T and T̄ are projections; rank T = N_p, rank T̄ = 6n - N_p, rank T̄φ*H_a* = N_a", _ranks,
            "rank T̄ = N_a", lambda o: (np.linalg.matrix_rank(o.bar, 1e-8), len(o.a))),
        _6_6,
        _6_7,
        misprint("6.8", "S_aa = H_a φ (T̄* M T̄) φ* H_a*; H φ (T̄* M T̄) φ* H* = diag(S_aa, 0)",
            lambda o: [(o.H_a @ o.phi @ o.bar.T @ o.M @ o.bar @ o.phi.T @ o.H_a.T, o.S_aa),
                       (o.H_p @ o.phi @ o.bar.T @ o.M @ o.bar @ o.phi.T @ o.H.T, np.zeros((len(o.p), o.N)))],
            "S_aa = H φ (T̄* M T̄) φ* H*", note="as printed the sizes do not fit"),
        together("Lemma 6.2", "S_aa is the mass matrix of the active arm with M T̄ for M", [
            Row("", "", lambda o: (o.H_a @ o.phi @ o.M @ o.bar @ o.phi.T @ o.H_a.T, o.S_aa))]),
        Row("6.9", "α = [ψ* - ΩP] H_a*β̇_a + ψ*H_p*D_p⁻¹[1 - H_pψK_p]T_p - Ω[b + Pa] + ψ*a",
            lambda o: ((o.psi.T - o.Omega @ o.P) @ o.H_a.T @ o.v_dot[o.a]
                       + o.psi.T @ o.H_p.T @ o.D_inv @ o.white @ o.T[o.p]
                       - o.Omega @ (o.b + o.P @ o.coriolis) + o.psi.T @ o.coriolis, o.alpha)),
        Row("6.10", "α(0) = J_G β̇_a + B*ψ*H_p*D_p⁻¹[1 - H_pψK_p]T_p - B*Ω[b + Pa] + B*ψ*a + a(0)",
            lambda o: (J_G(o) @ o.v_dot[o.a] + tip_drift(o), o.alpha_tip)),
        _6_11,
        together("Lemma 6.3", "J_G = B* T̄ φ* H_a*", [_6_11]),
        Row("Algorithm 6.1", "column k of J_G: β̇_a = e_k, at rest, T_p = 0; carry α(1) to the tip",
            lambda o: [(_columns(o)[0], J_G(o)), (_columns(o)[1], J_D(o))]),
        Row("Procedure 6.2", "β̇_a = J_G⁻¹ [α(0) - velocity and T_p dependent terms], then T_a", _trajectory_step,
            title="active forces for a trajectory"),
        Row("6.12", "β̇_p = -S_ap* β̇_a + [1 - H_pψK_p]*D_p⁻¹{T_p - H_pψ(K_pT_p + b + Mφ*a)}",
            lambda o: [(J_D(o) @ o.v_dot[o.a] + passive_drift(o), o.v_dot[o.p]),
                       (passive_drift(o), o.S_pp @ (o.T[o.p] - o.C[o.p]))]),
        _6_13,
        together("Lemma 6.4", "J_D = -S_ap*", [_6_13]),
    ),
)  # fmt: skip
