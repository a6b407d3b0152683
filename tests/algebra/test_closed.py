"""RCCFD1 to RCCFD3 as expressions: what they say, and what they give for two arms that hold one object."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import algebra, reference
from phipsi.algebra.atoms import PLAIN
from phipsi.dynamics.closed_forms import closed_forms, contact_force, of_biases

TIPS = ("left/hand", "right/hand")


def cell(seed: int = 0) -> tuple[pp.Robot, np.ndarray, np.ndarray, np.ndarray]:
    """Two arms on the world, a state whose tips move as one body about C, and that point."""
    rng = np.random.default_rng(seed)
    right = pp.zoo.arm(gravity=(0, 0, 0)).placed(pp.Pose((0.6, 0, 0), rpy=(0, 0, 1.0)))
    robot = pp.assemble({"left": pp.zoo.arm(gravity=(0, 0, 0)), "right": right})
    q, _ = robot.random(rng=rng)
    J = np.concatenate([robot.jacobian(q, tip) for tip in TIPS])
    C = np.mean([robot.pose(q, tip).position for tip in TIPS], axis=0)
    A = np.concatenate([reference.spatial.shift(robot.pose(q, tip).position - C).T for tip in TIPS])
    together = np.linalg.svd(np.concatenate([J, -A], axis=1))[2][12:]
    motion = together.T @ rng.normal(size=len(together))
    return robot, q, motion[: robot.nv] * 0.5, C


def held(robot: pp.Robot, q: np.ndarray, v: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, ...]:
    """A, M(C), b(C) and a(C) of an object of 3 kg whose mass centre is C."""
    M = np.diag([0.2, 0.3, 0.25, 3, 3, 3])
    arms = [robot.pose(q, tip).position - C for tip in TIPS]
    A = np.concatenate([reference.spatial.shift(arm).T for arm in arms])
    w = robot.velocity(q, v, TIPS[0])[:3]
    b = np.r_[np.cross(w, M[:3, :3] @ w), np.zeros(3)]
    a = np.concatenate([np.r_[np.zeros(3), np.cross(w, np.cross(w, arm))] for arm in arms])
    return A, M, b, a


def kkt(robot: pp.Robot, q: np.ndarray, v: np.ndarray, tau: np.ndarray, C: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Joint accelerations and contact forces by elimination of everything at once."""
    A, M, b, a = held(robot, q, v, C)
    J = np.concatenate([robot.jacobian(q, tip) for tip in TIPS])
    drift = np.concatenate([robot.jacobian_dot_v(q, v, tip) for tip in TIPS])
    n = robot.nv
    matrix = np.block([
        [robot.mass_matrix(q), np.zeros((n, 6)), J.T],
        [np.zeros((6, n)), M, -A.T],
        [J, -A, np.zeros((12, 12))],
    ])  # fmt: skip
    found = np.linalg.solve(matrix, np.r_[tau - robot.bias(q, v), -b, a - drift])
    return found[:n], found[n + 6 :]


@pytest.mark.parametrize("name", closed_forms)
@pytest.mark.parametrize("seed", range(3))
def test_a_closed_form_is_the_closed_chain(name: str, seed: int) -> None:
    robot, q, v, C = cell(seed)
    tau = np.random.default_rng(seed).normal(size=robot.nv)
    A, M, b, a = held(robot, q, v, C)
    s = robot.at(q).holding(*TIPS, compliance=A @ np.linalg.solve(M, A.T))
    drift = np.concatenate([robot.jacobian_dot_v(q, v, tip) for tip in TIPS])
    a_prime = a - A @ np.linalg.solve(M, b) - drift
    T_prime = tau - robot.bias(q, v)
    acceleration = closed_forms[name](*TIPS).at(s) @ T_prime + of_biases(*TIPS).at(s) @ a_prime
    force = contact_force(*TIPS).at(s) @ T_prime - s.Pi(*TIPS) @ a_prime
    wanted, wanted_force = kkt(robot, q, v, tau, C)
    assert abs(acceleration - wanted).max() < 1e-9 * max(1, abs(wanted).max())
    assert abs(force - wanted_force).max() < 1e-9 * max(1, abs(wanted_force).max())


