"""The reference's dynamics against energy, Newton, Euler and d'Alembert."""

from __future__ import annotations

import numpy as np
from numpy.testing import assert_allclose

from phipsi import reference

from .first_principles import Motion, central_difference, kane, unit_motions

TIGHT = {"rtol": 1e-10, "atol": 1e-10}


def test_mass_matrix_is_the_hessian_of_the_kinetic_energy(any_robot):
    """Velocities add, so the energy's second derivatives are products of the motions with one unit velocity each."""
    robot, q, v, *_ = any_robot
    units = unit_motions(robot, q)
    mass = np.diag(robot.armature)
    for i, x in enumerate(units):
        for j, y in enumerate(units):
            mass[i, j] += np.sum(robot.mass * np.sum(x.center_dot * y.center_dot, axis=1)) + np.sum(x.spin * y.omega)
    assert_allclose(reference.mass_matrix(robot, q), mass, **TIGHT)
    energy = Motion(robot, q, v).kinetic_energy() + robot.armature @ v**2 / 2
    assert_allclose(v @ reference.mass_matrix(robot, q) @ v / 2, energy, **TIGHT)


def test_inverse_dynamics_is_newton_and_euler(any_robot):
    robot, q, v, a, f_ext = any_robot
    torques = kane(robot, Motion(robot, q, v, a), unit_motions(robot, q), f_ext) + robot.armature * a
    assert_allclose(reference.inverse_dynamics(robot, q, v, a, f_ext), torques, **TIGHT)


def test_bias_and_gravity_torque(any_robot):
    robot, q, v, _, f_ext = any_robot
    units, nothing = unit_motions(robot, q), np.zeros_like(f_ext)
    assert_allclose(reference.bias(robot, q, v, f_ext), kane(robot, Motion(robot, q, v), units, f_ext), **TIGHT)
    still = kane(robot, Motion(robot, q, 0 * v), units, nothing)
    assert_allclose(reference.gravity_torque(robot, q), still, **TIGHT)


def test_gravity_torque_is_the_slope_of_the_potential_energy(any_robot):
    robot, q, *_ = any_robot
    slope = [
        central_difference(lambda t, e=e: reference.potential_energy(robot, reference.integrate(robot, q, e * t)))
        for e in np.eye(robot.nv)
    ]
    assert_allclose(reference.gravity_torque(robot, q), slope, rtol=1e-9, atol=1e-9)


def test_reaction_forces_balance_each_body(any_robot):
    """The force through a body's joint, less those through its children's, moves the body."""
    robot, q, v, a, f_ext = any_robot
    motion, forces = Motion(robot, q, v, a), reference.reaction_forces(robot, q, v, a, f_ext)
    origin = motion.pose[:, :3, 3]
    for k in range(robot.n):
        force, moment = forces[k, 3:] + f_ext[k, 3:], forces[k, :3] + f_ext[k, :3]
        for c in np.flatnonzero(robot.parent == k):
            force = force - forces[c, 3:]
            moment = moment - forces[c, :3] - np.cross(origin[c] - origin[k], forces[c, 3:])
        assert_allclose(force, robot.mass[k] * (motion.center_ddot[k] - robot.gravity), **TIGHT)
        about_center = moment + np.cross(origin[k] - motion.center[k], force)
        assert_allclose(about_center, motion.spin_dot[k], **TIGHT)


# The Coriolis matrix ------------------------------------------------------------------------------------------------


def test_coriolis_matrix_times_v(any_robot):
    robot, q, v, *_ = any_robot
    expected = reference.bias(robot, q, v) - reference.gravity_torque(robot, q)
    assert_allclose(reference.coriolis_matrix(robot, q, v) @ v, expected, **TIGHT)


def test_mass_rate_less_twice_coriolis_is_skew(any_robot):
    robot, q, v, *_ = any_robot
    rate = central_difference(lambda t: reference.mass_matrix(robot, reference.integrate(robot, q, v * t)))
    skew = rate - 2 * reference.coriolis_matrix(robot, q, v)
    assert_allclose(skew + skew.T, 0, atol=1e-8)


def test_coriolis_matrix_is_of_christoffel_symbols(coordinate_robot):
    robot, q, v, *_ = coordinate_robot
    slopes = [central_difference(lambda t, e=e: reference.mass_matrix(robot, q + e * t)) for e in np.eye(robot.nv)]
    slope = np.reshape(slopes, (robot.nv,) * 3)  # slope[k, i, j] = dM_ij / dq_k
    # of the first kind: [i, j, k] = (dM_ij / dq_k + dM_ik / dq_j - dM_jk / dq_i) / 2
    symbols = (np.einsum("kij->ijk", slope) + np.einsum("jik->ijk", slope) - slope) / 2
    assert_allclose(reference.coriolis_matrix(robot, q, v), symbols @ v, rtol=1e-8, atol=1e-8)


# Forward dynamics ---------------------------------------------------------------------------------------------------


def test_forward_dynamics_undoes_inverse_dynamics(any_robot):
    robot, q, v, a, f_ext = any_robot
    tau = reference.inverse_dynamics(robot, q, v, a, f_ext)
    condition = max(1.0, np.linalg.cond(reference.mass_matrix(robot, q))) if robot.nv else 1.0
    for solve in (
        reference.forward_dynamics,
        reference.forward_dynamics_dense,
        reference.forward_dynamics_operators,
    ):
        assert_allclose(solve(robot, q, v, tau, f_ext), a, rtol=0, atol=1e-12 * condition)


def test_inverse_mass_matrix(any_robot):
    robot, q, *_ = any_robot
    mass = reference.mass_matrix(robot, q)
    assert_allclose(reference.inverse_mass_matrix(robot, q) @ mass, np.eye(robot.nv), atol=1e-10)


def test_hybrid_dynamics(any_robot):
    robot, q, v, a, f_ext = any_robot
    passive = np.arange(robot.nv) % 3 == 1
    tau = reference.inverse_dynamics(robot, q, v, a, f_ext)
    hidden_tau, hidden_a = np.where(passive, tau, np.nan), np.where(passive, np.nan, a)
    got_tau, got_a = reference.hybrid_dynamics(robot, q, v, hidden_tau, hidden_a, passive, f_ext)
    assert_allclose(got_a, a, rtol=1e-9, atol=1e-9)
    assert_allclose(got_tau, tau, rtol=1e-9, atol=1e-9)


def test_power_is_the_rate_of_energy(any_robot):
    robot, q, v, a, _ = any_robot

    def energy(t: float) -> float:
        there = reference.integrate(robot, q, v * t + a * t**2 / 2)
        return reference.kinetic_energy(robot, there, v + a * t) + reference.potential_energy(robot, there)

    power = reference.inverse_dynamics(robot, q, v, a) @ v
    assert_allclose(central_difference(energy), power, rtol=1e-8, atol=1e-8)
