"""Rotations, twists and the shift phi: the geometry that every other page of the reference uses.

Vectors of six are ``[angular; linear]`` and ``[moment; force]``; quaternions are ``[w, x, y, z]``."""

from __future__ import annotations

from math import factorial

import numpy as np

from .description import Array


def skew(x: Array) -> Array:
    """x~, the matrix of the cross product: ``skew(x) @ y == cross(x, y)``."""
    return np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])


def shift(l: Array) -> Array:  # noqa: E741 (the papers' letter)
    """phi(i, j) = [[1, l~], [0, 1]], l = O_j - O_i: a force acting at O_j, stated at O_i. Its transpose takes
    a velocity from O_i to O_j."""
    out = np.eye(6)
    out[:3, 3:] = skew(l)
    return out


def both(rotation: Array) -> Array:
    """diag(R, R): the change of axes of a vector of six."""
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = rotation
    return out


def bracket(x: Array, y: Array) -> Array:
    """The spatial bracket of two twists: [wx x wy; wx x vy - wy x vx]."""
    return np.concatenate([np.cross(x[:3], y[:3]), np.cross(x[:3], y[3:]) - np.cross(y[:3], x[3:])])


def spatial_inertia(mass: float, com: Array, about_com: Array) -> Array:
    """M(k) = [[J, m p~], [-m p~, m 1]] about O_k, from the inertia about the mass centre p (all in the same axes)."""
    p = skew(com)
    out = np.zeros((6, 6))
    out[:3, :3] = about_com - mass * p @ p  # parallel axes: J = I_c - m p~ p~
    out[:3, 3:] = mass * p
    out[3:, :3] = -mass * p
    out[3:, 3:] = mass * np.eye(3)
    return out


def solve(matrix: Array, right: Array) -> Array:
    """matrix^-1 right."""
    return np.asarray(np.linalg.solve(matrix, right), dtype=np.float64)


# Exponentials ------------------------------------------------------------------------------------------------------


def _series(x: float) -> tuple[float, float, float]:
    """sin(x)/x, (1 - cos x)/x^2, (x - sin x)/x^3; by their Taylor series where the quotients would cancel."""
    if abs(x) > 0.5:
        return float(np.sin(x) / x), float((1.0 - np.cos(x)) / x**2), float((x - np.sin(x)) / x**3)
    terms = [(-x * x) ** k for k in range(9)]
    sine, cosine, cube = (sum(t / factorial(2 * k + j) for k, t in enumerate(terms)) for j in (1, 2, 3))
    return sine, cosine, cube


def rotation_exp(w: Array) -> Array:
    """exp(w~): the rotation about w by the angle |w|."""
    sine, cosine, _ = _series(float(np.linalg.norm(w)))
    return np.eye(3) + sine * skew(w) + cosine * skew(w) @ skew(w)


def turn(axis: Array, angle: float) -> Array:
    """The rotation about a unit axis: 1 + sin a~ + (1 - cos) a~ a~, good for angles of any size."""
    return np.eye(3) + np.sin(angle) * skew(axis) + 2 * np.sin(angle / 2) ** 2 * skew(axis) @ skew(axis)


def slide_of(w: Array) -> Array:
    """The matrix S(w) of the screw: exp of the twist [w; v] is the rotation exp(w~) and the displacement S(w) v."""
    _, cosine, cube = _series(float(np.linalg.norm(w)))
    return np.eye(3) + cosine * skew(w) + cube * skew(w) @ skew(w)


def twist_exp(x: Array) -> tuple[Array, Array]:
    """The displacement (R, p) reached in unit time at the constant body twist x."""
    return rotation_exp(x[:3]), slide_of(x[:3]) @ x[3:]


def twist_log(rotation_vector: Array, position: Array) -> Array:
    """The twist x with exp(x) = (exp(rotation_vector~), position)."""
    return np.concatenate([rotation_vector, solve(slide_of(rotation_vector), position)])


# Quaternions -------------------------------------------------------------------------------------------------------


def quaternion_rotation(quaternion: Array) -> Array:
    """The rotation that a quaternion means. Only its direction counts, not its length; zero gives NaN."""
    w, x, y, z = quaternion
    r = np.array([x, y, z])
    square = w * w + r @ r
    with np.errstate(invalid="ignore", divide="ignore"):
        return ((w * w - r @ r) * np.eye(3) + 2.0 * np.outer(r, r) + 2.0 * w * skew(r)) / square


def quaternion_product(p: Array, q: Array) -> Array:
    """p q: the rotation q followed (in fixed axes) by the rotation p."""
    return np.concatenate([[p[0] * q[0] - p[1:] @ q[1:]], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])])


def quaternion_exp(w: Array) -> Array:
    """The quaternion of the rotation about w by the angle |w|."""
    half = float(np.linalg.norm(w)) / 2
    return np.concatenate([[np.cos(half)], _series(half)[0] * w / 2])


def quaternion_log(quaternion: Array) -> Array:
    """The rotation vector, of length at most pi, of a quaternion of any length and either sign."""
    q = quaternion if quaternion[0] >= 0 else -quaternion
    sine = float(np.linalg.norm(q[1:]))
    if sine == 0.0:
        return 2.0 * q[1:] / q[0]
    return q[1:] / sine * (2.0 * float(np.arctan2(sine, q[0])))


def quaternion_inverse(quaternion: Array) -> Array:
    """The quaternion of the inverse rotation, of the same length."""
    return quaternion * np.array([1.0, -1.0, -1.0, -1.0])


def unit(quaternion: Array) -> Array:
    """The quaternion of length one with the same direction; NaN for zero."""
    with np.errstate(invalid="ignore", divide="ignore"):
        return quaternion / np.linalg.norm(quaternion)
