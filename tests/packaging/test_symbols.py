"""No kernel compiled for a newer processor may be linked into the path of an older one.

The same sources are compiled once per instruction set. An inline function that lives outside the namespace of its
instruction set (one of the standard library, say, that was not inlined) has the same name in all of them; the linker
keeps any one copy, and if that is the AVX-512 one, older machines die with an illegal instruction. So each object may
only define names that carry its instruction set.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
OBJECTS = sorted(ROOT.glob("build/editable/CMakeFiles/phipsi_*.dir/cpp/kernels*.o"))


@pytest.mark.skipif(shutil.which("nm") is None, reason="needs nm, of binutils")
@pytest.mark.skipif(not OBJECTS, reason="needs the objects that `make` leaves in build/editable")
@pytest.mark.parametrize("path", OBJECTS, ids=lambda path: f"{path.parts[-3]}/{path.name}")
def test_kernels_define_only_names_of_their_instruction_set(path: Path) -> None:
    (isa,) = re.findall(r"phipsi_(\w+)\.dir", str(path))
    symbols = subprocess.run(["nm", "-C", "--defined-only", path], check=True, capture_output=True, text=True).stdout
    names = re.findall(r"^\w+ [WVTDBRu] (.*)", symbols, re.MULTILINE)  # those that other objects see
    assert [name for name in names if f"phipsi::{isa}::" not in name and not name.startswith("DW.ref.")] == []
