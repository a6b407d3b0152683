"""One step of Dormand and Prince's pair 5(4), in the chart of q, with its dense output (Hairer's form, order 4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from phipsi.model.reading import Floats
from phipsi.motion.manifold import Chart
from phipsi.motion.steppers import Accelerate

Pair: TypeAlias = "tuple[Floats, Floats]"  # of Ω and v, or of their rates

NODES = (0.0, 1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
STAGES = (
    (),
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
DENSE = (
    -12715105075 / 11282082432,
    0.0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
)


def _sum(weights: tuple[float, ...], rates: list[Pair]) -> Pair:
    terms = [(w, rate) for w, rate in zip(weights, rates, strict=False) if w]
    omega, v = terms[0][0] * terms[0][1][0], terms[0][0] * terms[0][1][1]
    for w, rate in terms[1:]:
        omega, v = omega + w * rate[0], v + w * rate[1]
    return omega, v


@dataclass
class Step:
    """A step that was tried: where it ends, the accelerations there, and how wrong it may be."""

    chart: Chart
    t: float
    h: float
    q0: Floats
    v0: Floats
    rates: list[Pair]
    omega: Floats
    q: Floats
    v: Floats

    @property
    def acceleration(self) -> Floats:
        """At the end: the first stage of the next step."""
        return self.rates[-1][1]

    def error(self, rtol: float, atol: float) -> float:
        """The estimated error over what is tolerated, of the worst state: at most 1 is good."""
        if not self.omega.size:
            return 0.0
        d_omega, d_v = _sum(ERROR, self.rates)
        scale_q = atol + rtol * np.maximum(np.abs(self.omega), 1.0)  # a chart has no size but that of its steps
        scale_v = atol + rtol * np.maximum(np.abs(self.v0), np.abs(self.v))
        parts = np.concatenate([self.h * d_omega / scale_q, self.h * d_v / scale_v], axis=-1)
        return float(np.sqrt((parts**2).mean(axis=-1)).max())

    def at(self, t: float) -> Pair:
        """The state at a time within the step."""
        x = (t - self.t) / self.h
        end = self.omega, self.v - self.v0
        bend = _sum(DENSE, self.rates)
        out: list[Floats] = []
        for i in (0, 1):
            first, last = self.h * self.rates[0][i], self.h * self.rates[-1][i]
            rest = end[i] - last - (first - end[i]) + (1 - x) * self.h * bend[i]
            out.append(x * (end[i] + (1 - x) * (first - end[i] + x * rest)))
        return self.chart.move(self.q0, out[0]), self.v0 + out[1]


def step(
    chart: Chart, accelerate: Accelerate, t: float, q: Floats, v: Floats, h: float, a: Floats | None = None
) -> Step:
    """Tries a step; `a` are the accelerations at its beginning, if they are known."""
    rates: list[Pair] = [(v, accelerate(t, q, v) if a is None else a)]
    omega, at, speed = np.zeros(v.shape), q, v
    for node, weights in zip(NODES[1:], STAGES[1:], strict=True):
        d_omega, d_v = _sum(weights, rates)
        omega, speed = h * d_omega, v + h * d_v
        at = chart.move(q, omega)
        rates.append((chart.rate(omega, speed), accelerate(t + node * h, at, speed)))
    return Step(chart, t, h, q, v, rates, omega, at, speed)


def dopri5(chart: Chart, accelerate: Accelerate, t: float, q: Floats, v: Floats, h: float) -> Pair:
    """As a stepper with steps of one length: order 5."""
    done = step(chart, accelerate, t, q, v, h)
    return done.q, done.v
