"""An expression applied to x, as a graph of steps: equal steps on equal vectors are one."""

from __future__ import annotations

from dataclasses import dataclass

from phipsi.algebra import opcodes
from phipsi.algebra.expression import Expression
from phipsi.algebra.nodes import Atom, Identity, Product, Sum, Zero
from phipsi.algebra.normal_form import product, total
from phipsi.algebra.opcodes import STEPS


@dataclass(frozen=True)
class Node:
    """A step of the graph: what it does, to which nodes, in which space its result is. Node 0 is the input.

    A sum has several sources with a factor each; everything else has one.
    """

    step: str  # a key of STEPS, or "x" (the input), or "+"
    sources: tuple[int, ...]
    factors: tuple[float, ...]
    space: int


class Graph:
    """The steps so far; `unmasked`: the expression itself says that all dofs are free to move."""

    def __init__(self, space: int, unmasked: bool) -> None:
        self.nodes: list[Node] = [Node("x", (), (), space)]
        self._found: dict[Node, int] = {}
        self.unmasked = unmasked

    def add(self, step: str, source: int) -> int:
        """The node of a step applied to another node."""
        if self.unmasked and step.startswith("H_p"):  # of Omega: all dofs are free, so that it meets H itself
            step = step.replace("H_p", "H")
        return self._node(Node(step, (source,), (), STEPS[step].gives))

    def _node(self, node: Node) -> int:
        if node not in self._found:
            self._found[node] = len(self.nodes)
            self.nodes.append(node)
        return self._found[node]

    def apply(self, expression: Expression, source: int) -> int:
        """The node that is `expression` applied to the node `source`."""
        if isinstance(expression, Identity):
            return source
        if isinstance(expression, Atom):
            name = expression.name + (".T" if expression.transposed else "")
            for step in reversed(opcodes.COMPOSED.get(name, (name,))):
                source = self.add(step, source)
            return source
        if isinstance(expression, Product):
            for factor in reversed(expression.factors):
                source = self.apply(factor, source)
            return source
        if isinstance(expression, Zero):
            assert expression.codomain is not None
            return self._node(Node("+", (), (), expression.codomain.code))
        assert isinstance(expression, Sum)
        terms: dict[int, float] = {}
        for c, term in expression.terms:
            at = self.apply(term, source)
            terms[at] = terms.get(at, 0.0) + c
        space = self.nodes[next(iter(terms))].space
        return self._node(Node("+", tuple(terms), tuple(terms.values()), space))


def factored(expression: Expression) -> Expression:
    """A B + A C as A (B + C), wherever it occurs."""
    children = expression.children()
    if children:
        expression = expression.rebuilt(factored(child) for child in children)
    if not isinstance(expression, Sum):
        return expression
    groups: dict[Expression, list[tuple[float, Expression]]] = {}
    for c, term in expression.terms:
        if isinstance(term, Product):
            groups.setdefault(term.factors[0], []).append((c, product(term.factors[1:])))
        else:
            groups.setdefault(term, []).append((c, Identity(term.domain)))
    if all(len(group) == 1 for group in groups.values()):
        return expression
    out: list[tuple[float, Expression]] = []
    for first, group in groups.items():
        if len(group) == 1:
            out.append((group[0][0], product((first, group[0][1]))))
        else:
            out.append((1.0, product((first, factored(total(group))))))
    return total(out)
