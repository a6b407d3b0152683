"""Records that go to a Parquet file while the run goes on, so that memory stays bounded however long it is."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from phipsi.model.reading import Floats
from phipsi.motion import storage, tables
from phipsi.motion.recording import Recorder
from phipsi.motion.systems import Open
from phipsi.motion.trajectory import Origin, Segment, Trajectory

NUMBERS = 1 << 20  # kept in memory before they are written


@dataclass
class StreamRecorder(Recorder):
    """As a Recorder, but all except the newest records are in the file."""

    path: str = ""
    system: Open | None = None
    notes: dict[str, Any] = field(default_factory=dict[str, Any])

    def __post_init__(self) -> None:
        width = max(1, int(np.prod(self.batch))) * (self.nq + 2 * self.nv + 1)
        self.expected = max(16, min(self.expected, NUMBERS // width))
        super().__post_init__()
        self._writer: Any = None

    def put(self, t: Floats, q: Floats, v: Floats) -> None:
        """As before; writes what no longer fits."""
        if self.count + len(t) > self.expected and self.count > 1:
            self._flush(1)
        super().put(t, q, v)

    def _flush(self, keep: int) -> None:
        assert self.system is not None
        pyarrow, parquet = storage.arrow("simulate(stream=...)")
        end = self.count - keep
        rows: dict[str, Floats] = {name: getattr(self, name)[:end] for name in ("t", "q", "v", "tau")}
        table = pyarrow.table(tables.columns(self.system.robot, rows))
        if self._writer is None:
            trailing = {"q": [self.nq], "v": [self.nv], "tau": [self.nv]}
            notes = {storage.KEY: json.dumps({**self.notes, "arrays": trailing})}
            self._writer = parquet.ParquetWriter(self.path, table.schema.with_metadata(notes))
        self._writer.write_table(table)
        for name in ("t", "q", "v", "tau"):
            array: Floats = getattr(self, name)
            array[:keep] = array[end : self.count].copy()
        self.flushed += end
        self.count = keep

    def close(self, end: dict[str, Any]) -> None:
        """Writes the rest and how the run ended."""
        self._flush(0)
        self._writer.add_key_value_metadata({storage.END: json.dumps(end)})
        self._writer.close()


class StreamedTrajectory(Trajectory):
    """A trajectory whose arrays are in a file: each is read when it is first asked for."""

    def __init__(
        self,
        path: str | os.PathLike[str],
        segments: Sequence[Segment],
        origin: Origin,
        stopped: str,
        events: Sequence[tuple[float, str]],
    ) -> None:
        self.path = path
        self._notes = storage.notes_of(path)
        self._segments, self._origin = tuple(segments), origin
        self.stopped, self.events = stopped, tuple(events)

    @cached_property
    def t(self) -> Floats:  # pyright: ignore[reportIncompatibleVariableOverride]
        """(T,)."""
        return storage.read(self.path, self._notes, "t")

    @cached_property
    def q(self) -> Floats:  # pyright: ignore[reportIncompatibleVariableOverride]
        """(T, *batch, nq)."""
        return storage.read(self.path, self._notes, "q")

    @cached_property
    def v(self) -> Floats:  # pyright: ignore[reportIncompatibleVariableOverride]
        """(T, *batch, nv)."""
        return storage.read(self.path, self._notes, "v")

    @cached_property
    def tau(self) -> Floats:  # pyright: ignore[reportIncompatibleVariableOverride]
        """(T, *batch, nv)."""
        return storage.read(self.path, self._notes, "tau")
