"""Reports and views as files: whole, offline, telling what the run did; and what is refused."""

from __future__ import annotations

import base64
import json
import re
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import phipsi as pp
from phipsi.show.charts import Chart, nice_ticks, spell, svg
from phipsi.show.quantities import Quantities
from phipsi.show.record import read

from .runs import arms, flight, satellite


def scene(html: str) -> dict[str, Any]:
    return json.loads(re.search(r'id="scene">(.*?)</script>', html, re.DOTALL)[1])  # type: ignore[index]


def numbers(text: str, dtype: str = "<f4") -> np.ndarray:
    return np.frombuffer(base64.b64decode(text), dtype)


def test_a_report_is_one_file_that_fetches_nothing(tmp_path: Path) -> None:
    path = tmp_path / "report.html"
    page = pp.report(satellite(), path, title="Drift <&>", text="No thrust.", facts={"score": 1.5})
    html = path.read_text(encoding="utf-8")
    assert html == page.html
    assert "<h1>Drift &lt;&amp;&gt;</h1>" in html
    outside = re.sub(r"http://www\.w3\.org/2000/svg", "", html)
    assert not re.search(r"https?://|src=|@import|fetch\(|XMLHttp|url\(", outside)
    assert html.count('<svg class="chart"') >= 8
    assert "No thrust." in html
    assert '<th scope="row">score</th><td class="number">1.5</td>' in html


def test_the_replay_has_the_poses_of_the_run() -> None:
    run = satellite(steps=30)
    facts = scene(pp.report(run).html)
    times = numbers(facts["times"], "<f8")
    poses = numbers(facts["poses"]).reshape(times.size, facts["bodies"], 7)
    at = np.searchsorted(run.t, times)
    want = run.robot.poses(run.q[at])
    np.testing.assert_allclose(poses[:, :-1, 4:], want.position, atol=1e-6)
    np.testing.assert_allclose(poses[:, :-1, :4], want.quaternion, atol=1e-6)
    np.testing.assert_allclose(poses[:, -1], np.broadcast_to([1, 0, 0, 0, 0, 0, 0], (times.size, 7)))
    assert (times[0], times[-1]) == (run.t[0], run.t[-1])


def test_numbers_are_those_of_the_run() -> None:
    run = satellite()
    told = Quantities(read(run))
    np.testing.assert_allclose(told.momentum, run.robot.momentum(run.q, run.v))
    away, turned = told.base_motion
    np.testing.assert_allclose(away[-1], run.q[-1, 4:7] - run.q[0, 4:7])
    w = abs(np.sum(run.q[-1, :4] * run.q[0, :4]))
    np.testing.assert_allclose(turned[-1], 2 * np.arccos(w), atol=1e-7)
    drift = np.abs(told.momentum - told.momentum[0]).max() / np.abs(told.momentum).max()
    assert f"<b>{drift:.1e}</b><span>momentum drift (relative)</span>" in pp.report(run).html


def test_a_batch_stands_beside_each_other() -> None:
    run = arms(9)
    facts = scene(pp.view(run, open=False).html)
    assert facts["bodies"] == 9 * 8
    poses = numbers(facts["poses"]).reshape(-1, 9, 8, 7)
    stands = poses[0, :, -1, 4:]
    apart = np.linalg.norm(stands[:, None] - stands[None], axis=-1) + 10 * np.eye(9)
    assert apart.min() > 0.5
    assert scene(pp.view(run, states=[2, 5], open=False).html)["bodies"] == 16
    assert "9 of 9 states are drawn" in pp.report(run).html


def test_the_page_stays_small_for_long_runs_of_many_bodies() -> None:
    robot = pp.zoo.chain(300)
    q = np.zeros((4000, 300))
    run = SimpleNamespace(robot=robot, t=np.linspace(0, 100, 4000), q=q, v=q)
    page = pp.view(run, open=False)
    assert len(page.html) < 9e6


def test_states_without_numbers_are_shown_where_the_robot_was_last() -> None:
    run = arms(1)
    run.q[-5:] = np.nan
    poses = numbers(scene(pp.view(run, open=False).html)["poses"])
    assert np.isfinite(poses).all()
    html = pp.report(run).html
    assert "NaN" not in re.sub(r"<script.*?</script>", "", html, flags=re.DOTALL).replace(">nan<", "")


