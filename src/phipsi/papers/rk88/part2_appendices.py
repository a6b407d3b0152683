"""RK88, part II, appendices A and B: contacts that leave some rotations free, and the closed chains that they make."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phipsi.papers.least_constraint import diagonal
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

from .arm import Arm, cross, inverse
from .grasped import Grasped, mixed


def h(o: Grasped, i: int) -> Array:
    """h_i(0): the axes about which contact i lets the object turn, fixed to the object."""
    return o.turns(o.q) @ o.freedoms[i]


def H(o: Grasped) -> Array:
    """H(0): H*(0) = diag col[h_i(0), 0]."""
    return diagonal([np.concatenate([h(o, i).T, np.zeros((h(o, i).shape[1], 3))], axis=1) for i in range(o.count)])


def W(o: Grasped) -> Array:
    """W(0): how fast the contacts turn, about their axes; of the motion."""
    return H(o) @ (o.A @ o.V_C - o.V0)  # the axes are orthonormal


def H_rate_W(o: Grasped) -> Array:
    """Ḣ*(0) W(0) = col[ω × h W; 0], ω of the body that carries the axes."""
    turning = (H(o).T @ W(o)).reshape(-1, 6)[:, :3]
    return np.concatenate([np.r_[cross(o.V_C[:3], turn), np.zeros(3)] for turn in turning])


def alpha_minus(o: Grasped) -> Array:
    """α⁻(0): of the object at the contacts, by the compiled core."""
    parts = [o.robot.acceleration(o.q, o.rate, o.acceleration, f"grasp{i}") for i in range(o.count)]
    return np.concatenate(parts)


def W_rate(o: Grasped) -> Array:
    """Ẇ(0), of the motion."""
    return H(o) @ (alpha_minus(o) - o.alpha0 - H_rate_W(o))


def G1(o: Grasped) -> Array:
    """(b.4c)."""
    return o.yielding_b + o.J_dot_rate + H_rate_W(o) - o.a_C - o.J @ o.Mass_inverse @ o.C


def JMT(o: Grasped) -> Array:
    """J 𝓜⁻¹ T."""
    return o.J @ o.Mass_inverse @ o.torques


def W_rate_solved(o: Grasped) -> Array:
    """(b.5b)."""
    HO = H(o) @ inverse(o.Omega)
    return -solve(HO @ H(o).T, HO @ (JMT(o) + G1(o)))


def Pi(o: Grasped) -> Array:
    """(b.7b)."""
    O = inverse(o.Omega)  # noqa: E741
    return O - O @ H(o).T @ solve(H(o) @ O @ H(o).T, H(o) @ O)


def f_solved(o: Grasped) -> Array:
    """(b.7a)."""
    return Pi(o) @ (JMT(o) + G1(o))


def joints(o: Grasped) -> Array:
    """(b.8)."""
    MJP = o.Mass_inverse @ o.J.T @ Pi(o)
    return o.Mass_inverse @ o.torques - MJP @ JMT(o) - MJP @ G1(o) - o.Mass_inverse @ o.C


@dataclass(frozen=True)
class Coupled:
    """The terms of (b.10) to (b.14)."""

    o: Grasped

    @property
    def HO(self) -> Array:
        """H Ω⁻¹."""
        return H(self.o) @ inverse(self.o.Omega)

    def G2(self, printed: bool = False) -> Array:
        """(b.11), corrected or as printed."""
        o, JMC = self.o, self.o.J @ self.o.Mass_inverse @ self.o.C
        inner = (o.yielding @ Pi(o) - np.eye(len(o.J))) @ G1(o)
        return self.HO @ (inner + JMC if printed else inner - JMC)

    def G3(self) -> Array:
        """(b.13)."""
        return -self.o.J.T @ solve(self.o.Omega, G1(self.o)) - self.o.C

    def left(self) -> Array:
        """The left side of (b.10), of the motion."""
        return self.HO @ (H(self.o).T @ W_rate(self.o) + self.o.J @ self.o.W_dot)

    def right(self, printed: bool = False) -> Array:
        """The right side of (b.10)."""
        o, JMC = self.o, self.o.J @ self.o.Mass_inverse @ self.o.C
        through = self.HO @ o.yielding @ Pi(o) @ (JMT(o) + G1(o))
        return through + self.HO @ (JMC - G1(o) if printed else -JMC - G1(o))

    def matrix(self) -> Array:
        """The matrix of (b.14)."""
        o = self.o
        return np.block([[self.HO @ H(o).T, self.HO @ o.J], [o.J.T @ self.HO.T, o.Mass]])

    def driven(self, printed: bool = False) -> Array:
        """The right side of (b.14)."""
        o = self.o
        upper = self.HO @ o.yielding @ Pi(o) @ JMT(o)
        lower = o.torques - o.J.T @ solve(o.Omega, JMT(o))
        return np.r_[upper + self.G2(printed), lower + self.G3()]


def _minus(o: Grasped) -> Array:
    """V⁻(0), by the compiled core."""
    return np.concatenate([o.robot.velocity(o.q, o.rate, f"grasp{i}") for i in range(o.count)])


def _relative_attitude(o: Grasped) -> list[tuple[Array, Array]]:
    """Quaternions of the object's axes seen from the tips, differentiated numerically; and Λ(q) R* h W."""
    pairs: list[tuple[Array, Array]] = []
    path = o.robot.integrate(o.q, o.rate * (np.arange(-4, 5) * 0.02)[:, None])
    turns = np.split(H(o).T @ W(o), o.count)
    for i, name in enumerate(o.names):
        tips, body = o.robot.pose(path, f"{name}/tip"), o.robot.pose(path, "object")
        q = np.asarray((tips.inv @ body).quaternion)
        q = q * np.where(q @ q[4] < 0, -1.0, 1.0)[:, None]
        w = tips.rotation[4].T @ turns[i][:3]
        rates = np.r_[-q[4, 1:] @ w, q[4, 0] * w + cross(w, q[4, 1:])] / 2  # Λ(q) w = [0, w] q / 2
        pairs.append((Arm.rates(q), rates))
    return pairs


