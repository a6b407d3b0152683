"""The arguments of simulate, read once: states of one batch, laws, forces, and what is moved."""

from __future__ import annotations

import math
import os
from typing import Any, cast

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, number, one_of, real
from phipsi.model.robot import Robot
from phipsi.motion.clock import Clock
from phipsi.motion.control.feedback import PD, ComputedTorque
from phipsi.motion.control.given import Constant, Table
from phipsi.motion.forces import joint_forces
from phipsi.motion.systems import Closed, ClosedHybrid, Given, Hybrid, Open

_CLOSED_VERBS = ("forward_dynamics", "project_position", "project_velocity", "closure_error")


def robot_of(system: Any) -> Robot:
    """The robot itself, or that of a closed system."""
    if isinstance(system, Robot):
        return system
    robot = getattr(system, "robot", None)
    if isinstance(robot, Robot) and all(callable(getattr(system, verb, None)) for verb in _CLOSED_VERBS):
        return robot
    raise errors.system(system)


def stream(path: str | os.PathLike[str] | None) -> str | None:
    """Where records go: a Parquet file."""
    if path is None:
        return None
    name = os.fspath(path)
    if not name.endswith(".parquet"):
        raise errors.option("simulate", "the ending of stream", os.path.splitext(name)[1], [".parquet"])
    return name


def positive(symbol: str, value: Any) -> float:
    """Seconds, more than none."""
    if value is None or isinstance(value, bool):
        raise errors.step_size(symbol, value)
    seconds = number(value, "simulate", symbol, "a positive number of seconds")
    if not (math.isfinite(seconds) and seconds > 0):
        raise errors.step_size(symbol, value)
    return seconds


def tolerance(symbol: str, value: Any) -> float:
    """How far a step may be off."""
    allowed = 0.0 if value is None else number(value, "simulate", symbol, "a positive number")
    if not (math.isfinite(allowed) and allowed > 0):
        raise errors.tolerance(symbol, value)
    return allowed


def clock(start: float, step: float, until: Any) -> Clock:
    """The grid of times."""
    end = number(until, "simulate", "until", "a number of seconds")
    if not math.isfinite(start):
        raise errors.start_time(start)
    if not math.isfinite(end):
        raise errors.step_size("until", until)
    if end < start:
        raise errors.backwards(end, start)
    latest = max(start, end, key=abs)
    if end > start and step < math.ulp(latest):
        raise errors.too_short(step, latest, math.ulp(latest))
    return Clock.until(start, step, end)


def state(robot: Robot, q0: ArrayLike | None, v0: ArrayLike | None, *others: Any) -> tuple[Floats, Floats]:
    """q and v of one batch, which constant torques and forces may widen; quaternions of unit length."""
    if q0 is None:
        raise errors.start_missing("q0")
    q = _vector("q0", "configuration", q0, robot.nq)
    v = np.zeros(robot.nv) if v0 is None else _vector("v0", "velocity", v0, robot.nv)
    shapes = {"q0": q.shape[:-1], "v0": v.shape[:-1]}
    for symbol, value, trailing in zip(("control", "f_ext"), others, (1, 2), strict=False):
        if value is not None and not callable(value):
            shapes[symbol] = np.shape(value)[:-trailing]
        elif isinstance(value, (Constant, Table, PD, ComputedTorque)):
            shapes[symbol] = value.batch
    try:
        batch = np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise errors.broadcast("simulate", shapes) from None
    _finite("q0", q, 1)
    _finite("v0", v, 1)
    q = unit("q0", robot, np.broadcast_to(q, (*batch, robot.nq)))
    return q, np.broadcast_to(v, (*batch, robot.nv)).copy()


def unit(symbol: str, robot: Robot, q: Floats) -> Floats:
    """q with quaternions of unit length; those of none are no rotations."""
    out = robot.normalize(q)
    if np.isnan(out[np.isfinite(q).all(-1)]).any():
        raise errors.zero_quaternion(f"simulate: {symbol}")
    return out


def jump(symbol: str, value: Any, shape: tuple[int, ...]) -> Floats:
    """q or v that an event gives to all states."""
    array = real(value, "Change", symbol, "real numbers")
    try:
        array = np.broadcast_to(array, shape)
    except ValueError:
        raise errors.jump(symbol, shape, value) from None
    if array.size and not np.isfinite(array).all(-1).any():
        raise errors.jump(symbol, shape, value)
    return np.ascontiguousarray(array)


def _finite(symbol: str, x: Floats, trailing: int) -> None:
    bad = ~np.isfinite(x).all(tuple(range(-trailing, 0)))
    if bad.any():
        raise errors.not_finite_state(symbol, int(bad.sum()), bad.size)


def _vector(symbol: str, meaning: str, value: ArrayLike, size: int) -> Floats:
    array = real(value, "simulate", symbol, "real numbers")
    if array.ndim == 0 or array.shape[-1] != size:
        raise errors.shape("simulate", symbol, meaning, f"(*batch, {size})", array.shape)
    return array


def law(control: Any, robot: Robot) -> Given | None:
    """The control as a function of (t, q, v)."""
    if control is None or callable(control):
        return control
    try:
        tau = real(control, "simulate", "control", "torques")
    except errors.PhipsiError:
        raise errors.not_callable("control", control) from None
    if tau.ndim == 0 or tau.shape[-1] != robot.nv:
        raise errors.shape("simulate", "control", "joint torques", f"(*batch, {robot.nv})", tau.shape)
    _finite("control", tau, 1)
    return Constant(tau)


def system(given: Any, robot: Robot, q: Floats, step: float, options: dict[str, Any]) -> Open:
    """What is moved, with its forces."""
    f_ext, policy = options["f_ext"], one_of(options["on_singular"], ["raise", "nan"], "simulate", "on_singular")
    if f_ext is not None and not callable(f_ext):
        f_ext = real(f_ext, "simulate", "f_ext", "forces on each body")
        if f_ext.ndim < 2 or f_ext.shape[-2:] != (robot.n, 6):
            raise errors.shape("simulate", "f_ext", "external forces", f"(*batch, {robot.n}, 6)", f_ext.shape)
        _finite("f_ext", f_ext, 2)
    mask = None if options["passive"] is None else robot.mask(options["passive"], "simulate")
    wish = options["acceleration"]
    if given is robot and mask is not None and wish is None:
        robot = given = robot.with_passive(mask)
    if given is not robot and mask is not None and wish is None:
        raise errors.passive_of_closed()
    forces = joint_forces(robot, q, step, bool(options["limits"]))
    if wish is None:
        return (Open if given is robot else Closed)(given, robot, forces, f_ext, policy)
    if not callable(wish):
        wish = _vector("acceleration", "joint accelerations", wish, robot.nv)
        _finite("acceleration", wish, 1)
        wish = Constant(wish)
    if given is not robot and not callable(getattr(given, "hybrid_dynamics", None)):
        raise errors.system(given)
    return (Hybrid if given is robot else ClosedHybrid)(
        given, robot, forces, f_ext, policy, cast(Given, wish), robot.passive if mask is None else mask
    )
