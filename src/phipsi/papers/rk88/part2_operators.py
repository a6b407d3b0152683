"""RK88, part II, sections 5 and 6: the recursive algorithms RCCFD1 to RCCFD3, by operator methods."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from phipsi.papers.least_constraint import diagonal
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

from .arm import inverse
from .grasped import Grasped, rigid
from .part2_problem import DIMENSION
from .recursions import carried_out, filtered, smoothed
from .section2 import INFERRED


def _biases(o: Grasped) -> Array:
    """H φ (𝓜 φ* a + b)."""
    return o.H @ (o.phi @ (o.M @ (o.phi.T @ o.a) + o.b))


@lru_cache(maxsize=8)
def _primed(o: Grasped) -> Array:
    """T' by operators."""
    return o.torques - _biases(o)


def _free(o: Grasped, T: Array) -> Array:
    """(1 - HΨL)* D⁻¹ (1 - HΨL) T."""
    return o.whitening.T @ (o.D_inverse @ (o.whitening @ T))


@lru_cache(maxsize=8)
def _free_tips(o: Grasped) -> Array:
    return o.B.T @ o.phi.T @ (o.H.T @ _free(o, _primed(o)) + o.a) + o.a_tips


@lru_cache(maxsize=8)
def _compliance(o: Grasped) -> Array:
    """B* ψ* H* D⁻¹ H ψ B."""
    at_joints = o.H @ (o.psi @ o.B)
    return at_joints.T @ (o.D_inverse @ at_joints)


def _Omega(o: Grasped) -> Array:
    return _compliance(o) + o.yielding


def _correction(o: Grasped, f: Array) -> Array:
    return -o.whitening.T @ (o.D_inverse @ (o.H @ (o.psi @ (o.B @ f))))


@lru_cache(maxsize=8)
def _a_prime(o: Grasped) -> Array:
    return o.a_C - o.yielding_b - o.B.T @ o.phi.T @ o.a - o.a_tips


def _force(o: Grasped) -> Array:
    """(6.13)."""
    return solve(_Omega(o), o.B.T @ (o.psi.T @ (o.H.T @ (o.D_inverse @ (o.whitening @ _primed(o))))) - _a_prime(o))


def _split(o: Grasped, x: Array, arm: int) -> Array:
    ends = np.cumsum([0, *(len(a.W) for a in o.arms)]).tolist()
    return x[ends[arm] : ends[arm + 1]]


def _swept(o: Grasped) -> list[tuple[Array, Array]]:
    """(5.10), arm by arm: what the sweeps give, and θ̈_f."""
    pairs: list[tuple[Array, Array]] = []
    for i, arm in enumerate(o.arms):
        _, _, nu = filtered(arm, _split(o, _primed(o), i), np.zeros(6 * arm.N))
        pairs.append((smoothed(arm, nu)[1], _split(o, o.free_joints, i)))
    return pairs


def _three_sweeps(o: Grasped, with_b: bool = True, transposed: bool = True) -> Array:
    """(5.13)."""
    xi = o.M @ o.phi.T @ o.a + (o.b if with_b else o.a)
    left = o.whitening.T if transposed else inverse(o.whitening)
    return left @ o.D_inverse @ (o.torques - o.H @ o.psi @ (o.S @ o.L @ o.torques + xi))


def _tip_swept(o: Grasped, sign: float = -1.0) -> Array:
    """(6.4): Δθ̈ by an inward and an outward sweep from the tip forces."""
    parts: list[Array] = []
    for i, arm in enumerate(o.arms):
        zero = np.zeros(len(arm.W))
        _, _, nu = filtered(arm, zero, np.zeros(6 * arm.N), o.f0[6 * i : 6 * i + 6])
        parts.append(smoothed(arm, -sign * nu)[1])
    return np.concatenate(parts)


