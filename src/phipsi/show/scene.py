"""A scene: the shapes of one or several robots, where they are at every time, arrows, trails, as the page reads it."""

from __future__ import annotations

import base64
import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from phipsi.model.reading import Floats

from .geometry import Color, Shape, shapes
from .meshes import Mesh
from .record import Record, poses

FRAMES_PER_SECOND = 60
MOST_NUMBERS = 1_500_000  # of poses in a page: 6 MB before base64
_LAYERS = {"links": "bodies", "meshes": "meshes", "joints": "joints", "inertia": "inertia", "frames": "frames"}
_ON = ("links", "meshes", "joints")


@dataclass(frozen=True)
class Arrows:
    """Arrows that move: where they start and how far they reach, world axes, both (F, m, 3)."""

    layer: str
    label: str
    start: Floats
    reach: Floats
    color: Color
    on: bool = True


@dataclass(frozen=True)
class Trail:
    """A path through the world, (F, 3)."""

    layer: str
    label: str
    points: Floats
    color: Color
    on: bool = True


@dataclass(frozen=True)
class Scene:
    """What the viewer draws; `json()` is what it reads. Made by `scene_of`."""

    title: str
    times: Floats
    bodies: Floats  # (F, N, 7) quaternion and position; N = states · (n + 1), the world last of each
    shapes: Sequence[Shape]
    copies: int
    unit: float
    bounds: tuple[Floats, Floats]
    gravity: bool
    base: int
    arrows: Sequence[Arrows] = ()
    trails: Sequence[Trail] = ()
    meshes: Sequence[Mesh] = ()
    events: Sequence[tuple[float, str]] = ()
    speed: float = 1.0
    start: float = 0.0
    follow: bool = False
    extra: dict[str, Any] = field(default_factory=dict[str, Any])

    def json(self) -> str:
        """As JSON, arrays in base64, safe inside a <script> element."""
        low, high = self.bounds
        facts: dict[str, Any] = {
            "title": self.title,
            "theme": "ground" if self.gravity else "space",
            "ground": float(low[2]) if self.gravity else None,
            "times": encode(self.times, np.float64),
            "bodies": self.bodies.shape[1],
            "poses": encode(self.bodies),
            "unit": self.unit,
            "bounds": {"low": low.tolist(), "high": high.tolist()},
            "base": self.base,
            "follow": self.base if self.follow else -1,
            "yaw": -0.95,
            "speed": self.speed,
            "start": self.start,
            "events": [[float(t), text] for t, text in self.events],
            "layers": self._layers(),
            "sets": self._sets(),
            "meshes": [mesh.as_json() for mesh in self.meshes],
            "arrows": [self._arrows(arrows) for arrows in self.arrows],
            "trails": [
                {"layer": trail.layer, "color": trail.color, "points": encode(trail.points)} for trail in self.trails
            ],
        }
        return json.dumps({**facts, **self.extra}, separators=(",", ":")).replace("<", "\\u003c")

    def _layers(self) -> dict[str, dict[str, Any]]:
        used = {shape.layer for shape in self.shapes}
        layers = {
            name: {"label": label, "on": name in _ON, "color": ""} for name, label in _LAYERS.items() if name in used
        }
        for moving in (*self.arrows, *self.trails):
            layers.setdefault(moving.layer, {"label": moving.label, "on": moving.on, "color": css(moving.color)})
        return layers

    def _sets(self) -> list[dict[str, Any]]:
        """Rows of 16 numbers for all shapes of a kind in a layer, once for every copy of the robot."""
        groups: dict[tuple[str, str, int], list[Shape]] = {}
        for shape in self.shapes:
            groups.setdefault((shape.layer, shape.kind, shape.mesh), []).append(shape)
        bodies = self.bodies.shape[1] // self.copies
        sets: list[dict[str, Any]] = []
        for (layer, kind, mesh), members in groups.items():
            rows = np.array([_row(shape, bodies) for shape in members])
            every = np.tile(rows, (self.copies, 1))
            every[:, 7] += np.repeat(np.arange(self.copies) * bodies, len(members))
            sets.append({"layer": layer, "kind": kind, "mesh": mesh, "rows": encode(every)})
        return sets

    def _arrows(self, arrows: Arrows) -> dict[str, Any]:
        data = np.concatenate([arrows.start, arrows.reach], axis=-1)
        return {"layer": arrows.layer, "color": arrows.color, "count": data.shape[1], "data": encode(data)}


