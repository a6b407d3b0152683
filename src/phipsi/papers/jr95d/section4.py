"""JR95d, sections 4 and 5: operator factorization, ν and ε by recursions, the cross product of spatial vectors."""

from __future__ import annotations

import numpy as np

from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array, block
from phipsi.reference.spatial import shift, solve

from .arm import Arm, cross6, diagonal, revolute


def _factor(w: Arm) -> Array:
    return w.In + w.H @ w.phi @ w.K


def _whitening(w: Arm) -> Array:
    return w.In - w.H @ w.psi @ w.K


def _newton_euler(w: Arm) -> list[tuple[Array, Array]]:
    """(4.2), link by link with body-frame derivatives: a = -Δ~ V, b = -V~* M V."""
    V, alpha, f = ([np.zeros(6)] * w.N for _ in range(3))
    a, b = -w.Dt @ w.V, -w.Vt.T @ w.M @ w.V
    for k in range(w.N):  # base to tip
        phi, h = w.E[block(k - 1), block(k)] if k else np.zeros((6, 6)), w.H[k, block(k)]
        V[k] = (phi.T @ V[k - 1] if k else 0) + h * w.v[k]
        alpha[k] = (phi.T @ alpha[k - 1] if k else 0) + h * w.a[k] + a[block(k)]
    torque = np.zeros(w.N)
    for k in reversed(range(w.N)):
        carried = w.E[block(k), block(k + 1)] @ f[k + 1] if k + 1 < w.N else np.zeros(6)
        f[k] = carried + w.M[block(k), block(k)] @ alpha[k] + b[block(k)]
        torque[k] = w.H[k, block(k)] @ f[k]
    return [(np.concatenate(V), np.asarray(w.robot.velocities(w.q, w.v)).ravel()), (torque, w.T)]


def _stacked(w: Arm) -> list[tuple[Array, Array]]:
    """(4.3), (4.4): with inertial derivatives, and with those in the bodies' axes: the same T."""
    torques: list[Array] = []
    for a, b in ((w.state.a, w.state.b), (-w.Dt @ w.V, -w.Vt.T @ w.M @ w.V)):
        alpha = w.phi.T @ (w.H.T @ w.a + a)
        torques.append(w.H @ w.phi @ (w.M @ alpha + b))
    return [(x, w.T) for x in torques]


def _powers(w: Arm) -> Array:
    total, power = w.I, w.I
    for _ in range(w.N):
        power = power @ w.E
        total = total + power
    return total


def _riccati(w: Arm) -> list[tuple[Array, Array]]:
    """Algorithm 4.1: link by link, against what the arm's P means: D is 1 / [(mass of the arm beyond)⁻¹]_kk."""
    P_plus, P, D = np.zeros((6, 6)), np.zeros_like(w.P), np.zeros(w.N)
    for k in reversed(range(w.N)):
        phi = w.E[block(k), block(k + 1)] if k + 1 < w.N else np.zeros((6, 6))
        Pk = phi @ P_plus @ phi.T + w.M[block(k), block(k)]
        h = w.H[k, block(k)]
        D[k] = h @ Pk @ h
        G = Pk @ h / D[k]
        P_plus = (np.eye(6) - np.outer(G, h)) @ Pk
        P[block(k), block(k)] = Pk
    beyond = [1 / inverse(w.mass[k:, k:])[0, 0] for k in range(w.N)]
    return [(P, w.P), (D, np.array(beyond))]


