"""What pages print when they are built: theorems and papers with their residuals, the tutorials, the race."""

from __future__ import annotations

import json
import re
import sys
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

import phipsi as pp
from builder import lettering, tutorials
from phipsi import papers
from phipsi.algebra import identities
from phipsi.algebra.identities import diagonal as moving

ROOT = Path(__file__).parents[2]


def theorems() -> str:
    """Every row of the table of identities: words, formula, and the residual on random robots."""
    robots = [pp.zoo.every_joint(), pp.zoo.tree(12, seed=1), pp.zoo.chain(9), pp.zoo.arm(), pp.zoo.dual_arm_satellite()]
    lines = []
    for room, rows in groupby(identities.rows(), key=lambda row: row.statement.__module__):
        about = " ".join((sys.modules[room].__doc__ or room).split(".")[0].split()).removeprefix("Rows of ")
        lines += [f"## {about}", ""]
        for row in rows:
            lines += _theorem(row, *_residual(row, robots))
    lines += ["## Of motions: theorems that need a velocity", ""]
    for row in moving.MOVING.values():
        lines += _theorem(row, *_moving_residual(row, robots))
    return "\n".join(lines)


def _theorem(row: identities.Row, worst: float, count: int) -> list[str]:
    limits = [word for word in ("masks", "armature", "trees") if not getattr(row, word)]
    limit = f" Not with {', '.join(limits)}: {_cell(row.why)}." if limits and row.why else ""
    return [
        f"### {_cell(row.name)}",
        "",
        f"{_cell(row.words)}. *{row.ref}*",
        "",
        f"$${lettering.formula(row.statement)}$$",
        "",
        f"Largest residual at this build: **{worst:.1e}** on {count} configurations.{limit}",
        "",
    ]


def _moving_residual(row: moving.MovingRow, robots: list[pp.Robot]) -> tuple[float, int]:
    rng = np.random.default_rng(0)
    found = [moving.residual(row, robot, *robot.random(rng=rng)) for robot in robots if row.holds_for(robot)]
    return max(found, default=0.0), len(found)


def _residual(row: identities.Row, robots: list[pp.Robot]) -> tuple[float, int]:
    rng, worst, count = np.random.default_rng(0), 0.0, 0
    for robot in robots:
        for passive in (None, rng.random(robot.nv) < 0.5):
            if row.holds_for(robot, passive):
                worst = max(worst, float(identities.residual(row, robot, robot.random(rng=rng)[0], passive)))
                count += 1
    return worst, count


def paper_list() -> str:
    """The papers, each with a link to its page."""
    return "\n".join(
        f"- [{key}](papers-{key.lower()}.md): {paper.title} ({sum(1 for _ in paper.rows())} rows)"
        for key, paper in papers.PAPERS.items()
    )


def paper_page(key: str) -> str:
    """One paper: every numbered item, its statement, and what came of the check."""
    report = papers.run(key, robots=2)
    lines = [f"# {key}", "", f"*{papers.paper(key).title}*", "", report.summary(), ""]
    for (number, title), rows in groupby(report.results, key=lambda r: (r.section, r.section_title)):
        lines += [f"## {number} {title}", "", "| | statement | status | residual |", "|---|---|---|---:|"]
        lines += [_paper_row(row) for row in rows]
        lines += [""]
    return "\n".join(lines)


def _paper_row(row: papers.Result) -> str:
    said = f"**{_cell(row.title)}**: {_cell(row.statement)}" if row.title else _cell(row.statement)
    if row.printed:
        off = f" (off by {row.printed_residual:.1g})" if row.printed_residual is not None else ""
        said += f"<br>*printed:* {_cell(row.printed)}{off}"
    if row.note:
        said += f"<br>{_cell(row.note)}"
    return f"| {_cell(row.ref)} | {said} | {row.status} | {row.residual:.0e} |"


def _cell(text: str) -> str:
    """Text as it is, in a cell of a Markdown table."""
    return " ".join(re.sub(r"[\\`*_\[\]<>|#&]", lambda m: f"&#{ord(m[0])};", text).split())


def tutorial_list(examples: list[Path]) -> str:
    """The tutorials, a line each."""
    return "\n".join(f"- [{tutorials.title(path)}]({path.stem.replace('_', '-')}.md)" for path in examples)


def race() -> str:
    """What `make bench` printed, from the run that docs/bench.json keeps."""
    kept = json.loads((ROOT / "docs/bench.json").read_text(encoding="utf-8"))
    facts = ", ".join(f"{key} {value}" for key, value in kept["machine"].items())
    missed = [bar["what"] for bar in kept["bars"] if not bar["met"]]
    lines = [f"*{facts}*", "", f"{len(kept['bars']) - len(missed)} of {len(kept['bars'])} bars met.", ""]
    lines += ["| what | measured | asked for |", "|---|---:|---:|", *(_bar(bar) for bar in kept["bars"]), ""]
    for section, rows in groupby(kept["rows"], key=lambda row: row["section"]):
        lines += [
            f"## {section}",
            "",
            "| what | robot | phipsi | peer | its time | ratio |",
            "|---|---|---:|---|---:|---:|",
        ]
        lines += [_race_row(row) for row in rows]
        lines += [""]
    return "\n".join(lines)


def _bar(bar: dict[str, Any]) -> str:
    sign = "≤" if bar["at_most"] else "≥"
    return f"| {_cell(bar['what'])} | {bar['measured']:.2f} {bar['unit']} | {sign} {bar['wanted']:g} |"


def _race_row(row: dict[str, Any]) -> str:
    times = [f"{row[who] * 1e6:.3g} µs" for who in ("ours", "theirs")]
    what, peer = _cell(row["what"]), _cell(row["peer"])
    return f"| {what} | {row['robot']} | {times[0]} | {peer} | {times[1]} | {row['ratio']:.2f} |"
