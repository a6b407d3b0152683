"""Through time: batches against MuJoCo's rollout, one robot against mj_step, laws native and in Python."""

from __future__ import annotations

from time import perf_counter
from typing import Any

import mujoco
import mujoco.rollout
import numpy as np

import phipsi as pp

from .clock import Run, race
from .report import Bar, Report, Row
from .robots import Contest, real_robot

SECTION = "simulate"
BATCH, STEPS, STEP = 4096, 20, 1e-3
ALONE = 1000


def measure(report: Report, seconds: float) -> None:
    """All rows and bars; one thread. Nobody's joints have limits, contacts or friction here."""
    contest = real_robot("ur5")
    model = unconstrained(contest)
    batch(report, contest, model, seconds)
    single(report, contest, model, seconds)
    laws(report, seconds)


def unconstrained(contest: Contest) -> Any:
    """MuJoCo's model with Euler steps, without its constraint solver and its search for contacts."""
    model = contest.mujoco_model
    model.opt.timestep = STEP
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_EULER
    off = mujoco.mjtDisableBit
    model.opt.disableflags |= off.mjDSBL_CONSTRAINT | off.mjDSBL_CONTACT | off.mjDSBL_EULERDAMP
    return model


def batch(report: Report, contest: Contest, model: Any, seconds: float) -> None:
    """Semi-implicit Euler steps of many arms; both keep every step."""
    ours = contest.states(BATCH)
    theirs = contest.mujoco_states(ours)
    data = mujoco.MjData(model)
    size = mujoco.mj_stateSize(model, mujoco.mjtState.mjSTATE_FULLPHYSICS)
    initial = np.zeros((BATCH, size))
    initial[:, 1 : 1 + model.nq], initial[:, 1 + model.nq : 1 + model.nq + model.nv] = theirs.q, theirs.v
    few = initial[:256]

    def phipsi(every: int) -> Run:
        return lambda: pp.simulate(
            contest.robot,
            ours.q,
            ours.v,
            until=STEPS * STEP,
            step=STEP,
            method="euler",
            record_every=every,
            limits=False,
        )

    def rollout() -> None:
        mujoco.rollout.rollout(model, data, few, nstep=STEPS)

    best = race({"phipsi": phipsi(1), "last only": phipsi(STEPS), "mujoco": rollout}, 2 * seconds)
    ours_a_step, theirs_a_step = best["phipsi"] / (BATCH * STEPS), best["mujoco"] / (256 * STEPS)
    report.add(
        Row(SECTION, "euler, 4096 arms, every step kept", contest.name, ours_a_step, "mujoco.rollout", theirs_a_step)
    )
    last = best["last only"] / (BATCH * STEPS)
    report.add(Row(SECTION, "euler, 4096 arms, the last kept", contest.name, last, "mujoco.rollout", theirs_a_step))
    what = f"semi-implicit Euler, {BATCH} six-joint arms, one thread, vs mujoco.rollout"
    report.add_bar(Bar(what, theirs_a_step / ours_a_step, 15.0))


def single(report: Report, contest: Contest, model: Any, seconds: float) -> None:
    """One arm, a thousand steps: ours kept, theirs not."""
    ours = contest.states(1)
    theirs = contest.mujoco_states(ours)
    data = mujoco.MjData(model)

    def phipsi() -> None:
        pp.simulate(contest.robot, ours.q[0], ours.v[0], until=ALONE * STEP, step=STEP, method="euler", limits=False)

    def inside() -> None:
        data.qpos[:], data.qvel[:] = theirs.q[0], theirs.v[0]
        mujoco.mj_step(model, data, nstep=ALONE)

    def loop() -> None:
        data.qpos[:], data.qvel[:] = theirs.q[0], theirs.v[0]
        for _ in range(ALONE):
            mujoco.mj_step(model, data)

    best = {name: t / ALONE for name, t in race({"phipsi": phipsi, "in": inside, "loop": loop}, seconds).items()}
    report.add(Row(SECTION, "euler, one arm", contest.name, best["phipsi"], "mj_step(nstep=1000)", best["in"]))
    report.add(Row(SECTION, "euler, one arm", contest.name, best["phipsi"], "mj_step, a loop", best["loop"]))
    report.add_bar(
        Bar("semi-implicit Euler, one six-joint arm, vs mj_step(nstep=1000)", best["in"] / best["phipsi"], 1.0)
    )


