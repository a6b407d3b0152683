"""Strip: runs one after another, shown as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from phipsi.model.reading import Floats
from phipsi.model.robot import Robot


class Strip:
    """What `report` and `view` need of several runs of one robot; the first record of each but the first is dropped."""

    def __init__(self, runs: Sequence[Any]) -> None:
        self.runs = list(runs)
        self.robot: Robot = runs[0].robot
        self.t = self._joined("t")
        self.q = self._joined("q")
        self.v = self._joined("v")
        self.tau = self._joined("tau")
        self.closure = self._measured()

    def _joined(self, name: str) -> Floats:
        parts = [np.asarray(getattr(run, name)) for run in self.runs]
        return np.concatenate([parts[0], *(part[1:] for part in parts[1:])])

    def _measured(self) -> Floats | None:
        """The largest closure error at each time; NaN while there was nothing to close."""
        parts: list[Floats] = []
        for k, run in enumerate(self.runs):
            error = run.closure
            largest = np.full(len(run.t), np.nan) if error is None else np.abs(error).max(axis=-1)
            parts.append(largest[min(k, 1) :])
        every = np.concatenate(parts)
        return every if np.isfinite(every).any() else None


def largest(values: Floats | None) -> float:
    """The largest size of what is known; NaN if nothing is."""
    known = np.empty(0) if values is None else np.abs(values[np.isfinite(values)])
    return float(known.max()) if known.size else float("nan")
