"""SM03, appendices: active and passive arms, whose partition is exact (A); derivations (B); flexible robots (C)."""

from __future__ import annotations

import numpy as np

from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

from .coefficients import Model, elastic, floating, on_springs
from .dynamics import G, inverse, printed_C, pseudo_inverse
from .ship import Ship


def _whole(o: Ship) -> tuple[Array, Array, Array, Array]:
    """[M], [C], [T] and J* f_e of active dofs, then passive ones, by the compiled core."""
    m = Model(o)
    order = np.r_[m.active + o.arms.start, np.arange(o.own["base"].stop), m.soft + o.arms.start]
    mass = np.asarray(o.robot.mass_matrix(o.q))[np.ix_(order, order)]
    J = np.concatenate([o.robot.jacobian(o.q, f"tip{j}", "body") for j in range(2)])[:, order]
    return mass, o.robot.bias(o.q, o.v)[order], o.effort[order], J.T @ o.f_e


def _accelerations(o: Ship) -> Array:
    return np.r_[Model(o).q_dd, Model(o).p_dd]


def _stacked(o: Ship, swapped: bool = False) -> Array:
    """[T_a; T_p], or as printed [T_p; T_a]."""
    m = Model(o)
    return np.r_[m.T_p, m.T_a] if swapped else np.r_[m.T_a, m.T_p]


def _blocks(o: Ship) -> tuple[Array, Array]:
    """[[M_a, M_ap*], [M_ap, M_p]] and [C_a; C_p]: M_ap is passive by active in (28)."""
    m = Model(o)
    return np.block([[m.M_a, m.M_ap.T], [m.M_ap, m.M_p]]), np.r_[m.C_a, m.C_p]


