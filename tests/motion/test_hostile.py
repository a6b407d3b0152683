"""Runs asked for in ways that make no sense, and laws that know another robot than the one that moves."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp


def pendulum(mass: float) -> pp.Robot:
    b = pp.Builder("pendulum")
    inertia = 0.1 * mass * np.eye(3)
    b.body(
        "rod", parent="world", joint=pp.Revolute((0, 1, 0), name="pin"), mass=mass, com=(0, 0, -0.5), inertia=inertia
    )
    return b.build()


LAWS = {
    "computed torque": lambda model: pp.control.ComputedTorque(model, [1.0], kp=25.0, kd=10.0),
    "pd": lambda model: pp.control.PD(model, [1.0], kp=25.0, kd=10.0, gravity=True),
    "gravity": pp.control.GravityCompensation,
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("period", [None, 5e-3])
@pytest.mark.parametrize("method", ["euler", "rk4", "midpoint"])
def test_a_law_of_a_wrong_model_stays_wrong(name: str, period: float | None, method: str) -> None:
    law = LAWS[name](pendulum(1.0))
    how = {"until": 0.5, "step": 1e-3, "method": method, "control_period": period}
    asked = pp.simulate(pendulum(2.0), [0.3], control=lambda t, q, v: law(t, q, v), **how)
    told = pp.simulate(pendulum(2.0), [0.3], control=law, **how)
    np.testing.assert_allclose(told.q, asked.q, atol=1e-12)
    np.testing.assert_allclose(told.tau, asked.tau, atol=1e-10)
    assert abs(told.tau[0] - LAWS[name](pendulum(2.0))(0.0, [0.3], [0.0])) > 0.5


@pytest.mark.parametrize("method", ["rk4", "dopri5"])
def test_a_law_of_another_mask_says_the_same_to_every_method(method: str) -> None:
    robot = pp.zoo.double_pendulum().with_passive([])
    law = pp.control.PD(robot, robot.neutral(), kp=5.0, kd=1.0)
    with pytest.warns(pp.errors.SimulationWarning, match="no motor"):
        run = pp.simulate(robot, [0.3, 0.2], control=law, passive=[True, False], until=0.1, step=1e-2, method=method)
    np.testing.assert_allclose(run.tau[0], law(0.0, run.q[0], run.v[0]))


CHANGED = {
    "q0": [0.0], "v0": [0.0], "step": 1e-2, "method": "euler", "record_every": 5, "control_period": 2e-3,
    "acceleration": [0.0], "passive": [True], "f_ext": np.zeros((1, 6)), "effort_limits": True, "limits": True,
    "rtol": 1e-3, "atol": 1e-3, "start": 1.0, "on_singular": "nan",
}  # fmt: skip


@pytest.mark.parametrize("name", CHANGED)
def test_a_run_goes_on_as_it_began_or_says_that_it_does_not(name: str) -> None:
    run = pp.simulate(pendulum(1.0), [0.3], until=0.01, step=1e-3, method="midpoint", record_every=2, start=-1.0)
    with pytest.raises(pp.errors.OptionError, match=rf"as it began; {name} must not be given"):
        pp.simulate(run, until=0.02, **{name: CHANGED[name]})
    same = {"step": 1e-3, "method": "midpoint", "record_every": np.int64(2), "start": -1.0}
    assert len(pp.simulate(run, until=0.02, **same)) > 1


def test_the_system_of_a_file_is_the_one_that_ran(tmp_path: object) -> None:
    path = f"{tmp_path}/run.npz"
    pp.simulate(pendulum(1.0), [0.3], until=0.01, step=1e-3).save(path)
    with pytest.raises(pp.errors.SimulationError, match="is a run of 'pendulum', and the joints of system='arm'"):
        pp.Trajectory.load(path, system=pp.zoo.arm())
    assert pp.Trajectory.load(path, system=pendulum(1.0)).robot == pendulum(1.0)


@pytest.mark.parametrize(("until", "step"), [(1.0, 1e-30), (1e300, 1e-3), (1e17, 1.0)])
def test_steps_that_do_not_move_the_clock(until: float, step: float) -> None:
    with pytest.raises(pp.errors.OptionError, match="time would stand still"):
        pp.simulate(pendulum(1.0), [0.0], until=until, step=step, record_every=10**30)


def test_more_records_than_there_are_numbers_for() -> None:
    with pytest.raises(pp.errors.SimulationError, match="records need"):
        pp.simulate(pendulum(1.0), np.zeros((10**6, 1)), until=1e9, step=1e-6)


def test_numbers_that_stay_must_be_numbers() -> None:
    robot, how = pendulum(1.0), {"until": 0.01, "step": 1e-3}
    for name, value in {"control": [np.nan], "f_ext": np.full((1, 6), np.inf), "acceleration": [np.nan]}.items():
        with pytest.raises(pp.errors.ModelError, match=f"{name} must be finite"):
            pp.simulate(robot, [0.0], **how, **{name: value})
    for law in (lambda: pp.control.Constant([np.nan]), lambda: pp.control.Table([[np.inf]], 0.1)):
        with pytest.raises(pp.errors.ModelError, match="tau must be finite"):
            law()
    for bad in ({"kp": np.nan}, {"kd": np.inf}, {"q_goal": [np.nan]}):
        with pytest.raises(pp.errors.ModelError, match=r"PD: .* must be finite"):
            pp.control.PD(robot, **{"q_goal": [0.0], "kp": 1.0, "kd": 1.0, **bad})


@pytest.mark.parametrize("period", [None, 2e-3])
def test_a_run_that_is_lost_ends_where_it_was_lost(period: float | None) -> None:
    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return v + (np.nan if t > 0.0395 else 0.0)

    with pytest.warns(pp.errors.SimulationWarning, match=r"no state is finite at t = 0\.041"):
        run = pp.simulate(
            pendulum(1.0), [0.3], until=1.0, step=1e-3, method="euler", control=law, control_period=period
        )
    assert run.stopped == "diverged"
    assert np.isfinite(run.q[:-1]).all()
    assert len(run) == 42


def test_events_that_cannot_happen_are_told_of() -> None:
    ball = pp.zoo.box()
    how = {"until": 0.5, "step": 0.01}
    for wrong in ({"when": np.nan}, {"when": "noon"}, {"direction": 2}, {"direction": "up"}, {"then": "halt"}):
        with pytest.raises(pp.errors.PhipsiError):
            pp.Event(**{"when": 0.1, "then": "stop", **wrong})
    for value in (None, np.nan, "low", 1j):
        with pytest.raises(pp.errors.DTypeError, match="must give one number whose sign changes"):
            pp.simulate(ball, ball.neutral(), **how, events=[pp.Event(lambda t, q, v, said=value: said, "stop")])
    with pytest.raises(pp.errors.DTypeError, match="a list of Event"):
        pp.simulate(ball, ball.neutral(), **how, events=pp.Event(0.1, "stop"))
    with pytest.warns(pp.errors.SimulationWarning, match="does not lie after the start"):
        pp.simulate(ball, ball.neutral(), **how, events=[pp.Event(0.0, "stop")])


@pytest.mark.parametrize(
    "change", [{"v": np.zeros(3)}, {"v": np.full(6, np.nan)}, {"q": "here"}, {"q": np.zeros((2, 7))}]
)
def test_changes_to_no_state(change: dict[str, object]) -> None:
    ball = pp.zoo.box()
    with pytest.raises(pp.errors.PhipsiError, match=r"Change: [qv] must be"):
        pp.simulate(ball, ball.neutral(), until=0.5, step=0.1, events=[pp.Event(0.2, pp.Change(**change))])


def test_a_quaternion_of_length_zero_is_no_rotation() -> None:
    ball, how = pp.zoo.box(), {"until": 0.5, "step": 0.1}
    with pytest.raises(pp.errors.ModelError, match=r"q0: quaternion .* is zero, which is no rotation"):
        pp.simulate(ball, np.zeros((2, 7)), **how)
    with pytest.raises(pp.errors.ModelError, match=r"q: quaternion .* is zero, which is no rotation"):
        pp.simulate(ball, ball.neutral(), **how, events=[pp.Event(0.2, pp.Change(q=np.zeros(7)))])


def test_a_run_lost_between_two_records_says_when() -> None:
    with pytest.warns(pp.errors.SimulationWarning, match=r"no state is finite at t = 0\.0\d+"):
        run = pp.simulate(
            pendulum(1.0), [0.3], until=1.0, step=1e-3, record_every=500, control=lambda t, q, v: v + np.nan
        )
    assert run.stopped == "diverged"
    assert np.isfinite(run.q).all()


@pytest.mark.parametrize("method", ["rk4", "dopri5", "midpoint"])
def test_laws_with_a_batch_widen_the_state(method: str) -> None:
    robot, how = pendulum(1.0), {"until": 0.01, "step": 1e-3, "method": method}
    goals = np.array([[0.1], [0.2], [0.3]])
    laws = [pp.control.PD(robot, goals, kp=5.0, kd=1.0), pp.control.Table(goals[:, None], 2e-3), goals]
    laws += [pp.control.ComputedTorque(robot, [0.0], goals, kp=5.0, kd=1.0), pp.control.Constant(goals)]
    for law in laws:
        run = pp.simulate(robot, [0.3], control=law, **how)
        assert run.q.shape == (11, 3, 1)
        assert len(np.unique(run.q[-1])) == 3
    with pytest.raises(pp.errors.ShapeError, match="broadcast"):
        pp.simulate(robot, np.zeros((2, 1)), control=laws[0], **how)


def test_a_batch_of_none_in_files(tmp_path: object) -> None:
    run = pp.simulate(pendulum(1.0), np.zeros((0, 1)), until=0.01, step=1e-3)
    for name in ("run.npz", "run.parquet"):
        run.save(f"{tmp_path}/{name}")
        again = pp.Trajectory.load(f"{tmp_path}/{name}")
        assert again.q.shape == (11, 0, 1)
        np.testing.assert_array_equal(again.t, run.t)


def test_a_stream_does_not_run_over_its_own_beginning(tmp_path: object) -> None:
    path = f"{tmp_path}/run.parquet"
    run = pp.simulate(pendulum(1.0), [0.3], until=0.01, step=1e-3, stream=path)
    with pytest.raises(pp.errors.OptionError, match="would be written over"):
        pp.simulate(run, until=0.02, stream=f"{tmp_path}/./run.parquet")
    assert len(pp.simulate(run, until=0.02, stream=f"{tmp_path}/more.parquet")) == 11
    assert (run.v.shape, run.t[-1]) == ((11, 1), 0.01)
    with pytest.raises(pp.errors.OptionError, match="a batch of none"):
        pp.simulate(pendulum(1.0), np.zeros((0, 1)), until=0.01, step=1e-3, stream=f"{tmp_path}/none.parquet")


def test_goals_and_gains_of_frames_are_read() -> None:
    arm, ship = pp.zoo.arm(), pp.zoo.arm_satellite()
    q, p = arm.random(rng=0)[0], ship.random(rng=0)[0]
    here, there = arm.pose(q, "hand"), ship.pose(p, "arm/hand")
    for bad in ({"kp": np.nan}, {"kd": np.inf}, {"damping": -1.0}, {"damping": np.nan}, {"rows": ()}, {"rows": (6,)}):
        with pytest.raises(pp.errors.PhipsiError, match="OperationalSpace"):
            pp.control.OperationalSpace(arm, "hand", here, **{"kp": 1.0, "kd": 1.0, **bad})
    law = pp.control.OperationalSpace(arm, "hand", lambda t: None, kp=1.0, kd=1.0)
    with pytest.raises(pp.errors.DTypeError, match="must be a Goal or a Pose"):
        law(0.0, q, 0 * q)
    with pytest.raises(pp.errors.DTypeError, match=r"EndEffector: .* must be a Goal or a Pose"):
        pp.control.EndEffector(ship, "arm/hand", lambda t: None)(0.0, p, np.zeros(ship.nv))
    moving = pp.control.EndEffector(ship, "arm/hand", lambda t: pp.control.Goal(there))(0.0, p, np.zeros(ship.nv))
    still = pp.control.EndEffector(ship, "arm/hand", lambda t: there)(0.0, p, np.zeros(ship.nv))
    np.testing.assert_array_equal(moving, still)
