"""Looking at a robot or a run in the browser: `pp.view`."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.robot import Robot

from . import overlays
from .geometry import Shape, shapes
from .meshes import Mesh
from .page import VIEWER, Page
from .record import Record, read, still
from .record import sweep as swept
from .scene import Scene, frames, scene_of
from .visuals import visuals

Path = str | os.PathLike[str]


def view(
    what: Any,
    q: ArrayLike | None = None,
    *,
    states: int | Sequence[int] | None = None,
    sweep: bool = False,
    trace: Sequence[str] = (),
    meshes: Path | None = None,
    package_dirs: Path | Sequence[Path] = (),
    speed: float = 1.0,
    open: bool = True,  # noqa: A002 (what it does)
) -> Page:
    """Show a robot, at q or in neutral, or a recorded run: drag turns it, the wheel zooms, space plays.

    Of a batch, `states` chooses which are drawn (default: at most 64, evenly chosen); robots on the world stand beside
    each other. `sweep` moves a robot's joints one after another, to see what each does. `trace` names frames whose
    paths are drawn. `meshes` is the URDF whose <visual> elements are shown (STL and OBJ files, found by
    `package_dirs`); without it links are capsules. The page is one HTML file that needs no network; `open=False`
    leaves it unopened, `.save(path)` keeps it, a notebook shows it.

    >>> import phipsi as pp
    >>> pp.view(pp.zoo.arm(), open=False).title
    'arm'
    """
    if not isinstance(what, Robot) and q is not None:
        raise errors.wrong_type("view", "q", "given with a robot; a run has its own", q)
    record = still(what, q) if isinstance(what, Robot) else read(what, states, "view")
    if not record.states:  # a batch of none: the robot alone
        record = still(record.robot)
    events = list(getattr(what, "events", ()))
    if sweep and isinstance(what, Robot):
        record, events = swept(what, q)
    scene = scene_for(
        record, trace=trace, meshes=meshes, package_dirs=package_dirs, speed=speed, events=events
    )  # fmt: skip
    page = Page(scene.title, VIEWER, scene, whole=True)
    if open and "ipykernel" not in sys.modules:  # a notebook shows the page itself
        page.open()
    return page


def scene_for(
    record: Record,
    *,
    title: str = "",
    trace: Sequence[str] = (),
    meshes: Path | None = None,
    package_dirs: Path | Sequence[Path] = (),
    speed: float = 1.0,
    events: Sequence[tuple[float, str]] = (),
) -> Scene:
    """The scene of a record with everything that is drawn over it."""
    drawn, triangles = _solids(record.robot, meshes, package_dirs)
    keep = frames(record)
    scene = scene_of(record, drawn=drawn, meshes=triangles, keep=keep)
    reach = 0.22 * float(np.linalg.norm(scene.bounds[1] - scene.bounds[0]))
    return replace(
        scene,
        title=title or scene.title,
        trails=overlays.trails(record, keep, trace),
        arrows=[*overlays.momentum(record, keep, reach), *overlays.contacts(record, keep, reach)],
        events=events,
        speed=speed,
    )


def _solids(robot: Robot, meshes: Path | None, package_dirs: Path | Sequence[Path]) -> tuple[list[Shape], list[Mesh]]:
    if meshes is None:
        return shapes(robot), []
    dirs = [package_dirs] if isinstance(package_dirs, (str, os.PathLike)) else list(package_dirs)
    seen, triangles = visuals(robot, meshes, dirs)
    return [*seen, *shapes(robot, skip={shape.body for shape in seen})], triangles
