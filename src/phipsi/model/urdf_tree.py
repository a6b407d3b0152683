"""The tree of a URDF: its root, its joints parents first, and what base="free" does to them."""

from __future__ import annotations

from collections.abc import Iterable

from phipsi import errors
from phipsi.model.file_report import FileReport
from phipsi.model.urdf_parse import UrdfJoint, UrdfModel

WORLD_LINK = "world"  # the name by which URDFs call a root link that stands for the world itself
ONE_DOF = ("revolute", "continuous", "prismatic")


def depth_first(model: UrdfModel, report: FileReport) -> tuple[str, list[UrdfJoint]]:
    """The root link, and all joints depth first, branches in the order of the file, so that parents come first."""
    below, above = _connect(model, report)
    roots = [name for name in model.links if name not in above]
    if len(roots) > 1:
        second = model.links[roots[1]]
        raise report.error("roots", second.line, f"link {second.name!r}", count=len(roots), links=_listed(roots))
    order: list[UrdfJoint] = []
    waiting = list(reversed(below.get(roots[0], []))) if roots else []
    while waiting:  # no recursion: trees may be 1e5 deep
        joint = waiting.pop()
        order.append(joint)
        waiting.extend(reversed(below.get(joint.child, [])))
    if len(order) + len(roots) < len(model.links):
        reached = {*roots, *(joint.child for joint in order)}
        ring = _ring(next(name for name in model.links if name not in reached), above)
        raise report.error("cycle", above[ring[0]].line, f"joint {above[ring[0]].name!r}", links=_listed(ring))
    _check_mimics(model, report)
    return roots[0], order


def _connect(model: UrdfModel, report: FileReport) -> tuple[dict[str, list[UrdfJoint]], dict[str, UrdfJoint]]:
    """The joints below each link, in file order, and the one above it."""
    below: dict[str, list[UrdfJoint]] = {}
    above: dict[str, UrdfJoint] = {}
    for joint in model.joints.values():
        for role, link in (("parent", joint.parent), ("child", joint.child)):
            if link not in model.links:
                hint = errors.did_you_mean(link, list(model.links))
                raise _error(report, "unknown_link", joint, role=role, link=errors.in_short(link), hint=hint)
        if joint.parent == joint.child:
            raise _error(report, "self_loop", joint, link=repr(joint.child))
        if joint.child in above:
            other = above[joint.child]
            words = {"link": repr(joint.child), "other": repr(other.name), "first": other.line}
            raise _error(report, "two_parents", joint, **words)
        above[joint.child] = joint
        below.setdefault(joint.parent, []).append(joint)
    return below, above


def _ring(start: str, above: dict[str, UrdfJoint]) -> list[str]:
    """The links of the ring that lies above `start`."""
    seen: dict[str, None] = {}
    link = start
    while link not in seen:
        seen[link] = None
        link = above[link].parent
    path = list(seen)
    return path[path.index(link) :]


def _check_mimics(model: UrdfModel, report: FileReport) -> None:
    """Remarks upon mimic joints, and drops the wish where leader or follower has no coordinate to follow with."""
    for joint in model.joints.values():
        if joint.mimic is None:
            continue
        leader = model.joints.get(joint.mimic[0])
        if leader is None:
            report.note("mimic_unknown", f"{joint.name!r} after {errors.in_short(joint.mimic[0])}")
            joint.mimic = None
            continue
        if leader is joint:
            raise _error(report, "self_mimic", joint)
        if joint.type in ONE_DOF and leader.type in ONE_DOF:
            report.note("mimic", repr(joint.name))
        else:
            report.note("mimic_fixed", repr(joint.name))
            joint.mimic = None


def float_world(model: UrdfModel, root: str, order: list[UrdfJoint], report: FileReport) -> tuple[str, list[UrdfJoint]]:
    """What base="free" makes of a root link that stands for the world.

    A link fastened to it floats in its stead, and the fixed joint goes, with a remark. A floating joint already is
    what was asked for: root and joints come back as they were.
    """
    first, others = order[:1], [joint for joint in order[1:] if joint.parent == root]
    if model.links[root].mass is not None or not first or others or first[0].type not in ("fixed", "floating"):
        raise report.error("world_root", model.links[root].line, f"link {root!r}")
    if first[0].type == "floating":
        return root, order
    report.note("replaced", repr(first[0].name))
    return first[0].child, order[1:]


def free_joint_name(taken: Iterable[str]) -> str:
    """The name of the joint that base="free" adds: "base", or where a joint has it "root_joint", "root_joint_2", …"""
    names = set(taken)
    name, count = "base", 1
    while name in names:
        name, count = "root_joint" if count == 1 else f"root_joint_{count}", count + 1
    return name


def _listed(names: list[str], most: int = 8) -> str:
    shown = ", ".join(map(repr, names[:most]))
    return shown if len(names) <= most else f"{shown} and {len(names) - most} more"


def _error(report: FileReport, sentence: str, joint: UrdfJoint, **words: object) -> errors.FileError:
    return report.error(sentence, joint.line, f"joint {joint.name!r}", **words)
