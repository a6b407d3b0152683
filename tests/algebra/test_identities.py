"""Every theorem of the table, on the zoo, with masks, and in batches."""

from __future__ import annotations

import numpy as np
import pytest

from phipsi.algebra import identities
from phipsi.algebra.identities import Row, residual
from phipsi.reference.letters import Letters
from tests.contract import robots

MASKS = ("none", "all", "alternate", "random", "nobody")


def mask(kind: str, nv: int) -> np.ndarray | None:
    rng = np.random.default_rng(nv)
    made = {
        "all": np.ones(nv, dtype=bool),
        "alternate": np.arange(nv) % 2 == 0,
        "random": rng.random(nv) < 0.5,
        "nobody": np.zeros(nv, dtype=bool),
    }
    return made.get(kind)


@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("name", robots.NAMES)
def test_every_row_holds(name: str, kind: str) -> None:
    robot = robots.named(name)
    passive = mask(kind, robot.nv)
    for q in robots.states(robot, 2)["q"]:
        s = Letters(robot, q, passive)
        for row in identities.rows():
            if row.holds_for(robot, passive):
                assert identities.difference(*row.statement(s)) < 1e-11, (name, kind, str(row))


@pytest.mark.parametrize("row", identities.rows(), ids=lambda row: row.name)
def test_a_limit_is_a_limit(row: Row) -> None:
    """A row that claims nothing about armature or trees would be wrong there."""
    robot = robots.named("rotors" if not row.armature else "zoo_tree")
    (q,) = robots.states(robot, 1)["q"]
    if row.armature and row.trees:
        assert residual(row, robot, q) < 1e-11
        assert row.why == ""
    else:
        assert not row.holds_for(robot)
        assert residual(row, robot, q) > 1e-6
        assert row.why


def test_names_are_unique_and_citations_are_tags() -> None:
    keys = ("RK88", "JR93", "JR95f", "JR95d", "SM03")
    for row in identities.rows():
        assert row.ref.startswith(tuple(f"[{key} " for key in keys)), row
        assert row.ref.endswith("]")
        assert row.ref in identities.table()


def test_a_row_of_ones_own_works_at_once() -> None:
    robot = robots.named("tree")
    (q,) = robots.states(robot, 1)["q"]
    try:
        mine = identities.register(Row("mine", "[me 1]", "φ twice", lambda s: (s.phi @ s.phi, s.phi.T.T @ s.phi)))
        assert residual(mine, robot, q) < 1e-15
        assert "[me 1] mine: φ twice" in identities.table()
        with pytest.raises(ValueError, match="there is a row 'mine' already"):
            identities.register(mine)
    finally:
        identities.TABLE.pop("mine")


def test_a_false_row_is_seen() -> None:
    robot = robots.named("tree")
    (q,) = robots.states(robot, 1)["q"]
    wrong = Row("wrong", "[JR95d 4.8]", "as printed", lambda s: (s.P - s.E_phi @ s.P @ s.E_phi.T, s.M))
    assert residual(wrong, robot, q) > 0.01
    assert residual(Row("shapes", "[me 2]", "", lambda s: (s.H, s.H.T)), robot, q) == float("inf")