def _Lambda(o: Grasped) -> Array:
    """(6.10), arm by arm."""
    blocks: list[Array] = []
    for arm in o.arms:
        found = np.zeros((6, 6))
        for k in range(arm.N, 0, -1):
            psi, H = arm.psi_step(k + 1), arm.H_of(k)
            found = psi.T @ found @ psi + H.T @ inverse(arm.riccati[1][k]) @ H
        blocks.append(arm.arm.shift(1, 0).T @ found @ arm.arm.shift(1, 0))
    return diagonal(blocks)


def _Lambda_sum(o: Grasped) -> Array:
    """(6.9): Λᵢ(1) = Σ ψ*(k, 1) H*(k) D⁻¹(k) H(k) ψ(k, 1)."""
    blocks: list[Array] = []
    for arm in o.arms:
        terms = [arm.H_of(k) @ arm.psi_of(k, 1) @ arm.arm.shift(1, 0) for k in range(1, arm.N + 1)]
        weights = [inverse(arm.riccati[1][k]) for k in range(1, arm.N + 1)]
        blocks.append(np.sum([x.T @ w @ x for x, w in zip(terms, weights, strict=True)], axis=0))
    return diagonal(blocks)


def _together(o: Grasped, f: Array, transposed: bool = True) -> Array:
    """(6.17)."""
    T = _primed(o)
    left = o.whitening.T if transposed else o.whitening
    return left @ o.D_inverse @ (T - o.H @ o.psi @ (o.S @ o.L @ T + o.B @ f))


def _first(o: Grasped) -> Array:
    """(6.21)."""
    tips = o.B.T @ o.psi.T @ o.H.T @ o.D_inverse
    return o.whitening.T @ (o.D_inverse - tips.T @ solve(_Omega(o), tips)) @ o.whitening @ _primed(o)


def _second(o: Grasped) -> Array:
    """(6.20)."""
    return -_correction(o, solve(_Omega(o), _a_prime(o)))


def _rccfd1(o: Grasped) -> tuple[Array, Array, Array]:
    """θ̈, α(0), f(0) by (6.11)."""
    f = solve(_Omega(o), _free_tips(o) + o.yielding_b - o.a_C)
    delta = _correction(o, f)
    return _free(o, _primed(o)) + delta, _free_tips(o) + o.B.T @ o.phi.T @ o.H.T @ delta, f


def _by_object(o: Grasped) -> list[tuple[Array, Array]]:
    """α(C) and f(0) by systems of six equations, one an arm and one for the object."""
    Lambda, r = _compliance(o), _free_tips(o) - o.a_C
    arms = [slice(6 * i, 6 * i + 6) for i in range(o.count)]
    left = o.M_C + np.sum([o.A[i].T @ solve(Lambda[i, i], o.A[i]) for i in arms], axis=0)
    right = np.sum([o.A[i].T @ solve(Lambda[i, i], r[i]) for i in arms], axis=0) - o.b_C
    alpha = solve(left, right)
    f = np.concatenate([solve(Lambda[i, i], r[i] - o.A[i] @ alpha) for i in arms])
    return [(alpha, o.alpha_C), (f, o.f0)]


