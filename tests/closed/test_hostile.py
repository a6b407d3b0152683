"""More hostile arguments of closed chains: NaN in one state of many, and what is no number, no mask, no batch."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from tests.closed import systems

GOOD = [0, 1, 3, 4]


@pytest.fixture
def held():
    robot = systems.arms(2)
    q, _ = robot.random(rng=1)
    system = systems.closed(robot, 2, ["rigid", "soft_finger"], q)
    v, tau = systems.state(system, q)
    return system, q, v, tau


@pytest.fixture
def lost(held):
    """Five states; in that of number 2 q is NaN."""
    system, q, v, tau = held
    q, v, tau = (np.tile(x, (5, 1)) for x in (q, v, tau))
    q[2, 1] = np.nan
    return system, q, v, tau


def test_counts_of_a_lost_state_are_none(lost):
    system, q, v, tau = lost
    mobility = system.mobility(q)
    for found in (mobility.rank, mobility.freedoms, mobility.redundancy):
        assert found[2] == -1
        assert (found[GOOD] >= 0).all()
    every = np.ones(system.robot.nv, bool)
    motion = system.hybrid_dynamics(q, v, tau, 0 * v, every)
    assert motion.rank.tolist() == system.forward_dynamics(q, v, tau).rank.tolist()
    assert motion.rank[2] == -1
    assert np.isnan(motion.contact_force[2]).all()


def test_internal_forces_of_a_lost_state(lost):
    system, q, _, _ = lost
    found = system.internal_forces(q)
    alone = system.internal_forces(q[0])
    assert found.shape == (5, *alone.shape)
    assert np.isnan(found[2]).all()
    np.testing.assert_allclose(found[0], alone, atol=1e-12)


@pytest.mark.parametrize("least", ["force", "torque"])
def test_torques_for_a_lost_state(lost, least):
    system, q, v, tau = lost
    a = system.forward_dynamics(q, v, tau).acceleration
    every = np.ones(system.robot.nv, bool)
    every[-6:] = False  # the object has no motors
    effort = system.inverse_dynamics(q, v, a, actuated=every, least=least, check=False)
    one = system.inverse_dynamics(q[0], v[0], a[0], actuated=every, least=least, check=False)
    np.testing.assert_allclose(effort.torque[GOOD], np.tile(one.torque, (4, 1)), rtol=1e-9, atol=1e-9)
    assert np.isnan(effort.torque[2]).any()


def test_closing_some_dofs_of_a_lost_state(lost):
    system, q, v, _ = lost
    free = np.ones(system.robot.nv, bool)
    free[0] = False
    moved = system.robot.integrate(q, 1e-3 * np.ones_like(v) * free)
    found = system.project_position(moved, free=free)
    assert np.abs(system.closure_error(found)[GOOD]).max() < 1e-12
    assert np.isnan(found[2]).any()


def test_a_grasp_at_nowhere(held):
    system, q, _, _ = held
    with pytest.raises(pp.ModelError, match="at must be finite"):
        system.robot.close(pp.Grasp(system.places[0].loop.tip, "world", at=np.nan * q))


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_tolerances_are_positive(held, value):
    system, q, _, _ = held
    with pytest.raises(pp.ModelError, match="tolerance must be positive"):
        system.project_position(q, tolerance=value)


@pytest.mark.parametrize("value", [2.5, "all", None])
def test_iterations_are_whole(held, value):
    system, q, _, _ = held
    with pytest.raises(pp.DTypeError, match="iterations must be a whole number"):
        system.project_position(q, iterations=value)


@pytest.mark.parametrize("value", ["abc", {}, [[1, 2], [3]]])
def test_velocities_are_numbers(held, value):
    system, q, _, _ = held
    with pytest.raises(pp.DTypeError, match="project_velocity: v"):
        system.project_velocity(q, value)


def test_imaginary_parts_are_not_dropped(held):
    system, q, v, _ = held
    with pytest.raises(pp.DTypeError, match="project_velocity: v"):
        system.project_velocity(q, v + 1j)


def test_batches_that_do_not_meet(held):
    system, q, v, tau = held
    two, three = np.tile(q, (2, 1)), np.tile(v, (3, 1))
    every = np.ones(system.robot.nv, bool)
    for call in (
        lambda: system.inverse_dynamics(two, three, v),
        lambda: system.project_acceleration(two, v, three),
        lambda: system.constraint_rate(two, three),
        lambda: system.hybrid_dynamics(two, v, tau, three, every),
        lambda: system.project_velocity(two, three),
        lambda: system.contacts(two, np.zeros((3, system.rows))),
    ):
        with pytest.raises(pp.ShapeError, match=r"do not broadcast: .*\(2,\).*\(3,\)"):
            call()


def test_contacts_are_of_configurations(held):
    system, q, _, _ = held
    for bad, kind in (("q", pp.DTypeError), (q[:3], pp.ShapeError)):
        with pytest.raises(kind, match="contacts: q"):
            system.contacts(bad, np.zeros(system.rows))


def test_masks_as_lists_of_lists(held):
    system, q, v, tau = held
    masks = np.ones((2, system.robot.nv), bool)
    expected = system.hybrid_dynamics(q, v, tau, v, masks)
    found = system.hybrid_dynamics(q, v, tau, v, masks.tolist())
    np.testing.assert_array_equal(found.acceleration, expected.acceleration)
    assert found.torque.shape == masks.shape


def test_masks_are_called_as_the_user_calls_them(held):
    system, q, v, _ = held
    with pytest.raises(pp.ShapeError, match="actuated must be"):
        system.inverse_dynamics(q, v, v, actuated=[True], check=False)
    with pytest.raises(pp.ShapeError, match="free must be"):
        system.project_position(q, free=[True])


@pytest.mark.parametrize("value", [0.0, -1.0, np.nan, np.inf])
def test_shares_are_positive(held, value):
    system, q, v, _ = held
    with pytest.raises(pp.ModelError, match="share must be positive"):
        system.inverse_dynamics(q, v, v, share=[1.0, value], check=False)


def stuck(name):
    """A robot, a state, and a loop in which some directions, or all, are such as no joint moves."""
    if name == "two links away":  # the joints between them move the point in a plane
        robot, tip, body = pp.zoo.dual_arm_satellite(), "left/link5", "left/link7"
    elif name == "on its axis":
        robot, tip, body = pp.zoo.quadruped(), "rear_right/thigh", "rear_right/hip"
    else:
        robot, tip, body = pp.zoo.chain(3, "spherical"), "link1", "world"
    q, v = robot.random(rng=103)
    return robot, tip, body, q, v


@pytest.mark.parametrize("axes", ["object", "tip"])
@pytest.mark.parametrize("name", ["two links away", "on its axis", "a ball joint's centre"])
@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 7)])
def test_directions_that_nothing_moves(name, axes, batch):
    robot, tip, body, q, v = stuck(name)
    system = robot.close(pp.Loop(tip, body, pp.contact.point(), at=q, axes=axes))
    tau = np.linspace(-1.0, 1.0, robot.nv)
    q, v, tau = (np.broadcast_to(x, (*batch, len(x))) for x in (q, v, tau))
    v = system.project_velocity(q, v)
    motion = system.forward_dynamics(q, v, tau)
    rank = {"two links away": 2, "on its axis": 0, "a ball joint's centre": 0}[name]
    assert (motion.rank == rank).all()
    assert (system.mobility(q).rank == rank).all()
    J, M = (
        system.constraint_jacobian(q).reshape(-1, 3, robot.nv)[0],
        robot.mass_matrix(q).reshape(-1, robot.nv, robot.nv)[0],
    )
    free = robot.forward_dynamics(q, v, tau).reshape(-1, robot.nv)[0]
    left, sizes, right = np.linalg.svd(J)
    sizes, rows = sizes[:rank], right[:rank]  # independent constraints
    drift = (left.T @ system.constraint_rate(q, v).reshape(-1, 3)[0])[:rank] / np.maximum(sizes, 1e-9)
    push = np.linalg.solve(M, rows.T)
    expected = free - push @ np.linalg.solve(rows @ push, rows @ free + drift) if rank else free
    scale = 1.0 + np.abs(free).max()
    np.testing.assert_allclose(
        motion.acceleration / scale, np.broadcast_to(expected / scale, motion.acceleration.shape), atol=1e-9
    )
    assert np.abs(motion.contact_force).max() < 1e3
    again = system.hybrid_dynamics(q, v, tau, 0 * v, np.ones(robot.nv, bool))
    np.testing.assert_allclose(motion.contact_force, again.contact_force, rtol=1e-7, atol=1e-7)


def test_stuck_directions_beside_others():
    """With a second loop, whose arms share nothing with the first: blocks of loops, and all states at once."""
    robot, tip, body, q, v = stuck("two links away")
    loops = pp.Loop(tip, body, pp.contact.point(), at=q), pp.Loop("right/hand", "world", pp.contact.rigid(), at=q)
    one, both = robot.close(loops[1]), robot.close(*loops)
    q = np.tile(q, (9, 1))
    v = both.project_velocity(q, np.tile(v, (9, 1)))
    motion = both.forward_dynamics(q, v, 0 * v)
    assert (motion.rank == 8).all()
    J, rate = both.constraint_jacobian(q), both.constraint_rate(q, v)
    np.testing.assert_allclose((J @ motion.acceleration[..., None])[..., 0], -rate, atol=1e-8)
    assert np.abs(motion.contact_force).max() < 1e3 * (
        1 + np.abs(one.forward_dynamics(q, v, 0 * v).contact_force).max()
    )


def test_closing_again(held):
    system, q, v, tau = held
    loop = pp.Loop(system.places[0].loop.tip, "world", pp.contact.point(), at=q, name="more")
    again = system.close(loop)
    at_once = system.robot.close(*system.loops, [loop])
    assert again.rows == system.rows + 3
    v = again.project_velocity(q, v)
    expected = at_once.forward_dynamics(q, v, tau).acceleration
    np.testing.assert_array_equal(again.forward_dynamics(q, v, tau).acceleration, expected)
    for nothing in ((), ([],)):
        with pytest.raises(pp.OptionError, match="at least one Grasp or Loop"):
            system.close(*nothing)
