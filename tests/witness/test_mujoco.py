"""phipsi against MuJoCo: the same bodies, joints and states; dynamics, Jacobians, momentum, energy."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

import phipsi as pp

from . import data
from .mujoco_twin import Twin

COUNT = 5
REAL = ("ur5", "panda", "kinova", "anymal", "talos", "g1", "baxter")


def every_joint() -> pp.Robot:
    """Every joint type that both have, numbered depth first; the free joint stands on the world without a placement."""
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    kinds = [
        pp.Free(),
        pp.Revolute(axes[0], armature=0.3),
        pp.Prismatic(axes[1], armature=0.2),
        pp.Cylindrical(axes[2], armature=0.1),
        pp.Universal(axes[0], axes[1], armature=0.1),
        pp.Spherical(armature=0.2),
        pp.Translational(),
        pp.Fixed(),
        pp.Revolute((0, 0, -1)),
    ]
    parents = (-1, 0, 1, 2, 0, 4, 5, 6, 7)
    builder = pp.Builder("every_joint", gravity=(1, -2, -9))
    for k, (joint, parent) in enumerate(zip(kinds, parents, strict=True)):
        cloud = rng.normal(size=(5, 3)) * 0.3
        builder.body(
            f"body_{k}",
            "world" if parent < 0 else f"body_{parent}",
            joint,
            None if parent < 0 else pp.Pose(rng.normal(size=3), quaternion=rng.normal(size=4)),
            mass=rng.uniform(1, 2),
            com=rng.normal(size=3) * 0.2,
            inertia=np.trace(cloud.T @ cloud) * np.eye(3) - cloud.T @ cloud,
        )
    return builder.build()


class Case:
    def __init__(self, robot: pp.Robot):
        self.robot, self.twin = robot, Twin(robot)
        rng = np.random.default_rng(1)
        self.q, self.v = robot.random(COUNT, rng=rng)
        self.a, self.tau = rng.normal(size=(2, COUNT, robot.nv))
        self.f_ext = rng.normal(size=(COUNT, robot.n, 6))

    def states(self):
        """For each state: its index, T, T-dot v, and their data, moved there by mj_forward."""
        t = self.twin
        for i in range(COUNT):
            d, T = t.data, t.turn(self.q[i])
            mujoco.mj_resetData(t.model, d)
            d.qpos[:], d.qvel[:] = t.q(self.q[i]), T @ self.v[i]
            d.qfrc_applied[:] = T @ self.tau[i]  # T is orthogonal: forces turn as velocities do
            mujoco.mj_forward(t.model, d)
            yield i, T, t.turn_rate_v(self.q[i], self.v[i]), d

    def full_mass(self, d) -> np.ndarray:
        mass = np.zeros((self.robot.nv, self.robot.nv))
        mujoco.mj_fullM(self.twin.model, d, mass)
        return mass


@pytest.fixture(scope="module", params=["every_joint", *REAL])
def case(request) -> Case:
    return Case(every_joint() if request.param == "every_joint" else data.load(request.param))


def assert_same(got: np.ndarray, expected: np.ndarray, tolerance: float = 1e-10) -> None:
    assert np.shape(got) == np.shape(expected)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * scale)


def test_mass_matrix(case):
    ours = case.robot.mass_matrix(case.q)
    for i, T, _, d in case.states():
        assert_same(ours[i], T.T @ case.full_mass(d) @ T)


def test_bias(case):
    ours = case.robot.bias(case.q, case.v)
    for i, T, T_dot_v, d in case.states():
        assert_same(ours[i], T.T @ (d.qfrc_bias + case.full_mass(d) @ T_dot_v))


def test_forward_dynamics(case):
    """Without and with forces on the bodies, which MuJoCo takes at their mass centres."""
    r, t = case.robot, case.twin
    tolerance = 1e-10 + 1e-16 * float(np.linalg.cond(r.mass_matrix(case.q)).max())
    free, pushed = (
        r.forward_dynamics(case.q, case.v, case.tau),
        r.forward_dynamics(case.q, case.v, case.tau, case.f_ext),
    )
    for i, T, T_dot_v, d in case.states():
        assert_same(free[i], T.T @ (d.qacc - T_dot_v), tolerance)
        origin, center = d.xpos[1:], d.xipos[1:]
        d.xfrc_applied[1:, :3] = case.f_ext[i, :, 3:]
        d.xfrc_applied[1:, 3:] = case.f_ext[i, :, :3] + np.cross(origin - center, case.f_ext[i, :, 3:])
        mujoco.mj_forward(t.model, d)
        assert_same(pushed[i], T.T @ (d.qacc - T_dot_v), tolerance)


def test_inverse_dynamics(case):
    ours = case.robot.inverse_dynamics(case.q, case.v, case.a)
    for i, T, T_dot_v, d in case.states():
        d.qacc[:] = T @ case.a[i] + T_dot_v
        mujoco.mj_inverse(case.twin.model, d)
        assert_same(ours[i], T.T @ d.qfrc_inverse)


def test_jacobians_and_velocities(case):
    r, t = case.robot, case.twin
    poses, velocities = r.poses(case.q), r.velocities(case.q, case.v)
    last = r.body_names[-1]
    jacobian = r.jacobian(case.q, last)
    for i, T, _, d in case.states():
        assert_same(poses.position[i], d.xpos[1:])
        assert_same(poses.rotation[i], d.xmat[1:].reshape(-1, 3, 3))
        for k in range(r.n):
            velocity = np.zeros(6)
            mujoco.mj_objectVelocity(t.model, d, mujoco.mjtObj.mjOBJ_XBODY, k + 1, velocity, 0)
            assert_same(velocities[i, k], velocity)
        linear, angular = np.zeros((2, 3, r.nv))
        mujoco.mj_jacBody(t.model, d, linear, angular, r.n)
        assert_same(jacobian[i], np.vstack([angular, linear]) @ T)


def test_momentum_and_energy(case):
    r, t = case.robot, case.twin
    momentum, center = r.momentum(case.q, case.v, about="com"), r.center_of_mass(case.q)
    kinetic, potential = r.kinetic_energy(case.q, case.v), r.potential_energy(case.q)
    for i, _, _, d in case.states():
        mujoco.mj_subtreeVel(t.model, d)
        theirs = np.concatenate([d.subtree_angmom[0], d.subtree_linvel[0] * t.model.body_subtreemass[0]])
        assert_same(momentum[i], theirs)
        assert_same(center[i], d.subtree_com[0])
        assert_same(np.array([potential[i], kinetic[i]]), d.energy)
