"""JR95d, sections 1 to 3: factors of the mass matrix, coordinates that diagonalize, and rates that always do."""

from __future__ import annotations

import numpy as np

from phipsi.dynamics import diagonal as dg
from phipsi.model.builder import Builder
from phipsi.model.joints import Revolute
from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array

from .arm import Arm, revolute, short


def _factor(w: Arm) -> Array:
    return w.In + w.H @ w.phi @ w.K


def _whitening(w: Arm) -> Array:
    return w.In - w.H @ w.psi @ w.K


def _energy(w: Arm) -> float:
    return float(w.robot.kinetic_energy(w.q, w.v))


_ROWS_1: tuple[Row[Arm], ...] = (
    Row("1.1", "𝓜 = (I + HφK) D (I + HφK)*", lambda w: (_factor(w) @ w.D @ _factor(w).T, w.mass)),
    Row("1.2", "𝒦 = ½ ν*ν", lambda w: (0.5 * w.nu @ w.nu, _energy(w))),
    Row("1.3", "ν = D^½ (I + HφK)* θ̇", lambda w: (w.root @ _factor(w).T @ w.v, w.nu)),
    Row("1.4", "ε = m⁻¹ T = D^{-½} (I - HψK) T",
        lambda w: (inverse(w.root) @ _whitening(w) @ w.T, np.linalg.solve(w.m, w.T))),
)  # fmt: skip


# ── 2: a flat arm, in which the mass matrix is constant: link 2 has its mass centre on its joint ──────────────────────


class Flat:
    """A planar 2R whose second mass centre lies on its joint, and coordinates ϑ = m* θ."""

    def __init__(self, rng: np.random.Generator) -> None:
        I1, I2, m1, m2, l1 = rng.uniform(0.2, 2.0, size=5)
        b = Builder("flat", gravity=(0, 0, 0))
        z = (0, 0, 1)
        b.body("one", parent="world", joint=Revolute(z), mass=m1, com=(0.3, 0, 0), inertia=I1 * np.eye(3))
        from phipsi.model.pose import Pose

        b.body("two", parent="one", joint=Revolute(z), placement=Pose((l1, 0, 0)), mass=m2, inertia=I2 * np.eye(3))
        self.arm = Arm(b.build(), rng)
        self.curved = short(rng)


def _vartheta_rates(w: Flat) -> list[tuple[Array, Array]]:
    """ϑ̈ = ε, with ϑ̇ = m* θ̇ along the true motion."""
    a = w.arm
    return [(a.rate(lambda o: o.m.T @ o.v), a.ell @ a.T), (a.C_nu, 0 * a.v)]


def _gradient(w: Flat) -> tuple[Array, Array]:
    """∇f of f(θ) = m* θ is m*: differences of f."""
    a, h = w.arm, 1e-2
    ends = [(a.q + h * e, a.q - h * e) for e in np.eye(2)]
    steps = [(a.robot.at(x).m.T @ x - a.robot.at(y).m.T @ y) / (2 * h) for x, y in ends]
    return np.stack(steps, axis=1), a.m.T


def _riemann_pairs(w: Flat) -> list[tuple[Array, Array]]:
    R = dg.curvature(w.curved.robot, w.curved.q).riemann
    by_differences = _riemann_by_differences(w.curved)
    flat = dg.curvature(w.arm.robot, w.arm.q).riemann
    return [(R, by_differences), (flat, 0 * flat)]


