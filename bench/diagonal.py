"""Diagonalized dynamics against forward dynamics: what the rates of the articulated inertias cost, and growth in n.

The bar is 1.6 for all robots. Rates ν of joints of several dofs, eliminated column by column, cost more: no bar."""

from __future__ import annotations

import numpy as np

import phipsi as pp

from .clock import race
from .report import Bar, Report, Row

STATES, SHORT, LONG = 1024, 1_000, 10_000


def measure(report: Report, seconds: float) -> None:
    """Right-hand sides of 1024 states in ξ and ν against forward dynamics; one state of chains of 1000 and 10 000."""
    batches(report, seconds)
    growth(report, seconds)


def batches(report: Report, seconds: float) -> None:
    """v and ξ̇ (or ν̇) from θ, ξ (or ν) and tau, against the accelerations alone."""
    ratios: dict[tuple[str, bool], list[float]] = {}
    for name, robot in {
        "chain-7": pp.zoo.chain(7),
        "chain-30": pp.zoo.chain(30),
        "tree-30": pp.zoo.tree(30, seed=0, base="fixed"),
        "satellite": pp.zoo.dual_arm_satellite(),
    }.items():
        q, v = robot.random(STATES, rng=0)
        tau, one, two = np.ones_like(v), np.empty_like(v), np.empty_like(v)
        verbs = {
            "forward_dynamics": lambda r=robot, q=q, v=v, t=tau, a=one: r.forward_dynamics(q, v, t, out=a),
            "rhs (θ, ξ)": lambda r=robot, q=q, v=v, t=tau, o=(one, two): pp.diagonal.dynamics(
                r, q, v, t, normalized=False, out=o
            ),
            "rhs (θ, ν)": lambda r=robot, q=q, v=v, t=tau, o=(one, two): pp.diagonal.dynamics(r, q, v, t, out=o),
            "rates": lambda r=robot, q=q, v=v, a=one: pp.diagonal.rates(r, q, v, out=a),
            "coriolis": lambda r=robot, q=q, v=v, a=one: pp.diagonal.coriolis(r, q, v, out=a),
        }
        best = race(verbs, seconds)
        peer = best.pop("forward_dynamics")
        plain = all(joint.nv <= 1 for joint in robot.joints)
        for what, took in best.items():
            report.add(Row("diagonal", what, name, took / STATES, "forward_dynamics", peer / STATES))
            ratios.setdefault((what, plain), []).append(took / peer)
    for what, plain, most in (("rhs (θ, ξ)", True, 1.6), ("rhs (θ, ν)", True, 1.7), ("rhs (θ, ξ)", False, 1.6)):
        joints = "joints of one dof" if plain else "joints of several dofs too"
        words = f"{what} over forward dynamics, {joints}, batch of {STATES}"
        report.add_bar(Bar(words, max(ratios[what, plain]), most, at_most=True))


def growth(report: Report, seconds: float) -> None:
    """Time a link of a chain of 10 000 over that of 1000: 1 is linear."""
    times: dict[int, dict[str, float]] = {}
    for n in (SHORT, LONG):
        robot = pp.zoo.chain(n)
        q, v = robot.random(rng=0)
        q = 0.01 * q
        times[n] = race(
            {
                "coriolis": lambda r=robot, q=q, v=v: pp.diagonal.coriolis(r, q, v),
                "dynamics": lambda r=robot, q=q, v=v: pp.diagonal.dynamics(r, q, v, v, normalized=False),
            },
            seconds,
        )
    for what in ("coriolis", "dynamics"):
        ratio = (times[LONG][what] / LONG) / (times[SHORT][what] / SHORT)
        report.add_bar(Bar(f"diagonal.{what}, time a link at {LONG} over that at {SHORT}", ratio, 2.0, at_most=True))
