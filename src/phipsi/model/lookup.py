"""Finding things by name: bodies, joints, frames, and the dofs that a list of names means."""

from __future__ import annotations

from collections.abc import KeysView, Mapping
from typing import Any

import numpy as np

from phipsi import errors
from phipsi.model.description import WORLD, Description
from phipsi.model.pose import Pose
from phipsi.model.reading import Bools, bools


def index(table: Mapping[str, int], kind: str, name: object) -> int:
    """The row of a body or joint."""
    found = table.get(name) if isinstance(name, str) else None
    if found is None:
        raise errors.unknown_name(kind, name, list(table))
    return found


def frame(
    description: Description, bodies: Mapping[str, int], frames: Mapping[str, int], name: object
) -> tuple[int, Pose]:
    """The body that carries a frame, and the frame's pose in it."""
    if isinstance(name, str):
        if name == "world":
            return WORLD, Pose.identity()
        if name in bodies:
            return bodies[name], Pose.identity()
        if name in frames:
            found = description.frames[frames[name]]
            return found.body, found.pose
    raise errors.unknown_name("frame", name, ["world", *bodies, *frames])


def joints(joints: Mapping[str, int], bodies: Mapping[str, int], names: Any, verb: str) -> list[int]:
    """The joints that a name or a list of names means: joints, or the bodies that they move."""
    several: list[object] = list(names) if _is_a_list(names) else [names]
    found: list[int] = []
    for name in several:
        by_joint = joints.get(name) if isinstance(name, str) else None
        by_body = bodies.get(name) if isinstance(name, str) else None
        if by_joint is not None and by_body is not None and by_joint != by_body:
            raise errors.ambiguous_joint(verb, str(name), list(bodies)[by_joint], list(joints)[by_body])
        k = by_joint if by_joint is not None else by_body
        if k is None:
            raise errors.unknown_name("joint", name, list(dict.fromkeys([*joints, *bodies])))
        found.append(k)
    return found


def passive_mask(description: Description) -> Bools:
    """Which dofs are passive: what each joint says, else those of free joints on the world."""
    mask: list[bool] = []
    for joint, parent in zip(description.joints, description.parent.tolist(), strict=True):
        if joint.passive is not None:
            mask.extend(joint.passive)
        else:
            mask.extend((joint.kind == "free" and parent == WORLD,) * joint.nv)
    result = np.array(mask, dtype=np.bool_)
    result.flags.writeable = False
    return result


def read_mask(
    description: Description,
    joint_index: Mapping[str, int],
    body_index: Mapping[str, int],
    passive: Any,
    verb: str = "with_passive",
    batch: bool = False,
    symbol: str = "passive",
) -> Bools:
    """A mask of dofs, as names or as bools; with `batch`, leading axes are states."""
    nv = [joint.nv for joint in description.joints]
    if _are_names(passive):
        chosen = joints(joint_index, body_index, passive, verb)
        per_joint = np.zeros(len(nv), dtype=np.bool_)
        per_joint[chosen] = True
        return np.repeat(per_joint, nv)
    mask = bools(passive, verb, symbol, "names of joints, or a bool for each dof")
    if mask.shape[-1:] != (sum(nv),) or (mask.ndim > 1 and not batch):
        expected = f"names of joints, or bools of shape ({sum(nv)},)" + f" or (*batch, {sum(nv)})" * batch
        raise errors.model_shape(verb, symbol, expected, mask.shape)
    return mask


def _are_names(values: Any) -> bool:
    """Whether this is a name, or a list or set of names (an empty one names nothing)."""
    return isinstance(values, str) or (_is_a_list(values) and all(isinstance(value, str) for value in values))


def _is_a_list(values: Any) -> bool:
    return isinstance(values, (list, tuple, set, frozenset, KeysView))
