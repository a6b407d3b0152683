"""phipsi papers: every equation of the papers, checked and told."""

from __future__ import annotations

import argparse

from .words import FAILED, OK, count


def _seed(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be asked."""
    parser.add_argument("paper", nargs="*", help="citation keys, such as RK88 (default: all)")
    parser.add_argument("--section", metavar="S", help="one section or appendix, such as 4 or A")
    parser.add_argument("--json", action="store_true", help="a JSON list with an object for each row")
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="which random systems (default: 0)")
    parser.add_argument("--robots", type=count, default=4, metavar="N", help="how many a section (default: 4)")


def run(chosen: argparse.Namespace) -> int:
    """Check every equation, algorithm and theorem of the papers on random robots, and print a row for each.

    A row is as printed (no mark), a definition (:) or misprinted (≠: the statement is the corrected one); ! marks a
    row that fails.
    """
    from phipsi import papers as book

    report = book.run(chosen.paper, section=chosen.section, seed=chosen.seed, robots=chosen.robots)
    print(report.to_json() if chosen.json else report.text())
    return OK if report.passed else FAILED
