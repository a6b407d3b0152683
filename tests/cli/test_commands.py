"""The commands: what they print and write, in words and as JSON, and their exit codes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import phipsi as pp
from phipsi import cli

Capture = pytest.CaptureFixture[str]


def told(capsys: Capture, *arguments: str, code: int = 0) -> str:
    assert cli.main(list(arguments)) == code
    return capsys.readouterr().out


def facts(capsys: Capture, *arguments: str) -> dict[str, Any]:
    return json.loads(told(capsys, *arguments, "--json"))


def test_info_of_the_zoo(capsys: Capture) -> None:
    printed = told(capsys, "info", "zoo:dual_arm_satellite")
    assert "15 bodies, 20 degrees of freedom (nq = 21)" in printed
    assert "passive  6 dofs: base" in printed
    assert facts(capsys, "info", "zoo:chain:12")["bodies"] == 12


def test_simulate_tells_what_came_of_it(capsys: Capture, tmp_path: Path) -> None:
    report, saved = tmp_path / "r.html", tmp_path / "run.npz"
    printed = told(
        capsys, "simulate", "zoo:pendulum", "--set", "rod=0.5", "--until", "0.5", "--report", str(report),
        "--save", str(saved),
    )  # fmt: skip
    assert "pendulum: 500 steps (rk4) to t = 0.5 s" in printed
    assert f"report   {report}" in printed
    assert "data-scene" in report.read_text(encoding="utf-8")
    run = pp.Trajectory.load(saved)
    assert run.q[0, 0] == 0.5
    assert run.t[-1] == pytest.approx(0.5)
    page = tmp_path / "run.html"
    told(capsys, "view", str(saved), "--trace", "tip", "--save", str(page), "--no-open")
    assert "path of tip" in page.read_text(encoding="utf-8")


@pytest.mark.parametrize("control", ["none", "gravity", "hold"])
def test_controls(control: str, capsys: Capture) -> None:
    arguments = ("--set", "joint2=0.4", "--until", "0.3", "--control", control, "--method", "euler")
    made = facts(capsys, "simulate", "zoo:arm", *arguments)
    assert made["finite"]
    assert (made["steps"], made["method"], made["nv"]) == (300, "euler", 7)
    if control == "none":
        assert made["energy_change"] < 0.05 * abs(made["energy_start"])
    else:  # it stays where it is
        assert made["energy_change"] < 1e-6


def test_many_states(capsys: Capture) -> None:
    made = facts(capsys, "simulate", "zoo:double_pendulum", "--states", "5", "--until", "0.1")
    assert (made["states"], made["steps"]) == (5, 500)


def test_a_motion_that_loses_its_numbers_is_1(capsys: Capture) -> None:
    with pytest.warns(UserWarning, match="no state is finite"):
        told(capsys, "simulate", "zoo:chain:30", "--start", "random", "--until", "500", "--step", "1.0", code=1)


def test_view_writes_a_page(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[str] = []
    monkeypatch.setattr("webbrowser.open", opened.append)
    path = tmp_path / "page.html"
    assert told(capsys, "view", "zoo:hand", "--save", str(path), "--no-open").strip() == str(path)
    assert path.read_text(encoding="utf-8").startswith("<!doctype html>")
    assert opened == []
    shown = Path(told(capsys, "view", "zoo:arm", "--random", "3").strip())
    assert opened == [shown.as_uri()]
    shown.unlink()


def test_bench(capsys: Capture) -> None:
    made = facts(capsys, "bench", "zoo:arm", "--seconds", "0.001", "--states", "64")
    assert made["states"] == 64
    for row in made["verbs"].values():
        assert 0 < row["batch_seconds_per_state"] < row["single_seconds"] < 0.1
    assert "forward_dynamics" in told(capsys, "bench", "zoo:arm", "--seconds", "0.001", "--states", "8")


def test_demo_lists_and_runs(capsys: Capture, tmp_path: Path) -> None:
    assert "capture" in told(capsys, "demo", "--list")
    assert "fourbar" in facts(capsys, "demo", "--list")
    path = tmp_path / "four.html"
    made = facts(capsys, "demo", "fourbar", "--fast", "--report", str(path))
    assert made["closure_error"] < 1e-9
    assert made["report"] == str(path)
    assert path.exists()
    printed = told(capsys, "demo", "fourbar", "--fast", "--no-report")
    assert "loop closed to" in printed
    assert "look at it" not in printed


@pytest.mark.parametrize(
    "arguments",
    [
        ["info", "zoo:amr"], ["view", "zoo:chain:x"], ["simulate", "zoo:arm", "--until", "-1"],
        ["simulate", "zoo:arm", "--set", "joint9=1"], ["simulate", "zoo:arm", "--set", "joint1=high"],
        ["simulate", "zoo:arm", "--method", "magic"], ["simulate", "zoo:dual_arm_satellite", "--set", "base=1"],
        ["bench", "zoo:arm", "--states", "0"], ["demo", "dance"],
    ],
    ids=" ".join,
)  # fmt: skip
def test_what_is_not_understood_is_2(arguments: list[str], capsys: Capture) -> None:
    assert cli.main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.err.strip()
    assert "Traceback" not in captured.err


@pytest.mark.parametrize("command", ["simulate", "view", "bench"])
def test_a_file_that_is_not_there_is_1(command: str, capsys: Capture) -> None:
    assert cli.main([command, "gone.urdf"]) == 1
    assert "there is no such file" in capsys.readouterr().err


def test_files_that_cannot_be_written_are_told_of_before_anything_runs(capsys: Capture, tmp_path: Path) -> None:
    for command in (
        ("simulate", "zoo:arm", "--save"),
        ("simulate", "zoo:arm", "--report"),
        ("view", "zoo:arm", "--save"),
    ):
        told(capsys, *command, str(tmp_path / "none" / "file.npz"), code=2)
        told(capsys, *command, str(tmp_path), code=2)
    told(capsys, "simulate", "zoo:arm", "--save", str(tmp_path / "run.csv"), code=2)
    told(capsys, "demo", "fourbar", "--fast", "--report", str(tmp_path / "none" / "r.html"), code=2)
    assert not list(tmp_path.iterdir())


def test_view_opens_what_it_saved(capsys: Capture, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    page = tmp_path / "page.html"
    assert told(capsys, "view", "zoo:box", "--save", str(page)).split() == [str(page)]
    assert shown == [page.as_uri()]


def test_a_step_longer_than_the_run_and_a_run_that_is_lost(capsys: Capture) -> None:
    assert facts(capsys, "simulate", "zoo:box", "--step", "10", "--until", "1")["steps"] == 1
    with pytest.warns(pp.errors.SimulationWarning, match="no state is finite"):
        printed = told(
            capsys, "simulate", "zoo:every_joint", "--start", "random", "--until", "1", "--control", "hold", code=1
        )
    assert "the motion has no numbers any more" in printed
    told(capsys, "info", "zoo:chain:99999999999999999999", code=2)
