"""Laws that do not look at the state: constant torques, and torques from a table."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, real
from phipsi.model.robot import Robot
from phipsi.motion.control.native import NativeLaw


class Constant:
    """The same torques always: tau (*batch, nv).

    >>> import phipsi as pp
    >>> pp.control.Constant([1.0, 2.0])(0.0, [0, 0], [0, 0])
    array([1., 2.])
    """

    def __init__(self, tau: ArrayLike) -> None:
        self.tau: Floats = real(tau, "Constant", "tau", "torques of shape (*batch, nv)").copy()
        self.batch: tuple[int, ...] = self.tau.shape[:-1]
        if not np.isfinite(self.tau).all():
            raise errors.not_finite("Constant", "tau", self.tau.tolist())

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """tau, broadcast to the shape of v."""
        return np.broadcast_to(self.tau, np.broadcast_shapes(self.tau.shape, np.shape(v))).copy()

    def native(self, robot: Robot) -> NativeLaw | None:
        """One row of a table."""
        return NativeLaw(table=self.tau[..., None, :])


class Table:
    """Torques sampled in time: row i of tau (*batch, rows, nv) holds from i period on, the last for ever.

    In `simulate` the period must be a whole number of steps.

    >>> import phipsi as pp
    >>> law = pp.control.Table([[0.0], [1.0], [2.0]], period=0.1)
    >>> law(0.15, [0.0], [0.0])
    array([1.])
    """

    def __init__(self, tau: ArrayLike, period: float) -> None:
        self.tau: Floats = real(tau, "Table", "tau", "torques of shape (*batch, rows, nv)").copy()
        if self.tau.ndim < 2 or self.tau.shape[-2] == 0:
            raise errors.shape("Table", "tau", "torques in time", "(*batch, rows, nv)", self.tau.shape)
        if not np.isfinite(self.tau).all():
            raise errors.not_finite("Table", "tau", self.tau.tolist())
        self.batch: tuple[int, ...] = self.tau.shape[:-2]
        if not (math.isfinite(period) and period > 0):
            raise errors.step_size("period", period)
        self.period = float(period)

    def __call__(self, t: float, q: ArrayLike, v: ArrayLike) -> Floats:
        """The row of time t, broadcast to the shape of v."""
        row = min(max(math.floor(t / self.period + 1e-9), 0), self.tau.shape[-2] - 1)
        now = self.tau[..., row, :]
        return np.broadcast_to(now, np.broadcast_shapes(now.shape, np.shape(v))).copy()

    def native(self, robot: Robot) -> NativeLaw | None:
        """As it is."""
        return NativeLaw(table=self.tau, period=self.period)
