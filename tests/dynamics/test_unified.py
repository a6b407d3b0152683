"""The unified model against the compiled core, the closed chains by elimination, and beam theory: its five cases."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import unified
from tests.contract import robots

TIPS = ("left/hand", "right/hand")
I_BOX = np.diag([0.3, 0.2, 0.25])


def ship(base: str = "free", seed: int = 0) -> tuple[pp.Robot, np.ndarray, np.ndarray, unified.Held]:
    """Two arms that hold a box, on a satellite or on the world, in a motion that the grip allows."""
    rng = np.random.default_rng(seed)
    robot = pp.zoo.dual_arm_satellite()
    robot = robot if base == "free" else robot.freeze("base")
    q, v = robot.random(rng=rng)
    middle = np.mean([robot.pose(q, tip).position for tip in TIPS], axis=0)
    box = unified.Held(4.0, I_BOX, pp.Pose(middle, quaternion=rng.normal(size=4)))
    J = np.concatenate([robot.jacobian(q, tip) for tip in TIPS])
    grip = np.concatenate([J, -box.W(unified.model(robot, q, v, TIPS))], axis=1)
    together = np.linalg.svd(grip)[2][12:]
    v = 0.4 * (together.T @ rng.normal(size=len(together)))[: robot.nv]
    return robot, q, v, box


def kkt(robot: pp.Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, box: unified.Held) -> tuple[np.ndarray, ...]:
    """Accelerations of joints and box, and contact forces, by elimination of everything at once."""
    m = unified.model(robot, q, v, TIPS)
    R, c = box.pose.rotation, box.pose.position
    w = (np.linalg.pinv(box.W(m)) @ np.concatenate([robot.velocity(q, v, tip) for tip in TIPS]))[:3]
    M = np.diag([0.0] * 3 + [4.0] * 3)
    M[:3, :3] = R @ I_BOX @ R.T
    J = np.concatenate([robot.jacobian(q, tip) for tip in TIPS])
    W = np.concatenate([pp.reference.spatial.shift(robot.pose(q, tip).position - c).T for tip in TIPS])
    drift = np.concatenate([robot.jacobian_dot_v(q, v, tip) for tip in TIPS])
    rest = np.concatenate([np.r_[np.zeros(3), np.cross(w, np.cross(w, robot.pose(q, t).position - c))] for t in TIPS])
    n = robot.nv
    matrix = np.block([
        [robot.mass_matrix(q), np.zeros((n, 6)), J.T],
        [np.zeros((6, n)), M, -W.T],
        [J, -W, np.zeros((12, 12))],
    ])  # fmt: skip
    load = np.r_[np.cross(w, M[:3, :3] @ w), -4.0 * robot.gravity]
    found = np.linalg.lstsq(matrix, np.r_[tau - robot.bias(q, v), -load, rest - drift], rcond=1e-13)[0]
    return found[:n], found[n : n + 6], found[n + 6 :]


# ── the partition is exact ────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["tree", "free_tree", "forest", "rotors", "massless", "zoo_free_tree", "welded"])
@pytest.mark.parametrize("shape", [(), (1,), (3, 1, 2)])
def test_the_partition_into_active_and_passive_dofs_is_exact(name: str, shape: tuple[int, ...]) -> None:
    """SM03 doubts it (sections 1, 10, 11); forward dynamics of the whole says that nothing is lost."""
    robot = robots.named(name)
    rng = np.random.default_rng(5)
    q, v = robot.random(int(np.prod(shape)), rng=rng)
    q, v = q.reshape(*shape, -1), v.reshape(*shape, -1)
    tau = rng.normal(size=v.shape)
    mask = np.arange(robot.nv) % 3 != 1
    frames = robot.body_names[-1]
    f_e = rng.normal(size=(*shape, 6))
    m = unified.model(robot, q, v, frames, passive=mask)
    found = m.table_1(tau[..., ~mask], tau[..., mask], f_e=f_e)
    J = robot.jacobian(q, frames)
    wanted = robot.forward_dynamics(q, v, tau - (f_e[..., None, :] @ J)[..., 0, :])
    scale = max(1.0, abs(wanted).max())
    assert abs(found.acceleration - wanted).max() < 1e-9 * scale
    back = m.inverse_dynamics(wanted[..., ~mask], tau[..., mask], f_e)
    assert abs(back - tau[..., ~mask]).max() < 1e-8 * max(1.0, abs(m._mass).max() * scale)
    assert abs(m.passive_acceleration(wanted[..., ~mask], tau[..., mask], f_e) - wanted[..., mask]).max() < 1e-8 * scale
    open_chain = robot.acceleration(q, v, robot.forward_dynamics(q, v, tau), frames)
    assert abs(found.V_open_dot - open_chain).max() < 1e-8 * max(1.0, abs(open_chain).max())


def test_coefficients_are_those_of_the_library() -> None:
    robot = pp.zoo.dual_arm_satellite()
    q, v = robot.random(4, rng=1)
    m = unified.model(robot, q, v, TIPS)
    assert abs(m.J - robot.generalized_jacobian(q, TIPS)).max() < 1e-10
    assert abs(m.J_D + robot.disturbance_jacobian(q)).max() == 0
    assert abs(m.M_p @ m.J_D - m.M_ap).max() < 1e-9
    wanted = m.J @ np.linalg.solve(m.M, np.swapaxes(m.J, -1, -2))
    wanted = wanted + m.J_p @ np.linalg.solve(m.M_p, np.swapaxes(m.J_p, -1, -2))
    assert abs(m.H - wanted).max() < 1e-9
    assert np.all(np.linalg.eigvalsh(m.M) > 0)
    _, a = robot.hybrid_dynamics(q, v, np.zeros_like(v), np.ones_like(v))
    T_a = m.inverse_dynamics(np.ones((4, 14)))
    tau, _ = robot.hybrid_dynamics(q, v, np.zeros_like(v), np.ones_like(v))
    assert abs(T_a - tau[:, 6:]).max() < 1e-8
    assert abs(m.passive_acceleration(np.ones((4, 14))) - a[:, :6]).max() < 1e-8


# ── the five cases ────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("case", ["fixed base", "free-floating", "free-flying", "flexible base"])
def test_arms_that_hold_a_box(case: str, seed: int) -> None:
    robot, q, v, box = ship("fixed" if case == "fixed base" else "free", seed)
    rng = np.random.default_rng(seed)
    T_a = rng.normal(size=14)
    stiff, damping = np.array([80.0, 90, 70, 500, 400, 600]), np.array([5.0, 6, 7, 20, 30, 10])
    thrust = {"free-flying": rng.normal(size=6) * 10, "flexible base": -stiff * q[1:7] - damping * v[:6]}
    T_p = thrust.get(case, np.zeros(6)) if case != "fixed base" else np.zeros(0)
    m = unified.model(robot, q, v, TIPS)
    found = m.table_1(T_a, T_p, box)
    acceleration, of_box, force = kkt(robot, q, v, np.r_[T_p, T_a], box)
    assert len(found.passive_acceleration) == (0 if case == "fixed base" else 6)
    scale = max(1.0, abs(acceleration).max())
    assert abs(found.acceleration - acceleration).max() < 1e-9 * scale
    assert abs(found.object_acceleration - of_box).max() < 1e-9 * scale
    assert abs(found.contact_force - force).max() < 1e-9 * max(1.0, abs(force).max())


def test_table_1_step_5_keeps_momentum_and_grip() -> None:
    """A floating ship that turns a box: integrated in small steps, the momenta of both together stay what they were."""
    robot, q, v, box = ship("free", 2)
    grips = [box.pose.inv @ robot.pose(q, tip) for tip in TIPS]
    T_a = np.random.default_rng(2).normal(size=14)

    def at(q: np.ndarray) -> unified.Held:
        return unified.Held(4.0, I_BOX, robot.pose(q, TIPS[0]) @ grips[0].inv)

    def rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        return unified.model(robot, q, v, TIPS).table_1(T_a, np.zeros(6), at(q)).acceleration

    def momentum(q: np.ndarray, v: np.ndarray) -> np.ndarray:
        held = at(q)
        own = (held.M_o() @ held.V_o(unified.model(robot, q, v, TIPS))).astype(float)
        return robot.momentum(q, v) + np.r_[own[:3] + np.cross(held.pose.position, own[3:]), own[3:]]

    before, h = momentum(q, v), 2.5e-4
    for _ in range(40):
        k1 = rate(q, v)
        k2 = rate(robot.integrate(q, h / 2 * v), v + h / 2 * k1)
        k3 = rate(robot.integrate(q, h / 2 * v + h**2 / 4 * k1), v + h / 2 * k2)
        k4 = rate(robot.integrate(q, h * v + h**2 / 2 * k2), v + h * k3)
        q, v = robot.integrate(q, h * v + h**2 / 6 * (k1 + k2 + k3)), v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
    assert abs(momentum(q, v) - before).max() < 1e-8
    other = at(q).pose.inv @ robot.pose(q, TIPS[1])
    assert other.isclose(grips[1], 1e-6)  # the second hand has not slipped, though nothing but f_e holds it


def test_batches_of_held_boxes_with_weight() -> None:
    robot, q, v, box = ship("free", 1)
    robot = robot.with_gravity((0, 0, -9.81))
    q3, v3, T = np.tile(q, (3, 1, 1)), np.tile(v, (3, 1, 1)) * [[[1.0]], [[0.5]], [[0.0]]], np.ones((2, 14))
    found = unified.model(robot, q3, v3, TIPS).table_1(T, held=box)
    assert found.acceleration.shape == (3, 2, 20)
    for k in range(3):
        wanted, of_box, _ = kkt(robot, q, v3[k, 0], np.r_[np.zeros(6), np.ones(14)], box)
        assert abs(found.acceleration[k, 1] - wanted).max() < 1e-9 * max(1, abs(wanted).max())
        assert found.object_acceleration is not None
        assert abs(found.object_acceleration[k, 1] - of_box).max() < 1e-9 * max(1, abs(of_box).max())


@pytest.mark.parametrize("where", ["q", "v", "T"])
def test_nan_stays_in_its_state(where: str) -> None:
    robot, q, v, box = ship()
    given = {"q": np.tile(q, (3, 1)), "v": np.tile(v, (3, 1)), "T": np.ones((3, 14))}
    given[where][1, 3] = np.nan
    found = unified.model(robot, given["q"], given["v"], TIPS).table_1(given["T"], held=box)
    assert np.isnan(found.acceleration).any(axis=-1).tolist() == [False, True, False]
    assert np.isnan(found.contact_force).any(axis=-1).tolist() == [False, True, False]


def test_where_a_grip_forces_more_than_the_arms_can_say() -> None:
    """Planar arms and a rigid grip: H has rank 6 of 12; accelerations are unique, forces the least of all."""
    arm = pp.zoo.planar_arm(3, gravity=(0, 0, 0))
    robot = pp.assemble({"left": arm, "right": arm.placed(pp.Pose((1.5, 0, 0)))})
    tips = [f"{side}/{arm.frame_names[-1]}" for side in ("left", "right")]
    q = np.array([0.5, 0.7, -0.4, 0.9, 0.8, 0.3])
    box = unified.Held(2.0, I_BOX, pp.Pose(np.mean([robot.pose(q, t).position for t in tips], axis=0)))
    m = unified.model(robot, q, np.zeros(6), tips, passive=())
    assert np.linalg.matrix_rank(m.H, tol=1e-9) == 6
    found = m.table_1(np.ones(6), held=box)
    assert found.object_acceleration is not None
    J, W = m.J_a, box.W(m)
    matrix = np.block([
        [m.M_a, np.zeros((6, 6)), J.T], [np.zeros((6, 6)), box.M_o(), -W.T], [J, -W, np.zeros((12, 12))]
    ])  # fmt: skip
    wanted = np.linalg.lstsq(matrix, np.r_[np.ones(6), np.zeros(18)], rcond=1e-12)[0]
    assert abs(found.acceleration - wanted[:6]).max() < 1e-9
    assert abs(found.object_acceleration - wanted[6:12]).max() < 1e-9
    assert abs(J @ found.acceleration - W @ found.object_acceleration).max() < 1e-9


def test_a_flexible_arm_bends_as_beams_do() -> None:
    exact = unified.clamped_frequencies(2.0, 0.8, 30.0)
    errors = []
    for segments in (6, 12, 24):
        beam = unified.flexible_beam(2.0, 0.8, 30.0, segments)
        errors.append(abs(unified.bending_frequencies(beam)[:3] / exact[:3] - 1))
    assert (errors[0][0], errors[2][0]) < (0.01, 7e-4)
    assert errors[2].max() < 0.02
    order = np.log2(errors[1] / errors[2])
    assert abs(order - 2).max() < 0.15  # the error falls with the square of the pieces' length


def test_a_motor_bends_its_flexible_arm() -> None:
    """The virtual joints are the passive dofs; their efforts are springs' and dampers'; the whole agrees."""
    beam = unified.flexible_beam(1.0, 0.4, 5.0, 6, joint=pp.Revolute((0, 1, 0)), damping=0.01,
                                 tip=pp.Payload.box(0.2, (0.05, 0.05, 0.05)), gravity=(0, 0, -9.81))  # fmt: skip
    assert beam.joint_names[0] == "motor"
    assert beam.passive.tolist() == [False] + [True] * 6
    rng = np.random.default_rng(0)
    q, v = rng.normal(size=(2, 7)) * 0.1
    m = unified.model(beam, q, v, "tip")
    T_p = m.passive_effort()
    assert abs(T_p + 30.0 * q[1:] + 0.06 * v[1:]).max() < 1e-12
    found = m.table_1([0.7], T_p)
    assert (
        abs(found.acceleration - beam.forward_dynamics(q, v, np.r_[0.7, T_p])).max()
        < 1e-9 * abs(found.acceleration).max()
    )
    free = unified.bending_frequencies(beam, passive=np.ones(7, dtype=bool))
    assert free[0] == pytest.approx(0, abs=1e-4)  # the motor, let go


# ── what is refused ───────────────────────────────────────────────────────────────────────────────────────────────────


def test_sentences() -> None:
    robot, q, v, box = ship()
    m = unified.model(robot, q, v, TIPS)
    with pytest.raises(pp.ShapeError, match=r"T_a \(of the active dofs\) must have shape \(\*batch, 14\)"):
        m.table_1(np.zeros(20))
    with pytest.raises(pp.ShapeError, match="T_p"):
        m.T_hat(np.zeros(14), np.zeros(14))
    with pytest.raises(pp.ModelError, match="give `held` or `f_e`, not both"):
        m.table_1(np.zeros(14), held=box, f_e=np.zeros(12))
    with pytest.raises(pp.ModelError, match="held, but by no frame"):
        unified.model(robot, q, v).table_1(np.zeros(14), held=box)
    with pytest.raises(pp.ModelError, match=r"do not move as one rigid body.*project_velocity"):
        unified.model(robot, q, np.ones(20), TIPS).table_1(np.zeros(14), held=box)
    with pytest.raises(pp.ModelError, match="positive mass"):
        unified.Held(0.0, I_BOX, pp.Pose())
    with pytest.raises(pp.ModelError, match="symmetric, positive definite"):
        unified.Held(1.0, np.eye(3) + np.eye(3, k=1), pp.Pose())
    with pytest.raises(pp.PhipsiError, match="a Pose, that of the mass centre"):
        unified.Held(1.0, I_BOX, "here")  # type: ignore[arg-type]
    with pytest.raises(pp.PhipsiError, match="frames"):
        unified.model(robot, q, v, 3)  # type: ignore[arg-type]
    with pytest.raises(pp.UnknownName, match="hnad"):
        unified.model(robot, q, v, "hnad")
    with pytest.raises(pp.ShapeError, match="configuration"):
        unified.model(robot, q[1:], v)
    with pytest.raises(pp.ModelError, match="axis across x"):
        unified.flexible_beam(1.0, 1.0, 1.0, 3, axis=(1, 0, 0))
    with pytest.raises(pp.ModelError, match="has no passive dofs"):
        unified.bending_frequencies(pp.zoo.arm())
    nothing = unified.model(pp.zoo.arm(), np.zeros((0, 7)), np.zeros((0, 7)), "hand", passive=())
    assert nothing.table_1(np.zeros((0, 7))).acceleration.shape == (0, 7)
