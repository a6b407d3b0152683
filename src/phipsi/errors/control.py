"""What is said of control laws, their gains and goals."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import OptionError, brief


def no_duration(where: str, symbol: str, got: object) -> OptionError:
    """A duration that is none."""
    return OptionError(f"{where}: {symbol} must be a positive, finite number, got {brief(got)}.")


def gain_below_zero(where: str, symbol: str, got: object) -> OptionError:
    """A gain below zero."""
    return OptionError(f"{where}: {symbol} must be a finite number >= 0, got {brief(got)}.")


def no_such_row(where: str, rows: Sequence[int], count: int) -> OptionError:
    """Rows of a task that it does not have."""
    return OptionError(
        f"{where}: rows must be among 0 to {count - 1} ([angular; linear] of each frame, world axes), got {list(rows)}."
    )