SECTION_A = Section("A", "Unified dynamic model based on linear separability", floating, (
    misprint("A1", "[[M_a, M_ap], [M_ap*, M_p]] [q̈_a; q̈_p] + [C_a; C_p] = [T_a; T_p]",
             lambda o: (_blocks(o)[0] @ _accelerations(o) + _blocks(o)[1], _stacked(o) - _whole(o)[3]),
             "... = [T_p; T_a]",
             lambda o: (_blocks(o)[0] @ _accelerations(o) + _blocks(o)[1], _stacked(o, True) - _whole(o)[3]),
             note="less J* f_e, where the hands touch"),
    misprint("A2a", "M_a = Φ_a* X* M_q X Φ_a", lambda o: (Model(o).M_a, _whole(o)[0][: len(o.T_a), : len(o.T_a)]),
             "M_a = Φ_a* X* M_a X Φ_a"),
    Row("A2b", "M_p = Φ_p* X* M_q X Φ_p", lambda o: (Model(o).M_p, _whole(o)[0][len(o.T_a) :, len(o.T_a) :]),
        note="of a base: M_b + X_b* M_q X_b"),
    Row("A2c", "M_ap = Φ_a* X* M_q X Φ_p", lambda o: (Model(o).M_ap.T, _whole(o)[0][: len(o.T_a), len(o.T_a) :])),
    misprint("A2d", "C_a = Φ_a* X* (b + M_q X a)", lambda o: (Model(o).C_a, _whole(o)[1][: len(o.T_a)]),
             "C_a = Φ_a* X* (b + M X a)"),
    misprint("A2e", "C_p = Φ_p* X* (b + M_q X a)", lambda o: (Model(o).C_p, _whole(o)[1][len(o.T_a) :]),
             "C_p = Φ_p* X* (b + M X a)"),
    misprint("A3", "[[M_a, M_ap], [M_ap*, M_p]] [q̈_a; q̈_p] + [C_a; C_p] = [T_a; T_p] + [J_a*; J_p*] f_e",
             lambda o: (_blocks(o)[0] @ _accelerations(o) + _blocks(o)[1],
                        _stacked(o) - np.r_[Model(o).J_a.T, Model(o).J_p.T] @ o.f_e),
             "... = [T_p; T_a] + [J_p*; J_a*] f_e",
             lambda o: (_blocks(o)[0] @ _accelerations(o) + _blocks(o)[1],
                        _stacked(o, True) - np.r_[Model(o).J_p.T, Model(o).J_a.T] @ o.f_e),
             note="f_e here acts on the robot: the negative of that of (28)"),
    Row("A4", "Vᵉ = J_a q̇_a + J_p q̇_p", lambda o: (Model(o).J_a @ o.rate_q + Model(o).J_p @ o.V_b, o.V_e)),
    Row("A5", "V̇ᵉ = J_a q̈_a + J̇_a q̇_a + J_p q̈_p + J̇_p q̇_p",
        lambda o: (Model(o).J_a @ o.rate_rate_q + Model(o).J_p @ o.V_b_dot + o.B @ o.g, o.V_e_dot)),
    misprint("A6", "M_a q̈_a + M_ap q̈_p + C_a = T_a + J_a* f_e",
             lambda o: (Model(o).M_a @ o.rate_rate_q + Model(o).M_ap.T @ o.V_b_dot + Model(o).C_a,
                        o.T_a - Model(o).J_a.T @ o.f_e), "... M_ap* q̈_p ...",
             note="with M_ap of (A2c), active by passive"),
    Row("A7", "M_p q̈_p + M_ap* q̈_a + C_p = T_p + J_p* f_e",
        lambda o: (Model(o).M_p @ o.V_b_dot + Model(o).M_ap @ o.rate_rate_q + Model(o).C_p,
                   o.f_b - Model(o).J_p.T @ o.f_e)),
    Row("A8", "q̈_p = -M_p⁻¹ (M_ap* q̈_a + C_p - T_p - J_p* f_e)",
        lambda o: (-solve(Model(o).M_p, Model(o).M_ap @ o.rate_rate_q + Model(o).C_p - o.f_b
                          + Model(o).J_p.T @ o.f_e), o.V_b_dot)),
    misprint("A9", "M q̈_a + C = T̂ + J* f_e; M = M_a - M_ap M_p⁻¹ M_ap*, J = J_a - J_p M_p⁻¹ M_ap*, "
             "C = C_a - M_ap M_p⁻¹ C_p, T̂ = T_a - M_ap M_p⁻¹ T_p",
             lambda o: (Model(o).M @ o.rate_rate_q + Model(o).C, Model(o).T_hat - Model(o).J.T @ o.f_e),
             "... M = M_a - M_ap* M_p⁻¹ M_ap, ...", note="with M_ap of (A2c), active by passive"),
    misprint("A10", "V̇ᵉ = (J_a - J_p M_p⁻¹ M_ap*) q̈_a + J̇_a q̇_a + J̇_p q̇_p - J_p M_p⁻¹ (C_p - T_p - J_p* f_e)",
             lambda o: (Model(o).J @ o.rate_rate_q + o.B @ o.g
                        - Model(o).J_p @ solve(Model(o).M_p, Model(o).C_p - o.f_b + Model(o).J_p.T @ o.f_e), o.V_e_dot),
             "V̇ᵉ = (J_a - J_p M_p⁻¹ M_ap) q̈_a + ...", note="with M_ap of (A2c), active by passive"),
    misprint("10, text", "the partition into an active and a passive arm is exact: (28) and (A9) are one model",
             lambda o: [(_blocks(o)[0], _whole(o)[0]), (_blocks(o)[1], _whole(o)[1]),
                        (solve(*_system(o)), _accelerations(o))],
             "the linear separability of active and passive subsystems may not hold for a nonlinear system"),
))  # fmt: skip


def _system(o: Ship) -> tuple[Array, Array]:
    """The whole, by the compiled core, hands pushed by f_e."""
    mass, bias, effort, pushed = _whole(o)
    return mass, effort - bias - pushed


def _middle(o: Ship) -> Array:
    """{M_q - M_q X_b (M_b + X_b* M_q X_b)⁻¹ X_b* M_q}."""
    return G(o)


def _b11(o: Ship, printed: bool) -> tuple[Array, Array]:
    m, g_b = Model(o), o.rate("X_b") @ o.V_b
    if not printed:
        return (o.XP.T @ G(o) @ g_b, o.XP.T @ o.M_q @ g_b - m.coupling @ o.X_b.T @ o.M_q @ g_b)
    X_inverse = pseudo_inverse(o.X_b)
    return (m.coupling @ o.M_b @ X_inverse @ g_b, -m.coupling @ (o.X_b.T @ o.M_q - m.M_p @ X_inverse) @ g_b)


