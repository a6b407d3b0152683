"""A four-bar linkage: a motor turns the crank, the loop stays closed, the rocker rocks."""

from __future__ import annotations

import time

import numpy as np

import phipsi as pp
from phipsi.model.inertia import Payload
from phipsi.model.reading import Floats
from phipsi.motion.simulate import simulate

from .stage import Outcome, Stage
from .strip import largest

GROUND, CRANK, COUPLER, ROCKER = 1.0, 0.3, 0.9, 0.7  # 0.3 + 1.0 < 0.9 + 0.7: the crank goes round


def linkage() -> pp.Robot:
    """Crank and coupler in a row from one pivot, the rocker from the other; open where coupler and rocker meet."""
    builder = pp.Builder("fourbar")
    bars = {"crank": (CRANK, "world", 0.0), "coupler": (COUPLER, "crank", CRANK), "rocker": (ROCKER, "world", GROUND)}
    for name, (length, parent, start) in bars.items():
        bar = Payload.box(2.0 * length, (length, 0.04, 0.04), com=(length / 2, 0, 0))
        joint = pp.Revolute((0, 1, 0), passive=name != "crank")
        builder.body(name, parent, joint, pp.Pose((start, 0, 0)), bar.mass, bar.com, bar.inertia)
        builder.frame(f"{name}/end", name, pp.Pose((length, 0, 0)))
    return builder.build()


def run(stage: Stage, fast: bool = False) -> Outcome:
    """Four seconds: the crank is held at one turn a second by a damper towards it."""
    robot, until, step = linkage(), (1.0 if fast else 4.0), 2e-3
    with stage.step("the loop is closed"):
        closed = robot.close(pp.Loop("coupler/end", "rocker/end", pp.contact.revolute((0, 1, 0))))
        q = closed.project_position(np.array([0.3, -0.9, -2.0]), free=["coupler", "rocker"])
        freedoms = int(closed.mobility(q).freedoms)

    def motor(t: float, q: Floats, v: Floats) -> Floats:
        return np.array([30.0 * (2 * np.pi - v[0]), 0.0, 0.0])

    with stage.step(f"the crank turns for {until:g} s"):
        start = time.perf_counter()
        run = simulate(closed, q, until=until, step=step, control=motor, record_every=5, progress=False)
        seconds = time.perf_counter() - start
    closure = largest(run.closure)
    numbers = {"wall_seconds": seconds, "closure_error": closure, "freedoms": float(freedoms)}
    facts = {
        "freedoms": f"{freedoms}, of {robot.nv} joints",
        "loop closed to": f"{closure:.1e} m or rad",
        "crank went round": f"{abs(run.q[-1, 0] - run.q[0, 0]) / (2 * np.pi):.2f} times",
        "rocker swung through": f"{np.degrees(np.ptp(run.q[:, 2])):.1f}°",
        "simulated": f"{until:g} s in {seconds:.2f} s",
    }
    text = "A loop is closed on a tree: the contact's forces come with the accelerations, and each step ends closed."
    return Outcome("A four-bar linkage", text, facts, numbers, run, {"trace": ["coupler/end"]})
