"""JR95d, section 7: the Coriolis forces in closed form and by recursion; they do no work."""

from __future__ import annotations

import numpy as np

from phipsi.dynamics import diagonal as dg
from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array, block

from .arm import Arm, revolute


def _left(w: Arm) -> Array:
    """Ω~_δ where it stands on the left: -Δ~*."""
    return -w.Dt.T


def _inner(w: Arm, with_b: bool = True) -> Array:
    """What stands between H ψ and V in (7.1)."""
    out = w.Es @ w.lam - w.lam @ w.Es.T - _left(w) @ w.P - w.P @ w.Dt
    return out - 2 * w.Vt.T @ w.M if with_b else out


def _closed(w: Arm) -> Array:
    return 0.5 * inverse(w.root) @ w.H @ w.psi @ _inner(w) @ w.V


def _recursive(w: Arm) -> Array:
    """(7.2), from the tip to the base."""
    C, y, lam, V_before = np.zeros(w.N), np.zeros(6), np.zeros((6, 6)), np.zeros(6)
    for k in reversed(range(w.N)):
        psi = w.Es[block(k), block(k + 1)] if k + 1 < w.N else np.zeros((6, 6))
        P, V = w.P[block(k), block(k)], w.V[block(k)]
        X = -w.Dt[block(k), block(k)].T @ P
        Y = psi @ lam
        lam = Y @ psi.T + X + X.T
        gyro = 2 * w.Vt[block(k), block(k)].T @ w.M[block(k), block(k)]
        carried = lam @ w.tb[block(k), block(k)].T @ w.Vp[block(k)]
        y = psi @ y - (gyro + X - X.T) @ V + Y @ V_before - carried
        C[k] = 0.5 * w.H[k, block(k)] @ y / np.sqrt(w.D[k, k])
        V_before = V
    return C


def _recursive_xi(w: Arm) -> Array:
    """(7.10)."""
    C, y, lam = np.zeros(w.N), np.zeros(6), np.zeros((6, 6))
    for k in reversed(range(w.N)):
        psi = w.Es[block(k), block(k + 1)] if k + 1 < w.N else np.zeros((6, 6))
        P, h = w.P[block(k), block(k)], w.H[k, block(k)]
        X = -w.Dt[block(k), block(k)].T @ P
        lam = psi @ lam @ psi.T + X + X.T
        gyro = w.Vt[block(k), block(k)].T @ w.M[block(k), block(k)]
        y = psi @ y + lam @ h * w.xi[k] - (gyro + X) @ w.V[block(k)]
        C[k] = h @ y
    return C


def _forms_of_xi(w: Arm) -> list[tuple[Array, Array]]:
    """All members of (7.9), and the compiled core."""
    gyro = w.Vt.T @ w.M @ w.V
    one = w.H @ w.psi @ (w.lam @ w.H.T @ w.xi - _left(w) @ w.P @ w.V - gyro)
    two = w.H @ w.psi @ (w.P_ring @ w.H.T @ w.xi - _left(w) @ w.Pp @ w.Vp - gyro)
    rate = w.rate(lambda o: inverse(o.root))
    first = w.root @ (w.C_nu - w.root @ rate @ w.nu)
    core = dg.coriolis(w.robot, w.q, w.xi, normalized=False)
    kappa = (w.In - w.H @ w.psi @ w.K) @ w.T
    xi_dot = dg.dynamics(w.robot, w.q, w.xi, w.T, normalized=False)[1]
    return [(first, w.C_xi), (one, w.C_xi), (two, w.C_xi), (core, w.C_xi), (w.D @ xi_dot + core, kappa)]


def _energy_rate(w: Arm) -> list[tuple[Array, Array]]:
    epsilon = w.ell @ w.T
    rate = w.rate(lambda o: np.array([0.5 * o.v @ o.mass @ o.v]))
    return [(rate, np.array([w.nu @ epsilon])), (rate, np.array([w.nu @ (epsilon - w.C_nu)]))]


