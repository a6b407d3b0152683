"""Who competes: the same robot in phipsi, Pinocchio and MuJoCo, and its states in each one's coordinates."""

from __future__ import annotations

import importlib.metadata
import re
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import phipsi as pp

Array = NDArray[np.float64]

REAL_ROBOTS = {  # name: (file in example-robot-data, base)
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    "panda": ("panda_description/urdf/panda.urdf", "fixed"),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", "free"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "free"),
}


@dataclass
class States:
    """`size` random states within the joint limits, with torques and accelerations, in one tool's coordinates."""

    q: Array
    v: Array
    tau: Array
    a: Array


@dataclass
class Contest:
    """One robot and all who compete on it."""

    name: str
    robot: pp.Robot
    pin_model: Any
    pin_data: Any
    mujoco_model: Any = None  # None: MuJoCo does not load this robot
    mujoco_data: Any = None

    def states(self, size: int, seed: int = 0) -> States:
        """Random states in phipsi's coordinates."""
        rng = np.random.default_rng(seed)
        q, v = self.robot.random(size, rng=rng)
        return States(q, v, 10.0 * rng.standard_normal(v.shape), rng.standard_normal(v.shape))

    def pin_states(self, ours: States) -> States:
        """The same states in Pinocchio's coordinates."""
        q = np.empty((len(ours.q), self.pin_model.nq))
        for joint in self.pin_model.joints[1:]:
            mine = self._ours(joint)
            value, there = ours.q[:, mine.q], slice(joint.idx_q, joint.idx_q + joint.nq)
            if joint.nq == 7:  # free: ours is [w x y z, position], theirs [position, x y z w]
                value = value[:, [4, 5, 6, 1, 2, 3, 0]]
            elif joint.nq == 2:  # continuous: theirs is [cos, sin]
                value = np.hstack([np.cos(value), np.sin(value)])
            q[:, there] = value
        order = self.pin_order()
        return States(q, *(np.ascontiguousarray(x[:, order]) for x in (ours.v, ours.tau, ours.a)))

    def pin_order(self) -> NDArray[np.intp]:
        """The index of ours that stands at each of Pinocchio's velocity indices."""
        order = np.empty(self.pin_model.nv, dtype=np.intp)
        for joint in self.pin_model.joints[1:]:
            mine = np.arange(self.robot.nv)[self._ours(joint).v]
            order[joint.idx_v : joint.idx_v + joint.nv] = mine[[3, 4, 5, 0, 1, 2]] if joint.nv == 6 else mine
        return order

    def mujoco_states(self, ours: States) -> States:
        """The same states in MuJoCo's coordinates; accelerations too, whose linear part is the world's."""
        model = self.mujoco_model
        q, v, tau, a = np.empty((len(ours.q), model.nq)), *(np.empty((len(ours.q), model.nv)) for _ in range(3))
        for k in range(model.njnt):
            mine = self.robot.joint(model.joint(k).name)
            at_q, at_v = model.jnt_qposadr[k], model.jnt_dofadr[k]
            if model.jnt_type[k] == mujoco.mjtJoint.mjJNT_FREE:
                pose = self.robot.pose(ours.q, self.robot.body_names[mine.index])
                q[:, at_q : at_q + 7] = np.hstack([pose.position, pose.quaternion])
                spin, speed = np.hsplit(ours.v[:, mine.v], 2)
                transport = np.cross(spin, speed)  # the world sees the components of v turn with the body
                for theirs, x in ((v, ours.v), (tau, ours.tau), (a, ours.a)):
                    angular, linear = np.hsplit(x[:, mine.v], 2)
                    linear = linear + transport if theirs is a else linear
                    theirs[:, at_v : at_v + 6] = np.hstack([np.einsum("bij,bj->bi", pose.rotation, linear), angular])
            else:
                q[:, at_q] = ours.q[:, mine.q][:, 0]
                for theirs, x in ((v, ours.v), (tau, ours.tau), (a, ours.a)):
                    theirs[:, at_v] = x[:, mine.v][:, 0]
        return States(q, v, tau, a)

    def _ours(self, joint: Any) -> Any:
        """Our view of Pinocchio's joint: of the same name, or the one free joint."""
        if joint.nv == 6:
            free = next(k for k, mine in enumerate(self.robot.joints) if mine.nv == 6)
            return self.robot.joint(self.robot.joint_names[free])
        return self.robot.joint(self.pin_model.names[joint.id])


def real_robot(name: str) -> Contest:
    """A robot of the table; all read the same URDF file, MuJoCo as phipsi writes it, without meshes."""
    file, base = REAL_ROBOTS[name]
    path = data_file(file)
    robot = pp.load(path, base=base)
    model = pin.buildModelFromUrdf(path, *([pin.JointModelFreeFlyer()] if base == "free" else []))
    return _contest(name, robot, model)


def written_robot(name: str, robot: pp.Robot) -> Contest:
    """A robot of the zoo, which the peers read from the URDF that phipsi writes."""
    return _contest(name, robot, pin.buildModelFromXML(robot.to_urdf()))


def data_file(suffix: str) -> str:
    """The path of a file that the package example-robot-data installed."""
    for file in importlib.metadata.files("example-robot-data") or ():
        if file.as_posix().endswith("/" + suffix):
            return str(file.locate())
    raise FileNotFoundError(f"example-robot-data has no {suffix}: pip install 'phipsi[bench]'")


def _contest(name: str, robot: pp.Robot, model: Any) -> Contest:
    contest = Contest(name, robot, model, model.createData())
    try:
        contest.mujoco_model = _mujoco_model(robot)
        contest.mujoco_data = mujoco.MjData(contest.mujoco_model)
    except ValueError as reason:
        print(f"  MuJoCo sits out on {name}: {str(reason).splitlines()[0]}")
    return contest


def _mujoco_model(robot: pp.Robot) -> Any:
    """MuJoCo's model, with everything switched off that is no part of open-chain dynamics."""
    options = '<mujoco><compiler fusestatic="false" discardvisual="true" boundmass="0" boundinertia="0"/></mujoco>'
    model = mujoco.MjModel.from_xml_string(re.sub(r"(<robot\b[^>]*>)", r"\1" + options, robot.to_urdf(), count=1))
    flag = mujoco.mjtDisableBit
    model.opt.disableflags |= flag.mjDSBL_CONSTRAINT | flag.mjDSBL_CONTACT | flag.mjDSBL_LIMIT
    model.dof_damping[:] = model.dof_frictionloss[:] = 0.0
    model.dof_armature[:] = 0.0
    model.opt.gravity[:] = robot.gravity
    if model.nv != robot.nv:
        raise ValueError(f"it reads {model.nv} of {robot.nv} degrees of freedom from the URDF")
    return model
