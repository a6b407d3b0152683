"""Robots whose motion is worth integrating: many SO(3) and SE(3) joints, trees, chaos."""

from __future__ import annotations

import numpy as np

import phipsi as pp

ROBOTS = {
    "arm": pp.zoo.arm(),
    "every joint": pp.zoo.every_joint(),
    "balls in space": pp.zoo.chain(4, "spherical", "free", seed=1),
    "tree": pp.zoo.tree(8, seed=3, base="free"),
}


def apart(robot: pp.Robot, q0: np.ndarray, v0: np.ndarray, q1: np.ndarray, v1: np.ndarray) -> float:
    """How far two states are from each other."""
    return float(np.abs(robot.difference(q0, q1)).max() + np.abs(v0 - v1).max())


def end(run: pp.Trajectory) -> tuple[np.ndarray, np.ndarray]:
    return run.q[-1], run.v[-1]
