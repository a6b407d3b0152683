"""Λ⁻¹ of frames against J M⁻¹ J*, against the operator expression, and against what pushing a robot does; its cost."""

from __future__ import annotations

import time

import numpy as np
import pytest

import phipsi as pp
from phipsi import reference
from tests.contract import robots
from tests.contract.verbs import assert_same
from tests.dynamics.test_generalized import MACHINES, SHAPES, masks, robot_named, tolerance


def frames_of(robot: pp.Robot) -> list[str]:
    """Several bodies, two frames on one, the same one twice, and one of the world."""
    names = list(robot.body_names)
    chosen = [names[-1], *names[::3], "tip" if "tip" in robot.frame_names else names[0], names[-1]]
    return chosen[:5] + (["ground"] if "ground" in robot.frame_names else [])


@pytest.mark.parametrize("name", [*robots.NAMES, *MACHINES])
def test_against_the_dense_formula(name):
    robot = robot_named(name)
    frames = frames_of(robot)
    for q in robots.states(robot, 2)["q"]:
        for mask in (None, *masks(robot)):
            bound = tolerance(robot, q, np.ones(robot.nv, bool) if mask is None else mask)
            if bound > 1e-4:  # massless links: another test
                continue
            got = robot.operational_space_compliance(q, frames, mask)
            assert_same(got, reference.operational_space_compliance(robot, q, frames, mask), bound)
            assert np.array_equal(got, got.T)


@pytest.mark.parametrize("name", ["tree", "free_tree", "star", "forest", "dual_arm"])
def test_against_the_operators(name):
    """B* Ω B with Ω = ψ* H* D⁻¹ H ψ, as the algebra has it."""
    robot = robot_named(name)
    q = robots.states(robot, 3)["q"]
    frames = frames_of(robot)
    for mask in (None, masks(robot)[3]):
        s = robot.at(q) if mask is None else robot.at(q, mask)
        B = s.B(*frames)
        assert_same(robot.operational_space_compliance(q, frames, mask), (B.T @ s.Omega @ B).dense(), 1e-10)


@pytest.mark.parametrize("name", ["tree", "free_tree", "dual_arm"])
def test_pushing(name):
    """What forward dynamics does with forces on two bodies."""
    robot = robot_named(name)
    data = {key: x[0] for key, x in robots.states(robot, 1).items()}
    q, v, tau = data["q"], data["v"], data["tau"]
    i, j = robot.n - 1, robot.n // 2
    f_ext = np.zeros((robot.n, 6))
    f_ext[[i, j]] = data["f_ext"][[i, j]]
    names = [robot.body_names[i], robot.body_names[j]]
    motions = []
    for pushed in (f_ext, None):
        a = robot.forward_dynamics(q, v, tau, pushed)
        motions.append(np.concatenate([robot.acceleration(q, v, a, name) for name in names]))
    expected = robot.operational_space_compliance(q, names) @ f_ext[[i, j]].ravel()
    assert_same(motions[0] - motions[1], expected, 1e-10)


@pytest.mark.parametrize("name", ["free_tree", "dual_arm"])
def test_every_shape_of_batch(name):
    robot = robot_named(name)
    q = robots.states(robot, 33)["q"]
    frames = frames_of(robot)
    singles = [robot.operational_space_compliance(x, frames) for x in q]
    for shape in SHAPES:
        size = int(np.prod(shape))
        got = robot.operational_space_compliance(q[:size].reshape(*shape, robot.nq), frames)
        width = 6 * len(frames)
        assert_same(got, np.reshape(singles[:size], (*shape, width, width)), 1e-12)


def test_where_lambda_is_singular():
    arm = pp.zoo.chain(3)
    q = np.zeros(arm.nq)  # stretched out, and with three dofs at most
    once = arm.operational_space_compliance(q, arm.body_names[-1])
    assert np.linalg.matrix_rank(once, tol=1e-9) <= 3
    twice = arm.operational_space_compliance(q, [arm.body_names[-1]] * 2)
    assert_same(twice, np.tile(once, (2, 2)), 1e-15)
    locked = arm.operational_space_compliance(q, arm.body_names[-1], passive=[])
    assert not locked.any()


