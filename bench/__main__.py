"""`python -m bench`: runs the sections, prints rows and bars, writes JSON. See --help."""

from __future__ import annotations

import argparse
import os
import warnings
from collections.abc import Callable
from pathlib import Path

import phipsi as pp

from . import agreement, algebra, batch, closed, diagonal, free_flying, hybrid, scaling, simulate, single
from .report import Report, machine
from .robots import REAL_ROBOTS, Contest, real_robot, written_robot

SECTIONS = (
    "single", "batch", "threads", "peak", "scaling", "algebra", "hybrid", "closed", "free_flying", "diagonal",
    "simulate",
)  # fmt: skip


def main() -> None:
    """Agreement first, then the sections asked for, then the bars."""
    options = arguments()
    print("  ".join(f"{key} {value}" for key, value in machine().items()))
    print("Best of repeats, contenders taking turns in one process; ratio = peer / phipsi, above 1 phipsi is faster.")
    if (load := os.getloadavg()[0]) > 0.5:
        print(f"The machine is busy (load {load:.1f}): times are too long, and two threads may not find two cores.")
    pp.set_threads(1)
    report = Report()
    with warnings.catch_warnings():  # what the files hold beyond dynamics makes no difference here
        warnings.simplefilter("ignore", pp.FileWarning)
        real = [real_robot(name) for name in REAL_ROBOTS]
        contests = real + (zoo_robots() if options.zoo else [])
    print("\nagreement with Pinocchio (largest relative difference)")
    for contest in contests:
        difference = agreement.check(contest)
        report.facts.setdefault("agreement", {})[contest.name] = difference
        print(f"  {contest.name:<12} n={contest.robot.n:<4} nv={contest.robot.nv:<4} {difference:.1e}")

    sections: dict[str, Callable[[], None]] = {
        "single": lambda: over(single.measure, contests, single.bars, report, options.seconds),
        "batch": lambda: over(batch.measure, contests, batch.bars, report, options.seconds),
        "threads": lambda: batch.threads(report, real, options.seconds),
        "peak": lambda: batch.peak(report, options.seconds),
        "scaling": lambda: scaling.measure(report, options.seconds),
        "algebra": lambda: algebra.measure(report, options.seconds),
        "diagonal": lambda: diagonal.measure(report, options.seconds),
        "hybrid": lambda: hybrid.measure(report, options.seconds),
        "closed": lambda: closed.measure(report, options.seconds),
        "simulate": lambda: simulate.measure(report, options.seconds),
        "long": lambda: simulate.long(report),  # minutes: only when asked for
        "free_flying": lambda: free_flying.measure(report, options.seconds),
    }
    for name in options.only:
        print(f"\n{name}")
        sections[name]()

    print(f"\nbars\n{report.summary()}")
    if options.markdown:
        print(f"\n{report.markdown()}")
    report.write(options.json)
    print(f"written: {options.json}")


def arguments() -> argparse.Namespace:
    """What may be asked for."""
    parser = argparse.ArgumentParser(prog="bench", description=__doc__)
    parser.add_argument(
        "--only", nargs="+", choices=(*SECTIONS, "long"), default=SECTIONS, help="sections to run (default: all)"
    )
    parser.add_argument("--seconds", type=float, default=1.0, help="spent on each race (default: 1)")
    parser.add_argument("--zoo", action=argparse.BooleanOptionalAction, default=True, help="chains and trees as well")
    parser.add_argument("--json", type=Path, default=Path("bench/results/latest.json"), help="where results go")
    parser.add_argument("--markdown", action="store_true", help="print the bars as a Markdown table at the end")
    return parser.parse_args()


def zoo_robots() -> list[Contest]:
    """Random chains and trees, which the peers read from the URDF that phipsi writes."""
    kinds = ("revolute", "revolute", "prismatic")  # URDF has no more with one dof, and one is what all have in common
    robots = {
        "chain-7": pp.zoo.chain(7),
        "chain-30": pp.zoo.chain(30),
        "tree-30": pp.zoo.tree(30, seed=0, kinds=kinds),
        "tree-100": pp.zoo.tree(100, seed=1, kinds=kinds, base="free"),
    }
    return [written_robot(name, robot) for name, robot in robots.items()]


def over(
    measure: Callable[[Report, Contest, float], None],
    contests: list[Contest],
    bars: Callable[[Report], None],
    report: Report,
    seconds: float,
) -> None:
    """Measure every robot, then hold the means against the bars."""
    for contest in contests:
        measure(report, contest, seconds)
    bars(report)


if __name__ == "__main__":
    main()
