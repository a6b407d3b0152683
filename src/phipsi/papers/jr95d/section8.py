"""JR95d, section 8: forward dynamics in (θ, ξ), and two control laws."""

from __future__ import annotations

import numpy as np

from phipsi.dynamics import diagonal as dg
from phipsi.motion.control.decoupled import DecoupledDamping, DecoupledPose
from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array, block
from phipsi.reference.spatial import skew

from .arm import Arm, drawn


class Driven(Arm):
    """Seven joints, a frame on the last link, and a pose near by for it."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(drawn(rng, ("revolute",) * 7), rng)
        there = np.asarray(self.robot.integrate(self.q, 0.3 * rng.normal(size=7)))
        self.goal = self.robot.pose(there, "tip")
        self.c1, self.c2 = rng.uniform(1, 3, size=7), float(rng.uniform(5, 10))
        x = rng.normal(size=(12, 12))
        self.W = x @ x.T + np.eye(12)


def _xi_dot(w: Arm) -> Array:
    return w.rate(lambda o: inverse(o.root) @ o.m.T @ o.v)


def _zeta(w: Arm) -> Array:
    return w.K @ w.T + w.lam @ w.H.T @ w.xi - (-w.Dt.T @ w.P + w.Vt.T @ w.M) @ w.V


def _gamma(w: Arm) -> Array:
    """(8.3), tip to base."""
    zeta, out, gamma = _zeta(w), np.zeros(w.N), np.zeros(6)
    for k in reversed(range(w.N)):
        psi = w.Es[block(k), block(k + 1)] if k + 1 < w.N else np.zeros((6, 6))
        gamma = psi @ gamma + zeta[block(k)]
        out[k] = (w.T[k] - w.H[k, block(k)] @ gamma) / w.D[k, k]
    return out


def _right_hand_side(w: Arm) -> list[tuple[Array, Array]]:
    rate, xi_dot = dg.dynamics(w.robot, w.q, w.xi, w.T, normalized=False)
    return [(rate, w.v), (xi_dot, _xi_dot(w)), (dg.velocities(w.robot, w.q, w.root @ w.xi), w.v)]


def _order(w: Arm) -> tuple[list[bool], list[bool]]:
    """Euler's method on the true right-hand side errs as dt (so RK4 as dt⁴): halving dt halves the error."""
    ends: list[Array] = []
    for steps in (200, 400, 800):
        q, xi, dt = w.q, w.xi, 0.1 / steps
        for _ in range(steps):
            middle = _step(w, q, xi, dt / 2, q, xi)
            q, xi = _step(w, q, xi, dt, *middle)
        ends.append(np.concatenate([q, xi]))
    ratio = float(np.linalg.norm(ends[0] - ends[1]) / np.linalg.norm(ends[1] - ends[2]))
    return [3.8 < ratio < 4.2], [True]


def _step(w: Arm, q: Array, xi: Array, dt: float, at_q: Array, at_xi: Array) -> tuple[Array, Array]:
    v, rate = dg.dynamics(w.robot, at_q, at_xi, w.T, normalized=False)
    return np.asarray(w.robot.integrate(q, dt * v)), xi + dt * rate


# ── control ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def _under(w: Driven, law: DecoupledDamping | DecoupledPose) -> tuple[Array, float]:
    """The torques of a law, and the rate of the kinetic energy under it."""
    tau = np.asarray(law(0.0, w.q, w.v))
    return tau, float(w.v @ tau)


def _damping(w: Driven) -> list[tuple[Array, Array]]:
    law = DecoupledDamping(w.robot, w.c1)
    tau, rate = _under(w, law)
    return [(tau, w.m @ (-w.c1 * w.nu)), (np.array(rate), -np.array(w.nu @ (w.c1 * w.nu)))]


def _Y(w: Driven, q: Array) -> Array:
    here = w.robot.pose(q, "tip")
    return np.concatenate([here.position, here.rotation.T.ravel()])


def _B(w: Driven) -> Array:
    """The 6N × 12 pick-off: only the last link's rows are not zero, and they depend on θ."""
    here, k = w.robot.pose(w.q, "tip"), w.N - 1
    l = here.position - w.state.origin[k]  # noqa: E741
    out = np.zeros((len(w.I), 12))
    block_T = np.zeros((12, 6))
    block_T[:3] = np.concatenate([-skew(l), np.eye(3)], axis=1)
    for i in range(3):
        block_T[3 + 3 * i : 6 + 3 * i, :3] = -skew(here.rotation[:, i])
    out[block(k)] = block_T.T
    return out


