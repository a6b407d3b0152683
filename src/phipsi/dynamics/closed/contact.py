"""Contact models: which of the six directions of relative motion a contact locks, and what force it may press with.

`pp.contact.rigid()`, `revolute(axis)`, `soft_finger(normal)`, `point()` and `directions(mask)`. Directions are
constant in the axes that the grasp says (`axes="object"` or `"tip"`), as H is in RK88's non-rigid grasps: H W is the
free motion.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, bools, number, read_only, unit

__all__ = ["Contact", "directions", "point", "revolute", "rigid", "soft_finger"]


@dataclass(frozen=True, eq=False)
class Contact:
    """What a contact locks: `locked` (m, 6) and what it leaves `free` (6 - m, 6), orthonormal rows [angular; linear].

    Where there is a `normal` (from the object to the tip), the contact can only press: a motion then tells whether it
    still `holds`, that is, whether the force on the tip along the normal is not negative and, with `friction`, the
    tangential part is inside the cone |f_t| <= friction f_n. `torsion` bounds the moment of a soft finger likewise,
    |n_n| <= torsion f_n (metres).

    >>> point().locked.shape, revolute((0, 0, 1)).free
    ((3, 6), array([[0., 0., 1., 0., 0., 0.]]))
    """

    kind: str
    locked: Floats
    free: Floats
    axis: Floats | None = None  # of two locked turns: the third, about which the contact turns freely
    normal: Floats | None = None
    friction: float | None = None
    torsion: float | None = None

    @property
    def turns(self) -> int:
        """How many angular directions are locked; with three or two of them an attitude is, with one only a spin."""
        return int(np.any(self.locked[:, :3] != 0.0, axis=1).sum())

    def __repr__(self) -> str:
        return f"<Contact {self.kind}: {len(self.locked)} of 6 directions locked>"


def rigid() -> Contact:
    """All six directions: tip and object move as one body. [RK88 II 2.7]"""
    return Contact("rigid", _frozen(np.eye(6)), _frozen(np.zeros((0, 6))))


def revolute(axis: ArrayLike) -> Contact:
    """A hinge: free to turn about `axis` only, one of RK88's non-rigid grasps."""
    h = np.array(unit(axis, "contact.revolute", "axis"))
    locked = np.zeros((5, 6))
    locked[:2, :3], locked[2:, 3:] = _across(h), np.eye(3)
    return Contact("revolute", _frozen(locked), _frozen(np.r_[h, 0.0, 0.0, 0.0][None]), axis=_frozen(h))


def soft_finger(normal: ArrayLike, friction: float | None = None, torsion: float | None = None) -> Contact:
    """A soft fingertip: locks the point and the spin about `normal`, n·(ω_tip - ω_object) = 0, which is non-holonomic.

    `normal` points from the object to the tip; it can only press. `friction` bounds the tangential force, `torsion` (a
    length) the moment about the normal; neither changes the motion, they say when it would not be one.
    """
    n = np.array(unit(normal, "contact.soft_finger", "normal"))
    locked, free = np.zeros((4, 6)), np.zeros((2, 6))
    locked[0, :3], locked[1:, 3:], free[:, :3] = n, np.eye(3), _across(n)
    limits = _limit(friction, "soft_finger", "friction"), _limit(torsion, "soft_finger", "torsion")
    return Contact("soft finger", _frozen(locked), _frozen(free), None, _frozen(n), *limits)


def point(normal: ArrayLike | None = None, friction: float | None = None) -> Contact:
    """A hard fingertip with friction: locks the three linear directions, turns freely.

    With a `normal` (from the object to the tip) it can only press, and with `friction` the force must stay in the cone.
    """
    if normal is None and friction is not None:
        raise errors.friction_needs_normal()
    n = None if normal is None else _frozen(np.array(unit(normal, "contact.point", "normal")))
    mu = _limit(friction, "point", "friction")
    return Contact("point", _frozen(np.eye(6)[3:]), _frozen(np.eye(6)[:3]), None, n, mu)


def directions(mask: ArrayLike) -> Contact:
    """Any of the six: `mask` says which are locked, [angular x, y, z; linear x, y, z].

    Two locked turns keep an axis, three an attitude; a single one locks a spin only, as a soft finger does.
    """
    chosen = bools(mask, "contact.directions", "mask", "six bools, True where motion is locked")
    if chosen.shape != (6,):
        raise errors.model_shape("contact.directions", "mask", "six bools, True where motion is locked", chosen.shape)
    if not chosen.any():
        raise errors.nothing_locked()
    axis = np.eye(3)[~chosen[:3]][0] if chosen[:3].sum() == 2 else None
    return Contact("directions", _frozen(np.eye(6)[chosen]), _frozen(np.eye(6)[~chosen]), axis)


def _across(h: Floats) -> Floats:
    """Two unit vectors that complete h to a right-handed frame."""
    start = np.eye(3)[int(np.argmin(np.abs(h)))]
    first = np.cross(h, start)
    first = first / np.linalg.norm(first)
    rows: Floats = np.array([first, np.cross(h, first)], dtype=np.float64)
    return rows


def _limit(value: float | None, where: str, symbol: str) -> float | None:
    if value is None:
        return None
    read = number(value, f"contact.{where}", symbol)
    if not read >= 0.0:
        raise errors.negative(f"contact.{where}", symbol, value)
    return read


def _frozen(array: Floats) -> Floats:
    return read_only(np.array(array, dtype=np.float64))
