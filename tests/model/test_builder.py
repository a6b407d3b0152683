"""Builder and Robot: what is built is what was written, and what cannot be is refused by name."""
# ruff: noqa: E501

from __future__ import annotations

import copy
import pickle
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest

import phipsi as pp

Z = (0, 0, 1)
SOLID = {"mass": 1.0, "inertia": (0.1, 0.1, 0.1)}


def two_links() -> pp.Builder:
    builder = pp.Builder("arm", gravity=(0, 0, -1.6))
    builder.body("upper", joint=pp.Revolute(Z, name="shoulder", damping=0.5), placement=pp.Pose((0, 0, 0.3)), **SOLID)
    builder.frame("half", "upper", pp.Pose((0, 0, 0.5)))
    builder.body("lower", "half", pp.Spherical(), pp.Pose((0, 0, 0.5)), 2.0, (0, 0, 0.1), np.diag([1.0, 2.0, 2.5]))
    return (
        builder.frame("hand", "lower")
        .frame("tip", "hand", pp.Pose((1, 0, 0)))
        .frame("stand", "world", pp.Pose((5, 0, 0)))
    )


def test_robot_is_what_was_written() -> None:
    arm = two_links().build()
    assert repr(arm) == "<Robot 'arm': 2 bodies, nq = 5, nv = 4>"
    assert (arm.name, arm.n, arm.nq, arm.nv) == ("arm", 2, 5, 4)
    assert arm.body_names == ("upper", "lower")
    assert arm.joint_names == ("shoulder", "lower")
    assert arm.frame_names == ("upper", "lower", "half", "hand", "tip", "stand")
    assert arm.parent.tolist() == [-1, 0]
    assert arm.q_index.tolist() == [0, 1, 5]
    assert arm.v_index.tolist() == [0, 1, 4]
    assert arm.damping.tolist() == [0.5, 0, 0, 0]
    assert arm.lower.tolist() == [-np.inf] * 4
    assert arm.passive.tolist() == [False] * 4
    np.testing.assert_array_equal(arm.gravity, (0, 0, -1.6))
    np.testing.assert_array_equal(arm.placements.position, [(0, 0, 0.3), (0, 0, 1)])
    np.testing.assert_array_equal(arm.mass, (1, 2))
    np.testing.assert_array_equal(arm.inertia[1], np.diag([1, 2, 2.5]))


def test_asking_by_name() -> None:
    arm = two_links().build()
    elbow = arm.joint("lower")
    assert (elbow.q, elbow.v, elbow.index, elbow.name) == (slice(1, 5), slice(1, 4), 1, "lower")
    assert (elbow.body, elbow.parent, elbow.joint.kind) == ("lower", "upper", "spherical")
    assert arm.joint("shoulder").parent == "world"
    assert arm.body("lower").mass == 2.0
    assert arm.body("upper").parent == "world"
    assert arm.frame("world") == (-1, pp.Pose())
    assert arm.frame("upper") == (0, pp.Pose())
    assert arm.frame("tip") == (1, pp.Pose((1, 0, 0)))
    assert arm.frame("stand") == (-1, pp.Pose((5, 0, 0)))


@pytest.mark.parametrize(
    ("ask", "sentence"),
    [
        (lambda arm: arm.joint("sholder"), "the robot has no joint named 'sholder'. Did you mean 'shoulder'? It has 'shoulder', 'lower'."),
        (lambda arm: arm.joint(0), "the robot has no joint named 0. It has 'shoulder', 'lower'."),
        (lambda arm: arm.body("UPPER"), "the robot has no body named 'UPPER'. Did you mean 'upper'? It has 'upper', 'lower'."),
        (lambda arm: arm.frame("qqq"), "the robot has no frame named 'qqq'. It has 'world', 'upper', 'lower', 'half', 'hand', 'tip', 'stand'."),
        (lambda arm: arm.add_frame("x", "hnad"), "the robot has no frame named 'hnad'. Did you mean 'hand'? It has 'world', 'upper', 'lower', 'half', 'hand', 'tip', 'stand'."),
    ],
)  # fmt: skip
def test_unknown_names(ask: Callable[[pp.Robot], object], sentence: str) -> None:
    with pytest.raises(pp.UnknownName) as error:
        ask(two_links().build())
    assert str(error.value) == sentence
    assert isinstance(error.value, KeyError)


