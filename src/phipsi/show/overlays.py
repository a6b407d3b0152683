"""What is drawn over a moving robot: paths of its base and frames, its momentum, the forces in its grasps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phipsi.model.reading import Floats

from .geometry import LIMBS, Color
from .record import Record
from .scene import Arrows, Trail

PATH: Color = (0.95, 0.55, 0.15)
LINEAR: Color = (0.20, 0.72, 0.45)
ANGULAR: Color = (0.75, 0.42, 0.92)
CONTACT: Color = (0.95, 0.30, 0.30)


def trails(record: Record, keep: NDArray[np.intp], trace: Sequence[str]) -> list[Trail]:
    """The paths of the frames to trace, and of the first floating base."""
    robot = record.robot
    for name in trace:
        robot.pose(robot.neutral(), name)  # a frame that is not there is told of, also where no path is drawn
    if record.t.size < 2 or record.states != 1:
        return []
    q = record.q[keep, 0]
    paths = [Trail("base path", "base path", robot.pose(q, base).position, PATH) for base in floating(record)[:1]]
    for k, name in enumerate(trace):
        color = LIMBS[k % len(LIMBS)]
        paths.append(Trail(f"path of {name}", f"path of {name}", robot.pose(q, name).position, color))
    return paths


def floating(record: Record) -> list[str]:
    """Bodies on free joints of the world."""
    robot = record.robot
    return [
        robot.body_names[k] for k in range(robot.n) if robot.parent[k] < 0 and robot.joints[k].kind == "free"
    ]  # fmt: skip


def momentum(record: Record, keep: NDArray[np.intp], reach: float) -> list[Arrows]:
    """Linear and angular momentum about the mass centre, drawn there; what floats without gravity keeps both."""
    robot = record.robot
    if record.states != 1 or not floating(record) or robot.gravity.any() or record.t.size < 2:
        return []
    q, v = record.q[keep, 0], record.v[keep, 0]
    h, centre = robot.momentum(q, v, about="com"), robot.center_of_mass(q)[:, None]
    arrows: list[Arrows] = []
    for label, part, color in (("momentum", h[:, None, 3:], LINEAR), ("angular momentum", h[:, None, :3], ANGULAR)):
        largest = float(np.linalg.norm(part, axis=-1).max())
        if np.isfinite(largest) and largest > 1e-9:
            arrows.append(Arrows(label, label, centre, part * (reach / largest), color, on=False))
    return arrows


def contacts(record: Record, keep: NDArray[np.intp], reach: float) -> list[Arrows]:
    """Forces on the tips of closed loops, where they act; large ones are as long as `reach`.

    Asked of runs that have a closed `system` and its `contact_force`, and of runs made of such `runs`.
    """
    if record.states != 1 or record.batch:
        return []
    parts = [_forces(run) for run in getattr(record.run, "runs", [record.run])]
    names = list(dict.fromkeys(name for part in parts for name in part))
    if not names:
        return []
    lengths = [len(run.t) for run in getattr(record.run, "runs", [record.run])]
    start, force = (np.zeros((record.t.size, len(names), 3)) for _ in range(2))
    first = 0
    for k, (part, length) in enumerate(zip(parts, lengths, strict=True)):
        skip = min(k, 1)  # of runs one after another, the first record is the last of the one before
        for name, (points, vectors) in part.items():
            rows = slice(first, first + length - skip)
            start[rows, names.index(name)], force[rows, names.index(name)] = points[skip:], vectors[skip:]
        first += length - skip
    if first != record.t.size:
        return []
    return forces(start[keep], force[keep], reach)


def _forces(run: Any) -> dict[str, tuple[Floats, Floats]]:
    """Of each loop of a closed run: where it is and the force on its tip, (T, 3) both."""
    system: Any = getattr(run, "system", None)
    numbers = getattr(run, "contact_force", None)
    if numbers is None or not hasattr(system, "loops") or np.shape(numbers) != (len(run.t), system.rows):
        return {}
    from phipsi.dynamics.closed.motion import Contacts

    wrenches = Contacts(system, run.q, np.asarray(numbers)).wrenches
    return {
        loop.name: (run.robot.pose(run.q, loop.tip).position, wrenches[:, k, 3:]) for k, loop in enumerate(system.loops)
    }


def forces(start: Floats, force: Floats, reach: float, label: str = "contact forces") -> list[Arrows]:
    """Forces (F, m, 3) at points (F, m, 3); `reach` is how long the large ones are, and a blow no longer than that."""
    force = np.nan_to_num(force, nan=0.0, posinf=0.0, neginf=0.0)
    sizes = np.linalg.norm(force, axis=-1, keepdims=True)
    if not sizes.any():
        return []
    large = float(np.quantile(sizes[sizes > 0], 0.9))
    return [Arrows("forces", label, start, force * (reach / np.maximum(sizes, large)), CONTACT)]
