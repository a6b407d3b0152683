"""The loops of a closed chain, as the kernels of cpp/closed.hpp read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from phipsi import _core
from phipsi.dynamics.closed.grasp import Place, axis_at_both_ends
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats
from phipsi.model.robot import Robot


def closure(robot: Robot, places: Sequence[Place], baumgarte: tuple[float, float]) -> _core.Closure:
    """For each loop five whole numbers, three poses, the locked directions, and the axis that two locked turns keep."""
    whole = np.zeros((len(places), 5), dtype=np.int32)
    values = np.zeros((len(places), 78))
    for i, place in enumerate(places):
        contact, by_tip = place.loop.contact, place.loop.axes == "tip"
        whole[i] = (place.tip_body, place.object_body, by_tip, len(contact.locked), contact.turns)
        poses = (place.tip, place.object, place.object @ place.offset)
        values[i, :36] = np.concatenate([_flat(pose) for pose in poses])
        values[i, 36 : 36 + contact.locked.size] = contact.locked.ravel()
        values[i, 72:] = axis_at_both_ends(place).ravel()
    return _core.Closure(robot, whole, values, *baumgarte)


def _flat(pose: Pose) -> Floats:
    return np.concatenate([pose.rotation.ravel(), pose.position])