def test_is_one_immutable_value() -> None:
    arm = two_links().build()
    assert pickle.loads(pickle.dumps(arm)) == arm
    assert hash(pickle.loads(pickle.dumps(arm))) == hash(arm)
    assert copy.copy(arm) is arm
    assert copy.deepcopy(arm) is arm
    assert arm == two_links().build()
    assert arm != arm.with_gravity((0, 0, 0))
    assert arm != 3
    for change in (lambda: setattr(arm, "name", "x"), lambda: setattr(arm, "new", 1), lambda: delattr(arm, "mass")):
        with pytest.raises(pp.ImmutableError):
            change()
    with pytest.raises(AttributeError) as error:
        arm.mass = np.zeros(2)
    assert str(error.value) == (
        "a robot is immutable: 'mass' cannot be set or deleted. "
        "Its methods (add_frame, attach, with_gravity, ...) return new robots."
    )
    for array in (arm.mass, arm.com, arm.inertia, arm.parent, arm.gravity, arm.q_index, arm.armature, arm.passive):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0


def test_robots_come_from_a_builder() -> None:
    with pytest.raises(pp.DTypeError) as error:
        pp.Robot(3)  # type: ignore[arg-type]
    assert str(error.value) == "Robot: description must be a Description, as Builder, load and zoo make, got int 3."
    arm = two_links().build()
    assert pp.Robot(arm.description) == arm


def test_mimicry_is_kept_on_the_model() -> None:
    builder = pp.Builder().body("a", joint=pp.Revolute(Z), **SOLID)
    robot = builder.body("b", joint=pp.Revolute(Z, mimic=pp.Mimic("a", 2, 1)), **SOLID).build()
    assert robot.mimic == {"b": pp.Mimic("a", 2.0, 1.0)}
    with pytest.raises(TypeError):
        robot.mimic["a"] = pp.Mimic("b")  # type: ignore[index]


def test_pickles_every_joint_and_frame() -> None:
    robot = pp.zoo.every_joint().add_frame("eye", "link3", pp.Pose((0, 0, 1)))
    robot = robot.attach("link2", pp.Payload.sphere(1.0, 0.1), name="ball")
    again = pickle.loads(pickle.dumps(robot))
    assert again == robot
    np.testing.assert_array_equal(again.mass, robot.mass)
    np.testing.assert_array_equal(again.poses(again.neutral()).matrix, robot.poses(robot.neutral()).matrix)


def test_builder_can_go_on_after_build() -> None:
    builder = two_links()
    first = builder.build()
    second = builder.body("third", "lower", **SOLID).build()
    assert (first.n, second.n) == (2, 3)


def test_does_not_share_the_caller_s_arrays() -> None:
    com, inertia, gravity = np.zeros(3), np.eye(3), np.zeros(3)
    robot = pp.Builder(gravity=gravity).body("a", mass=1.0, com=com, inertia=inertia).build()
    com[0] = inertia[0, 0] = gravity[0] = 7.0
    assert (robot.com[0, 0], robot.inertia[0, 0, 0], robot.gravity[0]) == (0.0, 1.0, 0.0)


def test_forests_stand_on_one_world() -> None:
    builder = pp.Builder().body("a", joint=pp.Free(), **SOLID).body("b", joint=pp.Revolute(Z), **SOLID)
    forest = builder.body("c", "a", pp.Free(), **SOLID).build()
    assert forest.parent.tolist() == [-1, -1, 0]
    # a free joint is a base, hence passive, only on the world
    assert forest.passive.tolist() == [True] * 6 + [False] * 7


def test_the_empty_robot() -> None:
    nothing = pp.Builder("nothing").build()
    assert repr(nothing) == "<Robot 'nothing': 0 bodies, nq = 0, nv = 0>"
    assert (nothing.mass.shape, nothing.com.shape, nothing.inertia.shape) == ((0,), (0, 3), (0, 3, 3))
    assert nothing.placements.shape == (0,)
    assert [x.shape for x in nothing.random()] == [(0,), (0,)]
    assert [x.shape for x in nothing.random(3)] == [(3, 0), (3, 0)]
    assert nothing.merge_fixed() == nothing
    assert pp.assemble({}).n == 0


def test_massless_bodies_and_point_masses_are_legal() -> None:
    robot = pp.Builder().body("a", joint=pp.Revolute(Z)).body("b", "a", mass=1.0, com=(1, 0, 0)).build()
    assert robot.mass.tolist() == [0.0, 1.0]


def test_a_hundred_thousand_bodies() -> None:
    start = time.perf_counter()
    assert pp.zoo.chain(100_000).n == 100_000
    assert time.perf_counter() - start < 20  # takes two seconds on an idle core


