"""The same robot in Pinocchio, and its states and answers in either's numbers.

Pinocchio writes a free joint's q as [position, quaternion xyzw] and its v as [linear; angular], a joint without limits
as [cos, sin], a planar one as [x, y, cos, sin] and [vx, vy, w]; it orders joints by its own rules.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import phipsi as pp

SWAP = np.roll(np.eye(6), 3, axis=0)  # [linear; angular] <-> [angular; linear]


class Twin:
    """A phipsi robot beside a Pinocchio model with the same joint names."""

    def __init__(self, robot: pp.Robot, model: Any):
        self.robot, self.model = robot, model
        # (ours, theirs) by the joints' names; a free base has a name of its own in either
        free = [k for k, joint in enumerate(robot.joints) if joint.kind == "free"]
        ours = {name: k for k, name in enumerate(robot.joint_names)}
        self.pairs = [(ours.get(model.names[i], free[0] if free else -1), i) for i in range(1, model.njoints)]
        assert sorted(k for k, _ in self.pairs) == [k for k, j in enumerate(robot.joints) if j.nv]
        self.turn = np.zeros((robot.nv, robot.nv))  # v_theirs = turn @ v_ours
        for k, i in self.pairs:
            own = slice(robot.v_index[k], robot.v_index[k + 1])
            theirs = slice(model.joints[i].idx_v, model.joints[i].idx_v + model.joints[i].nv)
            block = {"free": SWAP, "planar": np.roll(np.eye(3), -1, axis=0)}.get(
                robot.joints[k].kind, np.eye(own.stop - own.start)
            )
            self.turn[theirs, own] = block
        model.armature = self.v(robot.armature)  # URDF knows none; Pinocchio keeps it with the model
        self.data = model.createData()

    def q(self, q: np.ndarray) -> np.ndarray:
        """Our configuration in Pinocchio's numbers."""
        out = np.zeros(self.model.nq)
        for k, i in self.pairs:
            x = q[self.robot.q_index[k] : self.robot.q_index[k + 1]]
            joint, kind = self.model.joints[i], self.robot.joints[k].kind
            if kind == "free":
                x = np.r_[x[4:], x[1:4], x[0]]
            elif kind == "spherical":
                x = np.r_[x[1:4], x[0]]
            elif kind == "planar":
                x = np.r_[x[1:], np.cos(x[0]), np.sin(x[0])]
            elif joint.nq == 2 and len(x) == 1:
                x = np.r_[np.cos(x), np.sin(x)]
            out[joint.idx_q : joint.idx_q + joint.nq] = x
        return out

    def v(self, v: np.ndarray) -> np.ndarray:
        """Our velocity or acceleration in Pinocchio's numbers."""
        return self.turn @ v

    def back(self, x: np.ndarray) -> np.ndarray:
        """Their vector or matrix over velocities (last axes) in our order. The turn is orthogonal."""
        return self.turn.T @ x

    def matrix(self, x: np.ndarray) -> np.ndarray:
        return self.turn.T @ x @ self.turn

    def wide(self, x: np.ndarray) -> np.ndarray:
        """Their 6 x nv (linear first) as ours."""
        return SWAP @ x @ self.turn

    def forces(self, q: np.ndarray, f_ext: np.ndarray) -> list[Any]:
        """Our external forces, one for each of their joints, in the joint's axes."""
        rotation = self.robot.poses(q).rotation
        out = [pin.Force.Zero() for _ in range(self.model.njoints)]
        for k, i in self.pairs:
            out[i] = pin.Force(rotation[k].T @ f_ext[k, 3:], rotation[k].T @ f_ext[k, :3])
        return out


def six(x: Any) -> np.ndarray:
    """A Pinocchio motion or force, angular first."""
    return np.r_[x.angular, x.linear]


def of_urdf(robot: pp.Robot, path: str, base: str) -> Twin:
    """Pinocchio's own reading of a URDF file."""
    root = [pin.JointModelFreeFlyer()] if base == "free" else []
    return Twin(robot, pin.buildModelFromUrdf(path, *root))


def of_robot(robot: pp.Robot) -> Twin:
    """A Pinocchio model made body by body: every joint type but the custom one. Pinocchio wants trees depth first."""
    model = pin.Model()
    model.gravity = pin.Motion(np.asarray(robot.gravity), np.zeros(3))
    made: list[int] = []
    for k, joint in enumerate(robot.joints):
        placement = pin.SE3(robot.placements.rotation[k], robot.placements.position[k])
        parent = made[robot.parent[k]] if robot.parent[k] >= 0 else 0
        i = model.addJoint(parent, _joint(joint), placement, robot.joint_names[k])
        body = pin.Inertia(float(robot.mass[k]), np.asarray(robot.com[k]), np.asarray(robot.inertia[k]))
        model.appendBodyToJoint(i, body, pin.SE3.Identity())
        model.addFrame(pin.Frame(robot.body_names[k], i, pin.SE3.Identity(), pin.FrameType.BODY))
        made.append(i)
    for name in robot.frame_names[robot.n :]:
        body, pose = robot.frame(name)
        i = made[body] if body >= 0 else 0
        model.addFrame(pin.Frame(name, i, pin.SE3(pose.rotation, pose.position), pin.FrameType.OP_FRAME))
    return Twin(robot, model)


def _joint(joint: pp.Joint) -> Any:
    x = joint.parameters
    if joint.kind == "cylindrical":
        both = pin.JointModelComposite(2)
        both.addJoint(pin.JointModelRevoluteUnaligned(x[:3]))
        both.addJoint(pin.JointModelPrismaticUnaligned(x[:3]))
        return both
    return {
        "revolute": lambda: pin.JointModelRevoluteUnaligned(x[:3]),
        "prismatic": lambda: pin.JointModelPrismaticUnaligned(x[:3]),
        "helical": lambda: pin.JointModelHelicalUnaligned(x[:3], float(x[3])),
        "universal": lambda: pin.JointModelUniversal(x[:3], x[3:6]),
        "spherical": pin.JointModelSpherical,
        "planar": pin.JointModelPlanar,
        "translational": pin.JointModelTranslation,
        "free": pin.JointModelFreeFlyer,
    }[joint.kind]()
