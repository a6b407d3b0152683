"""phipsi.conventions.drake: against Drake where it is installed, and against its documented conventions everywhere."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import phipsi as pp

Z = np.array([0.0, 0.0, 1.0])
JOINTS = {
    "trunk": pp.Free(), "a": pp.Revolute(Z), "b": pp.Spherical(), "c": pp.Planar(), "d": pp.Helical(Z, 0.3),
    "e": pp.Universal((1, 0, 0), (0, 1, 0)), "f": pp.Prismatic((0.6, 0, 0.8)), "g": pp.Fixed(),
}  # fmt: skip
PARENTS = {"trunk": "world", "a": "trunk", "b": "a", "c": "trunk", "d": "c", "e": "c", "f": "e", "g": "f"}
KIND = {"free": ("quaternion_floating", 7, 6), "revolute": ("revolute", 1, 1), "spherical": ("ball_rpy", 3, 3),
        "planar": ("planar", 3, 3), "helical": ("screw", 1, 1), "universal": ("universal", 2, 2),
        "prismatic": ("prismatic", 1, 1), "fixed": ("weld", 0, 0)}  # fmt: skip


def robot_of() -> pp.Robot:
    rng = np.random.default_rng(0)
    builder = pp.Builder("test")
    for name, joint in JOINTS.items():
        pose = pp.Pose() if joint.kind == "free" else pp.Pose(rng.normal(size=3), quaternion=rng.normal(size=4))
        moments, com = rng.uniform(1, 1.5, 3), rng.normal(size=3) * 0.2
        builder.body(name, PARENTS[name], joint.with_name(f"{name}_joint"), pose, rng.uniform(1, 3), com, moments)
    return builder.build()


class FakePlant:
    """What the converter asks a plant: its joints, in an order of their own."""

    def __init__(self, robot: pp.Robot) -> None:
        self.joints, q, v = [], 0, 0
        for k in reversed(range(robot.n)):
            kind, nq, nv = KIND[robot.joints[k].kind]
            self.joints.append(self.joint(robot.joint_names[k], kind, robot.body_names[k], q, v, nq, nv))
            q, v = q + nq, v + nv
        self.nq = q

    @staticmethod
    def joint(name: str, kind: str, body: str, q: int, v: int, nq: int, nv: int) -> Any:
        numbers = {"type_name": kind, "position_start": q, "velocity_start": v}
        numbers |= {"num_positions": nq, "num_velocities": nv, "name": name}
        methods = {key: (lambda value=value: value) for key, value in numbers.items()}
        return SimpleNamespace(**methods, child_body=lambda: SimpleNamespace(name=lambda: body))

    def GetJointIndices(self) -> range:
        return range(len(self.joints))

    def get_joint(self, index: int) -> Any:
        return self.joints[index]

    def num_positions(self) -> int:
        return self.nq


def rates(robot: pp.Robot, to: pp.conventions.Converter, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Drake's v by its definitions, from small motions: ω and ṗ in the parent's axes, and q̇ of what is not a ball."""
    step = 1e-6
    low, high = (robot.integrate(q, sign * step * v) for sign in (-1, 1))
    expected = np.zeros(robot.nv)
    mixed = to.to_v(q, np.eye(robot.nv)) != 0  # which of theirs each of ours reaches
    for k, joint in enumerate(robot.joints):
        own, mine = slice(*robot.q_index[k : k + 2]), slice(*robot.v_index[k : k + 2])
        theirs = np.flatnonzero(mixed[mine].any(axis=0))
        if joint.kind in ("free", "spherical"):
            a, b = (pp.Pose(quaternion=x[own][:4]) for x in (low, high))
            w = 2 * (b @ a.inv).quaternion[1:] / (2 * step)
            expected[theirs] = w if joint.kind == "spherical" else np.r_[w, (high - low)[own][4:] / (2 * step)]
        elif joint.nv:
            rate = (high - low)[own] / (2 * step)
            expected[theirs] = rate[[1, 2, 0]] if joint.kind == "planar" else rate
    return expected


