"""The loop of every run with steps of one length: chunks that can be interrupted, records, progress."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from phipsi.model.reading import Floats
from phipsi.motion.advance import Advance, State
from phipsi.motion.clock import Clock
from phipsi.motion.progress import Progress
from phipsi.motion.recording import Recorder

CHUNK_SECONDS = 0.05  # a chunk of steps takes about this long: how soon Ctrl-C is heard
CHUNK_NUMBERS = 1 << 21  # and makes at most this many numbers
LANE_NUMBERS = 1 << 12  # of them for one state, so that they stay in the caches


class Loop:
    """Moves a state along a clock and records every `record_every`-th step, the first and the last state."""

    def __init__(
        self, clock: Clock, record_every: int, recorder: Recorder, progress: Progress, *, even: bool, single: bool
    ) -> None:
        self.clock, self.every, self.recorder, self.progress = clock, record_every, recorder, progress
        self._even = even  # chunks end where the step's number says, not where the time does (for implicit methods)
        self._single = single  # a record at a time: what runs in between may raise
        self._budget = 16  # steps of the next chunk
        self.fresh = True  # nothing was advanced since the last record
        self.recorded = 0  # the number of the step that began there

    def run(self, state: State, advance: Advance) -> str:
        """To the end of the clock: "until", or "diverged" if no state is finite any more."""
        self.recorded = state.k
        while state.k < self.clock.last:
            begin = perf_counter()
            k = state.k
            blocks, every = self._chunk(k, state)
            done = advance(state, blocks, every)
            self._record(k, state.k, every, done.q, done.v, done.tau)
            spent = max(perf_counter() - begin, 1e-6)
            self._budget = int(min(max(1, (state.k - k) * CHUNK_SECONDS / spent), 4 * self._budget))
            self.progress(self.clock.time(state.k))
            finite = np.isfinite(state.v).all(-1)
            if finite.size and not finite.any():
                return "diverged"
        return "until"

    def _chunk(self, k: int, state: State) -> tuple[int, int]:
        """How many blocks of how many steps come next."""
        if k >= self.clock.steps:
            return 1, 1  # the short step at the end
        to_record = min(self.every - k % self.every, self.clock.steps - k)
        budget = max(1, self._budget)
        if self._even and to_record > 256:
            return 1, min(to_record, 256 - k % 256)
        if to_record < self.every or (budget < self.every and not self._even):
            return 1, min(to_record, budget) if not self._even else to_record
        width = state.q.shape[-1] + 2 * state.v.shape[-1]
        states = int(np.prod(state.v.shape[:-1]))
        most = min(CHUNK_NUMBERS // max(1, states * width), LANE_NUMBERS // max(1, width))
        blocks = min(budget // self.every, (self.clock.steps - k) // self.every, most)
        return 1 if self._single else max(1, blocks), self.every

    def _record(self, k: int, end: int, every: int, q: Floats, v: Floats, tau: Floats) -> None:
        if self.fresh:
            self.recorder.torques(tau[:1])
        blocks = len(q)
        due = end % self.every == 0 or end == self.clock.last
        self.fresh = due
        if not due:
            return
        self.recorded = end
        times = np.array([self.clock.time(k + every * (i + 1)) for i in range(blocks)])
        self.recorder.put(times, q, v)
        if blocks > 1:
            self.recorder.tau[self.recorder.count - blocks : self.recorder.count - 1] = tau[1:]
