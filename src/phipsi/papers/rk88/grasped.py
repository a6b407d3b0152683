"""Several arms and the object that they hold, as RK88, part II, sees them, in a motion that its constraints allow.

The truths do not come from the paper's equations: the compiled core's mass matrix and bias of all arms and the object
as one forest, the constraints differentiated numerically along the motion, and Gauss' principle of least constraint.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from phipsi.model.assembly import assemble
from phipsi.model.builder import Builder
from phipsi.model.joints import Free
from phipsi.model.robot import Robot
from phipsi.papers.least_constraint import acceleration, diagonal
from phipsi.reference.description import Array
from phipsi.reference.spatial import both, shift, solve

from .arm import Arm, cross, draw, inverse
from .operators import Operators

CONTACTS = {"rigid": 0, "revolute": 1, "soft finger": 2, "point": 3}  # and n_g, the motions that they leave free


def object_body(rng: np.random.Generator) -> Robot:
    """A body on a free joint; its origin is C, not its mass centre."""
    cloud = rng.normal(size=(8, 3)) * (0.2, 0.3, 0.25)
    inertia = np.trace(cloud.T @ cloud) * np.eye(3) - cloud.T @ cloud
    return Builder("object", (0, 0, 0)).body(
        "object", joint=Free(), mass=rng.uniform(1, 4), com=rng.normal(size=3) * 0.1, inertia=inertia
    ).build()  # fmt: skip


class Grasped:
    """Arms, an object, contacts, and a motion. Letters as in the paper, aggregated over the arms, in their order."""

    def __init__(self, rng: np.random.Generator, contacts: tuple[str, ...]) -> None:
        self.contacts, self.count = contacts, len(contacts)
        robots = [self._arm_of_chance(rng) for _ in contacts]
        self.names = [f"arm{i}" for i in range(self.count)]
        self.held = object_body(rng)
        self.robot = self._with_grasps(robots, rng)
        self.joints = slice(0, self.robot.nv - 6)  # those of the arms; then the object
        self.freedoms = [np.linalg.qr(rng.normal(size=(3, 3)))[0][:, : CONTACTS[kind]] for kind in contacts]
        self.T = rng.normal(size=self.robot.nv - 6)
        rate = rng.normal(size=self.robot.nv) * 0.2
        allowed = self.constraint(self.q, self.turns(self.q))
        self.rate = rate - np.linalg.pinv(allowed) @ allowed @ rate
        self.robots, self.seed = robots, int(rng.integers(2**32))

    def _arm_of_chance(self, rng: np.random.Generator) -> Robot:
        kinds = ["revolute", "revolute", "revolute", "revolute", "prismatic"]
        return draw(rng, tuple(rng.choice(kinds, size=int(rng.integers(6, 8))).tolist()))

    def _with_grasps(self, robots: list[Robot], rng: np.random.Generator) -> Robot:
        forest = assemble({**dict(zip(self.names, robots, strict=True)), "object": self.held})
        self.q = np.asarray(forest.random(rng=rng)[0], dtype=np.float64)
        body = forest.pose(self.q, "object")
        for i, name in enumerate(self.names):
            tip = forest.pose(self.q, f"{name}/tip")
            forest = forest.add_frame(f"grasp{i}", "object", body.inv @ tip)
        return forest

    # ── the motion, by the compiled core and by differences ───────────────────────────────────────────────────────

    def turns(self, q: Array) -> Array:
        """The axes of the object."""
        return np.asarray(self.robot.pose(q, "object").rotation)

    def transmitted(self, turns: Array) -> Array:
        """N: the forces that the contacts transmit, (6 l, k); fixed to the object, whose axes are these."""
        blocks: list[Array] = []
        for axes in self.freedoms:
            full = np.linalg.qr(np.concatenate([axes, np.eye(3)], axis=1))[0]
            block = np.zeros((6, 6 - axes.shape[1]))
            block[:3, : 3 - axes.shape[1]] = turns @ full[:, axes.shape[1] :]
            block[3:, 3 - axes.shape[1] :] = np.eye(3)
            blocks.append(block)
        return diagonal(blocks)

    def relative(self, q: Array) -> Array:
        """From v to V- - V+: velocities of the grasps less those of the tips."""
        rows = [
            self.robot.jacobian(q, f"grasp{i}") - self.robot.jacobian(q, f"{name}/tip")
            for i, name in enumerate(self.names)
        ]
        return np.concatenate(rows)

    def constraint(self, q: Array, turns: Array) -> Array:
        """What must be zero, times v."""
        return self.transmitted(turns).T @ self.relative(q)

    @cached_property
    def acceleration(self) -> Array:
        """Gauss: of all accelerations that the constraint allows, the nearest to the free one."""

        def constraint(q: Array) -> Array:
            return self.constraint(q, self.turns(q))

        return acceleration(self.robot, self.q, self.rate, np.r_[self.T, np.zeros(6)], constraint)

    def _arm(self, i: int, rate_dot: Array, still: bool = False) -> Operators:
        arm = Arm(self.robots[i], np.random.default_rng(self.seed + i))
        own = self.of(i)
        arm.q, arm.rate = self.q[own], self.rate[own] * (not still)
        arm.rate_dot, arm.f0 = rate_dot[own], self.f0[6 * i : 6 * i + 6]
        return Operators(arm)

    def of(self, i: int) -> slice:
        """Where arm i keeps its numbers in q, v and T, as the robot counts them."""
        ends = np.cumsum([0, *(robot.nv for robot in self.robots)]).tolist()
        return slice(ends[i], ends[i + 1])

    @cached_property
    def f0(self) -> Array:
        """f(0): what the tips exert on the object; from the torques that the motion takes without it."""
        torque = self.robot.inverse_dynamics(self.q, self.rate, self.acceleration)[self.joints]
        return np.asarray(np.linalg.lstsq(self.tips.T, self.T - torque, rcond=None)[0], dtype=np.float64)

    @property
    def tips(self) -> Array:
        """J by the compiled core, in its order of joints."""
        rows = [self.robot.jacobian(self.q, f"{name}/tip")[:, self.joints] for name in self.names]
        return np.concatenate(rows)

    @cached_property
    def arms(self) -> list[Operators]:
        """The arms in the motion: their W_dot is that of the closed chain."""
        return [self._arm(i, self.acceleration) for i in range(self.count)]

    @cached_property
    def free_acceleration(self) -> Array:
        """The joints' accelerations, had the arms let go: by the compiled core."""
        return np.asarray(self.robot.forward_dynamics(self.q, self.rate, np.r_[self.T, np.zeros(6)]))

    # ── the paper's letters: of the arms ──────────────────────────────────────────────────────────────────────────

    def __getattr__(self, name: str) -> Any:
        """H, phi, M, psi, D, L, ...: block diagonal over the arms; V, a, b, ...: stacked."""
        if name.startswith("_") or not hasattr(Operators, name):
            raise AttributeError(name)
        parts = [getattr(arm, name) for arm in self.arms]
        made = np.concatenate(parts) if parts[0].ndim == 1 else diagonal(parts)
        self.__dict__[name] = made
        return made

    def tip_first(self, x: Array) -> Array:
        """Numbers of all joints, in the paper's order."""
        return np.concatenate([arm.arm.turned @ x[self.of(i)] for i, arm in enumerate(self.arms)])

    @cached_property
    def torques(self) -> Array:
        """T."""
        return self.tip_first(self.T)

    @cached_property
    def J(self) -> Array:
        """J = diag(J_i), by the compiled core."""
        return diagonal([arm.arm.jacobian for arm in self.arms])

    @cached_property
    def Mass(self) -> Array:
        """diag(M_i), the arms' mass matrices, by the compiled core."""
        return diagonal([arm.arm.mass_matrix for arm in self.arms])

    @cached_property
    def Mass_inverse(self) -> Array:
        """Their inverses."""
        return inverse(self.Mass)

    @cached_property
    def C(self) -> Array:
        """Coriolis and centrifugal terms, by the compiled core."""
        return self.tip_first(self.robot.bias(self.q, self.rate)[self.joints])

    @cached_property
    def J_dot_rate(self) -> Array:
        """J-dot theta-dot, by the compiled core."""
        parts = [self.robot.jacobian_dot_v(self.q, self.rate, f"{name}/tip") for name in self.names]
        return np.concatenate(parts)

    @cached_property
    def a_tips(self) -> Array:
        """a(0)."""
        return np.concatenate([arm.a_of(0) for arm in self.arms])

    @cached_property
    def T_prime(self) -> Array:
        """T' = T - C."""
        return self.torques - self.C

    @cached_property
    def free_joints(self) -> Array:
        """Theta-double-dot of the free dynamics, by the compiled core."""
        return self.tip_first(self.free_acceleration[self.joints])

    @cached_property
    def free_tips(self) -> Array:
        """alpha_f, by the compiled core."""
        parts = [self.robot.acceleration(self.q, self.rate, self.free_acceleration, f"{n}/tip") for n in self.names]
        return np.concatenate(parts)

    # ── of the object ─────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def V_C(self) -> Array:
        """V(C)."""
        return np.asarray(self.robot.velocity(self.q, self.rate, "object"))

    @cached_property
    def alpha_C(self) -> Array:
        """alpha(C) of the motion."""
        return np.asarray(self.robot.acceleration(self.q, self.rate, self.acceleration, "object"))

    @cached_property
    def O_C(self) -> Array:
        """C."""
        return np.asarray(self.robot.pose(self.q, "object").position)

    def l_C(self, i: int) -> Array:
        """l(C, O_i)."""
        return self.arms[i].arm.O[0] - self.O_C

    @cached_property
    def A(self) -> Array:
        """A = col[phi*(C, O_i)]. (2.6)"""
        return np.concatenate([shift(self.l_C(i)).T for i in range(self.count)])

    @cached_property
    def p_C(self) -> Array:
        """From C to the object's mass centre."""
        return self.turns(self.q) @ self.held.com[0]

    @cached_property
    def I_C(self) -> Array:
        """The object's inertia about C: of its particles."""
        about = self.turns(self.q) @ self.held.inertia[0] @ self.turns(self.q).T
        second = np.trace(about) / 2 * np.eye(3) - about + self.held.mass[0] * np.outer(self.p_C, self.p_C)
        return np.trace(second) * np.eye(3) - second

    @cached_property
    def M_C(self) -> Array:
        """M(C)."""
        R = both(self.turns(self.q))
        return R @ np.asarray(self.robot.mass_matrix(self.q))[-6:, -6:] @ R.T

    @cached_property
    def b_C(self) -> Array:
        """b(C) = [w x I w; m w x (w x p)]."""
        w = self.V_C[:3]
        return np.r_[cross(w, self.I_C @ w), self.held.mass[0] * cross(w, cross(w, self.p_C))]

    @cached_property
    def a_C(self) -> Array:
        """a(C) = col[0; w x (w x l(C, O_i))]."""
        w = self.V_C[:3]
        return np.concatenate([np.r_[np.zeros(3), cross(w, cross(w, self.l_C(i)))] for i in range(self.count)])

    @cached_property
    def yielding(self) -> Array:
        """A M(C)^-1 A*."""
        return self.A @ solve(self.M_C, self.A.T)

    @cached_property
    def yielding_b(self) -> Array:
        """A M(C)^-1 b(C)."""
        return self.A @ solve(self.M_C, self.b_C)

    @cached_property
    def Omega(self) -> Array:
        """Omega, from the compiled core's mass matrices. (3.1)"""
        return self.J @ self.Mass_inverse @ self.J.T + self.yielding

    @cached_property
    def a_prime(self) -> Array:
        """a'(C). (2.15b)"""
        return self.a_C - self.yielding_b - self.J_dot_rate


