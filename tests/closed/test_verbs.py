"""Projection, capture, inverse dynamics, watching, and the sentences of closed chains."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from tests.closed import systems


@pytest.fixture
def held():
    robot = systems.arms(2)
    q, _ = robot.random(rng=1)
    return systems.closed(robot, 2, ["rigid", "soft_finger"], q), q


@pytest.mark.parametrize("kind", systems.CONTACTS)
@pytest.mark.parametrize("shape", [(), (3, 1, 2)])
def test_positions_are_closed_again(kind, shape):
    robot = systems.arms(2)
    q, _ = robot.random(rng=1)
    system = systems.closed(robot, 2, [kind, "rigid"], q)
    rng = np.random.default_rng(0)
    off = robot.integrate(q, rng.normal(scale=0.1, size=(*shape, robot.nv)))
    assert np.abs(system.closure_error(off)).max() > 1e-3
    assert np.abs(system.closure_error(system.project_position(off))).max() <= 1e-12


def test_chosen_dofs_close(held):
    system, q = held
    robot = system.robot
    box = robot.joint(robot.joint_names[-1])
    off = robot.integrate(q, np.r_[np.zeros(robot.nv - 6), 0.05 * np.ones(6)])
    back = system.project_position(off, free=["box"])
    np.testing.assert_allclose(back[: box.q.start], off[: box.q.start], rtol=0, atol=1e-14)
    assert np.abs(system.closure_error(back)).max() <= 1e-12


def test_what_cannot_be_closed(held):
    system, q = held
    far = q.copy()
    far[-3:] += 50.0
    with pytest.raises(pp.ClosureError, match="cannot be closed"):
        system.project_position(far, free=["arm1/" + system.robot.body_names[8].split("/")[1]])


def test_capture_keeps_momentum_and_loses_energy():
    robot = systems.satellite()
    q, v = robot.random(rng=3)
    grasp = pp.Grasp("ship/left/hand", "box", at=q)
    system = robot.close(grasp)
    after = system.project_velocity(q, v)
    assert np.abs(system.constraint_jacobian(q) @ after).max() < 1e-12
    np.testing.assert_allclose(robot.momentum(q, after), robot.momentum(q, v), atol=1e-11)
    assert robot.kinetic_energy(q, after) < robot.kinetic_energy(q, v)
    other = system.attach(pp.Grasp("ship/right/hand", "box", pp.contact.point(), at=q), q=q, v=after)
    assert other.system.rows == 9
    np.testing.assert_allclose(robot.momentum(q, other.v), robot.momentum(q, v), atol=1e-11)
    jump = robot.mass_matrix(q) @ (other.v - after)
    np.testing.assert_allclose(jump, other.system.constraint_jacobian(q).T @ other.impulse, atol=1e-10)
    let_go = other.system.release("ship/left/hand on box", q=q, v=other.v)
    assert let_go.system.rows == 3
    np.testing.assert_array_equal(let_go.v, other.v)
    none = let_go.system.release("ship/right/hand on box", q=q, v=other.v).system
    tau = np.ones(robot.nv)
    np.testing.assert_allclose(
        none.forward_dynamics(q, v, tau).acceleration, robot.forward_dynamics(q, v, tau), rtol=1e-12
    )


def test_inverse_undoes_forward(held):
    """Driven by all, by as many motors as freedoms, and by more."""
    system, q = held
    robot = system.robot
    v, tau = systems.state(system, q)
    f_ext = np.random.default_rng(1).normal(size=(robot.n, 6))
    motion = system.forward_dynamics(q, v, tau, f_ext)
    freedoms = int(system.mobility(q).freedoms)
    columns = np.linalg.svd(system.constraint_jacobian(q))[2][-freedoms:]  # motions that stay closed
    few = np.zeros(robot.nv, bool)
    few[[int(i) for i in independent(columns[:, : robot.nv - 6], freedoms)]] = True
    for actuated in (np.ones(robot.nv, bool), few, np.arange(robot.nv) < robot.nv - 6):
        effort = system.inverse_dynamics(q, v, motion.acceleration, f_ext, actuated=actuated)
        assert not effort.torque[~actuated].any()
        again = system.forward_dynamics(q, v, effort.torque, f_ext)
        np.testing.assert_allclose(again.acceleration, motion.acceleration, rtol=1e-7, atol=1e-7)
        needs = robot.inverse_dynamics(q, v, motion.acceleration, f_ext)
        J = system.constraint_jacobian(q)
        np.testing.assert_allclose(effort.torque + J.T @ effort.contact_force, needs, rtol=1e-7, atol=1e-7)


def independent(rows, count):
    """Columns that alone span: pivoted elimination."""
    chosen, left = [], rows.copy()
    for _ in range(count):
        best = int(np.argmax(np.linalg.norm(left, axis=0)))
        chosen.append(best)
        unit = left[:, best] / np.linalg.norm(left[:, best])
        left = left - np.outer(unit, unit @ left)
    return chosen


def test_too_few_motors(held):
    system, q = held
    v, tau = systems.state(system, q)
    a = system.forward_dynamics(q, v, tau).acceleration
    one = np.arange(system.robot.nv) == 0
    with pytest.raises(pp.ClosureError, match="1 motors cannot make this motion"):
        system.inverse_dynamics(q, v, a, actuated=one)
    with pytest.raises(pp.ClosureError, match="J a"):
        system.inverse_dynamics(q, v, a + 1.0)


def test_squeezing_harder_moves_nothing(held):
    """Arms on the box alone: the motors are those of the arms, the forces have a choice of 10 - 6."""
    system, q = held
    robot = system.robot
    v, tau = systems.state(system, q)
    a = system.forward_dynamics(q, v, tau).acceleration
    motors = np.arange(robot.nv) < robot.nv - 6
    easy = system.inverse_dynamics(q, v, a, actuated=motors)
    J_u = system.constraint_jacobian(q)[:, ~motors]
    squeeze = np.linalg.svd(J_u.T)[2][6:]
    assert squeeze.shape[0] == system.rows - 6
    assert np.abs(squeeze @ easy.contact_force).max() < 1e-8  # the least force has none
    wish = 5.0 * squeeze[0]
    hard = system.inverse_dynamics(q, v, a, actuated=motors, contact_force=wish)
    np.testing.assert_allclose(hard.contact_force - easy.contact_force, wish, atol=1e-8)
    again = system.forward_dynamics(q, v, hard.torque).acceleration
    np.testing.assert_allclose(again, a, rtol=1e-7, atol=1e-7)
    lazy = system.inverse_dynamics(q, v, a, actuated=motors, least="torque")
    assert np.linalg.norm(lazy.torque) < np.linalg.norm(easy.torque)
    np.testing.assert_allclose(system.forward_dynamics(q, v, lazy.torque).acceleration, a, rtol=1e-6, atol=1e-6)
    shared = system.inverse_dynamics(q, v, a, actuated=motors, share=[10.0, 1.0])
    assert np.linalg.norm(shared.contact_force[6:]) < np.linalg.norm(easy.contact_force[6:])


def test_contacts_that_press_are_watched():
    box = pp.zoo.box(mass=2.0, size=(1, 1, 1))
    q, rest = box.neutral(), np.zeros(6)
    table = pp.Loop("box", "world", pp.contact.point((0, 0, 1), friction=0.5), offset=pp.Pose((0, 0, 0)))
    held = box.close(table)
    motion = held.forward_dynamics(q, rest, rest)
    np.testing.assert_allclose(motion.pressing, [2.0 * 9.81], rtol=1e-12)
    assert motion.holds.all()
    assert motion.report().startswith("box on world: holds")
    lifted = held.forward_dynamics(q, rest, [0, 0, 0, 0, 0, 30.0])
    assert not lifted.holds.any()
    assert "pulls in 1 of 1" in lifted.report()
    pushed = held.forward_dynamics(q, rest, [0, 0, 0, 15.0, 0, 0])
    assert not pushed.holds.any()
    assert "slips in 1 of 1" in pushed.report()
    np.testing.assert_allclose(motion.wrenches, [[0, 0, 0, 0, 0, 2 * 9.81]], atol=1e-12)


def test_baumgarte_pulls_back(held):
    system, q = held
    robot = system.robot
    off = robot.integrate(q, 1e-3 * np.ones(robot.nv))
    v = np.zeros(robot.nv)
    stabilised = system.with_baumgarte(20.0)
    a = stabilised.forward_dynamics(off, v, v).acceleration
    J, e = system.constraint_jacobian(off), system.closure_error(off)
    np.testing.assert_allclose(J @ a, -400.0 * e, atol=1e-9)


def test_sentences(held):
    system, q = held
    robot = system.robot
    with pytest.raises(pp.OptionError, match="at least one Grasp or Loop"):
        robot.close()
    with pytest.raises(pp.ModelError, match="are on one body"):
        robot.close(pp.Loop("box", "box/corner"))
    with pytest.raises(pp.UnknownName, match="no frame named 'hnad'"):
        robot.close(pp.Loop("hnad", "box"))
    with pytest.raises(pp.OptionError, match="both say where"):
        pp.Grasp("a", "b", at=q, offset=pp.Pose())
    with pytest.raises(pp.ModelError, match="two loops are named"):
        robot.close(pp.Loop("arm0/hand", "box"), pp.Loop("arm0/hand", "box"))
    with pytest.raises(pp.ShapeError, match="forward_dynamics: q"):
        system.forward_dynamics(q[:-1], q, q)
    with pytest.raises(pp.OptionError, match="must lock at least one"):
        pp.contact.directions([False] * 6)
    with pytest.raises(pp.DTypeError, match="contact must be a contact model"):
        pp.Grasp("a", "b", "rigid")
    with pytest.raises(pp.OptionError, match="there is no loop"):
        system.release("x", q=q, v=q)
    with pytest.raises(pp.UnknownName, match="no loop named"):
        system.rows_of("x")


@pytest.mark.parametrize("kind", ["rigid", "revolute"])
def test_half_a_turn_is_not_closed(kind):
    """Where the rotation vector of the gap is π long, or two axes are opposite; in lanes and alone."""
    box = pp.zoo.box()
    system = box.close(pp.Loop("box", "world", systems.CONTACTS[kind]()))
    for axis in [*np.eye(3), [0.6, -0.8, 0.0], [0.36, 0.48, 0.8]]:
        if kind == "revolute":  # across the hinge
            axis = np.cross(axis, system.places[0].loop.contact.axis)
        q = np.r_[0.0, np.asarray(axis) / np.linalg.norm(axis), 0.1, 0.2, 0.3]
        e = system.closure_error(q)
        np.testing.assert_allclose(np.linalg.norm(e[:-3]), np.pi, rtol=1e-9)
        for states in (q, np.repeat(q[None], 11, axis=0)):
            own = system.projected("test", states, None)[3]
            np.testing.assert_allclose(np.linalg.norm(own[..., :-3], axis=-1), np.pi, rtol=1e-9)
            assert np.abs(system.closure_error(system.project_position(states))).max() <= 1e-12


def test_kernel_is_the_expression(held):
    """The fused sweeps, and the same by verbs of the open robot; states of a batch may each have their rank."""
    from phipsi.dynamics.closed import forward

    system, q = held
    robot = system.robot
    q = np.stack([q, *robot.random(12, rng=3)[0]])
    v, tau = systems.state(system, q)
    f_ext = np.random.default_rng(4).normal(size=(13, robot.n, 6))
    a, f, rank = forward.by_rows(system, q, v, tau, f_ext)
    motion = system.forward_dynamics(q, v, tau, f_ext)
    np.testing.assert_allclose(motion.acceleration, a, rtol=1e-8, atol=1e-8)
    np.testing.assert_allclose(motion.contact_force, f, rtol=1e-7, atol=1e-7)
    np.testing.assert_array_equal(motion.rank, rank)


@pytest.mark.parametrize("shape", [(), (3, 1, 2)])
def test_hybrid_dynamics(held, shape):
    """Given the torques that it finds, forward dynamics moves in the same way; with all dofs passive it is the same."""
    system, q = held
    robot = system.robot
    q = np.broadcast_to(q, (*shape, robot.nq))
    v, tau = systems.state(system, q)
    f_ext = np.random.default_rng(4).normal(size=(robot.n, 6))
    rng = np.random.default_rng(3)
    for share in (0.6, 0.8, 1.0):
        passive = (rng.uniform(size=robot.nv) < share) | (np.arange(robot.nv) >= robot.nv - 6)
        motion = system.hybrid_dynamics(q, v, tau, np.where(passive, np.nan, 1.0), passive, f_ext)
        np.testing.assert_array_equal(motion.torque[..., passive], tau[..., passive])
        np.testing.assert_array_equal(motion.acceleration[..., ~passive], 1.0)
        J = system.constraint_jacobian(q)
        needs = robot.inverse_dynamics(q, v, motion.acceleration, f_ext)
        given = motion.torque + (motion.contact_force[..., None, :] @ J)[..., 0, :]
        scale = np.abs(needs).max()
        np.testing.assert_allclose(given, needs, atol=1e-9 * scale)
        free = system.forward_dynamics(q, v, motion.torque, f_ext)
        np.testing.assert_allclose(
            free.acceleration, motion.acceleration, atol=1e-6 * np.abs(motion.acceleration).max()
        )
        each = system.hybrid_dynamics(q, v, tau, np.ones(robot.nv), np.broadcast_to(passive, v.shape), f_ext)
        np.testing.assert_allclose(each.torque, motion.torque, rtol=1e-9, atol=1e-9 * scale)
    with pytest.raises(pp.ClosureError, match="the driven dofs would open the loop"):
        system.hybrid_dynamics(q, v, tau, np.ones(robot.nv), np.zeros(robot.nv, bool))