def test_random_frames_on_random_trees():
    rng = np.random.default_rng(8)
    for seed in range(12):
        robot = pp.zoo.tree(25, seed=seed, base="free" if seed % 2 else "fixed")
        q, _ = robot.random(rng=seed)
        frames = rng.choice(robot.body_names, size=int(rng.integers(1, 9))).tolist()
        mask = None if seed % 3 else rng.uniform(size=robot.nv) < 0.6
        bound = 1e-2 * tolerance(robot, q, np.ones(robot.nv, bool) if mask is None else mask) + 1e-10
        expected = reference.operational_space_compliance(robot, q, frames, mask)
        assert_same(robot.operational_space_compliance(q, frames, mask), expected, bound)


def test_masks_and_names():
    ship = pp.zoo.arm_satellite()
    q, _ = ship.random(rng=1)
    mask = np.zeros(ship.nv, bool)
    mask[:6] = True
    by_name = ship.operational_space_compliance(q, "arm/hand", passive="base")
    assert np.array_equal(by_name, ship.operational_space_compliance(q, ["arm/hand"], mask.tolist()))
    assert np.linalg.matrix_rank(by_name) == 6
    assert ship.operational_space_compliance(q, []).shape == (0, 0)
    assert not ship.operational_space_compliance(q, "world").any()
    empty = pp.Builder("nothing").build()
    assert not empty.operational_space_compliance(np.zeros((3, 0)), "world").any()


def test_out_nan_and_singular():
    ship = pp.zoo.arm_satellite()
    q, _ = ship.random(9, rng=3)
    out = np.zeros((9, 6, 6))
    assert ship.operational_space_compliance(q, "arm/hand", out=out) is out
    spoiled = q.copy()
    spoiled[4, 8] = np.nan
    got = ship.operational_space_compliance(spoiled, "arm/hand")
    assert np.isnan(got[4]).any()
    good = np.delete(np.arange(9), 4)
    assert_same(got[good], out[good], 1e-12)
    frozen = np.asfortranarray(q)
    frozen.flags.writeable = False
    assert np.array_equal(ship.operational_space_compliance(frozen, "arm/hand"), out)

    b = pp.Builder("x").body("rod", joint=pp.Revolute((0, 0, 1), name="idle"))
    rod = b.body("tip", "rod", pp.Prismatic((1, 0, 0)), mass=1.0).build()  # a point mass on the axis where q = 0
    q = np.array([[0.0, 0.0], [0.0, 1.0]])
    with pytest.raises(pp.SingularJoint, match="at joint 'idle'"):
        rod.operational_space_compliance(q, "tip")
    answers = rod.operational_space_compliance(q, "tip", on_singular="nan")
    assert np.isnan(answers[0]).all()
    assert np.isfinite(answers[1]).all()


def test_refusals():
    ship = pp.zoo.arm_satellite()
    q = ship.neutral()
    with pytest.raises(pp.UnknownName, match="arm/hand"):
        ship.operational_space_compliance(q, "arm/hands")
    with pytest.raises(pp.DTypeError, match="target"):
        ship.operational_space_compliance(q, 3)
    with pytest.raises(pp.UnknownName, match="joint"):
        ship.operational_space_compliance(q, "arm/hand", passive="elbow")
    with pytest.raises(pp.ShapeError, match="passive"):
        ship.operational_space_compliance(q, "arm/hand", passive=[True, False])
    with pytest.raises(pp.ShapeError, match="operational_space_compliance: q"):
        ship.operational_space_compliance(q[:-1], "arm/hand")
    with pytest.raises(pp.OptionError, match="on_singular"):
        ship.operational_space_compliance(q, "arm/hand", on_singular="ignore")
    with pytest.raises(pp.ShapeError, match="out="):
        ship.operational_space_compliance(q, "arm/hand", out=np.zeros((6, 5)))


def test_cost_is_linear():
    """Twice the bodies, about twice the time; two far ends of a chain of ten thousand."""
    times = []
    for n in (2500, 10000):
        robot = pp.zoo.chain(n)
        q = robot.neutral()
        frames = [robot.body_names[-1], robot.body_names[n // 2]]
        runs = []
        for _ in range(5):
            start = time.perf_counter()
            robot.operational_space_compliance(q, frames)
            runs.append(time.perf_counter() - start)
        times.append(min(runs))
    assert times[1] / times[0] < 8
