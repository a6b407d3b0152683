"""Random states stay where they belong; passive forces are what their formula says."""
# ruff: noqa: E501

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp

Z = (0, 0, 1)
SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def one(joint: pp.Joint) -> pp.Robot:
    return pp.Builder().body("a", joint=joint, **SOLID).build()


@pytest.mark.parametrize("size", [None, 3, (), (2, 3), 0, np.int64(4), [2, 2]])
def test_random_shapes(size: object) -> None:
    robot = pp.zoo.every_joint()
    batch = {None: ()}.get(size, size) if not isinstance(size, list) else (2, 2)
    batch = batch if isinstance(batch, tuple) else (int(batch),)
    q, v = robot.random(size)  # type: ignore[arg-type]
    assert (q.shape, v.shape) == ((*batch, robot.nq), (*batch, robot.nv))


def test_random_is_what_the_seed_says() -> None:
    robot = pp.zoo.tree(20)
    a, b = robot.random(5, rng=1), robot.random(5, rng=np.random.default_rng(1))
    np.testing.assert_array_equal(a[0], b[0])
    np.testing.assert_array_equal(a[1], b[1])
    assert (robot.random()[0] != robot.random()[0]).any()
    rng = np.random.default_rng(0)
    assert (robot.random(rng=rng)[0] != robot.random(rng=rng)[0]).any()


@pytest.mark.parametrize(
    ("joint", "low", "high"),
    [
        (pp.Revolute(Z), -np.pi, np.pi),
        (pp.Revolute(Z, lower=-1, upper=0.5), -1, 0.5),
        (pp.Revolute(Z, lower=10), 10, 10 + 2 * np.pi),
        (pp.Revolute(Z, upper=-10), -10 - 2 * np.pi, -10),
        (pp.Revolute(Z, lower=-10), -np.pi, np.pi),
        (pp.Prismatic(Z), -1, 1),
        (pp.Prismatic(Z, lower=2, upper=2), 2, 2),
        (pp.Translational(upper=0.25), -1.75, 0.25),
        (pp.Custom([0, 0, 1, 1, 0, 0]), -np.pi, np.pi),
        (pp.Custom([0, 0, 0, 1, 0, 0]), -1, 1),
    ],
)
def test_random_respects_limits(joint: pp.Joint, low: float, high: float) -> None:
    q, _ = one(joint).random(4000, rng=0)
    assert q.min() >= low
    assert q.max() <= high
    assert np.ptp(q) >= 0.95 * (high - low)


def test_random_rotations_are_uniform() -> None:
    q, _ = one(pp.Free()).random(20000, rng=0)
    np.testing.assert_allclose(np.linalg.norm(q[:, :4], axis=1), 1, atol=1e-14)
    rotation = pp.Pose(np.zeros(3), quaternion=q[:, :4]).rotation
    assert np.abs(rotation.mean(axis=0)).max() < 0.03
    np.testing.assert_allclose((rotation**2).mean(axis=0), np.full((3, 3), 1 / 3), atol=0.02)
    np.testing.assert_allclose(q[:, 4:].std(axis=0), 1, atol=0.03)


def test_random_stays_in_the_subgroup_of_a_custom_joint() -> None:
    plane = np.array([[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]).T
    robot = one(pp.Custom(plane))
    q, _ = robot.random(100, rng=0)
    poses = robot.pose(q, "a")
    np.testing.assert_allclose(poses.rotation[:, 2], np.tile(Z, (100, 1)), atol=1e-12)
    np.testing.assert_allclose(poses.position[:, 2], 0, atol=1e-12)
    assert np.ptp(poses.position[:, 0]) > 1


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        ({"size": -1}, pp.ModelError, "random: size must not be negative, got -1."),
        ({"size": 2.5}, pp.DTypeError, "random: size must be None, an int, or a tuple of ints, got float 2.5."),
        ({"size": "many"}, pp.DTypeError, "random: size must be None, an int, or a tuple of ints, got str 'many'."),
        ({"rng": -3}, pp.DTypeError, "random: rng must be None, a seed (a whole number >= 0), or a numpy Generator, got int -3."),
        ({"rng": "lucky"}, pp.DTypeError, "random: rng must be None, a seed (a whole number >= 0), or a numpy Generator, got str 'lucky'."),
    ],
)  # fmt: skip
def test_random_names_mistakes(given: dict[str, object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as error:
        pp.zoo.arm().random(**given)  # type: ignore[arg-type]
    assert str(error.value) == sentence


# ── passive forces ────────────────────────────────────────────────────────────────────────────────────────────────


def test_passive_forces_of_simple_joints() -> None:
    builder = pp.Builder().body("a", joint=pp.Revolute(Z, damping=2.0, friction=0.5), **SOLID)
    robot = builder.body("b", "a", pp.Prismatic(Z, stiffness=10.0, rest=0.1), **SOLID).build()
    np.testing.assert_allclose(robot.passive_forces([0.3, 0.4], [1.5, 7]), (-3.5, -3))
    np.testing.assert_array_equal(robot.passive_forces([0, 0.1], [0, 0]), (0, 0))
    batch = robot.passive_forces(np.zeros((3, 1, 2)), np.zeros((4, 2)))
    assert batch.shape == (3, 4, 2)
    assert robot.passive_forces(np.zeros((0, 2)), np.zeros(2)).shape == (0, 2)


def test_springs_pull_along_the_displacement() -> None:
    robot = one(pp.Spherical(stiffness=3.0, rest=(0.1, -0.2, 0.3)))
    at_rest = robot.integrate(robot.neutral(), (0.1, -0.2, 0.3))
    away = robot.integrate(at_rest, (0.2, 0.1, -0.3))
    np.testing.assert_allclose(robot.passive_forces(away, np.zeros(3)), (-0.6, -0.3, 0.9), atol=1e-13)
    np.testing.assert_allclose(robot.passive_forces(at_rest, np.zeros(3)), np.zeros(3), atol=1e-13)


def test_springs_with_one_stiffness_have_a_potential() -> None:
    robot = one(pp.Spherical(stiffness=3.0, rest=(0.4, 0, 0)))
    at_rest = robot.integrate(robot.neutral(), robot.rest)

    def energy(q: np.ndarray) -> float:
        return 1.5 * float(np.sum(robot.difference(at_rest, q) ** 2))

    q, _ = robot.random(rng=3)
    step = 1e-6
    slope = [
        (energy(robot.integrate(q, step * e)) - energy(robot.integrate(q, -step * e))) / (2 * step) for e in np.eye(3)
    ]
    np.testing.assert_allclose(robot.passive_forces(q, np.zeros(3)), -np.array(slope), atol=1e-8)


def test_passive_forces_names_mistakes() -> None:
    robot = pp.zoo.arm()
    with pytest.raises(pp.ShapeError) as error:
        robot.passive_forces(np.zeros(6), np.zeros(7))
    assert (
        str(error.value)
        == "passive_forces: q (configuration) must have shape (*batch, 7), got (6,). Leading axes are the batch; the trailing ones are the robot's own numbers."
    )
    with pytest.raises(pp.ShapeError, match="batch axes do not broadcast"):
        robot.passive_forces(np.zeros((2, 7)), np.zeros((3, 7)))
    with pytest.raises(pp.DTypeError):
        robot.passive_forces(np.zeros(7), np.zeros(7, dtype=complex))
