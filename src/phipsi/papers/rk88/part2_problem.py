"""RK88, part II, sections 2 to 4: several arms that hold one object, the analytical solution, the general algorithm."""

from __future__ import annotations

import numpy as np

from phipsi.papers.least_constraint import diagonal
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import shift, solve

from .arm import inverse
from .grasped import Grasped, rigid
from .section2 import INFERRED

DIMENSION = "the printed form is dimensionally impossible"


def _per_arm(o: Grasped, x: Array, rows: int = 6) -> list[Array]:
    return [x[rows * i : rows * (i + 1)] for i in range(o.count)]


def _mean(o: Grasped, x: Array) -> Array:
    """(A*A)⁻¹ A* x."""
    return solve(o.A.T @ o.A, o.A.T @ x)


def _around(o: Grasped) -> list[tuple[Array, Array]]:
    """V_j(0) = φ*(O_i, O_j) V_i(0), for every two arms."""
    V, at = _per_arm(o, o.V0), [o.l_C(i) for i in range(o.count)]
    return [(V[j], shift(at[j] - at[i]).T @ V[i]) for i in range(o.count) for j in range(o.count)]


def _symmetric(o: Grasped) -> tuple[Array, Array]:
    """The matrix of (2.11), and its right side."""
    m, n = len(o.J), len(o.Mass)
    matrix = np.block([
        [np.zeros((m, m)), o.J, -o.A],
        [o.J.T, o.Mass, np.zeros((n, 6))],
        [-o.A.T, np.zeros((6, n)), o.M_C],
    ])  # fmt: skip
    return matrix, np.r_[o.a_C - o.J_dot_rate, o.T_prime, -o.b_C]


def _reduced(o: Grasped) -> tuple[Array, Array]:
    """The matrix of (2.14), and its right side."""
    return np.block([[o.Mass, o.J.T], [o.J, -o.yielding]]), np.r_[o.T_prime, o.a_prime]


def _solution(o: Grasped) -> Array:
    return np.r_[o.W_dot, o.f0]


def _eliminated(o: Grasped) -> tuple[Array, Array]:
    """(3.2): (2.14) times [[1, 0], [J M⁻¹, -1]]."""
    n = len(o.Mass)
    matrix = np.block([[o.Mass, o.J.T], [np.zeros((len(o.J), n)), o.Omega]])
    return matrix, np.r_[o.T_prime, o.J @ o.Mass_inverse @ o.T_prime - o.a_prime]


def _solved(o: Grasped) -> Array:
    """The inverse of the matrix of (3.2), as (3.4) has it."""
    Omega_inverse = inverse(o.Omega)
    coupling = -o.Mass_inverse @ o.J.T @ Omega_inverse
    return np.block([[o.Mass_inverse, coupling], [np.zeros((len(o.J), len(o.Mass))), Omega_inverse]])


def _force(o: Grasped) -> Array:
    return solve(o.Omega, o.J @ o.Mass_inverse @ o.T_prime - o.a_prime)


def _joints(o: Grasped) -> Array:
    """(3.6a)."""
    JM, Omega_inverse = o.J @ o.Mass_inverse, inverse(o.Omega)
    return (o.Mass_inverse - JM.T @ Omega_inverse @ JM) @ o.T_prime + JM.T @ Omega_inverse @ o.a_prime


def _delta(o: Grasped) -> Array:
    """Δθ̈, of the motion and of the free motion."""
    return o.W_dot - o.free_joints


def _delta_tips(o: Grasped) -> Array:
    return o.alpha0 - o.free_tips


def _contact(o: Grasped) -> Array:
    """f(0) by (4.9c), (4.9d)."""
    return solve(o.Omega, o.free_tips + o.yielding_b - o.a_C)


