"""Running code for a page: what it prints, and what it draws."""

from __future__ import annotations

import base64
import contextlib
import io
import re
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

BLOCK = re.compile(r"^```python( hidden)?\n(.*?)^```\n", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Output:
    """The text that a piece of code printed, and its figures as SVG."""

    text: str
    figures: tuple[str, ...]

    def markdown(self) -> str:
        """As it stands below the code."""
        text = f"``` {{.text .output}}\n{self.text.rstrip()}\n```\n" if self.text.strip() else ""
        return "\n".join([text, *(f"{picture(figure)}\n" for figure in self.figures)])


def picture(svg: str) -> str:
    """An SVG as an image inside the page: nothing to load, and its ids meet no others."""
    data = base64.b64encode(svg.encode()).decode()
    return f'<img class="figure" alt="figure" src="data:image/svg+xml;base64,{data}">'


def run(code: str, names: dict[str, Any], origin: str, line: int = 1) -> Output:
    """Execute code in `names`. An exception tells the page and the line, and fails the build."""
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", module="matplotlib|pyparsing|dateutil")
        exec(compile("\n" * (line - 1) + code, origin, "exec"), names)
    return Output(printed.getvalue(), tuple(_figures()))


def _figures() -> Iterator[str]:
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    for number in pyplot.get_fignums():
        page = io.StringIO()
        pyplot.figure(number).savefig(page, format="svg", bbox_inches="tight", metadata={"Date": None})
        yield page.getvalue()
    pyplot.close("all")


def page(markdown: str, origin: str) -> str:
    """A page whose ```python blocks have been run, in order and in one namespace, and show what they print and draw.

    Of a ```python hidden block, only that is shown: code that draws a picture need not be read."""
    names: dict[str, Any] = {"__name__": "__main__"}

    def show(match: re.Match[str]) -> str:
        line = markdown.count("\n", 0, match.start()) + 2
        code = "" if match[1] else match[0]
        return f"{code}\n{run(match[2], names, origin, line).markdown()}"

    return BLOCK.sub(show, markdown)
