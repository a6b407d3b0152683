"""load() looks at what a file is; load_description() at what a robot is called."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from types import ModuleType

import pytest

import phipsi as pp

URDF = '<robot name="one"><link name="a"/></robot>'
GEOM = '<geom size="1" contype="0" conaffinity="0"/>'
MJCF = f'<mujoco model="two"><worldbody><body name="a"><joint/>{GEOM}</body></worldbody></mujoco>'


@pytest.mark.parametrize("suffix", [".urdf", ".xml", ".URDF", "", ".txt"])
def test_what_a_file_is_stands_in_the_file(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"robot{suffix}"
    path.write_text(f"<?xml version='1.0'?>\n<!-- made by hand -->\n{URDF}")
    assert pp.load(path).name == "one"
    pytest.importorskip("mujoco")
    path.write_text(MJCF)
    assert pp.load(path).name == "two"


def test_open_files() -> None:
    assert pp.load(io.StringIO(URDF)).name == "one"
    assert pp.load(io.BytesIO(URDF.encode()), base="free").nv == 6
    pytest.importorskip("mujoco")
    assert pp.load(io.StringIO(MJCF)).name == "two"
    assert pp.load_mjcf(io.BytesIO(MJCF.encode())).name == "two"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.xml", "<sdf/>", "the root element is <sdf>, expected <robot> or <mujoco>. phipsi reads URDF and MJCF."),
        (
            "a.xml",
            "<mujocoinclude/>",
            "the root element is <mujocoinclude>, expected <robot> or <mujoco>. Load the file that includes this one.",
        ),
        (
            "a.urdf.xacro",
            "",
            "phipsi does not read .xacro files. Run 'xacro robot.urdf.xacro > robot.urdf' and load the result.",
        ),
        ("a.sdf", "", "phipsi does not read .sdf files. Convert it to URDF or MJCF."),
        ("a.urdf", "", 'it is empty. A URDF begins with <robot name="...">, an MJCF model with <mujoco>.'),
    ],
)
def test_what_is_not_read(tmp_path: Path, name: str, text: str, message: str) -> None:
    path = tmp_path / name
    path.write_text(text)
    with pytest.raises(pp.FileError) as caught:
        pp.load(path)
    assert str(caught.value) == f"{path}: {message}"


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    """A stand-in for robot_descriptions, with robots in `tmp_path`."""
    (tmp_path / "one.urdf").write_text(URDF)
    (tmp_path / "two.xml").write_text(MJCF)
    described = {
        "one_description": {"URDF_PATH": str(tmp_path / "one.urdf")},
        "two_mj_description": {"MJCF_PATH": str(tmp_path / "two.xml")},
        "none_description": {},
        "macro_description": {"XACRO_PATH": "macro.xacro"},
        "lost_description": None,
    }
    package, index = ModuleType("robot_descriptions"), ModuleType("robot_descriptions._descriptions")
    package.__path__ = [str(tmp_path)]
    index.__dict__["DESCRIPTIONS"] = described
    monkeypatch.setitem(sys.modules, "robot_descriptions", package)
    monkeypatch.setitem(sys.modules, "robot_descriptions._descriptions", index)
    for name, content in described.items():
        if content is not None:
            module = ModuleType(f"robot_descriptions.{name}")
            module.__dict__.update(content)
            monkeypatch.setitem(sys.modules, f"robot_descriptions.{name}", module)
    (tmp_path / "lost_description.py").write_text("raise OSError('Could not resolve host: example.org')")
    return tmp_path


@pytest.mark.usefixtures("library")
def test_descriptions() -> None:
    assert pp.load_description("one").name == "one"
    assert pp.load_description("one_description", base="free").nv == 6
    pytest.importorskip("mujoco")
    assert pp.load_description("two_mj").name == "two"


@pytest.mark.usefixtures("library")
@pytest.mark.parametrize(
    ("name", "message"),
    [
        (
            "lost",
            "lost: the description could not be fetched: Could not resolve host: example.org. It is downloaded when "
            "first used: check the network and that git is installed, then try again.",
        ),
        ("none", "none: the description has neither a URDF nor an MJCF file. Choose another one."),
        (
            "ona",
            "robot_descriptions has no robot named 'ona'. Did you mean 'one'? "
            "It has 'lost', 'macro', 'none', 'one', 'two_mj'.",
        ),
    ],
)
def test_descriptions_that_cannot_be_had(name: str, message: str) -> None:
    with pytest.raises(pp.PhipsiError) as caught:
        pp.load_description(name)
    assert str(caught.value) == message


@pytest.mark.usefixtures("library")
def test_descriptions_in_xacro() -> None:
    with pytest.raises(pp.FileError, match="It is written in xacro: pip install xacrodoc, and try again"):
        pp.load_description("macro")


def test_without_robot_descriptions(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "robot_descriptions", None)
    monkeypatch.delitem(sys.modules, "robot_descriptions._descriptions", raising=False)
    with pytest.raises(pp.FileError) as caught:
        pp.load_description("panda")
    remedy = "Install it: pip install 'phipsi[descriptions]'."
    assert str(caught.value) == f"panda: reading it needs the package robot_descriptions. {remedy}"


def test_the_real_package_knows_its_robots() -> None:
    pytest.importorskip("robot_descriptions")
    with pytest.raises(pp.UnknownName, match="Did you mean 'panda'"):
        pp.load_description("pandaa")
