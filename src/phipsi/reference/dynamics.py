"""Inverse and forward dynamics, the mass matrix and its inverse, the Coriolis matrix: each as its operator expression.

External forces are (n, 6): on each body, at O_k, [moment; force] in world axes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from . import articulated, spatial
from .description import WORLD, Array, RobotLike, block, freedom, v_of
from .operators import State, at, gravity_acceleration


def _vector(x: ArrayLike) -> Array:
    return np.asarray(x, dtype=np.float64)


def _loads(s: State, f_ext: ArrayLike | None) -> Array:
    """b less the external forces: what each body must be pushed with, besides M alpha."""
    return s.b if f_ext is None else s.b - _vector(f_ext).reshape(-1)


def joint_forces(s: State, a: ArrayLike, f_ext: ArrayLike | None = None) -> Array:
    """f (6n): the force on each body through its joint. f = phi [M alpha + b - f_ext], with gravity as the
    world's acceleration. [JR93 3.2b] [JR93 3.2c]"""
    with_gravity = s.a + s.E @ gravity_acceleration(s.robot)  # a -> a + E g: the bias, not alpha itself
    alpha = s.phi.T @ (s.H.T @ _vector(a) + with_gravity)
    return s.phi @ (s.M @ alpha + _loads(s, f_ext))


def inverse_dynamics(
    robot: RobotLike, q: ArrayLike, v: ArrayLike, a: ArrayLike, f_ext: ArrayLike | None = None
) -> Array:
    """The torques T = H f (+ armature v-dot) that give the accelerations a. [JR93 3.2d]"""
    s = at(robot, q, v)
    return s.H @ joint_forces(s, a, f_ext) + robot.armature * _vector(a)


def reaction_forces(
    robot: RobotLike, q: ArrayLike, v: ArrayLike, a: ArrayLike, f_ext: ArrayLike | None = None
) -> Array:
    """(n, 6): the force on body k through its joint, at O_k, in world axes."""
    s = at(robot, q, v)
    return s.per_body(joint_forces(s, a, f_ext))


def bias(robot: RobotLike, q: ArrayLike, v: ArrayLike, f_ext: ArrayLike | None = None) -> Array:
    """The torques at zero joint acceleration: Coriolis, gravity and external forces."""
    return inverse_dynamics(robot, q, v, np.zeros(freedom(robot)), f_ext)


def gravity_torque(robot: RobotLike, q: ArrayLike) -> Array:
    """The torques that hold the robot still: H phi M phi* E [0; -g]."""
    s = at(robot, q)
    return s.H @ s.phi @ s.M @ s.phi.T @ s.E @ gravity_acceleration(robot)


def mass_matrix(robot: RobotLike, q: ArrayLike) -> Array:
    """H phi M phi* H* (+ armature). [JR93 3.3a]"""
    s = at(robot, q)
    return s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + np.diag(robot.armature)


def inverse_mass_matrix(robot: RobotLike, q: ArrayLike) -> Array:
    """[1 - H psi K]* D^-1 [1 - H psi K], without ever inverting the mass matrix. [RK88 4.16]"""
    return articulated.inverse_mass_matrix_from(articulated.riccati(at(robot, q)))


def coriolis_matrix(robot: RobotLike, q: ArrayLike, v: ArrayLike) -> Array:
    """C with C v = the Coriolis torques and Mdot - 2C skew; made of Christoffel symbols where v = q-dot.

    C = sum over bodies of J* (M J-dot + B J), with J = phi* H*; for each body, with S = 1/2 tr(J) 1 - J of its
    inertia, B = [[-w~ S, 0], [-m (w x p)~, 0]]: then B V = b and B + B* = Mdot.
    """
    s = at(robot, q, v)
    jacobian = s.phi.T @ s.H.T
    rate = s.phi.T @ (s.E_phi_dot.T @ jacobian + s.H_star_dot)  # from J = E_phi* J + H*
    B = np.zeros_like(s.M)
    for k in range(len(s.origin)):
        inertia, w = s.M[block(k), block(k)], s.V[block(k)][:3]
        J, first_moment = inertia[:3, :3], inertia[:3, 3:]  # J(k) and m p~
        w_tilde = spatial.skew(w)
        second_moment = np.trace(J) / 2 * np.eye(3) - J
        B[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = -w_tilde @ second_moment
        # (w x p)~ = w~ p~ - p~ w~
        B[6 * k + 3 : 6 * k + 6, 6 * k : 6 * k + 3] = first_moment @ w_tilde - w_tilde @ first_moment
    return jacobian.T @ (s.M @ rate + B @ jacobian)


# Forward dynamics: once by the articulated recursion, once by brute force ------------------------------------------


def forward_dynamics(
    robot: RobotLike, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None
) -> Array:
    """The accelerations that the torques give, by two sweeps with the articulated quantities. [JR93 5.4]"""
    s, tau = at(robot, q, v), _vector(tau)
    r = articulated.riccati(s)
    a, b = s.per_body(s.a), s.per_body(_loads(s, f_ext))
    n, nv = len(a), freedom(robot)
    z, alpha = np.zeros((n, 6)), np.zeros((n, 6))
    nu, acceleration = np.zeros(nv), np.zeros(nv)
    for k in reversed(range(n)):  # tips to base
        own, p = v_of(robot, k), robot.parent[k]
        Hk, Gk = s.H[own, block(k)], r.G[block(k), own]
        z[k] += r.P[block(k), block(k)] @ a[k] + b[k]
        epsilon = tau[own] - Hk @ z[k]
        nu[own] = r.D_inverse[own, own] @ epsilon
        if p != WORLD:
            z[p] += s.E_phi[block(p), block(k)] @ (z[k] + Gk @ epsilon)
    for k in range(n):  # base to tips
        own, p = v_of(robot, k), robot.parent[k]
        Hk, Gk = s.H[own, block(k)], r.G[block(k), own]
        alpha_plus = (
            s.E[block(k)] @ gravity_acceleration(robot) if p == WORLD else s.E_phi[block(p), block(k)].T @ alpha[p]
        )
        acceleration[own] = nu[own] - Gk.T @ alpha_plus
        alpha[k] = alpha_plus + Hk.T @ acceleration[own] + a[k]
    return acceleration


def forward_dynamics_dense(
    robot: RobotLike, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None
) -> Array:
    """The same accelerations by solving with the dense mass matrix."""
    return spatial.solve(mass_matrix(robot, q), _vector(tau) - bias(robot, q, v, f_ext))


def forward_dynamics_operators(
    robot: RobotLike, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None
) -> Array:
    """The same again, as the operator expression [1 - H psi K]* D^-1 [1 - H psi K] T'. [RK88 4.18]"""
    return inverse_mass_matrix(robot, q) @ (_vector(tau) - bias(robot, q, v, f_ext))


def hybrid_dynamics(
    robot: RobotLike,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a: ArrayLike,
    passive: ArrayLike,
    f_ext: ArrayLike | None = None,
) -> tuple[Array, Array]:
    """(tau, a), both complete, from tau at the passive and a at the active degrees of freedom. [JR93 4.4]"""
    passive = np.asarray(passive, dtype=bool)
    active = ~passive
    mass, remainder = mass_matrix(robot, q), bias(robot, q, v, f_ext)
    a = np.where(active, _vector(a), 0.0)
    load = (_vector(tau) - remainder - mass @ a)[passive]
    a[passive] = spatial.solve(mass[np.ix_(passive, passive)], load)
    return np.where(passive, _vector(tau), mass @ a + remainder), a
