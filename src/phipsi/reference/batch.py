"""A loop over a batch: the reference itself knows one state only.

For tests and lessons that want the reference's answer for the same arrays as the library's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from .description import RobotLike


def over_batch(
    verb: Callable[..., Any], robot: RobotLike, *vectors: ArrayLike, f_ext: ArrayLike | None = None, **options: Any
) -> Any:
    """``verb(robot, *vectors, ...)`` for each state, stacked: the leading axes are the batch and broadcast.

    Vectors have one axis of their own, ``f_ext`` has two. Arguments that are not arrays (a frame's name, say) go by
    keyword. A verb that returns a tuple gives a tuple of stacks. The batch must not be empty: the shape of what is
    returned comes from the results.
    """
    arrays = [np.asarray(x, dtype=np.float64) for x in vectors]
    forces = None if f_ext is None else np.asarray(f_ext, dtype=np.float64)
    shapes = [x.shape[:-1] for x in arrays] + ([] if forces is None else [forces.shape[:-2]])
    batch = np.broadcast_shapes(*shapes)
    arrays = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in arrays]
    results: list[Any] = []
    for index in np.ndindex(*batch):
        extra = {} if forces is None else {"f_ext": np.broadcast_to(forces, (*batch, *forces.shape[-2:]))[index]}
        results.append(verb(robot, *(x[index] for x in arrays), **extra, **options))

    def stack(parts: list[Any]) -> Any:
        stacked = np.stack([np.asarray(part) for part in parts])
        return stacked.reshape((*batch, *stacked.shape[1:]))

    if isinstance(results[0], tuple):
        return tuple(stack(list(part)) for part in zip(*results, strict=True))
    return stack(results)
