"""The loop of every run with steps of one length: chunks that can be interrupted, records, progress."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from time import perf_counter

import numpy as np

from phipsi.model.reading import Floats
from phipsi.motion.advance import Advance, State
from phipsi.motion.clock import Clock
from phipsi.motion.events import Event, Watch
from phipsi.motion.progress import Progress
from phipsi.motion.recording import Recorder

CHUNK_SECONDS = 0.05  # a chunk of steps takes about this long: how soon Ctrl-C is heard
CHUNK_NUMBERS = 1 << 21  # and makes at most this many numbers
EVEN_STEPS = 1 << 12  # steps × states between two returns of an implicit method, which starts its guesses anew there
LANE_NUMBERS = 1 << 12  # of them for one state, so that they stay in the caches


class Loop:
    """Moves a state along a clock and records every `every`-th step and the last state; `final`: torques in a state."""

    def __init__(
        self,
        clock: Clock,
        every: int,
        recorder: Recorder,
        progress: Progress,
        advance: Advance,
        final: Callable[[State], Floats],
        watch: Watch,
    ) -> None:
        self.clock, self.every, self.recorder, self.progress = clock, every, recorder, progress
        self.advance, self.final, self.watch = advance, final, watch
        self.even = False  # chunks end where the step's number says, not where the time does (for implicit methods)
        self.single = False  # a record at a time: what runs in between may raise
        self._budget = 16  # steps of the next chunk
        self.fresh = True  # nothing was advanced since the last record

    def run(self, state: State) -> str | Event:
        """To the end of the clock: "until", or "diverged" if no state is finite any more; or to an event."""
        while state.k < self.clock.last:
            if self.watch.events or state.offset:
                event = self._watched(state)
                if event is not None:
                    return event
            else:
                self._go(state)
            self.progress(state.time(self.clock))
            finite = np.isfinite(state.v).all(-1)
            if finite.size and not finite.any():
                return "diverged"
        return "until"

    def _go(self, state: State) -> None:
        begin, k = perf_counter(), state.k
        blocks, every = self._chunk(k, state)
        done = self.advance(state, blocks, every)
        self._record(k, state.k, every, done.q, done.v, done.tau)
        spent = max(perf_counter() - begin, 1e-6)
        self._budget = int(min(max(1, (state.k - k) * CHUNK_SECONDS / spent), 4 * self._budget))

    # ── with events ───────────────────────────────────────────────────────────────────────────────────────────────

    def _watched(self, state: State) -> Event | None:
        """One step, or to the first event in it."""
        clock, watch = self.clock, self.watch
        if self.fresh:
            self.recorder.torques(self.final(state)[None])
        begin = replace(state)
        length = clock.length(state.k) - state.offset
        self.advance.part(state, length)
        fired = watch.crossed(state.time(clock), state.q, state.v)
        if fired:
            return self._located(begin, state, length, fired)
        watch.keep(state.time(clock), state.q, state.v)
        self.fresh = state.k % self.every == 0 or state.k == self.clock.last
        if self.fresh:
            self.recorder.put(np.array([clock.time(state.k)]), state.q[None], state.v[None])
        return None

    def _located(self, begin: State, state: State, length: float, fired: list[Event]) -> Event:
        """By bisection of the step: each trial is a step of the method itself, so the state has its order."""
        clock, low, high = self.clock, 0.0, length
        moments = [float(event.when) for event in fired if not callable(event.when)]
        if len(moments) == len(fired):
            low = high = min(moments) - begin.time(clock)
            fired = [event for event in fired if event.when == min(moments)]
        best = state
        while high - low > 2 * np.spacing(max(abs(begin.time(clock)), 1e-3)) or best is state:
            middle = 0.5 * (low + high)
            trial = replace(begin)
            if middle > 0:
                self.advance.part(trial, middle)
            earlier = self.watch.crossed(trial.time(clock), trial.q, trial.v)
            if low == high:
                best = trial
            elif earlier:
                high, fired, best = middle, earlier, trial
            else:
                low = middle
                if high == length and high - low <= 2 * np.spacing(max(abs(begin.time(clock)), 1e-3)):
                    break
        state.q, state.v, state.k, state.offset, state.held = best.q, best.v, best.k, best.offset, best.held
        return fired[0]

    # ── without ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _chunk(self, k: int, state: State) -> tuple[int, int]:
        """How many blocks of how many steps come next."""
        if k >= self.clock.steps:
            return 1, 1  # the short step at the end
        to_record = min(self.every - k % self.every, self.clock.steps - k)
        budget = max(1, self._budget)
        if self.even:
            most = max(16, EVEN_STEPS // max(1, int(np.prod(state.v.shape[:-1]))))
            if to_record > most:
                return 1, min(to_record, most - k % most)
        if to_record < self.every or (budget < self.every and not self.even):
            return 1, min(to_record, budget) if not self.even else to_record
        width = state.q.shape[-1] + 2 * state.v.shape[-1]
        states = int(np.prod(state.v.shape[:-1]))
        most = min(CHUNK_NUMBERS // max(1, states * width), LANE_NUMBERS // max(1, width))
        blocks = min(budget // self.every, (self.clock.steps - k) // self.every, most)
        return 1 if self.single else max(1, blocks), self.every

    def _record(self, k: int, end: int, every: int, q: Floats, v: Floats, tau: Floats) -> None:
        if self.fresh:
            self.recorder.torques(tau[:1])
        blocks = len(q)
        due = end % self.every == 0 or end == self.clock.last
        self.fresh = due
        if not due:
            return
        times = np.array([self.clock.time(k + every * (i + 1)) for i in range(blocks)])
        self.recorder.put(times, q, v)
        if blocks > 1:
            self.recorder.tau[self.recorder.count - blocks : self.recorder.count - 1] = tau[1:]
