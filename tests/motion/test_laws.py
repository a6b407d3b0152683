"""Control laws: one call form, batches, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp

SHIP = pp.zoo.arm_satellite()
ARM = pp.zoo.arm()


def laws(robot: pp.Robot, frame: str) -> dict[str, pp.control.Law]:
    q, v = robot.neutral(), np.zeros(robot.nv)
    made: dict[str, pp.control.Law] = {
        "PD": pp.control.PD(robot, q, v, kp=3.0, kd=1.0, gravity=True),
        "moving PD": pp.control.PD(robot, lambda t: q, lambda t: v + 0.1 * t, kp=3.0, kd=1.0),
        "gravity": pp.control.GravityCompensation(robot),
        "constant": pp.control.Constant(np.where(robot.passive, 0.0, 1.0)),
        "table": pp.control.Table(np.where(robot.passive, 0.0, [[1.0], [2.0]]), 0.01),
        "operational": pp.control.OperationalSpace(robot, frame, robot.pose(q, frame), kp=9.0, kd=6.0),
    }
    if not robot.passive.any():
        made["computed torque"] = pp.control.ComputedTorque(robot, q, kp=9.0, kd=6.0)
    return made


@pytest.mark.parametrize("robot", [ARM, SHIP], ids=lambda robot: robot.name)
@pytest.mark.parametrize("batch", [(1,), (3, 1, 2)])
def test_laws_take_batches(robot: pp.Robot, batch: tuple) -> None:
    frame = robot.frame_names[-1]
    q, v = robot.random(batch, rng=0)
    for name, law in laws(robot, frame).items():
        many = law(0.013, q, v)
        assert many.shape == v.shape, name
        assert (many[..., robot.passive] == 0).all(), name
        for index in np.ndindex(batch):
            np.testing.assert_allclose(law(0.013, q[index], v[index]), many[index], rtol=1e-9, atol=1e-9, err_msg=name)


@pytest.mark.parametrize("robot", [ARM, SHIP], ids=lambda robot: robot.name)
def test_operational_space_gives_the_frame_the_acceleration_that_is_asked(robot: pp.Robot) -> None:
    frame = robot.frame_names[-1]
    q, v = robot.random(5, rng=3)
    goal = pp.control.Goal(robot.pose(q, frame), np.arange(6.0) / 5, np.arange(6.0) - 2)
    law = pp.control.OperationalSpace(robot, frame, goal, kp=9.0, kd=6.0, damping=0.0)
    tau = law(0.0, q, v)
    a = robot.forward_dynamics(q, v, tau + robot.passive_forces(q, v))
    asked = goal.acceleration + 6.0 * (goal.velocity - robot.velocity(q, v, frame))
    np.testing.assert_allclose(robot.acceleration(q, v, a, frame), asked, atol=1e-7)


def test_the_posture_is_not_felt_by_the_task() -> None:
    frame = ARM.frame_names[-1]
    q, v = ARM.random(5, rng=3)
    goal = ARM.pose(q, frame)
    a = []
    for posture in (None, ARM.neutral(), ARM.neutral() + 1.0):
        law = pp.control.OperationalSpace(ARM, frame, goal, kp=9.0, kd=6.0, rows=[3, 4, 5], posture=posture)
        joint = ARM.forward_dynamics(q, v, law(0.0, q, v) + ARM.passive_forces(q, v))
        a.append((ARM.acceleration(q, v, joint, frame)[..., 3:], joint))
    np.testing.assert_allclose(a[0][0], a[1][0], atol=1e-8)
    np.testing.assert_allclose(a[0][0], a[2][0], atol=1e-8)
    assert np.abs(a[0][1] - a[2][1]).max() > 0.1


def test_a_free_flying_arm_reaches_its_goal_while_the_base_yields() -> None:
    q0 = SHIP.neutral()
    q0[7:] = 0.3, 0.8, 0.1, -1.2, 0.2, 0.9, 0.1
    start = SHIP.pose(q0, "arm/hand")
    goal = pp.Pose(start.position + np.array([0.1, -0.05, 0.08]), start.rotation)
    law = pp.control.OperationalSpace(SHIP, "arm/hand", goal, kp=16.0, kd=8.0)
    run = pp.simulate(SHIP, q0, until=3.0, step=5e-3, control=law, record_every=20, limits=False)
    assert np.abs(SHIP.pose(run.q[-1], "arm/hand").position - goal.position).max() < 1e-3
    assert np.abs(run.momentum).max() < 1e-6  # nothing pushes from outside
    assert np.abs(run.q[-1, 4:7] - q0[4:7]).max() > 1e-3  # and the base has moved


def test_a_singularity_is_passed_without_great_forces() -> None:
    q0 = SHIP.neutral()
    q0[7:] += 0.4  # this way leads through one
    start = SHIP.pose(q0, "arm/hand")
    goal = pp.Pose(start.position + np.array([0.1, -0.05, 0.08]), start.rotation)
    law = pp.control.OperationalSpace(SHIP, "arm/hand", goal, kp=16.0, kd=8.0)
    run = pp.simulate(SHIP, q0, until=1.0, step=5e-3, control=law, limits=False)
    assert np.abs(run.v).max() < 10


def test_hostile_gains() -> None:
    with pytest.raises(pp.ShapeError, match="kp must be a number or 7 numbers"):
        pp.control.PD(ARM, ARM.neutral(), kp=np.ones(6), kd=1.0)
    with pytest.raises(pp.ShapeError, match="goal"):
        pp.control.PD(ARM, np.zeros(6), kp=1.0, kd=1.0)
    with pytest.raises(pp.UnknownName, match="no frame named 'hnd'"):
        pp.control.OperationalSpace(ARM, "hnd", pp.Pose(), kp=1.0, kd=1.0)
    with pytest.raises(pp.DTypeError, match="a Pose, a Goal or a function"):
        pp.control.OperationalSpace(ARM, ARM.frame_names[-1], np.eye(4), kp=1.0, kd=1.0)
    with pytest.raises(pp.OptionError, match="period must be"):
        pp.control.Table([[1.0]], 0.0)
    with pytest.raises(pp.ShapeError, match="torques in time"):
        pp.control.Table([1.0], 0.1)
