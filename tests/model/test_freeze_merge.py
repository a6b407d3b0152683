"""Locking joints and welding bodies: what still moves moves as before."""
# ruff: noqa: E501

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp

Z = (0, 0, 1)


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_frozen_robots_have_the_mass_matrix_of_what_moves(seed: int, base: str) -> None:
    robot = pp.zoo.tree(14, seed=seed, base=base)
    chosen = robot.joint_names[1::2]
    q, v = robot.random(rng=seed)
    frozen = robot.freeze(chosen, q)
    welded = frozen.merge_fixed()
    moving = np.concatenate([np.arange(robot.nv)[robot.joint(x).v] for x in robot.joint_names if x not in chosen])
    kept = np.concatenate([np.arange(robot.nq)[robot.joint(x).q] for x in robot.joint_names if x not in chosen])
    expected = robot.mass_matrix(q)[np.ix_(moving, moving)]
    assert frozen.body_names == robot.body_names
    assert (frozen.nv, welded.nv) == (len(moving), len(moving))
    assert not any(joint.kind == "fixed" for joint in welded.joints)
    for less in (frozen, welded):
        np.testing.assert_allclose(less.mass_matrix(q[kept]), expected, rtol=1e-10, atol=1e-10)
        for name in robot.body_names:
            assert less.pose(q[kept], name).isclose(robot.pose(q, name), 1e-11)
    still = np.zeros(robot.nv)
    still[moving] = v[moving]
    tau = robot.inverse_dynamics(q, still, np.zeros(robot.nv))[moving]
    np.testing.assert_allclose(welded.inverse_dynamics(q[kept], v[moving], 0 * v[moving]), tau, rtol=1e-9, atol=1e-9)


def test_freeze_takes_what_it_is_told() -> None:
    arm = pp.zoo.arm()
    q = np.arange(7) / 10.0
    assert arm.freeze().nv == 0
    assert arm.freeze(q=q) == arm.freeze(arm.joint_names, q)
    assert arm.freeze("link3", q) == arm.freeze(["joint3"], {"joint3": [0.2]}) == arm.freeze(q={"joint3": 0.2})
    assert arm.freeze("joint3").joints[2] == pp.Fixed(name="joint3")
    ship = pp.zoo.arm_satellite()
    assert (
        ship.freeze("base", {"base": [0, 1, 0, 0, 1, 2, 3]})
        .pose(np.zeros(7), "base")
        .isclose(pp.Pose((1, 2, 3), quaternion=(0, 1, 0, 0)))
    )


def test_freezing_keeps_the_other_joints_as_they_are() -> None:
    robot = pp.zoo.tree(10, seed=1)
    frozen = robot.freeze("link4")
    assert [a == b for a, b in zip(robot.joints, frozen.joints, strict=True)].count(False) == 1


@pytest.mark.parametrize(
    ("joints", "q", "kind", "sentence"),
    [
        (["elbow"], None, pp.UnknownName, "the robot has no joint named 'elbow'. It has 'joint1', 'joint2', 'joint3', 'joint4', 'joint5', 'joint6', 'joint7', 'link1' and 6 more."),
        (None, np.zeros(3), pp.ShapeError, "freeze: q (configuration) must have shape (7,), got (3,). A robot is frozen in one configuration; a dict joint -> coordinates names only some."),
        (None, np.zeros((2, 7)), pp.ShapeError, "freeze: q (configuration) must have shape (7,), got (2, 7). A robot is frozen in one configuration; a dict joint -> coordinates names only some."),
        (None, {"joint1": (1, 2)}, pp.ShapeError, "freeze: q['joint1'] must be 1 numbers, got an array of shape (2,)."),
        (None, {"joint1": np.nan}, pp.ModelError, "freeze: q must be finite, got [nan, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0]."),
        (None, {"join1": 0}, pp.UnknownName, "the robot has no joint named 'join1'. Did you mean 'joint1'? It has 'joint1', 'joint2', 'joint3', 'joint4', 'joint5', 'joint6', 'joint7', 'link1' and 6 more."),
        (None, "straight", pp.DTypeError, "freeze: q must be 7 numbers, or a dict joint -> coordinates, got 'straight'."),
    ],
)  # fmt: skip
def test_freeze_names_mistakes(joints: object, q: object, kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as error:
        pp.zoo.arm().freeze(joints, q)  # type: ignore[arg-type]
    assert str(error.value) == sentence


def test_merging_keeps_names_as_frames() -> None:
    builder = pp.Builder().body("stand", placement=pp.Pose((0, 0, 1)), mass=5.0)
    builder.body("arm", "stand", pp.Revolute(Z), pp.Pose((1, 0, 0)), mass=1.0, inertia=(1, 1, 1))
    builder.body("flange", "arm", None, pp.Pose((0, 1, 0))).frame("tip", "flange", pp.Pose((0, 0, 2)))
    builder.body("tool", "flange", None, pp.Pose((0, 0, 1)), mass=1.0, inertia=(1, 1, 1))
    robot = builder.build().merge_fixed()
    assert robot.body_names == ("arm",)
    assert robot.frame_names == ("arm", "stand", "flange", "tool", "tip")
    assert robot.frame("stand") == (-1, pp.Pose((0, 0, 1)))
    assert robot.frame("tip") == (0, pp.Pose((0, 1, 2)))
    assert robot.placements[0] == pp.Pose((1, 0, 1))
    assert robot.mass.tolist() == [2.0]
    np.testing.assert_allclose(robot.com, [(0, 0.5, 0.5)])
    np.testing.assert_allclose(robot.inertia[0], [[3, 0, 0], [0, 2.5, -0.5], [0, -0.5, 2.5]])


def test_merging_touches_only_what_meets() -> None:
    robot = pp.zoo.tree(30, seed=2)
    merged = robot.merge_fixed()
    alone = [
        k for k, name in enumerate(robot.body_names)
        if name in merged.body_names and not any(
            robot.joints[c].kind == "fixed" for c in np.flatnonzero(robot.parent == k)
        )
    ]  # fmt: skip
    assert alone
    for k in alone:
        np.testing.assert_array_equal(merged.body(robot.body_names[k]).inertia, robot.inertia[k])
    assert merged.merge_fixed() == merged


def test_all_bodies_may_be_welded_to_the_world() -> None:
    nothing = pp.Builder().body("a", mass=1.0).body("b", "a", None, pp.Pose((1, 0, 0))).build().merge_fixed()
    assert (nothing.n, nothing.frame_names) == (0, ("a", "b"))
    assert nothing.pose([], "b") == pp.Pose((1, 0, 0))


def test_followers_of_what_no_longer_moves_are_let_go_with_a_warning() -> None:
    builder = pp.Builder().body("a", joint=pp.Revolute(Z), mass=1.0, inertia=(1, 1, 1))
    robot = builder.body("b", "a", pp.Revolute(Z, mimic=pp.Mimic("a")), mass=1.0, inertia=(1, 1, 1)).build()
    with pytest.warns(pp.ModelWarning) as caught:
        frozen = robot.freeze("a")
    assert str(caught[0].message) == (
        "the mimic of 'b' is dropped: the joint to follow no longer moves. Freeze the follower too."
    )
    assert frozen.mimic == {}
    assert robot.freeze(["a", "b"]).mimic == {}
