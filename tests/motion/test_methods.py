"""The methods beyond Euler and RK4: Dormand-Prince adapts and is dense, the midpoint keeps energy and momentum."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import phipsi as pp

from .robots import ROBOTS, apart, end


@pytest.mark.parametrize("name", ROBOTS)
def test_dormand_prince_has_order_five(name: str) -> None:
    robot = ROBOTS[name]
    q0, v0 = robot.random(rng=4)
    v0 = 0.5 * v0
    options = {"until": 0.4, "limits": False, "method": "dopri5", "rtol": None}
    exact = end(pp.simulate(robot, q0, v0, step=0.4 / 320, **options))
    errors = [apart(robot, *exact, *end(pp.simulate(robot, q0, v0, step=0.4 / n, **options))) for n in (8, 16, 32)]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert orders[-1] > 4.7, (errors, orders)


@pytest.mark.parametrize("name", ROBOTS)
def test_the_midpoint_has_order_two(name: str) -> None:
    robot = ROBOTS[name]
    q0, v0 = robot.random(rng=4)
    v0 = 0.5 * v0
    law = pp.control.PD(robot, robot.neutral(), kp=2.0, kd=0.3)
    options = {"until": 0.4, "limits": False, "control": law}
    exact = end(pp.simulate(robot, q0, v0, step=0.4 / 800, **options))
    runs = [pp.simulate(robot, q0, v0, step=0.4 / n, method="midpoint", **options) for n in (50, 100, 200)]
    errors = [apart(robot, *exact, *end(run)) for run in runs]
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert abs(orders[-1] - 2) < 0.1, (errors, orders)


@pytest.mark.parametrize("tolerance", [1e-6, 1e-9])
def test_dormand_prince_keeps_its_tolerance_and_its_dense_output_too(tolerance: float) -> None:
    robot = ROBOTS["balls in space"]
    q0, v0 = robot.random(3, rng=4)
    exact = pp.simulate(robot, q0, v0, until=1.0, step=5e-4, record_every=20)
    run = pp.simulate(robot, q0, v0, until=1.0, step=1e-2, method="dopri5", rtol=tolerance, atol=tolerance)
    np.testing.assert_allclose(run.t, exact.t, atol=1e-12)
    assert np.abs(robot.difference(exact.q, run.q)).max() < 300 * tolerance
    assert np.abs(run.v - exact.v).max() < 3000 * tolerance


def test_dormand_prince_agrees_with_scipy() -> None:
    robot = pp.zoo.double_pendulum()

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        return np.r_[y[2:], robot.forward_dynamics(y[:2], y[2:], [0.3 * np.sin(t), 0.0])]

    run = pp.simulate(
        robot, [1.0, 0.5], [0.0, 0.2], until=3.0, step=0.1, method="dopri5", rtol=1e-11, atol=1e-11,
        control=lambda t, q, v: np.array([0.3 * np.sin(t), 0.0]),
    )  # fmt: skip
    theirs = solve_ivp(rate, (0, 3), [1.0, 0.5, 0.0, 0.2], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-12)
    np.testing.assert_allclose(np.c_[run.q, run.v], theirs.y.T, atol=2e-8)


@pytest.mark.parametrize("kinds", [("revolute", "spherical"), ("planar", "free", "universal", "custom", "cylindrical")])
def test_the_midpoint_keeps_energy_bounded_and_momentum_to_rounding(kinds: tuple) -> None:
    robot = pp.zoo.tree(4, seed=3, base="free", gravity=(0, 0, 0), kinds=kinds)
    q0, v0 = robot.random(rng=0)
    v0 = 0.2 * v0
    R = robot.pose(q0, robot.body_names[0]).rotation
    v0[3:6] -= R.T @ robot.momentum(q0, v0)[3:] / robot.mass.sum()  # stays near the origin
    run = pp.simulate(robot, q0, v0, until=150.0, step=5e-3, method="midpoint", record_every=100, limits=False)
    scale = np.abs(run.momentum[0]).max()
    assert np.abs(run.momentum - run.momentum[0]).max() < 1e-12 * max(1.0, scale)
    wander = run.energy - run.energy[0]
    early, late = np.abs(wander[: len(wander) // 3]).max(), np.abs(wander[-len(wander) // 3 :]).max()
    assert np.abs(wander).max() < 2e-3 * run.energy[0]
    assert late < 3 * early
    rk4 = pp.simulate(robot, q0, v0, until=150.0, step=5e-3, record_every=100, limits=False)
    assert np.abs(rk4.momentum - rk4.momentum[0]).max() > 10 * np.abs(run.momentum - run.momentum[0]).max()


def test_the_midpoint_conserves_what_gravity_leaves() -> None:
    """A pendulum of balls about the vertical; a thrown body's linear momentum."""
    balls = pp.zoo.chain(3, "spherical", seed=2)
    q0, v0 = balls.random(rng=1)
    run = pp.simulate(balls, q0, 0.5 * v0, until=4.0, step=2e-3, method="midpoint", record_every=50)
    upright = run.momentum[:, 2]  # of all, about the world's origin: the base's pivot stands there
    if np.allclose(balls.placements.position[0], 0):
        assert np.ptp(upright) < 1e-11 * max(1.0, np.abs(run.momentum).max())
    assert np.abs(run.energy - run.energy[0]).max() < 1e-3 * np.abs(run.kinetic_energy).max()
    box = pp.zoo.box()
    q0, v0 = box.random(rng=0)
    run = pp.simulate(box, q0, v0, until=2.0, step=1e-2, method="midpoint")
    falling = run.momentum[0, 3:] + box.mass.sum() * box.gravity * run.t[:, None]
    np.testing.assert_allclose(run.momentum[:, 3:], falling, atol=1e-11)


