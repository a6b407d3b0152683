"""Where a frame is to be, and when: goals that move, and what is missing to them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from phipsi import errors
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, number, read_only
from phipsi.model.rotation import from_quaternion, to_quaternion


class Goal(NamedTuple):
    """A pose, with its velocity and acceleration (*batch, 6): [ω; v of the origin] and its rate, world axes.

    Of several frames, the pose is a batch (*batch, m) and the others are (*batch, m, 6).
    """

    pose: Pose
    velocity: Floats = read_only(np.zeros(6))
    acceleration: Floats = read_only(np.zeros(6))


def goal_of(where: str, said: object) -> Goal:
    """What a path gave; a pose is a goal that stands still."""
    if isinstance(said, Goal):
        return said
    if isinstance(said, Pose):
        return Goal(said)
    raise errors.wrong_type(where, "the path's answer", "a Goal or a Pose", said)


class Reach:
    """From one pose to another in a straight line and about one axis, from rest to rest; `reach(t)` is a `Goal`.

    The way is s(t/duration) = 10 s³ - 15 s⁴ + 6 s⁵: velocity and acceleration are zero at both ends; before and after,
    the goal stands still. Poses may be batches: (*batch,), or (*batch, m) for m frames.

    >>> import phipsi as pp
    >>> reach = pp.control.Reach(pp.Pose(), pp.Pose((1, 0, 0)), duration=2.0)
    >>> reach(1.0).pose.position
    array([0.5, 0. , 0. ])
    >>> reach(2.0).velocity
    array([0., 0., 0., 0., 0., 0.])
    """

    def __init__(self, start: Pose, end: Pose, duration: float, begin: float = 0.0) -> None:
        for symbol, pose in (("start", start), ("end", end)):
            if not isinstance(pose, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise errors.wrong_type("Reach", symbol, "a Pose", pose)
        self.start, self.end = start, end
        self.duration, self.begin = number(duration, "Reach", "duration"), number(begin, "Reach", "begin")
        if not 0.0 < self.duration < np.inf:
            raise errors.no_duration("Reach", "duration", duration)
        self._turn = rotation_vector(end.rotation @ np.swapaxes(start.rotation, -1, -2))
        self._way: Floats = np.concatenate([self._turn, end.position - start.position], axis=-1)

    def __call__(self, t: float) -> Goal:
        """The goal at time t."""
        s = min(max((t - self.begin) / self.duration, 0.0), 1.0)
        done = s**3 * (10 - 15 * s + 6 * s * s)
        speed = 30 * s * s * (1 - s) ** 2 / self.duration
        rate = 60 * s * (1 - s) * (1 - 2 * s) / self.duration**2
        rotation = turned(done * self._turn) @ self.start.rotation
        pose = Pose.trusted(rotation, self.start.position + done * self._way[..., 3:])
        return Goal(pose, speed * self._way, rate * self._way)


def rotation_vector(rotation: Floats) -> Floats:
    """The shortest rotation vector of R (*batch, 3, 3)."""
    q = to_quaternion(rotation)
    w, u = q[..., :1], q[..., 1:]
    length = np.linalg.norm(u, axis=-1, keepdims=True)
    small = length < 1e-8
    return u * np.where(small, 2.0, 2 * np.arctan2(length, w) / np.where(small, 1.0, length))


def turned(vector: Floats) -> Floats:
    """The rotation (*batch, 3, 3) about a vector by its length."""
    angle = np.linalg.norm(vector, axis=-1, keepdims=True)
    return from_quaternion(np.concatenate([np.cos(angle / 2), 0.5 * np.sinc(angle / (2 * np.pi)) * vector], axis=-1))


def missing(goal: Pose, pose: Pose) -> Floats:
    """What leads from a pose to the goal: [rotation vector; displacement], world axes, (*batch, 6)."""
    turn = rotation_vector(goal.rotation @ np.swapaxes(pose.rotation, -1, -2))
    return np.concatenate([turn, goal.position - pose.position], axis=-1)
