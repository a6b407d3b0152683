"""Laws in diagonalizing rates: damping that acts on each ν by itself, and a pose reached by energy alone (JR95d, 8)."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics import diagonal
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, real
from phipsi.model.robot import Robot


class DecoupledDamping:
    """ε = -c ν: each rate decays by itself, and the kinetic energy at least as exp(-2 min(c) t). [JR95d 8.4]

    tau = gravity_torque(q) - m c m* v. What it guarantees: K(t) ≤ K(0) exp(-2 min(c) t) from every state, with any
    c > 0, without knowing where the robot is meant to go: the motion stops, at a θ that nobody prescribes.
    K̇ = -ν* c ν exactly, since the Coriolis force does no work in ν. c is in 1/s, one number or one for each dof; its
    unit does not depend on the joint. Damping torques -d v have no such rate: theirs varies with θ.

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> law = pp.control.DecoupledDamping(arm, 3.0)
    >>> q, v = arm.random(rng=0)
    >>> a = arm.forward_dynamics(q, v, law(0.0, q, v))
    >>> power = v @ (arm.inverse_dynamics(q, v, a) - arm.gravity_torque(q))
    >>> bool(np.isclose(power, -6.0 * arm.kinetic_energy(q, v)))
    True
    """

    def __init__(self, robot: Robot, c: ArrayLike) -> None:
        self.robot = _driven(robot, type(self).__name__)
        self.c = _rates(type(self).__name__, "c", c, robot.nv)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """(*batch, nv)."""
        nu = diagonal.rates(self.robot, q, v)
        return diagonal.torques(self.robot, q, -self.c * nu) + self.robot.gravity_torque(q)

    def lyapunov(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """½ |ν|², the kinetic energy: (*batch,)."""
        return np.asarray(self.robot.kinetic_energy(q, v))

    def lyapunov_rate(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """-ν* c ν: what the law makes of its rate, (*batch,)."""
        nu = diagonal.rates(self.robot, q, v)
        return -(self.c * nu * nu).sum(axis=-1)

    def bound(self, t: ArrayLike, q: ArrayLike, v: ArrayLike) -> Floats:
        """K(0) exp(-2 min(c) t): the energy cannot be above it at time t after the state q, v."""
        least = float(self.c.min(initial=np.inf))
        return self.lyapunov(q, v) * np.exp(-2.0 * least * np.asarray(t, dtype=np.float64))


class DecoupledPose:
    """ε = -c ν + D^{-½} H ψ B W e: a frame led to a pose, with the rates damped one by one. [JR95d 8.6]

    e = Ŷ - Y, Y = [position; the three axes] of the frame, 12 numbers.
    tau = gravity_torque(q) - m c m* v + (∂Y/∂θ)* W e.
    (The paper prints the second term with another sign, without D^{-½}, and with a diagonal matrix before it: see
    `phipsi papers`.) W is one number, two (for the position and for the axes), or 12 × 12 symmetric positive definite.

    What it guarantees, with L = ½ |ν|² + ½ e* W e: L̇ = -ν* c ν ≤ 0, so that L never grows and the motion stops. Not
    that it stops at the goal: it stops wherever (∂Y/∂θ)* W e = 0. Besides the goal these are poses turned from it by
    exactly π about an axis, singular postures, and true minima of the error over what the arm can reach. Convergence is
    local: start near, or through via points; `at_wrong_equilibrium` tells. An arm of more than six joints keeps
    whatever self-motion it stops in.

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> q, v = arm.random(rng=0)
    >>> law = pp.control.DecoupledPose(arm, "hand", arm.pose(q, "hand"), c=4.0, W=50.0)
    >>> float(law.lyapunov(q, 0 * v)), law.at_wrong_equilibrium(q)
    (0.0, False)
    """

    def __init__(self, robot: Robot, frame: str, goal: Pose, c: ArrayLike, W: ArrayLike) -> None:
        where = type(self).__name__
        self.robot, self.frame = _driven(robot, where), frame
        robot.frame(frame)  # an unknown name is refused here
        if not isinstance(goal, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.wrong_type(where, "goal", "a Pose", goal)
        self.goal = goal
        self.c = _rates(where, "c", c, robot.nv)
        self.W = _weight(where, W)

    def error(self, q: ArrayLike) -> Floats:
        """e = Ŷ - Y: [position; x axis; y axis; z axis] still to go, (*batch, 12)."""
        here = self.robot.pose(q, self.frame)
        return _stacked(self.goal) - _stacked(here)

    def wrench(self, q: ArrayLike) -> Floats:
        """B W e at the frame: [Σ yᵢ × (We)ᵢ; (We)₀], a force on the frame in world axes, (*batch, 6)."""
        here = self.robot.pose(q, self.frame)
        pull = (_stacked(self.goal) - _stacked(here)) @ self.W
        axes = np.swapaxes(here.rotation, -1, -2)
        moment = np.cross(axes, pull[..., 3:].reshape(*pull.shape[:-1], 3, 3)).sum(axis=-2)
        return np.concatenate([moment, pull[..., :3]], axis=-1)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """(*batch, nv)."""
        nu = diagonal.rates(self.robot, q, v)
        damping = diagonal.torques(self.robot, q, -self.c * nu)
        return damping + self._pull(q) + self.robot.gravity_torque(q)

    def _pull(self, q: ArrayLike) -> Floats:
        J = np.asarray(self.robot.jacobian(q, self.frame))
        return (np.swapaxes(J, -1, -2) @ self.wrench(q)[..., None])[..., 0]

    def lyapunov(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """L = ½ |ν|² + ½ e* W e, (*batch,)."""
        e = self.error(q)
        return self.robot.kinetic_energy(q, v) + 0.5 * ((e @ self.W) * e).sum(axis=-1)

    def lyapunov_rate(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """-ν* c ν, (*batch,)."""
        nu = diagonal.rates(self.robot, q, v)
        return -(self.c * nu * nu).sum(axis=-1)

    def at_wrong_equilibrium(self, q: ArrayLike, tolerance: float = 1e-6) -> Any:
        """Whether nothing pulls although the goal is not reached: |(∂Y/∂θ)* W e| ≤ tolerance · |W| |e|. (*batch,)."""
        e = np.linalg.norm(self.error(q), axis=-1)
        pull = np.linalg.norm(self._pull(q), axis=-1)
        wrong = (e > 1e-9) & (pull <= tolerance * np.linalg.norm(self.W, 2) * e)
        return bool(wrong) if np.ndim(wrong) == 0 else wrong


def _driven(robot: Robot, law: str) -> Robot:
    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type(law, "robot", "a Robot", robot)
    if robot.passive.any():
        joints = np.repeat(np.arange(robot.n), np.diff(robot.v_index))[robot.passive]
        raise errors.motors_missing(law, [robot.joint_names[int(k)] for k in np.unique(joints)])
    return robot


def _rates(law: str, symbol: str, value: ArrayLike, nv: int) -> Floats:
    array = real(value, law, symbol, f"one positive number, or {nv}")
    if array.shape not in ((), (nv,)):
        raise errors.model_shape(law, symbol, f"one positive number, or {nv}", array.shape)
    if not (np.isfinite(array).all() and (array > 0).all()):
        raise errors.gain_not_positive(law, symbol, "positive", array.tolist())
    return np.broadcast_to(array, (nv,)).astype(np.float64)


def _weight(law: str, value: ArrayLike) -> Floats:
    expected = "one positive number, two (position, axes), or a symmetric positive definite 12 x 12 matrix"
    array = real(value, law, "W", expected)
    if array.shape not in ((), (2,), (12, 12)):
        raise errors.model_shape(law, "W", expected, array.shape)
    W = array if array.ndim == 2 else np.diag(np.repeat(np.broadcast_to(array, (2,)), (3, 9)))
    if not np.isfinite(W).all() or abs(W - W.T).max() > 1e-12 * abs(W).max() or np.linalg.eigvalsh(W)[0] <= 0:
        raise errors.gain_not_positive(law, "W", expected, array.tolist())
    return np.asarray(W, dtype=np.float64)


def _stacked(pose: Pose) -> Floats:
    """[position; x axis; y axis; z axis]."""
    axes = np.swapaxes(pose.rotation, -1, -2)
    return np.concatenate([pose.position, axes.reshape(*axes.shape[:-2], 9)], axis=-1)
