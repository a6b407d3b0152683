"""The operator algebra against the fused kernels: what it costs to write the mathematics instead of calling a verb."""

from __future__ import annotations

import numpy as np

import phipsi as pp
from phipsi.algebra import mass

from .clock import race
from .report import Bar, Report, Row

STATES, SHORT, LONG = 4096, 5_000, 10_000


def measure(report: Report, seconds: float) -> None:
    """Batches against fused kernels, one state of an arm, and growth with the number of links."""
    robots = {
        "chain-7": pp.zoo.chain(7),
        "tree-30": pp.zoo.tree(30, seed=0, base="fixed"),
        "satellite": pp.zoo.dual_arm_satellite(),
    }
    batches(report, robots, seconds)
    one_state(report, robots["chain-7"], seconds)
    growth(report, seconds)


def batches(report: Report, robots: dict[str, pp.Robot], seconds: float) -> None:
    """mass.inv @ x and mass @ x for 4096 states, against the fused sweeps at rest and without weight."""
    worst = {"mass.inv @ x": 0.0, "mass @ x": 0.0}
    for name, robot in robots.items():
        q, x = robot.random(STATES, rng=0)
        light, rest = robot.with_gravity((0, 0, 0)), np.zeros_like(x)
        s = robot.at(q)
        forward, inverse = s.mass.inv, s.mass
        best = race(
            {
                "mass.inv @ x": lambda A=forward, x=x: A @ x,
                "its kernel": lambda r=light, q=q, v=rest, x=x: r.forward_dynamics(q, v, x),
                "mass @ x": lambda A=inverse, x=x: A @ x,
                "their kernel": lambda r=light, q=q, v=rest, x=x: r.inverse_dynamics(q, v, x),
            },
            seconds,
        )
        for what, kernel, verb in (
            ("mass.inv @ x", "its kernel", "forward_dynamics, no bias"),
            ("mass @ x", "their kernel", "inverse_dynamics, no bias"),
        ):
            report.add(Row("algebra", what, name, best[what] / STATES, verb, best[kernel] / STATES))
            worst[what] = max(worst[what], best[what] / best[kernel])
    report.add_bar(Bar("mass.inv @ x over forward dynamics, batch of 4096", worst["mass.inv @ x"], 2.0, at_most=True))
    report.add_bar(Bar("mass @ x over a fused pair of sweeps, batch of 4096", worst["mass @ x"], 1.5, at_most=True))


def one_state(report: Report, arm: pp.Robot, seconds: float) -> None:
    """A planned expression in one configuration of a 7-joint arm, from Python; and in a new one each time."""
    q, x = arm.random(rng=0)
    planned = mass.inv
    bound = planned.at(arm.at(q))
    best = race({"bound": lambda: bound @ x, "new": lambda: planned.at(arm.at(q)) @ x}, seconds)
    report.add(Row("algebra", "mass.inv @ x, planned before", "chain-7", best["bound"], "at a new q", best["new"]))
    report.add_bar(Bar("mass.inv @ x, one state of a 7-joint arm", best["bound"] * 1e6, 10.0, at_most=True, unit="us"))


def growth(report: Report, seconds: float) -> None:
    """Time at twice the links: of a composite of ten factors, and of every atom."""
    names = [
        "H",
        "phi",
        "E_phi",
        "M",
        "P",
        "P_plus",
        "D",
        "G",
        "K",
        "tau",
        "tau_bar",
        "psi",
        "E_psi",
        "Omega",
        "Upsilon",
    ]
    worst: dict[str, float] = {}
    times: dict[str, dict[int, float]] = {}
    for n in (SHORT, LONG):
        robot = pp.zoo.chain(n)
        s = robot.at(robot.random(rng=0)[0])
        ten = s.H @ s.phi @ s.M @ s.phi.T @ s.E_phi.T @ s.psi.T @ s.P @ s.psi @ s.tau @ s.M
        operators = {**{name: getattr(s, name) for name in names}, "ten factors": ten}
        x = {m: np.random.default_rng(0).normal(size=m) for m in {A.shape[1] for A in operators.values()}}
        best = race({name: lambda A=A, x=x: A @ x[A.shape[1]] for name, A in operators.items()}, seconds)
        for name, time in best.items():
            times.setdefault(name, {})[n] = time
    for name, time in times.items():
        worst[name] = time[LONG] / time[SHORT]
    slowest = max(worst, key=lambda name: worst[name])
    report.facts["algebra_growth"] = worst
    print(f"  at {LONG} links over {SHORT}: " + ", ".join(f"{name} {ratio:.2f}" for name, ratio in worst.items()))
    report.add_bar(Bar(f"doubling the links, slowest to grow ({slowest})", worst[slowest], 2.6, at_most=True))
