"""Cost: time and memory grow as the number of joints, except where the result itself grows faster."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import phipsi as pp

from .verbs import VERBS, Verb, label

# by verb: what doubling the robot multiplies the time by, at most; the size of the smaller robot
SQUARE = ("mass_matrix", "inverse_mass_matrix", "coriolis_matrix")
LINEAR = [verb for verb in VERBS if verb.name not in SQUARE]


def best_time(verb: Verb, robot: pp.Robot, data: dict[str, np.ndarray], budget: float = 0.15) -> float:
    best, spent = np.inf, 0.0
    while spent < budget:
        start = time.perf_counter()
        verb(robot, data)
        duration = time.perf_counter() - start
        best, spent = min(best, duration), spent + duration
    return best


def growth(verb: Verb, size: int) -> float:
    """time(2 size) / time(size), the least of a few tries: noise only ever makes a run slower."""
    pair = []
    for n in (size, 2 * size):
        robot = chain(n)
        rng = np.random.default_rng(0)
        vectors = {name: rng.uniform(-1, 1, n) for name in ("q", "q1", "v", "a", "tau")}
        pair.append((robot, {**vectors, "f_ext": rng.normal(size=(n, 6))}))
    ratios = []
    for _ in range(4):
        small, large = (best_time(verb, robot, data) for robot, data in pair)
        ratios.append(large / small)
        if ratios[-1] < 2.2:
            break
    return min(ratios)


_chains: dict[int, pp.Robot] = {}


def chain(n: int) -> pp.Robot:
    if n not in _chains:
        _chains[n] = pp.zoo.chain(n)
    return _chains[n]


@pytest.mark.parametrize("verb", LINEAR, ids=label)
def test_linear_time(verb):
    assert growth(verb, 2000) < 3


@pytest.mark.parametrize("verb", [v for v in VERBS if v.name in SQUARE], ids=label)
def test_square_time(verb):
    assert growth(verb, 150) < 6


LONG = """
import sys, time
import numpy as np, phipsi as pp
sys.path.insert(0, {tests!r})
from contract.test_cost import LINEAR
n = 100_000
robot = pp.zoo.chain(n)
rng = np.random.default_rng(0)
data = {{name: rng.uniform(-1, 1, n) for name in ("q", "q1", "v", "a", "tau")}}
data["f_ext"] = rng.normal(size=(n, 6))
def memory(what):
    return next(int(line.split()[1]) * 1024 for line in open("/proc/self/status") if line.startswith(what))
for verb in LINEAR:
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")  # forget the peak so far
    before, start = memory("VmRSS"), time.perf_counter()
    verb(robot, data)
    print(verb.label, time.perf_counter() - start, (memory("VmHWM") - before) / n)
"""


@pytest.mark.skipif(
    not Path("/proc/self/clear_refs").exists(), reason="the peak of memory is asked for by Linux's /proc"
)
def test_a_chain_of_a_hundred_thousand_links():
    """Well under a second each, and no buffer of n^2 (it would have 80 GB): a few kilobytes a link are enough."""
    script = LONG.format(tests=str(Path(__file__).parents[1]))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    lines = [line.split() for line in done.stdout.splitlines()]
    assert len(lines) == len(LINEAR)
    for verb, seconds, bytes_per_link in lines:
        assert float(seconds) < 5, verb
        assert float(bytes_per_link) < 6000, verb
