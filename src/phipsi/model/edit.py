"""Robots made of robots: frames added, robots moved, assembled, attached and detached. Columns in, columns out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model import lookup
from phipsi.model.description import WORLD, Attached, Description, Frame
from phipsi.model.inertia import Payload
from phipsi.model.joints import Fixed, Joint
from phipsi.model.pose import Pose
from phipsi.model.properties import read_numbers
from phipsi.model.reading import Bools, Floats, Ints, read_only, vector


def add_frame(description: Description, name: str, body: int, at: Pose, pose: Pose | None) -> Description:
    """A new frame at `pose` in a frame that is at `at` on `body`."""
    _check_free_name(description, "add_frame", name)
    return description.changed(frames=(*description.frames, Frame(name, body, at @ _single("add_frame", pose))))


def placed(description: Description, pose: Pose) -> Description:
    """What stands on the world is moved by `pose`: roots, and frames of the world."""
    move = _single("placed", pose)
    roots = description.parent == WORLD
    rotation, position = description.placements.rotation.copy(), description.placements.position.copy()
    moved = move @ Pose.trusted(rotation[roots], position[roots])
    rotation[roots], position[roots] = moved.rotation, moved.position
    frames = tuple(replace(x, pose=move @ x.pose) if x.body == WORLD else x for x in description.frames)
    return description.changed(placements=Pose.trusted(rotation, position), frames=frames)


def with_gravity(description: Description, gravity: ArrayLike) -> Description:
    """Another gravity."""
    return description.changed(gravity=read_only(np.array(vector(gravity, 3, "with_gravity", "gravity"))))


def with_passive(description: Description, mask: Bools, v_index: Ints) -> Description:
    """Joints that say for each dof whether it is passive."""
    bools, bounds = mask.tolist(), v_index.tolist()
    joints = (joint.with_passive(tuple(bools[bounds[k] : bounds[k + 1]])) for k, joint in enumerate(description.joints))
    return description.changed(joints=tuple(joints))


def with_armature(
    description: Description,
    armature: ArrayLike | Mapping[str, ArrayLike],
    joint_index: Mapping[str, int],
    body_index: Mapping[str, int],
) -> Description:
    """Joints with other rotors."""
    joints = list(description.joints)
    if isinstance(armature, Mapping):
        for name, value in armature.items():
            (k,) = lookup.joints(joint_index, body_index, name, "with_armature")
            joints[k] = joints[k].with_properties(armature=value)
        return description.changed(joints=tuple(joints))
    nv = sum(joint.nv for joint in joints)
    values = read_numbers("with_armature", "armature", nv, armature)
    start = 0
    for k, joint in enumerate(joints):
        joints[k] = joint.with_properties(armature=values[start : start + joint.nv])
        start += joint.nv
    return description.changed(joints=tuple(joints))


# ── several robots ────────────────────────────────────────────────────────────────────────────────────────────────


def assemble(robots: Mapping[str, Description], name: str, gravity: ArrayLike | None) -> Description:
    """Side by side on one world, every name under its robot's prefix."""
    fall = np.array([0.0, 0.0, -9.81])
    if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.bad_name("robot", name)
    if gravity is not None:
        fall = np.array(vector(gravity, 3, "assemble", "gravity"))
    elif robots:
        (first, one), *others = robots.items()
        fall = one.gravity.copy()
        for prefix, other in others:
            if not np.array_equal(other.gravity, fall):
                raise errors.gravities_differ(first, fall.tolist(), prefix, other.gravity.tolist())
    parts = [_alone_by_prefix(_prefixed(robot, prefix), prefix) for prefix, robot in robots.items()]
    result = _joined(parts, [WORLD] * len(parts))
    _check_unique(result, "assemble", "Choose other prefixes.")
    return result.changed(name=name, gravity=read_only(fall))


