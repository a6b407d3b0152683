"""Curves over time as SVG, written by hand so that a report needs nothing but NumPy; the viewer moves their cursor."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from phipsi.model.reading import Floats

from .geometry import Color
from .scene import css

WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 560, 220, 58, 12, 10, 30
MOST_POINTS = 1200  # of a curve; extremes are kept
# told apart in print and by most colour-blind eyes
CURVES: tuple[Color, ...] = (
    (0.13, 0.40, 0.80), (0.90, 0.45, 0.12), (0.10, 0.60, 0.45), (0.80, 0.25, 0.35), (0.50, 0.35, 0.78),
    (0.55, 0.40, 0.28), (0.85, 0.50, 0.72), (0.45, 0.50, 0.55), (0.65, 0.65, 0.10), (0.10, 0.65, 0.75),
)  # fmt: skip


@dataclass(frozen=True)
class Chart:
    """Curves (T,) over times (T,), with names; `log` draws the decades of what is positive."""

    title: str
    unit: str
    t: Floats
    curves: Sequence[tuple[str, Floats]]
    log: bool = False
    events: Sequence[tuple[float, str]] = ()


def figure(chart: Chart) -> str:
    """The chart in a <figure>, with its title and key."""
    key = "".join(
        f'<span><i style="background:{css(CURVES[k % len(CURVES)])}"></i>{html.escape(name)}</span>'
        for k, (name, _) in enumerate(chart.curves)
        if name
    )
    unit = f" <small>{html.escape(chart.unit)}</small>" if chart.unit else ""
    caption = f"<figcaption>{html.escape(chart.title)}{unit}</figcaption>"
    return f'<figure>{caption}<div class="key">{key}</div>{svg(chart)}</figure>'


def svg(chart: Chart) -> str:
    """The chart alone. Where a curve has no number, it has a gap."""
    t0, t1 = float(chart.t[0]), float(chart.t[-1])
    t1 = t1 if t1 > t0 else t0 + 1.0
    values = [_scaled(y, chart.log) for _, y in chart.curves]
    low, high = _range(values, chart.log)
    x0, x1, y0, y1 = LEFT, WIDTH - RIGHT, HEIGHT - BOTTOM, TOP

    def x(t: Floats | float) -> Floats:
        return x0 + (np.asarray(t) - t0) / (t1 - t0) * (x1 - x0)

    def y(value: Floats | float) -> Floats:
        return y0 + (np.asarray(value) - low) / (high - low) * (y1 - y0)

    parts = [
        f'<svg class="chart" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{html.escape(chart.title)}" '
        f'data-x0="{x0}" data-x1="{x1}" data-t0="{t0!r}" data-t1="{t1!r}" xmlns="http://www.w3.org/2000/svg">'
    ]
    for value, label in _ticks(low, high, chart.log):
        at = float(y(value))
        parts.append(f'<path class="grid" d="M{x0} {at:.1f}H{x1}"/>')
        parts.append(f'<text x="{x0 - 7}" y="{at + 4:.1f}" text-anchor="end">{label}</text>')
    for value in nice_ticks(t0, t1, 7):
        at = float(x(value))
        parts.append(f'<path class="axis" d="M{at:.1f} {y0}v4"/>')
        parts.append(f'<text x="{at:.1f}" y="{y0 + 17}" text-anchor="middle">{spell(value)}</text>')
    parts.append(f'<path class="axis" d="M{x0} {y0}H{x1}"/>')
    parts.append(f'<text x="{x1}" y="{HEIGHT - 1}" text-anchor="end">t / s</text>')
    parts += [f'<path class="event" d="M{float(x(t)):.1f} {y0}V{y1}"/>' for t, _ in chart.events if t0 < t < t1]
    for k, curve in enumerate(values):
        path = _path(x(chart.t), y(curve))
        parts.append(f'<path class="line" stroke="{css(CURVES[k % len(CURVES)])}" d="{path}"/>')
    parts.append(f'<g class="cursor"><line x1="0" x2="0" y1="{y0}" y2="{y1}"/></g></svg>')
    return "".join(parts)


def nice_ticks(low: float, high: float, most: int = 5) -> list[float]:
    """At most so many round numbers between two others.

    >>> nice_ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    """
    rough = (high - low) / most
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 2.5, 5, 10) if m * power >= rough * (1 - 1e-9))
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [float(f"{k * step:.12g}") for k in range(first, last + 1)]


def spell(value: float) -> str:
    """A number beside an axis."""
    text = f"{value:.4g}"
    if "e" in text:
        mantissa, power = text.split("e")
        return f"{mantissa}e{int(power)}".replace("-", "−")
    return text.replace("-", "−")


def _scaled(y: Floats, log: bool) -> Floats:
    y = np.where(np.isfinite(y), y, np.nan)
    if not log:
        return y
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(y > 0, np.log10(np.abs(y)), np.nan)


def _range(values: Sequence[Floats], log: bool) -> tuple[float, float]:
    finite = np.concatenate([v[np.isfinite(v)] for v in values]) if values else np.empty(0)
    if not finite.size:
        return (-1.0, 1.0) if not log else (-16.0, 0.0)
    low, high = float(finite.min()), float(finite.max())
    if log:
        return math.floor(low - 1e-9), max(math.ceil(high + 1e-9), math.floor(low) + 1)
    margin = 0.06 * (high - low)
    if high - low <= 1e-12 * max(abs(low), abs(high)):
        margin = 0.5 * abs(low) or 1.0
    return low - margin, high + margin


def _ticks(low: float, high: float, log: bool) -> list[tuple[float, str]]:
    if not log:
        return [(value, spell(value)) for value in nice_ticks(low, high)]
    step = max(1, math.ceil((high - low) / 5))
    powers = range(int(low), int(high) + 1, step)
    return [(float(p), f'10<tspan dy="-4" font-size="8">{str(p).replace("-", "−")}</tspan>') for p in powers]


def _path(x: Floats, y: Floats) -> str:
    """Move where a run of numbers begins, line on; long curves keep the lowest and highest of each stretch."""
    if x.size > MOST_POINTS:
        keep = _extremes(y, MOST_POINTS // 2)
        x, y = x[keep], y[keep]
    words: list[str] = []
    broken = True
    for a, b in zip(x.tolist(), y.tolist(), strict=True):
        if math.isfinite(b):
            words.append(f"{'M' if broken else 'L'}{a:.1f} {b:.1f}")
        broken = not math.isfinite(b)
    return "".join(words)


def _extremes(y: Floats, stretches: int) -> NDArray[np.intp]:
    edges = np.linspace(0, y.size, stretches + 1).astype(int)
    keep = {0, y.size - 1}
    for a, b in pairwise(edges.tolist()):
        part = y[a:b]
        if part.size and np.isfinite(part).any():
            keep |= {a + int(np.nanargmin(part)), a + int(np.nanargmax(part))}
        elif part.size:
            keep.add(a)
    return np.array(sorted(keep))
