"""phipsi against Pinocchio: real robots, and every joint type that both have; 1e-10, all verbs, random states."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import phipsi as pp

from . import data
from .pinocchio_twin import SWAP, Twin, of_robot, of_urdf, six

COUNT = 5
FRAMES = {
    "world_aligned": pin.ReferenceFrame.LOCAL_WORLD_ALIGNED,
    "body": pin.ReferenceFrame.LOCAL,
    "world": pin.ReferenceFrame.WORLD,
}


def every_joint(universal: bool) -> pp.Robot:
    """Every joint type, with frames, armature and an odd gravity; with or without a universal joint."""
    rng = np.random.default_rng(0)
    axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
    kinds = [
        pp.Free(),
        pp.Revolute(axes[0], armature=0.3),
        pp.Prismatic(axes[1]),
        pp.Helical(axes[2], 0.2),
        pp.Cylindrical(axes[0], armature=0.1),
        pp.Universal(axes[0], axes[1]) if universal else pp.Cylindrical(axes[1]),
        pp.Spherical(armature=0.2),
        pp.Planar(),
        pp.Translational(),
        pp.Free(),
        pp.Revolute((0, 0, -1)),
    ]
    parents = (-1, 0, 1, 2, 1, 4, 0, 6, 7, 8, 7)
    builder = pp.Builder("every_joint", gravity=(1, -2, -9))
    for k, (joint, parent) in enumerate(zip(kinds, parents, strict=True)):
        cloud = rng.normal(size=(5, 3)) * 0.3
        builder.body(
            f"body_{k}",
            "world" if parent < 0 else f"body_{parent}",
            joint,
            pp.Pose(rng.normal(size=3), quaternion=rng.normal(size=4)),
            mass=rng.uniform(1, 2),
            com=rng.normal(size=3) * 0.2,
            inertia=np.trace(cloud.T @ cloud) * np.eye(3) - cloud.T @ cloud,
        )
    return builder.frame("tip", "body_10", pp.Pose(rng.normal(size=3), quaternion=rng.normal(size=4))).build()


def make(name: str) -> Twin:
    if name in ("every_joint", "and_universal"):
        return of_robot(every_joint(name == "and_universal"))
    twin = of_urdf(data.load(name), data.path(name), data.ROBOTS[name][1])
    twin.model.gravity.linear = np.asarray(twin.robot.gravity)
    return twin


class Case:
    """A robot, its twin, and random states."""

    def __init__(self, name: str):
        self.twin = make(name)
        self.robot = self.twin.robot
        rng = np.random.default_rng(1)
        self.q, self.v = self.robot.random(COUNT, rng=rng)
        self.a, self.tau = rng.normal(size=(2, COUNT, self.robot.nv))
        self.tau *= 10
        self.f_ext = rng.normal(size=(COUNT, self.robot.n, 6))

    def theirs(self, compute) -> np.ndarray:
        """Their answer for each state: compute(model, data, i, q, v, a), with the state in their numbers."""
        t = self.twin
        return np.array(
            [compute(t.model, t.data, i, t.q(self.q[i]), t.v(self.v[i]), t.v(self.a[i])) for i in range(COUNT)]
        )

    def forces(self, i: int) -> list:
        return self.twin.forces(self.q[i], self.f_ext[i])


@pytest.fixture(scope="module", params=["every_joint", "and_universal", *data.ROBOTS])
def case(request) -> Case:
    return Case(request.param)


def assert_same(got: np.ndarray, expected: np.ndarray, tolerance: float = 1e-10) -> None:
    assert np.shape(got) == np.shape(expected)
    scale = max(1.0, float(np.abs(expected).max(initial=0)))
    np.testing.assert_allclose(got, expected, rtol=0, atol=tolerance * scale)


def test_inverse_dynamics(case):
    t, r = case.twin, case.robot
    theirs = case.theirs(lambda m, d, i, q, v, a: t.back(pin.rnea(m, d, q, v, a)))
    assert_same(r.inverse_dynamics(case.q, case.v, case.a), theirs)
    theirs = case.theirs(lambda m, d, i, q, v, a: t.back(pin.rnea(m, d, q, v, a, case.forces(i))))
    assert_same(r.inverse_dynamics(case.q, case.v, case.a, case.f_ext), theirs)
    theirs = case.theirs(lambda m, d, i, q, v, a: t.back(pin.nonLinearEffects(m, d, q, v)))
    assert_same(r.bias(case.q, case.v), theirs)
    theirs = case.theirs(lambda m, d, i, q, v, a: t.back(pin.computeGeneralizedGravity(m, d, q)))
    assert_same(r.gravity_torque(case.q), theirs)


def test_mass_matrix(case):
    def crba(m, d, i, q, v, a):
        upper = np.triu(pin.crba(m, d, q))
        return case.twin.matrix(upper + np.triu(upper, 1).T)

    assert_same(case.robot.mass_matrix(case.q), case.theirs(crba))


def test_forward_dynamics(case):
    """Scaled by the condition of the mass matrix: both invert it."""
    t, r = case.twin, case.robot
    condition = float(np.linalg.cond(r.mass_matrix(case.q)).max())
    tolerance = max(1e-10, 1e-16 * condition)
    taus = [t.v(tau) for tau in case.tau]
    theirs = case.theirs(lambda m, d, i, q, v, a: t.back(pin.aba(m, d, q, v, taus[i])))
    assert_same(r.forward_dynamics(case.q, case.v, case.tau), theirs, tolerance)
    theirs = case.theirs(lambda m, d, i, q, v, a: t.back(pin.aba(m, d, q, v, taus[i], case.forces(i))))
    assert_same(r.forward_dynamics(case.q, case.v, case.tau, case.f_ext), theirs, tolerance)

    def inverse(m, d, i, q, v, a):
        upper = np.triu(pin.computeMinverse(m, d, q))
        return t.matrix(upper + np.triu(upper, 1).T)

    assert_same(r.inverse_mass_matrix(case.q), case.theirs(inverse), tolerance)


UNIVERSAL = "Pinocchio 4.1's C and dccrba take the axes of a universal joint for constant: not even its own bias is C v"


def has_universal(robot: pp.Robot) -> bool:
    return any(joint.kind == "universal" for joint in robot.joints)


def test_coriolis(case):
    """Of all the matrices C with the right C v, theirs is ours."""
    t = case.twin
    if has_universal(t.robot):
        pytest.skip(UNIVERSAL)
    theirs = case.theirs(lambda m, d, i, q, v, a: t.matrix(pin.computeCoriolisMatrix(m, d, q, v)))
    assert_same(case.robot.coriolis_matrix(case.q, case.v), theirs)


def bodies(case, i: int, each) -> np.ndarray:
    out = np.zeros((case.robot.n, *np.shape(each(1))))
    for k, j in case.twin.pairs:
        out[k] = each(j)
    return out


def test_bodies(case):
    """Poses, velocities, accelerations and the forces through the joints, of all bodies."""
    r = case.robot

    def motions(m, d, i, q, v, a):
        pin.forwardKinematics(m, d, q, v, a)

        def each(j):
            turn, velocity = d.oMi[j].rotation, d.v[j]
            acceleration = pin.classicAcceleration(d.v[j], d.a[j])
            return np.concatenate(
                [
                    d.oMi[j].homogeneous.ravel(),
                    turn @ velocity.angular,
                    turn @ velocity.linear,
                    turn @ d.a[j].angular,
                    turn @ acceleration,
                ]
            )

        return bodies(case, i, each)

    ours = [r.poses(case.q).matrix.reshape(COUNT, r.n, 16), r.velocities(case.q, case.v)]
    ours.append(r.accelerations(case.q, case.v, case.a))
    assert_same(np.concatenate(ours, axis=-1), case.theirs(motions))

    def reactions(m, d, i, q, v, a):
        pin.forwardKinematics(m, d, q)
        pin.rnea(m, d, q, v, a, case.forces(i))
        return bodies(case, i, lambda j: np.r_[d.oMi[j].rotation @ d.f[j].angular, d.oMi[j].rotation @ d.f[j].linear])

    assert_same(r.reaction_forces(case.q, case.v, case.a, case.f_ext), case.theirs(reactions))


def rank(frame, name: str) -> int:
    return (frame.name == name) * (2 if frame.type == pin.FrameType.BODY else 1)


def test_frames(case):
    """A dozen frames of each robot, links and fixed links alike, in the three frames of reference."""
    t, r = case.twin, case.robot
    common = [f.name for f in t.model.frames if f.name in r.frame_names]
    assert common
    for name in common[:: max(1, len(common) // 6)]:
        # a link's name before a joint's
        fid = max(range(t.model.nframes), key=lambda i: rank(t.model.frames[i], name))

        def place(m, d, i, q, v, a, fid=fid):
            pin.framesForwardKinematics(m, d, q)
            return d.oMf[fid].homogeneous

        assert_same(r.pose(case.q, name).matrix, case.theirs(place))
        for ours, reference in FRAMES.items():

            def jacobians(m, d, i, q, v, a, fid=fid, reference=reference):
                pin.computeJointJacobians(m, d, q)
                pin.updateFramePlacements(m, d)
                return t.wide(pin.getFrameJacobian(m, d, fid, reference))

            assert_same(r.jacobian(case.q, name, ours), case.theirs(jacobians))

            def rates(m, d, i, q, v, a, fid=fid, reference=reference):
                pin.computeJointJacobiansTimeVariation(m, d, q, v)
                pin.updateFramePlacements(m, d)
                return SWAP @ (pin.getFrameJacobianTimeVariation(m, d, fid, reference) @ v)

            assert_same(r.jacobian_dot_v(case.q, case.v, name, ours), case.theirs(rates))

            def motions(m, d, i, q, v, a, fid=fid, reference=reference, ours=ours):
                pin.forwardKinematics(m, d, q, v, a)
                pin.updateFramePlacements(m, d)
                acceleration = (
                    pin.getFrameClassicalAcceleration if ours == "world_aligned" else pin.getFrameAcceleration
                )
                return np.stack([six(f(m, d, fid, reference)) for f in (pin.getFrameVelocity, acceleration)])

            mine = (r.velocity(case.q, case.v, name, ours), r.acceleration(case.q, case.v, case.a, name, ours))
            assert_same(np.stack(mine, axis=1), case.theirs(motions))


def test_momentum_and_energy(case):
    t, r = case.twin, case.robot

    def matrices(m, d, i, q, v, a):
        pin.dccrba(m, d, q, v)
        return np.column_stack([t.wide(d.Ag), SWAP @ (d.dAg @ v), six(d.hg)])

    ours = [
        r.centroidal_momentum_matrix(case.q),
        r.centroidal_momentum_matrix_dot_v(case.q, case.v)[..., None],
        r.momentum(case.q, case.v, about="com")[..., None],
    ]
    matrix, rate, vector = np.split(case.theirs(matrices), [r.nv, r.nv + 1], axis=-1)
    assert_same(ours[0], matrix)
    assert_same(ours[2], vector)
    if not has_universal(r):
        assert_same(ours[1], rate)

    def centers(m, d, i, q, v, a):
        center = pin.centerOfMass(m, d, q).copy()
        return np.column_stack([center, t.turn.T.dot(pin.jacobianCenterOfMass(m, d, q).T).T])

    mine = np.concatenate([r.center_of_mass(case.q)[..., None], r.center_of_mass_jacobian(case.q)], axis=-1)
    assert_same(mine, case.theirs(centers))
    assert_same(r.potential_energy(case.q), case.theirs(lambda m, d, i, q, v, a: pin.computePotentialEnergy(m, d, q)))

    def kinetic(m, d, i, q, v, a):
        if not r.armature.any():
            return pin.computeKineticEnergy(m, d, q, v)
        # with armature, Pinocchio 4.1's is not always half of v M v with its own M
        upper = np.triu(pin.crba(m, d, q))
        return (v @ (upper + np.triu(upper, 1).T) @ v) / 2

    assert_same(r.kinetic_energy(case.q, case.v), case.theirs(kinetic))


def test_coordinates(case):
    t, r = case.twin, case.robot
    q1 = r.random(COUNT, rng=3)[0]
    stepped = r.integrate(case.q, case.v)
    theirs = case.theirs(lambda m, d, i, q, v, a: pin.integrate(m, q, v))
    ours = np.array([t.q(q) for q in stepped])
    for k, j in t.pairs:  # a quaternion and its negative are the same
        if r.joints[k].kind in ("free", "spherical"):
            at = t.model.joints[j].idx_q + (3 if r.joints[k].kind == "free" else 0)
            for mine, his in zip(ours, theirs, strict=True):
                mine[at : at + 4] *= np.sign(mine[at : at + 4] @ his[at : at + 4])
    assert_same(ours, theirs)
    theirs = case.theirs(lambda m, d, i, q, v, a: t.back(pin.difference(m, q, t.q(q1[i]))))
    mine = r.difference(case.q, q1)
    wrapped = np.zeros(r.nv, dtype=bool)  # where theirs is on a circle, ours counts turns
    for k, j in t.pairs:
        wrapped[r.v_index[k]] = t.model.joints[j].nq == 2 and r.joints[k].nq == 1
    mine[:, wrapped] = np.remainder(mine[:, wrapped] + np.pi, 2 * np.pi) - np.pi
    assert_same(mine, theirs, 1e-9)
