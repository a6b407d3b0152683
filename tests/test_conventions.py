"""phipsi.conventions against the engines themselves: the same robot, built in both, moves alike through the converter."""
# ruff: noqa: E501

from __future__ import annotations

import importlib.metadata
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import phipsi as pp

pin = pytest.importorskip("pinocchio", reason="pinocchio is not installed (pip install 'phipsi[test]')")
mj = pytest.importorskip("mujoco", reason="mujoco is not installed (pip install 'phipsi[test]')")

Z = np.array([0.0, 0.0, 1.0])
PARENTS = {"trunk": "world", "a": "trunk", "b": "a", "c": "trunk", "d": "c", "e": "c", "f": "trunk", "g": "f"}


def robot_of(joints: dict[str, pp.Joint], seed: int = 0) -> pp.Robot:
    """A tree of solid bodies, in the order of `joints`; a joint's name is its body's and "_joint"."""
    rng = np.random.default_rng(seed)
    builder = pp.Builder("test")
    for name, joint in joints.items():
        parent = PARENTS[name] if PARENTS[name] in joints else "world"
        pose = pp.Pose() if joint.kind == "free" else pp.Pose(rng.normal(size=3), quaternion=rng.normal(size=4))
        turned = pp.Pose(quaternion=rng.normal(size=4)).rotation
        inertia = turned @ np.diag(rng.uniform(1, 1.5, 3)) @ turned.T
        named = joint.with_name(f"{name}_joint")
        builder.body(name, parent, named, pose, rng.uniform(1, 3), rng.normal(size=3) * 0.2, inertia)
    return builder.frame("tool", list(joints)[-1], pp.Pose((0.1, 0.2, 0.3))).build()


# ── Pinocchio ─────────────────────────────────────────────────────────────────────────────────────────────────────

U = np.array([0.6, 0.0, 0.8])
PIN: dict[str, tuple[pp.Joint, Callable[[], Any]]] = {
    "trunk": (pp.Free(), pin.JointModelFreeFlyer),
    "a": (pp.Revolute(Z), pin.JointModelRUBZ),
    "b": (pp.Spherical(), pin.JointModelSpherical),
    "c": (pp.Planar(), pin.JointModelPlanar),
    "d": (pp.Helical(U, 0.3), lambda: pin.JointModelHelicalUnaligned(U, 0.3)),
    "e": (pp.Universal((1, 0, 0), (0, 1, 0)), lambda: pin.JointModelUniversal(np.eye(3)[0], np.eye(3)[1])),
    "f": (pp.Translational(), pin.JointModelTranslation),
    "g": (pp.Prismatic(U), lambda: pin.JointModelPrismaticUnaligned(U)),
}


def cylinder(first: str) -> Any:
    both = pin.JointModelComposite(2)
    for kind in (first, "slide" if first == "hinge" else "hinge"):
        both.addJoint(pin.JointModelRZ() if kind == "hinge" else pin.JointModelPZ())
    return both


def pinocchio_of(robot: pp.Robot, make: dict[str, Callable[[], Any]]) -> Any:
    """The model, its joints added depth first and the last child first: not in phipsi's order."""
    model = pin.Model()
    model.gravity.linear = np.array(robot.gravity)
    stack = [(k, 0) for k in np.flatnonzero(robot.parent == -1)]
    while stack:
        k, parent = stack.pop()
        placement = pin.SE3(np.array(robot.placements.rotation[k]), np.array(robot.placements.position[k]))
        i = model.addJoint(parent, make[robot.body_names[k]](), placement, robot.joint_names[k])
        inertia = pin.Inertia(float(robot.mass[k]), np.array(robot.com[k]), np.array(robot.inertia[k]))
        model.appendBodyToJoint(i, inertia, pin.SE3.Identity())
        stack.extend((child, i) for child in np.flatnonzero(robot.parent == k))
        body, pose = robot.frame("tool")
        if body == k:
            at = pin.SE3(np.array(pose.rotation), np.array(pose.position))
            model.addFrame(pin.Frame("tool", i, 0, at, pin.FrameType.OP_FRAME))
    return model


