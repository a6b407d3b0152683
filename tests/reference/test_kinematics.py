"""The reference's kinematics against derivatives of the poses."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from phipsi import reference

from .first_principles import Motion, body_curves, central_difference, unit_motions

TIGHT = {"rtol": 1e-11, "atol": 1e-11}


def test_poses_are_products_of_displacements(any_robot):
    robot, q, v, a, _ = any_robot
    truth = body_curves(robot, q, v, a, np.zeros(1))[:, 0].real
    rotation, origin = reference.poses(robot, q)
    assert_allclose(rotation, truth[:, :3, :3], atol=1e-13)
    assert_allclose(origin, truth[:, :3, 3], atol=1e-13)


def test_velocities_are_rates_of_poses(any_robot):
    robot, q, v, _, _ = any_robot
    assert_allclose(reference.velocities(robot, q, v), Motion(robot, q, v).velocities(), **TIGHT)


def test_accelerations_are_second_rates_of_poses(any_robot):
    robot, q, v, a, _ = any_robot
    assert_allclose(reference.accelerations(robot, q, v, a), Motion(robot, q, v, a).accelerations(), **TIGHT)


@pytest.mark.parametrize("frame", ["world_aligned", "body", "world"])
def test_frames(any_robot, frame):
    robot, q, v, a, _ = any_robot
    motion = Motion(robot, q, v, a)
    rotation, position = reference.pose(robot, q, "tip")
    assert_allclose(rotation, motion.frame("tip")[0][:3, :3], atol=1e-13)
    assert_allclose(position, motion.frame("tip")[0][:3, 3], atol=1e-13)
    velocity, acceleration = motion.frame_velocity("tip", frame)
    assert_allclose(reference.velocity(robot, q, v, "tip", frame), velocity, **TIGHT)
    assert_allclose(reference.acceleration(robot, q, v, a, "tip", frame), acceleration, **TIGHT)
    coasting = Motion(robot, q, v).frame_velocity("tip", frame)[1]
    assert_allclose(reference.jacobian_dot_v(robot, q, v, "tip", frame), coasting, **TIGHT)
    columns = [unit.frame_velocity("tip", frame)[0] for unit in unit_motions(robot, q)]
    assert_allclose(reference.jacobian(robot, q, "tip", frame), np.reshape(columns, (-1, 6)).T, **TIGHT)


def test_frames_of_the_world_stand_still(any_robot):
    robot, q, v, a, _ = any_robot
    pose = robot.frame("ground")[1]
    for got, expected in zip(reference.pose(robot, q, "ground"), pose, strict=True):
        assert_allclose(got, expected)
    assert not reference.jacobian(robot, q, "ground").any()
    assert not reference.acceleration(robot, q, v, a, "ground").any()


def test_an_unknown_frame_of_reference_is_refused(any_robot):
    robot, q, *_ = any_robot
    with pytest.raises(ValueError, match="world_aligned"):
        reference.jacobian(robot, q, "tip", "local")


def test_jacobian_dot_v_is_the_rate_of_the_jacobian(any_robot):
    """In each frame, by an eighth-order difference along the motion with constant v."""
    robot, q, v, _, _ = any_robot
    for frame in ("world_aligned", "body", "world"):
        rate = central_difference(
            lambda t, frame=frame: reference.jacobian(robot, reference.integrate(robot, q, v * t), "tip", frame) @ v
        )
        assert_allclose(reference.jacobian_dot_v(robot, q, v, "tip", frame), rate, rtol=1e-9, atol=1e-9)
