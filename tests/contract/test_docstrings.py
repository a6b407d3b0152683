"""The examples in the docstrings of the compiled core run; pytest itself collects only those of Python functions."""

from __future__ import annotations

import doctest
import inspect

import pytest

from phipsi import _core

VERBS = [name for name in dir(_core.Robot) if not name.startswith("_")]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("name", VERBS)
def test_a_verb_tells_what_it_is(name: str) -> None:
    text = inspect.getattr_static(_core.Robot, name).__doc__
    assert text
    assert len(text.split()) > 3 or name == "n"


@pytest.mark.parametrize("name", VERBS)
def test_its_examples_run(name: str) -> None:
    text = inspect.getattr_static(_core.Robot, name).__doc__
    example = doctest.DocTestParser().get_doctest(text, {}, name, None, 0)
    report: list[str] = []
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    assert runner.run(example, out=report.append).failed == 0, "".join(report)