def check_pinocchio(robot: pp.Robot, model: Any, to: pp.conventions.Converter, tool: str = "tool") -> None:
    data = model.createData()
    q, v = robot.random(4, rng=1)
    a, tau = np.random.default_rng(2).normal(size=(2, 4, robot.nv))
    qs, vs, accelerations, taus = to.to_q(q), to.to_v(q, v), to.to_a(q, v, a), to.to_tau(q, tau)
    masses, inverses = (
        to.to_mass_matrix(q, robot.mass_matrix(q)),
        to.to_inverse_mass_matrix(q, robot.inverse_mass_matrix(q)),
    )
    jacobians = to.to_jacobian(q, robot.jacobian(q, tool))
    torques = to.to_tau(q, robot.inverse_dynamics(q, v, a))
    forward = to.to_a(q, v, robot.forward_dynamics(q, v, tau))
    for k in range(4):
        close = {"rtol": 1e-9, "atol": 1e-9 * np.abs(masses[k]).max()}
        upper = np.triu(pin.crba(model, data, qs[k]))
        np.testing.assert_allclose(masses[k], upper + np.triu(upper, 1).T, **close)
        np.testing.assert_allclose(inverses[k] @ masses[k], np.eye(robot.nv), atol=1e-8)
        np.testing.assert_allclose(torques[k], pin.rnea(model, data, qs[k], vs[k], accelerations[k]), **close)
        scale = np.abs(forward[k]).max()
        np.testing.assert_allclose(forward[k], pin.aba(model, data, qs[k], vs[k], taus[k]), atol=1e-9 * scale)
        theirs = pin.computeFrameJacobian(
            model, data, qs[k], model.getFrameId(tool), pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
        )
        np.testing.assert_allclose(jacobians[k], theirs, rtol=1e-10, atol=1e-10)
        # their v really is the rate of their q
        step = 1e-7
        moved = to.to_q(robot.integrate(q[k], step * v[k]))
        np.testing.assert_allclose(pin.difference(model, qs[k], moved) / step, vs[k], rtol=1e-5, atol=1e-5)


def check_way_back(robot: pp.Robot, to: pp.conventions.Converter) -> None:
    q, v = robot.random((2, 3), rng=3)
    a, tau = np.random.default_rng(4).normal(size=(2, 2, 3, robot.nv))
    mass, jacobian = robot.mass_matrix(q), robot.jacobian(q, robot.body_names[-1])
    qt = to.to_q(q)
    vt = to.to_v(q, v)
    back = to.from_q(qt)
    np.testing.assert_allclose(robot.difference(q, back), np.zeros_like(v), atol=1e-7)
    np.testing.assert_allclose(to.from_v(qt, vt), v, atol=1e-12)
    np.testing.assert_allclose(to.from_a(qt, vt, to.to_a(q, v, a)), a, atol=1e-12)
    np.testing.assert_allclose(to.from_tau(qt, to.to_tau(q, tau)), tau, atol=1e-12)
    np.testing.assert_allclose(to.from_mass_matrix(qt, to.to_mass_matrix(q, mass)), mass, atol=1e-11)
    np.testing.assert_allclose(to.from_inverse_mass_matrix(qt, to.to_inverse_mass_matrix(q, mass)), mass, atol=1e-11)
    np.testing.assert_allclose(to.from_jacobian(qt, to.to_jacobian(q, jacobian)), jacobian, atol=1e-12)
    np.testing.assert_allclose(to.from_columns(qt, to.to_columns(q, jacobian[..., :3, :])), jacobian[..., :3, :])
    np.testing.assert_array_equal(to.from_spatial(to.to_spatial(np.arange(6.0))), np.arange(6.0))
    turn = to.velocity_map(q)
    np.testing.assert_allclose(
        turn @ np.swapaxes(turn, -1, -2), np.broadcast_to(np.eye(robot.nv), turn.shape), atol=1e-12
    )
    np.testing.assert_allclose(np.einsum("...ij,...j->...i", turn, v), vt, atol=1e-12)
    # the same power, and the same energy
    np.testing.assert_allclose((to.to_tau(q, tau) * vt).sum(-1), (tau * v).sum(-1))
    energy = np.einsum("...i,...ij,...j->...", vt, to.to_mass_matrix(q, mass), vt) / 2
    np.testing.assert_allclose(energy, robot.kinetic_energy(q, v))


