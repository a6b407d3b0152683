"""The progress line: quiet on short runs and in pipes, one line that is redrawn and wiped in terminals."""

from __future__ import annotations

import io
import sys

import pytest

import phipsi as pp
from phipsi.motion import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("PATIENCE", "REDRAW", "PLAIN"):
        monkeypatch.setattr(progress, name, 0.0)


def run(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, **options: object) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    arm = pp.zoo.arm()
    pp.simulate(arm, arm.neutral(), until=0.2, step=1e-3, **options)
    return stream.getvalue()


@pytest.mark.usefixtures("impatient")
def test_in_a_terminal_one_line_is_redrawn_and_wiped(monkeypatch: pytest.MonkeyPatch) -> None:
    said = run(monkeypatch, Terminal())
    assert "simulate: t = " in said
    assert "of 0.2 s (100%)" in said
    assert "\n" not in said
    assert said.endswith("\r")
    assert run(monkeypatch, Terminal(), progress=False) == ""


@pytest.mark.usefixtures("impatient")
def test_in_a_pipe_it_is_quiet_unless_asked_and_then_plain(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, io.StringIO()) == ""
    said = run(monkeypatch, io.StringIO(), progress=True)
    assert "\r" not in said
    assert said.count("\n") >= 1


def test_short_runs_are_quiet(monkeypatch: pytest.MonkeyPatch) -> None:
    assert run(monkeypatch, Terminal()) == ""


def test_hours_read_well() -> None:
    assert progress._clock(59.6) == "1:00"
    assert progress._clock(3725) == "1:02:05"
    assert progress._clock(float("inf")) == "?"


def test_plots_and_views_are_those_of_show(monkeypatch: pytest.MonkeyPatch) -> None:
    from phipsi import show

    arm = pp.zoo.arm()
    made = pp.simulate(arm, arm.neutral(), until=0.01, step=1e-3)
    monkeypatch.setattr(show, "plot", lambda run, *a, **o: ("plot", run, a, o))
    monkeypatch.setattr(show, "show", lambda run, *a, **o: ("show", run, a, o))
    assert made.plot("q", title="x") == ("plot", made, ("q",), {"title": "x"})
    assert made.show(open=False) == ("show", made, (), {"open": False})
