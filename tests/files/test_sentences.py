"""Every sentence about files is uttered somewhere, and fits its words."""

from __future__ import annotations

import string
from pathlib import Path

import pytest

from phipsi import errors

SOURCE = "".join(path.read_text(encoding="utf-8") for path in (Path(errors.__file__).parents[1] / "model").glob("*.py"))
SENTENCES = errors.files.FILE_SENTENCES
WARNINGS = errors.files.FILE_WARNINGS


@pytest.mark.parametrize("name", [*SENTENCES, *WARNINGS])
def test_uttered(name: str) -> None:
    assert f'"{name}"' in SOURCE


@pytest.mark.parametrize("name", SENTENCES)
def test_fits_its_words(name: str) -> None:
    problem, remedy = SENTENCES[name]
    fields = {field for half in (problem, remedy) for _, field, _, _ in string.Formatter().parse(half) if field}
    error = errors.file_error(name, "robot.urdf", 3, "link 'a'", **dict.fromkeys(fields, "word"))
    assert str(error).startswith("robot.urdf, line 3: link 'a': ")
    assert str(error).endswith((".", "?"))


def test_warnings_end_with_names() -> None:
    for sentence in WARNINGS.values():
        assert sentence.endswith("{names}")