def test_pinocchio_with_every_joint() -> None:
    robot = robot_of({name: joint for name, (joint, _) in PIN.items()})
    model = pinocchio_of(robot, {name: make for name, (_, make) in PIN.items()})
    assert list(model.names)[1:] != list(robot.joint_names)
    to = pp.conventions.pinocchio(robot, model)
    assert (to.nq, to.nv) == (model.nq, model.nv)
    check_pinocchio(robot, model, to)
    check_way_back(robot, to)


@pytest.mark.parametrize("first", ["hinge", "slide"])
def test_pinocchio_composites_are_cylindrical_joints(first: str) -> None:
    robot = robot_of({"trunk": pp.Cylindrical(Z), "a": pp.Revolute(Z)})
    model = pinocchio_of(robot, {"trunk": lambda: cylinder(first), "a": pin.JointModelRZ})
    check_pinocchio(robot, model, pp.conventions.pinocchio(robot, model))


@pytest.mark.parametrize("base", ["fixed", "free"])
@pytest.mark.parametrize("file", ["anymal_b_simple_description/robots/anymal", "talos_data/robots/talos_reduced",
                                  "ur_description/urdf/ur5_robot", "tiago_description/robots/tiago"])  # fmt: skip
@pytest.mark.filterwarnings("ignore::phipsi.PhipsiWarning")
def test_pinocchio_reads_the_same_urdf(file: str, base: str) -> None:
    path = urdf(file)
    model = pin.buildModelFromUrdf(path, *([pin.JointModelFreeFlyer()] if base == "free" else []))
    robot = pp.load(path, base=base)
    check_pinocchio(robot, model, pp.conventions.pinocchio(robot, model), robot.body_names[-1])


def urdf(file: str) -> str:
    """Where the package example-robot-data has put a robot."""
    try:
        files = importlib.metadata.files("example-robot-data") or []
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("example-robot-data is not installed (pip install 'phipsi[test]')")
    return next(str(entry.locate()) for entry in files if str(entry).endswith(f"{file}.urdf"))


def test_pinocchio_reads_what_phipsi_writes() -> None:
    robot = robot_of({"trunk": pp.Universal((1, 0, 0), (0, 1, 0)), "a": pp.Cylindrical(Z), "b": pp.Translational()})
    with pytest.warns(pp.FileWarning, match="written as several"):
        model = pin.buildModelFromXML(robot.to_urdf())
    to = pp.conventions.pinocchio(robot, model)
    check_pinocchio(robot, model, to)
    check_way_back(robot, to)


def test_pinocchio_without_a_model() -> None:
    robot = robot_of({name: joint for name, (joint, _) in PIN.items()})
    to = pp.conventions.pinocchio(robot)
    q, v = robot.random(rng=0)
    np.testing.assert_array_equal(to.to_q(q)[:7], q[[4, 5, 6, 1, 2, 3, 0]])
    np.testing.assert_array_equal(to.to_v(q, v)[:6], v[[3, 4, 5, 0, 1, 2]])
    assert (to.nq, to.nv) == (7 + 1 + 4 + 4 + 1 + 2 + 3 + 1, robot.nv)
    check_way_back(robot, to)


# ── MuJoCo ────────────────────────────────────────────────────────────────────────────────────────────────────────


