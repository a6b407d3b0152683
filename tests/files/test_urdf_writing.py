"""to_urdf: what is written reads back as the same robot, and what URDF cannot say is refused or named."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phipsi as pp
from phipsi.model.load import load_urdf_string
from phipsi.model.urdf_write import to_urdf

INERTIA = [[0.3, 0.01, 0.02], [0.01, 0.4, 0.03], [0.02, 0.03, 0.5]]


def same(robot: pp.Robot, other: pp.Robot) -> None:
    """Equal; only rotations, and axes, may differ in their last bits (they pass through angles)."""
    assert other.name == robot.name
    assert other.body_names == robot.body_names
    assert other.joint_names == robot.joint_names
    assert sorted(other.frame_names) == sorted(robot.frame_names)
    for name in ("parent", "mass", "com", "inertia", "armature", "damping", "friction", "lower", "upper",
                 "effort_limit", "velocity_limit", "passive", "gravity"):  # fmt: skip
        np.testing.assert_array_equal(getattr(other, name), getattr(robot, name), err_msg=name)
    assert other.mimic == robot.mimic
    for mine, theirs in zip(robot.joints, other.joints, strict=True):
        assert mine.kind == theirs.kind
        np.testing.assert_allclose(theirs.parameters, mine.parameters, rtol=0, atol=2e-16)
    for name in robot.frame_names:
        (body, pose), (index, place) = robot.frame(name), other.frame(name)
        assert body == index
        np.testing.assert_array_equal(place.position, pose.position)
        np.testing.assert_allclose(place.rotation, pose.rotation, rtol=0, atol=1e-15)
    np.testing.assert_array_equal(other.placements.position, robot.placements.position)
    np.testing.assert_allclose(other.placements.rotation, robot.placements.rotation, rtol=0, atol=1e-15)


def arm(**joints: pp.Joint) -> pp.Robot:
    """A chain with these joints, everything askew."""
    builder, parent = pp.Builder("arm"), "world"
    for name, joint in joints.items():
        place = pp.Pose((0.1, 0.2, 1 / 3), rpy=(0.4, 0.5, 0.6))
        builder.body(f"{name}_link", parent, joint.with_name(name), place, 1.1, (0.1, 0.2, 0.3), INERTIA)
        parent = f"{name}_link"
    return builder.frame("tip", parent, pp.Pose((0, 0, 0.7), rpy=(0, 0, 1))).build()


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("file", ["every_joint", "noisy"])
@pytest.mark.filterwarnings("ignore::phipsi.FileWarning")
def test_files(files: Path, file: str, base: str) -> None:
    robot = pp.load(files / "urdf" / f"{file}.urdf", base=base)
    text = robot.to_urdf()
    same(robot, load_urdf_string(text))
    # base="free" asks for what the text says already
    if base == "free":
        same(robot, load_urdf_string(text, base="free"))


def test_joints_that_urdf_has() -> None:
    limits: dict[str, Any] = {"lower": -1 / 3, "upper": 2 / 3, "velocity_limit": 4.1, "effort_limit": 5.3}
    robot = arm(
        hinge=pp.Revolute((1, 2, 3), damping=0.1, friction=0.2, **limits),
        wheel=pp.Revolute((1, 2, 3)),
        wheel_with_motor=pp.Revolute((1, 2, 3), effort_limit=3.0),
        stop=pp.Revolute((1, 2, 3), lower=0.1),
        rail=pp.Prismatic((1, 2, 3), **limits),
        endless=pp.Prismatic((1, 2, 3)),
        float=pp.Free(),
        table=pp.Planar((1, 2, 3)),
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        same(robot, load_urdf_string(robot.to_urdf()))


def test_joints_that_urdf_has_not_are_chains() -> None:
    robot = arm(
        tube=pp.Cylindrical((1, 2, 3), damping=(1, 2), lower=(-1, -2), upper=(1, 2)),
        cardan=pp.Universal((1, 2, 3), (3, 2, 1)),
        table=pp.Translational(),
    )
    with pytest.warns(pp.FileWarning) as caught:
        text = robot.to_urdf()
    message = (
        "to_urdf: joints that URDF has not are written as several, with massless links between: "
        "'tube', 'cardan', 'table'."
    )
    assert [str(warning.message) for warning in caught] == [message]
    other = load_urdf_string(text)
    assert other.joint_names == (
        "tube_angle", "tube_distance", "cardan_1", "cardan_2", "table_x", "table_y", "table_z",
    )  # fmt: skip
    assert other.body_names[:2] == ("tube_link_tube_angle", "tube_link")
    for name in ("damping", "lower", "upper"):
        np.testing.assert_array_equal(getattr(other, name), getattr(robot, name))
    q, v = robot.random(rng=0)
    pose = robot.pose(q, "tip")
    np.testing.assert_allclose(other.pose(q, "tip").matrix, pose.matrix, rtol=0, atol=1e-14)
    np.testing.assert_allclose(other.mass_matrix(q), robot.mass_matrix(q), rtol=0, atol=1e-13)
    np.testing.assert_allclose(other.bias(q, v), robot.bias(q, v), rtol=0, atol=1e-12)


@pytest.mark.parametrize(
    ("joint", "message"),
    [
        (pp.Spherical(), "spherical, which URDF cannot say: it has no ball joint. Use a universal and a revolute "
                         "joint"),
        (pp.Helical((0, 0, 1), 0.1), "helical, which URDF cannot say: it has no screw. Use a revolute or a cylindrical "
                                     "joint"),
        (pp.Custom(np.eye(6)[:, :1]), "custom, which URDF cannot say: it has no joints by columns of H*. Use joints of "
                                      "the other types"),
        (pp.Planar((0, 0, 1), (1, 1, 0)), "planar, which URDF cannot say: its planar joint has no x axis of its own. "
                                          "Use one without x_axis, in a placement that is turned"),
    ],
)  # fmt: skip
def test_joints_that_cannot_be_written(joint: pp.Joint, message: str) -> None:
    with pytest.raises(pp.FileError) as caught:
        arm(odd=joint).to_urdf()
    assert str(caught.value) == f"to_urdf: joint 'odd' is {message} in its place, or keep the robot by pickle."


def test_what_is_not_written_is_named() -> None:
    robot = arm(
        a=pp.Revolute((0, 0, 1), armature=0.1), b=pp.Revolute((0, 0, 1), armature=0.1, stiffness=3, rest=1),
        c=pp.Revolute((0, 0, 1), passive=True), d=pp.Planar(damping=1),
    ).with_gravity((0, 0, -1.62))  # fmt: skip
    with pytest.warns(pp.FileWarning) as caught:
        robot.to_urdf()
    message = (
        "to_urdf: URDF has no place for these, which are not written: armature of 'a', 'b'; stiffness and rest "
        "position of 'b'; passive dofs of 'c'; damping, friction and limits of 'd'; gravity."
    )
    assert [str(warning.message) for warning in caught] == [message]
    assert {warning.filename for warning in caught} == {__file__}


def test_another_order() -> None:
    builder = pp.Builder()
    for name, parent in (("a", "world"), ("b", "world"), ("c", "a")):
        builder.body(name, parent, pp.Revolute((0, 0, 1)), mass=1, inertia=(1, 1, 1))
    robot = builder.build()
    with pytest.warns(pp.FileWarning) as caught:
        text = robot.to_urdf()
    message = "to_urdf: URDF is read depth first, so q will be in another order, beginning at 'c'."
    assert [str(warning.message) for warning in caught] == [message]
    assert load_urdf_string(text).joint_names == ("a", "c", "b")


def test_payloads_are_part_of_their_bodies() -> None:
    robot = arm(a=pp.Revolute((0, 0, 1))).attach("tip", pp.Payload.box(2.0, (0.1, 0.2, 0.3)), name="box")
    other = load_urdf_string(robot.to_urdf())
    assert other.mass[0] == robot.mass[0] == 3.1
    np.testing.assert_array_equal(other.com, robot.com)
    np.testing.assert_allclose(other.inertia, robot.inertia, rtol=0, atol=1e-16)
    assert other.frame("box") == robot.frame("box")


def test_the_root_link() -> None:
    """The world's first frame at its origin, else "world"."""
    joints: dict[str, pp.Joint] = {"a": pp.Revolute((0, 0, 1))}
    assert '<link name="world"/>' in arm(**joints).to_urdf()
    robot = arm(**joints).add_frame("corner", "world", pp.Pose((1, 0, 0))).add_frame("floor", "world")
    assert '<parent link="floor"/>' in robot.to_urdf()
    same(robot, load_urdf_string(robot.to_urdf()))


