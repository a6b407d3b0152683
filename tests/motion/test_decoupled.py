"""Control in diagonalizing rates: exact dissipation, the exponential bound, poses reached and the wrong ones."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from tests.contract import robots
from tests.contract.verbs import assert_same


def arm() -> pp.Robot:
    return pp.zoo.arm()


def power(robot: pp.Robot, q, v, a) -> np.ndarray:
    """K̇ at the acceleration a: v* (M a + C)."""
    free = robot.with_gravity((0, 0, 0))
    return (np.asarray(v) * free.inverse_dynamics(q, v, a)).sum(axis=-1)


@pytest.mark.parametrize("name", ["tree", "star"])
def test_damping_dissipates_exactly(name):
    robot = robots.named(name).with_passive([])
    data = robots.states(robot, 5)
    q, v = data["q"], data["v"]
    c = np.linspace(0.5, 2.0, robot.nv)
    law = pp.control.DecoupledDamping(robot, c)
    a = robot.forward_dynamics(q, v, law(0.0, q, v))
    nu = pp.diagonal.rates(robot, q, v)
    assert_same(power(robot, q, v, a), -(c * nu * nu).sum(axis=-1), 1e-10)
    assert_same(law.lyapunov_rate(q, v), -(c * nu * nu).sum(axis=-1), 1e-12)
    # in ν: ν̇ = -c ν - C(θ, ν), each rate by itself but for what carries only
    _, nu_dot = pp.diagonal.dynamics(robot, q, nu, law(0.0, q, v))
    assert_same(nu_dot + pp.diagonal.coriolis(robot, q, nu), -c * nu, 1e-10)


def test_the_bound_holds_in_simulation():
    robot = pp.zoo.chain(7)  # without limits to run into
    q, v = robot.random(rng=3)
    law = pp.control.DecoupledDamping(robot, 2.0)
    run = pp.simulate(robot, q, v, until=1.0, step=2.5e-3, method="rk4", control=law, record_every=25)
    energy = law.lyapunov(run.q, run.v)
    # one c for all: the bound is what happens
    assert_same(energy / energy[0], law.bound(run.t, q, v) / energy[0], 1e-6)
    uneven = pp.control.DecoupledDamping(robot, np.linspace(1.0, 4.0, robot.nv))
    run = pp.simulate(robot, q, v, until=1.0, step=2.5e-3, method="rk4", control=uneven, record_every=25)
    assert (uneven.lyapunov(run.q, run.v) <= uneven.bound(run.t, q, v) * (1 + 1e-9)).all()


@pytest.mark.parametrize("W", [60.0, (80.0, 20.0), "matrix"])
def test_pose_law_dissipates_exactly(W):
    robot = arm()
    q, v = robot.random(6, rng=1)
    if W == "matrix":
        x = np.random.default_rng(0).normal(size=(12, 12))
        W = x @ x.T + np.eye(12)
    goal = robot.pose(robot.random(rng=9)[0], "hand")
    law = pp.control.DecoupledPose(robot, "hand", goal, c=np.linspace(1, 3, robot.nv), W=W)
    a = robot.forward_dynamics(q, v, law(0.0, q, v))
    e, h = law.error(q), 1e-6
    e_rate = (law.error(robot.integrate(q, h * v)) - law.error(robot.integrate(q, -h * v))) / (2 * h)
    rate = power(robot, q, v, a) + ((e @ law.W) * e_rate).sum(axis=-1)
    assert_same(rate, law.lyapunov_rate(q, v), 1e-6)
    assert law(0.0, q, v).shape == (6, robot.nv)
    assert_same(law(0.0, q, v)[2], law(0.0, q[2], v[2]), 1e-12)


def test_pose_is_reached():
    robot = arm()
    rest = robot.random(rng=4)[0]
    goal = robot.pose(rest, "hand")
    start = robot.integrate(rest, 0.25 * np.random.default_rng(1).normal(size=robot.nv))
    law = pp.control.DecoupledPose(robot, "hand", goal, c=6.0, W=60.0)
    run = pp.simulate(
        robot, start, np.zeros(robot.nv), until=6.0, step=6e-3, method="rk4", control=law, record_every=50
    )
    L = law.lyapunov(run.q, run.v)
    assert (np.diff(L) <= 1e-9 * L[0]).all()
    assert np.linalg.norm(law.error(run.q[-1])) < 0.02 * np.linalg.norm(law.error(start))


def test_wrong_equilibrium():
    """Turned by exactly π about an axis of the hand, nothing pulls, and the law says so."""
    robot = arm()
    q = robot.random(rng=4)[0]
    here = robot.pose(q, "hand")
    turned = pp.Pose(here.position, rotation=here.rotation @ np.diag([1.0, -1.0, -1.0]))
    law = pp.control.DecoupledPose(robot, "hand", turned, c=1.0, W=10.0)
    assert np.linalg.norm(law.error(q)) > 2
    assert law.at_wrong_equilibrium(q)
    assert_same(law(0.0, q, 0 * q), robot.gravity_torque(q), 1e-9)
    assert not law.at_wrong_equilibrium(robot.integrate(q, 0.1 * np.ones(robot.nv)))
    right = pp.control.DecoupledPose(robot, "hand", here, c=1.0, W=10.0)
    assert not right.at_wrong_equilibrium(q)


def test_refusals():
    robot = arm()
    goal = robot.pose(robot.neutral(), "hand")
    with pytest.raises(pp.ModelError, match="every dof needs a motor"):
        pp.control.DecoupledDamping(pp.zoo.arm_satellite(), 1.0)
    with pytest.raises(pp.OptionError, match="c must be positive"):
        pp.control.DecoupledDamping(robot, -1.0)
    with pytest.raises(pp.ShapeError, match="one positive number"):
        pp.control.DecoupledDamping(robot, [1.0, 2.0])
    with pytest.raises(pp.OptionError, match="symmetric positive definite"):
        pp.control.DecoupledPose(robot, "hand", goal, c=1.0, W=-np.eye(12))
    with pytest.raises(pp.OptionError, match="symmetric positive definite"):
        pp.control.DecoupledPose(robot, "hand", goal, c=1.0, W=np.eye(12) + np.eye(12, k=1))
    with pytest.raises(pp.UnknownName, match="hnad"):
        pp.control.DecoupledPose(robot, "hnad", goal, c=1.0, W=1.0)
    with pytest.raises(pp.DTypeError, match="goal must be a Pose"):
        pp.control.DecoupledPose(robot, "hand", np.eye(4), c=1.0, W=1.0)
    with pytest.raises(pp.DTypeError, match="robot must be a Robot"):
        pp.control.DecoupledPose(None, "hand", goal, c=1.0, W=1.0)
