"""Every joint type: where q puts the child, the columns of H*, and how q is stepped.

A joint is a motion and a joint map. The child's pose in its parent is the fixed placement times ``motion``; the
child's velocity relative to its parent is ``columns @ v``, about the child's origin and in the child's axes.

==============  ======================  =====================================  ==============================
kind            q                       motion                                 columns of H*, child axes
==============  ======================  =====================================  ==============================
fixed           none                    1                                      none
revolute        angle                   Rot(axis, q)                           [axis; 0]
prismatic       slide                   Trans(axis q)                          [0; axis]
helical         angle                   Rot(axis, q) Trans(axis pitch q)       [axis; pitch axis]
cylindrical     angle, slide            Rot(axis, q1) Trans(axis q2)           [axis; 0], [0; axis]
universal       angle 1, angle 2        Rot(axis1, q1) Rot(axis2, q2)          [Rot(axis2, -q2) axis1; 0], [axis2; 0]
spherical       quaternion              Rot(q)                                 [e_i; 0]
planar          angle, x, y             Trans(x x_axis + y y_axis) Rot(n, q1)  [n; 0], [0; x_axis], [0; y_axis]
translational   x, y, z                 Trans(q)                               [0; e_i]
free            quaternion, position    Trans(p) Rot(quaternion)               the six unit twists
custom          m numbers, or as free   exp(h_1 q_1) ... exp(h_m q_m)          the constant columns h_1 ... h_m
==============  ======================  =====================================  ==============================

q is a list of m numbers for a custom joint whose columns commute; otherwise it is stored as that of a free joint. A
spherical, planar, free or non-commuting custom joint has v that is not the time derivative of q.
"""

from __future__ import annotations

import numpy as np

from . import spatial
from .description import Array, JointLike

_IDENTITY = np.array([1.0, 0.0, 0.0, 0.0])
_ADDITIVE = ("fixed", "revolute", "prismatic", "helical", "cylindrical", "universal", "translational")


def _numbers(joint: JointLike) -> Array:
    return np.asarray(joint.parameters, dtype=np.float64).reshape(-1)


def _plane(joint: JointLike) -> Array:
    """The 3 x 3 matrix with columns x_axis, y_axis, normal of a planar joint."""
    normal, x_axis = _numbers(joint)[:3], _numbers(joint)[3:6]
    return np.stack([x_axis, np.cross(normal, x_axis), normal], axis=1)


def _custom_columns(joint: JointLike) -> Array:
    return _numbers(joint).reshape(joint.nv, 6).T  # stored column after column


def is_additive(joint: JointLike) -> bool:
    """Whether q is stepped by adding to it (then q-dot = v)."""
    return joint.kind in _ADDITIVE or (joint.kind == "custom" and joint.nq == joint.nv)


def motion(joint: JointLike, q: Array) -> tuple[Array, Array]:
    """(R, p): the pose of the child in the joint's frame on the parent."""
    numbers, kind = _numbers(joint), joint.kind
    axis = numbers[:3]
    if kind == "fixed":
        return np.eye(3), np.zeros(3)
    if kind == "revolute":
        return spatial.turn(axis, q[0]), np.zeros(3)
    if kind == "prismatic":
        return np.eye(3), axis * q[0]
    if kind == "helical":
        return spatial.turn(axis, q[0]), axis * (numbers[3] * q[0])
    if kind == "cylindrical":
        return spatial.turn(axis, q[0]), axis * q[1]
    if kind == "universal":
        return spatial.turn(axis, q[0]) @ spatial.turn(numbers[3:6], q[1]), np.zeros(3)
    if kind == "spherical":
        return spatial.quaternion_rotation(q), np.zeros(3)
    if kind == "planar":
        return spatial.turn(axis, q[0]), _plane(joint)[:, :2] @ q[1:]
    if kind == "translational":
        return np.eye(3), q
    if kind == "free" or (kind == "custom" and not is_additive(joint)):
        return spatial.quaternion_rotation(q[:4]), q[4:]
    if kind == "custom":
        rotation, position = np.eye(3), np.zeros(3)
        for column, amount in zip(_custom_columns(joint).T, q, strict=True):
            r, p = spatial.twist_exp(column * amount)
            rotation, position = rotation @ r, position + rotation @ p
        return rotation, position
    raise NotImplementedError(f"the reference knows no joint of kind {kind!r}")


