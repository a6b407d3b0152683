"""JR95f, section 4: the operational space inertia of every link."""

from __future__ import annotations

import numpy as np

from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Pair, Row, Section, definition, misprint
from phipsi.reference.description import Array

from .ship import Ship, free_flyer


def _felt(s: Ship, k: int) -> Array:
    """Λ⁻¹(k) as the compiled core has it, from J 𝓜⁻¹ J*."""
    name = s.arm.robot.body_names[s.arm.of(k)]
    return np.asarray(s.arm.robot.operational_space_compliance(s.arm.q, name))


def _jacobian(s: Ship, k: int) -> Array:
    """J_p(k) = B*(k) φ* H*."""
    return (s.o.phi.T @ s.o.H.T)[6 * k - 6 : 6 * k]


def _all(s: Ship, left: list[Array], right: list[Array]) -> list[Pair]:
    return [(left[k], right[k]) for k in range(1, s.n + 1)]


def _inverses(s: Ship) -> list[Array]:
    return [np.zeros((6, 6)), *(_jacobian(s, k) @ inverse(s.arm.mass_matrix) @ _jacobian(s, k).T
                                for k in range(1, s.n + 1))]  # fmt: skip


def _core(s: Ship) -> list[Array]:
    return [np.zeros((6, 6)), *(_felt(s, k) for k in range(1, s.n + 1))]


def _parts(s: Ship, strict: bool = True) -> Array:
    Y = s.diagonal(s.Upsilon[0][1:])
    psi = s.o.psi_tilde if strict else s.o.psi
    return Y + psi.T @ Y + Y @ psi


