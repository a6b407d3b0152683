"""Welding what does not move: bodies behind Fixed joints become part of their parents."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np

from phipsi import errors
from phipsi.model.description import WORLD, Description, Frame
from phipsi.model.inertia import gather
from phipsi.model.joints import Joint
from phipsi.model.pose import Pose
from phipsi.model.reading import Bools, Floats, Ints, read_only


def merge_fixed(description: Description) -> Description:
    """Every body behind a Fixed joint goes into the nearest one that moves, and leaves a frame of its name."""
    fixed = np.array([joint.kind == "fixed" for joint in description.joints], dtype=np.bool_)
    if not fixed.any():
        return description
    host, pose = _hosts(description, fixed)
    row = np.append(np.cumsum(~fixed) - 1, WORLD)  # the new number of a body that stays; row[-1] is the world's
    onto = row[host]
    mass, com, inertia = _welded(description, fixed, onto, pose)
    parents = description.parent[~fixed]
    placements = Pose.trusted(np.vstack([pose.rotation, np.eye(3)[None]]), np.vstack([pose.position, np.zeros(3)]))
    at = onto.tolist()
    names = {name for name, gone in zip(description.body_names, fixed.tolist(), strict=True) if gone}
    welded = [Frame(description.body_names[k], at[k], pose[k]) for k in np.flatnonzero(fixed).tolist()]
    frames = [x if x.body == WORLD else replace(x, body=at[x.body], pose=pose[x.body] @ x.pose)
              for x in description.frames]  # fmt: skip
    payloads = [replace(x, body=at[x.body], pose=pose[x.body] @ x.pose) for x in description.payloads]
    return description.changed(
        body_names=tuple(name for name in description.body_names if name not in names),
        parent=np.append(onto, WORLD)[parents],
        joints=without_lost_leaders(tuple(x for x in description.joints if x.kind != "fixed")),
        placements=placements[parents] @ description.placements[~fixed],
        mass=mass,
        com=com,
        inertia=inertia,
        frames=(*welded, *frames),
        payloads=tuple(x for x in payloads if x.body != WORLD),  # on the world it weighs on nothing
        groups={key: group for key, group in description.groups.items() if not names.intersection(group)},
    )


def _hosts(description: Description, fixed: Bools) -> tuple[Ints, Pose]:
    """For each body the one that it becomes part of (itself, if it moves), and its pose in that."""
    host = np.arange(description.n, dtype=np.intp)
    rotation = np.broadcast_to(np.eye(3), (description.n, 3, 3)).copy()
    position = np.zeros((description.n, 3))
    for k in np.flatnonzero(fixed).tolist():  # parents come first, so theirs are known
        p = int(description.parent[k])
        host[k] = WORLD if p == WORLD else host[p]
        rotation[k], position[k] = description.placements.rotation[k], description.placements.position[k]
        if p != WORLD and fixed[p]:
            position[k] = rotation[p] @ position[k] + position[p]
            rotation[k] = rotation[p] @ rotation[k]
    return host, Pose.trusted(rotation, position)


def _welded(description: Description, fixed: Bools, onto: Ints, pose: Pose) -> tuple[Floats, Floats, Floats]:
    """Masses of the bodies that stay; those that nothing is welded to keep theirs to the last bit."""
    mass, com, inertia = (x[~fixed].copy() for x in (description.mass, description.com, description.inertia))
    touched = np.zeros(len(mass) + 1, dtype=np.bool_)
    touched[onto[fixed]] = True
    touched[WORLD] = False
    rows = touched[onto]  # the bodies that meet others
    turned = pose.rotation[rows] @ description.inertia[rows] @ np.swapaxes(pose.rotation[rows], -1, -2)
    total, centre, moments = gather(
        onto[rows], len(mass), description.mass[rows], pose[rows] @ description.com[rows], turned
    )
    met = touched[:-1]
    mass[met], inertia[met] = total[met], moments[met]
    massive = met & (total > 0.0)
    com[massive] = centre[massive]
    return read_only(mass), read_only(com), read_only(inertia)


def without_lost_leaders(joints: tuple[Joint, ...]) -> tuple[Joint, ...]:
    """Joints that mimic one which no longer moves are let go, with a warning."""
    moving = {joint.name for joint in joints if joint.nv > 0}
    lost = [x for x in joints if x.mimic is not None and x.mimic.joint not in moving]
    if not lost:
        return joints
    warnings.warn(errors.mimic_lost([str(joint.name) for joint in lost]), stacklevel=4)
    return tuple(x.with_mimic(None) if x.mimic is not None and x.mimic.joint not in moving else x for x in joints)
