"""The reference's own zoo of robots, in random states."""

from __future__ import annotations

import zlib
from typing import NamedTuple

import numpy as np
import pytest

from . import stand_in

ZOO = stand_in.zoo()


class Case(NamedTuple):
    robot: stand_in.Robot
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray
    f_ext: np.ndarray


def case(name: str) -> Case:
    robot = ZOO[name]
    rng = np.random.default_rng(zlib.crc32(name.encode()))
    q = stand_in.coordinates(robot, rng)
    return Case(robot, q, *(rng.normal(size=(2, robot.nv))), rng.normal(size=(robot.n, 6)))


@pytest.fixture(params=list(ZOO))
def any_robot(request: pytest.FixtureRequest) -> Case:
    """A robot of the zoo in a random state: (robot, q, v, a, f_ext)."""
    return case(request.param)


@pytest.fixture(params=[name for name, r in ZOO.items() if all(j.nq == j.nv and j.kind != "planar" for j in r.joints)])
def coordinate_robot(request: pytest.FixtureRequest) -> Case:
    """A robot of the zoo whose velocities are the rates of its coordinates."""
    return case(request.param)
