"""RK88, section 2: the Newton-Euler recursions, and the same with spatial vectors."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import shift

from .arm import cross
from .operators import Operators, fixed_base

INFERRED = "number inferred: the scan lost it"


def per_link(left: Callable[[Any, int], Any], right: Callable[[Any, int], Any], only: str = "") -> Callable[..., Any]:
    """The check that left(o, k) = right(o, k) at every joint k (of one type)."""

    def check(o: Operators) -> list[tuple[Any, Any]]:
        links = [k for k in range(1, o.N + 1) if not only or o.arm.kind(k) == only]
        return [(left(o, k), right(o, k)) for k in links]

    return check


def of(stacked: Array, k: int) -> Array:
    """Link k's six numbers."""
    return stacked[6 * k - 6 : 6 * k]


def of_next(stacked: Array, k: int) -> Array:
    """Those of link k + 1; the base, N + 1, is at rest."""
    return of(stacked, k + 1) if 6 * k < len(stacked) else np.zeros(6)


def of_last(o: Operators, stacked: Array, k: int) -> Array:
    """Those of link k - 1, for forces: f(0) beyond the tip."""
    return of(stacked, k - 1) if k > 1 else o.f0


def rate(o: Operators, k: int) -> Array:
    """h(k) θ̇(k)."""
    return o.arm.h[k] * o.W[o.arm.own(k)][0]


def rate_dot(o: Operators, k: int) -> Array:
    """h(k) θ̈(k)."""
    return o.arm.h[k] * o.W_dot[o.arm.own(k)][0]


def cause(o: Operators, k: int) -> Array:
    """[N^c; F^c] of link k about O(k)."""
    return shift(o.arm.p[k]) @ np.concatenate([o.arm.N_c[k], o.arm.F_c[k]])


def newton_euler(o: Operators) -> list[tuple[Any, Any]]:
    """(2.1)-(2.13) as the recursion that they are, with revolute joints only where the joints are so."""
    arm, N = o.arm, o.N
    w, wd, vd = ([np.zeros(3)] * (N + 2) for _ in range(3))
    for k in range(N, 0, -1):
        turns = arm.kind(k) == "revolute"
        spin, slide = (rate(o, k), 0 * rate(o, k)) if turns else (0 * rate(o, k), rate(o, k))
        spin_dot, slide_dot = (rate_dot(o, k), 0 * spin) if turns else (0 * spin, rate_dot(o, k))
        w[k] = w[k + 1] + spin
        wd[k] = wd[k + 1] + spin_dot + cross(w[k + 1], spin)
        arm_l = arm.l(k + 1, k)
        vd[k] = vd[k + 1] + cross(wd[k + 1], arm_l) + cross(w[k + 1], cross(w[k + 1], arm_l) + 2 * slide) + slide_dot
    f, n, T = o.f0[3:], o.f0[:3], np.zeros(N)
    for k in range(1, N + 1):
        force = arm.m[k] * (vd[k] + cross(wd[k], arm.p[k]) + cross(w[k], cross(w[k], arm.p[k])))
        moment = arm.I_c[k] @ wd[k] + cross(w[k], arm.I_c[k] @ w[k])
        n = n + cross(arm.l(k, k - 1), f) + cross(arm.p[k], force) + moment
        f = f + force
        T[k - 1] = arm.h[k] @ (n if arm.kind(k) == "revolute" else f)
    return [(T, o.T)]


def spatial_dynamics(o: Operators) -> list[tuple[Any, Any]]:
    """(2.24)-(2.30) as the recursion that they are."""
    N = o.N
    alpha = [np.zeros(6)] * (N + 2)
    for k in range(N, 0, -1):
        alpha[k] = o.arm.shift(k + 1, k).T @ alpha[k + 1] + o.H_of(k).T @ o.W_dot[o.arm.own(k)] + o.a_of(k)
    f, T = o.f0, np.zeros(N)
    for k in range(1, N + 1):
        f = o.arm.shift(k, k - 1) @ f + o.M_of(k) @ alpha[k] + o.b_of(k)
        T[o.arm.own(k)] = o.H_of(k) @ f
    return [(T, o.T), (o.stack(alpha[1:-1]), o.alpha)]


def _measured_a(o: Operators, k: int) -> Array:
    """What α(k) has besides φ* α(k + 1) and H* θ̈."""
    return of(o.alpha, k) - o.arm.shift(k + 1, k).T @ of_next(o.alpha, k) - o.H_of(k).T @ o.W_dot[o.arm.own(k)]


