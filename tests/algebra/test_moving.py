"""The rows of JR95d that speak of a motion, over the zoo; a limit is a limit."""

from __future__ import annotations

import numpy as np
import pytest

from phipsi import papers, reference
from phipsi.algebra.identities import diagonal
from tests.contract import robots

NAMES = [name for name in robots.NAMES if name not in ("rigid", "massless")]


@pytest.mark.parametrize("name", NAMES)
def test_every_row_holds(name: str) -> None:
    robot = robots.named(name)
    data = robots.states(robot, 2)
    for q, v in zip(data["q"], data["v"], strict=True):
        s = diagonal.MovingLetters(robot, q, v)
        tolerance = 1e-13 * max(100.0, float(np.linalg.cond(reference.mass_matrix(robot, q))))
        for row in diagonal.MOVING.values():
            if row.holds_for(robot):
                assert diagonal.difference(*row.statement(s)) < tolerance, (name, str(row))


@pytest.mark.parametrize("row", diagonal.MOVING.values(), ids=lambda row: row.name)
def test_a_limit_is_a_limit(row: diagonal.MovingRow) -> None:
    """A row that claims nothing of some robots would be wrong of one of them, and every row holds somewhere."""
    names = ("tree", "rotors", "free_tree", "spherical", "aligned", "prismatic")
    limited = not (row.several and row.armature and not row.commuting)
    found: list[float] = []
    for name in names:
        robot = robots.named(name)
        data = robots.states(robot, 1)
        left = diagonal.residual(row, robot, data["q"][0], data["v"][0])
        if row.holds_for(robot):
            assert left < 1e-9
        else:
            found.append(left)
    assert bool(row.why) == limited
    if limited:
        assert max(found) > 1e-6
    assert papers.find(row.ref).statement
