"""Tutorials: the scripts of examples/, cell by cell, each cell with its words, its code and what it printed."""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from builder import execution

CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)
SENTENCE = re.compile(r"((?:\d+\.\s+)?.+?[.!?:])(?:\s|$)")


def title(path: Path) -> str:
    """The first sentence of the script's docstring."""
    return ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))).split("\n")[0].rstrip(".")  # type: ignore[union-attr]


def page(path: Path) -> str:
    """The script as a page; it is run as a person would run it, in a folder of its own."""
    text = path.read_text(encoding="utf-8")
    starts = list(CELL.finditer(text))
    ends = [cell.start() for cell in starts[1:]] + [len(text)]
    _, *rest = ast.get_docstring(ast.parse(text)).split("\n", 1)  # type: ignore[union-attr]
    lines = [f"# {title(path)}", "", *rest, "", f"*This page is `examples/{path.name}`, run when the site was built.*"]
    names: dict[str, Any] = {"__name__": "__main__", "__file__": str(path)}
    argv, here = sys.argv, Path.cwd()
    with tempfile.TemporaryDirectory() as folder:
        sys.argv = [path.name, "picture.svg"]
        os.chdir(folder)
        try:
            for cell, end in zip(starts, ends, strict=True):
                lines += _cell(cell[1].strip(), text[cell.end() : end], names, path, text.count("\n", 0, cell.end()))
        finally:
            sys.argv = argv
            os.chdir(here)
    return "\n".join(lines)


def _cell(heading: str, body: str, names: dict[str, Any], path: Path, line: int) -> Iterator[str]:
    comment = re.match(r"\n((?:#.*\n?)*)", body)
    prose, code = (comment[1], body[comment.end() :]) if comment else ("", body)
    words = textwrap.dedent(re.sub(r"^#(?: |$)", "", prose, flags=re.MULTILINE))
    if heading != "[markdown]":
        sentence = SENTENCE.match(heading)
        head, more = (sentence[1], heading[sentence.end() :]) if sentence else (heading, "")
        yield f"\n## {_plain(head.rstrip('.:'))}\n"
        words = _set_off(f"{more}\n{words}")
    yield words
    if code.strip():
        shift = len(code) - len(code.lstrip("\n"))
        yield f"\n```py\n{code.strip()}\n```\n"
        line += body.count("\n", 0, len(body) - len(code)) + shift + 1
        yield execution.run(code.lstrip("\n"), names, path.name, line).markdown()
    drawn = Path("picture.svg")
    if drawn.exists():
        yield f"{execution.picture(drawn.read_text(encoding='utf-8'))}\n"
        drawn.unlink()


def _set_off(words: str) -> str:
    """Comments as Markdown: letters mean themselves, and what is indented by four or more stands as it was typed."""
    blocks = re.split(r"((?:^    .*\n|^[ ]*\n(?=    ))+)", words, flags=re.MULTILINE)
    return "".join(f"\n```text\n{textwrap.dedent(block).strip(chr(10))}\n```\n" if i % 2 else _plain(block)
                   for i, block in enumerate(blocks) if block.strip())  # fmt: skip


def _plain(words: str) -> str:
    return re.sub(r"([*_<$])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", words)
