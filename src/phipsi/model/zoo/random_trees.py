"""Random robots of any size: chains, trees, stars, and one of every joint."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.builder import Builder
from phipsi.model.inertia import box_moments
from phipsi.model.joints import (
    KINDS,
    Custom,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, Ints, count, one_of
from phipsi.model.robot import Robot
from phipsi.model.rotation import from_quaternion

EARTH = (0.0, 0.0, -9.81)
BASES = ("fixed", "free")


def chain(n: int, joint: str = "revolute", base: str = "fixed", *, seed: int = 0, gravity: ArrayLike = EARTH) -> Robot:
    """n bodies one behind the other, link1…, held by joints of one type (joint1…), with random axes and inertias.

    `base="free"`: the first of the n bodies is "base", on a free joint.

    >>> chain(7)
    <Robot 'chain': 7 bodies, nq = 7, nv = 7>
    """
    n = _count("chain", n)
    return _random_robot("chain", np.arange(n) - 1, [_kind("chain", joint)] * n, base, seed, gravity)


def tree(
    n: int,
    seed: int = 0,
    base: str = "fixed",
    kinds: Sequence[str] | None = None,
    *,
    gravity: ArrayLike = EARTH,
) -> Robot:
    """A random tree of n bodies (link1…), held by a random mix of `kinds` (None: every joint type there is).

    `base="free"`: the first of the n bodies is "base", on a free joint.

    >>> tree(30, seed=0).n
    30
    """
    n, rng = _count("tree", n), _rng("tree", seed, 0)
    if kinds is not None and (not isinstance(kinds, (list, tuple)) or not kinds):
        raise errors.option("tree", "kinds", kinds, list(KINDS))
    offered = list(KINDS) if kinds is None else [_kind("tree", kind) for kind in kinds]
    # most bodies hang on the one before, so that the tree has long limbs
    anywhere = np.floor(rng.random(n) * np.arange(n)).astype(np.intp)
    parents = np.where(rng.random(n) < 0.6, np.arange(n) - 1, anywhere)
    parents[:1] = -1
    picks: list[int] = rng.integers(len(offered), size=n).tolist()
    drawn = [offered[k] for k in picks]
    return _random_robot("tree", parents, drawn, base, seed, gravity)


def star(n: int, joint: str = "revolute", base: str = "fixed", *, seed: int = 0, gravity: ArrayLike = EARTH) -> Robot:
    """n bodies: one hub, and all others on it. The widest tree, where a chain is the deepest."""
    n = _count("star", n)
    parents = np.zeros(n, dtype=np.intp)
    parents[:1] = -1
    return _random_robot("star", parents, [_kind("star", joint)] * n, base, seed, gravity)


def every_joint(base: str = "fixed", *, seed: int = 0, gravity: ArrayLike = EARTH) -> Robot:
    """A chain with one joint of every type (two custom ones: with q̇ = v and without).

    >>> sorted({joint.kind for joint in every_joint().joints}) == sorted(KINDS)
    True
    """
    kinds = [*KINDS, "custom"]
    if one_of(base, BASES, "every_joint", "base") == "free":
        kinds = ["free", *kinds]
    return _random_robot("every_joint", np.arange(len(kinds)) - 1, kinds, base, seed, gravity)


# ── how a random robot is drawn ───────────────────────────────────────────────────────────────────────────────────


def _random_robot(name: str, parents: Ints, kinds: list[str], base: str, seed: int, gravity: ArrayLike) -> Robot:
    """Bodies are turned boxes of 0.5 to 2 kg; joints have random axes and placements."""
    one_of(base, BASES, name, "base")
    n, rng = len(kinds), _rng(name, seed, 1)
    mass = rng.uniform(0.5, 2.0, n)
    turned = _rotations(rng, n)
    moments = mass[:, None] * box_moments(rng.uniform(0.05, 0.3, (n, 3)))
    inertia = np.einsum("nij,nj,nkj->nik", turned, moments, turned)
    com, placements = rng.uniform(-0.1, 0.1, (n, 3)), Pose.trusted(_rotations(rng, n), rng.uniform(-0.3, 0.3, (n, 3)))
    frames = _rotations(rng, n)  # its columns are the axes that a joint may use
    free = base == "free"
    names = ["base" if free and k == 0 else f"link{k + (not free)}" for k in range(n)]
    builder = Builder(name, gravity)
    customs = 0
    on: list[int] = parents.tolist()
    for k, (kind, parent) in enumerate(zip(kinds, on, strict=True)):
        called = names[k].replace("link", "joint")
        if free and k == 0:
            joint: Joint = Free(name=called)
        elif kind == "custom":
            joint = Custom(_CUSTOM[customs % len(_CUSTOM)](frames[k]), name=called)
            customs += 1
        else:
            joint = _MAKE[kind](frames[k], called)
        builder.body(
            names[k], "world" if parent < 0 else names[parent], joint, placements[k], mass[k], com[k], inertia[k]
        )
    return builder.build()


def _rotations(rng: np.random.Generator, n: int) -> Floats:
    return from_quaternion(rng.standard_normal((n, 4)))


def _wrench_free(r: Floats) -> Floats:
    """A screw and a slide along one axis: they commute."""
    return np.stack([np.r_[r[:, 2], 0.1 * r[:, 2]], np.r_[np.zeros(3), r[:, 2]]], axis=1)


def _plane(r: Floats) -> Floats:
    """The motions of a tilted plane that passes beside the origin: they do not commute."""
    point = np.array([0.1, -0.2, 0.05])
    turn = np.r_[r[:, 2], np.cross(point, r[:, 2])]
    return np.stack([turn, np.r_[np.zeros(3), r[:, 0]], np.r_[np.zeros(3), r[:, 1]]], axis=1)


_CUSTOM: tuple[Callable[[Floats], Floats], ...] = (_wrench_free, _plane)
_MAKE: dict[str, Callable[[Floats, str], Joint]] = {
    "fixed": lambda r, name: Fixed(name=name),
    "revolute": lambda r, name: Revolute(r[:, 2], name=name),
    "prismatic": lambda r, name: Prismatic(r[:, 2], name=name),
    "helical": lambda r, name: Helical(r[:, 2], 0.1, name=name),
    "cylindrical": lambda r, name: Cylindrical(r[:, 2], name=name),
    "universal": lambda r, name: Universal(r[:, 2], r[:, 0] + 0.3 * r[:, 2], name=name),
    "spherical": lambda r, name: Spherical(name=name),
    "planar": lambda r, name: Planar(r[:, 2], r[:, 0], name=name),
    "translational": lambda r, name: Translational(name=name),
    "free": lambda r, name: Free(name=name),
}


def _kind(where: str, kind: str) -> str:
    return one_of(kind, list(KINDS), where, "joint type")


def _count(where: str, n: int) -> int:
    return count(n, where, "n", "a number of bodies")


def _rng(where: str, seed: int, stream: int) -> np.random.Generator:
    """Of one seed, several streams."""
    return np.random.default_rng([count(seed, where, "seed", "a whole number >= 0"), stream])