@pytest.mark.parametrize(
    "robot", [pp.Builder("nothing").build(), pp.zoo.box(), pp.zoo.cartpole(), pp.zoo.hand()], ids=lambda r: r.name
)
def test_any_robot_can_be_seen_and_reported(robot: pp.Robot) -> None:
    assert scene(pp.view(robot, open=False).html)["bodies"] == robot.n + 1
    q, v = robot.random(rng=0)
    assert pp.report(flight(robot, q, v, steps=3)).html


def test_runs_of_one_state_or_of_no_states() -> None:
    arm = pp.zoo.arm()
    one = SimpleNamespace(robot=arm, t=np.zeros(1), q=np.zeros((1, 7)), v=np.zeros((1, 7)))
    assert "<figure>" not in pp.report(one).html
    none = SimpleNamespace(robot=arm, t=np.zeros(2), q=np.zeros((2, 0, 7)), v=np.zeros((2, 0, 7)))
    assert "holds no states" in pp.report(none).html
    assert scene(pp.view(none, open=False).html)["bodies"] == 8
    assert scene(pp.view(arm, np.zeros((4, 7)), open=False).html)["bodies"] == 32


def test_contacts_torques_and_closure_are_shown_where_a_run_has_them() -> None:
    run = arms(1)
    run.q, run.v = run.q[:, 0], run.v[:, 0]
    run.tau = np.ones_like(run.v)
    run.closure = np.full(run.t.size, 1e-12)
    html = pp.report(run).html
    assert "Joint torques" in html
    assert "<b>1.0e-12</b><span>closure error, at most</span>" in html
    assert "Energy: change" not in html  # a driven robot need not keep its energy


def test_what_is_refused() -> None:
    run = arms(2)
    with pytest.raises(pp.OptionError, match=r"numbers from 0 to 1 of the 2 in the run, got 7"):
        pp.view(run, states=7, open=False)
    with pytest.raises(pp.PhipsiError, match="as simulate returns; str 'run' has no robot"):
        pp.report("run")
    with pytest.raises(pp.ShapeError, match=r"run\.q .* must have shape \(21, 7\)"):
        pp.report(SimpleNamespace(robot=run.robot, t=run.t, q=np.zeros((21, 6)), v=np.zeros((21, 7))))
    with pytest.raises(pp.ShapeError, match="Record at least"):
        pp.report(SimpleNamespace(robot=run.robot, t=np.zeros(0), q=np.zeros((0, 7)), v=np.zeros((0, 7))))
    with pytest.raises(pp.PhipsiError, match="a run has its own"):
        pp.view(run, np.zeros(7), open=False)
    with pytest.raises(pp.ShapeError, match=r"\(\*batch, 7\)"):
        pp.view(run.robot, np.zeros(6), open=False)


def test_charts_have_gaps_decades_and_round_ticks() -> None:
    t = np.linspace(0, 1, 5000)
    y = np.sin(40 * t)
    y[1000:1200] = np.nan
    drawn = svg(Chart("wave", "", t, [("wave", y)]))
    path = re.search(r'class="line"[^>]* d="([^"]*)"', drawn)[1]  # type: ignore[index]
    assert path.count("M") == 2
    assert len(path) < 40_000
    heights = np.array([float(pair.split()[1]) for pair in re.split("[ML]", path) if pair])
    assert np.ptp(heights) > 150
    assert "10<tspan" in svg(Chart("log", "", t, [("", np.exp(-30 * t))], log=True))
    assert svg(Chart("none", "", t, [("", np.full(5000, np.nan))], log=True))
    assert nice_ticks(-0.03, 0.07) == [-0.02, 0.0, 0.02, 0.04, 0.06]
    assert (spell(-1e-7), spell(12.5)) == ("−1e−7", "12.5")


