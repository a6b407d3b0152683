"""Singular values of batches of small matrices: a NaN stays in its own state, and empty matrices are no trouble."""

from __future__ import annotations

import numpy as np

from phipsi.model.reading import Bools, Floats


def svd(matrix: Floats) -> tuple[Floats, Floats, Floats]:
    """U, σ, V* with matrix = U σ V*; V* is square. NaN throughout in states that hold something not finite."""
    bad: Bools = np.asarray(np.any(~np.isfinite(matrix), axis=(-2, -1)))
    if not bad.any():
        left, sizes, right = np.linalg.svd(matrix, full_matrices=True)
        return left, sizes, right
    left, sizes, right = np.linalg.svd(np.where(bad[..., None, None], 0.0, matrix), full_matrices=True)
    left[bad], sizes[bad], right[bad] = np.nan, np.nan, np.nan
    return left, sizes, right
