"""What is told: rows of times, bars with their verdicts, as a table, as Markdown and as JSON."""

from __future__ import annotations

import json
import os
import platform
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import phipsi as pp

from .clock import geometric_mean


@dataclass(frozen=True)
class Row:
    """One robot, one thing computed, two times for it (seconds per call, or per state of a batch)."""

    section: str
    what: str
    robot: str
    ours: float
    peer: str
    theirs: float

    @property
    def ratio(self) -> float:
        """How many times faster phipsi was; below one, slower."""
        return self.theirs / self.ours


@dataclass(frozen=True)
class Bar:
    """What issue 2 asks for, and what was measured."""

    what: str
    measured: float
    wanted: float
    at_most: bool = False
    unit: str = "x"

    @property
    def met(self) -> bool:
        """Whether the bar is cleared; NaN never clears one."""
        return self.measured <= self.wanted if self.at_most else self.measured >= self.wanted

    def __str__(self) -> str:
        """As in the summary: what, measured, wanted."""
        sign = "<=" if self.at_most else ">="
        verdict = "met" if self.met else "MISSED"
        return f"{self.what:<75} {self.measured:8.2f} {self.unit:<3} {sign} {self.wanted:<6g} {verdict}"


@dataclass
class Report:
    """Everything measured so far; printed as it comes in."""

    rows: list[Row] = field(default_factory=list[Row])
    bars: list[Bar] = field(default_factory=list[Bar])
    facts: dict[str, Any] = field(default_factory=dict[str, Any])

    def add(self, row: Row) -> None:
        """Keep a row and print it."""
        self.rows.append(row)
        us, them = f"{row.what:<34} {row.robot:<10} {_time(row.ours)}", f"{row.peer:<32} {_time(row.theirs)}"
        print(f"  {us}  {them} {row.ratio:8.2f} x", flush=True)

    def add_bar(self, bar: Bar) -> None:
        """Keep a bar and print it."""
        self.bars.append(bar)
        print(f"  -> {bar}", flush=True)

    def mean(self, section: str, what: str, peer: str, robots: tuple[str, ...]) -> float:
        """Geometric mean of the ratios over robots; NaN when one is missing."""
        ratios = {r.robot: r.ratio for r in self.rows if (r.section, r.what, r.peer) == (section, what, peer)}
        return geometric_mean(ratios[robot] for robot in robots) if ratios.keys() >= set(robots) else float("nan")

    def summary(self) -> str:
        """All bars, one a line."""
        missed = [bar for bar in self.bars if not bar.met]
        lines = [str(bar) for bar in self.bars]
        return "\n".join([*lines, f"{len(self.bars) - len(missed)} of {len(self.bars)} bars met"])

    def markdown(self) -> str:
        """The bars as a table for a README."""
        head = ["| what | measured | asked for |", "|---|---:|---:|"]
        sign = {True: "≤", False: "≥"}
        bars = [f"| {b.what} | {b.measured:.2f} {b.unit} | {sign[b.at_most]} {b.wanted:g} |" for b in self.bars]
        return "\n".join(head + bars)

    def write(self, path: Path) -> None:
        """Write everything as JSON, for comparing runs."""
        path.parent.mkdir(parents=True, exist_ok=True)
        everything = {
            "machine": machine(),
            "facts": self.facts,
            "bars": [{**vars(bar), "met": bar.met} for bar in self.bars],
            "rows": [{**vars(row), "ratio": row.ratio} for row in self.rows],
        }
        path.write_text(json.dumps(everything, indent=1) + "\n")


def machine() -> dict[str, Any]:
    """What the numbers were measured on and with."""
    cpu = platform.processor() or platform.machine()
    if os.path.exists("/proc/cpuinfo"):
        models = [line for line in Path("/proc/cpuinfo").read_text().splitlines() if line.startswith("model name")]
        cpu = models[0].split(":", 1)[1].strip() if models else cpu
    packages = {name: version(name) for name in ("phipsi", "numpy", "pin", "mujoco")}
    return {"cpu": cpu, "cores": os.cpu_count(), "isa": pp._core.isa(), "python": platform.python_version(), **packages}


def _time(seconds: float) -> str:
    """Seconds in a unit that reads well, ten characters wide."""
    for unit, size in (("s ", 1.0), ("ms", 1e-3), ("µs", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:7.2f} {unit}"
    return f"{seconds / 1e-9:7.1f} ns"
