"""Closed chains: two arms on a satellite with an object against Pinocchio's constraint dynamics; growth in n and ℓ."""

from __future__ import annotations

from typing import Any

import numpy as np
import pinocchio as pin

import phipsi as pp

from .clock import Run, race
from .report import Bar, Report, Row
from .robots import Array

SECTION = "closed"
STATES, BATCH = 64, 1024
SINGLE, MANY = 1.5, 15.0  # what issue 6 asks for
LENGTHS = (100, 1000)
ARMS, FEW_ARMS = (1, 2, 4, 8, 16, 32, 64), (1, 2, 4, 8)


def measure(report: Report, seconds: float) -> None:
    """Everything of this section, its bars included."""
    against_pinocchio(report, seconds)
    in_length(report, seconds)
    in_arms(report, seconds)


def against_pinocchio(report: Report, seconds: float) -> None:
    """One call at a time, and a batch on one thread, both over states that keep the grasps closed."""
    robot = pp.assemble({"ship": pp.zoo.dual_arm_satellite(), "box": pp.zoo.box(30.0)}, gravity=(0, 0, 0))
    q0, _ = robot.random(rng=4)
    system = robot.close(pp.Grasp("ship/left/hand", "box", at=q0), pp.Grasp("ship/right/hand", "box", at=q0))
    q, v, tau = states(system, q0, STATES)
    model, data, loops = twin(robot, system)
    order = theirs_from_ours(robot, model)
    pin_states = [(pin_q(robot, model, q[i]), v[i][order], tau[i][order]) for i in range(STATES)]
    difference = max(
        np.abs(pin.constraintDynamics(model, data, *x, *loops)[np.argsort(order)] - motion).max() / np.abs(motion).max()
        for x, motion in zip(pin_states, system.forward_dynamics(q, v, tau).acceleration, strict=True)
    )
    report.facts["closed_agreement"] = difference
    print(f"  agreement with pin.constraintDynamics: {difference:.1e}")
    many = [np.tile(x, (BATCH // STATES, 1)) for x in (q, v, tau)]
    ours = list(zip(q, v, tau, strict=True))

    def one_by_one() -> None:
        for x in ours:
            system.forward_dynamics(*x)

    def pinocchio() -> None:
        for x in pin_states:
            pin.constraintDynamics(model, data, *x, *loops)

    best = race({"single": one_by_one, "batch": lambda: system.forward_dynamics(*many), "pin": pinocchio}, seconds)
    single, batch, peer = best["single"] / STATES, best["batch"] / BATCH, best["pin"] / STATES
    what = "two arms, free base, object"
    report.add(Row(SECTION, "forward, single call", what, single, "pin.constraintDynamics", peer))
    report.add(Row(SECTION, f"forward, batch of {BATCH}", what, batch, "pin.constraintDynamics", peer))
    report.add_bar(Bar("closed forward dynamics, single call, vs pin.constraintDynamics", peer / single, SINGLE))
    report.add_bar(Bar(f"closed forward dynamics, batch of {BATCH}, one thread, vs a loop", peer / batch, MANY))


def in_length(report: Report, seconds: float) -> None:
    """Two chains of n joints on one object: the time of a joint must not grow."""
    best = race({str(n): held(2, n) for n in LENGTHS}, seconds)
    short, long = (best[str(n)] / n for n in LENGTHS)
    report.add(Row(SECTION, "forward per joint", f"2 x {LENGTHS[1]}", long, f"2 x {LENGTHS[0]} joints", short))
    report.add_bar(Bar(f"closed: time per joint, {LENGTHS[1]} over {LENGTHS[0]}", long / short, 1.5, at_most=True))


def in_arms(report: Report, seconds: float) -> None:
    """ℓ arms on one object, all grasps rigid: how the time grows with ℓ, and why.

    With 7 joints each arm's own Λ_i is regular: the loops are eliminated one by one, and what they share is the
    object's six dofs, whatever ℓ: O(ℓ). With 5 joints no Λ_i is, so that Ω, of 6 ℓ rows, is factored as a whole: O(ℓ³),
    which shows once it outweighs the sweeps.
    """
    for joints, counts in ((7, ARMS), (5, FEW_ARMS)):
        best = race({str(count): held(count, joints) for count in counts}, seconds)
        report.facts[f"closed_arms_of_{joints}"] = {count: best[str(count)] for count in counts}
        for count in counts:
            what, own = f"forward per arm of {joints} joints", best[str(count)] / count
            report.add(Row(SECTION, what, f"{count} arms", own, "1 arm", best["1"]))
        if joints == 7:
            growth = best["64"] / 64 / (best["8"] / 8)
            report.add_bar(Bar("closed: time per arm of 7 joints, 64 arms over 8", growth, 1.5, at_most=True))


def held(count: int, joints: int) -> Run:
    """Forward dynamics of `count` chains that hold one object."""
    parts = {f"arm{i}": pp.zoo.chain(joints, seed=i) for i in range(count)}
    robot = pp.assemble({**parts, "box": pp.zoo.box(10.0)})
    q, v = robot.random(rng=1)
    tips = [f"arm{i}/{part.frame_names[-1]}" for i, part in enumerate(parts.values())]
    system = robot.close([pp.Grasp(tip, "box", at=q) for tip in tips])
    v = system.project_velocity(q, v)
    return lambda: system.forward_dynamics(q, v, v)


def states(system: Any, q0: Array, size: int) -> tuple[Array, Array, Array]:
    """States around q0 with the loops closed, and torques."""
    rng = np.random.default_rng(0)
    robot = system.robot
    q = system.project_position(robot.integrate(q0, 0.2 * rng.standard_normal((size, robot.nv))))
    v, tau = rng.standard_normal((2, size, robot.nv))
    return q, system.project_velocity(q, v), 10.0 * tau


# ── the same system in Pinocchio ──────────────────────────────────────────────────────────────────────────────────────


def twin(robot: pp.Robot, system: Any) -> tuple[Any, Any, tuple[Any, Any, Any]]:
    """Model, data, and what constraintDynamics takes besides the state."""
    model = pin.Model()
    model.gravity = pin.Motion(np.asarray(robot.gravity), np.zeros(3))
    made: list[int] = []
    for k, joint in enumerate(robot.joints):
        placement = pin.SE3(robot.placements.rotation[k], robot.placements.position[k])
        kind = pin.JointModelFreeFlyer() if joint.nv == 6 else pin.JointModelRevoluteUnaligned(joint.parameters[:3])
        made.append(model.addJoint(made[robot.parent[k]] if robot.parent[k] >= 0 else 0, kind, placement, str(k)))
        body = pin.Inertia(float(robot.mass[k]), np.asarray(robot.com[k]), np.asarray(robot.inertia[k]))
        model.appendBodyToJoint(made[-1], body, pin.SE3.Identity())
    model.armature = robot.armature[theirs_from_ours(robot, model)]
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for place in system.places:
        ends = [
            (made[body], pin.SE3(pose.rotation, pose.position))
            for body, pose in ((place.tip_body, place.tip), (place.object_body, place.object @ place.offset))
        ]
        loop = pin.RigidConstraintModel(pin.ContactType.CONTACT_6D, model, *ends[0], *ends[1], pin.ReferenceFrame.LOCAL)
        models.append(loop)
        data.append(loop.createData())
    scratch = model.createData()
    pin.initConstraintDynamics(model, scratch, models, data)
    return model, scratch, (models, data, pin.ProximalSettings(1e-12, 0.0, 1))


def theirs_from_ours(robot: pp.Robot, model: Any) -> Any:
    """The index of ours that stands at each of Pinocchio's velocity indices: free joints are linear first there."""
    order = np.empty(robot.nv, dtype=np.intp)
    for k in range(robot.n):
        own = np.arange(robot.v_index[k], robot.v_index[k + 1])
        at = model.joints[k + 1].idx_v
        order[at : at + len(own)] = own[[3, 4, 5, 0, 1, 2]] if len(own) == 6 else own
    return order


def pin_q(robot: pp.Robot, model: Any, q: Array) -> Array:
    """A configuration in Pinocchio's numbers."""
    out = np.empty(model.nq)
    for k in range(robot.n):
        own = q[robot.q_index[k] : robot.q_index[k + 1]]
        at = model.joints[k + 1].idx_q
        out[at : at + len(own)] = own[[4, 5, 6, 1, 2, 3, 0]] if len(own) == 7 else own
    return out
