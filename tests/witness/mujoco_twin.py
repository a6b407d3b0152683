"""The same robot in MuJoCo, made body by body, and its states and answers in either's numbers.

MuJoCo writes a free joint's v as [linear in the world; angular in the body], and takes the rate of these very numbers
for its acceleration. What it lacks (helical, planar as a body twist, custom) has no twin.
"""

from __future__ import annotations

from typing import Any

import mujoco
import numpy as np

import phipsi as pp

KINDS = ("fixed", "revolute", "prismatic", "cylindrical", "universal", "spherical", "translational", "free")


def model_of(robot: pp.Robot) -> Any:
    """A MuJoCo model with the robot's bodies, joints, inertias, armature and gravity."""
    spec = mujoco.MjSpec()
    spec.option.gravity = robot.gravity
    spec.option.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    spec.compiler.boundmass = spec.compiler.boundinertia = 0
    bodies: list[Any] = []
    for k, joint in enumerate(robot.joints):
        parent = bodies[robot.parent[k]] if robot.parent[k] >= 0 else spec.worldbody
        pose = pp.Pose(robot.placements.position[k], robot.placements.rotation[k])
        body = parent.add_body(name=robot.body_names[k], pos=pose.position, quat=pose.quaternion)
        full = robot.inertia[k]
        body.mass, body.ipos, body.explicitinertial = float(robot.mass[k]), robot.com[k], True
        body.fullinertia = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]
        _add_joints(body, joint)
        bodies.append(body)
    return spec.compile()


def _add_joints(body: Any, joint: pp.Joint) -> None:
    hinge, slide = mujoco.mjtJoint.mjJNT_HINGE, mujoco.mjtJoint.mjJNT_SLIDE
    x = joint.parameters
    single = {
        "revolute": [(hinge, x[:3])],
        "prismatic": [(slide, x[:3])],
        "cylindrical": [(hinge, x[:3]), (slide, x[:3])],
        "universal": [(hinge, x[:3]), (hinge, x[3:6])],
        "translational": [(slide, axis) for axis in np.eye(3)],
        "spherical": [(mujoco.mjtJoint.mjJNT_BALL, None)],
        "free": [(mujoco.mjtJoint.mjJNT_FREE, None)],
        "fixed": [],
    }[joint.kind]
    for i, (kind, axis) in enumerate(single):
        added = body.add_joint(type=kind, armature=joint.armature[i])
        if axis is not None:
            added.axis = axis


class Twin:
    """A phipsi robot beside its MuJoCo model. Joints come in the same order; only free joints are told differently."""

    def __init__(self, robot: pp.Robot):
        self.robot = robot
        self.model = model_of(robot)
        self.data = mujoco.MjData(self.model)
        self.free = [k for k, joint in enumerate(robot.joints) if joint.kind == "free"]
        # MuJoCo goes depth first; the tests' robots do as well
        assert [self.model.body(k + 1).name for k in range(robot.n)] == list(robot.body_names)

    def q(self, q: np.ndarray) -> np.ndarray:
        out = q.copy()
        for k in self.free:
            i = self.robot.q_index[k]
            out[i : i + 7] = np.r_[q[i + 4 : i + 7], q[i : i + 4]]
        return out

    def turn(self, q: np.ndarray) -> np.ndarray:
        """T(q), with v_theirs = T v_ours: at a free joint, [R v; w]. R is of the body relative to its joint's frame,
        which for MuJoCo's free joints is the world."""
        T = np.eye(self.robot.nv)
        for k in self.free:
            i, rotation = self.robot.v_index[k], self.robot.poses(q).rotation[k]
            T[i : i + 6, i : i + 6] = np.block([[np.zeros((3, 3)), rotation], [np.eye(3), np.zeros((3, 3))]])
        return T

    def turn_rate_v(self, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        """T-dot v: [R (w x v); 0] at a free joint, so that a_theirs = T a_ours + T-dot v."""
        out = np.zeros(self.robot.nv)
        for k in self.free:
            i, rotation = self.robot.v_index[k], self.robot.poses(q).rotation[k]
            out[i : i + 3] = rotation @ np.cross(v[i : i + 3], v[i + 3 : i + 6])
        return out
