"""Events: moments at which something happens to a run, found to the last bits of time."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from phipsi import errors
from phipsi.model.file_report import caller_level
from phipsi.model.reading import Floats, number

_WHEN = "a time or a function of (t, q, v)"


@dataclass(frozen=True)
class Change:
    """What becomes of a run: what is None stays as it is.

    system: another robot with the same numbers in q and v, or a closed system (attach), or the open robot (release);
    passive: another mask; control; q and v: a jump. On a closed system q and v are put onto its constraints.
    """

    system: Any = None
    passive: Any = None
    control: Any = None
    q: Any = None
    v: Any = None


@dataclass(frozen=True)
class Event:
    """When `when` happens, `then` follows.

    when: a time, or a function of (t, q, v) whose sign changes (direction 1: upwards only, -1: downwards only).
    then: "stop", a `Change`, or a function of (t, q, v) that returns one of the two, a capture (`closed.attach(...)`),
    or None for nothing. once: it happens at most once.

    >>> import phipsi as pp
    >>> ball = pp.zoo.box()
    >>> floor = pp.Event(lambda t, q, v: q[6] + 1.0, "stop", name="one metre down")
    >>> run = pp.simulate(ball, ball.neutral(), until=10.0, step=0.01, events=[floor])
    >>> run.stopped, run.events[0][1], bool(abs(run.t[-1] - (2 / 9.81) ** 0.5) < 1e-3)
    ('event', 'one metre down', True)
    """

    when: float | Callable[[float, Floats, Floats], Any]
    then: str | Change | Callable[[float, Floats, Floats], Any]
    direction: int = 0
    once: bool = False
    name: str = "event"

    def __post_init__(self) -> None:
        if not callable(self.when) and not np.isfinite(number(self.when, "Event", "when", _WHEN)):
            raise errors.not_finite("Event", "when", self.when)
        if self.direction not in (-1, 0, 1):
            raise errors.wrong_type(
                "Event", "direction", "0 (both ways), 1 (upwards) or -1 (downwards)", self.direction
            )
        if not callable(self.then):
            self.outcome(0.0, np.empty(0), np.empty(0))  # now, and not when it is too late

    def value(self, t: float, q: Floats, v: Floats) -> float:
        """What changes its sign."""
        if not callable(self.when):
            return t - float(self.when)
        told = self.when(t, q, v)
        value = np.asarray(told)
        if value.dtype.kind not in "biuf":
            raise errors.event_number(self.name, told)
        if value.size != 1:
            raise errors.event_value(self.name, value.shape)
        if np.isnan(value).any() and np.isfinite(q).all() and np.isfinite(v).all():
            raise errors.event_number(self.name, told)
        return float(value.reshape(()))

    def outcome(self, t: float, q: Floats, v: Floats) -> Change | str:
        """What is to happen now."""
        said: Any = self.then(t, q, v) if callable(self.then) else self.then
        if said is None:
            return Change()
        if isinstance(said, Change) or said == "stop":
            return said
        if all(hasattr(said, name) for name in ("system", "q", "v")):  # a capture
            return Change(system=said.system, q=said.q, v=said.v)
        raise errors.event_outcome(self.name, said)


class Watch:
    """The events of a run, and the signs that they had last."""

    def __init__(self, events: Sequence[Event], begin: float | None = None) -> None:
        if not isinstance(events, (list, tuple)):
            raise errors.wrong_type("simulate", "events", "a list of Event", events)
        self.events = list(events)
        for event in self.events:
            if not isinstance(event, Event):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise errors.wrong_type("simulate", "events", "a list of Event", event)
            if begin is not None and not callable(event.when) and event.when <= begin:
                sentence = errors.event_passed(event.name, event.when, begin)
                warnings.warn(sentence, errors.SimulationWarning, stacklevel=caller_level())
        self._last: list[float] = []

    def start(self, t: float, q: Floats, v: Floats, fired: Event | None = None) -> None:
        """Begins to watch; an event that has just happened starts from beyond its zero."""
        if fired is not None and (fired.once or not callable(fired.when)):
            self.events.remove(fired)
        self._last = [event.value(t, q, v) for event in self.events]

    def crossed(self, t: float, q: Floats, v: Floats) -> list[Event]:
        """The events whose sign is another than at the last `keep` or `start`."""
        out: list[Event] = []
        for event, last in zip(self.events, self._last, strict=True):
            now = event.value(t, q, v)
            up, down = last < 0 <= now, last > 0 >= now
            if (up and event.direction >= 0) or (down and event.direction <= 0):
                out.append(event)
        return out

    def keep(self, t: float, q: Floats, v: Floats) -> None:
        """Remembers the signs at the end of a step; a value of exactly zero keeps the sign it came from."""
        self._last = [event.value(t, q, v) or last for event, last in zip(self.events, self._last, strict=True)]
