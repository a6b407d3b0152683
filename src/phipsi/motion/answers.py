"""What users' functions are shown, and what they answer, read."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats, real


def said(symbol: str, value: Any, v: Floats) -> Floats:
    """What a user's function gave: numbers, as many as v has."""
    numbers = real(value, "simulate", f"{symbol}(t, q, v)", "numbers, as many as v has")
    if numbers.shape == v.shape:
        return numbers
    try:
        return np.broadcast_to(numbers, v.shape)
    except ValueError:
        raise errors.control_shape(symbol, v.shape, numbers.shape) from None


def shown(x: Floats) -> Floats:
    """What a user's function may look at and not change."""
    view = x.view()
    view.flags.writeable = False
    return view
