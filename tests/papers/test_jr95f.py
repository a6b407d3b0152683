"""JR95f is there from (1) to (56), and what the sources cite of it has a row."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from phipsi import papers
from phipsi.papers import jr95f

ROOT = Path(__file__).parents[2]


def test_all_is_there() -> None:
    split = {"3": "abcd", "4": "ab", "10": "abc", "12": "abcdefg", "13": "ab", "18": "ab", "37": "ab"}
    numbers = {f"{k}{part}" for k in range(1, 57) for part in split.get(str(k), [""])}
    numbers |= {"a(k)", "Algorithm 3.3", "Algorithm 3.4", "Algorithm 4.1", *(f"G{k}" for k in range(1, 7))}
    assert numbers - {row.ref for row in jr95f.PAPER.rows()} == set()
    titles = {row.title for row in jr95f.PAPER.rows()}
    lemmas = {"Lemma 2.1", "Lemma 3.1", "Lemma 3.2", "Lemma 4.1", "Lemma A.1", "Lemma A.2"}
    assert lemmas | {"Algorithm 2.1", "Algorithm 2.2", "Algorithm 2.3", "Algorithm 3.1", "Algorithm 3.2"} <= titles


@pytest.mark.parametrize("seed", range(3))
def test_rows_hold_and_misprints_do_not(seed: int) -> None:
    report = papers.run("JR95f", seed=seed, robots=2)
    assert report.passed, report.summary()
    for result in report.results:
        assert result.residual < 1e-9
        assert result.printed_residual is None or result.printed_residual > 1e-2, result.tag


def test_every_tag_has_a_row() -> None:
    known = {row.ref for row in jr95f.PAPER.rows()}
    sources = [*(ROOT / "src").rglob("*.py"), *(ROOT / "cpp").rglob("*.[ch]pp")]
    cited = {tag for path in sources for tag in re.findall(r"\[JR95f ([^\]\n]+)\]", path.read_text(encoding="utf-8"))}
    assert {tag for tag in cited if tag != "..."} - known == set()
