"""A robot as plain text and back, to the last bit: what recorded runs keep of it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np

from phipsi.model import joints as joint_types
from phipsi.model.description import Attached, Description, Frame
from phipsi.model.inertia import Payload
from phipsi.model.joint import Joint
from phipsi.model.pose import Pose
from phipsi.model.properties import Mimic
from phipsi.model.reading import read_only
from phipsi.model.robot import Robot

_NUMBERS = ("armature", "damping", "friction", "stiffness", "rest", "lower", "upper", "velocity_limit", "effort_limit")


def to_text(robot: Robot) -> str:
    """JSON (with Infinity for limits that are none)."""
    d = robot.description
    return json.dumps(
        {
            "name": d.name,
            "gravity": d.gravity.tolist(),
            "body_names": d.body_names,
            "parent": d.parent.tolist(),
            "joints": [_joint(joint) for joint in d.joints],
            "placements": _pose(d.placements),
            "mass": d.mass.tolist(),
            "com": d.com.tolist(),
            "inertia": d.inertia.tolist(),
            "frames": [[frame.name, frame.body, _pose(frame.pose)] for frame in d.frames],
            "payloads": [[x.name, x.body, _pose(x.pose), _payload(x.payload)] for x in d.payloads],
            "groups": {name: list(members) for name, members in d.groups.items()},
        }
    )


def from_text(text: str) -> Robot:
    """The robot that `to_text` wrote."""
    d: dict[str, Any] = json.loads(text)
    n = len(d["body_names"])
    return Robot(
        Description(
            name=d["name"],
            gravity=read_only(np.array(d["gravity"], dtype=float)),
            body_names=tuple(d["body_names"]),
            parent=np.array(d["parent"], dtype=np.intp),
            joints=tuple(_as_joint(joint) for joint in d["joints"]),
            placements=_as_pose(d["placements"], (n,)),
            mass=read_only(np.array(d["mass"], dtype=float)),
            com=read_only(np.array(d["com"], dtype=float).reshape(n, 3)),
            inertia=read_only(np.array(d["inertia"], dtype=float).reshape(n, 3, 3)),
            frames=tuple(Frame(name, body, _as_pose(pose, ())) for name, body, pose in d["frames"]),
            payloads=tuple(
                Attached(name, body, _as_pose(pose, ()), Payload(*own)) for name, body, pose, own in d["payloads"]
            ),
            groups={name: tuple(members) for name, members in d["groups"].items()},
        )
    )


def _pose(pose: Pose) -> list[Any]:
    return [pose.rotation.tolist(), pose.position.tolist()]


def _as_pose(pose: list[Any], batch: tuple[int, ...]) -> Pose:
    rotation, position = (np.array(x, dtype=float) for x in pose)
    return Pose.trusted(rotation.reshape(*batch, 3, 3), position.reshape(*batch, 3))


def _payload(payload: Payload) -> list[Any]:
    return [payload.mass, payload.com.tolist(), payload.inertia.tolist()]


def _joint(joint: Joint) -> dict[str, Any]:
    mimic = joint.mimic
    return {
        "kind": joint.kind,
        "nq": joint.nq,
        "nv": joint.nv,
        "parameters": list(joint.flat_parameters),
        "name": joint.name,
        "passive": None if joint.passive is None else list(joint.passive),
        "mimic": None if mimic is None else [mimic.joint, mimic.multiplier, mimic.offset],
        **{name: list(getattr(joint, name)) for name in _NUMBERS},
    }


def _as_joint(row: dict[str, Any]) -> Joint:
    """Past the constructors, which would make axes of unit length once more."""
    kind: type[Joint] = getattr(joint_types, row["kind"].capitalize())
    joint = object.__new__(kind)
    joint.__dict__.update(
        _parameters=tuple(row["parameters"]),
        _nq=row["nq"],
        _nv=row["nv"],
        name=row["name"],
        passive=None if row["passive"] is None else tuple(row["passive"]),
        mimic=None if row["mimic"] is None else Mimic(*row["mimic"]),
        **{name: tuple(row[name]) for name in _NUMBERS},
    )
    return joint
