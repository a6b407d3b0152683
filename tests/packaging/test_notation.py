"""NOTATION.md tells every joint type of the core, with its coordinates."""

from __future__ import annotations

import re
from pathlib import Path

from phipsi import _core

TEXT = (Path(__file__).parents[2] / "NOTATION.md").read_text()


def test_the_table_of_joints_is_the_list_of_the_core() -> None:
    table = TEXT[TEXT.index("## Joints") : TEXT.index("## Symbols")]
    rows = re.findall(r"^\| (\w+) \| ([^|]*) \|", table, flags=re.MULTILINE)[1:]
    assert [name for name, _ in rows] == [joint["name"] for joint in _core.joint_types()]
    for (name, labels), joint in zip(rows, _core.joint_types(), strict=True):
        if name not in ("fixed", "custom"):
            assert labels.split() == joint["q_labels"], name