def _rotated(s: Ship) -> list[Pair]:
    """Ω of the robot with another base, by the compiled core: its bodies, in this robot's order."""
    robot, q = s.arm.robot, s.arm.q
    names = [robot.body_names[s.arm.of(k)] for k in range(1, s.n + 1)]
    here = robot.operational_space_compliance(q, names)
    pairs: list[Pair] = [(s.Omega, here)]
    for base in (names[0], names[s.n // 2]):
        there = robot.rebasing(base)
        pairs.append((there.robot.operational_space_compliance(there.configuration(q), names), here))
    return pairs


def _dual_upsilon(s: Ship) -> list[Pair]:
    """(36): Υ(0) = 0; H(0) = -1 and D_s(0) = S⁺(0) start it."""
    Y_plus = inverse(s.dual[1][0])
    pairs: list[Pair] = []
    for k in range(1, s.n + 1):
        step = s.shift(k - 1, k)
        Y = step.T @ Y_plus @ step
        pairs.append((Y, s.Upsilon[0][k]))
        if k < s.n:
            t, H = s.tau_bar_s(k), s.H(k)
            Y_plus = t.T @ Y @ t + H.T @ inverse(s.D_s(k)) @ H
            pairs.append((Y_plus, s.Upsilon[1][k]))
    return pairs


def _lambdas(s: Ship) -> list[Array]:
    from phipsi.dynamics import free_flying

    found = free_flying.link_inertias(s.arm.robot, s.arm.q)
    return [np.zeros((6, 6)), *(found[s.arm.of(k)] for k in range(1, s.n + 1))]


def _sums(s: Ship) -> list[Array]:
    return [p + d for p, d in zip(s.P, s.dual[0], strict=True)]


def _ranks(s: Ship) -> list[Pair]:
    """On a fixed base: rank Υ(k) = min(6, dofs of hinges k ... n)."""
    import phipsi as pp

    pairs: list[Pair] = []
    for joint, dofs in (("revolute", 1), ("universal", 2)):
        robot = pp.zoo.chain(7, joint=joint, seed=int(s.arm.seed % 1000))
        Y = pp.free_flying.link_compliances(robot, robot.random(rng=s.arm.seed % 1000)[0])
        ranks = np.linalg.matrix_rank(Y, rtol=1e-13)
        pairs.append((ranks, np.minimum(6, dofs * np.arange(1, robot.n + 1))))
    return pairs


SECTION_4 = Section("4", "Base-invariant operational space inertia", free_flyer, (
    definition("27", "Λ⁻¹(1) = J_p(1) 𝓜_p⁻¹ J_p*(1)", lambda s: (_inverses(s)[1], _felt(s, 1))),
    definition("28", "J_p(1) = B*(1) φ* H*", lambda s: (_jacobian(s, 1) @ s.o.W, s.of(s.o.V, 1))),
    definition("29", "Λ_p⁻¹(k) = J_p(k) 𝓜_p⁻¹ J_p*(k)", lambda s: _all(s, _inverses(s), _core(s))),
    definition("30", "J_p(k) = B*(k) φ* H*",
               lambda s: [(_jacobian(s, k) @ s.o.W, s.of(s.o.V, k)) for k in range(1, s.n + 1)]),
    Row("31", "φ* H* 𝓜⁻¹ H φ = ψ* H* D⁻¹ H ψ = Ω",
        lambda s: (s.Omega, s.o.psi.T @ s.o.H.T @ s.o.D_inverse @ s.o.H @ s.o.psi)),
    Row("32", "Λ⁻¹(k) = B*(k) Ω B(k)",
        lambda s: [(s.block(s.Omega, k, k), _felt(s, k)) for k in range(1, s.n + 1)]),
    misprint("4, text", "φ_n* H_n* T_{n,k} = Δφ* φ_k* H_k* P_N, Ω = Δφ* Ω_k Δφ: Ω is the links' own",
             _rotated, "φ_k* H_k* = φ* H* T_{n,k}, Ω_k = Ω",
             note="as printed links beyond k are referred to their inner neighbour's origin; see (55)"),
    misprint("33", "Ω = Υ + ψ~* Υ + Υ ψ~", lambda s: (s.Omega, _parts(s)), "Ω = Υ + ψ* Υ + Υ ψ",
             lambda s: (s.Omega, _parts(s, strict=False))),
    Row("34", "Υ⁺(n) = 0; Υ = τ̄* Υ⁺ τ̄ + H* D⁻¹ H, Υ⁺(k-1) = φ* Υ(k) φ", lambda s: _all(s, s.Upsilon[0], _core(s))),
    Row("35", "Λ⁻¹(k) = Υ(k); Υ(n) = P⁻¹(n)",
        lambda s: [*_all(s, _inverses(s), s.Upsilon[0]), (s.Upsilon[0][s.n] @ s.P[s.n], np.eye(6))]),
    misprint("4, text, ranks", "on a fixed base rank Υ(k) = min(6, Σ r(i) over i ≥ k)", _ranks,
             "Υ(k) is singular for the first 5 links",
             note="5 is for hinges of one dof; two ball joints have 5, not 6: both turn about the line through them"),
    Row("36", "Υ(0) = 0; Υ⁺ = τ̄_s* Υ τ̄_s + H* D_s⁻¹ H, Υ(k+1) = φ* Υ⁺ φ", _dual_upsilon),
    Row("37a", "Υ⁻¹(k) = P(k) + S(k)",
        lambda s: [(s.Upsilon[0][k] @ _sums(s)[k], np.eye(6)) for k in range(1, s.n + 1)], title="Lemma 4.1"),
    Row("37b", "Υ⁺⁻¹(k) = P⁺(k) + S⁺(k)",
        lambda s: [(s.Upsilon[1][k] @ (s.P_plus(k) + s.dual[1][k]), np.eye(6)) for k in range(1, s.n)]),
    misprint("Lemma 4.1, proof", "τ_s τ̄_p = τ_s + G_s H G_p H = 0",
             lambda s: [((s.one6 - s.tau_bar_s(k)) @ s.tau_bar(k), np.zeros((6, 6))) for k in range(1, s.n)],
             "τ_s τ̄ = τ_s - G_s H G_p H",
             lambda s: [(s.one6 - s.tau_bar_s(k) - s.G_s(k) @ s.H(k) @ s.G(k) @ s.H(k), np.zeros((6, 6)))
                        for k in range(1, s.n)]),
    Row("38", "Λ(k) = P(k) + S(k)", lambda s: _all(s, _lambdas(s), _sums(s))),
    Row("Algorithm 4.1", "P(k) from the tip and S⁺(k) from the base, apart; Λ(k) = P(k) + S(k), each link by itself",
        lambda s: [(_lambdas(s)[k] @ _felt(s, k), np.eye(6)) for k in range(1, s.n + 1)]),
))  # fmt: skip