def _slider(o: Operators, k: int, factor: float) -> Array:
    w = o.arm.w[k + 1]
    return np.concatenate([np.zeros(3), cross(w, cross(w, o.arm.l(k + 1, k)) + factor * rate(o, k))])


def _slider_second(o: Operators, k: int) -> Array:
    """The printed second form: l x w in place of the relative velocity, so that the Coriolis term is w x w."""
    w = o.arm.w[k + 1]
    return np.concatenate([np.zeros(3), cross(w, cross(w, o.arm.l(k + 1, k)) + o.arm.w[k])])


def _with_weight(o: Operators) -> tuple[Any, Any]:
    """A base that accelerates with 9.8 e3 makes the links as heavy as they are."""
    alpha = o.phi.T @ (o.H.T @ o.W_dot + o.a + o.E @ o.arm.g)
    return o.H @ o.phi @ (o.M @ alpha + o.b + o.B @ o.f0), o.arm.torque(gravity=True)


_ROWS: Sequence[Row[Operators]] = (
    definition("2.1", "ω(N+1) = 0, v(N+1) = 0, ω̇(N+1) = 0, v̇(N+1) = 0 or 9.8 e3", _with_weight, note=INFERRED),
    Row("2.2", "ω(k) = ω(k+1) + h(k) θ̇(k)",
        per_link(lambda o, k: o.arm.w[k], lambda o, k: o.arm.w[k + 1] + rate(o, k), "revolute"), note=INFERRED),
    Row("2.3", "ω̇(k) = ω̇(k+1) + h(k) θ̈(k) + ω(k+1) × h(k) θ̇(k)",
        per_link(lambda o, k: o.arm.w_dot[k],
                 lambda o, k: o.arm.w_dot[k + 1] + rate_dot(o, k) + cross(o.arm.w[k + 1], rate(o, k)), "revolute"),
        note=INFERRED),
    Row("2.4", "v(k) = v(k+1) + ω(k+1) × l(k+1, k)",
        per_link(lambda o, k: o.arm.v[k],
                 lambda o, k: o.arm.v[k + 1] + cross(o.arm.w[k + 1], o.arm.l(k + 1, k)), "revolute"), note=INFERRED),
    Row("2.5", "v̇(k) = v̇(k+1) + ω̇(k+1) × l(k+1, k) + ω(k+1) × [ω(k+1) × l(k+1, k)]",
        per_link(lambda o, k: o.arm.v_dot[k],
                 lambda o, k: o.arm.v_dot[k + 1] + cross(o.arm.w_dot[k + 1], o.arm.l(k + 1, k))
                 + cross(o.arm.w[k + 1], cross(o.arm.w[k + 1], o.arm.l(k + 1, k))), "revolute"), note=INFERRED),
    Row("2.6", "v̇^c(k) = v̇(k) + ω̇(k) × p(k) + ω(k) × [ω(k) × p(k)]",
        per_link(lambda o, k: o.arm.v_c_dot[k],
                 lambda o, k: o.arm.v_dot[k] + cross(o.arm.w_dot[k], o.arm.p[k])
                 + cross(o.arm.w[k], cross(o.arm.w[k], o.arm.p[k]))), note=INFERRED),
    Row("2.7", "ω(0) = ω(1), v(0) = v(1) + ω(1) × l(1, 0), ω̇(0) = ω̇(1)",
        lambda o: [(o.arm.robot.velocity(o.arm.q, o.arm.rate, "tip"),
                    np.concatenate([o.arm.w[1], o.arm.v[1] + cross(o.arm.w[1], o.arm.l(1, 0))])),
                   (o.arm.robot.acceleration(o.arm.q, o.arm.rate, o.arm.rate_dot, "tip")[:3], o.arm.w_dot[1])],
        note=INFERRED),
    Row("2.8", "v̇(0) = v̇(1) + ω̇(1) × l(1, 0) + ω(1) × [ω(1) × l(1, 0)]",
        lambda o: (o.arm.v_dot[0], o.arm.v_dot[1] + cross(o.arm.w_dot[1], o.arm.l(1, 0))
                   + cross(o.arm.w[1], cross(o.arm.w[1], o.arm.l(1, 0)))), note=INFERRED),
    Row("2.9", "N^c(k) = I^c(k) ω̇(k) + ω(k) × I^c(k) ω(k)",
        per_link(lambda o, k: o.arm.N_c[k],
                 lambda o, k: o.arm.I_c[k] @ o.arm.w_dot[k] + cross(o.arm.w[k], o.arm.I_c[k] @ o.arm.w[k])),
        note=INFERRED),
    Row("2.10", "F^c(k) = m(k) v̇^c(k)",
        per_link(lambda o, k: (o.arm.reactions[k] - o.arm.reactions[k - 1])[3:], lambda o, k: o.arm.F_c[k]),
        note=INFERRED),
    Row("2.11", "F(k) = F(k-1) + F^c(k)",
        per_link(lambda o, k: o.arm.reactions[k][3:], lambda o, k: o.arm.reactions[k - 1][3:] + o.arm.F_c[k]),
        note=INFERRED),
    Row("2.12", "N(k) = N(k-1) + l(k, k-1) × F(k-1) + p(k) × F^c(k) + N^c(k)",
        per_link(lambda o, k: o.arm.reactions[k][:3],
                 lambda o, k: o.arm.reactions[k - 1][:3] + cross(o.arm.l(k, k - 1), o.arm.reactions[k - 1][3:])
                 + cross(o.arm.p[k], o.arm.F_c[k]) + o.arm.N_c[k])),
    Row("2.13", "T(k) = h*(k) N(k)",
        per_link(lambda o, k: o.T[k - 1], lambda o, k: o.arm.h[k] @ o.arm.wrench(k)[:3], "revolute")),
    Row("RNE", "(2.1)-(2.13), a sweep to the tip and one back, give T", newton_euler,
        title="Recursive Newton-Euler equations"),
    definition("2.14", "V = [ω; v], α = [ω̇; v̇], f = [N; F]",
               lambda o: [(o.V, o.arm.robot.velocities(o.arm.q, o.arm.rate)[::-1].ravel()),
                          (o.alpha, o.arm.robot.accelerations(o.arm.q, o.arm.rate, o.arm.rate_dot)[::-1].ravel()),
                          (o.f, np.concatenate(o.arm.reactions[1:]))], note=INFERRED),
    definition("2.15", "M(k) = [[I, m p~], [-m p~, m 1]]",
               lambda o: (o.V @ o.M @ o.V / 2, o.arm.robot.kinetic_energy(o.arm.q, o.arm.rate)), note=INFERRED),
    definition("2.16", "H(k) = [h*(k), 0], φ(k, k-1) = [[1, l~(k, k-1)], [0, 1]]",
               per_link(lambda o, k: o.T[o.arm.own(k)], lambda o, k: o.H_of(k) @ of(o.f, k), "revolute")),
    Row("2.17", "V(N+1) = 0, V(k) = φ*(k+1, k) V(k+1) + H*(k) θ̇(k)",
        per_link(lambda o, k: of(o.V, k),
                 lambda o, k: o.arm.shift(k + 1, k).T @ of_next(o.V, k) + o.H_of(k).T @ o.W[o.arm.own(k)])),
    Row("2.18", "α(N+1) = 0, α(k) = φ*(k+1, k) α(k+1) + H*(k) θ̈(k) + a(k)",
        per_link(lambda o, k: of(o.alpha, k),
                 lambda o, k: o.arm.shift(k + 1, k).T @ of_next(o.alpha, k) + o.H_of(k).T @ o.W_dot[o.arm.own(k)]
                 + o.a_of(k))),
    Row("2.19", "a(k) = [ω(k+1) × h θ̇(k); ω(k+1) × (ω(k+1) × l(k+1, k))] = [ω(k+1) × ω(k); the same]",
        lambda o: [*per_link(_measured_a, lambda o, k: o.a_of(k), "revolute")(o),
                   *per_link(_measured_a, lambda o, k: o.a_of(k, second=True), "revolute")(o)]),
    Row("2.20", "f(k) = φ(k, k-1) f(k-1) + [[1, p~(k)], [0, 1]] [N^c(k); F^c(k)]",
        per_link(lambda o, k: o.arm.reactions[k],
                 lambda o, k: o.arm.shift(k, k - 1) @ o.arm.reactions[k - 1] + cause(o, k))),
    Row("2.21", "T(k) = H(k) f(k)",
        per_link(lambda o, k: o.T[o.arm.own(k)], lambda o, k: o.H_of(k) @ of(o.f, k)), note=INFERRED),
    Row("2.22", "f(k) = φ(k, k-1) f(k-1) + M(k) α(k) + b(k)",
        per_link(lambda o, k: of(o.f, k),
                 lambda o, k: o.arm.shift(k, k - 1) @ of_last(o, o.f, k) + o.M_of(k) @ of(o.alpha, k) + o.b_of(k))),
    Row("2.23", "b(k) = [ω × I ω; m ω × (ω × p)]",
        per_link(lambda o, k: cause(o, k) - o.M_of(k) @ of(o.alpha, k), lambda o, k: o.b_of(k))),
    Row("2.24", "V(N+1) = 0, α(N+1) = 0",
        lambda o: [(of(o.V, o.N), o.H_of(o.N).T @ o.W[o.arm.own(o.N)]),
                   (of(o.alpha, o.N), o.H_of(o.N).T @ o.W_dot[o.arm.own(o.N)] + o.a_of(o.N))]),
    Row("2.25", "V(k) = φ*(k+1, k) V(k+1) + H*(k) θ̇(k)",
        lambda o: (o.V, (o.S @ o.E_phi).T @ o.V + o.H.T @ o.W)),
    Row("2.26", "α(k) = φ*(k+1, k) α(k+1) + H*(k) θ̈(k) + a(k)",
        lambda o: (o.alpha, (o.S @ o.E_phi).T @ o.alpha + o.H.T @ o.W_dot + o.a)),
    Row("2.27", "V(0) = φ*(1, 0) V(1), α(0) = φ*(1, 0) α(1) + a(0)",
        lambda o: [(o.V0, o.arm.shift(1, 0).T @ of(o.V, 1)),
                   (o.alpha0, o.arm.shift(1, 0).T @ of(o.alpha, 1) + o.a_of(0))]),
    definition("2.28", "f(0) = f_ext: what the tip exerts on its environment",
               lambda o: (o.arm.reactions[1],
                          o.arm.shift(1, 0) @ o.f0 + o.M_of(1) @ of(o.alpha, 1) + o.b_of(1))),
    Row("2.29", "f(k) = φ(k, k-1) f(k-1) + M(k) α(k) + b(k)",
        lambda o: (o.f, o.S @ o.E_phi @ o.f + o.M @ o.alpha + o.b + o.B @ o.f0)),
    Row("2.30", "T(k) = H(k) f(k)", lambda o: (o.T, o.H @ o.f)),
    Row("RSD", "(2.24)-(2.30), a sweep to the tip and one back, give α and T", spatial_dynamics,
        title="Recursive spatial dynamics"),
    definition("2.31", "H(k) = [0, h*(k)] of a sliding joint",
               lambda o: [*per_link(lambda o, k: o.T[o.arm.own(k)], lambda o, k: o.H_of(k) @ of(o.f, k),
                                    "prismatic")(o),
                          *per_link(lambda o, k: of(o.V, k) - o.arm.shift(k + 1, k).T @ of_next(o.V, k),
                                    lambda o, k: o.H_of(k).T @ o.W[o.arm.own(k)], "prismatic")(o)]),
    misprint("2.32", "a(k) = [0; ω(k+1) × (ω(k+1) × l(k+1, k) + 2 h θ̇(k))] of a sliding joint",
             per_link(_measured_a, lambda o, k: _slider(o, k, 2), "prismatic"),
             "a(k) = [0; ω(k+1) × (ω(k+1) × l(k+1, k) + h θ̇(k))]",
             per_link(_measured_a, lambda o, k: _slider(o, k, 1), "prismatic"),
             note="l(k+1, k) is the current vector, the slide included"),
    misprint("2.32b", "a(k) = [0; ω(k+1) × (v(k) - v(k+1)) + ω(k+1) × h θ̇(k)], its second form",
             per_link(_measured_a, lambda o, k: o.a_of(k, second=True), "prismatic"),
             "a(k) = [0; ω(k+1) × (ω(k+1) × l(k+1, k) + ω(k))]",
             per_link(_measured_a, _slider_second, "prismatic"),
             note="ω(k) = ω(k+1) on a slider, so the printed Coriolis term is zero"),
)  # fmt: skip

SECTION_2 = Section("2", "Problem formulation and statement", fixed_base, tuple(_ROWS))
