"""Laws for underactuated robots: paths that are followed, bases that stay, redundant, missing and failing motors."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import underactuated
from phipsi.motion.control.goals import rotation_vector, turned
from phipsi.motion.control.priorities import prioritized

SHAPES = ((), (1,), (3, 1, 2), (5,))


def long_arm(joints: int = 14) -> pp.Robot:
    """A free base of 100 kg with one arm of many joints."""
    builder = pp.Builder("long_arm", gravity=(0, 0, 0))
    solid = pp.Payload.box(100.0, (1.0, 1.0, 1.0))
    builder.body("base", joint=pp.Free(), mass=solid.mass, com=solid.com, inertia=solid.inertia)
    parent, start = "base", pp.Pose((0.5, 0, 0), rpy=(0, np.pi / 2, 0))
    for k in range(joints):
        axis = ((0, 0, 1), (0, 1, 0), (1, 0, 0))[k % 3]
        link = pp.Payload.cylinder(3.0, 0.05, 0.3, com=(0, 0, 0.15))
        builder.body(f"link{k}", parent, pp.Revolute(axis), start, link.mass, link.com, link.inertia)
        parent, start = f"link{k}", pp.Pose((0, 0, 0.3))
    return builder.frame("hand", parent, start).build()


def dexterous(robot: pp.Robot, count: int) -> np.ndarray:
    """Of random configurations, the one from which the hand moves best without the base feeling it (if it can)."""
    q = np.tile(robot.neutral(), (count, 1))
    q[:, 7:] = np.random.default_rng(0).uniform(-1.5, 1.5, (count, robot.nv - 6))
    J = robot.jacobian(q, "hand")[..., 6:]
    if robot.nv >= 18:
        J = J @ underactuated.reaction_null_space(robot, q)
    return q[np.linalg.svd(J, compute_uv=False)[..., -1].argmax()]


def base_motion(run) -> float:
    """How far the base went from where it was: metres or radians, whichever is more."""
    moved = run.robot.difference(np.broadcast_to(run.q[0], run.q.shape), run.q)[..., :6]
    return float(np.abs(moved).max())


def hand_error(run, path, frame="hand") -> float:
    pose, goal = run.robot.pose(run.q[-1], frame), path(float(run.t[-1])).pose
    return float(np.abs(pose.matrix - goal.matrix).max())


# ── the step of [JR93 6.2] ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("shape", SHAPES)
def test_the_hand_accelerates_as_asked(shape):
    """With momentum, springs at a passive joint and gravity, in batches; checked by forward dynamics."""
    ship = pp.zoo.dual_arm_satellite(gravity=(0.1, 0.2, -1.0)).with_passive(["base", "left/joint3"])
    q, v = ship.random(shape, rng=0)
    path = pp.control.Reach(pp.Pose(), pp.Pose((1, 2, 3), rpy=(0.1, 0.2, 0.3)), 4.0)
    law = pp.control.EndEffector(ship, "right/hand", path, bandwidth=0.0)
    tau = law(1.3, q, v)
    assert tau.shape == (*shape, 20)
    assert not tau[..., ship.passive].any()
    a = ship.forward_dynamics(q, v, tau)
    found = ship.acceleration(q, v, a, "right/hand")
    assert np.abs(found - path(1.3).acceleration).max() < 1e-8
    singles = [law(1.3, q[i], v[i]) for i in np.ndindex(shape)]
    assert np.abs(np.reshape(singles, tau.shape) - tau).max() < 1e-8 * np.abs(tau).max()


def test_springs_and_dampers_are_reckoned_with():
    """Those of driven joints by the motors, those of passive ones as they are: simulate lets all of them act."""
    b = pp.Builder("springs", gravity=(0, 0, -9.8))
    parent = "world"
    for k, passive in enumerate((False, True, False, False)):
        joint = pp.Revolute((0, 1, 0), passive=passive, stiffness=20.0, rest=0.2, damping=1.5)
        b.body(f"l{k}", parent, joint, pp.Pose((0, 0, 0.4)), 1.0, (0, 0, 0.2), 0.1 * np.eye(3))
        parent = f"l{k}"
    robot = b.build()
    q, v = robot.random(4, rng=3)
    path = pp.control.Reach(pp.Pose(), pp.Pose((1, 0, 1), rpy=(0, 0.4, 0)), 3.0)
    law = pp.control.EndEffector(robot, "l3", path, rows=[1, 3, 5], bandwidth=0.0, damping=0.0)
    a = robot.forward_dynamics(q, v, law(1.0, q, v) + robot.passive_forces(q, v))
    found = robot.acceleration(q, v, a, "l3")[..., [1, 3, 5]]
    assert np.abs(found - path(1.0).acceleration[[1, 3, 5]]).max() < 1e-8


def test_redundant_motors_follow_the_objective():
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.random(rng=1)
    path = pp.control.Reach(ship.pose(q, "left/hand"), pp.Pose((1, 0, 0)), 4.0)
    wish = np.linspace(-1, 1, 14)
    law = pp.control.EndEffector(ship, "left/hand", path, objective=lambda t, q, v: wish)
    a = law.acceleration(1.0, q, v)
    J = ship.generalized_jacobian(q, "left/hand")
    N = np.eye(14) - np.linalg.pinv(J) @ J
    assert np.abs(N @ (a - wish)).max() < 1e-10  # nearest to the wish, of all that do the task
    braking = pp.control.EndEffector(ship, "left/hand", path).acceleration(1.0, q, v)
    assert np.abs(N @ (braking + v[6:])).max() < 1e-10
    assert np.abs(J @ (a - braking)).max() < 1e-10


def test_several_frames():
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.random(2, rng=1)
    names = ["left/hand", "right/hand"]
    start = pp.Pose.stack([ship.pose(q[0], name) for name in names])
    end = pp.Pose.stack([pp.Pose((0.1, 0, 0.1)) @ ship.pose(q[0], name) for name in names])
    path = pp.control.Reach(start, end, 2.0)
    law = pp.control.EndEffector(ship, names, path, bandwidth=0.0)
    a = ship.forward_dynamics(q, v, law(0.7, q, v))
    for i, name in enumerate(names):
        assert np.abs(ship.acceleration(q, v, a, name) - path(0.7).acceleration[i]).max() < 1e-8


def test_too_few_motors_leave_the_least_error():
    ship = pp.zoo.arm_satellite().with_passive(["base", "arm/joint1", "arm/joint3", "arm/joint6"])
    q, v = ship.random(rng=2)
    path = pp.control.Reach(ship.pose(q, "arm/hand"), pp.Pose((1, 0, 0)), 4.0)
    law = pp.control.EndEffector(ship, "arm/hand", path)
    r = underactuated.relations(ship, q, v, "arm/hand")
    ((J, wanted),) = law.tasks(1.0, q, v, r)
    best = np.linalg.lstsq(J, wanted, rcond=None)[0]
    assert np.abs(law.acceleration(1.0, q, v) - best).max() < 1e-9 * np.abs(best).max()


def test_damping_bounds_what_a_singularity_asks_for():
    """An arm almost stretched out: without damping the accelerations explode, with it they do not."""
    arm = pp.zoo.planar_arm(2)
    path = pp.control.Reach(pp.Pose(), pp.Pose((0, 1, 0)), 1.0)
    bound = {}
    for damping in (0.0, 0.1):
        frame = [name for name in arm.frame_names if name not in arm.body_names]
        law = pp.control.EndEffector(arm, frame[0], path, rows=[3, 4], bandwidth=1.0, damping=damping)
        angles = np.array([[0.3, angle] for angle in (1e-1, 1e-3, 1e-6, 0.0)])
        bound[damping] = np.abs(law.acceleration(0.3, angles, np.zeros((4, 2)))).max(axis=-1)
    assert bound[0.0][2] > 1e4
    assert bound[0.1].max() < 100.0
    assert np.isfinite(bound[0.0]).all()
    assert abs(bound[0.1][2] - bound[0.1][3]) < 1e-3  # continuous into the singularity


# ── the base ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_reaction_mode_moves_the_base_a_thousand_times_less():
    """[JR93 7.1] on 14 joints, no thrusters, torques held for 10 ms: the hand reaches, the base stays."""
    ship = long_arm()
    q = dexterous(ship, 3000)
    start = ship.pose(q, "hand")
    path = pp.control.Reach(start, pp.Pose(start.position + np.array([0.3, -0.2, 0.3]), start.rotation), 6.0)
    moved = {}
    for law in (pp.control.EndEffector(ship, "hand", path), pp.control.ReactionMode(ship, "hand", path)):
        run = pp.simulate(ship, q, until=6.5, step=0.01, control=law, control_period=0.01, record_every=10)
        moved[type(law).__name__] = base_motion(run)
        assert hand_error(run, path) < 1e-3
        assert np.abs(ship.momentum(run.q, run.v)).max() < 1e-6
    assert moved["EndEffector"] > 0.02
    assert moved["EndEffector"] > 1000 * moved["ReactionMode"]


def test_least_disturbance_lies_between():
    """Nine motors cannot hold a base; they can do better than ignore it."""
    ship = long_arm(9)
    q = dexterous(ship, 1000)
    start = ship.pose(q, "hand")
    path = pp.control.Reach(start, pp.Pose(start.position + 0.1, start.rotation), 5.0)
    moved = {}
    for kind in (pp.control.EndEffector, pp.control.LeastDisturbance):
        run = pp.simulate(ship, q, until=5.5, step=0.02, control=kind(ship, "hand", path), control_period=0.02)
        moved[kind.__name__] = base_motion(run)
        assert hand_error(run, path) < 1e-3
    assert moved["LeastDisturbance"] < 0.7 * moved["EndEffector"]


def test_least_disturbance_is_least():
    """The task exactly, then the least acceleration of the base: the KKT conditions."""
    ship = long_arm(9)
    q, v = ship.random(rng=5)
    path = pp.control.Reach(ship.pose(q, "hand"), pp.Pose(), 5.0)
    law = pp.control.LeastDisturbance(ship, "hand", path, damping=0.0, base_bandwidth=0.0)
    r = underactuated.relations(ship, q, v, "hand")
    (J, wanted), (J_D, quiet) = law.tasks(1.0, q, v, r)
    a = law.acceleration(1.0, q, v)
    assert np.abs(J @ a - wanted).max() < 1e-9 * np.abs(wanted).max()
    assert np.abs(quiet + r.passive_drift).max() == 0
    N = np.linalg.svd(J)[2][6:].T
    assert np.abs(N.T @ J_D.T @ (J_D @ a - quiet)).max() < 1e-9


def test_reaction_mode_holds_what_it_is_told_to_hold():
    """The base's acceleration is that of its feedback, and the hand's that of the path, at once and exactly."""
    ship = long_arm()
    q, v = ship.random(3, rng=6)
    goal = ship.neutral()
    path = pp.control.Reach(pp.Pose(), pp.Pose((1, 0, 0)), 2.0)
    law = pp.control.ReactionMode(ship, "hand", path, bandwidth=0.0, base_bandwidth=3.0, hold=goal)
    a = ship.forward_dynamics(q, v, law(0.5, q, v))
    wanted = 9.0 * ship.difference(q, goal)[:, :6] - 6.0 * v[:, :6]
    assert np.abs(a[:, :6] - wanted).max() < 1e-7 * np.abs(a).max()
    assert np.abs(ship.acceleration(q, v, a, "hand") - path(0.5).acceleration).max() < 1e-7 * np.abs(a).max()


def test_a_batch_of_laws_is_a_law_of_a_batch():
    ship = long_arm()
    q, v = ship.random((2, 3), rng=4)
    path = pp.control.Reach(pp.Pose(), pp.Pose((1, 0, 0)), 2.0)
    for kind in (pp.control.ReactionMode, pp.control.LeastDisturbance):
        law = kind(ship, "hand", path, damping=0.05)
        tau = law(0.5, q, v)
        for i in np.ndindex(2, 3):
            one = law(0.5, q[i], v[i])
            assert np.abs(tau[i] - one).max() < 1e-8 * np.abs(one).max()


# ── their parts ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_priorities():
    rng = np.random.default_rng(0)
    J1, J2, rest = rng.normal(size=(5, 3, 7)), rng.normal(size=(5, 6, 7)), rng.normal(size=(5, 7))
    r1, r2 = rng.normal(size=(5, 3)), rng.normal(size=(5, 6))
    x = prioritized([(J1, r1), (J2, r2)], rest)
    assert np.abs((J1 @ x[..., None])[..., 0] - r1).max() < 1e-12
    for k in range(5):  # the second in least squares, among those that do the first: KKT
        M = np.block([[J2[k].T @ J2[k], J1[k].T], [J1[k], np.zeros((3, 3))]])
        best = np.linalg.solve(M, np.concatenate([J2[k].T @ r2[k], r1[k]]))[:7]
        assert np.abs(x[k] - best).max() < 1e-10
    assert np.abs(prioritized([], rest) - rest).max() == 0
    assert np.abs(prioritized([(np.zeros((5, 2, 7)), np.ones((5, 2)))], rest) - rest).max() == 0
    assert np.abs(prioritized([(J1, r1), (J1, -r1)], rest) - prioritized([(J1, r1)], rest)).max() < 1e-9
    J1[3, 0, 0] = np.nan
    assert np.isnan(prioritized([(J1, r1)], rest)).any(axis=-1).tolist() == [False, False, False, True, False]


def test_reach_is_smooth_and_arrives():
    start, end = pp.Pose((0, 1, 2), rpy=(0.3, -0.2, 1.0)), pp.Pose((1, -1, 0.5), rpy=(-1.0, 0.5, 2.0))
    reach = pp.control.Reach(start, end, 3.0, begin=1.0)
    assert reach(0.0).pose.isclose(start)
    assert reach(4.0).pose.isclose(end)
    assert reach(9.0).pose.isclose(end)
    h = 1e-4
    for t in (1.5, 2.5, 3.7):
        before, now, after = reach(t - h), reach(t), reach(t + h)
        turn = rotation_vector(after.pose.rotation @ before.pose.rotation.T) / (2 * h)
        speed = (after.pose.position - before.pose.position) / (2 * h)
        assert np.abs(now.velocity - np.concatenate([turn, speed])).max() < 1e-6
        rate = (after.velocity - before.velocity) / (2 * h)
        assert np.abs(now.acceleration - rate).max() < 1e-6
    vectors = np.array([[0.0, 0, 0], [1e-12, 0, 0], [0.1, -2.0, 1.0], [0, 0, 3.1]])
    assert np.abs(rotation_vector(turned(vectors)) - vectors).max() < 1e-12


def test_refusals():
    ship = pp.zoo.arm_satellite()
    q = ship.neutral()
    path = pp.control.Reach(pp.Pose(), pp.Pose(), 1.0)
    with pytest.raises(pp.UnknownName, match="arm/hand"):
        pp.control.EndEffector(ship, "arm/hands", path)
    with pytest.raises(pp.UnknownName, match="elbow"):
        pp.control.EndEffector(ship, "arm/hand", path, passive="elbow")
    with pytest.raises(pp.DTypeError, match="EndEffector: path must be a function of t"):
        pp.control.EndEffector(ship, "arm/hand", pp.Pose())
    with pytest.raises(pp.OptionError, match="bandwidth must be a finite number >= 0"):
        pp.control.ReactionMode(ship, "arm/hand", path, bandwidth=-1.0)
    with pytest.raises(pp.OptionError, match="rows must be among 0 to 5"):
        pp.control.EndEffector(ship, "arm/hand", path, rows=[3, 6])
    with pytest.raises(pp.OptionError, match="duration must be a positive, finite number"):
        pp.control.Reach(pp.Pose(), pp.Pose(), 0.0)
    with pytest.raises(pp.DTypeError, match="Reach: end must be a Pose"):
        pp.control.Reach(pp.Pose(), (1, 0, 0), 1.0)
    with pytest.raises(pp.ShapeError, match="ReactionMode: hold"):
        pp.control.ReactionMode(ship, "arm/hand", path, hold=q[7:])
    law = pp.control.EndEffector(ship, "arm/hand", path)
    with pytest.raises(pp.ShapeError, match="EndEffector: v"):
        law(0.0, q, q)
    wrong = pp.control.EndEffector(ship, "arm/hand", path, objective=lambda t, q, v: np.zeros(13))
    with pytest.raises(pp.ShapeError, match=r"objective\(t, q, v\)"):
        wrong(0.0, q, np.zeros(13))
