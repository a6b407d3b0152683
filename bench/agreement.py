"""Nothing is timed before it is right: all contenders must agree on the states they are about to race on."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin

from .robots import Array, Contest

TOLERANCE = 1e-8  # far above rounding, far below any mistake; relative, forward dynamics by the condition number
STATES = 5


def check(contest: Contest) -> float:
    """The largest relative difference to Pinocchio over the four verbs; raises where a contender disagrees."""
    ours = contest.states(STATES)
    theirs, order = contest.pin_states(ours), contest.pin_order()
    model, data, robot = contest.pin_model, contest.pin_data, contest.robot
    worst = 0.0
    for k in range(STATES):
        q, q_pin = ours.q[k], theirs.q[k]
        M_pin = pin.crba(model, data, q_pin)
        a_pin = pin.aba(model, data, q_pin, theirs.v[k], theirs.tau[k])
        tau_pin = pin.rnea(model, data, q_pin, theirs.v[k], theirs.a[k])
        M = robot.mass_matrix(q)[np.ix_(order, order)]
        inverse = robot.inverse_mass_matrix(q)[np.ix_(order, order)]
        a = robot.forward_dynamics(q, ours.v[k], ours.tau[k])[order]
        tau = robot.inverse_dynamics(q, ours.v[k], ours.a[k])[order]
        condition = float(np.linalg.cond(M_pin))
        differences = {
            "mass_matrix": _difference(M, M_pin),
            "inverse_mass_matrix": _difference(inverse, pin.computeMinverse(model, data, q_pin)) / condition,
            "forward_dynamics": _difference(a, a_pin) / condition,
            "inverse_dynamics": _difference(tau, tau_pin),
        }
        for verb, difference in differences.items():
            if not difference < TOLERANCE:
                raise ArithmeticError(f"{contest.name}: {verb} differs from Pinocchio's by {difference:.1e}")
        worst = max(worst, *differences.values())
    _check_mujoco(contest)
    return worst


def _check_mujoco(contest: Contest) -> None:
    """MuJoCo must find its own acceleration for our torque to be ours, else it sits out."""
    if contest.mujoco_model is None:
        return
    ours = contest.states(STATES)
    ours.a = np.asarray(contest.robot.forward_dynamics(ours.q, ours.v, ours.tau))
    theirs, data = contest.mujoco_states(ours), contest.mujoco_data
    data.qpos[:], data.qvel[:], data.qfrc_applied[:] = theirs.q[0], theirs.v[0], theirs.tau[0]
    mujoco.mj_forward(contest.mujoco_model, data)
    difference = _difference(data.qacc, theirs.a[0])
    if not difference < 1e-6:
        print(f"  MuJoCo sits out on {contest.name}: its acceleration differs by {difference:.1e}")
        contest.mujoco_model = None


def _difference(x: Array, y: Array) -> float:
    """Relative to the largest entry; pin's matrices are copied by NumPy before its data is used again."""
    return float(np.max(np.abs(x - y)) / max(1.0, float(np.max(np.abs(y)))))
