"""Many steps at once, natively or through Python: state in, the states after each block of steps out."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol, cast

import numpy as np

from phipsi import errors
from phipsi.model.file_report import caller_level
from phipsi.model.reading import Floats
from phipsi.motion.answers import said, shown
from phipsi.motion.clock import Clock
from phipsi.motion.control.native import KINDS, NativeLaw
from phipsi.motion.manifold import Chart
from phipsi.motion.steppers import Stepper
from phipsi.motion.systems import Given, Open

METHODS = {"euler": 0, "rk4": 1, "midpoint": 2}  # as Method of cpp/stepping.hpp


@dataclass
class State:
    """Where a run is: q, v, `offset` seconds after step k began; `held` is what a sampled law said last."""

    k: int
    q: Floats
    v: Floats
    held: Floats | None = None
    offset: float = 0.0

    def moved(self, clock: Clock, length: float) -> None:
        """Time has gone on within the step, or to its end."""
        whole = clock.length(self.k)
        self.offset += length
        if self.offset >= whole * (1 - 1e-12):
            self.k, self.offset = self.k + 1, 0.0

    def time(self, clock: Clock) -> float:
        """Now."""
        return clock.time(self.k) + self.offset


class Blocks(NamedTuple):
    """After each block: q, v (blocks, *batch, ..); the law's torques at each block's beginning."""

    q: Floats
    v: Floats
    tau: Floats


class Advance(Protocol):
    """blocks × every steps from a state (or fewer blocks, at least one), which is moved on."""

    def __call__(self, state: State, blocks: int, every: int) -> Blocks:
        """What comes out of it."""
        ...

    def part(self, state: State, length: float) -> None:
        """Moves a state on by a part of its step, or by what is left of it."""
        ...


@dataclass
class NativeAdvance:
    """The native loop: laws that it knows, no Python between the steps."""

    system: Open
    clock: Clock
    method: str
    law: NativeLaw
    hold: int = 0  # steps between two samples of the law
    effort: Floats | None = None
    _fixed: dict[str, Any] = field(default_factory=dict[str, Any], init=False)
    _goal: Floats | None = field(default=None, init=False)

    def __post_init__(self) -> None:
        robot, law = self.system.robot, self.law
        if law.period is not None:
            self.hold = whole_steps(law.period, self.clock.step)
        if law.kind == "table" and law.table is not None:
            tell_of_passive(self.system, law.table)
        self._fixed = {
            "method": METHODS[self.method],
            "law": KINDS[law.kind],
            "gravity": int(law.gravity),
            "kp": law.kp,
            "kd": law.kd,
            "effort": self.effort,
            "driven": (~robot.passive).astype(float) if law.kind != "table" and robot.passive.any() else None,
            **self.system.forces.native(),
        }
        if law.q_goal is not None and law.v_goal is not None:
            batch = np.broadcast_shapes(law.q_goal.shape[:-1], law.v_goal.shape[:-1])
            goals = [np.broadcast_to(x, (*batch, x.shape[-1])) for x in (law.q_goal, law.v_goal)]
            self._goal = np.concatenate(goals, axis=-1)

    def __call__(self, state: State, blocks: int, every: int) -> Blocks:
        """One native call."""
        plan = {
            **self._fixed,
            "step": self.clock.length(state.k),
            "blocks": blocks,
            "every": every,
            "hold": self.hold,
            "phase": state.k % self.hold if self.hold else 0,
        }
        table, f_ext = self._window(state.k, blocks * every), self.system.f_ext
        assert not callable(f_ext)
        robot: Any = self.system.robot
        policy = self.system.on_singular
        q, v, tau, held = robot._advance(state.q, state.v, table, state.held, self._goal, f_ext, plan, policy)
        out = Blocks(*(np.moveaxis(x, -2, 0) for x in (q, v, tau)))
        state.k += blocks * every
        state.q, state.v, state.held = (np.ascontiguousarray(x) for x in (out.q[-1], out.v[-1], held))
        return out

    def part(self, state: State, length: float) -> None:
        """One native step of that length; a law that is sampled is asked only where the step begins."""
        plan = {**self._fixed, "step": length, "blocks": 1, "every": 1, "hold": 0, "phase": 0}
        if self.hold:
            begun = state.offset > 0
            phase = state.k % self.hold
            plan |= {"hold": self.hold + begun, "phase": max(1, phase) if begun else phase}
        table, f_ext, robot = self._window(state.k, 1), self.system.f_ext, cast(Any, self.system.robot)
        policy = self.system.on_singular
        q, v, _, held = robot._advance(state.q, state.v, table, state.held, self._goal, f_ext, plan, policy)
        state.q, state.v, state.held = q[..., 0, :].copy(), v[..., 0, :].copy(), held
        state.moved(self.clock, length)

    def _window(self, k: int, steps: int) -> Floats | None:
        """The rows of the table that these steps meet."""
        table = self.law.table
        if table is None or self.law.period is None:
            return table
        last = table.shape[-2] - 1
        first = min(k // self.hold, last)
        return np.ascontiguousarray(table[..., first : min((k + steps) // self.hold, last) + 1, :])


@dataclass
class PythonAdvance:
    """The loop in Python: any law, any system; at each stage, or at each sample."""

    system: Open
    clock: Clock
    stepper: Stepper
    law: Given | None
    hold: int = 0
    effort: Floats | None = None

    def __post_init__(self) -> None:
        self._chart = Chart(self.system.robot)

    def ask(self, t: float, q: Floats, v: Floats) -> Floats:
        """What the law says, checked."""
        return ask(self.system, self.law, self.effort, t, q, v)

    def __call__(self, state: State, blocks: int, every: int) -> Blocks:
        """Step by step."""
        q = np.empty((blocks, *state.q.shape))
        v, tau = np.empty((blocks, *state.v.shape)), np.empty((blocks, *state.v.shape))
        for block in range(blocks):
            for i in range(every):
                said = self._step(state)
                if i == 0:
                    tau[block] = said
            q[block], v[block] = state.q, state.v
        return Blocks(q, v, tau)

    def part(self, state: State, length: float) -> None:
        """A step of that length."""
        self._step(state, length)

    def _step(self, state: State, length: float | None = None) -> Floats:
        t, h = state.time(self.clock), self.clock.length(state.k) if length is None else length
        if not self.hold or state.held is None or (state.k % self.hold == 0 and state.offset == 0):
            state.held = self.ask(t, state.q, state.v)
        first: Floats = state.held

        def accelerate(time: float, q: Floats, v: Floats) -> Floats:
            at_start = time == t and q is state.q
            tau = first if self.hold or at_start else self.ask(time, q, v)
            return self.system.accelerate(time, q, v, tau)

        said = self.system.commanded(t, state.q, state.v, first)
        q, v = self.stepper(self._chart, accelerate, t, state.q, state.v, h)
        state.q, state.v = self.system.project(q, v)
        state.moved(self.clock, h)
        return said


@dataclass
class HeldAdvance:
    """A law in Python, sampled, and native steps in between."""

    native: NativeAdvance
    law: Given
    hold: int
    effort: Floats | None = None

    def __call__(self, state: State, blocks: int, every: int) -> Blocks:
        """To the next sample, if that is at least a block, else one block: fewer than were asked for."""
        left = self.hold - state.k % self.hold
        if left >= every:
            held = self._sample(state)
            q, v, _ = self.native(state, min(blocks, left // every), every)
            state.held = held
            return Blocks(q, v, np.broadcast_to(held, v.shape))
        end, tau = state.k + every, self._piece(state, state.k + every)
        while state.k < end:
            self._piece(state, end)
        return Blocks(state.q[None], state.v[None], tau[None])

    def part(self, state: State, length: float) -> None:
        """One native step of that length."""
        held = self._sample(state)
        self.native.part(state, length)
        state.held = held

    def _sample(self, state: State) -> Floats:
        system, clock, held = self.native.system, self.native.clock, state.held
        if held is None or (state.k % self.hold == 0 and state.offset == 0):
            held = ask(system, self.law, self.effort, state.time(clock), state.q, state.v)
        self.native.law = NativeLaw(table=held[..., None, :])
        return held

    def _piece(self, state: State, end: int) -> Floats:
        held = self._sample(state)
        steps = min(end - state.k, self.hold - state.k % self.hold)
        self.native(state, 1, steps)
        state.held = held
        return held


def ask(system: Open, law: Given | None, effort: Floats | None, t: float, q: Floats, v: Floats) -> Floats:
    """The torques that a law gives for a batch of states, checked and within the motors' bounds."""
    if law is None:
        return np.zeros(v.shape)
    tau = said("control", law(t, shown(q), shown(v)), v)
    tell_of_passive(system, tau)
    return tau if effort is None else np.clip(tau, -effort, effort)


def tell_of_passive(system: Open, tau: Floats) -> None:
    """Torque at a dof that has no motor may be a thruster, or a mistake: it acts, and a warning says so."""
    robot = system.robot
    if robot.passive.any() and np.nan_to_num(tau[..., robot.passive]).any():  # NaN: a state that is lost
        driven = np.flatnonzero(np.nan_to_num(tau * robot.passive).reshape(-1, robot.nv).any(axis=0))
        joints = np.unique(np.searchsorted(robot.v_index, driven, side="right") - 1)
        sentence = errors.no_motor([robot.joint_names[int(k)] for k in joints.tolist()])
        warnings.warn(sentence, errors.SimulationWarning, stacklevel=caller_level())


def whole_steps(period: float, step: float) -> int:
    """How many steps a sample is held."""
    count = round(period / step)
    if count < 1 or abs(period / step - count) > 1e-6:
        raise errors.period(period, step)
    return count
