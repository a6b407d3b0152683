"""Robots for the contracts: every joint type, every shape of tree, and the corners."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np

import phipsi as pp
from phipsi import reference

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
    "custom",
    "custom_se2",
)
TREE = (-1, 0, 0, 1, 1, 2, 2, 5, 5, 3, 9, 4)


def direction(rng: np.random.Generator) -> np.ndarray:
    x = rng.normal(size=3)
    return x / np.linalg.norm(x)


def pose(rng: np.random.Generator) -> pp.Pose:
    return pp.Pose(rng.normal(size=3) * 0.4, quaternion=rng.normal(size=4))


def joint(kind: str, rng: np.random.Generator, axis: np.ndarray | None = None, **properties: float) -> pp.Joint:
    """A joint with random axes, or with the given first axis."""
    axis = direction(rng) if axis is None else axis
    other = direction(rng)
    across = np.cross(axis, other) / np.linalg.norm(np.cross(axis, other))
    none = np.zeros(3)
    make: dict[str, Callable[[], pp.Joint]] = {
        "fixed": lambda: pp.Fixed(),
        "revolute": lambda: pp.Revolute(axis, **properties),
        "prismatic": lambda: pp.Prismatic(axis, **properties),
        "helical": lambda: pp.Helical(axis, 0.3, **properties),
        "cylindrical": lambda: pp.Cylindrical(axis, **properties),
        "universal": lambda: pp.Universal(axis, other, **properties),
        "spherical": lambda: pp.Spherical(**properties),
        "planar": lambda: pp.Planar(axis, across, **properties),
        "translational": lambda: pp.Translational(**properties),
        "free": lambda: pp.Free(**properties),
        # a screw that misses the origin, and the slide along it: they commute
        "custom": lambda: pp.Custom(
            np.stack([np.r_[axis, 0.4 * axis + 0.7 * across], np.r_[none, axis]], axis=1), **properties
        ),
        # motions of a plane about a point beside the origin: they do not
        "custom_se2": lambda: pp.Custom(
            np.stack([np.r_[axis, 0.5 * across], np.r_[none, across], np.r_[none, np.cross(axis, across)]], axis=1),
            **properties,
        ),
    }
    return make[kind]()


def inertia(rng: np.random.Generator) -> np.ndarray:
    """Of a cloud of points, so that some body has it."""
    cloud = rng.normal(size=(6, 3)) * [0.2, 0.3, 0.1]
    second = cloud.T @ cloud
    return np.trace(second) * np.eye(3) - second


def robot(
    kinds: Sequence[str],
    seed: int,
    *,
    parents: Sequence[int] | None = None,
    massless: Sequence[int] = (),
    armature: bool = False,
    gravity: Sequence[float] = (0.4, -0.7, -9.6),
    axes: Sequence[Sequence[float]] | None = None,
) -> pp.Robot:
    """A robot with joints of these kinds: a chain, unless parents are given. Frames "tip" (last body) and "ground"."""
    rng = np.random.default_rng(seed)
    builder = pp.Builder("robot", gravity=gravity)
    for k, kind in enumerate(kinds):
        p = k - 1 if parents is None else parents[k]
        properties = {"armature": rng.uniform(0.1, 0.5)} if armature and kind != "fixed" else {}
        axis = None if axes is None else np.asarray(axes[k], dtype=float)
        builder.body(
            f"body_{k}",
            parent="world" if p < 0 else f"body_{p}",
            joint=joint(kind, rng, axis, **properties),
            placement=pp.Pose(rng.normal(size=3) * 0.4) if axes is not None else pose(rng),
            **({} if k in massless else {"mass": rng.uniform(0.5, 3), "com": rng.normal(size=3) * 0.2}),
            inertia=None if k in massless else inertia(rng),
        )
    builder.frame("tip", f"body_{len(kinds) - 1}", pose(rng))
    return builder.frame("ground", "world", pose(rng)).build()


def _aligned() -> pp.Robot:
    """Axes along x, y, z and against them: what a fast path for constant axes would be written for."""
    axes = [sign * e for sign in (1, -1) for e in np.eye(3)]
    kinds = ["revolute"] * 6 + ["prismatic"] * 6 + ["cylindrical", "universal", "planar"]
    return robot(kinds, 30, parents=[-1, *range(5), 0, 1, 2, 3, 4, 5, 6, 7, 8], axes=[*axes, *axes, *axes[:3]])


_MAKERS: dict[str, Callable[[], pp.Robot]] = {
    **{
        kind: lambda kind=kind, seed=seed: robot(("revolute", kind, "revolute"), seed)
        for seed, kind in enumerate(KINDS)
    },
    **{f"only_{kind}": lambda kind=kind: robot((kind,), 40) for kind in ("revolute", "spherical", "free")},
    "tree": lambda: robot((*KINDS[1:], "revolute"), 20, parents=TREE),
    "free_tree": lambda: robot(("free", *KINDS[:9], "custom", "custom_se2"), 21, parents=TREE, armature=True),
    "forest": lambda: robot(("free", "universal", "planar", "spherical"), 22, parents=(-1, 0, -1, 2), armature=True),
    "star": lambda: robot(("free", *("revolute", "prismatic", "universal") * 3), 23, parents=(-1, *[0] * 9)),
    "massless": lambda: robot(("revolute", "prismatic", "universal", "revolute", "spherical"), 24, massless=(0, 2, 3)),
    "weightless": lambda: robot(("free", "revolute", "helical"), 25, gravity=(0, 0, 0)),
    "rigid": lambda: robot(("fixed", "fixed"), 26),
    "welded": lambda: robot(("revolute", "fixed", "fixed", "revolute", "fixed"), 27, parents=(-1, 0, 1, 2, 0)),
    "aligned": _aligned,
    "rotors": lambda: robot(("revolute",) * 5, 28, armature=True),
    "zoo_every_joint": lambda: pp.zoo.every_joint(),
    "zoo_tree": lambda: pp.zoo.tree(16, seed=3),
    "zoo_free_tree": lambda: pp.zoo.tree(9, seed=4, base="free"),
}
NAMES = tuple(_MAKERS)
FEW = ("tree", "free_tree", "rigid")  # enough where only the handling of arrays is at stake


@cache
def named(name: str) -> pp.Robot:
    return _MAKERS[name]()


def states(robot: pp.Robot, count: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Random q, q1, v, a, tau, f_ext. Some quaternions are not of unit length; they mean the same rotations."""
    rng = np.random.default_rng(seed)
    start = reference.neutral(robot)

    def configurations() -> np.ndarray:
        q = [reference.integrate(robot, start, rng.normal(size=robot.nv) * 1.2) for _ in range(count)]
        stacked = np.reshape(q, (count, robot.nq))
        for k, j in enumerate(robot.joints):
            if j.kind in ("spherical", "free") or (j.kind == "custom" and j.nq != j.nv):
                i = int(robot.q_index[k])
                stacked[::3, i : i + 4] *= rng.uniform(-2, 2, size=(len(stacked[::3]), 1))
        return stacked

    v, a, tau = rng.normal(size=(3, count, robot.nv))
    f_ext = rng.normal(size=(count, robot.n, 6))
    return {"q": configurations(), "q1": configurations(), "v": v, "a": a, "tau": tau, "f_ext": f_ext}
