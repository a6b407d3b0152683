"""The links of a robot as a recursion meets them, one by one: H(k), φ(p, k), M(k), a(k), b(k); P(k), D(k), ψ(p, k).

Every quantity is a list over the bodies or an array whose first axis counts them, then come the batch axes. Vectors are
columns (..., 6, 1), so that a line of code is a line of the paper. Row -1 is the world: the parent index of a root, -1,
finds it, and it is at rest. The shift to it is φ(world, k), to the world's origin."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Bools, Floats, real
from phipsi.model.robot import Robot
from phipsi.reference import joints

BASE_TO_TIPS, TIPS_TO_BASE = "base → tips", "tips → base"
_SINGULAR_PART = 1e-14  # of what D(k) is the difference of: less is rounding


def star(x: Floats) -> Floats:
    """The adjoint x*, for each state of a batch."""
    return np.swapaxes(x, -1, -2)


def tilde(x: Floats) -> Floats:
    """x~, the matrix of the cross product with each vector (..., 3)."""
    out = np.zeros((*x.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., k, j], out[..., j, k] = x[..., i], -x[..., i]
    return out


def shift(l: Floats) -> Floats:  # noqa: E741 (the papers' letter)
    """φ(l) = [[1, l~], [0, 1]]: a force at the far end of l, stated at its near end."""
    return _blocks(_ones(l), tilde(l), np.zeros((*l.shape, 3)), _ones(l))


class Links:
    """A robot in a batch of states, and the sweeps over it, which it counts."""

    def __init__(
        self, verb: str, robot: Robot, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None
    ) -> None:
        coordinates = vector(verb, "q", "configuration", q, (robot.nq,))
        velocities = vector(verb, "v", "velocity", v, (robot.nv,))
        torques = vector(verb, "tau", "joint torques", tau, (robot.nv,))
        forces = np.zeros((robot.n, 6)) if f_ext is None else on_bodies(verb, robot, f_ext)
        axes = {"q": coordinates, "v": velocities, "tau": torques}
        shapes = {**{symbol: x.shape[:-1] for symbol, x in axes.items()}, "f_ext": forces.shape[:-2]}
        try:
            self.batch = np.broadcast_shapes(*shapes.values())
        except ValueError:
            raise errors.broadcast(verb, shapes) from None
        self.robot = robot
        self.parent = [int(p) for p in robot.parent]
        self.directions: list[str] = []  # of the sweeps made so far

        self.still = coordinates.shape[:-1]  # the batch of what depends on q alone

        of_q = [slice(int(i), int(j)) for i, j in zip(robot.q_index[:-1], robot.q_index[1:], strict=True)]
        self.of_v = [slice(int(i), int(j)) for i, j in zip(robot.v_index[:-1], robot.v_index[1:], strict=True)]
        self.v: list[Floats] = [velocities[..., own, None] for own in self.of_v]
        self.T: list[Floats] = [torques[..., own, None] for own in self.of_v]
        self.f_ext: Floats = np.moveaxis(forces, -2, 0)[..., None]
        self._columns = [columns(joint, coordinates[..., own]) for joint, own in zip(robot.joints, of_q, strict=True)]
        poses = robot.poses(coordinates)
        self.place(np.moveaxis(poses.rotation, -3, 0), np.moveaxis(poses.position, -2, 0))
        self.weight = np.concatenate([np.zeros(3), robot.gravity])[:, None]  # [0; g], a weight per inertia

    def place(self, rotation: Floats, origin: Floats) -> None:
        """Where the links stand, (n, *batch, 3, 3) and (n, *batch, 3), and all that follows from it."""
        self.rotation = rotation
        self.origin = np.concatenate([origin, np.zeros((1, *origin.shape[1:]))])  # row -1: the world
        self.H: list[Floats] = [star(_both(R) @ h) for R, h in zip(rotation, self._columns, strict=True)]
        self.l: list[Floats] = [self.origin[k] - self.origin[p] for k, p in enumerate(self.parent)]
        self.phi: list[Floats] = [shift(l) for l in self.l]  # noqa: E741  φ(p, k)
        self.M: list[Floats] = [self._inertia(k) for k in range(self.robot.n)]

    # ── sweeps ────────────────────────────────────────────────────────────────────────────────────────────────────

    def base_to_tips(self) -> Iterator[tuple[int, int]]:
        """Each body k after its parent p, as (k, p): the anticausal direction of RK88, who count from the tip."""
        self.directions.append(BASE_TO_TIPS)
        yield from enumerate(self.parent)

    def tips_to_base(self) -> Iterator[tuple[int, int]]:
        """Each body k before its parent p, as (k, p): the causal direction. At k, all that k carries is done."""
        self.directions.append(TIPS_TO_BASE)
        yield from reversed(list(enumerate(self.parent)))

    def rows(self, *shape: int) -> Floats:
        """A vector for each body and for the world, zero at first; or what ``shape`` says for each configuration."""
        each = (*self.still, *shape) if shape else (*self.batch, 6, 1)
        return np.zeros((self.robot.n + 1, *each))

    def per_joint(self) -> list[Floats]:
        """A vector for each joint, empty at first."""
        return [np.empty(0)] * self.robot.n

    # ── terms that depend on velocity ─────────────────────────────────────────────────────────────────────────────

    def coriolis(self, k: int, V: Floats) -> Floats:
        """a(k): the rate of V(k) = φ* V(p) + H* v while v is constant. [RK88 2.19] [RK88 2.32]

        [ω(k) × ω_rel; ω(k) × v_rel + ω(p) × (v(k) - v(p))], with H* v = [ω_rel; v_rel]: twice ω × v_rel for a slider.
        """
        p, relative = self.parent[k], star(self.H[k]) @ self.v[k]
        turning = _both(tilde(V[k][..., :3, 0])) @ relative
        carrying = tilde(V[p][..., :3, 0]) @ (V[k] - V[p])[..., 3:, :]
        a = turning + np.concatenate([np.zeros_like(carrying), carrying], axis=-2)
        joint = self.robot.joints[k]
        if joint.kind == "universal":  # the child sees its first axis turn about the second
            first, second = np.moveaxis(star(self.H[k])[..., :3, :], -1, 0)
            own = -np.cross(second * self.v[k][..., 1, :], first * self.v[k][..., 0, :])[..., None]
            a = a + np.concatenate([own, np.zeros_like(own)], axis=-2)
        return a

    def loads(self, k: int, V: Floats) -> Floats:
        """b(k) + B f(0): what body k must be pushed with besides M α. [RK88 2.23]

        b(k) = [ω~ J ω; m ω~ ω~ p], less the external force, less the weight M(k) [0; g]. Gravity stands here and
        not in a(k), so that accelerations are true ones: for φ* E [0; -g] = [0; -g] on every body, this is the same
        as a → a + E g. [RK88 3.21]
        """
        w = V[k][..., :3, :]
        b = _both(tilde(w[..., 0])) @ (self.M[k][..., :, :3] @ w)  # M [ω; 0] = [J ω; m ω~ p]
        return b - self.f_ext[k] - self.M[k] @ self.weight

    def at_frames(self, names: Sequence[str], V: Floats, alpha: Floats) -> Floats:
        """α(0) = φ*(1, 0) α(1) + a(0) of frames, (*batch, m, 6): origins and world axes. [RK88 4.23] [RK88 5.7]"""
        out = np.zeros((*self.batch, len(names), 6))
        for i, name in enumerate(names):
            k, pose = self.robot.frame(name)
            if k >= 0:
                l = self.rotation[k] @ pose.position  # noqa: E741
                w = tilde(V[k][..., :3, 0])
                a0 = np.concatenate([np.zeros((*self.batch, 3)), (w @ w @ l[..., None])[..., 0]], axis=-1)
                out[..., i, :] = (star(shift(l)) @ alpha[k])[..., 0] + a0
        return out

    def stacked(self, parts: list[Floats]) -> Floats:
        """Columns of each joint as (*batch, nv)."""
        out = np.zeros((*self.batch, self.robot.nv))
        for own, part in zip(self.of_v, parts, strict=True):
            out[..., own] = part[..., 0]
        return out

    def _inertia(self, k: int) -> Floats:
        """M(k) = [[J, m p~], [-m p~, m 1]] about O_k, world axes."""
        m, R = self.robot.mass[k], self.rotation[k]
        p = tilde(R @ self.robot.com[k])
        return _blocks(R @ self.robot.inertia[k] @ star(R) - m * p @ p, m * p, -m * p, m * _ones(p[..., 0]))


class Riccati:
    """P(k), D(k)⁻¹, G(k), K(p, k) and ψ(p, k), made link by link inside a sweep from the tips to the base."""

    def __init__(self, links: Links) -> None:
        self.links = links
        self.P = links.rows(6, 6)
        self.D, self.D_inv = links.per_joint(), links.per_joint()
        self.G, self.K = links.per_joint(), links.per_joint()
        self.tau_bar, self.psi = links.per_joint(), links.per_joint()

    def step(self, k: int, p: int) -> None:
        """One turn of the recursion. Armature loads the joint's own axis only: it is in D, and P⁺ = τ̄ P stays true."""
        s, P, H = self.links, self.P, self.links.H[k]
        P[k] += s.M[k]  # all children have added theirs
        self.D[k] = H @ P[k] @ star(H) + np.diag(s.robot.armature[s.of_v[k]])  # [RK88 4.6]
        self._require_positive(k)
        self.D_inv[k] = np.asarray(np.linalg.inv(self.D[k]), dtype=np.float64)
        self.G[k] = P[k] @ star(H) @ self.D_inv[k]  # [RK88 5.12]
        self.K[k] = s.phi[k] @ self.G[k]  # L(k) of the paper: from the joint to the parent [RK88 4.4]
        self.tau_bar[k] = np.eye(6) - self.G[k] @ H
        self.psi[k] = s.phi[k] @ self.tau_bar[k]  # φ(p, k) - L(k) H(k) [RK88 4.7]
        P[p] += self.psi[k] @ P[k] @ star(s.phi[k])  # [RK88 4.5]

    def _require_positive(self, k: int) -> None:
        """SingularJoint where D(k), in units of the inertia that it is a part of, is not positive."""
        s, own = self.links, self.links.of_v[k]
        bad = np.broadcast_to(~positive(self.D[k], self.P[k], s.H[k], s.robot.armature[own]), s.batch)
        if bad.any():
            first = [int(i) for i in np.argwhere(bad)[0]]
            raise errors.singular_joint(s.robot.joint_names[k], k, int(bad.sum()), bad.size, first)


