"""Relations of underactuated robots: against dense elimination, forward dynamics and 1000 seconds of motion."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import reference, underactuated
from tests.contract import robots
from tests.dynamics.satellites import Free, three_branches

NAMES = ("tree", "free_tree", "forest", "star", "rotors", "custom_se2", "zoo_every_joint", "zoo_free_tree")
SHAPES = ((), (1,), (3, 1, 2), (5,))


def masks(nv: int) -> list[np.ndarray]:
    rng = np.random.default_rng(nv)
    return [np.arange(nv) % 3 == 1, rng.random(nv) < 0.7, np.ones(nv, bool), np.zeros(nv, bool)]


def assert_same(found, wanted, tolerance):
    found, wanted = np.asarray(found), np.asarray(wanted)
    assert found.shape == wanted.shape
    assert np.abs(found - wanted).max(initial=0.0) <= tolerance * max(1.0, np.abs(wanted).max(initial=0.0))


@pytest.mark.parametrize("name", NAMES)
def test_acceleration_relations_are_complete(name):
    """With gravity, forces on bodies, springs at passive dofs and armature: what dense elimination says."""
    robot = robots.named(name)
    data = {key: x[0] for key, x in robots.states(robot, 1).items()}
    q, v, a, f_ext = data["q"], data["v"], data["a"], data["f_ext"]
    tau = np.random.default_rng(3).normal(size=robot.nv)
    frames = [robot.body_names[-1], robot.body_names[0]]
    for p in masks(robot.nv):
        _, full = reference.hybrid_dynamics(robot, q, v, tau, a, p, f_ext)
        wanted = np.concatenate([robot.acceleration(q, v, full, x) for x in frames])
        r = underactuated.relations(robot, q, v, frames, tau, p, f_ext)
        assert_same(r.frames(a[~p]), wanted, 1e-9)
        assert_same(r.passive(a[~p]), full[p], 1e-9)
        assert_same(underactuated.passive_drift(robot, q, v, tau, p, f_ext), r.passive_drift, 0)
        assert_same(underactuated.frame_drift(robot, q, v, frames, tau, p, f_ext), r.frame_drift, 0)
        assert_same(underactuated.frame_drift(robot, q, v, frames[0], tau, p, f_ext), r.frame_drift[:6], 0)


@pytest.mark.parametrize("name", NAMES)
def test_velocity_relations_with_any_momentum(name):
    robot = robots.named(name)
    data = {key: x[0] for key, x in robots.states(robot, 1).items()}
    q, v = data["q"], data["v"]
    frames = [robot.body_names[-1], robot.body_names[0]]
    for p in masks(robot.nv):
        h = underactuated.passive_momentum(robot, q, v, p)
        assert_same(h, (robot.mass_matrix(q) @ v)[p], 1e-10)
        assert_same(underactuated.passive_velocity(robot, q, v[~p], h, p), v[p], 1e-9)
        wanted = np.concatenate([robot.velocity(q, v, x) for x in frames])
        assert_same(underactuated.frame_velocity(robot, q, v[~p], frames, h, p), wanted, 1e-9)
        # without momentum the Jacobians say it all
        assert_same(
            underactuated.frame_velocity(robot, q, v[~p], frames, passive=p),
            robot.generalized_jacobian(q, frames, p) @ v[~p],
            1e-9,
        )


@pytest.mark.parametrize("shape", SHAPES)
def test_batches_and_broadcasting(shape):
    ship = pp.zoo.arm_satellite()
    q, v = ship.random(shape, rng=0)
    tau = np.random.default_rng(0).normal(size=13)  # one for all
    got = underactuated.relations(ship, q, v, "arm/hand", tau)
    h = underactuated.base_momentum(ship, q, ship.momentum(q, v))
    velocity = underactuated.passive_velocity(ship, q, v[..., 6:], h)
    for index in np.ndindex(shape):
        one = underactuated.relations(ship, q[index], v[index], "arm/hand", tau)
        for part in ("J_G", "frame_drift", "J_D", "passive_drift"):
            assert_same(getattr(got, part)[index], getattr(one, part), 1e-12)
        assert_same(velocity[index], v[index][:6], 1e-10)
    still = underactuated.passive_drift(ship, ship.neutral(), v)  # one configuration, a batch of velocities
    assert still.shape == (*shape, 6)


# ── momentum ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_momentum_about_a_point():
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.random(7, rng=1)
    assert_same(underactuated.momentum(ship, q, v), ship.momentum(q, v), 1e-14)
    center = ship.center_of_mass(q)
    assert_same(underactuated.momentum(ship, q, v, about=center), ship.momentum(q, v, about="com"), 1e-12)
    point = np.array([1.0, -2.0, 3.0])
    moved = ship.placed(pp.Pose(-point))  # the world's origin is where the point was
    h = underactuated.base_momentum(ship, q, underactuated.momentum(ship, q, v, point), point)
    assert_same(h, underactuated.passive_momentum(ship, q, v), 1e-12)
    assert moved.n == ship.n


@pytest.mark.parametrize("gravity", [(0.0, 0.0, 0.0), (0.3, -9.0, 1.0)])
def test_momentum_rate(gravity):
    """Against the rate of the momentum in forward dynamics, by central differences."""
    ship = pp.zoo.dual_arm_satellite(gravity=gravity)
    rng = np.random.default_rng(4)
    q, v = ship.random(3, rng=5)
    tau, f_ext, point = rng.normal(size=(3, ship.nv)), rng.normal(size=(3, ship.n, 6)), np.array([0.5, 1.0, -2.0])
    a = ship.forward_dynamics(q, v, tau, f_ext)
    h = 1e-5
    ends = [underactuated.momentum(ship, ship.integrate(q, e * v + e * e / 2 * a), v + e * a, point) for e in (h, -h)]
    rate = underactuated.momentum_rate(ship, q, tau, f_ext, point)
    assert_same(rate, (ends[0] - ends[1]) / (2 * h), 1e-6)


def test_momentum_follows_base_forces():
    """(7.3): thrusters fire, the arm moves, and the integral of what they do is the momentum there is."""
    ship = three_branches()
    motion = Free(ship)
    t = np.linspace(0.0, 10.0, 401)

    def tau(t, q, v):
        return np.concatenate([[0.3 * np.sin(t), 0.1, -0.2, 1.0, np.cos(2 * t), 0.5], 0.4 * np.sin(t + np.arange(6))])

    q, v = motion.run(tau, t, rtol=1e-10)
    forces = np.stack([tau(x, q[0], v[0]) for x in t])
    about = np.array([1.0, 2.0, 3.0])
    found = underactuated.momentum(ship, q, v, about)
    made = underactuated.momentum_integral(ship, t, q, forces, about=about, start=found[0])
    assert np.abs(found - found[0]).max() > 1.0
    assert np.abs(made - found).max() < 1e-6
    assert_same(made[0], found[0], 0)


def test_momentum_integral_of_polynomials_and_jumps():
    box = pp.zoo.box(mass=1.0, size=(1, 1, 1), gravity=(0, 0, 0))
    t = np.array([0.0, 0.4, 1.0, 1.0, 1.5, 2.2, 3.0])
    force = np.where(np.arange(7) < 3, 2 * t**2, 5.0 - t)
    tau = np.concatenate([np.zeros((7, 3)), force[:, None] * [1.0, 2.0, 0.0]], axis=1)
    q = np.broadcast_to(box.neutral(), (7, 7))
    total = underactuated.momentum_integral(box, t, q, tau)[:, 3]
    assert abs(total[2] - 2 / 3) < 1e-12
    assert abs(total[-1] - (2 / 3 + 10 - (9 - 1) / 2)) < 1e-12
    assert_same(underactuated.momentum_integral(box, t[:2], q[:2], tau[:2])[-1, 3], 0.2 * (0 + 0.32), 1e-15)


def test_a_thousand_seconds():
    """Three branches, moved by internal torques: momentum about a fixed point stays, about the base not."""
    ship = three_branches()
    motion = Free(ship)
    frequency, phase = np.array([0.11, 0.17, 0.13, 0.29, 0.23, 0.19]), np.arange(6.0)

    def tau(t, q, v):
        driven = 0.5 * np.sin(frequency * t + phase) - 2.0 * q[7:] - 0.5 * v[6:]
        return np.concatenate([np.zeros(6), driven])

    q, v = motion.run(tau, np.linspace(0.0, 1000.0, 101), rtol=1e-9)
    about = np.array([3.0, -1.0, 2.0])
    kept = underactuated.momentum(ship, q, v, about)
    assert np.abs(kept - kept[0]).max() < 1e-9 * np.abs(kept[0]).max()
    assert np.abs(q[:, 4:7]).max() > 50.0  # it went far
    assert np.ptp(q[:, 7:], axis=0).min() > 0.05  # and its arms moved
    h = underactuated.passive_momentum(ship, q, v)
    assert np.abs(h - h[0]).max() > 0.1 * np.abs(h[0]).max()  # what (7.3) says as printed
    # restored, it is exact
    v[:, :6] = underactuated.passive_velocity(ship, q, v[:, 6:], underactuated.base_momentum(ship, q, kept[0], about))
    assert np.abs(underactuated.momentum(ship, q, v, about) - kept[0]).max() < 1e-11 * np.abs(kept[0]).max()


def test_a_thousand_seconds_of_simulate():
    """The same by the integrator that users have, in 200 000 steps of 5 ms."""
    ship = three_branches()
    motion = Free(ship)
    goal, gains = motion.q.copy(), np.concatenate([np.zeros(6), np.ones(6)])
    goal[7:] += 0.4  # springs that let the arms swing for minutes
    law = pp.control.PD(ship, goal, kp=2.0 * gains, kd=0.02 * gains)
    run = pp.simulate(ship, motion.q, motion.v, until=1000.0, step=0.005, control=law, record_every=2000)
    kept = underactuated.momentum(ship, run.q, run.v, about=[3.0, -1.0, 2.0])
    assert np.abs(kept - kept[0]).max() < 1e-9 * np.abs(kept[0]).max()
    assert np.ptp(run.q[:, 7:], axis=0).min() > 0.3


# ── what the passive dofs do not feel ─────────────────────────────────────────────────────────────────────────────────


def test_reaction_null_space():
    ship = pp.zoo.dual_arm_satellite()
    q, _ = ship.random((2, 3), rng=0)
    J_D = ship.disturbance_jacobian(q)
    N, projector = underactuated.reaction_null_space(ship, q), underactuated.reaction_null_projector(ship, q)
    assert N.shape == (2, 3, 14, 8)
    assert np.abs(J_D @ N).max() < 1e-12
    assert_same(N.swapaxes(-1, -2) @ N, np.broadcast_to(np.eye(8), (2, 3, 8, 8)), 1e-12)
    assert_same(projector, N @ N.swapaxes(-1, -2), 1e-10)
    assert_same(projector @ projector, projector, 1e-12)


def test_null_spaces_of_every_size():
    arm = pp.zoo.chain(4)
    q, _ = arm.random(rng=0)
    assert_same(underactuated.reaction_null_space(arm, q, []), np.eye(4), 0)
    assert underactuated.reaction_null_space(arm, q, ["joint1"]).shape == (4 - 1, 2)
    assert underactuated.reaction_null_space(arm, q, np.ones(4, bool)).shape == (0, 0)
    assert underactuated.reaction_null_space(arm, np.zeros((0, 4)), np.arange(4) == 1).shape == (0, 3, 2)
    assert_same(underactuated.reaction_null_projector(arm, q, []), np.eye(4), 0)


def test_ranks_that_differ_in_a_batch():
    b = pp.Builder("two", gravity=(0, 0, 0)).body("rotor", joint=pp.Revolute((0, 0, 1), passive=True), mass=1.0)
    b.body("turn", "rotor", pp.Revolute((1, 0, 0)), mass=1.0, inertia=np.eye(3))
    robot = b.body("wheel", "turn", pp.Revolute((0, 0, 1)), mass=1.0, inertia=np.eye(3)).build()
    q = np.array([[0.0, np.pi / 2, 0.0], [0.0, 0.0, 0.0]])  # the wheel's axis lies flat, or stands
    with pytest.raises(pp.ModelError, match=r"between 1 and 2 independent motions .* reaction_null_projector"):
        underactuated.reaction_null_space(robot, q)
    traces = np.trace(underactuated.reaction_null_projector(robot, q), axis1=-2, axis2=-1)
    assert_same(traces, [2.0, 1.0], 1e-9)


def test_nan_stays_in_its_state():
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.random(3, rng=0)
    q[1, 9] = np.nan
    N = underactuated.reaction_null_projector(ship, q)
    assert np.isnan(N[1]).all()
    assert np.isfinite(N[[0, 2]]).all()
    drift = underactuated.frame_drift(ship, q, v, "left/hand")
    assert np.isfinite(drift[[0, 2]]).all()
    assert np.isnan(drift[1]).any()


def test_a_zero_reaction_manoeuvre_leaves_the_base_where_it_is():
    """Replayed with the torques of inverse dynamics, on the free base: it stays, while the arms go far."""
    ship = pp.zoo.dual_arm_satellite()
    q0 = ship.random(rng=2)[0]

    def wanted(t, q):
        return np.sin(np.pi * t / 4.0) ** 2 * np.linspace(-0.5, 0.5, 14)  # from rest to rest

    path = underactuated.zero_reaction_path(ship, q0, wanted, until=4.0, step=0.02)
    assert np.array_equal(path.q[:, :7], np.broadcast_to(q0[:7], (201, 7)))
    assert np.abs(path.v[:, :6]).max() == 0
    assert np.abs(ship.momentum(path.q, path.v)).max() < 1e-12
    assert np.abs(path.q[-1] - path.q[0]).max() > 0.5
    # the velocities are those of the path
    middle = ship.difference(path.q[99], path.q[101]) / 0.04
    assert_same(middle, path.v[100], 1e-3)
    # and the base feels no force from them: a = dv/dt by differences
    a = (path.v[101] - path.v[99]) / 0.04
    assert np.abs(ship.inverse_dynamics(path.q[100], path.v[100], a)[:6]).max() < 1e-2
    many = underactuated.zero_reaction_path(ship, np.stack([q0, q0]), wanted, until=0.1, step=0.05)
    assert many.q.shape == (3, 2, 21)
    assert_same(many.q[:, 0], many.q[:, 1], 0)


def test_nothing_and_no_states():
    ship, nothing = pp.zoo.arm_satellite(), pp.Builder("nothing").build()
    q, v = np.zeros((0, 14)), np.zeros((0, 13))
    r = underactuated.relations(ship, q, v, ["arm/hand", "base"])
    assert [x.shape for x in (r.J_G, r.frame_drift, r.J_D, r.passive_drift)] == [(0, 12, 7), (0, 12), (0, 6, 7), (0, 6)]
    assert underactuated.frame_velocity(ship, q, v[:, 6:], "arm/hand").shape == (0, 6)
    assert underactuated.momentum_rate(ship, q).shape == (0, 6)
    assert underactuated.base_momentum(ship, q, np.zeros((0, 6))).shape == (0, 6)
    assert underactuated.passive_drift(nothing, [], []).shape == (0,)
    assert not underactuated.momentum_rate(nothing, []).any()
    assert underactuated.reaction_null_projector(nothing, []).shape == (0, 0)
    path = underactuated.zero_reaction_path(ship, ship.neutral(), lambda t, q: np.ones(7), until=0.0)
    assert path.q.shape == (2, 14)


# ── refusals ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_refusals():
    ship, arm = pp.zoo.arm_satellite(), pp.zoo.arm()
    q, v = ship.random(rng=0)
    with pytest.raises(pp.ShapeError, match="passive_drift: tau"):
        underactuated.passive_drift(ship, q, v, np.zeros(7))
    with pytest.raises(pp.ShapeError, match=r"frame_velocity: v_active .*\(\*batch, 7\), got \(13,\)"):
        underactuated.frame_velocity(ship, q, v, "arm/hand")
    with pytest.raises(pp.ShapeError, match=r"passive_velocity: momentum .*\(\*batch, 6\)"):
        underactuated.passive_velocity(ship, q, v[6:], np.zeros(7))
    with pytest.raises(pp.UnknownName, match="arm/hand"):
        underactuated.frame_drift(ship, q, v, "arm/hands")
    with pytest.raises(pp.UnknownName, match="elbow"):
        underactuated.relations(ship, q, v, "arm/hand", passive="elbow")
    with pytest.raises(pp.DTypeError, match="momentum: about"):
        underactuated.momentum(ship, q, v, about="com")
    with pytest.raises(pp.ModelError, match="base_momentum: body 'link1' stands on the world through a revolute joint"):
        underactuated.base_momentum(arm, arm.neutral(), np.zeros(6))
    with pytest.raises(pp.ModelError, match="momentum_rate: body 'link1'"):
        underactuated.momentum_rate(arm, arm.neutral())
    two = pp.assemble({"a": ship, "b": ship})
    with pytest.raises(pp.ModelError, match="'a/base', 'b/base' each float"):
        underactuated.base_momentum(two, two.neutral(), np.zeros(6))
    assert underactuated.momentum_rate(two, two.neutral(), np.ones(26)).shape == (6,)
    with pytest.raises(pp.ShapeError, match="time first"):
        underactuated.momentum_integral(ship, [0.0, 1.0], q)
    with pytest.raises(pp.ShapeError, match="broadcast"):
        underactuated.passive_velocity(ship, np.stack([q, q]), np.zeros((3, 7)))
    for until, step in ((1.0, 0.0), (-1.0, 0.1), (np.nan, 0.1)):
        with pytest.raises(pp.OptionError, match="until must be >= 0 and step > 0"):
            underactuated.zero_reaction_path(ship, q, lambda t, q: np.zeros(7), until, step)
    with pytest.raises(pp.ShapeError, match=r"wanted\(t, q\)"):
        underactuated.zero_reaction_path(ship, q, lambda t, q: np.zeros(13), 1.0)
    single = underactuated.passive_drift(ship, q.astype(np.float32), v[::-1][::-1].tolist())
    assert single.shape == (6,)
