"""The documentation's builder: code on a page is run and shown, errors fail the build, scripts become pages.

That the whole site builds, strictly, is what `make docs` checks; here stands what it could do wrong in silence."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import pytest

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def builder(monkeypatch: pytest.MonkeyPatch) -> Any:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed: pages look for figures with it")
    monkeypatch.syspath_prepend(str(DOCS))
    import builder.execution
    import builder.tutorials

    yield builder
    for name in [name for name in sys.modules if name.partition(".")[0] == "builder"]:
        del sys.modules[name]


def test_a_block_shows_what_it_prints_and_blocks_share_names(builder: Any) -> None:
    page = builder.execution.page("```python\nx = 6\n```\n\nand\n\n```python\nprint(x * 7)\n```\n", "page.md")
    assert "print(x * 7)\n```\n\n``` {.text .output}\n42\n```" in page


def test_other_blocks_are_left_alone(builder: Any) -> None:
    text = "```py\nthis is not run\n```\n\n```sh\nrm -rf /\n```\n"
    assert builder.execution.page(text, "page.md") == text


def test_a_hidden_block_shows_only_its_output(builder: Any) -> None:
    page = builder.execution.page("```python hidden\nprint(6 * 7)\n```\n", "page.md")
    assert "print" not in page
    assert "42" in page


def test_a_figure_is_shown_inside_the_page(builder: Any) -> None:
    page = builder.execution.page("```python\nimport matplotlib.pyplot as p\np.plot([1, 2]);\n```\n", "page.md")
    assert page.count('src="data:image/svg+xml;base64,') == 1


@pytest.mark.parametrize("wrong", ["1 / 0", "import warnings; warnings.warn('look')", "assert 1 == 2"])
def test_an_error_or_a_warning_fails_the_build(builder: Any, wrong: str) -> None:
    with pytest.raises((ZeroDivisionError, UserWarning, AssertionError)):
        builder.execution.page(f"```python\n{wrong}\n```\n", "page.md")


SCRIPT = '''"""A title: and more.

Words * before."""

# %% A heading. And prose with H* and φ*
#       that goes on:
#
#           a = b * c
x = 2
# a comment in code stays there
print(x + x)

# %% [markdown]
# Here *stars* are stars.
'''


def test_a_script_becomes_a_page(builder: Any, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text(SCRIPT, encoding="utf-8")
    page = builder.tutorials.page(path)
    assert page.startswith("# A title: and more\n")
    assert "\n## A heading\n" in page
    assert "And prose with H\\* and φ\\*\nthat goes on:" in page
    assert "```text\na = b * c\n```" in page
    assert "# a comment in code stays there\nprint(x + x)" in page
    assert "``` {.text .output}\n4\n```" in page
    assert "Here *stars* are stars." in page


def test_a_script_that_fails_names_its_line(builder: Any, tmp_path: Path) -> None:
    path = tmp_path / "script.py"
    path.write_text('"""Title."""\n\n# %% One\nx = 1\n\n# %% Two\ny = 2\nz = x / 0\n', encoding="utf-8")
    with pytest.raises(ZeroDivisionError) as problem:
        builder.tutorials.page(path)
    assert problem.traceback[-1].lineno + 1 == 8
