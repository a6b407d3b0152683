"""phipsi simulate: a robot through time, from the command line."""

from __future__ import annotations

import argparse
import json
import math
import time
from typing import TYPE_CHECKING, Any

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats

from .robots import load_robot, robot_arguments
from .words import FAILED, OK, count, positive, target

if TYPE_CHECKING:
    from phipsi.model.robot import Robot

MOST_RECORDS = 20_000
CONTROLS = ("none", "gravity", "hold")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be asked."""
    robot_arguments(parser)
    parser.add_argument("--until", type=positive, default=5.0, metavar="S", help="how long, seconds (default: 5)")
    parser.add_argument("--step", type=positive, default=1e-3, metavar="S", help="step, seconds (default: 0.001)")
    parser.add_argument("--method", default="rk4", help="euler, rk4, or another of pp.simulate (default: rk4)")
    parser.add_argument(
        "--control", choices=CONTROLS, default="none", help="motors: none, gravity compensation, or hold the start"
    )
    parser.add_argument("--start", choices=("neutral", "random"), default="neutral", help="where it begins")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="of a random start (default: 0)")
    parser.add_argument("--set", action="append", default=[], metavar="JOINT=Q", help="a joint's start, rad or m")
    parser.add_argument("--states", type=count, default=1, metavar="N", help="so many at once, from random starts")
    parser.add_argument("--report", type=target(), metavar="HTML", help="write a report with a 3D replay")
    parser.add_argument(
        "--save",
        type=target(".npz", ".parquet"),
        metavar="FILE",
        help="write the run: .npz, or .parquet (needs pyarrow)",
    )
    parser.add_argument("--json", action="store_true", help="what came of it as a JSON object")


def run(chosen: argparse.Namespace) -> int:
    """Move a robot through time, and say what came of it; optionally with a report to look at."""
    from phipsi.motion.simulate import simulate

    robot = load_robot(chosen)
    q, v = _start(robot, chosen)
    frames = round(min(1 / 60, chosen.until / 20) / chosen.step)
    every = max(1, frames, math.ceil(chosen.until / chosen.step / MOST_RECORDS))
    begun = time.perf_counter()
    made = simulate(
        robot, q, v, until=chosen.until, step=chosen.step, method=chosen.method, record_every=every,
        control=_control(robot, q, chosen.control), on_singular="nan", progress=False if chosen.json else None,
    )  # fmt: skip
    seconds = time.perf_counter() - begun
    facts = _facts(made, seconds, chosen)
    if chosen.save:
        made.save(chosen.save)
        facts["saved"] = chosen.save
    if chosen.report:
        from phipsi.show import report

        report(made, chosen.report, facts={"seconds to simulate": seconds})
        facts["report"] = chosen.report
    print(json.dumps(facts, indent=1) if chosen.json else _told(facts))
    return OK if made.stopped == "until" and facts["finite"] else FAILED


def _start(robot: Robot, chosen: argparse.Namespace) -> tuple[Any, Any]:
    if chosen.states > 1 or chosen.start == "random":
        q, _ = robot.random(chosen.states if chosen.states > 1 else None, rng=chosen.seed)
    else:
        q = robot.neutral()
    for text in chosen.set:
        name, _, value = text.partition("=")
        view = robot.joint(name)
        try:
            number = float(value)
        except ValueError:
            raise errors.option("simulate", "--set", text, ("JOINT=NUMBER",)) from None
        if view.joint.nq != 1:
            raise errors.option(
                "simulate", "--set", name, [n for n in robot.joint_names if robot.joint(n).joint.nq == 1]
            )
        q[..., view.q] = number
    return q, np.zeros((*q.shape[:-1], robot.nv))


def _control(robot: Robot, q: Any, name: str) -> Any:
    from phipsi.motion import control

    if name == "none":
        return None
    if name == "gravity":
        return control.GravityCompensation(robot)
    mass = robot.mass_matrix(robot.neutral())
    weight = np.array([mass[k, k] for k in range(robot.nv)])
    return control.PD(robot, q, kp=100 * weight, kd=20 * weight, gravity=True)


def _facts(made: Any, seconds: float, chosen: argparse.Namespace) -> dict[str, Any]:
    energy: Floats = np.asarray(made.energy)
    finite = made.stopped != "diverged" and bool(np.isfinite(made.q).all())
    steps = max(1, math.ceil(float(made.t[-1]) / chosen.step - 1e-6)) * chosen.states
    drift = float(np.linalg.norm((energy - energy[0]).reshape(-1), np.inf)) if finite else None
    return {
        "robot": made.robot.name,
        "bodies": made.robot.n,
        "nv": made.robot.nv,
        "states": chosen.states,
        "until": float(made.t[-1]),
        "steps": steps,
        "method": chosen.method,
        "seconds": seconds,
        "seconds_per_step": seconds / steps,
        "finite": finite,
        "stopped": made.stopped,
        "energy_start": float(energy[0].mean()),  # of several states the mean
        "energy_change": drift,
    }


def _told(facts: dict[str, Any]) -> str:
    states = f" × {facts['states']} states" if facts["states"] > 1 else ""
    steps = "steps" if facts["method"] != "dopri5" else "steps of the grid"
    lines = [
        f"{facts['robot']}{states}: {facts['steps']} {steps} ({facts['method']}) to t = {facts['until']:g} s "
        f"in {facts['seconds']:.3g} s, {1e6 * facts['seconds_per_step']:.3g} µs each",
        f"energy   {facts['energy_start']:.6g} J at the start, changed by at most {facts['energy_change']:.3g} J"
        if facts["finite"]
        else "the motion has no numbers any more: a smaller --step may help",
        *(f"{what:<8} {facts[what]}" for what in ("saved", "report") if what in facts),
    ]
    return "\n".join(lines)
