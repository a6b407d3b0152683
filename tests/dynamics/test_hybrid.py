"""Hybrid dynamics against dense block elimination and its two extremes; masks per call and per state; refusals."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import reference
from phipsi.dynamics import hybrid
from tests.contract import robots
from tests.contract.verbs import assert_same

MACHINES = {"dual_arm": lambda: pp.zoo.dual_arm_satellite(), "quadruped": lambda: pp.zoo.quadruped()}
SHAPES = ((), (1,), (3, 1, 2), (0,), (7,), (8,), (13,), (33,))
COUNT = 11  # a block of lanes, and some


def robot_named(name: str) -> pp.Robot:
    return MACHINES[name]() if name in MACHINES else robots.named(name)


def masks(robot: pp.Robot, count: int, seed: int = 5) -> np.ndarray:
    """(count, nv): none, all, the robot's own, then random ones of every density."""
    rng = np.random.default_rng(seed)
    shares = rng.uniform(0.1, 0.9, size=(count, 1))
    found = rng.uniform(size=(count, robot.nv)) < shares
    found[: min(3, count)] = np.array([np.zeros(robot.nv), np.ones(robot.nv), robot.passive])[: min(3, count)]
    return found


def states(robot: pp.Robot, count: int = COUNT) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Random states, each with a mask of its own; what the mask says is unknown is NaN."""
    data, mask = robots.states(robot, count), masks(robot, count)
    data["tau"], data["a"] = np.where(mask, data["tau"], np.nan), np.where(mask, np.nan, data["a"])
    return data, mask


def condition(robot: pp.Robot, q: np.ndarray, mask: np.ndarray) -> float:
    M_pp = reference.mass_matrix(robot, q)[np.ix_(mask, mask)]
    return float(np.linalg.cond(M_pp)) if M_pp.size else 1.0


def scale(*arrays: np.ndarray) -> float:
    return max(1.0, *(float(abs(x).max(initial=0.0)) for x in arrays))


@pytest.mark.parametrize("loaded", [False, True], ids=["", "f_ext"])
@pytest.mark.parametrize("name", [*robots.NAMES, *MACHINES])
def test_against_block_elimination(name, loaded):
    robot = robot_named(name)
    data, mask = states(robot)
    f_ext = data["f_ext"] if loaded else None
    arguments = data["q"], data["v"], data["tau"], data["a"], mask, f_ext
    regular = np.array([condition(robot, q, m) < 1e6 for q, m in zip(data["q"], mask, strict=True)])
    tau, a = robot.hybrid_dynamics(*arguments, on_singular="nan")
    motion = robot.hybrid_motion(*arguments, on_singular="nan")
    assert regular.sum() >= 3
    for i in np.flatnonzero(regular):
        one = [None if x is None else x[i] for x in arguments]
        true_tau, true_a = reference.hybrid_dynamics(robot, *one)
        size = scale(true_tau, true_a)
        alone = robot.hybrid_dynamics(*one)
        full = robot.hybrid_motion(*one)
        for t, x in ((tau[i], a[i]), alone, motion_at(motion, i)[:2], full[:2]):
            assert abs(t - true_tau).max(initial=0.0) < 1e-10 * size
            assert abs(x - true_a).max(initial=0.0) < 1e-10 * size
            assert np.array_equal(t[mask[i]], data["tau"][i, mask[i]])
            assert np.array_equal(x[~mask[i]], data["a"][i, ~mask[i]])
        alpha = robot.accelerations(one[0], one[1], true_a)
        forces = robot.reaction_forces(one[0], one[1], true_a, one[5])
        for links in (motion_at(motion, i), full):
            assert_same(links[2], alpha, 1e-10 * size)
            assert_same(links[3], forces, 1e-10 * size)


def motion_at(motion, i):
    return tuple(x[i] for x in motion)


@pytest.mark.parametrize("name", [*robots.NAMES, *MACHINES])
def test_the_two_extremes_to_the_last_bit(name):
    robot = robot_named(name)
    data = robots.states(robot, COUNT)
    q, v, f_ext = data["q"], data["v"], data["f_ext"]
    unknown, every, none = np.full(robot.nv, np.nan), np.ones(robot.nv, bool), np.zeros(robot.nv, bool)
    for i in (slice(None), 4, slice(0, 0), np.s_[:4]):
        for all_passive in (every, np.ones((COUNT, robot.nv), bool)[i]):
            tau, a = robot.hybrid_dynamics(q[i], v[i], data["tau"][i], unknown, all_passive, f_ext[i], "nan")
            forward = robot.forward_dynamics(q[i], v[i], data["tau"][i], f_ext[i], on_singular="nan")
            assert np.array_equal(a, forward, equal_nan=True)
            assert np.array_equal(tau, data["tau"][i])
        for all_active in (none, np.zeros((COUNT, robot.nv), bool)[i], []):
            tau, a = robot.hybrid_dynamics(q[i], v[i], unknown, data["a"][i], all_active, f_ext[i])
            assert np.array_equal(tau, robot.inverse_dynamics(q[i], v[i], data["a"][i], f_ext[i]))
            assert np.array_equal(a, data["a"][i])


@pytest.mark.parametrize("name", ["tree", "free_tree", "forest", "dual_arm"])
def test_every_shape_of_batch(name):
    robot = robot_named(name)
    data, mask = states(robot, 33)
    singles = [robot.hybrid_motion(*(data[x][i] for x in ("q", "v", "tau", "a")), mask[i]) for i in range(33)]
    for shape in SHAPES:
        size = int(np.prod(shape))
        some = [x[:size].reshape(*shape, x.shape[-1]) for x in (data["q"], data["v"], data["tau"], data["a"], mask)]
        for got in (robot.hybrid_dynamics(*some), robot.hybrid_motion(*some)):
            for part, trailing in enumerate(((robot.nv,), (robot.nv,), (robot.n, 6), (robot.n, 6))[: len(got)]):
                one = np.reshape([x[part] for x in singles[:size]], (*shape, *trailing))
                assert_same(got[part], one, 1e-9)


def test_broadcasting():
    robot = robots.named("free_tree")
    data = {key: x[0] for key, x in robots.states(robot, 1).items()}
    mask = masks(robot, 6).reshape(2, 3, robot.nv)
    one = data["q"], data["v"], data["tau"], data["a"]
    tau, a = robot.hybrid_dynamics(*one, mask)  # many masks for one state: what if this motor failed?
    assert tau.shape == a.shape == (2, 3, robot.nv)
    for i in np.ndindex(2, 3):
        assert_same((tau[i], a[i]), robot.hybrid_dynamics(*one, mask[i]), 1e-10)
    q = np.broadcast_to(data["q"], (4, 1, 3, robot.nq))
    tau4, a4 = robot.hybrid_dynamics(q, *one[1:], mask, np.zeros((1, robot.n, 6)))
    assert tau4.shape == (4, 2, 3, robot.nv)
    assert_same((tau4[3], a4[3]), (tau, a), 1e-10)
    # a mask with one row gives the batch an axis, as any other argument does
    assert robot.hybrid_dynamics(*one, mask[0, :1])[0].shape == (1, robot.nv)


def test_ways_to_say_a_mask():
    ship = pp.zoo.arm_satellite()
    q, v = ship.random(5, rng=1)
    tau, a = np.zeros(ship.nv), np.ones(ship.nv)
    mask = ship.mask(["base", "arm/joint4"])
    expected = ship.hybrid_dynamics(q, v, tau, a, mask)
    failed = ship.with_passive(mask)
    strided = np.repeat(mask, 2)[::2]
    read_only = mask.copy()
    read_only.flags.writeable = False
    for passive in (["base", "arm/joint4"], ("arm/joint4", "base"), {"base", "arm/joint4"}, mask.tolist(), strided):
        assert np.array_equal(ship.hybrid_dynamics(q, v, tau, a, passive), expected)
    every_state = np.repeat(mask[None], 5, axis=0)
    for passive in (read_only, failed.passive, every_state.tolist(), np.asfortranarray(every_state), every_state):
        assert_same(ship.hybrid_dynamics(q, v, tau, a, passive), expected, 1e-11)
    assert np.array_equal(failed.hybrid_dynamics(q, v, tau, a), expected)
    assert np.array_equal(failed.hybrid_dynamics(q, v, tau, a, passive=None, f_ext=None), expected)
    assert np.array_equal(
        ship.hybrid_dynamics(q, v, tau, a), ship.hybrid_dynamics(q, v, tau, a, passive="base")
    )  # a base that floats is passive


def test_masks_that_come_in_runs():
    """Blocks of states with one mask go another way than those whose masks differ."""
    robot = robots.named("free_tree")
    data, _ = states(robot, 40)
    q, v = data["q"], data["v"]
    tau, a = np.random.default_rng(2).normal(size=(2, 40, robot.nv))
    mask = np.repeat(masks(robot, 4)[1:], [17, 8, 15], axis=0)
    got = robot.hybrid_dynamics(q, v, tau, a, mask, data["f_ext"])
    for i in range(40):
        one = robot.hybrid_dynamics(q[i], v[i], tau[i], a[i], mask[i], data["f_ext"][i])
        assert_same(tuple(x[i] for x in got), one, 1e-9)


def test_a_motor_that_fails_needs_no_other_robot():
    """The mask of a state changes: nothing else does."""
    arm = pp.zoo.chain(7)
    q, v = arm.random(rng=3)
    mask, tau, a = np.zeros(7, bool), np.zeros(7), np.ones(7)
    before = arm.hybrid_dynamics(q, v, tau, a, mask)
    mask[3] = True
    after = arm.hybrid_dynamics(q, v, tau, a, mask)
    assert_same(after, reference.hybrid_dynamics(arm, q, v, tau, a, mask), 1e-11)
    mask[3] = False
    assert np.array_equal(arm.hybrid_dynamics(q, v, tau, a, mask), before)


def test_partly_passive_joints():
    """Every way of cutting a joint of several dofs in two, in the middle of a tree, in lanes of all these ways."""
    for kind in ("free", "spherical", "planar", "universal", "cylindrical", "custom_se2", "translational"):
        for armature in (False, True):
            kinds = ("revolute", kind, "prismatic", "spherical")
            robot = robots.robot(kinds, 7, parents=(-1, 0, 1, 1), armature=armature)
            own = robot.joints[1].nv
            cuts = np.array(list(np.ndindex(*[2] * own)), dtype=bool)
            mask = np.ones((len(cuts), robot.nv), bool)
            mask[:, 1 : 1 + own] = cuts
            mask[::2, 0] = False
            data = {key: x[0] for key, x in robots.states(robot, 1).items()}
            arguments = data["q"], data["v"], data["tau"], data["a"]
            tau, a = robot.hybrid_dynamics(*arguments, mask, data["f_ext"])
            for i, cut in enumerate(mask):
                true = reference.hybrid_dynamics(robot, *arguments, cut, data["f_ext"])
                size = scale(*true)
                assert_same((tau[i], a[i]), true, 1e-10 * size)
                assert_same(robot.hybrid_dynamics(*arguments, cut, data["f_ext"]), true, 1e-10 * size)


def test_the_reactions_agree_with_the_torques():
    robot = robots.named("free_tree")
    data, mask = states(robot)
    m = robot.hybrid_motion(data["q"], data["v"], data["tau"], data["a"], mask, data["f_ext"])
    assert m.reaction_forces is m[3]
    for i in range(COUNT):
        H = reference.at(robot, data["q"][i]).H
        assert_same(H @ m.reaction_forces[i].ravel() + robot.armature * m.a[i], m.tau[i], 1e-9)


def test_no_robot_and_no_dofs():
    empty, rigid = pp.Builder("nothing").build(), robots.named("rigid")
    for robot in (empty, rigid):
        for passive in (None, [], np.zeros(0, bool), np.zeros((3, 0), bool)):
            tau, a = robot.hybrid_dynamics(np.zeros((3, 0)), [], [], [], passive)
            assert tau.shape == a.shape == (3, 0)
        m = robot.hybrid_motion([], [], [], [])
        assert m.accelerations.shape == m.reaction_forces.shape == (robot.n, 6)
        assert not m.accelerations.any()
    assert abs(rigid.hybrid_motion([], [], [], []).reaction_forces).max() > 1  # the ground carries the weight


def singular_robot() -> pp.Robot:
    """A point mass on the axis of an idle joint where q = 0; the slide is driven."""
    b = pp.Builder("x").body("rod", joint=pp.Revolute((0, 0, 1), name="idle", passive=True))
    return b.body("tip", "rod", pp.Prismatic((1, 0, 0)), mass=1.0).build()


def test_singular():
    robot = singular_robot()
    q, zero = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 2.0], [0.0, 0.0]]), np.zeros(2)
    q[0, 1] = 1.0
    with pytest.raises(pp.SingularJoint, match=r"at joint 'idle' \(body 0\), for 2 of 4 states: first batch index 1"):
        robot.hybrid_dynamics(q, zero, zero, [0, 3.0])
    with pytest.raises(pp.SingularJoint, match=r"'idle' .*With the active dofs held, everything beyond"):
        robot.hybrid_dynamics(q[1], zero, zero, zero)
    masks = np.array([[[False, True], [False, True]], [[False, False], [True, False]]])
    with pytest.raises(pp.SingularJoint, match=r"batch index \(1, 1\)"):
        robot.hybrid_dynamics(q[1], zero, zero, zero, masks)
    robot.hybrid_dynamics(q, zero, zero, zero, [])  # nothing is passive: nothing is singular
    for verb in (robot.hybrid_dynamics, robot.hybrid_motion):
        for passive in (None, np.tile([True, False], (4, 1))):
            tau, a, *links = verb(q, zero, [0.5, np.nan], [np.nan, 3.0], passive, on_singular="nan")
            assert np.array_equal(np.isnan(tau[:, 1]), [False, True, False, True])
            assert np.array_equal(np.isnan(a[:, 0]), [False, True, False, True])
            assert (tau[:, 0] == 0.5).all()
            assert (a[:, 1] == 3.0).all()
            for x in links:
                assert np.array_equal(np.isnan(x).all(axis=(1, 2)), [False, True, False, True])


def test_nan_stays_where_it_is():
    ship = pp.zoo.arm_satellite()
    q, v = ship.random(20, rng=3)
    tau, a = np.random.default_rng(1).normal(size=(2, 20, ship.nv))
    mask = masks(ship, 20)
    clean = ship.hybrid_dynamics(q, v, tau, a, mask)
    q[4, 8], v[7, 2] = np.nan, np.inf
    with np.errstate(invalid="ignore"):
        got = ship.hybrid_dynamics(q, v, tau, a, mask)
    good = np.delete(np.arange(20), [4, 7])
    for x, y in zip(got, clean, strict=True):
        assert_same(x[good], y[good], 1e-11)
    for i in (4, 7):
        assert not np.isfinite([got[0][i], got[1][i]]).all()


def test_kinds_of_arrays():
    """Integers, strides, single precision, read-only: read as they are; what was given is never written to."""
    arm = pp.zoo.chain(4)
    q, v = arm.random(6, rng=0)
    tau, a = np.arange(24).reshape(6, 4), np.asfortranarray(np.ones((6, 4), np.float32))
    mask = np.array([True, False, True, False])
    for x in (q, v, tau, a, mask):
        x.flags.writeable = False
    got = arm.hybrid_dynamics(q[::-1], v[::-1], tau[::-1], a[::-1], mask)
    true = arm.hybrid_dynamics(q[::-1].copy(), v[::-1].copy(), tau[::-1].astype(float), np.ones((6, 4)), mask)
    assert np.array_equal(got, true)
    assert got[0].flags.writeable
    assert not np.shares_memory(got[0], tau)


def test_bytes_that_are_neither_0_nor_1_are_true():
    ship = pp.zoo.arm_satellite()
    q, v = ship.random(5, rng=1)
    odd = np.array([2] * 6 + [0] * 7, np.uint8).view(bool)
    expected = ship.hybrid_dynamics(q, v, 0 * v, 0 * v + 1, "base")
    assert_same(ship.hybrid_dynamics(q, v, 0 * v, 0 * v + 1, odd), expected, 1e-12)
    assert_same(ship.hybrid_dynamics(q, v, 0 * v, 0 * v + 1, np.tile(odd, (5, 1))), expected, 1e-12)


def test_bodies_without_mass():
    """All six dofs of a massless body may be driven; where one of them is passive, there is no answer."""
    body = pp.Builder("nothing").body("body", joint=pp.Free(name="base")).build()
    q, x = body.neutral(), np.zeros(6)
    mask = np.eye(7, 6, k=-1, dtype=bool)
    with pytest.raises(pp.SingularJoint, match=r"joint 'base' .*for 6 of 7 states: first batch index 1"):
        body.hybrid_dynamics(q, x, x, x, mask)
    tau, a = body.hybrid_dynamics(q, x, x, x, mask, on_singular="nan")
    assert np.array_equal(np.isnan(a[1:]), mask[1:])
    assert np.array_equal(np.isnan(tau[1:]), ~mask[1:])
    assert not tau[0].any()


def test_masses_of_every_size():
    """Nine decades of mass and inertia, free joints cut in two: torques and accelerations still belong together."""
    rng = np.random.default_rng(3)
    joints = (pp.Free(), pp.Revolute((0, 0, 1)), pp.Spherical(), pp.Planar(), pp.Free(), pp.Prismatic((1, 0, 0)))
    b = pp.Builder("ill")
    for k, joint in enumerate(joints):
        mass, inertia = 10.0 ** rng.uniform(-4, 5, size=2)
        at = pp.Pose(rng.normal(size=3))
        b.body(f"b{k}", f"b{k - 1}" if k else "world", joint, at, mass=mass, inertia=np.eye(3) * inertia)
    robot = b.build()
    q, v = robot.random(40, rng=1)
    tau, a = robot.hybrid_dynamics(q, v, v + 1, v - 1, rng.uniform(size=v.shape) < 0.5)
    back = robot.inverse_dynamics(q, v, a)
    weight = 9.81 * robot.mass.sum()  # what rounding is a part of
    assert (abs(back - tau).max(axis=1) < 1e-13 * np.maximum(weight, abs(back).max(axis=1))).all()


def test_refusals():
    ship = pp.zoo.arm_satellite()
    q, x = ship.neutral(), np.zeros(13)
    with pytest.raises(pp.UnknownName, match="elbow"):
        ship.hybrid_dynamics(q, x, x, x, passive="elbow")
    for wrong in ([True, False], np.zeros((13, 5), bool), np.array(True), np.zeros((2, 12), bool)):
        with pytest.raises(pp.ShapeError, match=r"hybrid_dynamics: passive .* \(13,\) or \(\*batch, 13\)"):
            ship.hybrid_dynamics(q, x, x, x, wrong)
    for wrong in (np.zeros(13), np.zeros(13, int), [0] * 13, 3, [[True], [True, False]], np.zeros(13, "U1")):
        with pytest.raises((pp.DTypeError, pp.ShapeError), match="hybrid_dynamics: passive"):
            ship.hybrid_dynamics(q, x, x, x, wrong)
    with pytest.raises(pp.DTypeError, match=r"hybrid_dynamics: passive .* masked array"):
        ship.hybrid_dynamics(q, x, x, x, np.ma.array(np.ones(13, bool), mask=np.zeros(13, bool)))
    with pytest.raises(pp.ShapeError, match="hybrid_dynamics: q"):
        ship.hybrid_dynamics(q[:-1], x, x, x)
    with pytest.raises(pp.ShapeError, match="hybrid_dynamics: tau"):
        ship.hybrid_dynamics(q, x, x[1:], x)
    with pytest.raises(pp.PhipsiError, match="hybrid_dynamics: a"):
        ship.hybrid_dynamics(q, x, x, None)
    with pytest.raises(pp.ShapeError, match="hybrid_motion: f_ext"):
        ship.hybrid_motion(q, x, x, x, f_ext=np.zeros(6))
    with pytest.raises(pp.OptionError, match="on_singular"):
        ship.hybrid_dynamics(q, x, x, x, on_singular="ignore")
    with pytest.raises(pp.ShapeError, match="passive"):  # batches that do not fit each other
        ship.hybrid_dynamics(np.tile(q, (3, 1)), x, x, x, np.ones((4, 13), bool) & (np.arange(13) > 3))


def test_linear_in_the_number_of_links():
    """Long chains with every third motor gone: right, and in memory that grows with n."""
    arm = pp.zoo.chain(2000)
    q, v = arm.random(rng=0)
    mask = np.arange(arm.nv) % 3 == 0
    a = np.random.default_rng(0).normal(size=arm.nv)
    tau, found = arm.hybrid_dynamics(q, 0.01 * v, 0 * v, a, mask)
    back = arm.inverse_dynamics(q, 0.01 * v, found)
    assert_same(back, tau, 1e-6)


@pytest.mark.parametrize("name", ["tree", "free_tree", "forest", "star", "rotors", "dual_arm", "quadruped"])
def test_the_operator_expression(name):
    """The sweeps as operators, their closed forms, and both on dense matrices."""
    robot = robot_named(name)
    data = robots.states(robot, 4)
    for mask in masks(robot, 5)[2:]:
        arguments = data["q"], data["v"], data["tau"], data["a"], mask, data["f_ext"]
        fused = robot.hybrid_motion(*arguments)
        written = hybrid.hybrid_motion(robot, *arguments)
        size = scale(*fused)
        for x, y in zip(written, fused, strict=True):
            assert abs(x - y).max(initial=0.0) < 1e-10 * size
        q, T_p, a_a = data["q"][0], data["tau"][0, mask], data["a"][0, ~mask]
        s = robot.at(q, mask)
        forms = hybrid.blocks(s)
        T_a, a_p, _, _ = hybrid.hybrid(s.free, T_p, a_a)
        size = scale(T_a, a_p)
        assert abs(forms["a_p of T_p"] @ T_p + forms["a_p of a_a"] @ a_a - a_p).max(initial=0.0) < 1e-9 * size
        assert abs(forms["T_a of T_p"] @ T_p + forms["T_a of a_a"] @ a_a - T_a).max(initial=0.0) < 1e-9 * size
        assert all("sweep" in str(x.explain()) for x in forms.values())