PART_2_2 = Section("II.2", "Part II: problem formulation and statement", rigid, (
    Row("II 2.1a", "𝓜ᵢ θ̈ᵢ + Cᵢ + Jᵢ* fᵢ(0) = Tᵢ",
        lambda o: (o.Mass @ o.W_dot + o.C + o.J.T @ o.f0, o.torques)),
    definition("II 2.1b", "Xᵢ(0) = Qᵢ(θᵢ): where the tips are",
               lambda o: ([o.robot.pose(o.q, f"{name}/tip").position for name in o.names],
                          [arm.arm.O[0] for arm in o.arms])),
    Row("II 2.1c", "Vᵢ(0) = Jᵢ θ̇ᵢ", lambda o: (o.V0, o.J @ o.W)),
    Row("II 2.1d", "αᵢ(0) = V̇ᵢ(0) = Jᵢ θ̈ᵢ + J̇ᵢ θ̇ᵢ", lambda o: (o.alpha0, o.J @ o.W_dot + o.J_dot_rate)),
    definition("II 2.2", "X(0), V(0), α(0), f(0), θ, T: col[xᵢ]; 𝓜, J: diag[xᵢ]; n = ℓ N",
               lambda o: [(o.W @ o.Mass @ o.W / 2 + o.V_C @ o.M_C @ o.V_C / 2, o.robot.kinetic_energy(o.q, o.rate)),
                          (float(len(o.W)), float(sum(arm.N for arm in o.arms)))],
               note=f"{INFERRED}; arms of unequal lengths do as well"),
    Row("II 2.3a", "𝓜 θ̈ + C + J* f(0) = T", lambda o: (o.Mass @ o.W_dot + o.C + o.J.T @ o.f0, o.torques)),
    definition("II 2.3b", "X(0) = Q(θ)",
               lambda o: ([arm.arm.O[0] for arm in o.arms],
                          [o.robot.pose(o.q, f"grasp{i}").position for i in range(o.count)])),
    Row("II 2.3c", "V(0) = J θ̇", lambda o: (o.V0, o.J @ o.W)),
    Row("II 2.3d", "α(0) = J θ̈ + J̇ θ̇", lambda o: (o.alpha0, o.J @ o.W_dot + o.J_dot_rate)),
    Row("II 2.4", "M(C) α(C) + b(C) = f(C), b(C) = [ω × I ω; m ω × (ω × p)]",
        lambda o: (o.M_C @ o.alpha_C + o.b_C, sum(shift(o.l_C(i)) @ f for i, f in enumerate(_per_arm(o, o.f0))))),
    Row("II 2.5a", "Vᵢ(0) = φ*(C, Oᵢ) V(C)",
        lambda o: [*((V, shift(o.l_C(i)).T @ o.V_C) for i, V in enumerate(_per_arm(o, o.V0))), *_around(o)]),
    Row("II 2.5b", "αᵢ(0) = φ*(C, Oᵢ) α(C) + aᵢ(C), aᵢ(C) = [0; ω × (ω × l(C, Oᵢ))]",
        lambda o: [(alpha, shift(o.l_C(i)).T @ o.alpha_C + o.a_C[6 * i : 6 * i + 6])
                   for i, alpha in enumerate(_per_arm(o, o.alpha0))]),
    definition("II 2.6", "A = col[φ*(C, Oᵢ)], a(C) = col[aᵢ(C)]", lambda o: (o.A @ o.alpha_C + o.a_C, o.alpha0)),
    Row("II 2.7a", "V(0) = A V(C)", lambda o: (o.V0, o.A @ o.V_C)),
    Row("II 2.7b", "α(0) = A α(C) + a(C)", lambda o: (o.alpha0, o.A @ o.alpha_C + o.a_C)),
    Row("II 2.8a", "V(C) = (A*A)⁻¹ A* V(0)", lambda o: (_mean(o, o.V0), o.V_C)),
    Row("II 2.8b", "α(C) = (A*A)⁻¹ A* [α(0) - a(C)]", lambda o: (_mean(o, o.alpha0 - o.a_C), o.alpha_C)),
    Row("II 2.9", "f(C) = A* f(0)", lambda o: (o.A.T @ o.f0, o.M_C @ o.alpha_C + o.b_C)),
    Row("II 2.10a", "𝓜 θ̈ + C + J* f(0) = T", lambda o: (o.Mass @ o.W_dot + o.C + o.J.T @ o.f0, o.torques)),
    Row("II 2.10b", "α(0) = J θ̈ + J̇ θ̇ = A α(C) + a(C)",
        lambda o: (o.J @ o.W_dot + o.J_dot_rate, o.A @ o.alpha_C + o.a_C)),
    Row("II 2.10c", "M(C) α(C) + b(C) = A* f(0)", lambda o: (o.M_C @ o.alpha_C + o.b_C, o.A.T @ o.f0)),
    Row("II 2.11", "[[0, J, -A], [J*, 𝓜, 0], [-A*, 0, M(C)]] [f(0); θ̈; α(C)] = [a(C) - J̇ θ̇; T - C; -b(C)]",
        lambda o: [(solve(*_symmetric(o)), np.r_[o.f0, o.W_dot, o.alpha_C]),
                   (_symmetric(o)[0], _symmetric(o)[0].T)], note="reconstructed: the scan lost it"),
    Row("II 2.12", "α(0) = A M⁻¹(C) A* f(0) - A M⁻¹(C) b(C) + a(C)",
        lambda o: (o.yielding @ o.f0 - o.yielding_b + o.a_C, o.alpha0)),
    Row("II 2.13a", "𝓜 θ̈ + J* f(0) = T - C", lambda o: (o.Mass @ o.W_dot + o.J.T @ o.f0, o.torques - o.C)),
    Row("II 2.13b", "J θ̈ - A M⁻¹(C) A* f(0) = a(C) - A M⁻¹(C) b(C) - J̇ θ̇",
        lambda o: (o.J @ o.W_dot - o.yielding @ o.f0, o.a_C - o.yielding_b - o.J_dot_rate)),
    Row("II 2.14", "[[𝓜, J*], [J, -A M⁻¹(C) A*]] [θ̈; f(0)] = [T'; a'(C)]",
        lambda o: (solve(*_reduced(o)), _solution(o))),
    definition("II 2.15a", "T' = T - C", lambda o: (o.T_prime, o.Mass @ o.free_joints)),
    definition("II 2.15b", "a'(C) = a(C) - A M⁻¹(C) b(C) - J̇ θ̇",
               lambda o: (o.a_prime, o.J @ o.W_dot - o.yielding @ o.f0)),
    Row("II CCFDP", "given (θ, θ̇) and T, (2.14) gives θ̈ and f(0), (2.8b) α(C)",
        lambda o: [(solve(*_reduced(o))[: len(o.W)], o.W_dot), (_mean(o, o.alpha0 - o.a_C), o.alpha_C)],
        title="Closed-chain forward dynamics problem"),
    misprint("II 2, text", "V(C) = (A*A)⁻¹ A* V(0)", lambda o: (_mean(o, o.V0), o.V_C),
             "V(C) = (A*A)⁻¹ A V(0)", note=DIMENSION),
    definition("II Table 2.1", "𝓜, C, J, T, f(0): of the arms; M(C), b(C), a(C), A, α(C): of the object",
               lambda o: [(o.p_C, o.robot.pose(o.q, "object") @ o.held.com[0] - o.O_C),
                          (o.J @ o.Mass_inverse @ o.J.T,
                           diagonal([x @ inverse(y) @ x.T for x, y in ((a.arm.jacobian, a.arm.mass_matrix)
                                                                       for a in o.arms)]))]),
))  # fmt: skip


