"""phipsi bench: what a robot's dynamics cost on this machine."""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from .robots import load_robot, robot_arguments
from .words import OK, count, positive

VERBS = ("forward_dynamics", "inverse_dynamics", "mass_matrix", "inverse_mass_matrix", "poses")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be asked."""
    robot_arguments(parser)
    parser.add_argument("--states", type=count, default=4096, metavar="N", help="in a batch (default: 4096)")
    parser.add_argument("--seconds", type=positive, default=0.2, metavar="S", help="for each number (default: 0.2)")
    parser.add_argument("--json", action="store_true", help="the same as a JSON object")


def run(chosen: argparse.Namespace) -> int:
    """Time a robot's dynamics, one state a call and a batch a call. `make bench` races other engines."""
    import phipsi

    robot = load_robot(chosen)
    q, v = robot.random(rng=0)
    many = robot.random(chosen.states, rng=0)
    rows: dict[str, dict[str, float]] = {}
    for verb in VERBS:
        single = best(_call(robot, verb, q, v), chosen.seconds)
        batch = best(_call(robot, verb, *many), chosen.seconds) / chosen.states
        rows[verb] = {"single_seconds": single, "batch_seconds_per_state": batch}
    machine = {"isa": phipsi.isa(), "threads": phipsi.get_threads(), "states": chosen.states}
    facts = {"robot": robot.name, "bodies": robot.n, "nv": robot.nv, **machine, "verbs": rows}
    print(json.dumps(facts, indent=1) if chosen.json else _told(facts))
    return OK


def best(work: Callable[[], Any], seconds: float) -> float:
    """The shortest time of as many calls as fit, at least three."""
    end, shortest, done = time.perf_counter() + seconds, np.inf, 0
    while done < 3 or time.perf_counter() < end:
        start = time.perf_counter()
        work()
        shortest, done = min(shortest, time.perf_counter() - start), done + 1
    return float(shortest)


def _call(robot: Any, verb: str, q: Any, v: Any) -> Callable[[], Any]:
    method = getattr(robot, verb)
    if verb in ("forward_dynamics", "inverse_dynamics"):
        options = {"on_singular": "nan"} if verb == "forward_dynamics" else {}
        return lambda: method(q, v, v, **options)
    return (lambda: method(q, on_singular="nan")) if verb == "inverse_mass_matrix" else (lambda: method(q))


def _told(facts: dict[str, Any]) -> str:
    lines = [
        f"{facts['robot']}: {facts['bodies']} bodies, nv = {facts['nv']}; {facts['isa']}, {facts['threads']} threads",
        f"{'':<22}{'one state':>12}   {'each of ' + str(facts['states'])}",
    ]
    for verb, row in facts["verbs"].items():
        batch = 1e9 * row["batch_seconds_per_state"]
        lines.append(f"{verb:<22}{1e6 * row['single_seconds']:>9.2f} µs   {batch:.4g} ns")
    return "\n".join(lines)
