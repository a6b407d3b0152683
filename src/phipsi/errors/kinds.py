"""The kinds of trouble, and how things are spelt in a sentence."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence


class PhipsiError(Exception):
    """Everything phipsi raises on purpose is one of these."""


class ShapeError(PhipsiError, ValueError):
    """An array of the wrong shape, or batch axes that do not broadcast."""


class DTypeError(PhipsiError, TypeError):
    """An array that does not hold real numbers, or an argument of the wrong type."""


class SingularJoint(PhipsiError, ArithmeticError):  # noqa: N818 (the papers speak of the singularity)
    """D(k) = H P H* is not positive: nothing beyond that joint resists its motion."""


class UnknownName(PhipsiError, KeyError):  # noqa: N818
    """A body, joint or frame that the robot does not have."""

    def __str__(self) -> str:  # KeyError would print the repr of its argument
        return str(self.args[0]) if self.args else ""


class ModelError(PhipsiError, ValueError):
    """A robot that cannot be: its tree, names, joints, inertias or placements."""


class ImmutableError(PhipsiError, AttributeError):
    """An attempt to change a robot, joint or pose in place."""


class FileError(PhipsiError, ValueError):
    """A robot file that cannot be read or written; where, and the remedy, are also attributes."""

    path: str = ""
    line: int | None = None
    element: str = ""
    remedy: str = ""


class OptionError(PhipsiError, ValueError):
    """An option that is not one of those offered."""


class PhipsiWarning(UserWarning):
    """Everything phipsi warns of is one of these."""


class ModelWarning(PhipsiWarning):
    """A robot that is legal, and perhaps not what was meant."""


class FileWarning(PhipsiWarning):
    """Something a file asks for that phipsi does not do."""


class ClosureError(PhipsiError, ArithmeticError):
    """Loops that cannot be closed, or a motion that they forbid."""


class SpaceError(ShapeError):
    """Operators that do not meet in one space, or a vector of another space."""


class NoInverse(PhipsiError, ArithmeticError):  # noqa: N818 (what there is, not what went wrong)
    """An operator without an inverse, or with none that the theory knows."""


class ConfigurationError(PhipsiError, ValueError):
    """Operators of two configurations in one expression, or of none where one is needed."""


class SimulationError(PhipsiError, RuntimeError):
    """A run through time that cannot go on or be kept."""


class SimulationWarning(PhipsiWarning):
    """A run that ended before its time."""


# ── How things are spelt in a sentence ────────────────────────────────────────────────────────────────────────────


def quoted(names: Iterable[str], most: int = 8) -> str:
    """The names, quoted; a long list is cut and says by how much."""
    every = list(names)
    text = ", ".join(repr(name) for name in every[:most])
    return text if len(every) <= most else f"{text} and {len(every) - most} more"


def brief(value: object, most: int = 80) -> str:
    """`value` as a sentence quotes it: its repr on one line, cut."""
    text = " ".join(repr(value).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def closest(name: object, known: Sequence[str]) -> str | None:
    """The known name that `name` was perhaps meant to be."""
    if not isinstance(name, str):
        return None
    folded = {other.lower(): other for other in reversed(known)}
    if name.lower() in folded:
        return folded[name.lower()]
    # a robot of 1e5 bodies must not take minutes to say that a name is unknown
    few = known if len(known) <= 2000 else [other for other in known if other[:2] == name[:2]][:2000]
    matches = difflib.get_close_matches(name, few, n=1)
    return matches[0] if matches else None


def also(others: int, noun: str = "body", plural: str = "bodies") -> str:
    """How many others have the same trouble."""
    return "" if others == 0 else f" ({others} other {noun if others == 1 else plural} likewise)"
