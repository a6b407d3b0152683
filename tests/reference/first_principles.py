"""Mechanics without spatial algebra: 4 x 4 displacements, their time derivatives, and Newton's and Euler's laws.

A motion is a curve t -> poses through (q, v, a) at t = 0. It is analytic in t: its Taylor coefficients are read off a
circle in the complex plane (Cauchy's integrals by the trapezoidal rule), to rounding. It is real for real t, so half
the circle is enough.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from scipy.spatial.transform import Rotation

from .stand_in import Joint, Robot


def cross_matrix(w: np.ndarray) -> np.ndarray:
    x, y, z = w
    return np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])


def vee(matrix: np.ndarray) -> np.ndarray:
    """The vector of an antisymmetric 3 x 3 matrix."""
    return np.stack([matrix[..., 2, 1], matrix[..., 0, 2], matrix[..., 1, 0]], axis=-1)


def expm(matrices: np.ndarray) -> np.ndarray:
    """The exponentials of a stack of small matrices: Taylor's series of a 64th, squared six times."""
    x = matrices / 64
    out = np.eye(x.shape[-1]) + x
    term = x
    for k in range(2, 14):
        term = term @ x / k
        out = out + term
    for _ in range(6):
        out = out @ out
    return out


def displace(angular: np.ndarray, linear: np.ndarray, amount: np.ndarray) -> np.ndarray:
    """exp of amount times a twist, for each amount: (len(amount), 4, 4)."""
    generator = np.zeros((4, 4))
    generator[:3, :3], generator[:3, 3] = cross_matrix(angular), linear
    return expm(np.asarray(amount)[:, None, None] * generator)


def rigid(rotation: np.ndarray, position: np.ndarray) -> np.ndarray:
    out = np.eye(4)
    out[:3, :3], out[:3, 3] = rotation, position
    return out


def joint_curve(joint: Joint, q: np.ndarray, v: np.ndarray, a: np.ndarray, t: np.ndarray) -> np.ndarray:
    """The child's pose in the joint's frame at times t: coordinates move as q + v t + a t^2/2, but where v is not q-dot
    the pose does, as motion(q) exp(v t + a t^2/2)."""
    none, numbers = np.zeros(3), joint.parameters
    moved = v[:, None] * t + a[:, None] * t**2 / 2
    if joint.nq == joint.nv and joint.kind != "planar":
        x = q[:, None] + moved
        axis, second = numbers[:3], numbers[3:6]
        if joint.kind == "fixed":
            return np.broadcast_to(np.eye(4), (len(t), 4, 4))
        if joint.kind == "revolute":
            return displace(axis, none, x[0])
        if joint.kind == "prismatic":
            return displace(none, axis, x[0])
        if joint.kind == "helical":
            return displace(axis, none, x[0]) @ displace(none, numbers[3] * axis, x[0])
        if joint.kind == "cylindrical":
            return displace(axis, none, x[0]) @ displace(none, axis, x[1])
        if joint.kind == "universal":
            return displace(axis, none, x[0]) @ displace(second, none, x[1])
        if joint.kind == "translational":
            return (
                displace(none, np.eye(3)[0], x[0])
                @ displace(none, np.eye(3)[1], x[1])
                @ displace(none, np.eye(3)[2], x[2])
            )
        out = np.broadcast_to(np.eye(4), (len(t), 4, 4))
        for column, amount in zip(numbers.reshape(-1, 6), x, strict=True):
            out = out @ displace(column[:3], column[3:], amount)
        return out
    twists = {
        "spherical": np.eye(6)[:3],
        "free": np.eye(6),
        "planar": _planar_twists(numbers),
        "custom": numbers.reshape(-1, 6),
    }[joint.kind]
    if joint.kind == "planar":
        normal, x_axis = numbers[:3], numbers[3:]
        spin = displace(normal, none, q[:1])[0]
        start = rigid(spin[:3, :3], q[1] * x_axis + q[2] * np.cross(normal, x_axis))
    else:
        position = q[4:] if len(q) == 7 else none
        start = rigid(Rotation.from_quat(np.roll(q[:4], -1)).as_matrix(), position)
    generators = np.zeros((len(twists), 4, 4))
    for g, twist in zip(generators, twists, strict=True):
        g[:3, :3], g[:3, 3] = cross_matrix(twist[:3]), twist[3:]
    return start @ expm(np.einsum("jt,jab->tab", moved, generators))


def _planar_twists(numbers: np.ndarray) -> np.ndarray:
    if len(numbers) < 6:
        return np.zeros((0, 6))
    normal, x_axis, none = numbers[:3], numbers[3:6], np.zeros(3)
    return np.stack([np.r_[normal, none], np.r_[none, x_axis], np.r_[none, np.cross(normal, x_axis)]])


def body_curves(robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray, t: np.ndarray) -> np.ndarray:
    """(n, len(t), 4, 4): the poses of all bodies in the world."""
    poses = np.empty((robot.n, len(t), 4, 4), dtype=complex)
    for k, (parent, joint) in enumerate(zip(robot.parent, robot.joints, strict=True)):
        own_q = slice(robot.q_index[k], robot.q_index[k + 1])
        own_v = slice(robot.v_index[k], robot.v_index[k + 1])
        placement = rigid(robot.placements.rotation[k], robot.placements.position[k])
        carried = placement @ joint_curve(joint, q[own_q], v[own_v], a[own_v], t)
        poses[k] = carried if parent < 0 else poses[parent] @ carried
    return poses


