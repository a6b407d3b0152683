"""Joints with no inertia about their axis: exactly what is said, and that the other states live."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp

from .verbs import assert_same

REMEDY = "Everything beyond 'wrist_3' has no inertia about its axis: give the tool a mass, or the joint an armature."


def arm(**properties: float) -> pp.Robot:
    """Six good joints, then a point mass on a bracket without mass: where the bracket lifts the mass onto the axis of
    'wrist_3' (q = pi/2 at the last joint), nothing resists that axis."""
    builder = pp.Builder("arm")
    parent = "world"
    for k in range(6):
        builder.body(
            f"link_{k}",
            parent,
            pp.Revolute(np.eye(3)[k % 3], name=f"joint_{k}"),
            pp.Pose((0, 0.1, 0.3)),
            mass=1.0,
            com=(0, 0, 0.1),
            inertia=(0.02, 0.03, 0.04),
        )
        parent = f"link_{k}"
    builder.body("bracket", parent, pp.Revolute((0, 0, 1), name="wrist_3", **properties), pp.Pose((0, 0, 0.1)))
    builder.body("tool", "bracket", pp.Revolute((0, 1, 0), name="tilt"), mass=0.7, com=(0.2, 0, 0))
    return builder.build()


def data(robot: pp.Robot, shape: tuple[int, ...], singular: list[tuple[int, ...]]):
    rng = np.random.default_rng(0)
    q, v, tau = rng.uniform(-1, 1, size=(3, *shape, robot.nv))
    for index in singular:
        q[(*index, -1)] = np.pi / 2
    return q, v, tau


def test_one_of_a_batch():
    robot = arm()
    q, v, tau = data(robot, (4096,), [(412,)])
    message = (
        "D(k) = H P H* is not positive at joint 'wrist_3' (body 6), for 1 of 4096 states: batch index 412. " + REMEDY
    )
    for verb in (lambda: robot.forward_dynamics(q, v, tau), lambda: robot.inverse_mass_matrix(q)):
        with pytest.raises(pp.SingularJoint) as caught:
            verb()
        assert str(caught.value) == message
        assert isinstance(caught.value, ArithmeticError)


def test_several_of_a_batch_of_two_axes():
    robot = arm()
    q, v, tau = data(robot, (5, 7), [(3, 2), (1, 6), (4, 0)])
    message = (
        "D(k) = H P H* is not positive at joint 'wrist_3' (body 6), for 3 of 35 states: first batch index (1, 6). "
        + REMEDY
    )
    with pytest.raises(pp.SingularJoint) as caught:
        robot.forward_dynamics(q, v, tau)
    assert str(caught.value) == message


def test_a_single_state():
    robot = arm()
    q, v, tau = data(robot, (), [()])
    message = "D(k) = H P H* is not positive at joint 'wrist_3' (body 6). " + REMEDY
    for verb in (lambda: robot.forward_dynamics(q, v, tau), lambda: robot.inverse_mass_matrix(q, on_singular="raise")):
        with pytest.raises(pp.SingularJoint) as caught:
            verb()
        assert str(caught.value) == message


@pytest.mark.parametrize("threads", [1, 2])
def test_nan_lets_the_others_live(threads):
    robot = arm()
    before = pp.get_threads()
    pp.set_threads(threads)
    try:
        q, v, tau = data(robot, (4096,), [(412,), (4095,)])
        good = np.delete(np.arange(4096), [412, 4095])
        a = robot.forward_dynamics(q, v, tau, on_singular="nan")
        inverse = robot.inverse_mass_matrix(q, on_singular="nan")
        assert np.isnan(a[[412, 4095]]).all()
        assert np.isnan(inverse[[412, 4095]]).all()
        assert np.isfinite(a[good]).all()
        assert_same(a[good], robot.forward_dynamics(q[good], v[good], tau[good]), 1e-12)
        assert_same(inverse[good], robot.inverse_mass_matrix(q[good]), 1e-12)
        assert np.isnan(robot.forward_dynamics(q[412], v[412], tau[412], on_singular="nan")).all()
    finally:
        pp.set_threads(before)


def test_everything_singular():
    """A tool without any mass, in every state."""
    robot = pp.Builder("arm").body("tool", joint=pp.Prismatic((0, 0, 1), name="wrist_3")).build()
    with pytest.raises(pp.SingularJoint) as caught:
        robot.forward_dynamics(np.zeros((13, 1)), np.zeros(1), np.zeros(1))
    assert str(caught.value) == (
        "D(k) = H P H* is not positive at joint 'wrist_3' (body 0), for 13 of 13 states: first batch index 0. " + REMEDY
    )
    assert np.isnan(robot.forward_dynamics(np.zeros((13, 1)), np.zeros(1), np.zeros(1), on_singular="nan")).all()
    robot.inverse_dynamics(np.zeros((13, 1)), np.zeros(1), np.zeros(1))  # and what need not divide, does not mind


@pytest.mark.parametrize("joint", [pp.Free(), pp.Spherical()], ids=["free", "spherical"])
def test_a_rod_in_any_orientation(joint):
    """No inertia about an axis that is none of the joint's own: D of several dofs is singular, and no entry is zero."""
    rng = np.random.default_rng(0)
    for _ in range(200):
        axis = np.roll(rng.normal(size=3) * [1, 1, 10.0 ** -rng.uniform(0, 8)], rng.integers(3))
        axis /= np.linalg.norm(axis)
        com = 0.3 * axis + ([0.1, 0.2, 0.3] if joint.kind == "free" else 0.0)
        rod = np.eye(3) - np.outer(axis, axis)
        robot = pp.Builder().body("rod", joint=joint, mass=1, com=com, inertia=(rod + rod.T) / 2).build()
        q, v = robot.random(13, rng=rng)
        assert np.isnan(robot.forward_dynamics(q, v, 0 * v, on_singular="nan")).all()


def test_the_remedies_work():
    robot = arm(armature=0.01)
    q, v, tau = data(robot, (64,), [(12,)])
    a = robot.forward_dynamics(q, v, tau)
    assert_same(robot.inverse_dynamics(q, v, a), tau, 1e-9)


def test_small_is_not_singular():
    """A fly's mass at the end of a crane."""
    robot = (
        pp.Builder("crane")
        .body("crane", joint=pp.Revolute((0, 0, 1)), mass=1e5, com=(10, 0, 0), inertia=(1e6, 1e6, 1e6))
        .body("fly", "crane", pp.Revolute((0, 1, 0)), pp.Pose((50, 0, 0)), mass=1e-5, com=(1e-3, 0, 0))
        .build()
    )
    q, v, tau = np.ones((3, 2)) * [[1.0], [1.0], [1e-9]]
    a = robot.forward_dynamics(q, v, tau)
    bias = robot.bias(q, v)
    assert_same(robot.mass_matrix(q) @ a / [1e8, 1e-6], (tau - bias) / [1e8, 1e-6], 1e-6)


def test_on_singular_has_two_words():
    robot = arm()
    with pytest.raises(pp.OptionError) as caught:
        robot.forward_dynamics(*data(robot, (), []), on_singular="ignore")
    assert str(caught.value) == "forward_dynamics: on_singular must be one of 'raise', 'nan', got 'ignore'."
