"""The command line: what it prints, and its exit codes."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import phipsi as pp
from phipsi import cli

URDF = """
<robot name="two">
  <link name="floor"/>
  <link name="upper"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <link name="lower"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="shoulder" type="revolute"><parent link="floor"/><child link="upper"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="elbow" type="prismatic"><parent link="upper"/><child link="lower"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""


@pytest.fixture
def urdf(tmp_path: Path) -> str:
    path = tmp_path / "two.urdf"
    path.write_text(URDF, encoding="utf-8")
    return str(path)


Capture = pytest.CaptureFixture[str]


def test_papers_prints_a_row_for_each_equation(capsys: Capture) -> None:
    assert cli.main(["papers", "RK88", "--section", "4", "--robots", "2"]) == 0
    printed = capsys.readouterr().out
    assert "4.16" in printed
    assert "𝓜⁻¹ = (1 - HΨL)* D⁻¹ (1 - HΨL)" in printed
    assert "5.16" not in printed


def test_papers_json(capsys: Capture) -> None:
    assert cli.main(["papers", "--json", "--robots", "2", "--seed", "3"]) == 0
    rows = json.loads(capsys.readouterr().out)
    types = {
        **dict.fromkeys(("paper", "section", "section_title", "ref", "title", "status", "statement"), str),
        **dict.fromkeys(("printed", "note", "error"), str),
        **dict.fromkeys(("residual", "tolerance"), float),
        "passed": bool,
    }
    for row in rows:
        assert {*types, "printed_residual"} == set(row)
        assert all(isinstance(row[key], kind) for key, kind in types.items())
        assert row["passed"]
        assert row["residual"] <= row["tolerance"]
        assert row["status"] in ("as printed", "misprinted", "definition")
    assert len({(row["paper"], row["ref"]) for row in rows}) == len(rows) > 150


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["paper"],
        ["papers", "XX99"],
        ["papers", "--section", "99"],
        ["papers", "--robots", "0"],
        ["papers", "--robots", "many"],
        ["papers", "--seed", "-1"],
        ["info"],
        ["info", "x.urdf", "--base", "loose"],
    ],
    ids=" ".join,
)
def test_what_is_not_understood_is_2(arguments: list[str], capsys: Capture) -> None:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out + captured.err


def test_help_and_version(capsys: Capture) -> None:
    assert cli.main(["--help"]) == 0
    printed = capsys.readouterr().out
    assert all(command in printed for command in cli.COMMANDS)
    for command in cli.COMMANDS:
        assert cli.main([command, "--help"]) == 0
        assert "exit codes" in capsys.readouterr().out
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out == f"phipsi {pp.__version__}\n"


def test_info(urdf: str, capsys: Capture) -> None:
    assert cli.main(["info", urdf]) == 0
    printed = capsys.readouterr().out
    assert "two: 2 bodies, 2 degrees of freedom (nq = 2), 3 kg" in printed
    assert "passive  0 dofs\n" in printed
    assert "lower  (prismatic 'elbow', 1 dof, 1 kg)" in printed


def test_info_json(urdf: str, capsys: Capture) -> None:
    assert cli.main(["info", urdf, "--json", "--base", "free"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert (facts["name"], facts["nv"], facts["passive_dofs"], facts["mass"]) == ("two", 8, 6, 3.0)
    base, shoulder, elbow = facts["joints"]
    assert base["passive"] == [True] * 6
    assert (shoulder["joint"], shoulder["parent"]) == ("shoulder", "floor")
    assert (elbow["type"], elbow["body"], elbow["mass"]) == ("prismatic", "lower", 1.0)


def test_info_tells_warnings(urdf: str, capsys: Capture) -> None:
    path = Path(urdf)
    path.write_text(URDF.replace("<robot", '<robot version="9"').replace("</robot>", "<wing/></robot>"), "utf-8")
    assert cli.main(["info", urdf, "--json"]) == 0
    remarks = json.loads(capsys.readouterr().out)["warnings"]
    assert any("wing" in remark for remark in remarks)
    assert cli.main(["info", urdf]) == 0
    assert f"warning: {remarks[0]}" in capsys.readouterr().out


def test_a_file_that_cannot_be_read_is_1(tmp_path: Path, capsys: Capture) -> None:
    assert cli.main(["info", str(tmp_path / "none.urdf")]) == 1
    assert "there is no such file" in capsys.readouterr().err
    broken = tmp_path / "broken.urdf"
    broken.write_text("<robot", encoding="utf-8")
    assert cli.main(["info", str(broken)]) == 1
    assert capsys.readouterr().err.startswith("phipsi: ")


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    import os

    command = [sys.executable, "-m", "phipsi.cli", *arguments]
    return subprocess.run(command, capture_output=True, env={**os.environ, **environment}, check=False)


def test_as_a_process_even_without_greek_letters() -> None:
    done = run("papers", "--section", "5", "--robots", "1", PYTHONIOENCODING="ascii")
    assert done.returncode == 0, done.stderr
    assert b"5.16" in done.stdout


def test_a_reader_that_stops_early_is_no_failure() -> None:
    code = f"{sys.executable} -m phipsi.cli papers --robots 1 | head -1; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_json_of_a_process_is_pure() -> None:
    done = run("papers", "--json", "--section", "6", "--robots", "1")
    assert json.loads(done.stdout.decode("utf-8"))[0]["ref"] == "6, text"
