"""Whatever a URDF reader is given: a robot that works, or a phipsi error; never another exception, never a hang.

`PHIPSI_FUZZ=100000 pytest tests/fuzz` looks longer; `fuzz_urdf.py` looks with coverage as its guide.
"""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import phipsi as pp

from .urdf_mutants import SEEDS, mutant

pytestmark = pytest.mark.filterwarnings("ignore::phipsi.PhipsiWarning")
bounded = settings(settings.get_profile("fuzz"))

# pieces that a grammar-blind fuzzer would take long to find
WORDS = st.sampled_from(
    ["<robot>", "<robot name='r'>", "</robot>", "<link name='a'/>", "<link name='b'>", "</link>", "<joint name='j'",
     " type='fixed'", "/>", ">", "<", "<parent link='a'/>", "<child link='b'/>", "<!--", "-->", "<![CDATA[", "]]>",
     "<?xml version='1.0'?>", "<!DOCTYPE r [", "<!ENTITY e 'x'>", "]>", "&e;", "&#0;", "&#x1F916;", "&lt;", "'", '"',
     " ", "\n", "\0", "\ufeff", "\ud800"]
)  # fmt: skip


def survives(content: bytes | str, base: str = "fixed", merge_fixed: bool = True) -> None:
    """The one thing that all fuzzers assert. RuntimeWarnings are errors too."""
    try:
        robot = pp.load_urdf_string(content, base=base, merge_fixed=merge_fixed)
    except pp.PhipsiError as error:
        assert 0 < len(str(error)) < 20_000  # noqa: PT017
        return
    assert isinstance(robot, pp.Robot)
    assert np.isfinite(robot.mass).all()
    assert np.isfinite(robot.inertia).all()
    assert robot.mass_matrix(robot.neutral()).shape == (robot.nv, robot.nv)
    if (np.diagonal(robot.inertia, axis1=1, axis2=2) < 0.0).any():
        return  # an impossible inertia, kept as given and turned to body axes: it may not be read a second time
    try:
        text = robot.to_urdf()
    except pp.PhipsiError:
        return
    assert pp.load_urdf_string(text, merge_fixed=merge_fixed).nv == robot.nv


@bounded
@given(seed=st.integers(0, 2**32), base=st.sampled_from(("fixed", "free")), merge_fixed=st.booleans())
def test_mutated_files(seed: int, base: str, merge_fixed: bool) -> None:
    survives(mutant(seed), base, merge_fixed)


@bounded
@given(content=st.binary(max_size=200))
@example(b"")
@example(b"\xff\xfe")
@example(b"\xff\xfe<\0r\0/\0>\0")
@example(b"<?xml encoding='\xff'?><r/>")
def test_bytes(content: bytes) -> None:
    survives(content)


@bounded
@given(words=st.lists(WORDS | st.text(max_size=3), max_size=30))
def test_words(words: list[str]) -> None:
    survives("".join(words))


@pytest.mark.parametrize("path", SEEDS, ids=lambda path: path.stem)
def test_files_cut_off_anywhere(path: pytest.FixtureRequest) -> None:
    data = path.read_bytes()
    for end in range(0, len(data), 7):
        survives(data[:end])


def test_mutants_reach_both_ends() -> None:
    """The mutations are neither harmless nor hopeless, or fuzzing says little."""
    outcomes: dict[str, int] = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pp.PhipsiWarning)
        for seed in range(300):
            try:
                pp.load_urdf_string(mutant(seed))
                outcome = "robot"
            except pp.FileError as error:
                outcome = str(error).partition(": ")[2][-40:]
            outcomes[outcome] = outcomes.get(outcome, 0) + 1
    assert 30 < outcomes["robot"] < 270
    assert len(outcomes) > 15
