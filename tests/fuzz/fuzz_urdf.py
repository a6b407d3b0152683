"""Fuzzes the URDF reader by hand: `python tests/fuzz/fuzz_urdf.py [seconds]`, with atheris if it is installed.

With atheris (pip install atheris) coverage guides the search over raw bytes; without it, mutants of the small files are
drawn until the time is over. A finding is printed with the bytes that cause it, and left in `fuzz_urdf_finding.urdf`.
"""

from __future__ import annotations

import contextlib
import itertools
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any

import phipsi as pp

try:
    from .urdf_mutants import SEEDS, mutant
except ImportError:  # run as a script
    from urdf_mutants import SEEDS, mutant

SLOW = 5.0  # seconds: a file that takes longer is a finding


def check(content: bytes) -> None:
    """A robot or a phipsi error, soon."""
    start = time.perf_counter()
    try:
        for base in ("fixed", "free"):
            with contextlib.suppress(pp.PhipsiError):
                pp.load_urdf_string(content, base=base)
        if time.perf_counter() - start > SLOW:
            raise TimeoutError(f"{len(content)} bytes took {time.perf_counter() - start:.1f} s")
    except BaseException:
        Path("fuzz_urdf_finding.urdf").write_bytes(content)
        print("finding:", repr(content[:2000]), file=sys.stderr)
        raise


def with_atheris(atheris: Any, seconds: int) -> None:
    """Guided by coverage, from the small files as a corpus; atheris ends the process."""
    found, seeds = tempfile.mkdtemp(prefix="phipsi_fuzz_"), str(SEEDS[0].parent)  # it writes to the first one
    atheris.instrument_all()
    atheris.Setup([sys.argv[0], f"-max_total_time={seconds}", "-timeout=10", found, seeds], check)
    atheris.Fuzz()


def with_mutants(seconds: int) -> None:
    """Seed after seed until the time is over."""
    end = time.monotonic() + seconds
    for seed in itertools.count():
        check(mutant(seed))
        if time.monotonic() > end:
            print(f"{seed + 1} mutants in {seconds} s, nothing found")
            return


if __name__ == "__main__":
    warnings.simplefilter("error")
    warnings.simplefilter("ignore", pp.PhipsiWarning)
    limit = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    try:
        import atheris  # pyright: ignore[reportMissingImports]
    except ImportError:
        with_mutants(limit)
    else:
        with_atheris(atheris, limit)
