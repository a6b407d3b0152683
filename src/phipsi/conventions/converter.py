"""Converter: states, forces and matrices from phipsi's notation to another engine's, and back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.conventions.charts import Same
from phipsi.conventions.matching import Link
from phipsi.model.reading import Floats, real
from phipsi.model.robot import Robot


class Converter:
    """Between a robot's states here and in `engine`; made by `conventions.pinocchio`, `.mujoco` or `.drake`.

    All arguments of a `to_…` method are in phipsi's notation, all arguments of a `from_…` method in the engine's, also
    the q and v that a conversion depends on. Leading axes are the batch. `nq` and `nv` are the engine's.

    Velocities are related by an orthogonal map, v' = T(q) v. So a' = T a + Ṫ v (their a is the rate of their v), and
    tau' = T tau, J' = J Tᵀ, M' = T M Tᵀ, M'⁻¹ = T M⁻¹ Tᵀ. A bias needs no method: it is tau at their a = 0.

    `linear_first`: whether the engine writes 6-vectors and the rows of Jacobians as [linear; angular].
    """

    def __init__(self, robot: Robot, engine: str, links: Sequence[Link], nq: int, linear_first: bool) -> None:
        self.robot = robot
        self.engine = engine
        self.nq = nq
        self.nv = robot.nv
        self.linear_first = linear_first
        # joints whose numbers only change places, all at once; the others one by one
        plain = [(link, link.chart) for link in links if isinstance(link.chart, Same)]
        self._links = [link for link in links if not isinstance(link.chart, Same)]
        self._theirs_q = [i for link, _ in plain for i in link.theirs_q]
        self._theirs_v = [i for link, _ in plain for i in link.theirs_v]
        self._ours_q = [link.ours_q[i] for link, chart in plain for i in chart.order]
        self._ours_v = [link.ours_v[i] for link, chart in plain for i in chart.order]
        self._signs = np.array([sign for _, chart in plain for sign in chart.signs], dtype=np.float64)

    # ── configurations ────────────────────────────────────────────────────────────────────────────────────────────

    def to_q(self, q: ArrayLike) -> Floats:
        """Their configuration, (*batch, nq)."""
        ours = self._read("to_q", "q", "configuration", self.robot.nq, q)
        theirs = np.empty((*ours.shape[:-1], self.nq))
        theirs[..., self._theirs_q] = ours[..., self._ours_q] * self._signs
        for link in self._links:
            theirs[..., link.theirs_q] = link.chart.to_q(ours[..., link.ours_q])
        return theirs

    def from_q(self, q: ArrayLike) -> Floats:
        """Our configuration, (*batch, robot.nq)."""
        theirs = self._read("from_q", "q", "configuration", self.nq, q)
        ours = np.empty((*theirs.shape[:-1], self.robot.nq))
        ours[..., self._ours_q] = theirs[..., self._theirs_q] * self._signs
        for link in self._links:
            ours[..., link.ours_q] = link.chart.from_q(theirs[..., link.theirs_q])
        return ours

    # ── velocities, accelerations, forces: (*batch, nv) ───────────────────────────────────────────────────────────

    def to_v(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """Their velocities T v."""
        return self._there(*self._state("to_v", q, v))

    def from_v(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """Our velocities Tᵀ v'."""
        return self._back(*self._state("from_v", q, v))

    def to_a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Floats:
        """Their accelerations T a + Ṫ v."""
        ours, velocities = self._state("to_a", q, v)
        return self._there(ours, self._vector("to_a", "a", "accelerations", a)) + self._drift(ours, velocities)

    def from_a(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Floats:
        """Our accelerations Tᵀ (a' - Ṫ v)."""
        ours, theirs = self._state("from_a", q, v)
        drift = self._drift(ours, self._back(ours, theirs))
        return self._back(ours, self._vector("from_a", "a", "accelerations", a) - drift)

    def to_tau(self, q: ArrayLike, tau: ArrayLike) -> Floats:
        """Their generalized forces T tau: the same power."""
        return self._there(*self._state("to_tau", q, tau, "tau", "generalized forces"))

    def from_tau(self, q: ArrayLike, tau: ArrayLike) -> Floats:
        """Our generalized forces Tᵀ tau'."""
        return self._back(*self._state("from_tau", q, tau, "tau", "generalized forces"))

    # ── matrices ──────────────────────────────────────────────────────────────────────────────────────────────────

    def to_mass_matrix(self, q: ArrayLike, matrix: ArrayLike) -> Floats:
        """Their mass matrix T M Tᵀ, (*batch, nv, nv)."""
        ours, m = self._square("to_mass_matrix", q, matrix)
        return self._there(ours, np.swapaxes(self._there(ours, m, 1), -1, -2), 1)

    def from_mass_matrix(self, q: ArrayLike, matrix: ArrayLike) -> Floats:
        """Our mass matrix Tᵀ M' T, (*batch, nv, nv)."""
        ours, m = self._square("from_mass_matrix", q, matrix)
        return self._back(ours, np.swapaxes(self._back(ours, m, 1), -1, -2), 1)

    def to_inverse_mass_matrix(self, q: ArrayLike, matrix: ArrayLike) -> Floats:
        """The inverse of their mass matrix, T M⁻¹ Tᵀ, (*batch, nv, nv)."""
        return self.to_mass_matrix(q, matrix)  # T is orthogonal

    def from_inverse_mass_matrix(self, q: ArrayLike, matrix: ArrayLike) -> Floats:
        """The inverse of our mass matrix, (*batch, nv, nv)."""
        return self.from_mass_matrix(q, matrix)

    def to_jacobian(self, q: ArrayLike, jacobian: ArrayLike) -> Floats:
        """Their Jacobian J Tᵀ, (*batch, 6, nv), with their order of rows."""
        return self.to_spatial(self.to_columns(q, self._spatial("to_jacobian", jacobian)), axis=-2)

    def from_jacobian(self, q: ArrayLike, jacobian: ArrayLike) -> Floats:
        """Our Jacobian J' T, (*batch, 6, nv), rows [angular; linear]."""
        return self.from_spatial(self.from_columns(q, self._spatial("from_jacobian", jacobian)), axis=-2)

    def to_columns(self, q: ArrayLike, matrix: ArrayLike) -> Floats:
        """X Tᵀ for any X that acts on velocities, (*batch, m, nv): Jacobians of points, the centroidal matrix."""
        return self._there(*self._matrix("to_columns", q, matrix), 1)

    def from_columns(self, q: ArrayLike, matrix: ArrayLike) -> Floats:
        """X' T, (*batch, m, nv)."""
        return self._back(*self._matrix("from_columns", q, matrix), 1)

    def to_spatial(self, x: ArrayLike, axis: int = -1) -> Floats:
        """6-vectors (twists, wrenches, rows of a Jacobian) in their order; axes and reference points stay."""
        array = real(x, f"{self.engine}.to_spatial", "x", "real numbers")
        if array.ndim < max(-axis, axis + 1) or array.shape[axis] != 6:
            expected = "(*batch, 6)" if axis == -1 else f"6 along axis {axis}"
            raise errors.shape(f"{self.engine}.to_spatial", "x", "6-vectors", expected, array.shape)
        return np.roll(array, 3, axis=axis) if self.linear_first else array.copy()

    def from_spatial(self, x: ArrayLike, axis: int = -1) -> Floats:
        """6-vectors in our order, [angular; linear]."""
        return self.to_spatial(x, axis)  # exchanging halves is its own inverse

    def velocity_map(self, q: ArrayLike) -> Floats:
        """T at our q, dense, (*batch, nv, nv): their v = T v."""
        ours = self._read("velocity_map", "q", "configuration", self.robot.nq, q)
        return np.swapaxes(self._there(ours, np.eye(self.nv), 1), -1, -2)

    # ── how ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _there(self, q: Floats, x: Floats, columns: int = 0) -> Floats:
        """T along the last axis of x, whose batch is followed by `columns` more axes."""
        batch = self._batch(q, x, columns)
        theirs = np.empty((*batch, *x.shape[x.ndim - 1 - columns :]))
        theirs[..., self._theirs_v] = x[..., self._ours_v] * self._signs
        for link in self._links:
            t = self._expanded(link.chart.turn(q[..., link.ours_q]), columns)
            theirs[..., link.theirs_v] = np.einsum("...ij,...j->...i", t, x[..., link.ours_v])
        return theirs

    def _back(self, q: Floats, x: Floats, columns: int = 0) -> Floats:
        """Tᵀ along the last axis of x."""
        batch = self._batch(q, x, columns)
        ours = np.empty((*batch, *x.shape[x.ndim - 1 - columns :]))
        ours[..., self._ours_v] = x[..., self._theirs_v] * self._signs
        for link in self._links:
            t = self._expanded(link.chart.turn(q[..., link.ours_q]), columns)
            ours[..., link.ours_v] = np.einsum("...ji,...j->...i", t, x[..., link.theirs_v])
        return ours

    def _drift(self, q: Floats, v: Floats) -> Floats:
        rate = np.zeros((*self._batch(q, v, 0), self.nv))
        for link in self._links:
            rate[..., link.theirs_v] = link.chart.drift(q[..., link.ours_q], v[..., link.ours_v])
        return rate

    @staticmethod
    def _expanded(turn: Floats, columns: int) -> Floats:
        return turn.reshape(*turn.shape[:-2], *(1,) * columns, *turn.shape[-2:])

    def _batch(self, q: Floats, x: Floats, columns: int) -> tuple[int, ...]:
        axes = {"q": q.shape[:-1], "x": x.shape[: x.ndim - 1 - columns]}
        try:
            return np.broadcast_shapes(*axes.values())
        except ValueError:
            raise errors.broadcast(self.engine, axes) from None

    def _read(self, verb: str, symbol: str, meaning: str, size: int, value: ArrayLike) -> Floats:
        where = f"{self.engine}.{verb}"
        array = real(value, where, symbol, "real numbers")
        if array.ndim == 0 or array.shape[-1] != size:
            remedy = f"A {verb.split('_')[0]}_... method takes {'phipsi' if verb[0] != 'f' else self.engine}'s numbers."
            raise errors.shape(where, symbol, meaning, f"(*batch, {size})", array.shape, remedy)
        return array

    def _ours(self, verb: str, q: ArrayLike) -> Floats:
        return self.from_q(q) if verb.startswith("from") else self._read(verb, "q", "configuration", self.robot.nq, q)

    def _vector(self, verb: str, symbol: str, meaning: str, value: ArrayLike) -> Floats:
        return self._read(verb, symbol, meaning, self.nv, value)

    def _state(
        self, verb: str, q: ArrayLike, x: ArrayLike, symbol: str = "v", meaning: str = "velocities"
    ) -> tuple[Floats, Floats]:
        return self._ours(verb, q), self._vector(verb, symbol, meaning, x)

    def _matrix(self, verb: str, q: ArrayLike, matrix: ArrayLike) -> tuple[Floats, Floats]:
        array = self._read(verb, "matrix", "columns for velocities", self.nv, matrix)
        if array.ndim < 2:
            expected = f"(*batch, m, {self.nv})"
            raise errors.shape(f"{self.engine}.{verb}", "matrix", "columns for velocities", expected, array.shape)
        return self._ours(verb, q), array

    def _spatial(self, verb: str, jacobian: ArrayLike) -> Floats:
        where = f"{self.engine}.{verb}"
        array = real(jacobian, where, "matrix", "real numbers")
        if array.ndim < 2 or array.shape[-2:] != (6, self.nv):
            remedy = f"For other rows, take {verb.split('_')[0]}_columns."
            raise errors.shape(where, "matrix", "Jacobian", f"(*batch, 6, {self.nv})", array.shape, remedy)
        return array

    def _square(self, verb: str, q: ArrayLike, matrix: ArrayLike) -> tuple[Floats, Floats]:
        array = real(matrix, f"{self.engine}.{verb}", "matrix", "real numbers")
        if array.ndim < 2 or array.shape[-2:] != (self.nv, self.nv):
            expected = f"(*batch, {self.nv}, {self.nv})"
            raise errors.shape(f"{self.engine}.{verb}", "matrix", "mass matrix", expected, array.shape)
        return self._ours(verb, q), array

    def __repr__(self) -> str:
        return f"<Converter phipsi {self.robot.name!r} <-> {self.engine}: nq = {self.nq}, nv = {self.nv}>"
