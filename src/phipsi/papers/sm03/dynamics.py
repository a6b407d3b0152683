"""SM03, sections 5 and 7: inverse and forward dynamics."""

from __future__ import annotations

import numpy as np

from phipsi.papers.least_constraint import diagonal
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import skew, solve

from .coefficients import Model, floating
from .ship import Ship

DIMENSION = "the printed form is dimensionally impossible"
INERT = "in link coordinates M is constant: d/dt(M) V would be 0"


def inverse(matrix: Array) -> Array:
    """matrix⁻¹."""
    return solve(matrix, np.eye(len(matrix)))


def pseudo_inverse(matrix: Array) -> Array:
    """What a matrix without an inverse has instead."""
    return np.asarray(np.linalg.pinv(matrix), dtype=np.float64)


def M_b_inverse(o: Ship) -> Array:
    """M_b⁻¹."""
    return inverse(o.M_b)


def G(o: Ship) -> Array:
    """(M_q⁻¹ + X_b M_b⁻¹ X_b*)⁻¹."""
    return inverse(inverse(o.M_q) + o.X_b @ M_b_inverse(o) @ o.X_b.T)


def G_by_lemma(o: Ship) -> Array:
    """The same, by the matrix inversion lemma."""
    MX = o.M_q @ o.X_b
    return o.M_q - MX @ solve(o.M_b + o.X_b.T @ MX, MX.T)


def links(o: Ship) -> Array:
    """(25): V̇."""
    Mi = M_b_inverse(o)
    left = np.eye(len(o.V)) + o.X_b @ Mi @ o.X_b.T @ o.M_q
    right = o.XP @ o.rate_rate_q + o.g - o.X_b @ Mi @ o.X_b.T @ (o.D @ o.f_e + o.b) + o.X_b @ Mi @ (o.f_b - o.b_b)
    return solve(left, right)


def base(o: Ship) -> Array:
    """(26): V̇_b."""
    Mi, XG = M_b_inverse(o), o.X_b.T @ G(o)
    inner = (np.eye(6) - XG @ o.X_b @ Mi) @ (o.f_b - o.b_b)
    inner = inner - o.X_b.T @ o.D @ o.f_e + XG @ o.X_b @ Mi @ o.X_b.T @ (o.D @ o.f_e)
    inner = inner - XG @ (o.XP @ o.rate_rate_q + o.g) + XG @ o.X_b @ Mi @ o.X_b.T @ o.b - o.X_b.T @ o.b
    return Mi @ inner


def open_chain(o: Ship, T: Array, sign: float = -1.0) -> Array:
    """(44), with the sign before the last X_b* b."""
    m, Mi, XG = Model(o), M_b_inverse(o), o.X_b.T @ G(o)
    J_b = o.B @ o.X_b
    inner = (np.eye(6) - XG @ o.X_b @ Mi) @ (o.f_b - o.b_b) - XG @ o.g
    inner = inner + XG @ o.X_b @ Mi @ o.X_b.T @ o.b + sign * o.X_b.T @ o.b
    return J_b @ Mi @ inner + m.J @ solve(m.M, T - m.C) + o.B @ o.g


def pulled(o: Ship, printed: bool = False) -> Array:
    """H of (48); or the bracket of (45) as printed, which lacks X_b."""
    m, Mi, one = Model(o), M_b_inverse(o), np.eye(len(o.V))
    inner = Mi @ o.X_b.T if printed else o.X_b @ Mi @ o.X_b.T
    return m.J @ solve(m.M, m.J.T) + o.B @ o.X_b @ Mi @ o.X_b.T @ (one - G(o) @ inner) @ o.D


def printed_C(o: Ship) -> Array:
    """C of (28), with the pseudo-inverse for its X_b⁻¹."""
    m, g_q, g_b = Model(o), o.rate("X") @ o.Phi @ o.rate_q, o.rate("X_b") @ o.V_b
    C_a = o.XP.T @ (o.b + o.M_q @ g_q)
    C_p = o.X_b.T @ (o.b + o.M_q @ g_q) - (o.M_b @ pseudo_inverse(o.X_b) @ g_b - o.b_b)
    return C_a - m.coupling @ C_p


