"""An acrobot swings up: one motor at the elbow, none at the shoulder, planned and moved by hybrid dynamics."""

from __future__ import annotations

import time
from dataclasses import dataclass

import numpy as np

import phipsi as pp
from phipsi.model.reading import Floats
from phipsi.motion.simulate import simulate

from .stage import Outcome, Stage

UPRIGHT = np.array([np.pi, 0.0, 0.0, 0.0])  # shoulder, elbow, and their velocities
STEP, STEPS = 0.02, 200
_EFFORT = 1e-3  # what a squared acceleration of the elbow costs
_ARRIVE = 2e4  # what it costs not to arrive where the balance can hold it; then ever more
_CLOSE = 1e-5  # of the same, seen by the balance: near enough for it to take over


def moved(robot: pp.Robot, x: Floats, u: Floats) -> Floats:
    """States (*batch, 4) one step later (Runge-Kutta), the elbow accelerated by u (*batch); the shoulder is free.

    Hybrid dynamics: of the shoulder the torque is known (none), of the elbow the acceleration.
    """

    def rate(x: Floats) -> Floats:
        wish = np.stack([np.zeros_like(u), u], axis=-1)
        _, a = robot.hybrid_dynamics(x[..., :2], x[..., 2:], np.zeros_like(wish), wish)
        return np.concatenate([x[..., 2:], a], axis=-1)

    k1 = rate(x)
    k2 = rate(x + STEP / 2 * k1)
    k3 = rate(x + STEP / 2 * k2)
    return x + STEP / 6 * (k1 + 2 * k2 + 2 * k3 + rate(x + STEP * k3))


def slopes(robot: pp.Robot, x: Floats, u: Floats, small: float = 1e-6) -> tuple[Floats, Floats]:
    """How `moved` changes with x and u: (T, 4, 4) and (T, 4), by differences; all states in one batch."""
    aside = np.concatenate([small * np.eye(5), -small * np.eye(5)])
    ends = moved(robot, x[:, None] + aside[:, :4], u[:, None] + aside[:, 4])
    both = np.swapaxes(ends[:, :5] - ends[:, 5:], -1, -2) / (2 * small)
    return both[..., :4], both[..., 4]


@dataclass
class Plan:
    """A motion x (T + 1, 4), its controls u (T,), and the gains (T, 4) that hold it."""

    x: Floats
    u: Floats
    gain: Floats


def plan(robot: pp.Robot, iterations: int) -> Plan:
    """From hanging to standing: iterative LQR, each round linear-quadratic about the last one."""
    x0 = np.zeros(4)
    u = 8.0 * np.sin(3.5 * STEP * np.arange(STEPS))
    x = _rolled(robot, x0, u[None], np.zeros((1, STEPS + 1, 4)), np.zeros((STEPS, 4)))[0][0]
    shares = 0.5 ** np.arange(10.0)
    _, after = balance(robot)
    after /= np.abs(after).max()  # what is dear to the balance is dear to the plan
    gain, arrive, stiff = np.zeros((STEPS, 4)), _ARRIVE * after, 1.0
    worth = float(_cost(x[None], u[None], arrive)[0])
    for _ in range(iterations):
        push, gain = _backward(*slopes(robot, x[:-1], u), x, u, arrive, stiff)
        tries = u + shares[:, None] * push  # one batch: the same step, taken by so much
        xs, us = _rolled(robot, x0, tries, np.broadcast_to(x, (len(shares), *x.shape)), gain)
        costs = _cost(xs, us, arrive)
        best = int(np.nanargmin(costs))
        if costs[best] < worth:
            slow = worth - costs[best] < 1e-2 * worth
            x, u, worth, stiff = xs[best], us[best], float(costs[best]), max(stiff / 3, 1e-6)
            off = x[-1] - UPRIGHT
            if off @ after @ off < _CLOSE:
                break
            if slow:
                arrive = 3 * arrive
                worth = float(_cost(x[None], u[None], arrive)[0])
        else:
            stiff *= 5
    return Plan(x, u, _backward(*slopes(robot, x[:-1], u), x, u, arrive, 0.0)[1])


def balance(robot: pp.Robot) -> tuple[Floats, Floats]:
    """The gain that stands upright, and what is left to pay: LQR of the dynamics linearised there."""
    A, B = (part[0] for part in slopes(robot, UPRIGHT[None], np.zeros(1)))
    cost = np.diag([10.0, 10.0, 1.0, 1.0])
    worth, gain = cost, np.zeros(4)
    for _ in range(2000):
        gain = (B @ worth @ A) / (1.0 + B @ worth @ B)
        worth = cost + A.T @ worth @ (A - np.outer(B, gain))
    return gain, worth