_ROWS_4: tuple[Row[Arm], ...] = (
    Row("4.1a", "𝓜 = H φ M φ* H*", lambda w: (w.H @ w.phi @ w.M @ w.phi.T @ w.H.T, w.mass), title="Identity 4.1"),
    Row("4.1b", "𝓜 = (I + HφK) D (I + HφK)*", lambda w: (_factor(w) @ w.D @ _factor(w).T, w.mass),
        title="Identity 4.1"),
    Row("4.1c", "(I + HφK)⁻¹ = I - HψK", lambda w: (inverse(_factor(w)), _whitening(w)), title="Identity 4.1"),
    Row("4.1d", "𝓜⁻¹ = (I - HψK)* D⁻¹ (I - HψK)",
        lambda w: (_whitening(w).T @ inverse(w.D) @ _whitening(w), inverse(w.mass)), title="Identity 4.1"),
    Row("4.2", "recursive Newton-Euler equations", _newton_euler),
    Row("4.3", "V = φ*H*θ̇, α = φ*(H*θ̈ + a)",
        lambda w: [(w.phi.T @ w.H.T @ w.v, np.asarray(w.robot.velocities(w.q, w.v)).ravel()), *_stacked(w)[:1]]),
    Row("4.4", "f = φ(Mα + b), T = H f = 𝓜θ̈ + C", lambda w: [*_stacked(w), (w.mass @ w.a + w.coriolis, w.T)],
        note="a and b both with inertial derivatives, or both with those in the bodies' axes"),
    misprint("Section 4", "𝓜 = H φ M φ* H*", lambda w: (w.H @ w.phi @ w.M @ w.phi.T @ w.H.T, w.mass),
             "𝓜 = H φ 𝓜 φ* H and H φ M φ H*", lambda w: (w.H @ w.phi @ w.M @ w.phi @ w.H.T, w.mass)),
    Row("4.5", "φ = (I - E_φ)⁻¹, the sum of all powers of E_φ",
        lambda w: [(inverse(w.I - w.E), w.phi), (_powers(w), w.phi)]),
    definition("4.6", "E_φ: φ(k+1, k) from each link to the next", lambda w: (w.I - inverse(w.phi), w.E)),
    Row("4.7", "the Riccati recursion for P, D, G, K, τ, τ̄, P⁺, ψ", _riccati, title="Algorithm 4.1"),
    misprint("4.8", "M = P - E_ψ P E_ψ* = P - E_φ P⁺ E_φ* = P - E_ψ P E_φ*",
             lambda w: [(w.P - w.Es @ w.P @ w.Es.T, w.M), (w.P - w.E @ w.Pp @ w.E.T, w.M),
                        (w.P - w.Es @ w.P @ w.E.T, w.M)],
             "M = P - E_ψ P E_ψ* = P - E_φ P E_φ*", lambda w: (w.P - w.E @ w.P @ w.E.T, w.M)),
    definition("4.9", "D = HPH*, G = PH*D⁻¹, K = E_φG, τ̄ = I - GH, E_ψ = E_φτ̄, ψ = (I - E_ψ)⁻¹",
               lambda w: [(w.H @ w.P @ w.H.T, w.D), (w.G @ w.D, w.P @ w.H.T), (w.E @ w.G, w.K),
                          (w.I - w.G @ w.H, w.tb), (w.E @ w.tb, w.Es), ((w.I - w.Es) @ w.psi, w.I)]),
    Row("4.10a", "(I - HψK) H φ = H ψ", lambda w: (_whitening(w) @ w.H @ w.phi, w.H @ w.psi), title="Identity 4.2"),
    Row("4.10b", "φ K (I - HψK) = ψ K", lambda w: (w.phi @ w.K @ _whitening(w), w.psi @ w.K), title="Identity 4.2"),
    Row("4.10c", "φ M φ*H* = (I + φKH) P φ*H*",
        lambda w: (w.phi @ w.M @ w.phi.T @ w.H.T, (w.I + w.phi @ w.K @ w.H) @ w.P @ w.phi.T @ w.H.T),
        title="Identity 4.2"),
    Row("4.10d", "H φ τ̄ = H φ E_ψ", lambda w: (w.H @ w.phi @ w.tb, w.H @ w.phi @ w.Es), title="Identity 4.2"),
    misprint("4.11", "ψ⁻¹ - φ⁻¹ = E_φ - E_ψ = E_φ τ = K H",
             lambda w: [(inverse(w.psi) - inverse(w.phi), w.K @ w.H), (w.E @ w.tau, w.K @ w.H)],
             "E_φ - E_ψ = E_φ τ̄", lambda w: (w.E @ w.tb, w.K @ w.H)),
    misprint("4.10c proof", "φMφ* = φPφ* - φ~τ̄Pφ~* = φPφ* - φ~Pφ~* + φ~τPφ~*",
             lambda w: [(w.phi @ w.P @ w.phi.T - (w.phi - w.I) @ x @ (w.phi - w.I).T, w.phi @ w.M @ w.phi.T)
                        for x in (w.tb @ w.P, w.P - w.tau @ w.P)],
             "… + φ~τ̄Pφ~*",
             lambda w: (w.phi @ w.P @ w.phi.T - (w.phi - w.I) @ (w.P - w.tb @ w.P) @ (w.phi - w.I).T,
                        w.phi @ w.M @ w.phi.T)),
    Row("4.12", "τ̄PH* = Pτ̄*H* = 0, τ̄*H* = 0",
        lambda w: [(w.tb @ w.P @ w.H.T, 0 * w.H.T), (w.tb.T @ w.H.T, 0 * w.H.T)]),
)  # fmt: skip


# ── 5 ─────────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _outward(w: Arm, given: Array, to_nu: bool) -> Array:
    """Table 2: the left column from θ̇ to ν, the right one from ν to θ̇."""
    moving, out = np.zeros(6), np.zeros(w.N)
    for k in range(w.N):
        Vp = w.E[block(k - 1), block(k)].T @ moving if k else np.zeros(6)
        G, d = w.G[block(k), k], w.D[k, k]
        out[k] = np.sqrt(d) * (given[k] + G @ Vp) if to_nu else given[k] / np.sqrt(d) - G @ Vp
        moving = Vp + w.H[k, block(k)] * (given[k] if to_nu else out[k])
    return out