SECTION_B = Section("B", "Derivation of the coefficients in the text", floating, (
    Row("B1", "Φ* f - Φ* X* G M_q⁻¹ D f_e = Φ* X* G {X Φ q̈ + g + M_q⁻¹ b + X_b M_b⁻¹ (f_b - b_b)}",
        lambda o: (o.Phi.T @ o.f - o.XP.T @ G(o) @ solve(o.M_q, o.D @ o.f_e),
                   o.XP.T @ G(o) @ (o.XP @ o.rate_rate_q + o.g + solve(o.M_q, o.b)
                                    + o.X_b @ solve(o.M_b, o.f_b - o.b_b)))),
    Row("B2", "T̂ - J* f_e = M q̈ + C",
        lambda o: (Model(o).T_hat - Model(o).J.T @ o.f_e, Model(o).M @ o.rate_rate_q + Model(o).C)),
    Row("B3", "M = Φ* X* G X Φ", lambda o: (o.XP.T @ _middle(o) @ o.XP, Model(o).M)),
    Row("B4", "J* = Φ* X* G M_q⁻¹ D", lambda o: (o.XP.T @ _middle(o) @ solve(o.M_q, o.D), Model(o).J.T)),
    Row("B5", "C = Φ* X* G {g + M_q⁻¹ b - X_b M_b⁻¹ b_b}",
        lambda o: (o.XP.T @ _middle(o) @ (o.g + solve(o.M_q, o.b) - o.X_b @ solve(o.M_b, o.b_b)), Model(o).C)),
    Row("B6", "T̂ = Φ* f - Φ* X* G X_b M_b⁻¹ f_b",
        lambda o: (o.Phi.T @ o.f - o.XP.T @ _middle(o) @ o.X_b @ solve(o.M_b, o.f_b), Model(o).T_hat)),
    Row("B7", "M = M_a - M_ap* M_p⁻¹ M_ap",
        lambda o: (Model(o).M_a - Model(o).M_ap.T @ solve(Model(o).M_p, Model(o).M_ap), o.XP.T @ G(o) @ o.XP)),
    Row("B8", "J* = J_a - M_ap* M_p⁻¹ J_p, J_a = Φ* X* D, J_p = X_b* D",
        lambda o: (o.XP.T @ o.D - Model(o).M_ap.T @ solve(Model(o).M_p, o.X_b.T @ o.D), Model(o).J.T)),
    misprint("B9", "C = C_a - M_ap* M_p⁻¹ C_p, C_a = Φ* X* (b + M_q g), C_p = X_b* (b + M_q g) + b_b",
             lambda o: (Model(o).C, Model(o).T_hat - Model(o).J.T @ o.f_e - Model(o).M @ o.rate_rate_q),
             "... C_p = X_b* (b + M_q Ẋ Φ q̇) - (M_b X_b⁻¹ Ẋ_b V_b - b_b)",
             lambda o: (printed_C(o), Model(o).C), note="X_b is 6nm × 6; off with its pseudo-inverse"),
    Row("B10", "T̂ = T_a - M_ap* M_p⁻¹ T_p, T_p = f_b, T_a = Φ* f",
        lambda o: [(o.T_a - Model(o).M_ap.T @ solve(Model(o).M_p, o.f_b), Model(o).T_hat), (o.Phi.T @ o.f, o.T_a)]),
    Row("Lemma B1", "(B7) to (B10)",
        lambda o: [(o.XP.T @ G(o) @ o.XP, Model(o).M), (o.XP.T @ G(o) @ solve(o.M_q, o.D), Model(o).J.T)],
        title="Lemma B1"),
    misprint("B11", "Φ* X* G Ẋ_b V_b = Φ* X* M_q Ẋ_b V_b - M_ap* M_p⁻¹ X_b* M_q Ẋ_b V_b", lambda o: _b11(o, False),
             "M_ap* M_p⁻¹ M_b X_b⁻¹ Ẋ_b V_b = -M_ap* M_p⁻¹ (X_b* M_q - M_p X_b⁻¹) Ẋ_b V_b",
             lambda o: _b11(o, True), note="X_b has no inverse; off with its pseudo-inverse"),
    Row("B12", "-M_ap* M_p⁻¹ b_b = M_ap* M_p⁻¹ (X_b* M_q X_b - M_p) M_b⁻¹ b_b",
        lambda o: (-Model(o).coupling @ o.b_b, Model(o).coupling @ (o.X_b.T @ o.M_q @ o.X_b - Model(o).M_p)
                   @ solve(o.M_b, o.b_b))),
    Row("B13", "M_ap* M_p⁻¹ f_b = M_ap* M_p⁻¹ (M_p - X_b* M_q X_b) M_b⁻¹ f_b",
        lambda o: (Model(o).coupling @ o.f_b, Model(o).coupling @ (Model(o).M_p - o.X_b.T @ o.M_q @ o.X_b)
                   @ solve(o.M_b, o.f_b))),
    Row("B14", "J_D = M_p⁻¹ M_ap",
        lambda o: (solve(Model(o).M_p, Model(o).M_ap), inverse(o.M_b) @ o.X_b.T @ G(o) @ o.XP)),
    Row("B15", "J_D = M_b⁻¹ X_b* G X Φ, G = M_q (1 + X_b M_b⁻¹ X_b* M_q)⁻¹",
        lambda o: [(inverse(o.M_b) @ o.X_b.T @ G(o) @ o.XP, Model(o).coupling.T),
                   (o.M_q @ inverse(np.eye(len(o.V)) + o.X_b @ solve(o.M_b, o.X_b.T @ o.M_q)), G(o))]),
    Row("Lemma B2", "(B14)", lambda o: (inverse(o.M_b) @ o.X_b.T @ G(o) @ o.XP, Model(o).coupling.T),
        title="Lemma B2"),
))  # fmt: skip


