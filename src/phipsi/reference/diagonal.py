"""Diagonalized dynamics, dense: the factor m of the mass matrix, the rates nu and xi, and their Coriolis terms.

Nothing of JR95d's recursions is used: m is the Cholesky factor taken from the tips, its rate comes from that of the
mass matrix, and the equations of motion in the new rates are those in the old ones, transformed."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import articulated, dynamics, spatial
from .description import Array, RobotLike, freedom, size, v_of
from .operators import at


@dataclass(frozen=True)
class Factor:
    """mass = m m* = A D A*: m and S (D = S S*) are upper triangular, A = 1 + H phi K has identities on its diagonal."""

    mass: Array
    m: Array
    S: Array
    A: Array
    m_dot: Array
    A_dot: Array
    S_dot: Array

    @property
    def D(self) -> Array:
        """D = S S*, block diagonal."""
        return self.S @ self.S.T


def factor(robot: RobotLike, q: ArrayLike, v: ArrayLike | None = None) -> Factor:
    """m, from Cholesky of the mass matrix with its rows and columns in reverse; rates for a robot that moves with v."""
    velocity = np.zeros(freedom(robot)) if v is None else np.asarray(v, dtype=np.float64)
    mass, C = dynamics.mass_matrix(robot, q), dynamics.coriolis_matrix(robot, q, velocity)
    m = np.asarray(np.linalg.cholesky(mass[::-1, ::-1]), dtype=np.float64)[::-1, ::-1]
    inner = spatial.solve(m, spatial.solve(m, C + C.T).T)  # l Mdot l*
    m_dot = m @ (np.triu(inner, 1) + 0.5 * np.diag(np.diag(inner)))
    S, S_dot = _blocks(robot, m), _blocks(robot, m_dot)
    A = spatial.solve(S.T, m.T).T
    A_dot = spatial.solve(S.T, (m_dot - A @ S_dot).T).T
    return Factor(mass, m, S, A, m_dot, A_dot, S_dot)


def _blocks(robot: RobotLike, x: Array) -> Array:
    """The diagonal blocks of x, one a joint."""
    out = np.zeros_like(x)
    for k in range(size(robot)):
        out[v_of(robot, k), v_of(robot, k)] = x[v_of(robot, k), v_of(robot, k)]
    return out


def innovations_factor(robot: RobotLike, q: ArrayLike) -> tuple[Array, Array]:
    """(1 + H phi K, D) as the Riccati recursion has them: the other road to A and D. [JR95d 4.10a]"""
    state = at(robot, q)
    r = articulated.riccati(state)
    return np.eye(len(r.D)) + r.H @ state.phi @ r.K, r.D


def rates(robot: RobotLike, q: ArrayLike, v: ArrayLike, normalized: bool = True) -> Array:
    """nu = m* v, or xi = [1 + H phi K]* v."""
    f = factor(robot, q)
    return (f.m if normalized else f.A).T @ np.asarray(v, dtype=np.float64)


def rates_to_velocities(robot: RobotLike, q: ArrayLike, x: ArrayLike, normalized: bool = True) -> Array:
    """v = l* nu, or from xi."""
    f = factor(robot, q)
    return spatial.solve((f.m if normalized else f.A).T, np.asarray(x, dtype=np.float64))


def coriolis_forces(robot: RobotLike, q: ArrayLike, v: ArrayLike) -> Array:
    """C(theta, v), without gravity."""
    velocity = np.asarray(v, dtype=np.float64)
    return dynamics.coriolis_matrix(robot, q, velocity) @ velocity


def diagonal_coriolis(robot: RobotLike, q: ArrayLike, x: ArrayLike, normalized: bool = True) -> Array:
    """nu-dot + C(theta, nu) = epsilon, or D xi-dot + C(theta, xi) = kappa, from the usual Coriolis forces."""
    v = rates_to_velocities(robot, q, x, normalized)
    f, forces = factor(robot, q, v), coriolis_forces(robot, q, v)
    if normalized:
        return spatial.solve(f.m, forces) - f.m_dot.T @ v
    return spatial.solve(f.A, forces) - f.D @ f.A_dot.T @ v


def diagonal_dynamics(
    robot: RobotLike,
    q: ArrayLike,
    x: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    normalized: bool = True,
) -> tuple[Array, Array]:
    """(v, nu-dot) or (v, xi-dot), from the usual equations of motion: x = m* v, so x-dot = m-dot* v + m* v-dot."""
    v = rates_to_velocities(robot, q, x, normalized)
    f = factor(robot, q, v)
    acceleration = spatial.solve(f.mass, np.asarray(tau, dtype=np.float64) - dynamics.bias(robot, q, v, f_ext))
    if normalized:
        return v, f.m_dot.T @ v + f.m.T @ acceleration
    return v, f.A_dot.T @ v + f.A.T @ acceleration