def _free_directions(o: Grasped, kind: str) -> list[tuple[Array, Array]]:
    """Contacts of a kind: the force has no moment about their axes, and all else of the relative motion is zero."""
    pairs: list[tuple[Array, Array]] = [(np.zeros(0), np.zeros(0))]
    slip = _minus(o) - o.V0
    for i, found in enumerate(o.contacts):
        if found == kind:
            own, axes = slice(6 * i, 6 * i + 6), h(o, i)
            across = np.eye(3) - axes @ axes.T
            moment = axes.T @ o.f0[own][:3]
            pairs += [(across @ slip[own][:3], np.zeros(3)), (slip[own][3:], np.zeros(3)),
                      (moment, np.zeros(len(moment)))]  # fmt: skip
    return pairs


PART_2_A = Section("II.A", "Part II: contact models for non-fully-constrained grasps", mixed, (
    Row("II a.1", "v⁻(0) = v⁺(0), ω⁻(0) = ω⁺(0) + Δω⁺",
        lambda o: [((_minus(o) - o.V0).reshape(-1, 6)[:, 3:], np.zeros((o.count, 3))),
                   ((_minus(o) - o.V0).reshape(-1, 6)[:, :3], [h(o, i) @ h(o, i).T @ (_minus(o) - o.V0)[
                       6 * i : 6 * i + 3] for i in range(o.count)])]),
    Row("II a.2", "V⁻(0) = V⁺(0) + ΔV⁺", lambda o: (_minus(o), o.V0 + H(o).T @ W(o))),
    definition("II a.3", "ΔV⁺ = col[Δω⁺, 0]",
               lambda o: ((_minus(o) - o.V0).reshape(-1, 6)[:, 3:], np.zeros((o.count, 3)))),
    Row("II a.4", "Θ̇(0) = F[Θ(0)] W(0); of Euler parameters, Λ(q) R⁺* h(0) W(0)", _relative_attitude,
        note="resolved in the frame of the + side"),
    Row("II a.5", "Δω⁺ = h(0) W(0)",
        lambda o: ((_minus(o) - o.V0).reshape(-1, 6)[:, :3], (H(o).T @ W(o)).reshape(-1, 6)[:, :3])),
    Row("II a.6", "V⁻(0) = V⁺(0) + H*(0) W(0), H*(0) = col[h(0), 0]", lambda o: (_minus(o), o.V0 + H(o).T @ W(o))),
    *(Row(f"II Case {case}", said, lambda o, kind=kind: _free_directions(o, kind), title=title)
      for case, kind, said, title in (
        (1, "revolute", "one axis, n_g = 1: a hinge, or an edge with friction", "1 dof rotational contact"),
        (2, "point", "h = 1, n_g = 3: a ball in a socket, or a point with friction", "3 dof rotational contact"),
        (3, "soft finger", "two axes in the tangent plane, n_g = 2: no turn about the normal",
         "2 dof rotational contact"),
    )),
    Row("II a.7", "H(0) f(0) = 0", lambda o: (H(o) @ o.f0, np.zeros(len(W(o))))),
    Row("II a.8", "α⁻(0) = α⁺(0) + H*(0) Ẇ(0) + Ḣ*(0) W(0)",
        lambda o: (alpha_minus(o), o.alpha0 + H(o).T @ W_rate_solved(o) + H_rate_W(o))),
    Row("II a.9", "α⁺(0) = J θ̈ + J̇ θ̇", lambda o: (o.alpha0, o.J @ o.W_dot + o.J_dot_rate)),
    Row("II a.10", "α⁻(0) = A α(C) + a(C)", lambda o: (alpha_minus(o), o.A @ o.alpha_C + o.a_C)),
))  # fmt: skip