def test_names_are_escaped_and_new_ones_give_way() -> None:
    name = "left/<&\"'>\n\tä"
    robot = (
        pp.Builder(name).body(name, joint=pp.Translational(name=name), mass=1).frame(f"{name}_{name}_x", name).build()
    )
    with pytest.warns(pp.FileWarning, match="joints that URDF has not"):
        other = load_urdf_string(robot.to_urdf())
    assert other.name == name
    assert other.body_names == (f"{name}_{name}_x_2", f"{name}_{name}_y", name)
    assert other.frame_names[3:] == (f"{name}_{name}_x",)


def test_names_that_xml_cannot_hold() -> None:
    with pytest.raises(pp.FileError) as caught:
        pp.Builder().body("a\0", joint=pp.Free(), mass=1).build().to_urdf()
    assert str(caught.value) == "to_urdf: the name 'a\\x00' has a character that XML has not. Rename it."


def test_to_a_file(tmp_path: Path) -> None:
    robot = arm(a=pp.Revolute((0, 0, 1)))
    path = tmp_path / "arm.urdf"
    assert to_urdf(robot, path) == robot.to_urdf() == path.read_text(encoding="utf-8")
    same(robot, pp.load(path))
    with pytest.raises(pp.FileError) as caught:
        to_urdf(robot, tmp_path / "nowhere" / "arm.urdf")
    assert str(caught.value) == (
        f"{tmp_path / 'nowhere' / 'arm.urdf'}: it cannot be written (No such file or directory). "
        "Check the directory and its permissions."
    )


@pytest.mark.filterwarnings("ignore::phipsi.PhipsiWarning")
def test_real_robots(load: Callable[..., Any]) -> None:
    witness: Any = pytest.importorskip("pinocchio")
    robots = Path(witness.__file__).parents[4] / "share" / "example-robot-data" / "robots"
    for name in ("talos_data/robots/talos_reduced", "pr2_description/urdf/pr2", "panda_description/urdf/panda"):
        for base in ("fixed", "free"):
            robot, _ = load(robots / f"{name}.urdf", base=base)
            same(robot, load_urdf_string(robot.to_urdf()))


def test_other_readers_read_it() -> None:
    pinocchio: Any = pytest.importorskip("pinocchio")
    robot = arm(hinge=pp.Revolute((1, 2, 3), lower=-1.0), wheel=pp.Revolute((0, 1, 0)), rail=pp.Prismatic((1, 2, 3)))
    model = pinocchio.buildModelFromXML(robot.to_urdf())
    assert list(model.names[1:]) == ["hinge", "wheel", "rail"]
    assert sum(inertia.mass for inertia in model.inertias) == pytest.approx(3.3, rel=1e-15)
