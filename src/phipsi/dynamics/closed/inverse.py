"""Inverse dynamics of closed chains: which torques of which motors make a motion, with which forces in the contacts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from phipsi import errors
from phipsi.dynamics.closed.least import pseudo_inverse
from phipsi.model.reading import Bools, Floats

if TYPE_CHECKING:
    from phipsi.dynamics.closed.system import ClosedRobot


def torques(
    system: ClosedRobot,
    q: Floats,
    a_needs: Floats,
    actuated: Bools,
    preferred: Floats,
    weight: Floats,
    least: Literal["force", "torque"],
) -> tuple[Floats, Floats]:
    """(τ, f) with τ + J* f = `a_needs` and τ zero without a motor. [RK88 II 3.2]

    Where there is no motor, J_u* f must do it all: f = f₀ + W (J_u* W)⁺ (needs_u - J_u* f₀), the one nearest to the
    preferred f₀ in the norm of W⁻¹ f; what is left is J_u* f = 0, and `least="torque"` spends it on |τ|.
    """
    J_t = np.swapaxes(system.constraint_jacobian(q), -1, -2)
    lifted = J_t[..., ~actuated, :] * weight
    missing = a_needs[..., ~actuated] - (J_t[..., ~actuated, :] @ preferred[..., None])[..., 0]
    inverse = pseudo_inverse(lifted, 1e-10)
    scaled = (inverse @ missing[..., None])[..., 0]
    left = (lifted @ scaled[..., None])[..., 0] - missing
    _require_made(system, a_needs, left, actuated)
    f = preferred + weight * scaled
    if least == "torque":
        spare = np.eye(lifted.shape[-1]) - inverse @ lifted  # what J_u* f does not notice
        driven = J_t[..., actuated, :] @ (weight[:, None] * spare)
        excess = a_needs[..., actuated] - (J_t[..., actuated, :] @ f[..., None])[..., 0]
        f = f + weight * (spare @ (pseudo_inverse(driven, 1e-10) @ excess[..., None]))[..., 0]
    tau = a_needs - (J_t @ f[..., None])[..., 0]
    return np.where(actuated, tau, 0.0), f


def _require_made(system: ClosedRobot, needs: Floats, left: Floats, actuated: Bools) -> None:
    size = np.abs(left).max(axis=-1, initial=0.0)
    scale = 1.0 + np.abs(needs).max(axis=-1, initial=0.0)
    if np.any(size > 1e-8 * scale):
        freedoms = system.robot.nv - system.rows
        raise errors.too_few_motors(int(actuated.sum()), max(freedoms, 0), float(np.nanmax(size)), size.size)
