"""Rotations between their spellings: matrix, quaternion [w, x, y, z], roll-pitch-yaw. All batched."""

from __future__ import annotations

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats

# how far from orthonormal a matrix may be and still be taken for a rotation written with few digits
TOLERANCE = 1e-6


def nearest(matrix: Floats) -> Floats:
    """The rotations nearest to almost-rotations (*batch, 3, 3); an error if they are further than `TOLERANCE`."""
    gram = np.swapaxes(matrix, -1, -2) @ matrix
    off = np.abs(gram - np.eye(3)).max(initial=0.0)
    if off > TOLERANCE:
        raise errors.improper_rotation(
            "Pose",
            f"R.T @ R differs from the identity by {off:.3g}",
            "Scale and shear have no place in a pose; a quaternion= is always a rotation.",
        )
    if matrix.size and np.linalg.det(matrix).min() < 0.0:
        raise errors.improper_rotation(
            "Pose",
            "its determinant is -1, a mirror",
            "Flip one axis: left-handed axes have no right-handed pose.",
        )
    if off < 1e-15:
        return matrix
    u, _, vt = np.linalg.svd(matrix)
    return u @ vt


def from_quaternion(quaternion: Floats) -> Floats:
    """R from [w, x, y, z] of any length but zero."""
    largest = np.abs(quaternion).max(axis=-1, keepdims=True)
    if np.any(largest == 0.0):
        raise errors.zero_quaternion("Pose")
    q = quaternion / largest
    w, x, y, z = np.moveaxis(q / np.linalg.norm(q, axis=-1, keepdims=True), -1, 0)
    rows = [
        [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def to_quaternion(rotation: Floats) -> Floats:
    """[w, x, y, z], unit, w >= 0. All four columns of 4 q qᵀ are q up to scale: the longest one is the accurate one."""
    r = rotation
    xx, yy, zz = r[..., 0, 0], r[..., 1, 1], r[..., 2, 2]
    wx, wy, wz = r[..., 2, 1] - r[..., 1, 2], r[..., 0, 2] - r[..., 2, 0], r[..., 1, 0] - r[..., 0, 1]
    xy, xz, yz = r[..., 0, 1] + r[..., 1, 0], r[..., 0, 2] + r[..., 2, 0], r[..., 1, 2] + r[..., 2, 1]
    rows = [
        [1 + xx + yy + zz, wx, wy, wz],
        [wx, 1 + xx - yy - zz, xy, xz],
        [wy, xy, 1 - xx + yy - zz, yz],
        [wz, xz, yz, 1 - xx - yy + zz],
    ]
    outer = np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)
    best = np.argmax(np.diagonal(outer, axis1=-2, axis2=-1), axis=-1)
    q = np.take_along_axis(outer, best[..., None, None], axis=-2)[..., 0, :]
    q = q / np.linalg.norm(q, axis=-1, keepdims=True)
    return q * np.copysign(1.0, q[..., :1]) + 0.0


def from_rpy(rpy: Floats) -> Floats:
    """R = Rz(yaw) Ry(pitch) Rx(roll), URDF's fixed-axis angles."""
    (cr, cp, cy), (sr, sp, sy) = np.moveaxis(np.cos(rpy), -1, 0), np.moveaxis(np.sin(rpy), -1, 0)
    rows = [
        [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
        [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
        [-sp, cp * sr, cp * cr],
    ]
    return np.stack([np.stack(row, axis=-1) for row in rows], axis=-2)


def to_rpy(rotation: Floats) -> Floats:
    """Roll, pitch, yaw; at pitch ±π/2 only their sum or difference is determined, and roll is taken 0."""
    r = rotation
    cosine = np.hypot(r[..., 0, 0], r[..., 1, 0])
    locked = cosine < 1e-9
    pitch = np.arctan2(-r[..., 2, 0], cosine)
    roll = np.where(locked, 0.0, np.arctan2(r[..., 2, 1], r[..., 2, 2]))
    yaw = np.where(locked, np.arctan2(-r[..., 0, 1], r[..., 1, 1]), np.arctan2(r[..., 1, 0], r[..., 0, 0]))
    return np.stack([roll, pitch, yaw], axis=-1)
