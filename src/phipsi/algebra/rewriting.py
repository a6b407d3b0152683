"""Rewriting by the table of identities: a rule's left side becomes its right side where that is cheaper.

A rule is a row of the table marked `rewrite`, read on symbols; its transpose is a rule too, and so is its left side
multiplied out. It matches neighbouring factors of a product, or terms of a sum up to a common factor. Of all that could
be done the cheapest result is taken, and again, until nothing makes the expression cheaper (by the cost that planning
counts) or, at equal cost, shorter. So rewriting ends, gives the same answer every time, and never costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from phipsi import errors
from phipsi.algebra import inverses
from phipsi.algebra.atoms import MASKED, PLAIN, Vocabulary, is_masked
from phipsi.algebra.expression import Expression
from phipsi.algebra.facts import ANY, NO_ARMATURE, Facts
from phipsi.algebra.nodes import Atom, Identity, Product, Sum
from phipsi.algebra.normal_form import assuming, product, total

if TYPE_CHECKING:
    from phipsi.algebra.identities import Row


@dataclass(frozen=True)
class Rule:
    """`left` may become `right`; `reference` and `words` are of the theorem."""

    left: Expression
    right: Expression
    reference: str
    words: str


@dataclass(frozen=True)
class Step:
    """One rewriting: the rule, and the whole expression after it."""

    rule: Rule
    after: Expression


@dataclass(frozen=True)
class Simplified:
    """An expression, and how it was reached."""

    expression: Expression
    steps: tuple[Step, ...]


def simplify(expression: Expression, facts: Facts = ANY) -> Simplified:
    """Rewrite an expression by the table, as it is now. Cached."""
    masked = is_masked(expression) if facts.masked is None else facts.masked
    armature = False if NO_ARMATURE in expression.assumes else facts.armature
    facts = Facts(armature is not False, facts.branching, masked)
    done = _simplify(expression, facts, _rows())
    return replace(done, expression=assuming(done.expression, expression.assumes)) if expression.assumes else done


@lru_cache(maxsize=4096)
def _simplify(expression: Expression, facts: Facts, rows: Rows) -> Simplified:
    index = _index(facts, rows)
    steps: list[Step] = []
    price = _price(expression)
    while True:
        best: Step | None = None
        for rule, after in _rewritten(expression, index):
            candidate = _price(after)
            if candidate < price:
                price, best = candidate, Step(rule, after)
        if best is None:
            return Simplified(expression, tuple(steps))
        steps.append(best)
        expression = best.after


def _price(expression: Expression) -> tuple[float, float, int]:
    """What to make smaller: the cost, then whether articulated inertias are needed, then the length."""
    from phipsi.algebra.planning import plan_as_written

    if isinstance(expression, Identity) or expression.domain is None:
        return 0.0, 0.0, 1
    cost = plan_as_written(expression).cost
    riccati = 1e6 if cost.articulated else 0.0  # never for the sake of a few flops
    return round(cost.price + riccati, 6), 0.0, expression.size


# ── rules ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


class Rows:
    """The rows that are rules. One object while the table stays as it is, so that it is a cheap key of caches."""

    def __init__(self, table: list[Row]) -> None:
        self.table = table
        self.rules = tuple(row for row in table if row.rewrite)


_known = Rows([])


def _rows() -> Rows:
    """The table's rules, now: a row added later is a rule at once."""
    from phipsi.algebra import identities

    global _known
    table = list(identities.TABLE.values())
    if table != _known.table:
        _known = Rows(table)
    return _known


@lru_cache(maxsize=32)
def rules(facts: Facts, rows: Rows) -> tuple[Rule, ...]:
    """All rules that hold with these facts: of the table, of known inverses, and transposed."""
    vocabulary = MASKED if facts.masked else PLAIN
    found: dict[Expression, Rule] = {}
    for rule in (*_of_table(vocabulary, facts, rows.rules), *_of_inverses(facts)):
        for left, right in ((rule.left, rule.right), (rule.left.T, rule.right.T)):
            for form in dict.fromkeys((left, multiplied_out(left))):
                if form != right and not isinstance(form, Atom | Identity):
                    found.setdefault(form, Rule(form, right, rule.reference, rule.words))
    return tuple(found.values())


