"""What a URDF asks for and phipsi does not do: one warning for each kind, with names, at the user's own line."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

import phipsi as pp
from phipsi.model.load import load_urdf_string

NOISY = [
    "unknown elements are ignored: <gravity> in link 'base'; <contact> in link 'arm', link 'finger'; "
    "<wheel> in line 40.",
    "unknown attributes are ignored: type of link 'arm'; current of <limit> of joint 'knuckle'.",
    "elements given twice are read once, the first time: <inertial> of link 'arm'.",
    "<calibration> is ignored, of joints 'shoulder'.",
    "<safety_controller> is ignored, of joints 'shoulder'.",
    "joints without <limit> move without limit: 'shoulder'.",
    "elements that mean nothing for their type of joint are ignored: lower and upper of continuous joint 'grip'.",
    "<transmission> is ignored (a rotor's inertia is armature= of its joint): 'motor'.",
    "<gazebo> is ignored: 'arm', line 37.",
    "<sensor> is ignored: 'eye'.",
    "<ros2_control> is ignored: 'hardware'.",
    "mimic joints move freely; robot.mimic keeps how they should follow: 'grip'.",
    "<mimic> is ignored where one of the two joints has not exactly one degree of freedom: 'polish'.",
]


def test_every_kind(files: Path, load: Callable[..., tuple[pp.Robot, list[str]]]) -> None:
    robot, said = load(files / "urdf" / "noisy.urdf")
    assert said == NOISY
    assert robot.mass.tolist() == [1, 1, 1]


def test_what_is_read_is_not_remarked_upon(files: Path) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        pp.load(files / "urdf" / "every_joint.urdf")  # geometry, and the axis of a fixed joint, mean nothing


def test_warnings_point_at_the_line_that_loads(files: Path) -> None:
    for load in (pp.load, pp.load_urdf):
        with pytest.warns(pp.FileWarning) as caught:
            load(files / "urdf" / "noisy.urdf")
        assert {warning.filename for warning in caught} == {__file__}


def planar(inside: str, kind: str = "planar") -> str:
    joint = f"<joint name='j' type='{kind}'><parent link='a'/><child link='b'/>{inside}</joint>"
    return f"<robot name='r'><link name='a'/><link name='b'/>{joint}</robot>"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            planar("<limit effort='1'/><dynamics damping='1'/>"),
            "<string>: elements that mean nothing for their type of joint are ignored: <limit> of planar joint 'j'; "
            "<dynamics> of planar joint 'j'.",
        ),
        (planar("<mimic joint='J'/>", "continuous"), "<string>: <mimic> is ignored where no joint has the name that it "
                                                     "gives: 'j' after 'J'."),
    ],
)  # fmt: skip
def test_other_remarks(text: str, message: str) -> None:
    with pytest.warns(pp.FileWarning) as caught:
        load_urdf_string(text)
    assert [str(warning.message) for warning in caught] == [message]


def test_long_lists_are_cut() -> None:
    with pytest.warns(pp.FileWarning) as caught:
        load_urdf_string("<robot name='r'><link name='a'/>" + "<gazebo reference='a'/>" * 40 + "</robot>")
    names = ", ".join(["'a'"] * 12)
    assert [str(warning.message) for warning in caught] == [f"<string>: <gazebo> is ignored: {names} and 28 more."]


@pytest.mark.filterwarnings("ignore")
def test_impossible_inertias_are_kept_with_a_warning(recwarn: pytest.WarningsRecorder) -> None:
    inertia = "<inertia ixx='1' ixy='0' ixz='0' iyy='1' iyz='0' izz='3'/>"
    body = f"<inertial><mass value='1'/>{inertia}</inertial>"
    warnings.simplefilter("always")
    robot = load_urdf_string(planar("", "continuous").replace("<link name='b'/>", f"<link name='b'>{body}</link>"))
    assert robot.inertia[0, 2, 2] == 3
    assert len(recwarn) == 1
    assert "'b'" in str(recwarn[0].message)
    assert "triangle inequality" in str(recwarn[0].message)


def test_the_rounding_of_zero_is_no_mistake() -> None:
    inertia = "<inertia ixx='-5.4e-20' ixy='0' ixz='0' iyy='-5.4e-20' iyz='0' izz='0'/>"
    load_urdf_string(f"<robot name='r'><link name='a'><inertial><mass value='1'/>{inertia}</inertial></link></robot>")
