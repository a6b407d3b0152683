"""RK88, section 4: the factorization of the mass matrix, its inverse, and the first forward dynamics algorithm."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi.papers.row import Row, Section, definition, misprint, together
from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

from .arm import Arm, draw, inverse
from .operators import Operators, fixed_base
from .recursions import bias_removed, carried_in, carried_out, fd1, fd3, fd4, filtered, smoothed
from .section2 import INFERRED, of, per_link

# ── truths that use no Riccati equation ──────────────────────────────────────────────────────────────────────────────


def articulated(o: Operators, k: int) -> Array:
    """P(k): links 1 ... k as one rigid body, less what joints 1 ... k-1 take, by the compiled core's mass matrix."""
    covariance = o.phi @ o.M @ o.phi.T
    here = slice(6 * k - 6, 6 * k)
    beyond = slice(0, o.arm.own(k).start)
    coupling = (o.H @ covariance)[beyond, here]
    own = covariance[here, here]
    return own - coupling.T @ solve(o.arm.mass_matrix[beyond, beyond], coupling)


def joint_inertia(o: Operators, k: int) -> Array:
    """D(k): the inverse of the last block of the inverse of what links 1 ... k make of the mass matrix."""
    own = o.arm.own(k)
    compliance = inverse(o.arm.mass_matrix[: own.stop, : own.stop])
    return inverse(compliance[own, own])


def gain(o: Operators, k: int) -> Array:
    """G(k) = P H* D⁻¹, of these."""
    return articulated(o, k) @ o.H_of(k).T @ inverse(joint_inertia(o, k))


def expectation(o: Operators, y: Array) -> Array:
    """E[z(k) | y(1) ... y(k-1)] for z = φ w, y = H z, by conditioning Gaussian variables."""
    covariance = o.phi @ o.M @ o.phi.T
    out = np.zeros(6 * o.N)
    for k in range(1, o.N + 1):
        known, here = slice(0, o.arm.own(k).start), slice(6 * k - 6, 6 * k)
        coupling = (covariance @ o.H.T)[here, known]
        out[here] = coupling @ solve(o.arm.mass_matrix[known, known], y[known])
    return out


def cholesky(o: Operators) -> Array:
    """The lower triangular square root of the compiled core's mass matrix."""
    return np.asarray(np.linalg.cholesky(o.arm.mass_matrix), dtype=np.float64)


def _y(o: Operators) -> Array:
    return np.sin(np.arange(1.0, len(o.W) + 1))


def _w(o: Operators) -> Array:
    return np.cos(np.arange(1.0, 6 * o.N + 1))


def _innovations_model(o: Operators, epsilon: Array) -> tuple[Array, Array]:
    """(4.13): ẑ and y from ε."""
    z, y = np.zeros((o.N + 1, 6)), np.zeros_like(epsilon)
    for k in range(1, o.N + 1):
        own = o.arm.own(k)
        if k > 1:
            z[k] = o.arm.shift(k, k - 1) @ z[k - 1] + o.riccati[2][k - 1] @ epsilon[o.arm.own(k - 1)]
        y[own] = o.H_of(k) @ z[k] + epsilon[own]
    return z[1:].ravel(), y


def _kalman_filter(o: Operators) -> list[tuple[Any, Any]]:
    y = _y(o)
    z, epsilon, _ = filtered(o, y, np.zeros(6 * o.N))
    return [(z, expectation(o, y)), (epsilon, y - o.H @ expectation(o, y)), (epsilon, o.whitening @ y)]


def _blocks(o: Operators, matrix: Array, width: int) -> list[tuple[Any, Any]]:
    """Strictly causal, with the identity in the block subdiagonal."""
    pairs: list[tuple[Any, Any]] = [(np.triu(matrix, -width + 1)[np.triu_indices(len(matrix), 0)], 0 * o.one[
        np.triu_indices(len(matrix), 0)])]  # fmt: skip
    return [*pairs, *((matrix[6 * k : 6 * k + 6, 6 * k - 6 : 6 * k], np.eye(6)) for k in range(1, o.N))]


def _psi_by_inversion(o: Operators) -> Array:
    steps = np.zeros_like(o.one)
    for k in range(1, o.N):
        here, up = slice(6 * k - 6, 6 * k), slice(6 * k, 6 * k + 6)
        steps[up, here] = o.arm.shift(k + 1, k) @ (np.eye(6) - gain(o, k) @ o.H_of(k))
    return inverse(o.one - steps)


def _positive(o: Operators) -> list[tuple[Any, Any]]:
    """0 = how far the smallest eigenvalues are below zero, with masses, and with links that have none."""
    rng = np.random.default_rng(o.arm.seed)
    light = Operators(Arm(draw(rng, ("revolute",) * 5, massless=(1, 2)), rng))
    pairs: list[tuple[Any, Any]] = [(how(light).acceleration, light.W_dot) for how in (fd1, fd3, fd4)]
    for arm, matrices in ((o, o.riccati[0][1:]), (light, light.riccati[0][1:])):
        least = [np.linalg.eigvalsh(P)[0] for P in matrices]
        inertias = np.concatenate([np.linalg.eigvalsh(D) for D in arm.riccati[1][1:]])
        pairs += [(np.minimum(least, 0.0), np.zeros(arm.N)), (inertias > 0, np.ones(len(inertias)))]
        pairs += [(P, P.T) for P in matrices]
    return pairs


