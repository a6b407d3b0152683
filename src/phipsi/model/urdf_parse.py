"""The words of a URDF: links and joints as the file gives them, checked one by one, every mistake with its line."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TypeVar

import numpy as np

from phipsi import errors
from phipsi.model.file_report import FileReport
from phipsi.model.reading import Floats
from phipsi.model.rotation import from_quaternion
from phipsi.model.urdf_words import Triple, Words, rotation_from_rpy
from phipsi.model.urdf_xml import Element
from phipsi.model.welding import HERE, Mass, Place

JOINT_TYPES = ("fixed", "revolute", "continuous", "prismatic", "floating", "planar")
X_AXIS: Triple = (1.0, 0.0, 0.0)
# negative moments that are nothing but the rounding of whatever wrote the file, kg m²
_ROUNDING = 1e-15

_MOMENTS = ("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
# the attributes of every element that is read; others are remarked upon
_ATTRIBUTES: Mapping[str, frozenset[str]] = {
    "robot": frozenset({"name", "version"}),
    "link": frozenset({"name"}),
    "joint": frozenset({"name", "type"}),
    "inertial": frozenset(),
    "origin": frozenset({"xyz", "rpy", "quat_xyzw"}),
    "mass": frozenset({"value"}),
    "inertia": frozenset(_MOMENTS),
    "parent": frozenset({"link"}),
    "child": frozenset({"link"}),
    "axis": frozenset({"xyz"}),
    "limit": frozenset({"lower", "upper", "effort", "velocity"}),
    "dynamics": frozenset({"damping", "friction"}),
    "mimic": frozenset({"joint", "multiplier", "offset"}),
}
# geometry is not dynamics, and is passed over without a word
_GEOMETRY = frozenset({"visual", "collision", "material"})
_REMARKED = frozenset({"transmission", "gazebo", "sensor", "ros2_control", "calibration", "safety_controller"})


@dataclass(slots=True)
class UrdfLink:
    """<link>: its mass in its own axes; None without <inertial>."""

    name: str
    line: int
    mass: Mass | None = None


@dataclass(slots=True)
class UrdfJoint:
    """<joint>: names, placement, unit axis; limits, damping and friction; `mimic` is (joint, multiplier, offset)."""

    name: str
    line: int
    type: str
    parent: str
    child: str
    origin: Place | None
    axis: Triple
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    mimic: tuple[str, float, float] | None = None


_Named = TypeVar("_Named", UrdfLink, UrdfJoint)


@dataclass(slots=True)
class UrdfModel:
    """A whole URDF: its name, and links and joints by name in the order of the file."""

    name: str
    links: dict[str, UrdfLink]
    joints: dict[str, UrdfJoint]


def read_model(robot: Element, report: FileReport) -> UrdfModel:
    """The links and joints below <robot>."""
    if robot.tag != "robot":
        remedy = "phipsi.load reads MJCF too" if robot.tag == "mujoco" else "Is this the robot's file?"
        raise report.error("root", robot.line, got=robot.tag, expected="<robot>", remedy=remedy)
    return _Reader(report).robot(robot)


class _Reader(Words):
    """Turns elements into links and joints."""

    # -- elements --------------------------------------------------------------------------------------------------

    def robot(self, robot: Element) -> UrdfModel:
        model = UrdfModel(robot.attributes.get("name") or "robot", {}, {})
        self._check_attributes(robot)
        for element in robot.children:
            self.owner = ""
            if element.tag == "link":
                self._add(model.links, element, self._link(element))
            elif element.tag == "joint":
                self._add(model.joints, element, self._joint(element))
            else:
                self._ignore(element)
        if not model.links:
            raise self.report.error("no_links", robot.line, "<robot>")
        return model

    def _add(self, known: dict[str, _Named], element: Element, new: _Named) -> None:
        if new.name in known:
            raise self.error("duplicate", element, kind=element.tag, first=known[new.name].line)
        known[new.name] = new

    def _link(self, element: Element) -> UrdfLink:
        link = UrdfLink(self._begin(element), element.line)
        inertial = self._children(element, "inertial").get("inertial")
        if inertial is None:
            return link
        parts = self._children(inertial, "origin", "mass", "inertia")
        mass = self._required(parts, inertial, "mass", 'value="1.0"')
        inertia = self._required(parts, inertial, "inertia", 'ixx="0.1" ixy="0" ixz="0" iyy="0.1" iyz="0" izz="0.1"')
        centred = Mass(self.not_negative(mass, "value"), np.zeros(3), self._inertia(inertia))
        with np.errstate(over="ignore", invalid="ignore"):  # judged when all masses of the body are together
            link.mass = centred.seen_from(self._origin(parts.get("origin")) or HERE)
        return link

    def _inertia(self, element: Element) -> Floats:
        xx, yy, zz, xy, xz, yz = (self.number(element, name) for name in _MOMENTS)
        for name, moment in zip(_MOMENTS, (xx, yy, zz), strict=False):
            if moment < -_ROUNDING:
                raise self.error("negative", element, attribute=name, got=moment)
        return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])

    def _joint(self, element: Element) -> UrdfJoint:
        name = self._begin(element)
        kind = self.word(element, "type")
        if kind not in JOINT_TYPES:
            raise self.error("joint_type", element, got=errors.in_short(kind))
        parts = self._children(element, "origin", "parent", "child", "axis", "limit", "dynamics", "mimic")
        parent = self.word(self._required(parts, element, "parent", 'link="..."'), "link")
        child = self.word(self._required(parts, element, "child", 'link="..."'), "link")
        # converters give fixed joints an axis of zeros; it means nothing there
        axis = X_AXIS if kind in ("fixed", "floating") else self._axis(parts.get("axis"))
        joint = UrdfJoint(name, element.line, kind, parent, child, self._origin(parts.get("origin")), axis)
        if "mimic" in parts:
            joint.mimic = self._mimic(parts["mimic"])
        if kind in ("revolute", "continuous", "prismatic"):
            self._limit(joint, parts.get("limit"))
            self._dynamics(joint, parts.get("dynamics"))
        elif kind != "fixed":  # several dofs of different units share one number: it has no meaning
            for tag in ("limit", "dynamics"):
                if tag in parts:
                    self.report.note("unused", self.owner, f"<{tag}> of {kind}")
        return joint

    def _limit(self, joint: UrdfJoint, element: Element | None) -> None:
        if element is None:
            if joint.type != "continuous":
                self.report.note("no_limit", repr(joint.name))
            return
        joint.effort, joint.velocity = self.bound(element, "effort"), self.bound(element, "velocity")
        for name, bound in (("effort", joint.effort), ("velocity", joint.velocity)):
            if bound < 0.0:
                raise self.error("negative", element, attribute=name, got=bound)
        if joint.type == "continuous":
            if "lower" in element.attributes or "upper" in element.attributes:
                self.report.note("unused", self.owner, "lower and upper of continuous")
            return
        joint.lower, joint.upper = self.bound(element, "lower", 0.0), self.bound(element, "upper", 0.0)
        if joint.lower > joint.upper:
            raise self.error("limits", element, lower=joint.lower, upper=joint.upper)

    def _dynamics(self, joint: UrdfJoint, element: Element | None) -> None:
        if element is not None:
            joint.damping = self.not_negative(element, "damping", 0.0)
            joint.friction = self.not_negative(element, "friction", 0.0)

    def _mimic(self, element: Element) -> tuple[str, float, float]:
        multiplier, offset = self.number(element, "multiplier", 1.0), self.number(element, "offset", 0.0)
        return self.word(element, "joint"), multiplier, offset

    def _axis(self, element: Element | None) -> Triple:
        if element is None or "xyz" not in element.attributes:
            return X_AXIS
        axis = self.triple(element, "xyz")
        if axis == (0.0, 0.0, 0.0):
            raise self.error("zero_axis", element)
        return axis

    def _origin(self, element: Element | None) -> Place | None:
        if element is None:
            return None
        given = element.attributes
        position = np.array(self.triple(element, "xyz") if "xyz" in given else (0.0, 0.0, 0.0))
        if "rpy" in given and "quat_xyzw" in given:
            raise self.error("two_rotations", element)
        if "quat_xyzw" in given:
            return Place(position, self._quaternion(element))
        rpy = self.triple(element, "rpy") if "rpy" in given else (0.0, 0.0, 0.0)
        return Place(position, None if rpy == (0.0, 0.0, 0.0) else rotation_from_rpy(rpy))

    def _quaternion(self, element: Element) -> Floats:
        x, y, z, w = self.numbers(element, "quat_xyzw", 4)
        if not any((x, y, z, w)):
            raise self.error("zero_quaternion", element)
        return from_quaternion(np.array([w, x, y, z]))

    # -- what surrounds them ---------------------------------------------------------------------------------------

    def _begin(self, element: Element) -> str:
        name = self.word(element, "name")
        self.owner = f"{element.tag} {errors.in_short(name)}"
        self._check_attributes(element)
        return name

    def _children(self, element: Element, *wanted: str) -> dict[str, Element]:
        """The first child of each wanted tag; the others are remarked upon, unless they are geometry."""
        found: dict[str, Element] = {}
        for child in element.children:
            if child.tag not in wanted:
                if child.tag not in _GEOMETRY:
                    self._ignore(child)
            elif child.tag in found:
                self.report.note("repeated", self.owner, f"<{child.tag}> of")
            else:
                found[child.tag] = child
                self._check_attributes(child)
        return found

    def _ignore(self, element: Element) -> None:
        """Remark upon an element that is not read, by its own name or that of the link or joint it stands in."""
        if element.tag in _GEOMETRY:
            return
        attributes = element.attributes
        called = attributes.get("name") or attributes.get("reference") or ""
        if element.tag in ("calibration", "safety_controller") and self.owner:
            self.report.note(element.tag, self.owner.partition(" ")[2])
        elif element.tag in _REMARKED:
            self.report.note(element.tag, errors.in_short(called) if called else f"line {element.line}")
        else:
            self.report.note("unknown", self.owner or f"line {element.line}", f"<{element.tag}> in")

    def _check_attributes(self, element: Element) -> None:
        known = _ATTRIBUTES[element.tag]
        if element.attributes.keys() <= known:
            return
        # namespaces (xmlns:xacro, xsi:schemaLocation) say nothing about the robot
        names = [name for name in element.attributes if name not in known and not name.startswith(("xmlns", "xsi:"))]
        if names:
            where = "" if element.tag in ("link", "joint", "robot") else f" <{element.tag}> of"
            self.report.note("attribute", self.owner or "<robot>", f"{', '.join(names)} of{where}")

    def _required(self, parts: Mapping[str, Element], element: Element, tag: str, example: str) -> Element:
        if tag not in parts:
            raise self.error("child", element, child=tag, example=example)
        return parts[tag]
