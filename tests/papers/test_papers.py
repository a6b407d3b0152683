"""The papers' rows: they hold, they can fail, and what the sources cite is among them."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

import phipsi as pp
from phipsi import cli, papers
from phipsi.algebra import identities
from phipsi.papers import Paper, Row, Section, rk88

ROOT = Path(__file__).parents[2]
KEYS = ("RK88", "JR93", "JR95f", "JR95d", "SM03")
TAG = re.compile(r"\[((?:RK88|JR93|JR95f|JR95d|SM03) [^\]\n]+)\]")
SOURCES = [
    path
    for folder, kinds in (("src", "*.py"), ("cpp", "*.[ch]pp"))
    for path in sorted((ROOT / folder).rglob(kinds))
    if "papers" not in path.parts
]


@pytest.mark.parametrize("seed", range(4))
def test_every_row_holds(seed: int) -> None:
    report = papers.run(seed=seed)
    assert report.passed, report.summary()
    assert max(result.residual for result in report.results) < 1e-9


@pytest.mark.parametrize("seed", range(3))
def test_a_printed_form_that_can_be_evaluated_is_wrong(seed: int) -> None:
    for result in papers.run(seed=seed).results:
        if result.printed_residual is not None:
            assert result.printed_residual > 1e-2, result.tag


@pytest.mark.parametrize("key", papers.PAPERS)
def test_rows_are_complete(key: str) -> None:
    rows = list(papers.paper(key).rows())
    refs = [row.ref for row in rows]
    assert len(set(refs)) == len(refs)
    for row in rows:
        assert row.statement
        assert row.status in ("as printed", "misprinted", "definition")
        assert bool(row.printed) == (row.status == "misprinted"), row.ref


def test_rk88_part_one_is_all_there() -> None:
    numbers = {
        *(f"2.{k}" for k in range(1, 33)),
        *(f"3.{k}" for k in range(1, 24)),
        *(f"4.{k}" for k in range(1, 24)),
        *(f"5.{k}" for k in range(1, 18)),
        *(f"a.{k}" for k in range(1, 52)),
        *(f"b.{k}" for k in range(1, 11)),
        *("RNE", "RSD", "FD1", "FD2", "FD3", "FD4", "Table 1.1", "4.21b", "4.22b"),
        *("Fact 4.1", "Fact 4.2", "Theorem 4.1", "Lemma A.1", "Corollary A.1", "A.1", "A.2", "A.3", "A.4", "A.5"),
    }
    assert numbers - {row.ref for row in rk88.PAPER.rows()} == set()
    titles = {row.title for row in rk88.PAPER.rows()}
    assert {"Identity 5.1", "Identity A.6", "Identity A.7"} <= titles


def test_rk88_part_two_is_all_there() -> None:
    plain = [*(f"2.{k}" for k in (2, 4, 6, 9, 11, 12, 14)), *(f"3.{k}" for k in range(1, 5)), "3.6a", "3.6b"]
    plain += [*(f"4.{k}" for k in range(3, 9)), *(f"4.9{x}" for x in "abcdefgh"), "5.3", "5.4", "5.11", "5.13"]
    plain += [f"{k}{x}" for k, xs in {"2.1": "abcd", "2.3": "abcd", "2.5": "ab", "2.7": "ab", "2.8": "ab",
              "2.10": "abc", "2.13": "ab", "2.15": "ab", "4.1": "ab", "4.2": "ab", "5.1": "abcd", "5.2": "ab",
              "5.5": "abcd", "5.6": "ab", "5.7": "ab", "5.8": "ab", "5.9": "abc", "5.10": "abcdefg", "5.12": "ab",
              "5.14": "abcd", "6.1": "abc", "6.4": "abcdef", "6.5": "ab", "6.8": "ab", "6.9": "ab", "6.10": "abc",
              "6.11": "abcdefghij", "6.18": "abcde", "6.19": "ab", "6.22": "abcdefg", "b.1": "abcdef", "b.4": "abc",
              "b.5": "ab", "b.6": "abc", "b.7": "ab", "b.9": "abcdef"}.items() for x in xs]  # fmt: skip
    plain += [f"6.{k}" for k in (2, 3, 6, 7, 12, 13, 14, 15, 16, 17, 20, 21)] + [f"a.{k}" for k in range(1, 11)]
    plain += ["b.2", "b.3", "b.8", *(f"b.{k}" for k in range(10, 15)), "RCCFD1", "RCCFD2", "RCCFD3", "CCFD", "CCFDP"]
    assert {f"II {ref}" for ref in plain} - {row.ref for row in rk88.PAPER.rows()} == set()


def test_jr95d_is_all_there() -> None:
    ends = ((1, 4), (2, 5), (3, 2), (5, 6), (6, 18), (7, 10), (8, 6))
    plain = [f"{k}.{i}" for k, last in ends for i in range(1, last + 1)]
    plain = [ref for ref in plain if ref != "6.16"] + [
        "4.1a",
        "4.1b",
        "4.1c",
        "4.1d",
        *(f"4.{i}" for i in range(2, 13)),
    ]
    plain = [ref for ref in plain if ref != "4.10"] + ["4.10a", "4.10b", "4.10c", "4.10d", "6.16a", "6.16b", "6.16c"]
    plain += [*(f"Table {i}" for i in range(1, 5)), *(f"G{i}" for i in range(1, 7))]
    rows = list(papers.paper("JR95d").rows())
    assert set(plain) - {row.ref for row in rows} == set()
    lemmas = {"Lemma 2.1", "Lemma 2.2", "Lemma 3.1", "Lemma 6.1", "Lemma 6.2", "Lemma 7.1", "Lemma 7.2", "Lemma 7.3"}
    identities_of = {"Identity 4.1", "Identity 4.2", "Identity 6.1", "Identity 6.2", "Identity 6.3", "Identity 7.1"}
    algorithms = {"Algorithm 4.1", "Algorithm 6.1", "Algorithm 7.1", "Algorithm 8.1", "Control 8.1", "Control 8.2"}
    named = {row.ref for row in rows} | {row.title for row in rows}
    assert (lemmas | identities_of | algorithms) - named == set()


def test_every_tag_in_the_sources_has_a_row() -> None:
    known = {f"{paper.key} {row.ref}" for paper in papers.PAPERS.values() for row in paper.rows()}
    unknown: list[str] = []
    for path in SOURCES:
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            cited = [tag for tag in TAG.findall(line) if tag.split()[0] in papers.PAPERS]
            unknown += [f"{path.relative_to(ROOT)}:{number}: [{tag}]" for tag in cited if tag not in known]
    assert unknown == []


def test_identities_cite_rows_and_the_paper_says_the_same() -> None:
    cited = [row.ref for row in identities.rows() if row.ref.strip("[]").split()[0] in papers.PAPERS]
    assert len(cited) > 30
    for ref in cited:
        assert papers.find(ref).statement


# ── rows that fail ────────────────────────────────────────────────────────────────────────────────────────────────────


def _draw(rng: np.random.Generator) -> float:
    return float(rng.uniform(1, 2))


def _broken(*rows: Row[float]) -> Paper:
    return Paper("XX00", "A paper for tests", (Section("7", "Trouble", _draw, rows),))


GOOD: Row[float] = Row("7.1", "x = x", lambda x: (x, x))
FALSE: Row[float] = Row("7.2", "x = x + 1", lambda x: (x, x + 1))
NAN: Row[float] = Row("7.3", "x = 0/0", lambda x: [(x, x), (x, x * np.nan)])
RAISING: Row[float] = Row("7.4", "x = ?", lambda x: (x, {}["lost"]))  # type: ignore[index]
SHAPED: Row[float] = Row("7.5", "x = [x, x]", lambda x: (x, [x, x]))


@pytest.mark.parametrize("row", [FALSE, NAN, RAISING, SHAPED], ids=lambda row: row.ref)
def test_a_broken_row_fails_the_command(
    row: Row[float], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(papers.PAPERS, "XX00", _broken(GOOD, row))
    assert cli.main(["papers", "XX00"]) == 1
    printed = capsys.readouterr().out
    assert f"FAILED [XX00 {row.ref}]" in printed
    assert "FAILED [XX00 7.1]" not in printed
    assert f"! {row.ref}" in printed
    assert cli.main(["papers", "XX00", "--json"]) == 1
    good, bad = json.loads(capsys.readouterr().out)
    assert (good["passed"], bad["passed"]) == (True, False)
    assert "NaN" not in json.dumps(bad)


def test_one_bad_row_does_not_hide_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(papers.PAPERS, "XX00", _broken(RAISING, GOOD, NAN, FALSE))
    report = papers.run(["XX00"])
    assert [result.passed for result in report.results] == [False, True, False, False]
    assert report.results[0].error == "KeyError: 'lost'"


# ── the frame ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_pp_papers() -> None:
    report = pp.papers.run("rk88", section="a", seed=5, robots=2)
    assert {result.section for result in report.results} == {"A"}
    assert report.papers == {"RK88": rk88.PAPER.title}
    assert pp.papers.find("[RK88 4.16]").title == ""
    assert report == pp.papers.run("RK88", section="A", seed=5, robots=2)


def test_unknown_names_are_told() -> None:
    with pytest.raises(pp.OptionError, match=r"paper must be one of 'RK88'.*, got 'KR88'\. Did you mean 'RK88'"):
        papers.run("KR88")
    with pytest.raises(pp.OptionError, match="section must be one of"):
        papers.run(section="99")
    with pytest.raises(pp.OptionError, match="tag must be one of"):
        papers.find("[RK88 9.9]")
    with pytest.raises(pp.OptionError, match="robots"):
        papers.run(robots=0)


def test_the_table_fits_its_width() -> None:
    text = papers.run("RK88", robots=1).text(width=90)
    lines = [line for line in text.splitlines() if not line.startswith(("RK88", "183 rows", "FAILED"))]
    assert max(map(len, lines[:-1])) <= 90
    assert "4  A forward dynamics algorithm" in text


def test_six_hundred_rows_still_read(monkeypatch: pytest.MonkeyPatch) -> None:
    sections = tuple(
        Section(str(s), f"Section {s}", _draw, tuple(Row(f"{s}.{k}", "x = x", GOOD.check) for k in range(60)))
        for s in range(10)
    )
    monkeypatch.setitem(papers.PAPERS, "XX00", Paper("XX00", "Long", sections))
    report = papers.run("XX00")
    assert len(report.results) == 600
    assert len(report.text(100).splitlines()) < 650
    assert report.summary().startswith("600 rows: 600 as printed; largest residual 0.0e+00")
