"""Numbers as users write them, read once: float64 arrays out, and a clear sentence when they are not that."""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phipsi import errors

Floats: TypeAlias = NDArray[np.float64]
Ints: TypeAlias = NDArray[np.intp]
Bools: TypeAlias = NDArray[np.bool_]


def real(value: ArrayLike, where: str, symbol: str, expected: str) -> Floats:
    """`value` as a float64 array of any shape; complex, text and ragged lists are refused."""
    try:
        array: NDArray[Any] = np.asarray(value)
    except (ValueError, TypeError):  # ragged lists
        raise errors.numbers(where, symbol, expected, value) from None
    if array.dtype.kind not in "biuf":
        raise errors.numbers(where, symbol, expected, value)
    return array.astype(np.float64, copy=False)


def bools(value: Any, where: str, symbol: str, expected: str) -> Bools:
    """Truth values, and nothing that could be taken for them."""
    if isinstance(value, np.ma.MaskedArray):
        raise errors.masked(where, symbol)
    try:
        array: NDArray[Any] = np.asarray(value)
    except (ValueError, TypeError):  # ragged lists
        raise errors.wrong_type(where, symbol, expected, value) from None
    if array.dtype != np.bool_:
        raise errors.wrong_type(where, symbol, expected, value)
    return array


def number(value: ArrayLike, where: str, symbol: str, expected: str = "a number") -> float:
    """One number, finite or not."""
    array = real(value, where, symbol, expected)
    if array.shape != ():
        raise errors.model_shape(where, symbol, expected, array.shape)
    return float(array)


def count(value: object, where: str, symbol: str, expected: str) -> int:
    """A whole number >= 0."""
    try:
        whole = operator.index(value)  # pyright: ignore[reportArgumentType]
    except TypeError:
        raise errors.wrong_type(where, symbol, expected, value) from None
    if whole < 0:
        raise errors.negative(where, symbol, value)
    return whole


def one_of(value: object, allowed: Sequence[str], where: str, symbol: str) -> str:
    """One of the words that are offered."""
    if not isinstance(value, str) or value not in allowed:
        raise errors.option(where, symbol, value, allowed)
    return value


def vector(value: ArrayLike, size: int, where: str, symbol: str) -> Floats:
    """`size` finite numbers."""
    array = real(value, where, symbol, f"{size} numbers")
    if array.shape != (size,):
        raise errors.model_shape(where, symbol, f"{size} numbers", array.shape)
    if not np.isfinite(array).all():
        raise errors.not_finite(where, symbol, array.tolist())
    return array


def trailing(value: ArrayLike, ending: tuple[int, ...], where: str, symbol: str) -> Floats:
    """An array of shape (*batch, *ending), finite."""
    expected = f"numbers of shape (*batch, {', '.join(map(str, ending))})"
    array = real(value, where, symbol, expected)
    if array.shape[array.ndim - len(ending) :] != ending or array.ndim < len(ending):
        raise errors.model_shape(where, symbol, expected, array.shape)
    if not np.isfinite(array).all():
        raise errors.not_finite(where, symbol, array.tolist())
    return array


def batch_of(where: str, **axes: tuple[int, ...]) -> tuple[int, ...]:
    """What the batch axes of arguments, by their symbols, broadcast to."""
    try:
        return np.broadcast_shapes(*axes.values())
    except ValueError:
        raise errors.broadcast(where, axes) from None


def unit(value: ArrayLike, where: str, symbol: str) -> tuple[float, float, float]:
    """A direction: three finite numbers, normalised. Plain floats: a long chain has many."""
    x, y, z = vector(value, 3, where, symbol).tolist()
    largest = max(abs(x), abs(y), abs(z))
    if largest == 0.0:
        raise errors.zero_axis(where, symbol, [x, y, z])
    x, y, z = x / largest, y / largest, z / largest  # so that neither 1e-200 nor 1e200 is squared away
    length = math.sqrt(x * x + y * y + z * z)
    return x / length, y / length, z / length


def read_only(array: Floats) -> Floats:
    """The same array, no longer writable."""
    array.flags.writeable = False
    return array
