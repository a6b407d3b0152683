"""What every link of a free-flying robot feels: Λ(k) and Υ(k) of all links, Λ⁻¹ of a few frames, against Pinocchio."""

from __future__ import annotations

import warnings

import numpy as np
import pinocchio as pin

import phipsi as pp
from phipsi import free_flying

from .clock import race
from .report import Bar, Report, Row
from .robots import Contest, written_robot

SINGLE, STATES, SHORT, LONG = 64, 512, 5_000, 10_000


def measure(report: Report, seconds: float) -> None:
    """Λ of all links of a 30-link tree against one forward dynamics; against Pinocchio's J M⁻¹ J*; then growth."""
    kinds = ("revolute", "revolute", "prismatic")  # what URDF has, so that Pinocchio has it too
    with warnings.catch_warnings():  # the order of the joints in the file is another: contests know it
        warnings.simplefilter("ignore", pp.FileWarning)
        contest = written_robot("tree-30", pp.zoo.tree(30, seed=0, kinds=kinds, base="free"))
    worst: dict[str, float] = {}
    robots = {"tree-30": contest.robot, "every-joint": pp.zoo.tree(30, seed=0, base="free")}
    robots["satellite"] = pp.zoo.dual_arm_satellite()
    for name, robot in robots.items():
        for what, ratio in all_links(report, name, robot, seconds).items():
            worst[what] = max(worst.get(what, 0.0), ratio)
    for what, ratio in worst.items():
        report.add_bar(Bar(f"Lambda of all links over one forward dynamics, {what}", ratio, 3.0, at_most=True))
    against_pinocchio(report, contest, seconds)
    growth(report, seconds)


def all_links(report: Report, name: str, robot: pp.Robot, seconds: float) -> dict[str, float]:
    """Times of link_inertias and link_compliances over those of forward dynamics, one state and a batch in place."""
    q, v = robot.random(STATES, rng=0)
    tau = np.random.default_rng(0).normal(size=v.shape)
    out, acceleration = np.empty((STATES, robot.n, 6, 6)), np.empty_like(v)
    one = list(zip(q[:SINGLE], v[:SINGLE], tau[:SINGLE], strict=True))
    single = race(
        {
            "fd": lambda: [robot.forward_dynamics(*x) for x in one],
            "Lambda": lambda: [free_flying.link_inertias(robot, x[0]) for x in one],
            "Upsilon": lambda: [free_flying.link_compliances(robot, x[0]) for x in one],
        },
        seconds,
    )
    batch = race(
        {
            "fd": lambda: robot.forward_dynamics(q, v, tau, out=acceleration),
            "Lambda": lambda: free_flying.link_inertias(robot, q, out=out),
            "Upsilon": lambda: free_flying.link_compliances(robot, q, out=out),
        },
        seconds,
    )
    for kind, best, states in (("single calls", single, SINGLE), (f"batch of {STATES}", batch, STATES)):
        for what in ("Lambda", "Upsilon"):
            words = f"{what} of all links, {kind}"
            report.add(Row("free_flying", words, name, best[what] / states, "forward_dynamics", best["fd"] / states))
    return {
        "single calls": single["Lambda"] / single["fd"],
        f"batch of {STATES}, 36 numbers a link": batch["Lambda"] / batch["fd"],
    }


def against_pinocchio(report: Report, contest: Contest, seconds: float) -> None:
    """Λ⁻¹ of four frames: one call, against Pinocchio's M⁻¹ by its own sweeps and J M⁻¹ J* by NumPy's products."""
    robot, model, data = contest.robot, contest.pin_model, contest.pin_data
    frames = [robot.body_names[k] for k in (7, 15, 22, 29)]
    states = contest.states(SINGLE)
    theirs = contest.pin_states(states)
    ids = [model.getFrameId(name) for name in frames]
    world_aligned = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED
    swap = np.concatenate([np.r_[3:6, 0:3] + 6 * i for i in range(len(ids))])

    def peer(q: object) -> np.ndarray:
        M_inv = pin.computeMinverse(model, data, q)
        M_inv = np.triu(M_inv) + np.triu(M_inv, 1).T
        pin.computeJointJacobians(model, data, q)
        pin.updateFramePlacements(model, data)
        J = np.concatenate([pin.getFrameJacobian(model, data, i, world_aligned) for i in ids])[swap]
        return J @ M_inv @ J.T

    ours = robot.operational_space_compliance(states.q[0], frames)
    apart = abs(ours - peer(theirs.q[0])).max() / abs(ours).max()
    assert apart < 1e-8, f"Pinocchio disagrees: {apart:.1e}"
    best = race(
        {
            "ours": lambda: [robot.operational_space_compliance(q, frames) for q in states.q],
            "peer": lambda: [peer(q) for q in theirs.q],
        },
        seconds,
    )
    words = "compliance of four frames, single calls"
    report.add(Row("free_flying", words, contest.name, best["ours"] / SINGLE, "Pinocchio", best["peer"] / SINGLE))
    report.add_bar(Bar("compliance of four frames of a 30-link tree, over Pinocchio", best["peer"] / best["ours"], 1.0))


def growth(report: Report, seconds: float) -> None:
    """Time at twice the links."""
    times: dict[int, dict[str, float]] = {}
    for n in (SHORT, LONG):
        robot = pp.zoo.chain(n, base="free")
        q, _ = robot.random(rng=0)
        ends = [robot.body_names[n // 2], robot.body_names[-1]]
        times[n] = race(
            {
                "Lambda of all links": lambda robot=robot, q=q: free_flying.link_inertias(robot, q),
                "compliance of two frames": lambda robot=robot, q=q, ends=ends: robot.operational_space_compliance(
                    q, ends
                ),
            },
            seconds,
        )
    for what in times[LONG]:
        ratio = times[LONG][what] / times[SHORT][what]
        report.add_bar(Bar(f"{what}, 10 000 links over 5 000", ratio, 2.6, at_most=True))