@pytest.mark.parametrize("passive", [False, True])
def test_in_batches_and_with_masks(passive: bool) -> None:
    robot = pp.zoo.tree(9, seed=2)
    robot = robot.add_frame("tip", robot.body_names[-1], pp.Pose(position=(0.1, 0, 0.2)))
    q, T = robot.random(6, rng=1)
    q, T = q.reshape(3, 1, 2, -1), T.reshape(3, 1, 2, -1)
    mask = np.arange(robot.nv) % 3 != 0 if passive else None
    s = robot.at(q, passive=mask) if passive else robot.at(q)
    freedom = np.random.default_rng(0).normal(size=(3, 1, 2, 2, 6))
    s = s.holding("tip", compliance=np.eye(6) / 5, freedom=freedom)
    letters = algebra.masked if passive else PLAIN
    T = T[..., mask] if passive else T
    answers = [form("tip", vocabulary=letters).at(s) @ T for form in closed_forms.values()]
    for answer in answers[1:]:
        assert abs(answer - answers[0]).max() < 1e-9
    assert answers[0].shape == T.shape
    forces = contact_force("tip", vocabulary=letters).at(s) @ T
    assert abs(freedom @ forces[..., None]).max() < 1e-9  # nothing is transmitted where the contact is free
    one = robot.at(q[2, 0, 1], passive=mask) if passive else robot.at(q[2, 0, 1])
    one = one.holding("tip", compliance=np.eye(6) / 5, freedom=freedom[2, 0, 1])
    alone = closed_forms["RCCFD2"]("tip", vocabulary=letters).at(one)
    assert abs(alone @ T[2, 0, 1] - answers[0][2, 0, 1]).max() < 1e-9
    matrix = alone.dense()
    assert abs(matrix - matrix.T).max() < 1e-9  # the inverse mass of a closed chain


def test_nan_stays_in_its_state() -> None:
    robot = pp.zoo.arm()
    q, _ = robot.random(3, rng=0)
    freedom = np.tile(np.eye(6)[:2], (3, 1, 1))
    q[1, 2], freedom[2, 0, 0] = np.nan, np.nan
    rigid = robot.at(q).holding("hand", compliance=np.eye(6)).Pi("hand").dense()
    assert np.isnan(rigid).any(axis=(1, 2)).tolist() == [False, True, False]
    soft = robot.at(q).holding("hand", compliance=np.eye(6), freedom=freedom).Pi("hand").dense()
    assert np.isnan(soft).any(axis=(1, 2)).tolist() == [False, True, True]


def test_where_forces_are_not_unique_the_least_are_given() -> None:
    robot = pp.zoo.chain(3)  # three joints cannot resist six forces
    robot = robot.add_frame("tip", robot.body_names[-1], pp.Pose(position=(0, 0, 0.3)))
    q, T = robot.random(rng=3)
    s = robot.at(q).holding("tip")  # held by the world
    f = contact_force("tip").at(s) @ T
    null = np.linalg.svd(robot.jacobian(q, "tip").T)[2][3:]
    assert abs(null @ f).max() < 1e-9
    assert abs(closed_forms["RCCFD3"]("tip").at(s) @ T).max() < 1e-8  # it does not move


def test_explanations_name_theorems_and_the_solve() -> None:
    said = str(closed_forms["analytical"](*TIPS).explain())
    assert "[RK88 5.4]" in said
    assert "at the contacts: y = Π x, dense" in said
    assert "O(n) + O(m³) of m contacts" in said
    made = closed_forms["RCCFD3"](*TIPS)
    assert made.explain().cost.sweeps == len(made.sweeps) == 5
    assert "Pi('left/hand', 'right/hand')" in repr(made)
    assert r"\Pi_{\text{left/hand, right/hand}}" in made._repr_latex_()
    assert contact_force("tip").T == contact_force("tip").T.T.T


def test_what_is_held_must_be_said() -> None:
    robot = pp.zoo.arm()
    s = robot.at(robot.neutral())
    with pytest.raises(pp.ConfigurationError, match=r"does not know what these frames hold.*s = s\.holding\('hand'"):
        s.Pi("hand") @ np.zeros(6)
    with pytest.raises(pp.ShapeError, match=r"compliance \(of what is held\) must have shape \(\*batch, 6, 6\)"):
        s.holding("hand", compliance=np.eye(3))
    with pytest.raises(pp.ShapeError, match="holding"):
        s.holding("hand", compliance=np.zeros((4, 6, 6)))
    with pytest.raises(pp.UnknownName, match="hnad"):
        s.holding("hnad")
    with pytest.raises(pp.PhipsiError, match="frames"):
        algebra.Pi(3)  # type: ignore[arg-type]
    both = s.holding("hand").holding("link3")
    assert both.Pi("hand").dense().shape == both.Pi("link3").dense().shape == (6, 6)
    with pytest.raises(pp.ConfigurationError, match="It knows what hand hold and what link3 hold"):
        both.Pi("link2").dense()
