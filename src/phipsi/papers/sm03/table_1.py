"""SM03, sections 8 and 9 and Table I: the cases, the simulation algorithm, the rates of transforms."""

from __future__ import annotations

import numpy as np

from phipsi.papers.least_constraint import diagonal, rates
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import both, solve

from .coefficients import Model, floating, on_world
from .dynamics import base, open_chain
from .ship import Geometry, Ship, crf, crm, transform


def _cases(rng: np.random.Generator) -> tuple[Ship, Ship]:
    """A system on the world, and one that flies."""
    return on_world(rng), floating(rng)


def _heavy(o: Ship) -> tuple[Array, Array]:
    """M with a base of 1e12 times its inertia, and M_a."""
    m = Model(o)
    M_p = o.M_b * 1e12 + o.X_b.T @ o.M_q @ o.X_b
    return m.M_a - m.M_ap.T @ solve(M_p, m.M_ap), m.M_a


def _motion(o: Ship, T_hat: Array) -> list[tuple[Array, Array]]:
    """The three equations of each case."""
    m = Model(o)
    ends = o.at.B @ (o.XP @ o.rate_rate_q + o.g + (o.X_b @ o.V_b_dot if o.on_base else 0))
    return [(T_hat - m.J.T @ o.f_e, m.M @ m.q_dd + m.C), (o.W @ o.V_o_dot, ends),
            (o.M_o @ o.V_o_dot + o.b_o, o.W.T @ o.f_e)]  # fmt: skip


def _drifting(o: Ship) -> list[tuple[Array, Array]]:
    """f_b = 0: the same equations, for the accelerations that the core then finds, hands empty."""
    f_b, m = np.zeros(6), Model(o)
    effort = np.r_[f_b, o.T_a, np.zeros(6)]
    a = o.robot.forward_dynamics(o.q, o.v, effort)[o.arms]
    return [(m.M @ a + m.C, o.T_a)]


SECTION_8 = Section("8", "Case studies", _cases, (
    misprint("8.1", "fixed base: M_b → ∞, V_b = 0, f_b = 0: T_a - J* f_e = M q̈ + C, M = M_a, C = C_a, J = J_q",
             lambda w: [*_motion(w[0], w[0].T_a), _heavy(w[1])], "M_o → ∞, V_b → ∞, f_b = 0"),
    Row("8.2", "free-floating: f_b = 0: T_a - J* f_e = M q̈ + C", lambda w: _drifting(w[1])),
    misprint("8.3", "free-flying: T̂ - J* f_e = M q̈ + C, T_p = f_b of the thrusters",
             lambda w: _motion(w[1], Model(w[1]).T_hat), "T̂_o J* f_e = M q̈ + C",
             note="a minus sign is lost"),
))  # fmt: skip


def _base_printed(o: Ship, sign: float) -> Array:
    """V̇_b of step 4, with this sign before the last X_b* b."""
    return base(o) + (sign + 1.0) * solve(o.M_b, o.X_b.T @ o.b)


TABLE_1 = Section("Table I", "Dynamic simulation algorithm for a unified system model", floating, (
    Row("Table I.1", "compute V̇_open and the model's parameters",
        lambda o: [(open_chain(o, Model(o).T_hat), Model(o).V_open_dot),
                   (Model(o).V_open_dot - Model(o).H @ o.f_e, o.V_e_dot)]),
    misprint("Table I.2", "V̇° = (M_o + W* H⁻¹ W)⁻¹ {W* H⁻¹ (V̇_open - Ẇ V°) - b_o}",
             lambda o: (Model(o).table_1()[0], o.V_o_dot),
             "V̇° = (M_o⁻¹ + W* H⁻¹ W)⁻¹ {H⁻¹ (V̇_open - Ẇ V°) - b_o}", note="dimensionally impossible"),
    Row("Table I.3", "f_e = H⁻¹ (V̇_open - W V̇° - Ẇ V°)", lambda o: (Model(o).table_1()[1], o.f_e)),
    misprint("Table I.4", "q̈ = M⁻¹ (T̂ - J* f_e - C); V̇_b = M_b⁻¹ {... - X_b* G Ẋ Φ q̇ - X_b* b}, "
             "or M_p⁻¹ (f_b - C_p - M_ap q̈ - J_p* f_e)",
             lambda o: [(Model(o).table_1()[2], o.rate_rate_q), (base(o), o.V_b_dot),
                        (Model(o).table_1()[3], o.V_b_dot)],
             "... - X_b* G Ẋ Φ q̇ X_b* b}", lambda o: (_base_printed(o, 1.0), o.V_b_dot), note="a minus sign is lost"),
    Row("Table I.5", "any numerical integration: joint and base accelerations to positions and rates",
        lambda o: (_stepped(o), _differenced(o))),
    Row("Table I", "steps 1 to 4: from T_a, f_b and the state to all accelerations and contact forces",
        lambda o: list(zip(Model(o).table_1(), (o.V_o_dot, o.f_e, o.rate_rate_q, o.V_b_dot), strict=True)),
        title="Table I"),
))  # fmt: skip


