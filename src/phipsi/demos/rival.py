"""The same free-flying satellite in phipsi and in MuJoCo: steps a second of either, one state, one thread."""

from __future__ import annotations

import importlib
import importlib.util
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import phipsi as pp
from phipsi.motion.simulate import simulate

STEPS = 4000


def race(repeats: int = 5) -> tuple[float, float | None]:
    """Steps a second of semi-implicit Euler, best of some: phipsi's, and MuJoCo's `rollout` or None without it."""
    robot = pp.zoo.dual_arm_satellite()
    q, v = robot.neutral(), 0.1 * np.random.default_rng(0).normal(size=robot.nv)

    def ours() -> None:
        simulate(robot, q, v, until=STEPS * 1e-3, step=1e-3, method="euler", record_every=STEPS, progress=False)

    theirs = _mujoco(robot, v)
    best = [np.inf, np.inf]
    for _ in range(repeats):  # taking turns, so that a busy machine is busy for both
        best[0] = min(best[0], _timed(ours))
        if theirs is not None:
            best[1] = min(best[1], _timed(theirs))
    return STEPS / best[0], None if theirs is None else STEPS / best[1]


def _timed(work: Callable[[], Any]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _mujoco(robot: pp.Robot, v: Any) -> Callable[[], Any] | None:
    """4000 steps in MuJoCo's own loop, contacts and constraints off."""
    if importlib.util.find_spec("mujoco") is None:
        return None
    mujoco: Any = importlib.import_module("mujoco")
    rollout: Any = importlib.import_module("mujoco.rollout")
    spec = mujoco.MjSpec()
    spec.option.gravity, spec.option.timestep = robot.gravity, 1e-3
    spec.option.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    bodies: list[Any] = []
    for k, joint in enumerate(robot.joints):
        parent = bodies[robot.parent[k]] if robot.parent[k] >= 0 else spec.worldbody
        pose, full = robot.placements[k], robot.inertia[k]
        body = parent.add_body(name=robot.body_names[k], pos=pose.position, quat=pose.quaternion)
        body.mass, body.ipos, body.explicitinertial = float(robot.mass[k]), robot.com[k], True
        body.fullinertia = [full[0, 0], full[1, 1], full[2, 2], full[0, 1], full[0, 2], full[1, 2]]
        if joint.kind == "free":
            body.add_freejoint()
        else:
            body.add_joint(type=mujoco.mjtJoint.mjJNT_HINGE, axis=joint.parameters[:3], armature=joint.armature[0])
        bodies.append(body)
    model = spec.compile()
    data = mujoco.MjData(model)
    data.qvel[:] = v
    state = np.zeros(mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS))
    mujoco.mj_getState(model, data, state, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    return lambda: rollout.rollout(model, data, state[None], nstep=STEPS)
