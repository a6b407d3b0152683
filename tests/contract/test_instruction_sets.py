"""Every instruction set that this machine has gives the same answers, to rounding."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import phipsi as pp

from . import robots
from .answers import NAMES
from .verbs import assert_same, conditioning


def run(arguments: list[str], isa: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        env={**os.environ, "PHIPSI_ISA": isa},
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def answers(tmp_path_factory):
    """{isa: {label: array}}."""
    folder = tmp_path_factory.mktemp("answers")
    found = {}
    for isa in pp.available_isas():
        path = folder / f"{isa}.npz"
        done = run(["-W", "error", "-m", "contract.answers", str(path)], isa)
        assert done.returncode == 0, done.stderr
        with np.load(path) as stored:
            found[isa] = dict(stored)
    return found


def test_the_wish_is_granted(answers):
    assert {isa: str(found["isa"]) for isa, found in answers.items()} == {isa: isa for isa in pp.available_isas()}


def test_all_give_the_same(answers):
    first, *others = (found for found in answers.values())
    condition = {name: conditioning(robots.named(name), robots.states(robots.named(name), 29)["q"]) for name in NAMES}
    for other in others:
        assert other.keys() == first.keys()
        for label in first.keys() - {"isa"}:
            name, verb = label.split(": ")
            solves = verb.startswith(("forward_dynamics", "inverse_mass_matrix"))
            assert_same(other[label], first[label], 1e-13 * condition[name] if solves else 1e-12)


def test_an_instruction_set_that_is_not_there():
    done = run(["-c", "import phipsi; print(phipsi.isa())"], "abacus")
    assert "abacus" in done.stderr
    assert all(isa in done.stderr for isa in pp.available_isas())
