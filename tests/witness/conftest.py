"""Witnesses are other people's libraries: without them, their tests are skipped, and say so."""

from __future__ import annotations

import importlib.util

NEEDS = {
    "test_pinocchio.py": "pinocchio",
    "pinocchio_twin.py": "pinocchio",
    "test_mujoco.py": "mujoco",
    "mujoco_twin.py": "mujoco",
}
collect_ignore = [file for file, module in NEEDS.items() if importlib.util.find_spec(module) is None]


def pytest_report_header() -> list[str]:
    missing = sorted({module for file, module in NEEDS.items() if file in collect_ignore})
    return [f"no witness {module}: it is not installed (pip install 'phipsi[test]')" for module in missing]
