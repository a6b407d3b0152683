"""A run from its beginning to its end: the fastest loop that does what is asked, what events change, what is kept."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats
from phipsi.motion import arguments
from phipsi.motion.adaptive import AdaptiveLoop
from phipsi.motion.advance import METHODS, Advance, HeldAdvance, NativeAdvance, PythonAdvance, State, ask, whole_steps
from phipsi.motion.clock import Clock
from phipsi.motion.control.native import NativeLaw, native_law
from phipsi.motion.events import Change, Event, Watch
from phipsi.motion.loop import Loop
from phipsi.motion.progress import Progress
from phipsi.motion.recording import Recorder
from phipsi.motion.steppers import STEPPERS
from phipsi.motion.storage import beginning, ending
from phipsi.motion.streaming import StreamedTrajectory, StreamRecorder
from phipsi.motion.systems import Given, Open, with_mask
from phipsi.motion.trajectory import Origin, Segment, Trajectory


@dataclass
class Run:
    """What is moved, how, and what has been recorded of it."""

    system: Open
    state: State
    origin: Origin
    recorder: Recorder
    progress: Progress
    watch: Watch

    def __post_init__(self) -> None:
        self.segments = [Segment(0, self.system)]
        self.happened: list[tuple[float, str]] = []

    @property
    def clock(self) -> Clock:
        """The grid of times."""
        return self.origin.clock

    def go(self) -> str:
        """To the end: why it ended."""
        state, clock = self.state, self.clock
        self.watch.start(state.time(clock), state.q, state.v)
        while True:
            loop, final = self._loop()
            outcome = loop.run(state)
            if not isinstance(outcome, Event):
                if loop.fresh and outcome == "until":
                    self.recorder.torques(final(state)[None])
                return outcome
            t = state.time(clock)
            self.happened.append((t, outcome.name))
            self._put(t, final)
            then = outcome.outcome(t, state.q, state.v)
            if isinstance(then, str):
                return "event"
            self._change(then)
            self.watch.start(t, state.q, state.v, outcome)

    def _put(self, t: float, final: Callable[[State], Floats]) -> None:
        self.recorder.put(np.array([t]), self.state.q[None], self.state.v[None])
        self.recorder.torques(final(self.state)[None])

    def _change(self, change: Change) -> None:
        """Another system, mask, control or state from here on; a jump is a second record of the same time."""
        state, options = self.state, dict(self.origin.options)
        if change.control is not None:
            options["control"] = change.control
            state.held = None
        if change.system is not None:
            robot = arguments.robot_of(change.system)
            if (robot.nq, robot.nv) != (self.system.robot.nq, self.system.robot.nv):
                raise errors.other_numbers(robot.name, (robot.nq, robot.nv), (state.q.shape[-1], state.v.shape[-1]))
            self.system = arguments.system(change.system, robot, state.q, self.clock.step, options)
        if change.passive is not None:
            self.system = with_mask(self.system, self.system.robot.mask(change.passive, "Change"))
        self.origin = Origin(self.clock, 0, self.origin.method, self.origin.record_every, options)
        if change.q is not None or change.v is not None or change.system is not None:
            q = state.q if change.q is None else arguments.jump("q", change.q, state.q.shape)
            v = state.v if change.v is None else arguments.jump("v", change.v, state.v.shape)
            q = q if change.q is None else arguments.unit("q", self.system.robot, q)
            state.q, state.v = self.system.project(q, v)
            self._put(state.time(self.clock), self._loop()[1])
        self.segments.append(Segment(self.recorder.total - 1, self.system))

    def trajectory(self, stopped: str) -> Trajectory:
        """What has been recorded."""
        recorder = self.recorder
        index = -1 if stopped == "event" else self.clock.index(float(recorder.t[recorder.count - 1]))
        made = Origin(self.clock, index, self.origin.method, self.origin.record_every, self.origin.options)
        if isinstance(recorder, StreamRecorder):
            recorder.close(ending(self.clock, index, stopped, self.happened))
            return StreamedTrajectory(recorder.path, self.segments, made, stopped, self.happened)
        t, q, v, tau = recorder.arrays()
        return Trajectory(t, q, v, tau, self.segments, made, stopped, self.happened)

    def _loop(self) -> tuple[Loop | AdaptiveLoop, Callable[[State], Floats]]:
        origin, system, clock = self.origin, self.system, self.clock
        if origin.method == "dopri5":
            return self._adaptive()
        advance, final = _advance(system, clock, origin.method, origin.options)
        even, single = origin.method == "midpoint", isinstance(advance, PythonAdvance)
        loop = Loop(clock, origin.record_every, self.recorder, self.progress, advance, final, self.watch)
        loop.even, loop.single = even, single
        return loop, final

    def _adaptive(self) -> tuple[Loop | AdaptiveLoop, Callable[[State], Floats]]:
        options, system, clock = self.origin.options, self.system, self.clock
        law, effort, hold = _law(system, clock, options)
        final = _final(system, clock, law, effort, hold)
        loop = AdaptiveLoop(clock, self.origin.record_every, self.recorder, self.progress, system, law, effort, final)
        loop.hold, loop.watch, loop.recorded = hold, self.watch, self.state.k
        loop.rtol, loop.atol = options.get("rtol", 1e-9), options.get("atol", 1e-9)
        return loop, final


def run(
    system: Open, state: State, origin: Origin, progress: bool | None, watch: Watch, stream: str | None = None
) -> Trajectory:
    """From a state to the end of the clock, or until something stops it."""
    clock, robot = origin.clock, system.robot
    _refuse(system, origin.method, origin.options)
    if state.k == 0:
        state.q, state.v = system.project(state.q, state.v)
    records = (clock.last - state.k) // origin.record_every + 3
    batch = state.q.shape[:-1]
    if stream is not None and 0 in batch:
        raise errors.empty_stream()
    if stream is None:
        recorder = Recorder(batch, robot.nq, robot.nv, records)
    else:
        notes = beginning(system, batch, origin.method, origin.record_every, origin.options)
        recorder = StreamRecorder(batch, robot.nq, robot.nv, records, stream, system, notes)
    recorder.put(np.array([clock.time(state.k)]), state.q[None], state.v[None])
    line = Progress(clock.time(state.k), clock.time(clock.last), progress)
    moving = Run(system, state, origin, recorder, line, watch)
    try:
        stopped = moving.go()
    except KeyboardInterrupt:
        stopped = "interrupted"
    except Exception as problem:
        problem.run = moving.trajectory("error")  # pyright: ignore[reportAttributeAccessIssue]
        raise
    finally:
        line.close()
    if stopped == "diverged":
        recorder.cut()
    run = moving.trajectory(stopped)
    if stopped == "interrupted":
        _warn(errors.interrupted(float(run.t[-1]), clock.time(clock.last)), run)
    if stopped == "diverged":
        lost = not np.isfinite(run.v[-1]).all()
        _warn(errors.diverged(float(run.t[-1]) if lost else state.time(clock), clock.step), run)
    return run


def _warn(sentence: str, run: Trajectory) -> None:
    """Where warnings are errors, nothing recorded is lost either: the error carries it."""
    try:
        warnings.warn(sentence, errors.SimulationWarning, stacklevel=4)
    except errors.SimulationWarning as problem:
        problem.run = run  # pyright: ignore[reportAttributeAccessIssue]
        raise


def _refuse(system: Open, method: str, options: dict[str, Any]) -> None:
    if method == "midpoint" and not system.native:
        raise errors.method_system(method, system.kind if not callable(system.f_ext) else "forces that Python computes")


def _law(system: Open, clock: Clock, options: dict[str, Any]) -> tuple[Given | None, Floats | None, int]:
    """The law as a function, the motors' bounds, and for how many steps a sample is held (0: asked at every stage)."""
    robot, period = system.robot, options["control_period"]
    effort = robot.effort_limit if options["effort_limits"] and np.isfinite(robot.effort_limit).any() else None
    hold = whole_steps(arguments.positive("control_period", period), clock.step) if period is not None else 0
    return arguments.law(options["control"], robot), effort, hold


