"""Robots made of robots: the physics stays what it must, names stay unique, and every edit can be undone exactly."""
# ruff: noqa: E501

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import phipsi as pp

Z = (0, 0, 1)
POSE = pp.Pose((0.3, -0.2, 0.5), rpy=(0.4, -0.3, 0.9))
TOOL = pp.Payload(2.0, (0.1, 0.0, 0.2), (0.3, 0.4, 0.5))


def same_dynamics(a: pp.Robot, qa: np.ndarray, b: pp.Robot, qb: np.ndarray, v: np.ndarray) -> None:
    np.testing.assert_allclose(a.mass_matrix(qa), b.mass_matrix(qb), rtol=1e-11, atol=1e-11)
    zero = np.zeros_like(v)
    np.testing.assert_allclose(a.inverse_dynamics(qa, v, zero), b.inverse_dynamics(qb, v, zero), rtol=1e-10, atol=1e-10)


# ── payloads ──────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_payload_is_a_welded_body() -> None:
    arm = pp.zoo.arm()
    loaded = arm.attach("hand", TOOL, name="tool", placement=POSE)
    at = arm.frame("hand")[1] @ POSE
    builder = pp.Builder("welded")
    for k, name in enumerate(arm.body_names):
        parent = "world" if k == 0 else arm.body_names[k - 1]
        builder.body(name, parent, arm.joints[k], arm.placements[k], arm.mass[k], arm.com[k], arm.inertia[k])
    builder.body("tool", "link7", pp.Fixed(), at, TOOL.mass, TOOL.com, TOOL.inertia)
    q, v = arm.random(rng=0)
    same_dynamics(loaded, q, builder.build(), q, v)
    assert loaded.frame("tool") == (6, at)
    assert loaded.mass[6] == arm.mass[6] + 2.0


def test_detach_restores_to_the_last_bit() -> None:
    arm = pp.zoo.arm()
    loaded = arm.attach("hand", TOOL, name="a").attach("link3", TOOL, name="b").attach("hand", TOOL, name="c")
    assert loaded.detach("a").detach("c").detach("b") == arm
    assert loaded.detach("b").mass[2] == arm.mass[2]
    assert loaded.attached == ("a", "b", "c")
    assert loaded.attach("a", TOOL, name="on a").frame("on a")[0] == 6


def test_payloads_survive_other_edits() -> None:
    arm = pp.zoo.arm().attach("hand", TOOL, name="tool")
    frozen = arm.freeze("joint7").merge_fixed()
    q, _ = frozen.random(rng=0)
    full = np.append(q, 0.0)
    np.testing.assert_allclose(frozen.pose(q, "tool").matrix, arm.pose(full, "tool").matrix, atol=1e-13)
    np.testing.assert_allclose(frozen.mass_matrix(q), arm.mass_matrix(full)[:6, :6], atol=1e-11)
    bare = frozen.detach("tool")
    np.testing.assert_allclose(bare.mass_matrix(q), pp.zoo.arm().mass_matrix(full)[:6, :6], rtol=0, atol=1e-12)
    cell = pp.assemble({"left": arm, "right": arm.placed(POSE)})
    assert cell.detach("right/tool").mass[-1] == pp.zoo.arm().mass[-1]


def test_payload_shapes() -> None:
    np.testing.assert_allclose(pp.Payload.box(12.0, (1, 2, 3)).inertia.diagonal(), (13, 10, 5))
    np.testing.assert_allclose(pp.Payload.cylinder(12.0, 1.0, 2.0).inertia.diagonal(), (7, 7, 6))
    np.testing.assert_allclose(pp.Payload.sphere(5.0, 1.0).inertia.diagonal(), (2, 2, 2))
    assert not pp.Payload.point(1.0, (1, 0, 0)).inertia.any()
    assert pp.Payload.point(1.0) == pp.Payload(1.0)
    assert pp.Payload.point(1.0) != TOOL


# ── robots on robots ──────────────────────────────────────────────────────────────────────────────────────────────