def mujoco_of(robot: pp.Robot) -> Any:
    """The model; a joint of several dofs is several joints of one body, without names where it can be."""
    spec = mj.MjSpec()
    spec.option.gravity = robot.gravity
    bodies: dict[int, Any] = {-1: spec.worldbody}
    for k, joint in enumerate(robot.joints):
        pose = robot.placements[k]
        body = bodies[int(robot.parent[k])].add_body(name=robot.body_names[k], pos=pose.position, quat=pose.quaternion)
        i = robot.inertia[k]
        body.mass, body.ipos, body.explicitinertial = float(robot.mass[k]), robot.com[k], True
        body.fullinertia = [i[0, 0], i[1, 1], i[2, 2], i[0, 1], i[0, 2], i[1, 2]]
        x = joint.parameters
        hinge, slide = mj.mjtJoint.mjJNT_HINGE, mj.mjtJoint.mjJNT_SLIDE
        parts: list[tuple[Any, Any]] = {
            "free": [(mj.mjtJoint.mjJNT_FREE, None)],
            "spherical": [(mj.mjtJoint.mjJNT_BALL, None)],
            "revolute": [(hinge, x)],
            "prismatic": [(slide, x)],
            "cylindrical": [(slide, x[:3]), (hinge, x[:3])],
            "universal": [(hinge, x[:3]), (hinge, x[3:])],
            "translational": [(slide, -Z), (slide, np.eye(3)[0]), (slide, np.eye(3)[1])],
            "planar": [(slide, np.cross(x[:3], x[3:6]) if len(x) == 6 else None), (slide, -x[3:]), (hinge, x[:3])],
        }[joint.kind]
        for kind, axis in parts:
            added = body.add_joint(type=kind)
            if axis is not None:
                added.axis = axis
            if len(parts) == 1 and joint.kind != "free":
                added.name = robot.joint_names[k]
        bodies[k] = body
    return spec.compile()


def check_mujoco(robot: pp.Robot, model: Any, to: pp.conventions.Converter) -> None:
    data = mj.MjData(model)
    q, v = robot.random(4, rng=1)
    tau = np.random.default_rng(2).normal(size=(4, robot.nv))
    qs, vs, taus = to.to_q(q), to.to_v(q, v), to.to_tau(q, tau)
    masses = to.to_mass_matrix(q, robot.mass_matrix(q))
    at_rest = to.from_a(qs, vs, np.zeros_like(vs))
    biases = to.to_tau(q, robot.inverse_dynamics(q, v, at_rest))
    forward = to.to_a(q, v, robot.forward_dynamics(q, v, tau))
    jacobians = to.to_jacobian(q, robot.jacobian(q, robot.body_names[-1]))
    for k in range(4):
        data.qpos[:], data.qvel[:], data.qfrc_applied[:] = qs[k], vs[k], taus[k]
        mj.mj_forward(model, data)
        full = np.zeros((model.nv, model.nv))
        mj.mj_fullM(model, full, data.qM) if hasattr(data, "qM") else mj.mj_fullM(model, data, full)
        np.testing.assert_allclose(masses[k], full, rtol=1e-9, atol=1e-9)
        np.testing.assert_allclose(biases[k], data.qfrc_bias, rtol=1e-9, atol=1e-8)
        np.testing.assert_allclose(forward[k], data.qacc, rtol=1e-8, atol=1e-8)
        linear, angular = np.zeros((2, 3, model.nv))
        body = model.body(robot.body_names[-1]).id
        mj.mj_jacBody(model, data, linear, angular, body)
        np.testing.assert_allclose(jacobians[k], np.vstack([linear, angular]), atol=1e-10)
        step = 1e-7
        rate = np.zeros(model.nv)
        mj.mj_differentiatePos(model, rate, step, qs[k], to.to_q(robot.integrate(q[k], step * v[k])))
        np.testing.assert_allclose(rate, vs[k], rtol=1e-5, atol=1e-5)


