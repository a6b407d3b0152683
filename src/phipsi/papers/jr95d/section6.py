"""JR95d, section 6: rates of operators, of the factor m, and the sensitivities of the mass matrix."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phipsi.dynamics import diagonal as dg
from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array, block
from phipsi.reference.spatial import shift

from .arm import Arm, cross6, diagonal, revolute

# For revolute joints Ω~_δ = Δ~ = -Δ~*; the rows use the rule that holds for sliding joints too: -Δ~* from the left of a
# force or an inertia, Δ~ from the right.


def _left(w: Arm) -> Array:
    return -w.Dt.T


def _recursion(w: Arm, printed: bool = False) -> Array:
    """(6.5): P̊, link by link; printed with ψ for the second ψ*."""
    out, lam = np.zeros_like(w.P), np.zeros((6, 6))
    for k in reversed(range(w.N)):
        psi = w.Es[block(k), block(k + 1)] if k + 1 < w.N else np.zeros((6, 6))
        ring = psi @ lam @ (psi if printed else psi.T)
        Dt, P = w.Dt[block(k), block(k)], w.P[block(k), block(k)]
        lam = ring - Dt.T @ P - P @ Dt
        out[block(k), block(k)] = ring
    return out


def _table_4(w: Arm) -> list[tuple[Array, Array]]:
    """All rows: the local column in closed form, against differences; the inertial column is x̊ + Ω~x - xΩ~."""
    ring = _recursion(w)
    D_inv, zero = inverse(w.D), np.zeros_like(w.H)
    G_ring = w.tb @ ring @ w.H.T @ D_inv
    closed: dict[str, Array] = {
        "E": w.E @ _left(w),
        "phi": w.phi @ w.E @ _left(w) @ w.phi,
        "H": zero,
        "M": 0 * w.M,
        "D": w.H @ ring @ w.H.T,
        "G": G_ring,
        "tb": -G_ring @ w.H,
        "Es": w.Es @ (-ring @ w.H.T @ D_inv @ w.H) + w.E @ _left(w) @ w.tb,
        "P": ring,
    }
    pairs = [(x, w.local(_letter(name))) for name, x in closed.items()]
    inertial = {
        "H": -w.H @ w.Om,
        "M": w.Om @ w.M - w.M @ w.Om,
        "G": G_ring + w.Om @ w.G,
        "D": w.H @ ring @ w.H.T,
        "tb": closed["tb"] + w.Om @ w.tb - w.tb @ w.Om,
    }
    return [*pairs, *((x, w.rate(_letter(name))) for name, x in inertial.items())]


def _letter(name: str) -> Callable[[Any], Array]:
    return lambda o: getattr(o, name)


def _shifted_bracket(w: Arm) -> list[tuple[Array, Array]]:
    X, l = w.rng.normal(size=6), w.rng.normal(size=3)  # noqa: E741
    phi = shift(l)
    return [(cross6(phi.T @ X), phi.T @ cross6(X) @ inverse(phi.T))]


def _m_dot(w: Arm) -> Array:
    phit = w.phi - w.I
    return w.H @ w.phi @ (_left(w) @ phit @ w.P + 0.5 * (w.I + w.tb) @ w.lam) @ w.H.T @ inverse(w.root)


def _m_dot_nu(w: Arm) -> Array:
    skew = _left(w) @ w.P - w.P @ w.Dt + w.Es @ w.lam - w.lam @ w.Es.T
    return w.H @ w.phi @ (_left(w) @ w.phi @ w.K @ w.H @ w.P + 0.5 * skew) @ w.V


def _sensitivity(w: Arm) -> Array:
    """(6.14), with H~(i) = cross6(H*(i)); for revolute joints -H~*(i) = H~(i)."""
    out: list[Array] = []
    for i in range(w.N):
        Hi = np.zeros_like(w.M)
        Hi[block(i), block(i)] = cross6(w.H[i, block(i)])
        out.append(-w.H @ w.phi @ (Hi.T @ w.phi @ w.M + w.M @ w.phi.T @ Hi) @ w.phi.T @ w.H.T)
    return np.stack(out)


def _per_body(w: Arm, of: Callable[[Array, Array], Array]) -> Array:
    """diag{of(V(k), H~(k))} as rows: (N × 6N)."""
    out = np.zeros_like(w.H)
    for k in range(w.N):
        out[k, block(k)] = of(w.V[block(k)], cross6(w.H[k, block(k)]))
    return out


def _sensitivities(w: Arm) -> list[tuple[Array, Array]]:
    return [(_sensitivity(w), w.M_theta), (dg.sensitivities(w.robot, w.q), w.M_theta)]


def _brackets_of_joints(w: Arm) -> list[tuple[Array, Array]]:
    h = w.H[1, block(1)]
    tilde = cross6(h)
    return [(tilde[:3, 3:], np.zeros((3, 3))), (tilde[:3, :3], tilde[3:, 3:]), (tilde[3:, :3], np.zeros((3, 3)))]


def _articulated(w: Arm) -> Array:
    """Ω~_δ (I + φKH) P."""
    return _left(w) @ (w.I + w.phi @ w.K @ w.H) @ w.P


_ROWS: tuple[Row[Arm], ...] = (
    definition("6.1", "ẋ(k) = x̊(k) + Ω~(k) x(k)",
               lambda w: (w.rate(lambda o: o.H.T) - w.Om @ w.H.T, 0 * w.H.T),
               note="H* is carried along: its x̊ is zero"),
    definition("6.2", "Ω(k) = [ω(k); 0]",
               lambda w: (w.rate(lambda o: o.state.rotation[2]),
                          w.Om[block(2), block(2)][:3, :3] @ w.state.rotation[2])),
    Row("6.3", "Ω_δ(k) = Ω(k) - Ω(k+1) = H*(k) θ̇(k)",
        lambda w: (w.Delta.reshape(-1, 6)[1:, :3], np.diff(w.V.reshape(-1, 6)[:, :3], axis=0)),
        note="for revolute joints; elsewhere Δ = V - V⁺ stands in its place"),
    Row("Table 4", "local and inertial rates of E_φ, φ, H, M, D, G, τ̄, E_ψ", _table_4,
        note="row 4 of the inertial column prints Ω~(k) for Ω~"),
    Row("6.4", "λ̇ = P̊ + Ω~_δ P - P Ω~_δ, P̊ = E_ψ λ̇ E_ψ*", lambda w: (w.Es @ w.lam @ w.Es.T, w.P_ring),
        title="Algorithm 6.1"),
    misprint("6.5", "P̊(k) = ψ(k, k-1) λ̇(k-1) ψ*(k, k-1)", lambda w: (_recursion(w), w.P_ring),
             "P̊(k) = ψ(k, k-1) λ̇(k-1) ψ(k, k-1)", lambda w: (_recursion(w, printed=True), w.P_ring),
             title="Algorithm 6.1"),
    Row("6.6", "Ṗ = P̊ + Ω~P - PΩ~", lambda w: (_recursion(w) + w.Om @ w.P - w.P @ w.Om, w.rate(lambda o: o.P))),
    Row("6.7", "φ̊ = V~*φ - φV~*", lambda w: (w.Vt.T @ w.phi - w.phi @ w.Vt.T, w.local(lambda o: o.phi)),
        title="Lemma 6.1"),
    Row("6.8", "H(V~*φ - φV~*) = HφΩ~_δφ",
        lambda w: (w.H @ (w.Vt.T @ w.phi - w.phi @ w.Vt.T), w.H @ w.phi @ _left(w) @ w.phi), title="Lemma 6.1"),
    misprint("6.9", "(φ*(l) X)~ = φ*(l) X~ φ^{-*}(l), φ(l) = [[I, l~], [0, I]]", _shifted_bracket,
             "φ(l) = [[I, l], [0, I]]"),
    Row("6.10", "V⁺~(k) φ*(k+1, k) = φ*(k+1, k) V~(k+1)",
        lambda w: (diagonal([cross6(x) for x in w.each(w.Vp)]) @ w.E.T, w.E.T @ w.Vt)),
    Row("6.11", "ṁ = Hφ[Ω~_δ φ~ P + ½(I + τ̄) λ̇] H*D^{-½}", lambda w: (_m_dot(w), w.m_dot), title="Identity 6.1"),
    misprint("Identity 6.1", "m = [I + Hφ~G] D^½ = HφGD^½", lambda w: [(w.H @ w.phi @ w.G @ w.root, w.m)],
             "m = [I + Hφ~G~] D^½; items 2, 3, 5 and 6 of Table 3 (of Table 4)"),
    Row("6.12", "ṁν = Hφ[Ω~_δ φKHP + ½(Ω~_δP - PΩ~_δ + E_ψλ̇ - λ̇E_ψ*)]V",
        lambda w: (_m_dot_nu(w), w.m_dot @ w.nu), title="Identity 6.2"),
    Row("6.13", "ṁν: the steps of its proof",
        lambda w: [(w.H @ w.phi @ (_left(w) @ w.phi @ w.K @ w.H @ w.P + 0.5 * (w.I + x) @ w.lam @ y) @ w.V,
                    w.m_dot @ w.nu) for x, y in ((w.tb, w.tau.T), (w.Es, (w.I - w.Es.T)))]),
    Row("6.14", "𝓜_θi = Hφ[H~ⁱ φM - Mφ* H~ⁱ]φ*H*", _sensitivities, title="Identity 6.3"),
    definition("6.15", "H~(i) = diag(h~(i), h~(i))", _brackets_of_joints, note="of revolute joints"),
    Row("6.16a", "θ̇*𝓜_θ θ̇ = 2 H V~* φ M V",
        lambda w: [(2 * w.H @ w.Vt.T @ w.phi @ w.M @ w.V, w.quadratic),
                   (dg.quadratic_sensitivities(w.robot, w.q, w.v), w.quadratic)], title="Lemma 6.2"),
    Row("6.16b", "= 2 Hφ(Ω~_δ φ + V~*) M V",
        lambda w: (2 * w.H @ w.phi @ (_left(w) @ w.phi + w.Vt.T) @ w.M @ w.V, w.quadratic), title="Lemma 6.2"),
    misprint("6.16c", "= 2 Hφ[Ω~_δ (I + φKH) P + V~* M] V",
             lambda w: (2 * w.H @ w.phi @ (_articulated(w) + w.Vt.T @ w.M) @ w.V, w.quadratic),
             "= 2 Hφ[Ω~_δ (I + φKH) P + V~*] M V",
             lambda w: (2 * w.H @ w.phi @ (_articulated(w) + w.Vt.T) @ w.M @ w.V, w.quadratic),
             title="Lemma 6.2"),
    misprint("6.17", "col{θ̇*𝓜_θi θ̇} = 2 diag{V*(k) H~(k)} φ M V",
             lambda w: (2 * _per_body(w, lambda V, Ht: -V @ Ht.T) @ w.phi @ w.M @ w.V, w.quadratic),
             "H(k) for H~(k), a row for a matrix", note="-H~* for H~, which is the same for revolute joints"),
    misprint("6.18", "diag{V*(k) H~(k)} = diag{H(k) V~*(k)} = H V~*",
             lambda w: (_per_body(w, lambda V, Ht: -V @ Ht.T), w.H @ w.Vt.T), "H(k) for H~(k)"),
)  # fmt: skip

SECTION_6 = Section("6", "Mass matrix derivatives in the Coriolis term", revolute, _ROWS)
