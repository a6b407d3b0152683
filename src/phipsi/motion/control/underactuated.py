"""Laws for robots with dofs that no motor drives: a frame follows a path while the rest yields, or stays quiet."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.underactuated.accelerations import Relations, relations
from phipsi.dynamics.underactuated.states import Passive, mask_of, names_of, spread, vector
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, number
from phipsi.model.robot import Robot
from phipsi.motion.control.goals import Goal, goal_of, missing
from phipsi.motion.control.priorities import prioritized

Path: TypeAlias = Callable[[float], Goal]
Objective: TypeAlias = Callable[[float, Floats, Floats], ArrayLike]
Tasks: TypeAlias = "list[tuple[Floats, Floats]]"


class EndEffector:
    """The forces that lead frames along a path while the passive dofs do as they must. [JR93 Procedure 6.2]

    a_active = J_G⁺ [α_path + 2β (V_path - V) + β² error - drift], then the torques by hybrid dynamics. `path(t)` gives
    a `Goal`, for instance a `Reach`; β is `bandwidth`, 0 for no feedback. Any passive dofs, any momentum, springs and
    dampers included; nothing here supposes a free base. Where motors are left over, they follow `objective(t, q, v)`,
    accelerations (*batch, Na) (by default they brake: -v_active); where they do not suffice, the error is least. `rows`
    picks some of the 6m rows, such as [0, 1, 2] for pointing. `damping` bounds the accelerations near singularities:
    singular values of J_G below it count as less; above it nothing changes. 0 takes it away.

    >>> import phipsi as pp
    >>> ship = pp.zoo.arm_satellite()
    >>> q = ship.random(rng=0)[0]
    >>> start = ship.pose(q, "arm/hand")
    >>> law = pp.control.EndEffector(ship, "arm/hand", pp.control.Reach(start, pp.Pose((0.1, 0, 0)) @ start, 5.0))
    >>> law(0.0, q, [0.0] * 13).shape
    (13,)
    """

    def __init__(
        self,
        robot: Robot,
        frames: str | Sequence[str],
        path: Path,
        *,
        passive: Passive = None,
        bandwidth: float = 5.0,
        rows: Sequence[int] | None = None,
        damping: float = 0.02,
        objective: Objective | None = None,
    ) -> None:
        where = type(self).__name__
        self.robot, self.frames, self.path, self.objective = robot, frames, path, objective
        self.mask = mask_of(robot, passive, where)
        self.names = names_of(frames)
        for name in self.names:
            robot.frame(name)
        if not callable(path):
            raise errors.wrong_type(where, "path", "a function of t that gives a Goal, such as a Reach", path)
        self.bandwidth = _not_negative(where, "bandwidth", bandwidth)
        self.damping = _not_negative(where, "damping", damping)
        self.rows = list(range(6 * len(self.names))) if rows is None else [int(row) for row in rows]
        if not all(0 <= row < 6 * len(self.names) for row in self.rows):
            raise errors.no_such_row(where, self.rows, 6 * len(self.names))

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """(*batch, nv), 0 at the passive dofs."""
        x, speed = _state(self.robot, q, v, type(self).__name__)
        a = spread(self.acceleration(t, x, speed), ~self.mask)
        own = self._own(x, speed)
        tau = self.robot.hybrid_dynamics(x, speed, own, a, self.mask)[0]
        return np.where(self.mask, 0.0, tau - own)

    def acceleration(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """a_active (*batch, Na), of which the torques are made."""
        x, speed = _state(self.robot, q, v, type(self).__name__)
        own = self._own(x, speed)  # springs and dampers at passive dofs move them
        r = relations(self.robot, x, speed, self.names, own, self.mask)
        driven = speed[..., ~self.mask]
        rest = -driven if self.objective is None else _accelerations(self.objective(t, x, speed), driven)
        return prioritized(self.tasks(t, x, speed, r), rest, self.damping)

    def _own(self, q: Floats, v: Floats) -> Floats:
        """What the joints do by themselves."""
        robot = self.robot
        if not (robot.damping.any() or robot.friction.any() or robot.stiffness.any()):
            return np.zeros(robot.nv)
        return robot.passive_forces(q, v)

    def tasks(self, t: float, q: Floats, v: Floats, r: Relations) -> Tasks:
        """What is to be done, in order: pairs (J, a) that ask for J a_active = a."""
        return [self.of_frames(t, q, v, r)]

    def of_frames(self, t: float, q: Floats, v: Floats, r: Relations) -> tuple[Floats, Floats]:
        """The chosen rows of J_G, and what the path and its feedback ask of them. [JR93 6.10]"""
        goal = goal_of(type(self).__name__, self.path(t))
        velocity, acceleration = np.asarray(goal.velocity, dtype=float), np.asarray(goal.acceleration, dtype=float)
        asked: list[Floats] = []
        for i, name in enumerate(self.names):
            own = isinstance(self.frames, str)
            V, alpha = (velocity, acceleration) if own else (_part(velocity, i), _part(acceleration, i))
            pose: Pose = goal.pose if own else goal.pose[..., i]
            error = missing(pose, self.robot.pose(q, name))
            slower = V - self.robot.velocity(q, v, name)
            asked.append(alpha + 2 * self.bandwidth * slower + self.bandwidth**2 * error)
        wanted = np.concatenate(asked, axis=-1) if asked else np.zeros((*q.shape[:-1], 0))
        return r.J_G[..., self.rows, :], (wanted - r.frame_drift)[..., self.rows]


class ReactionMode(EndEffector):
    """The frames follow their path and the passive dofs stay: [J_G; J_D] a_active = [α; 0] less drifts. [JR93 7.1]

    For a free base with its thrusters off: the arm works and the base does not move. It needs as many motors as rows:
    12 for one hand and a free base; with fewer, the error of both together is least (see `LeastDisturbance`). The zero
    is made good by feedback, -2β v_passive, β = `base_bandwidth` (default `bandwidth`), and with `hold`, a
    configuration, also by β² (hold ⊟ q). The rest as in `EndEffector`. With momentum no arm holds a base for ever.
    `damping` is 0 here unless told otherwise, for singular values of [J_G; J_D] are small where the base is heavy.
    """

    def __init__(
        self,
        robot: Robot,
        frames: str | Sequence[str],
        path: Path,
        *,
        passive: Passive = None,
        bandwidth: float = 5.0,
        rows: Sequence[int] | None = None,
        damping: float = 0.0,
        objective: Objective | None = None,
        base_bandwidth: float | None = None,
        hold: ArrayLike | None = None,
    ) -> None:
        super().__init__(robot, frames, path, passive=passive, bandwidth=bandwidth, rows=rows, damping=damping,
                         objective=objective)  # fmt: skip
        where = type(self).__name__
        beta = self.bandwidth if base_bandwidth is None else base_bandwidth
        self.base_bandwidth = _not_negative(where, "base_bandwidth", beta)
        self.hold = None if hold is None else vector(hold, robot.nq, where, "hold", "configuration")

    def tasks(self, t: float, q: Floats, v: Floats, r: Relations) -> Tasks:
        """One task: frames and passive dofs together."""
        (J, wanted), (J_D, quiet) = self.of_frames(t, q, v, r), self.of_passive(q, v, r)
        batch = np.broadcast_shapes(wanted.shape[:-1], quiet.shape[:-1])
        both = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in (wanted, quiet)]
        return [(np.concatenate([J, J_D], axis=-2), np.concatenate(both, axis=-1))]

    def of_passive(self, q: Floats, v: Floats, r: Relations) -> tuple[Floats, Floats]:
        """J_D, and the accelerations that keep the passive dofs quiet. [JR93 6.12]"""
        wanted = -2 * self.base_bandwidth * v
        if self.hold is not None:
            wanted = wanted + self.base_bandwidth**2 * self.robot.difference(q, self.hold)
        return r.J_D, wanted[..., self.mask] - r.passive_drift


class LeastDisturbance(ReactionMode):
    """The frames follow their path, and of all motions that do so the one that disturbs the passive dofs least.

    J_G a_active = α first; then, with the motors left over, J_D a_active = 0 as nearly as can be (both less drifts);
    what is still free follows `objective`. For arms with more than 6 but fewer than 12 motors on a free base, say.
    Options as in `ReactionMode`, but for `damping`, which is 0.05 unless told otherwise: the base asks for what cannot
    be done, and without damping the arm would try near singularities.
    """

    def __init__(
        self, robot: Robot, frames: str | Sequence[str], path: Path, *, damping: float = 0.05, **options: Any
    ) -> None:
        super().__init__(robot, frames, path, damping=damping, **options)

    def tasks(self, t: float, q: Floats, v: Floats, r: Relations) -> Tasks:
        """First the frames, then the passive dofs."""
        return [self.of_frames(t, q, v, r), self.of_passive(q, v, r)]


def _state(robot: Robot, q: ArrayLike, v: ArrayLike, where: str) -> tuple[Floats, Floats]:
    return vector(q, robot.nq, where, "q", "configuration"), vector(v, robot.nv, where, "v", "velocity")


def _part(x: Floats, i: int) -> Floats:
    """The i-th frame's row; one row is of all frames."""
    return x if x.ndim == 1 else x[..., i, :]


def _accelerations(asked: ArrayLike, driven: Floats) -> Floats:
    return vector(asked, driven.shape[-1], "objective", "objective(t, q, v)", "active accelerations")


def _not_negative(where: str, symbol: str, value: float) -> float:
    found = number(value, where, symbol, "a number >= 0")
    if not 0.0 <= found < np.inf:
        raise errors.gain_below_zero(where, symbol, value)
    return found
