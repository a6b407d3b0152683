"""Coordinates as a manifold: integrate and difference as a group's exponential and logarithm."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from phipsi import reference

from . import stand_in
from .first_principles import body_curves


def poses(robot, q):
    return np.concatenate([x.ravel() for x in reference.poses(robot, q)])


def test_neutral_moves_nothing(any_robot):
    robot = any_robot.robot
    rotation, origin = reference.poses(robot, reference.neutral(robot))
    for k, p in enumerate(robot.parent):
        parent_r, parent_o = (np.eye(3), np.zeros(3)) if p < 0 else (rotation[p], origin[p])
        assert_allclose(rotation[k], parent_r @ robot.placements.rotation[k], atol=1e-14)
        assert_allclose(origin[k], parent_o + parent_r @ robot.placements.position[k], atol=1e-14)


def test_integrate_follows_the_exponential(any_robot):
    robot, q, v, _, _ = any_robot
    truth = body_curves(robot, q, v, 0 * v, np.ones(1))[:, 0].real
    rotation, origin = reference.poses(robot, reference.integrate(robot, q, v))
    assert_allclose(rotation, truth[:, :3, :3], atol=1e-12)
    assert_allclose(origin, truth[:, :3, 3], atol=1e-12)


@pytest.mark.parametrize("size", [0.0, 1e-12, 1e-6, 1e-3, 0.3, 1.0])
def test_difference_undoes_integrate(any_robot, size):
    robot, q, v, _, _ = any_robot
    dq = size * v / max(1.0, float(np.linalg.norm(v)))
    assert_allclose(reference.difference(robot, q, reference.integrate(robot, q, dq)), dq, rtol=1e-9, atol=2e-15)


def test_integrate_undoes_difference(any_robot):
    robot, q, v, a, _ = any_robot
    other = reference.integrate(robot, q, v + a)
    back = reference.integrate(robot, q, reference.difference(robot, q, other))
    assert_allclose(poses(robot, back), poses(robot, other), atol=1e-12)


def test_steps_along_one_direction_add(any_robot):
    robot, q, v, _, _ = any_robot
    twice = reference.integrate(robot, reference.integrate(robot, q, 0.3 * v), 0.7 * v)
    assert_allclose(poses(robot, twice), poses(robot, reference.integrate(robot, q, v)), atol=1e-12)


def test_quaternions_count_by_direction(any_robot):
    robot, q, v, a, _ = any_robot
    scaled = q.copy()
    for k, joint in enumerate(robot.joints):
        if joint.nq > joint.nv:
            scaled[robot.q_index[k] : robot.q_index[k] + 4] *= -2.5
    assert_allclose(poses(robot, scaled), poses(robot, q), atol=1e-14)
    assert_allclose(
        reference.inverse_dynamics(robot, scaled, v, a),
        reference.inverse_dynamics(robot, q, v, a),
        rtol=1e-11,
        atol=1e-11,
    )
    assert_allclose(reference.difference(robot, q, scaled), 0, atol=1e-14)
    unit = reference.normalize(robot, scaled)
    assert_allclose(np.abs(unit), np.abs(q), atol=1e-14)
    assert_allclose(poses(robot, unit), poses(robot, q), atol=1e-14)


def test_a_zero_quaternion_is_not_a_rotation():
    robot = stand_in.robot(("spherical",))
    rotation, _ = reference.poses(robot, np.zeros(4))
    assert np.isnan(rotation).all()
    assert np.isnan(reference.normalize(robot, np.zeros(4))).all()


def test_the_shorter_turn():
    """Two orientations are joined by half a turn at most, whatever the quaternions' signs."""
    rng = np.random.default_rng(0)
    robot = stand_in.robot(("spherical",))
    for _ in range(20):
        q0, q1 = (stand_in.coordinates(robot, rng) for _ in range(2))
        assert np.linalg.norm(reference.difference(robot, q0, q1)) <= np.pi + 1e-12
