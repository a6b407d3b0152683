"""Coordinates of a whole robot: neutral, normalize, integrate, difference; joint by joint.

q lives on a manifold (quaternions, the plane's motions) and v in its tangent space; ``integrate`` walks along the
exponential of the joint's twist, ``difference`` is the walk's inverse."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import ArrayLike

from . import joints
from .description import Array, RobotLike, q_of, v_of


def _joined(parts: Iterable[Array]) -> Array:
    return np.concatenate([np.zeros(0), *parts])


def neutral(robot: RobotLike) -> Array:
    """The q at which every joint's motion is the identity."""
    return _joined(joints.neutral(joint) for joint in robot.joints)


def normalize(robot: RobotLike, q: ArrayLike) -> Array:
    """The same configuration with unit quaternions."""
    q = np.asarray(q, dtype=np.float64)
    return _joined(joints.normalize(joint, q[q_of(robot, k)]) for k, joint in enumerate(robot.joints))


def integrate(robot: RobotLike, q: ArrayLike, dq: ArrayLike) -> Array:
    """q moved for unit time at the constant velocity dq."""
    q, dq = np.asarray(q, dtype=np.float64), np.asarray(dq, dtype=np.float64)
    return _joined(joints.step(joint, q[q_of(robot, k)], dq[v_of(robot, k)]) for k, joint in enumerate(robot.joints))


def difference(robot: RobotLike, q0: ArrayLike, q1: ArrayLike) -> Array:
    """The dq with integrate(q0, dq) = q1."""
    q0, q1 = np.asarray(q0, dtype=np.float64), np.asarray(q1, dtype=np.float64)
    return _joined(joints.gap(joint, q0[q_of(robot, k)], q1[q_of(robot, k)]) for k, joint in enumerate(robot.joints))
