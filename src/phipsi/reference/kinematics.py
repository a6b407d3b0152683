"""Poses, velocities, accelerations and Jacobians of bodies and of frames fixed to them.

``frame`` says in which numbers a frame's velocity is told:

``"world_aligned"``  the velocity of the frame's origin, in world axes
``"body"``           the velocity of the frame's origin, in the frame's own axes
``"world"``          the velocity of the frame's body at the world's origin, in world axes

Each is X(q) V(k); the Jacobian is what takes v to it, and the acceleration in it is the time derivative of those
numbers, J a + J-dot v. In ``"world_aligned"`` that is the inertial derivative [w-dot; v-dot].
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import spatial
from .description import WORLD, Array, RobotLike, block, freedom
from .operators import State, at
from .operators import poses as _poses

FRAMES = ("world_aligned", "body", "world")


def _target(robot: RobotLike, target: str) -> tuple[int, Array, Array]:
    """The body that carries a frame, and the frame's pose on it."""
    body, pose = robot.frame(target)
    return int(body), np.asarray(pose.rotation), np.asarray(pose.position)


def poses(robot: RobotLike, q: ArrayLike) -> tuple[Array, Array]:
    """(R (n, 3, 3), O (n, 3)) of all bodies."""
    return _poses(robot, np.asarray(q, dtype=np.float64))


def pose(robot: RobotLike, q: ArrayLike, target: str) -> tuple[Array, Array]:
    """(R, p) of a frame."""
    body, rotation, position = _target(robot, target)
    if body == WORLD:
        return rotation, position
    body_r, body_o = poses(robot, q)
    return body_r[body] @ rotation, body_o[body] + body_r[body] @ position


def velocities(robot: RobotLike, q: ArrayLike, v: ArrayLike) -> Array:
    """V = phi* H* v, as (n, 6). [JR93 3.2a]"""
    s = at(robot, q, v)
    return s.per_body(s.V)


def accelerations(robot: RobotLike, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
    """alpha = phi* (H* v-dot + a), as (n, 6): true inertial derivatives of V, without gravity. [JR93 3.2b]"""
    s = at(robot, q, v)
    return s.per_body(s.phi.T @ (s.H.T @ np.asarray(a, dtype=np.float64) + s.a))


def _told_in(s: State, target: str, frame: str) -> tuple[int, Array, Array]:
    """(k, X, X-dot): the numbers of ``frame`` are X V(k), and X-dot is the rate of X."""
    body, rotation, position = _target(s.robot, target)
    w, v = s.V[block(body)][:3], s.V[block(body)][3:]
    if frame == "world":  # at the world's origin, from which O_k leaves with v
        return body, spatial.shift(-s.origin[body]).T, _shift_rate(-v).T
    arm = s.rotation[body] @ position  # from O_k to the frame's origin
    shift, shift_rate = spatial.shift(arm).T, _shift_rate(spatial.skew(w) @ arm).T
    if frame == "world_aligned":
        return body, shift, shift_rate
    if frame == "body":
        axes = (s.rotation[body] @ rotation).T
        still, turning = spatial.both(axes), spatial.both(-axes @ spatial.skew(w))  # d/dt R* = -R* w~
        return body, still @ shift, turning @ shift + still @ shift_rate
    raise ValueError(f"frame is one of {FRAMES}, not {frame!r}")


def _shift_rate(arm_rate: Array) -> Array:
    """The rate of phi(l) when l changes by ``arm_rate``."""
    return spatial.shift(arm_rate) - np.eye(6)


def jacobian(robot: RobotLike, q: ArrayLike, target: str, frame: str = "world_aligned") -> Array:
    """J = B* phi* H*, 6 x nv: J v is the frame's velocity. [JR93 3.6]"""
    if _target(robot, target)[0] == WORLD:
        return np.zeros((6, freedom(robot)))
    s = at(robot, q)
    body, X, _ = _told_in(s, target, frame)
    return X @ (s.phi.T @ s.H.T)[block(body)]


def jacobian_dot_v(robot: RobotLike, q: ArrayLike, v: ArrayLike, target: str, frame: str = "world_aligned") -> Array:
    """J-dot v: the frame's acceleration when a = 0. B* phi* a + a(0), in the papers."""
    return acceleration(robot, q, v, np.zeros(freedom(robot)), target, frame)


def velocity(robot: RobotLike, q: ArrayLike, v: ArrayLike, target: str, frame: str = "world_aligned") -> Array:
    """The velocity of a frame. [JR93 3.5]"""
    return jacobian(robot, q, target, frame) @ np.asarray(v, dtype=np.float64)


def acceleration(
    robot: RobotLike, q: ArrayLike, v: ArrayLike, a: ArrayLike, target: str, frame: str = "world_aligned"
) -> Array:
    """The acceleration of a frame, J a + J-dot v: the rate of the numbers of ``velocity`` in the same ``frame``."""
    if _target(robot, target)[0] == WORLD:
        return np.zeros(6)
    s = at(robot, q, v)
    body, X, X_dot = _told_in(s, target, frame)
    alpha = s.phi.T @ (s.H.T @ np.asarray(a, dtype=np.float64) + s.a)
    return X @ alpha[block(body)] + X_dot @ s.V[block(body)]
