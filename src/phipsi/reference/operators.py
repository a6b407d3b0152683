"""The operators of one state, dense: H, phi, E_phi, M, and the bias terms a and b.

Everything is in world axes; body k's reference point is O_k, the origin of its frame. Bodies are numbered parents
first, so phi is upper block triangular here (in the papers, which count from the tip, it is lower)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import joints, spatial
from .description import WORLD, Array, RobotLike, block, freedom, q_of, size, v_of


@dataclass(frozen=True)
class State:
    """A robot in a configuration q, moving with v: its operators as dense matrices. Made by :func:`at`."""

    robot: RobotLike
    q: Array
    v: Array
    rotation: Array  # (n, 3, 3): the axes of each body
    origin: Array  # (n, 3): O_k
    H: Array  # (nv, 6n): from the force through each joint to the joint's torques; H* = H.T
    E_phi: Array  # (6n, 6n): phi(parent(k), k), from each body to its parent
    phi: Array  # (6n, 6n): (1 - E_phi)^-1, from each body to all that carry it
    E: Array  # (6n, 6): from each body that stands on the world, to the world
    M: Array  # (6n, 6n): the spatial inertias, block diagonal
    V: Array  # (6n): spatial velocities
    H_star_dot: Array  # (6n, nv): the inertial rate of H*
    E_phi_dot: Array  # (6n, 6n)
    a: Array  # (6n): Coriolis accelerations
    b: Array  # (6n): gyroscopic forces

    def per_body(self, stacked: Array) -> Array:
        """A stacked vector of 6n as (n, 6)."""
        return stacked.reshape(-1, 6)


def at(robot: RobotLike, q: ArrayLike, v: ArrayLike | None = None) -> State:
    """The operators of a robot at q, moving with v (at rest when v is not given)."""
    q = np.asarray(q, dtype=np.float64)
    v = np.zeros(freedom(robot)) if v is None else np.asarray(v, dtype=np.float64)
    rotation, origin = poses(robot, q)
    H = joint_map(robot, q, rotation)
    E_phi = to_parents(robot, origin)
    phi = to_ancestors(robot, origin)
    M = inertias(robot, rotation)
    V = phi.T @ H.T @ v  # [JR93 3.2a]
    H_star_dot = joint_map_rate(robot, q, v, rotation, V)
    E_phi_dot = to_parents_rate(robot, V)
    return State(
        robot=robot,
        q=q,
        v=v,
        rotation=rotation,
        origin=origin,
        H=H,
        E_phi=E_phi,
        phi=phi,
        E=to_world(robot, origin),
        M=M,
        V=V,
        H_star_dot=H_star_dot,
        E_phi_dot=E_phi_dot,
        a=H_star_dot @ v + E_phi_dot.T @ V,  # the rate of V = E_phi* V + H* v, with v constant
        b=gyroscopic_forces(M, V),
    )


def poses(robot: RobotLike, q: Array) -> tuple[Array, Array]:
    """(R, O): the axes and the origins of all bodies, by walking outward along the tree."""
    n = size(robot)
    rotation, origin = np.empty((n, 3, 3)), np.empty((n, 3))
    placement_r, placement_p = robot.placements.rotation, robot.placements.position
    for k, p in enumerate(robot.parent):
        parent_r, parent_o = (np.eye(3), np.zeros(3)) if p == WORLD else (rotation[p], origin[p])
        r, d = joints.motion(robot.joints[k], q[q_of(robot, k)])
        rotation[k] = parent_r @ placement_r[k] @ r
        origin[k] = parent_o + parent_r @ (placement_p[k] + placement_r[k] @ d)
    return rotation, origin


def joint_map(robot: RobotLike, q: Array, rotation: Array) -> Array:
    """H = diag[H(k)]; the columns of H*(k) are what joint k's velocities move, in world axes."""
    H = np.zeros((freedom(robot), 6 * size(robot)))
    for k, joint in enumerate(robot.joints):
        H[v_of(robot, k), block(k)] = (spatial.both(rotation[k]) @ joints.columns(joint, q[q_of(robot, k)])).T
    return H


