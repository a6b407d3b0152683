"""Closed systems through time: closure held by projection, energy and momentum kept, Baumgarte's way."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi.dynamics.closed import mechanisms
from tests.closed import systems


def satellite():
    robot = systems.satellite()
    q, v = robot.random(rng=4)
    system = robot.close(pp.Grasp("ship/left/hand", "box", at=q), pp.Grasp("ship/right/hand", "box", at=q))
    return system, q, 0.3 * system.project_velocity(q, v)


def test_a_free_system_keeps_energy_and_momentum():
    """RK4 at 1 ms; every momentum, about the world's origin."""
    system, q, v = satellite()
    run = pp.simulate(system, q, v, until=2.0, step=1e-3, record_every=50, limits=False)
    energy, momentum = np.asarray(run.energy), np.asarray(run.momentum)
    assert np.abs(run.q[-1] - run.q[0]).max() > 0.3
    assert np.ptp(energy) < 1e-7 * max(1.0, abs(energy[0]))
    assert np.abs(momentum - momentum[0]).max() < 1e-7 * max(1.0, np.abs(momentum[0]).max())
    assert np.abs(run.closure).max() < 1e-10


def test_sixty_seconds_closed():
    system, q, v = satellite()
    run = pp.simulate(system, q, v, until=60.0, step=0.01, record_every=50, limits=False)
    assert run.t[-1] == pytest.approx(60.0)
    assert np.abs(run.closure).max() < 1e-10
    assert np.isfinite(run.q).all()


def test_a_batch_is_its_states():
    m = mechanisms.four_bars(2)
    v = m.v * np.array([[1.0], [-2.0], [0.5]])
    run = pp.simulate(m.system, np.tile(m.q, (3, 1)), v, until=0.05, step=1e-3)
    for i in range(3):
        one = pp.simulate(m.system, m.q, v[i], until=0.05, step=1e-3)
        np.testing.assert_allclose(run.q[:, i], one.q, atol=1e-12)


def test_baumgarte_closes_what_is_open():
    """Without projection: an opening of 1e-3 dies away as e^(-ωt) (1 + ωt); without either it stays."""
    m = mechanisms.four_bars(1)
    robot = m.system.robot
    stabilised = m.system.with_baumgarte(30.0)
    for system, bound in ((m.system, (5e-4, 1e-1)), (stabilised, (0.0, 2e-6))):
        q, v = m.q + np.array([1e-3, 0.0, 0.0]), np.zeros(3)
        for _ in range(400):
            q, v = step(robot, system, q, v, 1e-3)
        assert bound[0] <= np.abs(system.closure_error(q)).max() <= bound[1]


def step(robot, system, q, v, h):
    def f(q, v):
        return system.forward_dynamics(q, v, np.zeros(robot.nv)).acceleration

    a1 = f(q, v)
    a2 = f(q + h / 2 * v, v + h / 2 * a1)
    a3 = f(q + h / 2 * v + h * h / 4 * a1, v + h / 2 * a2)
    a4 = f(q + h * v + h * h / 2 * a2, v + h * a3)
    return q + h * v + h * h / 6 * (a1 + a2 + a3), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def test_runs_are_watched():
    """A box on a table, pushed up and let go: the contact's record says when it would have left."""
    box = pp.zoo.box(mass=2.0, size=(1, 1, 1)).with_passive([])
    closed = box.close(pp.Loop("box", "world", pp.contact.point((0, 0, 1), friction=0.5), name="table"))

    def push(t, q, v):
        return np.array([0, 0, 0, 0, 0, 30.0 if t > 0.05 else 0.0])

    run = pp.simulate(closed, box.neutral(), np.zeros(6), until=0.1, step=0.01, control=push)
    watched = closed.contacts(run.q, run.contact_force)
    assert watched.holds[0, 0]
    assert not watched.holds[-1, 0]
    assert watched.report().startswith("table: pulls in ")
    assert watched.wrenches.shape == (len(run.t), 1, 6)
