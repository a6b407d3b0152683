"""Products, sums and multiples in normal form, and the spaces that their parts must meet in."""

from __future__ import annotations

from collections.abc import Iterable

from phipsi import errors
from phipsi.algebra.expression import Expression
from phipsi.algebra.nodes import NOTHING, Identity, Product, Sum, Zero
from phipsi.algebra.spaces import Space


def assuming(expression: Expression, assumes: frozenset[str]) -> Expression:
    """The same expression, which also assumes something of the robot."""
    if assumes <= expression.assumes:
        return expression
    both = expression.assumes | assumes
    if isinstance(expression, Product):
        return Product(expression.factors, both)
    if isinstance(expression, Sum):
        return Sum(expression.terms, both)
    return expression


def scaled(factor: float, expression: Expression) -> Expression:
    """c A."""
    return total(((factor, expression),))


def product(factors: Iterable[Expression]) -> Expression:
    """A B C …, in normal form; :class:`phipsi.SpaceError` where neighbours do not meet in one space."""
    flat: list[Expression] = []
    coefficient, assumes = 1.0, NOTHING
    given = list(factors)
    ends = _check_product(given)
    for factor in given:
        assumes |= factor.assumes
        if isinstance(factor, Zero):
            return Zero(*ends)
        if isinstance(factor, Sum) and len(factor.terms) == 1:
            coefficient *= factor.terms[0][0]
            factor = factor.terms[0][1]
        if isinstance(factor, Identity):
            continue
        flat.extend(factor.factors if isinstance(factor, Product) else (factor,))
    if not flat:
        made: Expression = Identity(ends[0])
    else:
        made = flat[0] if len(flat) == 1 else Product(tuple(flat), assumes)
    return assuming(made, assumes) if coefficient == 1.0 else assuming(scaled(coefficient, made), assumes)


def _check_product(factors: list[Expression]) -> tuple[Space | None, Space | None]:
    """The spaces (codomain, domain) of a product; neighbours must meet in one."""
    left: Expression | None = None
    codomain: Space | None = None
    domain: Space | None = None
    for right in factors:
        if domain is not None and right.codomain is not None and domain != right.codomain:
            assert left is not None
            raise errors.spaces_of_product(*_described(left), *_described(right))
        codomain = right.codomain if codomain is None else codomain
        if right.domain is not None:
            left, domain = right, right.domain
    return codomain, domain


def total(terms: Iterable[tuple[float, Expression]]) -> Expression:
    """c A + d B + …, in normal form; :class:`phipsi.SpaceError` where the terms do not map between the same spaces."""
    given = [(c, term) for c, term in terms]
    codomain, domain = _check_sum([term for _, term in given])
    found: dict[Expression, float] = {}
    assumes = NOTHING
    for c, term in given:
        assumes |= term.assumes
        parts = term.terms if isinstance(term, Sum) else ((1.0, term),)
        for own, part in parts:
            if isinstance(part, Identity):
                part = Identity(codomain)
            if not isinstance(part, Zero):
                found[part] = found.get(part, 0.0) + c * own
    left = tuple((c, term) for term, c in found.items() if c != 0.0)
    if not left:
        return Zero(codomain, domain)
    if len(left) == 1 and left[0][0] == 1.0:
        return assuming(left[0][1], assumes)
    return Sum(left, assumes)


def _check_sum(terms: list[Expression]) -> tuple[Space | None, Space | None]:
    """The spaces (codomain, domain) of a sum."""
    known = [term for term in terms if term.codomain is not None or term.domain is not None]
    if not known:
        return None, None
    first = known[0]
    for term in known[1:]:
        if (term.codomain, term.domain) != (first.codomain, first.domain):
            raise errors.spaces_of_sum(*_described(first), *_described(term))
    if len(known) < len(terms) and first.codomain != first.domain:
        raise errors.identity_not_square(*_described(first))
    return first.codomain, first.domain


def _described(expression: Expression) -> tuple[str, str, str, str]:
    """How an error speaks of an expression: its formula, what it does, its codomain, its domain."""
    from phipsi.algebra.atoms import meaning

    return repr(expression), meaning(expression), str(expression.codomain), str(expression.domain)
