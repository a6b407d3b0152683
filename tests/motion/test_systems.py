"""Hybrid and closed systems through time: given accelerations are had, constraints are kept, physics agrees."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi.dynamics.closed.system import ClosedRobot


def four_bar(arm: pp.Robot, q0: np.ndarray) -> ClosedRobot:
    """The tip pinned to the world in the plane."""
    pin = pp.contact.directions(np.array([0, 0, 0, 1, 1, 0], bool))
    return arm.close(pp.Loop("tip", "world", pin, at=q0))


def test_given_accelerations_are_had_and_the_base_answers() -> None:
    ship = pp.zoo.arm_satellite()

    def wish(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.r_[np.zeros(6), 0.3 * np.cos(3 * t) * np.ones(7)]

    run = pp.simulate(ship, ship.neutral(), until=1.0, step=2e-3, acceleration=wish, record_every=10)
    np.testing.assert_allclose(run.v[:, 6:], np.tile(0.1 * np.sin(3 * run.t)[:, None], 7), atol=1e-10)
    assert np.abs(run.momentum).max() < 1e-9
    assert np.abs(run.v[:, :6]).max() > 1e-3
    # the torques that were recorded make the same motion
    a = ship.forward_dynamics(run.q, run.v, run.tau)
    np.testing.assert_allclose(a[:, 6:], np.tile(0.3 * np.cos(3 * run.t)[:, None], 7), atol=1e-8)


def test_a_swing_with_a_failed_motor_in_batches() -> None:
    acrobot = pp.zoo.acrobot()
    q0 = np.array([[0.1, 0.2], [0.3, -0.4], [1.0, 2.0]])
    run = pp.simulate(acrobot, q0, until=0.5, step=2e-3, acceleration=np.zeros(2))
    np.testing.assert_allclose(run.v[..., ~acrobot.passive], 0, atol=1e-12)
    for i in range(3):
        alone = pp.simulate(acrobot, q0[i], until=0.5, step=2e-3, acceleration=np.zeros(2))
        np.testing.assert_allclose(run.q[:, i], alone.q, atol=1e-10)


@pytest.mark.parametrize("method", ["euler", "rk4", "dopri5"])
def test_a_four_bar_keeps_its_loop_and_its_energy(method: str) -> None:
    arm = pp.zoo.planar_arm(3)
    q0 = np.array([0.4, 0.9, -0.5])
    closed = four_bar(arm, q0)
    v0 = closed.project_velocity(q0, np.array([1.0, 0.0, 0.0]))
    step = 2e-4 if method == "euler" else 2e-3
    run = pp.simulate(closed, q0, v0, until=0.4, step=step, method=method, record_every=10)
    assert run.closure is not None
    assert np.abs(run.closure).max() < 1e-10
    assert np.abs(run.energy - run.energy[0]).max() < (2e-2 if method == "euler" else 1e-7)
    J = closed.constraint_jacobian(run.q)
    assert np.abs(J @ run.v[..., None]).max() < 1e-9
    assert run.contact_force is not None
    assert run.contact_force.shape[0] == len(run)


def test_a_mask_of_a_closed_system_needs_accelerations() -> None:
    arm, q0 = pp.zoo.planar_arm(3), np.array([0.4, 0.9, -0.5])
    with pytest.raises(pp.OptionError, match="To say which dofs have no motor"):
        pp.simulate(four_bar(arm, q0), q0, until=0.1, step=1e-2, passive=["link2"])


def test_a_closed_system_of_batches_under_a_law() -> None:
    arm = pp.zoo.planar_arm(3)
    q0 = np.array([0.4, 0.9, -0.5])
    closed = four_bar(arm, q0)
    many = np.stack([q0, q0])
    law = pp.control.PD(arm, q0, kp=1.0, kd=2.0, gravity=True)
    run = pp.simulate(closed, many, np.zeros((2, 3)), until=0.05, step=5e-3, control=law)
    np.testing.assert_allclose(run.q[-1], many, atol=1e-8)  # gravity is carried and nothing moves
    again = pp.simulate(run, until=0.1)
    assert again.q.shape == (11, 2, 3)


def test_a_closed_hybrid_system_follows_its_driven_joint() -> None:
    arm = pp.zoo.planar_arm(3).with_passive(["link2", "link3"])
    q0 = np.array([0.4, 0.9, -0.5])
    closed = four_bar(arm, q0)
    run = pp.simulate(closed, q0, until=0.3, step=2e-3, acceleration=np.array([0.5, 0.0, 0.0]))
    np.testing.assert_allclose(run.v[:, 0], 0.5 * run.t, atol=1e-6)
    assert run.closure is not None
    assert np.abs(run.closure).max() < 1e-10
