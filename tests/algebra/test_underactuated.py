"""S_aa, S_ap, S_pp, J_G, J_D and the projections: against dense elimination, over robots, masks and batches."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi.algebra import masked
from tests.algebra.cases import adjoint_gap, close
from tests.contract import robots

NAMES = ("tree", "free_tree", "forest", "star", "rotors", "custom_se2", "zoo_free_tree", "zoo_every_joint")
SHAPES = ((), (1,), (3, 1, 2), (5,))


def masks(nv: int) -> list[np.ndarray]:
    rng = np.random.default_rng(nv)
    return [np.arange(nv) % 3 == 1, rng.random(nv) < 0.7, np.ones(nv, bool), np.zeros(nv, bool)]


def eliminated(robot: pp.Robot, q: np.ndarray, p: np.ndarray) -> dict[str, np.ndarray]:
    """The blocks by Gaussian elimination of the mass matrix. [JR93 4.5]"""
    M = robot.mass_matrix(q)
    M_aa, M_ap, M_pp = M[np.ix_(~p, ~p)], M[np.ix_(~p, p)], M[np.ix_(p, p)]
    S_pp = np.linalg.inv(M_pp)
    return {"S_pp": S_pp, "S_ap": M_ap @ S_pp, "S_aa": M_aa - M_ap @ S_pp @ M_ap.T, "J_D": -S_pp @ M_ap.T}


@pytest.mark.parametrize("name", NAMES)
def test_blocks_are_those_of_elimination(name: str) -> None:
    robot = robots.named(name)
    (q,) = robots.states(robot, 1)["q"]
    rng = np.random.default_rng(0)
    for mask in masks(robot.nv):
        s = robot.at(q, passive=mask)
        for symbol, wanted in eliminated(robot, q, mask).items():
            operator = getattr(s, symbol)
            assert close(operator.dense(), wanted, 1e-10), (name, symbol)
            if operator.shape[1]:
                x = rng.normal(size=operator.shape[1])
                assert close(operator @ x, wanted @ x, 1e-10)
                assert adjoint_gap(operator, rng) < 1e-12
                assert len(operator.sweeps) <= 2 or symbol == "S_aa"


@pytest.mark.parametrize("name", NAMES)
def test_the_generalized_jacobian_is_the_kernels(name: str) -> None:
    robot = robots.named(name)
    (q,) = robots.states(robot, 1)["q"]
    frames = (robot.body_names[-1], robot.body_names[0])
    for mask in masks(robot.nv):
        s = robot.at(q, passive=mask)
        for operator in (s.J_G(*frames), s.J_D):  # the kernel's matrix, and what the sweeps do to columns
            assert close(operator.dense(), operator @ np.eye(operator.shape[1]), 1e-10)
        assert close(s.J_G(*frames).dense(), robot.generalized_jacobian(q, frames, mask), 1e-10)
        assert close(s.J_D.dense(), robot.disturbance_jacobian(q, mask), 1e-10)
        assert len(s.J_G(*frames).sweeps) <= 2


def test_projections() -> None:
    """rank T = N_p and rank T̄ = 6n - N_p; the latter of T̄ φ* H_a* is N_a. [JR93 6.5]"""
    robot = robots.named("star")
    (q,) = robots.states(robot, 1)["q"]
    mask = masks(robot.nv)[0]
    s = robot.at(q, passive=mask)
    T, T_bar = s.projection.dense(), s.projection_bar.dense()
    count = int(mask.sum())
    assert close(T @ T, T, 1e-10)
    assert close(T_bar @ T_bar, T_bar, 1e-10)
    assert close(T + T_bar, np.eye(len(T)), 1e-12)
    assert np.linalg.matrix_rank(T, 1e-9) == count
    assert np.linalg.matrix_rank(T_bar, 1e-9) == len(T) - count
    moved = (s.projection_bar @ s.phi.T @ s.H_a.T).dense()
    assert np.linalg.matrix_rank(moved, 1e-9) == robot.nv - count
    assert close((s.projection_bar @ s.phi.T @ s.H_p.T).dense(), np.zeros((len(T), count)), 1e-10)


@pytest.mark.parametrize("shape", SHAPES)
def test_batches(shape: tuple[int, ...]) -> None:
    ship = pp.zoo.arm_satellite()
    q, _ = ship.random(shape, rng=0)
    s = ship.at(q, passive="base")
    x = np.random.default_rng(1).normal(size=(*shape, 7))
    J_G, J_D = ship.generalized_jacobian(q, "arm/hand"), ship.disturbance_jacobian(q)
    assert close(s.J_G("arm/hand") @ x, (J_G @ x[..., None])[..., 0], 1e-12)
    assert close(s.J_D @ x, (J_D @ x[..., None])[..., 0], 1e-12)
    assert close(s.J_G("arm/hand").dense(), J_G, 1e-12)
    assert close(s.J_D.dense(), J_D, 1e-12)


def test_what_is_written_out_is_found() -> None:
    """The definition of S_ap, as a user writes it, becomes the closed form. [JR93 5.1b]"""
    m = masked
    coupling = m.H_a @ m.phi @ m.M @ m.phi.T @ m.H_p.T
    passive_mass = m.H_p @ m.phi @ m.M @ m.phi.T @ m.H_p.T + m.J_p
    assert (coupling @ passive_mass.inv).simplified == m.S_ap


def test_words() -> None:
    ship = pp.zoo.arm_satellite()
    s = ship.at(ship.neutral(), passive="base")
    assert "S_aa" in dir(s)
    assert s.J_D.meaning == "maps motions of active dofs to motions of passive dofs"
    for missing in ("S_aa", "J_D", "projection", "J_a", "I_active"):
        with pytest.raises(AttributeError, match="without a mask: all dofs are free to move"):
            getattr(ship.at(ship.neutral()), missing)
        with pytest.raises(AttributeError, match="without a mask"):
            getattr(pp.algebra.H.at(ship.at(ship.neutral())).configuration.vocabulary, missing)
    for missing in (ship.at(ship.neutral()), pp.algebra.masked.__class__()):
        with pytest.raises(AttributeError, match="without a mask"):
            missing.J_G("arm/hand")
