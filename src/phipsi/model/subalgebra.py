"""Columns of H* that make a joint: independent, and closed under the spatial bracket."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, real

_CLOSED = 1e-9  # a bracket's distance from the span, against the size of the columns


def bracket(x: Floats, y: Floats) -> Floats:
    """The spatial bracket x × y of two twists [ω; v]: [ωx × ωy; ωx × vy + vx × ωy]."""
    w, v, u, t = x[:3].tolist(), x[3:].tolist(), y[:3].tolist(), y[3:].tolist()
    turning, sliding, shearing = cross(w, u), cross(w, t), cross(v, u)
    return np.array([*turning, *(a + b for a, b in zip(sliding, shearing, strict=True))])


def cross(x: Sequence[float], y: Sequence[float]) -> tuple[float, float, float]:
    """x × y in plain floats, ten times faster than NumPy's for a single pair."""
    return x[1] * y[2] - x[2] * y[1], x[2] * y[0] - x[0] * y[2], x[0] * y[1] - x[1] * y[0]


def commute(h: Floats) -> bool:
    """Whether all brackets of the columns vanish, so that v can be integrated to coordinates q."""
    return all(_size(bracket(x, y)) <= _CLOSED * _size(x) * _size(y) for i, x in enumerate(h.T) for y in h.T[:i])


def columns(value: ArrayLike, where: str = "Custom") -> Floats:
    """The columns, shape (6, m), or an error that says why they make no joint."""
    h = real(value, where, "columns", "numbers of shape (6, m), m = 1..6")
    if h.ndim == 1 and h.shape == (6,):
        h = h[:, None]
    if h.ndim != 2 or h.shape[0] != 6 or not 1 <= h.shape[1] <= 6:
        raise errors.model_shape(where, "columns", "numbers of shape (6, m), m = 1..6", h.shape)
    if not np.isfinite(h).all():
        raise errors.not_finite(where, "columns", h.tolist())
    sizes = np.linalg.norm(h, axis=0)
    if sizes.min() == 0.0:
        raise errors.custom_columns(where, f"must not be zero, but column {int(sizes.argmin())} is")
    span, singular, _ = np.linalg.svd(h / sizes, full_matrices=False)
    if singular[-1] < 1e-9:
        raise errors.custom_columns(where, "must be linearly independent: one of them adds no motion")
    for i, x in enumerate((h / sizes).T):
        for j, y in enumerate((h / sizes).T[:i]):
            product = bracket(y, x)
            outside = product - span @ (span.T @ product)
            if _size(outside) > _CLOSED:
                raise errors.custom_columns(
                    where,
                    f"must span a Lie subalgebra, but the bracket of columns {j} and {i}, "
                    f"{(product.round(6) + 0.0).tolist()}, is not in their span: no joint has these motions with "
                    "constant columns. Use two joints with a massless body between",
                )
    return h


def _size(x: Floats) -> float:
    return float(np.sqrt(x @ x))