PART_2_3 = Section("II.3", "Part II: an analytical solution to the closed-chain forward dynamics problem", rigid, (
    definition("II 3.1", "Ω = J 𝓜⁻¹ J* + A M⁻¹(C) A*",
               lambda o: (o.Omega @ o.f0, o.free_tips + o.yielding_b - o.a_C)),
    Row("II 3.2", "[[𝓜, J*], [0, Ω]] [θ̈; f(0)] = [T'; J 𝓜⁻¹ T' - a'(C)]",
        lambda o: (_eliminated(o)[0] @ _solution(o), _eliminated(o)[1])),
    Row("II 3.3", "[[𝓜⁻¹, -𝓜⁻¹ J* Ω⁻¹], [0, Ω⁻¹]] [[𝓜, J*], [0, Ω]] = 1",
        lambda o: (_solved(o) @ _eliminated(o)[0], np.eye(len(_solution(o)))), note=INFERRED),
    Row("II 3.4", "[θ̈; f(0)] = [[𝓜⁻¹, -𝓜⁻¹ J* Ω⁻¹], [0, Ω⁻¹]] [[1, 0], [J 𝓜⁻¹, -1]] [T'; a'(C)]",
        lambda o: (_solved(o) @ _eliminated(o)[1], _solution(o))),
    Row("II 3.5a", "θ̈ = 𝓜⁻¹ T' - 𝓜⁻¹ J* f(0)",
        lambda o: (o.Mass_inverse @ (o.T_prime - o.J.T @ o.f0), o.W_dot), note=INFERRED),
    Row("II 3.5b", "f(0) = Ω⁻¹ [J 𝓜⁻¹ T' - a'(C)]", lambda o: (_force(o), o.f0), note=INFERRED),
    Row("II 3.6a", "θ̈ = {𝓜⁻¹ - 𝓜⁻¹ J* Ω⁻¹ J 𝓜⁻¹} T' + 𝓜⁻¹ J* Ω⁻¹ a'(C)", lambda o: (_joints(o), o.W_dot)),
    Row("II 3.6b", "f(0) = Ω⁻¹ J 𝓜⁻¹ T' - Ω⁻¹ a'(C)", lambda o: (_force(o), o.f0)),
    misprint("II 3, text", "(3.4) solves the CCFDP given by (2.14)", lambda o: (solve(*_reduced(o)), _solution(o)),
             "... given by (2.4)", note="(2.4) is the object's equation of motion alone"),
))  # fmt: skip


