"""Λ(k), S(k), Υ(k) and Ω(i, j) against dense elimination; the same whichever link is the base; batches, masks, cost."""

from __future__ import annotations

import time

import numpy as np
import pytest

import phipsi as pp
from phipsi import free_flying, reference
from tests.contract import robots
from tests.contract.verbs import assert_same
from tests.dynamics.test_generalized import SHAPES, robot_named, tolerance

FLOATING = ("only_free", "free_tree", "star", "zoo_free_tree", "weightless", "dual_arm", "quadruped")
HELD = ("tree", "forest", "zoo_tree", "aligned", "rotors", "universal", "free", "welded")


def mask_of(robot: pp.Robot, share: float = 0.6) -> np.ndarray:
    """A random mask in which the base floats."""
    mask = np.random.default_rng(3).uniform(size=robot.nv) < share
    mask[:6] = True
    return mask


def dense_compliances(robot: pp.Robot, q: np.ndarray, mask: np.ndarray | None) -> np.ndarray:
    """Diagonal blocks of J M⁻¹ J*, body by body."""
    each = [reference.operational_space_compliance(robot, q, name, mask) for name in robot.body_names]
    return np.reshape(each, (robot.n, 6, 6))


def test_a_rotor_on_a_joint_in_mid_air():
    """A free joint with rotors between two bodies passes forces on; one without does not."""
    rotor = pp.Free(armature=0.4, name="air")
    robots_ = []
    for joint in (rotor, pp.Free(name="air")):
        b = pp.Builder("pair").body("a", joint=pp.Free(), mass=1.0, com=(0.1, 0, 0), inertia=np.eye(3) * 0.1)
        robots_.append(b.body("b", "a", joint, mass=2.0, com=(0, 0.2, 0), inertia=np.eye(3) * 0.2).build())
    for robot in robots_:
        q, _ = robot.random(rng=4)
        expected = dense_compliances(robot, q, None)
        assert_same(free_flying.link_compliances(robot, q), expected, 1e-11)
        assert_same(free_flying.link_inertias(robot, q), np.linalg.inv(expected), 1e-11)
        both = robot.operational_space_compliance(q, ["a", "b"])
        assert_same(both, reference.operational_space_compliance(robot, q, ["a", "b"]), 1e-11)


@pytest.mark.parametrize("name", FLOATING)
def test_inertias_of_floating_robots(name):
    robot = robot_named(name)
    for q in robots.states(robot, 2)["q"]:
        for mask in (None, mask_of(robot)):
            bound = tolerance(robot, q, np.ones(robot.nv, bool) if mask is None else mask)
            Upsilon = dense_compliances(robot, q, mask)
            Lambda = free_flying.link_inertias(robot, q, mask)
            assert_same(Lambda @ Upsilon, np.broadcast_to(np.eye(6), Lambda.shape), 1e2 * bound)
            assert np.array_equal(Lambda, np.swapaxes(Lambda, -1, -2))
            P, S = free_flying.dual_inertias(robot, q, mask)
            assert_same(P + S, Lambda, 1e-14)
            assert np.linalg.eigvalsh(S).min(initial=0.0) >= -1e-9 * abs(S).max()


@pytest.mark.parametrize("name", [*FLOATING, *HELD])
def test_compliances_of_any_robot(name):
    robot = robot_named(name)
    for q in robots.states(robot, 2)["q"]:
        for mask in (None, np.random.default_rng(1).uniform(size=robot.nv) < 0.5):
            bound = tolerance(robot, q, np.ones(robot.nv, bool) if mask is None else mask)
            got = free_flying.link_compliances(robot, q, mask)
            assert_same(got, dense_compliances(robot, q, mask), bound)


@pytest.mark.parametrize("name", ["tree", "free_tree", "dual_arm"])
def test_between(name):
    """Ω(i, j), on one branch and on two, of few pairs and of many."""
    robot = robot_named(name)
    q = robots.states(robot, 3)["q"]
    rng = np.random.default_rng(2)
    for count in (0, 1, 3, 40):
        pairs = [tuple(rng.choice(robot.body_names, 2)) for _ in range(count)]
        got = free_flying.compliance_between(robot, q, pairs)
        assert got.shape == (3, count, 6, 6)
        for (i, j), block in zip(pairs, np.moveaxis(got, 1, 0), strict=True):
            for state, one in zip(q, block, strict=True):
                expected = reference.operational_space_compliance(robot, state, [i, j])
                assert_same(one, expected[:6, 6:], 1e-10)


