"""What is said of diagonalized dynamics: rates of operators, and laws that need all motors."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import ModelError, NoInverse, OptionError, SpaceError


def no_rate(name: str, known: Sequence[str]) -> OptionError:
    """A letter whose rate is not known."""
    return OptionError(
        f"dot: no rate of {name} is known. Known are those of {', '.join(known)}, B, m, l, and of all sums and "
        f"products of these: write {name} with them."
    )


def rate_with_mask() -> OptionError:
    """A configuration in which some dofs are locked."""
    return OptionError(
        "dot, m and l: not of a configuration with a mask, whose P, D and psi are those of its passive dofs. "
        "Take s = robot.at(q), without passive=; for a robot whose other joints are locked, robot.freeze(...).at(q)."
    )


def no_inverse_of_composed(formula: str) -> NoInverse:
    """A rate, or a sum with one."""
    return NoInverse(f"no inverse of {formula} is known. s.m, s.l and their adjoints have one; rates have none.")


def spaces_do_not_meet(left: str, right: str, expected: str, came: str) -> SpaceError:
    """Two operators that cannot be put together."""
    return SpaceError(f"{left} and {right} do not fit: one has {expected} where the other has {came}.")


def motors_missing(law: str, joints: Sequence[str]) -> ModelError:
    """A law that drives every ν, for a robot that cannot."""
    names = ", ".join(map(repr, joints))
    return ModelError(
        f"{law}: every dof needs a motor, because each of the rates ν is driven by all torques beyond it; {names} "
        "of this robot have none. Give it motors with robot.with_passive([]), or hold the base with another law."
    )


def gain_not_positive(where: str, symbol: str, expected: str, got: object) -> OptionError:
    """A gain that is not positive."""
    return OptionError(f"{where}: {symbol} must be {expected}, got {got}.")
