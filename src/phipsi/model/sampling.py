"""Random states, all joints of a kind at a time."""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from phipsi import errors
from phipsi.model.joints import Custom, Joint
from phipsi.model.reading import Floats, Ints

if TYPE_CHECKING:
    from phipsi.model.robot import Robot

# Half the range of a coordinate without limits, by type of joint: π for an angle, 1 for a distance.
_TURN, _SLIDE = np.pi, 1.0
_HALF_RANGE = {
    "revolute": (_TURN,),
    "prismatic": (_SLIDE,),
    "helical": (_TURN,),
    "cylindrical": (_TURN, _SLIDE),
    "universal": (_TURN, _TURN),
    "planar": (_TURN, _SLIDE, _SLIDE),
    "translational": (_SLIDE, _SLIDE, _SLIDE),
}


@dataclass(frozen=True, eq=False)
class Plan:
    """Where in q the numbers of each sort are."""

    low: Floats  # (nq,), of the coordinates drawn uniformly
    width: Floats
    quaternions: Ints  # (m, 4)
    positions: Ints  # (m, 3)
    subgroups_q: Ints  # joints that move in a subgroup of SE(3), reached by integrating from neutral: their q and v
    subgroups_v: Ints


def plan(joints: Sequence[Joint], q_index: Ints, v_index: Ints) -> Plan:
    """Reads the joints once; drawing states then takes a few array operations."""
    nq = int(q_index[-1])
    low, width = np.zeros(nq), np.zeros(nq)
    quaternions: list[range] = []
    positions: list[range] = []
    subgroups: tuple[list[int], list[int]] = ([], [])
    for joint, i, j in zip(joints, q_index.tolist(), v_index.tolist(), strict=False):
        if joint.kind in ("spherical", "free"):
            quaternions.append(range(i, i + 4))
            if joint.kind == "free":
                positions.append(range(i + 4, i + 7))
        elif joint.nq != joint.nv:
            subgroups[0].extend(range(i, i + joint.nq))
            subgroups[1].extend(range(j, j + joint.nv))
        else:
            for d, half in enumerate(_half_ranges(joint)):
                low[i + d], width[i + d] = _interval(joint.lower[d], joint.upper[d], half)
    rows = np.array(quaternions, dtype=np.intp).reshape(-1, 4), np.array(positions, dtype=np.intp).reshape(-1, 3)
    return Plan(low, width, *rows, *(np.array(part, dtype=np.intp) for part in subgroups))


def random(robot: Robot, plan: Plan, size: Any, seed: Any) -> tuple[Floats, Floats]:
    """Draws q and v; see `Robot.random`."""
    batch, rng = _batch(size), _generator(seed)
    q = rng.random((*batch, robot.nq))
    q *= plan.width
    q += plan.low
    if plan.quaternions.size:
        draws = rng.standard_normal((*batch, *plan.quaternions.shape))
        q[..., plan.quaternions] = draws / np.linalg.norm(draws, axis=-1, keepdims=True)
    if plan.positions.size:
        q[..., plan.positions] = rng.standard_normal((*batch, *plan.positions.shape))
    if plan.subgroups_v.size:
        step = np.zeros((*batch, robot.nv))
        step[..., plan.subgroups_v] = rng.uniform(-np.pi, np.pi, (*batch, plan.subgroups_v.size))
        q[..., plan.subgroups_q] = robot.integrate(robot.neutral(), step)[..., plan.subgroups_q]
    return q, rng.standard_normal((*batch, robot.nv))


def _half_ranges(joint: Joint) -> tuple[float, ...]:
    if isinstance(joint, Custom):
        return tuple(_TURN if column[:3].any() else _SLIDE for column in joint.columns.T)
    return _HALF_RANGE.get(joint.kind, ())


def _interval(lower: float, upper: float, half: float) -> tuple[float, float]:
    """Start and width: between two limits, or as wide as usual on the right side of one."""
    if np.isfinite(lower) and np.isfinite(upper) and np.isfinite(upper - lower):
        return lower, upper - lower
    if lower > -half:
        return lower, 2 * half
    if upper < half:
        return upper - 2 * half, 2 * half
    return -half, 2 * half


def _batch(size: Any) -> tuple[int, ...]:
    if size is None:
        return ()
    try:
        axes = (operator.index(size),) if np.ndim(size) == 0 else tuple(map(operator.index, size))
    except (TypeError, ValueError):
        raise errors.wrong_type("random", "size", "None, an int, or a tuple of ints", size) from None
    if any(axis < 0 for axis in axes):
        raise errors.negative("random", "size", size)
    return axes


def _generator(seed: Any) -> np.random.Generator:
    try:
        return np.random.default_rng(seed)
    except (TypeError, ValueError):
        expected = "None, a seed (a whole number >= 0), or a numpy Generator"
        raise errors.wrong_type("random", "rng", expected, seed) from None
