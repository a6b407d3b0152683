"""J_G and J_D against dense block elimination and against forward dynamics; batches, frames, masks, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import reference
from tests.contract import robots
from tests.contract.verbs import assert_same

FRAMES = ("world_aligned", "body", "world")
MACHINES = {"dual_arm": lambda: pp.zoo.dual_arm_satellite(), "quadruped": lambda: pp.zoo.quadruped()}
SHAPES = ((), (1,), (3, 1, 2), (0,), (7,), (8,), (13,), (33,))


def robot_named(name: str) -> pp.Robot:
    return MACHINES[name]() if name in MACHINES else robots.named(name)


def masks(robot: pp.Robot, count: int = 4) -> list[np.ndarray]:
    """None, the robot's own, all, and random ones; with massless links only such that M_pp can be solved with."""
    rng = np.random.default_rng(5)
    random = [rng.uniform(size=robot.nv) < share for share in np.linspace(0.2, 0.8, count)]
    return [robot.passive.copy(), np.zeros(robot.nv, bool), *random]


def dense(robot: pp.Robot, q: np.ndarray, mask: np.ndarray, target: str, frame: str = "world_aligned"):
    """M_pp by block elimination: J_D = -M_pp⁻¹ M_pa, J_G = J_a + J_p J_D."""
    M, J = reference.mass_matrix(robot, q), reference.jacobian(robot, q, target, frame)
    J_D = -np.linalg.solve(M[np.ix_(mask, mask)], M[np.ix_(mask, ~mask)])
    return J[:, ~mask] + J[:, mask] @ J_D, J_D


def tolerance(robot: pp.Robot, q: np.ndarray, mask: np.ndarray) -> float:
    M_pp = reference.mass_matrix(robot, q)[np.ix_(mask, mask)]
    return 1e-12 * max(1.0, float(np.linalg.cond(M_pp)) if M_pp.size else 1.0)


@pytest.mark.parametrize("name", [*robots.NAMES, *MACHINES])
def test_against_block_elimination(name):
    robot = robot_named(name)
    target = robot.frame_names[-2] if name in robots.NAMES and "tip" in robot.frame_names else robot.body_names[-1]
    for q in robots.states(robot, 3)["q"]:
        for mask in masks(robot):
            bound = tolerance(robot, q, mask)
            if bound > 1e-4:  # massless links: another test
                continue
            for frame in FRAMES:
                J_G, J_D = dense(robot, q, mask, target, frame)
                assert_same(robot.generalized_jacobian(q, target, mask, frame), J_G, bound)
            assert_same(robot.disturbance_jacobian(q, mask), J_D, bound)


@pytest.mark.parametrize("name", ["tree", "free_tree", "forest", "dual_arm"])
def test_accelerations(name):
    """What forward dynamics does when the active dofs are driven with the difference of two accelerations."""
    robot = robot_named(name)
    data = {key: x[0] for key, x in robots.states(robot, 1).items()}
    q, v, mask = data["q"], data["v"], masks(robot)[-1]
    a1, target = data["a"], robot.body_names[-1]
    change = np.where(mask, 0.0, np.random.default_rng(1).normal(size=robot.nv))
    # hold tau of the passive dofs, change a of the active ones
    tau = robot.inverse_dynamics(q, v, a1)
    M = robot.mass_matrix(q)
    change[mask] = np.linalg.solve(M[np.ix_(mask, mask)], -M[np.ix_(mask, ~mask)] @ change[~mask])
    a2 = a1 + change
    assert_same(robot.inverse_dynamics(q, v, a2)[mask], tau[mask], 1e-10)
    J_G, J_D = robot.generalized_jacobian(q, target, mask), robot.disturbance_jacobian(q, mask)
    assert_same(J_D @ change[~mask], change[mask], 1e-10)
    rate = robot.acceleration(q, v, a2, target) - robot.acceleration(q, v, a1, target)
    assert_same(J_G @ change[~mask], rate, 1e-10)


