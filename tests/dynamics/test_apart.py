"""Algorithm 3.4: links on their own move as the robot does; joints stay closed; momentum stays what it was."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import phipsi as pp
from phipsi import free_flying
from tests.contract import robots
from tests.contract.verbs import assert_same


def floating(seed: int = 2) -> pp.Robot:
    """The chain of R, S, P and R joints on a free base of the equations' notes, without weight; all dofs active."""
    rng = np.random.default_rng(seed)
    b = pp.Builder("chain", gravity=(0, 0, 0))
    joints = [pp.Free(), pp.Revolute((0.3, 1, 0.2)), pp.Prismatic((1, 0.4, 0)), pp.Spherical(), pp.Revolute((0, 0, 1))]
    for k, joint in enumerate(joints):
        spread = {"com": rng.normal(size=3) * 0.1, "inertia": np.diag(rng.uniform(0.3, 0.5, 3))}
        parent = "world" if k == 0 else f"body_{k - 1}"
        place = pp.Pose(rng.normal(size=3) * 0.3)
        b.body(f"body_{k}", parent=parent, joint=joint, placement=place, mass=rng.uniform(0.5, 2), **spread)
    return b.build().with_passive([])


@pytest.mark.parametrize("name", ["tree", "free_tree", "star", "zoo_every_joint", "universal", "custom", "custom_se2"])
def test_accelerations(name):
    robot = robots.named(name)
    data = robots.states(robot, 3)
    q, v, tau, f_ext = (data[key] for key in ("q", "v", "tau", "f_ext"))
    links = free_flying.LinkByLink(robot)
    state = links.split(q, v)
    got_q, got_v = links.joint_state(state)
    assert_same(robot.difference(robot.normalize(q), got_q), np.zeros_like(v), 1e-13)
    assert_same(got_v, v, 1e-12)
    position, velocity = links.closure_error(state)
    assert position.max() < 1e-13
    assert velocity.max() < 1e-13
    expected = robot.accelerations(q, v, robot.forward_dynamics(q, v, tau, f_ext))
    assert_same(links.accelerations(state, tau, f_ext), expected, 1e-9)


@pytest.mark.parametrize("name", ["floating", "free_tree", "tree"])
def test_projections(name):
    """Torn links come together: the joints close, what is closed stays, momentum is kept, and it is the nearest."""
    robot = floating() if name == "floating" else robots.named(name)
    q, v = robot.random(4, rng=3)
    links = free_flying.LinkByLink(robot)
    whole = links.split(q, v)
    rng = np.random.default_rng(4)
    torn = replace(whole, position=whole.position + 1e-3 * rng.normal(size=whole.position.shape))
    torn = replace(torn, V=whole.V + 0.1 * rng.normal(size=whole.V.shape))
    before = links.closure_error(torn)
    assert before[0].min() > 1e-4
    closed = links.project_position(torn)
    assert links.closure_error(closed)[0].max() < 1e-13
    assert abs(closed.position - whole.position).max() < 1e-2
    matched = links.project_velocity(closed)
    assert links.closure_error(matched)[1].max() < 1e-12
    again = links.project_velocity(matched)
    assert_same(again.V, matched.V, 1e-12)  # a projection
    if links.floats and not robot.armature[:6].any():  # rotors on the base's joint hold on to the world
        assert_same(links.momentum(matched), links.momentum(closed), 1e-13)
    # M-orthogonal: what was taken off does no work on what is left
    if not robot.armature.any():
        _, v1 = links.joint_state(matched)
        q1 = matched.q
        s = links._links(matched)
        M = [s.M[k] for k in range(robot.n)]
        off, V = closed.V - matched.V, robot.velocities(q1, v1)
        work = sum((V[..., k, None, :] @ M[k] @ off[..., k, :, None])[..., 0, 0] for k in range(robot.n))
        assert abs(work).max() < 1e-10


def test_a_long_flight():
    """1 s at 50 ms: closed joints, momentum, and the path of the joint coordinates."""
    robot = floating()
    q, v = robot.random(rng=1)
    v *= 0.5
    tau = np.r_[np.zeros(6), np.random.default_rng(0).normal(size=robot.nv - 6) * 0.1]
    drifts = {}
    path = pp.simulate(robot, q, v, until=1.0, step=0.01, control=lambda t, q, v: tau)
    for keep in ((), ("position", "velocity"), ("position", "velocity", "momentum")):
        links = free_flying.LinkByLink(robot, keep)
        state = links.split(q, v)
        h = links.momentum(state)
        for _ in range(20):
            state = links.step(state, 0.05, tau)
        position, velocity = links.closure_error(state)
        momentum = abs(links.momentum(state) - h).max() / abs(h).max()
        drifts[keep] = float(position), float(velocity), float(momentum)
        assert abs(robot.difference(path.q[-1], links.joint_state(state)[0])).max() < 1e-5
    free, projected, restored = drifts.values()
    assert free[0] > 1e-11  # fourth order, and growing
    assert projected[0] < 1e-12
    assert projected[1] < 1e-12
    assert restored[2] < 1e-13
    assert restored[2] < projected[2]


