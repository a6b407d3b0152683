"""The same free-flying robot with another base: the joints between the two bases turned round. Columns in, columns out.

Body frames, inertias and names stay where they are. A joint turned round must move the frame of what was its parent,
which need not lie on the joint's axis: the motion is then that of a Custom joint (a screw that misses the origin),
with the same coordinates. A universal joint has no constant columns; if its centre misses the frame, its two axes
become two joints with a massless cross between them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from phipsi import errors
from phipsi.model.description import WORLD, Description
from phipsi.model.joints import (
    Custom,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, Ints

_ON_AXIS = 1e-12  # what counts as through the origin, against the size of the offset (or one metre)
_SAME_BOTH_WAYS = ("armature", "damping", "friction", "stiffness", "rest", "lower", "upper", "velocity_limit",
                   "effort_limit")  # fmt: skip


@dataclass(frozen=True)
class Turned:
    """A joint turned round: `old` moves a body against its parent at `placement`; `new` (one, or the two of a universal
    joint) the parent against the body, with `v_new = S v_old`. `how`: what becomes of q.

    copy: q' = q.  swap: two angles, exchanged.  slide: q' = -R q.  pose: through the joint's rigid displacement.
    """

    old: Joint
    new: tuple[Joint, ...]
    placement: Pose
    how: str


def adjoint(pose: Pose) -> Floats:
    """Ad: twists [ω; v] of a child frame, as the parent frame sees them, (*batch, 6, 6)."""
    R, p = pose.rotation, pose.position
    matrix = np.zeros((*pose.shape, 6, 6))
    matrix[..., :3, :3] = matrix[..., 3:, 3:] = R
    matrix[..., 3:, :3] = np.cross(p[..., None, :], np.swapaxes(R, -1, -2), axis=-1).swapaxes(-1, -2)
    return matrix


def columns(joint: Joint) -> Floats:
    """H* in child axes, (6, nv), of a joint where it is constant."""
    e, x = np.eye(6), joint.parameters
    if joint.kind in ("revolute", "prismatic", "helical", "cylindrical"):
        turn, slide = np.r_[x[:3], 0, 0, 0], np.r_[0, 0, 0, x[:3]]
        screw = turn + (x[3] * slide if joint.kind == "helical" else 0.0)
        return np.stack({"prismatic": [slide], "cylindrical": [turn, slide]}.get(joint.kind, [screw]), axis=1)
    if joint.kind == "planar":
        n, along = x[:3], x[3:6]
        return np.stack([np.r_[n, 0, 0, 0], np.r_[0, 0, 0, along], np.r_[0, 0, 0, np.cross(n, along)]], axis=1)
    if joint.kind == "custom":
        return x.reshape(joint.nv, 6).T
    return {"fixed": e[:, :0], "spherical": e[:, :3], "translational": e[:, 3:], "free": e}[joint.kind]


def turned(joint: Joint, placement: Pose) -> Turned:
    """The joint seen from its other end."""
    R, p, name = placement.rotation, placement.position, joint.name
    if joint.kind == "fixed":
        return Turned(joint, (Fixed(name=name),), placement, "copy")
    if joint.kind == "universal":
        return _universal(joint, placement)
    even = all(len(set(getattr(joint, key))) <= 1 for key in _SAME_BOTH_WAYS) and not any(joint.friction)
    if joint.kind == "translational" and even:
        return Turned(joint, (_like(joint, Translational()),), placement, "slide")
    moved = -adjoint(placement) @ columns(joint)
    if joint.nq == joint.nv and joint.kind != "planar":
        return Turned(joint, (_like(joint, _simplest(moved)),), placement, "copy")
    _refuse_uneven(joint, even and not any(joint.rest))
    if joint.kind == "free":
        new: Joint = Free()
    elif joint.kind == "planar":
        new = Planar(R @ joint.parameters[:3], R @ joint.parameters[3:6])
    else:
        new = Spherical() if joint.kind == "spherical" and not p.any() else Custom(moved)
    return Turned(joint, (_like(joint, new),), placement, "pose")


def _simplest(h: Floats) -> Joint:
    """The joint with these commuting columns: one about an axis through the origin, if that is what they say."""
    size = max(1.0, float(abs(h).max()))
    w, v = h[:3, 0], h[3:, 0]
    if h.shape[1] == 1 and not w.any():
        return Prismatic(v) if abs(np.linalg.norm(v) - 1.0) < _ON_AXIS else Custom(h)
    if abs(np.linalg.norm(w) - 1.0) < _ON_AXIS and np.linalg.norm(np.cross(w, v)) <= _ON_AXIS * size:
        pitch = float(w @ v)
        if h.shape[1] == 1:
            return Revolute(w) if abs(pitch) <= _ON_AXIS * size else Helical(w, pitch)
        if h.shape[1] == 2 and abs(pitch) <= _ON_AXIS * size and np.allclose(h[:, 1], np.r_[0, 0, 0, w], 0, _ON_AXIS):
            return Cylindrical(w)
    return Custom(h)


def _universal(joint: Joint, placement: Pose) -> Turned:
    first, second = joint.parameters[:3], joint.parameters[3:]
    back = {key: getattr(joint, key)[::-1] for key in _SAME_BOTH_WAYS}
    passive = None if joint.passive is None else joint.passive[::-1]
    R = placement.rotation
    if not placement.position.any():
        whole = Universal(-R @ second, -R @ first, name=joint.name, passive=passive, **back)
        return Turned(joint, (whole,), placement, "swap")
    Ad, parts = adjoint(placement), list[Joint]()
    for i, axis in enumerate((second, first)):
        half = _simplest(-Ad @ np.r_[axis, 0, 0, 0][:, None])
        own = {key: value[i] for key, value in back.items()}
        parts.append(half.with_properties(name=joint.name, passive=None if passive is None else passive[i], **own))
    return Turned(joint, tuple(parts), placement, "swap")


def _like(joint: Joint, other: Joint) -> Joint:
    """`other` with the properties of `joint`."""
    own = {key: getattr(joint, key) for key in (*_SAME_BOTH_WAYS, "name", "passive", "mimic")}
    return other.with_properties(**own)


def _refuse_uneven(joint: Joint, even: bool) -> None:
    """Where v is in child axes, the child becomes another body: only what is the same about all axes can go along."""
    sliding = joint.kind != "spherical" and any(
        any(getattr(joint, key)) for key in ("armature", "damping", "stiffness")
    )
    if not even or sliding or len(set(joint.passive or ())) > 1:
        raise errors.joint_not_reversible(str(joint.name), joint.kind)


def _resists(joint: Joint) -> bool:
    """Whether it has a rotor, a damper or a spring."""
    return any(any(getattr(joint, key)) for key in ("armature", "damping", "stiffness"))


@dataclass(frozen=True)
class Rerooted:
    """A description with another base, and how its joints came about."""

    description: Description
    base: int  # the new base, in the old robot
    old_root: int  # the old one
    joints: tuple[tuple[int, Turned], ...]  # the old number of each joint that was turned round, new base first
    order: tuple[int, ...]  # old numbers of the bodies, in the new order; -1: the massless cross of a universal joint


def rebase(description: Description, base: int) -> Rerooted:
    """The tree that holds body `base`, hung up at `base`; other trees stay."""
    parent, path = description.parent.tolist(), [base]
    while parent[path[-1]] != WORLD:
        path.append(parent[path[-1]])
    root = path[-1]
    free = description.joints[root]
    if free.kind != "free":
        raise errors.not_free_flying(description.body_names[base], description.body_names[root], free.kind)
    if base == root:
        return Rerooted(description, base, root, (), tuple(range(description.n)))
    if len(set(free.passive or ())) > 1 or _resists(free):
        raise errors.joint_not_reversible(str(free.name), "free")
    taken = {joint.name for k, joint in enumerate(description.joints) if k != root}
    own = free.name == description.body_names[root] and description.body_names[base] not in taken
    free = free.with_name(description.body_names[base]) if own else free
    chain = [(k, turned(description.joints[k], description.placements[k])) for k in path[:-1]]
    return Rerooted(*_assembled(description, path, free, chain))


def _assembled(
    description: Description, path: list[int], free: Joint, chain: list[tuple[int, Turned]]
) -> tuple[Description, int, int, tuple[tuple[int, Turned], ...], tuple[int, ...]]:
    names, joints, placements = [description.body_names[path[0]]], [free], [Pose.identity()]
    parents, order = [WORLD], [path[0]]
    for (_, joint), body in zip(chain, path[1:], strict=True):
        for i, part in enumerate(joint.new):
            last = i == len(joint.new) - 1
            parents.append(len(names) - 1)
            order.append(body if last else -1)
            names.append(description.body_names[body] if last else _free_name(description, f"{part.name}/cross"))
            joints.append(part if last else part.with_name(names[-1]))
            placements.append(joint.placement.inv if i == 0 else Pose.identity())
    row = {body: k for k, body in enumerate(order) if body >= 0} | {WORLD: WORLD}
    for k in range(description.n):
        if k not in row:
            row[k] = len(names)
            parents.append(row[int(description.parent[k])])
            order.append(k)
            names.append(description.body_names[k])
            joints.append(description.joints[k])
            placements.append(description.placements[k])
    moved = set(names[: len(path) + 1])
    changed = description.changed(
        body_names=tuple(names),
        parent=np.array(parents, dtype=np.intp),
        joints=tuple(joints),
        placements=Pose.stack(placements),
        **{key: _rows(getattr(description, key), order) for key in ("mass", "com", "inertia")},
        frames=tuple(replace(x, body=row[x.body]) for x in description.frames),
        payloads=tuple(replace(x, body=row[x.body]) for x in description.payloads),
        groups={key: group for key, group in description.groups.items() if not moved.intersection(group)},
    )
    return changed, path[0], path[-1], tuple(chain), tuple(order)


def _rows(column: Floats, order: list[int]) -> Floats:
    """The rows of a column in another order, zero for what is massless."""
    picked: Ints = np.array(order, dtype=np.intp)
    rows = np.array(column[picked])
    rows[picked < 0] = 0.0
    rows.flags.writeable = False
    return rows


def _free_name(description: Description, name: str) -> str:
    taken = {*description.body_names, *(x.name for x in description.frames), *(x.name for x in description.joints)}
    while name in taken:
        name += "'"
    return name
