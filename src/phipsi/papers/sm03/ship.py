"""Two arms on a base, with an object in their hands, in a motion; every quantity in link coordinates, as SM03 has it.

The truths are the compiled core's, its poses differentiated numerically, and Gauss' principle of least constraint.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

import numpy as np

from phipsi.model.builder import Builder
from phipsi.model.joints import Free, Joint, Prismatic, Revolute, Universal
from phipsi.model.pose import Pose
from phipsi.model.robot import Robot
from phipsi.papers.least_constraint import acceleration, diagonal, rates, times
from phipsi.reference import joints
from phipsi.reference.description import Array
from phipsi.reference.spatial import both, skew, spatial_inertia

KINDS = ("revolute", "universal", "revolute", "prismatic", "revolute", "revolute")


def transform(here: tuple[Array, Array], there: tuple[Array, Array]) -> Array:
    """X = [[R, 0], [-R p~, R]]: a velocity seen `here`, (axes, origin), as it is seen there."""
    R = there[0].T @ here[0]
    p = here[0].T @ (there[1] - here[1])
    return np.block([[R, np.zeros((3, 3))], [-R @ skew(p), R]])


def crm(V: Array) -> Array:
    """V x: [[w~, 0], [v~, w~]], of motions."""
    return np.block([[skew(V[:3]), np.zeros((3, 3))], [skew(V[3:]), skew(V[:3])]])


def crf(V: Array) -> Array:
    """V x*: [[w~, v~], [0, w~]], of forces."""
    return -crm(V).T


@dataclass(frozen=True)
class Geometry:
    """X, X_b, Phi, B and single transforms, at one q."""

    X: Array
    X_b: Array
    Phi: Array
    B: Array
    frames: dict[str, tuple[Array, Array]]


def _builder(rng: np.random.Generator, kinds: tuple[str, ...], base: Joint | None, elastic: bool) -> Robot:
    def body(name: str, parent: str, joint: Joint | None, at: Pose, com: Array) -> None:
        cloud = rng.normal(size=(8, 3)) * (0.15, 0.25, 0.2)
        inertia = np.trace(cloud.T @ cloud) * np.eye(3) - cloud.T @ cloud
        builder.body(name, parent, joint, at, rng.uniform(1, 3), com, inertia)

    builder = Builder("ship", (0, 0, 0))
    if base is not None:
        body("base", "world", base, Pose(), np.zeros(3))
    for j in range(2):
        parent = "world" if base is None else "base"
        for i, kind in enumerate(kinds):
            axis, other = np.linalg.qr(rng.normal(size=(3, 3)))[0][:2]
            spring: Any = {"stiffness": 2.0, "damping": 0.5, "passive": True} if elastic and i % 3 == 1 else {}
            made = {
                "revolute": Revolute(axis, **spring),
                "prismatic": Prismatic(axis),
                "universal": Universal(axis, other),
            }
            at = Pose(rng.normal(size=3) * 0.4, quaternion=rng.normal(size=4))
            body(f"{j}/{i}", parent, made[kind], at, rng.normal(size=3) * 0.2)
            parent = f"{j}/{i}"
        builder.frame(f"tip{j}", parent, Pose(rng.normal(size=3) * 0.3, quaternion=rng.normal(size=4)))
    body("object", "world", Free(), Pose(), np.zeros(3))
    return builder.build()


class Ship:
    """The system in a state, with torques T_a, and f_b on the base: all letters of the paper."""

    def __init__(
        self, rng: np.random.Generator, base: Joint | None, kinds: tuple[str, ...] = KINDS, elastic: bool = False
    ) -> None:
        robot = _builder(rng, kinds, base, elastic)
        self.q = np.asarray(robot.random(rng=rng)[0], dtype=np.float64)
        body = robot.pose(self.q, "object")
        for j in range(2):
            robot = robot.add_frame(f"grasp{j}", "object", body.inv @ robot.pose(self.q, f"tip{j}"))
        self.robot, self.n, self.on_base = robot, len(kinds), base is not None
        self.links = [[robot.body_names.index(f"{j}/{i}") for i in range(self.n)] for j in range(2)]
        moving = np.zeros(robot.nv, dtype=bool)
        moving[-6:] = True
        self.own = {"base": slice(0, 6 if self.on_base else 0), "object": slice(robot.nv - 6, robot.nv)}
        self.arms = slice(self.own["base"].stop, robot.nv - 6)
        v, allowed = rng.normal(size=robot.nv) * 0.3, self._constraint(self.q)
        self.v = v - np.linalg.pinv(allowed) @ allowed @ v
        self.T_a = rng.normal(size=self.arms.stop - self.arms.start)
        self.f_b = rng.normal(size=self.own["base"].stop)
        flexible = np.asarray(robot.stiffness)[self.own["base"]]
        if flexible.any():
            self.f_b = robot.passive_forces(self.q, self.v)[self.own["base"]]
        self.soft = np.asarray(robot.passive)[self.arms]  # virtual elastic joints
        if elastic:
            self.T_a[self.soft] = robot.passive_forces(self.q, self.v)[self.arms][self.soft]
        self.seed = int(rng.integers(2**32))

    def _constraint(self, q: Array) -> Array:
        return np.concatenate([self.robot.jacobian(q, f"tip{j}") - self.robot.jacobian(q, f"grasp{j}")
                               for j in range(2)])  # fmt: skip

    # ── the motion ────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def effort(self) -> Array:
        """All generalized forces."""
        return np.r_[self.f_b, self.T_a, np.zeros(6)]

    @cached_property
    def a(self) -> Array:
        """All generalized accelerations."""
        return acceleration(self.robot, self.q, self.v, self.effort, self._constraint)

    @cached_property
    def path(self) -> Array:
        """q along a motion with this velocity: what first derivatives ask for."""
        return np.asarray(self.robot.integrate(self.q, self.v * times()[:, None]))

    def geometry(self, q: Array) -> Geometry:
        """The transforms at q."""
        poses = self.robot.poses(q)
        at = [(np.asarray(R), np.asarray(p)) for R, p in zip(poses.rotation, poses.position, strict=True)]
        frames = {name: at[k] for k, name in enumerate(self.robot.body_names)}
        for name in ("tip0", "tip1", "grasp0", "grasp1"):
            pose = self.robot.pose(q, name)
            frames[name] = (np.asarray(pose.rotation), np.asarray(pose.position))
        base = frames.get("base", (np.eye(3), np.zeros(3)))
        none, Xs, X_b, Phi, Bs = np.zeros((6, 6)), list[Array](), list[Array](), list[Array](), list[Array]()
        for j, own in enumerate(self.links):
            Xs.append(np.block([[transform(at[k], at[i]) if k <= i else none for k in own] for i in own]))
            X_b += [transform(base, at[i]) for i in own]
            for i in own:
                q_own = slice(int(self.robot.q_index[i]), int(self.robot.q_index[i + 1]))
                Phi.append(joints.columns(cast(Any, self.robot.joints[i]), q[q_own]))
            Bs.append(np.concatenate([none] * (self.n - 1) + [transform(at[own[-1]], frames[f"tip{j}"])], axis=1))
        return Geometry(diagonal(Xs), np.concatenate(X_b), diagonal(Phi), diagonal(Bs), frames)

    @cached_property
    def at(self) -> Geometry:
        """The transforms now."""
        return self.geometry(self.q)

    @cached_property
    def along(self) -> list[Geometry]:
        """The transforms along the motion."""
        return [self.geometry(q) for q in self.path]

    def rate(self, name: str) -> Array:
        """Ẋ, Ẋ_b, Φ̇ or Ḃ: differentiated numerically."""
        return rates(np.array([getattr(one, name) for one in self.along]))

    def __getattr__(self, name: str) -> Any:
        if name not in ("X", "X_b", "Phi", "B"):
            raise AttributeError(name)
        return getattr(self.at, name)

    def seen(self, frame: str, x: Array) -> Array:
        """A vector of six, world axes, along the frame's axes."""
        return both(self.at.frames[frame][0]).T @ x

    def velocity(self, frame: str) -> Array:
        """Spatial velocity in the frame's coordinates."""
        return self.robot.velocity(self.q, self.v, frame, "body")

    def acceleration(self, frame: str) -> Array:
        """The rate of these six numbers: along moving axes the linear half lacks w x v."""
        V = self.velocity(frame)
        inertial = self.seen(frame, self.robot.acceleration(self.q, self.v, self.a, frame))
        return inertial - np.r_[np.zeros(3), np.cross(V[:3], V[3:])]

    # ── links ─────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def names(self) -> list[str]:
        """All links, arm by arm, base to tip."""
        return [f"{j}/{i}" for j in range(2) for i in range(self.n)]

    @cached_property
    def V(self) -> Array:
        """V of all links."""
        return np.concatenate([self.velocity(name) for name in self.names])

    @cached_property
    def V_dot(self) -> Array:
        """V̇ of all links."""
        return np.concatenate([self.acceleration(name) for name in self.names])

    @cached_property
    def V_b(self) -> Array:
        """V_b (of no numbers on the world)."""
        return self.velocity("base") if self.on_base else np.zeros(6)

    @cached_property
    def V_b_dot(self) -> Array:
        """V̇_b."""
        return self.acceleration("base") if self.on_base else np.zeros(6)

    @property
    def rate_q(self) -> Array:
        """q̇."""
        return self.v[self.arms]

    @property
    def rate_rate_q(self) -> Array:
        """q̈."""
        return self.a[self.arms]

    def inertia_of(self, name: str) -> Array:
        """M of a body, in its axes, about its origin."""
        k = self.robot.body_names.index(name)
        return spatial_inertia(self.robot.mass[k], self.robot.com[k], self.robot.inertia[k])

    @cached_property
    def M_q(self) -> Array:
        """diag[M]."""
        return diagonal([self.inertia_of(name) for name in self.names])

    def bias_of(self, name: str) -> Array:
        """b = V x* M V."""
        V = self.velocity(name)
        return crf(V) @ self.inertia_of(name) @ V

    @cached_property
    def b(self) -> Array:
        """b of all links."""
        return np.concatenate([self.bias_of(name) for name in self.names])

    @cached_property
    def M_b(self) -> Array:
        """M_b."""
        return self.inertia_of("base")

    @cached_property
    def b_b(self) -> Array:
        """b_b."""
        return self.bias_of("base")

    @property
    def D(self) -> Array:
        """D = B*."""
        return self.at.B.T

    @cached_property
    def XP(self) -> Array:
        """X Phi."""
        return self.at.X @ self.at.Phi

    @cached_property
    def g(self) -> Array:
        """Ẋ_b V_b + Ẋ Φ q̇ + X Φ̇ q̇: the links' accelerations at q̈ = 0, V̇_b = 0."""
        return self.rate("X_b") @ self.V_b + (self.rate("X") @ self.at.Phi + self.at.X @ self.rate("Phi")) @ self.rate_q

    # ── forces ────────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def _at_tips(self) -> Array:
        """What the tips exert, world axes: what all joints need without it, less what they give."""
        J = np.concatenate([self.robot.jacobian(self.q, f"tip{j}") for j in range(2)])[:, : self.own["object"].start]
        without = self.robot.inverse_dynamics(self.q, self.v, self.a)[: self.own["object"].start]
        return np.asarray(np.linalg.lstsq(J.T, self.effort[: len(without)] - without, rcond=None)[0], dtype=np.float64)

    @cached_property
    def f_e(self) -> Array:
        """f_e, along the tips' axes."""
        return np.concatenate([self.seen(f"tip{j}", self._at_tips[6 * j : 6 * j + 6]) for j in range(2)])

    @cached_property
    def f(self) -> Array:
        """The forces through all joints of the arms, by the compiled core."""
        f_ext = np.zeros((self.robot.n, 6))
        for j, own in enumerate(self.links):
            at = self.at.frames[f"tip{j}"][1] - self.at.frames[f"{j}/{self.n - 1}"][1]
            f = -self._at_tips[6 * j : 6 * j + 6]
            f_ext[own[-1]] = np.r_[f[:3] + np.cross(at, f[3:]), f[3:]]
        forces = self.robot.reaction_forces(self.q, self.v, self.a, f_ext)
        return np.concatenate([self.seen(name, forces[self.robot.body_names.index(name)]) for name in self.names])

    # ── the object ────────────────────────────────────────────────────────────────────────────────────────────────

    def W_of(self, j: int) -> Array:
        """From V° to the velocity of tip j."""
        return transform(self.at.frames["object"], self.at.frames[f"tip{j}"])

    @cached_property
    def W(self) -> Array:
        """col[W_j]."""
        return np.concatenate([self.W_of(j) for j in range(2)])

    @cached_property
    def M_o(self) -> Array:
        """M_o."""
        return self.inertia_of("object")

    @cached_property
    def b_o(self) -> Array:
        """b_o."""
        return self.bias_of("object")

    @cached_property
    def V_o(self) -> Array:
        """V°."""
        return self.velocity("object")

    @cached_property
    def V_o_dot(self) -> Array:
        """V̇°."""
        return self.acceleration("object")

    @cached_property
    def V_e(self) -> Array:
        """Vᵉ."""
        return np.concatenate([self.velocity(f"tip{j}") for j in range(2)])

    @cached_property
    def V_e_dot(self) -> Array:
        """V̇ᵉ."""
        return np.concatenate([self.acceleration(f"tip{j}") for j in range(2)])