def _well_posed(rng: np.random.Generator, draw_contacts: Callable[[np.random.Generator], list[str]]) -> Grasped:
    """A system far enough from a singular configuration for ten digits."""
    while True:
        found = Grasped(rng, tuple(draw_contacts(rng)))
        tips = [found.robot.jacobian(found.q, f"{name}/tip") for name in found.names]
        regular = min(np.linalg.svd(J, compute_uv=False)[5] for J in tips) > 0.05  # all of f(0) is felt at the joints
        if regular and np.linalg.cond(found.Omega) < 1e4 and np.linalg.cond(found.Mass) < 1e4:
            return found


def rigid(rng: np.random.Generator) -> Grasped:
    """Two or three arms that hold an object rigidly."""

    def contacts(rng: np.random.Generator) -> list[str]:
        return ["rigid"] * int(rng.integers(2, 4))

    return _well_posed(rng, contacts)


def mixed(rng: np.random.Generator) -> Grasped:
    """Three arms: each contact of any model, at least one of them not rigid."""

    def contacts(rng: np.random.Generator) -> list[str]:
        kinds = ["rigid", "soft finger", str(rng.choice(list(CONTACTS)))]
        return [kinds[i] for i in rng.permutation(3).tolist()]

    return _well_posed(rng, contacts)
