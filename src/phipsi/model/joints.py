"""The joints as a user writes them: one class a type. The native core gives each its motion (`cpp/joints.hpp`)."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model import subalgebra
from phipsi.model.joint import KINDS, TYPES, Joint
from phipsi.model.properties import Properties
from phipsi.model.reading import Floats, number, unit

if TYPE_CHECKING:
    from typing_extensions import Unpack

__all__ = [
    "KINDS", "Custom", "Cylindrical", "Fixed", "Free", "Helical", "Joint", "Planar", "Prismatic", "Revolute",
    "Spherical", "Translational", "Universal",
]  # fmt: skip


class Fixed(Joint):
    """Welds the body to its parent: no q, no v."""

    kind = "fixed"

    def __init__(self, **properties: Unpack[Properties]) -> None:
        super().__init__(**properties)


class Revolute(Joint):
    """Turns about `axis` (child axes, through the joint's origin): q = angle, H* = [axis; 0].

    Continuous joints are revolute joints without limits: nq = 1, the angle is not wrapped.
    """

    kind = "revolute"

    def __init__(self, axis: ArrayLike, **properties: Unpack[Properties]) -> None:
        super().__init__(unit(axis, "Revolute", "axis"), **properties)


class Prismatic(Joint):
    """Slides along `axis`: q = distance, H* = [0; axis]."""

    kind = "prismatic"

    def __init__(self, axis: ArrayLike, **properties: Unpack[Properties]) -> None:
        super().__init__(unit(axis, "Prismatic", "axis"), **properties)


class Helical(Joint):
    """A screw: turns about `axis` and advances `pitch` metres per radian: q = angle, H* = [axis; pitch axis]."""

    kind = "helical"

    def __init__(self, axis: ArrayLike, pitch: float, **properties: Unpack[Properties]) -> None:
        advance = number(pitch, "Helical", "pitch", "a number of metres per radian")
        if not math.isfinite(advance):
            raise errors.not_finite("Helical", "pitch", pitch)
        super().__init__((*unit(axis, "Helical", "axis"), advance), **properties)


class Cylindrical(Joint):
    """Turns about and slides along one `axis`: q = (angle, distance), H* = [axis; 0], [0; axis]."""

    kind = "cylindrical"

    def __init__(self, axis: ArrayLike, **properties: Unpack[Properties]) -> None:
        super().__init__(unit(axis, "Cylindrical", "axis"), **properties)


class Universal(Joint):
    """A cardan joint: turns about `axis1` fixed in the parent, then `axis2` fixed in the child, q = the two angles.

    H* = [Rot(axis2, -q2) axis1; 0], [axis2; 0]. The axes need not be perpendicular, only not parallel.
    """

    kind = "universal"

    def __init__(self, axis1: ArrayLike, axis2: ArrayLike, **properties: Unpack[Properties]) -> None:
        first, second = unit(axis1, "Universal", "axis1"), unit(axis2, "Universal", "axis2")
        if math.hypot(*subalgebra.cross(first, second)) < 1e-9:
            raise errors.parallel_axes("Universal", "axis1", "axis2")
        super().__init__((*first, *second), **properties)


class Spherical(Joint):
    """A ball joint: q = quaternion [w, x, y, z], v = ω in child axes, so nq = 4 and nv = 3."""

    kind = "spherical"

    def __init__(self, **properties: Unpack[Properties]) -> None:
        super().__init__(**properties)


class Planar(Joint):
    """Slides in the plane across `normal` and turns about it: q = (angle, x, y), motion Trans(x, y) Rot(angle).

    x runs along `x_axis`, y along normal × x_axis. v = (ω, vx, vy) is the body's twist in *child* axes: q̇ ≠ v.
    Without `x_axis`, x runs along the parent's x axis seen in the plane (its y axis where the normal is near x).
    """

    kind = "planar"

    def __init__(
        self, normal: ArrayLike = (0, 0, 1), x_axis: ArrayLike | None = None, **properties: Unpack[Properties]
    ) -> None:
        n = np.array(unit(normal, "Planar", "normal"))
        if x_axis is None:
            start = np.eye(3)[1 if abs(n[0]) > 0.9 else 0]
        else:
            start = np.array(unit(x_axis, "Planar", "x_axis"))
            in_plane = start - n * (n @ start)
            if abs(n @ start) > 1 - 1e-12:
                raise errors.no_direction_in_plane("Planar", "x_axis", "normal")
            if abs(n @ start) > 1e-6:
                cosine, remedy = float(n @ start), in_plane.round(6).tolist()
                raise errors.not_perpendicular("Planar", "x_axis", "normal", cosine, remedy)
        x = start - n * (n @ start)
        x = x / np.linalg.norm(x)
        super().__init__((*n.tolist(), *x.tolist()), **properties)


class Translational(Joint):
    """Moves without turning: q = (x, y, z), H* = [0; e1], [0; e2], [0; e3]."""

    kind = "translational"

    def __init__(self, **properties: Unpack[Properties]) -> None:
        super().__init__(**properties)


class Free(Joint):
    """Six degrees of freedom: q = [quaternion wxyz, position], v = [ω; v] in child axes, so nq = 7 and nv = 6.

    On the world it is a free base, and passive unless told otherwise.
    """

    kind = "free"

    def __init__(self, **properties: Unpack[Properties]) -> None:
        super().__init__(**properties)


class Custom(Joint):
    """A joint given by its constant `columns` of H*, shape (6, m): child axes, [angular; linear], m = 1..6.

    The motions must close: the bracket of any two columns lies in their span (a Lie subalgebra), else the columns
    could not stay constant. If all brackets vanish, q̇ = v, nq = m and motion = exp(h₁q₁)…exp(hₘqₘ). Otherwise
    nq = 7, q = [quaternion, position] as of a free joint, kept in the subgroup by `integrate`.

    >>> screw = np.array([[0, 0, 1, 0, 0, 0.1]]).T
    >>> Custom(screw).nq
    1
    """

    kind = "custom"

    def __init__(self, columns: ArrayLike, **properties: Unpack[Properties]) -> None:
        h = subalgebra.columns(columns)
        m = h.shape[1]
        nq = m if subalgebra.commute(h) else 7
        self._describe(tuple(h.T.reshape(-1).tolist()), nq, m, properties)

    @property
    def columns(self) -> Floats:
        """H*, shape (6, m)."""
        return self.parameters.reshape(self.nv, 6).T.copy()

    @property
    def q_labels(self) -> tuple[str, ...]:
        """q1…qm, or those of a free joint."""
        return tuple(TYPES["free"]["q_labels"]) if self.nq == 7 else tuple(f"q{k + 1}" for k in range(self.nq))

    @property
    def v_labels(self) -> tuple[str, ...]:
        """v1…vm."""
        return tuple(f"v{k + 1}" for k in range(self.nv))
