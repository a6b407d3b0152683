"""The operators and the articulated quantities: the identities of the papers, on trees."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose

from phipsi import reference

from . import stand_in

TIGHT = {"rtol": 1e-10, "atol": 1e-10}


def test_phi_sums_the_powers_of_e_phi(any_robot):
    robot, q, v, *_ = any_robot
    s = reference.at(robot, q, v)
    assert_allclose(s.phi @ (np.eye(6 * robot.n) - s.E_phi), np.eye(6 * robot.n), atol=1e-12)
    assert_allclose(np.tril(s.E_phi), 0)
    assert_allclose(s.M, s.M.T, atol=1e-12)


def test_velocity_recursion(any_robot):
    robot, q, v, *_ = any_robot
    s = reference.at(robot, q, v)
    assert_allclose(s.V, s.E_phi.T @ s.V + s.H.T @ v, **TIGHT)


@pytest.mark.parametrize("masked", [False, True])
def test_factorization_of_the_mass_matrix(any_robot, masked):
    """[RK88 4.11], [RK88 4.14] and [RK88 4.16], for the whole arm and for the passive arm."""
    robot, q, v, *_ = any_robot
    s = reference.at(robot, q, v)
    passive = np.arange(robot.nv) % 2 == 0 if masked else np.ones(robot.nv, dtype=bool)
    r = reference.riccati(s, passive if masked else None)
    mass = reference.mass_matrix(robot, q)[np.ix_(passive, passive)]
    one = np.eye(len(mass))
    innovations, whitening = one + r.H @ s.phi @ r.K, one - r.H @ r.psi @ r.K
    assert_allclose(innovations @ r.D @ innovations.T, mass, **TIGHT)
    assert_allclose(whitening @ innovations, one, **TIGHT)
    assert_allclose(whitening.T @ r.D_inverse @ whitening @ mass, one, atol=1e-8)


def test_articulated_identities(any_robot):
    robot, q, v, *_ = any_robot
    s = reference.at(robot, q, v)
    r = reference.riccati(s)
    one = np.eye(6 * robot.n)
    assert_allclose(r.tau + r.tau_bar, one, atol=1e-12)
    assert_allclose(r.E_psi, s.E_phi @ r.tau_bar, atol=1e-12)
    assert_allclose(r.psi @ (one - r.E_psi), one, **TIGHT)
    assert_allclose(s.M, r.P - r.E_psi @ r.P @ s.E_phi.T, **TIGHT)  # [JR93 4.8], second form
    assert_allclose(r.K, s.E_phi @ r.G, atol=1e-12)
    whitening = np.eye(robot.nv) - s.H @ r.psi @ r.K
    assert_allclose(whitening @ s.H @ s.phi, s.H @ r.psi, **TIGHT)  # [RK88 5.4]
    assert_allclose(r.P, r.P.T, **TIGHT)
    if not robot.armature.any():
        assert_allclose(s.H @ r.tau_bar, 0, atol=1e-10)
        assert_allclose(r.P_plus, r.tau_bar @ r.P @ r.tau_bar.T, **TIGHT)


def test_a_joint_without_inertia_is_singular():
    robot = stand_in.robot(("revolute", "revolute"), massless=(1,))
    with pytest.raises(np.linalg.LinAlgError):
        reference.forward_dynamics(robot, np.ones(2), np.ones(2), np.ones(2))


def test_batches():
    robot = stand_in.robot(("free", "universal"), 5)
    rng = np.random.default_rng(0)
    q = np.array([[stand_in.coordinates(robot, rng) for _ in range(2)] for _ in range(3)])
    v, f_ext = rng.normal(size=(2, robot.nv)), rng.normal(size=(3, 1, robot.n, 6))
    tau = reference.over_batch(reference.bias, robot, q, v, f_ext=f_ext)
    assert tau.shape == (3, 2, robot.nv)
    assert_allclose(tau[2, 1], reference.bias(robot, q[2, 1], v[1], f_ext[2, 0]))
    rotation, position = reference.over_batch(reference.pose, robot, q, target="tip")
    assert rotation.shape == (3, 2, 3, 3)
    assert position.shape == (3, 2, 3)


STANDARD = {"__future__", "collections.abc", "dataclasses", "functools", "math", "numpy.typing", "typing"}


def test_the_reference_imports_nothing_native():
    """Read from the sources: numpy, the standard library and its own pages, nothing else."""
    import ast
    from pathlib import Path

    for page in Path(reference.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(page.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                assert {alias.name for alias in node.names} <= {"numpy"}, page
            elif isinstance(node, ast.ImportFrom) and node.level == 0:
                assert node.module in STANDARD, page
            elif isinstance(node, ast.ImportFrom):
                assert node.level == 1, page
