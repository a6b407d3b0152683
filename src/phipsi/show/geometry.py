"""What a robot without meshes looks like: capsules along its tree, boxes of equal inertia, joints, frames."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

import numpy as np

from phipsi.model.pose import Pose
from phipsi.model.reading import Floats

if TYPE_CHECKING:
    from phipsi.model.joints import Joint
    from phipsi.model.robot import Robot

Color: TypeAlias = tuple[float, float, float]
Kind: TypeAlias = Literal["box", "capsule", "cylinder", "mesh"]

# one colour a limb; all are told apart in print and by most colour-blind eyes
LIMBS: tuple[Color, ...] = (
    (0.22, 0.47, 0.85), (0.90, 0.42, 0.28), (0.12, 0.62, 0.56), (0.88, 0.66, 0.18), (0.55, 0.42, 0.82),
    (0.80, 0.36, 0.58),
)  # fmt: skip
TRUNK: Color = (0.80, 0.83, 0.87)
MOTOR: Color = (0.20, 0.23, 0.29)
YIELDING: Color = (0.98, 0.72, 0.15)  # a joint that has passive dofs
STAND: Color = (0.34, 0.37, 0.42)
AXES: tuple[Color, Color, Color] = ((0.86, 0.20, 0.22), (0.20, 0.64, 0.28), (0.18, 0.38, 0.90))
DENSITY = 1800.0  # kg/m³ of links whose thickness nobody tells
_Z = np.array([0.0, 0.0, 1.0])
_UNITS: list[Floats] = [np.array([1.0, 0.0, 0.0]), np.array([0.0, 1.0, 0.0]), _Z]


@dataclass(frozen=True)
class Shape:
    """A solid on a body (-1: the world), centred at `pose`; capsules and cylinders stand along its z axis.

    size: of a box its three edges; of a capsule or cylinder (radius, length between the centres of its caps, 0).
    """

    kind: Kind
    body: int
    pose: Pose
    size: tuple[float, float, float]
    color: Color
    layer: str = "links"
    mesh: int = -1


def equal_box(mass: float, inertia: Floats) -> tuple[Floats, Floats]:
    """Edges (3,) and axes (3, 3) of the solid box that has this mass and this inertia about its centre.

    Of a box with edges (a, b, c) the moments are m (b² + c²) / 12 and so on, hence a² = 6 (I_y + I_z - I_x) / m. Where
    the moments break the triangle inequality, the edge is zero.

    >>> edges, axes = equal_box(3.0, np.diag([0.05, 0.0625, 0.0325]))
    >>> sorted(float(edge) for edge in edges.round(12))
    [0.2, 0.3, 0.4]
    """
    moments, axes = np.linalg.eigh(inertia)
    if np.linalg.det(axes) < 0:
        axes = axes * [1.0, 1.0, -1.0]
    squares = 6 / mass * (moments.sum() - 2 * moments)
    return np.sqrt(np.maximum(squares, 0.0)), axes


def along(start: Floats, end: Floats) -> Pose:
    """The pose half-way between two points, its z axis from the first to the second."""
    reach = end - start
    length = float(np.linalg.norm(reach))
    return Pose((start + end) / 2, rotation=turned(reach / length if length > 0 else _Z))


def turned(z: Floats) -> Floats:
    """A rotation whose third column is z, a unit vector."""
    aside = np.eye(3)[int(np.argmin(np.abs(z)))]
    x = np.cross(aside, z)
    x /= np.linalg.norm(x)
    return np.stack([x, np.cross(z, x), z], axis=1)


def capsule(body: int, start: Floats, end: Floats, radius: float, color: Color) -> Shape:
    """A capsule between two points of a body."""
    return Shape("capsule", body, along(start, end), (radius, float(np.linalg.norm(end - start)), 0.0), color)


def shapes(robot: Robot, skip: Iterable[int] = ()) -> list[Shape]:
    """Everything that can be drawn of a robot, in layers "links", "joints", "inertia" and "frames".

    A body reaches from its joint to those of its children and to its outermost frame; one that reaches nowhere, floats
    freely or branches is the box of its inertia. Bodies in `skip` (their meshes are drawn) get no links or joints.
    """
    return _Drawing(robot, frozenset(skip)).all()


class _Drawing:
    def __init__(self, robot: Robot, skip: frozenset[int]) -> None:
        self.robot, self.skip = robot, skip
        self.children: list[list[int]] = [[] for _ in range(robot.n)]
        self.roots: list[int] = []
        self.parent = [int(parent) for parent in robot.parent]
        for k, parent in enumerate(self.parent):
            (self.roots if parent < 0 else self.children[parent]).append(k)
        self.starts = robot.placements.position
        self.tips = self._tips()
        self.unit = self._unit()
        self.thin = max(0.035 * self.unit, 0.005 * self._reach())
        self.limb = self._limbs()

    def all(self) -> list[Shape]:
        drawn: list[Shape] = []
        for k in range(self.robot.n):
            if k not in self.skip:
                drawn += [*self._link(k), *self._joint(k)]
            drawn += self._inertia(k)
        return [*drawn, *self._stands(), *self._frames()]

    # ── proportions ───────────────────────────────────────────────────────────────────────────────────────────────

    def _tips(self) -> list[list[Floats]]:
        """Where each body reaches: its children's joints, or where it has none its outermost frame."""
        starts: list[Floats] = list(self.starts)
        tips = [[starts[child] for child in below] for below in self.children]
        frames: dict[int, Floats] = {}
        for frame in self.robot.description.frames:
            p = frame.pose.position
            if frame.body >= 0 and np.linalg.norm(p) > np.linalg.norm(frames.get(frame.body, np.zeros(3))):
                frames[frame.body] = p
        for body, p in frames.items():
            if not tips[body]:
                tips[body].append(p)
        for k, reached in enumerate(tips):
            if not reached and self.robot.mass[k] > 0 and np.linalg.norm(self.robot.com[k]) > 0:
                reached.append(2.0 * self.robot.com[k])
        return [[p for p in reached if np.linalg.norm(p) > 1e-9] for reached in tips]

    def _unit(self) -> float:
        """A typical length of a link."""
        lengths = [float(np.linalg.norm(p)) for reached in self.tips for p in reached]
        if lengths:
            return float(np.median(lengths))
        boxes = [float(equal_box(m, i)[0].max()) for m, i in zip(self.robot.mass, self.robot.inertia, strict=True) if m]
        return (float(np.median(boxes)) if boxes else 0.0) or 0.2  # a point is drawn, too

    def _reach(self) -> float:
        """The longest way from a root to a tip."""
        reach = np.zeros(self.robot.n)
        for k, parent in enumerate(self.parent):
            reach[k] = (reach[parent] + float(np.linalg.norm(self.starts[k]))) if parent >= 0 else 0.0
        tips = [reach[k] + float(np.linalg.norm(p)) for k, reached in enumerate(self.tips) for p in reached]
        return max(tips, default=0.0)

    def radius(self, k: int) -> float:
        """So that a rod of that length has the body's mass; neither a thread nor a ball."""
        length = sum(float(np.linalg.norm(p)) for p in self.tips[k]) or self.unit
        by_mass = math.sqrt(max(float(self.robot.mass[k]), 0.0) / (math.pi * DENSITY * length))
        return max(min(max(by_mass, 0.025 * length), 0.22 * max(self.unit, 0.3 * length)), self.thin)

    def _limbs(self) -> list[int]:
        """The limb each body belongs to; a new one begins at every root and behind every branch."""
        limb, count = [0] * self.robot.n, 0
        for k, parent in enumerate(self.parent):
            if parent >= 0 and len(self.children[parent]) == 1 and not self._is_trunk(parent):
                limb[k] = limb[parent]
            else:
                limb[k] = count
                count += not self._is_trunk(k)
        return limb

    def _is_trunk(self, k: int) -> bool:
        return bool(len(self.children[k]) > 1 or (self.robot.joints[k].kind == "free" and self.children[k]))

    # ── shapes ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _color(self, k: int) -> Color:
        return TRUNK if self._is_trunk(k) else LIMBS[self.limb[k] % len(LIMBS)]

    def _link(self, k: int) -> list[Shape]:
        color, radius = self._color(k), self.radius(k)
        boxed = not self.tips[k] or self.robot.joints[k].kind == "free" or len(self.children[k]) > 1
        drawn = [capsule(k, np.zeros(3), p, radius, color) for p in self.tips[k]]
        if boxed and self.robot.mass[k] > 0:
            edges, axes = equal_box(float(self.robot.mass[k]), self.robot.inertia[k])
            edges = np.clip(edges, 0.04 * self.unit, None)
            drawn.append(Shape("box", k, Pose(self.robot.com[k], rotation=axes), _triple(edges), color))
        return drawn

    def _joint(self, k: int) -> list[Shape]:
        """A drum about each axis that turns, a rail along each that slides, a ball where there is no axis."""
        joint, radius = self.robot.joints[k], self.radius(k)
        passive = bool(self.robot.passive[self.robot.v_index[k] : self.robot.v_index[k + 1]].any())
        color, here = YIELDING if passive else MOTOR, Pose()
        if joint.kind in ("fixed", "free") or 2 * radius > 3 * self.unit:  # a long chain of short links is a rope
            return []
        drawn: list[Shape] = []
        for axis, slides in _axes(joint):
            at = Pose((0, 0, 0), rotation=turned(axis))
            if slides:
                drawn.append(Shape("box", k, at, (1.5 * radius, 1.5 * radius, 5 * radius), color, "joints"))
            else:
                drawn.append(Shape("cylinder", k, at, (1.3 * radius, 2.7 * radius, 0.0), color, "joints"))
        return drawn or [Shape("capsule", k, here, (1.5 * radius, 0.0, 0.0), color, "joints")]

    def _inertia(self, k: int) -> list[Shape]:
        mass = float(self.robot.mass[k])
        if mass <= 0:
            return []
        edges, axes = equal_box(mass, self.robot.inertia[k])
        at = Pose(self.robot.com[k], rotation=axes)
        return [Shape("box", k, at, _triple(np.maximum(edges, 1e-3 * self.unit)), self._color(k), "inertia")]

    def _stands(self) -> list[Shape]:
        """What holds the robot to the world: a foot under each root that does not float."""
        drawn: list[Shape] = []
        for k in self.roots:
            if self.robot.joints[k].kind != "free":
                radius = 1.6 * self.radius(k)
                at = self.robot.placements[k]
                drawn.append(Shape("cylinder", -1, at, (radius, 0.5 * radius, 0.0), STAND, "joints"))
        return drawn

    def _frames(self) -> list[Shape]:
        length = 0.35 * self.unit
        places = [(k, Pose()) for k in range(self.robot.n)]
        places += [(frame.body, frame.pose) for frame in self.robot.description.frames]
        drawn: list[Shape] = []
        for body, pose in places:
            for axis, color in zip(_UNITS, AXES, strict=True):
                arm = pose @ Pose(axis * length / 2, rotation=turned(axis))
                drawn.append(Shape("cylinder", body, arm, (0.03 * length, length, 0.0), color, "frames"))
        return drawn


def _axes(joint: Joint) -> list[tuple[Floats, bool]]:
    """The axes of a joint in child axes, and whether the body slides along them."""
    p = np.asarray(joint.parameters, dtype=float)
    match joint.kind:
        case "revolute" | "helical":
            return [(p[:3], False)]
        case "prismatic":
            return [(p[:3], True)]
        case "cylindrical":
            return [(p[:3], False), (p[:3], True)]
        case "universal":
            return [(p[:3], False), (p[3:6], False)]
        case "planar":
            return [(p[:3], False)]
        case _:
            return []


def _triple(values: Sequence[float] | Floats) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