@pytest.mark.parametrize("name", ["free_tree", "dual_arm"])
def test_every_shape_of_batch(name):
    robot = robot_named(name)
    q, mask = robots.states(robot, 33)["q"], masks(robot)[3]
    names = [robot.body_names[-1], "world", robot.body_names[2]]
    singles = [(robot.generalized_jacobian(x, names, mask), robot.disturbance_jacobian(x, mask)) for x in q]
    for shape in SHAPES:
        size = int(np.prod(shape))
        batch = q[:size].reshape(*shape, robot.nq)
        for got, one in (
            (robot.generalized_jacobian(batch, names, mask), [x for x, _ in singles[:size]]),
            (robot.disturbance_jacobian(batch, mask), [x for _, x in singles[:size]]),
        ):
            rows, columns = singles[0][0].shape if got.shape[-2] == 18 else singles[0][1].shape
            assert_same(got, np.reshape(one, (*shape, rows, columns)), 1e-12)


def test_several_frames_are_stacked():
    ship = pp.zoo.dual_arm_satellite()
    q, _ = ship.random(rng=0)
    both = ship.generalized_jacobian(q, ["left/hand", "right/hand"], frame="body")
    single = [ship.generalized_jacobian(q, name, frame="body") for name in ("left/hand", "right/hand")]
    assert both.shape == (12, 14)
    assert np.array_equal(both, np.vstack(single))
    assert ship.generalized_jacobian(q, []).shape == (0, 14)
    assert not ship.generalized_jacobian(q, "world").any()


def test_masks():
    ship = pp.zoo.arm_satellite()
    q, _ = ship.random(rng=1)
    failed = ship.with_passive(["base", "arm/joint4"])
    assert failed.generalized_jacobian(q, "arm/hand").shape == (6, 6)
    assert failed.disturbance_jacobian(q).shape == (7, 6)
    for passive in (["base", "arm/joint4"], failed.passive, failed.passive.tolist()):
        assert np.array_equal(ship.disturbance_jacobian(q, passive), failed.disturbance_jacobian(q))
        assert np.array_equal(
            ship.generalized_jacobian(q, "arm/hand", passive=passive), failed.generalized_jacobian(q, "arm/hand")
        )
    # nothing is passive: the ordinary Jacobian
    assert_same(ship.generalized_jacobian(q, "arm/hand", []), ship.jacobian(q, "arm/hand"), 1e-15)
    assert ship.disturbance_jacobian(q, []).shape == (0, 13)
    everything = np.ones(13, bool)
    assert ship.generalized_jacobian(q, "arm/hand", everything).shape == (6, 0)
    assert ship.disturbance_jacobian(q, everything).shape == (13, 0)


def test_a_rotor_on_a_joint_in_mid_air():
    """A joint that gives way in all directions cuts the arm in two, unless its rotors turn in the parent."""
    I3 = np.diag([0.1, 0.2, 0.25])
    b = pp.Builder("mid-air")
    b.body("arm", "world", pp.Revolute((0, 0, 1), name="joint"), mass=1.0, com=(0.1, 0.2, 0.3), inertia=I3)
    loose = pp.Free(name="loose", armature=0.3)
    b.body("box", "arm", loose, pp.Pose((0.1, 0.2, 0.3)), mass=2.0, com=(0.1, 0, 0.1), inertia=I3)
    ball = pp.Spherical(name="ball", armature=0.1)
    b.body("tip", "box", ball, pp.Pose((0.1, 0.2, 0.3)), mass=2.0, com=(0.1, 0, 0.1), inertia=I3)
    robot = b.build().with_passive(["joint", "loose"])
    q, _ = robot.random(rng=0)
    J_G, J_D = dense(robot, q, robot.passive, "tip")
    assert np.allclose(robot.generalized_jacobian(q, "tip"), J_G, rtol=0, atol=1e-12)
    assert np.allclose(robot.disturbance_jacobian(q), J_D, rtol=0, atol=1e-12)


