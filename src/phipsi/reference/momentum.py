"""Momentum, the mass centre, and energy.

A momentum is [angular; linear], angular about a stated point, in world axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import spatial
from .description import Array, RobotLike
from .operators import State, at


def _gather(s: State, point: Array) -> Array:
    """[phi(point, O_1) ... phi(point, O_n)], 6 x 6n: the sum of all bodies' momenta, about one point."""
    return np.concatenate([np.zeros((6, 0)), *(spatial.shift(origin - point) for origin in s.origin)], axis=1)


def _first_moment(s: State) -> Array:
    """The sum over bodies of m (O + R p): the mass times the mass centre."""
    centers = s.origin + np.einsum("kij,kj->ki", s.rotation, np.asarray(s.robot.com))
    return np.asarray(s.robot.mass) @ centers


def _center(s: State) -> Array:
    return _first_moment(s) / np.sum(s.robot.mass)


def center_of_mass(robot: RobotLike, q: ArrayLike) -> Array:
    """The mass centre of the robot."""
    return _center(at(robot, q))


def center_of_mass_jacobian(robot: RobotLike, q: ArrayLike) -> Array:
    """3 x nv: takes v to the velocity of the mass centre, which is linear momentum over mass."""
    s = at(robot, q)
    return (_gather(s, np.zeros(3)) @ s.M @ s.phi.T @ s.H.T)[3:] / np.sum(robot.mass)


def momentum(robot: RobotLike, q: ArrayLike, v: ArrayLike, about: str = "world") -> Array:
    """The momentum about the world's origin or about the mass centre: sum of phi(point, O_k) M(k) V(k)."""
    if about not in ("world", "com"):
        raise ValueError(f"about is 'world' or 'com', not {about!r}")
    s = at(robot, q, v)
    return _gather(s, _center(s) if about == "com" else np.zeros(3)) @ s.M @ s.V


def centroidal_momentum_matrix(robot: RobotLike, q: ArrayLike) -> Array:
    """6 x nv: takes v to the momentum about the mass centre."""
    s = at(robot, q)
    return _gather(s, _center(s)) @ s.M @ s.phi.T @ s.H.T


def centroidal_momentum_matrix_dot_v(robot: RobotLike, q: ArrayLike, v: ArrayLike) -> Array:
    """The rate of that momentum when a = 0: sum of phi(c, O_k) [M alpha + b] with alpha = phi* a.

    That c moves adds nothing: the rate of the angular momentum about it would gain c-dot x p, and p is along c-dot.
    """
    s = at(robot, q, v)
    return _gather(s, _center(s)) @ (s.M @ s.phi.T @ s.a + s.b)


def kinetic_energy(robot: RobotLike, q: ArrayLike, v: ArrayLike) -> float:
    """1/2 V* M V, and the rotors' 1/2 armature v^2."""
    s = at(robot, q, v)
    return float(s.V @ s.M @ s.V + s.v @ (robot.armature * s.v)) / 2


def potential_energy(robot: RobotLike, q: ArrayLike) -> float:
    """-m g . c: zero where the mass centre is at the world's origin."""
    return -float(_first_moment(at(robot, q)) @ np.asarray(robot.gravity))
