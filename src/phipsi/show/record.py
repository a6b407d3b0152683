"""What can be shown: a run with a robot, times and states, read once into arrays with time first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, real
from phipsi.model.robot import Robot


class Run(Protocol):
    """A recorded motion, as `simulate` returns it: time is axis 0 of `t`, `q` and `v`.

    `tau`, `closure`, `events` and the contact forces of a closed `system` are shown where a run has them.
    """

    @property
    def robot(self) -> Robot:
        """Whose motion it is."""
        ...

    @property
    def t(self) -> Floats:
        """Times, (T,)."""
        ...

    @property
    def q(self) -> Floats:
        """Configurations, (T, *batch, nq)."""
        ...

    @property
    def v(self) -> Floats:
        """Velocities, (T, *batch, nv)."""
        ...


@dataclass(frozen=True)
class Record:
    """The states of a run that are shown: t (T,), q (T, B, nq), v (T, B, nv), and what else the run has.

    `extra` holds tau (T, B, nv) and closure (T, B, ...), where the run has them.
    """

    robot: Robot
    t: Floats
    q: Floats
    v: Floats
    extra: dict[str, Floats]
    run: Any
    chosen: tuple[int, ...]
    batch: tuple[int, ...]

    @property
    def states(self) -> int:
        """How many robots are shown, B."""
        return int(self.q.shape[1])

    @property
    def span(self) -> float:
        """How long the run lasts."""
        return float(self.t[-1] - self.t[0]) if self.t.size else 0.0


def read(run: Any, states: int | Sequence[int] | None = None, verb: str = "report") -> Record:
    """The record of a run; of a batch the states numbered so (default: at most 64 of them, evenly chosen)."""
    for name in ("robot", "t", "q", "v"):
        if not hasattr(run, name):
            raise errors.not_a_run(verb, run, name)
    robot: Robot = run.robot
    t = real(run.t, verb, "run.t", "times")
    q, v = real(run.q, verb, "run.q", "configurations"), real(run.v, verb, "run.v", "velocities")
    if t.ndim != 1 or t.size == 0:
        raise errors.shape(verb, "run.t", "times", "(T,) with T > 0", t.shape, "Record at least the first state.")
    batch = q.shape[1:-1]
    expected = {"run.q": (q, (t.size, *batch, robot.nq)), "run.v": (v, (t.size, *batch, robot.nv))}
    for name, (array, shape) in expected.items():
        if array.shape != shape:
            raise errors.shape(verb, name, "states, time first", str(shape), array.shape, "Time is axis 0.")
    if not (np.isfinite(t).all() and (np.diff(t) >= 0).all()):
        raise errors.shape(verb, "run.t", "times", "finite and in order", t.shape, "Sort the run by time.")
    count = int(np.prod(batch))
    chosen = _chosen(states, count, verb)
    q = q.reshape(t.size, count, robot.nq)[:, chosen]
    v = v.reshape(t.size, count, robot.nv)[:, chosen]
    extra = {name: value for name in EXTRAS if (value := _extra(run, name, t.size, batch, chosen)) is not None}
    return Record(robot, t, _finite(q, robot), v, extra, run, tuple(chosen), batch)


def still(robot: Robot, q: ArrayLike | None = None) -> Record:
    """The record of a robot that does not move: one state, or a batch of them beside each other."""
    states = np.asarray(robot.neutral() if q is None else real(q, "view", "q", "configurations"))
    if states.shape[-1:] != (robot.nq,):
        raise errors.shape("view", "q", "configurations", f"(*batch, {robot.nq})", states.shape)
    count = int(np.prod(states.shape[:-1]))
    rows = _finite(states.reshape(1, count, robot.nq), robot)
    chosen = _chosen(None, rows.shape[1], "view")
    v = np.zeros((1, len(chosen), robot.nv))
    return Record(robot, np.zeros(1), rows[:, chosen], v, {}, None, tuple(chosen), states.shape[:-1])


def sweep(robot: Robot, q: ArrayLike | None = None) -> tuple[Record, list[tuple[float, str]]]:
    """Every joint with q̇ = v in turn, a second each: to its limits where it has them, else 0.8 rad or 0.2 m."""
    here = still(robot, q).q[0, 0]
    rows, events = [here], list[tuple[float, str]]()
    wave = np.sin(np.linspace(0, 2 * np.pi, SWEEP + 1))[1:, None]
    for name in robot.joint_names:
        view = robot.joint(name)
        if view.joint.nq != view.joint.nv or view.joint.kind in ("free", "planar"):
            continue
        for k, (i, j) in enumerate(zip(range(robot.nq)[view.q], range(robot.nv)[view.v], strict=True)):
            reach = 0.2 if view.joint.kind in ("prismatic", "translational") else 0.8
            up, down = min(robot.upper[j] - here[i], 2 * np.pi), min(here[i] - robot.lower[j], 2 * np.pi)
            up, down = (reach if way >= 2 * np.pi else max(way, 0.0) for way in (up, down))
            moved = np.repeat(here[None], SWEEP, axis=0)
            moved[:, i] += np.where(wave > 0, up * wave, down * wave)[:, 0]
            events.append((float(len(rows) - 1) / SWEEP, name if view.joint.nv == 1 else f"{name} {k + 1}"))
            rows += list(moved)
    states = np.array(rows)[:, None]
    t = np.arange(len(rows)) / SWEEP
    return Record(robot, t, states, np.zeros((len(rows), 1, robot.nv)), {}, None, (0,), ()), events


SWEEP = 40  # states a second
EXTRAS = ("tau", "closure")
_MOST = 64


def _chosen(states: int | Sequence[int] | None, count: int, verb: str) -> list[int]:
    if states is None:
        return np.unique(np.linspace(0, count - 1, min(count, _MOST)).astype(int)).tolist() if count else []
    several = [states] if isinstance(states, int) else list(states)
    for state in several:
        if not -count <= state < count:
            raise errors.no_such_state(verb, state, count)
    return [state % count for state in several]


def _extra(run: Any, name: str, times: int, batch: tuple[int, ...], chosen: list[int]) -> Floats | None:
    """An array of the run with time first, its batch flattened to the chosen states; None where the run has none."""
    value = getattr(run, name, None)
    if value is None:
        return None
    array = np.asarray(value, dtype=np.float64)
    if array.shape[: 1 + len(batch)] != (times, *batch):
        return None
    return array.reshape(times, int(np.prod(batch)), *array.shape[1 + len(batch) :])[:, chosen]


def _finite(q: Floats, robot: Robot) -> Floats:
    """States that have no numbers are shown where the robot was last, or in neutral."""
    good = np.isfinite(q.sum(axis=-1, keepdims=True))
    if good.all():
        return q
    shown = q.copy()
    last = np.broadcast_to(robot.neutral(), shown.shape[1:]).copy()
    for now, has in zip(shown, good, strict=True):
        last = np.where(has, now, last)
        now[:] = last
    return shown


def poses(record: Record, q: Floats) -> Pose:
    """Poses of all bodies of all states, (F, B, n), the world's own appended: (F, B, n + 1)."""
    bodies = record.robot.poses(q)
    still = np.broadcast_to(np.eye(3), (*bodies.shape[:-1], 1, 3, 3))
    rotation = np.concatenate([bodies.rotation, still], axis=-3)
    position = np.concatenate([bodies.position, np.zeros((*bodies.shape[:-1], 1, 3))], axis=-2)
    return Pose.trusted(rotation, position)