def _joint_forces(o: Ship, b: Array) -> Array:
    return o.X.T @ (o.D @ o.f_e + o.M_q @ o.V_dot + b)


def _object_by_49(o: Ship) -> Array:
    m = Model(o)
    right = o.W.T @ solve(m.H, m.V_open_dot) - o.b_o
    return solve(o.M_o + o.W.T @ solve(m.H, o.W), right)


def _zeta(o: Ship, j: int) -> tuple[Array, Array]:
    """R from contact to object, and ζ = -p~, p from contact to mass centre along the contact's axes."""
    tip, body = o.at.frames[f"tip{j}"], o.at.frames["object"]
    return body[0].T @ tip[0], -skew(tip[0].T @ (body[1] - tip[1]))


def _grip(o: Ship, printed: bool = False) -> Array:
    """W* of (29), its blocks by (30)."""
    blocks: list[Array] = []
    for j in range(2):
        R, zeta = _zeta(o, j)
        none, one = np.zeros((3, 3)), np.eye(3)
        blocks.append(np.block([[one, none], [zeta, one]] if printed else [[R, R @ zeta], [none, R]]))
    return np.concatenate(blocks, axis=1)


SECTION_5 = Section("5", "Inverse dynamics", floating, (
    misprint("15", "V̇ = X Φ q̈ + Ẋ_b V_b + X_b V̇_b + Ẋ Φ q̇ + X Φ̇ q̇",
             lambda o: (o.XP @ o.rate_rate_q + o.X_b @ o.V_b_dot + o.g, o.V_dot), "... without X Φ̇ q̇",
             lambda o: (o.XP @ o.rate_rate_q + o.X_b @ o.V_b_dot + o.g - o.X @ o.rate("Phi") @ o.rate_q, o.V_dot),
             note="Φ of a universal joint is not constant"),
    misprint("16", "ⁱf = ⁱ_{i+1}X ^{i+1}f + M V̇ + b, b = V ×* M V", lambda o: (_joint_forces(o, o.b), o.f),
             "... b = d/dt(M) V", lambda o: (_joint_forces(o, np.zeros_like(o.b)), o.f), note=INERT),
    Row("17", "ⁱf = ⁱ_{n+1}X f_e + Σ ⁱ_kX (M V̇ + b), k = i ... n", lambda o: (_joint_forces(o, o.b), o.f)),
    Row("18", "f_j = X_j* (D_j f_ej + M_j V̇_j + b_j)",
        lambda o: (_joint_forces(o, o.b)[: 6 * o.n], o.f[: 6 * o.n])),
    misprint("19", "f = X* (M_q V̇ + b) + X* D f_e, D: 6nm × 6m",
             lambda o: [(_joint_forces(o, o.b), o.f), (o.D.shape, (12 * o.n, 12))], "D: 6nm × 6nm"),
    Row("20", "f - X* D f_e = X* (M_q V̇ + b)",
        lambda o: (o.f - o.X.T @ o.D @ o.f_e, o.X.T @ (o.M_q @ o.V_dot + o.b))),
    misprint("21", "¹f_j = [¹_1X ... ¹_nX] (D_j f_ej + M_j V̇_j + b_j)",
             lambda o: (_joint_forces(o, o.b)[[*range(6), *range(6 * o.n, 6 * o.n + 6)]],
                        o.f[[*range(6), *range(6 * o.n, 6 * o.n + 6)]]),
             "... (D f_e + M_q V̇ + b), of all arms", note=DIMENSION),
    misprint("22", "f_b - Σ ᵇ_1X ¹f_j = M_b V̇_b + b_b, b_b = V_b ×* M_b V_b",
             lambda o: (o.f_b - o.X_b.T @ _first(o), o.M_b @ o.V_b_dot + o.b_b), "... b_b = d/dt(M_b) V_b", note=INERT),
    Row("23", "f_b = M_b V̇_b + b_b + X_b* (D f_e + M_q V̇ + b)",
        lambda o: (o.M_b @ o.V_b_dot + o.b_b + o.X_b.T @ (o.D @ o.f_e + o.M_q @ o.V_dot + o.b), o.f_b)),
    Row("24", "V̇_b = M_b⁻¹ {f_b - b_b - X_b* (D f_e + M_q V̇ + b)}",
        lambda o: (solve(o.M_b, o.f_b - o.b_b - o.X_b.T @ (o.D @ o.f_e + o.M_q @ o.V_dot + o.b)), o.V_b_dot)),
    Row("25", "V̇ = (1 + X_b M_b⁻¹ X_b* M_q)⁻¹ {X Φ q̈ + g - X_b M_b⁻¹ X_b* (D f_e + b) + X_b M_b⁻¹ (f_b - b_b)}",
        lambda o: (links(o), o.V_dot), note="g = Ẋ_b V_b + Ẋ Φ q̇ + X Φ̇ q̇"),
    Row("26", "V̇_b = M_b⁻¹ {(1 - X_b* G X_b M_b⁻¹)(f_b - b_b) - X_b* (1 - G X_b M_b⁻¹ X_b*) D f_e - X_b* G (X Φ q̈ + g) "
        "+ X_b* G X_b M_b⁻¹ X_b* b - X_b* b}, G = M_q - M_q X_b (M_b + X_b* M_q X_b)⁻¹ X_b* M_q",
        lambda o: [(base(o), o.V_b_dot), (G(o), G_by_lemma(o))]),
    Row("27", "f - X* G M_q⁻¹ D f_e = X* G {X Φ q̈ + g + M_q⁻¹ b + X_b M_b⁻¹ (f_b - b_b)}",
        lambda o: (o.f - o.X.T @ G(o) @ solve(o.M_q, o.D @ o.f_e),
                   o.X.T @ G(o) @ (o.XP @ o.rate_rate_q + o.g + solve(o.M_q, o.b)
                                   + o.X_b @ solve(o.M_b, o.f_b - o.b_b)))),
    misprint("28", "T̂ - J* f_e = M q̈ + C; C_a = Φ* X* (b + M_q g), C_p = X_b* (b + M_q g) + b_b",
             lambda o: (Model(o).T_hat - Model(o).J.T @ o.f_e, Model(o).M @ o.rate_rate_q + Model(o).C),
             "... C_a = Φ* X* (b + M_q Ẋ Φ q̇), C_p = X_b* (b + M_q Ẋ Φ q̇) - (M_b X_b⁻¹ Ẋ_b V_b - b_b)",
             lambda o: (Model(o).T_hat - Model(o).J.T @ o.f_e, Model(o).M @ o.rate_rate_q + printed_C(o)),
             note="X_b is 6nm × 6; off with its pseudo-inverse, which is exact for one link in all"),
    misprint("5.3, text", "given q̈, f_e and f_b, (28) yields T_a",
             lambda o: (Model(o).M @ o.rate_rate_q + Model(o).C + Model(o).J.T @ o.f_e + Model(o).coupling @ o.f_b,
                        o.T_a), "given q̈ and f_e, (28) yields both f_b and T_a"),
    Row("29", "f_o = W* f_e", lambda o: (_grip(o) @ o.f_e, o.M_o @ o.V_o_dot + o.b_o)),
    misprint("5.4, text", "W, 6m × 6, has full column rank",
             lambda o: [(o.W.shape, (12, 6)), (float(np.linalg.matrix_rank(o.W)), 6.0)],
             "W is positive definite and nonsingular", note=DIMENSION),
    misprint("30", "^{n+2}_{n+1}X = [[R, R ζ], [0, R]], R: contact → object", lambda o: (_grip(o), o.W.T),
             "[[1, 0], [ζ, 1]]", lambda o: (_grip(o, printed=True), o.W.T), note="forces are [moment; force]"),
    misprint("31", "ζ = -p~, p from the contact to the mass centre, along the contact's axes",
             lambda o: [(skew(_across(o, j)), -_zeta(o, j)[1]) for j in range(2)], "... along the base's axes",
             lambda o: [(skew(o.at.frames["base"][0].T @ o.at.frames[f"tip{j}"][0] @ _across(o, j)), -_zeta(o, j)[1])
                        for j in range(2)]),
    misprint("32", "f_o = M_o V̇° + b_o, b_o = V° ×* M_o V°",
             lambda o: (o.W.T @ o.f_e, o.M_o @ o.V_o_dot + o.b_o), "... b_o = d/dt(M_o) V°",
             lambda o: (o.W.T @ o.f_e, o.M_o @ o.V_o_dot), note=INERT),
    Row("33", "M_o V̇° + b_o = W* f_e", lambda o: (o.M_o @ o.V_o_dot + o.b_o, o.W.T @ o.f_e)),
))  # fmt: skip