MUJOCO = {
    "trunk": pp.Free(), "a": pp.Spherical(), "b": pp.Planar(), "c": pp.Universal((1, 0, 0), (0, 1, 1)),
    "d": pp.Translational(), "e": pp.Cylindrical(U), "f": pp.Revolute(U), "g": pp.Prismatic(U),
}  # fmt: skip


def test_mujoco_with_every_joint() -> None:
    robot = robot_of(MUJOCO)
    model = mujoco_of(robot)
    to = pp.conventions.mujoco(robot, model)
    check_mujoco(robot, model, to)
    check_way_back(robot, to)


def test_mujoco_free_joints_start_in_the_world() -> None:
    robot = robot_of({"trunk": pp.Free(), "a": pp.Revolute(Z)})
    model = mujoco_of(robot)
    moved = robot.placed(pp.Pose((1, 2, 3), rpy=(0.3, 0.4, 0.5)))
    to = pp.conventions.mujoco(moved, model)
    check_mujoco(moved, model, to)
    check_way_back(moved, to)


MJCF = """
<mujoco>
  <default> <geom contype="0" conaffinity="0"/> </default>
  <worldbody>
    <body name="torso" pos="0 0 1"> <freejoint/>
      <geom type="box" size=".1 .2 .3" mass="3"/>
      <body pos="0 0 .5"> <joint type="ball"/> <geom type="sphere" size=".1" mass="1"/> </body>
      <body name="arm" pos=".1 .2 .3">
        <joint axis="0 1 0" pos=".1 0 0"/> <joint axis="1 0 0"/>
        <geom type="capsule" size=".05 .2" mass="1"/>
        <body pos="0 0 .4"> <joint name="grip" type="slide" axis="0 0 1" ref=".1"/>
          <geom type="box" size=".1 .1 .1" pos=".1 0 0" mass="1"/> </body>
      </body>
    </body>
  </worldbody>
</mujoco>
"""


def test_mujoco_reads_the_same_mjcf() -> None:
    robot = pp.load_mjcf_string(MJCF)
    model = mj.MjModel.from_xml_string(MJCF)
    to = pp.conventions.mujoco(robot, model)
    data = mj.MjData(model)
    q, v = robot.random(rng=0)
    tau = np.random.default_rng(0).normal(size=robot.nv)
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = to.to_q(q), to.to_v(q, v), to.to_tau(q, tau)
    mj.mj_forward(model, data)
    np.testing.assert_allclose(to.to_a(q, v, robot.forward_dynamics(q, v, tau)), data.qacc, rtol=1e-9, atol=1e-9)
    check_way_back(robot, to)


def test_mujoco_without_a_model() -> None:
    robot = robot_of(MUJOCO)
    to = pp.conventions.mujoco(robot)
    q, _ = robot.random(rng=0)
    np.testing.assert_array_equal(to.to_q(q)[:7], q[[4, 5, 6, 0, 1, 2, 3]])
    c = robot.joint("b_joint").q
    np.testing.assert_array_equal(to.to_q(q)[c], q[c][[1, 2, 0]])
    check_way_back(robot, to)


# ── what cannot be converted, and batches ─────────────────────────────────────────────────────────────────────────


def test_batches_broadcast() -> None:
    robot = robot_of(MUJOCO)
    to = pp.conventions.mujoco(robot)
    q, _ = robot.random((4, 1), rng=0)
    _, v = robot.random(3, rng=1)
    assert to.to_v(q, v).shape == (4, 3, robot.nv)
    np.testing.assert_allclose(to.to_v(q, v)[2, 1], to.to_v(q[2, 0], v[1]))
    assert to.to_a(q, v, v).shape == (4, 3, robot.nv)
    assert to.to_mass_matrix(q, np.eye(robot.nv)).shape == (4, 1, robot.nv, robot.nv)
    assert to.to_columns(q[:, 0], np.zeros((5, robot.nv))).shape == (4, 5, robot.nv)
    assert to.to_q(np.zeros((0, robot.nq))).shape == (0, to.nq)
    assert repr(to) == f"<Converter phipsi 'test' <-> mujoco: nq = {to.nq}, nv = {to.nv}>"


