"""What the commands share: exit codes, and numbers as arguments."""

from __future__ import annotations

import argparse
import math
from collections.abc import Callable
from pathlib import Path

OK, FAILED, USAGE = 0, 1, 2


def count(text: str) -> int:
    """A whole number, at least 1."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def target(*endings: str) -> Callable[[str], str]:
    """A file that can be written, before anything is computed for it."""

    def read(text: str) -> str:
        path = Path(text)
        if path.is_dir():
            raise argparse.ArgumentTypeError(f"{text} is a directory; give the name of a file in it")
        if not path.absolute().parent.is_dir():
            raise argparse.ArgumentTypeError(f"there is no directory {path.parent}")
        if endings and path.suffix not in endings:
            raise argparse.ArgumentTypeError(f"the name must end in {' or '.join(endings)}, got {text!r}")
        return text

    return read


def positive(text: str) -> float:
    """A finite number above zero."""
    number = float(text)
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError("must be positive and finite")
    return number
