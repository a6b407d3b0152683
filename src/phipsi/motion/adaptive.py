"""The loop of Dormand and Prince's method: steps as long as the tolerance allows, records from their dense output."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats
from phipsi.motion.advance import State, ask
from phipsi.motion.clock import Clock
from phipsi.motion.dopri5 import Step, step
from phipsi.motion.events import Event, Watch
from phipsi.motion.manifold import Chart
from phipsi.motion.progress import Progress
from phipsi.motion.recording import Recorder
from phipsi.motion.systems import Given, Open

SAFETY, SHRINK, GROW = 0.9, 0.2, 5.0


@dataclass
class AdaptiveLoop:
    """Moves a state along a clock, whose grid only says when to record; `rtol` None: steps of the clock's length."""

    clock: Clock
    every: int
    recorder: Recorder
    progress: Progress
    system: Open
    law: Given | None
    effort: Floats | None
    final: Callable[[State], Floats]
    hold: int = 0
    rtol: float | None = 1e-9
    atol: float = 1e-9
    watch: Watch | None = None
    recorded: int = 0
    fresh: bool = field(default=True, init=False)

    def run(self, state: State) -> str | Event:
        """To the end, or to an event."""
        clock, chart = self.clock, Chart(self.system.robot)
        if self.fresh:
            self.recorder.torques(self.final(state)[None])
        self.fresh = False
        t, end, h, a = state.time(clock), clock.time(clock.last), clock.step, None
        while t < end:
            limit = self._limit(state, t)
            accelerate = self._acceleration(state, t)
            tried = step(chart, accelerate, t, state.q, state.v, min(h, limit - t), a)
            worst = 0.0 if self.rtol is None else tried.error(self.rtol, self.atol)
            if not worst <= 1.0:
                if not np.isfinite(state.v).any() and state.v.size:
                    return "diverged"
                h = tried.h * max(SHRINK, SAFETY * worst**-0.2 if np.isfinite(worst) else SHRINK)
                if h < 16 * np.spacing(max(abs(t), 1e-3)):
                    raise errors.no_step(t, h)
                continue
            event, t_end = self._event(tried, limit)
            self._records(tried, state, t, t_end, event is not None)
            q, v = (tried.q, tried.v) if event is None else tried.at(t_end)
            state.q, state.v = self.system.project(q, v)
            self._move_to(state, t_end)
            if event is not None:
                return event
            a = tried.acceleration if state.q is q and not (self.hold and state.k % self.hold == 0) else None
            if self.rtol is not None and (tried.h >= h or worst > 0.5):
                h = tried.h * min(GROW, max(SHRINK, SAFETY * max(worst, 1e-10) ** -0.2))
            t = t_end
            self.progress(t)
            finite = np.isfinite(state.v).all(-1)
            if finite.size and not finite.any():
                return "diverged"
        return "until"

    def _limit(self, state: State, t: float) -> float:
        """The next moment that no step may cross: a sample, the end; if errors do not count, each grid time."""
        clock = self.clock
        k = state.k + 1
        if self.rtol is None:
            return clock.time(k)
        return clock.time(min((state.k // self.hold + 1) * self.hold, clock.last) if self.hold else clock.last)

    def _acceleration(self, state: State, t: float) -> Callable[[float, Floats, Floats], Floats]:
        system = self.system
        if self.hold and (state.held is None or (state.k % self.hold == 0 and state.offset == 0)):
            state.held = ask(system, self.law, self.effort, t, state.q, state.v)
        held = state.held if self.hold else None

        def accelerate(time: float, q: Floats, v: Floats) -> Floats:
            tau = ask(system, self.law, self.effort, time, q, v) if held is None else held
            return system.accelerate(time, q, v, tau)

        return accelerate

    def _event(self, tried: Step, limit: float) -> tuple[Event | None, float]:
        """The first event within the step and its time, or None and the step's end."""
        end = limit if tried.t + tried.h >= limit * (1 - 1e-15) else tried.t + tried.h
        watch = self.watch
        if watch is None or not watch.events:
            return None, end
        fired = watch.crossed(end, tried.q, tried.v)
        if not fired:
            watch.keep(end, tried.q, tried.v)
            return None, end
        low, high = tried.t, end
        while high - low > 2 * np.spacing(max(abs(high), 1e-3)):
            middle = 0.5 * (low + high)
            earlier = watch.crossed(middle, *tried.at(middle))
            if earlier:
                high, fired = middle, earlier
            else:
                low = middle
        first = fired[0]
        return first, high if callable(first.when) else float(first.when)

    def _records(self, tried: Step, state: State, t: float, end: float, event: bool) -> None:
        """The grid times in (t, end] that are due (an event's own time is recorded by the run)."""
        clock = self.clock
        k = self.recorded
        while k < clock.last:
            k = min((k // self.every + 1) * self.every, clock.last)
            due = clock.time(k)
            if due > end or (event and due == end):
                return
            q, v = (tried.q, tried.v) if due == end else tried.at(due)
            q, v = self.system.project(q, v)
            self.recorder.put(np.array([due]), q[None], v[None])
            here = State(k, q, v, state.held)
            held = self.hold and k % self.hold and state.held is not None
            self.recorder.torques((state.held if held and state.held is not None else self.final(here))[None])
            self.recorded = k

    def _move_to(self, state: State, t: float) -> None:
        clock = self.clock
        k = min(int((t - clock.start) / clock.step * (1 + 1e-15) + 1e-9), clock.steps)
        if t >= clock.time(clock.last):
            k = clock.last
        state.k, state.offset = k, max(0.0, t - clock.time(k))
        if state.offset < 1e-12 * clock.step:
            state.offset = 0.0
