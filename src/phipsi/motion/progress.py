"""A line that says how far a long run has come: redrawn in terminals and notebooks, seldom and plain in pipes."""

from __future__ import annotations

import sys
from time import perf_counter

PATIENCE, REDRAW, PLAIN = 2.0, 0.2, 10.0  # seconds: before the first word, between redraws, between lines in pipes


class Progress:
    """`wanted`: True or False, or None: in terminals and notebooks only."""

    def __init__(self, start: float, until: float, wanted: bool | None) -> None:
        self.start, self.until = start, until
        self._live = sys.stderr.isatty() or _notebook()
        self._on = self._live if wanted is None else wanted
        self._began = perf_counter()
        self._next = self._began + PATIENCE
        self._drawn = 0

    def __call__(self, t: float) -> None:
        """The run has come to t."""
        if not self._on or (now := perf_counter()) < self._next:
            return
        self._next = now + (REDRAW if self._live else PLAIN)
        share = (t - self.start) / (self.until - self.start) if self.until > self.start else 1.0
        spent = now - self._began
        left = spent / share - spent if share > 0 else float("inf")
        line = f"simulate: t = {t:.6g} of {self.until:g} s ({share:4.0%}), {_clock(spent)} spent, {_clock(left)} to go"
        if self._live:
            print("\r" + line.ljust(self._drawn), end="", file=sys.stderr, flush=True)
            self._drawn = len(line)
        else:
            print(line, file=sys.stderr, flush=True)

    def close(self) -> None:
        """Leaves a clean line behind."""
        if self._drawn:
            print("\r" + " " * self._drawn + "\r", end="", file=sys.stderr, flush=True)
            self._drawn = 0


def _clock(seconds: float) -> str:
    if seconds == float("inf"):
        return "?"
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02d}:{rest:02d}" if hours else f"{minutes}:{rest:02d}"


def _notebook() -> bool:
    """Whether a Jupyter kernel shows what is printed."""
    kernel = sys.modules.get("ipykernel.zmqshell")
    shell = sys.modules.get("IPython")
    if kernel is None or shell is None:
        return False
    return type(shell.get_ipython()).__name__ == "ZMQInteractiveShell"
