"""Independent truths: the discrete Euler-Lagrange equations by finite differences, chaos in free flight by SciPy."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import phipsi as pp

H = 0.02


def discrete_lagrangian(robot: pp.Robot, q0: np.ndarray, q1: np.ndarray) -> float:
    """h L(q_m, ξ) with q1 = q0 exp(hξ), q_m = q0 exp(hξ/2); a free body goes straight while it turns."""
    way = robot.difference(q0, q1)
    middle = robot.integrate(q0, way / 2)
    for k, joint in enumerate(robot.joints):
        if joint.kind != "free":
            continue
        q, v = robot.joint(robot.joint_names[k]).q, robot.joint(robot.joint_names[k]).v
        position = slice(q.start + 4, q.stop)
        w, x, y, z = middle[q][:4]
        u = np.array([x, y, z])
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        R = (w * w - u @ u) * np.eye(3) + 2 * np.outer(u, u) + 2 * w * cross
        middle[position] = (q0[position] + q1[position]) / 2
        way[v.start + 3 : v.stop] = R.T @ (q1[position] - q0[position])
    xi = way / H
    return H * float(robot.kinetic_energy(middle, xi) - robot.potential_energy(middle))


def slopes(robot: pp.Robot, q0: np.ndarray, q1: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """D1 L_d and D2 L_d along the joints' twists."""
    first, second = np.zeros(robot.nv), np.zeros(robot.nv)
    eps = 1e-5
    for i in range(robot.nv):
        e = np.eye(robot.nv)[i] * eps
        for sign in (1, -1):
            first[i] += sign * discrete_lagrangian(robot, robot.integrate(q0, sign * e), q1) / (2 * eps)
            second[i] += sign * discrete_lagrangian(robot, q0, robot.integrate(q1, sign * e)) / (2 * eps)
    return first, second


KINDS = ["revolute", "universal", "spherical", "planar", "cylindrical", "helical", "free", "custom"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("base", ["fixed", "free"])
def test_the_midpoint_solves_the_discrete_euler_lagrange_equations(kind: str, base: str) -> None:
    """p0 = -D1 L_d(q0, q1) and p1 = D2 L_d(q0, q1), with p = M v."""
    robot = pp.zoo.tree(3, seed=5, kinds=(kind,), base=base)
    q0, v0 = robot.random(rng=2)
    v0 = (0.05 if kind == "free" else 0.3) * v0
    run = pp.simulate(robot, q0, v0, until=H, step=H, method="midpoint", limits=False)
    q0, q1 = run.q
    p0, p1 = (robot.mass_matrix(q) @ v for q, v in zip(run.q, run.v, strict=True))
    first, second = slopes(robot, q0, q1)
    scale = max(1.0, np.abs(p0).max(), np.abs(p1).max())
    np.testing.assert_allclose(-first, p0, atol=1e-7 * scale)
    np.testing.assert_allclose(second, p1, atol=1e-7 * scale)


def test_chaos_in_free_flight_agrees_with_scipy_as_long_as_it_can() -> None:
    robot = pp.zoo.tree(5, seed=1, kinds=("revolute",), base="free", gravity=(0, 0, 0))
    q0, v0 = robot.random(rng=3)
    assert robot.joints[0].kind == "free"

    def rate(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: robot.nq], y[robot.nq :]
        w, (x, y_, z) = q[0], q[1:4]
        a, V = v[:3], v[3:6]
        turn = 0.5 * np.array([
            -x * a[0] - y_ * a[1] - z * a[2],
            w * a[0] + y_ * a[2] - z * a[1],
            w * a[1] + z * a[0] - x * a[2],
            w * a[2] + x * a[1] - y_ * a[0],
        ])  # fmt: skip
        u = q[1:4]
        moved = V + 2 * np.cross(u, np.cross(u, V) + w * V)
        return np.r_[turn, moved, v[6:], robot.forward_dynamics(q, v, np.zeros(robot.nv))]

    options = {"until": 5.0, "step": 5e-4, "record_every": 100, "limits": False}
    run = pp.simulate(robot, q0, v0, **options)
    theirs = solve_ivp(rate, (0, 5.0), np.r_[run.q[0], v0], "DOP853", t_eval=run.t, rtol=1e-12, atol=1e-12)
    q, v = theirs.y.T[:, : robot.nq], theirs.y.T[:, robot.nq :]
    away = np.abs(robot.difference(run.q, q)).max(axis=1) + np.abs(run.v - v).max(axis=1)
    near = pp.simulate(robot, robot.integrate(q0, np.full(robot.nv, 1e-9)), v0, **options)
    grown = np.abs(robot.difference(run.q, near.q)).max(axis=1) + np.abs(run.v - near.v).max(axis=1)
    bound = 1e-8 * np.maximum.accumulate(np.maximum(grown / 1e-9, 1.0))
    assert (away < bound).all(), (away / bound).max()
    assert away[:10].max() < 1e-9