PART_2_B = Section("II.B", "Part II: the forward dynamics problem for non-fully-constrained grasps", mixed, (
    Row("II b.1a", "𝓜 θ̈ + C + J* f(0) = T", lambda o: (o.Mass @ o.W_dot + o.C + o.J.T @ o.f0, o.torques)),
    Row("II b.1b", "M(C) α(C) + b(C) = A* f(0)", lambda o: (o.M_C @ o.alpha_C + o.b_C, o.A.T @ o.f0)),
    Row("II b.1c", "H(0) f(0) = 0", lambda o: (H(o) @ o.f0, np.zeros(len(W(o))))),
    Row("II b.1d", "α⁺(0) = J θ̈ + J̇ θ̇", lambda o: (o.alpha0, o.J @ o.W_dot + o.J_dot_rate)),
    Row("II b.1e", "α⁻(0) = A α(C) + a(C)", lambda o: (alpha_minus(o), o.A @ o.alpha_C + o.a_C)),
    Row("II b.1f", "α⁻(0) = α⁺(0) + H*(0) Ẇ(0) + Ḣ*(0) W(0)",
        lambda o: (alpha_minus(o), o.alpha0 + H(o).T @ W_rate_solved(o) + H_rate_W(o))),
    Row("II b.2", "α⁺(0) = J 𝓜⁻¹ [T - J* f(0) - C] + J̇ θ̇",
        lambda o: (o.J @ o.Mass_inverse @ (o.torques - o.J.T @ o.f0 - o.C) + o.J_dot_rate, o.alpha0)),
    Row("II b.3", "α⁻(0) = A M⁻¹(C) A* f(0) - A M⁻¹(C) b(C) + a(C)",
        lambda o: (o.yielding @ o.f0 - o.yielding_b + o.a_C, alpha_minus(o))),
    definition("II b.4a", "Ω = J 𝓜⁻¹ J* + A M⁻¹(C) A*",
               lambda o: (o.Omega @ o.f0, JMT(o) + H(o).T @ W_rate(o) + G1(o))),
    Row("II b.4b", "Ω f(0) = J 𝓜⁻¹ T + H*(0) Ẇ(0) + G₁",
        lambda o: (solve(o.Omega, JMT(o) + H(o).T @ W_rate(o) + G1(o)), o.f0)),
    definition("II b.4c", "G₁ = A M⁻¹(C) b(C) + J̇ θ̇ + Ḣ*(0) W(0) - a(C) - J 𝓜⁻¹ C",
               lambda o: (G1(o), o.Omega @ o.f0 - JMT(o) - H(o).T @ W_rate(o))),
    Row("II b.5a", "[H Ω⁻¹ H*] Ẇ = -H Ω⁻¹ J 𝓜⁻¹ T - H Ω⁻¹ G₁",
        lambda o: (H(o) @ inverse(o.Omega) @ (H(o).T @ W_rate(o) + JMT(o) + G1(o)), np.zeros(len(W(o))))),
    Row("II b.5b", "Ẇ = -[H Ω⁻¹ H*]⁻¹ {H Ω⁻¹ J 𝓜⁻¹ T + H Ω⁻¹ G₁}", lambda o: (W_rate_solved(o), W_rate(o))),
    Row("II b.6a", "Ẇ = -[H Ω⁻¹ H*]⁻¹ [H Ω⁻¹ J 𝓜⁻¹ T + H Ω⁻¹ G₁]", lambda o: (W_rate_solved(o), W_rate(o))),
    Row("II b.6b", "f(0) = Ω⁻¹ [J 𝓜⁻¹ T + H* Ẇ + G₁]",
        lambda o: (solve(o.Omega, JMT(o) + H(o).T @ W_rate_solved(o) + G1(o)), o.f0)),
    Row("II b.6c", "𝓜 θ̈ + C + J* f(0) = T", lambda o: (o.Mass @ o.W_dot + o.C + o.J.T @ f_solved(o), o.torques)),
    Row("II b.7a", "f(0) = Π (J 𝓜⁻¹ T + G₁)", lambda o: (f_solved(o), o.f0)),
    Row("II b.7b", "Π = Ω⁻¹ - Ω⁻¹ H* [H Ω⁻¹ H*]⁻¹ H Ω⁻¹ = N (N* Ω N)⁻¹ N*, H N = 0",
        lambda o: [(Pi(o), o.transmitted(o.turns(o.q)) @ solve(
            o.transmitted(o.turns(o.q)).T @ o.Omega @ o.transmitted(o.turns(o.q)), o.transmitted(o.turns(o.q)).T)),
            (Pi(o) @ o.Omega @ Pi(o), Pi(o)), (H(o) @ Pi(o), np.zeros_like(H(o)))],
        note="the second form, by the forces that contacts transmit, is ours; it needs no regular Ω"),
    Row("II b.8", "θ̈ = (𝓜⁻¹ - 𝓜⁻¹ J* Π J 𝓜⁻¹) T - 𝓜⁻¹ J* Π G₁ - 𝓜⁻¹ C", lambda o: (joints(o), o.W_dot)),
    definition("II b.9a", "G₁ = A M⁻¹(C) b(C) + J̇ θ̇ + Ḣ*(0) W(0) - a(C) - J 𝓜⁻¹ C",
               lambda o: (G1(o), o.Omega @ o.f0 - JMT(o) - H(o).T @ W_rate(o))),
    definition("II b.9b", "Ω = J 𝓜⁻¹ J* + A M⁻¹(C) A*",
               lambda o: (o.Omega @ o.f0, JMT(o) + H(o).T @ W_rate(o) + G1(o))),
    definition("II b.9c", "Π = Ω⁻¹ - Ω⁻¹ H* [H Ω⁻¹ H*]⁻¹ H Ω⁻¹",
               lambda o: (Pi(o) @ o.Omega @ o.f0, o.f0)),
    Row("II b.9d", "f(0) = Π (J 𝓜⁻¹ T + G₁)", lambda o: (f_solved(o), o.f0)),
    Row("II b.9e", "θ̈ = (𝓜⁻¹ - 𝓜⁻¹ J* Π J 𝓜⁻¹) T - 𝓜⁻¹ J* Π G₁ - 𝓜⁻¹ C", lambda o: (joints(o), o.W_dot)),
    Row("II b.9f", "Ẇ = -[H Ω⁻¹ H*]⁻¹ [H Ω⁻¹ J 𝓜⁻¹ T + H Ω⁻¹ G₁]", lambda o: (W_rate_solved(o), W_rate(o))),
    misprint("II b.10", "H Ω⁻¹ H* Ẇ + H Ω⁻¹ J θ̈ = H Ω⁻¹ A M⁻¹(C) A* Π (J 𝓜⁻¹ T + G₁) - H Ω⁻¹ (J 𝓜⁻¹ C + G₁)",
             lambda o: (Coupled(o).right(), Coupled(o).left()), "... + H Ω⁻¹ (J 𝓜⁻¹ C - G₁)",
             lambda o: (Coupled(o).right(printed=True), Coupled(o).left()), note="G₁ contains -J 𝓜⁻¹ C already"),
    misprint("II b.11", "G₂ = H Ω⁻¹ {(A M⁻¹(C) A* Π - 1) G₁ - J 𝓜⁻¹ C}",
             lambda o: (Coupled(o).left() - Coupled(o).HO @ o.yielding @ Pi(o) @ JMT(o), Coupled(o).G2()),
             "... + J 𝓜⁻¹ C}",
             lambda o: (Coupled(o).left() - Coupled(o).HO @ o.yielding @ Pi(o) @ JMT(o), Coupled(o).G2(True))),
    Row("II b.12", "𝓜 θ̈ + J* Ω⁻¹ H* Ẇ = (1 - J* Ω⁻¹ J 𝓜⁻¹) T + G₃",
        lambda o: (o.Mass @ o.W_dot + o.J.T @ solve(o.Omega, H(o).T @ W_rate(o)),
                   o.torques - o.J.T @ solve(o.Omega, JMT(o)) + Coupled(o).G3())),
    definition("II b.13", "G₃ = -J* Ω⁻¹ G₁ - C",
               lambda o: (Coupled(o).G3(), o.Mass @ o.W_dot + o.J.T @ solve(o.Omega, H(o).T @ W_rate(o) + JMT(o))
                          - o.torques)),
    misprint("II b.14", "[[H Ω⁻¹ H*, H Ω⁻¹ J], [J* Ω⁻¹ H*, 𝓜]] [Ẇ; θ̈] = "
             "[H Ω⁻¹ A M⁻¹(C) A* Π J 𝓜⁻¹; 1 - J* Ω⁻¹ J 𝓜⁻¹] T + [G₂; G₃]",
             lambda o: (Coupled(o).matrix() @ np.r_[W_rate(o), o.W_dot], Coupled(o).driven()),
             "the same, with G₂ of the printed (b.11)",
             lambda o: (Coupled(o).matrix() @ np.r_[W_rate(o), o.W_dot], Coupled(o).driven(printed=True)),
             note="its matrix is singular where the contacts leave more than six motions free: compute from (b.9)"),
))  # fmt: skip
