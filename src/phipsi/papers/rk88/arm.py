"""An arm as RK88 sees it: links numbered from the tip (1) to the base (N), each quantity under the paper's letter.

What the equations are held against does not come from them: the truths are the arm's poses along a motion,
differentiated numerically, d'Alembert's principle on its particles, and the compiled core.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np

from phipsi.model.builder import Builder
from phipsi.model.joints import Free, Joint, Prismatic, Revolute, Spherical
from phipsi.model.pose import Pose
from phipsi.model.robot import Robot
from phipsi.reference.description import Array
from phipsi.reference.spatial import both, shift, skew, solve

# first and second derivatives from nine samples, exact for polynomials of degree 8 and 9
_STEP = 0.02
_FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / _STEP
_SECOND = np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560]) / _STEP**2


def cross(x: Array, y: Array) -> Array:
    """x × y."""
    return skew(x) @ y


def inverse(matrix: Array) -> Array:
    """matrix⁻¹."""
    return solve(matrix, np.eye(len(matrix)))


def axis_of(x: Array) -> Array:
    """The vector x of a matrix whose antisymmetric part is x~."""
    return np.array([x[2, 1] - x[1, 2], x[0, 2] - x[2, 0], x[1, 0] - x[0, 1]]) / 2


def draw(rng: np.random.Generator, kinds: tuple[str, ...], massless: tuple[int, ...] = ()) -> Robot:
    """A chain without weight, with these joints from the base to the tip and a frame "tip" on its last link."""
    builder = Builder("arm", gravity=(0, 0, 0))
    for k, kind in enumerate(kinds):
        axis = rng.normal(size=3)
        made: dict[str, Joint] = {
            "revolute": Revolute(axis),
            "prismatic": Prismatic(axis),
            "spherical": Spherical(),
            "free": Free(),
        }
        cloud = rng.normal(size=(8, 3)) * (0.15, 0.25, 0.2)
        builder.body(
            f"link{k}",
            parent="world" if k == 0 else f"link{k - 1}",
            joint=made[kind],
            placement=Pose() if kind == "free" else Pose(rng.normal(size=3) * 0.4, quaternion=rng.normal(size=4)),
            mass=0.0 if k in massless else rng.uniform(0.5, 3.0),
            com=np.zeros(3) if k in massless else rng.normal(size=3) * 0.2,
            inertia=(np.trace(cloud.T @ cloud) * np.eye(3) - cloud.T @ cloud) * (k not in massless),
        )
    return builder.frame("tip", f"link{len(kinds) - 1}", Pose(rng.normal(size=3) * 0.3)).build()


def serial(rng: np.random.Generator) -> Arm:
    """Two to seven links on a fixed base, with revolute and sliding joints, in a random motion."""
    more = rng.choice(["revolute", "revolute", "prismatic"], size=int(rng.integers(0, 6))).tolist()
    return Arm(draw(rng, tuple(rng.permutation(["revolute", "prismatic", *more]).tolist())), rng)


def mobile(rng: np.random.Generator) -> Arm:
    """The same on a base that moves freely, with a spherical joint somewhere."""
    kinds = rng.choice(["revolute", "spherical", "prismatic"], size=int(rng.integers(1, 5)))
    return Arm(draw(rng, ("free", *kinds.tolist(), "spherical", "revolute")), rng)


class Arm:
    """A robot in a motion. Lists run over k = 0 (tip) ... N + 1 (base); stacked vectors and operators over 1 ... N."""

    def __init__(self, robot: Any, rng: np.random.Generator) -> None:
        self.robot, self.N = robot, int(robot.n)
        self.q = robot.random(rng=rng)[0]
        self.rate, self.rate_dot = rng.normal(size=(2, robot.nv)) * 0.5  # as the robot counts them
        self.f0 = rng.normal(size=6)  # f(0): what the tip exerts on what it touches
        self.g = np.concatenate([np.zeros(3), rng.normal(size=3) * 9.8])  # [0; 9.8 e3], up being anywhere
        self.seed = int(rng.integers(2**32))  # for what a row draws besides

    # ── the links ────────────────────────────────────────────────────────────────────────────────────────────────

    def of(self, k: int) -> int:
        """The robot's number of link k."""
        return self.N - k

    def kind(self, k: int) -> str:
        """The type of joint k."""
        return self.robot.joints[self.of(k)].kind

    def own(self, k: int) -> slice:
        """Where joint k keeps its numbers in a stacked vector of joints."""
        widths = [self.robot.joints[self.of(i)].nv for i in range(1, self.N + 1)]
        return slice(sum(widths[: k - 1]), sum(widths[:k]))

    @staticmethod
    def at(k: int) -> slice:
        """Where link k keeps its six numbers in a stacked vector of links."""
        return slice(6 * k - 6, 6 * k)

    def per_link(self, blocks: list[Array]) -> Array:
        """diag[x(1), ..., x(N)]."""
        rows, columns = (np.cumsum([0, *(b.shape[i] for b in blocks)]).tolist() for i in (0, 1))
        out = np.zeros((rows[-1], columns[-1]))
        for k, b in enumerate(blocks):
            out[rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = b
        return out

    @cached_property
    def path(self) -> Array:
        """q along a motion with the velocity `rate` and the acceleration `rate_dot` at its middle, t = 0."""
        t = np.arange(-4, 5)[:, None] * _STEP
        return self.robot.integrate(self.q, self.rate * t + self.rate_dot * t**2 / 2)

    @cached_property
    def _samples(self) -> tuple[Array, Array, Array]:
        poses, tip = self.robot.poses(self.path), self.robot.pose(self.path, "tip")
        return np.asarray(poses.rotation), np.asarray(poses.position), np.asarray(tip.position)

    def _points(self, k: int) -> Array:
        if k == self.N + 1:
            return np.zeros((9, 3))
        return self._samples[2] if k == 0 else self._samples[1][:, self.of(k)]

    def _turns(self, k: int) -> Array:
        if k == self.N + 1:
            return np.tile(np.eye(3), (9, 1, 1))
        return self._samples[0][:, self.of(max(k, 1))]  # "link 0" turns with link 1

    @staticmethod
    def rates(samples: Array, weights: Array = _FIRST) -> Array:
        """The first derivative at t = 0 of what was sampled along the path."""
        return np.tensordot(weights, samples, axes=1)

    @cached_property
    def R(self) -> list[Array]:
        """The axes of link k."""
        return [self._turns(k)[4] for k in range(self.N + 2)]

    @cached_property
    def O(self) -> list[Array]:  # noqa: E743 (the paper's letter)
        """The origins O(k)."""
        return [self._points(k)[4] for k in range(self.N + 2)]

    def l(self, i: int, j: int) -> Array:  # noqa: E743
        """l(i, j) = O(j) - O(i)."""
        return self.O[j] - self.O[i]

    def shift(self, i: int, j: int) -> Array:
        """The block phi(i, j) = [[1, l~(i, j)], [0, 1]]."""
        return shift(self.l(i, j))

    @cached_property
    def h(self) -> list[Array]:
        """The unit vector along joint axis k (zero where the joint has none)."""
        axes = [np.zeros(3)]
        for k in range(1, self.N + 1):
            numbers = np.asarray(self.robot.joints[self.of(k)].parameters, dtype=np.float64)
            axes.append(self.R[k] @ numbers[:3] if self.kind(k) in ("revolute", "prismatic") else np.zeros(3))
        return axes

    @cached_property
    def p(self) -> list[Array]:
        """From O(k) to the mass centre CM(k)."""
        return [np.zeros(3), *(self.R[k] @ self.robot.com[self.of(k)] for k in range(1, self.N + 1))]

    @cached_property
    def m(self) -> list[float]:
        """Masses."""
        return [0.0, *(float(self.robot.mass[self.of(k)]) for k in range(1, self.N + 1))]

    @cached_property
    def I_c(self) -> list[Array]:
        """Inertia tensors about the mass centres."""
        return [np.eye(3), *(self.R[k] @ self.robot.inertia[self.of(k)] @ self.R[k].T for k in range(1, self.N + 1))]

    @cached_property
    def I(self) -> list[Array]:  # noqa: E743
        """Inertia tensors about O(k), of the particles: the parallel-axis rule is not used."""
        out: list[Array] = []
        for k in range(self.N + 1):
            second = np.trace(self.I_c[k]) / 2 * np.eye(3) - self.I_c[k] + self.m[k] * np.outer(self.p[k], self.p[k])
            out.append(np.trace(second) * np.eye(3) - second)
        return out

    # ── the motion: poses, differentiated numerically ─────────────────────────────────────────────────────────────

    @cached_property
    def w(self) -> list[Array]:
        """Angular velocities."""
        return [axis_of(self.rates(self._turns(k)) @ self.R[k].T) for k in range(self.N + 2)]

    @cached_property
    def w_dot(self) -> list[Array]:
        """Their rates."""
        return [axis_of(self.rates(self._turns(k), _SECOND) @ self.R[k].T) for k in range(self.N + 2)]

    @cached_property
    def v(self) -> list[Array]:
        """Velocities of O(k)."""
        return [self.rates(self._points(k)) for k in range(self.N + 2)]

    @cached_property
    def v_dot(self) -> list[Array]:
        """Their rates."""
        return [self.rates(self._points(k), _SECOND) for k in range(self.N + 2)]

    @cached_property
    def v_c_dot(self) -> list[Array]:
        """Accelerations of the mass centres."""
        out = [np.zeros(3)]
        for k in range(1, self.N + 1):
            centers = self._points(k) + self._turns(k) @ self.robot.com[self.of(k)]
            out.append(self.rates(centers, _SECOND))
        return out

    @cached_property
    def W(self) -> Array:
        """The joint rates theta-dot, tip first; those of a free base are its spatial velocity in fixed axes."""
        return self._tip_first(self.rate)

    @cached_property
    def W_dot(self) -> Array:
        """The joint accelerations; those of a free base are the rates of its V(N)."""
        out = self._tip_first(self.rate_dot)
        if self.kind(self.N) == "free":
            out[self.own(self.N)] = np.concatenate([self.w_dot[self.N], self.v_dot[self.N]])
        return out

    @cached_property
    def turned(self) -> Array:
        """X with W = X rate: the order of the paper, and fixed axes for a free base. Orthogonal."""
        X = np.zeros((self.robot.nv, self.robot.nv))
        for k in range(1, self.N + 1):
            i, body = self.own(k), self.of(k)
            v_own = slice(int(self.robot.v_index[body]), int(self.robot.v_index[body + 1]))
            X[i, v_own] = both(self.R[k]) if self.kind(k) == "free" else np.eye(i.stop - i.start)
        return X

    def _tip_first(self, x: Any) -> Array:
        return self.turned @ np.asarray(x, dtype=np.float64)

    # ── the forces: d'Alembert, particle by particle ──────────────────────────────────────────────────────────────

    @cached_property
    def F_c(self) -> list[Array]:
        """Net forces on the links."""
        return [self.m[k] * self.v_c_dot[k] for k in range(self.N + 1)]

    @cached_property
    def N_c(self) -> list[Array]:
        """Net moments about the mass centres: the sum of m r x r-double-dot over the particles."""
        out = [np.zeros(3)]
        for k in range(1, self.N + 1):
            inertia = np.asarray(self.robot.inertia[self.of(k)])
            second = np.trace(inertia) / 2 * np.eye(3) - inertia  # the sum of m r r*, in link axes
            moment = self.rates(self._turns(k), _SECOND) @ second @ self.R[k].T
            out.append(axis_of(moment) * 2)
        return out

    def wrench(self, k: int) -> Array:
        """[N(k); F(k)]: what joint k exerts on all links beyond it, about O(k)."""
        out = self.shift(k, 0) @ self.f0
        for j in range(1, k + 1):
            out = out + shift(self.O[j] + self.p[j] - self.O[k]) @ np.concatenate([self.N_c[j], self.F_c[j]])
        return out

    # ── the compiled core's word ──────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def mass_matrix(self) -> Array:
        """The mass matrix, as the compiled core computes it."""
        return self.turned @ self.robot.mass_matrix(self.q) @ self.turned.T

    def torque(self, gravity: bool = False, rest: bool = False) -> Array:
        """T of the motion, by the compiled core: with weight, or with the joint accelerations W-dot at zero."""
        robot = self.robot.with_gravity(-self.g[3:]) if gravity else self.robot
        rate_dot = self.still if rest else self.rate_dot
        return self._tip_first(robot.inverse_dynamics(self.q, self.rate, rate_dot, self._touching))

    @cached_property
    def _touching(self) -> Array:
        f_ext = np.zeros((self.N, 6))
        f_ext[self.of(1)] = -self.shift(1, 0) @ self.f0
        return f_ext

    @cached_property
    def reactions(self) -> list[Array]:
        """f(0), and [N(k); F(k)] by the compiled core."""
        forces = self.robot.reaction_forces(self.q, self.rate, self.rate_dot, self._touching)
        return [self.f0, *(np.asarray(forces[self.of(k)]) for k in range(1, self.N + 1))]

    @cached_property
    def still(self) -> Array:
        """The robot's accelerations when W-dot = 0."""
        return self.rate_dot - self.turned.T @ self.W_dot

    @cached_property
    def jacobian(self) -> Array:
        """The tip's Jacobian, by the compiled core."""
        return self.robot.jacobian(self.q, "tip") @ self.turned.T