def test_robots_are_shared_between_threads() -> None:
    robot = pp.zoo.tree(20)
    seen: list[pp.Robot] = []
    threads = [threading.Thread(target=lambda: seen.append(robot.freeze().merge_fixed())) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(other == seen[0] for other in seen)


def test_tree_is_readable() -> None:
    assert two_links().build().tree() == (
        "arm\n"
        "  · stand\n"
        "└─ upper  (revolute 'shoulder', 1 dof, 1 kg)\n"
        "   · half\n"
        "   └─ lower  (spherical, 3 dofs, 2 kg)\n"
        "      · hand\n"
        "      · tip"
    )
    assert pp.zoo.chain(500).tree().endswith("…")


def build(**body: object) -> Callable[[], object]:
    return lambda: pp.Builder().body("link", **body).build()  # type: ignore[arg-type]


def several(count: int, **body: object) -> Callable[[], object]:
    def make() -> object:
        builder = pp.Builder()
        for k in range(count):
            builder.body(f"b{k}", **body)  # type: ignore[arg-type]
        return builder.build()

    return make


MISTAKES = [
    # names
    (lambda: pp.Builder("").build(), pp.ModelError, "the name of a robot must be a non-empty string, got ''."),
    (lambda: pp.Builder().body(""), pp.ModelError, "the name of a body must be a non-empty string, got ''."),
    (lambda: pp.Builder().body(None), pp.ModelError, "the name of a body must be a non-empty string, got None."),
    (lambda: pp.Builder().body("world"), pp.ModelError, "no body can be named 'world': it is the fixed frame that every robot stands on. Rename it."),
    (lambda: pp.Builder().frame("world", "world"), pp.ModelError, "no frame can be named 'world': it is the fixed frame that every robot stands on. Rename it."),
    (lambda: pp.Builder().body("a").body("a"), pp.ModelError, "Builder: the body name 'a' is taken by a body. Names are unique among bodies and frames together."),
    (lambda: pp.Builder().body("a").frame("a", "a"), pp.ModelError, "Builder: the frame name 'a' is taken by a body. Names are unique among bodies and frames together."),
    (lambda: pp.Builder().body("a").frame("f", "a").body("f"), pp.ModelError, "Builder: the body name 'f' is taken by a frame. Names are unique among bodies and frames together."),
    (lambda: pp.Builder().body("a", joint=pp.Fixed(name="j")).body("b", joint=pp.Fixed(name="j")), pp.ModelError, "body 'b': the joint name 'j' is taken by a joint (that of body 'a'). Give one of them another name: Revolute(..., name=...)."),
    # parents
    (lambda: pp.Builder().body("a").body("b", "A"), pp.UnknownName, "body 'b': there is no parent named 'A'. Did you mean 'a'? There are 'world', 'a'."),
    (lambda: pp.Builder().body("a", "zzz"), pp.UnknownName, "body 'a': there is no parent named 'zzz'. Parents come first: add it before what hangs on it. There are 'world'."),
    (lambda: pp.Builder().body("a", parent=0), pp.UnknownName, "body 'a': there is no parent named 0. Parents come first: add it before what hangs on it. There are 'world'."),
    # types and shapes
    (build(joint=pp.Revolute), pp.DTypeError, "body 'link': joint must be a joint such as Revolute((0, 0, 1)), or None, got the class Revolute."),
    (build(joint="revolute"), pp.DTypeError, "body 'link': joint must be a joint such as Revolute((0, 0, 1)), or None, got str 'revolute'."),
    (build(placement=(0, 0, 1)), pp.DTypeError, "body 'link': placement must be a Pose or None, got tuple (0, 0, 1)."),
    (build(placement=pp.Pose(np.zeros((2, 3)))), pp.ShapeError, "body 'link': placement must be a single pose, got an array of shape (2,)."),
    (build(mass="heavy"), pp.DTypeError, "body 'link': mass must be a number, got 'heavy'."),
    (build(mass=(1, 2)), pp.ShapeError, "body 'link': mass must be a number, got an array of shape (2,)."),
    (build(com=(1, 2)), pp.ShapeError, "body 'link': com must be 3 numbers, got an array of shape (2,)."),
    (build(inertia=np.eye(2)), pp.ShapeError, "body 'link': inertia must be numbers of shape (3, 3), or 3 principal moments along the body's axes, got an array of shape (2, 2)."),
    (build(com=(0, 0, np.inf)), pp.ModelError, "body 'link': com must be finite, got [0.0, 0.0, inf]."),
    (lambda: pp.Builder(gravity=(0, np.nan, 0)), pp.ModelError, "Builder: gravity must be finite, got [0.0, nan, 0.0]."),
    (lambda: pp.Builder(gravity=-9.81), pp.ShapeError, "Builder: gravity must be 3 numbers, got an array of shape ()."),
    (lambda: pp.Builder().build("strict"), pp.OptionError, "build: unphysical must be one of 'raise', 'warn', got 'strict'."),
    # bodies that cannot be
    (build(mass=np.nan), pp.ModelError, "body 'link': mass is nan. Give a finite number of kilograms."),
    (build(mass=-1.0), pp.ModelError, "body 'link': mass is -1, less than zero. Give a mass >= 0."),
    (several(3, mass=-1.0), pp.ModelError, "body 'b0': mass is -1, less than zero. Give a mass >= 0. (2 other bodies likewise)"),
    (several(2, mass=-1.0), pp.ModelError, "body 'b0': mass is -1, less than zero. Give a mass >= 0. (1 other body likewise)"),
    (build(mass=1, inertia=np.full((3, 3), np.nan)), pp.ModelError, "body 'link': inertia is not finite. Give nine finite numbers."),
    (build(mass=1, inertia=[[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), pp.ModelError, "body 'link': inertia is not symmetric: I and I.T differ by 0.1. Check the products of inertia (Ixy = Iyx)."),
    (build(mass=1, inertia=(1, 1, -1)), pp.ModelError, "body 'link': inertia is not positive: its principal moments are (-1, 1, 1). Check the signs of the products of inertia."),
    (build(mass=1, inertia=(1, 1, 3)), pp.ModelError, "body 'link': inertia breaks the triangle inequality: no body has the principal moments (1, 1, 3), the largest of which exceeds the sum of the others. Check that it is taken about the mass centre, in body axes, with the right products of inertia."),
    # mimicry
    (build(joint=pp.Revolute(Z, mimic=pp.Mimic("lnk"))), pp.UnknownName, "the robot has no joint named 'lnk'. Did you mean 'link'? It has 'link'."),
    (build(joint=pp.Revolute(Z, mimic=pp.Mimic("link"))), pp.ModelError, "joint 'link': mimic goes round in a circle: link -> link."),
    (lambda: pp.Builder().body("a", joint=pp.Spherical()).body("b", joint=pp.Revolute(Z, mimic=pp.Mimic("a"))).build(), pp.ModelError, "joint 'b': mimic needs one degree of freedom here and at 'a', but they have 1 and 3."),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "sentence"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_named(make: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as error:
        make()
    assert str(error.value) == sentence


def test_a_refused_body_leaves_nothing_behind() -> None:
    builder = pp.Builder()
    with pytest.raises(pp.ShapeError):
        builder.body("a", joint=pp.Fixed(name="j"), mass=1.0, inertia=np.eye(2))
    assert builder.body("a", joint=pp.Fixed(name="j"), mass=1.0).build().joint_names == ("j",)


def test_planar_inertias_warn_by_name() -> None:
    builder = pp.Builder().body("a", mass=1.0, inertia=(0, 0, 1)).body("b", mass=1.0, inertia=(0, 2, 0))
    with pytest.warns(pp.ModelWarning) as caught:
        builder.build()
    assert [str(warning.message) for warning in caught] == [
        "two principal moments of inertia are zero at 'a', 'b': enough for motion in a plane, but no real body, and "
        "forward dynamics is singular about the other axes. Give all three moments if it moves in space."
    ]


def test_rotors_without_mass_warn_by_name() -> None:
    with pytest.warns(pp.ModelWarning) as caught:
        pp.Builder().body("a", inertia=(1, 1, 1)).build()
    assert str(caught[0].message) == (
        "mass is zero but inertia is not at 'a': treated as pure rotors. If that is a rotor seen through its gear, "
        "armature= of the joint says it better; if not, give the mass."
    )


def test_thin_rods_and_rounded_files_are_fine() -> None:
    pp.Builder().body("rod", mass=1.0, inertia=(1, 1, 0)).body("disc", mass=1.0, inertia=(1, 1, 2.000001)).build()
    skewed = np.eye(3)
    skewed[0, 1] += 1e-9
    inertia = pp.Builder().body("a", mass=1.0, inertia=skewed).build().inertia[0]
    np.testing.assert_array_equal(inertia, inertia.T)


def test_unphysical_inertias_can_be_let_through() -> None:
    with pytest.warns(pp.ModelWarning, match=r"body 'link': inertia breaks the triangle .* Kept, as asked\.$"):
        robot = pp.Builder().body("link", mass=1, inertia=(1, 1, 3)).build(unphysical="warn")
    assert robot.inertia[0, 2, 2] == 3.0
    with pytest.raises(pp.ModelError, match="mass is -1"):
        pp.Builder().body("link", mass=-1).build(unphysical="warn")
