"""Charts: how one joint's q and v are written by phipsi and by another engine.

Every engine's velocities differ from phipsi's by an *orthogonal* map that may depend on q: v' = T(q) v. Hence
a' = T a + Ṫ v, tau' = T tau, J' = J Tᵀ, M' = T M Tᵀ and M'⁻¹ = T M⁻¹ Tᵀ: a chart says only q', T and Ṫ v.
"""
# ruff: noqa: D102 (what the methods are is said once, in Chart)

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from phipsi.model.pose import Pose
from phipsi.model.reading import Floats
from phipsi.model.rotation import from_quaternion, from_rpy, to_quaternion, to_rpy

_WXYZ_TO_XYZW = [1, 2, 3, 0]
_XYZW_TO_WXYZ = [3, 0, 1, 2]


class Chart(ABC):
    """One joint in two notations; all methods are batched over leading axes."""

    @abstractmethod
    def to_q(self, q: Floats) -> Floats:
        """Their coordinates."""

    @abstractmethod
    def from_q(self, q: Floats) -> Floats:
        """Ours."""

    @abstractmethod
    def turn(self, q: Floats) -> Floats:
        """T at our q, shape (*batch, nv, nv), orthogonal: their v = T · our v."""

    def drift(self, q: Floats, v: Floats) -> Floats:
        """Ṫ v at our q and v: what their a has besides T a. Zero where T is constant."""
        return np.zeros_like(v)


@dataclass(frozen=True)
class Same(Chart):
    """The same numbers, in another order and perhaps with other signs: theirs[i] = signs[i] · ours[order[i]]."""

    order: tuple[int, ...]
    signs: tuple[float, ...]

    def to_q(self, q: Floats) -> Floats:
        return q[..., list(self.order)] * self.signs

    def from_q(self, q: Floats) -> Floats:
        ours = np.empty_like(q)
        ours[..., list(self.order)] = q * self.signs
        return ours

    def turn(self, q: Floats) -> Floats:
        matrix = np.zeros((len(self.order), len(self.order)))
        matrix[np.arange(len(self.order)), list(self.order)] = self.signs
        return matrix


@dataclass(frozen=True)
class CosSin(Chart):
    """An angle as its cosine and sine. The way back gives an angle in [-π, π]: turns are not counted."""

    def to_q(self, q: Floats) -> Floats:
        return np.concatenate([np.cos(q), np.sin(q)], axis=-1)

    def from_q(self, q: Floats) -> Floats:
        return np.arctan2(q[..., 1:], q[..., :1])

    def turn(self, q: Floats) -> Floats:
        return np.eye(1)


@dataclass(frozen=True)
class Parts(Chart):
    """One joint as several of one dof, some of them as (cos, sin): theirs[i] = ours[order[i]]."""

    order: tuple[int, ...]
    continuous: tuple[bool, ...]

    def to_q(self, q: Floats) -> Floats:
        parts = [q[..., k : k + 1] for k in self.order]
        return np.concatenate(
            [CosSin().to_q(x) if turns else x for x, turns in zip(parts, self.continuous, strict=True)], axis=-1
        )

    def from_q(self, q: Floats) -> Floats:
        ours, start = np.empty((*q.shape[:-1], len(self.order))), 0
        for k, turns in zip(self.order, self.continuous, strict=True):
            size = 2 if turns else 1
            part = q[..., start : start + size]
            ours[..., k : k + 1] = CosSin().from_q(part) if turns else part
            start += size
        return ours

    def turn(self, q: Floats) -> Floats:
        return np.eye(len(self.order))[list(self.order)]


@dataclass(frozen=True)
class Ball(Chart):
    """A quaternion, [w, x, y, z] or `scalar_last`; ω in child axes as here."""

    scalar_last: bool

    def to_q(self, q: Floats) -> Floats:
        return q[..., _WXYZ_TO_XYZW] if self.scalar_last else q.copy()

    def from_q(self, q: Floats) -> Floats:
        return q[..., _XYZW_TO_WXYZ] if self.scalar_last else q.copy()

    def turn(self, q: Floats) -> Floats:
        return np.eye(3)


@dataclass(frozen=True)
class BallRpy(Chart):
    """Drake's ball joint: q = roll, pitch, yaw; ω in the parent's axes. Singular at pitch ±π/2, as Drake is."""

    def to_q(self, q: Floats) -> Floats:
        return to_rpy(from_quaternion(q))

    def from_q(self, q: Floats) -> Floats:
        return to_quaternion(from_rpy(q))

    def turn(self, q: Floats) -> Floats:
        return from_quaternion(q)


@dataclass(frozen=True)
class FreeLocal(Chart):
    """Pinocchio's free flyer: q = [p, quaternion xyzw], v = [v; ω], both in child axes."""

    def to_q(self, q: Floats) -> Floats:
        return np.concatenate([q[..., 4:], q[..., :4][..., _WXYZ_TO_XYZW]], axis=-1)

    def from_q(self, q: Floats) -> Floats:
        return np.concatenate([q[..., 3:][..., _XYZW_TO_WXYZ], q[..., :3]], axis=-1)

    def turn(self, q: Floats) -> Floats:
        return np.eye(6)[[3, 4, 5, 0, 1, 2]]