def pin_model(**joints: Any) -> Any:
    model = pin.Model()
    for name, joint in joints.items():
        model.addJoint(0, joint, pin.SE3.Identity(), name)
    return model


ONE = robot_of({"trunk": pp.Revolute(Z)})
TO = pp.conventions.pinocchio(robot_of({"trunk": pp.Free()}))
MISTAKES = [
    (lambda: pp.conventions.pinocchio(ONE, pin_model(x=pin.JointModelRZ())), pp.ModelError, "pinocchio: joints without a partner: the robot's 'trunk_joint'; the model's 'x'. Joints are matched by name: load both from one file, or give the joints of the robot the model's names."),
    (lambda: pp.conventions.pinocchio(ONE, pin_model(trunk_joint=pin.JointModelRZ(), x=pin.JointModelRZ())), pp.ModelError, "pinocchio: joints without a partner: none of the robot's; the model's 'x'. Joints are matched by name: load both from one file, or give the joints of the robot the model's names."),
    (lambda: pp.conventions.pinocchio(ONE, pin_model(trunk_joint=pin.JointModelPZ())), pp.ModelError, "pinocchio: joint 'trunk_joint' is revolute here and slide there, and no rule relates their coordinates. Use the same joint type in both."),
    (lambda: pp.conventions.pinocchio(robot_of({"trunk": pp.Spherical()}), pin_model(trunk_joint=pin.JointModelSphericalZYX())), pp.ModelError, "pinocchio: joint 'trunk_joint' is spherical here and SphericalZYX there, and no rule relates their coordinates. Use the same joint type in both."),
    (lambda: pp.conventions.mujoco(robot_of({"trunk": pp.Helical(Z, 1)})), pp.ModelError, "mujoco: joint 'trunk_joint' is helical, and mujoco has no such joint. Give a model that has it."),
    (lambda: pp.conventions.drake(robot_of({"trunk": pp.Cylindrical(Z)})), pp.ModelError, "drake: joint 'trunk_joint' is cylindrical, and drake has no such joint. Give a model that has it."),
    (lambda: pp.conventions.mujoco(3), pp.DTypeError, "mujoco: robot must be a Robot, got int 3."),
    (lambda: pp.conventions.pinocchio(ONE, ONE), pp.DTypeError, "pinocchio: model must be a pinocchio.Model or None, got Robot <Robot 'test': 1 body, nq = 1, nv = 1>."),
    (lambda: TO.to_v(np.zeros(6), np.zeros(6)), pp.ShapeError, "pinocchio.to_v: q (configuration) must have shape (*batch, 7), got (6,). A to_... method takes phipsi's numbers."),
    (lambda: TO.from_v(np.ones(7), np.zeros(7)), pp.ShapeError, "pinocchio.from_v: v (velocities) must have shape (*batch, 6), got (7,). A from_... method takes pinocchio's numbers."),
    (lambda: TO.to_mass_matrix(np.ones(7), np.eye(7)), pp.ShapeError, "pinocchio.to_mass_matrix: matrix (mass matrix) must have shape (*batch, 6, 6), got (7, 7). Leading axes are the batch; the trailing ones are the robot's own numbers."),
    (lambda: TO.to_jacobian(np.ones(7), np.zeros((3, 6))), pp.ShapeError, "pinocchio.to_jacobian: matrix (Jacobian) must have shape (*batch, 6, 6), got (3, 6). For other rows, take to_columns."),
    (lambda: TO.to_v(np.ones((2, 7)), np.zeros((3, 6))), pp.ShapeError, "pinocchio: the batch axes do not broadcast: q (2,), x (3,). Leading axes follow NumPy's rules: equal, 1 or absent; add an axis with x[:, None]."),
    (lambda: TO.to_q("zero"), pp.DTypeError, "pinocchio.to_q: q must be real numbers, got 'zero'."),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "sentence"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_named(make: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as error:
        make()
    assert str(error.value) == sentence
