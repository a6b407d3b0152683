"""s.dot, s.m and s.l against differences of the dense reference along a motion, and against Cholesky."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi.reference import diagonal as dense
from phipsi.reference.letters import Letters
from tests.contract import robots
from tests.contract.verbs import assert_same

NAMES = ["tree", "free_tree", "forest", "star", "rotors", "aligned", "universal", "custom_se2", "welded"]
LETTERS = [
    "H",
    "E_phi",
    "phi",
    "phi_tilde",
    "M",
    "P",
    "D",
    "G",
    "K",
    "tau",
    "tau_bar",
    "P_plus",
    "E_psi",
    "psi",
    "psi_tilde",
    "Omega",
]
# the eight-point difference: its error is h^8
STEPS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
H = 2e-3


def along(robot: pp.Robot, q: np.ndarray, v: np.ndarray):
    """The reference's letters at the nodes of the difference."""
    return {i: Letters(robot, robot.integrate(q, i * H * v)) for i in (*STEPS, *(-i for i in STEPS))}


def difference(nodes, name: str) -> np.ndarray:
    values = {i: getattr(letters, name).value for i, letters in nodes.items()}
    return np.sum([c * (values[i] - values[-i]) for i, c in STEPS.items()], axis=0) / H


@pytest.mark.parametrize("name", NAMES)
def test_letters_against_differences(name):
    robot = robots.named(name)
    data = robots.states(robot, 1, seed=2)
    q, v = data["q"][0], 0.5 * data["v"][0]
    s, nodes = robot.at(q), along(robot, q, v)
    for letter in LETTERS:
        expected = difference(nodes, letter)
        got = s.dot(letter, v)
        assert_same(got.dense(), expected, 1e-8)
        x = np.random.default_rng(0).normal(size=got.shape[1])
        assert_same(got @ x, expected @ x, 1e-8)
        assert_same(got.T.dense(), expected.T, 1e-8)
    inverse = (
        sum(c * (np.linalg.inv(nodes[i].D.value) - np.linalg.inv(nodes[-i].D.value)) for i, c in STEPS.items()) / H
    )
    assert_same(s.dot("D.inv", v).dense(), inverse, 1e-7)