def positive(D: Floats, P: Floats, H: Floats, armature: Floats) -> Bools:
    """Whether D = H P H* + armature stands out from the rounding of what it is the difference of, state by state."""
    if D.shape[-1] == 0:
        return np.ones(D.shape[:-2], dtype=np.bool_)
    diagonal = np.diagonal(P, axis1=-2, axis2=-1)
    angular, linear = diagonal[..., :3].sum(axis=-1), diagonal[..., 3:].sum(axis=-1)
    squares = (H**2)[..., :3].sum(axis=-1), (H**2)[..., 3:].sum(axis=-1)
    scale = squares[0] * angular[..., None] + squares[1] * linear[..., None] + armature
    root = np.sqrt(np.where(scale > 0, scale, 1.0))
    scaled = D / (root[..., :, None] * root[..., None, :])
    known: Bools = np.asarray(np.isfinite(scaled).all(axis=(-2, -1)))  # NaN is not singular, it only passes through
    least: Floats = np.linalg.eigvalsh(np.where(known[..., None, None], scaled, np.eye(D.shape[-1])))[..., 0]
    return np.asarray(~(known & (least <= _SINGULAR_PART)))


def columns(joint: Any, q: Floats) -> Floats:
    """The columns of H*(k) in child axes, (*batch, 6, nv): constant, but for the first axis of a universal joint."""
    if joint.kind != "universal":
        constant = joints.columns(joint, np.zeros(int(joint.nq)))
        return np.broadcast_to(constant, (*q.shape[:-1], *constant.shape))
    axis, second = np.reshape(joint.parameters, (2, 3))
    sine, cosine = np.sin(q[..., 1:]), np.cos(q[..., 1:])
    # R(axis2, -q₂) axis1, as the child sees it
    first = cosine * axis - sine * np.cross(second, axis) + (1 - cosine) * (second @ axis) * second
    axes = np.stack([first, np.broadcast_to(second, first.shape)], axis=-1)
    return np.concatenate([axes, np.zeros_like(axes)], axis=-2)


