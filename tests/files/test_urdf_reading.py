"""What a URDF says is what the robot is: joints, places, masses, frames, limits, order, base."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import phipsi as pp
from phipsi.model.load import load_urdf_string

BALL = '<inertial><mass value="1"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>'


def rotation(*rpy: float) -> np.ndarray:
    """URDF's roll, pitch, yaw by somebody else's formula."""
    return Rotation.from_euler("xyz", rpy).as_matrix()


@pytest.fixture
def every(files: Path) -> pp.Robot:
    return pp.load(files / "urdf" / "every_joint.urdf")


def test_bodies_are_numbered_depth_first_in_the_order_of_the_file(every: pp.Robot) -> None:
    assert every.name == "every_joint"
    assert every.body_names == ("turned", "slid", "spun", "floated", "glided")
    assert every.joint_names == ("turn", "slide", "spin", "float", "glide")
    assert every.parent.tolist() == [-1, 0, -1, 2, -1]
    assert (every.nq, every.nv) == (13, 12)
    assert [joint.kind for joint in every.joints] == ["revolute", "prismatic", "revolute", "free", "planar"]


def test_axes_are_normalised_and_x_by_default(every: pp.Robot) -> None:
    turn, slide, spin, _, glide = (joint.parameters for joint in every.joints)
    np.testing.assert_allclose(turn, [0, 0.6, 0.8], rtol=0, atol=1e-16)
    assert slide.tolist() == [1, 0, 0]
    assert spin.tolist() == [0, 0, -1]
    assert glide.tolist() == [0, 0, 1, 1, 0, 0]


def test_placements(every: pp.Robot) -> None:
    assert every.placements[0].position.tolist() == [1, 2, 3]
    np.testing.assert_allclose(every.placements[0].rotation, rotation(0.4, 0.5, 0.6), rtol=0, atol=1e-15)
    # 'slide' hangs on 'tip', which is welded to 'welded', which is welded to 'turned'
    np.testing.assert_allclose(every.placements[1].position, [0, 2, 0], rtol=0, atol=1e-15)
    np.testing.assert_allclose(every.placements[1].rotation, rotation(0, 0, np.pi / 2), rtol=0, atol=1e-15)
    quaternion = Rotation.from_quat([0, 0, 0.6, 0.8]).as_matrix()
    np.testing.assert_allclose(every.placements[3].rotation, quaternion, rtol=0, atol=1e-15)


def test_inertias_are_turned_to_body_axes_and_welded_together(every: pp.Robot) -> None:
    r1, r2 = rotation(0.1, 0.2, 0.3), rotation(0, 0, np.pi / 2)
    own = r1 @ np.array([[0.03, 0.001, 0.002], [0.001, 0.04, 0.003], [0.002, 0.003, 0.05]]) @ r1.T
    other = r2 @ np.diag([0.2, 0.3, 0.4]) @ r2.T
    c1, c2 = np.array([0.1, 0.2, 0.3]), np.array([0, 1, 0.5])
    centre = (2 * c1 + 3 * c2) / 5
    for mass, c in ((2, c1 - centre), (3, c2 - centre)):
        own = own + mass * (c @ c * np.eye(3) - np.outer(c, c))
    assert every.mass[0] == 5
    np.testing.assert_allclose(every.com[0], centre, rtol=0, atol=1e-15)
    np.testing.assert_allclose(every.inertia[0], own + other, rtol=0, atol=1e-15)


def test_limits_and_losses(every: pp.Robot) -> None:
    inf = np.inf
    assert every.lower[:3].tolist() == [-1, -0.5, -inf]
    assert every.upper[:3].tolist() == [2, 0.25, inf]
    assert every.effort_limit[:3].tolist() == [30, 7, inf]
    assert every.velocity_limit[:3].tolist() == [4, 8, inf]
    assert every.damping[:3].tolist() == [0.5, 0, 0]
    assert every.friction[:3].tolist() == [0.6, 0, 0]


def test_links_that_do_not_move_are_frames(every: pp.Robot) -> None:
    assert every.frame_names[5:] == ("base_link", "welded", "tip")
    assert every.frame("base_link")[0] == -1
    body, pose = every.frame("tip")
    assert body == 0
    np.testing.assert_allclose(pose.position, [0, 2, 0], rtol=0, atol=1e-15)


def test_without_merging_they_are_bodies(files: Path) -> None:
    robot = pp.load(files / "urdf" / "every_joint.urdf", merge_fixed=False)
    assert robot.body_names == ("turned", "welded", "tip", "slid", "spun", "floated", "glided")
    assert [joint.kind for joint in robot.joints[:3]] == ["revolute", "fixed", "fixed"]
    assert robot.frame_names[7:] == ("base_link",)
    assert robot.mass.tolist() == [2, 3, 0, 1, 1, 1, 1]
    merged, welded = robot.merge_fixed(), pp.load(files / "urdf" / "every_joint.urdf")
    assert merged.body_names == welded.body_names
    for name in ("mass", "com", "inertia"):
        np.testing.assert_allclose(getattr(merged, name), getattr(welded, name), rtol=0, atol=1e-15)


def test_free_base(files: Path) -> None:
    robot = pp.load(files / "urdf" / "every_joint.urdf", base="free")
    assert robot.body_names[0] == "base_link"
    assert robot.joint_names[0] == "base"
    assert robot.joints[0].kind == "free"
    assert robot.mass[0] == 9
    assert robot.parent.tolist() == [-1, 0, 1, 0, 3, 0]
    assert robot.passive.tolist() == [True] * 6 + [False] * 12
    assert robot.placements[0] == pp.Pose.identity()


def one_link(inside: str = BALL, name: str = "stone") -> str:
    return f'<robot name="r"><link name="{name}">{inside}</link></robot>'


def pair(joint: str, second: str = BALL, names: tuple[str, str] = ("a", "b")) -> str:
    links = f'<link name="{names[0]}"/><link name="{names[1]}">{second}</link>'
    return f'<robot name="r">{links}{joint}</robot>'


def joint(kind: str, inside: str = "", name: str = "j", names: tuple[str, str] = ("a", "b")) -> str:
    return f'<joint name="{name}" type="{kind}"><parent link="{names[0]}"/><child link="{names[1]}"/>{inside}</joint>'


def test_one_link() -> None:
    assert load_urdf_string(one_link()).n == 0
    assert load_urdf_string(one_link()).frame("stone")[0] == -1
    robot = load_urdf_string(one_link(), base="free")
    assert (robot.n, robot.nq, robot.mass.tolist()) == (1, 7, [1])


@pytest.mark.parametrize(
    ("taken", "name"), [((), "base"), (("base",), "root_joint"), (("base", "root_joint"), "root_joint_2")]
)
def test_the_free_joint_gives_way_to_the_names_of_the_file(taken: tuple[str, ...], name: str) -> None:
    links = "".join(f'<link name="l{k}"/>' for k in range(len(taken) + 1))
    joints = "".join(joint("continuous", "", t, ("l0", f"l{k}")) for k, t in enumerate(taken, 1))
    robot = load_urdf_string(f'<robot name="r">{links}{joints}</robot>', base="free")
    assert robot.joint_names == (name, *taken)


def test_a_root_called_world_is_the_world() -> None:
    robot = load_urdf_string(pair(joint("continuous", names=("world", "b")), names=("world", "b")))
    assert robot.frame_names == ("b",)
    assert robot.parent.tolist() == [-1]


def test_what_is_fastened_to_the_world_floats_in_its_stead() -> None:
    text = pair(joint("fixed", '<origin xyz="1 2 3"/>', "bolt", ("world", "b")), names=("world", "b"))
    with pytest.warns(pp.FileWarning) as caught:
        robot = load_urdf_string(text, base="free")
    message = '<string>: with base="free", a free joint replaces the fixed joint to "world": \'bolt\'.'
    assert [str(warning.message) for warning in caught] == [message]
    assert robot.body_names == ("b",)
    assert robot.joint_names == ("base",)
    assert robot.placements[0] == pp.Pose.identity()


def test_a_floating_joint_below_the_world_is_a_free_base_already() -> None:
    text = pair(joint("floating", name="fly", names=("world", "b")), names=("world", "b"))
    assert load_urdf_string(text, base="free") == load_urdf_string(text, base="fixed")
    assert load_urdf_string(text, base="free").joint_names == ("fly",)


def test_limits_may_be_infinite_and_default_to_zero() -> None:
    for most in ("inf", "1.7976931348623157e308"):
        limit = f'<limit lower="-{most}" upper="{most}" effort="{most}" velocity="1"/>'
        robot = load_urdf_string(pair(joint("prismatic", limit)))
        assert (robot.lower[0], robot.upper[0], robot.effort_limit[0]) == (-np.inf, np.inf, np.inf)
    robot = load_urdf_string(pair(joint("revolute", '<limit effort="1" velocity="1"/>')))
    assert (robot.lower[0], robot.upper[0]) == (0, 0)


def test_numbers_as_people_write_them() -> None:
    place = '<origin xyz=" +1. \n .5\t-2E-1 " rpy="0 0 0"/>'
    robot = load_urdf_string(pair(joint("continuous", place)))
    assert robot.placements[0].position.tolist() == [1, 0.5, -0.2]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "iso-8859-1"])
def test_encodings(tmp_path: Path, encoding: str) -> None:
    declared = "iso-8859-1" if encoding == "iso-8859-1" else encoding.removesuffix("-sig")
    text = f'<?xml version="1.0" encoding="{declared}"?>' + one_link(name="gelenk_ä")
    path = tmp_path / "robot.urdf"
    path.write_bytes(text.encode(encoding))
    assert pp.load(path).frame_names == ("gelenk_ä",)


def test_a_declared_encoding_means_nothing_in_text() -> None:
    text = '<?xml version="1.0" encoding="iso-8859-1"?>' + one_link(name="gelenk_ä")
    assert load_urdf_string(text).frame_names == ("gelenk_ä",)
    assert load_urdf_string("\ufeff" + one_link()).frame_names == ("stone",)


def test_paths_and_files(files: Path) -> None:
    path = files / "urdf" / "every_joint.urdf"
    expected = pp.load(path)
    assert pp.load(str(path)) == expected
    assert pp.load_urdf(path, package_dirs=["nowhere"]) == expected
    with path.open() as text, path.open("rb") as binary:
        assert pp.load_urdf(text) == expected
        assert pp.load_urdf(binary) == expected
    assert pp.load_urdf(io.StringIO(path.read_text())) == expected
    assert load_urdf_string(path.read_bytes()) == expected


def test_mimic_is_kept(files: Path) -> None:
    with pytest.warns(pp.FileWarning):
        robot = pp.load(files / "urdf" / "noisy.urdf")
    assert robot.mimic == {"grip": pp.Mimic("knuckle", -2.0, 0.5)}


def test_names_keep_every_character() -> None:
    name = "left/a &amp; b &lt;&quot;&#10;ä"
    assert load_urdf_string(one_link(name=name)).frame_names == ('left/a & b <"\nä',)


def test_a_chain_of_1e5_links() -> None:
    count = 100_000
    lines = ['<robot name="long"><link name="l0"/>']
    for k in range(1, count + 1):
        lines.append(f'<link name="l{k}">{BALL}</link>')
        lines.append(joint("continuous", '<origin xyz="0 0 1"/>', f"j{k}", (f"l{k - 1}", f"l{k}")))
    robot = load_urdf_string("".join([*lines, "</robot>"]))
    assert robot.nv == count
    assert robot.mass.sum() == count


def test_30_000_links_welded_in_a_row() -> None:
    count = 30_000
    lines = ['<robot name="rod"><link name="l0"/>']
    for k in range(1, count + 1):
        lines.append(f'<link name="l{k}">{BALL if k % 1000 == 0 else ""}</link>')
        place = '<origin xyz="0 0 0.5" rpy="0 0 0.1"/>'
        lines.append(joint("continuous" if k == 1 else "fixed", place, f"j{k}", (f"l{k - 1}", f"l{k}")))
    robot = load_urdf_string("".join([*lines, "</robot>"]))
    assert robot.nv == 1
    assert len(robot.frame_names) == count + 1
    np.testing.assert_allclose(robot.mass, [30])
    np.testing.assert_allclose(robot.frame(f"l{count}")[1].position, [0, 0, (count - 1) / 2])
