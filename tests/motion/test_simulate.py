"""simulate: both loops take the same steps, every method has its order, and a run goes on as if never interrupted."""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import phipsi as pp

from .robots import ROBOTS, apart, end

METHODS = ("euler", "rk4")


def law_of(robot: pp.Robot, q_goal: np.ndarray | None = None) -> pp.control.PD:
    return pp.control.PD(robot, robot.neutral() if q_goal is None else q_goal, kp=3.0, kd=0.5, gravity=True)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (11,)])
def test_the_native_loop_takes_the_same_steps_as_the_one_in_python(name: str, method: str, batch: tuple) -> None:
    robot = ROBOTS[name]
    q0, v0 = robot.random(batch or None, rng=1)
    law = law_of(robot)
    options = {"until": 0.02, "step": 2e-3, "method": method, "record_every": 3}
    native = pp.simulate(robot, q0, v0, control=law, **options)
    python = pp.simulate(robot, q0, v0, control=lambda t, q, v: law(t, q, v), **options)
    assert native.q.shape == (5, *batch, robot.nq)
    np.testing.assert_allclose(native.t, [0.0, 0.006, 0.012, 0.018, 0.02], atol=1e-15)
    for a, b in ((native.q, python.q), (native.v, python.v), (native.tau, python.tau)):
        np.testing.assert_allclose(a, b, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("name", ROBOTS)
@pytest.mark.parametrize(("method", "order", "steps"), [("euler", 1, (80, 160, 320)), ("rk4", 4, (20, 40, 80))])
def test_every_method_has_its_order(name: str, method: str, order: int, steps: tuple) -> None:
    robot = ROBOTS[name]
    q0, v0 = robot.random(rng=4)
    v0 = 0.5 * v0
    exact = end(pp.simulate(robot, q0, v0, until=0.4, step=0.4 / 2000, limits=False))
    errors = []
    for n in steps:
        run = pp.simulate(robot, q0, v0, until=0.4, step=0.4 / n, method=method, limits=False)
        errors.append(apart(robot, *exact, *end(run)))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    assert abs(orders[-1] - order) < 0.15, (errors, orders)


@pytest.mark.parametrize("name", ["double pendulum", "tree"])
def test_chaos_agrees_with_scipy_as_long_as_it_can(name: str) -> None:
    """Two solutions with relative errors of ε part at about ln(1/ε)/λ; λ is measured on the way."""
    robot = pp.zoo.double_pendulum() if name == "double pendulum" else pp.zoo.tree(6, seed=2, kinds=("revolute",))
    rng = np.random.default_rng(3)
    q0, v0 = robot.neutral() + rng.normal(size=robot.nq) * 1.5, rng.normal(size=robot.nv)
    until, step = 6.0, 5e-4

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: robot.nq], y[robot.nq :]
        return np.r_[v, robot.forward_dynamics(q, v, np.zeros(robot.nv))]

    run = pp.simulate(robot, q0, v0, until=until, step=step, record_every=100, limits=False)
    theirs = solve_ivp(rate, (0, until), np.r_[q0, v0], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-12)
    away = np.abs(np.c_[run.q, run.v] - theirs.y.T).max(axis=1)
    near = pp.simulate(robot, q0 + 1e-9, v0, until=until, step=step, record_every=100, limits=False)
    grown = np.abs(near.q - run.q).max(axis=1) / 1e-9  # how errors grow: the exponent's own measure
    bound = 1e-8 * np.maximum.accumulate(np.maximum(grown, 1.0))
    assert (away < np.maximum(bound, 1e-8)).all(), (away / bound).max()


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("every", [1, 4])
def test_a_run_goes_on_as_if_it_had_not_been_interrupted(method: str, every: int) -> None:
    robot = ROBOTS["tree"]
    q0, v0 = robot.random(3, rng=5)
    options = {"step": 1e-3, "method": method, "record_every": every}
    law = law_of(robot)
    for control in (None, law, lambda t, q, v: law(t, q, v)):
        whole = pp.simulate(robot, q0, v0, until=0.04, control=control, control_period=8e-3, **options)
        part = pp.simulate(robot, q0, v0, until=0.016, control=control, control_period=8e-3, **options)
        rest = pp.simulate(part, until=0.04)
        n = len(part)
        for name in ("t", "q", "v", "tau"):
            np.testing.assert_array_equal(getattr(whole, name)[n - 1 :], getattr(rest, name))
            np.testing.assert_array_equal(getattr(whole, name)[: n - 1], getattr(part, name)[:-1])


