"""simulate: a robot's way through time. Reads the arguments, picks the loop, and keeps what was recorded."""

from __future__ import annotations

import os
from collections.abc import Sequence
from inspect import signature
from numbers import Number
from typing import Any

from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import count, number, one_of
from phipsi.motion import arguments
from phipsi.motion.advance import State
from phipsi.motion.clock import Clock
from phipsi.motion.events import Event, Watch
from phipsi.motion.running import run
from phipsi.motion.streaming import StreamedTrajectory
from phipsi.motion.trajectory import Origin, Trajectory

METHOD_NAMES = ("euler", "rk4", "dopri5", "midpoint")


def simulate(
    system: Any,
    q0: ArrayLike | None = None,
    v0: ArrayLike | None = None,
    *,
    until: float,
    step: float | None = None,
    method: str = "rk4",
    record_every: int = 1,
    control: Any = None,
    control_period: float | None = None,
    acceleration: Any = None,
    passive: Any = None,
    f_ext: Any = None,
    effort_limits: bool = False,
    limits: bool = False,
    events: Sequence[Event] = (),
    rtol: float | None = 1e-9,
    atol: float = 1e-9,
    start: float = 0.0,
    stream: str | os.PathLike[str] | None = None,
    progress: bool | None = None,
    on_singular: str = "raise",
) -> Trajectory:
    """Moves a robot, or a batch of states of it, from q0, v0 at t = `start` to t = `until`; see `Trajectory`.

    system: a `Robot`, a closed system (`robot.close(...)`), or a `Trajectory` to go on with from its last record.
    q0 (*batch, nq), v0 (*batch, nv; None: at rest).
    method: "euler" (semi-implicit, order 1), "rk4" (order 4), "dopri5" (order 5, steps of its own choosing that keep
        `rtol` and `atol`; `step` is then the grid of records and the first guess, by default a
        hundredth of the time), "midpoint" (variational, order 2:
        energy stays bounded, momentum is kept to rounding, however long the run; open robots). All step on the joints'
        manifolds and keep their order there. Closed systems are put back onto their constraints after each step.
    control: a law `(t, q, v) → tau` for all states in one call, constant torques, or None. The laws of `pp.control`
        whose goals stand still run without Python between the steps. A function is asked at every stage, or with
        `control_period` (a whole number of steps) when a sample is due, and held in between ("midpoint": each step).
        Torque at a passive dof acts like any other, as in `forward_dynamics`; a warning names the dof.
    acceleration: with it the driven dofs move as it says, the passive ones (`passive`, or the robot's own mask) feel
        `control`'s torques, and `tau` records what the motors gave.
    f_ext: external forces (*batch, n, 6), or a function of (t, q, v).
    limits: True makes joints stop at their limits (stiff walls). `effort_limits`: torques are kept within the motors'
        bounds. Without them, limits are only numbers, as they are to `forward_dynamics`.
    events: see `Event`: stop, attach and release, another passive mask, another control.
    record_every: keeps every so manieth step, the first and the last. `stream`: a Parquet file that the records go to
        while the run goes on; memory stays bounded, and the result reads from the file what is asked of it.

    Springs, dampers and friction of the joints act by themselves. The same call gives the same numbers, to the last
    bit, and a run taken up from any of its records ends as if it had not been interrupted. Ctrl-C returns what was
    recorded; an exception in `control` carries it as `.run`. The one surprising thing: time is the first axis of the
    results, before the batch.

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> q0, v0 = arm.random(100, rng=0)
    >>> law = pp.control.PD(arm, arm.neutral(), kp=100.0, kd=20.0, gravity=True)
    >>> run = pp.simulate(arm, q0, v0, until=0.1, step=1e-3, control=law, record_every=20)
    >>> run.q.shape
    (6, 100, 7)
    >>> run = pp.simulate(run, until=0.2)
    >>> float(run.t[-1])
    0.2
    """
    if isinstance(system, Trajectory):
        fixed = {"q0": q0, "v0": v0, "step": step, "method": method, "record_every": record_every}
        fixed |= {"control_period": control_period, "acceleration": acceleration, "passive": passive, "f_ext": f_ext}
        fixed |= {"effort_limits": effort_limits, "limits": limits, "rtol": rtol, "atol": atol, "start": start}
        _unchanged(system.origin, {**fixed, "on_singular": on_singular})
        return _going_on(system, until, control, progress, events, stream)
    options = {
        "control": control,
        "control_period": control_period,
        "acceleration": acceleration,
        "passive": passive,
        "f_ext": f_ext,
        "effort_limits": effort_limits,
        "limits": limits,
        "on_singular": on_singular,
        "rtol": None if rtol is None else arguments.tolerance("rtol", rtol),
        "atol": arguments.tolerance("atol", atol),
    }
    robot = arguments.robot_of(system)
    one_of(method, METHOD_NAMES, "simulate", "method")
    every = count(record_every, "simulate", "record_every", "a whole number of steps")
    if every < 1:
        raise errors.wrong_type("simulate", "record_every", "a whole number of steps, at least 1", record_every)
    q, v = arguments.state(robot, q0, v0, control, f_ext)
    begin = number(start, "simulate", "start", "a number of seconds")
    if step is None and method == "dopri5":
        step = (number(until, "simulate", "until", "a number of seconds") - begin) / 100 or 1.0
    size = arguments.positive("step", step)
    clock = arguments.clock(begin, size, until)
    moved = arguments.system(system, robot, q, size, options)
    origin = Origin(clock, 0, method, every, options)
    return run(moved, State(0, q, v), origin, progress, Watch(events, begin), arguments.stream(stream))


def _unchanged(origin: Origin, given: dict[str, Any]) -> None:
    """What a continued run began with stays as it is: other words than the defaults or its own are refused."""
    own = {**origin.options, "method": origin.method, "record_every": origin.record_every}
    own |= {"step": origin.clock.step, "start": origin.clock.start}
    defaults = {name: parameter.default for name, parameter in signature(simulate).parameters.items()}
    for name, value in given.items():
        if not any(_same(value, other) for other in (defaults[name], own.get(name))):
            raise errors.continued(name)


def _same(value: Any, other: Any) -> bool:
    plain = isinstance(value, (str, Number)) and isinstance(other, (str, Number))
    return value is other or (plain and value == other)


def _going_on(
    before: Trajectory,
    until: float,
    control: Any,
    progress: bool | None,
    events: Sequence[Event],
    stream: Any,
) -> Trajectory:
    """From the last record on, on the same grid, with the same options; another control is taken if given."""
    origin = before.origin
    end = number(until, "simulate", "until", "a number of seconds")
    path = arguments.stream(stream)
    if path is not None and isinstance(before, StreamedTrajectory) and _one_file(path, before.path):
        raise errors.own_stream(path)
    now = float(before.t[-1])
    if not end > now:
        raise errors.backwards(end, now)
    on_grid = 0 <= origin.index <= origin.clock.steps
    clock = origin.clock.prolonged(end) if on_grid else Clock.until(now, origin.clock.step, end)
    index = origin.index if on_grid else 0
    options = {**origin.options, **({} if control is None else {"control": control})}
    missing = [name for name in options.get("lost", ()) if name != "control" or control is None]
    if missing:
        raise errors.lost(missing)
    options.pop("lost", None)
    state = State(index, before.q[-1].copy(), before.v[-1].copy(), before.tau[-1].copy())
    following = Origin(clock, index, origin.method, origin.record_every, options)
    return run(before.moved, state, following, progress, Watch(events), path)


def _one_file(path: str, other: str | os.PathLike[str]) -> bool:
    return os.path.realpath(path) == os.path.realpath(other)
