"""One robot from several bases: poses, motions, energies, forces and operational quantities do not care."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import phipsi as pp
from phipsi import reference
from tests.contract import robots
from tests.contract.verbs import assert_same

KINDS = [kind for kind in robots.KINDS if kind != "fixed"]


def ship(kind: str, seed: int = 0) -> pp.Robot:
    """A free base, two joints of the kind in a row, and branches at every body."""
    kinds = ("free", kind, kind, "revolute", "prismatic", "spherical", "fixed")
    return robots.robot(kinds, seed, parents=(-1, 0, 1, 2, 0, 1, 2))


def spheres() -> pp.Robot:
    """Joints at the origins of both bodies: spherical and universal ones stay what they are."""
    b = pp.Builder("spheres", gravity=(0, 0, 0)).body("a", joint=pp.Free(), mass=2, inertia=(1, 1.2, 1.3))
    at = {"mass": 1.5, "com": (0.1, 0.2, 0.3), "inertia": (0.3, 0.4, 0.5)}
    b.body("b", "a", pp.Spherical(armature=0.2), pp.Pose(rpy=(0.3, 0.2, 0.1)), **at)
    b.body("c", "b", pp.Universal((1, 0, 0), (0, 1, 1), armature=(0.1, 0.2)), pp.Pose(rpy=(0.3, 0.2, 0.1)), **at)
    b.body("d", "c", pp.Translational(stiffness=2.0), pp.Pose((1, 2, 3), rpy=(0.1, 0.5, 0.1)), **at)
    return b.body("e", "d", pp.Cylindrical((0, 0, 1), armature=(0.1, 0.3)), pp.Pose((0, 0, 1)), **at).build()


MACHINES = {
    **{kind: lambda kind=kind: ship(kind) for kind in robots.KINDS},
    "spheres": spheres,
    "satellite": pp.zoo.dual_arm_satellite,
    "free_tree": lambda: pp.zoo.tree(12, seed=2, base="free"),
    "forest": lambda: robots.robot(("revolute", "free", "helical", "planar"), 3, parents=(-1, -1, 1, 2)),
}


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> tuple[pp.Robot, dict[str, np.ndarray]]:
    robot = MACHINES[request.param]()
    return robot, robots.states(robot, 3, seed=1)


def bases(robot: pp.Robot) -> list[str]:
    return [name for name in robot.body_names if root_kind(robot, name) == "free"]


def root_kind(robot: pp.Robot, name: str) -> str:
    k = robot.body(name).index
    while robot.parent[k] >= 0:
        k = int(robot.parent[k])
    return robot.joints[k].kind


def test_everything_stays_where_it_is(machine):
    robot, data = machine
    for name in bases(robot):
        there = robot.rebasing(name)
        other = there.robot
        assert other == robot.rebase(name)
        assert there.base == name
        assert other.nv == robot.nv
        assert set(robot.body_names) <= set(other.body_names)
        if other.n > robot.n:
            assert all(x.endswith("/cross") for x in set(other.body_names) - set(robot.body_names))
        q, v = there.state(data["q"], data["v"])
        a = there.acceleration(data["q"], data["v"], data["a"])
        for frame in robot.frame_names:
            assert other.pose(q, frame).isclose(robot.pose(data["q"], frame), 1e-12)
            assert_same(other.velocity(q, v, frame), robot.velocity(data["q"], data["v"], frame), 1e-11)
            assert_same(
                other.acceleration(q, v, a, frame), robot.acceleration(data["q"], data["v"], data["a"], frame), 1e-10
            )
        for body in robot.body_names:
            one, two = robot.body(body), other.body(body)
            assert one.mass == two.mass
            assert np.array_equal(one.inertia, two.inertia)


def test_dynamics(machine):
    robot, data = machine
    for name in bases(robot)[1:]:
        there = robot.rebasing(name)
        other, back = there.robot, there.back
        q, v = there.state(data["q"], data["v"])
        assert_same(other.kinetic_energy(q, v), robot.kinetic_energy(data["q"], data["v"]), 1e-11)
        assert_same(other.momentum(q, v), robot.momentum(data["q"], data["v"]), 1e-11)
        T, T_back = there.matrix(data["q"]), back.matrix(q)
        assert_same(T @ T_back, np.broadcast_to(np.eye(robot.nv), T.shape), 1e-11)
        assert_same(np.einsum("...ij,...j->...i", T, data["v"]), v, 1e-12)
        M = other.mass_matrix(q)
        assert_same(there.mass_matrix(data["q"]), M, 1e-11)
        assert_same(back.mass_matrix(q, M), robot.mass_matrix(data["q"]), 1e-11)
        # torques that do the same work move it the same way
        f_ext, a = data["f_ext"], there.acceleration(data["q"], data["v"], data["a"])
        tau = robot.inverse_dynamics(data["q"], data["v"], data["a"], f_ext)
        there_tau = other.inverse_dynamics(q, v, a, there.bodies(f_ext))
        assert_same(there.torque(data["q"], tau), there_tau, 1e-10)
        assert_same(back.torque(q, there_tau), tau, 1e-10)


def test_there_and_back(machine):
    robot, data = machine
    q0 = robot.normalize(data["q"])
    for name in bases(robot)[1:]:
        there = robot.rebasing(name)
        q, v = there.state(q0, data["v"])
        q1, v1 = there.back.state(q, v)
        assert there.back.back is there
        assert there.back.robot is robot
        assert_same(robot.difference(q0, q1), np.zeros_like(v), 1e-12)
        assert_same(v1, data["v"], 1e-11)
        a = there.acceleration(q0, data["v"], data["a"])
        assert_same(there.back.acceleration(q, v, a), data["a"], 1e-10)
        assert_same(there.back.bodies(there.bodies(data["f_ext"])), data["f_ext"], 0)
        # and as a robot of its own, back at the first base
        root = next(x for x in bases(robot) if robot.body(x).parent == "world")
        again = there.robot.rebasing(root)
        q2, v2 = again.state(q, v)
        for body in robot.body_names:
            assert again.robot.pose(q2, body).isclose(robot.pose(q0, body), 1e-12)
            assert_same(again.robot.velocity(q2, v2, body), robot.velocity(q0, data["v"], body), 1e-11)


@pytest.mark.parametrize("kind", robots.KINDS)
def test_operational_quantities_do_not_know_the_base(kind):
    """Omega of frames (hence Lambda) and J_G of a free-flyer are the same from every base. [JR95f 43]"""
    robot = ship(kind)
    q0, _ = robot.random(rng=1)
    target, mask = "tip", robot.passive

    def quantities(robot: pp.Robot, q: np.ndarray) -> np.ndarray:
        J = np.concatenate([robot.jacobian(q, x) for x in ("tip", "body_1")])
        return J @ np.linalg.solve(robot.mass_matrix(q), J.T)

    J_G = robot.generalized_jacobian(q0, target)
    for name in bases(robot)[1:]:
        there = robot.rebasing(name)
        q = there.configuration(q0)
        assert_same(quantities(there.robot, q), quantities(robot, q0), 1e-10)
        # columns of J_G: those of the active dofs, in the other's order and turned as its joints are
        S = there.matrix(q0)[np.ix_(~there.robot.passive, ~mask)]
        assert_same(there.robot.generalized_jacobian(q, target) @ S, J_G, 1e-10)
        if kind == "revolute":
            # J_D of the robot whose base is k is J_G of frame k, but for the axes
            J_D = there.robot.disturbance_jacobian(q) @ S
            assert_same(J_D, robot.generalized_jacobian(q0, name, frame="body"), 1e-10)


def test_kinds_of_joints():
    """What joints become: the type, where there is one; the same coordinates."""
    other = spheres().rebase("e")
    assert [x.kind for x in other.joints] == ["free", "cylindrical", "translational", "universal", "spherical"]
    assert other.joint("c").joint.armature == (0.2, 0.1)
    satellite = pp.zoo.arm_satellite()
    there = satellite.rebasing("arm/hand")
    q, v = satellite.random(rng=0)
    for k in range(1, 8):
        name = f"arm/joint{k}"
        assert there.configuration(q)[there.robot.joint(name).q] == q[satellite.joint(name).q]
        assert there.velocity(q, v)[there.robot.joint(name).v] == v[satellite.joint(name).v]
        assert there.robot.joint(name).joint.lower == satellite.joint(name).joint.lower
    assert there.robot.body("arm/link7").joint == "arm/link7"
    assert there.robot.passive.sum() == 6
    assert there.robot.with_passive(["arm/link7", "arm/joint2"]).passive.sum() == 7


def test_batches_and_nan():
    robot = ship("universal")
    there = robot.rebasing("tip")
    q, v = robot.random((3, 1, 2), rng=0)
    q1, v1 = there.state(q, v)
    assert q1.shape == (3, 1, 2, there.robot.nq)
    one = there.state(q[2, 0, 1], v[2, 0, 1])
    assert_same(q1[2, 0, 1], one[0], 1e-14)
    assert_same(v1[2, 0, 1], one[1], 1e-14)
    assert there.velocity(q, v[0, 0, 0]).shape == (3, 1, 2, robot.nv)  # velocities broadcast
    assert there.matrix(q).shape == (3, 1, 2, robot.nv, robot.nv)
    q[1] = np.nan
    lost = there.configuration(q)
    assert np.isnan(lost[1]).any()
    assert np.isfinite(lost[[0, 2]]).all()


def test_to_the_same_base():
    robot = ship("revolute")
    there = robot.rebasing("body_0")
    q, v = robot.random(rng=0)
    assert there.robot is robot
    assert robot.rebase("body_0") == robot
    assert_same(there.configuration(q), q, 1e-15)
    assert np.array_equal(there.velocity(q, v), v)
    assert np.array_equal(there.matrix(q), np.eye(robot.nv))
    assert np.array_equal(there.torque(q, v), v)
    assert repr(there) == "<Rebasing of 'robot' to 'body_0'>"


def test_what_is_attached_and_pickled():
    robot = ship("revolute").attach("body_2", pp.Payload.sphere(2.0, 0.1), "load", pp.Pose((0, 0, 0.2)))
    there = robot.rebasing("load")
    assert there.base == "body_2"
    assert there.robot.mass.sum() == pytest.approx(robot.mass.sum())
    q, _ = robot.random(rng=0)
    assert there.robot.pose(there.configuration(q), "load").isclose(robot.pose(q, "load"), 1e-12)
    assert there.robot.detach("load").mass.sum() == pytest.approx(robot.mass.sum() - 2.0)
    assert pickle.loads(pickle.dumps(there.robot)) == there.robot


def test_refusals():
    with pytest.raises(pp.ModelError, match="stands on the world through a revolute joint"):
        pp.zoo.arm().rebase("hand")
    with pytest.raises(pp.ModelError, match="frame of the world"):
        ship("revolute").rebase("ground")
    with pytest.raises(pp.UnknownName, match="hnad"):
        ship("revolute").rebase("hnad")
    b = pp.Builder("x").body("a", joint=pp.Free(), mass=1, inertia=(1, 1, 1))
    b.body("b", "a", pp.Spherical(armature=(0.1, 0.2, 0.3)), mass=1, inertia=(1, 1, 1))
    with pytest.raises(pp.ModelError, match=r"joint 'b' .spherical. cannot be turned round"):
        b.build().rebase("b")
    robot = ship("revolute")
    with pytest.raises(pp.ShapeError):
        robot.rebasing("tip").velocity(np.zeros(3), np.zeros(robot.nv))


def test_reference_agrees():
    """The other robot is an ordinary one: its mass matrix by the dense book."""
    there = ship("spherical").rebasing("tip")
    q, _ = there.robot.random(rng=0)
    assert_same(there.robot.mass_matrix(q), reference.mass_matrix(there.robot, q), 1e-11)
