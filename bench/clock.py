"""How time is taken: contenders take turns, and the best turn of each counts."""

from __future__ import annotations

import gc
import math
from collections.abc import Callable, Iterable, Mapping
from time import perf_counter

Run = Callable[[], object]


def race(contenders: Mapping[str, Run], seconds: float, at_least: int = 7) -> dict[str, float]:
    """Seconds that the best turn of each contender took; they take turns until `seconds` are over.

    Taking turns lets whatever else the machine does fall on all alike, the order is reversed every other round, and the
    minimum is the time that nothing disturbed.
    """
    best = dict.fromkeys(contenders, math.inf)
    order = list(contenders.items())
    for _, run in order:  # the first run of anything pays for caches, lazy loading and page faults
        run()
    collecting = gc.isenabled()
    gc.disable()
    try:
        end, rounds = perf_counter() + seconds, 0
        while rounds < at_least or perf_counter() < end:
            for name, run in order:
                start = perf_counter()
                run()
                best[name] = min(best[name], perf_counter() - start)
            order.reverse()
            rounds += 1
    finally:
        if collecting:
            gc.enable()
    return best


def geometric_mean(values: Iterable[float]) -> float:
    """The mean that ratios have: that of the inverse ratios is its inverse."""
    logs = [math.log(value) for value in values]
    return math.exp(sum(logs) / len(logs))
