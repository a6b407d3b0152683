"""A report of a run in one HTML file: a 3D replay, curves, numbers; it opens without a network."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

import phipsi
from phipsi.model.reading import Floats

from .charts import Chart, figure, spell
from .page import VIEWER, Page, table
from .quantities import Quantities
from .record import Record, read
from .viewing import scene_for

MOST_CURVES = 10

Facts = Mapping[str, object]


def report(
    run: Any,
    path: str | os.PathLike[str] | None = None,
    *,
    title: str = "",
    text: str = "",
    facts: Facts | None = None,
    events: Sequence[tuple[float, str]] | None = None,
    states: int | Sequence[int] | None = None,
    trace: Sequence[str] = (),
    meshes: str | os.PathLike[str] | None = None,
    package_dirs: str | os.PathLike[str] | Sequence[str | os.PathLike[str]] = (),
    speed: float = 1.0,
) -> Page:
    """One HTML file about a run: a 3D replay to play and scrub, curves that go with it, numbers; nothing is fetched.

    run: what `simulate` returns (robot, t, q, v, and tau, closure … where it has them); written to `path` if one is
    given. `facts` are more numbers to tell, name by name; `events` are (time, words) shown while the replay is there
    (default: the run's own).
    Of a batch the curves are those of the first of `states`. `trace`, `meshes` and `package_dirs` are those of `view`.
    Energy and momentum are computed from q and v anew, so the drifts are what the recorded states say.
    """
    record = read(run, states, "report")
    if not record.states:
        return _empty(record, path, title)
    told = Quantities(record)
    events = list(getattr(run, "events", ())) if events is None else events
    scene = scene_for(
        record, title=title, trace=trace, meshes=meshes, package_dirs=package_dirs, speed=speed, events=events
    )
    numbers = numbers_of(told)
    found = table([(name, _words(value)) for name, value in facts.items()]) if facts else ""
    cards = "".join(
        f'<div class="card"><b>{html.escape(value)}</b><span>{html.escape(name)}</span></div>'
        for name, value in numbers.items()
    )
    drawn = "".join(figure(chart) for chart in charts_of(told, events))
    body = (
        f"<main><h1>{html.escape(scene.title)}</h1>{_lead(record, text)}{VIEWER}"
        f'<div class="cards">{cards}</div>{found}<h2>Curves</h2><div class="charts">{drawn}</div>'
        f"<h2>Robot</h2>{table(_facts(record))}<pre>{html.escape(record.robot.tree())}</pre>"
        f"<footer>Written by phipsi {phipsi.__version__}. Drag to turn, shift-drag to move, wheel to zoom; click a "
        "curve to go to its time. This file holds everything it shows.</footer></main>"
    )
    page = Page(scene.title, body, scene)
    if path is not None:
        page.save(path)
    return page


def numbers_of(told: Quantities) -> dict[str, str]:
    """What is worth telling of a run at a glance, name by name."""
    record = told.record
    steps = int(getattr(record.run, "steps", 0) or 0)
    numbers = {"seconds": f"{record.span:.4g}", "bodies": str(told.robot.n), "degrees of freedom": str(told.robot.nv)}
    if len(record.batch):
        numbers["states"] = str(int(np.prod(record.batch)))
    if steps:
        numbers["steps"] = f"{steps:,}".replace(",", " ")
    if told.base is not None:
        away, turned = told.base_motion
        numbers["base moved, at most"] = f"{_most(np.linalg.norm(away, axis=-1)):.3g} m"
        numbers["base turned, at most"] = f"{np.degrees(_most(turned)):.3g}°"
    if told.floats and not told.robot.gravity.any():
        numbers["momentum drift (relative)"] = f"{_most(told.drift(told.momentum)):.1e}"
    if not told.driven:
        numbers["energy drift (relative)"] = f"{_most(told.drift(told.energy)):.1e}"
    if told.closure is not None:
        numbers["closure error, at most"] = f"{_most(told.closure):.1e}"
    return numbers


def charts_of(told: Quantities, events: Sequence[tuple[float, str]] = ()) -> list[Chart]:
    """The curves that this run has something to show in."""
    t, charts = told.t, list[Chart]()

    def add(title: str, unit: str, curves: Sequence[tuple[str, Floats]], log: bool = False) -> None:
        if curves and t.size > 1:
            shown = list(curves)[:MOST_CURVES]
            more = f", the first {MOST_CURVES} of {len(curves)}" if len(curves) > MOST_CURVES else ""
            charts.append(Chart(title + more, unit, t, shown, log, events))

    if told.base is not None:
        away, turned = told.base_motion
        add("Base position, since the start", "m", list(zip("xyz", away.T, strict=True)))
        add("Base attitude, since the start", "°", [("angle turned", np.degrees(turned))])
    add("Joint coordinates", "rad or m", told.coordinates())
    add("Joint velocities", "rad/s or m/s", told.velocities())
    add("Joint torques", "N m or N", told.torques())
    energies = [("kinetic", told.kinetic), ("potential", told.potential), ("total", told.energy)]
    add("Energy", "J", energies if np.ptp(told.potential) > 0 else energies[:1])
    if not told.driven:
        add("Energy: change since the start, relative", "", [("", told.drift(told.energy))], log=True)
    if told.floats and not told.robot.gravity.any():
        h = told.momentum
        add("Angular momentum about the origin", "N m s", list(zip("xyz", h[:, :3].T, strict=True)))
        add("Linear momentum", "N s", list(zip("xyz", h[:, 3:].T, strict=True)))
        add("Momentum: change since the start, relative", "", [("", told.drift(h))], log=True)
    if told.closure is not None:
        add("Closure error", "m or rad", [("largest", told.closure)], log=True)
    return charts


def _lead(record: Record, text: str) -> str:
    count, first = int(np.prod(record.batch)), record.chosen[0]
    shown = f"{record.states} of {count} states are drawn; curves are those of state {first}."
    words = " ".join(filter(None, (text, shown if record.batch else "")))
    return f'<p class="lead">{html.escape(words)}</p>' if words else ""


def _facts(record: Record) -> list[tuple[str, str]]:
    robot = record.robot
    passive = ", ".join(
        name for k, name in enumerate(robot.joint_names) if robot.passive[robot.v_index[k] : robot.v_index[k + 1]].any()
    )
    return [
        ("name", robot.name),
        ("bodies", str(robot.n)),
        ("degrees of freedom", f"{robot.nv} (nq = {robot.nq})"),
        ("mass", f"{robot.mass.sum():.6g} kg"),
        ("gravity", f"({', '.join(spell(x) for x in robot.gravity.tolist())}) m/s²"),
        ("passive joints", passive or "none"),
        ("recorded", f"{record.t.size} states from t = {record.t[0]:.6g} s to {record.t[-1]:.6g} s"),
    ]


def _most(values: Floats) -> float:
    known = values[np.isfinite(values)]
    return float(known.max()) if known.size else float("nan")


def _words(value: object) -> str:
    return f"{value:.4g}" if isinstance(value, float) else str(value)


def _empty(record: Record, path: str | os.PathLike[str] | None, title: str) -> Page:
    """A batch of no states has nothing to draw, and says so."""
    from .record import still

    name = title or record.robot.name
    body = f'<main><h1>{html.escape(name)}</h1><p class="lead">The run holds no states.</p>{VIEWER}</main>'
    page = Page(name, body, scene_for(still(record.robot), title=name))
    if path is not None:
        Path(page.save(path))
    return page
