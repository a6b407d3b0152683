"""What the tests of files share: where the small files are, and loading with the warnings collected."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import phipsi as pp

Loaded = tuple[pp.Robot, list[str]]


@pytest.fixture
def files() -> Path:
    """The directory of the small URDF and MJCF files."""
    return Path(__file__).parent


@pytest.fixture
def load() -> Callable[..., Loaded]:
    """Loads a robot; returns it and what was warned, in order, without the path."""

    def loaded(path: Any, *, by: Callable[..., pp.Robot] = pp.load, **options: Any) -> Loaded:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            robot = by(path, **options)
        assert all(issubclass(warning.category, pp.PhipsiWarning) for warning in caught)
        return robot, [str(warning.message).removeprefix(f"{path}: ") for warning in caught]

    return loaded
