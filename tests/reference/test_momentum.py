"""The reference's momentum, mass centre and energy against sums over bodies."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from phipsi import reference

from . import stand_in
from .first_principles import Motion

TIGHT = {"rtol": 1e-11, "atol": 1e-11}


def test_center_of_mass(any_robot):
    robot, q, v, *_ = any_robot
    motion = Motion(robot, q, v)
    center = robot.mass @ motion.center / robot.mass.sum()
    assert_allclose(reference.center_of_mass(robot, q), center, **TIGHT)
    rate = motion.linear_momentum() / robot.mass.sum()
    assert_allclose(reference.center_of_mass_jacobian(robot, q) @ v, rate, **TIGHT)
    assert_allclose(reference.potential_energy(robot, q), -robot.mass.sum() * robot.gravity @ center, **TIGHT)


def test_momentum(any_robot):
    robot, q, v, *_ = any_robot
    motion, center = Motion(robot, q, v), reference.center_of_mass(robot, q)
    for about, point in (("world", np.zeros(3)), ("com", center)):
        expected = np.concatenate([motion.angular_momentum(point), motion.linear_momentum()])
        assert_allclose(reference.momentum(robot, q, v, about), expected, **TIGHT)
    assert_allclose(reference.centroidal_momentum_matrix(robot, q) @ v, expected, **TIGHT)


def test_rate_of_the_centroidal_momentum(any_robot):
    """The rate about a point that stands where the mass centre is; that the centre moves along p adds nothing."""
    robot, q, v, *_ = any_robot
    expected = Motion(robot, q, v).momentum_rate(reference.center_of_mass(robot, q))
    assert_allclose(reference.centroidal_momentum_matrix_dot_v(robot, q, v), expected, **TIGHT)


def test_kinetic_energy(any_robot):
    robot, q, v, *_ = any_robot
    expected = Motion(robot, q, v).kinetic_energy() + robot.armature @ v**2 / 2
    assert_allclose(reference.kinetic_energy(robot, q, v), expected, **TIGHT)


def test_torques_inside_a_free_robot_leave_its_momentum_alone():
    robot = stand_in.robot(("free", "revolute", "spherical", "universal"), 3, parent=[-1, 0, 0, 2], gravity=(0, 0, 0))
    rng = np.random.default_rng(1)
    q, v = stand_in.coordinates(robot, rng), rng.normal(size=robot.nv)
    tau = np.concatenate([np.zeros(6), rng.normal(size=robot.nv - 6)])
    a = reference.forward_dynamics(robot, q, v, tau)
    rate = Motion(robot, q, v, a).momentum_rate(np.zeros(3))
    assert_allclose(rate, 0, atol=1e-10)


def test_the_base_of_a_fixed_robot_feels_the_rate_of_its_momentum(any_robot):
    """Forces through the joints on the world, weights and external forces: together, the rate of the momentum."""
    robot, q, v, a, f_ext = any_robot
    motion = Motion(robot, q, v, a)
    carried = reference.reaction_forces(robot, q, v, a, f_ext) * (robot.parent == -1)[:, None] + f_ext
    weight = robot.mass[:, None] * robot.gravity
    origin = motion.pose[:, :3, 3]
    total = np.concatenate(
        [
            carried[:, :3] + np.cross(origin, carried[:, 3:]) + np.cross(motion.center, weight),
            carried[:, 3:] + weight,
        ],
        axis=1,
    ).sum(axis=0)
    assert_allclose(total, motion.momentum_rate(np.zeros(3)), rtol=1e-10, atol=1e-10)