def _accelerations(o: Operators) -> Array:
    """α(k) of (4.21b)-(4.22b), the line that the scan lost: λ(k) + ξ(k)."""
    return fd1(o).lam + carried_out(o, o.a)


_FACTORS = (
    Row[Operators]("4.11", "𝓜 = (1 + HΦL) D (1 + HΦL)*",
        lambda o: [(o.innovations @ o.D @ o.innovations.T, o.arm.mass_matrix),
                   (o.innovations @ np.sqrt(o.D), cholesky(o))]),
    Row[Operators]("4.14", "(1 + HΦL)⁻¹ = 1 - HΨL", lambda o: (inverse(o.innovations), o.whitening)),
    Row[Operators]("4.16", "𝓜⁻¹ = (1 - HΨL)* D⁻¹ (1 - HΨL)",
        lambda o: [(o.whitening.T @ o.D_inverse @ o.whitening @ o.arm.mass_matrix, o.one_joints),
                   (o.whitening.T @ o.D_inverse @ o.whitening, inverse(o.arm.mass_matrix))]),
)  # fmt: skip

_FD1 = (
    Row[Operators]("4.17", "T' = T - H φ [M φ* a + b + B f(0)]",
        lambda o: (o.arm.mass_matrix @ o.W_dot, bias_removed(o))),
    Row[Operators]("4.18", "θ̈ = (1 - HΨL)* D⁻¹ (1 - HΨL) T'",
        lambda o: (o.whitening.T @ o.D_inverse @ o.whitening @ o.bias_free, o.W_dot)),
)  # fmt: skip

