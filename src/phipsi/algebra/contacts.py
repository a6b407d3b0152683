"""What frames hold, and how: the numbers of Pi, the dense solve among contact forces that closed chains need."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, real

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration

_NEGLIGIBLE = 1e-11  # eigenvalues of Omega_c below this part of the largest are zeros

_MEANING = {"compliance": "of what is held", "freedom": "rows of motions left free"}


class Contacts:
    """Frames that hold something, in one configuration: Omega_c = B* Omega B + compliance, and Pi. [RK88 II 3.1]

    `compliance` (*batch, 6m, 6m): what the thing held yields. `freedom` (*batch, k, 6m): free motions, as rows.
    """

    def __init__(
        self,
        configuration: Configuration,
        frames: tuple[str, ...],
        compliance: ArrayLike | None = None,
        freedom: ArrayLike | None = None,
    ) -> None:
        self._configuration, self.frames = configuration, frames
        m = 6 * len(frames)
        self.compliance = np.zeros((m, m)) if compliance is None else self._read("compliance", compliance, (m, m))
        self.freedom = np.zeros((0, m)) if freedom is None else self._read("freedom", freedom, (None, m))

    def _read(self, name: str, given: ArrayLike, ends: tuple[int | None, int]) -> Floats:
        array = np.array(real(given, "holding", name, "numbers"), dtype=np.float64)
        axes = f"(*batch, {'k' if ends[0] is None else ends[0]}, {ends[1]})"
        if array.ndim < 2 or array.shape[-1] != ends[1] or ends[0] not in (None, array.shape[-2]):
            raise errors.shape("holding", name, _MEANING[name], axes, array.shape)
        batch = self._configuration.batch
        try:
            fits = np.broadcast_shapes(array.shape[:-2], batch) == batch
        except ValueError:
            fits = False
        if not fits:
            raise errors.broadcast("holding", {"s": batch, name: array.shape[:-2]})
        return array

    @cached_property
    def Omega_c(self) -> Floats:
        """What a force at one contact does to the relative acceleration at every other, (*batch, 6m, 6m)."""
        s = self._configuration
        B = s.B(*self.frames)
        found = (B.T @ s.Omega @ B).dense() + self.compliance  # [RK88 II 6.7], [RK88 II 3.1]
        return (found + np.swapaxes(found, -1, -2)) / 2

    @cached_property
    def pi(self) -> Floats:
        """N (N* Omega_c N)^-1 N*, the columns of N being the forces that the contacts transmit: H N = 0."""
        m, k = self.Omega_c.shape[-1], self.freedom.shape[-2]
        if k == 0:
            return _inverse(self.Omega_c)
        transmitted = _guarded(lambda x: np.linalg.svd(x)[2], self.freedom)[..., k:, :] if k < m else np.zeros((0, m))
        inner = transmitted @ self.Omega_c @ np.swapaxes(transmitted, -1, -2)
        return np.swapaxes(transmitted, -1, -2) @ _inverse(inner) @ transmitted


def _inverse(matrix: Floats) -> Floats:
    """The inverse of a symmetric matrix; where it is singular, that of its regular part."""
    if matrix.shape[-1] == 0:
        return matrix
    return _guarded(lambda x: np.linalg.pinv(x, rcond=_NEGLIGIBLE, hermitian=True), matrix)


def _guarded(found: Callable[[Floats], Any], matrix: Floats) -> Floats:
    """found(matrix); where a state is not finite, NaN in that state and in no other."""
    lost = np.asarray(~np.isfinite(matrix).all(axis=(-1, -2), keepdims=True))
    answer = np.asarray(found(np.where(lost, 0.0, matrix)), dtype=np.float64)
    return np.where(lost, np.nan, answer)
