"""JR95f, section 2: serial manipulators; their mass matrix, its factors and their inverses, forward dynamics."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from phipsi.papers.row import Pair, Row, Section, definition, misprint
from phipsi.reference.description import Array

from .ship import Ship, free_flyer


def _each(ship: Ship, pair: Callable[[int], Pair]) -> list[Pair]:
    return [pair(k) for k in range(1, ship.n + 1)]


def _accelerations(s: Ship, rates: bool = True) -> list[Pair]:
    def one(k: int) -> Pair:
        above = s.of(s.alpha, k + 1)
        moved = s.beta_dot(k) if rates else s.beta(k)
        return s.of(s.alpha, k), s.shift(k + 1, k).T @ above + s.H(k).T @ moved + s.a_of(k)

    return _each(s, one)


def _newton_euler(s: Ship) -> list[Pair]:
    V = _each(s, lambda k: (s.of(s.o.V, k), s.shift(k + 1, k).T @ s.of(s.o.V, k + 1) + s.H(k).T @ s.beta(k)))

    def force(k: int) -> Pair:
        inner = s.shift(k, k - 1) @ s.of(s.f, k - 1) if k > 1 else np.zeros(6)
        return s.of(s.f, k), inner + s.M(k) @ s.of(s.alpha, k) + s.b_of(k)

    return [*V, *_accelerations(s), *_each(s, force), *_each(s, lambda k: (s.T(k), s.H(k) @ s.of(s.f, k)))]


def _coriolis(s: Ship, sign: float = 1.0) -> list[Pair]:
    """a(k) against what is left of the measured accelerations."""

    def one(k: int) -> Pair:
        left = s.of(s.alpha, k) - s.shift(k + 1, k).T @ s.of(s.alpha, k + 1) - s.H(k).T @ s.beta_dot(k)
        return left, sign * s.a_of(k)

    return [one(k) for k in range(1, s.n)]


def _riccati(s: Ship) -> list[Pair]:
    """Algorithm 2.2, and what P means: P(k) is the inertia that the arm up to link k has as a free-flyer at O_k."""
    from phipsi.papers.rk88.arm import inverse

    pairs: list[Pair] = []
    for k in range(1, s.n + 1):
        phi, H, M = s.o.phi[: 6 * k, : 6 * k], s.o.H[:, : 6 * k], s.o.M[: 6 * k, : 6 * k]
        rows = s.arm.own(k - 1).stop if k > 1 else 0
        inner = np.concatenate([H[:rows], np.concatenate([np.zeros((6, 6 * k - 6)), np.eye(6)], axis=1)])
        mass = inner @ phi @ M @ phi.T @ inner.T  # with link k as a free base
        pairs.append((s.P[k], inverse(inverse(mass)[-6:, -6:])))
        pairs.append((s.P_plus(k), s.tau_bar(k) @ s.P[k] @ s.tau_bar(k).T))
    return pairs


def _factor(s: Ship) -> Array:
    return s.o.one_joints + s.o.H @ s.o.phi @ s.K


def _whitening(s: Ship) -> Array:
    return s.o.one_joints - s.o.H @ s.o.psi @ s.K


def _forward(s: Ship, bias: Array) -> Array:
    free = s.o.T - s.o.H @ s.o.psi @ (s.K @ s.o.T + s.o.P @ s.a + s.b)
    return _whitening(s).T @ s.o.D_inverse @ free - bias


def _filter(s: Ship) -> list[Pair]:
    """(12) on the stacked vectors, with the truth for α and β̇."""
    z, z_plus, eps = (np.concatenate(x[1:]) for x in s.regular)
    nu = s.o.D_inverse @ eps
    rate = nu - s.o.G.T @ s.alpha_plus
    return [
        (z, s.E_phi @ z_plus + s.o.P @ s.a + s.b), (z_plus, z + s.o.G @ eps), (eps, s.o.T - s.o.H @ z),
        (rate, s.o.W_dot), (s.alpha, s.alpha_plus + s.o.H.T @ rate + s.a),
    ]  # fmt: skip


def _smooth(s: Ship) -> list[Pair]:
    """(13b), from its own results."""
    pairs, above = list[Pair](), np.zeros(6)
    for k in range(s.n, 0, -1):
        plus = s.shift(k + 1, k).T @ above
        rate = s.nu(k) - s.G(k).T @ plus
        above = plus + s.H(k).T @ rate + s.a_of(k)
        pairs += [(rate, s.beta_dot(k)), (above, s.of(s.alpha, k))]
    return pairs


SECTION_2 = Section("2", "Manipulators, their mass matrix and forward dynamics", free_flyer, (
    misprint("1", "V(k) = φ* V(k+1) + H* β, α(k) = φ* α(k+1) + H* β̇ + a; f(k) = φ f(k-1) + M α + b, T = H f",
             _newton_euler, "α(k) = φ*(k+1, k) α(k+1) + H*(k) β(k) + a(k)",
             lambda s: _accelerations(s, rates=False), title="Algorithm 2.1"),
    definition("2", "b(k) = [[ω~, v~], [0, ω~]] M(k) V(k); an external force is subtracted from it",
               lambda s: _each(s, lambda k: (s.of(s.f, k) - (s.shift(k, k - 1) @ s.of(s.f, k - 1) if k > 1 else 0.0)
                                             - s.M(k) @ s.of(s.alpha, k), s.b_of(k)))),
    misprint("a(k)", "[ω~Δω; v~Δω] of a revolute hinge, [0; ω~Δv] of a sliding one", _coriolis,
             "[Δω~ω; Δω~v] and [0; ω Δv~]", lambda s: _coriolis(s, -1.0),
             note="evaluated with the sign that the printed revolute form has"),
    Row("3a", "V = φ* H* β", lambda s: (s.o.V, s.o.phi.T @ s.o.H.T @ s.o.W)),
    Row("3b", "α = φ* [H* β̇ + a]", lambda s: (s.alpha, s.o.phi.T @ (s.o.H.T @ s.o.W_dot + s.a))),
    Row("3c", "f = φ [M α + b]", lambda s: (s.f, s.o.phi @ (s.o.M @ s.alpha + s.b))),
    Row("3d", "T = H f = 𝓜 β̇ + 𝓒",
        lambda s: [(s.o.T, s.o.H @ s.f),
                   (s.o.T, s.arm.mass_matrix @ s.o.W_dot + s.o.H @ s.o.phi @ (s.o.M @ s.o.phi.T @ s.a + s.b))]),
    Row("4a", "𝓜 = H φ M φ* H*", lambda s: (s.o.mass, s.arm.mass_matrix)),
    Row("4b", "𝓒 = H φ [M φ* a + b]",
        lambda s: (s.o.T - s.arm.mass_matrix @ s.o.W_dot, s.o.H @ s.o.phi @ (s.o.M @ s.o.phi.T @ s.a + s.b))),
    definition("5", "φ = (1 - E_φ)⁻¹, φ(i, j) = φ(i, i-1) ... φ(j+1, j)",
               lambda s: ((s.one - s.E_phi) @ s.o.phi, s.one)),
    Row("6", "P(k) = φ P⁺(k-1) φ* + M, D = H P H*, G = P H* D⁻¹, τ̄ = 1 - G H, P⁺ = τ̄ P τ̄* = τ̄ P", _riccati,
        title="Algorithm 2.2"),
    definition("7", "D = H P H*, G = P H* D⁻¹, K = E_φ G, τ̄ = 1 - G H, P⁺ = τ̄ P τ̄* = τ̄ P, E_ψ = E_φ τ̄",
               lambda s: [(s.o.H @ s.o.P @ s.o.H.T, s.o.D), (s.o.H @ s.o.G, s.o.one_joints),
                          (s.o.tau_bar @ s.o.tau_bar, s.o.tau_bar),
                          (s.o.tau_bar @ s.o.P @ s.o.tau_bar.T, s.o.tau_bar @ s.o.P)]),
    misprint("8", "M = P - E_ψ P E_ψ* = P - E_φ P E_ψ*",
             lambda s: [(s.o.M, s.o.P - s.E_psi @ s.o.P @ s.E_psi.T), (s.o.M, s.o.P - s.E_phi @ s.o.P @ s.E_psi.T)],
             "M = P - E_φ P E_φ*", lambda s: (s.o.M, s.o.P - s.E_phi @ s.o.P @ s.E_phi.T)),
    definition("9", "ψ = (1 - E_ψ)⁻¹", lambda s: ((s.one - s.E_psi) @ s.o.psi, s.one)),
    Row("10a", "𝓜 = [1 + HφK] D [1 + HφK]*",
        lambda s: (s.arm.mass_matrix, _factor(s) @ s.o.D @ _factor(s).T), title="Lemma 2.1"),
    Row("10b", "[1 + HφK]⁻¹ = 1 - HψK", lambda s: (_factor(s) @ _whitening(s), s.o.one_joints)),
    Row("10c", "𝓜⁻¹ = [1 - HψK]* D⁻¹ [1 - HψK]",
        lambda s: (s.arm.mass_matrix @ _whitening(s).T @ s.o.D_inverse @ _whitening(s), s.o.one_joints)),
    misprint("11", "β̇ = [1 - HψK]* D⁻¹ [T - Hψ(K T + P a + b)] - K* ψ* a",
             lambda s: (_forward(s, s.K.T @ s.o.psi.T @ s.a), s.o.W_dot), "... - K* ψ* H* a",
             note="as printed the sizes do not fit"),
    Row("12a", "z = E_φ z⁺ + P a + b", lambda s: _filter(s)[:1]),
    Row("12b", "z⁺ = z + G ε", lambda s: _filter(s)[1:2]),
    Row("12c", "ε = T - H z", lambda s: _filter(s)[2:3]),
    Row("12d", "ν = D⁻¹ ε", lambda s: [(np.concatenate([s.nu(k) for k in range(1, s.n + 1)]),
                                        s.o.D_inverse @ np.concatenate(s.regular[2][1:]))]),
    Row("12e", "α⁺ = E_φ* α", lambda s: _each(s, lambda k: (s.of(s.alpha_plus, k),
                                                           s.shift(k + 1, k).T @ s.of(s.alpha, k + 1)))),
    Row("12f", "β̇ = ν - G* α⁺", lambda s: _filter(s)[3:4]),
    Row("12g", "α = α⁺ + H* β̇ + a", lambda s: _filter(s)[4:]),
    misprint("13a", "z⁺(0) = 0; z(k) = φ z⁺(k-1) + b + P a, ε = T - H z, z⁺ = z + G ε, ν(k) = D⁻¹(k) ε(k)",
             lambda s: _filter(s), "z(0) = 0; ν(k) = D⁻¹ ε(k)", title="Algorithm 2.3"),
    misprint("13b", "α(n+1) = 0; α⁺ = φ* α(k+1), β̇ = ν - G* α⁺, α = α⁺ + H* β̇ + a", _smooth, "α⁺(n+1) = 0"),
))  # fmt: skip