def _riemann_by_differences(w: Arm) -> Array:
    """(2.5) as printed, with derivatives of M_θ (in closed form) by differences."""
    d1 = dg.sensitivities(w.robot, w.q)
    h, steps = 5e-3, {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    d2 = np.stack([
        np.sum([c * (dg.sensitivities(w.robot, w.q + k * h * e) - dg.sensitivities(w.robot, w.q - k * h * e))
                for k, c in steps.items()], axis=0) / h
        for e in np.eye(w.robot.nv)
    ])  # fmt: skip  # ∂i ∂j M
    first = 0.5 * (d1 + np.swapaxes(d1, 0, 1) - np.einsum("kij->ijk", d1))  # [ij, k]
    second = np.einsum("ijm,ml->ijl", first, inverse(w.mass))  # {l, ij}
    terms = (
        np.einsum("ijhk->hijk", d2) + np.einsum("hkij->hijk", d2)
        - np.einsum("ikhj->hijk", d2) - np.einsum("hjik->hijk", d2)
    )  # fmt: skip
    products = np.einsum("ijl,hkl->hijk", second, first) - np.einsum("ikl,hjl->hijk", second, first)
    return 0.5 * terms + products


def _independent(n: int) -> int:
    """The dimension of the space of all R_hijk that the symmetries of (2.5) leave."""
    size = n**4
    index = np.arange(size).reshape((n,) * 4)
    eye = np.eye(size)
    rows = [eye[index.ravel()] + eye[np.swapaxes(index, 0, 1).ravel()],
            eye[index.ravel()] + eye[np.swapaxes(index, 2, 3).ravel()],
            eye[index.ravel()] + eye[np.transpose(index, (0, 2, 3, 1)).ravel()]
            + eye[np.transpose(index, (0, 3, 1, 2)).ravel()]]  # fmt: skip
    return size - int(np.linalg.matrix_rank(np.concatenate(rows)))


def _counts(w: Flat) -> tuple[list[int], list[int]]:
    sizes = (2, 3)
    return [_independent(n) for n in sizes], [n * n * (n * n - 1) // 12 for n in sizes]


def _lagrange(w: Flat) -> tuple[Array, Array]:
    a = w.curved
    return a.rate(lambda o: o.mass) @ a.v - 0.5 * a.quadratic, a.coriolis


_ROWS_2: tuple[Row[Flat], ...] = (
    Row("2.1", "C(θ, θ̇) = 𝓜̇ θ̇ - ½ θ̇*𝓜_θ θ̇", _lagrange),
    definition("2.2", "∇_θ f = m*, for a robot that has such an f", _gradient, title="Assumption 1"),
    Row("2.3", "m m* = 𝓜", lambda w: (w.arm.m @ w.arm.m.T, w.arm.mass)),
    Row("2.4", "ϑ̈ = ε, where Assumption 1 holds", _vartheta_rates, title="Lemma 2.1"),
    Row("2.5", "R_hijk of the mass matrix: zero for a robot that has an f, not zero for a spatial 3R", _riemann_pairs),
    misprint("Lemma 2.2", "N²(N² - 1)/12 symbols R_hijk are independent, and all must vanish", _counts,
             "N(N + 1)/2 symbols", lambda w: ([_independent(n) for n in (2, 3)], [3, 6]),
             note="necessary and locally sufficient for some factor m Q, Q orthogonal, to be a gradient; m itself need "
                  "not be one: C(θ, ν) may differ from zero for a flat robot, and vanish for a curved one"),
)  # fmt: skip


_ROWS_3: tuple[Row[Arm], ...] = (
    misprint("nu", "ν = m* θ̇", lambda w: (w.m.T @ w.v, w.root @ _factor(w).T @ w.v), "ν = m(θ) θ̇",
             lambda w: (w.m @ w.v, w.nu), title="Assumption 2"),
    Row("3.1", "ν̇ + C(θ, ν) = ε", lambda w: (w.rate(lambda o: o.m.T @ o.v) + w.C_nu, w.ell @ w.T), title="Lemma 3.1"),
    Row("3.2", "C(θ, ν) = ℓ (ṁ ν - ½ θ̇*𝓜_θ θ̇)",
        lambda w: (w.ell @ (w.m_dot @ w.nu - 0.5 * w.quadratic), dg.coriolis(w.robot, w.q, w.nu))),
    misprint("Lemma 3.1", "θ̇ = ℓ* ν", lambda w: (w.ell.T @ w.nu, w.v), "θ̇ = ℓ(θ) ν",
             lambda w: (w.ell @ w.nu, w.v)),
    misprint("Section 3", "m = (I + HφK) D^½ is 𝓜's Cholesky factor, from the tip: ṁ = m Φ(ℓ𝓜̇ℓ*)",
             lambda w: [(_factor(w) @ w.root, w.m), (w.m @ _phi_part(w), w.m_dot)],
             "numerical (Cholesky-like) factors may not be differentiable"),
)  # fmt: skip


def _phi_part(w: Arm) -> Array:
    """What of ℓ 𝓜̇ ℓ* is on m's side of the diagonal, and half of the diagonal."""
    C = np.asarray(w.robot.coriolis_matrix(w.q, w.v))
    inner = w.ell @ (C + C.T) @ w.ell.T
    return np.triu(inner, 1) + 0.5 * np.diag(np.diag(inner))


SECTION_1 = Section("1", "Mass matrix factors diagonalize Lagrange's equations", revolute, _ROWS_1)
SECTION_2 = Section("2", "Globally diagonalized dynamics are elegant but rarely exist", Flat, _ROWS_2)
SECTION_3 = Section("3", "Diagonalization in velocity space", revolute, _ROWS_3)