def joint_map_rate(robot: RobotLike, q: Array, v: Array, rotation: Array, V: Array) -> Array:
    """The inertial rate of H*: the columns turn with the body, diag(w~) H*, and may move within it."""
    rate = np.zeros((6 * size(robot), freedom(robot)))
    for k, joint in enumerate(robot.joints):
        qk, vk, axes = q[q_of(robot, k)], v[v_of(robot, k)], spatial.both(rotation[k])
        turning = spatial.both(spatial.skew(V[block(k)][:3]))
        rate[block(k), v_of(robot, k)] = turning @ axes @ joints.columns(joint, qk) + axes @ joints.columns_rate(
            joint, qk, vk
        )
    return rate


def to_parents(robot: RobotLike, origin: Array) -> Array:
    """E_phi, with the blocks phi(p, k) for each body k and its parent p. [JR93 3.4a]"""
    E_phi = np.zeros((6 * size(robot), 6 * size(robot)))
    for k, p in enumerate(robot.parent):
        if p != WORLD:
            E_phi[block(p), block(k)] = spatial.shift(origin[k] - origin[p])
    return E_phi


def to_parents_rate(robot: RobotLike, V: Array) -> Array:
    """The rate of E_phi: the vector from O_p to O_k changes by v(k) - v(p)."""
    rate = np.zeros((len(V), len(V)))
    for k, p in enumerate(robot.parent):
        if p != WORLD:
            rate[6 * p : 6 * p + 3, 6 * k + 3 : 6 * k + 6] = spatial.skew(V[block(k)][3:] - V[block(p)][3:])
    return rate


def to_ancestors(robot: RobotLike, origin: Array) -> Array:
    """phi, with the block phi(i, k) wherever body i carries body k (or is it). Equal to (1 - E_phi)^-1. [JR93 3.4b]"""
    phi = np.zeros((6 * size(robot), 6 * size(robot)))
    for k in range(size(robot)):
        i = k
        while i != WORLD:
            phi[block(i), block(k)] = spatial.shift(origin[k] - origin[i])
            i = int(robot.parent[i])
    return phi


def to_world(robot: RobotLike, origin: Array) -> Array:
    """E = col[..., phi*(world, k), ...] over the bodies k that stand on the world (taken at its origin).

    E takes an acceleration of the world to the bodies that it carries directly; gravity is such a one. [RK88 3.8]
    """
    E = np.zeros((6 * size(robot), 6))
    for k, p in enumerate(robot.parent):
        if p == WORLD:
            E[block(k)] = spatial.shift(origin[k]).T
    return E


def inertias(robot: RobotLike, rotation: Array) -> Array:
    """M = diag[M(k)], M(k) = [[J, m p~], [-m p~, m 1]] about O_k."""
    M = np.zeros((6 * size(robot), 6 * size(robot)))
    for k, r in enumerate(rotation):
        about_com = r @ robot.inertia[k] @ r.T
        M[block(k), block(k)] = spatial.spatial_inertia(robot.mass[k], r @ robot.com[k], about_com)
    return M


def gyroscopic_forces(M: Array, V: Array) -> Array:
    """b(k) = [w~ J w; m w~ w~ p]."""
    b = np.zeros_like(V)
    for k in range(len(V) // 6):
        inertia, w = M[block(k), block(k)], V[block(k)][:3]
        J, first_moment = inertia[:3, :3], inertia[:3, 3:]  # first_moment = m p~
        b[block(k)] = np.concatenate([np.cross(w, J @ w), np.cross(w, -first_moment @ w)])
    return b


def gravity_acceleration(robot: RobotLike) -> Array:
    """The acceleration that the world must have for a robot without weight to feel gravity: [0; -g]. [RK88 3.21]"""
    return np.concatenate([np.zeros(3), -np.asarray(robot.gravity, dtype=np.float64)])
