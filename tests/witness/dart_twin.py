"""The same robot in DART, whose joints each have an actuator: torque known (FORCE) or acceleration (ACCELERATION).

DART writes a ball joint's q as a rotation vector and a free joint's as [rotation vector; position]. A free joint's v is
in the axes of the parent body there, [ω; velocity of the child's origin], and in the child's here. The dofs of one
joint must be driven alike, and there is no armature.
"""

from __future__ import annotations

from typing import Any

import dartpy as dart
import numpy as np

import phipsi as pp

KINDS = ("fixed", "revolute", "prismatic", "universal", "spherical", "translational", "free")
ACTUATOR = dart.dynamics.ActuatorType


class DartTwin:
    """A phipsi robot beside a DART skeleton: body k is body k, dof i is dof i."""

    def __init__(self, robot: pp.Robot) -> None:
        assert not robot.armature.any()
        self.robot = robot
        self.skeleton = dart.dynamics.Skeleton(robot.name)
        self.skeleton.setGravity(np.asarray(robot.gravity))
        self.bodies: list[Any] = []
        self.joints: list[Any] = []
        for k, joint in enumerate(robot.joints):
            parent = self.bodies[robot.parent[k]] if robot.parent[k] >= 0 else None
            made, body = self._create(joint, parent)
            made.setName(f"joint {k}")
            made.setTransformFromParentBodyNode(isometry(robot.placements.rotation[k], robot.placements.position[k]))
            body.setInertia(
                dart.dynamics.Inertia(robot.mass[k], np.asarray(robot.com[k]), np.asarray(robot.inertia[k]))
            )
            self.bodies.append(body)
            self.joints.append(made)
        # DART numbers its dofs in an order of its own
        self.dof = [joint.getIndexInSkeleton(i) for joint in self.joints for i in range(joint.getNumDofs())]

    def _create(self, joint: pp.Joint, parent: Any) -> tuple[Any, Any]:
        skeleton, x = self.skeleton, joint.parameters
        make = {
            "fixed": skeleton.createWeldJointAndBodyNodePair,
            "revolute": skeleton.createRevoluteJointAndBodyNodePair,
            "prismatic": skeleton.createPrismaticJointAndBodyNodePair,
            "universal": skeleton.createUniversalJointAndBodyNodePair,
            "spherical": skeleton.createBallJointAndBodyNodePair,
            "translational": skeleton.createTranslationalJointAndBodyNodePair,
            "free": skeleton.createFreeJointAndBodyNodePair,
        }[joint.kind]
        made, body = make(parent) if parent is not None else make()
        if joint.kind in ("revolute", "prismatic"):
            made.setAxis(x[:3])
        if joint.kind == "universal":
            made.setAxis1(x[:3])
            made.setAxis2(x[3:6])
        return made, body

    def place(self, q: np.ndarray, v: np.ndarray) -> None:
        """Takes over a state."""
        self.turn, self.rate = np.eye(self.robot.nv), np.zeros(self.robot.nv)  # theirs = turn @ ours (+ rate)
        for k, joint in enumerate(self.robot.joints):
            own, x = self.own(k), q[self.robot.q_index[k] : self.robot.q_index[k + 1]]
            if joint.kind == "free":
                rotation = pp.Pose(quaternion=x[:4]).rotation
                self.turn[own, own] = np.kron(np.eye(2), self.robot.placements.rotation[k] @ rotation)
                self.rate[own][3:] = np.cross(v[own][:3], v[own][3:])
                x = dart.dynamics.FreeJoint.convertToPositions(isometry(rotation, x[4:]))
            elif joint.kind == "spherical":
                x = dart.dynamics.BallJoint.convertToPositions(pp.Pose(quaternion=x).rotation)
            if len(x):
                self.joints[k].setPositions(x)
                self.joints[k].setVelocities((self.turn @ v)[own])

    def own(self, k: int) -> slice:
        return slice(int(self.robot.v_index[k]), int(self.robot.v_index[k + 1]))

    def push(self, q: np.ndarray, f_ext: np.ndarray) -> None:
        """Our external forces, in the bodies' axes as DART wants them (a moment is a couple of forces)."""
        for k, body in enumerate(self.bodies):
            body.clearExternalForces()
            body.addExtForce(f_ext[k, 3:], np.zeros(3), False, True)
            body.addExtTorque(f_ext[k, :3], False)

    def hybrid_dynamics(
        self, q: np.ndarray, v: np.ndarray, tau: np.ndarray, a: np.ndarray, passive: np.ndarray, f_ext: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """DART's answer to ours, for a mask that leaves joints whole; where torques are known, a is not read."""
        self.place(q, v)
        self.push(q, f_ext)
        torques, accelerations = self.turn @ tau, self.turn @ (a + self.rate)
        for k, joint in enumerate(self.joints):
            own = self.own(k)
            if own.stop == own.start:
                continue
            assert len(set(passive[own])) == 1
            joint.setActuatorType(ACTUATOR.FORCE if passive[own][0] else ACTUATOR.ACCELERATION)
            joint.setCommands(torques[own] if passive[own][0] else accelerations[own])
        self.skeleton.computeForwardDynamics()
        found = self.skeleton.getForces()[self.dof], self.skeleton.getAccelerations()[self.dof]
        return self.turn.T @ found[0], self.turn.T @ found[1] - self.rate


def isometry(rotation: np.ndarray, position: np.ndarray) -> Any:
    matrix = np.eye(4)
    matrix[:3, :3], matrix[:3, 3] = rotation, position
    return dart.math.Isometry3(matrix)
