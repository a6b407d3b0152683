"""Robots become URDF text that reads back as the same robot; what URDF cannot say is refused, or named in a warning."""

from __future__ import annotations

import itertools
import os
import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

import numpy as np

from phipsi import errors
from phipsi.model.file_report import FileReport
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats
from phipsi.model.rotation import to_rpy
from phipsi.model.urdf_joints import UrdfStep, has_bounds_or_losses, steps
from phipsi.model.urdf_words import UNLIMITED

if TYPE_CHECKING:
    from phipsi.model.robot import Robot

_WORLD_GRAVITY = (0.0, 0.0, -9.81)  # what `load_urdf` gives every robot
# characters that XML 1.0 cannot hold, not even escaped
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def to_urdf(robot: Robot, path: str | os.PathLike[str] | None = None) -> str:
    """The URDF of a robot, also written to `path` if there is one.

    `load_urdf` reads it back as the same robot: numbers are written in full (a rotation passes through angles, which
    may cost it its last bit), payloads are part of their bodies, a free base is a floating joint below the link
    "world" (load it with base="fixed"), frames are links without mass behind fixed joints (as are bodies on Fixed
    joints: load with merge_fixed=False to keep them bodies). Cylindrical, universal and translational joints become
    several, with massless links between: the same q and v. Other joints that URDF lacks are errors. A `FileWarning`
    names what is not written: armature, springs, passive dofs, gravity other than (0, 0, -9.81).
    """
    report = FileReport("to_urdf" if path is None else os.fspath(path))
    text = _Writer(robot, report).text()
    if path is not None:
        try:
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
        except OSError as error:
            raise report.error("unwritable", reason=error.strerror) from error
    report.warn()
    return text


