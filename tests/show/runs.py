"""Motions to show, made by a few steps of semi-implicit Euler: tests of looking need no simulator."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np

import phipsi as pp


def flight(robot: pp.Robot, q: np.ndarray, v: np.ndarray, steps: int = 60, step: float = 0.01) -> SimpleNamespace:
    """Free motion, every step recorded, time first."""
    qs, vs = [q], [v]
    for _ in range(steps):
        v = v + step * robot.forward_dynamics(q, v, np.zeros(v.shape))
        q = robot.integrate(q, step * v)
        qs.append(q)
        vs.append(v)
    return SimpleNamespace(robot=robot, t=step * np.arange(steps + 1.0), q=np.array(qs), v=np.array(vs))


def satellite(steps: int = 60) -> SimpleNamespace:
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.neutral(), 0.2 * np.random.default_rng(0).normal(size=ship.nv)
    q[[8, 10, 15, 17]] = 0.8, -1.6, 0.8, -1.6
    return flight(ship, q, v, steps)


def arms(count: int = 9) -> SimpleNamespace:
    arm = pp.zoo.arm()
    q, v = arm.random(count, rng=1)
    return flight(arm, q, 0.1 * v, steps=20)
