"""What every joint may have besides its motion: armature, damping, friction, spring, limits, passivity, mimicry."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, TypedDict

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import bools, number, real


@dataclass(frozen=True)
class Mimic:
    """A wish that a joint follow another one: q = multiplier · q(joint) + offset.

    Kept on the model for whoever simulates it; the dynamics take both joints as free to move.
    """

    joint: str
    multiplier: float = 1.0
    offset: float = 0.0

    def __post_init__(self) -> None:
        where = "Mimic"
        if not isinstance(self.joint, str) or not self.joint:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.bad_name("mimicked joint", self.joint)
        for symbol in ("multiplier", "offset"):
            value = getattr(self, symbol)
            finite = number(value, where, symbol)
            if not math.isfinite(finite):
                raise errors.not_finite(where, symbol, value)
            object.__setattr__(self, symbol, finite)


class Properties(TypedDict, total=False):
    """The keywords of every joint. A single number serves all its nv dofs; SI units."""

    name: str | None  # default: the name of the joint's body
    armature: ArrayLike  # rotor inertia seen at the joint: added to the diagonal of the mass matrix
    damping: ArrayLike  # torque per velocity
    friction: ArrayLike  # Coulomb: torque against the direction of motion
    stiffness: ArrayLike  # torque per displacement from rest
    rest: ArrayLike  # where the spring is slack, as a displacement from the neutral configuration
    lower: ArrayLike  # limits of q, where q has as many numbers as v
    upper: ArrayLike
    velocity_limit: ArrayLike  # of |v|
    effort_limit: ArrayLike  # of |tau|
    passive: bool | tuple[bool, ...] | list[bool] | None  # None: passive only if a free joint on the world
    mimic: Mimic | None


# default, and what is allowed: "finite"; "positive" (finite, >= 0); "limit" (not NaN); "bound" (>= 0, may be inf)
_RULES: dict[str, tuple[float, str]] = {
    "armature": (0.0, "positive"),
    "damping": (0.0, "positive"),
    "friction": (0.0, "positive"),
    "stiffness": (0.0, "positive"),
    "rest": (0.0, "finite"),
    "lower": (-np.inf, "limit"),
    "upper": (np.inf, "limit"),
    "velocity_limit": (np.inf, "bound"),
    "effort_limit": (np.inf, "bound"),
}
_DEFAULTS: list[dict[str, Any]] = [
    {"name": None, "passive": None, "mimic": None} | {key: (rule[0],) * nv for key, rule in _RULES.items()}
    for nv in range(7)
]


def read_properties(kind: str, nv: int, given: Properties) -> dict[str, Any]:
    """All properties of a joint with nv dofs, as tuples of nv floats: the given ones checked, the others default."""
    result = _DEFAULTS[nv].copy()
    if not given:
        return result
    unknown = [key for key in given if key not in result]
    if unknown:
        raise errors.unknown_property(kind, unknown[0], list(result))
    name = given.get("name")
    if name is not None and (not isinstance(name, str) or not name):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.bad_name("joint", name)
    where = kind if name is None else f"{kind} {name!r}"
    for key, value in given.items():
        if key in _RULES:
            result[key] = read_numbers(where, key, nv, value)
    result["name"] = name
    result["passive"] = read_passive(where, nv, given.get("passive"))
    follow: object = given.get("mimic")
    if follow is not None and not isinstance(follow, Mimic):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type(where, "mimic", "a Mimic(joint, multiplier, offset) or None", follow)
    result["mimic"] = follow
    if any(low > high for low, high in zip(result["lower"], result["upper"], strict=True)):
        raise errors.limits_crossed(where, given.get("lower"), given.get("upper"))
    return result


def read_passive(where: str, nv: int, passive: Any) -> tuple[bool, ...] | None:
    """None, or a bool for each dof."""
    if passive is None:
        return None
    if nv == 0 and isinstance(passive, (tuple, list)) and not passive:
        return ()
    mask = bools(passive, where, "passive", "None, True, False or a bool for each dof")
    if mask.shape not in ((), (nv,)):
        raise errors.model_shape(where, "passive", f"a bool, or {nv} of them", mask.shape)
    return tuple(np.broadcast_to(mask, (nv,)).tolist())


def read_numbers(where: str, key: str, nv: int, value: Any) -> tuple[float, ...]:
    """One property, as nv checked floats."""
    if type(value) is float or (type(value) is int and abs(value) < 2**53):
        numbers = (float(value),) * nv
    else:
        array = real(value, where, key, f"a number, or {nv} of them")
        if array.shape not in ((), (nv,)):
            raise errors.model_shape(where, key, f"a number, or {nv} of them", array.shape)
        numbers = tuple(np.broadcast_to(array, (nv,)).tolist())
    rule = _RULES[key][1]
    for x in numbers:
        if rule in ("positive", "finite") and not abs(x) < math.inf:
            raise errors.not_finite(where, key, value)
        if math.isnan(x):
            raise errors.nan(where, key)
        if rule in ("positive", "bound") and x < 0.0:
            raise errors.negative(where, key, value)
    return numbers
