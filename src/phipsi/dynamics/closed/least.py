"""Ω f = r where Ω may be singular: the rank, the least-norm f, the internal forces; with no unit preferred to another.

Ω = J M⁻¹ J* mixes radians and metres, so its rank is that of S = E⁻¹ Ω E⁻¹ with E = diag(Ω)^½, whose diagonal is one: a
direction counts if more than `SINGULAR_PART` of its mobility is its own. f is least in the norm of its own numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phipsi.model.reading import Bools, Floats, Ints

SINGULAR_PART = 1e-12  # of a direction's mobility: less is rounding
_SUSPICIOUS_PART = 1e-6  # above, a direction always counts
_OPEN_ROWS_TURN = 30.0  # how far, at most, an opening of one turns redundant rows apart
_STUCK_PART = 1e-20  # of the largest mobility: less is a direction that nothing moves


@dataclass(frozen=True, eq=False)
class Factored:
    """Ω = B Λ B*, B (*batch, m, m) with zero columns beyond the rank."""

    B: Floats
    gram_inverse: Floats  # (B*B)⁻¹ on the columns that count
    inverse: Floats  # Λ⁻¹ there, zero beyond
    kept: Bools

    @property
    def rank(self) -> Ints:
        """How many independent forces the contacts have; -1 where the state is NaN."""
        return np.where(np.isnan(self.B).any(axis=(-2, -1)), -1, self.kept.sum(axis=-1))

    def solve(self, r: Floats) -> Floats:
        """Ω⁺ r, vectors (*batch, m): least squares if r cannot be reached, least norm if several f reach it."""
        y = self.gram_inverse @ (np.swapaxes(self.B, -1, -2) @ r[..., None])
        return (self.B @ (self.gram_inverse @ (self.inverse[..., None] * y)))[..., 0]

    @property
    def internal(self) -> Floats:
        """The orthogonal projector on null(Ω): forces that squeeze and move nothing."""
        return np.eye(self.B.shape[-1]) - self.B @ self.gram_inverse @ np.swapaxes(self.B, -1, -2)


def resolution(e: Floats) -> Floats:
    """How finely rank can be told where loops are open by e: rows that are redundant when closed turn apart by it."""
    worst = np.abs(e).max(axis=-1, initial=0.0)
    return np.clip((_OPEN_ROWS_TURN * worst) ** 2, SINGULAR_PART, _SUSPICIOUS_PART)


def factored(Omega: Floats, part: Floats) -> Factored:
    """Ω (*batch, m, m), symmetric and not negative, factored by its rank, which `part` (*batch) tells from rounding."""
    diagonal = np.diagonal(Omega, axis1=-2, axis2=-1)
    largest = diagonal.max(axis=-1, keepdims=True, initial=0.0)
    moves: Bools = np.asarray(diagonal > _STUCK_PART * largest)
    scale = np.sqrt(np.where(moves, diagonal, 1.0))
    S = np.where(moves[..., :, None] & moves[..., None, :], Omega / (scale[..., :, None] * scale[..., None, :]), 0.0)
    fine: Bools = np.asarray(np.isfinite(Omega).all(axis=(-2, -1)))
    eigenvalues, U = np.linalg.eigh(np.where(fine[..., None, None], S, np.eye(S.shape[-1])))
    kept: Bools = np.asarray(eigenvalues > part[..., None])
    columns = np.where(moves, scale, 0.0)[..., :, None] * U * kept[..., None, :]
    B = np.where(fine[..., None, None], columns, np.nan)
    beyond = np.where(kept, 0.0, 1.0)[..., None] * np.eye(B.shape[-1])
    gram = np.swapaxes(B, -1, -2) @ B + beyond
    gram = np.linalg.inv(np.where(fine[..., None, None], gram, np.eye(B.shape[-1])))
    return Factored(B, gram, np.where(kept, 1.0 / np.where(kept, eigenvalues, 1.0), 0.0), kept)


def basis(projector: Floats) -> Floats:
    """Orthonormal columns that span a projector's range, (*batch, m, k): k the most in the batch, zeros fill up.

    NaN stays in its state."""
    fine: Bools = np.asarray(np.isfinite(projector).all(axis=(-2, -1)))[..., None, None]
    eigenvalues, U = np.linalg.eigh(np.where(fine, projector, 0.0))
    inside = eigenvalues > 0.5
    count = int(inside.sum(axis=-1).max(initial=0))
    columns = np.where(fine, U * inside[..., None, :], np.nan)
    return np.ascontiguousarray(columns[..., ::-1][..., :count])


def pseudo_inverse(A: Floats, part: float) -> Floats:
    """A⁺ (*batch, n, m), singular values below `part` of the largest being zero; NaN stays in its state."""
    fine: Bools = np.asarray(np.isfinite(A).all(axis=(-2, -1)))[..., None, None]
    return np.where(fine, np.linalg.pinv(np.where(fine, A, 0.0), rcond=part), np.nan)
