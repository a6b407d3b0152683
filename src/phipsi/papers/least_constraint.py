"""What papers on closed chains are held against: Gauss' principle of least constraint, on numerical derivatives."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

STEP = 0.02
# the first derivative from nine samples, exact for polynomials of degree 8
_FIRST = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / STEP


def times() -> Array:
    """Nine instants, now in their middle."""
    return np.asarray(np.arange(-4, 5) * STEP, dtype=np.float64)


def rates(samples: Array) -> Array:
    """The derivative, now, of what was sampled at these instants."""
    return np.tensordot(_FIRST, samples, axes=1)


def acceleration(robot: Any, q: Array, v: Array, effort: Array, constraint: Callable[[Array], Array]) -> Array:
    """Of all accelerations that constraint(q) v = 0 allows, the nearest to the free one, by the core's mass matrix."""
    path = robot.integrate(q, v * times()[:, None])
    drift = rates(np.array([constraint(at) @ v for at in path]))  # the constraint's rate at v̇ = 0
    allowed = constraint(q)
    still = -np.linalg.pinv(allowed) @ drift
    _, values, directions = np.linalg.svd(allowed)
    left = directions[int((values > 1e-9 * values[0]).sum()) :].T
    mass = np.asarray(robot.mass_matrix(q))
    force = effort - robot.bias(q, v)
    return still + left @ solve(left.T @ mass @ left, left.T @ (force - mass @ still))


def diagonal(blocks: list[Array]) -> Array:
    """diag[x_1, x_2, ...]."""
    rows, columns = (np.cumsum([0, *(b.shape[i] for b in blocks)]).tolist() for i in (0, 1))
    out = np.zeros((rows[-1], columns[-1]))
    for k, b in enumerate(blocks):
        out[rows[k] : rows[k + 1], columns[k] : columns[k + 1]] = b
    return out
