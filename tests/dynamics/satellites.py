"""A satellite with three branches, its motion in coordinates (an integrator of others, for smooth torques)."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

import phipsi as pp


def three_branches() -> pp.Robot:
    """A free base of 60 kg with three arms of two joints each; its mass centre is not its origin."""
    builder = pp.Builder("three_branches", gravity=(0, 0, 0))
    builder.body("base", joint=pp.Free(), mass=60.0, com=(0.02, 0.01, 0.0), inertia=np.diag([6.0, 7.0, 8.0]))
    for k in range(3):
        out = np.array([np.cos(2 * np.pi * k / 3), np.sin(2 * np.pi * k / 3), 0.0])
        axis = (0, 0, 1) if k else (0, 1, 0)
        builder.body(f"inner{k}", "base", pp.Revolute(axis), pp.Pose(0.5 * out), 5.0, 0.4 * out, 0.3 * np.eye(3))
        across = pp.Revolute((-out[1], out[0], 0))
        builder.body(f"outer{k}", f"inner{k}", across, pp.Pose(0.8 * out), 3.0, 0.3 * out, 0.1 * np.eye(3))
    return builder.build()


class Free:
    """A robot of a free base and revolute joints, integrated in its coordinates q: quaternion rates explicit."""

    def __init__(self, robot: pp.Robot, seed: int = 0) -> None:
        rng = np.random.default_rng(seed)
        self.robot, joints = robot, robot.nv - 6
        self.q = np.concatenate([robot.neutral()[:7], rng.uniform(-0.5, 0.5, joints)])
        self.v = np.concatenate([rng.normal(size=6) * 0.08, np.zeros(joints)])

    def run(self, tau, t, rtol=1e-9):
        """q (T, nq) and v (T, nv) at the instants t, under the torques tau(t, q, v)."""
        nq = self.robot.nq

        def rate(t, x):
            q, v = x[:nq], x[nq:]
            a = self.robot.forward_dynamics(q, v, tau(t, q, v))
            return np.concatenate([_rates(q, v), v[6:], a])

        start = np.concatenate([self.q, self.v])
        done = solve_ivp(rate, (t[0], t[-1]), start, "DOP853", t, rtol=rtol, atol=rtol / 10)
        assert done.success
        return np.ascontiguousarray(done.y[:nq].T), np.ascontiguousarray(done.y[nq:].T)


def _rates(q, v):
    """[quaternion, position]', from a twist in child axes: plain numbers, for there are many of them."""
    w, x, y, z = q[:4].tolist()
    a, b, c, p, r, s = v[:6].tolist()
    turn = [0.5 * (-x * a - y * b - z * c), 0.5 * (w * a + y * c - z * b)]
    turn += [0.5 * (w * b + z * a - x * c), 0.5 * (w * c + x * b - y * a)]
    n = (w * w + x * x + y * y + z * z) ** -0.5
    w, x, y, z = w * n, x * n, y * n, z * n
    d, e, f = 2 * (y * s - z * r), 2 * (z * p - x * s), 2 * (x * r - y * p)
    return [*turn, p + w * d + y * f - z * e, r + w * e + z * d - x * f, s + w * f + x * e - y * d]