def test_energy_and_momentum_of_a_free_flying_tree() -> None:
    robot = pp.zoo.tree(8, seed=3, base="free", gravity=(0, 0, 0))
    q0, v0 = robot.random(2, rng=0)
    run = pp.simulate(robot, q0, 0.3 * v0, until=2.0, step=1e-3, record_every=50, limits=False)
    assert np.ptp(run.energy, axis=0).max() < 1e-9 * abs(run.energy).max()
    assert np.ptp(run.momentum, axis=0).max() < 1e-9
    np.testing.assert_array_equal(run.energy, run.kinetic_energy + run.potential_energy)


def test_springs_dampers_friction_and_limits_act() -> None:
    b = pp.Builder("slider", gravity=(0, 0, 0))
    joint = pp.Prismatic((1, 0, 0), name="x", stiffness=4.0, damping=0.5, rest=0.2)
    b.body("sled", parent="world", joint=joint, mass=1.0)
    robot = b.build()
    run = pp.simulate(robot, [1.0], [0.0], until=3.0, step=1e-3)
    omega, decay = np.sqrt(4.0 - 0.25**2), 0.25
    exact = 0.2 + np.exp(-decay * run.t) * 0.8 * (np.cos(omega * run.t) + decay / omega * np.sin(omega * run.t))
    np.testing.assert_allclose(run.q[:, 0], exact, atol=1e-10)
    np.testing.assert_allclose(run.energy, 0.5 * run.v[:, 0] ** 2 + 2.0 * (run.q[:, 0] - 0.2) ** 2)

    b = pp.Builder("walled", gravity=(0, 0, 0))
    b.body("sled", parent="world", joint=pp.Prismatic((1, 0, 0), lower=-0.1, upper=0.1, friction=0.3), mass=1.0)
    for native in (True, False):
        law = None if native else lambda t, q, v: 0 * v
        run = pp.simulate(b.build(), [0.0], [1.0], until=4.0, step=1e-3, control=law, limits=True)
        assert 0.1 < run.q.max() < 0.12
        assert abs(run.v[-1, 0]) < 1e-3  # friction has stopped it
        assert run.q.min() > -0.11
    free = pp.simulate(b.build(), [0.0], [1.0], until=1.0, step=1e-3, limits=False)
    np.testing.assert_allclose(free.q[-1, 0], 1.0 - 0.15, atol=1e-3)


