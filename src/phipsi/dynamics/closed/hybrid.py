"""Hybrid dynamics of closed chains: accelerations of the driven dofs are given, torques of the passive ones are.

The passive dofs alone respond to the contact forces: Ω_p = J_p M_pp⁻¹ J_p*, its columns by hybrid sweeps at rest,
one for each row of J; never a mass matrix.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.closed import geometry, least
from phipsi.dynamics.closed.motion import HybridMotion
from phipsi.model.reading import Bools, Floats

if TYPE_CHECKING:
    from phipsi.dynamics.closed.system import ClosedRobot
    from phipsi.model.robot import Robot

_TOLERANCE = 1e-8


def motion(
    system: ClosedRobot, q: Floats, v: Floats, tau: Floats, a: Floats, passive: Bools, f_ext: Floats | None
) -> HybridMotion:
    """τ of the driven dofs, a of the passive ones, and f, with M a + C = τ + J* f and J a + J̇v = 0."""
    robot: Any = system.robot
    weightless: Any = system.weightless
    open_chain: tuple[Floats, Floats] = robot.hybrid_dynamics(q, v, tau, a, passive, f_ext)
    tau_open, a_open = open_chain
    J = geometry.jacobian(robot, system.places, q)
    rows = passive[..., None, :] if passive.ndim > 1 else passive
    rest, still = np.zeros(robot.nv), np.zeros(robot.nv)
    response: tuple[Floats, Floats] = weightless.hybrid_dynamics(q[..., None, :], rest, J, still, rows)
    felt, moved = response  # M_ap x and x = M_pp⁻¹ J_p*
    Omega = J @ np.swapaxes(moved, -1, -2)
    part = least.resolution(geometry.error(robot, system.places, q))
    factors = least.factored(0.5 * (Omega + np.swapaxes(Omega, -1, -2)), part)
    wanted = -system.drift(q, v) - (J @ a_open[..., None])[..., 0]
    f = factors.solve(wanted)
    acceleration = a_open + (f[..., None, :] @ moved)[..., 0, :]
    left = (J @ acceleration[..., None])[..., 0] + system.drift(q, v)
    size = _largest(left)
    limit = _TOLERANCE * (1.0 + _largest(acceleration) + _largest(wanted))
    if np.any(size > limit):
        row = int(np.argmax(np.nan_to_num(np.abs(left)).reshape(-1, system.rows).max(axis=0)))
        raise errors.driven_apart(float(np.nanmax(size)), system.row_owner(row))
    # what a motor gives: its share of the open motion, the inertia that f moves, less what f itself does there
    change = ((felt - np.where(rows, felt, J)) * f[..., :, None]).sum(axis=-2)
    torque = np.where(passive, tau_open, tau_open + change)
    return HybridMotion(system, q, f, acceleration, np.asarray(factors.rank, dtype=np.float64), torque)


def mask_of(robot: Robot, passive: str | Sequence[str] | ArrayLike | None) -> Bools:
    """Which dofs are passive, (nv,), or (*batch, nv) where each state has a mask of its own."""
    if passive is None:
        return robot.passive
    return robot._masks(passive, "hybrid_dynamics")  # pyright: ignore[reportPrivateUsage]


def _largest(x: Floats) -> Floats:
    return np.abs(x).max(axis=-1, initial=0.0)
