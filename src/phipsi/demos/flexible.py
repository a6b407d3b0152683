"""A flexible arm: links cut into rods that torsion springs join; a quick slew leaves it ringing."""

from __future__ import annotations

import time

import numpy as np

import phipsi as pp
from phipsi.model.inertia import Payload
from phipsi.model.reading import Floats
from phipsi.motion.simulate import simulate

from .stage import Outcome, Stage

LENGTH, PIECES, MASS, STIFFNESS = 1.0, 6, 0.6, 80.0  # of a link: m, rods, kg, bending stiffness E I in N m²

SLEW = 0.8  # s


def flexible_arm() -> pp.Robot:
    """Two driven joints about z, each followed by a link of six rods with springs between; in the horizontal plane."""
    builder, parent, part = pp.Builder("flexible_arm"), "world", LENGTH / PIECES
    start = pp.Pose()
    spring = STIFFNESS / part  # a virtual joint bends as its rod would: k = E I / l
    for name in ("upper", "lower"):
        rod = Payload.box(MASS / PIECES, (part, 0.02, 0.02), com=(part / 2, 0, 0))
        for k in range(PIECES):
            joint = (
                pp.Revolute((0, 0, 1), name=f"{name}_motor", armature=0.2)
                if k == 0
                else pp.Revolute((0, 0, 1), stiffness=spring, damping=4e-4 * spring, passive=True)
            )
            builder.body(f"{name}{k}", parent, joint, start, rod.mass, rod.com, rod.inertia)
            parent, start = f"{name}{k}", pp.Pose((part, 0, 0))
    return builder.frame("tip", parent, start).build().attach("tip", Payload.box(0.5, (0.05, 0.05, 0.05)), name="load")


def run(stage: Stage, fast: bool = False) -> Outcome:
    """The motors go to a goal quickly; the springs do what they do."""
    robot, until, step = flexible_arm(), (1.5 if fast else 5.0), 2.5e-4
    motors = [robot.joint(f"{name}_motor").v.start for name in ("upper", "lower")]
    goal = np.array([0.9, 0.7])

    def law(t: float, q: Floats, v: Floats) -> Floats:
        s = min(t / SLEW, 1.0)
        tau = np.zeros(robot.nv)
        tau[motors] = 400.0 * (goal * s * s * (3 - 2 * s) - q[motors]) - 80.0 * v[motors]
        return tau

    with stage.step(f"a slew of {SLEW:g} s, and {until - SLEW:g} s of what comes after"):
        begun = time.perf_counter()
        run = simulate(robot, robot.neutral(), until=until, step=step, control=law, control_period=1e-3,
                       record_every=40, progress=False)  # fmt: skip
        seconds = time.perf_counter() - begun
    springs = [k for k in range(robot.nv) if k not in motors]
    bent = np.abs(run.q[:, springs].sum(axis=1))
    tip = robot.pose(run.q, "tip").position
    still = np.zeros(robot.nv)
    still[motors] = goal
    away = np.linalg.norm(tip - robot.pose(still, "tip").position, axis=1)
    after = run.t > SLEW
    rings, rests = 1e3 * float(away[after].max()), 1e3 * float(away[-1])
    numbers = {"wall_seconds": seconds, "largest_bend": float(bent.max()), "tip_rings_by": float(away[after].max())}
    facts = {
        "degrees of freedom": f"{robot.nv}: 2 motors, {len(springs)} springs",
        "most that the links bent": f"{np.degrees(bent.max()):.1f}° from root to tip",
        "tip off its goal after the slew": f"{rings:.0f} mm at most, {rests:.1f} mm at the end",
        "simulated": f"{until:g} s in {seconds:.2f} s",
    }
    text = "Bending is told by virtual joints with springs, which no motor drives: the dynamics need nothing new."
    return Outcome("A flexible arm", text, facts, numbers, run, {"trace": ["tip"]})
