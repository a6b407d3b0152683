"""From a URDF's links to bodies: links behind fixed joints are welded to their parents, their names become frames."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from phipsi.model.file_report import FileReport
from phipsi.model.urdf_parse import UrdfJoint, UrdfLink, UrdfModel
from phipsi.model.welding import HERE, Mass, Place, weld

WORLD = -1


@dataclass(slots=True)
class UrdfBody:
    """A link that moves by a joint of its own (None: the free joint of base="free"), and the masses it carries."""

    link: UrdfLink
    joint: UrdfJoint | None
    parent: int
    placement: Place
    parts: list[Mass] = field(default_factory=list[Mass])


@dataclass(slots=True)
class UrdfFrame:
    """A link that does not move against its body."""

    link: UrdfLink
    body: int
    placement: Place


class Bodies:
    """The bodies and frames of a tree, in the order in which its joints are added: parents first."""

    def __init__(self, model: UrdfModel, root: str, floats: bool, merge_fixed: bool) -> None:
        self.links, self.merge_fixed = model.links, merge_fixed
        self.bodies: list[UrdfBody] = []
        self.frames: list[UrdfFrame] = []
        self._where: dict[str, tuple[int, Place]] = {}  # each link's body, and its place in that body
        if floats:
            self._body(self.links[root], None, WORLD, HERE)
        else:
            self._frame(self.links[root], WORLD, HERE)

    def add(self, joint: UrdfJoint) -> None:
        """The joint and its child link."""
        body, parent = self._where[joint.parent]
        place = parent if joint.origin is None else parent @ joint.origin
        if joint.type == "fixed" and self.merge_fixed:
            self._frame(self.links[joint.child], body, place)
        else:
            self._body(self.links[joint.child], joint, body, place)

    def _body(self, link: UrdfLink, joint: UrdfJoint | None, parent: int, placement: Place) -> None:
        body = UrdfBody(link, joint, parent, placement)
        if link.mass is not None:
            body.parts.append(link.mass)
        self._where[link.name] = len(self.bodies), HERE
        self.bodies.append(body)

    def _frame(self, link: UrdfLink, body: int, placement: Place) -> None:
        """What stands on the world weighs nothing."""
        if link.mass is not None and body != WORLD:
            self.bodies[body].parts.append(link.mass.seen_from(placement))
        self._where[link.name] = body, placement
        self.frames.append(UrdfFrame(link, body, placement))


def weigh(body: UrdfBody, report: FileReport) -> Mass:
    """The mass of a body's link and of all links welded to it."""
    with np.errstate(over="ignore", invalid="ignore"):  # numbers such as 1e300: judged at once
        total = weld(body.parts)
    if not np.isfinite([total.mass, *total.com, *total.inertia.flat]).all():
        raise report.error("overflow", body.link.line, f"link {body.link.name!r}")
    return total
