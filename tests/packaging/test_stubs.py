"""The stubs of the compiled core say what the compiled core has. Run as a script (`make stubs`), writes them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
STUBS = ROOT / "src/phipsi/_core.pyi"


def generate(path: Path) -> None:
    """Write the stubs of the core that is installed."""
    stubgen = [sys.executable, "-m", "nanobind.stubgen", "--quiet", "--include-private"]
    subprocess.run([*stubgen, "-p", ROOT / "cpp/bind.stubs", "-m", "phipsi._core", "-o", path], check=True)


def test_stubs_are_in_step(tmp_path: Path) -> None:
    fresh = tmp_path / "_core.pyi"
    generate(fresh)
    assert STUBS.read_text() == fresh.read_text(), "src/phipsi/_core.pyi is out of step with the core: run `make stubs`"


if __name__ == "__main__":
    generate(STUBS)
