"""Pinocchio: quaternions xyzw, [linear; angular], continuous joints as (cos, sin), joints in its own order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from phipsi import errors
from phipsi.conventions.charts import Ball, Chart, CosSin, FreeLocal, PlanarLocal, Same
from phipsi.conventions.converter import Converter
from phipsi.conventions.matching import Theirs, check_arguments, match
from phipsi.model.joints import Joint
from phipsi.model.robot import Robot

_ENGINE = "pinocchio"
# phipsi's joint -> Pinocchio's, where no model says otherwise; several where it has none of its kind
_USUAL: dict[str, tuple[str, ...]] = {
    "revolute": ("hinge",),
    "prismatic": ("slide",),
    "helical": ("screw",),
    "cylindrical": ("hinge", "slide"),
    "universal": ("universal",),
    "spherical": ("spherical",),
    "planar": ("planar",),
    "translational": ("translation",),
    "free": ("free flyer",),
}
_SIZES = {"universal": (2, 2), "spherical": (4, 3), "planar": (4, 3), "translation": (3, 3), "free flyer": (7, 6)}


def pinocchio(robot: Robot, model: Any = None) -> Converter:
    """To and from a `pinocchio.Model` of the same robot.

    Free flyer: q = [p, quaternion xyzw], v = [v; ω] in child axes. Spherical: quaternion xyzw. Continuous joints:
    q = (cos, sin), so that turns are lost on the way back. Planar: q = (x, y, cos, sin), v = (vx, vy, ω) in child
    axes. Jacobians have rows [linear; angular]. Joints are matched by name (a free base also if the names differ).

    Without a `model`, joints are taken in phipsi's order, and as Pinocchio's nearest: a revolute joint has one
    coordinate, also where a URDF calls it continuous.
    """
    check_arguments(_ENGINE, robot, "model", model, "a pinocchio.Model", "njoints")
    theirs = _usual(robot) if model is None else _joints(model)
    nq = sum(len(joint.q) for joint in theirs) if model is None else int(model.nq)
    return Converter(robot, _ENGINE, match(robot, theirs, _ENGINE, _chart), nq, linear_first=True)


def _joints(model: Any) -> list[Theirs]:
    """The joints of a model; a composite one as the joints that it is made of."""
    found: list[Theirs] = []
    for index in range(1, int(model.njoints)):
        joint, name = model.joints[index], str(model.names[index])
        q, v = int(joint.idx_q), int(joint.idx_v)
        parts: Sequence[Any] = joint.extract().joints if joint.shortname() == "JointModelComposite" else [joint]
        for part in parts:
            nq, nv = int(part.nq), int(part.nv)
            found.append(Theirs(name, _kind(str(part.shortname())), range(q, q + nq), range(v, v + nv)))
            q, v = q + nq, v + nv
    return found


def _kind(shortname: str) -> str:
    """One word for the many classes that Pinocchio has of a joint."""
    name = shortname.removeprefix("JointModel")
    if name.startswith("RUB") or "Unbounded" in name:
        return "continuous"
    named = {
        "FreeFlyer": "free flyer",
        "Spherical": "spherical",
        "Planar": "planar",
        "Translation": "translation",
        "Universal": "universal",
    }
    for start, kind in (("Revolute", "hinge"), ("Prismatic", "slide"), ("Helical", "screw")):
        if name.startswith(start) or name in (start[0] + axis for axis in "XYZ"):
            return kind
    return named.get(name, name)


def _chart(robot: Robot, k: int, joint: Joint, kind: str) -> Chart | None:
    one = Same((0,), (1.0,))
    charts: dict[tuple[str, str], Chart] = {
        ("revolute", "hinge"): one,
        ("revolute", "continuous"): CosSin(),
        ("prismatic", "slide"): one,
        ("helical", "screw"): one,
        ("universal", "universal"): Same((0, 1), (1.0, 1.0)),
        ("spherical", "spherical"): Ball(scalar_last=True),
        ("planar", "planar"): PlanarLocal(),
        ("translational", "translation"): Same((0, 1, 2), (1.0, 1.0, 1.0)),
        ("free", "free flyer"): FreeLocal(),
    }
    return charts.get((joint.kind, kind))


def _usual(robot: Robot) -> list[Theirs]:
    found: list[Theirs] = []
    q = v = 0
    for joint in robot.joints:
        if joint.nv and joint.kind not in _USUAL:
            raise errors.no_such_joint(_ENGINE, str(joint.name), joint.kind)
        for kind in _USUAL.get(joint.kind, ()):
            nq, nv = _SIZES.get(kind, (1, 1))
            found.append(Theirs(str(joint.name), kind, range(q, q + nq), range(v, v + nv)))
            q, v = q + nq, v + nv
    return found