def _final(
    system: Open, clock: Clock, law: Given | None, effort: Floats | None, hold: int
) -> Callable[[State], Floats]:
    """What the motors give in a state."""

    def final(state: State) -> Floats:
        if hold and state.held is not None and (state.k % hold or state.offset):
            return state.held
        t = state.time(clock)
        return system.commanded(t, state.q, state.v, ask(system, law, effort, t, state.q, state.v))

    return final


def _advance(
    system: Open, clock: Clock, method: str, options: dict[str, Any]
) -> tuple[Advance, Callable[[State], Floats]]:
    law, effort, hold = _law(system, clock, options)
    final = _final(system, clock, law, effort, hold)
    if not (system.native and method in METHODS):
        return PythonAdvance(system, clock, STEPPERS[method], law, hold, effort), final
    told = NativeLaw() if law is None else native_law(law, system.robot)
    if told is not None:
        return NativeAdvance(system, clock, method, told, hold, effort), final
    assert law is not None
    if method == "midpoint":  # whose equation is solved natively: a law in Python is held during each step
        hold = hold or 1
    if hold:
        return HeldAdvance(NativeAdvance(system, clock, method, NativeLaw()), law, hold, effort), final
    return PythonAdvance(system, clock, STEPPERS[method], law, hold, effort), final
