"""A chain of a thousand links falls from the horizontal: every step is O(n)."""

from __future__ import annotations

import time

import numpy as np

import phipsi as pp
from phipsi.model.inertia import Payload
from phipsi.motion.simulate import simulate

from .stage import Outcome, Stage


def chain(links: int, length: float = 4.0) -> pp.Robot:
    """Slender rods in a row, hinged about y and z in turn, lightly damped; along x at q = 0."""
    builder, part = pp.Builder("chain"), length / links
    rod = Payload.box(2.0 / links, (part, 0.02, 0.02), com=(part / 2, 0, 0))
    for k in range(links):
        axis = (0, 1, 0) if k % 2 == 0 else (0, 0, 1)
        joint = pp.Revolute(axis, damping=2e-4)
        start = pp.Pose((part if k else 0.0, 0, 0))
        builder.body(f"link{k}", f"link{k - 1}" if k else "world", joint, start, rod.mass, rod.com, rod.inertia)
    return builder.frame("end", f"link{links - 1}", pp.Pose((part, 0, 0))).build()


def run(stage: Stage, fast: bool = False) -> Outcome:
    """Two seconds of fall (half a second if `fast`)."""
    until, step = (0.5 if fast else 2.0), 5e-4
    with stage.step("a chain of 1000 links is built"):
        robot = chain(1000)
    q = np.zeros(robot.nv)
    q[1::2] = 0.6 * np.sin(np.linspace(0, 4 * np.pi, 500)) / 50
    with stage.step(f"it falls for {until:g} s, {round(until / step)} steps of Runge-Kutta"):
        start = time.perf_counter()
        run = simulate(robot, q, until=until, step=step, record_every=40, progress=False)
        seconds = time.perf_counter() - start
    solved = 4 * round(until / step)
    per_link = seconds / solved / robot.n
    lowest = float(robot.pose(run.q, "end").position[:, 2].min())
    numbers = {"wall_seconds": seconds, "seconds_per_link": per_link, "lowest_end": lowest}
    facts = {
        "links": f"{robot.n}, a degree of freedom each",
        "simulated": f"{until:g} s in {seconds:.2f} s",
        "one forward dynamics": f"{1e6 * seconds / solved:.0f} µs, {1e9 * per_link:.0f} ns a link",
        "the same by a dense mass matrix": f"{robot.nv**2 / 1e6:.0f} million numbers to fill and factor, each time",
        "the free end fell to": f"{lowest:.2f} m",
    }
    text = "A thousand hinges about two axes in turn, solved in O(n): no matrix is ever formed."
    return Outcome("A chain of a thousand links", text, facts, numbers, run, {"trace": ["end"]})
