"""Algorithm 3.3, by inertias and by mobilities, against forward, inverse and hybrid dynamics of the reference."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import free_flying, reference
from tests.contract import robots
from tests.contract.verbs import assert_same
from tests.dynamics.test_free_flying import FLOATING, HELD, mask_of
from tests.dynamics.test_generalized import robot_named

FORMS = ("inertia", "mobility")


def conditioned(robot: pp.Robot, q: np.ndarray, mask: np.ndarray) -> float:
    M = reference.mass_matrix(robot, q)[np.ix_(mask, mask)]
    return 1e-11 * (float(np.linalg.cond(M)) if M.size else 1.0)


@pytest.mark.parametrize("name", [*FLOATING, *HELD])
def test_forward(name):
    robot = robot_named(name)
    for data in [{key: x[i] for key, x in robots.states(robot, 2).items()} for i in range(2)]:
        q, v, tau, f_ext = data["q"], data["v"], data["tau"], data["f_ext"]
        a = reference.forward_dynamics(robot, q, v, tau, f_ext)
        bound = conditioned(robot, q, np.ones(robot.nv, bool))
        for form in FORMS if name in FLOATING else ("mobility", None):
            motion = free_flying.dynamics(robot, q, v, tau, f_ext=f_ext, form=form)
            assert_same(motion.acceleration, a, bound)
            assert_same(motion.tau, tau, 1e-15)
            assert_same(motion.link_accelerations, reference.accelerations(robot, q, v, a), bound)
            assert_same(motion.reaction_forces, reference.reaction_forces(robot, q, v, a, f_ext), 10 * bound)
            assert_same(motion.Upsilon, free_flying.link_compliances(robot, q), bound)
            assert motion.form == ("mobility" if name in HELD else form)
            if motion.Lambda is not None:
                assert_same(motion.Lambda, free_flying.link_inertias(robot, q), 1e-12)
                P, S = free_flying.dual_inertias(robot, q)
                assert_same(motion.P, P, 1e-12)
                assert_same(motion.S, S, 1e-12)


@pytest.mark.parametrize("name", [*FLOATING, *HELD])
def test_hybrid(name):
    """Any mask of passive dofs; with one that lets the base float, by inertias too."""
    robot = robot_named(name)
    data = {key: x[0] for key, x in robots.states(robot, 1).items()}
    q, v, tau, a, f_ext = (data[key] for key in ("q", "v", "tau", "a", "f_ext"))
    rng = np.random.default_rng(9)
    masks = [rng.uniform(size=robot.nv) < share for share in (0.0, 0.3, 0.7, 1.0)]
    if name in FLOATING:
        masks.append(mask_of(robot))
    for mask in masks:
        bound = conditioned(robot, q, mask)
        expected_tau, expected_a = reference.hybrid_dynamics(robot, q, v, tau, a, mask, f_ext)
        for form in FORMS if name in FLOATING and mask[:6].all() else (None,):
            motion = free_flying.dynamics(robot, q, v, tau, a, mask, f_ext, form)
            assert_same(motion.acceleration, expected_a, bound)
            assert_same(motion.tau, expected_tau, 10 * bound)
            assert_same(motion.link_accelerations, reference.accelerations(robot, q, v, expected_a), bound)


@pytest.mark.parametrize("shape", [(6,), (3, 1, 2)])
@pytest.mark.parametrize("afloat", [True, False])
def test_a_mask_for_each_state(shape, afloat):
    ship = robots.named("free_tree")
    count = int(np.prod(shape))
    data = {key: x.reshape(*shape, *x.shape[1:]) for key, x in robots.states(ship, count).items()}
    masks = np.random.default_rng(4).uniform(size=(*shape, ship.nv)) < 0.6
    if afloat:
        masks[..., :6] = True
    arguments = [data[key] for key in ("q", "v", "tau", "a")]
    motion = free_flying.dynamics(ship, *arguments, masks, data["f_ext"])
    assert motion.form == ("inertia" if afloat else "mobility")
    for i in np.ndindex(shape):
        expected = free_flying.dynamics(ship, *(x[i] for x in arguments), masks[i], data["f_ext"][i], motion.form)
        for name in ("acceleration", "tau", "link_accelerations", "reaction_forces", "Upsilon"):
            assert_same(getattr(motion, name)[i], getattr(expected, name), 1e-10)
    one = free_flying.dynamics(ship, *(x.reshape(count, -1)[0] for x in arguments), masks.reshape(count, -1))
    assert one.tau.shape == (count, ship.nv)
    nobody = free_flying.dynamics(ship, *(x.reshape(count, -1)[:0] for x in arguments), masks.reshape(count, -1)[:0])
    assert nobody.tau.shape == (0, ship.nv)


def test_two_sweeps_that_do_not_wait_for_each_other():
    """The kinematics, then one sweep each way: no third one for the accelerations."""
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.random(rng=0)
    for form in FORMS:
        directions = free_flying.dynamics(ship, q, v, v, form=form).directions
        assert directions == ("base → tips", "tips → base", "base → tips")


def test_no_link_is_the_base():
    """Every link's acceleration is the same, whichever is called the base; torques go along with states."""
    ship = pp.zoo.dual_arm_satellite().with_gravity((0, 0, -2.0))
    q, v = ship.random(3, rng=1)
    tau, f_ext = np.random.default_rng(1).normal(size=(3, ship.nv)), np.zeros((3, ship.n, 6))
    f_ext[:, 3] = 1.0
    here = free_flying.dynamics(ship, q, v, tau, f_ext=f_ext)
    for base in ("left/hand", "right/link4"):
        there = ship.rebasing(base)
        q1, v1 = there.state(q, v)
        other = free_flying.dynamics(there.robot, q1, v1, there.torque(q, tau), f_ext=there.bodies(f_ext))
        assert_same(other.link_accelerations, there.bodies(here.link_accelerations), 1e-9)
        assert_same(other.acceleration, there.acceleration(q, v, here.acceleration), 1e-9)