@dataclass(frozen=True)
class FreeMixed(Chart):
    """MuJoCo's free joint: q = [p, quaternion wxyz] in the world, v = [v in world axes; ω in child axes].

    `start` is where phipsi's joint stands in the world; MuJoCo's has no place of its own.
    """

    start: Pose

    def to_q(self, q: Floats) -> Floats:
        pose = self.start @ Pose(q[..., 4:], quaternion=q[..., :4])
        # the quaternion itself where there is nothing to chain it with: its sign and its digits are kept
        turned = q[..., :4] if self.start == Pose() else pose.quaternion
        return np.concatenate([pose.position, turned], axis=-1)

    def from_q(self, q: Floats) -> Floats:
        pose = self.start.inv @ Pose(q[..., :3], quaternion=q[..., 3:])
        turned = q[..., 3:] if self.start == Pose() else pose.quaternion
        return np.concatenate([turned, pose.position], axis=-1)

    def turn(self, q: Floats) -> Floats:
        t = np.zeros((*q.shape[:-1], 6, 6))
        t[..., :3, 3:] = self.start.rotation @ from_quaternion(q[..., :4])
        t[..., 3:, :3] = np.eye(3)
        return t

    def drift(self, q: Floats, v: Floats) -> Floats:
        # d(R v)/dt = R (v̇ + ω × v)
        rotation = self.start.rotation @ from_quaternion(q[..., :4])
        linear = np.einsum("...ij,...j->...i", rotation, np.cross(v[..., :3], v[..., 3:]))
        return np.concatenate([linear, np.zeros_like(linear)], axis=-1)


@dataclass(frozen=True)
class FreeParent(Chart):
    """Drake's floating base: q = [quaternion wxyz, p] (or [roll, pitch, yaw, p]), v = [ω; v], both in parent axes."""

    rpy: bool = False

    def to_q(self, q: Floats) -> Floats:
        return np.concatenate([to_rpy(from_quaternion(q[..., :4])), q[..., 4:]], axis=-1) if self.rpy else q.copy()

    def from_q(self, q: Floats) -> Floats:
        return np.concatenate([to_quaternion(from_rpy(q[..., :3])), q[..., 3:]], axis=-1) if self.rpy else q.copy()

    def turn(self, q: Floats) -> Floats:
        rotation = from_quaternion(q[..., :4])
        t = np.zeros((*q.shape[:-1], 6, 6))
        t[..., :3, :3] = t[..., 3:, 3:] = rotation
        return t

    def drift(self, q: Floats, v: Floats) -> Floats:
        # d(R ω)/dt = R ω̇, and d(R v)/dt = R (v̇ + ω × v)
        linear = np.einsum("...ij,...j->...i", from_quaternion(q[..., :4]), np.cross(v[..., :3], v[..., 3:]))
        return np.concatenate([np.zeros_like(linear), linear], axis=-1)


@dataclass(frozen=True)
class PlanarLocal(Chart):
    """Pinocchio's planar joint: q = (x, y, cos, sin), v = (vx, vy, ω) in child axes."""

    def to_q(self, q: Floats) -> Floats:
        return np.concatenate([q[..., 1:], np.cos(q[..., :1]), np.sin(q[..., :1])], axis=-1)

    def from_q(self, q: Floats) -> Floats:
        return np.concatenate([np.arctan2(q[..., 3:], q[..., 2:3]), q[..., :2]], axis=-1)

    def turn(self, q: Floats) -> Floats:
        return np.eye(3)[[1, 2, 0]]


@dataclass(frozen=True)
class PlanarParent(Chart):
    """Two slides and then a hinge: v = q̇, in the parent's axes. theirs[i] = signs[i] · (angle, x, y)[order[i]]."""

    order: tuple[int, int, int] = (1, 2, 0)
    signs: tuple[float, float, float] = (1.0, 1.0, 1.0)

    def to_q(self, q: Floats) -> Floats:
        return Same(self.order, self.signs).to_q(q)

    def from_q(self, q: Floats) -> Floats:
        return Same(self.order, self.signs).from_q(q)

    def turn(self, q: Floats) -> Floats:
        rates = np.zeros((*q.shape[:-1], 3, 3))  # (angle, x, y)˙ from (ω, vx, vy)
        rates[..., 0, 0] = 1.0
        rates[..., 1, 1] = rates[..., 2, 2] = np.cos(q[..., 0])
        rates[..., 2, 1] = np.sin(q[..., 0])
        rates[..., 1, 2] = -np.sin(q[..., 0])
        return Same(self.order, self.signs).turn(q) @ rates

    def drift(self, q: Floats, v: Floats) -> Floats:
        # d(R v)/dt = R (v̇ + ω × v), ω × (vx, vy) = ω (-vy, vx)
        swept = np.stack([np.zeros_like(v[..., 0]), -v[..., 0] * v[..., 2], v[..., 0] * v[..., 1]], axis=-1)
        return np.einsum("...ij,...j->...i", self.turn(q), swept)
