"""Laws that lead every driven joint to a goal: PD, gravity compensation, computed torque."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, real
from phipsi.model.robot import Robot
from phipsi.motion.control.native import NativeLaw

Goal: TypeAlias = "ArrayLike | Callable[[float], ArrayLike]"


class GravityCompensation:
    """The torques that hold the robot where it is: tau = gravity_torque(q) at driven dofs, 0 at passive ones.

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> q = arm.random(rng=0)[0]
    >>> tau = pp.control.GravityCompensation(arm)(0.0, q, 0 * q)
    >>> bool(abs(arm.forward_dynamics(q, 0 * q, tau)).max() < 1e-9)
    True
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self._driven: Floats = (~robot.passive).astype(float)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """(*batch, nv)."""
        return self._driven * self.robot.gravity_torque(q)

    def native(self, robot: Robot) -> NativeLaw | None:
        """A PD law without gains; None if another robot moves than the one whose weight the law knows."""
        if robot != self.robot:
            return None
        zero = np.zeros(robot.nv)
        return NativeLaw("pd", q_goal=robot.neutral(), v_goal=zero, kp=zero, kd=zero, gravity=True)


class _Feedback:
    """Goals and gains, and the error that both laws feed back: kp (q_goal ⊟ q) + kd (v_goal - v)."""

    def __init__(self, robot: Robot, q_goal: Goal, v_goal: Goal | None, kp: ArrayLike, kd: ArrayLike) -> None:
        where = type(self).__name__
        self.robot = robot
        self._q_goal = _goal(where, "q_goal", q_goal, robot.nq)
        self._v_goal = _goal(where, "v_goal", np.zeros(robot.nv) if v_goal is None else v_goal, robot.nv)
        self.kp, self.kd = _gain(where, "kp", kp, robot.nv), _gain(where, "kd", kd, robot.nv)
        self._driven: Floats = (~robot.passive).astype(float)

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes of goals that stand still."""
        return np.broadcast_shapes(*(x.shape[:-1] for x in (self._q_goal, self._v_goal) if not callable(x)))

    def _wish(self, t: float, q: Floats, v: Floats) -> Floats:
        q_goal, v_goal = _now(self._q_goal, t), _now(self._v_goal, t)
        return self.kp * self.robot.difference(q, q_goal) + self.kd * (v_goal - v)

    def _fixed_goals(self) -> tuple[Floats, Floats] | None:
        if callable(self._q_goal) or callable(self._v_goal):
            return None
        return self._q_goal, self._v_goal


class PD(_Feedback):
    """tau = kp (q_goal ⊟ q) + kd (v_goal - v), plus the gravity torques if asked; 0 at passive dofs.

    ⊟ is `difference`: the shortest way on each joint's manifold. Goals are arrays (*batch, nq), (*batch, nv) or
    functions of t; gains are numbers or (nv,).

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> law = pp.control.PD(arm, arm.neutral(), kp=100.0, kd=20.0, gravity=True)
    >>> law(0.0, arm.neutral(), 0 * arm.neutral()).shape
    (7,)
    """

    def __init__(
        self,
        robot: Robot,
        q_goal: Goal,
        v_goal: Goal | None = None,
        *,
        kp: ArrayLike,
        kd: ArrayLike,
        gravity: bool = False,
    ) -> None:
        super().__init__(robot, q_goal, v_goal, kp, kd)
        self.gravity = bool(gravity)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """(*batch, nv)."""
        x, speed = _state(self.robot, q, v)
        tau = self._wish(t, x, speed)
        if self.gravity:
            tau = tau + self.robot.gravity_torque(x)
        return self._driven * tau

    def native(self, robot: Robot) -> NativeLaw | None:
        """As it is, unless its goals move or another robot does than the law's own."""
        goals = self._fixed_goals() if robot == self.robot else None
        return goals and NativeLaw("pd", None, None, goals[0], goals[1], self.kp, self.kd, self.gravity)


class ComputedTorque(_Feedback):
    """tau = inverse_dynamics(q, v, a_goal + kp (q_goal ⊟ q) + kd (v_goal - v)): each joint obeys its own linear law.

    Known elsewhere as feedback linearization. The error then obeys ë + kd ė + kp e = 0, whatever the robot weighs.
    Goals as in `PD`. For robots all of whose dofs are driven; those with passive ones are refused.

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> q, v = arm.random(rng=0)
    >>> law = pp.control.ComputedTorque(arm, arm.neutral(), kp=25.0, kd=10.0)
    >>> a = arm.forward_dynamics(q, v, law(0.0, q, v))
    >>> bool(abs(a - (25 * arm.difference(q, arm.neutral()) - 10 * v)).max() < 1e-8)
    True
    """

    def __init__(
        self,
        robot: Robot,
        q_goal: Goal,
        v_goal: Goal | None = None,
        a_goal: Goal | None = None,
        *,
        kp: ArrayLike,
        kd: ArrayLike,
    ) -> None:
        super().__init__(robot, q_goal, v_goal, kp, kd)
        if robot.passive.any():
            raise errors.passive_law("ComputedTorque", passive_joint(robot))
        self._a_goal = None if a_goal is None else _goal("ComputedTorque", "a_goal", a_goal, robot.nv)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """(*batch, nv)."""
        x, speed = _state(self.robot, q, v)
        a = self._wish(t, x, speed)
        if self._a_goal is not None:
            a = a + _now(self._a_goal, t)
        return self.robot.inverse_dynamics(x, speed, a)

    def native(self, robot: Robot) -> NativeLaw | None:
        """As it is, unless its goals move or another robot does than the law's own."""
        goals = self._fixed_goals() if robot == self.robot else None
        if goals is None or self._a_goal is not None:
            return None
        return NativeLaw("computed_torque", None, None, goals[0], goals[1], self.kp, self.kd)


def passive_joint(robot: Robot) -> str:
    """The first joint that has a dof without a motor."""
    dof = int(np.flatnonzero(robot.passive)[0])
    return robot.joint_names[int(np.searchsorted(robot.v_index, dof, side="right")) - 1]


def _state(robot: Robot, q: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
    return np.asarray(q, dtype=float), np.asarray(v, dtype=float)


def _goal(where: str, symbol: str, goal: Goal, size: int) -> Floats | Callable[[float], Floats]:
    if callable(goal):
        moving = goal
        return lambda t: np.asarray(moving(t), dtype=float)
    array = real(goal, where, symbol, "numbers")
    if array.ndim == 0 or array.shape[-1] != size:
        raise errors.shape(where, symbol, "goal", f"(*batch, {size})", array.shape)
    if not np.isfinite(array).all():
        raise errors.not_finite(where, symbol, array.tolist())
    return array.copy()


def _now(goal: Floats | Callable[[float], Floats], t: float) -> Floats:
    return goal(t) if callable(goal) else goal


def _gain(where: str, symbol: str, gain: ArrayLike, size: int) -> Floats:
    array = real(gain, where, symbol, f"a number or {size} numbers")
    if array.shape not in ((), (size,)):
        raise errors.model_shape(where, symbol, f"a number or {size} numbers", array.shape)
    if not np.isfinite(array).all():
        raise errors.not_finite(where, symbol, array.tolist())
    return np.ascontiguousarray(np.broadcast_to(array, (size,)))
