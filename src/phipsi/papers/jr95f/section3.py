"""JR95f, section 3: free-flying manipulators, seen from the base, from the tip, and from every link at once."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Pair, Row, Section, definition, misprint
from phipsi.reference.description import Array

from .ship import Ship, free_flyer


def _inner(s: Ship, pair: Callable[[int], Pair]) -> list[Pair]:
    """Of every hinge between two links."""
    return [pair(k) for k in range(1, s.n)]


def _at_base(s: Ship) -> list[Pair]:
    n, one, none = s.n, np.eye(6), np.zeros((6, 6))
    G = s.G(n)
    return [(inverse(s.D_inverse[n]), s.P[n]), (G, one), (G @ s.H(n), one), (s.tau_bar(n), none)]


def _base_moves(s: Ship) -> list[Pair]:
    n = s.n
    eps = s.T(n) - s.regular[0][n]
    nu = inverse(s.P[n]) @ eps
    return [(s.regular[2][n], eps), (nu, s.beta_dot(n)), (nu + s.a_of(n), s.of(s.alpha, n))]


def _inertia_from_the_base(s: Ship, k: int) -> Array:
    """What links k+1 ... n resist as a free-flyer, at O_k: their compliance there, inverted."""
    rows = slice(s.arm.own(k + 1).start, s.N)
    links = slice(6 * k, 6 * s.n)
    H, phi, M = s.o.H[rows, links], s.o.phi[links, links], s.o.M[links, links]
    J = (phi.T @ H.T)[:6]  # of link k+1
    at_k, mass = s.shift(k, k + 1), H @ phi @ M @ phi.T @ H.T
    return at_k @ inverse(J @ inverse(mass) @ J.T) @ at_k.T


def _dual_inertias(s: Ship) -> list[Pair]:
    pairs = [(s.dual[1][k], _inertia_from_the_base(s, k)) for k in range(s.n)]
    return [*pairs, *_inner(s, lambda k: (s.H(k) @ s.dual[0][k], np.zeros_like(s.H(k)))),
            *_inner(s, lambda k: (s.tau_bar_s(k) @ s.dual[1][k], s.dual[0][k]))]  # fmt: skip


def _minus_f(s: Ship, z: list[Array]) -> list[Pair]:
    return _inner(s, lambda k: (-s.of(s.f, k), s.dual[0][k] @ s.of(s.alpha, k) + z[k]))


def _dual_outward(s: Ship) -> list[Pair]:
    """(18b): from link 1, whose acceleration Lemma 3.2 gives, to link n."""
    z, _, eps = s.dual_residuals
    # hinge 0, H(0) = -1: the world holds link 1 with nothing; β(0) = V(1)
    alpha = -inverse(s.dual[1][0]) @ (z[1] + s.b_of(1))
    pairs = [(alpha, s.of(s.alpha, 1))]
    for k in range(1, s.n):
        rate = inverse(s.D_s(k)) @ eps[k] - s.G_s(k).T @ alpha
        plus = alpha - s.H(k).T @ rate - s.a_of(k)
        alpha = s.shift(k, k + 1).T @ plus
        pairs += [(rate, s.beta_dot(k)), (alpha, s.of(s.alpha, k + 1))]
    return pairs


def _smoothed(s: Ship) -> Array:
    nu = np.concatenate([s.nu(k) for k in range(1, s.n + 1)])
    return s.o.H.T @ nu + s.a


def _both_sides(s: Ship) -> list[Pair]:
    """Lemma 3.2 at every link, on both sides of every hinge."""
    (z_p, z_p_plus, _), (z_s, z_s_plus, _) = s.regular, s.dual_residuals
    S, S_plus = s.dual
    pairs = [(s.of(s.alpha, k), -inverse(s.P[k] + S[k]) @ (z_p[k] + z_s[k] - s.P[k] @ s.a_of(k)))
             for k in range(1, s.n + 1)]  # fmt: skip
    plus = _inner(s, lambda k: (s.of(s.alpha_plus, k), -inverse(s.P_plus(k) + S_plus[k])
                                @ (z_p_plus[k] + z_s_plus[k] + S_plus[k] @ s.a_of(k))))  # fmt: skip
    return pairs + plus


def _rates(s: Ship) -> list[Pair]:
    eps_s = s.dual_residuals[2]
    regular = _inner(s, lambda k: (s.beta_dot(k), s.nu(k) - s.G(k).T @ s.of(s.alpha_plus, k)))
    dual = _inner(s, lambda k: (s.beta_dot(k), inverse(s.D_s(k)) @ eps_s[k] - s.G_s(k).T @ s.of(s.alpha, k)))
    return regular + dual


def _core(s: Ship) -> list[Pair]:
    """`free_flying.dynamics` of the same robot, thrusters, external force and all."""
    from phipsi.dynamics import free_flying

    arm = s.arm
    tau = arm.robot.inverse_dynamics(arm.q, arm.rate, arm.rate_dot, arm._touching)  # pyright: ignore
    pairs: list[Pair] = []
    for form in ("inertia", "mobility"):
        found = free_flying.dynamics(arm.robot, arm.q, arm.rate, tau, f_ext=arm._touching, form=form)  # pyright: ignore
        links = np.concatenate([found.link_accelerations[arm.of(k)] for k in range(1, s.n + 1)])
        pairs += [(links, s.o.alpha), (found.acceleration, arm.rate_dot)]
    return pairs


def _apart(s: Ship) -> list[Pair]:
    """Every link on its own, from its own state."""
    from phipsi.dynamics import free_flying

    arm = s.arm
    links = free_flying.LinkByLink(arm.robot)
    tau = arm.robot.inverse_dynamics(arm.q, arm.rate, arm.rate_dot, arm._touching)  # pyright: ignore
    alpha = links.accelerations(links.split(arm.q, arm.rate), tau, arm._touching)  # pyright: ignore
    return [(alpha[arm.of(k)], s.of(s.o.alpha, k)) for k in range(1, s.n + 1)]


SECTION_3 = Section("3", "Free-flying manipulators, their dual, and every link as base", free_flyer, (
    Row("14", "D(n) = P(n), G(n) = 1, τ(n) = 1, τ̄(n) = 0", _at_base, note="in fixed axes, H(n) = 1"),
    Row("15", "ε(n) = T(n) - z(n), β̇(n) = ν(n) = P⁻¹(n) ε(n), α(n) = ν(n) + a(n)", _base_moves),
    Row("16", "S⁺(k) = φ(k, k+1) [S(k+1) + M(k+1)] φ*, D_s = H S⁺ H*, G_s = -S⁺ H* D_s⁻¹, S = τ̄_s S⁺",
        _dual_inertias, title="Algorithm 3.1"),
    definition("17", "φ(k-1, k) = φ⁻¹(k, k-1)",
               lambda s: _inner(s, lambda k: (s.shift(k, k + 1) @ s.shift(k + 1, k), np.eye(6)))),
    misprint("18a", "z_s(n) = -T(n); z_s⁺(k) = φ(k, k+1) [z_s(k+1) + b(k+1)] + S⁺ a_s, ε_s = T + H z_s⁺, "
             "z_s = z_s⁺ + G_s ε_s, ν_s = D_s⁻¹ ε_s",
             lambda s: _minus_f(s, s.dual_residuals[0]),
             "z_s(n) = 0; ... + {S(k+1) + M(k+1)} a_s(k+1), ε_s = T + H z_s, ν_s = D⁻¹ ε_s",
             # with the printed start alone
             lambda s: _minus_f(s, s.residuals(np.zeros(6))[0]), title="Algorithm 3.2"),
    misprint("18b", "α(k) = φ*(k-1, k) α⁺(k-1), β̇ = ν_s - G_s* α, α⁺ = α - H* β̇ + a_s", _dual_outward,
             "β(k) = ν_s(k) - G_s*(k) α(k)", note="hinge 0 has H(0) = -1 and φ(0, 1) = 1, where β(0) = V(1)"),
    misprint("19", "a_s(k) = -a_p(k)",
             lambda s: _inner(s, lambda k: (-s.of(s.f, k), s.dual[1][k] @ (s.of(s.alpha_plus, k) + s.a_of(k))
                                            + s.dual_residuals[1][k])),
             "a_s(k) = -φ*(k+1, k) a_p(k+1)",
             lambda s: _inner(s, lambda k: (-s.of(s.f, k), s.dual[1][k] @ (
                 s.of(s.alpha_plus, k) + s.shift(k + 1, k).T @ s.a_of(k + 1)) + s.dual_residuals[1][k]))),
    Row("20", "f = P⁺ α⁺ + z_p⁺ = P (α - a_p) + z_p",
        lambda s: [(s.f, s.o.P @ (s.alpha - s.a) + s.stacked(s.regular[0])),
                   (s.f, s.o.tau_bar @ s.o.P @ s.alpha_plus + s.stacked(s.regular[1]))], title="Lemma 3.1"),
    Row("21", "α = ψ_p* (H_p* ν_p + a_p)", lambda s: (s.alpha, s.o.psi.T @ _smoothed(s))),
    Row("22", "τ̄_p* α⁺ = E_ψ* α = ψ~_p* (H_p* ν_p + a_p)",
        lambda s: [(s.o.tau_bar.T @ s.alpha_plus, s.E_psi.T @ s.alpha),
                   (s.E_psi.T @ s.alpha, s.o.psi_tilde.T @ _smoothed(s))]),
    Row("23", "z_p⁺ = φ (G_p ε_p + P a_p + b)",
        lambda s: (s.stacked(s.regular[1]), s.o.phi @ (s.o.G @ np.concatenate(s.regular[2][1:]) + s.o.P @ s.a + s.b))),
    Row("24", "-f = S⁺ (α⁺ - a_s) + z_s⁺ = S α + z_s",
        lambda s: [*_minus_f(s, s.dual_residuals[0]),
                   *_inner(s, lambda k: (-s.of(s.f, k), s.dual[1][k] @ (s.of(s.alpha_plus, k) + s.a_of(k))
                                         + s.dual_residuals[1][k]))],
        note="with a_s(k) = -a_p(k); S⁺ a_s is in z_s⁺ already"),
    Row("25", "α = -[P + S]⁻¹ [z_p + z_s - P a_p], α⁺ = -[P⁺ + S⁺]⁻¹ [z_p⁺ + z_s⁺ - S⁺ a_s]", _both_sides,
        title="Lemma 3.2"),
    Row("26", "β̇ = ν_p - G_p* α⁺ = ν_s - G_s* α", _rates),
    Row("Algorithm 3.3", "V, a, b from the base; P, z_p from the tip and S⁺, z_s⁺ from the base, apart; α by (25), "
        "β̇ by (26), each link by itself", _core, title="Base-invariant forward dynamics"),
    misprint("Algorithm 3.4", "every link keeps its pose and V(k); b(k) from V(k) alone, a(k) from V(k+1) and the "
             "hinge as well; α(k) by (25), integrated locally", _apart, "a and b from V(k) alone",
             title="Decoupled forward dynamics with non-minimal coordinates"),
))  # fmt: skip
