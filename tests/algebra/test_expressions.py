"""Symbolic expressions: their normal form, equality, transposes, inverses, and how they are written."""

from __future__ import annotations

import os
import pickle
import subprocess
import sys

import numpy as np
import pytest

import phipsi as pp
from phipsi.algebra import B, D, E_phi, E_psi, G, H, I, J, K, M, Omega, P, masked, mass, phi, psi, tau
from phipsi.algebra.nodes import Product, Sum, Zero
from tests.algebra.cases import composite

rigid = H @ phi @ M @ phi.T @ H.T
INVERSE = "(I - K.T @ psi.T @ H.T) @ D.inv @ (I - H @ psi @ K)"


def test_normal_form() -> None:
    assert H @ (phi @ M) == (H @ phi) @ M
    assert phi == phi.T.T
    assert M.T is M
    assert phi @ I == I @ phi == phi
    assert phi + M == M + phi
    assert phi - phi + M == M
    assert 2 * (phi @ M) == (2 * phi) @ M == phi @ (2 * M) == phi @ M + phi @ M
    assert (phi + M) / 2 == 0.5 * phi + 0.5 * M
    assert -(phi - M) == M - phi
    assert phi @ (M + P) != phi @ M + phi @ P
    assert sum([phi, M, phi]) == 2 * phi + M
    assert np.float64(2) * phi == phi * 2
    assert +phi is phi
    assert hash(phi + M) == hash(M + phi)
    assert len({phi, phi.T, phi.T.T, M, M.T}) == 3
    assert B("a") != B("b")
    assert B("a", "b") == B("a", "b")
    assert K != masked.K
    assert psi == masked.psi
    assert phi != "phi"


@pytest.mark.parametrize("seed", range(100))
def test_transposes(seed: int) -> None:
    A = composite(np.random.default_rng(seed), masked=seed % 2 == 0)
    assert A.T.T == A
    assert (A @ A.T).T == A @ A.T
    for part in A.T.walk():
        assert not isinstance(part, Product) or not any(isinstance(factor, Product) for factor in part.factors)
        assert not isinstance(part, Sum) or not any(isinstance(term, Sum) for term in part.children())
    if isinstance(A, Zero):
        assert repr(A) == "0"
        return
    assert eval(repr(A), vars(pp.algebra) | {name: getattr(masked, name) for name in _MASKED * (seed % 2 == 0)}) == A


_MASKED = ("H_p", "H_a", "J_p", "G", "K", "D")


def test_formulas() -> None:
    assert repr(rigid.inv) == INVERSE
    assert repr(-phi) == "-phi"
    assert repr(2 * phi - 0.5 * M + I) == "2 * phi - 0.5 * M + I"
    assert repr((phi + M).T @ H.T) == "(phi.T + M) @ H.T"
    assert repr(B("left", "right").T @ phi.T) == "B('left', 'right').T @ phi.T"
    assert repr(-(phi @ M)) == "-phi @ M"
    assert repr(phi - phi) == "0"
    assert rigid.inv._repr_latex_() == (
        r"$\left(I - {K}^{*} {\psi}^{*} {H}^{*}\right) D^{-1} \left(I - H \psi K\right)$"
    )
    assert (2 * B("a_1").T @ E_phi)._repr_latex_() == r"$2 \, {B_{\text{a\_1}}}^{*} \mathcal{E}_\phi$"


def test_inverses() -> None:
    filter_, colouring = I - H @ psi @ K, I + H @ phi @ K
    assert phi.inv == I - E_phi
    assert psi.inv == I - E_psi
    assert (I - E_phi).inv == phi
    assert (I - E_psi.T).inv == psi.T
    assert phi.T.inv == phi.inv.T == I - E_phi.T
    assert (phi @ psi).inv == psi.inv @ phi.inv
    assert (-2 * phi).inv == -0.5 * phi.inv
    assert D.inv.inv == D
    assert repr(D.inv) == "D.inv"
    assert D.inv == D.inv.T
    assert I.inv == I
    assert filter_.inv == colouring
    assert colouring.inv == filter_
    assert (-filter_).inv == -colouring
    assert (2 * colouring.T).inv == 0.5 * filter_.T
    assert (I + phi @ K @ H).inv == I - psi @ K @ H
    assert (colouring @ D @ colouring.T).inv == rigid.inv
    assert mass.inv == rigid.inv
    assert mass.inv.inv == mass
    assert (3 * rigid @ D).inv == D.inv @ rigid.inv / 3
    assert (phi @ psi.inv).inv == psi @ (I - E_phi)
    passive = masked.H_p @ phi @ M @ phi.T @ masked.H_p.T
    assert repr(passive.inv) == INVERSE.replace("H", "H_p")


def test_inverses_by_way_of_rewriting() -> None:
    assert ((I - H @ psi @ K) @ rigid).inv == rigid.inv @ (I + H @ phi @ K)
    assert (I - tau - E_phi + tau).inv == phi


def test_an_inverse_without_armature_remembers_it() -> None:
    robot = pp.zoo.chain(3).with_armature(0.1)
    s = robot.at(robot.neutral())
    assert mass.inv.at(s).shape == (3, 3)
    with pytest.raises(pp.ConfigurationError, match="without armature"):
        rigid.inv.at(s)
    with pytest.raises(pp.ConfigurationError, match="without armature"):
        _ = s.H.T @ (2 * rigid.inv.T @ H - rigid.inv @ H).simplified
    with pytest.raises(pp.NoInverse, match="This robot has armature"):
        _ = (s.H @ s.phi @ s.M @ s.phi.T @ s.H.T).inv
    assert rigid.inv.at(pp.zoo.chain(3).at([0, 0, 0])).shape == (3, 3)


def test_masks_are_not_mixed_up() -> None:
    robot = pp.zoo.chain(3)
    locked = robot.at([0, 0, 0], passive=["joint2"])
    with pytest.raises(pp.ConfigurationError, match="without a mask"):
        (H @ psi @ K).at(locked)
    with pytest.raises(pp.ConfigurationError, match="has no mask"):
        masked.H_p.at(robot.at([0, 0, 0]))
    assert (H @ psi).at(locked).shape == (3, 18)
    assert (masked.H_p @ masked.psi @ masked.K).at(locked).shape == (1, 1)
    assert robot.at([0, 0, 0], passive=[]).D.shape == (0, 0)


def test_they_are_values() -> None:
    expression = rigid.inv @ (2 * J - D) + G.T @ Omega @ H.T
    with pytest.raises(pp.errors.ImmutableError):
        expression.terms = ()  # type: ignore[attr-defined]
    again = pickle.loads(pickle.dumps(expression))
    assert again == expression
    assert again.assumes == expression.assumes


def test_pickles_cross_processes() -> None:
    text = pickle.dumps(rigid.inv).hex()
    program = f"import pickle; from phipsi.algebra import *; A = pickle.loads(bytes.fromhex('{text}')); " + (
        "print(A == (H @ phi @ M @ phi.T @ H.T).inv, hash(A) == hash((H @ phi @ M @ phi.T @ H.T).inv))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "77"}
    command = [sys.executable, "-c", program]
    answer = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
    assert answer.stdout.strip() == "True True"