def _of_table(vocabulary: Vocabulary, facts: Facts, rows: Iterable[Row]) -> Iterator[Rule]:
    for row in rows:
        if (facts.masked and not row.masks) or (facts.armature and not row.armature):
            continue
        if (facts.branching and not row.trees) or (row.needs_mask and not facts.masked):
            continue
        try:
            left, right = cast(tuple[Expression, Expression], row.statement(vocabulary.free))
        except errors.NoInverse:  # a theorem about an inverse that symbols do not know: a test, not a rule
            continue
        yield Rule(left, right, row.ref, row.words)


def _of_inverses(facts: Facts) -> Iterator[Rule]:
    for pair in inverses.pairs(facts.masked is True):
        if pair.armature or not facts.armature:
            for left in (pair.operator @ pair.inverse, pair.inverse @ pair.operator):
                yield Rule(left, Identity(left.domain), pair.reference, pair.words)


def multiplied_out(expression: Expression) -> Expression:
    """A (B + C) as A B + A C, throughout."""
    if isinstance(expression, Sum):
        return total((c, multiplied_out(term)) for c, term in expression.terms)
    if not isinstance(expression, Product):
        return expression
    done: list[tuple[float, tuple[Expression, ...]]] = [(1.0, ())]
    for factor in expression.factors:
        flat = multiplied_out(factor)
        terms = flat.terms if isinstance(flat, Sum) else ((1.0, flat),)
        done = [(c * own, (*before, term)) for c, before in done for own, term in terms]
    return total((c, product(factors)) for c, factors in done)


_Index = dict[Expression, list[Rule]]


@lru_cache(maxsize=32)
def _index(facts: Facts, rows: Rows) -> _Index:
    """The rules by the first factor of a product, or by the first term of a sum."""
    index: _Index = {}
    for rule in rules(facts, rows):
        first = rule.left.factors[0] if isinstance(rule.left, Product) else rule.left.children()[0]
        index.setdefault(first, []).append(rule)
    return index


# ── matching ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _rewritten(expression: Expression, index: _Index) -> Iterator[tuple[Rule, Expression]]:
    """Every expression that one use of one rule makes of this one, outermost and leftmost first."""
    if isinstance(expression, Product):
        yield from _in_product(expression, index)
    if isinstance(expression, Sum):
        yield from _in_sum(expression, index)
    children = expression.children()
    for i, child in enumerate(children):
        for rule, after in _rewritten(child, index):
            yield rule, expression.rebuilt((*children[:i], after, *children[i + 1 :]))


def _in_product(expression: Product, index: _Index) -> Iterator[tuple[Rule, Expression]]:
    factors = expression.factors
    for i, first in enumerate(factors):
        for rule in index.get(first, ()):
            if not isinstance(rule.left, Product):
                continue
            end = i + len(rule.left.factors)
            if factors[i:end] == rule.left.factors:
                yield rule, expression.rebuilt((*factors[:i], rule.right, *factors[end:]))


def _in_sum(expression: Sum, index: _Index) -> Iterator[tuple[Rule, Expression]]:
    coefficients = {term: c for c, term in expression.terms}
    for c, first in expression.terms:
        for rule in index.get(first, ()):
            if not isinstance(rule.left, Sum):
                continue
            common = c / rule.left.terms[0][0]
            if all(coefficients.get(term) == common * own for own, term in rule.left.terms):
                matched = {term for _, term in rule.left.terms}
                others = [(own, term) for own, term in expression.terms if term not in matched]
                yield rule, assuming(total([*others, (common, rule.right)]), expression.assumes)