@pytest.mark.parametrize("asked", [True, False], ids=["plant", "no plant"])
def test_velocities_are_what_drake_documents(asked: bool) -> None:
    robot = robot_of()
    to = pp.conventions.drake(robot, FakePlant(robot) if asked else None)
    q, v = robot.random(rng=0)
    np.testing.assert_allclose(to.to_v(q, v), rates(robot, to, q, v), rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("asked", [True, False], ids=["plant", "no plant"])
def test_accelerations_are_the_rates_of_velocities(asked: bool) -> None:
    robot = robot_of()
    to = pp.conventions.drake(robot, FakePlant(robot) if asked else None)
    q, v = robot.random(rng=0)
    a = np.random.default_rng(1).normal(size=robot.nv)
    step = 1e-6
    low, high = (to.to_v(robot.integrate(q, sign * step * v), v + sign * step * a) for sign in (-1, 1))
    np.testing.assert_allclose(to.to_a(q, v, a), (high - low) / (2 * step), rtol=1e-7, atol=1e-7)
    qt, vt = to.to_q(q), to.to_v(q, v)
    np.testing.assert_allclose(to.from_a(qt, vt, to.to_a(q, v, a)), a, atol=1e-10)
    np.testing.assert_allclose(robot.difference(q, to.from_q(qt)), np.zeros(robot.nv), atol=1e-7)


def test_floating_bases_with_other_names_are_found() -> None:
    robot = pp.zoo.box()
    plant = FakePlant(robot)
    plant.joints[0].name = lambda: "$world_box"
    plant.joints[0].child_body = lambda: SimpleNamespace(name=lambda: "other")
    to = pp.conventions.drake(robot, plant)
    q, _ = robot.random(rng=0)
    np.testing.assert_array_equal(to.to_q(q), q)
    plant.joints[0].type_name = lambda: "rpy_floating"
    plant.joints[0].num_positions = lambda: 6
    plant.nq = 6
    to = pp.conventions.drake(robot, plant)
    assert to.to_q(q).shape == (6,)
    np.testing.assert_allclose(robot.difference(q, to.from_q(to.to_q(q))), np.zeros(6), atol=1e-7)


def test_drake_moves_alike() -> None:
    reason = "drake is not installed (pip install drake); its documented conventions are tested above"
    tree = pytest.importorskip("pydrake.multibody.tree", reason=reason)
    plants = pytest.importorskip("pydrake.multibody.plant")
    robot = robot_of()
    plant = plant_of(robot, tree, plants)
    to = pp.conventions.drake(robot, plant)
    context = plant.CreateDefaultContext()
    states = robot.random(4, rng=1)
    for q, v, a in zip(*states, np.random.default_rng(2).normal(size=(4, robot.nv)), strict=True):
        plant.SetPositions(context, to.to_q(q))
        plant.SetVelocities(context, to.to_v(q, v))
        theirs = plant.CalcMassMatrix(context)
        np.testing.assert_allclose(to.to_mass_matrix(q, robot.mass_matrix(q)), theirs, rtol=1e-9, atol=1e-9)
        forces = tree.MultibodyForces(plant)
        plant.CalcForceElementsContribution(context, forces)
        tau = plant.CalcInverseDynamics(context, to.to_a(q, v, a), forces)
        np.testing.assert_allclose(to.to_tau(q, robot.inverse_dynamics(q, v, a)), tau, rtol=1e-8, atol=1e-8)
        body, world = plant.GetBodyByName("g").body_frame(), plant.world_frame()
        variable = tree.JacobianWrtVariable.kV
        jacobian = plant.CalcJacobianSpatialVelocity(context, variable, body, np.zeros(3), world, world)
        np.testing.assert_allclose(to.to_jacobian(q, robot.jacobian(q, "g")), jacobian, rtol=1e-9, atol=1e-9)


def plant_of(robot: pp.Robot, tree: Any, plants: Any) -> Any:
    math = pytest.importorskip("pydrake.math")
    plant = plants.MultibodyPlant(0.0)
    plant.mutable_gravity_field().set_gravity_vector(np.array(robot.gravity))
    bodies = {"world": plant.world_body()}
    for k in range(robot.n):  # all bodies first, in another order
        name = robot.body_names[robot.n - 1 - k]
        body = robot.body(name)
        moments = tree.RotationalInertia(*np.diag(body.inertia))
        inertia = tree.SpatialInertia.MakeFromCentralInertia(body.mass, body.com, moments)
        bodies[name] = plant.AddRigidBody(name, inertia)
    make = {
        "free": lambda n, p, c, x: tree.QuaternionFloatingJoint(n, p, c),
        "revolute": lambda n, p, c, x: tree.RevoluteJoint(n, p, c, x),
        "prismatic": lambda n, p, c, x: tree.PrismaticJoint(n, p, c, x),
        "spherical": lambda n, p, c, x: tree.BallRpyJoint(n, p, c),
        "planar": lambda n, p, c, x: tree.PlanarJoint(n, p, c),
        "helical": lambda n, p, c, x: tree.ScrewJoint(n, p, c, x[:3], x[3] * 2 * np.pi, 0.0),
        "universal": lambda n, p, c, x: tree.UniversalJoint(n, p, c),
        "fixed": lambda n, p, c, x: tree.WeldJoint(n, p, c, math.RigidTransform()),
    }
    for k, joint in enumerate(robot.joints):
        parent = robot.joint(robot.joint_names[k]).parent
        rotation, position = np.array(robot.placements.rotation[k]), np.array(robot.placements.position[k])
        at = math.RigidTransform(math.RotationMatrix(rotation), position)
        start = plant.AddFrame(tree.FixedOffsetFrame(f"{robot.body_names[k]}_start", bodies[parent].body_frame(), at))
        child = bodies[robot.body_names[k]].body_frame()
        plant.AddJoint(make[joint.kind](robot.joint_names[k], start, child, joint.parameters))
    plant.Finalize()
    return plant