@pytest.mark.parametrize("base", ["left/hand", "right/link2", "base"])
def test_no_link_is_the_base(base):
    """Ω, Υ, Λ and J_G are the robot's own, not its base's."""
    ship = pp.zoo.dual_arm_satellite()
    there = ship.rebasing(base)
    q, _ = ship.random(3, rng=5)
    q1 = there.configuration(q)
    here = [ship.body(name).index for name in ship.body_names if name in there.robot.body_names]
    other = [there.robot.body(ship.body_names[k]).index for k in here]
    for felt in (free_flying.link_inertias, free_flying.link_compliances):
        assert_same(felt(there.robot, q1)[:, other], felt(ship, q)[:, here], 1e-10)
    pairs = [("left/hand", "right/hand"), ("base", "left/link4"), ("left/link3", "left/link6")]
    expected = free_flying.compliance_between(ship, q, pairs)
    assert_same(free_flying.compliance_between(there.robot, q1, pairs), expected, 1e-10)
    # J_G: the same columns, but for the signs and axes of the hinges that were turned round
    T, held = there.matrix(q)[..., 6:, 6:], [there.robot.joint_names[0]]
    for frame in ("base", "left/hand"):
        J_G = there.robot.generalized_jacobian(q1, frame, held)
        assert_same(J_G @ T, ship.generalized_jacobian(q, frame), 1e-10)
    # with a link as base, J_D is J_G of that link [JR95f G3]
    J_D = there.robot.disturbance_jacobian(q1, held)
    assert_same(J_D @ T, ship.generalized_jacobian(q, there.base, frame="body"), 1e-10)
    hands = ["left/hand", "right/hand"]
    assert_same(there.robot.operational_space_compliance(q1, hands), ship.operational_space_compliance(q, hands), 1e-10)


@pytest.mark.parametrize("name", ["free_tree", "dual_arm"])
def test_every_shape_of_batch(name):
    robot = robot_named(name)
    q = robots.states(robot, 33)["q"]
    for felt in (free_flying.link_inertias, free_flying.link_compliances):
        singles = [felt(robot, x) for x in q]
        for shape in SHAPES:
            size = int(np.prod(shape))
            got = felt(robot, q[:size].reshape(*shape, robot.nq))
            assert_same(got, np.reshape(singles[:size], (*shape, robot.n, 6, 6)), 1e-12)
        out = np.zeros((33, robot.n, 6, 6))
        assert felt(robot, q, out=out) is out
        assert_same(out, np.array(singles), 1e-12)
        q[4, -1] = np.nan
        got = felt(robot, q)
        assert np.isnan(got[4]).any()
        assert np.isfinite(np.delete(got, 4, axis=0)).all()
        q[4, -1] = 0.3


def test_light_on_heavy_and_massless():
    """A light base under a heavy arm loses no digits; one without mass can turn about the axis for nothing."""
    for light in (0.0, 1e-9):
        b = pp.Builder("x").body("stub", joint=pp.Free(), mass=light, inertia=np.eye(3) * light)
        b.body("arm", "stub", pp.Revolute((0, 0, 1)), mass=5.0, com=(0.5, 0, 0), inertia=np.eye(3))
        robot = b.build()
        q, _ = robot.random(rng=1)
        if light == 0.0:
            with pytest.raises(pp.SingularJoint):  # the base turns about the axis alone, and weighs nothing
                free_flying.link_inertias(robot, q)
            continue
        Lambda = free_flying.link_inertias(robot, q)
        assert_same(Lambda[1, 3:, 3:], 5.0 * np.eye(3), 1e-8)


def test_refusals():
    arm, ship = pp.zoo.chain(3), pp.zoo.arm_satellite()
    for verb in (free_flying.link_inertias, free_flying.dual_inertias):
        with pytest.raises(pp.ModelError, match="link_compliances gives"):
            verb(arm, arm.neutral())
        with pytest.raises(pp.ModelError, match="body 'base'"):
            verb(ship, ship.neutral(), passive=[])
        with pytest.raises(pp.ShapeError):
            verb(ship, ship.neutral()[:-1])
    with pytest.raises(pp.UnknownName):
        free_flying.compliance_between(ship, ship.neutral(), [("arm/hand", "arm/hnad")])
    with pytest.raises(pp.ShapeError, match="passive"):
        free_flying.link_compliances(ship, ship.neutral(), passive=[True])
    with pytest.raises(pp.ShapeError, match="out="):
        free_flying.link_compliances(ship, ship.neutral(), out=np.zeros(3))
    empty = pp.Builder("nothing").build()
    assert free_flying.link_inertias(empty, np.zeros((2, 0))).shape == (2, 0, 6, 6)


def test_cost_is_linear():
    times = []
    for n in (2500, 10000):
        robot = pp.zoo.chain(n, base="free")
        q = robot.neutral()
        runs = []
        for _ in range(4):
            start = time.perf_counter()
            free_flying.link_inertias(robot, q)
            runs.append(time.perf_counter() - start)
        times.append(min(runs))
    assert times[1] / times[0] < 9
