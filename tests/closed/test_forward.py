"""Forward dynamics of closed chains against the maximal-coordinate KKT system, contact by contact, singular or not."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from tests.closed import maximal, systems


def check(system, q, seed=0, f_ext=None, bound=1e-9):
    v, tau = systems.state(system, q, seed)
    motion = system.forward_dynamics(q, v, tau, f_ext)
    expected = maximal.accelerations(system, q, v, tau, f_ext)
    alpha = system.robot.accelerations(q, v, motion.acceleration)
    assert np.abs(alpha - expected).max() < bound * max(1.0, np.abs(expected).max())
    J, rate = system.constraint_jacobian(q), system.constraint_rate(q, v)
    assert np.abs(J @ v).max() < 1e-11
    assert np.abs(J @ motion.acceleration + rate).max() < 1e-9 * max(1.0, np.abs(motion.acceleration).max())
    left = system.robot.inverse_dynamics(q, v, motion.acceleration, f_ext) - tau - J.T @ motion.contact_force
    assert np.abs(left).max() < 1e-8 * max(1.0, np.abs(motion.contact_force).max())
    return motion


@pytest.mark.parametrize("kind", systems.CONTACTS)
@pytest.mark.parametrize("axes", ["object", "tip"])
def test_two_arms_with_every_contact(kind, axes):
    robot = systems.arms(2)
    q, _ = robot.random(rng=1)
    system = systems.closed(robot, 2, [kind, "point"], q, axes)
    motion = check(system, q, f_ext=np.random.default_rng(2).normal(size=(robot.n, 6)))
    assert motion.rank == system.rows


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_mixtures(count, base):
    robot = systems.arms(count, seed=3, base=base)
    q, _ = robot.random(rng=count)
    kinds = ["rigid", "soft_finger", "revolute", "point"]
    check(systems.closed(robot, count, kinds, q), q)


def test_common_free_base():
    robot = systems.satellite()
    q, _ = robot.random(rng=4)
    system = robot.close(pp.Grasp("ship/left/hand", "box", at=q), pp.Grasp("ship/right/hand", "box", at=q))
    assert check(system, q).rank == 12


@pytest.mark.parametrize(("joints", "count", "rank"), [(3, 2, 9), (3, 3, 12), (4, 2, 9)])
def test_over_constrained_planar_arms(joints, count, rank):
    """Ω is singular, accelerations are unique, forces the least; ranks as RK88's sect. 4 examples have them."""
    robot = systems.planar(joints, count)
    q, _ = robot.random(rng=5)
    q[-3] = 0.0
    q[-7:-3] = (1, 0, 0, 0)
    hands = [name for name in robot.frame_names if name.endswith(("tip", "hand"))]
    system = robot.close([pp.Grasp(hand, "box", at=q) for hand in hands[:count]])
    motion = check(system, q)
    assert motion.rank == rank
    squeeze = system.internal_forces(q)
    assert squeeze.shape == (system.rows, system.rows - rank)
    assert np.abs(system.constraint_jacobian(q).T @ squeeze).max() < 1e-10
    assert np.abs(squeeze.T @ motion.contact_force).max() < 1e-8  # the least force has no squeeze