def attach_robot(
    description: Description, body: int, at: Pose, other: Description, name: str | None, placement: Pose | None
) -> Description:
    """`other` welded to `body`: its roots hang there, free roots are welded, frames of its world come along."""
    label = other.name if name is None else name
    if not isinstance(label, str) or not label:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.bad_name("attachment", label)
    if label in description.groups or any(x.name == label for x in description.payloads):
        raise errors.name_taken("attach", "attachment", label, "former one", "Give another name=.")
    part = placed(other if name is None else _prefixed(other, name), at @ _single("attach", placement))
    joints = tuple(
        Fixed(name=joint.name) if root and joint.kind == "free" else joint
        for root, joint in zip((part.parent == WORLD).tolist(), part.joints, strict=True)
    )
    result = _joined([description, part.changed(joints=joints)], [WORLD, body])
    _check_unique(result, "attach", "Give name=: it becomes a prefix of what is attached.")
    brought = (*part.body_names, *(x.name for x in part.frames))
    return result.changed(groups={**description.groups, label: brought})


def attach_payload(
    description: Description, body: int, at: Pose, payload: Payload, name: str | None, placement: Pose | None
) -> Description:
    """A payload on `body`, and a frame where it is."""
    if name is None:
        raise errors.model("attach: a payload needs a name=, for its frame and for detach.")
    if body == WORLD:
        raise errors.model(f"attach: payload {name!r} on the world would move nothing. Attach it to a body.")
    _check_free_name(description, "attach", name)
    if name in description.groups:
        raise errors.name_taken("attach", "attachment", name, "former one", "Give another name=.")
    pose = at @ _single("attach", placement)
    return description.changed(
        payloads=(*description.payloads, Attached(name, body, pose, payload)),
        frames=(*description.frames, Frame(name, body, pose)),
    )


def detach(description: Description, name: str) -> Description:
    """Undoes an attachment."""
    payloads = tuple(x for x in description.payloads if x.name != name)
    if len(payloads) < len(description.payloads):
        frames = tuple(x for x in description.frames if x.name != name)
        return description.changed(payloads=payloads, frames=frames)
    if not isinstance(name, str) or name not in description.groups:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.nothing_attached(name, [*(x.name for x in payloads), *description.groups])
    gone = set(description.groups[name])
    lost = np.array([body in gone for body in description.body_names], dtype=np.bool_)
    for k, parent in enumerate(description.parent.tolist()):  # and whatever hangs on them
        lost[k] |= parent != WORLD and lost[parent]
    frames = tuple(x for x in description.frames if x.name not in gone)
    groups = {key: names for key, names in description.groups.items() if key != name}
    return _kept(description.changed(frames=frames, groups=groups), ~lost)


def _kept(description: Description, keep: Bools) -> Description:
    """Only some of the bodies, whose parents are among them."""
    row = np.cumsum(keep) - 1
    still = {int(k): int(row[k]) for k in np.flatnonzero(keep)} | {WORLD: WORLD}
    names = {name for name, kept in zip(description.body_names, keep.tolist(), strict=True) if not kept}
    return description.changed(
        body_names=tuple(x for x in description.body_names if x not in names),
        parent=np.array([still[int(p)] for p in description.parent[keep]], dtype=np.intp),
        joints=tuple(joint for joint, kept in zip(description.joints, keep.tolist(), strict=True) if kept),
        placements=description.placements[keep],
        mass=read_only(description.mass[keep]),
        com=read_only(description.com[keep]),
        inertia=read_only(description.inertia[keep]),
        frames=tuple(replace(x, body=still[x.body]) for x in description.frames if x.body in still),
        payloads=tuple(replace(x, body=still[x.body]) for x in description.payloads if x.body in still),
        groups={key: group for key, group in description.groups.items() if not names.intersection(group)},
    )