def test_attached_robots_are_built_in_place() -> None:
    arm, hand = pp.zoo.arm(), pp.zoo.hand(fingers=2)
    both = arm.attach("hand", hand, placement=POSE)
    assert both.n == arm.n + hand.n
    assert both.body_names == arm.body_names + hand.body_names
    assert both.parent[arm.n] == 6
    q, _ = both.random(rng=0)
    expected = arm.pose(q[:7], "hand") @ POSE @ hand.pose(q[7:], "finger2/tip")
    assert both.pose(q, "finger2/tip").isclose(expected, 1e-12)
    assert both.detach("hand") == arm


def test_attached_names_take_a_prefix_if_asked() -> None:
    arm = pp.zoo.arm()
    with pytest.raises(pp.ModelError) as error:
        arm.attach("hand", arm)
    assert str(error.value) == (
        "attach: the body name 'link1' is taken by a body. Give name=: it becomes a prefix of what is attached."
    )
    twice = arm.attach("hand", arm, name="second")
    assert twice.body_names[7:9] == ("second/link1", "second/link2")
    assert twice.joint("second/joint7").index == 13
    assert twice.detach("second") == arm
    thrice = twice.attach("second/hand", TOOL, name="tool")
    assert thrice.detach("second") == arm  # the tool went with the arm that held it


def test_attached_free_roots_are_welded() -> None:
    arm = pp.zoo.arm()
    held = arm.attach("hand", pp.zoo.box(mass=3.0))
    assert (held.n, held.nv) == (8, 7)
    payload = pp.Payload.box(3.0, (0.1, 0.1, 0.1))
    q, v = arm.random(rng=0)
    same_dynamics(held, q, arm.attach("hand", payload, name="box"), q, v)


def test_frames_on_the_attached_world_come_along() -> None:
    stand = pp.zoo.arm().add_frame("foot", "world", pp.Pose((0, 0, -1)))
    both = pp.Builder().body("cart", joint=pp.Prismatic((1, 0, 0)), mass=1.0, inertia=(1, 1, 1)).build()
    both = both.attach("cart", stand, placement=POSE)
    body, pose = both.frame("foot")
    assert body == 0
    assert pose.isclose(POSE @ pp.Pose((0, 0, -1)))


def test_robots_can_be_attached_to_the_world() -> None:
    both = pp.zoo.arm().attach("world", pp.zoo.arm(), name="b", placement=POSE)
    assert both.parent[7] == -1
    assert both.placements[7].isclose(POSE)


# ── cells ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_assembled_robots_do_not_feel_each_other() -> None:
    arm = pp.zoo.arm()
    cell = pp.assemble({"left": arm, "right": arm.placed(POSE), "box": pp.zoo.box()})
    assert (cell.n, cell.nq, cell.nv, cell.name) == (15, 21, 20, "cell")
    assert cell.body_names[6:9] == ("left/link7", "right/link1", "right/link2")
    assert cell.body_names[-1] == "box"
    assert cell.joint("right/joint1").index == 7
    q, _ = cell.random(rng=0)
    mass = cell.mass_matrix(q)
    np.testing.assert_allclose(mass[:7, :7], arm.mass_matrix(q[:7]), atol=1e-12)
    assert not mass[:7, 7:].any()
    assert cell.pose(q, "right/hand").isclose(POSE @ arm.pose(q[7:14], "hand"), 1e-12)
    assert cell.pose(q, "box").isclose(pp.Pose(q[18:], quaternion=q[14:18]), 1e-12)
    assert cell.passive.tolist() == [False] * 14 + [True] * 6


def test_prefixes_find_what_is_meant() -> None:
    cell = pp.assemble({"box": pp.zoo.box(), "object": pp.zoo.box(), "hand": pp.zoo.hand()})
    assert cell.body_names[:3] == ("box", "object/box", "hand/palm")
    assert cell.frame("box/box")[0] == 0
    assert cell.frame("object")[0] == 1
    with pytest.raises(pp.UnknownName):
        cell.frame("hand")


