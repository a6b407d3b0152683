"""A robot made of plain arrays: all that the reference asks for, and none of the library's own model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

KINDS = (
    "fixed",
    "revolute",
    "prismatic",
    "helical",
    "cylindrical",
    "universal",
    "spherical",
    "planar",
    "translational",
    "free",
    "custom",  # columns that commute: q is a list of numbers
    "custom_se2",  # columns that do not: q is stored as a free joint's
)


class Joint(NamedTuple):
    kind: str
    parameters: np.ndarray
    nq: int
    nv: int


class Pose(NamedTuple):
    rotation: np.ndarray
    position: np.ndarray


@dataclass(frozen=True)
class Robot:
    parent: np.ndarray
    joints: tuple[Joint, ...]
    placements: Pose
    mass: np.ndarray
    com: np.ndarray
    inertia: np.ndarray
    armature: np.ndarray
    gravity: np.ndarray
    frames: dict[str, tuple[int, Pose]] = field(default_factory=dict)

    @property
    def n(self) -> int:
        return len(self.joints)

    @property
    def q_index(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum([j.nq for j in self.joints], dtype=int)])

    @property
    def v_index(self) -> np.ndarray:
        return np.concatenate([[0], np.cumsum([j.nv for j in self.joints], dtype=int)])

    @property
    def nv(self) -> int:
        return int(self.v_index[-1])

    def frame(self, name: str) -> tuple[int, Pose]:
        return self.frames[name]


def direction(rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def rotation(rng: np.random.Generator) -> np.ndarray:
    r, upper = np.linalg.qr(rng.normal(size=(3, 3)))
    r = r * np.sign(np.diag(upper))
    return r * np.linalg.det(r)


def joint(kind: str, rng: np.random.Generator) -> Joint:
    axis, r = direction(rng), rotation(rng)
    along, across = r[:, 0], r[:, 1]
    screw = np.concatenate([along, 0.4 * along + 0.7 * across])  # its axis is not through the origin
    slide = np.concatenate([np.zeros(3), along])
    turn_about_point = np.concatenate([r[:, 2], 0.5 * along])
    table: dict[str, tuple[str, Sequence[Any], int, int]] = {
        "fixed": ("fixed", (), 0, 0),
        "revolute": ("revolute", (axis,), 1, 1),
        "prismatic": ("prismatic", (axis,), 1, 1),
        "helical": ("helical", (axis, [0.3]), 1, 1),
        "cylindrical": ("cylindrical", (axis,), 2, 2),
        "universal": ("universal", (axis, direction(rng)), 2, 2),
        "spherical": ("spherical", (), 4, 3),
        "planar": ("planar", (along, across), 3, 3),
        "translational": ("translational", (), 3, 3),
        "free": ("free", (), 7, 6),
        "custom": ("custom", (screw, slide), 2, 2),
        "custom_se2": ("custom", (turn_about_point, slide, np.concatenate([np.zeros(3), across])), 7, 3),
    }
    name, parameters, nq, nv = table[kind]
    return Joint(name, np.concatenate([np.zeros(0), *parameters]), nq, nv)


def inertia(rng: np.random.Generator) -> np.ndarray:
    """The second moments of a cloud of points, as an inertia: positive, and within the triangle inequality."""
    cloud = rng.normal(size=(6, 3)) * [0.2, 0.3, 0.1]
    second = cloud.T @ cloud
    return np.trace(second) * np.eye(3) - second


def robot(
    kinds: Sequence[str],
    seed: int = 0,
    *,
    parent: Sequence[int] | None = None,
    massless: Sequence[int] = (),
    armature: bool = False,
    gravity: Sequence[float] = (0.4, -0.7, -9.6),
) -> Robot:
    """A robot with joints of the given kinds: a chain, unless parents are given. Frames "tip" and "ground"."""
    rng = np.random.default_rng(seed)
    n = len(kinds)
    joints = tuple(joint(kind, rng) for kind in kinds)
    nv = sum(j.nv for j in joints)
    heavy = np.array([k not in massless for k in range(n)], dtype=float)
    tip = Pose(rotation(rng), rng.normal(size=3))
    return Robot(
        parent=np.arange(-1, n - 1) if parent is None else np.asarray(parent),
        joints=joints,
        placements=Pose(np.array([rotation(rng) for _ in kinds]), rng.normal(size=(n, 3)) * 0.5),
        mass=rng.uniform(0.5, 3.0, n) * heavy,
        com=rng.normal(size=(n, 3)) * 0.2 * heavy[:, None],
        inertia=np.array([inertia(rng) for _ in kinds]) * heavy[:, None, None],
        armature=rng.uniform(0.1, 0.5, nv) * armature,
        gravity=np.asarray(gravity, dtype=float),
        frames={"tip": (n - 1, tip), "ground": (-1, Pose(rotation(rng), rng.normal(size=3)))},
    )


def coordinates(r: Robot, rng: np.random.Generator) -> np.ndarray:
    """A random q, with quaternions of unit length."""
    parts = [np.zeros(0)]
    for j in r.joints:
        q = rng.uniform(-1.5, 1.5, j.nq)
        if j.kind in ("spherical", "free") or (j.kind == "custom" and j.nq == 7):
            q[:4] = rng.normal(size=4)
            q[:4] /= np.linalg.norm(q[:4])
        parts.append(q)
    return np.concatenate(parts)


def zoo() -> dict[str, Robot]:
    """Each kind of joint in the middle of a chain, and every kind at once in several shapes."""
    robots = {kind: robot(("revolute", kind, "revolute"), seed) for seed, kind in enumerate(KINDS)}
    tree = [-1, 0, 0, 1, 1, 2, 2, 5, 5, 3, 9, 4]
    robots["tree"] = robot((*KINDS[1:], "revolute"), 20, parent=tree)
    robots["free_tree"] = robot(("free", *KINDS[:9], "custom", "custom_se2"), 21, parent=tree, armature=True)
    robots["forest"] = robot(("free", "universal", "planar", "spherical"), 22, parent=[-1, 0, -1, 2], armature=True)
    robots["massless"] = robot(("revolute", "prismatic", "universal", "revolute", "spherical"), 23, massless=(0, 2, 3))
    robots["weightless"] = robot(("free", "revolute", "helical"), 24, gravity=(0, 0, 0))
    robots["rigid"] = robot(("fixed", "fixed"), 25)
    robots["one"] = robot(("cylindrical",), 26, armature=True)
    return robots
