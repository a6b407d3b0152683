"""The stage of the demos: what is said while one runs, and what it leaves: numbers, a summary, a report."""

from __future__ import annotations

import sys
import time
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, TextIO


@dataclass
class Outcome:
    """What a demo has to show: what was found, in words and numbers, and the run for the report."""

    title: str
    text: str
    facts: dict[str, str]  # what a person reads: name and value
    numbers: dict[str, float]  # the same for programs, SI units
    run: Any
    options: dict[str, Any] = field(default_factory=dict[str, Any])  # of `report`

    def summary(self) -> str:
        """The facts, aligned."""
        width = max(map(len, self.facts), default=0)
        return "\n".join(f"  {name:<{width}}  {value}" for name, value in self.facts.items())


class Stage:
    """Says what is going on: a line for each step, with its time."""

    def __init__(self, steps: int, out: TextIO | None = None, quiet: bool = False) -> None:
        self.steps, self.quiet = steps, quiet
        self.out = sys.stderr if out is None else out
        self.done = 0

    @contextmanager
    def step(self, words: str) -> Generator[None, None, None]:
        """One of the steps, from beginning to end."""
        self.done += 1
        self._say(f"[{self.done}/{self.steps}] {words} ... ")
        start = time.perf_counter()
        yield
        self._say(f"{time.perf_counter() - start:.1f} s\n")

    def _say(self, text: str) -> None:
        if not self.quiet:
            self.out.write(text)
            self.out.flush()


def microseconds(seconds: float) -> str:
    """A short time, as people say it."""
    return f"{1e9 * seconds:.0f} ns" if seconds < 1e-6 else f"{1e6 * seconds:.3g} µs"