class _Writer:
    """Collects the lines of the file; `link` gives each body's link by index, the root link for -1."""

    def __init__(self, robot: Robot, report: FileReport) -> None:
        self.robot, self.report = robot, report
        self.lines: list[str] = []
        self.links = {"world", *robot.frame_names}
        self.joints = set(robot.joint_names)
        self.frames = [(name, *robot.frame(name)) for name in robot.frame_names[robot.n :]]
        self.root = next((name for name, body, pose in self.frames if body == -1 and pose == Pose.identity()), "world")

    def text(self) -> str:
        """The whole file."""
        self._lost()
        self.lines += ['<?xml version="1.0" encoding="utf-8"?>', f"<robot name={self._name(self.robot.name)}>"]
        self.lines.append(f"  <link name={self._name(self.root)}/>")
        for k in range(self.robot.n):
            self._body(k)
        for name, body, pose in self.frames:
            if name != self.root:
                joint = _fresh(self.joints, f"{name}_fixed")
                self._joint(UrdfStep(joint, "fixed"), self._link_of(body), name, pose)
                self.lines.append(f"  <link name={self._name(name)}/>")
        self.lines.append("</robot>")
        return "\n".join(self.lines) + "\n"

    def _link_of(self, body: int) -> str:
        return self.robot.body_names[body] if body >= 0 else self.root

    # -- elements --------------------------------------------------------------------------------------------------

    def _body(self, k: int) -> None:
        """Body k: its joint, in as many steps as URDF needs, then its link."""
        robot = self.robot
        parent, name = self._link_of(int(robot.parent[k])), robot.body_names[k]
        chain = steps(robot.joints[k], robot.joint_names[k], self.report)
        if len(chain) > 1:
            self.report.note("expanded", repr(robot.joint_names[k]))
            for step in chain:
                step.name = _fresh(self.joints, step.name)
        placement = robot.placements[k]
        for step in chain[:-1]:
            link = _fresh(self.links, f"{name}_{step.name}")
            self._joint(step, parent, link, placement)
            self.lines.append(f"  <link name={self._name(link)}/>")
            parent, placement = link, Pose.identity()
        self._joint(chain[-1], parent, name, placement)
        self._link(name, float(robot.mass[k]), robot.com[k], robot.inertia[k])

    def _link(self, name: str, mass: float, com: Floats, inertia: Floats) -> None:
        if not mass and not inertia.any():
            self.lines.append(f"  <link name={self._name(name)}/>")
            return
        moments = " ".join(
            f'{word}="{_number(inertia[i, j])}"'
            for word, i, j in (("ixx", 0, 0), ("ixy", 0, 1), ("ixz", 0, 2), ("iyy", 1, 1), ("iyz", 1, 2), ("izz", 2, 2))
        )
        self.lines += [
            f"  <link name={self._name(name)}>",
            "    <inertial>",
            f'      <origin xyz="{_numbers(com)}" rpy="0 0 0"/>',
            f'      <mass value="{_number(mass)}"/>',
            f"      <inertia {moments}/>",
            "    </inertial>",
            "  </link>",
        ]

    def _joint(self, step: UrdfStep, parent: str, child: str, placement: Pose) -> None:
        rpy = np.zeros(3) if (placement.rotation == np.eye(3)).all() else to_rpy(placement.rotation)
        lines = [
            f'<origin xyz="{_numbers(placement.position)}" rpy="{_numbers(rpy)}"/>',
            f"<parent link={self._name(parent)}/>",
            f"<child link={self._name(child)}/>",
        ]
        if step.axis is not None:
            lines.append(f'<axis xyz="{_numbers(step.axis)}"/>')
        if step.bounded or step.type == "prismatic":  # URDF wants <limit> for every prismatic joint
            bounds = "" if step.type == "continuous" else f'lower="{_bound(step.lower)}" upper="{_bound(step.upper)}" '
            lines.append(f'<limit {bounds}effort="{_bound(step.effort)}" velocity="{_bound(step.velocity)}"/>')
        if step.damping or step.friction:
            lines.append(f'<dynamics damping="{_number(step.damping)}" friction="{_number(step.friction)}"/>')
        if step.mimic is not None:
            multiplier, offset = _number(step.mimic.multiplier), _number(step.mimic.offset)
            leader = self._name(step.mimic.joint)
            lines.append(f'<mimic joint={leader} multiplier="{multiplier}" offset="{offset}"/>')
        self.lines.append(f'  <joint name={self._name(step.name)} type="{step.type}">')
        self.lines += [f"    {line}" for line in lines]
        self.lines.append("  </joint>")

    def _name(self, name: str) -> str:
        """The name, escaped and in quotes."""
        if _NOT_XML.search(name):
            raise self.report.error("no_xml_name", name=errors.in_short(name))
        return quoteattr(name)

    # -- what URDF has no place for --------------------------------------------------------------------------------

    def _lost(self) -> None:
        robot = self.robot
        for k, joint in enumerate(robot.joints):
            name = repr(robot.joint_names[k])
            default = joint.kind == "free" and robot.parent[k] == -1
            if any(joint.armature):
                self.report.note("lost", name, "armature of")
            if any(joint.stiffness):
                self.report.note("lost", name, "stiffness and rest position of")
            if joint.passive is not None and any(dof is not default for dof in joint.passive):
                self.report.note("lost", name, "passive dofs of")
            if joint.kind in ("free", "planar") and has_bounds_or_losses(joint):
                self.report.note("lost", name, "damping, friction and limits of")
        if tuple(robot.gravity) != _WORLD_GRAVITY:
            self.report.note("lost", "gravity")
        stray = _not_depth_first(robot.parent.tolist())
        if stray is not None:
            self.report.note("reordered", repr(robot.joint_names[stray]))


def _not_depth_first(parent: list[int]) -> int | None:
    """The first body whose parent is none of the ancestors of the body before it."""
    branch = [-1]
    for k, p in enumerate(parent):
        while branch and branch[-1] != p:
            branch.pop()
        if not branch:
            return k
        branch.append(k)
    return None


def _fresh(taken: set[str], wish: str) -> str:
    """`wish`, with a number if it is taken; taken from now on."""
    candidates = itertools.chain([wish], (f"{wish}_{number}" for number in itertools.count(2)))
    name = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(name)
    return name


def _number(value: float) -> str:
    """In full: reading it gives the same float."""
    return repr(float(value) + 0.0)  # no -0.0


def _numbers(values: Floats) -> str:
    return " ".join(map(_number, values))


def _bound(value: float) -> str:
    """A limit; the largest number stands for none, since few readers know "inf"."""
    return _number(min(max(value, -UNLIMITED), UNLIMITED))
