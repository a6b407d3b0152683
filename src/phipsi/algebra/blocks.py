"""The numbers behind the letters: H*(k), M(k), P(k), D(k) and their rates as arrays, one block a body, and as matrices.

For what the executor's sweeps do not know: factors of D, and rates. O(n) in time and memory."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from phipsi.algebra.composed import Sparse
from phipsi.algebra.spaces import BODIES, JOINTS
from phipsi.model.reading import Floats, Ints

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration
    from phipsi.model.robot import Robot


class Layout:
    """Where the blocks of a robot's operators stand in their matrices."""

    def __init__(self, robot: Robot) -> None:
        n = robot.n
        self.n, self.nv = n, robot.nv
        six = np.arange(6)
        bodies = 6 * np.arange(n)
        self.block = (bodies[:, None] + six)[:, :, None], (bodies[:, None] + six)[:, None, :]
        self.carried: Ints = np.flatnonzero(robot.parent >= 0)
        self.parent: Ints = np.asarray(robot.parent)[self.carried].astype(np.intp)
        self.body_of: Ints = np.repeat(np.arange(n), np.diff(robot.v_index))
        sizes = np.diff(robot.v_index)
        # dofs of the joints of each size, (g, m): of one size, blocks make an array
        self.groups: list[Ints] = [
            robot.v_index[:-1][sizes == m][:, None] + np.arange(m) for m in np.unique(sizes[sizes > 0])
        ]
        kinds = np.array([joint.kind == "universal" for joint in robot.joints], dtype=bool)
        self.universal: Ints = np.asarray(robot.v_index)[:-1][kinds]  # the first dofs of universal joints

    def of_bodies(self, name: str, blocks: Floats) -> Sparse:
        """(*batch, n, 6, 6) on the diagonal."""
        rows, columns = np.broadcast_arrays(*self.block)
        return self._sparse(name, BODIES, BODIES, rows, columns, blocks)

    def to_parents(self, name: str, blocks: Floats) -> Sparse:
        """(*batch, n, 6, 6), from each body to its parent; those of bodies on the world are dropped."""
        six = np.arange(6)
        rows, columns = np.broadcast_arrays(
            (6 * self.parent[:, None] + six)[:, :, None], (6 * self.carried[:, None] + six)[:, None, :]
        )
        return self._sparse(name, BODIES, BODIES, rows, columns, blocks[..., self.carried, :, :])

    def to_joints(self, name: str, columns_of: Floats) -> Sparse:
        """(*batch, nv, 6): a row of H for each dof."""
        rows, columns = np.broadcast_arrays(np.arange(self.nv)[:, None], 6 * self.body_of[:, None] + np.arange(6))
        return self._sparse(name, JOINTS, BODIES, rows, columns, columns_of)

    def of_joints(self, name: str, groups: list[Floats]) -> Sparse:
        """A block for each joint: (*batch, g, m, m) for the joints of each size."""
        rows = [np.broadcast_to(dofs[:, :, None], (*dofs.shape, dofs.shape[1])).ravel() for dofs in self.groups]
        columns = [np.broadcast_to(dofs[:, None, :], (*dofs.shape, dofs.shape[1])).ravel() for dofs in self.groups]
        none = np.zeros(0, dtype=np.intp)
        values = [x.reshape(*x.shape[:-3], -1) for x in groups]
        flat = np.concatenate(values, axis=-1) if values else np.zeros(0)
        return Sparse(name, JOINTS, JOINTS, (self.nv, self.nv), np.concatenate([*rows, none]),
                      np.concatenate([*columns, none]), flat)  # fmt: skip

    def _sparse(self, name: str, codomain: Any, domain: Any, rows: Ints, columns: Ints, values: Floats) -> Sparse:
        size = {BODIES: 6 * self.n, JOINTS: self.nv}
        flat = values.reshape(*values.shape[: values.ndim - rows.ndim], -1)
        return Sparse(name, codomain, domain, (size[codomain], size[domain]), rows.ravel(), columns.ravel(), flat)


def tilde(x: Floats) -> Floats:
    """x~, the matrix of the cross product with each vector (..., 3)."""
    out = np.zeros((*x.shape, 3))
    for i, j, k in ((0, 1, 2), (1, 2, 0), (2, 0, 1)):
        out[..., k, j], out[..., j, k] = x[..., i], -x[..., i]
    return out


def turning(w: Floats) -> Floats:
    """Omega~ = diag(w~, w~) of each angular velocity (..., 3)."""
    out = np.zeros((*w.shape[:-1], 6, 6))
    out[..., :3, :3] = out[..., 3:, 3:] = tilde(w)
    return out


def star(x: Floats) -> Floats:
    """The adjoint of each matrix."""
    return np.swapaxes(x, -1, -2)


