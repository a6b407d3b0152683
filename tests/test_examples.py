"""Every example runs: as a script of its own, without a warning; those that draw, also with a path to draw to."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
DRAWING = [path for path in EXAMPLES if "savefig(sys.argv[1])" in path.read_text(encoding="utf-8")]


def run(path: Path, *arguments: str, cwd: Path, warnings: str = "error") -> str:
    """What the example prints. Examples are quick; the timeout is for machines that are not."""
    environment = {**os.environ, "PYTHONWARNINGS": warnings, "PYTHONIOENCODING": "utf-8", "MPLBACKEND": "Agg"}
    command = [sys.executable, str(path), *arguments]
    done = subprocess.run(
        command, cwd=cwd, env=environment, capture_output=True, encoding="utf-8", timeout=120, check=False
    )
    assert done.returncode == 0, f"{path.name} failed:\n{done.stdout}\n{done.stderr}"
    return done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_runs_and_says_something(path: Path, tmp_path: Path) -> None:
    """In a directory of its own, in which it leaves nothing behind."""
    assert run(path, cwd=tmp_path).strip()
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_it_is_a_script_of_cells(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert text.startswith('"""')
    assert text.count("\n# %% ") >= 2


@pytest.mark.skipif(importlib.util.find_spec("matplotlib") is None, reason="matplotlib is not installed")
@pytest.mark.parametrize("path", DRAWING, ids=lambda path: path.stem)
def test_it_draws(path: Path, tmp_path: Path) -> None:
    """Warnings are let through here: what matplotlib imports is not ours to judge."""
    picture = tmp_path / "picture.png"
    run(path, str(picture), cwd=tmp_path, warnings="default")
    assert picture.stat().st_size > 1000