def _Y_rate(w: Driven) -> tuple[Array, Array]:
    h, steps = 4e-3, {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    rate = np.sum(
        [c * (_Y(w, w.q + k * h * w.v) - _Y(w, w.q - k * h * w.v)) for k, c in steps.items()], axis=0
    ) / h  # fmt: skip
    return _B(w).T @ w.phi.T @ w.H.T @ w.v, rate


def _dissipation(w: Driven, epsilon: Array, W: Array) -> tuple[Array, Array]:
    """L̇ of L = ½ν*ν + ½e*We against -ν*c₁ν."""
    e = _error(w)
    rate = w.nu @ epsilon - e @ W @ (_B(w).T @ w.phi.T @ w.H.T @ w.v)
    return np.array(rate), -np.array(w.nu @ (w.c1 * w.nu))


def _error(w: Driven) -> Array:
    return np.concatenate([w.goal.position, w.goal.rotation.T.ravel()]) - _Y(w, w.q)


def _pose_law(w: Driven) -> list[tuple[Array, Array]]:
    pairs: list[tuple[Array, Array]] = []
    for given, W in ((w.c2, w.c2 * np.eye(12)), (w.W, w.W)):
        epsilon = -w.c1 * w.nu + inverse(w.root) @ w.H @ w.psi @ _B(w) @ W @ _error(w)
        law = DecoupledPose(w.robot, "tip", w.goal, w.c1, given)
        pairs += [(_under(w, law)[0], w.m @ epsilon), _dissipation(w, epsilon, W)]
    return pairs


def _pose_law_as_printed(w: Driven) -> tuple[Array, Array]:
    epsilon = -w.c1 * w.nu - w.c2 * w.H @ w.psi @ _B(w) @ _error(w)
    return _dissipation(w, epsilon, w.c2 * np.eye(12))


def _wrong_pose(w: Driven) -> list[tuple[Array, Array]]:
    """Turned by π about an axis of the frame: an equilibrium with e ≠ 0."""
    here = w.robot.pose(w.q, "tip")
    turned = type(here)(here.position, rotation=here.rotation @ np.diag([1.0, -1.0, -1.0]))
    law = DecoupledPose(w.robot, "tip", turned, w.c1, w.c2)
    return [(law(0.0, w.q, 0 * w.v), 0 * w.v), (np.array(float(np.linalg.norm(law.error(w.q)))), np.array(8.0**0.5))]


_ROWS: tuple[Row[Driven], ...] = (
    misprint("8.1", "ξ̇ = D⁻¹[κ - C(θ, ξ)] = D⁻¹[T - Hψζ]",
             lambda w: (inverse(w.D) @ (w.T - w.H @ w.psi @ _zeta(w)), _xi_dot(w)),
             "… = T - Hψζ", lambda w: (w.T - w.H @ w.psi @ _zeta(w), _xi_dot(w))),
    definition("8.2", "ζ = KT + λ̇H*ξ - (Ω~_δP + V~*M)V",
               lambda w: (w.H @ w.psi @ _zeta(w), w.T - w.D @ _xi_dot(w))),
    Row("8.3", "γ(k) = ψγ(k-1) + ζ(k), ξ̇(k) = D⁻¹(k)[T(k) - H(k)γ(k)]", lambda w: (_gamma(w), _xi_dot(w)),
        title="Algorithm 8.1"),
    misprint("Algorithm 8.1", "θ̇, V from ξ by Table 2 with ν = D^½ ξ; then ξ̇: a right-hand side for any integrator",
             _right_hand_side, "ν = D^{-½} ξ, in two sweeps, with the gains of the step before",
             lambda w: (dg.velocities(w.robot, w.q, inverse(w.root) @ w.xi), w.v),
             note="the printed loop is of first order whatever the quadrature"),
    Row("Algorithm 8.1, order", "the midpoint rule on it is of second order", _order,
        note="not so the printed loop"),
    Row("8.4", "ε = -cν: 𝒦̇ = -ν*cν, so that 𝒦(t) ≤ 𝒦(0) exp(-2 c_min t)", _damping, title="Control 8.1",
        note="with gravity T = mε + ∂U/∂θ"),
    Row("8.5", "Ẏ = B*φ*H*θ̇", _Y_rate, note="B depends on θ; only the rows of the last link are not zero"),
    misprint("8.6", "ε = -c₁ν + D^{-½}HψBWe, W a number or symmetric positive definite: L̇ = -ν*c₁ν", _pose_law,
             "ε = -c₁ν - c₂HψBe, c₂ diagonal", _pose_law_as_printed, title="Control 8.2"),
    misprint("Control 8.2", "the motion stops where HψBWe = 0: at the goal, or turned from it by π, or elsewhere",
             _wrong_pose, "causes the system to reach the prescribed configuration"),
)  # fmt: skip

SECTION_8 = Section("8", "Forward dynamics and control applications", Driven, _ROWS)
