"""JR95d beyond its own arms: sliding joints, trees, massless links, joints of several dofs, loads, rotors."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from phipsi.dynamics import diagonal as dg
from phipsi.model.robot import Robot
from phipsi.model.zoo import chain, tree
from phipsi.papers.row import Row, Section
from phipsi.reference import diagonal as dense
from phipsi.reference.description import Array

from .arm import drawn


@dataclass(frozen=True)
class Robots:
    """One robot of each kind, with a state."""

    rng: np.random.Generator
    sliding: Robot
    tree: Robot
    massless: Robot
    joints: Robot
    rotors: Robot


def _draw(rng: np.random.Generator) -> Robots:
    seed = int(rng.integers(1000))
    return Robots(
        rng,
        drawn(rng, ("revolute", "prismatic", "revolute", "prismatic")),
        tree(6, seed=seed),
        drawn(rng, ("revolute", "revolute", "revolute", "revolute"), massless=(1,)),
        drawn(rng, ("free", "revolute", "spherical", "prismatic")),
        _with_rotors(rng),
    )


def _with_rotors(rng: np.random.Generator) -> Robot:
    from phipsi.model.builder import Builder
    from phipsi.model.joints import Revolute
    from phipsi.model.pose import Pose

    b = Builder("rotors", gravity=(0, 0, 0))
    for k in range(4):
        joint = Revolute(rng.normal(size=3), armature=float(rng.uniform(0.1, 1)))
        b.body(f"link{k}", parent="world" if k == 0 else f"link{k - 1}", joint=joint,
               placement=Pose(0.4 * rng.normal(size=3)), mass=1.0, com=0.2 * rng.normal(size=3),
               inertia=np.diag([0.2, 0.25, 0.3]))  # fmt: skip
    return b.build()


Pairs = list[tuple[Array, Array]]


def _holds(robot: Robot, rng: np.random.Generator, loads: bool = False) -> Pairs:
    """m against Cholesky; ν, ξ and their Coriolis terms against the usual ones; ν*C = 0; right-hand sides."""
    q, v = robot.random(rng=rng)
    tau = rng.normal(size=robot.nv)
    f_ext = rng.normal(size=(robot.n, 6)) if loads else None
    f = dense.factor(robot, q, v)
    nu, xi = dg.rates(robot, q, v), dg.rates(robot, q, v, normalized=False)
    C, C_xi = dg.coriolis(robot, q, nu), dg.coriolis(robot, q, xi, normalized=False)
    nu_dot = dg.dynamics(robot, q, nu, tau, f_ext)[1]
    s = robot.at(q)
    A = np.eye(robot.nv) + (s.H @ s.phi @ s.K).dense()
    return [
        (A @ s.D.dense() @ A.T, f.mass),
        (s.m.dense(), f.m),
        (nu, f.m.T @ v),
        (f.S.T @ xi, nu),
        (C, dense.diagonal_coriolis(robot, q, nu)),
        (C_xi, dense.diagonal_coriolis(robot, q, xi, normalized=False)),
        (np.array(nu @ C), np.array(0.0)),
        (nu_dot, dense.diagonal_dynamics(robot, q, nu, tau, f_ext)[1]),
        (nu_dot + C, dg.forces(robot, q, tau, f_ext, gravity=True)),
        (s.dot("m", v).dense(), f.m_dot),
    ]


def _of(name: str, loads: bool = False) -> Callable[[Robots], Pairs]:
    return lambda w: _holds(getattr(w, name), w.rng, loads)


_ROWS: tuple[Row[Robots], ...] = (
    Row("G1", "sliding joints: -Δ~* in the place of Ω~_δ on the left, Δ~ on the right", _of("sliding")),
    Row("G2", "trees: sums over children, all operator formulas as they are", _of("tree")),
    Row("G3", "links without mass between others, while D(k) > 0", _of("massless")),
    Row("G4", "joints of several dofs: ν = S*ξ, SS* = D, C_ν = S⁻¹C_ξ - Ṡ*ξ", _of("joints")),
    Row("G5", "gravity and external forces: ε = ℓT + S⁻¹Hψf",
        lambda w: _holds(chain(4), w.rng, True)),
    Row("G6", "rotors: D = HPH* + J", _of("rotors")),
)  # fmt: skip

SECTION_G = Section("G", "Beyond revolute serial arms", _draw, _ROWS)
