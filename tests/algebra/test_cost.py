"""Cost: every atom, and a product of ten, is applied in time and memory that grow as the number of links."""

from __future__ import annotations

import time
import tracemalloc
from typing import Any

import numpy as np
import pytest

import phipsi as pp
from tests.algebra.cases import ATOMS

_made: dict[int, Any] = {}


def at(n: int) -> Any:
    if n not in _made:
        robot = pp.zoo.chain(n)
        _made[n] = robot.at(robot.random(rng=0)[0])
    return _made[n]


def ten_factors(s: Any) -> Any:
    return s.H @ s.phi @ s.M @ s.phi.T @ s.E_phi.T @ s.psi.T @ s.P @ s.psi @ s.tau @ s.M


def operator(name: str, n: int) -> Any:
    return ten_factors(at(n)) if name == "ten factors" else getattr(at(n), name)


def best_time(A: Any, x: np.ndarray, budget: float = 0.05) -> float:
    best, spent = np.inf, 0.0
    while spent < budget:
        start = time.perf_counter()
        A @ x
        duration = time.perf_counter() - start
        best, spent = min(best, duration), spent + duration
    return best


@pytest.mark.parametrize("name", [*ATOMS, "ten factors"])
def test_linear_time(name: str) -> None:
    def growth() -> float:
        pair = [operator(name, n) for n in (2500, 5000)]
        return float(np.divide(*(best_time(A, np.ones(A.shape[1])) for A in reversed(pair))))

    assert any(growth() < 3 for _ in range(4))  # noise only ever makes a run slower


@pytest.mark.parametrize("name", ["mass.inv", "ten factors"])
def test_linear_memory(name: str) -> None:
    """A few vectors, not a matrix: of 5000 links it would have 7 GB."""
    s = at(5000)
    A = s.mass.inv if name == "mass.inv" else ten_factors(s)
    x = np.ones(A.shape[1])
    A @ x
    tracemalloc.start()
    A @ x
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 40 * x.nbytes


def test_a_batch_is_carried_out_by_the_fused_kernels() -> None:
    """mass @ x and mass.inv @ x in many configurations: no stored P, D, G; and the same numbers as the program's."""
    robot = pp.zoo.tree(12, seed=3)
    q, x = robot.random((5, 3), rng=0)
    s = robot.at(q)
    for A in (s.mass, s.mass.inv):
        assert A.batch_kernel is not None
        assert A.plan.program is not None
        by_columns = (A @ x[..., None])[..., 0]  # stacks of columns go through the program
        assert np.allclose(A @ x, by_columns, rtol=1e-9, atol=1e-9 * abs(by_columns).max())
        assert np.array_equal(A @ x[0, 0], A @ np.broadcast_to(x[0, 0], x.shape))
    assert robot.at(q[0, 0]).mass.inv.batch_kernel is None
    assert (s.mass.inv @ s.mass).batch_kernel is None


def test_singular_states_of_a_batch_are_named() -> None:
    b = pp.Builder("tip without inertia")
    b.body("a", parent="world", joint=pp.Revolute((0, 0, 1), name="first"), mass=1, com=(1, 0, 0))
    b.body("b", parent="a", joint=pp.Revolute((0, 0, 1), name="last"))
    robot = b.build()
    s = robot.at(np.zeros((4, 2)))
    with pytest.raises(pp.SingularJoint, match="'last'"):
        s.mass.inv @ np.ones((4, 2))