def _ends(o: Ship) -> Array:
    """J_p q̈_p + J_a q̈ + J̇_p q̇_p + J̇_a q̇."""
    m = Model(o)
    return m.J_p @ m.p_dd + m.J_a @ m.q_dd + o.at.B @ o.g


def _end_velocities(o: Ship) -> Array:
    m = Model(o)
    passive = np.r_[o.V_b if o.on_base else np.zeros(0), o.rate_q[m.soft]]
    return m.J_p @ passive + m.J_a @ o.rate_q[m.active]


def _passive_effort(o: Ship) -> tuple[Array, Array]:
    """-δ ẋ - s Δx of the passive dofs, and what the model was given."""
    m, robot = Model(o), o.robot
    own = np.r_[np.arange(o.own["base"].stop), m.soft + o.arms.start]
    moved = robot.difference(robot.integrate(robot.neutral(), robot.rest), o.q)[own]
    return -np.asarray(robot.damping)[own] * o.v[own] - np.asarray(robot.stiffness)[own] * moved, m.T_p


def _flexible(numbers: tuple[int, ...], title: str, what: str) -> tuple[Row[Ship], ...]:
    first, second, third, fourth, fifth = (f"C{k}" for k in numbers)
    return (
        Row(first, f"T̂ - J* f_e = M q̈ + C, {what}", lambda o: [
            (Model(o).T_hat - Model(o).J.T @ o.f_e, Model(o).M @ Model(o).q_dd + Model(o).C),
            *zip(Model(o).table_1(), (o.V_o_dot, o.f_e, Model(o).q_dd, Model(o).p_dd), strict=True)], title=title),
        Row(second, "Vᵉ = J_b V_b + J_q q̇", lambda o: (_end_velocities(o), o.V_e)),
        Row(third, "V̇ᵉ = W V̇° + Ẇ V° = J_b V̇_b + J_q q̈ + J̇_b V_b + J̇_q q̇",
            lambda o: [(_ends(o), o.V_e_dot), (o.W @ o.V_o_dot, o.V_e_dot)]),
        Row(fourth, "M_o V̇° + b_o = W* f_e", lambda o: (o.M_o @ o.V_o_dot + o.b_o, o.W.T @ o.f_e)),
        definition(fifth, "f_b = -δ_b ẋ_b - s_b Δx_b", _passive_effort),
    )  # fmt: skip


SECTION_C1 = Section("C.1", "Flexible-base manipulator systems", on_springs, (
    *_flexible((1, 2, 3, 4, 5), "flexible base", "T_p = f_b of springs and dampers"),
))  # fmt: skip

SECTION_C2 = Section("C.2", "Flexible-arm manipulator systems", elastic, (
    *_flexible((6, 7, 8, 9, 10), "flexible arm", "T_p = f_b of the virtual elastic joints"),
    misprint("C.2, text", "X_b → X Φ_p, V_b → q̇_p, M_b → 0, Φ → Φ_a: forms with M_b⁻¹ mean nothing, those of (28) do",
             lambda o: [(Model(o).M_p, Model(o).A_p.T @ o.M_q @ Model(o).A_p),
                        (Model(o).of_passive(Model(o).M_p), np.eye(len(Model(o).M_p)))],
             "X_b and M_b are used as they stand, V_b being the rates of deflection"),
))  # fmt: skip
