"""Papers, their sections and their rows: an equation, where it stands, how it reads, and the check that it holds."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Generic, Literal, TypeAlias, TypeVar

import numpy as np
from numpy.random import Generator

World = TypeVar("World")
Pair: TypeAlias = tuple[Any, Any]  # two things that must be equal: numbers, arrays or sequences of arrays of one shape
Check: TypeAlias = Callable[[World], Pair | Sequence[Pair]]
Status = Literal["as printed", "misprinted", "definition"]

STATUSES: tuple[Status, ...] = ("as printed", "misprinted", "definition")


@dataclass(frozen=True)
class Row(Generic[World]):
    """One numbered equation, algorithm, table or theorem of a paper.

    `check(world)` returns pairs of things that must be equal, one side of them known from elsewhere than the equation:
    a definition is checked by a consistency that it implies. A misprinted row states the corrected form; `printed` is
    how the paper reads, and `as_printed`, where the printed form means anything, shows that it fails.
    """

    ref: str
    statement: str
    check: Check[World]
    status: Status = "as printed"
    title: str = ""
    printed: str = ""
    as_printed: Check[World] | None = None
    tolerance: float = 1e-9
    note: str = ""


@dataclass(frozen=True)
class Section(Generic[World]):
    """A section of a paper. `draw(rng)` makes the random system on which its rows are checked."""

    number: str
    title: str
    draw: Callable[[Generator], World]
    rows: tuple[Row[World], ...]


@dataclass(frozen=True)
class Paper:
    """A paper, under its citation key."""

    key: str
    title: str
    sections: tuple[Section[Any], ...]

    def rows(self) -> Iterator[Row[Any]]:
        """All rows, in the order of the paper."""
        for section in self.sections:
            yield from section.rows


def definition(ref: str, statement: str, check: Check[World], title: str = "", note: str = "") -> Row[World]:
    """A row that defines something; the check is a consistency that the definition implies."""
    return Row(ref, statement, check, status="definition", title=title, note=note)


def misprint(
    ref: str,
    statement: str,
    check: Check[World],
    printed: str,
    as_printed: Check[World] | None = None,
    title: str = "",
    note: str = "",
) -> Row[World]:
    """A row that the paper misprints: the statement is the corrected one."""
    return Row(ref, statement, check, "misprinted", title, printed, as_printed, note=note)


def together(ref: str, statement: str, parts: Sequence[Row[World]], title: str = "", note: str = "") -> Row[World]:
    """A row that says what several others say."""
    return Row(ref, statement, lambda world: [p for part in parts for p in _pairs(part.check(world))], title=title,
               note=note)  # fmt: skip


def with_wholes(section: Section[World]) -> Section[World]:
    """The section, with a row for each equation of several parts: "4.9" before "4.9a", "4.9b", ..."""
    parts: dict[str, list[Row[World]]] = {}
    for row in section.rows:
        stem = row.ref[:-1] if row.ref[-1].islower() and row.ref[-2:-1].isdigit() else ""
        parts.setdefault(stem, []).append(row)
    rows: list[Row[World]] = []
    for row in section.rows:
        own = parts.get(row.ref[:-1], [])
        if own and own[0] is row:
            rows.append(together(row.ref[:-1], f"({row.ref.split()[-1]}) to ({own[-1].ref.split()[-1]})", own))
        rows.append(row)
    return replace(section, rows=tuple(rows))


def apart(outcome: Pair | Sequence[Pair]) -> float:
    """The largest difference within the pairs, relative to their largest number (to 1 where all are smaller)."""
    # max() would lose a NaN
    return float(np.max([0.0, *(_apart(left, right) for left, right in _pairs(outcome))]))


def _pairs(outcome: Any) -> list[Pair]:
    return [outcome] if isinstance(outcome, tuple) else list(outcome)


def _apart(left: Any, right: Any) -> float:
    left, right = np.asarray(left, dtype=np.float64), np.asarray(right, dtype=np.float64)
    if left.shape != right.shape:
        return float("inf")
    scale = max(1.0, abs(left).max(initial=0.0), abs(right).max(initial=0.0))
    return float(abs(left - right).max(initial=0.0) / scale)
