"""Threads: inside one call, and several callers on one robot."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import phipsi as pp

from . import robots
from .verbs import VERBS, assert_same, parts


@pytest.fixture
def threads():
    """set_threads, put back afterwards."""
    before = pp.get_threads()
    yield pp.set_threads
    pp.set_threads(before)


def test_the_number_of_threads_changes_nothing(threads):
    robot = robots.named("free_tree")
    data = {name: np.tile(x, (40,) + (1,) * (x.ndim - 1)) for name, x in robots.states(robot, 13).items()}
    for verb in VERBS:
        threads(1)
        alone = verb(robot, data)
        for count in (2, 3, 16):
            threads(count)
            assert pp.get_threads() == count
            for x, y in zip(parts(verb(robot, data)), parts(alone), strict=True):
                np.testing.assert_array_equal(x, y)


def test_a_robot_may_be_shared_between_threads():
    robot = robots.named("free_tree")
    work = [robots.states(robot, size, seed) for seed, size in enumerate((1, 5, 13, 64, 200, 333))]
    expected = [[verb(robot, data) for verb in VERBS] for data in work]

    def answers(data):
        return [verb(robot, data) for verb in VERBS]

    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            for got, right in zip(pool.map(answers, work), expected, strict=True):
                for x, y in zip(got, right, strict=True):
                    assert_same(x, y, 0)


@pytest.mark.parametrize("count", [0, -1])
def test_a_thread_at_least(count):
    with pytest.raises(pp.PhipsiError):
        pp.set_threads(count)
