"""Operational space: a frame behaves as a mass on a spring of one's choice, whatever carries it and whatever floats."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.singular_values import svd
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, number, real
from phipsi.model.robot import Robot
from phipsi.motion.control.goals import Goal, goal_of, missing

Path: TypeAlias = "Pose | Goal | Callable[[float], Goal]"


class OperationalSpace:
    """tau = J_G* Λ [a_goal + kd (V_goal - V) + kp error - drift] + posture in the null space of the task.

    J_G is the generalized Jacobian: it knows that what has no motor, such as a free base, yields, so the law is exact
    for floating robots too; Λ⁻¹ = J M⁻¹ J_G*. The frame's error then obeys ë + kd ė + kp e = 0. What motors are left
    over draw the joints to `posture` (a configuration) with posture_kp, posture_kd in a way that the task does not feel
    (dynamically consistent). Known elsewhere as Khatib's operational space formulation.

    goal: a `Pose`, a `Goal`, or a function of t that gives a `Goal`; gains: numbers or (6,), [angular; linear];
    `rows` picks some of the six, such as [3, 4, 5] for the position alone. Near singularities, where the frame yields
    less than `damping` times as much as in its softest direction, the demand fades out. O(n) for each row.

    >>> import phipsi as pp
    >>> ship = pp.zoo.arm_satellite()
    >>> q, v = ship.random(rng=0)
    >>> hand = ship.pose(q, "arm/hand")
    >>> law = pp.control.OperationalSpace(ship, "arm/hand", hand, kp=25.0, kd=10.0)
    >>> a = ship.forward_dynamics(q, v, law(0.0, q, v))
    >>> alpha = ship.acceleration(q, v, a, "arm/hand")
    >>> bool(abs(alpha + 10 * ship.velocity(q, v, "arm/hand")).max() < 1e-6)
    True
    """

    def __init__(
        self,
        robot: Robot,
        frame: str,
        goal: Path,
        *,
        kp: ArrayLike,
        kd: ArrayLike,
        rows: Sequence[int] = (0, 1, 2, 3, 4, 5),
        damping: float = 1e-4,
        posture: ArrayLike | None = None,
        posture_kp: float = 10.0,
        posture_kd: float = 5.0,
    ) -> None:
        robot.frame(frame)
        if not (isinstance(goal, (Pose, Goal)) or callable(goal)):
            raise errors.wrong_type("OperationalSpace", "goal", "a Pose, a Goal or a function of t", goal)
        self.robot, self.frame, self.goal = robot, frame, goal
        self.kp, self.kd = _six("kp", kp), _six("kd", kd)
        self.rows = [int(row) for row in rows]
        if not self.rows or not all(0 <= row < 6 for row in self.rows):
            raise errors.no_such_row("OperationalSpace", self.rows, 6)
        self.damping = number(damping, "OperationalSpace", "damping", "a number >= 0")
        if not 0.0 <= self.damping < np.inf:
            raise errors.gain_below_zero("OperationalSpace", "damping", damping)
        self.posture = None if posture is None else _posture(robot, posture)
        self.posture_gains = float(posture_kp), float(posture_kd)
        self._driven: Floats = (~robot.passive).astype(float)

    def wanted(self, t: float, q: Floats, v: Floats) -> Floats:
        """The acceleration that the frame should have, (*batch, 6)."""
        given = self.goal if isinstance(self.goal, (Pose, Goal)) else self.goal(t)
        pose, V, alpha = goal_of("OperationalSpace", given)
        slower = np.asarray(V) - self.robot.velocity(q, v, self.frame)
        return np.asarray(alpha) + self.kd * slower + self.kp * missing(pose, self.robot.pose(q, self.frame))

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """(*batch, nv), 0 at the passive dofs."""
        x, speed = np.asarray(q, dtype=float), np.asarray(v, dtype=float)
        robot, driven = self.robot, ~self.robot.passive
        own = robot.passive_forces(x, speed)
        J = robot.jacobian(x, self.frame)[..., self.rows, :]
        J_G = np.zeros(J.shape)
        J_G[..., driven] = robot.generalized_jacobian(x, self.frame)[..., self.rows, :]
        # columns of M⁻¹ J_G*, and Λ⁻¹
        solve = robot._mass_solve  # pyright: ignore[reportPrivateUsage]
        moved = np.stack([solve(x, J_G[..., row, :]) for row in range(len(self.rows))], axis=-1)
        Lambda = _inverse(J @ moved, self.damping)
        times = robot._mass_times  # pyright: ignore[reportPrivateUsage]
        rest = self._driven * times(x, self._driven * self._to_posture(x, speed))
        a = robot.forward_dynamics(x, speed, own + rest)
        drift = robot.acceleration(x, speed, a, self.frame)[..., self.rows]
        force = (Lambda @ (self.wanted(t, x, speed)[..., self.rows] - drift)[..., None])[..., 0]
        return rest + (np.swapaxes(J_G, -1, -2) @ force[..., None])[..., 0]

    def _to_posture(self, q: Floats, v: Floats) -> Floats:
        """The accelerations that draw the joints to the posture; by default they only brake."""
        kp, kd = self.posture_gains
        if self.posture is None:
            return -kd * v
        return kp * self.robot.difference(q, self.posture) - kd * v


def _inverse(compliance: Floats, damping: float) -> Floats:
    """Λ of a compliance; directions that hardly yield fade out."""
    left, sizes, right = svd(compliance)
    least = max(damping, 1e-12) * np.maximum(sizes[..., :1], np.finfo(float).tiny)
    gains = np.where(sizes < least, sizes / least**2, 1.0 / np.maximum(sizes, least))
    return np.swapaxes(right, -1, -2) @ (gains[..., None] * np.swapaxes(left, -1, -2))


def _six(symbol: str, gain: ArrayLike) -> Floats:
    array = real(gain, "OperationalSpace", symbol, "a number or 6 numbers")
    if array.shape not in ((), (6,)):
        raise errors.model_shape("OperationalSpace", symbol, "a number or 6 numbers", array.shape)
    if not np.isfinite(array).all():
        raise errors.not_finite("OperationalSpace", symbol, array.tolist())
    return np.broadcast_to(array, (6,)).copy()


def _posture(robot: Robot, posture: ArrayLike) -> Floats:
    array = real(posture, "OperationalSpace", "posture", "a configuration")
    if array.ndim == 0 or array.shape[-1] != robot.nq:
        raise errors.shape("OperationalSpace", "posture", "configuration", f"(*batch, {robot.nq})", array.shape)
    return array.copy()
