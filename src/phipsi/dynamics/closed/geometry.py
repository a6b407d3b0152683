"""The constraints of closed loops: Jacobian J, its rate J̇ v, the closure error e; all from frames, nothing dense.

Of each contact, the relative motion V_tip - V_object is taken at one point in one set of axes, and its
locked directions are the rows: at the tip's origin in the object's axes, or, with axes="tip", at the object's contact
point in the tip's axes. So J v is the exact rate of the linear part of e even where a sliding contact has moved far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phipsi.dynamics.closed.grasp import Place, axis_at_both_ends
from phipsi.model.reading import Bools, Floats
from phipsi.model.robot import Robot

_STILL_PART = 1e-12  # of what the ends do: their motion relative to each other is rounding


@dataclass(frozen=True, eq=False)
class Meeting:
    """Where the two ends of a loop are at q: rotation of the axes R, the point, both frames; batched like q."""

    place: Place
    R: Floats
    point: Floats
    tip_rotation: Floats
    tip_origin: Floats
    object_rotation: Floats
    object_origin: Floats
    contact_point: Floats  # the object's

    @property
    def both(self) -> Floats:
        """diag(R, R)ᵀ: world axes to those of the contact."""
        out = np.zeros((*self.R.shape[:-2], 6, 6))
        out[..., :3, :3] = out[..., 3:, 3:] = np.swapaxes(self.R, -1, -2)
        return out


def meeting(robot: Robot, place: Place, q: Floats) -> Meeting:
    """Both ends of a loop at q."""
    tip, thing = robot.pose(q, place.loop.tip), robot.pose(q, place.loop.object)
    contact = thing.position + thing.rotation @ place.offset.position
    by_tip = place.loop.axes == "tip"
    R, point = (tip.rotation, contact) if by_tip else (thing.rotation, tip.position)
    return Meeting(place, R, point, tip.rotation, tip.position, thing.rotation, thing.position, contact)


def relative_jacobian(robot: Robot, place: Place, q: Floats, directions: Floats) -> Floats:
    """Some of the six directions of the relative motion (m, 6), in contact axes: (*batch, m, nv).

    Zero, not rounding, where the two ends move alike: nothing moves in that direction, and no force can be told there.
    """
    at = meeting(robot, place, q)
    tip = _carried(robot.jacobian(q, place.loop.tip), at.point - at.tip_origin)
    thing = _carried(robot.jacobian(q, place.loop.object), at.point - at.object_origin)
    J = directions @ (at.both @ (tip - thing))
    ends: Floats = np.abs(tip) + np.abs(thing)
    turn: Floats = ends[..., :3, :].max(axis=(-2, -1), initial=0.0)[..., None]
    move: Floats = ends[..., 3:, :].max(axis=(-2, -1), initial=0.0)[..., None] + turn * _reach(at)[..., None]
    size: Floats = np.where((directions[:, :3] != 0.0).any(axis=-1), turn, move)
    still: Bools = np.asarray(np.abs(J).max(axis=-1, initial=0.0) <= _STILL_PART * size)
    return np.where(still[..., None], 0.0, J)


def _reach(at: Meeting) -> Floats:
    """How far from the world's origin the two ends are: what rounding of the distances between them goes by."""
    reach: Floats = np.abs(at.point).sum(axis=-1) + np.abs(at.tip_origin).sum(axis=-1)
    return reach + np.abs(at.object_origin).sum(axis=-1)


def jacobian(robot: Robot, places: Sequence[Place], q: Floats) -> Floats:
    """J, (*batch, m, nv): J v = 0 where the loops stay closed. Rows contact by contact, locked directions in order."""
    parts = [relative_jacobian(robot, place, q, place.loop.contact.locked) for place in places]
    return np.concatenate([np.zeros((*q.shape[:-1], 0, robot.nv)), *parts], axis=-2)


def free_jacobian(robot: Robot, places: Sequence[Place], q: Floats) -> Floats:
    """The same of the directions that contacts leave free: W = J_free v."""
    parts = [relative_jacobian(robot, place, q, place.loop.contact.free) for place in places]
    return np.concatenate([np.zeros((*q.shape[:-1], 0, robot.nv)), *parts], axis=-2)


def rate(robot: Robot, places: Sequence[Place], q: Floats, v: Floats) -> Floats:
    """J̇ v, (*batch, m): J a + J̇ v = 0 where the loops stay closed; it holds RK88's a(C) - B*φ*a - a(0) and Ḣ*W."""
    rest = np.zeros(robot.nv)
    parts = [_rate(robot, place, q, v, rest) for place in places]
    return np.concatenate([np.zeros((*_batch(q, v), 0)), *parts], axis=-1)