def test_laws_hold_what_they_promise() -> None:
    arm = ROBOTS["arm"]
    q0 = arm.random(rng=2)[0]
    held = pp.simulate(arm, q0, until=0.5, step=1e-3, control=pp.control.GravityCompensation(arm), limits=False)
    np.testing.assert_allclose(held.q, np.broadcast_to(q0, held.q.shape), atol=1e-8)
    bare = arm.with_armature(0.0)
    law = pp.control.ComputedTorque(bare, arm.neutral(), kp=25.0, kd=10.0)
    led = pp.simulate(bare, q0, until=1.0, step=1e-3, control=law, limits=False)
    if not arm.damping.any() and not arm.friction.any():
        exact = (q0 - arm.neutral()) * (1 + 5 * led.t[:, None]) * np.exp(-5 * led.t[:, None])
        np.testing.assert_allclose(led.q, arm.neutral() + exact, atol=1e-5)
    table = np.random.default_rng(0).normal(size=(4, 7))
    run = pp.simulate(arm, q0, until=0.05, step=1e-3, control=pp.control.Table(table, 0.01))
    np.testing.assert_array_equal(run.tau, table[np.minimum((np.arange(51)) // 10, 3)])


def test_an_exception_in_the_control_keeps_what_is_recorded() -> None:
    arm = ROBOTS["arm"]

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if t > 0.0105:
            raise ZeroDivisionError("mine")
        return 0 * v

    with pytest.raises(ZeroDivisionError, match="mine") as caught:
        pp.simulate(arm, arm.neutral(), until=1.0, step=1e-3, control=law)
    run = caught.value.run
    assert run.stopped == "error"
    assert len(run) == 11
    np.testing.assert_allclose(run.t[-1], 0.01)


@pytest.fixture
def interruptible() -> Iterator[None]:
    """Ctrl-C is heard, also where the tests run in the background of a shell, which has its children ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.mark.usefixtures("interruptible")
def test_an_interrupt_keeps_what_is_recorded() -> None:
    arm = ROBOTS["arm"]
    q0, v0 = arm.random(rng=0)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    timer.start()
    begin = time.perf_counter()
    with pytest.warns(pp.SimulationWarning, match="interrupted at t"):
        run = pp.simulate(arm, q0, v0, until=1e5, step=1e-3, record_every=1000)
    assert time.perf_counter() - begin < 5
    assert run.stopped == "interrupted"
    again = pp.simulate(arm, q0, v0, until=float(run.t[-1]) + 1.0, step=1e-3, record_every=1000)
    on = pp.simulate(run, until=float(run.t[-1]) + 1.0)
    np.testing.assert_array_equal(on.q[-1], again.q[-1])


def test_divergence_ends_the_run() -> None:
    arm = ROBOTS["arm"]
    law = pp.control.PD(arm, arm.neutral(), kp=1e6, kd=1e5)
    with pytest.warns(pp.SimulationWarning, match="no state is finite"), np.errstate(all="ignore"):
        run = pp.simulate(arm, arm.random(rng=0)[0], until=10.0, step=1e-2, control=law)
    assert run.stopped == "diverged"


def test_one_call_for_all_states_and_none_can_write_into_them() -> None:
    arm = ROBOTS["arm"]
    q0, v0 = arm.random((2, 3), rng=0)
    seen = []

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        seen.append((t, q.shape, v.shape))
        with pytest.raises(ValueError, match="read-only"):
            q[...] = 0
        return np.zeros(7)

    pp.simulate(arm, q0, v0, until=0.01, step=1e-3, method="euler", control=law, control_period=5e-3)
    assert seen == [(0.0, (2, 3, 7), (2, 3, 7)), (0.005, (2, 3, 7), (2, 3, 7)), (0.01, (2, 3, 7), (2, 3, 7))]
    seen.clear()
    pp.simulate(arm, q0, v0, until=0.002, step=1e-3, control=law)
    np.testing.assert_allclose([t for t, *_ in seen], [0, 0.0005, 0.0005, 0.001, 0.001, 0.0015, 0.0015, 0.002, 0.002])


def test_external_forces_constant_and_in_time() -> None:
    box = pp.zoo.box(mass=2.0, gravity=(0, 0, 0))
    f = np.zeros((1, 6))
    f[0, 3] = 4.0
    run = pp.simulate(box, box.neutral(), until=1.0, step=1e-2, f_ext=f)
    np.testing.assert_allclose(run.q[-1, 4], 1.0)
    run = pp.simulate(box, box.neutral(), until=1.0, step=1e-2, f_ext=lambda t, q, v: f * t)
    np.testing.assert_allclose(run.q[-1, 4], 1 / 3, rtol=1e-6)


def test_the_end_need_not_be_on_the_grid() -> None:
    arm = ROBOTS["arm"]
    run = pp.simulate(arm, arm.neutral(), until=0.0105, step=1e-3, record_every=4, start=0.0)
    np.testing.assert_allclose(run.t, [0, 0.004, 0.008, 0.0105], atol=1e-15)
    still = pp.simulate(arm, arm.neutral(), until=0.0, step=1e-3)
    assert still.q.shape == (1, 7)


@pytest.mark.parametrize(
    ("change", "kind", "words"),
    [
        ({"q0": np.zeros(6)}, pp.ShapeError, r"q0 \(configuration\) must have shape"),
        ({"q0": None}, pp.DTypeError, "q0 is missing"),
        ({"v0": np.full(7, np.nan)}, pp.ModelError, "v0 must be finite"),
        ({"v0": np.zeros((2, 7)), "q0": np.zeros((3, 7))}, pp.ShapeError, "do not broadcast"),
        ({"step": 0.0}, pp.OptionError, "step must be a positive number"),
        ({"step": None}, pp.OptionError, "step must be a positive number"),
        ({"until": -1.0}, pp.OptionError, "lies before the start"),
        ({"until": np.inf}, pp.OptionError, "until must be"),
        ({"method": "rk5"}, pp.OptionError, "Did you mean 'rk4'"),
        ({"record_every": 0}, pp.DTypeError, "at least 1"),
        ({"control": "pd"}, pp.DTypeError, "must be a function of"),
        ({"control": np.zeros(6)}, pp.ShapeError, "joint torques"),
        ({"control": lambda t, q, v: np.zeros(6)}, pp.ShapeError, "must give torques of shape"),
        ({"control": lambda t, q, v: 0 * v, "control_period": 1.5e-3}, pp.OptionError, "whole number of steps"),
        ({"control": lambda t, q, v: None}, pp.DTypeError, r"control\(t, q, v\) must be numbers"),
        ({"control": lambda t, q, v: v + 1j}, pp.DTypeError, r"control\(t, q, v\) must be numbers"),
        ({"acceleration": lambda t, q, v: np.zeros(3)}, pp.ShapeError, "must give accelerations of shape"),
        ({"f_ext": np.zeros((3, 6))}, pp.ShapeError, "external forces"),
        ({"on_singular": "no"}, pp.OptionError, "on_singular"),
    ],
)
def test_hostile_arguments(change: dict, kind: type[Exception], words: str) -> None:
    arm = ROBOTS["arm"]
    arguments = {"q0": arm.neutral(), "v0": None, "until": 0.01, "step": 1e-3, **change}
    with pytest.raises(kind, match=words):
        pp.simulate(arm, arguments.pop("q0"), arguments.pop("v0"), **arguments)


@pytest.mark.parametrize("law", [np.ones(13), lambda t, q, v: np.ones(13)])
def test_torque_without_a_motor_acts_and_is_told(law: Any) -> None:
    ship = pp.zoo.arm_satellite()
    with pytest.warns(pp.SimulationWarning, match=r"at passive dofs \(of 'base'\), which have no motor; it acts"):
        told = pp.simulate(ship, ship.neutral(), until=0.02, step=1e-3, control=law)
    driven = pp.simulate(ship.with_passive([]), ship.neutral(), until=0.02, step=1e-3, control=law)
    np.testing.assert_array_equal(told.q, driven.q)


def test_limits_are_only_numbers_unless_asked_for() -> None:
    b = pp.Builder("walled", gravity=(0, 0, 0))
    b.body("sled", parent="world", joint=pp.Prismatic((1, 0, 0), lower=-0.1, upper=0.1), mass=1.0)
    assert np.isclose(pp.simulate(b.build(), [0.0], [1.0], until=1.0, step=1e-3).q[-1, 0], 1.0)
    assert pp.simulate(b.build(), [0.0], [1.0], until=1.0, step=1e-3, limits=True).q.max() < 0.12


def test_what_cannot_move_is_refused() -> None:
    with pytest.raises(pp.DTypeError, match="system must be a Robot"):
        pp.simulate("panda", until=1.0, step=1e-3)
    ship = pp.zoo.arm_satellite()
    with pytest.raises(pp.ModelError, match="needs a motor at every dof"):
        pp.control.ComputedTorque(ship, ship.neutral(), kp=1, kd=1)
    run = pp.simulate(ship, ship.neutral(), until=0.01, step=1e-3)
    with pytest.raises(pp.OptionError, match="goes on from its last record"):
        pp.simulate(run, ship.neutral(), until=0.02)


def test_motors_keep_to_their_bounds_if_asked() -> None:
    b = pp.Builder("sled", gravity=(0, 0, 0))
    b.body("sled", parent="world", joint=pp.Prismatic((1, 0, 0), effort_limit=2.0), mass=1.0)
    robot = b.build()
    for control in (np.array([5.0]), lambda t, q, v: np.array([5.0])):
        free = pp.simulate(robot, [0.0], until=1.0, step=1e-2, control=control)
        kept = pp.simulate(robot, [0.0], until=1.0, step=1e-2, control=control, effort_limits=True)
        np.testing.assert_allclose([free.q[-1, 0], kept.q[-1, 0]], [2.5, 1.0])
        assert (kept.tau == 2.0).all()


def test_singular_states_raise_or_are_lost_alone() -> None:
    b = pp.Builder("wrist", gravity=(0, 0, 0))
    b.body("upper", parent="world", joint=pp.Revolute((0, 0, 1)), mass=1.0, com=(1, 0, 0))
    b.body("tool", parent="upper", joint=pp.Revolute((1, 0, 0)))  # weighs nothing
    robot = b.build()
    with pytest.raises(pp.SingularJoint, match="'tool'") as caught:
        pp.simulate(robot, [0.0, 0.0], [1.0, 0.0], until=0.1, step=1e-2)
    assert len(caught.value.run) == 1
    with pytest.warns(pp.SimulationWarning, match="no state is finite"):
        pp.simulate(robot, [0.0, 0.0], [1.0, 0.0], until=0.1, step=1e-2, on_singular="nan")
    # a state that explodes is lost alone
    pendulum = pp.zoo.pendulum()
    v0 = np.array([[0.1], [1e200], [0.2]])
    with np.errstate(all="ignore"):
        run = pp.simulate(pendulum, np.zeros((3, 1)), v0, until=0.5, step=1e-2, control=lambda t, q, v: -v * abs(v))
    assert np.isfinite(run.q[:, [0, 2]]).all()
    assert not np.isfinite(run.q[-1, 1]).all()


def test_the_grid_of_dormand_prince_is_a_hundredth_unless_told() -> None:
    arm = ROBOTS["arm"]
    assert len(pp.simulate(arm, arm.neutral(), until=0.5, method="dopri5", rtol=1e-6, atol=1e-6)) == 101


def test_corners_of_size() -> None:
    arm = ROBOTS["arm"]
    empty = pp.simulate(arm, np.zeros((0, 7)), until=0.01, step=1e-3)
    assert empty.q.shape == (11, 0, 7)
    assert empty.energy.shape == (11, 0)
    nothing = pp.Builder("nothing").build()
    run = pp.simulate(nothing, [], until=0.01, step=1e-3)
    assert run.q.shape == (11, 0)
    strided = np.zeros((4, 14))[:, ::2]
    strided.flags.writeable = False
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert pp.simulate(arm, strided, until=0.01, step=1e-3).q.shape == (11, 4, 7)