def _inward(w: Arm, given: Array, to_epsilon: bool, root: bool = True) -> Array:
    """Table 3: the left column from T to ε, the right one from ε to T. Printed: z⁺ = z + G ε, without D^½."""
    z, out = np.zeros(6), np.zeros(w.N)
    for k in reversed(range(w.N)):
        d, h = np.sqrt(w.D[k, k]), w.H[k, block(k)]
        out[k] = (given[k] - h @ z) / d if to_epsilon else d * given[k] + h @ z
        epsilon = out[k] if to_epsilon else given[k]
        z = z + w.G[block(k), k] * epsilon * (d if root else 1.0)
        if k:
            z = w.E[block(k - 1), block(k)] @ z
    return out


def _brackets(w: Arm) -> list[tuple[Array, Array]]:
    X, Y = w.rng.normal(size=(2, 6))
    return [(cross6(X) @ Y, -cross6(Y) @ X),
            (cross6(X)[:3, :3] @ Y[:3], np.cross(X[:3], Y[:3]))]  # fmt: skip


def _triple(w: Arm, sign: bool) -> tuple[Array, Array]:
    """X*(Z × Y) = Y* Z~* X; printed: -Z*(X × Y)."""
    X, Y, Z = np.random.default_rng(3).normal(size=(3, 6))
    left = X @ cross6(Z) @ Y
    return np.array(left), np.array(Y @ cross6(Z).T @ X if sign else -(Z @ cross6(X) @ Y))


def _z(w: Arm) -> Array:
    """The force that arrives at each joint from the torques beyond: ψ K T."""
    return w.psi @ w.K @ w.T


def _epsilon(w: Arm) -> Array:
    """ε = m⁻¹ T."""
    return solve(w.m, w.T)


_ROWS_5: tuple[Row[Arm], ...] = (
    definition("5.1", "m = (I + HφK) D^½, ℓ = m⁻¹ = D^{-½} (I - HψK)",
               lambda w: [(_factor(w) @ w.root, w.m), (inverse(w.root) @ _whitening(w), w.ell)]),
    Row("5.2", "𝓜 = m m*, 𝓜⁻¹ = ℓ*ℓ", lambda w: [(w.m @ w.m.T, w.mass), (w.ell.T @ w.ell, inverse(w.mass))]),
    Row("5.3", "D^{-½}ν = θ̇ + δ, δ = G*V⁺", lambda w: (w.xi, w.v + w.G.T @ w.Vp)),
    Row("5.4", "T(k) = D^½(k) ε(k) + H(k) z(k)", lambda w: (w.root @ _epsilon(w) + w.H @ _z(w), w.T)),
    Row("Table 1", "φ carries forces inward, φ* velocities outward; each block is a rigid shift",
        lambda w: [(w.phi[block(0), block(2)], shift(w.state.origin[2] - w.state.origin[0])),
                   (w.phi.T @ w.H.T @ w.v, np.asarray(w.robot.velocities(w.q, w.v)).ravel())]),
    Row("Table 2", "ν from θ̇ and θ̇ from ν, base to tip",
        lambda w: [(_outward(w, w.v, True), w.nu), (_outward(w, w.nu, False), w.v)]),
    misprint("Table 3", "ε from T and T from ε, tip to base: z⁺(k) = z(k) + G(k) D^½(k) ε(k)",
             lambda w: [(_inward(w, w.T, True), _epsilon(w)), (_inward(w, _epsilon(w), False), w.T)],
             "z⁺(k) = z(k) + G(k) ε(k)", lambda w: (_inward(w, w.T, True, root=False), _epsilon(w)),
             note="the printed form belongs to the un-normalised κ = D^½ ε"),
    definition("5.5", "X × Y = X~Y = [a × c; b × c + a × d]", _brackets),
    misprint("Section 5", "X*(Z × Y) = Y* Z~* X = -Z* Y~* X", lambda w: _triple(w, True), "X*(Z × Y) = -Z*(X × Y)",
             lambda w: _triple(w, False), note="as printed where the linear half of Y is zero"),
    definition("5.6", "X~ of a stacked vector is block diagonal",
               lambda w: (diagonal([cross6(x) for x in w.each(w.V)]) @ w.Delta,
                          np.concatenate([cross6(x) @ y for x, y in zip(w.each(w.V), w.each(w.Delta), strict=True)]))),
)  # fmt: skip

SECTION_4 = Section("4", "Operator factorization and inversion of the mass matrix", revolute, _ROWS_4)
SECTION_5 = Section("5", "The innovations factors diagonalize the mass matrix", revolute, _ROWS_5)
