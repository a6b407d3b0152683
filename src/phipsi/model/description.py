"""Description: everything a robot is, as plain columns. Builders write it, edits rewrite it, a Robot reads it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from phipsi.model.inertia import Payload, gather
from phipsi.model.joints import KINDS, Joint
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, Ints, read_only

WORLD = -1


@dataclass(frozen=True)
class Frame:
    """A named place on a body (or on the world, body -1)."""

    name: str
    body: int
    pose: Pose


@dataclass(frozen=True)
class Attached:
    """A payload welded to a body; its own frame has the same name."""

    name: str
    body: int
    pose: Pose
    payload: Payload


@dataclass(frozen=True, eq=False)
class Description:
    """A robot's bodies, one row each (parents first), its frames, and what has been attached to it.

    Masses are the bodies' own; `loaded` adds the payloads, so that detaching one restores them to the last bit.
    """

    name: str
    gravity: Floats
    body_names: tuple[str, ...]
    parent: Ints
    joints: tuple[Joint, ...]
    placements: Pose
    mass: Floats
    com: Floats
    inertia: Floats
    frames: tuple[Frame, ...] = ()
    payloads: tuple[Attached, ...] = ()
    groups: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])

    @property
    def n(self) -> int:
        """Bodies."""
        return len(self.body_names)

    def changed(self, **changes: Any) -> Description:
        """The same with some columns replaced."""
        return replace(self, **changes)

    def loaded(self) -> tuple[Floats, Floats, Floats]:
        """mass, com and inertia of the bodies with their payloads."""
        mass, com, inertia = self.mass, self.com, self.inertia
        if not self.payloads:
            return mass, com, inertia
        bodies = np.unique([x.body for x in self.payloads]).astype(np.intp)
        local = {int(body): row for row, body in enumerate(bodies)}
        onto = np.array([*range(len(bodies)), *(local[x.body] for x in self.payloads)], dtype=np.intp)
        turned = [x.pose.rotation @ x.payload.inertia @ x.pose.rotation.T for x in self.payloads]
        total, centre, moments = gather(
            onto,
            len(bodies),
            np.array([*mass[bodies], *(x.payload.mass for x in self.payloads)]),
            np.array([*com[bodies], *(x.pose @ x.payload.com for x in self.payloads)]).reshape(-1, 3),
            np.array([*inertia[bodies], *turned]).reshape(-1, 3, 3),
        )
        mass, com, inertia = mass.copy(), com.copy(), inertia.copy()
        mass[bodies], com[bodies], inertia[bodies] = total, centre, moments
        return mass, com, inertia

    def native(self) -> dict[str, Any]:
        """The arguments of the native constructor."""
        mass, com, inertia = self.loaded()
        flat = [x for joint in self.joints for x in joint.flat_parameters]
        lengths = [len(joint.flat_parameters) for joint in self.joints]
        return {
            "parent": self.parent.astype(np.int32),
            "kind": np.array([KINDS[joint.kind] for joint in self.joints], dtype=np.int32),
            "parameters": np.array(flat, dtype=np.float64),
            "parameter_offset": np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32),
            "rotation": self.placements.rotation,
            "position": self.placements.position,
            "mass": mass,
            "com": com,
            "inertia": inertia,
            "armature": per_dof(self.joints, "armature"),
            "gravity": self.gravity,
            "body_names": list(self.body_names),
            "joint_names": [str(joint.name) for joint in self.joints],
            "frame_names": [frame.name for frame in self.frames],
            "frame_body": np.array([frame.body for frame in self.frames], dtype=np.int32),
            "frame_rotation": Pose.stack([frame.pose for frame in self.frames]).rotation,
            "frame_position": Pose.stack([frame.pose for frame in self.frames]).position,
        }

    def same(self, other: Description) -> bool:
        """Equal in everything, to the last bit."""
        arrays = ("gravity", "parent", "mass", "com", "inertia")
        others = ("name", "body_names", "joints", "placements", "frames", "payloads", "groups")
        return all(np.array_equal(getattr(self, x), getattr(other, x)) for x in arrays) and all(
            getattr(self, x) == getattr(other, x) for x in others
        )


def per_dof(joints: tuple[Joint, ...], name: str) -> Floats:
    """One property of all joints, dof by dof, shape (nv,). Read-only."""
    return read_only(np.array([x for joint in joints for x in getattr(joint, name)], dtype=np.float64))


def offsets(sizes: list[int]) -> Ints:
    """Where each joint's numbers start, and the end: joint k owns [offsets[k] : offsets[k + 1]]. Read-only."""
    index = np.zeros(len(sizes) + 1, dtype=np.intp)
    np.cumsum(sizes, out=index[1:])
    index.flags.writeable = False
    return index