def _rate(robot: Robot, place: Place, q: Floats, v: Floats, rest: Floats) -> Floats:
    at = meeting(robot, place, q)
    V_t, V_o = (robot.velocity(q, v, name) for name in (place.loop.tip, place.loop.object))
    A_t, A_o = (robot.acceleration(q, v, rest, name) for name in (place.loop.tip, place.loop.object))
    if place.loop.axes == "tip":  # the point is the object's, seen from the tip
        point_v, point_a = _body_point(V_o, A_o, at.point - at.object_origin)
        x, x_dot = _seen(V_t, A_t, at.point - at.tip_origin, point_v, point_a, V_o, A_o)
        x, x_dot, w = -x, -x_dot, V_t[..., :3]
    else:
        x, x_dot = _seen(V_o, A_o, at.point - at.object_origin, V_t[..., 3:], A_t[..., 3:], V_t, A_t)
        w = V_o[..., :3]
    turned = x_dot - np.concatenate([np.cross(w, x[..., :3]), np.cross(w, x[..., 3:])], axis=-1)  # d/dt Rᵀx
    return (place.loop.contact.locked @ (at.both @ turned[..., None]))[..., 0]


def _body_point(V: Floats, A: Floats, r: Floats) -> tuple[Floats, Floats]:
    """Velocity and acceleration of a point fixed in a body, r from the frame that V and A are of."""
    swing = np.cross(V[..., :3], r)
    return V[..., 3:] + swing, A[..., 3:] + np.cross(A[..., :3], r) + np.cross(V[..., :3], swing)


def _seen(
    V: Floats, A: Floats, r: Floats, point_v: Floats, point_a: Floats, V_other: Floats, A_other: Floats
) -> tuple[Floats, Floats]:
    """Motion of the other body at a moving point, r away, less that of this body's extension there; and its rate."""
    r_dot = point_v - V[..., 3:]
    linear = r_dot - np.cross(V[..., :3], r)
    linear_dot = point_a - A[..., 3:] - np.cross(A[..., :3], r) - np.cross(V[..., :3], r_dot)
    x = np.concatenate([V_other[..., :3] - V[..., :3], linear], axis=-1)
    return x, np.concatenate([A_other[..., :3] - A[..., :3], linear_dot], axis=-1)


def error(robot: Robot, places: Sequence[Place], q: Floats) -> Floats:
    """e, (*batch, m): what is missing to closure, in the rows of J. A lone locked spin has none: non-holonomic."""
    parts = [_error(meeting(robot, place, q)) for place in places]
    return np.concatenate([np.zeros((*q.shape[:-1], 0)), *parts], axis=-1)


def _error(at: Meeting) -> Floats:
    place, contact = at.place, at.place.loop.contact
    turn = np.zeros((*at.R.shape[:-2], 3))
    if contact.turns == 3:
        closed = at.object_rotation @ place.offset.rotation
        turn = rotation_vector(at.tip_rotation @ np.swapaxes(closed, -1, -2))
    elif contact.turns == 2 and contact.axis is not None:
        ours, theirs = axis_at_both_ends(place)
        turn = _between(at.object_rotation @ theirs, at.tip_rotation @ ours)
    both = np.concatenate([turn, at.tip_origin - at.contact_point], axis=-1)
    return (contact.locked @ (at.both @ both[..., None]))[..., 0]


def rotation_vector(R: Floats) -> Floats:
    """The logarithm of rotations (*batch, 3, 3), of length at most π."""
    w = 0.5 * np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    sine, cosine = np.linalg.norm(w, axis=-1), 0.5 * (np.trace(R, axis1=-2, axis2=-1) - 1.0)
    angle = np.arctan2(sine, cosine)
    small = sine < 1e-7
    scale = np.where(small, 1.0, angle / np.where(small, 1.0, sine))
    out = w * scale[..., None]
    turned = small & (cosine < 0.0)  # near half a turn: the axis is the longest column of R + 1
    if np.any(turned):
        S = R + np.eye(3)
        longest = np.argmax(np.linalg.norm(S, axis=-2), axis=-1)
        axis = np.take_along_axis(S, longest[..., None, None], axis=-1)[..., 0]
        length = np.linalg.norm(axis, axis=-1, keepdims=True)
        axis = axis / np.where(length > 0.0, length, 1.0)
        sign = np.where(np.sum(axis * w, axis=-1, keepdims=True) < 0.0, -1.0, 1.0)
        out = np.where(turned[..., None], sign * axis * angle[..., None], out)
    return out


def _between(a: Floats, b: Floats) -> Floats:
    """The rotation vector that turns unit vector a into b, across both."""
    c = np.cross(a, b)
    sine, cosine = np.linalg.norm(c, axis=-1, keepdims=True), np.sum(a * b, axis=-1, keepdims=True)
    angle = np.arctan2(sine, cosine)
    apart = sine > 1e-12
    out = np.where(apart, c * (angle / np.where(apart, sine, 1.0)), c)
    across = np.cross(a, np.eye(3)[np.argmin(np.abs(a), axis=-1)])
    across = across / np.linalg.norm(across, axis=-1, keepdims=True)
    return np.where(~apart & (cosine < 0.0), np.pi * across, out)


def _carried(J: Floats, r: Floats) -> Floats:
    """The Jacobian of a point r further on: v + ω × r."""
    linear = J[..., 3:, :] + np.cross(J[..., :3, :], r[..., None], axis=-2)
    return np.concatenate([J[..., :3, :], linear], axis=-2)


def _batch(*arrays: Floats) -> tuple[int, ...]:
    return np.broadcast_shapes(*(array.shape[:-1] for array in arrays))
