"""4096 arms at once: one call moves them all to one posture, each from where it was."""

from __future__ import annotations

import time

import numpy as np

import phipsi as pp
from phipsi.motion.simulate import simulate

from .stage import Outcome, Stage


def run(stage: Stage, fast: bool = False) -> Outcome:
    """Two seconds of 4096 arms under PD with gravity compensation, in lanes and threads."""
    count, step, until = (256 if fast else 4096), 2e-3, 2.0
    arm = pp.zoo.arm()
    goal = np.array([0.0, 0.6, 0.0, -1.4, 0.0, 0.8, 0.0])
    with stage.step(f"{count} arms go to one posture from {count} others"):
        q, v = arm.random(count, rng=0)
        law = pp.control.PD(arm, goal, kp=60.0, kd=18.0, gravity=True)
        start = time.perf_counter()
        run = simulate(
            arm, q, 0 * v, until=until, step=step, method="euler", control=law, record_every=20, progress=False
        )
        seconds = time.perf_counter() - start
    steps = count * round(until / step)
    left = float(np.abs(run.q[-1] - goal).max())
    numbers = {"wall_seconds": seconds, "seconds_per_step": seconds / steps, "largest_error": left}
    facts = {
        "arms": f"{count}, seven joints each",
        "simulated": f"{until:g} s of each in {seconds:.2f} s: {count * until / seconds:,.0f} times real time",
        "one step of one arm": f"{1e9 * seconds / steps:.0f} ns, control law included ({pp.get_threads()} threads)",
        "the furthest joint is off by": f"{np.degrees(left):.2f}°",
    }
    text = "A batch is an array with one more axis; the law, the dynamics and the steps run in lanes and threads."
    return Outcome(f"{count} arms at once", text, facts, numbers, run)
