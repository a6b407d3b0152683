"""Every atom, and random composites, are what their matrices are: by the native executor, and by the interpreter."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import phipsi as pp
from phipsi.algebra import Configuration
from tests.algebra.cases import (
    ATOMS,
    MASKS,
    NAMES,
    OF_A_MASK,
    Dense,
    Interpreted,
    adjoint_gap,
    close,
    composite,
    configuration,
)
from tests.contract import robots

BOTH = pytest.mark.parametrize("made_by", [Configuration, Interpreted], ids=["native", "interpreter"])


@BOTH
@pytest.mark.parametrize("kind", MASKS)
@pytest.mark.parametrize("name", NAMES)
def test_atoms_are_their_matrices(name: str, kind: str, made_by: Any) -> None:
    s = configuration(name, kind, made_by)
    dense, rng = Dense(s), np.random.default_rng(0)
    for atom in (*ATOMS, *(OF_A_MASK if s.passive is not None else ())):
        A = getattr(s, atom)
        wanted = dense.of(A.expression, s)
        assert A.shape == wanted.shape
        assert close(A.dense(), wanted), atom
        assert close(A.T.dense(), wanted.T), f"{atom}.T"
        assert adjoint_gap(A, rng) < 1e-12, atom


@BOTH
@pytest.mark.parametrize("kind", ["none", "some"])
@pytest.mark.parametrize("seed", range(100))
def test_random_composites(seed: int, kind: str, made_by: Any) -> None:
    rng = np.random.default_rng(seed)
    s = configuration(("tree", "free_tree", "forest", "rotors", "star")[seed % 5], kind, made_by)
    A = composite(rng, kind != "none", ("tip", "ground", "body_1"), depth=int(rng.integers(1, 4))).at(s)
    wanted = Dense(s).of(A.expression, s)
    assert close(A.dense(), wanted), A
    assert close(A.simplified.dense(), wanted), (A, A.simplified)
    assert adjoint_gap(A, rng) < 1e-11, A


@pytest.mark.parametrize("name", NAMES)
def test_inverse_of_the_mass_matrix(name: str) -> None:
    s = configuration(name)
    wanted = s.robot.mass_matrix(s.q)
    assert close(s.mass.dense(), wanted)
    assert close((s.mass + 0 * s.J) @ np.eye(s.robot.nv), wanted)
    assert close((s.mass @ s.mass.inv) @ np.eye(s.robot.nv), np.eye(s.robot.nv))
    assert close(s.mass @ (s.mass.inv @ np.eye(s.robot.nv)), np.eye(s.robot.nv), 1e-7)
    assert close(s.mass.inv.dense(), s.mass.inv @ np.eye(s.robot.nv), 1e-8)


def test_inverse_of_the_passive_mass_matrix() -> None:
    s = configuration("free_tree", "some")
    passive = s.H_p @ s.phi @ s.M @ s.phi.T @ s.H_p.T + s.J_p
    wanted = s.robot.mass_matrix(s.q)[np.ix_(s.passive, s.passive)]
    assert close(passive.dense(), wanted)
    assert close(passive.inv.dense(), np.linalg.inv(wanted), 1e-7)
    with pytest.raises(pp.NoInverse, match="without a mask"):
        _ = s.mass.inv


@pytest.mark.parametrize("batch", [(), (1,), (5,), (3, 1, 2), (0,)])
def test_batches(batch: tuple[int, ...]) -> None:
    robot = robots.named("free_tree")
    q = robots.states(robot, int(np.prod(batch)))["q"].reshape(*batch, robot.nq)
    s, rng = robot.at(q), np.random.default_rng(1)
    assert s.batch == batch
    for A in (s.H @ s.phi @ s.M, s.mass.inv, s.B("tip").T @ s.Omega @ s.B("tip", "body_2"), 2 * s.psi - s.I):
        wanted = np.reshape([X.dense() for X in _each(A, robot, q)], (*batch, *A.shape))
        assert close(A.dense(), wanted, 1e-8)
        x = rng.normal(size=(*batch, A.shape[1]))
        assert close(A @ x, np.einsum("...ij,...j->...i", wanted, x), 1e-8)
        columns = rng.normal(size=(*batch, A.shape[1], 3))
        assert close(A @ columns, wanted @ columns, 1e-8)
        rows = rng.normal(size=(*batch, 3, A.shape[0]))
        assert close(rows @ A, rows @ wanted, 1e-8)
        one = rng.normal(size=A.shape[1])
        assert close(A @ one, wanted @ one, 1e-8)
        assert close(A @ np.ones((*(1 for _ in batch), A.shape[1])), wanted @ np.ones(A.shape[1]), 1e-8)


def _each(A: Any, robot: pp.Robot, q: np.ndarray) -> list[Any]:
    return [A.expression.at(robot.at(one)) for one in q.reshape(-1, robot.nq)]


def test_arrays_of_every_kind() -> None:
    s = configuration("tree")
    A = s.H @ s.phi
    wanted, x = A.dense(), np.random.default_rng(2).normal(size=(2 * A.shape[1],))
    assert close(A @ x[::2], wanted @ x[::2])
    assert close(A @ x[: A.shape[1]][::-1], wanted @ x[: A.shape[1]][::-1])
    assert close(A @ x[: A.shape[1]].astype(np.float32), wanted @ x[: A.shape[1]].astype(np.float32))
    assert close(A @ x[: A.shape[1]].tolist(), wanted @ x[: A.shape[1]])
    assert close(x[: A.shape[0]].tolist() @ A, x[: A.shape[0]] @ wanted)
    assert close(A @ np.arange(A.shape[1]), wanted @ np.arange(A.shape[1]))
    assert close(A @ np.asfortranarray(wanted.T), wanted @ wanted.T)
    assert (A @ np.zeros((A.shape[1], 0))).shape == (A.shape[0], 0)


@pytest.mark.parametrize("kind", ["none", "some"])
def test_blocks(kind: str) -> None:
    s = configuration("free_tree", kind)
    robot = s.robot
    for A in (s.phi, s.psi.T, s.H, s.K, s.D, s.mass, s.H_p @ s.phi):
        matrix = A.dense()
        rows, columns = (_places(s, space) for space in (A.codomain, A.domain))
        for k, j in ((0, 3), (3, 0), (2, 2), (-1, 1)):
            assert close(A[k, j], matrix[np.ix_(rows[k], columns[j])])
    assert close(s.phi["body_0", "body_3"], s.phi[0, 3])
    assert close(s.H[robot.joint_names[2], "body_2"], s.H[2, 2])
    B = s.B("tip", "body_2")
    assert close(B["body_2", "body_2"], np.eye(6))
    assert close((s.phi @ B)["body_0", "tip"], (s.phi @ B).dense()[:6, :6])


def _places(s: Any, space: Any) -> list[list[int]]:
    if space.kind == "bodies":
        return [list(range(6 * k, 6 * k + 6)) for k in range(s.robot.n)]
    chosen = np.ones(s.robot.nv, dtype=bool) if space.kind == "joints" or s.passive is None else s.passive
    number = np.cumsum(chosen) - 1
    v = s.robot.v_index
    return [[int(number[i]) for i in range(int(v[k]), int(v[k + 1])) if chosen[i]] for k in range(s.robot.n)]


def test_blocks_of_a_batch() -> None:
    robot = pp.zoo.chain(4)
    s = robot.at(robot.random((2, 3), rng=0)[0])
    assert s.phi[0, 2].shape == (2, 3, 6, 6)
    assert close(s.phi[0, 2], s.phi.dense()[..., :6, 12:18])


def test_frames_of_several_kinds_in_one_expression() -> None:
    s = configuration("free_tree")
    a, b, c = s.B("tip"), s.B("body_3", "tip"), s.B("ground", "body_1")
    for A in (a.T @ s.Omega @ b, a @ a.T @ s.phi @ b @ b.T, a.T @ s.phi @ c @ c.T @ s.M @ b, b.T @ b + 2 * s.I,
              a.T @ s.phi @ b @ b.T @ c - a.T @ s.M @ c, 3 * (c.T @ c), b.T @ s.P @ b + b.T @ b):  # fmt: skip
        assert close(A.dense(), Dense(s).of(A.expression, s)), A
        assert close(A.T.dense(), A.dense().T), A


def test_identities_and_zeros() -> None:
    s = configuration("tree")
    x, n = np.arange(6.0 * s.robot.n), s.robot.n
    assert (s.I @ x == x).all()
    assert (s.I @ s.phi).expression == s.phi.expression
    assert s.I.shape == (6 * n, 6 * n)
    assert (s.I.dense() == np.eye(6 * n)).all()
    zero = s.H - s.H
    assert repr(zero) == "0"
    assert zero.shape == s.H.shape
    assert (zero @ x == 0).all()
    nothing = (s.phi - s.phi) @ s.B("tip")
    assert nothing.dense().shape == (6 * n, 6)
    assert (nothing @ np.ones(6) == 0).all()
    assert not zero.dense().any()
    assert (zero @ s.phi).shape == s.H.shape
    nothing = s.B("tip").T @ s.B("tip") * 0
    assert not nothing.dense().any()
    assert nothing.shape == (6, 6)
    assert (s.B("tip").T.expression @ s.B("tip").expression).at(s).shape == (6, 6)


def test_scipy() -> None:
    linalg = pytest.importorskip("scipy.sparse.linalg")
    s = configuration("free_tree")
    A = s.mass.to_scipy()
    b = np.ones(s.robot.nv)
    x, failed = linalg.cg(A, b, rtol=1e-12, maxiter=1000)
    assert not failed
    assert close(x, s.mass.inv @ b, 1e-6)
    B = (s.H @ s.phi).to_scipy()
    assert close(B.rmatvec(b), (s.H @ s.phi).T @ b)
    assert close(B.matmat(np.eye(B.shape[1])), (s.H @ s.phi).dense())
    assert close(B.H.matmat(np.eye(B.shape[0])), (s.H @ s.phi).dense().T)


def test_symbols_meet_bound_operators() -> None:
    from phipsi import algebra

    s = configuration("tree")
    assert (s.H @ algebra.phi) == s.H @ s.phi
    assert (algebra.H @ s.phi) == s.H @ s.phi
    assert (s.I - algebra.E_phi) == s.phi.inv
    assert (algebra.I - s.E_phi).inv == s.phi
    assert algebra.mass.at(s).shape == s.mass.shape


def test_a_configuration_is_a_value() -> None:
    robot = pp.zoo.chain(3)
    q = np.array([0.1, 0.2, 0.3])
    s = robot.at(q)
    before = s.mass.dense()
    q[:] = 9.0
    assert (s.mass.dense() == before).all()
    assert not s.q.flags.writeable
    with pytest.raises(pp.errors.ImmutableError):
        s.q = q
    with pytest.raises(pp.errors.ImmutableError):
        s.phi.expression = None  # type: ignore[misc]
    A = pickle.loads(pickle.dumps(s.mass.inv))
    assert close(A.dense(), s.mass.inv.dense())
    assert A.configuration is not s
    assert A.expression == s.mass.inv.expression
    assert hash(A.expression) == hash(s.mass.inv.expression)


def test_threads_share_a_configuration() -> None:
    robot = robots.named("free_tree")
    q = robots.states(robot, 64)["q"]
    x = np.ones(robot.nv)
    wanted = robot.at(q).mass.inv @ x
    for _ in range(5):
        s = robot.at(q)
        with ThreadPoolExecutor(8) as pool:
            answers = list(pool.map(lambda _, s=s: s.mass.inv @ x, range(16)))
        assert all(np.array_equal(answer, wanted) for answer in answers)


def test_singular_joints_are_named() -> None:
    robot = robots.robot(("revolute", "revolute"), 1, massless=(1,))
    s = robot.at(robot.neutral())
    assert np.isfinite(s.mass @ np.ones(2)).all()
    with pytest.raises(pp.SingularJoint, match="body 1"):
        _ = s.psi @ np.ones(12)
