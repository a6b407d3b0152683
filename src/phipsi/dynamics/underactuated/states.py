"""States as users give them, read once: masks, broadcast arrays, and vectors of one side of a mask."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Bools, Floats, real
from phipsi.model.robot import Robot

Passive: TypeAlias = "str | Sequence[str] | ArrayLike | None"


def mask_of(robot: Robot, passive: Passive, verb: str) -> Bools:
    """(nv,): which dofs no motor drives."""
    return robot.mask(robot.passive if passive is None else passive, verb)


def vector(value: ArrayLike, size: int, verb: str, symbol: str, meaning: str) -> Floats:
    """Numbers of shape (*batch, size)."""
    array = real(value, verb, symbol, f"numbers of shape (*batch, {size})")
    if array.ndim == 0 or array.shape[-1] != size:
        raise errors.shape(verb, symbol, meaning, f"(*batch, {size})", array.shape)
    return array


def together(verb: str, **arrays: Floats) -> list[Floats]:
    """The vectors, with their batch axes broadcast."""
    shapes = {symbol: array.shape[:-1] for symbol, array in arrays.items()}
    try:
        batch = np.broadcast_shapes(*shapes.values())
    except ValueError:
        raise errors.broadcast(verb, shapes) from None
    return [np.broadcast_to(array, (*batch, array.shape[-1])) for array in arrays.values()]


def spread(x: Floats, chosen: Bools) -> Floats:
    """A vector of the chosen dofs as one of all dofs, zero at the others."""
    out = np.zeros((*x.shape[:-1], len(chosen)))
    out[..., chosen] = x
    return out


def torques(robot: Robot, tau: ArrayLike | None, verb: str) -> Floats:
    """(*batch, nv): the joint torques, none if they are not given."""
    if tau is None:
        return np.zeros(robot.nv)
    return vector(tau, robot.nv, verb, "tau", "joint torques")


def names_of(target: str | Sequence[str]) -> list[str]:
    """The frames, in a list."""
    return [target] if isinstance(target, str) else list(target)
