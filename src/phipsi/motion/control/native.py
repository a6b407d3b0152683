"""What a control law tells the native loop, so that it can be asked without Python."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from phipsi.model.reading import Floats
from phipsi.model.robot import Robot

KINDS = {"table": 0, "pd": 1, "computed_torque": 2}  # as LawKind of cpp/stepping.hpp


@dataclass(frozen=True, eq=False)
class NativeLaw:
    """One of the forms that cpp/steppers.hpp knows; gains are (nv,), the rest may have batch axes.

    table: rows of torques (*batch, rows, nv), each held for `period` (None: one row, forever).
    pd: kp (q_goal - q) + kd (v_goal - v), and gravity if asked; computed_torque: that as the acceleration.
    """

    kind: Literal["table", "pd", "computed_torque"] = "table"
    table: Floats | None = None
    period: float | None = None
    q_goal: Floats | None = None
    v_goal: Floats | None = None
    kp: Floats | None = None
    kd: Floats | None = None
    gravity: bool = False


def native_law(law: Any, robot: Robot) -> NativeLaw | None:
    """How to ask a law without Python: what its `native` says, None if it has none or cannot."""
    tell = getattr(law, "native", None)
    told = tell(robot) if callable(tell) else None
    return told if isinstance(told, NativeLaw) else None