def test_momentum_that_is_put_in():
    """Weight, an external force and thrusters on the base: the momentum restored is what they gave."""
    robot = floating().with_gravity((0, 0, -3.0))
    q, v = robot.random(rng=2)
    tau = np.random.default_rng(1).normal(size=robot.nv)
    f_ext = np.random.default_rng(2).normal(size=(robot.n, 6))
    links = free_flying.LinkByLink(robot)
    state = links.split(q, v)
    fine = free_flying.LinkByLink(robot, keep=())
    small = fine.split(q, v)
    for _ in range(5):
        state = links.step(state, 0.01, tau, f_ext)
    for _ in range(10):
        small = fine.step(small, 0.005, tau, f_ext)
    assert_same(links.momentum(state), state.momentum.sum(axis=-2), 1e-13)
    assert_same(links.momentum(state), fine.momentum(small), 1e-6)


def test_batches_and_laws():
    robot = floating()
    q, v = robot.random((2, 1), rng=5)
    links = free_flying.LinkByLink(robot)

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return np.where(np.arange(robot.nv) < 6, 0.0, -0.1 * v)

    state = links.step(links.split(q, v), 0.01, law)
    for i in np.ndindex(2, 1):
        one = links.step(links.split(q[i], v[i]), 0.01, law)
        assert_same(state.V[i], one.V, 1e-11)
        assert_same(state.position[i], one.position, 1e-12)
    assert links.closure_error(state)[0].shape == (2, 1)


def test_two_satellites_keep_their_own_momentum():
    one = pp.zoo.box(mass=2.0).with_gravity((0, 0, 0))
    two = pp.assemble({"a": one, "b": one.placed(pp.Pose((1.0, 0, 0)))})
    q, v = two.random(rng=1)
    links = free_flying.LinkByLink(two)
    state = links.split(q, v)
    for _ in range(3):
        state = links.step(state, 0.1)
    assert state.momentum.shape == (2, 6)
    for i, lone in enumerate((one, one.placed(pp.Pose((1.0, 0, 0))))):
        alone = free_flying.LinkByLink(lone)
        path = alone.split(q[7 * i : 7 * i + 7], v[6 * i : 6 * i + 6])
        for _ in range(3):
            path = alone.step(path, 0.1)
        assert_same(state.V[i : i + 1], path.V, 1e-12)
        assert_same(state.momentum[i : i + 1], path.momentum, 1e-12)


def test_nan_and_nothing():
    """NaN stays in its state; a robot without bodies, one that is welded, and an empty batch go through."""
    robot = floating()
    q, v = robot.random(3, rng=6)
    links = free_flying.LinkByLink(robot)
    good = links.step(links.split(q, v), 0.01)
    v[1, 3] = np.nan
    spoiled = links.step(links.split(q, v), 0.01)
    assert np.isnan(spoiled.V[1]).any()
    assert_same(spoiled.V[[0, 2]], good.V[[0, 2]], 1e-13)
    nobody = links.step(links.split(q[:0], v[:0]), 0.01)
    assert nobody.V.shape == (0, robot.n, 6)
    for other in (pp.Builder("nothing").build(), robots.named("rigid")):
        still = free_flying.LinkByLink(other)
        state = still.step(still.split(np.zeros(0), np.zeros(0)), 0.1)
        assert not state.V.any()
        assert free_flying.dynamics(other, np.zeros(0), np.zeros(0), np.zeros(0)).acceleration.shape == (0,)


def test_refusals():
    robot = floating()
    q, v = robot.random(rng=0)
    with pytest.raises(pp.OptionError, match="keep"):
        free_flying.LinkByLink(robot, keep=("energy",))
    links = free_flying.LinkByLink(robot)
    with pytest.raises(pp.ShapeError, match="tau"):
        links.accelerations(links.split(q, v), [1.0, 2.0])
    with pytest.raises(pp.ShapeError):
        links.split(q, v[:-1])
    assert "position" in repr(links)
