"""Says which witnesses are missing: a skipped test for each, with what to install."""

from __future__ import annotations

import importlib.metadata

import pytest

PACKAGES = {"pinocchio": "pin", "mujoco": "mujoco", "example robots": "example-robot-data", "DART": "dartpy"}


@pytest.mark.parametrize("witness", PACKAGES)
def test_a_witness_is_here(witness):
    try:
        importlib.metadata.version(PACKAGES[witness])
    except importlib.metadata.PackageNotFoundError:
        pytest.skip(f"nobody to compare with: {PACKAGES[witness]} is not installed (pip install 'phipsi[test]')")
