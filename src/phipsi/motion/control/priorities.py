"""Tasks in order: the accelerations that do the first as well as can be, then the next with what is left, and so on."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phipsi.dynamics.singular_values import svd
from phipsi.model.reading import Bools, Floats

RANK = 1e-9  # of the largest singular value: less counts as nothing
ROUNDING = 1e-13  # what rounding leaves of a singular value that is zero


def prioritized(tasks: Sequence[tuple[Floats, Floats]], rest: Floats, damping: float = 0.0) -> Floats:
    """x with J x = r for each task (J, r), as nearly as the tasks before it allow; what is left free is as near `rest`.

    J (*batch, m, k), r (*batch, m), rest (*batch, k) → (*batch, k). Of redundant motions the one nearest to `rest` is
    taken; what cannot be done is done in least squares. Singular values σ below `damping` count as σ/damping² instead
    of 1/σ in the inverse: a task that becomes impossible fades out, where it would ask for infinite accelerations.
    """
    x, free = np.zeros(rest.shape), np.broadcast_to(np.eye(rest.shape[-1]), (*rest.shape, rest.shape[-1]))
    for J, r in tasks:
        inverse, free_after = _inverse(J @ free, damping)
        x = x + _times(free @ inverse, r - _times(J, x))
        free = free @ free_after
    return x + _times(free, rest - x)


def _inverse(J: Floats, damping: float) -> tuple[Floats, Floats]:
    """The damped pseudo-inverse, and the projection on the null space."""
    left, sizes, right = svd(J)
    width = sizes.shape[-1]
    counted: Bools = sizes > np.maximum(RANK * sizes[..., :1], ROUNDING)
    safe = np.where(counted, sizes, 1.0)
    gain = np.where(sizes < damping, sizes / damping**2 if damping > 0 else 0.0, 1.0 / safe) * counted
    own = right[..., :width, :]
    inverse = np.swapaxes(own, -1, -2) @ (gain[..., None] * np.swapaxes(left[..., :, :width], -1, -2))
    taken = np.swapaxes(own, -1, -2) @ (counted[..., None] * own)
    return inverse, np.eye(right.shape[-1]) - taken


def _times(A: Floats, x: Floats) -> Floats:
    return (A @ x[..., None])[..., 0]