SECTION_4 = Section("4", "A forward dynamics algorithm by mass matrix/operator factorization", fixed_base, (
    definition("4.1", "Y = H φ W, E(W) = 0, E(W W*) = M",
               lambda o: (o.H @ carried_in(o, _w(o), np.zeros(6)), o.H @ o.phi @ _w(o))),
    Row("4.2", "E(Y Y*) = H φ M φ* H* = 𝓜",
        lambda o: (o.H @ o.phi @ o.M @ (o.H @ o.phi).T, o.arm.mass_matrix)),
    Row("4.3", "z(0) = 0, z(k) = φ(k, k-1) z(k-1) + w(k), y(k) = H(k) z(k)",
        lambda o: (carried_in(o, _w(o), np.zeros(6)), solve(o.one - o.S @ o.E_phi, _w(o)))),
    misprint("4.4", "P(1) = M(1), D(1) = H(1) P(1) H*(1), L(1) = φ(2, 1) P(1) H*(1) D⁻¹(1)",
             lambda o: [(o.riccati[0][1], articulated(o, 1)), (o.riccati[1][1], joint_inertia(o, 1)),
                        (o.riccati[2][1], o.arm.shift(2, 1) @ gain(o, 1))],
             "L(1) = φ(2, 1) P(1) H*(1) D(1)",
             lambda o: (o.arm.shift(2, 1) @ o.M_of(1) @ o.H_of(1).T @ o.riccati[1][1], o.arm.shift(2, 1) @ gain(o, 1)),
             note="an exponent that the scan may have lost"),
    misprint("4.5", "for k = 2 ... N: P(k) = φ(k, k-1) [P - P H* D⁻¹ H P](k-1) φ*(k, k-1) + M(k)",
             lambda o: [(o.riccati[0][k], articulated(o, k)) for k in range(1, o.N + 1)],
             "for k = 2 ... N-1",
             note="(4.8) needs P(N) and D(N). "
             "P(k) > 0 needs M(k) > 0; massless links between others give P ≥ 0, and D(k) > 0 is enough"),
    Row("4.6", "D(k) = H(k) P(k) H*(k), L(k) = φ(k+1, k) P(k) H*(k) D⁻¹(k)",
        lambda o: [*per_link(lambda o, k: o.riccati[1][k], joint_inertia)(o),
                   *per_link(lambda o, k: o.riccati[2][k], lambda o, k: o.arm.shift(k + 1, k) @ gain(o, k))(o)]),
    misprint("4, text", "P(k) = P*(k) > 0 if M(k) > 0; where links between others have no mass, P(k) ≥ 0, "
             "and still D(k) > 0",
             _positive, "P(k) = P*(k) > 0 for all k, hence D(k) is nonzero",
             note="a tip link without mass has D(1) = 0; FD1, FD3 and FD4 stay exact with massless links between"),
    definition("4.7", "ψ(k, k) = 1, ψ(k, k-1) = φ(k, k-1) - L(k-1) H(k-1), ψ(i, j) = ψ(i, i-1) ... ψ(j+1, j)",
               lambda o: (o.psi, _psi_by_inversion(o))),
    definition("4.8", "P = diag[P(k)], D = diag[D(k)], L = diag[L(k)]",
               lambda o: [(o.P, o.arm.per_link([articulated(o, k) for k in range(1, o.N + 1)])),
                          (o.D, o.H @ o.P @ o.H.T), (o.L, o.E_phi @ o.P @ o.H.T @ inverse(o.D))]),
    definition("4.9", "Φ: the strictly causal operator of the φ(i, j+1), i > j",
               lambda o: [*_blocks(o, o.Phi, 6), (o.Phi @ o.E_phi, o.phi - o.one)]),
    definition("4.10", "Ψ: the strictly causal operator of the ψ(i, j+1), i > j",
               lambda o: [*_blocks(o, o.Psi, 6), (o.Psi @ o.E_psi, _psi_by_inversion(o) - o.one)]),
    _FACTORS[0],
    together("Fact 4.1", "H φ M φ* H* = (1 + HΦL) D (1 + HΦL)*, with a lower triangular factor and D invertible",
             _FACTORS[:1]),
    Row("4.12", "Y = (1 + HΦL) ε, E(ε ε*) = D, E(Y Y*) = 𝓜",
        lambda o: [(o.whitening @ o.arm.mass_matrix @ o.whitening.T, o.D),
                   (o.innovations @ o.D @ o.innovations.T, o.arm.mass_matrix)]),
    Row("4.13", "ẑ(0) = 0, ẑ(k) = φ(k, k-1) ẑ(k-1) + L(k-1) ε(k-1), y(k) = H(k) ẑ(k) + ε(k)",
        lambda o: [(_innovations_model(o, _y(o))[1], o.innovations @ _y(o)),
                   (_innovations_model(o, _y(o))[0], expectation(o, o.innovations @ _y(o)))]),
    _FACTORS[1],
    together("Fact 4.2", "1 + HΦL and 1 - HΨL are mutually reciprocal", _FACTORS[1:2]),
    Row("4.15", "ẑ(k) = [φ(k, k-1) - L(k-1) H(k-1)] ẑ(k-1) + L(k-1) y(k-1), ε(k) = y(k) - H(k) ẑ(k): the Kalman "
        "filter, ẑ(k) = E[z(k) | y(1) ... y(k-1)]", _kalman_filter),
    _FACTORS[2],
    together("Theorem 4.1", "𝓜⁻¹ = (1 - HΨL)* D⁻¹ (1 - HΨL)", _FACTORS[2:]),
    *_FD1,
    Row("4.19", "ẑ(k) = [φ(k, k-1) - L(k-1) H(k-1)] ẑ(k-1) + L(k-1) T'(k-1)",
        lambda o: (fd1(o).z, expectation(o, o.arm.mass_matrix @ o.W_dot))),
    Row("4.20", "ε(k) = T'(k) - H(k) ẑ(k), ν(k) = D⁻¹(k) ε(k)",
        lambda o: [(fd1(o).epsilon, cholesky(o).T @ o.W_dot * np.diag(cholesky(o))),
                   (fd1(o).nu, cholesky(o).T @ o.W_dot / np.diag(cholesky(o)))]),
    Row("4.21", "λ(N+1) = 0, λ(k) = [φ(k+1, k) - L(k) H(k)]* λ(k+1) + H*(k) ν(k)",
        lambda o: (fd1(o).lam, o.phi.T @ o.H.T @ o.W_dot)),
    Row("4.22", "θ̈(k) = ν(k) - L*(k) λ(k+1)", lambda o: (smoothed(o, fd1(o).nu)[1], o.W_dot)),
    Row("FD1", "(4.17), then (4.19)-(4.22): four sweeps give θ̈", lambda o: (fd1(o).acceleration, o.W_dot),
        title="Algorithm FD1"),
    Row("4.21b", "λ(N+1) = 0, ξ(N+1) = 0", lambda o: [
        (of(fd1(o).lam, o.N), of(o.alpha, o.N) - of(carried_out(o, o.a), o.N)),
        (of(carried_out(o, o.a), o.N), o.a_of(o.N))]),
    Row("4.22b", "λ(k) and θ̈(k) as in (4.21)-(4.22), ξ(k) = φ*(k+1, k) ξ(k+1) + a(k), α(k) = λ(k) + ξ(k)",
        lambda o: [(_accelerations(o), o.alpha), (fd1(o).acceleration, o.W_dot)],
        note=f"{INFERRED}, and the line α(k) with it"),
    Row("4.23", "α(0) = φ*(1, 0) α(1) + a(0)",
        lambda o: (o.arm.shift(1, 0).T @ of(_accelerations(o), 1) + o.a_of(0), o.alpha0)),
))  # fmt: skip
