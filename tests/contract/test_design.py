"""The interface as it was promised: the sketch of the design, line by line, and that it means what it says."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phipsi as pp

I3 = 0.02 * np.eye(3)


@pytest.fixture
def arm() -> pp.Robot:
    return pp.zoo.arm()


def test_a_robot_is_written(tmp_path: Path) -> None:
    b = pp.Builder("arm", gravity=(0, 0, -9.81))
    joint = pp.Revolute((0, 0, 1), name="shoulder")
    place = pp.Pose(position=(0, 0, 0.3))
    b.body("upper", parent="world", joint=joint, placement=place, mass=2.0, com=(0, 0, 0.1), inertia=I3)
    arm = b.build()
    arm = arm.add_frame("hand", "upper", pp.Pose(position=(0, 0, 1)))
    assert (arm.n, arm.nq, arm.nv, arm.body_names, arm.joint_names) == (1, 1, 1, ("upper",), ("shoulder",))
    assert list(arm.parent) == [-1]
    assert np.allclose(arm.pose([0.0], "hand").position, (0, 0, 1.3))
    path = tmp_path / "arm.urdf"
    path.write_text(arm.to_urdf().replace("world", "base"))
    assert pp.load(path).nv == 1
    free = pp.load(path, base="free")  # the base has no inertia of its own: it is merged into what moves
    assert free.nv == 7
    assert free.joint("shoulder").v == slice(6, 7)
    assert free.joint("shoulder").q == slice(7, 8)


def test_ready_robots() -> None:
    assert pp.zoo.chain(7).n == 7
    assert pp.zoo.tree(30, seed=0, base="fixed").n == 30
    assert np.isclose(pp.zoo.box(mass=3.0, size=(0.3, 0.2, 0.4)).mass.sum(), 3.0)
    assert pp.zoo.dual_arm_satellite().nv == 20


def test_states(arm: pp.Robot) -> None:
    q, v = arm.random(1000)
    assert q.shape == (1000, arm.nq)
    q, v = arm.random()
    q0, q1 = arm.neutral(), q
    assert np.allclose(arm.integrate(q0, arm.difference(q0, q1)), q1)
    assert v.shape == (arm.nv,)


@pytest.mark.parametrize("batch", [(), (5,)])
def test_open_chains(arm: pp.Robot, batch: tuple[int, ...]) -> None:
    q, v = arm.random(batch, rng=0)
    a = arm.random(batch, rng=1)[1]
    tau = arm.inverse_dynamics(q, v, a, f_ext=None)
    assert np.allclose(arm.forward_dynamics(q, v, tau, f_ext=None), a)
    mass = arm.mass_matrix(q)
    assert np.allclose(mass @ arm.inverse_mass_matrix(q), np.eye(arm.nv))
    moved = (mass @ a[..., None])[..., 0]
    assert np.allclose(moved + arm.bias(q, v), tau)
    assert np.allclose(
        (arm.coriolis_matrix(q, v) @ v[..., None])[..., 0] + arm.gravity_torque(q), arm.bias(q, v), atol=1e-10
    )
    J = arm.jacobian(q, "hand")
    assert np.allclose((J @ a[..., None])[..., 0] + arm.jacobian_dot_v(q, v, "hand"), arm.acceleration(q, v, a, "hand"))
    assert arm.velocities(q, v).shape == arm.accelerations(q, v, a).shape == (*batch, arm.n, 6)
    assert arm.pose(q, "hand").position.shape == arm.center_of_mass(q).shape == (*batch, 3)
    centroidal = (arm.centroidal_momentum_matrix(q) @ v[..., None])[..., 0]
    assert np.allclose(centroidal, arm.momentum(q, v, about="com"))
    assert arm.kinetic_energy(q, v).shape == arm.potential_energy(q).shape == batch


def test_dofs_without_motors() -> None:
    ship = pp.zoo.arm_satellite()
    q, v = ship.random(3, rng=0)
    rng = np.random.default_rng(0)
    tau, a = ship.hybrid_dynamics(q, v, rng.normal(size=v.shape), rng.normal(size=v.shape), passive=None)
    assert np.allclose(ship.forward_dynamics(q, v, tau), a)
    hand = "arm/hand"
    active = ~ship.passive
    assert ship.generalized_jacobian(q, hand).shape == (3, 6, active.sum())
    base = ship.disturbance_jacobian(q)
    rates = np.zeros((3, ship.nv))
    rates[:, active] = v[:, active]
    rates[:, ship.passive] = (base @ v[:, active][..., None])[..., 0]
    assert abs(ship.momentum(q, rates)).max() < 1e-10
    elbow = ship.joint_names[4]
    assert ship.with_passive(["base", elbow]).passive.sum() == 7
    compliance = ship.operational_space_compliance(q, [hand, "base"])
    J = np.concatenate([ship.jacobian(q, hand), ship.jacobian(q, "base")], axis=-2)
    assert np.allclose(compliance, J @ ship.inverse_mass_matrix(q) @ J.swapaxes(-1, -2))
    assert ship.rebase(hand.replace("hand", "link7")).nv == ship.nv


def test_diagonal(arm: pp.Robot) -> None:
    q, v = arm.random(4, rng=2)
    nu = pp.diagonal.rates(arm, q, v)
    assert np.allclose(pp.diagonal.velocities(arm, q, nu), v)
    assert np.allclose(0.5 * (nu * nu).sum(-1), arm.kinetic_energy(q, v))
    assert abs((nu * pp.diagonal.coriolis(arm, q, nu)).sum(-1)).max() < 1e-8


def test_operators() -> None:
    arm = pp.zoo.chain(7)
    q, x = arm.random(rng=3)
    s = arm.at(q)
    H, phi, M = s.H, s.phi, s.M
    mass = H @ phi @ M @ phi.T @ H.T
    assert np.allclose(mass @ x, arm.mass_matrix(q) @ x)
    assert np.allclose(mass.dense(), arm.mass_matrix(q))
    assert str(mass.inv) == "(I - K.T @ psi.T @ H.T) @ D.inv @ (I - H @ psi @ K)"
    words = str(mass.inv.explain())
    assert "RK88 4.16" in words
    assert "tips → base" in words
    assert (mass @ np.ones((7, 4))).shape == (7, 4)
    assert np.allclose((s.m @ s.m.T).dense(), arm.mass_matrix(q))


def two_arms() -> tuple[Any, Any]:
    arm = pp.zoo.arm()
    apart = arm.placed(pp.Pose(position=(0.8, 0, 0)))
    cell = pp.assemble({"left": arm, "right": apart, "box": pp.zoo.box(mass=3.0, size=(0.3, 0.2, 0.4))})
    q, v = cell.random(rng=4)
    closed = cell.close(
        pp.Grasp("left/hand", "box", contact=pp.contact.rigid(), at=q),
        pp.Grasp("right/hand", "box", contact=pp.contact.soft_finger((0, 0, 1)), at=q),
    )
    return closed, (q, v)


def test_closed_chains() -> None:
    closed, (q, v) = two_arms()
    assert abs(closed.closure_error(q)).max() < 1e-12
    v = closed.project_velocity(q, v)
    J = closed.constraint_jacobian(q)
    assert abs(J @ v).max() < 1e-9
    tau = np.zeros(closed.robot.nv)
    m = closed.forward_dynamics(q, v, tau)
    assert abs(J @ m.acceleration + closed.constraint_rate(q, v)).max() < 1e-8
    assert m.rank == np.linalg.matrix_rank(J)
    force = J.T @ np.ravel(m.contact_force)
    left = closed.robot.inverse_dynamics(q, v, m.acceleration) - tau
    assert np.allclose(left, force, atol=1e-7) or np.allclose(left, -force, atol=1e-7)


def test_motion() -> None:
    closed, (q, v) = two_arms()
    v = closed.project_velocity(q, 0.1 * v)

    def control(t: float, q: Any, v: Any) -> Any:
        return -0.5 * v * ~closed.robot.passive

    run = pp.simulate(closed, q, v, until=0.02, step=1e-3, method="rk4", record_every=1, control=control)
    assert run.t.shape == (21,)
    assert run.q.shape == (21, closed.robot.nq)
    assert run.v.shape == (21, closed.robot.nv)
    assert run.energy.shape == (21,)
    assert run.momentum.shape == (21, 6)
    assert abs(closed.closure_error(run.q[-1])).max() < 1e-9


def test_the_papers(capsys: pytest.CaptureFixture[str]) -> None:
    import json

    from phipsi import cli

    assert cli.main(["papers", "RK88", "--section", "4", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert {"paper", "ref", "status", "residual"} <= set(rows[0])
