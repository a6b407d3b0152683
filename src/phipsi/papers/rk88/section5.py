"""RK88, section 5: three more forward dynamics algorithms, by operator identities; and section 6."""

from __future__ import annotations

import numpy as np

from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array

from .operators import Operators, fixed_base
from .recursions import carried_out, fd1, fd3, fd4
from .section2 import INFERRED, of
from .section4 import articulated, cholesky, gain


def _fd2(o: Operators) -> Array:
    return o.psi.T @ o.H.T @ o.D_inverse @ o.whitening @ o.bias_free + o.phi.T @ o.a


def _epsilon(o: Operators) -> Array:
    """ε as it must be: of the acceleration that the core was given, D (1 + HΦL)* θ̈."""
    root = cholesky(o)
    return root.T @ o.W_dot * np.diag(root)


def _fd3(o: Operators, carrier: Array) -> Array:
    return o.T - o.H @ carrier @ (o.S @ o.L @ o.T + o.M @ o.phi.T @ o.a + o.b + o.B @ o.f0)


def _nu(o: Operators) -> Array:
    biased = o.H @ o.psi @ (o.S @ o.L @ o.T + o.b + o.B @ o.f0) + o.H @ o.psi_tilde @ o.P @ o.a
    return o.D_inverse @ (o.T - biased)


def _fd4(o: Operators, nu: Array) -> Array:
    smoothed = o.L.T @ o.Psi.T @ (o.one - o.G @ o.H).T @ o.a
    return o.whitening.T @ nu - smoothed - o.G.T @ o.a


SECTION_5 = Section("5", "Additional forward dynamics algorithms from the use of operator identities", fixed_base, (
    definition("5.1", "ψ: the lower block triangular operator of the ψ(i, j), i ≥ j",
               lambda o: (o.psi @ (o.one - o.S @ o.E_phi + o.S @ o.L @ o.H), o.one)),
    definition("5.2", "S: ones in the first block subdiagonal",
               lambda o: [(o.S @ o.a, np.concatenate([np.zeros(6), o.a[:-6]])), (o.S @ o.S.T + _first(o), o.one)]),
    Row("5.3", "Φ = φ S, Ψ = ψ S", lambda o: [(o.Phi, o.phi @ o.S), (o.Psi, o.psi @ o.S)]),
    Row("5.4", "(1 - HΨL) H φ = H ψ", lambda o: (o.whitening @ o.H @ o.phi, o.H @ o.psi), title="Identity 5.1"),
    Row("5.5", "T' = T - H φ [M φ* a + b + B f(0)]", lambda o: (o.bias_free, o.arm.mass_matrix @ o.W_dot),
        note=INFERRED),
    Row("5.6", "α = ψ* H* D⁻¹ (1 - HΨL) T' + φ* a", lambda o: (_fd2(o), o.alpha)),
    Row("5.7", "α(0) = B* ψ* H* D⁻¹ (1 - HΨL) T' + B* φ* a + a(0)",
        lambda o: (o.B.T @ _fd2(o) + o.a_of(0), o.alpha0)),
    Row("FD2", "(5.5)-(5.7): four sweeps give θ̈, every α(k) and α(0)",
        lambda o: [(fd1(o).lam + carried_out(o, o.a), o.alpha), (fd1(o).acceleration, o.W_dot),
                   (o.arm.shift(1, 0).T @ of(_fd2(o), 1) + o.a_of(0), o.alpha0)],
        title="Algorithm FD2"),
    Row("5.8", "ξ = φ* a", lambda o: [(o.phi.T @ o.a, o.alpha - o.phi.T @ o.H.T @ o.W_dot),
                                     (carried_out(o, o.a), o.phi.T @ o.a)]),
    misprint("5.9", "ε = T - H ψ [S L T + M ξ + b + B f(0)]",
             lambda o: (_fd3(o, o.psi), _epsilon(o)),
             "ε = T - H φ [S L T + M ξ + b + B f(0)]",
             lambda o: (_fd3(o, o.phi), _epsilon(o)),
             note="the scan does not tell φ from ψ here"),
    Row("5.10", "θ̈ = (1 - HΨL)* D⁻¹ ε", lambda o: (o.whitening.T @ o.D_inverse @ _epsilon(o), o.W_dot)),
    Row("FD3", "(5.8)-(5.10): three sweeps give θ̈",
        lambda o: [(fd3(o).acceleration, o.W_dot), (fd3(o).epsilon, _epsilon(o))], title="Algorithm FD3"),
    definition("5.11", "φ̃ = φ - 1", lambda o: (o.phi_tilde @ (o.one - o.S @ o.E_phi), o.S @ o.E_phi)),
    definition("5.12", "G = P H* D⁻¹",
               lambda o: (o.G, o.arm.per_link([gain(o, k) for k in range(1, o.N + 1)]))),
    misprint("5.13", "V = φ* H* θ̇", lambda o: (o.phi.T @ o.H.T @ o.W, o.V),
             "V = B* φ* H* θ̇", note="the printed right side is V(0), six numbers"),
    Row("5.14", "ν = D⁻¹ {T - H ψ [S L T + b + B f(0)] - H ψ̃ P a}",
        lambda o: [(_nu(o), fd4(o).nu), (_fd4(o, _nu(o)), o.W_dot)]),
    Row("5.15", "θ̈ = (1 - HΨL)* ν - L* Ψ* (1 - G H)* a - G* a", lambda o: (_fd4(o, fd4(o).nu), o.W_dot)),
    misprint("5.16", "z(k) = ψ(k, k-1) z(k-1) + L(k-1) T(k-1) + ψ(k, k-1) P(k-1) a(k-1) + b(k), ε = T - H z, "
             "ν = D⁻¹ ε; z(0) = f(0), ψ(1, 0) = φ(1, 0), L(0) = P(0) = 0",
             lambda o: [(fd4(o).acceleration, o.W_dot),
                        (o.f, fd4(o).z + o.P @ (o.alpha - o.a) + _passed_on(o))],
             "... without b(k)",
             lambda o: (fd4(o, with_b=False).acceleration, o.W_dot)),
    Row("5.17", "λ(k) = ψ*(k+1, k) λ(k+1) + H*(k) ν(k) + [1 - G(k) H(k)]* a(k), "
        "θ̈(k) = ν(k) - L*(k) λ(k+1) - G*(k) a(k)",
        lambda o: [(fd4(o).acceleration, o.W_dot), (fd4(o).lam, o.alpha)],
        note="λ(k) is α(k), which the paper leaves unsaid"),
    Row("FD4", "(5.13)-(5.17): three sweeps give θ̈, and every α(k)",
        lambda o: [(fd4(o).acceleration, o.W_dot), (fd4(o).lam, o.alpha)], title="Algorithm FD4"),
))  # fmt: skip


def _first(o: Operators) -> Array:
    """diag[1, 0, ..., 0]."""
    return np.diag(np.r_[np.ones(6), np.zeros(6 * o.N - 6)])


def _passed_on(o: Operators) -> Array:
    """z of (5.16) does not count P(k) a(k) of link k itself, as that of the later papers does."""
    return o.arm.per_link([articulated(o, k) for k in range(1, o.N + 1)]) @ o.a


SECTION_6 = Section("6", "Conclusion and discussion", fixed_base, (
    misprint("6, text", "the bias-free form (3.22), 𝓜 θ̈ = T'",
             lambda o: (o.arm.mass_matrix @ o.W_dot, o.bias_free),
             "the bias-free form (3.21)"),
))  # fmt: skip