def test_assembled_mimicry_keeps_its_leader() -> None:
    builder = pp.Builder().body("a", joint=pp.Revolute(Z), mass=1, inertia=(1, 1, 1))
    robot = builder.body("b", joint=pp.Revolute(Z, mimic=pp.Mimic("a", -2)), mass=1, inertia=(1, 1, 1)).build()
    assert pp.assemble({"x": robot}).mimic == {"x/b": pp.Mimic("x/a", -2.0)}


def test_gravities_must_agree() -> None:
    robots = {"ship": pp.zoo.dual_arm_satellite(), "box": pp.zoo.box()}
    with pytest.raises(pp.ModelError) as error:
        pp.assemble(robots)
    assert str(error.value) == (
        "assemble: 'ship' has gravity [0.0, 0.0, 0.0] and 'box' has [0.0, 0.0, -9.81]. "
        "Say which: assemble(..., gravity=(0, 0, -9.81))."
    )
    assert pp.assemble(robots, gravity=(0, 0, 0), name="orbit").name == "orbit"


# ── places and properties ─────────────────────────────────────────────────────────────────────────────────────────


def test_placed_robots_move_as_a_whole() -> None:
    robot = pp.zoo.tree(12, seed=3).add_frame("mark", "world", pp.Pose((1, 0, 0)))
    moved = robot.placed(POSE)
    q, _ = robot.random(rng=0)
    for frame in (*robot.body_names, "mark"):
        assert moved.pose(q, frame).isclose(POSE @ robot.pose(q, frame), 1e-11)
    assert moved.placed(POSE.inv).placements.isclose(robot.placements, 1e-12)


def test_frames_hang_on_frames() -> None:
    arm = pp.zoo.arm().add_frame("a", "hand", POSE).add_frame("b", "a", POSE)
    assert arm.frame("b")[1].isclose(arm.frame("hand")[1] @ POSE @ POSE)
    assert arm.add_frame("here", "link2").frame("here") == (1, pp.Pose())


def test_passive_masks() -> None:
    ship = pp.zoo.arm_satellite()
    assert ship.passive.tolist() == [True] * 6 + [False] * 7
    assert ship.with_passive(["base", "arm/joint2"]).passive.tolist() == [True] * 6 + [False, True] + [False] * 5
    assert ship.with_passive("arm/link2").passive.nonzero()[0].tolist() == [7]
    assert not ship.with_passive([]).passive.any()
    mask = np.arange(13) % 2 == 0
    np.testing.assert_array_equal(ship.with_passive(mask).passive, mask)
    np.testing.assert_array_equal(ship.with_passive(mask.tolist()).passive, mask)
    assert not pp.Builder().body("a", joint=pp.Free(passive=False), mass=1.0).build().passive.any()


def test_armatures() -> None:
    arm = pp.zoo.planar_arm(3)
    assert arm.with_armature(0.5).armature.tolist() == [0.5] * 3
    assert arm.with_armature([1, 2, 3]).armature.tolist() == [1, 2, 3]
    assert arm.with_armature([1, 2, 3]).with_armature({"joint2": 9}).armature.tolist() == [1, 9, 3]
    q, _ = arm.random(rng=0)
    np.testing.assert_allclose(
        arm.with_armature([1, 2, 3]).mass_matrix(q) - arm.mass_matrix(q), np.diag([1, 2, 3]), atol=1e-12
    )


