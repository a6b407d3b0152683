"""One step of each explicit method with a step of its own choosing: semi-implicit Euler and RK4, in the chart of q.

`accelerate(t, q, v)` gives the accelerations, `chart` (manifold.py) keeps q on its manifold. The native loop
(cpp/steppers.hpp) takes the same steps.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from phipsi.model.reading import Floats
from phipsi.motion.manifold import Chart

Accelerate: TypeAlias = Callable[[float, Floats, Floats], Floats]
Rates: TypeAlias = Callable[[float, Floats, Floats], tuple[Floats, Floats]]
Stepper: TypeAlias = Callable[[Chart, Accelerate, float, Floats, Floats, float], tuple[Floats, Floats]]


def euler(chart: Chart, accelerate: Accelerate, t: float, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats]:
    """Semi-implicit: the new velocity moves the configuration. Order 1; energy wanders but does not grow."""
    v = v + h * accelerate(t, q, v)
    return chart.move(q, h * v), v


def rk4(chart: Chart, accelerate: Accelerate, t: float, q: Floats, v: Floats, h: float) -> tuple[Floats, Floats]:
    """The classical method of order 4, its stages in the chart around the step's beginning."""
    return rk4_of(chart, lambda time, q, v: (v, accelerate(time, q, v)), t, q, v, h)


def rk4_of(chart: Chart, rates: Rates, t: float, q: Floats, x: Floats, h: float) -> tuple[Floats, Floats]:
    """The same where the state is q and x, which need not be v: `rates(t, q, x)` gives v and ẋ."""
    v, x_dot = rates(t, q, x)
    sum_v, sum_x, rate = v, x_dot, v
    for reach, weight in ((0.5, 2.0), (0.5, 2.0), (1.0, 1.0)):
        omega = (reach * h) * rate
        v, x_dot = rates(t + reach * h, chart.move(q, omega), x + (reach * h) * x_dot)
        rate = chart.rate(omega, v)
        sum_v, sum_x = sum_v + weight * rate, sum_x + weight * x_dot
    return chart.move(q, (h / 6.0) * sum_v), x + (h / 6.0) * sum_x


STEPPERS: dict[str, Stepper] = {"euler": euler, "rk4": rk4}
