"""RK88, section 3: the equations of motion in operator form."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array

from .arm import inverse
from .operators import Operators, fixed_base
from .section2 import INFERRED, of, per_link


def _group(o: Operators) -> list[tuple[Any, Any]]:
    phi, n = o.arm.shift, o.N + 2
    triples = [(i, j, k) for i in range(n) for j in range(n) for k in range(n)]
    pairs: list[tuple[Any, Any]] = [(phi(i, j) @ phi(j, k), phi(i, k)) for i, j, k in triples]
    return [*pairs, *((phi(i, i), np.eye(6)) for i in range(n)),
            *((inverse(phi(i, j)), phi(j, i)) for i in range(n) for j in range(n))]  # fmt: skip


def _product(o: Operators) -> list[tuple[Any, Any]]:
    pairs: list[tuple[Any, Any]] = []
    for i in range(2, o.N + 2):
        for k in range(1, i):
            steps = np.eye(6)
            for j in range(k + 1, i + 1):
                steps = o.arm.shift(j, j - 1) @ steps
            pairs.append((o.arm.shift(i, k), steps))
    return pairs


def _sum_of_rates(o: Operators, k: int) -> Array:
    terms = [o.arm.shift(i, k).T @ o.H_of(i).T @ o.W[o.arm.own(i)] for i in range(k, o.N + 1)]
    return np.sum(terms, axis=0)


def _sum_of_accelerations(o: Operators, k: int) -> Array:
    terms = [o.arm.shift(i, k).T @ (o.H_of(i).T @ o.W_dot[o.arm.own(i)] + o.a_of(i)) for i in range(k, o.N + 1)]
    return np.sum(terms, axis=0)


def _weight_of_links(o: Operators, g: Array) -> Array:
    """T with the bias acceleration a + g in place of a."""
    return o.H @ o.phi @ (o.M @ o.phi.T @ (o.H.T @ o.W_dot + o.a + g) + o.b + o.B @ o.f0)


def _weight_on_alpha(o: Operators) -> Array:
    """T with α + E g in place of α: only link N would feel the weight."""
    return o.H @ o.phi @ (o.M @ (o.alpha + o.E @ o.arm.g) + o.b + o.B @ o.f0)


def _printed_E(o: Operators) -> Array:
    """The row [0, ..., 0, φ*(N+1, N)]: read as a column of blocks, it takes forces of links to the base."""
    return np.concatenate([np.zeros((6, 6 * (o.N - 1))), o.arm.shift(o.N + 1, o.N).T], axis=1)


def _bias(o: Operators) -> Array:
    """T̂ by the compiled core: the torques at θ̈ = 0."""
    return o.arm.torque(rest=True)


SECTION_3 = Section("3", "Problem statement in operator form", fixed_base, (
    definition("3.1", "φ(i, j) = [[1, l~(i, j)], [0, 1]], l(i, j) = O(j) - O(i)",
               # φ*(i, j) takes the velocity of a rigid body from point i to point j: here, of link 1
               lambda o: (o.arm.robot.velocity(o.arm.q, o.arm.rate, "tip"), o.arm.shift(1, 0).T @ of(o.V, 1))),
    Row("3.2", "φ(i, j) φ(j, k) = φ(i, k), φ(i, i) = 1, φ⁻¹(i, j) = φ(j, i)", _group),
    Row("3.3", "φ(i, k) = φ(i, i-1) ... φ(k+1, k)", _product),
    definition("3.4", "T, θ, V, α, a, b, f: col[x(1), ..., x(N)]",
               lambda o: [(o.T @ o.W_dot, sum(o.T[o.arm.own(k)] @ o.W_dot[o.arm.own(k)] for k in range(1, o.N + 1))),
                          (o.f @ o.V, sum(of(o.f, k) @ of(o.V, k) for k in range(1, o.N + 1)))],
               note=f"{INFERRED}; the text around (5.4) cites (3.4) for φ"),
    definition("3.5", "H = diag[H(1), ..., H(N)]", lambda o: (o.T, o.H @ o.f), note=INFERRED),
    definition("3.6", "M = diag[M(1), ..., M(N)]",
               lambda o: (o.V @ o.M @ o.V / 2, o.arm.robot.kinetic_energy(o.arm.q, o.arm.rate)), note=INFERRED),
    definition("3.7", "B* = [φ*(1, 0), 0, ..., 0]", lambda o: (o.B.T @ o.V, o.V0)),
    misprint("3.8", "E = col[0, ..., 0, φ*(N+1, N)], so E* = [0, ..., 0, φ(N+1, N)]",
             lambda o: (_weight_of_links(o, o.E @ o.arm.g), o.arm.torque(gravity=True)),
             "E = [0, ..., 0, φ*(N+1, N)]",
             # a row of blocks: E g means nothing; its transpose would carry a force
             lambda o: (_weight_of_links(o, _printed_E(o).T @ o.arm.g), o.arm.torque(gravity=True)),
             note="off because the printed row can act on g only when transposed, as a carrier of forces"),
    definition("3.9", "φ: the lower block triangular operator of the φ(i, j), i ≥ j",
               lambda o: (o.phi @ (o.one - o.S @ o.E_phi), o.one)),
    definition("3.10", "φ(i, i) = 1 fills the diagonal of φ",
               lambda o: [(np.linalg.det(o.phi), 1.0), (np.triu(o.phi, 6), np.zeros_like(o.phi))],
               note=INFERRED),
    Row("3.11", "V(k) = Σ φ*(i, k) H*(i) θ̇(i), i = k ... N", per_link(lambda o, k: of(o.V, k), _sum_of_rates)),
    Row("3.12", "V = φ* H* θ̇", lambda o: (o.V, o.phi.T @ o.H.T @ o.W)),
    Row("3.13", "V(0) = J θ̇, J = B* φ* H*",
        lambda o: [(o.V0, o.B.T @ o.phi.T @ o.H.T @ o.W), (o.arm.jacobian, o.B.T @ o.phi.T @ o.H.T)]),
    Row("3.14", "α(k) = Σ φ*(i, k) [H*(i) θ̈(i) + a(i)], i = k ... N",
        per_link(lambda o, k: of(o.alpha, k), _sum_of_accelerations)),
    Row("3.15", "α = φ* H* θ̈ + φ* a", lambda o: (o.alpha, o.phi.T @ o.H.T @ o.W_dot + o.phi.T @ o.a)),
    Row("3.16", "f = φ [M α + b + B f(0)], T = H f",
        lambda o: [(o.f, o.phi @ (o.M @ o.alpha + o.b + o.B @ o.f0)),
                   (o.T, o.H @ o.phi @ (o.M @ o.alpha + o.b + o.B @ o.f0))]),
    Row("3.17", "T = H φ [M (φ* H* θ̈ + φ* a) + b + B f(0)]; J̇ θ̇ = B* φ* a + a(0)",
        lambda o: [(o.T, _weight_of_links(o, np.zeros(6 * o.N))),
                   (o.arm.robot.jacobian_dot_v(o.arm.q, o.arm.rate, "tip"), o.B.T @ o.phi.T @ o.a + o.a_of(0))]),
    Row("3.18", "T = H φ [M α + b + B f(0)], α = φ* H* θ̈ + φ* a",
        lambda o: (o.T, o.H @ o.phi @ (o.M @ (o.phi.T @ o.H.T @ o.W_dot + o.phi.T @ o.a) + o.b + o.B @ o.f0))),
    Row("3.19", "T = H φ M φ* H* θ̈ + H φ [M φ* a + b + B f(0)]",
        lambda o: (o.T, o.mass @ o.W_dot + o.H @ o.phi @ (o.M @ o.phi.T @ o.a + o.b + o.B @ o.f0))),
    Row("3.20", "T = 𝓜 θ̈ + C + J* f(0), 𝓜 = H φ M φ* H*, C = H φ (M φ* a + b), J* = H φ B",
        lambda o: [(o.mass, o.arm.mass_matrix), (o.arm.jacobian.T, o.H @ o.phi @ o.B),
                   (_bias(o) - o.arm.jacobian.T @ o.f0, o.H @ o.phi @ (o.M @ o.phi.T @ o.a + o.b))]),
    misprint("3.21", "a → a + E g, g = [0; 9.8 e3]: the bias acceleration, so that every link feels its weight",
             lambda o: (_weight_of_links(o, o.E @ o.arm.g), o.arm.torque(gravity=True)),
             "α → α + E g (or a: the scan does not tell)",
             lambda o: (_weight_on_alpha(o), o.arm.torque(gravity=True))),
    Row("3.22", "𝓜 θ̈ = T'", lambda o: (o.arm.mass_matrix @ o.W_dot, o.bias_free)),
    Row("3.23", "T̂ = H φ [M φ* a + b + B f(0)] = C + J* f(0), T' = T - T̂",
        lambda o: [(o.T - o.bias_free, _bias(o)), (o.bias_free, o.T - _bias(o))]),
))  # fmt: skip