ARM = pp.zoo.arm()
CROSSED = (
    pp.Builder().body("a", joint=pp.Revolute(Z, name="b"), mass=1.0).body("b", "a", pp.Revolute(Z, name="a"), mass=1.0)
)
MISTAKES = [
    (lambda: ARM.add_frame("hand", "link1"), pp.ModelError, "add_frame: the frame name 'hand' is taken by a frame. Names are unique among bodies and frames together."),
    (lambda: ARM.add_frame("link2", "link1"), pp.ModelError, "add_frame: the frame name 'link2' is taken by a body. Names are unique among bodies and frames together."),
    (lambda: ARM.add_frame("world", "link1"), pp.ModelError, "no frame can be named 'world': it is the fixed frame that every robot stands on. Rename it."),
    (lambda: ARM.add_frame("x", "link1", (0, 0, 1)), pp.DTypeError, "add_frame: pose must be a Pose, got tuple (0, 0, 1)."),
    (lambda: ARM.placed(pp.Pose(np.zeros((2, 3)))), pp.ShapeError, "placed: pose must be a single pose, got an array of shape (2,)."),
    (lambda: ARM.attach("hand", TOOL), pp.ModelError, "attach: a payload needs a name=, for its frame and for detach."),
    (lambda: ARM.attach("world", TOOL, name="x"), pp.ModelError, "attach: payload 'x' on the world would move nothing. Attach it to a body."),
    (lambda: ARM.attach("hand", TOOL, name="hand"), pp.ModelError, "attach: the frame name 'hand' is taken by a frame. Names are unique among bodies and frames together."),
    (lambda: ARM.attach("hand", 3.0), pp.DTypeError, "attach: what must be a Payload or a Robot, got float 3.0."),
    (lambda: ARM.attach("hand", TOOL, name="t").attach("hand", pp.zoo.box(), name="t"), pp.ModelError, "attach: the attachment name 't' is taken by a former one. Give another name=."),
    (lambda: ARM.detach("tool"), pp.UnknownName, "detach: nothing named 'tool' was attached. Nothing is."),
    (lambda: ARM.attach("hand", TOOL, name="tool").detach("tol"), pp.UnknownName, "detach: nothing named 'tol' was attached. Did you mean 'tool'? Attached are 'tool'."),
    (lambda: ARM.with_passive(["elbow"]), pp.UnknownName, "the robot has no joint named 'elbow'. It has 'joint1', 'joint2', 'joint3', 'joint4', 'joint5', 'joint6', 'joint7', 'link1' and 6 more."),
    (lambda: ARM.with_passive([1, 0, 0]), pp.DTypeError, "with_passive: passive must be names of joints, or a bool for each dof, got list [1, 0, 0]."),
    (lambda: ARM.with_passive([True]), pp.ShapeError, "with_passive: passive must be names of joints, or bools of shape (7,), got an array of shape (1,)."),
    (lambda: CROSSED.build().with_passive("a"), pp.ModelError, "with_passive: 'a' is both a joint (that of body 'b') and a body (behind joint 'b'). Name the joint by the other's name, or pass a mask."),
    (lambda: ARM.with_gravity((0, 0)), pp.ShapeError, "with_gravity: gravity must be 3 numbers, got an array of shape (2,)."),
    (lambda: ARM.with_armature([1, 2]), pp.ShapeError, "with_armature: armature must be a number, or 7 of them, got an array of shape (2,)."),
    (lambda: ARM.with_armature(-1), pp.ModelError, "with_armature: armature must not be negative, got -1."),
    (lambda: pp.assemble({"": ARM}), pp.ModelError, "the name of a robot's prefix must be a non-empty string, got ''."),
    (lambda: pp.assemble({"a": 3}), pp.DTypeError, "assemble: 'a' must be a Robot, got int 3."),
    (lambda: pp.assemble([ARM]), pp.DTypeError, "assemble: robots must be a dict prefix -> Robot, got list [<Robot 'arm': 7 bodies, nq = 7, nv = 7>]."),
    (lambda: pp.assemble({"a/b": pp.zoo.box(), "a": pp.Builder().body("b/box", mass=1.0).build()}), pp.ModelError, "assemble: the body name 'a/b/box' is taken by a body. Choose other prefixes."),
    (lambda: pp.Payload(-1.0), pp.ModelError, "body 'payload': mass is -1, less than zero. Give a mass >= 0."),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "sentence"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_named(make: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as error:
        make()
    assert str(error.value) == sentence