PART_2_4 = Section("II.4", "Part II: a general algorithm for the closed-chain forward dynamics problem", rigid, (
    Row("II 4.1a", "𝓜 θ̈_f + C = T", lambda o: (o.Mass @ o.free_joints + o.C, o.torques)),
    Row("II 4.1b", "α_f(0) = J θ̈_f + J̇ θ̇", lambda o: (o.J @ o.free_joints + o.J_dot_rate, o.free_tips)),
    definition("II 4.2a", "Δθ̈ = θ̈ - θ̈_f", lambda o: (_delta(o), -o.Mass_inverse @ o.J.T @ o.f0)),
    definition("II 4.2b", "Δα(0) = α(0) - α_f(0)", lambda o: (_delta_tips(o), o.J @ _delta(o))),
    Row("II 4.3", "𝓜 Δθ̈ = -J* f(0)", lambda o: (o.Mass @ _delta(o), -o.J.T @ o.f0)),
    Row("II 4.4", "Δθ̈ = -𝓜⁻¹ J* f(0)", lambda o: (_delta(o), -o.Mass_inverse @ o.J.T @ o.f0)),
    Row("II 4.5", "J Δθ̈ = Δα(0)", lambda o: (o.J @ _delta(o), _delta_tips(o))),
    Row("II 4.6", "Δα(0) = A M⁻¹(C) A* f(0) - A M⁻¹(C) b(C) + a(C) - α_f(0)",
        lambda o: (o.yielding @ o.f0 - o.yielding_b + o.a_C - o.free_tips, _delta_tips(o))),
    definition("II 4.7", "Ω = J 𝓜⁻¹ J* + A M⁻¹(C) A*",
               lambda o: (o.Omega @ o.f0, o.free_tips + o.yielding_b - o.a_C)),
    Row("II 4.8", "Ω f(0) = α_f(0) + A M⁻¹(C) b(C) - a(C)", lambda o: (_contact(o), o.f0)),
    Row("II 4.9a", "𝓜 θ̈_f + C = T", lambda o: (o.Mass_inverse @ (o.torques - o.C), o.free_joints)),
    Row("II 4.9b", "α_f(0) = J θ̈_f + J̇ θ̇", lambda o: (o.J @ o.free_joints + o.J_dot_rate, o.free_tips)),
    definition("II 4.9c", "Ω = J 𝓜⁻¹ J* + A M⁻¹(C) A*", lambda o: (o.Omega @ o.f0, o.Omega @ _contact(o))),
    Row("II 4.9d", "Ω f(0) = α_f(0) + A M⁻¹(C) b(C) - a(C)", lambda o: (_contact(o), o.f0)),
    Row("II 4.9e", "𝓜 Δθ̈ + J* f(0) = 0", lambda o: (o.Mass @ _delta(o) + o.J.T @ o.f0, np.zeros(len(o.W)))),
    Row("II 4.9f", "Δα(0) = J Δθ̈", lambda o: (o.J @ _delta(o), _delta_tips(o))),
    Row("II 4.9g", "θ̈ = θ̈_f + Δθ̈",
        lambda o: (o.free_joints - o.Mass_inverse @ o.J.T @ _contact(o), o.W_dot)),
    misprint("II 4.9h", "α(0) = α_f(0) + Δα(0)",
             lambda o: (o.free_tips - o.J @ o.Mass_inverse @ o.J.T @ _contact(o), o.alpha0),
             "Δα(0) = α_f(0) + Δα(0)", lambda o: (_delta_tips(o), o.free_tips + _delta_tips(o))),
    Row("II CCFD", "(4.9): free accelerations, contact forces, corrections, accelerations",
        lambda o: [(_contact(o), o.f0), (o.free_joints - o.Mass_inverse @ o.J.T @ _contact(o), o.W_dot)],
        title="General CCFD algorithm"),
    misprint("II 4, text", "α_f(0): the accelerations that the tips would have",
             lambda o: (o.free_tips, o.J @ o.free_joints + o.J_dot_rate), "... the velocities ...",
             lambda o: (o.free_tips, o.V0)),
))  # fmt: skip
