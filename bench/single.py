"""One state at a time, called from Python: what a control loop or a script feels."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import numpy as np
import pinocchio as pin

from .clock import Run, race
from .report import Bar, Report, Row
from .robots import REAL_ROBOTS, Array, Contest, States

SECTION = "single"
STATES = 64  # cycled through, so that no call can live off the one before it
BARS = {  # verb: (Pinocchio's function, what issue 2 asks for)
    "forward_dynamics": ("pin.aba", 2.0),
    "inverse_dynamics": ("pin.rnea", 1.3),
    "mass_matrix": ("pin.crba", 1.0),
    "inverse_mass_matrix": ("pin.computeMinverse", 1.2),
}


def measure(report: Report, contest: Contest, seconds: float) -> None:
    """Time every verb on one robot against every peer that has it."""
    ours = contest.states(STATES)
    theirs = contest.pin_states(ours)
    rivals = mujoco_runs(contest, ours) if contest.mujoco_model is not None else {}
    for verb, (peer, _) in BARS.items():
        runs = {"phipsi": phipsi_run(contest, verb, ours), **pin_runs(contest, verb, theirs)}
        if verb in rivals:
            runs[rivals[verb][0]] = rivals[verb][1]
        best = {name: time / STATES for name, time in race(runs, seconds).items()}
        # Pinocchio's two conventions differ in speed: its users would take the faster one, so that is whom we race
        best[peer] = min(time for name, time in best.items() if name.startswith(peer))
        for name, time in best.items():
            if name == peer or name.startswith("mujoco"):
                report.add(Row(SECTION, verb, contest.name, best["phipsi"], name, time))


def bars(report: Report) -> None:
    """The bars over the four real robots."""
    for verb, (peer, wanted) in BARS.items():
        mean = report.mean(SECTION, verb, peer, tuple(REAL_ROBOTS))
        report.add_bar(Bar(f"{verb}, single call, vs {peer}", mean, wanted))


def phipsi_run(contest: Contest, verb: str, states: States) -> Run:
    """A pass over all states with phipsi."""
    call: Callable[..., Array] = getattr(contest.robot, verb)
    if verb.endswith("mass_matrix"):
        return _each(call, list(states.q))
    return _each3(call, _triples(states, verb))


def pin_runs(contest: Contest, verb: str, states: States) -> dict[str, Run]:
    """Passes over all states with Pinocchio: model and data made beforehand, in both conventions where it has two."""
    model, data = contest.pin_model, contest.pin_data
    world = pin.Convention.WORLD
    if verb == "forward_dynamics":
        triples = _triples(states, verb)

        def aba() -> None:
            for q, v, tau in triples:
                pin.aba(model, data, q, v, tau)

        def aba_world() -> None:
            for q, v, tau in triples:
                pin.aba(model, data, q, v, tau, world)

        return {"pin.aba": aba, "pin.aba (world)": aba_world}
    if verb == "inverse_dynamics":
        triples = _triples(states, verb)

        def rnea() -> None:
            for q, v, a in triples:
                pin.rnea(model, data, q, v, a)

        return {"pin.rnea": rnea}
    configurations = list(states.q)
    if verb == "mass_matrix":

        def crba() -> None:
            for q in configurations:
                pin.crba(model, data, q)

        def crba_world() -> None:
            for q in configurations:
                pin.crba(model, data, q, world)

        return {"pin.crba": crba, "pin.crba (world)": crba_world}

    def minverse() -> None:
        for q in configurations:
            pin.computeMinverse(model, data, q)

    return {"pin.computeMinverse": minverse}


def mujoco_runs(contest: Contest, ours: States) -> dict[str, tuple[str, Run]]:
    """Passes over all states with MuJoCo, constraints and contacts off: for interest, no bar is set on them."""
    model, data, states = contest.mujoco_model, contest.mujoco_data, contest.mujoco_states(ours)
    forward_states, inverse_states = _triples(states, "forward_dynamics"), _triples(states, "inverse_dynamics")
    mass = np.zeros((model.nv, model.nv))

    def forward() -> None:
        for q, v, tau in forward_states:
            data.qpos[:], data.qvel[:], data.qfrc_applied[:] = q, v, tau
            mujoco.mj_forward(model, data)

    def inverse() -> None:
        for q, v, a in inverse_states:
            data.qpos[:], data.qvel[:], data.qacc[:] = q, v, a
            mujoco.mj_inverse(model, data)

    def full_mass() -> None:
        for q in states.q:
            data.qpos[:] = q
            mujoco.mj_kinematics(model, data)
            mujoco.mj_comPos(model, data)
            mujoco.mj_crb(model, data)
            mujoco.mj_fullM(model, data, mass)

    return {
        "forward_dynamics": ("mujoco.mj_forward", forward),
        "inverse_dynamics": ("mujoco.mj_inverse", inverse),
        "mass_matrix": ("mujoco.mj_fullM", full_mass),
    }


def _triples(states: States, verb: str) -> list[tuple[Array, Array, Array]]:
    return list(zip(states.q, states.v, states.tau if verb == "forward_dynamics" else states.a, strict=True))


def _each(call: Callable[[Array], Any], arguments: list[Array]) -> Run:
    def run() -> None:
        for q in arguments:
            call(q)

    return run


def _each3(call: Callable[[Array, Array, Array], Any], arguments: list[tuple[Array, Array, Array]]) -> Run:
    def run() -> None:
        for q, v, x in arguments:
            call(q, v, x)

    return run
