"""Formulas: $…$ and $$…$$ in LaTeX become MathML, which browsers draw by themselves, without a network."""

from __future__ import annotations

import re

from latex2mathml.converter import convert

CODE = re.compile(r"(^```.*?^```$|`[^`\n]+`)", re.MULTILINE | re.DOTALL)
DISPLAY = re.compile(r"\$\$(.+?)\$\$", re.DOTALL)
INLINE = re.compile(r"(?<![\\$\w])\$(?!\s)([^$\n]+?)(?<!\s)\$(?![\w$])")


def page(markdown: str) -> str:
    """A page with its formulas drawn; code is left alone."""
    parts = CODE.split(markdown)
    return "".join(part if i % 2 else _formulas(part) for i, part in enumerate(parts))


def _formulas(text: str) -> str:
    text = DISPLAY.sub(lambda m: f'<div class="formula">{mathml(m[1], "block")}</div>', text)
    return INLINE.sub(lambda m: f"<span>{mathml(m[1])}</span>", text)  # a bare <math> would start a paragraph


def mathml(latex: str, display: str = "inline") -> str:
    """LaTeX as MathML, on one line: it may stand in a table."""
    return re.sub(r"\s+", " ", convert(latex.strip(), display=display)).replace("|", "&#124;")