def columns(joint: JointLike, q: Array) -> Array:
    """The joint's columns of H*, 6 x nv, in the child's axes and about the child's origin."""
    numbers, kind = _numbers(joint), joint.kind
    axis, none = numbers[:3], np.zeros(3)
    if kind == "fixed":
        return np.zeros((6, 0))
    if kind == "revolute":
        return np.concatenate([axis, none])[:, None]
    if kind == "prismatic":
        return np.concatenate([none, axis])[:, None]
    if kind == "helical":
        return np.concatenate([axis, numbers[3] * axis])[:, None]
    if kind == "cylindrical":
        return np.stack([np.concatenate([axis, none]), np.concatenate([none, axis])], axis=1)
    if kind == "universal":
        second = numbers[3:6]
        first = spatial.turn(second, -q[1]) @ axis  # axis1 as the child sees it
        return np.stack([np.concatenate([first, none]), np.concatenate([second, none])], axis=1)
    if kind == "spherical":
        return np.eye(6)[:, :3]
    if kind == "planar":
        x, y, normal = _plane(joint).T
        return np.stack([np.concatenate(c) for c in ((normal, none), (none, x), (none, y))], axis=1)
    if kind == "translational":
        return np.eye(6)[:, 3:]
    if kind == "free":
        return np.eye(6)
    if kind == "custom":
        return _custom_columns(joint)
    raise NotImplementedError(f"the reference knows no joint of kind {kind!r}")


def columns_rate(joint: JointLike, q: Array, v: Array) -> Array:
    """The rate of ``columns`` as the child sees it: zero, except for the first axis of a universal joint."""
    rate = np.zeros((6, joint.nv))
    if joint.kind == "universal":
        second = _numbers(joint)[3:6]
        rate[:3, 0] = -np.cross(second * v[1], columns(joint, q)[:3, 0])
    return rate


# Coordinates -------------------------------------------------------------------------------------------------------


def neutral(joint: JointLike) -> Array:
    """The q at which the motion is the identity."""
    q = np.zeros(joint.nq)
    if joint.nq and not is_additive(joint) and joint.kind != "planar":
        q[:4] = _IDENTITY
    return q


def normalize(joint: JointLike, q: Array) -> Array:
    """The same configuration with a quaternion of unit length."""
    if is_additive(joint) or joint.kind == "planar":
        return q.copy()
    return np.concatenate([spatial.unit(q[:4]), q[4:]])


def step(joint: JointLike, q: Array, dq: Array) -> Array:
    """q moved for unit time at the constant child-axes velocity dq: motion(step) = motion(q) exp(H* dq)."""
    if is_additive(joint):
        return q + dq
    if joint.kind == "planar":
        plane = _plane(joint)
        _, slide = spatial.twist_exp(columns(joint, q) @ dq)
        return np.concatenate([q[:1] + dq[:1], q[1:] + plane[:, :2].T @ motion(joint, q)[0] @ slide])
    turn = dq if joint.kind == "spherical" else (columns(joint, q) @ dq)[:3]
    quaternion = spatial.unit(spatial.quaternion_product(spatial.unit(q[:4]), spatial.quaternion_exp(turn)))
    if joint.kind == "spherical":
        return quaternion
    _, slide = spatial.twist_exp(columns(joint, q) @ dq)
    return np.concatenate([quaternion, q[4:] + spatial.quaternion_rotation(q[:4]) @ slide])


def gap(joint: JointLike, q0: Array, q1: Array) -> Array:
    """The dq that steps q0 to q1: the inverse of ``step``, by the shorter turn where there is a choice."""
    if is_additive(joint):
        return q1 - q0
    rotation, position = motion(joint, q0)
    if joint.kind == "planar":
        slide = rotation.T @ (motion(joint, q1)[1] - position)
        turn = np.remainder(q1[0] - q0[0] + np.pi, 2 * np.pi) - np.pi  # after whole turns no slide would be left
        twist = spatial.twist_log(_numbers(joint)[:3] * turn, slide)
    else:
        turn = spatial.quaternion_log(spatial.quaternion_product(spatial.quaternion_inverse(q0[:4]), q1[:4]))
        if joint.kind == "spherical":
            return turn
        twist = spatial.twist_log(turn, rotation.T @ (q1[4:] - position))
    basis = columns(joint, q0)  # independent, and the twist is among their combinations
    return spatial.solve(basis.T @ basis, basis.T @ twist)
