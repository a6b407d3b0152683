"""What the commands share: exit codes, and numbers as arguments."""

from __future__ import annotations

import argparse
import math

OK, FAILED, USAGE = 0, 1, 2


def count(text: str) -> int:
    """A whole number, at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def positive(text: str) -> float:
    """A finite number above zero."""
    number = float(text)
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError("must be positive and finite")
    return number