def vector(verb: str, symbol: str, meaning: str, value: ArrayLike, size: tuple[int, ...]) -> Floats:
    """An argument, (*batch, *size), or what is wrong with it."""
    array = real(value, verb, symbol, "real numbers")
    if array.shape[array.ndim - len(size) :] != size or array.ndim < len(size):
        raise errors.shape(verb, symbol, meaning, f"(*batch, {', '.join(map(str, size))})", array.shape)
    return array


def on_bodies(verb: str, robot: Robot, f_ext: ArrayLike) -> Floats:
    """External forces, (*batch, n, 6), or what is wrong with them."""
    meaning = "external force on each body, at its origin, world axes"
    return vector(verb, "f_ext", meaning, f_ext, (robot.n, 6))


def _ones(x: Floats) -> Floats:
    return np.broadcast_to(np.eye(3), (*x.shape[:-1], 3, 3))


def _both(R: Floats) -> Floats:
    """diag(R, R)."""
    return _blocks(R, np.zeros_like(R), np.zeros_like(R), R)


def _blocks(a: Floats, b: Floats, c: Floats, d: Floats) -> Floats:
    """[[a, b], [c, d]]."""
    return np.concatenate([np.concatenate([a, b], axis=-1), np.concatenate([c, d], axis=-1)], axis=-2)
