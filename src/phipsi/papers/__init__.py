"""The papers as executable rows: every numbered equation, algorithm, table and theorem, checked on random robots.

>>> from phipsi import papers
>>> report = papers.run("RK88", section="4", robots=1)
>>> report.passed
True
>>> print(papers.find("[RK88 4.16]").statement)
𝓜⁻¹ = (1 - HΨL)* D⁻¹ (1 - HΨL)

`phipsi papers` prints the table, with the largest residual of every row, and fails where a row does. A status says
how the paper stands to the truth: "as printed", "misprinted" (the row then holds the corrected statement and the
printed one) or "definition" (checked by a consistency that it implies).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phipsi import errors

from . import jr93, jr95d, jr95f, rk88, sm03
from .report import Report, Result
from .report import run as _run
from .row import Check, Pair, Paper, Row, Section, Status, apart, definition, misprint, together

_ALL = (rk88.PAPER, jr93.PAPER, jr95f.PAPER, jr95d.PAPER, sm03.PAPER)
PAPERS: dict[str, Paper] = {paper.key: paper for paper in _ALL}


def run(keys: str | Sequence[str] = (), *, section: str | None = None, seed: int = 0, robots: int = 4) -> Report:
    """Check papers (all, unless named by their citation keys), or one section of them, on random systems."""
    chosen = [paper(key) for key in ([keys] if isinstance(keys, str) else keys)] or list(PAPERS.values())
    sections = list(dict.fromkeys(part.number for one in chosen for part in one.sections))
    if section is not None and section.lower() not in [number.lower() for number in sections]:
        raise errors.option("papers", "section", section, sections)
    if robots < 1:
        raise errors.option("papers", "robots", robots, ["1", "2", "..."])
    return _run(chosen, section, seed, robots)


def paper(key: str) -> Paper:
    """A paper by its citation key, such as "RK88"."""
    for known, found in PAPERS.items():
        if known.lower() == key.lower():
            return found
    raise errors.option("papers", "paper", key, list(PAPERS))


def find(tag: str) -> Row[Any]:
    """The row that a tag such as "[RK88 4.16]" cites."""
    key, _, ref = tag.strip("[]").partition(" ")
    rows = {row.ref: row for row in paper(key).rows()}
    if ref not in rows:
        raise errors.option("papers", "tag", tag, [f"[{key} {known}]" for known in rows])
    return rows[ref]


__all__ = [
    "PAPERS",
    "Check",
    "Pair",
    "Paper",
    "Report",
    "Result",
    "Row",
    "Section",
    "Status",
    "apart",
    "definition",
    "find",
    "misprint",
    "paper",
    "run",
    "together",
]