PART_2_5 = Section("II.5", "Part II: operator methods for the free forward dynamics problem", rigid, (
    Row("II 5.1a", "𝓜 = H φ M φ* H*", lambda o: (o.H @ o.phi @ o.M @ o.phi.T @ o.H.T, o.Mass)),
    Row("II 5.1b", "J = B* φ* H*", lambda o: (o.B.T @ o.phi.T @ o.H.T, o.J)),
    Row("II 5.1c", "C = H φ (M φ* a + b)", lambda o: (_biases(o), o.C)),
    Row("II 5.1d", "J̇ θ̇ = B* φ* a + a(0)", lambda o: (o.B.T @ o.phi.T @ o.a + o.a_tips, o.J_dot_rate)),
    Row("II 5.2a", "𝓜 = (1 + HΦL) D (1 + HΦL)*",
        lambda o: (o.innovations @ o.D @ o.innovations.T, o.Mass)),
    Row("II 5.2b", "𝓜ᵢ = (1 + HᵢΦᵢLᵢ) Dᵢ (1 + HᵢΦᵢLᵢ)*, for every arm",
        lambda o: [(a.innovations @ a.D @ a.innovations.T, a.arm.mass_matrix) for a in o.arms]),
    Row("II 5.3", "(1 + HΦL)⁻¹ = 1 - HΨL", lambda o: (o.innovations @ o.whitening, np.eye(len(o.W)))),
    Row("II 5.4", "𝓜⁻¹ = (1 - HΨL)* D⁻¹ (1 - HΨL)",
        lambda o: (o.whitening.T @ o.D_inverse @ o.whitening, o.Mass_inverse)),
    Row("II 5.5a", "T' = T - H φ (M φ* a + b)", lambda o: (_primed(o), o.T_prime)),
    Row("II 5.5b", "a'(C) = a(C) - A M⁻¹(C) b(C) - B* φ* a - a(0)", lambda o: (_a_prime(o), o.a_prime)),
    Row("II 5.5c", "H φ M φ* H* θ̈ + H φ B f(0) = T'",
        lambda o: (o.H @ o.phi @ (o.M @ o.phi.T @ o.H.T @ o.W_dot + o.B @ o.f0), o.T_prime)),
    Row("II 5.5d", "B* φ* H* θ̈ - A M⁻¹(C) A* f(0) = a'(C)",
        lambda o: (o.B.T @ o.phi.T @ o.H.T @ o.W_dot - o.yielding @ o.f0, o.a_prime)),
    Row("II 5.6a", "H φ M φ* H* θ̈_f = T - H φ (M φ* a + b)",
        lambda o: (o.H @ o.phi @ o.M @ o.phi.T @ o.H.T @ o.free_joints, _primed(o))),
    Row("II 5.6b", "α_f(0) = B* φ* H* θ̈_f + B* φ* a + a(0)",
        lambda o: (o.B.T @ o.phi.T @ (o.H.T @ o.free_joints + o.a) + o.a_tips, o.free_tips)),
    Row("II 5.7a", "T' = T - H φ (M φ* a + b)", lambda o: (_primed(o), o.T_prime)),
    Row("II 5.7b", "H φ M φ* H* θ̈_f = T'",
        lambda o: (o.H @ o.phi @ o.M @ o.phi.T @ o.H.T @ o.free_joints, o.T_prime)),
    Row("II 5.8a", "T' = T - H φ (M φ* a + b)", lambda o: (_primed(o), o.T_prime)),
    Row("II 5.8b", "θ̈_f = (1 - HΨL)* D⁻¹ (1 - HΨL) T'", lambda o: (_free(o, o.T_prime), o.free_joints)),
    Row("II 5.9a", "ε = (1 - HΨL) T'",
        lambda o: (o.whitening @ o.T_prime, o.D @ o.innovations.T @ o.free_joints)),
    Row("II 5.9b", "ν = D⁻¹ ε", lambda o: (o.D_inverse @ o.whitening @ o.T_prime, o.innovations.T @ o.free_joints)),
    Row("II 5.9c", "θ̈_f = (1 - HΨL)* ν",
        lambda o: (o.whitening.T @ o.innovations.T @ o.free_joints, o.free_joints)),
    *(Row(f"II 5.10{part}", said, _swept) for part, said in (
        ("a", "zᵢ(0) = 0, T'ᵢ(0) = 0"),
        ("b", "zᵢ(k) = ψᵢ(k, k-1) zᵢ(k-1) + Lᵢ(k-1) T'ᵢ(k-1), k = 1 ... N"),
        ("c", "εᵢ(k) = T'ᵢ(k) - Hᵢ(k) zᵢ(k)"),
        ("d", "νᵢ(k) = Dᵢ⁻¹(k) εᵢ(k)"),
    )),
    *(misprint(f"II 5.10{part}", said, _swept, f"{said.removesuffix(', k = N ... 1')}, k = 1 ... N",
               note="the sweep starts at λᵢ(N+1): it runs from the base to the tip") for part, said in (
        ("e", "λᵢ(N+1) = 0, k = N ... 1"),
        ("f", "λᵢ(k) = ψᵢ*(k+1, k) λᵢ(k+1) + Hᵢ*(k) νᵢ(k), k = N ... 1"),
        ("g", "θ̈ᵢ_f(k) = νᵢ(k) - Lᵢ*(k) λᵢ(k+1), k = N ... 1"),
    )),
    misprint("II 5, text", "V = φ* H* θ̇", lambda o: (o.phi.T @ o.H.T @ o.W, o.V), "V = B* φ* H* θ̇",
             note="the printed right side is V(0)"),
    misprint("II 5.11", "θ̈_f = (1 - HΨL)* D⁻¹ (1 - HΨL) {T - H φ (M φ* a + b)}",
             lambda o: (_free(o, _primed(o)), o.free_joints), "... {T - H φ (M φ* a + a)}",
             note="the scan does not tell a from b here"),
    Row("II 5.12a", "Ψ = ψ S", lambda o: (o.psi @ o.S, o.Psi)),
    Row("II 5.12b", "(1 - HΨL) H φ = H ψ", lambda o: (o.whitening @ o.H @ o.phi, o.H @ o.psi)),
    misprint("II 5.13", "θ̈_f = (1 - HΨL)* D⁻¹ {T - H ψ (S L T + M φ* a + b)}",
             lambda o: (_three_sweeps(o), o.free_joints),
             "θ̈_f = (1 - HΨL)⁻¹ D⁻¹ {T - H ψ (S L T + M φ* a + a)}",
             lambda o: (_three_sweeps(o, False, False), o.free_joints)),
    Row("II 5.14a", "ζ = φ* a",
        lambda o: [(carried_out(arm, arm.a), arm.alpha - arm.phi.T @ arm.H.T @ arm.W_dot) for arm in o.arms]),
    Row("II 5.14b", "ε = T - H ψ (S L T + M ζ + b)",
        lambda o: (o.torques - o.H @ o.psi @ (o.S @ o.L @ o.torques + o.M @ o.phi.T @ o.a + o.b),
                   o.whitening @ o.T_prime)),
    Row("II 5.14c", "ν = D⁻¹ ε", lambda o: (o.D_inverse @ o.whitening @ o.T_prime, o.innovations.T @ o.free_joints)),
    Row("II 5.14d", "θ̈_f = (1 - HΨL)* ν", lambda o: (_three_sweeps(o), o.free_joints)),
))  # fmt: skip


