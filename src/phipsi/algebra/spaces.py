"""The spaces that operators map between: bodies, joints, passive and active dofs, pick-off frames."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Space:
    """A space of stacked vectors. `kind` is its name in sentences; `frames` are the names of pick-off frames.

    bodies: six numbers a body, [angular; linear] at O_k, world axes.  joints: one number a dof.  passive, active: the
    dofs on either side of a mask.  frames: six numbers a frame, world axes, at the frame's origin.
    """

    kind: str
    frames: tuple[str, ...] = ()

    @property
    def code(self) -> int:
        """The executor's number for it: passive and active dofs travel in registers of all dofs."""
        return {"bodies": 0, "frames": 2}.get(self.kind, 1)

    def __str__(self) -> str:
        return f"frames {', '.join(self.frames)}" if self.frames else self.kind


BODIES = Space("bodies")
JOINTS = Space("joints")
PASSIVE = Space("passive dofs")
ACTIVE = Space("active dofs")


def frames_space(names: tuple[str, ...]) -> Space:
    """The space of the pick-off frames `names`."""
    return Space("frames", names)


# what the vectors of a space are, as the image of an operator that takes forces, or motions
FORCES = {"bodies": "body forces", "frames": "frame forces"}