class Blocks:
    """The blocks of a configuration that moves with v (at rest, where v is not given)."""

    def __init__(self, s: Configuration, v: Floats | None = None) -> None:
        robot = s.robot
        self.s, self.robot, self.layout = s, robot, layout(robot)
        still = np.zeros((*s.batch, robot.nv)) if v is None else np.broadcast_to(v, (*s.batch, robot.nv))
        self.v = still
        P, P_local = robot._diagonal_inertias("dot", s.q, still)  # pyright: ignore[reportPrivateUsage]
        self.P: Floats = P.reshape(*s.batch, robot.n, 6, 6)
        self.P_local: Floats = P_local.reshape(self.P.shape)  # as the bodies see it
        self.V: Floats = np.asarray(robot.velocities(s.q, still))
        self.w: Floats = self.V[..., :3]

    @cached_property
    def h(self) -> Floats:
        """(*batch, nv, 6): the columns of H*."""
        layout, n = self.layout, self.robot.n
        widest = max((dofs.shape[1] for dofs in layout.groups), default=0)
        which = np.zeros((layout.nv, widest))  # the i-th dofs of all joints at once: they reach different bodies
        for dofs in layout.groups:
            which[dofs, np.arange(dofs.shape[1])] = 1.0
        reached = self.s.H.T @ np.broadcast_to(which, (*self.s.batch, *which.shape)).copy()
        columns = star(reached.reshape(*self.s.batch, n, 6, widest))  # (*batch, n, widest, 6)
        return columns[..., layout.body_of, np.argmax(which, axis=-1) if widest else layout.body_of, :]

    @cached_property
    def M(self) -> Floats:
        """(*batch, n, 6, 6): M(k) = [[J, m p~], [-m p~, m 1]], world axes."""
        robot, R = self.robot, self.s.robot.poses(self.s.q).rotation
        p = tilde((R @ robot.com[:, :, None])[..., 0])
        m = robot.mass[:, None, None]
        out = np.zeros((*p.shape[:-2], 6, 6))
        out[..., :3, :3] = R @ robot.inertia @ star(R) - m * p @ p
        out[..., :3, 3:], out[..., 3:, :3] = m * p, -m * p
        out[..., 3:, 3:] = m * np.eye(3)
        return out

    @cached_property
    def h_local(self) -> Floats:
        """(*batch, nv, 6): the rate of H*'s columns as their body sees it, zero but for universal joints."""
        out, first = np.zeros_like(self.h), self.layout.universal
        if len(first):
            axis, second = self.h[..., first, :3], self.h[..., first + 1, :3]
            out[..., first, :3] = np.cross(axis, second) * self.v[..., first + 1, None]
        return out

    @cached_property
    def h_rate(self) -> Floats:
        """(*batch, nv, 6): the inertial rate of H*'s columns."""
        w = self.w[..., self.layout.body_of, :]
        return self.h_local + np.concatenate([np.cross(w, self.h[..., :3]), np.cross(w, self.h[..., 3:])], axis=-1)

    @cached_property
    def E_rate(self) -> Floats:
        """(*batch, n, 6, 6): the inertial rate of φ(p, k) = [[1, l~], [0, 1]]: l changes by v(k) - v(p)."""
        parent = np.asarray(self.robot.parent)
        of_parent = np.where(parent[:, None] >= 0, self.V[..., parent, 3:], 0.0)
        out = np.zeros((*self.V.shape, 6))
        out[..., :3, 3:] = tilde(self.V[..., 3:] - of_parent)
        return out

    def turned(self, X: Floats) -> Floats:
        """Ω~ X - X Ω~, for a block of each body."""
        W = turning(self.w)
        return W @ X - X @ W

    def grouped(self, matrix: Floats, rows: Floats) -> list[Floats]:
        """rows(i)·matrix(k)·h(j) for the dofs of each joint, by sizes."""
        out: list[Floats] = []
        for dofs in self.layout.groups:
            body = self.layout.body_of[dofs[:, 0]]
            out.append(rows[..., dofs, :] @ matrix[..., body, :, :] @ star(self.h[..., dofs, :]))
        return out

    @cached_property
    def D(self) -> list[Floats]:
        """D(k) = H P H* + armature, by sizes."""
        out = self.grouped(self.P, self.h)
        for block, dofs in zip(out, self.layout.groups, strict=True):
            block += self.robot.armature[dofs][..., None] * np.eye(dofs.shape[1])
        return out

    @cached_property
    def D_rate(self) -> list[Floats]:
        """Ḋ(k) = H P̊ H* + H̊ P H* + H P H̊*."""
        mixed = self.grouped(self.P, self.h_local)
        return [x + y + star(y) for x, y in zip(self.grouped(self.P_local, self.h), mixed, strict=True)]

    @cached_property
    def S(self) -> list[Floats]:
        """S(k) upper triangular with S S* = D."""
        return [upper_root(D) for D in self.D]

    @cached_property
    def S_rate(self) -> list[Floats]:
        """Ṡ = S Φ(S⁻¹ Ḋ S⁻*), Φ what is above the diagonal and half of the diagonal. [JR95d G4]"""
        out: list[Floats] = []
        for S, D_rate in zip(self.S, self.D_rate, strict=True):
            back = np.asarray(np.linalg.inv(S), dtype=np.float64)
            inner = back @ D_rate @ star(back)
            m = S.shape[-1]
            out.append(S @ (inner * (np.triu(np.ones((m, m)), 1) + 0.5 * np.eye(m))))
        return out


def upper_root(D: Floats) -> Floats:
    """S upper triangular with S S* = D, for each block; NaN where D is not a number."""
    known = np.isfinite(D).all(axis=(-2, -1), keepdims=True)
    flipped = np.where(known, D, np.eye(D.shape[-1]))[..., ::-1, ::-1]
    root = np.asarray(np.linalg.cholesky(flipped), dtype=np.float64)[..., ::-1, ::-1]
    return np.where(known, root, np.nan)


def layout(robot: Robot) -> Layout:
    """The layout of a robot; kept with it."""
    found: Layout | None = vars(robot).get("_layout")
    if found is None:
        found = vars(robot)["_layout"] = Layout(robot)
    return found
