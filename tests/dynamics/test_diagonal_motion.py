"""Motion in diagonalizing rates: the same as in v, of order four, for every joint, with control, loads and springs."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from tests.contract import robots
from tests.contract.verbs import assert_same

BOTH = pytest.mark.parametrize("normalized", [True, False], ids=["nu", "xi"])


@pytest.mark.parametrize("name", ["tree", "free_tree", "forest"])
@BOTH
def test_same_motion_and_order_four(name, normalized):
    robot = robots.named(name)
    data = robots.states(robot, 2, seed=5)
    q, v = data["q"], 0.3 * data["v"]
    truth = pp.simulate(robot, q, v, until=0.08, step=1e-3)
    errors = []
    for steps in (8, 16):
        run = pp.diagonal.simulate(robot, q, v, until=0.08, step=0.08 / steps, normalized=normalized)
        errors.append(np.linalg.norm(robot.difference(truth.q[-1], run.q[-1])))
    assert run.q.shape == (17, 2, robot.nq)
    assert errors[1] < 1e-5
    assert errors[0] / errors[1] > 10  # 16, of order four


@BOTH
def test_control_loads_and_springs(normalized):
    base = pp.zoo.chain(4)
    robot = base.with_armature(0.05)
    q, v = robot.random(3, rng=0)
    law = pp.control.PD(robot, robot.neutral(), kp=20.0, kd=4.0, gravity=True)
    f_ext = np.random.default_rng(0).normal(size=(4, 6))
    options = {"until": 0.2, "step": 2e-3, "control": law, "f_ext": f_ext, "record_every": 10}
    run = pp.diagonal.simulate(robot, q, v, normalized=normalized, **options)
    other = pp.simulate(robot, q, v, **options)
    assert_same(run.t, other.t, 1e-12)
    assert_same(run.q, other.q, 1e-6)
    assert_same(run.v, other.v, 1e-5)
    assert_same(run.tau, other.tau, 1e-4)
    assert_same(run.energy, other.energy, 1e-5)


def test_energy_of_a_free_motion():
    robot = pp.zoo.chain(7).with_gravity((0, 0, 0))
    q, v = robot.random(rng=1)
    run = pp.diagonal.simulate(robot, q, v, until=0.5, step=2e-3, record_every=50)
    assert_same(run.energy / run.energy[0], np.ones(len(run)), 1e-6)


def test_goes_on_and_refuses():
    robot = pp.zoo.chain(3)
    q, v = robot.random(rng=0)
    run = pp.diagonal.simulate(robot, q, v, until=0.01, step=1e-3)
    longer = pp.simulate(run, until=0.02)
    assert longer.t[-1] == pytest.approx(0.02)
    with pytest.raises(pp.DTypeError, match="robot must be a Robot"):
        pp.diagonal.simulate("robot", q, v, until=1.0, step=0.1)
    with pytest.raises(pp.DTypeError, match="record_every"):
        pp.diagonal.simulate(robot, q, v, until=1.0, step=0.1, record_every=0)
    with pytest.raises(pp.PhipsiError, match="step"):
        pp.diagonal.simulate(robot, q, v, until=1.0, step=-0.1)
    with pytest.raises(pp.ShapeError, match="q0"):
        pp.diagonal.simulate(robot, q[:2], v, until=1.0, step=0.1)