@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2), (0,), (5,)])
def test_batches(shape):
    ship = robots.named("free_tree")
    count = int(np.prod(shape))
    data = {key: x[:count].reshape(*shape, *x.shape[1:]) for key, x in robots.states(ship, max(count, 1)).items()}
    mask = mask_of(ship)
    motion = free_flying.dynamics(ship, data["q"], data["v"], data["tau"], data["a"], mask, data["f_ext"])
    assert motion.acceleration.shape == (*shape, ship.nv)
    assert motion.Lambda is not None
    assert motion.Lambda.shape == (*shape, ship.n, 6, 6)
    singles = [
        free_flying.dynamics(ship, *(data[key][i] for key in ("q", "v", "tau", "a")), mask, data["f_ext"][i])
        for i in np.ndindex(shape)
    ]
    accelerations = np.reshape([single.acceleration for single in singles], (*shape, ship.nv))
    assert_same(motion.acceleration, accelerations, 1e-10)
    once = free_flying.dynamics(ship, data["q"], data["v"], data["tau"][..., :], np.zeros(ship.nv), mask)
    assert once.tau.shape == (*shape, ship.nv)


def test_refusals():
    arm, ship = pp.zoo.chain(3), pp.zoo.arm_satellite()
    q, v = ship.neutral(), np.zeros(ship.nv)
    with pytest.raises(pp.ModelError, match="link_compliances gives"):
        free_flying.dynamics(arm, arm.neutral(), np.zeros(3), np.zeros(3), form="inertia")
    with pytest.raises(pp.OptionError, match="form"):
        free_flying.dynamics(ship, q, v, v, form="mass")
    with pytest.raises(pp.DTypeError, match="the accelerations of the dofs"):
        free_flying.dynamics(ship, q, v, v, passive="base")
    with pytest.raises(pp.ShapeError, match="tau"):
        free_flying.dynamics(ship, q, v, v[:-1])
    with pytest.raises(pp.ShapeError, match="broadcast"):
        free_flying.dynamics(ship, np.tile(q, (3, 1)), v, v, np.zeros((2, ship.nv)))
    with pytest.raises(pp.ShapeError, match="broadcast"):
        free_flying.dynamics(ship, np.tile(q, (3, 1)), v, v, v, np.ones((2, ship.nv), bool))
    with pytest.raises(pp.ShapeError, match="q"):
        free_flying.dynamics(ship, q[:-1], v, v, v, np.ones((2, ship.nv), bool))
    b = pp.Builder("x").body("rod", joint=pp.Revolute((0, 0, 1), name="idle"))
    rod = b.body("tip", "rod", pp.Prismatic((1, 0, 0)), mass=1.0).build()
    with pytest.raises(pp.SingularJoint, match="at joint 'idle'"):
        free_flying.dynamics(rod, np.zeros(2), np.zeros(2), np.zeros(2))
