"""The witness: every body free, every joint and every contact a constraint; one dense KKT system.

Nothing is shared with the library but poses: Jacobians of free bodies are written down, joint and contact constraints
are differentiated numerically from their definitions (complex steps are not needed: rows are built from velocities).
"""

from __future__ import annotations

import numpy as np

import phipsi as pp


def tilde(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def shift(r):
    """V at a point r further on: [[1, 0], [-r~, 1]]."""
    X = np.eye(6)
    X[3:, :3] = -tilde(r)
    return X


def accelerations(system, q, v, tau, f_ext=None):
    """α of all bodies (n, 6) and the contact multipliers' rank, by least squares on the KKT system of free bodies."""
    robot: pp.Robot = system.robot
    n = robot.n
    poses, V = robot.poses(q), robot.velocities(q, v)
    bias = robot.accelerations(q, v, np.zeros(robot.nv))  # J̇v of each body: only differences across joints are used
    M, load = np.zeros((6 * n, 6 * n)), np.zeros(6 * n)
    for k in range(n):
        R, w = poses.rotation[k], V[k, :3]
        c = R @ robot.com[k]
        J = R @ robot.inertia[k] @ R.T - robot.mass[k] * tilde(c) @ tilde(c)
        own = slice(6 * k, 6 * k + 6)
        M[own, own] = np.block([[J, robot.mass[k] * tilde(c)], [-robot.mass[k] * tilde(c), robot.mass[k] * np.eye(3)]])
        gyro = np.r_[np.cross(w, J @ w), robot.mass[k] * np.cross(w, np.cross(w, c))]
        weight = M[own, own] @ np.r_[0, 0, 0, robot.gravity]
        load[own] = weight - gyro + (0 if f_ext is None else f_ext[k])
    rows, right, drives = [], [], []
    for k in range(n):
        p = int(robot.parent[k])
        H = free_columns(robot, q, k)
        r = poses.position[k] - (poses.position[p] if p >= 0 else 0.0)
        full, jv = np.zeros((6, 6 * n)), bias[k].copy()
        full[:, 6 * k : 6 * k + 6] = np.eye(6)
        if p >= 0:
            full[:, 6 * p : 6 * p + 6] = -shift(r)
            jv -= shift(r) @ bias[p]
        own = slice(int(robot.v_index[k]), int(robot.v_index[k + 1]))
        for i in range(H.shape[1]):  # the joint torque, as a force pair
            load += full.T @ (np.linalg.pinv(H).T[:, i] * tau[own][i])
        basis = np.linalg.svd(H, full_matrices=True)[0][:, H.shape[1] :] if H.shape[1] else np.eye(6)
        rows.append(basis.T @ full)
        right.append(basis.T @ jv)
        drives.append((np.linalg.pinv(H) @ full, np.linalg.pinv(H) @ jv, robot.armature[own]))
    for drive, jv, armature in drives:  # rotors: inertia against the relative motion
        M += drive.T @ (armature[:, None] * drive)
        load += drive.T @ (armature * jv)
    for place in system.places:
        A, b = contact_rows(robot, place, q, v, poses, V)
        rows.append(A)
        right.append(b)
    A, b = np.vstack(rows), np.concatenate(right)
    return kkt(M, A, load, b).reshape(n, 6)


def kkt(M, A, load, b):
    """M a = load + A* f, A a = b, where A may lack rank: the nullspace method."""
    u, s, vt = np.linalg.svd(A)
    rank = int((s > 1e-9 * s[0]).sum())
    particular = vt[:rank].T @ ((u[:, :rank].T @ b) / s[:rank])
    Z = vt[rank:].T
    return particular + Z @ np.linalg.solve(Z.T @ M @ Z, Z.T @ (load - M @ particular))


def free_columns(robot, q, k):
    """H*(k) in world axes: relative velocities of body k for unit rates, from velocities alone."""
    own = range(int(robot.v_index[k]), int(robot.v_index[k + 1]))
    columns = np.zeros((6, len(own)))
    for i, dof in enumerate(own):
        rate = np.zeros(robot.nv)
        rate[dof] = 1.0
        columns[:, i] = robot.velocities(q, rate)[k]
    return columns


def contact_rows(robot, place, q, v, poses, V):
    """A and b with A α = b, by differentiating the velocity constraint of two free bodies along their motion."""

    def at(body, pose, t):
        """Rotation, origin and velocity of a frame of a body that moves on with constant V, after a time t."""
        if body < 0:
            return pose.rotation, pose.position, np.zeros(3), np.zeros(3)
        w, u = V[body, :3], V[body, 3:]
        R = rotation(w * t) @ poses.rotation[body]
        p = poses.position[body] + u * t
        r = R @ pose.position
        return R @ pose.rotation, p + r, w, u + np.cross(w, r)

    def constraint(t, alpha=None):
        Rt, pt, wt, vt = at(place.tip_body, place.tip, t)
        Ro, po, wo, vo = at(place.object_body, place.object, t)
        pb = po + Ro @ place.offset.position
        R, point = (Rt, pb) if place.loop.axes == "tip" else (Ro, pt)
        relative = np.r_[wt - wo, vt + np.cross(wt, point - pt) - vo - np.cross(wo, point - po)]
        return place.loop.contact.locked @ np.r_[R.T @ relative[:3], R.T @ relative[3:]], R, point

    h = 1e-3
    d1, d2 = ((constraint(s)[0] - constraint(-s)[0]) / (2 * s) for s in (h, h / 2))
    d3 = (constraint(h / 4)[0] - constraint(-h / 4)[0]) / (h / 2)
    e1, e2 = (4 * d2 - d1) / 3, (4 * d3 - d2) / 3
    drift = (16 * e2 - e1) / 15
    _, R, point = constraint(0.0)
    both = place.loop.contact.locked @ np.kron(np.eye(2), R.T)
    A = np.zeros((len(both), 6 * robot.n))
    for body, sign in ((place.tip_body, 1.0), (place.object_body, -1.0)):
        if body >= 0:
            A[:, 6 * body : 6 * body + 6] += sign * both @ shift(point - poses.position[body])
    return A, -drift


def rotation(x):
    angle = np.linalg.norm(x)
    if angle == 0.0:
        return np.eye(3)
    k = tilde(x / angle)
    return np.eye(3) + np.sin(angle) * k + (1 - np.cos(angle)) * k @ k
