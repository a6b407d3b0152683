"""The time grid of a run: t(k) = start + k step, whoever computes it and wherever a run is taken up again."""

from __future__ import annotations

from dataclasses import dataclass, replace

_CLOSE = 1e-9  # of a step: an end this near to the grid is on it


@dataclass(frozen=True)
class Clock:
    """Steps 0 .. steps of one length, and one that is `rest` long if the end is between two."""

    start: float
    step: float
    steps: int
    rest: float = 0.0

    @staticmethod
    def until(start: float, step: float, end: float) -> Clock:
        """The grid from start to end."""
        count = (end - start) / step
        whole = round(count) if abs(count - round(count)) < _CLOSE * max(1.0, abs(count)) else int(count)
        rest = end - (start + whole * step)
        return Clock(start, step, whole, rest if rest > _CLOSE * step * max(1.0, abs(count)) else 0.0)

    def time(self, k: int) -> float:
        """When step k begins; step `steps` + 1 would begin at the end."""
        if k > self.steps:
            return self.start + self.steps * self.step + self.rest
        return self.start + k * self.step

    def length(self, k: int) -> float:
        """How long step k is."""
        return self.rest if k >= self.steps else self.step

    @property
    def last(self) -> int:
        """The number of the step after the last."""
        return self.steps + (self.rest > 0)

    def index(self, t: float) -> int:
        """The number of the step that begins at t; -1 if none does."""
        k = round((t - self.start) / self.step)
        if k <= self.steps:
            return k if self.time(k) == t else -1
        return self.last if t == self.time(self.last) else -1

    def prolonged(self, end: float) -> Clock:
        """The same grid with another end."""
        return replace(Clock.until(self.start, self.step, end), start=self.start)
