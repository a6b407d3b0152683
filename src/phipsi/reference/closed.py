"""Closed chains densely: the saddle-point system of mass matrix and constraints, by a basis of the free motions."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .description import Array, RobotLike
from .dynamics import bias, mass_matrix

SINGULAR_PART = 1e-9  # of the largest singular value of J: less is a redundant constraint


def closed_forward_dynamics(
    robot: RobotLike,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    J: ArrayLike,
    drift: ArrayLike,
    f_ext: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """(a, f) with M a + C = tau + J* f and J a + drift = 0. [RK88 II 2.11]

    a = a_J + Z z: a_J = -J⁺ drift, Z a basis of null(J), and z such that Z* (M a + C - tau) = 0. It is unique whatever
    the rank of J; f = (J*)⁺ (M a + C - tau) is the least of those that belong to it.
    """
    constraints = np.atleast_2d(np.asarray(J, dtype=np.float64))
    M, missing = mass_matrix(robot, q), np.asarray(tau, dtype=np.float64) - bias(robot, q, v, f_ext)
    U, sizes, Vt = np.linalg.svd(constraints)
    rank = int((sizes > SINGULAR_PART * sizes.max(initial=0.0)).sum())
    a_J = -Vt[:rank].T @ ((U[:, :rank].T @ np.asarray(drift, dtype=np.float64)) / sizes[:rank])
    Z = Vt[rank:].T
    a = a_J + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (missing - M @ a_J))
    f = U[:, :rank] @ ((Vt[:rank] @ (M @ a - missing)) / sizes[:rank])
    return a, f