def _free_row(ref: str) -> Row[Grasped]:
    return Row(ref, "T' = T - H φ (M φ* a + b)", lambda o: (_primed(o), o.T_prime))


def _compliance_row(ref: str) -> Row[Grasped]:
    return Row(ref, "J 𝓜⁻¹ J* = B* ψ* H* D⁻¹ H ψ B", lambda o: (_compliance(o), o.J @ o.Mass_inverse @ o.J.T))


def _Omega_row(ref: str) -> Row[Grasped]:
    return Row(ref, "Ω = J 𝓜⁻¹ J* + A M⁻¹(C) A*", lambda o: (_Omega(o), o.Omega))


PART_2_6 = Section("II.6", "Part II: recursive closed-chain forward dynamics by operator methods", rigid, (
    _free_row("II 6.1a"),
    Row("II 6.1b", "θ̈_f = (1 - HΨL)* D⁻¹ (1 - HΨL) T'", lambda o: (_free(o, _primed(o)), o.free_joints)),
    Row("II 6.1c", "α_f(0) = B* φ* H* θ̈_f + B* φ* a + a(0)", lambda o: (_free_tips(o), o.free_tips)),
    Row("II 6.2", "Δθ̈ = -(1 - HΨL)* D⁻¹ (1 - HΨL) H φ B f(0)",
        lambda o: (-_free(o, o.H @ o.phi @ o.B @ o.f0), o.W_dot - o.free_joints)),
    Row("II 6.3", "Δθ̈ = -(1 - HΨL)* D⁻¹ H ψ B f(0)", lambda o: (_correction(o, o.f0), o.W_dot - o.free_joints)),
    Row("II 6.4a", "zᵢ(1) = φᵢ(1, 0) fᵢ(0)", lambda o: (_tip_swept(o), o.W_dot - o.free_joints),
        note="reconstructed: the scan lost it"),
    Row("II 6.4b", "zᵢ(k) = ψᵢ(k, k-1) zᵢ(k-1), k = 2 ... N", lambda o: (_tip_swept(o), o.W_dot - o.free_joints)),
    misprint("II 6.4c", "νᵢ(k) = -Dᵢ⁻¹(k) Hᵢ(k) zᵢ(k), k = 1 ... N",
             lambda o: (_tip_swept(o), o.W_dot - o.free_joints), "νᵢ(k) = Dᵢ⁻¹(k) Hᵢ(k) zᵢ(k)",
             lambda o: (_tip_swept(o, sign=1.0), o.W_dot - o.free_joints)),
    *(Row(f"II 6.4{part}", said, lambda o: (_tip_swept(o), o.W_dot - o.free_joints)) for part, said in (
        ("d", "λᵢ(N+1) = 0"),
        ("e", "λᵢ(k) = ψᵢ*(k+1, k) λᵢ(k+1) + Hᵢ*(k) νᵢ(k), k = N ... 1"),
        ("f", "Δθ̈ᵢ(k) = νᵢ(k) - Lᵢ*(k) λᵢ(k+1)"),
    )),
    misprint("II 6.5a", "Δθ̈ = -(1 - HΨL)* D⁻¹ H ψ B f(0)", lambda o: (_correction(o, o.f0), o.W_dot - o.free_joints),
             "Δθ̈ = -(1 - HΨL)* D⁻¹ ψ B f(0)", note=DIMENSION),
    Row("II 6.5b", "Δα(0) = B* φ* H* Δθ̈",
        lambda o: (o.B.T @ o.phi.T @ o.H.T @ _correction(o, o.f0), o.alpha0 - o.free_tips)),
    Row("II 6.6", "J 𝓜⁻¹ J* = B* φ* H* (1 - HΨL)* D⁻¹ (1 - HΨL) H φ B",
        lambda o: (o.B.T @ o.phi.T @ o.H.T @ _free(o, o.H @ o.phi @ o.B), o.J @ o.Mass_inverse @ o.J.T)),
    _compliance_row("II 6.7"),
    Row("II 6.8a", "J 𝓜⁻¹ J* = Λ(0)", lambda o: (_Lambda(o), o.J @ o.Mass_inverse @ o.J.T)),
    definition("II 6.8b", "Λ(0) = diag[Λᵢ(0)]", lambda o: (_Lambda(o), _compliance(o))),
    Row("II 6.9a", "Λᵢ(0) = φᵢ*(1, 0) Λᵢ(1) φᵢ(1, 0)", lambda o: (_Lambda_sum(o), o.J @ o.Mass_inverse @ o.J.T)),
    Row("II 6.9b", "Λᵢ(1) = Σ ψᵢ*(k, 1) Hᵢ*(k) Dᵢ⁻¹(k) Hᵢ(k) ψᵢ(k, 1), k = 1 ... N",
        lambda o: (_Lambda_sum(o), _Lambda(o))),
    *(Row(f"II 6.10{part}", said, lambda o: (_Lambda(o), o.J @ o.Mass_inverse @ o.J.T)) for part, said in (
        ("a", "Λᵢ(N+1) = 0"),
        ("b", "Λᵢ(k) = ψᵢ*(k+1, k) Λᵢ(k+1) ψᵢ(k+1, k) + Hᵢ*(k) Dᵢ⁻¹(k) Hᵢ(k), k = N ... 1"),
        ("c", "Λᵢ(0) = φᵢ*(1, 0) Λᵢ(1) φᵢ(1, 0)"),
    )),
    _free_row("II 6.11a"),
    Row("II 6.11b", "θ̈_f = (1 - HΨL)* D⁻¹ (1 - HΨL) T'", lambda o: (_free(o, _primed(o)), o.free_joints)),
    Row("II 6.11c", "α_f(0) = B* φ* H* θ̈_f + B* φ* a + a(0)", lambda o: (_free_tips(o), o.free_tips)),
    _compliance_row("II 6.11d"),
    _Omega_row("II 6.11e"),
    Row("II 6.11f", "Ω f(0) = α_f(0) + A M⁻¹(C) b(C) - a(C)", lambda o: (_rccfd1(o)[2], o.f0)),
    misprint("II 6.11g", "Δθ̈ = -(1 - HΨL)* D⁻¹ H ψ B f(0)",
             lambda o: (_correction(o, o.f0), o.W_dot - o.free_joints), "Δθ̈ = (1 - HΨL)* D⁻¹ ψ B f(0)",
             note=f"{DIMENSION}, and the sign is wrong"),
    Row("II 6.11h", "Δα(0) = B* φ* H* Δθ̈",
        lambda o: (o.B.T @ o.phi.T @ o.H.T @ _correction(o, o.f0), o.alpha0 - o.free_tips)),
    Row("II 6.11i", "θ̈ = θ̈_f + Δθ̈", lambda o: (_rccfd1(o)[0], o.W_dot)),
    misprint("II 6.11j", "α(0) = α_f(0) + Δα(0)", lambda o: (_rccfd1(o)[1], o.alpha0), "Δα(0) = α_f(0) + Δα(0)",
             lambda o: (o.alpha0 - o.free_tips, o.alpha0)),
    Row("II RCCFD1", "(6.11): O(n) + O(ℓ³)",
        lambda o: [(_rccfd1(o)[0], o.W_dot), (_rccfd1(o)[1], o.alpha0), (_rccfd1(o)[2], o.f0)],
        title="Algorithm RCCFD1"),
    Row("II 6.11, text", "{M(C) + Σ Aᵢ* Λᵢ⁻¹ Aᵢ} α(C) = Σ Aᵢ* Λᵢ⁻¹ (α_fᵢ - aᵢ(C)) - b(C), "
        "fᵢ = Λᵢ⁻¹ (α_fᵢ - aᵢ(C) - Aᵢ α(C))",
        _by_object, title="O(n) + O(ℓ)", note="answers the open remark after (6.11), where all Λᵢ are regular"),
    Row("II 6.12", "J 𝓜⁻¹ = B* ψ* H* D⁻¹ (1 - HΨL)",
        lambda o: (o.B.T @ o.psi.T @ o.H.T @ o.D_inverse @ o.whitening, o.J @ o.Mass_inverse)),
    Row("II 6.13", "f(0) = Ω⁻¹ {B* ψ* H* D⁻¹ (1 - HΨL) T' - a'(C)}", lambda o: (_force(o), o.f0)),
    misprint("II 6, text", "ν = D⁻¹ (1 - HΨL) T'",
             lambda o: (o.D_inverse @ o.whitening @ _primed(o), o.innovations.T @ o.free_joints),
             "ν = D⁻¹ (1 - HΨL)"),
    Row("II 6.14", "θ̈ = 𝓜⁻¹ [T' - J* f(0)]",
        lambda o: (o.Mass_inverse @ (o.T_prime - o.J.T @ o.f0), o.W_dot)),
    Row("II 6.15", "𝓜⁻¹ T' = (1 - HΨL)* D⁻¹ {T' - H ψ S L T'}",
        lambda o: (_together(o, np.zeros_like(o.f0)), o.free_joints)),
    Row("II 6.16", "𝓜⁻¹ J* f(0) = (1 - HΨL)* D⁻¹ H ψ B f(0)",
        lambda o: (-_correction(o, o.f0), o.Mass_inverse @ o.J.T @ o.f0)),
    Row("II 6.17", "θ̈ = (1 - HΨL)* D⁻¹ {T' - H ψ (S L T' + B f(0))}", lambda o: (_together(o, o.f0), o.W_dot)),
    _free_row("II 6.18a"),
    _compliance_row("II 6.18b"),
    _Omega_row("II 6.18c"),
    Row("II 6.18d", "f(0) = Ω⁻¹ {B* ψ* H* D⁻¹ (1 - HΨL) T' - a'(C)}", lambda o: (_force(o), o.f0)),
    misprint("II 6.18e", "θ̈ = (1 - HΨL)* D⁻¹ {T' - H ψ (S L T' + B f(0))}",
             lambda o: (_together(o, _force(o)), o.W_dot), "θ̈ = (1 - HΨL) D⁻¹ {T' - H ψ (S L T' + B f(0))}",
             lambda o: (_together(o, o.f0, transposed=False), o.W_dot)),
    Row("II RCCFD2", "(6.18): torques and contact forces filtered together",
        lambda o: [(_together(o, _force(o)), o.W_dot), (_force(o), o.f0)], title="Algorithm RCCFD2"),
    definition("II 6.19a", "θ̈₁ = {𝓜⁻¹ - 𝓜⁻¹ J* Ω⁻¹ J 𝓜⁻¹} T'",
               lambda o: (_first(o), o.Mass_inverse @ (o.T_prime - o.J.T @ solve(
                   o.Omega, o.J @ o.Mass_inverse @ o.T_prime)))),
    definition("II 6.19b", "θ̈₂ = 𝓜⁻¹ J* Ω⁻¹ a'(C)",
               lambda o: (_second(o), o.Mass_inverse @ o.J.T @ solve(o.Omega, o.a_prime))),
    Row("II 6.20", "θ̈₂ = (1 - HΨL)* D⁻¹ H ψ B Ω⁻¹ a'(C)",
        lambda o: (_second(o), o.Mass_inverse @ o.J.T @ solve(o.Omega, o.a_prime))),
    Row("II 6.21", "θ̈₁ = (1 - HΨL)* {D⁻¹ - D⁻¹ H ψ B Ω⁻¹ B* ψ* H* D⁻¹} (1 - HΨL) T'",
        lambda o: (_first(o), o.W_dot - o.Mass_inverse @ o.J.T @ solve(o.Omega, o.a_prime))),
    _free_row("II 6.22a"),
    _compliance_row("II 6.22b"),
    _Omega_row("II 6.22c"),
    Row("II 6.22d", "y = Ω⁻¹ a'(C)",
        lambda o: (_force(o), solve(_Omega(o), o.J @ o.Mass_inverse @ o.T_prime) - solve(_Omega(o), o.a_prime)),
        note=f"{INFERRED}; f(0) = Ω⁻¹ J 𝓜⁻¹ T' - y"),
    Row("II 6.22e", "θ̈₂ = (1 - HΨL)* D⁻¹ H ψ B y", lambda o: (_first(o) + _second(o), o.W_dot), note=INFERRED),
    Row("II 6.22f", "θ̈₁ = (1 - HΨL)* {D⁻¹ - D⁻¹ H ψ B Ω⁻¹ B* ψ* H* D⁻¹} (1 - HΨL) T'",
        lambda o: (_first(o), o.W_dot - _second(o))),
    Row("II 6.22g", "θ̈ = θ̈₁ + θ̈₂", lambda o: (_first(o) + _second(o), o.W_dot), note=INFERRED),
    Row("II RCCFD3", "(6.22): four sweeps around the contacts give θ̈₁ of T'",
        lambda o: (_first(o) + _second(o), o.W_dot), title="Algorithm RCCFD3"),
))  # fmt: skip