@pytest.mark.parametrize("axes", ["object", "tip"])
@pytest.mark.parametrize("kind", systems.CONTACTS)
def test_jacobian_and_rate_against_differences(kind, axes):
    """J̇v is the rate of J v with v constant, J v that of the error, also where the loop is far from closed."""
    robot = systems.arms(1, seed=7)
    q, v = robot.random(rng=8)
    at, _ = robot.random(rng=9)
    far = systems.closed(robot, 1, [kind], at, axes)
    h = 1e-5
    ahead, behind = robot.integrate(q, h * v), robot.integrate(q, -h * v)
    change = (far.constraint_jacobian(ahead) @ v - far.constraint_jacobian(behind) @ v) / (2 * h)
    assert np.abs(change - far.constraint_rate(q, v)).max() < 1e-7 * max(1, np.abs(change).max())
    near = systems.closed(robot, 1, [kind], q, axes)
    slope = (near.closure_error(ahead) - near.closure_error(behind)) / (2 * h)
    wanted = near.constraint_jacobian(q) @ v
    if near.places[0].loop.contact.turns == 1:
        slope, wanted = slope[1:], wanted[1:]
    assert np.abs(slope - wanted).max() < 1e-6
    slide = (far.closure_error(ahead) - far.closure_error(behind)) / (2 * h)
    linear = ~np.any(far.places[0].loop.contact.locked[:, :3] != 0, axis=1)
    assert np.abs(slide - far.constraint_jacobian(q) @ v)[linear].max() < 1e-6


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,), (13,)])
def test_batches(shape):
    robot = systems.satellite()
    q0, _ = robot.random(rng=4)
    system = robot.close(
        pp.Grasp("ship/left/hand", "box", at=q0), pp.Grasp("ship/right/hand", "box", pp.contact.point(), at=q0)
    )
    q, _ = robot.random(shape, rng=1) if shape else robot.random(rng=1)
    v, tau = systems.state(system, q)
    motion = system.forward_dynamics(q, v, tau)
    assert motion.acceleration.shape == (*shape, robot.nv)
    assert motion.contact_force.shape == (*shape, 9)
    assert np.shape(motion.rank) == shape
    for index in np.ndindex(*shape):
        one = system.forward_dynamics(q[index], v[index], tau[index])
        np.testing.assert_allclose(motion.acceleration[index], one.acceleration, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(motion.contact_force[index], one.contact_force, rtol=1e-7, atol=1e-8)


def test_driven_contacts():
    """A contact torque is a force pair along the free directions. [RK88 II b.9]"""
    robot = systems.arms(2)
    q, _ = robot.random(rng=1)
    system = systems.closed(robot, 2, ["revolute", "point"], q)
    v, tau = systems.state(system, q)
    drive = np.array([1.5, -0.3, 0.2, 0.7])
    a = system.forward_dynamics(q, v, tau, contact_torque=drive).acceleration
    b = system.forward_dynamics(q, v, tau + system.free_jacobian(q).T @ drive).acceleration
    np.testing.assert_allclose(a, b, rtol=1e-10)


def held(count, joints=7):
    """Chains that hold one object, rigidly."""
    parts = {f"arm{i}": pp.zoo.chain(joints, seed=i) for i in range(count)}
    robot = pp.assemble({**parts, "box": pp.zoo.box(10.0)})
    q, _ = robot.random(rng=1)
    tips = [f"arm{i}/{part.frame_names[-1]}" for i, part in enumerate(parts.values())]
    return robot.close([pp.Grasp(tip, "box", at=q) for tip in tips]), q


@pytest.mark.parametrize("count", [4, 9])
@pytest.mark.parametrize("joints", [5, 7])
def test_many_arms(count, joints):
    """Eliminated one by one where all are regular; with five joints none is, though the whole may be."""
    system, q = held(count, joints)
    v, tau = systems.state(system, q)
    motion = system.forward_dynamics(q, v, tau)
    from phipsi.dynamics.closed import forward

    a, f, rank = forward.by_rows(system, q, v, tau, None)
    assert motion.rank == rank
    np.testing.assert_allclose(motion.acceleration, a, rtol=1e-9, atol=1e-9 * max(1.0, np.abs(a).max()))
    np.testing.assert_allclose(motion.contact_force, f, atol=1e-7 * max(1.0, np.abs(f).max()))
    many = system.forward_dynamics(*(np.tile(x, (11, 1)) for x in (q, v, tau)))
    np.testing.assert_allclose(many.acceleration, np.tile(motion.acceleration, (11, 1)), rtol=1e-9, atol=1e-9)
    if count == 4:
        alpha = system.robot.accelerations(q, v, motion.acceleration)
        expected = maximal.accelerations(system, q, v, tau)
        assert np.abs(alpha - expected).max() < 1e-9 * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("kind", systems.CONTACTS)
def test_against_the_dense_reference(kind):
    """By the saddle-point system, batch by batch; loops may name the world at either end."""
    robot = systems.arms(2, seed=11)
    q, _ = robot.random(rng=1)
    loops = [
        pp.Loop("arm0/hand", "box/corner", systems.CONTACTS[kind](), at=q),
        pp.Loop("arm1/hand", "arm0/hand", pp.contact.point(), at=q),
        pp.Loop("world", "arm1/hand", pp.contact.directions([True] + [False] * 5), at=q, axes="tip"),
    ]
    system = robot.close(loops)
    q = np.stack([q, *robot.random(8, rng=2)[0]])
    v, tau = systems.state(system, q)
    motion = system.forward_dynamics(q, v, tau)
    J, drift = system.constraint_jacobian(q), system.constraint_rate(q, v)
    for i in range(9):
        a, f = pp.reference.closed_forward_dynamics(robot, q[i], v[i], tau[i], J[i], drift[i])
        np.testing.assert_allclose(motion.acceleration[i], a, rtol=1e-9, atol=1e-9 * np.abs(a).max())
        np.testing.assert_allclose(motion.contact_force[i], f, rtol=1e-7, atol=1e-7 * np.abs(f).max())