def _cost(x: Floats, u: Floats, arrive: Floats) -> Floats:
    off = x[:, -1] - UPRIGHT
    cost = np.einsum("bi,ij,bj->b", off, arrive, off) + _EFFORT * STEP * 100 * (u**2).sum(axis=-1)
    return np.where(np.isfinite(cost), cost, np.inf)


def _rolled(robot: pp.Robot, x0: Floats, u: Floats, about: Floats, gain: Floats) -> tuple[Floats, Floats]:
    """Motions (B, T + 1, 4) under controls u (B, T) and gains about others, and the controls that came of it."""
    x, used = np.empty((len(u), STEPS + 1, 4)), u.copy()
    x[:, 0] = x0
    for k in range(STEPS):
        used[:, k] = np.clip(u[:, k] + (x[:, k] - about[:, k]) @ gain[k], -400.0, 400.0)
        x[:, k + 1] = moved(robot, x[:, k], used[:, k])
    return x, used


def _backward(A: Floats, B: Floats, x: Floats, u: Floats, arrive: Floats, stiff: float) -> tuple[Floats, Floats]:
    """What to add to the controls, and gains, from the last step to the first."""
    bent, slope = 2 * arrive, 2 * arrive @ (x[-1] - UPRIGHT)  # of the cost to go
    weight = 2 * _EFFORT * STEP * 100
    push, gain = np.zeros(STEPS), np.zeros((STEPS, 4))
    for k in range(STEPS - 1, -1, -1):
        down, across = weight * u[k] + B[k] @ slope, B[k] @ bent @ A[k]
        own = weight + B[k] @ bent @ B[k]
        push[k], g = -down / (own + stiff), -across / (own + stiff)
        slope = A[k].T @ slope + g * down + (across + own * g) * push[k]
        bent = A[k].T @ bent @ A[k] + np.outer(g, across) + np.outer(across, g) + own * np.outer(g, g)
        bent, gain[k] = (bent + bent.T) / 2, g
    return push, gain


def run(stage: Stage, fast: bool = False) -> Outcome:
    """Four seconds from hanging to standing, and four of standing (one if `fast`)."""
    robot = pp.zoo.acrobot()
    start = time.perf_counter()
    with stage.step("a swing-up is planned (iterative LQR, derivatives in one batch a round)"):
        planned, hold = plan(robot, 300), balance(robot)[0]
    planning = time.perf_counter() - start

    def law(t: float, q: Floats, v: Floats) -> Floats:
        x, k = np.concatenate([q, v]), int(t / STEP + 1e-6)
        if k < STEPS:
            meant = planned.x[k] + (t / STEP - k) * (planned.x[k + 1] - planned.x[k])
            return np.array([0.0, planned.u[k] + planned.gain[k] @ (x - meant)])
        return np.array([0.0, -hold @ (x - UPRIGHT)])

    start, until = time.perf_counter(), STEPS * STEP + (1.0 if fast else 4.0)
    with stage.step("the elbow swings both rods up, and they stand"):
        run = simulate(robot, [1e-3, 0.0], until=until, step=STEP / 4, acceleration=law, record_every=4, progress=False)
    seconds = time.perf_counter() - start
    height = robot.pose(run.q, "tip").position[:, 2]
    low = np.flatnonzero(height < 1.98)
    since = float(run.t[min(low[-1] + 1, run.t.size - 1)]) if low.size else 0.0
    shoulder = float(np.abs(run.tau[:, 0]).max())
    elbow = float(np.abs(run.tau[:, 1]).max())
    numbers = {"planning_seconds": planning, "wall_seconds": seconds, "tip": float(height[-1]),
               "stands_since": since, "shoulder_torque": shoulder, "elbow_torque": elbow}  # fmt: skip
    facts = {
        "tip at the end": f"{height[-1]:.4f} m of 2 m",
        "stands since": f"{since:.1f} s" if height[-1] > 1.98 else "it does not stand",
        "torque at the shoulder, at most": f"{shoulder:.1e} N m",
        "torque at the elbow, at most": f"{elbow:.1f} N m",
        "planned": f"in {planning:.1f} s; simulated: {until:g} s in {seconds:.2f} s",
    }
    text = "Only the elbow has a motor. Hybrid dynamics gives its torque for the acceleration that it should have."
    return Outcome("An acrobot swings up", text, facts, numbers, run, {"trace": ["tip"]})