def _stepped(o: Ship) -> Array:
    """A step of an integrator on the joints' manifolds, there and back."""
    h = 1e-3
    q = o.robot.integrate(o.q, h * o.v + h**2 / 2 * o.a)
    back = o.robot.integrate(q, -(h * o.v + h**2 / 2 * o.a))
    return o.robot.difference(o.q, q) + o.robot.difference(o.q, back)


def _differenced(o: Ship) -> Array:
    h = 1e-3
    return h * o.v + h**2 / 2 * o.a


def _pair(o: Ship, i: int, of: Geometry) -> Array:
    """ⁱ⁺¹_iX of arm 0."""
    return transform(of.frames[f"0/{i}"], of.frames[f"0/{i + 1}"])


def _pair_rate(o: Ship, i: int) -> Array:
    return rates(np.array([_pair(o, i, one) for one in o.along]))


def _relative(o: Ship, i: int) -> Array:
    """V of link i+1 less that of link i, seen from link i+1."""
    return o.velocity(f"0/{i + 1}") - _pair(o, i, o.at) @ o.velocity(f"0/{i}")


def _turning(o: Ship, i: int) -> Array:
    """The printed Ω = R ω_i - ω_{i+1}, for both halves."""
    w = -_relative(o, i)[:3]
    return diagonal([crm(np.r_[w, w])[:3, :3]] * 2)


def _nonconsecutive(o: Ship) -> Array:
    """d/dt of ^2_0X."""
    return rates(np.array([transform(one.frames["0/0"], one.frames["0/2"]) for one in o.along]))


SECTION_9 = Section("9", "Computation of manipulator motion", floating, (
    Row("9.1", "ⁿ_iX = ⁿ_{n-1}X ^{n-1}_iX",
        lambda o: (transform(o.at.frames["0/0"], o.at.frames["0/2"]), _pair(o, 1, o.at) @ _pair(o, 0, o.at))),
    definition("9.2", "X_b, B and D of these", lambda o: (o.B @ o.X_b @ o.V_b + o.B @ o.XP @ o.rate_q, o.V_e)),
    misprint("9.3, X", "d/dt(ⁱ⁺¹_iX) = -V ×̂ ⁱ⁺¹_iX, V of link i+1 with respect to link i",
             lambda o: [(_pair_rate(o, i), -crm(_relative(o, i)) @ _pair(o, i, o.at)) for i in range(o.n - 1)],
             "d/dt(ⁱ⁺¹_iX) = V ×̂ ⁱ⁺¹_iX",
             lambda o: [(_pair_rate(o, i), crm(_relative(o, i)) @ _pair(o, i, o.at)) for i in range(o.n - 1)],
             note="plus only with the printed Ω = R ω_i - ω_{i+1}"),
    Row("9.3, Ω", "of revolute joints: d/dt(ⁱ⁺¹_iX) = diag[Ω~, Ω~] ⁱ⁺¹_iX, Ω = R ω_i - ω_{i+1}",
        lambda o: [(_pair_rate(o, i), _turning(o, i) @ _pair(o, i, o.at)) for i in (0, 1, 3, 4)
                   if o.robot.joints[o.links[0][i + 1]].kind == "revolute"]),
    misprint("9.3, force X", "d/dt(X*) = X* crf(V), crf the cross operator of forces",
             lambda o: [(_pair_rate(o, i).T, _pair(o, i, o.at).T @ crf(_relative(o, i))) for i in range(o.n - 1)],
             "d/dt(X*) = -X* V ×̂",
             lambda o: [(_pair_rate(o, i).T, -_pair(o, i, o.at).T @ crm(_relative(o, i))) for i in range(o.n - 1)],
             note="matters for sliding joints"),
    misprint("9.3, product", "d/dt(ⁿ_iX) = d/dt(ⁿ_{n-1}X) ^{n-1}_iX + ⁿ_{n-1}X d/dt(^{n-1}_iX)",
             lambda o: (_nonconsecutive(o),
                        _pair_rate(o, 1) @ _pair(o, 0, o.at) + _pair(o, 1, o.at) @ _pair_rate(o, 0)),
             "d/dt(ⁿ_iX) = d/dt(ⁿ_{n-1}X) d/dt(^{n-1}_iX)",
             lambda o: (_nonconsecutive(o), _pair_rate(o, 1) @ _pair_rate(o, 0))),
    Row("9.4", "J̇_b = B Ẋ_b + Ḃ X_b; J̇_q = B Ẋ Φ + Ḃ X Φ (+ B X Φ̇)",
        lambda o: (o.B @ o.g + o.rate("B") @ (o.X_b @ o.V_b + o.XP @ o.rate_q), _drift(o))),
    Row("9.5", "M, J* and C as in (28)",
        lambda o: (Model(o).M @ o.rate_rate_q + Model(o).C, Model(o).T_hat - Model(o).J.T @ o.f_e)),
))  # fmt: skip


def _drift(o: Ship) -> Array:
    """J̇_b V_b + J̇_q q̇ by the compiled core: the rate of six numbers along the tip's axes."""
    parts: list[Array] = []
    for j in range(2):
        V, R = o.velocity(f"tip{j}"), o.at.frames[f"tip{j}"][0]
        inertial = both(R).T @ o.robot.jacobian_dot_v(o.q, o.v, f"tip{j}")
        parts.append(inertial - np.r_[np.zeros(3), np.cross(V[:3], V[3:])])
    return np.concatenate(parts)