def _across(o: Ship, j: int) -> Array:
    tip, body = o.at.frames[f"tip{j}"], o.at.frames["object"]
    return tip[0].T @ (body[1] - tip[1])


def _first(o: Ship) -> Array:
    """The forces through the arms' first joints, and no others."""
    out = np.zeros_like(o.f)
    for j in range(2):
        out[6 * o.n * j : 6 * o.n * j + 6] = o.f[6 * o.n * j : 6 * o.n * j + 6]
    return out


SECTION_7 = Section("7", "Forward dynamics", floating, (
    Row("34", "Vᵉ = W V°", lambda o: (o.V_e, o.W @ o.V_o)),
    Row("35", "V̇ᵉ = W V̇° + Ẇ V°", lambda o: (o.V_e_dot, o.W @ o.V_o_dot), note="in body axes Ẇ = 0"),
    misprint("36", "V̇ᵉ = J_b V̇_b + J_q q̈ + J̇_b V_b + J̇_q q̇",
             lambda o: (o.V_e_dot, o.B @ (o.X_b @ o.V_b_dot + o.XP @ o.rate_rate_q + o.g)), "V̇° = ...",
             lambda o: (np.r_[o.V_o_dot, o.V_o_dot], o.B @ (o.X_b @ o.V_b_dot + o.XP @ o.rate_rate_q + o.g))),
    misprint("37", "V̇_b = -J_D q̈ + ...",
             lambda o: (_change(o), -Model(o).coupling.T @ o.rate_rate_q),
             "V̇_b = J_D q̈ + ...",
             lambda o: (_change(o), Model(o).coupling.T @ o.rate_rate_q)),
    definition("38", "J_D = M_p⁻¹ M_ap",
               lambda o: (Model(o).coupling.T, -o.robot.disturbance_jacobian(o.q, _base_mask(o))[:, : len(o.T_a)])),
    Row("39", "V̇ᵉ = J_b M_b⁻¹ {...} + (J_q - J_b J_D) q̈ + ... - J_b M_b⁻¹ X_b* (1 - G X_b M_b⁻¹ X_b*) D f_e",
        lambda o: (o.B @ (o.X_b @ base(o) + o.XP @ o.rate_rate_q + o.g), o.V_e_dot)),
    Row("40", "V̇ᵉ = J q̈ + ...",
        lambda o: (o.B @ (o.X_b @ _change(o) + o.XP @ o.rate_rate_q), Model(o).J @ o.rate_rate_q)),
    Row("41", "J = J_q - J_b J_D",
        lambda o: (o.B @ o.XP - o.B @ o.X_b @ Model(o).coupling.T, Model(o).J)),
    misprint("42", "V̇ᵉ = J_b M_b⁻¹ {... - X_b* b} + J M⁻¹ (T̂ - C) + ... - {...} f_e",
             lambda o: (open_chain(o, Model(o).T_hat) - pulled(o) @ o.f_e, o.V_e_dot),
             "... {... X_b* b} + J M⁻¹ (T - C) ...",
             lambda o: (open_chain(o, o.T_a, sign=1.0) - pulled(o) @ o.f_e, o.V_e_dot)),
    Row("43", "V̇ᵉ = V̇_open - V̇_constrained",
        lambda o: (Model(o).V_open_dot - Model(o).H @ o.f_e, o.V_e_dot)),
    misprint("44", "V̇_open = J_b M_b⁻¹ {... - X_b* b} + J M⁻¹ (T̂ - C) + ...",
             lambda o: (open_chain(o, Model(o).T_hat), Model(o).V_open_dot), "... {... X_b* b} + J M⁻¹ (T - C) ...",
             lambda o: (open_chain(o, o.T_a, sign=1.0), Model(o).V_open_dot)),
    misprint("45", "V̇_constrained = {J M⁻¹ J* + J_b M_b⁻¹ X_b* (1 - G X_b M_b⁻¹ X_b*) D} f_e",
             lambda o: (pulled(o) @ o.f_e, Model(o).V_open_dot - o.V_e_dot), "... (1 - G M_b⁻¹ X_b*) D} f_e",
             note=DIMENSION),
    Row("46", "V̇_constrained = V̇_open - W V̇° - Ẇ V°",
        lambda o: (Model(o).H @ o.f_e, Model(o).V_open_dot - o.W @ o.V_o_dot)),
    Row("47", "f_e = H⁻¹ (V̇_open - W V̇° - Ẇ V°)",
        lambda o: (solve(Model(o).H, Model(o).V_open_dot - o.W @ o.V_o_dot), o.f_e)),
    Row("48", "H = J M⁻¹ J* + J_b M_b⁻¹ X_b* (1 - G X_b M_b⁻¹ X_b*) D = J M⁻¹ J* + J_p M_p⁻¹ J_p*",
        lambda o: [(pulled(o), Model(o).H), (pulled(o), _compliance(o))],
        note="nonsingular only where [J_b J_q] has full row rank"),
    misprint("49", "V̇° = (M_o + W* H⁻¹ W)⁻¹ {W* H⁻¹ (V̇_open - Ẇ V°) - b_o}", lambda o: (_object_by_49(o), o.V_o_dot),
             "V̇° = (M_o⁻¹ + W* H⁻¹ W)⁻¹ {H⁻¹ (V̇_open - Ẇ V°) - b_o}", note=DIMENSION),
))  # fmt: skip


