"""Places in bodies, and bodies welded together: what every reader of files does with links that do not move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from phipsi.model.inertia import gather
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats


@dataclass(slots=True)
class Place:
    """A pose that costs little to make by the ten thousand: position, and rotation (None for the identity)."""

    position: Floats
    rotation: Floats | None = None

    def __matmul__(self, child: Place) -> Place:
        """`child`, given in these axes, in the axes that this place is given in."""
        if self.rotation is None:
            return Place(self.position + child.position, child.rotation)
        rotation = self.rotation if child.rotation is None else self.rotation @ child.rotation
        return Place(self.position + self.rotation @ child.position, rotation)

    def pose(self) -> Pose:
        """As a Pose; made of checked numbers, so nothing is checked again."""
        return Pose.trusted(np.eye(3) if self.rotation is None else self.rotation, self.position)


HERE = Place(np.zeros(3))


@dataclass(slots=True)
class Mass:
    """A rigid body: mass, mass centre, and inertia about the mass centre, in some body's axes."""

    mass: float
    com: Floats
    inertia: Floats

    def seen_from(self, place: Place) -> Mass:
        """The same body, given in the axes of `place`, in the axes that `place` is given in."""
        com = (place @ Place(self.com)).position
        turn = place.rotation
        return Mass(self.mass, com, self.inertia if turn is None else turn @ self.inertia @ turn.T)


def weld(parts: Sequence[Mass]) -> Mass:
    """Several bodies as one; a single one stays as it is, to the last bit, and parts of nothing do not count."""
    solid = [part for part in parts if part.mass or part.inertia.any()]
    if not solid:
        return Mass(0.0, np.zeros(3), np.zeros((3, 3)))
    if len(solid) == 1:
        return solid[0]
    mass, com, inertia = (np.array([getattr(part, name) for part in solid]) for name in ("mass", "com", "inertia"))
    (total,), (centre,), (moments,) = gather(np.zeros(len(solid), dtype=np.intp), 1, mass, com, inertia)
    return Mass(float(total), centre, moments)