def _joined(parts: list[Description], onto: list[int]) -> Description:
    """Bodies one after the other; what part i has on its world goes to body onto[i] of the whole."""
    starts = np.cumsum([0, *(part.n for part in parts)]).tolist()
    parents, frames, payloads = [np.zeros(0, dtype=np.intp)], list[Frame](), list[Attached]()
    groups: dict[str, tuple[str, ...]] = {}
    for part, start, root in zip(parts, starts, onto, strict=False):
        parents.append(np.where(part.parent == WORLD, root, part.parent + start))
        frames += [replace(x, body=root if x.body == WORLD else x.body + start) for x in part.frames]
        payloads += [replace(x, body=x.body + start) for x in part.payloads]
        groups.update(part.groups)
    return Description(
        name=parts[0].name if parts else "robot",
        gravity=parts[0].gravity if parts else np.zeros(3),
        body_names=tuple(name for part in parts for name in part.body_names),
        parent=np.concatenate(parents).astype(np.intp),
        joints=tuple(joint for part in parts for joint in part.joints),
        placements=Pose.trusted(
            np.concatenate([np.zeros((0, 3, 3)), *(part.placements.rotation for part in parts)]),
            np.concatenate([np.zeros((0, 3)), *(part.placements.position for part in parts)]),
        ),
        mass=_rows([part.mass for part in parts], ()),
        com=_rows([part.com for part in parts], (3,)),
        inertia=_rows([part.inertia for part in parts], (3, 3)),
        frames=tuple(frames),
        payloads=tuple(payloads),
        groups=groups,
    )


def _rows(columns: list[Floats], shape: tuple[int, ...]) -> Floats:
    return read_only(np.concatenate([np.zeros((0, *shape)), *columns]))


# ── names ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _prefixed(description: Description, prefix: str) -> Description:
    """Every name under a prefix; a name that equals the prefix is not doubled."""

    def full(name: str) -> str:
        return prefix if name == prefix else f"{prefix}/{name}"

    def renamed(joint: Joint) -> Joint:
        named = joint.with_name(full(str(joint.name)))
        if named.mimic is None:
            return named
        return named.with_mimic(replace(named.mimic, joint=full(named.mimic.joint)))

    return description.changed(
        body_names=tuple(full(name) for name in description.body_names),
        joints=tuple(renamed(joint) for joint in description.joints),
        frames=tuple(replace(x, name=full(x.name)) for x in description.frames),
        payloads=tuple(replace(x, name=full(x.name)) for x in description.payloads),
        groups={full(key): tuple(full(name) for name in names) for key, names in description.groups.items()},
    )


def _alone_by_prefix(description: Description, prefix: str) -> Description:
    """Both `prefix` and `prefix/prefix` find what is meant: see `assemble`."""
    names = [*description.body_names, *(x.name for x in description.frames)]
    poses = {x.name: (x.body, x.pose) for x in description.frames}
    poses |= {name: (k, Pose.identity()) for k, name in enumerate(description.body_names)}
    extra: list[Frame] = []
    if prefix not in names and description.n == 1:
        extra.append(Frame(prefix, 0, Pose.identity()))
    if prefix in names and (doubled := f"{prefix}/{prefix}") not in names:
        extra.append(Frame(doubled, *poses[prefix]))
    return description.changed(frames=(*description.frames, *extra))


def _single(verb: str, pose: Pose | None) -> Pose:
    if pose is None:
        return Pose.identity()
    if not isinstance(pose, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type(verb, "pose", "a Pose", pose)
    if pose.shape:
        raise errors.model_shape(verb, "pose", "a single pose", pose.shape)
    return pose


def _check_free_name(description: Description, verb: str, name: str) -> None:
    if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.bad_name("frame", name)
    if name == "world":
        raise errors.reserved_name("frame")
    if name in description.body_names or any(x.name == name for x in description.frames):
        holder = "body" if name in description.body_names else "frame"
        raise errors.name_taken(verb, "frame", name, holder, "Names are unique among bodies and frames together.")


def _check_unique(description: Description, verb: str, remedy: str) -> None:
    bodies = {"world", *description.body_names}
    for kind, names in {
        "body": description.body_names,
        "joint": tuple(str(joint.name) for joint in description.joints),
        "frame": tuple(x.name for x in description.frames),
    }.items():
        seen: set[str] = set(bodies) if kind == "frame" else set()
        for name in names:
            if name in seen:
                holder = "body" if kind == "frame" and name in bodies else kind
                raise errors.name_taken(verb, kind, name, holder, remedy)
            seen.add(name)