def test_zero_momentum_is_the_velocity_domain():
    """A free-floating robot without momentum: V = J_G v_a and v_p = J_D v_a, whatever its shape."""
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.random(5, rng=2)
    J_D = ship.disturbance_jacobian(q)
    v[:, :6] = np.einsum("...ij,...j->...i", J_D, v[:, 6:])
    assert abs(ship.momentum(q, v)).max() < 1e-12 * abs(v).max() * ship.mass.sum()
    J_G = ship.generalized_jacobian(q, "left/hand")
    assert_same(np.einsum("...ij,...j->...i", J_G, v[:, 6:]), ship.velocity(q, v, "left/hand"), 1e-12)


def test_no_robot_and_no_dofs():
    empty, rigid = pp.Builder("nothing").build(), robots.named("rigid")
    for robot in (empty, rigid):
        assert robot.disturbance_jacobian(np.zeros((3, 0))).shape == (3, 0, 0)
        assert robot.generalized_jacobian(np.zeros((3, 0)), "world").shape == (3, 6, 0)
    assert rigid.generalized_jacobian([], "tip").shape == (6, 0)


def test_out_and_nan():
    ship = pp.zoo.arm_satellite()
    q, _ = ship.random(9, rng=3)
    out = np.zeros((9, 6, 7))
    assert ship.generalized_jacobian(q, "arm/hand", out=out) is out
    q[4, 8] = np.nan
    J = ship.generalized_jacobian(q, "arm/hand")
    assert np.isnan(J[4]).any()
    good = np.delete(np.arange(9), 4)
    assert_same(J[good], out[good], 1e-12)


def test_singular():
    b = pp.Builder("x").body("rod", joint=pp.Revolute((0, 0, 1), name="idle", passive=True))
    robot = b.body("tip", "rod", pp.Prismatic((1, 0, 0)), mass=1.0).build()  # a point mass on the axis where q = 0
    q = np.array([[0.0, 0.0], [0.0, 1.0]])
    with pytest.raises(pp.SingularJoint, match="at joint 'idle'"):
        robot.disturbance_jacobian(q)
    with pytest.raises(pp.SingularJoint, match="batch index 0"):
        robot.generalized_jacobian(q, "tip")
    J_D = robot.disturbance_jacobian(q, on_singular="nan")
    assert np.isnan(J_D[0]).all()
    assert np.isfinite(J_D[1]).all()


def test_refusals():
    ship = pp.zoo.arm_satellite()
    q = ship.neutral()
    with pytest.raises(pp.UnknownName, match="arm/hand"):
        ship.generalized_jacobian(q, "arm/hands")
    with pytest.raises(pp.UnknownName):
        ship.generalized_jacobian(q, ["arm/hand", "nothing"])
    with pytest.raises(pp.DTypeError, match="target"):
        ship.generalized_jacobian(q, 3)
    with pytest.raises(pp.DTypeError, match="target"):
        ship.generalized_jacobian(q, [3])
    with pytest.raises(pp.UnknownName, match="joint"):
        ship.disturbance_jacobian(q, passive="elbow")
    with pytest.raises(pp.ShapeError, match="passive"):
        ship.disturbance_jacobian(q, passive=[True, False])
    with pytest.raises(pp.ShapeError, match="generalized_jacobian: q"):
        ship.generalized_jacobian(q[:-1], "arm/hand")
    with pytest.raises(pp.OptionError, match="frame"):
        ship.generalized_jacobian(q, "arm/hand", frame="hand")
    with pytest.raises(pp.OptionError, match="on_singular"):
        ship.disturbance_jacobian(q, on_singular="ignore")
    with pytest.raises(pp.ShapeError, match="out="):
        ship.disturbance_jacobian(q, out=np.zeros((6, 6)))
