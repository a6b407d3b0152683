"""Cost: time and memory grow as the number of joints, except where the result itself grows faster."""

from __future__ import annotations

import subprocess
import sys
import time

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
import resource, sys, time
import numpy as np, phipsi as pp
sys.path.insert(0, {tests!r})
from contract.test_cost import LINEAR
n = 100_000
robot = pp.zoo.chain(n)
rng = np.random.default_rng(0)
data = {{name: rng.uniform(-1, 1, n) for name in ("q", "q1", "v", "a", "tau")}}
data["f_ext"] = rng.normal(size=(n, 6))
unit = 1 if sys.platform == "darwin" else 1024
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
for verb in LINEAR:
    start = time.perf_counter()
    verb(robot, data)
    duration = time.perf_counter() - start
    assert duration < 5, (verb.label, duration)
    print(verb.label, round(duration, 3), file=sys.stderr)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - base) / n)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="the peak of memory is asked for by the resource module")
def test_memory_of_a_chain_of_a_hundred_thousand_links():
    """No buffer of n^2: a matrix of floats of that size would have 80 GB. A few kilobytes a link are enough."""
    from pathlib import Path

    script = LONG.format(tests=str(Path(__file__).parents[1]))
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert float(done.stdout) < 6000, done.stderr