@pytest.mark.parametrize("name", ["tree", "free_tree", "universal"])
def test_local_rates(name):
    """Å = Ȧ - Ω~ A + A Ω~: zero where the body carries the operator along."""
    robot = robots.named(name)
    data = robots.states(robot, 1, seed=2)
    q, v = data["q"][0], data["v"][0]
    s = robot.at(q)
    w = np.asarray(robot.velocities(q, v))[:, :3]
    turn = np.zeros((6 * robot.n, 6 * robot.n))
    for k, x in enumerate(w):
        tilde = np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])
        turn[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = turn[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = tilde
    for letter in LETTERS:
        A, rate = getattr(s, letter).dense(), s.dot(letter, v).dense()
        rows = turn @ A if len(A) == 6 * robot.n else 0.0
        columns = A @ turn if A.shape[1] == 6 * robot.n else 0.0
        assert_same(s.dot(letter, v, frame="local").dense(), rate - rows + columns, 1e-11)
    assert abs(s.dot("M", v, frame="local").dense()).max() < 1e-12
    if name != "tree" and name != "universal":
        return
    fixed = [k for k, joint in enumerate(robot.joints) if joint.kind != "universal"]
    local = s.dot("H", v, frame="local").dense()
    for k in fixed:
        assert abs(local[robot.v_index[k] : robot.v_index[k + 1]]).max(initial=0.0) < 1e-12


@pytest.mark.parametrize("name", [n for n in robots.NAMES if n not in ("rigid", "massless")])
def test_factors(name):
    robot = robots.named(name)
    data = robots.states(robot, 1)
    q, v, x = data["q"][0], data["v"][0], data["tau"][0]
    s, f = robot.at(q), dense.factor(robot, q, v)
    tolerance = 1e-13 * max(10.0, np.linalg.cond(f.mass))
    assert_same(s.m.dense(), f.m, tolerance)
    assert_same((s.m @ s.m.T).dense(), f.mass, tolerance)
    assert_same(s.m.T @ v, pp.diagonal.rates(robot, q, v), tolerance)
    assert_same(s.l @ x, pp.diagonal.forces(robot, q, x), tolerance)
    assert_same(s.l @ (s.m @ x), x, tolerance)
    assert_same((s.m.T.inv @ s.m.T).dense(), np.eye(robot.nv), tolerance)
    assert_same(s.dot("m", v).dense(), f.m_dot, 10 * tolerance)
    inverse = np.linalg.inv(f.m)
    assert_same(s.dot("l", v).dense(), -inverse @ f.m_dot @ inverse, 10 * tolerance)
    # C(θ, ν) = ℓ C(θ, v) - ṁ* v
    nu = pp.diagonal.rates(robot, q, v)
    C = s.l @ dense.coriolis_forces(robot, q, v) - s.dot("m", v).T @ v
    assert_same(pp.diagonal.coriolis(robot, q, nu), C, 10 * tolerance)


def test_expressions_frames_and_batches():
    robot = robots.named("free_tree")
    data = robots.states(robot, 6)
    q, v = data["q"].reshape(3, 2, -1), data["v"].reshape(3, 2, -1)
    s = robot.at(q)
    C = robot.coriolis_matrix(q, v)
    assert_same(s.dot(s.mass, v).dense(), C + np.swapaxes(C, -1, -2), 1e-11)
    J_rate = s.dot(s.jacobian("tip", "ground"), v)
    expected = np.concatenate([robot.jacobian_dot_v(q, v, name) for name in ("tip", "ground")], axis=-1)
    assert_same(J_rate @ v, expected, 1e-11)
    x = np.random.default_rng(0).normal(size=(3, 2, robot.nv, 4))
    stacked = s.dot("G", v) @ x
    assert stacked.shape == (3, 2, 6 * robot.n, 4)
    assert_same(stacked[2, 1, :, 3], robot.at(q[2, 1]).dot("G", v[2, 1]) @ x[2, 1, :, 3], 1e-12)
    # one velocity for all configurations, and sums with other operators
    assert s.dot("m", v[0, 0]).dense().shape == (3, 2, robot.nv, robot.nv)
    total = s.H @ s.dot("phi", v)
    assert_same(total.dense(), s.H.dense() @ s.dot("phi", v).dense(), 1e-11)
    assert_same((s.phi + s.dot("phi", v)).dense(), s.phi.dense() + s.dot("phi", v).dense(), 1e-12)
    assert_same((s.phi - s.dot("phi", v)).dense(), s.phi.dense() - s.dot("phi", v).dense(), 1e-12)
    y = np.ones(6 * robot.n)
    assert_same(y @ s.dot("phi", v), s.dot("phi", v).T @ y, 1e-12)


@pytest.mark.parametrize("name", ["tree", "free_tree", "universal", "rigid"])
def test_sensitivities(name):
    robot = robots.named(name)
    data = robots.states(robot, 2)
    q, v = data["q"], data["v"]
    all_of_them = pp.diagonal.sensitivities(robot, q)
    assert all_of_them.shape == (2, *[robot.nv] * 3)
    for i in range(robot.nv):
        e = np.eye(robot.nv)[i]
        nodes = {k: robot.mass_matrix(robot.integrate(q, k * H * e)) for k in (*STEPS, *(-k for k in STEPS))}
        expected = sum(c * (nodes[k] - nodes[-k]) for k, c in STEPS.items()) / H
        assert_same(all_of_them[:, i], expected, 1e-9)
    quadratic = pp.diagonal.quadratic_sensitivities(robot, q, v)
    assert_same(quadratic, np.einsum("bj,bijk,bk->bi", v, all_of_them, v), 1e-11)


def test_refusals():
    robot = robots.named("tree")
    q, v = robot.random(rng=0)
    s = robot.at(q)
    with pytest.raises(pp.OptionError, match="no rate of Upsilon is known"):
        s.dot("Upsilon", v)
    with pytest.raises(pp.ShapeError, match="dot: v"):
        s.dot("phi", v[:3])
    with pytest.raises(pp.OptionError, match="frame"):
        s.dot("phi", v, frame="world")
    with pytest.raises(pp.NoInverse, match=r"no inverse of"):
        _ = s.dot("phi", v).inv
    with pytest.raises(pp.SpaceError):
        _ = s.dot("phi", v) @ np.zeros(3)
    with pytest.raises(pp.SpaceError):
        _ = s.m @ s.phi
    with pytest.raises(pp.ConfigurationError):
        _ = s.m @ robot.at(q).m
    masked = robot.at(q, passive=np.ones(robot.nv, bool))
    with pytest.raises(pp.OptionError, match="mask"):
        masked.dot("phi", v)
    with pytest.raises(pp.OptionError, match="mask"):
        _ = masked.m


def test_cost():
    """Applied in O(n) memory: a rate of φ on a chain of 3000 bodies, where a matrix would have 3e8 entries."""
    robot = pp.zoo.chain(3000)
    q, v = robot.random(rng=0)
    s = robot.at(0.01 * q)
    y = s.dot(s.mass, v) @ v
    assert y.shape == (3000,)
    assert np.isfinite(y).all()
