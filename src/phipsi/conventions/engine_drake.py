"""Drake: floating bases and ball joints with velocities in the parent's axes, [angular; linear]."""

from __future__ import annotations

from typing import Any

from phipsi import errors
from phipsi.conventions.charts import BallRpy, Chart, FreeParent, PlanarParent, Same
from phipsi.conventions.converter import Converter
from phipsi.conventions.matching import Theirs, check_arguments, match
from phipsi.model.joints import Joint
from phipsi.model.robot import Robot

_ENGINE = "drake"
# Drake's type names, in the words of the matching; the others are their own
_KINDS = {"revolute": "hinge", "prismatic": "slide"}
_USUAL: dict[str, tuple[str, int, int]] = {  # kind, nq, nv
    "revolute": ("hinge", 1, 1),
    "prismatic": ("slide", 1, 1),
    "helical": ("screw", 1, 1),
    "universal": ("universal", 2, 2),
    "spherical": ("ball_rpy", 3, 3),
    "planar": ("planar", 3, 3),
    "free": ("quaternion_floating", 7, 6),
}


def drake(robot: Robot, plant: Any = None) -> Converter:
    """To and from a finalized `pydrake` MultibodyPlant of the same robot.

    Floating base: q = [quaternion wxyz, p], v = [ω; v], both in the *parent's* axes, so that v̇ has ω × v in it. Ball
    joints: q = (roll, pitch, yaw), ω in the parent's axes. Planar: q = (x, y, angle), v = q̇. Jacobians have the rows
    [angular; linear], as here. Joints are matched by name, else by the name of their body, free bases also in order.

    Without a `plant`, joints are taken in phipsi's order, one behind the other in q and in v.
    """
    check_arguments(_ENGINE, robot, "plant", plant, "a pydrake MultibodyPlant", "GetJointIndices")
    theirs = _usual(robot) if plant is None else _joints(plant)
    nq = sum(len(joint.q) for joint in theirs) if plant is None else int(plant.num_positions())
    return Converter(robot, _ENGINE, match(robot, theirs, _ENGINE, _chart), nq, linear_first=False)


def _joints(plant: Any) -> list[Theirs]:
    found: list[Theirs] = []
    for index in plant.GetJointIndices():
        joint = plant.get_joint(index)
        kind = str(joint.type_name())
        q, v = int(joint.position_start()), int(joint.velocity_start())
        numbers = range(q, q + int(joint.num_positions())), range(v, v + int(joint.num_velocities()))
        found.append(Theirs(str(joint.name()), _KINDS.get(kind, kind), *numbers, str(joint.child_body().name())))
    return found


def _chart(robot: Robot, k: int, joint: Joint, kind: str) -> Chart | None:
    charts: dict[tuple[str, str], Chart] = {
        ("revolute", "hinge"): Same((0,), (1.0,)),
        ("prismatic", "slide"): Same((0,), (1.0,)),
        ("helical", "screw"): Same((0,), (1.0,)),
        ("universal", "universal"): Same((0, 1), (1.0, 1.0)),
        ("spherical", "ball_rpy"): BallRpy(),
        ("planar", "planar"): PlanarParent(),
        ("free", "quaternion_floating"): FreeParent(),
        ("free", "rpy_floating"): FreeParent(rpy=True),
    }
    return charts.get((joint.kind, kind))


def _usual(robot: Robot) -> list[Theirs]:
    found: list[Theirs] = []
    q = v = 0
    for joint in robot.joints:
        if not joint.nv:
            continue
        if joint.kind not in _USUAL:
            raise errors.no_such_joint(_ENGINE, str(joint.name), joint.kind)
        kind, nq, nv = _USUAL[joint.kind]
        found.append(Theirs(str(joint.name), kind, range(q, q + nq), range(v, v + nv)))
        q, v = q + nq, v + nv
    return found
