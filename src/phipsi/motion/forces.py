"""What joints do by themselves while a robot moves: springs, dampers, friction that may stick, walls at the limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from phipsi.model.reading import Floats, Ints
from phipsi.model.robot import Robot

SLOW = 1e-3  # the speed below which friction is proportional to it, unless the step asks for more
STOPPING_TIME = 0.02  # seconds that a wall takes to stop a joint, or ten steps if that is longer


@dataclass(frozen=True, eq=False)
class JointForces:
    """tau(q, v) of all joints; arrays are (nv,) and None where no joint has any.

    Springs and dampers as in `Robot.passive_forces`. Friction is friction clip(v / slow, -1, 1): where that is
    steeper than steps of this length can follow, `slow` is larger. Beyond a limit stands a wall, a critically damped
    spring that never pulls: stiffness m / T², damping 2 m / T, with m the dof's inertia where the run starts.
    """

    robot: Robot
    damping: Floats | None
    friction: Floats | None
    slow: Floats | None
    stiffness: Floats | None
    rest: Floats | None
    wall: Floats | None
    wall_damping: Floats | None
    coordinate: Ints  # of q that a dof moves; -1: it has no limits

    @property
    def none(self) -> bool:
        """Whether no joint does anything by itself."""
        return all(x is None for x in (self.damping, self.friction, self.stiffness, self.wall))

    def __call__(self, q: Floats, v: Floats) -> Floats:
        """The torques, (*batch, nv)."""
        tau = np.zeros(v.shape)
        if self.damping is not None:
            tau -= self.damping * v
        if self.friction is not None and self.slow is not None:
            tau -= self.friction * np.clip(v / self.slow, -1.0, 1.0)
        if self.stiffness is not None:
            tau -= self.stiffness * self.stretch(q)
        if self.wall is not None:
            tau += self._walls(q, v)
        return tau

    def stretch(self, q: Floats) -> Floats:
        """How far the springs are stretched, (*batch, nv)."""
        assert self.rest is not None
        return self.robot.difference(self.rest, q)

    def energy(self, q: Floats) -> Floats | float:
        """What the springs store: ½ stiffness stretch²."""
        return 0.0 if self.stiffness is None else 0.5 * (self.stiffness * self.stretch(q) ** 2).sum(-1)

    def _walls(self, q: Floats, v: Floats) -> Floats:
        assert self.wall is not None
        limited = np.flatnonzero(self.coordinate >= 0)
        x, speed = q[..., self.coordinate[limited]], v[..., limited]
        wall, damping = self.wall[limited], (self.wall_damping if self.wall_damping is not None else self.wall)[limited]
        under, over = self.robot.lower[limited] - x, x - self.robot.upper[limited]
        tau = np.zeros(v.shape)
        tau[..., limited] = np.where(under > 0, np.maximum(wall * under - damping * speed, 0.0), 0.0) - np.where(
            over > 0, np.maximum(wall * over + damping * speed, 0.0), 0.0
        )
        return tau

    def native(self) -> dict[str, Any]:
        """The same for the native loop."""
        limited = self.wall is not None
        return {
            "damping": self.damping,
            "friction": self.friction,
            "slow": self.slow,
            "stiffness": self.stiffness,
            "rest": self.rest,
            "wall": self.wall,
            "wall_damping": self.wall_damping,
            "lower": self.robot.lower if limited else None,
            "upper": self.robot.upper if limited else None,
            "coordinate": self.coordinate.astype(np.int32) if limited else None,
        }


def joint_forces(robot: Robot, q: Floats, step: float, limits: bool) -> JointForces:
    """Those of a robot that starts at q (*batch, nq) and takes steps of that length."""
    coordinate = _coordinates(robot) if limits else np.full(robot.nv, -1, dtype=np.intp)
    rubs, walled = robot.friction.any(), bool((coordinate >= 0).any())
    inertia = np.ones(robot.nv)
    if (rubs or walled) and q.size:
        one = q.reshape(-1, robot.nq)[0]
        inertia = np.maximum(np.diagonal(robot.mass_matrix(one)), np.finfo(float).tiny)
    stopping = max(STOPPING_TIME, 10 * step)
    springs = robot.stiffness.any()
    return JointForces(
        robot,
        damping=robot.damping if robot.damping.any() else None,
        friction=robot.friction if rubs else None,
        slow=np.maximum(SLOW, step * robot.friction / inertia) if rubs else None,
        stiffness=robot.stiffness if springs else None,
        rest=robot.integrate(robot.neutral(), robot.rest) if springs else None,
        wall=inertia / stopping**2 if walled else None,
        wall_damping=2.0 * inertia / stopping if walled else None,
        coordinate=coordinate,
    )


def _coordinates(robot: Robot) -> Ints:
    """Which number of q each dof with a limit moves; joints whose q̇ is not v have none to compare."""
    coordinate = np.full(robot.nv, -1, dtype=np.intp)
    bounded = np.isfinite(robot.lower) | np.isfinite(robot.upper)
    for k, joint in enumerate(robot.joints):
        if joint.nq == joint.nv and joint.kind != "planar":
            v = slice(int(robot.v_index[k]), int(robot.v_index[k + 1]))
            coordinate[v] = np.where(bounded[v], robot.q_index[k] + np.arange(joint.nv), -1)
    return coordinate