def _no_own_square(w: Arm) -> list[tuple[Array, Array]]:
    """The quadratic form C(ν)(k) has no ν(k)², and its ν(k)ν(i) is minus what C(i) has of ν(k)²."""
    n = w.N

    def C(x: Array) -> Array:
        return dg.coriolis(w.robot, w.q, x)

    e = np.eye(n)
    squares = np.stack([C(x) for x in e])  # [k] = coefficients of ν(k)² in all C(i)
    mixed = np.array([[C(e[k] + e[i])[k] - C(e[k])[k] - C(e[i])[k] if i != k else 0.0 for i in range(n)]
                      for k in range(n)])  # fmt: skip
    return [(np.diag(squares), np.zeros(n)), (mixed, -(squares - np.diag(np.diag(squares))))]


_ROWS: tuple[Row[Arm], ...] = (
    Row("7.1", "C(θ, ν) = ½ D^{-½} Hψ[E_ψλ̇ - λ̇E_ψ* - Ω~_δP - PΩ~_δ - 2V~*M] V",
        lambda w: [(_closed(w), w.C_nu), (dg.coriolis(w.robot, w.q, w.nu), w.C_nu)], title="Identity 7.1"),
    Row("7.2", "the same, tip to base", lambda w: (_recursive(w), w.C_nu), title="Algorithm 7.1"),
    Row("7.3", "ν* C(θ, ν) = 0",
        lambda w: [(np.array(w.nu @ dg.coriolis(w.robot, w.q, w.nu)), np.array(0.0)),
                   (np.array(w.nu @ w.C_nu), np.array(0.0))], title="Lemma 7.1"),
    Row("7.4", "ν*C = ½ V*[E_ψλ̇ - λ̇E_ψ* - Ω~_δP - PΩ~_δ - 2V~*M] V",
        lambda w: (np.array(0.5 * w.V @ _inner(w) @ w.V), np.array(0.0))),
    Row("7.5", "= ½ V*[E_ψλ̇ - λ̇E_ψ* - Ω~_δP - PΩ~_δ] V = 0, a skew-symmetric form",
        lambda w: [(_inner(w, with_b=False), -_inner(w, with_b=False).T),
                   (np.array(w.V @ w.Vt.T @ w.M @ w.V), np.array(0.0))]),
    misprint("Lemma 7.1", "θ̇*ṁν - ν*ṁ*θ̇ = 0, the last step of its proof",
             lambda w: [(np.array(w.v @ w.m_dot @ w.nu), np.array(w.nu @ w.m_dot.T @ w.v))],
             "θ̇*θ̇ν - ν*ṁθ̇", title="Lemma 7.1"),
    Row("7.6", "d𝒦/dt = ν*ν̇ = ν*[ε - C(θ, ν)] = ν*ε", _energy_rate, title="Lemma 7.2"),
    definition("7.7", "ξ = D^{-½} ν = (I + HφK)* θ̇",
               lambda w: [((w.In + w.H @ w.phi @ w.K).T @ w.v, w.xi),
                          (dg.rates(w.robot, w.q, w.v, normalized=False), w.xi)]),
    misprint("7.8", "𝒦 = ½ ξ* D ξ", lambda w: (np.array(0.5 * w.xi @ w.D @ w.xi),
                                              np.array(w.robot.kinetic_energy(w.q, w.v))),
             "𝒦 = ½ ξ̇* D ξ̇"),
    Row("7.9", "D ξ̇ + C(θ, ξ) = κ, C(θ, ξ) = Hψ[λ̇H*ξ - (Ω~_δP + V~*M)V] = Hψ[P̊H*ξ - Ω~_δP⁺V⁺ - V~*MV]",
        _forms_of_xi, title="Lemma 7.3"),
    Row("7.10", "the same, tip to base", lambda w: (_recursive_xi(w), w.C_xi)),
    misprint("Section 7", "C(k) has no ν(k)²; of ν(k)ν(i) it has minus what C(i) has of ν(k)²", _no_own_square,
             "C(k) depends on ν(i), i ≠ k, only",
             lambda w: (dg.coriolis(w.robot, w.q, w.nu)[1],
                        dg.coriolis(w.robot, w.q, np.where(np.arange(w.N) == 1, 0.0, w.nu))[1])),
)  # fmt: skip

SECTION_7 = Section("7", "Closed-form expression for the Coriolis forces", revolute, _ROWS)
