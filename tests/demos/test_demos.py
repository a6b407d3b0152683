"""The demos do what they say, in their fast versions; the capture also through its own physics."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest

import phipsi as pp
from phipsi import demos
from phipsi.demos import capture
from phipsi.demos.stage import Outcome, Stage


@pytest.fixture(scope="module")
def caught() -> Outcome:
    return demos.run("capture", fast=True, quiet=True)[0]


def test_the_capture_keeps_what_physics_keeps(caught: Outcome) -> None:
    run, numbers = caught.run, caught.numbers
    h = run.robot.momentum(run.q, run.v)
    assert np.abs(h - h[0]).max() < 1e-5 * np.abs(h).max()
    assert numbers["closure_error"] < 1e-9
    apart = np.abs(h - h[0]).max() / np.abs(h).max()
    assert numbers["momentum_drift"] == pytest.approx(apart)


def test_the_target_turns_and_the_base_does_not(caught: Outcome) -> None:
    numbers = caught.numbers
    assert numbers["hands_missed_by"] < 2e-3
    assert np.degrees(numbers["target_turned"]) == pytest.approx(40, abs=1)
    assert np.degrees(numbers["base_turned_meanwhile"]) < 0.05


def test_no_force_comes_from_outside(caught: Outcome) -> None:
    """The recorded torques are zero where there is no motor."""
    run = caught.run
    assert not run.tau[:, run.robot.passive].any()
    assert run.tau[:, ~run.robot.passive].any()


def test_the_hands_stay_where_they_took_hold(caught: Outcome) -> None:
    run, robot = caught.run, caught.run.robot
    held = run.t > capture.REACH + 1e-9
    for hand, handle in zip(capture.HANDS, capture.HANDLES, strict=True):
        apart = robot.pose(run.q[held], handle).inv @ robot.pose(run.q[held], hand)
        assert np.ptp(apart.position, axis=0).max() < 1e-9


@pytest.mark.parametrize("name", [name for name in demos.DEMOS if name not in ("capture", "acrobot")])
def test_the_other_demos_run_and_tell(name: str, tmp_path: Path) -> None:
    found, path = demos.run(name, tmp_path / "report.html", fast=True, quiet=True)
    assert path is not None
    assert path.stat().st_size > 50_000
    assert found.facts
    assert all(np.isfinite(value) for value in found.numbers.values())
    assert np.isfinite(found.run.q).all()


def test_what_is_said_meanwhile() -> None:
    out = io.StringIO()
    stage = Stage(2, out)
    with stage.step("first"):
        pass
    assert out.getvalue().startswith("[1/2] first ... ")
    assert out.getvalue().endswith(" s\n")


def test_unknown_demos() -> None:
    with pytest.raises(pp.OptionError, match="Did you mean 'capture'"):
        demos.run("captur")


def test_the_acrobot_stands_in_the_end() -> None:
    found = demos.run("acrobot", fast=True, quiet=True)[0]
    numbers = found.numbers
    assert np.isfinite(found.run.q).all()
    assert numbers["tip"] > 1.98
    assert numbers["stands_since"] < 4.5
    assert numbers["shoulder_torque"] == 0