def test_open_shows_the_page_in_the_browser(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[str] = []
    monkeypatch.setattr("webbrowser.open", shown.append)
    page = pp.view(pp.zoo.box())
    assert shown[0].startswith("file://")
    path = Path(shown[0].removeprefix("file://"))
    assert path.read_text(encoding="utf-8") == page.html
    path.unlink()
    assert page._repr_html_().startswith("<iframe srcdoc=")


def test_contact_forces_are_arrows_on_the_tips() -> None:
    arm = pp.zoo.planar_arm(3, gravity=(0, -9.81, 0))
    q = np.array([0.3, 0.8, -0.5])
    closed = arm.close(pp.Loop("tip", "world", pp.contact.point(), at=q))
    run = pp.simulate(closed, q, until=0.1, step=5e-3, progress=False)
    (arrows,) = scene(pp.view(run, open=False).html)["arrows"]
    times = numbers(scene(pp.view(run, open=False).html)["times"], "<f8")
    data = numbers(arrows["data"]).reshape(-1, 1, 6)
    at = np.searchsorted(run.t, times)
    np.testing.assert_allclose(data[:, 0, :3], arm.pose(run.q[at], "tip").position, atol=1e-6)
    q, v, tau = run.q[at], run.v[at], run.tau[at]
    wrench = closed.forward_dynamics(q, v, tau).wrenches[:, 0, 3:]
    sizes = np.linalg.norm(wrench, axis=1, keepdims=True)
    shown = data[:, 0, 3:]
    directions = shown / np.linalg.norm(shown, axis=1, keepdims=True)
    np.testing.assert_allclose(directions, wrench / sizes, atol=1e-4)
    assert sizes.min() > 1.0  # it hangs on its tip


def test_a_run_plots_and_shows_itself_with_its_events() -> None:
    arm = pp.zoo.arm()
    run = pp.simulate(arm, arm.neutral(), until=0.1, step=1e-2, progress=False)
    run.events = ((0.05, "half way"),)
    assert scene(run.show(open=False).html)["events"] == [[0.05, "half way"]]
    assert scene(pp.report(run).html)["events"] == [[0.05, "half way"]]
    assert 'class="event" d="M' in pp.report(run).html


def test_a_sweep_moves_one_joint_after_another_within_its_limits() -> None:
    arm = pp.zoo.arm()
    facts = scene(pp.view(arm, sweep=True, open=False).html)
    assert [name for _, name in facts["events"]] == list(arm.joint_names)
    times = numbers(facts["times"], "<f8")
    assert times[-1] == 7.0
    poses = numbers(facts["poses"]).reshape(times.size, 8, 7)
    np.testing.assert_allclose(poses[-1], poses[0], atol=1e-6)  # back where it began
    hand = 6
    during = (times > 6.0) & (times < 7.0)
    np.testing.assert_allclose(
        poses[during, hand, 4:], np.broadcast_to(poses[0, hand, 4:], (during.sum(), 3)), atol=1e-6
    )
    assert np.abs(poses[during, hand, :4] - poses[0, hand, :4]).max() > 0.1
    assert len(scene(pp.view(pp.zoo.hand(), sweep=True, open=False).html)["events"]) == pp.zoo.hand().nv
    assert scene(pp.view(pp.zoo.box(), sweep=True, open=False).html)["events"] == []


def test_a_point_that_does_not_move_is_drawn() -> None:
    b = pp.Builder("post")
    b.body("post", parent="world", joint=pp.Fixed(), mass=1.0)
    run = pp.simulate(b.build(), np.zeros(0), until=0.01, step=1e-3)
    assert "post" in pp.report(run).html
    assert "post" in pp.view(b.build(), open=False).html


def test_what_cannot_be_drawn_is_told() -> None:
    arm = pp.zoo.arm()
    for what in (arm, pp.simulate(arm, np.zeros((3, 7)), until=0.01, step=1e-3)):
        with pytest.raises(pp.errors.UnknownName, match="no frame named 'nope'"):
            pp.view(what, trace=["nope"], open=False)
    with pytest.raises(pp.errors.OptionError, match="the run has no states"):
        pp.simulate(arm, np.zeros((0, 7)), until=0.01, step=1e-3).plot()
    with pytest.raises(pp.errors.OptionError, match="what must be one of"):
        pp.simulate(arm, np.zeros(7), until=0.01, step=1e-3).plot(3)
