"""Where the system refuses something: threads, far angles, interrupts in the middle of reading an argument."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

import phipsi as pp

NO_THREADS = """
import os, resource, numpy as np, phipsi as pp
robot = pp.zoo.chain(7)
q, v = robot.random(20000, rng=1)
pp.set_threads(1)
alone = robot.forward_dynamics(q, v, v)
pp.set_threads(2)
if os.getuid() == 0:
    os.setuid(65534)  # the superuser is granted threads whatever the limit
resource.setrlimit(resource.RLIMIT_NPROC, (1, 1))
assert np.array_equal(robot.forward_dynamics(q, v, v), alone)
assert np.array_equal(robot.at(q).mass.inv @ v, robot.at(q).mass.inv @ v)
print("answered")
"""


@pytest.mark.skipif(sys.platform != "linux", reason="limits of threads are set as Linux does")
def test_a_system_without_threads_to_give_gets_its_answer_all_the_same() -> None:
    done = subprocess.run([sys.executable, "-c", NO_THREADS], capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "answered\n"), done.stderr


def test_a_far_angle_leaves_its_neighbours_alone() -> None:
    robot = pp.zoo.chain(7)
    q, v = robot.random(64, rng=0)
    calm = robot.forward_dynamics(q, v, v)
    wild = q.copy()
    wild[10, 3], wild[20, 0], wild[30, 6] = 3e9, np.inf, np.nan
    rest = np.setdiff1d(np.arange(64), [10, 20, 30])
    assert np.array_equal(robot.forward_dynamics(wild, v, v)[rest], calm[rest])


class Interrupted:
    def __array__(self, dtype: object = None, copy: object = None) -> np.ndarray:
        raise KeyboardInterrupt


def test_an_interrupt_is_not_a_wrong_argument() -> None:
    with pytest.raises(KeyboardInterrupt):
        pp.zoo.chain(3).mass_matrix(Interrupted())


NOT_NUMBERS = "mass_matrix: q must be an array of real numbers, got "
RAGGED = " Lists must have rows of equal length."
MASKED = "mass_matrix: q must be a plain array, got a masked array, whose mask would be lost. Pass x.filled(value)."
MANY = "mass_matrix: expected results of at most 64 axes, as NumPy has, got 63 batch axes and the result's own."


@pytest.mark.parametrize(
    ("wrong", "sentence"),
    [
        (None, f"{NOT_NUMBERS}NoneType None.{RAGGED}"),
        ([[1], [2, 3]], f"{NOT_NUMBERS}list [[1], [2, 3]].{RAGGED}"),
        (np.ma.masked_array([0.0] * 3, [True] * 3), MASKED),
        (np.zeros((1,) * 63 + (3,)), f"{MANY} Reshape the batch to fewer axes."),
    ],
    ids=["none", "ragged", "masked", "axes"],
)
def test_what_is_no_array_of_numbers(wrong: object, sentence: str) -> None:
    with pytest.raises(pp.PhipsiError) as error:
        pp.zoo.chain(3).mass_matrix(wrong)
    assert str(error.value) == sentence


def test_one_energy_is_a_number_as_numpys_own() -> None:
    robot = pp.zoo.chain(3)
    assert isinstance(robot.kinetic_energy(np.zeros(3), np.ones(3)), np.float64)
    assert robot.kinetic_energy(np.zeros((2, 3)), np.ones(3)).shape == (2,)