def scene_of(
    record: Record,
    *,
    title: str = "",
    drawn: Sequence[Shape] | None = None,
    meshes: Sequence[Mesh] = (),
    keep: Sequence[int] | NDArray[np.intp] | None = None,
    **more: Any,
) -> Scene:
    """The scene of a record: at most 60 frames a second, fewer where the page would grow too large."""
    robot = record.robot
    solid = list(shapes(robot)) if drawn is None else list(drawn)
    chosen = frames(record) if keep is None else np.asarray(keep)
    placed = poses(record, record.q[chosen])
    offsets = _offsets(record, solid, placed.position)
    position = placed.position + offsets
    bodies = np.concatenate([placed.quaternion, position], axis=-1).reshape(chosen.size, -1, 7)
    bounds = _bounds(solid, placed.rotation, position)
    lengths = [shape.size[1] for shape in solid if shape.kind == "capsule" and shape.size[1] > 0]
    whole = float(np.linalg.norm(bounds[1] - bounds[0]))
    floating = [k for k in range(robot.n) if robot.parent[k] < 0 and robot.joints[k].kind == "free"]
    return Scene(
        title=title or robot.name,
        times=record.t[chosen],
        bodies=bodies,
        shapes=solid,
        copies=record.states,
        unit=min(float(np.median(lengths)) if lengths else whole, 0.25 * whole) or 0.1,
        bounds=bounds,
        gravity=bool(robot.gravity[2] < 0 and not robot.gravity[:2].any()),
        base=floating[0] if floating and record.states == 1 else -1,
        meshes=meshes,
        **more,
    )


def frames(record: Record) -> NDArray[np.intp]:
    """Which recorded times are shown."""
    numbers = 7 * record.states * (record.robot.n + 1)
    most = min(max(MOST_NUMBERS // max(numbers, 1), 2), 20_000)
    wanted = min(most, max(2, round(record.span * FRAMES_PER_SECOND) + 1), record.t.size)
    times = np.linspace(float(record.t[0]), float(record.t[-1]), wanted)
    return np.unique(np.minimum(np.searchsorted(record.t, times), record.t.size - 1))


def encode(array: Any, dtype: Any = np.float32) -> str:
    """Numbers as base64, little-endian as every browser has them."""
    little = np.dtype(dtype).newbyteorder("<")
    return base64.b64encode(np.ascontiguousarray(array, dtype=little).tobytes()).decode("ascii")


def css(color: Color) -> str:
    """A colour as CSS writes it."""
    return "rgb({} {} {})".format(*(round(255 * part) for part in color))


def _row(shape: Shape, bodies: int) -> list[float]:
    body = shape.body if shape.body >= 0 else bodies - 1
    at = [*shape.pose.quaternion.tolist(), *shape.pose.position.tolist(), body]
    radius, length, _ = shape.size
    size = {
        "box": [*shape.size, 0.0],
        "capsule": [radius, radius, radius, length / 2],
        "cylinder": [radius, radius, radius, length / 2],
        "mesh": [1.0, 1.0, 1.0, 0.0],
    }[shape.kind]
    if shape.kind == "cylinder":  # its bevel counts in half lengths, and nothing else reaches along z
        size[2] = 0.0
    alpha = 0.28 if shape.layer == "inertia" else 1.0
    return [*at, *size, *shape.color, alpha]


def _corners(shape: Shape) -> Floats:
    """Points that a shape does not reach beyond, in body axes, (8, 3)."""
    signs = np.stack(np.meshgrid([-0.5, 0.5], [-0.5, 0.5], [-0.5, 0.5], indexing="ij"), axis=-1).reshape(8, 3)
    radius, length, _ = shape.size
    edges = {
        "box": shape.size,
        "capsule": (2 * radius, 2 * radius, length + 2 * radius),
        "cylinder": (2 * radius, 2 * radius, length),
        "mesh": shape.size,
    }[shape.kind]
    return shape.pose @ (signs * edges)


def _bounds(solid: Sequence[Shape], rotation: Floats, position: Floats) -> tuple[Floats, Floats]:
    """The box around everything that is drawn at any time."""
    some = np.unique(np.linspace(0, len(rotation) - 1, 40).astype(np.intp))
    solid = [shape for shape in solid if shape.layer not in ("frames", "inertia")]
    if not solid or rotation.shape[1] == 0:
        return np.full(3, -0.5), np.full(3, 0.5)
    solid = solid[:: max(1, len(solid) * rotation.shape[1] // 4000)]
    body = np.array([shape.body for shape in solid])  # -1, the world, is the last
    corners = np.stack([_corners(shape) for shape in solid])
    turned = np.einsum("fbsij,scj->fbsci", rotation[some][:, :, body], corners)
    points = (turned + position[some][:, :, body][..., None, :]).reshape(-1, 3)
    return points.min(axis=0), points.max(axis=0)


def _offsets(record: Record, solid: Sequence[Shape], position: Floats) -> Floats:
    """Where the copies stand, (B, 1, 3): robots on the world in rows beside each other, floating ones as they are."""
    count = record.states
    offsets = np.zeros((count, 1, 3))
    if count < 2 or any(joint.kind == "free" for joint in record.robot.joints):
        return offsets
    corners = [_corners(shape) for shape in solid if shape.layer == "links"]
    margin = max((float(np.linalg.norm(np.ptp(points, axis=0))) for points in corners), default=0.1)
    reach = 0.55 * float(np.ptp(position[..., :2].reshape(-1, 2), axis=0).max()) + margin
    columns = int(np.ceil(np.sqrt(count)))
    row, column = np.divmod(np.arange(count), columns)
    offsets[:, 0, 0], offsets[:, 0, 1] = reach * (row - row.max() / 2), reach * (column - (columns - 1) / 2)
    return offsets
