"""Which joint of the other engine is which of ours, and the chart between them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phipsi import errors
from phipsi.conventions.charts import Chart, Parts, PlanarParent, Same
from phipsi.model.joints import Joint
from phipsi.model.reading import Floats
from phipsi.model.robot import Robot

# what `to_urdf` adds to the name of a joint that it writes as several
_SUFFIXES = {
    "cylindrical": ("_angle", "_distance"),
    "universal": ("_1", "_2"),
    "translational": ("_x", "_y", "_z"),
}


@dataclass(frozen=True, eq=False)
class Theirs:
    """A joint of the other engine: where its numbers are, and what it is in the engine's own words.

    `kind` is "hinge" or "slide" for the joints that several of may make one of ours, else the engine's own.
    """

    name: str
    kind: str
    q: range
    v: range
    body: str = ""
    axis: Floats | None = None


@dataclass(frozen=True, eq=False)
class Link:
    """One of our joints and the numbers that the other engine gives it."""

    ours_q: range
    ours_v: range
    theirs_q: list[int]
    theirs_v: list[int]
    chart: Chart


# A joint of ours and what theirs are called -> the chart, or None if they are not the same motion.
Table = Callable[[Robot, int, Joint, str], Chart | None]


def check_arguments(engine: str, robot: object, argument: str, model: Any, expected: str, attribute: str) -> None:
    """A robot, and nothing or a model, known by an attribute: the engine is not imported."""
    if not isinstance(robot, Robot):
        raise errors.wrong_type(engine, "robot", "a Robot", robot)
    if model is not None and not hasattr(model, attribute):
        raise errors.wrong_type(engine, argument, f"{expected} or None", model)


def match(robot: Robot, theirs: Sequence[Theirs], engine: str, table: Table) -> list[Link]:
    """Links every moving joint of the robot to the engine's: by its name, by the names that `to_urdf` makes of it, by
    its body's name; free joints that are left over on both sides are linked in their order.
    """
    named, bodies = _grouped(theirs, lambda joint: joint.name), _grouped(theirs, lambda joint: joint.body)
    used: set[int] = set()  # by where their v starts
    found: dict[int, list[Theirs]] = {}
    moving = [k for k, joint in enumerate(robot.joints) if joint.nv > 0]

    def search(candidates: Callable[[int], list[Theirs]]) -> None:
        for k in moving:
            several = candidates(k) if k not in found else []
            if several and not any(joint.v.start in used for joint in several):
                found[k] = several
                used.update(joint.v.start for joint in several)

    search(lambda k: named.get(robot.joint_names[k], []))
    search(lambda k: _by_suffixes(robot, k, named))
    search(lambda k: _by_body(robot, k, bodies, used))
    left = [k for k in moving if k not in found and robot.joints[k].kind == "free"]
    free = [joint for joint in theirs if len(joint.v) == 6 and joint.v.start not in used]
    if len(left) == len(free):
        found |= {k: [joint] for k, joint in zip(left, free, strict=True)}
        used.update(joint.v.start for joint in free)
    lost = [robot.joint_names[k] for k in moving if k not in found]
    pool = [joint for joint in theirs if len(joint.v) > 0 and joint.v.start not in used]
    if lost or pool:
        raise errors.unmatched_joints(engine, lost, [joint.name or f"(of body {joint.body!r})" for joint in pool])
    return [_link(robot, k, found[k], engine, table) for k in moving]


def _grouped(theirs: Sequence[Theirs], key: Callable[[Theirs], str]) -> dict[str, list[Theirs]]:
    groups: dict[str, list[Theirs]] = {}
    for joint in theirs:
        if len(joint.v) > 0 and key(joint):
            groups.setdefault(key(joint), []).append(joint)
    return groups


def _by_suffixes(robot: Robot, k: int, named: Mapping[str, list[Theirs]]) -> list[Theirs]:
    names = [robot.joint_names[k] + suffix for suffix in _SUFFIXES.get(robot.joints[k].kind, ())]
    several = [joint for name in names for joint in named.get(name, [])]
    return several if len(several) == len(names) else []


def _by_body(robot: Robot, k: int, bodies: Mapping[str, list[Theirs]], used: set[int]) -> list[Theirs]:
    several = [joint for joint in bodies.get(robot.body_names[k], []) if joint.v.start not in used]
    return several if sum(len(joint.v) for joint in several) == robot.joints[k].nv else []


def _link(robot: Robot, k: int, theirs: list[Theirs], engine: str, table: Table) -> Link:
    joint = robot.joints[k]
    if len(theirs) == 1 and not (theirs[0].kind in ("hinge", "slide") and joint.nv > 1):
        chart = table(robot, k, joint, theirs[0].kind)
    else:
        chart = _of_several(joint, theirs)
    if chart is None:
        kinds = " + ".join(x.kind for x in theirs)
        raise errors.unlike_joints(engine, str(joint.name), joint.kind, kinds)
    q, v = (range(int(x[k]), int(x[k + 1])) for x in (robot.q_index, robot.v_index))
    theirs_q, theirs_v = [i for x in theirs for i in x.q], [i for x in theirs for i in x.v]
    return Link(q, v, theirs_q, theirs_v, chart)


def _of_several(joint: Joint, theirs: list[Theirs]) -> Chart | None:
    """One joint of ours as several hinges and slides, from parent to child."""
    turns = tuple(x.kind == "continuous" for x in theirs)
    kinds = ["hinge" if x.kind == "continuous" else x.kind for x in theirs]
    if joint.kind == "cylindrical" and sorted(kinds) == ["hinge", "slide"]:  # they commute
        return _pair((0, 1) if kinds[0] == "hinge" else (1, 0), turns)
    if joint.kind == "universal" and kinds == ["hinge", "hinge"]:
        return _pair((0, 1), turns)
    if joint.kind == "translational" and kinds == ["slide"] * 3:
        found = _along(theirs, np.eye(3))
        return None if found is None else Same(*found)
    if joint.kind == "planar" and kinds == ["slide", "slide", "hinge"] and not any(turns):
        normal, x = joint.parameters.reshape(2, 3)
        found = _along(theirs, np.stack([normal, x, np.cross(normal, x)]), default=(1, 2, 0))
        if found is not None and found[0][2] == 0:
            (a, b, c), (i, j, k) = found
            return PlanarParent((a, b, c), (i, j, k))
    return None


def _pair(order: tuple[int, int], continuous: tuple[bool, ...]) -> Chart:
    return Parts(order, continuous) if any(continuous) else Same(order, (1.0, 1.0))


def _along(
    theirs: list[Theirs], axes: Floats, default: tuple[int, ...] = (0, 1, 2)
) -> tuple[tuple[int, ...], tuple[float, ...]] | None:
    """Which of `axes` each of their joints runs along, and which way; in `default` order if they do not say."""
    given = [x.axis for x in theirs if x.axis is not None]
    if len(given) < len(theirs):
        return default, (1.0,) * len(theirs)
    cosines = np.stack(given) @ axes.T
    order = [int(k) for k in np.abs(cosines).argmax(axis=1)]
    along = cosines[np.arange(len(order)), order]
    if sorted(order) != list(range(len(order))) or np.abs(along).min() < 1 - 1e-9:
        return None
    return tuple(order), tuple(float(np.sign(x)) for x in along)
