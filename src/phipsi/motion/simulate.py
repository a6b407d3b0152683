"""simulate: a robot's way through time. Reads the arguments, picks the loop, and keeps what was recorded."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, count, number, one_of
from phipsi.motion import arguments
from phipsi.motion.advance import METHODS, Advance, HeldAdvance, NativeAdvance, PythonAdvance, State, ask, whole_steps
from phipsi.motion.clock import Clock
from phipsi.motion.control.native import NativeLaw, native_law
from phipsi.motion.loop import Loop
from phipsi.motion.progress import Progress
from phipsi.motion.recording import Recorder
from phipsi.motion.steppers import STEPPERS
from phipsi.motion.systems import Open
from phipsi.motion.trajectory import Origin, Segment, Trajectory


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
    limits: bool = True,
    start: float = 0.0,
    progress: bool | None = None,
    on_singular: str = "raise",
) -> Trajectory:
    """Moves a robot, or a batch of states of it, from q0, v0 at t = `start` to t = `until`; see `Trajectory`.

    system: a `Robot`, a closed system (`robot.close(...)`), or a `Trajectory` to go on with from its last record.
    q0 (*batch, nq), v0 (*batch, nv; None: at rest).
    method: "euler" (semi-implicit, order 1), "rk4" (order 4). Both step on the joints' manifolds and keep their order
        there. Closed systems are put back onto their constraints after each step.
    control: a law `(t, q, v) → tau` for all states in one call, constant torques, or None. The laws of `pp.control`
        whose goals stand still run without Python between the steps. A function is asked at every stage, or with
        `control_period` (a whole number of steps) when a sample is due, and held in between.
    acceleration: with it the driven dofs move as it says, the passive ones (`passive`, or the robot's own mask) feel
        `control`'s torques, and `tau` records what the motors gave.
    f_ext: external forces (*batch, n, 6), or a function of (t, q, v).
    limits: joints stop at their limits (stiff walls). `effort_limits`: torques are kept within the motors' bounds.
    record_every: keeps every so manieth step, the first and the last.

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
        return _going_on(system, until, q0, v0, step, control, progress)
    options = {
        "control": control,
        "control_period": control_period,
        "acceleration": acceleration,
        "passive": passive,
        "f_ext": f_ext,
        "effort_limits": effort_limits,
        "limits": limits,
        "on_singular": on_singular,
    }
    robot = arguments.robot_of(system)
    one_of(method, list(STEPPERS), "simulate", "method")
    every = count(record_every, "simulate", "record_every", "a whole number of steps")
    if every < 1:
        raise errors.wrong_type("simulate", "record_every", "a whole number of steps, at least 1", record_every)
    q, v = arguments.state(robot, q0, v0, control, f_ext)
    size = arguments.positive("step", step)
    begin = number(start, "simulate", "start", "a number of seconds")
    clock = arguments.clock(begin, size, until)
    moved = arguments.system(system, robot, q, size, options)
    return _run(moved, State(0, q, v), clock, Origin(clock, 0, method, every, options), progress)


def _going_on(
    run: Trajectory, until: float, q0: Any, v0: Any, step: float | None, control: Any, progress: bool | None
) -> Trajectory:
    """From the last record on, on the same grid, with the same options; another control is taken if given."""
    origin = run.origin
    if q0 is not None or v0 is not None or (step is not None and step != origin.clock.step):
        raise errors.continued()
    end = number(until, "simulate", "until", "a number of seconds")
    on_grid = origin.index <= origin.clock.steps
    clock = origin.clock if on_grid else Clock(float(run.t[-1]), origin.clock.step, 0)
    index = origin.index if on_grid else 0
    if not end > run.t[-1]:
        raise errors.backwards(end, float(run.t[-1]))
    options = {**origin.options, **({} if control is None else {"control": control})}
    state = State(index, run.q[-1].copy(), run.v[-1].copy(), run.tau[-1].copy())
    following = Origin(clock.prolonged(end), index, origin.method, origin.record_every, options)
    return _run(run.moved, state, following.clock, following, progress)


def _run(system: Open, state: State, clock: Clock, origin: Origin, progress: bool | None) -> Trajectory:
    robot, options = system.robot, origin.options
    advance, final = _advance(system, clock, origin.method, options, state)
    records = (clock.last - state.k) // origin.record_every + 3
    recorder = Recorder(state.q.shape[:-1], robot.nq, robot.nv, records)
    state.q, state.v = system.project(state.q, state.v) if state.k == 0 else (state.q, state.v)
    recorder.put(np.array([clock.time(state.k)]), state.q[None], state.v[None])
    line = Progress(clock.time(state.k), clock.time(clock.last), progress)
    single = not isinstance(advance, NativeAdvance)
    loop = Loop(clock, origin.record_every, recorder, line, even=origin.method == "midpoint", single=single)

    def so_far(stopped: str) -> Trajectory:
        t, q, v, tau = recorder.arrays()
        made = Origin(clock, loop.recorded, origin.method, origin.record_every, options)
        return Trajectory(t, q, v, tau, [Segment(0, system)], made, stopped)

    try:
        stopped = loop.run(state, advance)
    except KeyboardInterrupt:
        sentence = errors.interrupted(clock.time(loop.recorded), clock.time(clock.last))
        warnings.warn(sentence, errors.SimulationWarning, stacklevel=3)
        stopped = "interrupted"
    except Exception as problem:
        problem.run = so_far("error")  # pyright: ignore[reportAttributeAccessIssue]
        raise
    finally:
        line.close()
    if loop.fresh and stopped != "diverged":
        last = recorder.count - 1
        recorder.torques(final(State(loop.recorded, recorder.q[last], recorder.v[last], state.held))[None])
    if stopped == "diverged":
        warnings.warn(errors.diverged(clock.time(state.k), clock.step), errors.SimulationWarning, stacklevel=3)
    return so_far(stopped)


def _advance(
    system: Open, clock: Clock, method: str, options: dict[str, Any], state: State
) -> tuple[Advance, Callable[[State], Floats]]:
    """The fastest loop that does what is asked, and what the law says at the end."""
    robot, law = system.robot, options["control"]
    effort = robot.effort_limit if options["effort_limits"] and np.isfinite(robot.effort_limit).any() else None
    period = options["control_period"]
    hold = whole_steps(arguments.positive("control_period", period), clock.step) if period is not None else 0
    asked = arguments.law(law, robot)

    def final(state: State) -> Floats:
        t = clock.time(state.k)
        if hold and state.held is not None and state.k % hold:
            return state.held
        return system.commanded(t, state.q, state.v, ask(system, asked, effort, t, state.q, state.v))

    native = system.native and method in METHODS
    told = None
    if native:
        told = NativeLaw() if asked is None else native_law(asked, robot)
    if told is not None:
        if asked is not None:  # refuses torques at passive dofs
            ask(system, asked, None, clock.time(state.k), state.q, state.v)
        return NativeAdvance(system, clock, method, told, hold, effort), final
    if native and hold and asked is not None:
        return HeldAdvance(NativeAdvance(system, clock, method, NativeLaw()), asked, hold, effort), final
    return PythonAdvance(system, clock, STEPPERS[method], asked, hold, effort), final
