"""Hybrid dynamics against forward dynamics, and against forward plus inverse dynamics, which would do instead."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import phipsi as pp

from .clock import race
from .report import Bar, Report, Row

SINGLE, STATES, SHORT, LONG = 64, 4096, 5_000, 10_000
SHARES = (0.0, 0.2, 0.5, 0.8, 1.0)  # of passive dofs, on average


def measure(report: Report, seconds: float) -> None:
    """Masks of every density: one for all states, single and batched; one for each state; then growth."""
    robots = {
        "chain-7": pp.zoo.chain(7),
        "satellite": pp.zoo.arm_satellite(),
        "chain-30": pp.zoo.chain(30),
        "tree-30": pp.zoo.tree(30, seed=0, base="fixed"),
    }
    worst: dict[str, tuple[float, float]] = {}
    for name, robot in robots.items():
        for what, (of_forward, of_both) in one_robot(report, name, robot, seconds).items():
            before = worst.get(what, (0.0, 0.0))
            worst[what] = max(before[0], of_forward), max(before[1], of_both)
    for what, (of_forward, of_both) in worst.items():
        report.add_bar(Bar(f"hybrid dynamics over forward dynamics, {what}", of_forward, 1.3, at_most=True))
        report.add_bar(Bar(f"hybrid over forward + inverse dynamics, {what}", of_both, 1.0, at_most=True))
    growth(report, seconds)


def one_robot(report: Report, name: str, robot: pp.Robot, seconds: float) -> dict[str, tuple[float, float]]:
    """The worst ratios over all masks: to forward dynamics, and to the sum of both."""
    rng = np.random.default_rng(0)
    masks = {f"{share:.0%} passive": rng.uniform(size=robot.nv) < share for share in SHARES}
    each = {f"{share:.0%} passive": rng.uniform(size=(STATES, robot.nv)) < share for share in SHARES[1:-1]}
    q, v = robot.random(STATES, rng=0)
    tau, a = rng.normal(size=(2, STATES, robot.nv))
    one = list(zip(q[:SINGLE], v[:SINGLE], tau[:SINGLE], a[:SINGLE], strict=True))

    def singles(mask: NDArray[np.bool_]) -> None:
        for x in one:
            robot.hybrid_dynamics(*x, mask)

    def forward() -> None:
        for x in one:
            robot.forward_dynamics(*x[:3])

    def inverse() -> None:
        for x in one:
            robot.inverse_dynamics(x[0], x[1], x[3])

    single = race(
        {"fd": forward, "id": inverse, **{k: lambda m=m: singles(m) for k, m in masks.items()}},
        seconds,
    )
    both = {k: lambda m=m: robot.hybrid_dynamics(q, v, tau, a, m) for k, m in masks.items()}
    both |= {f"{k}, each": lambda m=m: robot.hybrid_dynamics(q, v, tau, a, m) for k, m in each.items()}
    batch = race(
        {"fd": lambda: robot.forward_dynamics(q, v, tau), "id": lambda: robot.inverse_dynamics(q, v, a), **both},
        2 * seconds,
    )
    found: dict[str, tuple[float, float]] = {}
    for what, best, states in (("single calls", single, SINGLE), ("batch of 4096", batch, STATES)):
        for mask, time in best.items():
            if mask in ("fd", "id"):
                continue
            kind = "a mask a state" if mask.endswith("each") else what
            report.add(Row("hybrid", f"{kind}, {mask}", name, time / states, "forward_dynamics", best["fd"] / states))
            before = found.get(kind, (0.0, 0.0))
            found[kind] = max(before[0], time / best["fd"]), max(before[1], time / (best["fd"] + best["id"]))
    return found


def growth(report: Report, seconds: float) -> None:
    """Time at twice the links, half of them passive."""
    times: dict[int, float] = {}
    for n in (SHORT, LONG):
        robot = pp.zoo.chain(n)
        q, v = robot.random(rng=0)
        mask = np.random.default_rng(0).uniform(size=robot.nv) < 0.5
        run = {"hybrid": lambda robot=robot, x=(q, v, 0 * v, 0 * v + 1, mask): robot.hybrid_dynamics(*x)}
        times[n] = race(run, seconds)["hybrid"]
    report.add_bar(Bar("hybrid dynamics, 10 000 links over 5 000", times[LONG] / times[SHORT], 2.6, at_most=True))