@pytest.mark.parametrize("method", ["midpoint", "dopri5"])
def test_they_go_on_from_a_record(method: str) -> None:
    robot = ROBOTS["tree"]
    q0, v0 = robot.random(2, rng=5)
    options = {"step": 1e-3, "method": method, "record_every": 4}
    whole = pp.simulate(robot, q0, v0, until=0.04, **options)
    rest = pp.simulate(pp.simulate(robot, q0, v0, until=0.016, **options), until=0.04)
    if method == "midpoint":
        np.testing.assert_array_equal(whole.q[-1], rest.q[-1])
        np.testing.assert_array_equal(whole.v[-1], rest.v[-1])
    assert apart(robot, *end(whole), *end(rest)) < 1e-7


def test_a_step_that_is_too_long_for_the_midpoint_is_said() -> None:
    robot = pp.zoo.double_pendulum()
    with pytest.warns(pp.SimulationWarning, match="A smaller step"):
        run = pp.simulate(robot, [1.0, 0.0], [500.0, -900.0], until=5.0, step=0.5, method="midpoint")
    assert run.stopped == "diverged"


def test_the_midpoint_refuses_what_it_cannot_solve() -> None:
    box = pp.zoo.box()
    with pytest.raises(pp.OptionError, match="does not serve forces that Python computes"):
        pp.simulate(box, box.neutral(), until=1, step=0.1, method="midpoint", f_ext=lambda t, q, v: np.zeros((1, 6)))


def test_a_force_that_explodes_has_no_step() -> None:
    robot = pp.zoo.pendulum()

    def noise(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.random.default_rng(int(t * 1e15) % 97).normal(size=1) * (1e8 if t > 0.5 else 0.0)

    with pytest.raises(pp.SimulationError, match="no step that keeps the tolerance") as caught:
        pp.simulate(robot, [0.0], [1.0], until=2.0, step=0.1, method="dopri5", control=noise)
    assert caught.value.run.stopped == "error"


def test_python_control_under_the_midpoint_is_held_in_each_step() -> None:
    arm = ROBOTS["arm"]
    law = pp.control.PD(arm, arm.neutral(), kp=3.0, kd=0.5)
    run = pp.simulate(
        arm, arm.random(rng=0)[0], until=0.02, step=1e-3, method="midpoint", control=lambda t, q, v: law(t, q, v)
    )
    np.testing.assert_allclose(run.tau, law(0.0, run.q, run.v), atol=1e-12)
