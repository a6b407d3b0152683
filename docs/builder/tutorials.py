"""Tutorials: the scripts of examples/, cell by cell, each cell with its words, its code and what it printed."""

from __future__ import annotations

import ast
import os
import re
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from builder import execution

CELL = re.compile(r"^# %%(.*)$", re.MULTILINE)
SENTENCE = re.compile(r"(?:\d+\.\s+)?\D.*?[.!?](?=\s|$)", re.DOTALL)


def title(path: Path) -> str:
    """The first sentence of the script's docstring."""
    return _docstring(path.read_text(encoding="utf-8")).split("\n")[0].rstrip(".")


def _docstring(text: str) -> str:
    return ast.get_docstring(ast.parse(text)) or "Untitled"


def page(path: Path) -> str:
    """The script as a page; it is run as a person would run it, in a folder of its own."""
    text = path.read_text(encoding="utf-8")
    starts = list(CELL.finditer(text))
    ends = [cell.start() for cell in starts[1:]] + [len(text)]
    _, *rest = _docstring(text).split("\n", 1)
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
    if heading == "[markdown]":
        words = re.sub(r"^# ", "## ", words, flags=re.MULTILINE)  # the page has its title
    else:
        head, words = _head(heading, words)
        yield f"\n## {_plain(head)}\n"
        words = _set_off(words)
    yield words
    if code.strip():
        shift = len(code) - len(code.lstrip("\n"))
        yield f"\n```py\n{code.strip()}\n```\n"
        line += body.count("\n", 0, len(body) - len(code)) + shift + 1
        output = execution.run(code.lstrip("\n"), names, path.name, line)
        drawn = Path("picture.svg")
        if drawn.exists():  # the script saved its figure: that one is shown, once
            output = replace(output, figures=(drawn.read_text(encoding="utf-8"),))
            drawn.unlink()
        yield output.markdown()


def _head(heading: str, words: str) -> tuple[str, str]:
    """What stands above a cell, and what below: the first sentence, if it ends in the marker's line or goes on."""
    goes_on = bool(words) and (words[0].islower() or not heading[-1:].isalnum())
    text = f"{heading}\n{words}"
    sentence = SENTENCE.match(text if goes_on else f"{heading}.")
    head = " ".join(sentence[0].split()) if sentence else heading
    rest = text[sentence.end() :] if sentence and goes_on else text[min(len(head), len(heading)) :]
    return head.rstrip("."), rest.lstrip(" ")


def _set_off(words: str) -> str:
    """Comments as Markdown: letters mean themselves, and what is indented by four or more stands as it was typed."""
    blocks = re.split(r"((?:^    .*\n|^[ ]*\n(?=    ))+)", words, flags=re.MULTILINE)
    return "".join(f"\n```text\n{textwrap.dedent(block).strip(chr(10))}\n```\n" if i % 2 else _plain(block)
                   for i, block in enumerate(blocks) if block.strip())  # fmt: skip


def _plain(words: str) -> str:
    return re.sub(r"([*_<$])(?![^`]*`(?:[^`]*`[^`]*`)*[^`]*$)", r"\\\1", words)
