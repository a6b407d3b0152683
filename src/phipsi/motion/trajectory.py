"""Trajectory: a run as it was recorded, and what follows from its states: energy, momentum, closure, contact forces."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from phipsi.model.reading import Floats
from phipsi.model.robot import Robot
from phipsi.motion.clock import Clock
from phipsi.motion.systems import Open


@dataclass(frozen=True, eq=False)
class Segment:
    """From record `first` on, the run was that of `system`."""

    first: int
    system: Open


class Drift(NamedTuple):
    """The largest differences from the first record over a run, and the largest closure error (None: open robot)."""

    energy: Floats
    momentum: Floats
    closure: Floats | None


@dataclass(frozen=True, eq=False)
class Origin:
    """How the run was made, for going on with it."""

    clock: Clock
    index: int  # the number of the step that begins at the last record
    method: str
    record_every: int
    options: dict[str, Any]


class Trajectory:
    """What `simulate` returns. Time is the first axis of all: t (T,), q (T, *batch, nq), v and tau (T, *batch, nv).

    `tau[i]` is what the control asked for at t[i] (held until t[i + 1], if it is sampled); forces that the joints make
    by themselves are not in it. `energy`, `momentum`, `closure` and `contact_force` follow from the states and are
    computed when first asked for. `stopped` says why the run ended: "until", "event", "interrupted", "diverged" or
    "error".

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> run = pp.simulate(arm, arm.neutral(), 0.1 + 0 * arm.neutral(), until=0.1, step=1e-3, record_every=10)
    >>> run
    <Trajectory of 'arm': 11 records, t = 0 .. 0.1, rk4>
    >>> run.q.shape, run.energy.shape, run.momentum.shape
    ((11, 7), (11,), (11, 6))
    """

    def __init__(
        self,
        t: Floats,
        q: Floats,
        v: Floats,
        tau: Floats,
        segments: Sequence[Segment],
        origin: Origin,
        stopped: str = "until",
        events: Sequence[tuple[float, str]] = (),
    ) -> None:
        self.t, self.q, self.v, self.tau = t, q, v, tau
        self._segments, self._origin = tuple(segments), origin
        self.stopped = stopped
        self.events: tuple[tuple[float, str], ...] = tuple(events)

    @property
    def robot(self) -> Robot:
        """The robot that moved (at the end of the run, if events changed it)."""
        return self._segments[-1].system.robot

    @property
    def system(self) -> Any:
        """What was given to `simulate`: the robot, or the closed system."""
        return self._segments[-1].system.given

    @property
    def moved(self) -> Open:
        """The system with the forces that acted on it."""
        return self._segments[-1].system

    @property
    def origin(self) -> Origin:
        """How the run was made."""
        return self._origin

    @property
    def method(self) -> str:
        """The stepper."""
        return self._origin.method

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes of the states."""
        return self.q.shape[1:-1]

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        states = f" × {self.batch} states" if self.batch else ""
        why = "" if self.stopped == "until" else f", {self.stopped}"
        span = f"t = {self.t[0]:g} .. {self.t[-1]:g}" if len(self) else "empty"
        return f"<Trajectory of {self.robot.name!r}: {len(self)} records{states}, {span}, {self.method}{why}>"

    # ── what follows from the states ──────────────────────────────────────────────────────────────────────────────

    @cached_property
    def kinetic_energy(self) -> Floats:
        """(T, *batch)."""
        return self._each(lambda s, t, q, v, tau: s.robot.kinetic_energy(q, v))

    @cached_property
    def potential_energy(self) -> Floats:
        """(T, *batch): of weight and of the joints' springs."""
        return self._each(lambda s, t, q, v, tau: s.robot.potential_energy(q) + s.forces.energy(q))

    @cached_property
    def energy(self) -> Floats:
        """(T, *batch): kinetic and potential."""
        return self.kinetic_energy + self.potential_energy

    @cached_property
    def momentum(self) -> Floats:
        """(T, *batch, 6): [angular; linear] about the world's origin, world axes."""
        return self._each(lambda s, t, q, v, tau: s.robot.momentum(q, v))

    @cached_property
    def closure(self) -> Floats | None:
        """How far the loops were open, as the closed system measures it; None for an open robot."""
        return self._some(lambda s, t, q, v, tau: s.closure(q))

    @cached_property
    def contact_force(self) -> Floats | None:
        """(T, *batch, …): forces in the contacts, as the closed system orders them; None for an open robot."""
        return self._some(self._contact)

    @staticmethod
    def _contact(s: Open, t: Floats, q: Floats, v: Floats, tau: Floats) -> Floats | None:
        if not callable(s.f_ext):
            return s.contact_force(0.0, q, v, tau)
        rows = [s.contact_force(float(t[i]), q[i], v[i], tau[i]) for i in range(len(t))]
        return None if any(row is None for row in rows) else np.array(rows)

    def _each(self, f: Callable[[Open, Floats, Floats, Floats, Floats], Floats]) -> Floats:
        ends = [*(segment.first for segment in self._segments[1:]), len(self)]
        parts: list[Floats] = []
        for segment, end in zip(self._segments, ends, strict=True):
            place = slice(segment.first, end)
            if end > segment.first:
                parts.append(f(segment.system, self.t[place], self.q[place], self.v[place], self.tau[place]))
        return np.concatenate(parts) if len(parts) != 1 else parts[0]

    def _some(self, f: Callable[[Open, Floats, Floats, Floats, Floats], Floats | None]) -> Floats | None:
        """As `_each`, of what only some segments have: NaN in the others, None if none has it."""
        ends = [*(segment.first for segment in self._segments[1:]), len(self)]
        parts: list[tuple[int, Floats | None]] = []
        for segment, end in zip(self._segments, ends, strict=True):
            place = slice(segment.first, end)
            if end > segment.first:
                value = f(segment.system, self.t[place], self.q[place], self.v[place], self.tau[place])
                parts.append((end - segment.first, None if value is None else np.asarray(value, dtype=float)))
        known = [value for _, value in parts if value is not None]
        if not known:
            return None
        widest = max(known, key=lambda value: value.shape[1:]).shape[1:]
        rows = [_padded(np.full((n, *(0 for _ in widest)), 0.0) if x is None else x, widest) for n, x in parts]
        return np.concatenate(rows)

    @property
    def drift(self) -> Drift:
        """How far energy, momentum and closure went from where they began, of each state: (*batch,)."""
        first = slice(0, 1)
        energy = np.abs(self.energy - self.energy[first]).max(axis=0)
        momentum = np.abs(self.momentum - self.momentum[first]).max(axis=(0, -1))
        closure = self.closure
        worst = None if closure is None else np.nanmax(np.abs(closure), axis=(0, -1), initial=0.0)
        return Drift(energy, momentum, worst)

    # ── keeping ───────────────────────────────────────────────────────────────────────────────────────────────────

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes the run, its robot and what follows from the states to a file: .npz, or .parquet (pyarrow).

        In Parquet each number is a column ("q.elbow", "tau.elbow", "kinetic_energy"), each time (and state of a batch)
        a row. Functions are not kept: to go on with a loaded run, give `simulate` its control again.
        """
        from phipsi.motion import storage

        storage.save(self, path)

    @classmethod
    def load(cls, path: str | os.PathLike[str], system: Any = None) -> Trajectory:
        """The run that `save` or `simulate(stream=...)` wrote; `system`: the closed system it was of, to go on with it.

        >>> import os, tempfile
        >>> import phipsi as pp
        >>> arm = pp.zoo.arm()
        >>> run = pp.simulate(arm, arm.neutral(), until=0.01, step=1e-3)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     run.save(os.path.join(folder, "run.npz"))
        ...     again = pp.Trajectory.load(os.path.join(folder, "run.npz"))
        >>> again.robot == arm, bool((again.q == run.q).all())
        (True, True)
        """
        from phipsi.motion import storage

        arrays, moved, meta = storage.load(path, system)
        lost = [name for name in meta["lost"] if system is None or name != "system"]
        options = {"control": None, "acceleration": None, "passive": None, "f_ext": None, "lost": lost}
        clock = Clock(**meta["clock"])
        origin = Origin(clock, meta["index"], meta["method"], meta["record_every"], {**meta["options"], **options})
        events = [(float(t), str(name)) for t, name in meta["events"]]
        t, q, v, tau = (arrays[name] for name in ("t", "q", "v", "tau"))
        run = cls(t, q, v, tau, [Segment(0, moved)], origin, meta["stopped"], events)
        run.__dict__.update({name: arrays[name] for name in storage.DERIVED if name in arrays})
        return run

    def to_pandas(self) -> Any:
        """A DataFrame: a row a time (and state of a batch), a column a number; needs pandas."""
        from phipsi.motion import storage, tables

        return tables.to_pandas(self.robot, storage.arrays_of(self))

    def to_xarray(self) -> Any:
        """A Dataset with the dimensions t, batch_0 …, coordinate (of q), dof (of v and tau); needs xarray."""
        from phipsi.motion import storage, tables

        return tables.to_xarray(self.robot, storage.arrays_of(self))

    # ── looking ───────────────────────────────────────────────────────────────────────────────────────────────────

    def plot(self, *arguments: Any, **options: Any) -> Any:
        """Joint angles, velocities, torques, energy and momentum over time; see `phipsi.show.plot`."""
        return _show().plot(self, *arguments, **options)

    def show(self, *arguments: Any, **options: Any) -> Any:
        """The run in three dimensions; see `phipsi.show.show`."""
        return _show().show(self, *arguments, **options)


def _padded(value: Floats, shape: tuple[int, ...]) -> Floats:
    if value.shape[1:] == shape:
        return value
    out = np.full((len(value), *shape), np.nan)
    out[tuple(slice(0, size) for size in value.shape)] = value
    return out


def _show() -> Any:
    import importlib

    return importlib.import_module("phipsi.show")
