"""Plots: every panel, as files a journal takes; nothing left behind in matplotlib's global state."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phipsi as pp

pytest.importorskip("matplotlib")
pytestmark = pytest.mark.filterwarnings("default")  # what matplotlib imports is not ours to judge

from .runs import arms, satellite  # noqa: E402


def curve(figure: Any, panel: int = 0, line: int = 0) -> np.ndarray:
    return np.asarray(figure.axes[panel].lines[line].get_ydata())


def test_a_plot_shows_what_the_run_has() -> None:
    run = satellite()
    figure = pp.show.plot(run)
    said = " ".join(axes.get_ylabel() for axes in figure.axes)
    assert all(word in said for word in ("$q$", "$v$", "base", "energy", "momentum", "$|h - h_0|$"))
    assert "closure" not in said
    np.testing.assert_array_equal(curve(figure), run.q[:, 7])


def test_one_panel_fills_a_column_and_several_a_page(tmp_path: Path) -> None:
    run = satellite()
    one = pp.show.plot(run, "momentum", path=tmp_path / "one.pdf")
    many = pp.show.plot(run, ["energy", "base"], path=tmp_path / "many.svg")
    assert (one.get_size_inches()[0], many.get_size_inches()[0]) == (3.45, 7.1)
    assert b"Type3" not in (tmp_path / "one.pdf").read_bytes()
    assert "<text" in (tmp_path / "many.svg").read_text(encoding="utf-8")  # words stay words


def test_a_joint_or_a_state_can_be_chosen() -> None:
    run = arms(3)
    figure = pp.show.plot(run, ["coordinates", "velocities"], joints=["joint4"], state=2)
    assert [len(axes.lines) for axes in figure.axes] == [1, 1]
    np.testing.assert_array_equal(curve(figure, 0), run.q[:, 2, 3])
    np.testing.assert_array_equal(curve(figure, 1), run.v[:, 2, 3])


def test_torques_and_closure_of_a_driven_closed_run() -> None:
    run = arms(1)
    run.tau, run.closure = run.v.copy(), np.full((*run.t.shape, 1), 1e-12)
    assert curve(pp.show.plot(run, "closure")).max() == 1e-12
    assert len(pp.show.plot(run, "torques").axes[0].lines) == 7
    said = [axes.get_ylabel() for axes in pp.show.plot(run).axes]
    assert not any("E_0" in label for label in said)


def test_no_figure_is_left_open() -> None:
    pyplot = pytest.importorskip("matplotlib.pyplot")
    before, size = pyplot.get_fignums(), pyplot.rcParams["font.size"]
    pp.show.plot(arms(1), "energy")
    assert (pyplot.get_fignums(), pyplot.rcParams["font.size"]) == (before, size)


def test_what_is_refused() -> None:
    run = arms(1)
    with pytest.raises(pp.OptionError, match="Did you mean 'energy'"):
        pp.show.plot(run, "enrgy")
    with pytest.raises(pp.OptionError, match="no closure error"):
        pp.show.plot(run, "closure")
    with pytest.raises(pp.OptionError, match="no base on a free joint"):
        pp.show.plot(run, "base")
    with pytest.raises(pp.OptionError, match="no torques"):
        pp.show.plot(run, "torques")


def test_without_matplotlib_the_remedy_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "matplotlib.figure", None)
    with pytest.raises(pp.MissingPackage, match=r"pip install 'phipsi\[plot\]'"):
        pp.show.plot(arms(1))
