"""A robot as JR93 sees it: a motion, a mask of passive dofs, operators as dense matrices, and truths from elsewhere.

Bodies are numbered from the base here (parents first) and from the tip in the paper; trees are drawn, of which the
paper's chains are a part. What the rows are held against comes from the compiled core, from elimination in its mass
matrix and from motions differentiated numerically.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from phipsi.model.builder import Builder
from phipsi.model.joints import Free, Joint, Prismatic, Revolute, Spherical
from phipsi.model.pose import Pose
from phipsi.model.reading import Bools
from phipsi.model.robot import Robot
from phipsi.reference import articulated, operators
from phipsi.reference.description import WORLD, Array, block, v_of
from phipsi.reference.spatial import shift, skew, solve

# the first derivative from nine samples, exact for polynomials of degree 8
STEP = 0.01
_FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP


def draw(rng: np.random.Generator, kinds: list[str]) -> Robot:
    """A tree without weight, with these joints and a frame "tip" on its last body."""
    builder = Builder("arm", gravity=(0, 0, 0))
    for k, kind in enumerate(kinds):
        axis = rng.normal(size=3)
        made: dict[str, Joint] = {
            "revolute": Revolute(axis),
            "prismatic": Prismatic(axis),
            "spherical": Spherical(),
            "free": Free(),
        }
        carrier = k - 1 if rng.random() < 0.75 else int(rng.integers(0, max(k, 1)))
        cloud = rng.normal(size=(8, 3)) * (0.25, 0.3, 0.2)
        builder.body(
            f"link{k}",
            parent="world" if k == 0 else f"link{carrier}",
            joint=made[kind],
            placement=Pose(rng.normal(size=3) * 0.4, quaternion=rng.normal(size=4)),
            mass=rng.uniform(0.5, 3.0),
            com=rng.normal(size=3) * 0.2,
            inertia=np.trace(cloud.T @ cloud) * np.eye(3) - cloud.T @ cloud,
        )
    return builder.frame("tip", f"link{len(kinds) - 1}", Pose(rng.normal(size=3) * 0.3)).build()


def _kinds(rng: np.random.Generator, base: str) -> list[str]:
    more = rng.choice(["revolute", "revolute", "prismatic", "spherical"], size=int(rng.integers(4, 7))).tolist()
    return [base, *rng.permutation(["revolute", "revolute", "prismatic", *more]).tolist()]


def anything(rng: np.random.Generator) -> System:
    """On a fixed or a free base, with joints that are passive, active, or in part one and in part the other."""
    robot = draw(rng, _kinds(rng, str(rng.choice(["free", "revolute"]))))
    passive = rng.random(robot.nv) < 0.4
    passive[:2], passive[-6:] = True, np.arange(6) == 2  # some of each: the last six dofs have motors, but for one
    return System(robot, rng, passive)


def floating(rng: np.random.Generator) -> System:
    """A free-flying manipulator with some passive joints."""
    robot = draw(rng, _kinds(rng, "free"))
    passive = np.asarray(robot.passive) | (np.arange(robot.nv) == 7)
    return System(robot, rng, passive)


class System:
    """The robot in a state: β is `v`, its rate `v_dot`, forces `T`. `p` and `a` choose the passive and active dofs."""

    def __init__(self, robot: Any, rng: np.random.Generator, passive: Bools) -> None:
        self.robot, self.n, self.N = robot, int(robot.n), int(robot.nv)
        self.q = robot.random(rng=rng)[0]
        self.v, self.T, self.v_dot_wish = rng.normal(size=(3, self.N)) * 0.7
        self.other = rng.normal(size=self.N)
        self.point = rng.normal(size=3)
        self.s = operators.at(robot, self.q, self.v)
        self.choose(passive)

    def masked(self, passive: Bools) -> System:
        """The same robot in the same state, with other passive dofs."""
        other = object.__new__(System)
        kept = ("robot", "n", "N", "q", "v", "T", "v_dot_wish", "other", "point", "s")
        other.__dict__.update({name: self.__dict__[name] for name in kept})
        other.choose(passive)
        return other

    def choose(self, passive: Bools) -> None:
        """Which dofs are passive, and the articulated inertias that go with them."""
        self.passive = np.asarray(passive, dtype=bool)
        self.p, self.a = np.flatnonzero(self.passive), np.flatnonzero(np.logical_not(self.passive))
        self.r = articulated.riccati(self.s, self.passive)

    # ── the operators, by their recursions ───────────────────────────────────────────────────────────────────────

    def __getattr__(self, name: str) -> Array:
        """H, phi, E_phi, M of the state; P, D, G, K, psi, tau_bar of the passive dofs."""
        if name in ("phi", "E_phi", "M", "V", "b", "H"):
            return getattr(self.s, name)
        if name in ("P", "D", "G", "K", "psi", "E_psi", "tau_bar", "P_plus"):
            return getattr(self.r, name)
        raise AttributeError(name)

    @cached_property
    def coriolis(self) -> Array:
        """a(k), which the paper writes as it writes other things."""
        return self.s.a

    @cached_property
    def H_p(self) -> Array:
        """The rows of H of the passive dofs."""
        return self.s.H[self.p]

    @cached_property
    def H_a(self) -> Array:
        """The rows of H of the active dofs."""
        return self.s.H[self.a]

    @cached_property
    def D_inv(self) -> Array:
        """D_p⁻¹."""
        return self.r.D_inverse

    @cached_property
    def I(self) -> Array:  # noqa: E743 (the papers' letter)
        """One, of bodies."""
        return np.eye(6 * self.n)

    @cached_property
    def white(self) -> Array:
        """1 - H_p ψ K_p."""
        return np.eye(len(self.p)) - self.H_p @ self.psi @ self.K

    @cached_property
    def Omega(self) -> Array:
        """Ω = ψ* H_p* D_p⁻¹ H_p ψ. [JR93 5.2]"""
        return self.psi.T @ self.H_p.T @ self.D_inv @ self.H_p @ self.psi

    @cached_property
    def projection(self) -> Array:
        """T = Ω M."""
        return self.Omega @ self.M

    @cached_property
    def bar(self) -> Array:
        """T̄ = 1 - Ω M."""
        return self.I - self.Omega @ self.M

    @cached_property
    def B(self) -> Array:
        """col[φ(1, 0), 0, ...]: from the tip to the body that carries it."""
        body, pose = self.robot.frame("tip")
        out = np.zeros((6 * self.n, 6))
        out[block(body)] = shift(self.s.rotation[body] @ pose.position)
        return out

    # ── truths: elimination in the compiled core's mass matrix ───────────────────────────────────────────────────

    @cached_property
    def mass(self) -> Array:
        """The mass matrix."""
        return self.robot.mass_matrix(self.q)

    @cached_property
    def C(self) -> Array:
        """What holds the accelerations at zero."""
        return self.robot.bias(self.q, self.v)

    def part(self, i: str, j: str) -> Array:
        """M_ij, i and j of "a" and "p"."""
        rows, columns = getattr(self, i), getattr(self, j)
        return self.mass[np.ix_(rows, columns)]

    @cached_property
    def S_pp(self) -> Array:
        """M_pp⁻¹."""
        return solve(self.part("p", "p"), np.eye(len(self.p)))

    @cached_property
    def S_ap(self) -> Array:
        """M_ap M_pp⁻¹."""
        return self.part("a", "p") @ self.S_pp

    @cached_property
    def S_aa(self) -> Array:
        """M_aa - M_ap M_pp⁻¹ M_pa."""
        return self.part("a", "a") - self.S_ap @ self.part("p", "a")

    @cached_property
    def v_dot(self) -> Array:
        """β̇: as wished at the active dofs, as the passive ones' forces T_p have it at the others."""
        return self.moved(self.v_dot_wish[self.a])

    def moved(self, active: Array) -> Array:
        """β̇ when the active dofs are accelerated so, by dense elimination."""
        out = np.zeros(self.N)
        out[self.a] = active
        out[self.p] = self.S_pp @ (self.T[self.p] - self.C[self.p] - self.part("p", "a") @ active)
        return out

    @cached_property
    def torques(self) -> Array:
        """T of that motion, complete."""
        return self.robot.inverse_dynamics(self.q, self.v, self.v_dot)

    @cached_property
    def alpha(self) -> Array:
        """The links' accelerations in that motion."""
        return self.robot.accelerations(self.q, self.v, self.v_dot).ravel()

    @cached_property
    def f(self) -> Array:
        """The links' forces in that motion."""
        return self.robot.reaction_forces(self.q, self.v, self.v_dot).ravel()

    @cached_property
    def alpha_tip(self) -> Array:
        """α(0) in that motion."""
        return self.robot.acceleration(self.q, self.v, self.v_dot, "tip")

    @cached_property
    def a_tip(self) -> Array:
        """a(0): what the tip's acceleration has besides α(1), carried: [0; w~ w~ l]."""
        body, pose = self.robot.frame("tip")
        w = self.V[block(body)][:3]
        turning = skew(w)
        return np.concatenate([np.zeros(3), turning @ turning @ self.s.rotation[body] @ pose.position])

    # ── the tree ─────────────────────────────────────────────────────────────────────────────────────────────────

    def parent(self, k: int) -> int:
        """The body that carries body k, -1 for the world."""
        return int(self.robot.parent[k])

    def kind(self, k: int) -> str:
        """The type of joint k."""
        return self.robot.joints[k].kind

    def own(self, k: int) -> slice:
        """Where joint k keeps its numbers."""
        return v_of(self.robot, k)

    def carried(self, k: int) -> Array:
        """φ(parent, k); of a root, to the world's origin."""
        p = self.parent(k)
        return shift(self.s.origin[k] - (self.s.origin[p] if p != WORLD else np.zeros(3)))

    def of(self, stacked: Array, k: int) -> Array:
        """Body k's six numbers; the world's are zero."""
        return stacked[block(k)] if k != WORLD else np.zeros(6)

    def gathered(self, pieces: list[Array], k: int) -> Array:
        """Σ φ(k, c) x(c) over the bodies that body k carries."""
        return sum((self.carried(c) @ pieces[c] for c in range(self.n) if self.parent(c) == k), np.zeros(6))

    # ── motions ──────────────────────────────────────────────────────────────────────────────────────────────────

    def rate_of(self, what: Callable[[Array, Array], Array]) -> Array:
        """d/dt what(q, v) along the motion with β = v and β̇ = v_dot, from nine samples."""
        total: Array = np.zeros(())
        for weight, t in zip(_FIRST.tolist(), (np.arange(-4, 5) * STEP).tolist(), strict=True):
            q = self.robot.integrate(self.q, self.v * t + self.v_dot * t * t / 2)
            total = total + weight * what(q, self.v + self.v_dot * t)
        return total
