"""From the bodies of a compiled MuJoCo model to phipsi's: one joint a body, turning about the body's own origin."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from phipsi.model.file_report import FileReport
from phipsi.model.joints import Fixed, Free, Joint, Prismatic, Revolute, Spherical
from phipsi.model.properties import Properties
from phipsi.model.reading import Floats
from phipsi.model.rotation import from_quaternion
from phipsi.model.welding import HERE, Mass, Place

WORLD = -1
FREE, BALL, SLIDE, HINGE = range(4)  # mjtJoint


@dataclass(slots=True)
class Body:
    """A body of the robot to be: its joint, the joint's place in the parent body, and the masses it carries."""

    name: str
    parent: int
    joint: Joint
    placement: Place
    parts: list[Mass] = field(default_factory=list[Mass])


@dataclass(slots=True)
class Frame:
    """A named place on a body."""

    name: str
    body: int
    placement: Place


class Tree:
    """Bodies and frames, grown by `add`ing MuJoCo's bodies in their own order (parents first)."""

    def __init__(self, model: Any, report: FileReport, merge_fixed: bool) -> None:
        self.model, self.report, self.merge_fixed = model, report, merge_fixed
        self.floating: int | None = None  # the body that base="free" sets afloat
        self.bodies: list[Body] = []
        self.frames: list[Frame] = []
        self._where: list[tuple[int, Place]] = [(WORLD, HERE)]  # MuJoCo's body frames, in phipsi's bodies
        # names of the file come first; what phipsi adds gives way
        bodies = [model.body(k).name for k in range(1, model.nbody)]
        self._taken = {"world", *bodies}  # by bodies and frames
        self._joints_taken = {model.joint(j).name for j in range(model.njnt)}
        self._own_names = [name or _fresh(self._taken, f"body_{k}") for k, name in enumerate(bodies, 1)]

    def joints_of(self, index: int) -> range:
        """The joints of a MuJoCo body."""
        start = int(self.model.body_jntadr[index])
        return range(start, start + int(self.model.body_jntnum[index]))

    def body_name(self, index: int) -> str:
        """The name of a MuJoCo body, "body_3" where it has none."""
        return self._own_names[index - 1]

    def add(self, index: int) -> None:
        """MuJoCo's body `index`: a chain of as many bodies as it has joints, or a frame where it has none."""
        model, name = self.model, self.body_name(index)
        parent, place = self._where[int(model.body_parentid[index])]
        place = place @ Place(np.array(model.body_pos[index]), from_quaternion(np.array(model.body_quat[index])))
        joints = self.joints_of(index)
        if index == self.floating:
            place = HERE
            parent = self._append(name, WORLD, Free(name=self.fresh_joint("base", "root_joint")), place)
        elif not joints and not self.merge_fixed:
            parent = self._append(name, parent, Fixed(name=self.fresh_joint(name)), place)
            place = HERE
        for j in joints:
            parent, place = self._joint(index, j, parent, place)
        if parent == WORLD or self.bodies[parent].name != name:
            self.frames.append(Frame(name, parent, place))
        if parent != WORLD:
            self.bodies[parent].parts.append(self._mass(index).seen_from(place))
        self._where.append((parent, place))

    def _joint(self, index: int, j: int, parent: int, place: Place) -> tuple[int, Place]:
        """Adds the body behind joint j; returns it, and where MuJoCo's body frame is in it."""
        model, name, kind = self.model, self.body_name(index), int(self.model.jnt_type[j])
        anchor = np.array(model.jnt_pos[j]) if kind in (HINGE, BALL) else np.zeros(3)
        axis, reference = np.array(model.jnt_axis[j]), float(model.qpos0[model.jnt_qposadr[j]])
        placement = place @ Place(anchor)
        if kind == FREE:
            placement = HERE
        elif kind == HINGE and reference:
            half = -reference / 2  # MuJoCo's angle is counted from ref=
            placement = placement @ Place(np.zeros(3), from_quaternion(np.array([np.cos(half), *np.sin(half) * axis])))
        elif kind == SLIDE:
            placement = placement @ Place(-reference * axis)
        joint_name = self._joint_name(index, j)
        if j != self.joints_of(index)[-1]:
            name = _fresh(self._taken, f"{name}_after_{joint_name}")
        elif anchor.any():
            name = _fresh(self._taken, f"{name}_at_{joint_name}")
        body = self._append(name, parent, self._typed(j, kind, axis, joint_name), placement)
        return body, Place(-anchor) if anchor.any() else HERE

    def _typed(self, j: int, kind: int, axis: Floats, name: str) -> Joint:
        model, dof = self.model, self.model.jnt_dofadr[j]
        properties: Properties = {
            "name": name,
            "armature": float(model.dof_armature[dof]),
            "damping": float(model.dof_damping[dof]),
            "friction": float(model.dof_frictionloss[dof]),
        }
        if kind in (FREE, BALL):
            return Free(**properties) if kind == FREE else Spherical(**properties)
        if model.jnt_limited[j]:
            properties["lower"], properties["upper"] = map(float, model.jnt_range[j])
        if model.jnt_actfrclimited[j]:
            properties["effort_limit"] = float(np.abs(model.jnt_actfrcrange[j]).max())
        if model.jnt_stiffness[j]:
            properties["stiffness"] = float(model.jnt_stiffness[j])
            properties["rest"] = float(model.qpos_spring[model.jnt_qposadr[j]])
        return (Prismatic if kind == SLIDE else Revolute)(axis, **properties)

    def _mass(self, index: int) -> Mass:
        """A MuJoCo body in its own axes; MuJoCo keeps principal moments."""
        model = self.model
        turn = from_quaternion(np.array(model.body_iquat[index]))
        inertia = turn @ np.diag(model.body_inertia[index]) @ turn.T
        return Mass(float(model.body_mass[index]), np.array(model.body_ipos[index]), (inertia + inertia.T) / 2)

    def add_sites(self) -> None:
        """Named sites become frames; one with the name of a body becomes "<name>_site"."""
        model = self.model
        for k in range(model.nsite):
            name = model.site(k).name
            if not name:
                continue
            free = _fresh(self._taken, name, f"{name}_site")
            if free != name:
                self.report.note("renamed", f"site {name!r} is {free!r}")
            body, place = self._where[int(model.site_bodyid[k])]
            at = Place(np.array(model.site_pos[k]), from_quaternion(np.array(model.site_quat[k])))
            self.frames.append(Frame(free, body, place @ at))

    def _joint_name(self, index: int, j: int) -> str:
        joints, body = self.joints_of(index), self.body_name(index)
        return self.model.joint(j).name or self.fresh_joint(
            body if len(joints) == 1 else f"{body}_joint_{j - joints[0] + 1}"
        )

    def fresh_joint(self, *wishes: str) -> str:
        """A joint name that is not taken."""
        return _fresh(self._joints_taken, *wishes)

    def _append(self, name: str, parent: int, joint: Joint, placement: Place) -> int:
        self.bodies.append(Body(name, parent, joint, placement))
        return len(self.bodies) - 1


def _fresh(taken: set[str], *wishes: str) -> str:
    """The first wish that is not taken, or the last one with a number; it is taken from now on."""
    candidates = itertools.chain(wishes, (f"{wishes[-1]}_{number}" for number in itertools.count(2)))
    name = next(candidate for candidate in candidates if candidate not in taken)
    taken.add(name)
    return name
