"""Long chains: the time per joint must not grow, nor memory faster than the chain."""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from pathlib import Path
from time import perf_counter

import numpy as np

import phipsi as pp

from .clock import Run, race
from .report import Bar, Report, Row

SHORT, LONG, LONGEST = 100, 10_000, 100_000
STATES = 16


def measure(report: Report, seconds: float) -> None:
    """Time per joint at 10 000 links over 100, and a chain of 100 000 solved once."""
    for size, name in ((None, "single call"), (STATES, f"batch of {STATES}")):
        per_joint: dict[int, float] = {}
        best = race({str(n): forward(n, size) for n in (SHORT, LONG)}, 2 * seconds)
        for n in (SHORT, LONG):
            per_joint[n] = best[str(n)] / (n * (size or 1))
        what = f"forward_dynamics per joint, {name}"
        report.add(Row("scaling", what, "chain", per_joint[LONG], f"{SHORT} joints over {LONG}", per_joint[SHORT]))
        if size is None:
            ratio = per_joint[LONG] / per_joint[SHORT]
            report.add_bar(Bar(f"time per joint, chain of {LONG} over {SHORT}", ratio, 1.5, at_most=True))

    half, whole = (in_new_process(n) for n in (LONGEST // 2, LONGEST))
    report.facts["longest_chain"] = {"half": half, "whole": whole}
    print(f"  chain of {LONGEST}: built in {whole['build']:.2f} s, solved in {whole['solve']:.3f} s (first call)")
    mebibytes = [f"{one['memory'] / 2**20:.1f} MiB" for one in (whole, half)]
    print(f"  memory of building and solving it: {mebibytes[0]}; of half the chain: {mebibytes[1]}")
    report.add_bar(Bar(f"chain of {LONGEST} links solved once", whole["solve"], 1.0, at_most=True, unit="s"))
    growth = whole["memory"] / half["memory"] if half["memory"] > 0 else float("nan")
    report.add_bar(Bar(f"memory at {LONGEST} links over {LONGEST // 2} (linear: 2)", growth, 2.2, at_most=True))


def forward(n: int, size: int | None) -> Run:
    """Forward dynamics of a chain of n joints, several states in turn."""
    robot = pp.zoo.chain(n)
    states = [robot.random(size, rng=np.random.default_rng(seed)) for seed in range(3)]
    turn = 0

    def run() -> None:
        nonlocal turn
        q, v = states[turn % len(states)]
        turn += 1
        robot.forward_dynamics(q, v, v)

    return run


def in_new_process(n: int) -> dict[str, float]:
    """Seconds to build a chain and to solve it once, and the memory of both, where nothing has run before."""
    command = [sys.executable, "-m", "bench.scaling", str(n)]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def solve_once(n: int) -> dict[str, float]:
    """The work of that process."""
    before, start = peak_memory(), perf_counter()
    robot = pp.zoo.chain(n)
    built = perf_counter()
    q, v = robot.random()
    begin = perf_counter()
    a = robot.forward_dynamics(q, v, v)
    end = perf_counter()
    if not np.isfinite(a).all():
        raise ArithmeticError(f"the chain of {n} links has no finite acceleration")
    return {"build": built - start, "solve": end - begin, "memory": peak_memory() - before}


def peak_memory() -> int:
    """The most bytes that this process has held so far."""
    status = Path("/proc/self/status")
    if status.exists():  # Linux, where ru_maxrss starts from the parent's peak
        return next(1024 * int(line.split()[1]) for line in status.read_text().splitlines() if line[:6] == "VmHWM:")
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


if __name__ == "__main__":
    print(json.dumps(solve_once(int(sys.argv[1]))))
