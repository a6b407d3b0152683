"""RK88, appendix A: the operator identities, and the proofs that use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phipsi.papers.row import Row, Section, definition, misprint, together
from phipsi.reference.description import Array

from .arm import inverse
from .operators import Operators, fixed_base
from .section2 import INFERRED
from .section4 import articulated, gain, joint_inertia

RowO = Row[Operators]

# ── the sums of A.2 and A.3, block by block ──────────────────────────────────────────────────────────────────────────


def _blocks(o: Operators, entry: Callable[[int, int], Array]) -> Array:
    """The strictly causal operator with these blocks."""
    return o.causal(entry, offset=1)


def _sum(o: Operators, terms: Callable[[int, int, int], Array]) -> Array:
    """The blocks Σ terms(k, i, m), i = m ... k-1."""
    return _blocks(o, lambda k, m: np.sum([terms(k, i, m) for i in range(m, k)], axis=0))


def _taken(o: Operators, i: int) -> Array:
    return o.riccati[2][i] @ o.H_of(i)


def _telescope(o: Operators, left: Callable[[int, int], Array], right: Callable[[int, int], Array]) -> Array:
    return _sum(o, lambda k, i, m: left(k, i + 1) @ right(i + 1, m) - left(k, i) @ right(i, m))


# ── Lemma A.1: ψ and φ may be any two transition operators ───────────────────────────────────────────────────────────


def _steps(o: Operators, which: str) -> list[Array]:
    """x(k, k-1) for k = 2 ... N: of φ, of ψ, or anything."""
    if which == "phi":
        return [o.arm.shift(k, k - 1) for k in range(2, o.N + 1)]
    if which == "psi":
        return [o.psi_step(k) for k in range(2, o.N + 1)]
    return [np.sin(np.arange(36.0).reshape(6, 6) * (k + 1)) / 2 for k in range(2, o.N + 1)]


def _transition(o: Operators, steps: list[Array]) -> Array:
    lower = np.zeros_like(o.one)
    for k, step in enumerate(steps, start=1):
        lower[6 * k : 6 * k + 6, 6 * k - 6 : 6 * k] = step
    return inverse(o.one - lower)


def _recursion(o: Operators, first: list[Array], second: list[Array]) -> Array:
    """(a.44): r(k+1) = ψ(k+1, k) r(k) φ*(k+1, k) + M(k+1), r(0) = 0."""
    r = [o.M_of(1)]
    for k in range(1, o.N):
        r.append(first[k - 1] @ r[-1] @ second[k - 1].T + o.M_of(k + 1))
    return o.arm.per_link(r)


def _lemma(o: Operators, first: str, second: str) -> tuple[Any, Any]:
    x, y = _transition(o, _steps(o, first)), _transition(o, _steps(o, second))
    r = _recursion(o, _steps(o, first), _steps(o, second))
    return x @ o.M @ y.T, r + (x - o.one) @ r + r @ (y - o.one).T


def _diagonal(o: Operators, matrix: Array) -> Array:
    return o.arm.per_link([matrix[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] for k in range(o.N)])


def _true_P(o: Operators) -> Array:
    return o.arm.per_link([articulated(o, k) for k in range(1, o.N + 1)])


def _theta(o: Operators) -> Array:
    """Θ(k+1) = φ(k+1, k) P H* D⁻¹ H P φ*(k+1, k): what joint k takes, on link k + 1."""
    step = o.S @ o.E_phi
    return step @ o.P @ o.H.T @ o.D_inverse @ o.H @ o.P @ step.T


def _biases(o: Operators) -> tuple[Array, Array]:
    """Both sides of A.7."""
    left = o.whitening.T @ o.D_inverse @ o.H @ o.psi @ o.M @ o.phi.T
    first = o.whitening.T @ o.D_inverse @ o.H @ o.psi_tilde @ o.P
    return left, first + o.L.T @ o.Psi.T @ (o.one - o.G @ o.H).T + o.G.T


def _A1() -> tuple[RowO, ...]:
    return (
        RowO("a.6", "Φ = φ S", lambda o: (o.Phi, o.phi @ o.S), note=INFERRED),
        RowO("a.7", "Ψ = ψ S", lambda o: (o.Psi, o.psi @ o.S), note=INFERRED),
        RowO("a.8", "ψ̃ = Ψ E_ψ", lambda o: (o.psi_tilde, o.Psi @ o.E_psi), note=INFERRED),
        RowO("a.9", "φ̃ = Φ E_φ", lambda o: (o.phi_tilde, o.Phi @ o.E_phi), note=INFERRED),
        RowO("a.10", "ψ = 1 + Ψ E_ψ", lambda o: (o.psi, o.one + o.Psi @ o.E_psi), note=INFERRED),
        RowO("a.11", "φ = 1 + Φ E_φ", lambda o: (o.phi, o.one + o.Phi @ o.E_phi), note=INFERRED),
        RowO("a.12", "L = E_φ G", lambda o: (o.L, o.E_phi @ o.G), note=INFERRED),
        RowO("a.13", "Φ L = φ̃ G", lambda o: (o.Phi @ o.L, o.phi_tilde @ o.G), note=INFERRED),
    )


def _A2() -> tuple[RowO, ...]:
    return (
        RowO("a.14", "φ = ψ (1 + S L H φ)", lambda o: (o.phi, o.psi @ (o.one + o.S @ o.L @ o.H @ o.phi))),
        RowO("a.15", "ψ = (1 - Ψ L H) φ", lambda o: (o.psi, (o.one - o.Psi @ o.L @ o.H) @ o.phi)),
        RowO("a.16", "Φ = Ψ (1 + L H Φ)", lambda o: (o.Phi, o.Psi @ (o.one + o.L @ o.H @ o.Phi))),
        RowO("a.17", "Ψ = (1 - Ψ L H) Φ", lambda o: (o.Psi, (o.one - o.Psi @ o.L @ o.H) @ o.Phi)),
    )


def _A3() -> tuple[RowO, ...]:
    return (
        RowO("a.22", "φ = (1 + Φ L H) ψ", lambda o: (o.phi, (o.one + o.Phi @ o.L @ o.H) @ o.psi)),
        RowO(
            "a.23", "ψ = φ (1 - S L H ψ)", lambda o: (o.psi, o.phi @ (o.one - o.S @ o.L @ o.H @ o.psi)), note=INFERRED
        ),
        RowO("a.24", "Φ = (1 + Φ L H) Ψ", lambda o: (o.Phi, (o.one + o.Phi @ o.L @ o.H) @ o.Psi)),
        RowO("a.25", "Ψ = Φ (1 - L H Ψ)", lambda o: (o.Psi, o.Phi @ (o.one - o.L @ o.H @ o.Psi))),
        RowO("a.26", "Φ L H ψ = Ψ L H φ", lambda o: (o.Phi @ o.L @ o.H @ o.psi, o.Psi @ o.L @ o.H @ o.phi)),
        RowO("a.27", "Φ L H Ψ = Ψ L H Φ", lambda o: (o.Phi @ o.L @ o.H @ o.Psi, o.Psi @ o.L @ o.H @ o.Phi)),
    )


def _A4() -> tuple[RowO, ...]:
    return (
        RowO("a.32", "H φ = (1 + HΦL) H ψ", lambda o: (o.H @ o.phi, o.innovations @ o.H @ o.psi)),
        RowO("a.33", "H Φ = (1 + HΦL) H Ψ", lambda o: (o.H @ o.Phi, o.innovations @ o.H @ o.Psi)),
        RowO("a.34", "H Ψ = H Φ (1 - L H Ψ)",
             lambda o: (o.H @ o.Psi, o.H @ o.Phi @ (o.one - o.L @ o.H @ o.Psi))),
        RowO("a.35", "H ψ = (1 - HΨL) H φ", lambda o: (o.H @ o.psi, o.whitening @ o.H @ o.phi)),
        RowO("a.36", "H Ψ = (1 - HΨL) H Φ", lambda o: (o.H @ o.Psi, o.whitening @ o.H @ o.Phi)),
        RowO("a.37", "H Φ = H Ψ (1 + L H Φ)",
             lambda o: (o.H @ o.Phi, o.H @ o.Psi @ (o.one + o.L @ o.H @ o.Phi))),
        RowO("a.38", "H Φ L H Ψ = H Ψ L H Φ",
             lambda o: (o.H @ o.Phi @ o.L @ o.H @ o.Psi, o.H @ o.Psi @ o.L @ o.H @ o.Phi)),
        RowO("a.39", "Φ L = Ψ L (1 + HΦL)", lambda o: (o.Phi @ o.L, o.Psi @ o.L @ o.innovations)),
        RowO("a.40", "Ψ L = (1 - Ψ L H) Φ L", lambda o: (o.Psi @ o.L, (o.one - o.Psi @ o.L @ o.H) @ o.Phi @ o.L)),
        RowO("a.41", "Ψ L = Φ L (1 - HΨL)", lambda o: (o.Psi @ o.L, o.Phi @ o.L @ o.whitening)),
        RowO("a.42", "Φ L = (1 + Φ L H) Ψ L", lambda o: (o.Phi @ o.L, (o.one + o.Phi @ o.L @ o.H) @ o.Psi @ o.L)),
        RowO("a.43", "Ψ L H Φ L = Φ L H Ψ L",
             lambda o: (o.Psi @ o.L @ o.H @ o.Phi @ o.L, o.Phi @ o.L @ o.H @ o.Psi @ o.L)),
    )  # fmt: skip


def _A5() -> tuple[RowO, ...]:
    return (
        RowO("a.46", "ψ M φ* = P + ψ̃ P + P φ̃*",
             lambda o: (o.psi @ o.M @ o.phi.T, o.P + o.psi_tilde @ o.P + o.P @ o.phi_tilde.T)),
        RowO("a.47", "ψ M ψ* = P + ψ̃ P + P ψ̃*",
             lambda o: (o.psi @ o.M @ o.psi.T, o.P + o.psi_tilde @ o.P + o.P @ o.psi_tilde.T)),
    )  # fmt: skip


_IDENTITIES: tuple[RowO, ...] = (
    definition("a.1", "D = H P H*", lambda o: (o.D, o.arm.per_link([joint_inertia(o, k) for k in _links(o)]))),
    definition("a.2", "G = P H* D⁻¹", lambda o: (o.G, o.arm.per_link([gain(o, k) for k in _links(o)]))),
    definition("a.3", "φ̃ = φ - 1", lambda o: (o.phi @ o.S @ o.E_phi, o.phi_tilde)),
    definition("a.4", "ψ̃ = ψ - 1", lambda o: (o.psi @ o.S @ o.E_psi, o.psi_tilde), note=INFERRED),
    definition("a.5", "E_φ = diag[φ(k+1, k)], E_ψ = diag[ψ(k+1, k)]",
               lambda o: [(inverse(o.phi), o.one - o.S @ o.E_phi), (inverse(o.psi), o.one - o.S @ o.E_psi),
                          (o.E_psi, o.E_phi @ (o.one - o.G @ o.H))], note=INFERRED),
    *_A1(),
    together("A.1", "(a.6)-(a.13)", _A1(), title="Identities A.1"),
    *_A2(),
    together("A.2", "(a.14)-(a.17)", _A2(), title="Identities A.2"),
    RowO("a.18", "φ - ψ = Ψ L H φ = ψ S L H φ",
         lambda o: [(o.phi - o.psi, o.Psi @ o.L @ o.H @ o.phi), (o.phi - o.psi, o.psi @ o.S @ o.L @ o.H @ o.phi)]),
    definition("a.19", "T(k, m) = Σ [ψ(k, i+1) φ(i+1, m) - ψ(k, i) φ(i, m)], i = m ... k-1",
               lambda o: (_telescope(o, o.psi_of, o.arm.shift), o.phi - o.psi)),
    RowO("a.20", "T(k, m) = φ(k, m) - ψ(k, m)",
         lambda o: (_telescope(o, o.psi_of, o.arm.shift), _blocks(o, lambda k, m: o.arm.shift(k, m) - o.psi_of(k, m)))),
    RowO("a.21", "T(k, m) = Σ ψ(k, i+1) L(i) H(i) φ(i, m), i = m ... k-1",
         lambda o: (_telescope(o, o.psi_of, o.arm.shift),
                    _sum(o, lambda k, i, m: o.psi_of(k, i + 1) @ _taken(o, i) @ o.arm.shift(i, m)))),
    *_A3(),
    together("A.3", "(a.22)-(a.27)", _A3(), title="Identities A.3"),
    RowO("a.28", "φ - ψ = Φ L H ψ = φ S L H ψ",
         lambda o: [(o.phi - o.psi, o.Phi @ o.L @ o.H @ o.psi), (o.phi - o.psi, o.phi @ o.S @ o.L @ o.H @ o.psi)]),
    definition("a.29", "T'(k, m) = Σ [φ(k, i+1) ψ(i+1, m) - φ(k, i) ψ(i, m)], i = m ... k-1",
               lambda o: (_telescope(o, o.arm.shift, o.psi_of), o.psi - o.phi)),
    RowO("a.30", "T'(k, m) = ψ(k, m) - φ(k, m)",
         lambda o: (_telescope(o, o.arm.shift, o.psi_of), _blocks(o, lambda k, m: o.psi_of(k, m) - o.arm.shift(k, m)))),
    RowO("a.31", "T'(k, m) = - Σ φ(k, i+1) L(i) H(i) ψ(i, m), i = m ... k-1",
         lambda o: (_telescope(o, o.arm.shift, o.psi_of),
                    -_sum(o, lambda k, i, m: o.arm.shift(k, i + 1) @ _taken(o, i) @ o.psi_of(i, m)))),
    *_A4(),
    together("A.4", "(a.32)-(a.43)", _A4(), title="Identities A.4"),
    definition("a.44", "r(0) = 0, r(k+1) = ψ(k+1, k) r(k) φ*(k+1, k) + M(k+1)",
               lambda o: (_recursion(o, _steps(o, "psi"), _steps(o, "phi")), _diagonal(o, o.psi @ o.M @ o.phi.T))),
    RowO("a.45", "ψ M φ* = r + ψ̃ r + r φ̃*", lambda o: _lemma(o, "psi", "phi")),
    RowO("Lemma A.1", "ψ M φ* = r + ψ̃ r + r φ̃*, ψ being any transition operator",
         lambda o: [_lemma(o, "any", "phi"), _lemma(o, "any", "any"), _lemma(o, "psi", "phi")]),
    RowO("Corollary A.1", "Lemma A.1 holds for ψ = φ", lambda o: [_lemma(o, "phi", "phi"), _lemma(o, "psi", "psi")]),
    *_A5(),
    together("A.5", "(a.46) and (a.47)", _A5(), title="Identities A.5"),
    RowO("a.48", "φ M φ* = P + φ̃ P + P φ̃* + φ̃ P H* D⁻¹ H P φ̃*",
         lambda o: (o.phi @ o.M @ o.phi.T,
                    o.P + o.phi_tilde @ o.P + o.P @ o.phi_tilde.T
                    + o.phi_tilde @ o.P @ o.H.T @ o.D_inverse @ o.H @ o.P @ o.phi_tilde.T), title="Identity A.6"),
    RowO("a.49", "P(0) = 0, P(k+1) = φ(k+1, k) P(k) φ*(k+1, k) + Λ(k+1), Λ = M - Θ, Θ(k+1) = φ P H* D⁻¹ H P φ*",
         lambda o: [(_true_P(o), o.S @ o.E_phi @ _true_P(o) @ (o.S @ o.E_phi).T + o.M - _theta(o)),
                    (o.phi @ (o.M - _theta(o)) @ o.phi.T, o.P + o.phi_tilde @ o.P + o.P @ o.phi_tilde.T)]),
    RowO("a.50", "(1 - HΨL)* D⁻¹ H ψ M φ* = (1 - HΨL)* D⁻¹ H ψ̃ P + L* Ψ* (1 - G H)* + G*", _biases,
         title="Identity A.7", note="ψ on the left: the scan does not tell it from φ"),
    RowO("a.51", "(1 - HΨL)* D⁻¹ H P + (1 - HΨL)* D⁻¹ H P φ̃* = L* Ψ* (1 - G H)* + G*",
         lambda o: (o.whitening.T @ o.D_inverse @ o.H @ o.P @ (o.one + o.phi_tilde.T),
                    o.L.T @ o.Psi.T @ (o.one - o.G @ o.H).T + o.G.T)),
)  # fmt: skip


def _links(o: Operators) -> range:
    return range(1, o.N + 1)


_PROOFS: tuple[RowO, ...] = (
    misprint("A.7, proof", "from (a.46): H ψ M φ* = H (P + ψ̃ P + P φ̃*)",
             lambda o: (o.H @ o.psi @ o.M @ o.phi.T, o.H @ (o.P + o.psi_tilde @ o.P + o.P @ o.phi_tilde.T)),
             "from (a.45)", note="(a.45) says it of r, and (a.46) that r is P"),
    RowO("Fact 4.1, proof", "(1 + Hφ̃G) D (1 + Hφ̃G)* = H (P + φ̃ P + P φ̃* + φ̃ P H* D⁻¹ H P φ̃*) H* = H φ M φ* H*",
         lambda o: [((o.one_joints + o.H @ o.phi_tilde @ o.G) @ o.D @ (o.one_joints + o.H @ o.phi_tilde @ o.G).T,
                     o.arm.mass_matrix),
                    (o.H @ (o.P + o.phi_tilde @ o.P + o.P @ o.phi_tilde.T
                            + o.phi_tilde @ o.P @ o.H.T @ o.D_inverse @ o.H @ o.P @ o.phi_tilde.T) @ o.H.T,
                     o.arm.mass_matrix)]),
    misprint("Fact 4.2, proof", "(1 + HΦL)(1 - HΨL) = 1 + H (Φ - Ψ - Φ L H Ψ) L = 1, from (a.24) or (a.25)",
             lambda o: [(o.innovations @ o.whitening, o.one_joints),
                        (o.Phi - o.Psi, o.Phi @ o.L @ o.H @ o.Psi)],
             "from (a.16)", note="(a.16) has Ψ L H Φ, which is the same only by (a.27)"),
    RowO("FD4, proof", "θ̈ = (1 - HΨL)* D⁻¹ {(1 - HΨL) T - H ψ [b + B f(0)]} - (1 - HΨL)* D⁻¹ H ψ M φ* a, then A.7",
         lambda o: [(o.whitening.T @ o.D_inverse @ (o.whitening @ o.T - o.H @ o.psi @ (o.b + o.B @ o.f0))
                     - side @ o.a, o.W_dot) for side in _biases(o)]),
)  # fmt: skip

APPENDIX_A = Section("A", "Appendix A: operator identities", fixed_base, (*_IDENTITIES, *_PROOFS))
