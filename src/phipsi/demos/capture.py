"""A free-flying satellite with two arms catches a tumbling target, stops it, and turns it without turning itself."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import phipsi as pp
from phipsi.model.reading import Floats, Ints
from phipsi.motion.simulate import simulate

from .rival import race
from .stage import Outcome, Stage
from .strip import Strip, largest

HANDS = ("ship/left/hand", "ship/right/hand")
HANDLES = ("target/left_handle", "target/right_handle")
REACH, DAMP, TURN = 5.0, 4.0, 6.0  # seconds of the three phases
ANGLE = np.radians(40.0)  # by which the target is turned
STEP = 1e-2
_AHEAD = 1e-4  # over which the rate of the wanted velocities is taken
Motion = Callable[[float, Floats, Floats], Floats]
_BASE, _TARGET = slice(0, 6), slice(20, 26)


@dataclass
class Cell:
    """The satellite and the target, and where both begin."""

    robot: pp.Robot
    q: Floats
    v: Floats

    @cached_property
    def arms(self) -> Ints:
        """Numbers of the dofs that have a motor."""
        return np.flatnonzero(~self.robot.passive)


def cell() -> Cell:
    """The satellite with elbows bent, at rest; before it the target, which tumbles and drifts."""
    ship = pp.zoo.dual_arm_satellite()
    body = pp.zoo.box(mass=40.0, size=(0.4, 0.6, 0.4), gravity=(0, 0, 0))
    for side, y in (("left", 0.25), ("right", -0.25)):
        body = body.add_frame(f"{side}_handle", "box", pp.Pose((-0.2, y, 0), rpy=(0, np.pi / 2, 0)))
    robot = pp.assemble({"ship": ship, "target": body}, name="capture")
    q, v = robot.neutral(), np.zeros(robot.nv)
    for side in ("left", "right"):
        for joint, angle in (("joint2", 0.6), ("joint4", -1.9), ("joint6", 1.3)):
            q[robot.joint(f"ship/{side}/{joint}").q] = angle
    place = robot.joint("target/box").q
    hands = np.mean([robot.pose(q, hand).position for hand in HANDS], axis=0)
    q[place][4:] = hands + np.array([0.38, 0.03, -0.04])
    v[_TARGET] = 0.04, -0.06, 0.10, -0.012, 0.0, 0.008
    return Cell(robot, q, v)


def errors_between(robot: pp.Robot, q: Floats) -> Floats:
    """What the hands still lack to the handles: (12,), rotation vector and distance of each."""
    rows: list[Floats] = []
    for hand, handle in zip(HANDS, HANDLES, strict=True):
        here, there = robot.pose(q, hand), robot.pose(q, handle)
        quaternion = pp.Pose(rotation=there.rotation @ here.rotation.T).quaternion
        rows += [2.0 * quaternion[1:], there.position - here.position]
    return np.concatenate(rows)


def reach(robot: pp.Robot, arms: Ints, q0: Floats, rate: float = 2.0) -> Motion:
    """Accelerations of the arms that bring both hands to the handles: α = J_G a + drift. [JR93 6.11]

    The base floats freely, so J_G is the generalized Jacobian, which knows that the base yields.
    """
    frames = [*HANDS, *HANDLES]

    def law(t: float, q: Floats, v: Floats) -> Floats:
        J = robot.generalized_jacobian(q, frames)
        drift = pp.underactuated.frame_drift(robot, q, v, frames).reshape(4, 6)
        V = np.concatenate([robot.velocity(q, v, frame) for frame in frames]).reshape(4, 6)
        fading = rate**2 * errors_between(robot, q) - 2 * rate * (V[:2] - V[2:]).reshape(12)
        a = np.zeros(robot.nv)
        inverse = J[:12].T @ np.linalg.inv(J[:12] @ J[:12].T + 1e-4 * np.eye(12))
        still = -2.0 * v[arms] - robot.difference(q0, q)[arms]  # what the hands do not need stays as it is
        a[arms] = still + inverse @ (fading - (drift[:2] - drift[2:]).reshape(12) - J[:12] @ still)
        return a

    return law


def rest(closed: pp.ClosedRobot, arms: Ints, kept: Floats) -> Callable[[float, Floats], Floats]:
    """The velocities with which all turns as one rigid body, arms stiff, with the momentum that there is."""
    stiff = np.eye(closed.robot.nv)[arms]

    def wanted(t: float, q: Floats) -> Floats:
        A = np.concatenate([closed.constraint_jacobian(q), closed.robot.centroidal_momentum_matrix(q), stiff])
        return least(A, np.concatenate([np.zeros(closed.rows), kept, np.zeros(len(arms))]))

    return wanted


def turn(closed: pp.ClosedRobot, spin: Floats, kept: Floats, start: float) -> Callable[[float, Floats], Floats]:
    """Velocities that turn the target about its y axis while the base keeps its attitude: reaction modes. [JR95f]

    They close the loops, keep the momentum, fade the base's `spin` out and turn the target at a rate: 24 equations in
    26 unknowns, of which the least solution is taken. What the base would feel, the arms balance by where they carry
    the target.
    """
    robot = closed.robot

    def wanted(t: float, q: Floats) -> Floats:
        s = min(max((t - start) / TURN, 0.0), 1.0)
        rate = ANGLE / TURN * 30 * s**2 * (1 - s) ** 2  # of a quintic: it starts and ends at rest
        own, other = robot.pose(q, "ship/base").rotation, robot.pose(q, "target").rotation
        steady, relative = np.zeros((3, robot.nv)), np.zeros((3, robot.nv))
        steady[:, :3] = np.eye(3)
        relative[:, 20:23], relative[:, :3] = np.eye(3), -other.T @ own
        A = np.concatenate([closed.constraint_jacobian(q), robot.centroidal_momentum_matrix(q), steady, relative])
        b = np.concatenate([np.zeros(closed.rows), kept, (1 - _smooth(t - start)) * spin, [0.0, rate, 0.0]])
        return least(A, b)

    return wanted


def follow(closed: pp.ClosedRobot, wanted: Callable[[float, Floats], Floats], rate: float) -> Motion:
    """Torques of the arms that make the velocities follow the wanted ones; differences die at `rate`."""
    robot, passive = closed.robot, closed.robot.passive

    def law(t: float, q: Floats, v: Floats) -> Floats:
        now, ahead = wanted(t, q), wanted(t + _AHEAD, robot.integrate(q, _AHEAD * v))
        a = closed.project_acceleration(q, v, (ahead - now) / _AHEAD + rate * (now - v))
        needs, J = robot.inverse_dynamics(q, v, a), closed.constraint_jacobian(q)
        f = least(J[:, passive].T, needs[passive])
        return np.where(passive, 0.0, needs - J.T @ f)  # base and target have the grasps alone to move them

    return law


def least(A: Floats, b: Floats) -> Floats:
    """The least x with A x = b."""
    return np.asarray(np.linalg.lstsq(A, b, rcond=1e-9)[0], dtype=np.float64)


def _smooth(x: float) -> float:
    """0 before 0, 1 after 1, and smooth between."""
    x = min(max(x, 0.0), 1.0)
    return x**3 * (10 - 15 * x + 6 * x**2)


# ── the demo ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def run(stage: Stage, fast: bool = False) -> Outcome:
    """Reach, catch, stop, turn; then what it cost. `fast`: coarser steps, for trying it out."""
    step = 2 * STEP if fast else STEP
    here = cell()
    robot = here.robot
    clock: dict[str, Any] = {"step": step, "record_every": max(1, round(0.02 / step)), "progress": False}
    started = time.perf_counter()
    with stage.step("both hands reach for the handles of the tumbling target (generalized Jacobian)"):
        approach = simulate(
            robot, here.q, here.v, until=REACH, acceleration=reach(robot, here.arms, here.q), **clock
        )  # fmt: skip
    q, v = approach.q[-1], approach.v[-1]
    missed = np.abs(errors_between(robot, q)).max()
    with stage.step("the hands close: two loops, an inelastic impulse, and all comes to rest against the base"):
        closed = robot.close(*(pp.Grasp(hand, handle, at=q) for hand, handle in zip(HANDS, HANDLES, strict=True)))
        kept = robot.momentum(q, v, about="com")
        law = follow(closed, rest(closed, here.arms, kept), rate=2.0)
        v = closed.project_velocity(q, v)
        damped = simulate(
            closed, q, v, start=REACH, until=REACH + DAMP, control=law, control_period=step, **clock
        )  # fmt: skip
    q, v, start = damped.q[-1], damped.v[-1], REACH + DAMP
    with stage.step("the target is turned by reaction modes, which the base does not feel"):
        law = follow(closed, turn(closed, v[:3], kept, start), rate=4.0)
        turned = simulate(closed, q, v, start=start, until=start + TURN, control=law, control_period=step, **clock)
    seconds = time.perf_counter() - started
    with stage.step("the same satellite, step by step, against MuJoCo where it is installed"):
        ours, theirs = race()
    return _outcome(Strip([approach, damped, turned]), turned, float(missed), seconds, ours, theirs)


def _outcome(
    strip: Strip, turned: Any, missed: float, seconds: float, ours: float, theirs: float | None
) -> Outcome:  # fmt: skip
    robot = strip.robot
    h = robot.momentum(strip.q, strip.v)
    settled = turned.q[np.flatnonzero(turned.t >= turned.t[0] + 1.0)[0]]  # when the base has stopped turning
    numbers = {
        "hands_missed_by": missed,
        "target_turned": angle_between(robot, turned.q[0], turned.q[-1], "target"),
        "base_turned_meanwhile": angle_between(robot, settled, turned.q[-1], "ship/base"),
        "base_turned_in_all": angle_between(robot, strip.q[0], strip.q[-1], "ship/base"),
        "momentum_drift": largest(h - h[0]) / largest(h),
        "closure_error": largest(strip.closure),
        "simulated_seconds": float(strip.t[-1]),
        "wall_seconds": seconds,
        "steps_per_second": ours,
        **({} if theirs is None else {"steps_per_second_mujoco": theirs}),
    }
    degrees = {name: np.degrees(numbers[name]) for name in numbers if "turned" in name}
    facts = {
        "hands met the handles within": f"{1e3 * missed:.2g} mm or mrad",
        "target turned by": f"{degrees['target_turned']:.1f}°",
        "base turned meanwhile by": f"{degrees['base_turned_meanwhile']:.4f}° (once it stood still)",
        "base turned in all by": f"{degrees['base_turned_in_all']:.2f}° (no thrusters, no wheels)",
        "momentum kept to": f"{numbers['momentum_drift']:.1e} of itself, through the impact too",
        "loops closed to": f"{numbers['closure_error']:.1e} m or rad",
        "simulated": f"{strip.t[-1]:.0f} s in {seconds:.1f} s",
        "steps a second, open satellite": f"{ours:,.0f}"
        + ("" if theirs is None else f" against MuJoCo's {theirs:,.0f}: {ours / theirs:.2f} ×"),
    }
    events = [(0.0, "reaching"), (REACH, "caught: coming to rest"), (REACH + DAMP, "turning the target")]
    return Outcome(
        "A satellite catches a tumbling target",
        "A free-flying base of 120 kg with two seven-joint arms takes hold of a tumbling box of 40 kg with both hands, "
        "brings it to rest and turns it. Nothing pushes from outside: momentum stays what it was.",
        facts,
        numbers,
        strip,
        {"events": events, "trace": list(HANDS)},
    )


def angle_between(robot: pp.Robot, q0: Floats, q1: Floats, frame: str) -> float:
    """By what angle a frame has turned from one configuration to another."""
    turned = robot.pose(q0, frame).rotation.T @ robot.pose(q1, frame).rotation
    return float(2 * np.arcsin(min(1.0, np.linalg.norm(pp.Pose(rotation=turned).quaternion[1:]))))
