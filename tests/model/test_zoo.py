"""The zoo: every robot is what it says, the same each time, and can move."""
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import phipsi as pp
from phipsi.model.joint import KINDS

ROBOTS: dict[str, Callable[[], pp.Robot]] = {
    name: (lambda name=name: getattr(pp.zoo, name)(6))
    if name in ("chain", "tree", "star")
    else (lambda name=name: getattr(pp.zoo, name)())
    for name in pp.zoo.__all__
}


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_moves(name: str) -> None:
    robot = ROBOTS[name]()
    assert robot == ROBOTS[name]()
    q, _ = robot.random(rng=0)
    mass = robot.mass_matrix(q)
    assert np.linalg.eigvalsh(mass).min() > 0
    assert robot.name in (name, "dual_arm_satellite", "arm_satellite")


@pytest.mark.parametrize("make", [pp.zoo.chain, pp.zoo.tree, pp.zoo.star])
@pytest.mark.parametrize("n", [0, 1, 2, 9])
def test_sizes_and_bases(make: Callable[..., pp.Robot], n: int) -> None:
    fixed, free = make(n), make(n, base="free")
    assert (fixed.n, free.n) == (n, n)
    if n:
        assert (fixed.parent == -1).sum() == 1
        assert free.body_names[0] == "base"
        assert free.joints[0].kind == "free"
        assert free.passive[:6].all()


def test_seeds_differ() -> None:
    assert pp.zoo.tree(8, seed=0) != pp.zoo.tree(8, seed=1)
    assert pp.zoo.chain(8, seed=0) != pp.zoo.chain(8, seed=1)


def test_kinds() -> None:
    assert {joint.kind for joint in pp.zoo.tree(300).joints} == set(KINDS)
    assert {joint.kind for joint in pp.zoo.tree(20, kinds=["revolute", "prismatic"]).joints} == {
        "revolute",
        "prismatic",
    }
    assert {joint.kind for joint in pp.zoo.chain(5, "spherical").joints} == {"spherical"}
    assert {joint.nq == joint.nv for joint in pp.zoo.every_joint().joints if joint.kind == "custom"} == {True, False}


def test_box_is_a_box() -> None:
    box = pp.zoo.box(mass=12.0, size=(1, 2, 3))
    assert (box.body_names, box.joint_names, box.joints[0].kind) == (("box",), ("box",), "free")
    np.testing.assert_allclose(np.diag(box.mass_matrix(box.neutral())), (13, 10, 5, 12, 12, 12))


def test_satellites_have_hands_and_no_weight() -> None:
    ship = pp.zoo.dual_arm_satellite()
    assert (ship.body_names[0], ship.joints[0].kind) == ("base", "free")
    assert not ship.gravity.any()
    left, right = ship.pose(ship.neutral(), "left/hand"), ship.pose(ship.neutral(), "right/hand")
    np.testing.assert_allclose(left.position - right.position, (0, 0.5, 0), atol=1e-12)
    assert ship.passive.tolist() == [True] * 6 + [False] * 14


def test_pendulums_swing_as_they_should() -> None:
    rod = pp.zoo.pendulum(mass=2.0, length=3.0)
    np.testing.assert_allclose(rod.mass_matrix([0.3]), [[2 * 9 / 3]], rtol=5e-3)
    np.testing.assert_allclose(rod.gravity_torque([np.pi / 2]), [2 * 9.81 * 1.5])
    np.testing.assert_allclose(rod.pose([np.pi / 2], "tip").position, (-3, 0, 0), atol=1e-12)
    cart = pp.zoo.cartpole(length=2.0)
    np.testing.assert_allclose(cart.pose([0.5, 0], "tip").position, (0.5, 0, 2))
    assert cart.passive.tolist() == [False, True]
    assert cart.gravity_torque([0, 0.1])[1] < 0  # upright falls further


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: pp.zoo.chain(3, "revolut"), "chain: joint type must be one of 'fixed', 'revolute', 'prismatic', 'helical', 'cylindrical', 'universal', 'spherical', 'planar', 'translational', 'free', 'custom', got 'revolut'. Did you mean 'revolute'?"),
        (lambda: pp.zoo.tree(3, base="floating"), "tree: base must be one of 'fixed', 'free', got 'floating'."),
        (lambda: pp.zoo.tree(-1), "tree: n must not be negative, got -1."),
        (lambda: pp.zoo.star(2.5), "star: n must be a number of bodies, got float 2.5."),
        (lambda: pp.zoo.tree(3, kinds=[]), "tree: kinds must be one of 'fixed', 'revolute', 'prismatic', 'helical', 'cylindrical', 'universal', 'spherical', 'planar', 'translational', 'free', 'custom', got []."),
        (lambda: pp.zoo.hand(base="x"), "hand: base must be one of 'fixed', 'free', got 'x'."),
    ],
)  # fmt: skip
def test_mistakes_are_named(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(pp.PhipsiError) as error:
        make()
    assert str(error.value) == sentence
