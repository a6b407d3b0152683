"""How frames yield to forces on them: the compliance that operational-space methods invert."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from . import spatial
from .description import Array, RobotLike
from .dynamics import mass_matrix
from .kinematics import jacobian


def operational_space_compliance(
    robot: RobotLike, q: ArrayLike, frames: str | Sequence[str], passive: ArrayLike | None = None
) -> Array:
    """J M^-1 J* of the dofs that are free to move (all of them, or those of the mask), J all frames' Jacobian."""
    M = mass_matrix(robot, q)
    free = np.ones(len(M), dtype=bool) if passive is None else np.asarray(passive, dtype=bool)
    names = [frames] if isinstance(frames, str) else list(frames)
    J = np.concatenate([np.zeros((0, len(M))), *(jacobian(robot, q, name) for name in names)])[:, free]
    return J @ spatial.solve(M[np.ix_(free, free)], J.T)
