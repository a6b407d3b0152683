"""Running the rows of papers on random systems, and what came of it: as text for a terminal, or as JSON."""

from __future__ import annotations

import json
import math
import shutil
import textwrap
import zlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from itertools import groupby
from typing import Any

import numpy as np

from .row import STATUSES, Paper, Row, Section, Status, apart


@dataclass(frozen=True)
class Result:
    """What came of one row: the residuals, of the statement and of the printed form, are the largest of all systems."""

    paper: str
    section: str
    section_title: str
    ref: str
    title: str
    status: Status
    statement: str
    printed: str
    note: str
    residual: float
    printed_residual: float | None
    tolerance: float
    passed: bool
    error: str

    @property
    def tag(self) -> str:
        """The citation, such as [RK88 4.16]."""
        return f"[{self.paper} {self.ref}]"

    def as_json(self) -> dict[str, Any]:
        """The row as JSON holds it; a residual that is not a number is null."""
        finite = {
            key: value if value is None or math.isfinite(value) else None
            for key, value in (("residual", self.residual), ("printed_residual", self.printed_residual))
        }
        return {**asdict(self), **finite}


@dataclass(frozen=True)
class Report:
    """The results of a run; `print(report)` is the table."""

    results: tuple[Result, ...]
    papers: dict[str, str]
    seed: int
    robots: int

    @property
    def passed(self) -> bool:
        """Whether every row holds."""
        return all(result.passed for result in self.results)

    def to_json(self) -> str:
        """A JSON list with an object for each row."""
        return json.dumps([result.as_json() for result in self.results], indent=1, ensure_ascii=False)

    def text(self, width: int | None = None) -> str:
        """The table, grouped by section, for a terminal of this width (default: the one at hand)."""
        width = max(60, width or shutil.get_terminal_size((120, 24)).columns)
        lines: list[str] = []
        for paper, results in groupby(self.results, key=lambda r: r.paper):
            lines += [f"{paper}  {self.papers[paper]}", ""]
            for (number, title), rows in groupby(results, key=lambda r: (r.section, r.section_title)):
                lines += [*_section(f"{number}  {title}", list(rows), width), ""]
        return "\n".join([*lines, self.summary()])

    def summary(self) -> str:
        """How many rows of which status, the largest residual, and what failed."""
        counts = Counter(result.status for result in self.results)
        kinds = ", ".join(f"{counts[status]} {status}" for status in STATUSES if counts[status])
        lines = [f"{len(self.results)} row{'s' * (len(self.results) != 1)}: {kinds}"]
        if self.results:
            worst = max(self.results, key=lambda r: (not r.passed, r.residual))
            lines[0] += f"; largest residual {worst.residual:.1e} at {worst.tag}"
            lines[0] += f" ({self.robots} random systems a section, seed {self.seed})"
        failed = [result for result in self.results if not result.passed]
        lines += [f"FAILED {r.tag}: {r.error or f'residual {r.residual:.1e} > {r.tolerance:.0e}'}" for r in failed[:20]]
        lines += [f"... and {len(failed) - 20} more"] if len(failed) > 20 else []
        return "\n".join(lines)

    def __str__(self) -> str:
        return self.text()


_MARKS = {"as printed": " ", "misprinted": "≠", "definition": ":"}


def _section(heading: str, rows: list[Result], width: int) -> list[str]:
    lines = [heading, "─" * min(width, len(heading))]
    margin = max(len(row.ref) for row in rows)
    for row in rows:
        left = f"  {row.ref:<{margin}} {_MARKS[row.status]} {row.residual:7.0e}  "
        said = f"{row.title}: {row.statement}" if row.title else row.statement
        lines += _wrapped(left if row.passed else "!" + left[1:], said, width)
        blank = " " * len(left)
        if row.printed:
            off = f"   (off by {row.printed_residual:.1g})" if row.printed_residual is not None else ""
            lines += _wrapped(blank, f"printed: {row.printed}{off}", width)
        if row.error:
            lines += _wrapped(blank, row.error, width)
    return lines


def _wrapped(left: str, text: str, width: int) -> list[str]:
    return textwrap.wrap(text, max(width, len(left) + 30), initial_indent=left, subsequent_indent=" " * len(left))


def run(papers: Iterable[Paper], section: str | None, seed: int, robots: int) -> Report:
    """Check the rows of these papers (of one section) on so many random systems a section."""
    papers = list(papers)
    results: list[Result] = []
    for paper in papers:
        for part in paper.sections:
            if section is None or part.number.lower() == section.lower():
                results += _section_results(paper, part, seed, robots)
    return Report(tuple(results), {paper.key: paper.title for paper in papers}, seed, robots)


def _section_results(paper: Paper, part: Section[Any], seed: int, robots: int) -> list[Result]:
    salt = zlib.crc32(f"{paper.key} {part.number}".encode())
    worlds = [part.draw(np.random.default_rng([seed, salt, i])) for i in range(robots)]
    return [_result(paper, part, row, worlds) for row in part.rows]


def _result(paper: Paper, part: Section[Any], row: Row[Any], worlds: list[Any]) -> Result:
    residual, printed, error = 0.0, None, ""
    try:
        # max(..., key) would lose a NaN
        residual = float(np.max([apart(row.check(world)) for world in worlds]))
        if row.as_printed is not None:
            printed = float(np.max([apart(row.as_printed(world)) for world in worlds]))
    except Exception as problem:  # a row that cannot even be evaluated fails, and the others are still told
        residual, error = float("nan"), f"{type(problem).__name__}: {problem}"
    return Result(
        paper=paper.key,
        section=part.number,
        section_title=part.title,
        ref=row.ref,
        title=row.title,
        status=row.status,
        statement=row.statement,
        printed=row.printed,
        note=row.note,
        residual=residual,
        printed_residual=printed,
        tolerance=row.tolerance,
        passed=residual <= row.tolerance,
        error=error,
    )
