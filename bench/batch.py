"""Many states at once: against loops and pools, two threads against one, and against what the processor can do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import pinocchio as pin

import phipsi as pp

from .clock import Run, geometric_mean, race
from .report import Bar, Report, Row
from .robots import REAL_ROBOTS, Array, Contest, States
from .single import phipsi_run, pin_runs

SECTION, BATCH, LOOP, LARGE_BATCH = "batch", 4096, 256, 100_000
BARS = {"forward_dynamics": ("pin.aba", 20.0), "inverse_dynamics": ("pin.rnea", 15.0), "mass_matrix": ("pin.crba", 8.0)}
NEW, LOOP_OF_OURS = "phipsi, without out=", "phipsi, a loop"
POOLS = {"forward_dynamics": "abaInParallel", "inverse_dynamics": "rneaInParallel"}


def measure(report: Report, contest: Contest, seconds: float) -> None:
    """Times per state of a batch on one thread: loops over Pinocchio's calls and its own pools are the peers.

    Memory for results is given to all beforehand (out=, Pinocchio's data, its pools' last argument). The loops run over
    rows sliced beforehand and throw the results away, which is kind to them; and over LOOP of the states, so that their
    turns are as short as ours and what interrupts them does not count against them.
    """
    ours = contest.states(BATCH)
    theirs = contest.pin_states(ours)
    few = contest.states(LOOP)
    few_theirs = contest.pin_states(few)
    for verb, (peer, _) in BARS.items():
        given = phipsi_batch(contest, verb, ours, given=True)
        runs = {"phipsi": given, NEW: phipsi_batch(contest, verb, ours), **pin_runs(contest, verb, few_theirs)}
        pool = pool_name(verb)
        if pool:
            runs[pool] = pin_pool(contest, verb, theirs)
        runs[LOOP_OF_OURS] = phipsi_run(contest, verb, few)
        whole = ("phipsi", NEW, pool)
        best = {name: time / (BATCH if name in whole else LOOP) for name, time in race(runs, seconds).items()}
        best[peer] = min(time for name, time in best.items() if name.split(" ")[0] == peer)
        for name in (peer, pool, NEW, LOOP_OF_OURS):
            if name in best:
                report.add(Row(SECTION, verb, contest.name, best["phipsi"], name, best[name]))


def bars(report: Report) -> None:
    """The bars over the four real robots."""
    robots = tuple(REAL_ROBOTS)
    for verb, (peer, wanted) in BARS.items():
        what = f"{verb}, batch of {BATCH}, one thread, vs"
        report.add_bar(Bar(f"{what} a loop over {peer}", report.mean(SECTION, verb, peer, robots), wanted))
        pool = pool_name(verb)
        if verb == "forward_dynamics" and pool:
            report.add_bar(Bar(f"{what} {pool}", report.mean(SECTION, verb, pool, robots), wanted))


def threads(report: Report, contests: list[Contest], seconds: float) -> None:
    """Two threads over one on a large batch."""
    gains: list[float] = []
    for contest in contests:
        states = contest.states(LARGE_BATCH)
        run = phipsi_batch(contest, "forward_dynamics", states, given=True)

        def with_threads(count: int, run: Run = run) -> Run:
            def timed() -> None:
                pp.set_threads(count)
                run()

            return timed

        best = race({"one": with_threads(1), "two": with_threads(2)}, 2 * seconds)
        pp.set_threads(1)
        one, two = best["one"] / LARGE_BATCH, best["two"] / LARGE_BATCH
        report.add(Row("threads", "forward_dynamics, two threads", contest.name, two, "phipsi, one thread", one))
        gains.append(one / two)
    what = f"two threads over one, batch of {LARGE_BATCH}, forward_dynamics"
    report.add_bar(Bar(what, geometric_mean(gains), 1.8))


def peak(report: Report, seconds: float) -> None:
    """The share of the core's double-precision FMA peak that batched forward dynamics of a 30-joint tree reaches."""
    revolute = fma_share(report, "revolute joints", pp.zoo.tree(30, seed=0, kinds=("revolute",)), seconds)
    fma_share(report, "all joint types", pp.zoo.tree(30, seed=0), seconds)  # for interest
    what = "share of the core's double FMA peak, forward_dynamics, 30-joint tree"
    report.add_bar(Bar(what, revolute, 40.0, unit="%"))


def fma_share(report: Report, name: str, robot: pp.Robot, seconds: float) -> float:
    """In percent. What counts are the operations that the recursion needs, a fused multiply-add as two (`_core.flops`
    counts them); the peak is measured between the runs, on the same core at the same clock.
    """
    q, v = robot.random(BATCH, rng=0)
    peaks: list[float] = []
    runs = {"dynamics": partial(robot.forward_dynamics, q, v, v), "peak": lambda: peaks.append(pp._core.fma_peak())}
    flops = pp._core.flops(robot, "forward_dynamics")
    reached = flops * BATCH / race(runs, 2 * seconds)["dynamics"] * 1e-9
    report.facts[f"fma, {name}"] = {"flops_per_state": flops, "gflops": reached, "peak_gflops": max(peaks)}
    print(f"  tree of 30 bodies, {name}, nv = {robot.nv}: {flops} flops a state")
    print(f"    {reached:.1f} GFLOP/s of the {max(peaks):.1f} that this core reaches with {pp._core.isa()}")
    return 100 * reached / max(peaks)


def phipsi_batch(contest: Contest, verb: str, states: States, *, given: bool = False) -> Run:
    """One call for all states; into the same memory every time, if that is given."""
    call: Callable[..., Array] = getattr(contest.robot, verb)
    last = states.tau if verb == "forward_dynamics" else states.a
    arguments = (states.q,) if verb.endswith("mass_matrix") else (states.q, states.v, last)
    return partial(call, *arguments, out=call(*arguments)) if given else partial(call, *arguments)


def pool_name(verb: str) -> str | None:
    """Pinocchio's batched function, where it and this build of it have one."""
    return f"pin.{POOLS[verb]}, 1 thread" if verb in POOLS and hasattr(pin, POOLS[verb]) else None


def pin_pool(contest: Contest, verb: str, states: States) -> Run:
    """Pinocchio's own way with batches: states are columns, the result's memory is given, one thread."""
    last = states.tau if verb == "forward_dynamics" else states.a
    columns: list[Any] = [x.T for x in (states.q, states.v, last)]  # Fortran order, which is the faster one
    pool, result = pin.ModelPool(contest.pin_model, 1), columns[2].copy(order="F")
    call = getattr(pin, POOLS[verb])
    return lambda: call(1, pool, *columns, result)
