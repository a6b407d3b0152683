"""phipsi demo: something to look at."""

from __future__ import annotations

import argparse
import json
import sys
import webbrowser
from pathlib import Path

from .words import OK, target


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be asked."""
    from phipsi.demos import DEMOS

    listed = "; ".join(f"{name}: {words}" for name, (_, _, words) in DEMOS.items())
    parser.add_argument("name", nargs="?", default="capture", help=f"{listed} (default: capture)")
    parser.add_argument("--list", action="store_true", help="only say which there are")
    parser.add_argument(
        "--report", type=target(), metavar="HTML", default="report.html", help="where it goes (default: report.html)"
    )
    parser.add_argument("--no-report", action="store_true", help="write none")
    parser.add_argument("--open", action="store_true", help="open the report in the browser")
    parser.add_argument("--fast", action="store_true", help="shorter or coarser, for trying it out")
    parser.add_argument("--json", action="store_true", help="the numbers as a JSON object")


def run(chosen: argparse.Namespace) -> int:
    """Run a demo: it says what it does, what it found, and leaves a report that opens without a network."""
    from phipsi import demos

    if chosen.list:
        words = {name: what for name, (_, _, what) in demos.DEMOS.items()}
        print(json.dumps(words, indent=1) if chosen.json else "\n".join(f"{n:<10} {w}" for n, w in words.items()))
        return OK
    path = None if chosen.no_report else chosen.report
    found, written = demos.run(chosen.name, path, fast=chosen.fast, quiet=chosen.json)
    if chosen.json:
        facts = {"demo": chosen.name, **found.numbers, "report": None if written is None else str(written)}
        print(json.dumps(facts, indent=1))
    else:
        print(f"\n{found.title}\n{found.summary()}")
        if written is not None:
            print(f"\nlook at it: {Path(written).resolve()}")
    sys.stdout.flush()
    if chosen.open and written is not None:
        webbrowser.open(Path(written).resolve().as_uri())
    return OK
