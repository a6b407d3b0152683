"""Demos: each runs, says what it found, and leaves a report. `phipsi demo NAME`, or `run(name)` from Python."""

from __future__ import annotations

import importlib
import os
from pathlib import Path

from phipsi import errors

from .stage import Outcome, Stage

__all__ = ["DEMOS", "Outcome", "Stage", "run"]

# name: its module, how many steps it tells, and what it is
DEMOS: dict[str, tuple[str, int, str]] = {
    "capture": ("capture", 4, "a satellite with two arms catches a tumbling target, stops it and turns it"),
    "chain": ("chain", 2, "a chain of a thousand links falls"),
    "acrobot": ("acrobot", 2, "swing-up with one motor of two, by hybrid dynamics"),
    "crowd": ("crowd", 1, "4096 arms at once"),
    "fourbar": ("fourbar", 2, "a four-bar linkage"),
    "flexible": ("flexible", 1, "an arm whose links bend"),
}


def run(
    name: str = "capture", report: str | os.PathLike[str] | None = None, *, fast: bool = False, quiet: bool = False
) -> tuple[Outcome, Path | None]:
    """Run a demo; writes its report if a path is given. Returns what it found, and where the report is.

    >>> found, _ = run("fourbar", fast=True, quiet=True)
    >>> found.numbers["closure_error"] < 1e-9
    True
    """
    if name not in DEMOS:
        raise errors.option("demo", "name", name, tuple(DEMOS))
    module, steps, _ = DEMOS[name]
    stage = Stage(steps + (report is not None), quiet=quiet)
    found: Outcome = importlib.import_module(f"phipsi.demos.{module}").run(stage, fast)
    if report is None:
        return found, None
    from phipsi.show import report as write

    with stage.step("the report is written"):
        write(found.run, report, title=found.title, text=found.text, facts=found.facts, **found.options)
    return found, Path(report)
