"""Locking joints where they are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.description import WORLD, Description
from phipsi.model.joints import Fixed
from phipsi.model.merging import without_lost_leaders
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, real

if TYPE_CHECKING:
    from phipsi.model.robot import Robot


def freeze(
    robot: Robot, joints: str | Sequence[str] | None, q: ArrayLike | Mapping[str, ArrayLike] | None
) -> Description:
    """Joints become Fixed, their motion at q part of their placement."""
    named = list(q) if joints is None and isinstance(q, Mapping) else joints
    chosen = range(robot.n) if named is None else robot.joint_indices(named, "freeze")
    motions = _motions(robot, _configuration(robot, q))
    description = robot.description
    rotation, position = description.placements.rotation.copy(), description.placements.position.copy()
    kept = list(description.joints)
    for k in chosen:
        if kept[k].kind != "fixed":
            rotation[k], position[k] = motions.rotation[k], motions.position[k]
            kept[k] = Fixed(name=kept[k].name)
    return description.changed(joints=without_lost_leaders(tuple(kept)), placements=Pose.trusted(rotation, position))


def _motions(robot: Robot, q: Floats) -> Pose:
    """Pose of every body in its parent: the poses of a robot whose bodies all stand on the world."""
    roots = np.full(robot.n, WORLD, dtype=np.intp)
    scattered = robot.description.changed(parent=roots, frames=(), payloads=())
    return type(robot)(scattered).poses(q)


def _configuration(robot: Robot, q: ArrayLike | Mapping[str, ArrayLike] | None) -> Floats:
    """A configuration of the whole robot, finite."""
    if q is None:
        return robot.neutral()
    if not isinstance(q, Mapping):
        full = real(q, "freeze", "q", f"{robot.nq} numbers, or a dict joint -> coordinates")
        if full.shape != (robot.nq,):
            remedy = "A robot is frozen in one configuration; a dict joint -> coordinates names only some."
            raise errors.shape("freeze", "q", "configuration", f"({robot.nq},)", full.shape, remedy)
    else:
        full = np.array(robot.neutral())
        for name, value in q.items():
            (k,) = robot.joint_indices(name, "freeze")
            part = slice(int(robot.q_index[k]), int(robot.q_index[k + 1]))
            size = part.stop - part.start
            numbers = np.atleast_1d(real(value, "freeze", f"q[{name!r}]", f"{size} numbers"))
            if numbers.shape != (size,):
                raise errors.model_shape("freeze", f"q[{name!r}]", f"{size} numbers", numbers.shape)
            full[part] = numbers
    if not np.isfinite(full).all():
        raise errors.not_finite("freeze", "q", full.tolist())
    return full
