"""MuJoCo: free joints with linear velocity in world axes, several hinges and slides on one body."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi import errors
from phipsi.conventions.charts import Ball, Chart, FreeMixed, Same
from phipsi.conventions.converter import Converter
from phipsi.conventions.matching import Theirs, check_arguments, match
from phipsi.model.joints import Joint
from phipsi.model.robot import Robot

_ENGINE = "mujoco"
_KINDS = ("free", "ball", "slide", "hinge")  # in the order of mjtJoint
_SIZES = {"free": (7, 6), "ball": (4, 3), "slide": (1, 1), "hinge": (1, 1)}
# phipsi's joint as the joints of a MuJoCo body, where no model says otherwise
_USUAL: dict[str, tuple[str, ...]] = {
    "revolute": ("hinge",),
    "prismatic": ("slide",),
    "cylindrical": ("hinge", "slide"),
    "universal": ("hinge", "hinge"),
    "spherical": ("ball",),
    "planar": ("slide", "slide", "hinge"),
    "translational": ("slide", "slide", "slide"),
    "free": ("free",),
}


def mujoco(robot: Robot, model: Any = None) -> Converter:
    """To and from a `mujoco.MjModel` of the same robot: qpos, qvel, qacc, qfrc.

    Free joints: qpos = [p, quaternion wxyz], qvel = [v in *world* axes; ω in child axes]; qacc is the rate of qvel, so
    its linear part is R (v̇ + ω × v). Ball joints are as here. A planar, universal, cylindrical or translational joint
    is several hinges and slides on one body; those of a planar joint move in the parent's axes. Jacobians have the
    rows [jacp; jacr]. Joints are matched by name, else by the name of their body.

    Without a `model`, joints are taken in phipsi's order (a planar joint as slide x, slide y, hinge).
    """
    check_arguments(_ENGINE, robot, "model", model, "a mujoco.MjModel", "jnt_qposadr")
    theirs = _usual(robot) if model is None else _joints(model)
    nq = sum(len(joint.q) for joint in theirs) if model is None else int(model.nq)
    return Converter(robot, _ENGINE, match(robot, theirs, _ENGINE, _chart), nq, linear_first=True)


def _joints(model: Any) -> list[Theirs]:
    found: list[Theirs] = []
    for j in range(int(model.njnt)):
        kind = _KINDS[int(model.jnt_type[j])]
        nq, nv = _SIZES[kind]
        q, v, body = int(model.jnt_qposadr[j]), int(model.jnt_dofadr[j]), int(model.jnt_bodyid[j])
        name = str(model.joint(j).name) or _unnamed(model, j, body)
        axis = np.array(model.jnt_axis[j], dtype=np.float64)
        found.append(Theirs(name, kind, range(q, q + nq), range(v, v + nv), str(model.body(body).name), axis))
    return found


def _unnamed(model: Any, j: int, body: int) -> str:
    """What `load_mjcf` calls a joint without a name."""
    name = str(model.body(body).name) or f"body_{body}"
    alone = int(model.body_jntnum[body]) == 1
    return name if alone else f"{name}_joint_{j - int(model.body_jntadr[body]) + 1}"


def _chart(robot: Robot, k: int, joint: Joint, kind: str) -> Chart | None:
    if (joint.kind, kind) in (("revolute", "hinge"), ("prismatic", "slide")):
        return Same((0,), (1.0,))
    if (joint.kind, kind) == ("spherical", "ball"):
        return Ball(scalar_last=False)
    if (joint.kind, kind) == ("free", "free") and robot.parent[k] < 0:
        return FreeMixed(robot.placements[k])
    return None


def _usual(robot: Robot) -> list[Theirs]:
    found: list[Theirs] = []
    q = v = 0
    for k, joint in enumerate(robot.joints):
        if joint.nv and (joint.kind not in _USUAL or (joint.kind == "free" and robot.parent[k] >= 0)):
            raise errors.no_such_joint(_ENGINE, str(joint.name), joint.kind)
        for kind in _USUAL.get(joint.kind, ()):
            nq, nv = _SIZES[kind]
            found.append(Theirs(str(joint.name), kind, range(q, q + nq), range(v, v + nv)))
            q, v = q + nq, v + nv
    return found