class Motion:
    """The bodies' poses at t = 0 and their first and second time derivatives, and what mechanics makes of them."""

    def __init__(self, robot: Robot, q: np.ndarray, v: np.ndarray, a: np.ndarray | None = None, samples: int = 12):
        a = np.zeros(robot.nv) if a is None else a
        self.robot = robot
        radius = 0.3 / max([1.0, *np.abs(v), *np.sqrt(np.abs(a))])  # the faster the motion, the nearer must we look
        circle = radius * np.exp(1j * np.pi * (np.arange(samples) + 0.5) / samples)
        values = body_curves(robot, q, v, a, circle)
        pose, rate, second = (np.einsum("kt...,t->k...", values, circle**-p).real / samples for p in range(3))
        self.pose, self.rate, self.second = pose, rate, 2 * second
        r, r_dot, r_ddot = (x[:, :3, :3] for x in (self.pose, self.rate, self.second))
        r_t = r.swapaxes(-1, -2)
        self.rotation = r
        self.omega = vee(r_dot @ r_t)
        self.omega_dot = vee(r_ddot @ r_t + r_dot @ r_dot.swapaxes(-1, -2))
        ends = np.concatenate([robot.com, np.ones((robot.n, 1))], axis=1)[..., None]
        self.center, self.center_dot, self.center_ddot = ((x @ ends)[:, :3, 0] for x in (pose, rate, self.second))
        # angular momentum about the mass centre: L = R I R* w, and its rate
        self.spin = np.einsum("kab,kb->ka", r @ robot.inertia @ r_t, self.omega)
        turning = r_dot @ robot.inertia @ r_t
        self.spin_dot = np.einsum("kab,kb->ka", turning + turning.swapaxes(-1, -2), self.omega) + np.einsum(
            "kab,kb->ka", r @ robot.inertia @ r_t, self.omega_dot
        )

    def velocities(self) -> np.ndarray:
        return np.concatenate([self.omega, self.rate[:, :3, 3]], axis=1)

    def accelerations(self) -> np.ndarray:
        return np.concatenate([self.omega_dot, self.second[:, :3, 3]], axis=1)

    def kinetic_energy(self) -> float:
        linear = np.einsum("k,ka,ka->", self.robot.mass, self.center_dot, self.center_dot)
        return float(linear + np.einsum("ka,ka->", self.spin, self.omega)) / 2

    def linear_momentum(self) -> np.ndarray:
        return self.robot.mass @ self.center_dot

    def angular_momentum(self, point: np.ndarray) -> np.ndarray:
        orbital = self.robot.mass[:, None] * np.cross(self.center - point, self.center_dot)
        return (orbital + self.spin).sum(axis=0)

    def momentum_rate(self, point: np.ndarray) -> np.ndarray:
        """[angular; linear] about a point that stands still."""
        orbital = self.robot.mass[:, None] * np.cross(self.center - point, self.center_ddot)
        return np.concatenate([(orbital + self.spin_dot).sum(axis=0), self.robot.mass @ self.center_ddot])

    def frame(self, name: str) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """A frame's pose, rate and second rate, as 4 x 4 matrices."""
        body, pose = self.robot.frame(name)
        fixed = rigid(pose.rotation, pose.position)
        return self.pose[body] @ fixed, self.rate[body] @ fixed, self.second[body] @ fixed

    def frame_velocity(self, name: str, told: str) -> tuple[np.ndarray, np.ndarray]:
        """A frame's velocity in the numbers of ``told``, and the time derivative of those numbers."""
        f, f_dot, f_ddot = self.frame(name)
        if told == "world_aligned":
            r, r_dot, r_ddot = f[:3, :3], f_dot[:3, :3], f_ddot[:3, :3]
            rate = np.r_[vee(r_dot @ r.T), f_dot[:3, 3]]
            return rate, np.r_[vee(r_ddot @ r.T + r_dot @ r_dot.T), f_ddot[:3, 3]]
        back = np.linalg.inv(f)
        if told == "body":  # F^-1 F-dot
            twist = back @ f_dot
            twist_dot = back @ f_ddot - twist @ twist
        else:  # F-dot F^-1
            twist = f_dot @ back
            twist_dot = f_ddot @ back - twist @ twist
        return tuple(np.r_[vee(x[:3, :3]), x[:3, 3]] for x in (twist, twist_dot))  # type: ignore[return-value]


def unit_motions(robot: Robot, q: np.ndarray) -> list[Motion]:
    """The motions in which one velocity is 1 and the others are 0."""
    return [Motion(robot, q, e, samples=7) for e in np.eye(robot.nv)]


def kane(robot: Robot, motion: Motion, units: list[Motion], f_ext: np.ndarray) -> np.ndarray:
    """The generalized forces of a motion: on each body, what is not inertia times acceleration is what joints must do;
    d'Alembert projects it on the bodies' velocities in each unit motion. f_ext acts at the bodies' origins."""
    weight = robot.mass[:, None] * robot.gravity
    force = robot.mass[:, None] * motion.center_ddot - weight - f_ext[:, 3:]
    arm = motion.pose[:, :3, 3] - motion.center
    moment = motion.spin_dot - f_ext[:, :3] - np.cross(arm, f_ext[:, 3:])
    return np.array([np.sum(force * u.center_dot) + np.sum(moment * u.omega) for u in units])


def central_difference(f: Callable[[float], Any], h: float = 0.01) -> Any:
    """f'(0) by the eighth-order central difference."""
    weights = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    return sum(w * (f(k * h) - f(-k * h)) for k, w in weights.items()) / h
