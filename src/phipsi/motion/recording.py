"""Where the states of a run are kept while it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats


@dataclass
class Recorder:
    """Room for `expected` records in memory (more is made when they do not suffice)."""

    batch: tuple[int, ...]
    nq: int
    nv: int
    expected: int
    count: int = field(default=0, init=False)
    flushed: int = field(default=0, init=False)  # records that are no longer in memory

    def __post_init__(self) -> None:
        rows = self.expected
        try:
            self.t: Floats = np.empty(rows)
            self.q: Floats = np.empty((rows, *self.batch, self.nq))
            self.v: Floats = np.empty((rows, *self.batch, self.nv))
            self.tau: Floats = np.empty((rows, *self.batch, self.nv))
        except (MemoryError, ValueError, OverflowError):
            size = 8.0 * rows * (1 + int(np.prod(self.batch)) * (self.nq + 2 * self.nv))
            raise errors.too_long(rows, size / 2**30) from None

    def put(self, t: Floats, q: Floats, v: Floats) -> None:
        """More states; their torques follow (`torques`)."""
        end = self.count + len(t)
        if end > len(self.t):
            self._grow(end)
        place = slice(self.count, end)
        self.t[place], self.q[place], self.v[place] = t, q, v
        self.tau[place] = 0.0
        self.count = end  # last: an interrupt before leaves what was there

    def torques(self, tau: Floats) -> None:
        """What the law said at the last len(tau) records."""
        self.tau[self.count - len(tau) : self.count] = tau

    def cut(self) -> None:
        """Forgets what follows the first record without a finite state (how much there is depends on the machine)."""
        lost = ~np.isfinite(self.v[: self.count]).all(-1).reshape(self.count, -1).any(-1)
        if lost.any():
            self.count = int(np.argmax(lost)) + 1

    @property
    def total(self) -> int:
        """Records so far."""
        return self.flushed + self.count

    def _grow(self, least: int) -> None:
        rows = max(least, 2 * len(self.t), 64)
        for name in ("t", "q", "v", "tau"):
            old: Floats = getattr(self, name)
            new = np.empty((rows, *old.shape[1:]))
            new[: self.count] = old[: self.count]
            setattr(self, name, new)

    def arrays(self) -> tuple[Floats, Floats, Floats, Floats]:
        """t, q, v, tau of what was recorded."""
        n = self.count
        t, q, v, tau = (x[:n].copy() if n * 2 < len(x) else x[:n] for x in (self.t, self.q, self.v, self.tau))
        return t, q, v, tau
