"""What `import phipsi` costs and brings along, and which version it says it is."""

from __future__ import annotations

import importlib.metadata
import os
import re
import subprocess
import sys
from pathlib import Path

import phipsi

ROOT = Path(__file__).parents[2]
HEAVY = ("mujoco", "pinocchio", "robot_descriptions", "scipy", "matplotlib", "xml.dom", "importlib.metadata")


def run(code: str) -> str:
    # an installed package comes with its bytecode; one imported from a source tree must be allowed to write it
    env = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, env=env).stdout


def test_import_takes_less_than_150_ms() -> None:
    # the processor's time, NumPy's share included: the other tests that run at the same moment take none of it
    code = "from time import process_time as t; start = t(); import phipsi; print(t() - start)"
    assert min(float(run(code)) for _ in range(7)) < 0.150


def test_import_brings_nothing_heavy() -> None:
    # `-S`-like purity is impossible where .pth files import things, so: what phipsi adds to what NumPy brought
    code = "import sys, numpy; before = set(sys.modules); import phipsi; print(*sorted(set(sys.modules) - before))"
    added = run(code).split()
    assert [name for name in added if name.startswith(HEAVY)] == []


def test_version_is_the_same_everywhere() -> None:
    (declared,) = re.findall(r'^version = "(.*)"$', (ROOT / "pyproject.toml").read_text(), flags=re.MULTILINE)
    assert phipsi.__version__ == declared == importlib.metadata.version("phipsi")


def test_marked_as_typed() -> None:
    assert (Path(phipsi.__file__).parent / "py.typed").exists()


def test_works_with_every_instruction_set() -> None:
    done = subprocess.run([sys.executable, Path(__file__).with_name("smoke.py")], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
