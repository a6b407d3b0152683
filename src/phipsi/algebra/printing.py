"""Expressions as text: the formula that Python would read again, and LaTeX."""

from __future__ import annotations

from phipsi.algebra.expression import Expression
from phipsi.algebra.nodes import Atom, Identity, Product, Sum, Zero


def text(expression: Expression) -> str:
    """The formula in code: `(I - H @ psi @ K) @ H`."""
    if isinstance(expression, Atom):
        name = expression.name
        if name in ("B", "Pi"):
            name = f"{name}({', '.join(map(repr, expression.symbol.frames))})"
        return f"{name}.T" if expression.transposed else name
    if isinstance(expression, Identity):
        return "I"
    if isinstance(expression, Zero):
        return "0"
    if isinstance(expression, Product):
        return " @ ".join(_in_product(factor, text(factor), "(", ")") for factor in expression.factors)
    assert isinstance(expression, Sum)
    parts: list[str] = []
    for c, term in expression.terms:
        written = text(term)
        # Python reads 2 * (A + B) @ C as (2 * (A + B)) @ C, and -(A + B) @ C likewise
        if isinstance(term, Product) and isinstance(term.factors[0], Sum) and (abs(c) != 1.0 or (c < 0 and not parts)):
            written = f"({written})"
        size = "" if abs(c) == 1.0 else f"{_number(abs(c))} * "
        parts.append(_signed(c, size + written, first=not parts))
    return " ".join(parts)


def latex(expression: Expression) -> str:
    r"""The formula in mathematics: \left(I - H \psi K\right) H."""
    if isinstance(expression, Atom):
        letter = expression.symbol.letter
        if expression.name in ("B", "Pi"):
            names = ", ".join(expression.symbol.frames).replace("_", r"\_")
            letter = rf"{letter}_{{\text{{{names}}}}}"
        return f"{{{letter}}}^{{*}}" if expression.transposed else letter
    if isinstance(expression, Identity):
        return "I"
    if isinstance(expression, Zero):
        return "0"
    if isinstance(expression, Product):
        pair = r"\left(", r"\right)"
        return " ".join(_in_product(factor, latex(factor), *pair) for factor in expression.factors)
    assert isinstance(expression, Sum)
    parts: list[str] = []
    for c, term in expression.terms:
        size = "" if abs(c) == 1.0 else rf"{_number(abs(c))} \, "
        parts.append(_signed(c, size + latex(term), first=not parts))
    return " ".join(parts)


def _in_product(factor: Expression, written: str, left: str, right: str) -> str:
    return f"{left}{written}{right}" if isinstance(factor, Sum) else written


def _signed(c: float, written: str, first: bool) -> str:
    if first:
        return f"-{written}" if c < 0 else written
    return f"{'-' if c < 0 else '+'} {written}"


def _number(c: float) -> str:
    return repr(int(c)) if c.is_integer() and c < 1e15 else repr(c)