def _base_of(o: Ship, q_dd: Array) -> Array:
    """V̇_b for other q̈, by the equations of motion of all passive dofs: the momentum of the whole."""
    whole = np.concatenate([o.X_b, o.XP], axis=1)
    mass = whole.T @ o.M_q @ whole + diagonal([o.M_b, np.zeros((len(q_dd), len(q_dd)))])
    load = o.f_b - Model(o).C_p - Model(o).J_p.T @ o.f_e
    return solve(mass[:6, :6], load - mass[:6, 6:] @ q_dd)


def _change(o: Ship) -> Array:
    """What q̈ makes of V̇_b."""
    return _base_of(o, o.rate_rate_q) - _base_of(o, 0 * o.rate_rate_q)


def _base_mask(o: Ship) -> Array:
    mask = np.zeros(o.robot.nv, dtype=bool)
    mask[o.own["base"]] = True
    return mask


def _compliance(o: Ship) -> Array:
    """H by the compiled core's mass matrix."""
    J = np.concatenate([o.robot.jacobian(o.q, f"tip{j}", "body") for j in range(2)])[:, : o.own["object"].start]
    mass = np.asarray(o.robot.mass_matrix(o.q))[: J.shape[1], : J.shape[1]]
    return J @ solve(mass, J.T)
