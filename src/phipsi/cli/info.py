"""phipsi info: what robot a file holds."""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from .robots import load_robot, robot_arguments
from .words import OK

if TYPE_CHECKING:
    from phipsi.model.robot import Robot


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be asked."""
    robot_arguments(parser)
    parser.add_argument("--json", action="store_true", help="the same as a JSON object")


def run(chosen: argparse.Namespace) -> int:
    """Say what robot a file holds: its tree, degrees of freedom, masses, passive joints, and what was ignored."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = load_robot(chosen)
    facts = describe(robot, [str(warning.message) for warning in caught])
    print(json.dumps(facts, indent=1, ensure_ascii=False) if chosen.json else _told(robot, facts))
    return OK


def describe(robot: Robot, remarks: Sequence[str] = ()) -> dict[str, Any]:
    """What `phipsi info --json` prints: numbers, names and warnings, as JSON holds them."""
    joints: list[dict[str, Any]] = []
    for k, (name, joint) in enumerate(zip(robot.joint_names, robot.joints, strict=True)):
        v = robot.joint(name).v
        parent = int(robot.parent[k])
        joints.append(
            {
                "joint": name,
                "type": joint.kind,
                "dofs": joint.nv,
                "passive": [bool(p) for p in robot.passive[v]],
                "body": robot.body_names[k],
                "parent": "world" if parent < 0 else robot.body_names[parent],
                "mass": float(robot.mass[k]),
            }
        )
    return {
        "name": robot.name,
        "bodies": robot.n,
        "nq": robot.nq,
        "nv": robot.nv,
        "mass": float(robot.mass.sum()),
        "passive_dofs": int(robot.passive.sum()),
        "gravity": robot.gravity.tolist(),
        "joints": joints,
        "frames": [name for name in robot.frame_names if name not in robot.body_names],
        "warnings": list(remarks),
    }


def _told(robot: Robot, facts: dict[str, Any]) -> str:
    passive = [
        joint["joint"] if all(joint["passive"]) else f"{joint['joint']} ({sum(joint['passive'])} of {joint['dofs']})"
        for joint in facts["joints"]
        if any(joint["passive"])
    ]
    massless = [joint["body"] for joint in facts["joints"] if joint["mass"] == 0]
    lines = [
        f"{facts['name']}: {facts['bodies']} bodies, {facts['nv']} degrees of freedom (nq = {facts['nq']}), "
        f"{facts['mass']:.6g} kg",
        f"gravity  {facts['gravity']}",
        f"passive  {facts['passive_dofs']} dofs" + (f": {', '.join(passive)}" if passive else ""),
        *([f"massless {', '.join(massless)}"] if massless else []),
        f"frames   {', '.join(facts['frames']) or 'none besides the bodies'}",
        "",
        robot.tree(),
        "",
        *(f"warning: {remark}" for remark in facts["warnings"]),
    ]
    return "\n".join(lines).rstrip()
