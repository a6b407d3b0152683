"""Hostile arguments of closed chains: shapes, types, NaN, strides, empty batches."""

from __future__ import annotations

import copy
import pickle
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import phipsi as pp
from tests.closed import systems


@pytest.fixture
def held():
    robot = systems.arms(2)
    q, _ = robot.random(rng=1)
    system = systems.closed(robot, 2, ["rigid", "soft_finger"], q)
    v, tau = systems.state(system, q)
    return system, q, v, tau


def test_strides_types_and_read_only(held):
    system, q, v, tau = held
    expected = system.forward_dynamics(q, v, tau).acceleration
    wide = np.zeros((3, 2 * len(q)))
    wide[:, ::2] = q
    many = system.forward_dynamics(wide[:, ::2], v, tau.tolist()).acceleration
    np.testing.assert_allclose(many, np.tile(expected, (3, 1)), rtol=1e-10, atol=1e-10)
    for x in (q, v, tau):
        x.flags.writeable = False
    np.testing.assert_array_equal(system.forward_dynamics(q, v, tau).acceleration, expected)
    np.testing.assert_array_equal(system.forward_dynamics(q, v, np.zeros(len(v), np.int32)).rank, system.rows)


def test_nan_stays_in_its_state(held):
    system, q, v, tau = held
    q, v, tau = (np.tile(x, (11, 1)) for x in (q, v, tau))
    v[3, 2] = np.nan
    q[7, 1] = np.nan
    motion = system.forward_dynamics(q, v, tau)
    good = np.delete(np.arange(11), [3, 7])
    assert np.isnan(motion.acceleration[7]).any()
    assert np.isnan(motion.acceleration[3]).any()
    assert np.isfinite(motion.acceleration[good]).all()
    assert (motion.rank[good] == system.rows).all()
    projected = system.project_velocity(q, v)
    assert np.isfinite(projected[good]).all()


@pytest.mark.parametrize("verb", ["forward_dynamics", "inverse_dynamics", "hybrid_dynamics", "project_velocity"])
def test_empty_batches(held, verb):
    system, q, v, tau = held
    q, v, tau = q[None][:0], v[None][:0], tau[None][:0]
    if verb == "forward_dynamics":
        assert system.forward_dynamics(q, v, tau).acceleration.shape == (0, system.robot.nv)
    elif verb == "inverse_dynamics":
        assert system.inverse_dynamics(q, v, tau).torque.shape == (0, system.robot.nv)
    elif verb == "hybrid_dynamics":
        passive = np.ones(system.robot.nv, bool)
        assert system.hybrid_dynamics(q, v, tau, tau, passive).torque.shape == (0, system.robot.nv)
    else:
        assert system.project_velocity(q, v).shape == (0, system.robot.nv)
        assert system.project_position(q).shape == (0, system.robot.nq)
        assert system.mobility(q).rank.shape == (0,)


def test_sentences(held):
    system, q, v, tau = held
    for call in (
        lambda: system.forward_dynamics(q, v[:-1], tau),
        lambda: system.project_velocity(q, v[:-1]),
        lambda: system.project_position(q[:-1]),
        lambda: system.constraint_rate(q, v[:-1]),
        lambda: system.inverse_dynamics(q, v, tau, contact_force=[1.0], check=False),
        lambda: system.forward_dynamics(q, v, tau, contact_torque=[1.0]),
        lambda: system.forward_dynamics(np.tile(q, (2, 1)), np.tile(v, (3, 1)), tau),
    ):
        with pytest.raises(pp.ShapeError):
            call()
    for call in (
        lambda: system.forward_dynamics(q, None, tau),
        lambda: system.forward_dynamics("q", v, tau),
        lambda: system.constraint_jacobian(None),
        lambda: system.project_position(q, tolerance="small"),
    ):
        with pytest.raises(pp.DTypeError):
            call()
    with pytest.raises(pp.OptionError):
        system.inverse_dynamics(q, v, tau, least="effort")
    with pytest.raises(pp.ModelError):
        system.inverse_dynamics(q, v, tau, share=[1.0, -1.0], check=False)
    with pytest.raises(pp.ModelError):
        pp.contact.point((0, 0, 1), friction=-1.0)
    with pytest.raises(pp.PhipsiError):
        pp.contact.revolute((0, 0, 0))
    with pytest.raises(pp.DTypeError):
        pp.contact.directions([1, 1, 1, 0, 0, 0])
    with pytest.raises(pp.PhipsiError):
        pp.Grasp("a", "b", axes="world")
    with pytest.raises(pp.PhipsiError):
        pp.Grasp("a", "b", at="here")
    with pytest.raises(pp.PhipsiError):
        system.robot.close("hand")
    with pytest.raises(pp.PhipsiError):
        system.robot.close(pp.Grasp("arm0/hand", "box", at=q[:-1]))


def test_pickled_and_copied(held):
    system, q, v, tau = held
    expected = system.forward_dynamics(q, v, tau)
    for other in (pickle.loads(pickle.dumps(system)), copy.deepcopy(system), copy.copy(system)):
        assert repr(other) == repr(system)
        motion = other.forward_dynamics(q, v, tau)
        np.testing.assert_allclose(motion.acceleration, expected.acceleration, rtol=1e-10, atol=1e-10)
        np.testing.assert_array_equal(motion.holds, expected.holds)
    stiff = pickle.loads(pickle.dumps(system.with_baumgarte(10.0)))
    assert stiff.baumgarte == (10.0, 1.0)


def test_from_several_threads(held):
    """A closed robot keeps nothing between calls."""
    system, q, v, tau = held
    expected = system.forward_dynamics(q, v, tau).acceleration
    with ThreadPoolExecutor(4) as pool:
        for a in pool.map(lambda _: system.forward_dynamics(q, v, tau).acceleration, range(200)):
            np.testing.assert_array_equal(a, expected)
