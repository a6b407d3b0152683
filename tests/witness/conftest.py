"""Witnesses are other people's libraries: files that need one which is missing are left out; test_presence.py tells."""

from __future__ import annotations

import importlib.util

NEEDS = {
    "pinocchio": ["pinocchio_twin.py", "test_pinocchio.py"],
    "mujoco": ["mujoco_twin.py", "test_mujoco.py"],
}
collect_ignore = [file for module, files in NEEDS.items() if importlib.util.find_spec(module) is None for file in files]
