"""Every verb of every robot gives what the reference gives."""

from __future__ import annotations

import numpy as np
import pytest

from phipsi import reference

from . import robots
from .verbs import VERBS, assert_same, conditioning, frame_verbs, label

COUNT = 9  # one more than eight lanes


@pytest.fixture(params=robots.NAMES)
def name(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.mark.parametrize("verb", VERBS, ids=label)
def test_verb(name, verb):
    robot = robots.named(name)
    data = robots.states(robot, COUNT)
    if robot.nv == 0 and verb.solves:
        data["q"] = np.zeros((COUNT, robot.nq))
    tolerance = 1e-13 if not verb.solves else 1e-13 * conditioning(robot, data["q"])
    assert_same(verb(robot, data), verb.truth(robot, data), tolerance)


def test_frames(name):
    """All that is asked about one frame: on the last body, on the world, and a body itself."""
    robot = robots.named(name)
    data = robots.states(robot, 3)
    known = [target for target in ("tip", "ground", "world", robot.body_names[-1]) if has_frame(robot, target)]
    for target in known:
        for verb in frame_verbs(target):
            assert_same(verb(robot, data), verb.truth(robot, data))


def has_frame(robot, target):
    return target == "world" or target in robot.frame_names


def test_defaults(name):
    """world_aligned, about the world, no external force."""
    robot = robots.named(name)
    data = robots.states(robot, 1)
    q, v, a = data["q"][0], data["v"][0], data["a"][0]
    target = robot.body_names[-1]
    assert_same(robot.jacobian(q, target), robot.jacobian(q, target, "world_aligned"), 0)
    assert_same(robot.velocity(q, v, target), robot.velocity(q, v, target, frame="world_aligned"), 0)
    assert_same(robot.acceleration(q, v, a, target=target), robot.acceleration(q, v, a, target, "world_aligned"), 0)
    assert_same(robot.momentum(q, v), robot.momentum(q, v, about="world"), 0)
    assert_same(robot.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a, f_ext=None), 0)
    assert_same(robot.inverse_dynamics(q=q, v=v, a=a), robot.inverse_dynamics(q, v, a), 0)


def test_neutral(name):
    robot = robots.named(name)
    assert_same(robot.neutral(), reference.neutral(robot), 0)
    robot.neutral()[...] = 7.0  # it is ours: writing on it does not spoil the next
    assert_same(robot.neutral(), reference.neutral(robot), 0)


def test_coordinates_are_a_manifold(name):
    robot = robots.named(name)
    data = robots.states(robot, COUNT)
    q, q1 = data["q"], data["q1"]
    assert_same(robot.poses(robot.integrate(q, robot.difference(q, q1))).matrix, robot.poses(q1).matrix, 1e-11)
    small = 0.3 * np.tanh(data["v"])
    assert_same(robot.difference(q, robot.integrate(q, small)), small, 1e-12)
    for size in (0.0, 1e-300, 1e-16, 1e-9, 1e-5, 1e-3):
        assert_same(robot.difference(q, robot.integrate(q, size * small)), size * small, 1e-15)


def test_a_zero_quaternion_gives_nan():
    robot = robots.named("only_free")
    q = robot.neutral()
    q[:4] = 0
    assert np.isnan(robot.pose(q, "body_0").rotation).all()
    assert np.isnan(robot.normalize(q)[:4]).all()
    data = robots.states(robot, 13)
    good = robot.inverse_dynamics(data["q"], data["v"], data["a"])
    data["q"][5, :4] = 0
    spoilt = robot.inverse_dynamics(data["q"], data["v"], data["a"])
    assert np.isnan(spoilt[5]).any()
    assert_same(np.delete(spoilt, 5, axis=0), np.delete(good, 5, axis=0), 0)


def test_huge_and_tiny_angles():
    """The kernels' own sine and cosine, far from zero and near it."""
    robot = robots.named("rotors")
    for size in (1e-300, 1e-20, 1e-8, 1.0, 1e3, 1e6, 1e9):
        q = size * np.random.default_rng(0).uniform(-1, 1, size=(9, robot.nq))
        assert_same(robot.poses(q).matrix, reference_matrices(robot, q), 1e-13)


def test_angles_at_multiples_of_a_quarter_turn():
    robot = robots.named("rotors")
    q = np.pi / 4 * np.arange(-22, 23).reshape(9, 5) * (1 + np.finfo(float).eps)
    assert_same(robot.poses(q).matrix, reference_matrices(robot, q), 1e-14)


def test_infinities_and_nans_stay_in_their_state():
    robot = robots.named("tree")
    data = robots.states(robot, 13)
    good = robot.forward_dynamics(data["q"], data["v"], data["tau"])
    data["tau"][3], data["v"][7], data["q"][11] = np.inf, np.nan, np.nan
    spoilt = robot.forward_dynamics(data["q"], data["v"], data["tau"], on_singular="nan")
    assert not np.isfinite(spoilt[[3, 7, 11]]).all(axis=1).any()
    kept = [k for k in range(13) if k not in (3, 7, 11)]
    assert_same(spoilt[kept], good[kept], 1e-12)


def reference_matrices(robot, q):
    rotation, position = reference.over_batch(reference.poses, robot, q)
    matrices = np.zeros((*position.shape[:-1], 4, 4))
    matrices[..., :3, :3], matrices[..., :3, 3], matrices[..., 3, 3] = rotation, position, 1
    return matrices
