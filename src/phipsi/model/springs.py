"""Torques that joints make by themselves: dampers, Coulomb friction, springs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, real

if TYPE_CHECKING:
    from phipsi.model.robot import Robot


def passive_forces(robot: Robot, q: ArrayLike, v: ArrayLike) -> Floats:
    """tau = -(damping v + friction sign(v) + stiffness difference(q_rest, q))."""
    velocities = _state(robot.nv, "v", "velocities", v)
    coordinates = _state(robot.nq, "q", "configuration", q)
    try:
        batch = np.broadcast_shapes(velocities.shape[:-1], coordinates.shape[:-1])
    except ValueError:
        shapes = {"q": coordinates.shape[:-1], "v": velocities.shape[:-1]}
        raise errors.broadcast("passive_forces", shapes) from None
    # 0 - x, so that a dof without any of the three feels 0 and not -0
    tau = 0.0 - (robot.damping * velocities + robot.friction * np.sign(velocities))
    if not robot.stiffness.any():
        return np.broadcast_to(tau, (*batch, robot.nv)).copy()
    at_rest = robot.integrate(robot.neutral(), robot.rest)
    return tau - robot.stiffness * robot.difference(at_rest, coordinates)


def _state(size: int, symbol: str, meaning: str, value: ArrayLike) -> Floats:
    array = real(value, "passive_forces", symbol, "real numbers")
    if array.ndim == 0 or array.shape[-1] != size:
        raise errors.shape("passive_forces", symbol, meaning, f"(*batch, {size})", array.shape)
    return array
