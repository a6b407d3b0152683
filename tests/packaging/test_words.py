"""What the documents show is true: code blocks run and print what they say, commands exist."""

from __future__ import annotations

import contextlib
import doctest
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
DOCUMENTS = [path for name in ("README.md", "NOTATION.md", "CONTRIBUTING.md") if (path := ROOT / name).exists()]
# a block of Python, and the block of plain text that follows it, if one does: its output
BLOCK = re.compile(r"^```python\n(.*?)^```\n(?:\s*```(?:text)?\n(.*?)^```\n)?", re.MULTILINE | re.DOTALL)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_code_blocks_run_and_print_what_is_shown(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    text = path.read_text()
    names: dict[str, object] = {}
    for match in BLOCK.finditer(text):
        code, expected = match[1], match[2]
        line = text.count("\n", 0, match.start()) + 2
        if ">>>" in code:
            example = doctest.DocTestParser().get_doctest(code, names, path.name, str(path), line - 1)
            report = io.StringIO()
            failures = doctest.DocTestRunner(optionflags=FLAGS).run(example, out=report.write, clear_globs=False).failed
            assert not failures, report.getvalue()
            names.update(example.globs)
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile("\n" * (line - 1) + code, str(path), "exec"), names)
        if expected is not None:
            assert doctest.OutputChecker().check_output(expected, printed.getvalue(), FLAGS), (
                f"{path.name}, line {line}: printed\n{printed.getvalue()}but shows\n{expected}"
            )


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.name)
def test_commands_and_files_that_are_named_exist(path: Path) -> None:
    text = path.read_text()
    goals = set(re.findall(r"^(\w+):", (ROOT / "Makefile").read_text(), flags=re.MULTILINE))
    assert set(re.findall(r"`make (\w+)", text)) - goals == set()
    files = set(re.findall(r"`((?:cpp|src|tests|bench|examples|docs)/[\w./-]+)`", text))
    assert [name for name in sorted(files) if not (ROOT / name).exists()] == []


def test_every_command_is_told() -> None:
    goals = set(re.findall(r"^(\w+):.*## ", (ROOT / "Makefile").read_text(), flags=re.MULTILINE)) - {"help"}
    assert goals - set(re.findall(r"`make (\w+)", (ROOT / "CONTRIBUTING.md").read_text())) == set()


def test_no_two_subjects_word_errors_under_one_name() -> None:
    """phipsi.errors gathers all subjects: of two sentences with one name, the later would hide the other."""
    named: dict[str, str] = {}
    for path in sorted((ROOT / "src/phipsi/errors").glob("*.py")):
        for name in re.findall(r"^(?:def|class) (\w+)", path.read_text(encoding="utf-8"), flags=re.MULTILINE):
            if not name.startswith("_"):
                assert named.setdefault(name, path.name) == path.name, name