def long(report: Report) -> None:
    """Ten million steps of the midpoint: a free-flying arm that tumbles, its mass centre at rest."""
    robot = pp.zoo.chain(2, "spherical", "free", seed=1, gravity=(0, 0, 0))
    q0, v0 = robot.random(rng=0)
    v0 = 0.2 * v0
    rotation = robot.pose(q0, robot.body_names[0]).rotation
    v0[3:6] -= rotation.T @ robot.momentum(q0, v0)[3:] / robot.mass.sum()
    steps, step = 10_000_000, 5e-3
    begin = perf_counter()
    run = pp.simulate(
        robot, q0, v0, until=steps * step, step=step, method="midpoint", record_every=10_000, limits=False
    )
    spent = perf_counter() - begin
    momentum = float(np.abs(run.momentum - run.momentum[0]).max() / np.abs(run.momentum[0]).max())
    wander = np.abs(run.energy / run.energy[0] - 1)
    third = len(wander) // 3
    print(
        f"  {steps} steps, {1e6 * spent / steps:.2f} µs each; energy within {wander.max():.1e}, momentum {momentum:.1e}"
    )
    report.facts["long"] = {"energy": float(wander.max()), "momentum": momentum, "seconds": spent}
    report.add_bar(
        Bar("momentum after 1e7 midpoint steps, relative, in 1e-11", momentum / 1e-11, 1.0, at_most=True, unit="")
    )
    growth = float(wander[-third:].max() / wander[:third].max())
    report.add_bar(Bar("energy's wander, last third over first third of 1e7 steps", growth, 2.0, at_most=True))


def laws(report: Report, seconds: float) -> None:
    """A minute of RK4 under a native law; a law in Python, sampled, for one arm and for many."""
    arm = pp.zoo.arm()
    q0, v0 = arm.random(BATCH, rng=0)
    law = pp.control.PD(arm, arm.neutral(), kp=20.0, kd=4.0, gravity=True)
    goal = arm.neutral()

    def python(t: float, q: Any, v: Any) -> Any:
        return 20.0 * (goal - q) - 4.0 * v

    def minute() -> None:
        pp.simulate(arm, q0[0], 0 * v0[0], until=60.0, step=1e-3, control=law)

    def one() -> None:
        pp.simulate(arm, q0[0], 0 * v0[0], until=1.0, step=1e-3, control=python, control_period=1e-2, method="euler")

    def many() -> None:
        pp.simulate(arm, q0, 0 * v0, until=0.02, step=1e-3, control=python, control_period=5e-3, method="euler")

    def stages() -> None:
        pp.simulate(arm, q0, 0 * v0, until=0.01, step=1e-3, control=python)

    best = race({"minute": minute, "one": one, "many": many, "stages": stages}, 2 * seconds, at_least=3)
    told = {
        "a law in Python every 10 steps, one arm, Euler": best["one"] / 1000,
        f"a law in Python every 5 steps, {BATCH} arms, Euler": best["many"] / (20 * BATCH),
        f"a law in Python at every stage, {BATCH} arms, RK4": best["stages"] / (10 * BATCH),
    }
    for what, time in told.items():
        print(f"  {what:<60} {1e9 * time:10.1f} ns a step and arm")
    report.facts["laws in Python"] = {name: best[name] for name in ("one", "many", "stages")}
    what = "RK4 at 1 ms for 60 s of a 7-joint arm under a native law"
    report.add_bar(Bar(what, best["minute"], 0.5, at_most=True, unit="s"))
