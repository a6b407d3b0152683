"""Momentum about a fixed point: what a free-flying robot keeps, and what changes it. [JR93 7.3], corrected."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.underactuated.states import torques, vector
from phipsi.model.description import WORLD
from phipsi.model.joints import Free
from phipsi.model.reading import Floats, batch_of, real
from phipsi.model.robot import Robot

ORIGIN = (0.0, 0.0, 0.0)


def momentum(robot: Robot, q: ArrayLike, v: ArrayLike, about: ArrayLike = ORIGIN) -> Floats:
    """φ(I, n) H*(n) h = Σ φ(I, k) M(k) V(k): the [angular; linear] momentum about a fixed point I. [JR93 7.3]

    This is what a free-flying robot without external forces keeps; h itself, which the paper integrates, is about the
    moving base and is kept only if the momentum is zero. about (*batch, 3), world axes; q (*batch, nq), v (*batch, nv)
    → (*batch, 6). O(n).
    """
    return _moved(robot.momentum(q, v), np.zeros(3), vector(about, 3, "momentum", "about", "a point"))


def momentum_rate(
    robot: Robot,
    q: ArrayLike,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    about: ArrayLike = ORIGIN,
) -> Floats:
    """φ(I, n) H*(n) T_p + Σ φ(I, k) f_ext(k), and weight: the rate of `momentum`. [JR93 7.3]

    T_p are the torques tau at the free base (thrusters, reaction-free actuators); those of other joints are internal
    and do not count. tau (*batch, nv), f_ext (*batch, n, 6) → (*batch, 6). Refuses robots that the world holds.
    """
    roots = _free_roots(robot, "momentum_rate")
    point = vector(about, 3, "momentum_rate", "about", "a point")
    T = torques(robot, tau, "momentum_rate")
    poses = robot.poses(q)
    rotation, origin = poses.rotation, poses.position
    forces = None if f_ext is None else _forces(robot, f_ext)
    axes = {"q": origin.shape[:-2], "tau": T.shape[:-1], "about": point.shape[:-1]}
    batch_of("momentum_rate", **axes, f_ext=() if forces is None else forces.shape[:-2])
    total = np.zeros(6)
    for k in roots:
        R, own = rotation[..., k, :, :], T[..., robot.v_index[k] : robot.v_index[k + 1]]
        force = np.concatenate([_turned(R, own[..., :3]), _turned(R, own[..., 3:])], axis=-1)
        total = total + _moved(force, origin[..., k, :], point)
    if forces is not None:
        total = total + _moved(forces, origin, point[..., None, :]).sum(axis=-2)
    if robot.gravity.any() and robot.mass.any():
        weight = np.concatenate([np.zeros(3), robot.mass.sum() * robot.gravity])
        total = total + _moved(weight, robot.center_of_mass(q), point)
    return np.array(np.broadcast_to(total, (*np.broadcast_shapes(total.shape[:-1], origin.shape[:-2]), 6)))


def momentum_integral(
    robot: Robot,
    t: ArrayLike,
    q: ArrayLike,
    tau: ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    about: ArrayLike = ORIGIN,
    start: ArrayLike | None = None,
) -> Floats:
    """∫ φ(I, n) H*(n) T_p dt + const: the momentum that the forces along a recorded motion make. [JR93 7.3]

    Time is the first axis: t (T,), q (T, *batch, nq), tau (T, *batch, nv) and so on → (T, *batch, 6), beginning with
    `start`, the momentum at t[0] (default zero). By parabolas through neighbouring samples: the error is O(step⁴) where
    forces are smooth; they may jump at samples only if these are repeated (t twice).
    """
    times = real(t, "momentum_integral", "t", "a list of instants")
    if times.ndim != 1:
        raise errors.shape("momentum_integral", "t", "instants", "(T,)", times.shape)
    rate = momentum_rate(robot, q, tau, f_ext, about)
    if rate.ndim < 2 or rate.shape[0] != len(times):
        expected = f"({len(times)}, *batch, {robot.nq})"
        raise errors.shape("momentum_integral", "q", "configurations, time first", expected, np.shape(q))
    total = np.zeros_like(rate)
    total[1:] = np.cumsum(_over_steps(times, rate), axis=0)
    return total + (0.0 if start is None else vector(start, 6, "momentum_integral", "start", "momentum"))


def base_momentum(robot: Robot, q: ArrayLike, momentum: ArrayLike, about: ArrayLike = ORIGIN) -> Floats:
    """h = H(n) φ*⁻¹…: a momentum about a fixed point as the generalized momentum of the free base. [JR93 7.3]

    About the base's origin, in the base's axes: what `passive_velocity` and `frame_velocity` take as `momentum`.
    q (*batch, nq), momentum (*batch, 6) → (*batch, 6). One tree only: of several, the total does not say who has what.
    """
    roots = _free_roots(robot, "base_momentum")
    if len(roots) != 1:
        raise errors.several_bases("base_momentum", [robot.body_names[k] for k in roots])
    pose = robot.pose(q, robot.body_names[roots[0]])
    total = vector(momentum, 6, "base_momentum", "momentum", "[angular; linear]")
    here = _moved(total, vector(about, 3, "base_momentum", "about", "a point"), pose.position)
    R = np.swapaxes(pose.rotation, -1, -2)
    return np.concatenate([_turned(R, here[..., :3]), _turned(R, here[..., 3:])], axis=-1)


def _free_roots(robot: Robot, verb: str) -> list[int]:
    """The bodies that stand on nothing: every root must."""
    roots = [k for k in range(robot.n) if robot.parent[k] == WORLD]
    for k in roots:
        if not isinstance(robot.joints[k], Free):
            raise errors.not_floating(verb, robot.body_names[k], robot.joints[k].kind)
    return roots


def _forces(robot: Robot, f_ext: ArrayLike) -> Floats:
    """(*batch, n, 6): forces on the bodies."""
    forces = real(f_ext, "momentum_rate", "f_ext", f"numbers of shape (*batch, {robot.n}, 6)")
    if forces.shape[-2:] != (robot.n, 6):
        expected = f"(*batch, {robot.n}, 6)"
        raise errors.shape("momentum_rate", "f_ext", "forces on the bodies", expected, forces.shape)
    return forces


def _moved(force: Floats, at: Floats, to: Floats) -> Floats:
    """φ(to, at) f: the same force or momentum, about another point."""
    moment = force[..., :3] + np.cross(at - to, force[..., 3:])
    return np.concatenate([moment, np.broadcast_to(force[..., 3:], moment.shape)], axis=-1)


def _turned(R: Floats, x: Floats) -> Floats:
    return (R @ x[..., None])[..., 0]


def _over_steps(t: Floats, y: Floats) -> Floats:
    """The integral over each step, by the mean of the parabolas through it and a neighbour on either side."""
    h = np.diff(t).reshape(-1, *[1] * (y.ndim - 1))
    trapezoid = h * (y[1:] + y[:-1]) / 2
    if len(t) < 3:
        return trapezoid
    with np.errstate(divide="ignore", invalid="ignore"):
        slope = np.where(h > 0, np.diff(y, axis=0) / h, 0.0)
        bend = np.where((h[1:] > 0) & (h[:-1] > 0), np.diff(slope, axis=0) / (h[1:] + h[:-1]), 0.0)
    before, after = np.concatenate([bend[:1], bend]), np.concatenate([bend, bend[-1:]])
    # a parabola's bend c takes c h³/6 off the trapezoid; a step next to a jump has it from one side
    first, last = _smooth(h, 1), _smooth(h, -1)
    weight = first + last
    mean = np.where(weight > 0, (first * before + last * after) / np.maximum(weight, 1), 0.0)
    return trapezoid - mean * h**3 / 6


def _smooth(h: Floats, side: int) -> Floats:
    """1 where the neighbouring step on one side has a length, 0 where a jump or an end is."""
    near = np.zeros_like(h)
    if side > 0:
        near[1:] = h[:-1] > 0
    else:
        near[:-1] = h[1:] > 0
    return near
