"""From an expression to a program of sweeps: each step once, steps of one direction in one sweep.

An expression applied to x is read from right to left. Equal steps on equal vectors are done once. A sweep runs over all
bodies, tips → base or base → tips, and at each body does all of its steps: what is block diagonal joins either, what
gathers from the children needs the one, what asks the parent the other. Each step goes into the first sweep that can do
it, so there are as few sweeps as the order of the operators allows.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from phipsi.algebra import opcodes
from phipsi.algebra.atoms import ARTICULATED
from phipsi.algebra.expression import Expression
from phipsi.algebra.facts import ANY, Facts
from phipsi.algebra.graph import Graph, Node, factored
from phipsi.algebra.nodes import Atom, Product, Sum, Zero
from phipsi.algebra.normal_form import product
from phipsi.algebra.opcodes import DIRECTIONS, STEPS
from phipsi.algebra.scheduling import Program, scheduled
from phipsi.algebra.spaces import JOINTS

SWEEP = 30.0  # what a sweep costs beside its flops, in flops per link: the walk through memory


@dataclass(frozen=True)
class Cost:
    """What one application costs, per link; `complexity` in the number n of links.

    Flops are counted for `dofs` degrees of freedom a joint (1, unless a robot says otherwise); `articulated` says
    whether P, D and G are needed too, which are computed once for a configuration.
    """

    flops_per_link: float
    sweeps: int
    flops_per_frame: float = 0.0
    articulated: bool = False
    complexity: str = "O(n)"
    dofs: float = 1.0

    @property
    def price(self) -> float:
        """One number to compare by."""
        return self.flops_per_link + SWEEP * self.sweeps + self.flops_per_frame

    def __str__(self) -> str:
        frames = f" + {self.flops_per_frame:.0f} for each frame" if self.flops_per_frame else ""
        once = "; P, D and G once per configuration" if self.articulated else ""
        sweeps = "1 sweep" if self.sweeps == 1 else f"{self.sweeps} sweeps"
        return f"{self.flops_per_link:.0f} flops per link{frames}, {sweeps}, {self.complexity}{once}"


@dataclass(frozen=True)
class Plan:
    """How an expression is applied: one program, or where one does not suffice (several sets of frames) its parts."""

    expression: Expression
    program: Program | None
    parts: tuple[Plan, ...] = ()  # of a product's factors, last first, or of a sum's terms

    @property
    def directions(self) -> tuple[str, ...]:
        """The direction of each sweep, in order."""
        if self.program is None:
            return tuple(direction for part in self.parts for direction in part.directions)
        return tuple(DIRECTIONS[direction] for direction in self.program.sweeps)

    @property
    def cost(self) -> Cost:
        """What it costs, for one dof a joint."""
        return self.cost_for(1.0)

    def cost_for(self, dofs: float) -> Cost:
        """What it costs, for a mean number of dofs a joint."""
        articulated = any(isinstance(a, Atom) and a.name in ARTICULATED for a in self.expression.walk())
        if self.program is None:
            costs = [part.cost_for(dofs) for part in self.parts]
            link, frame = sum(c.flops_per_link for c in costs), sum(c.flops_per_frame for c in costs)
            if isinstance(self.expression, Atom):  # Pi, dense among the frames
                frame = 72.0 * len(self.expression.symbol.frames)
            order = "O(n) + O(m³) of m contacts" if _at_contacts(self.expression) else "O(n)"
            return Cost(link, sum(c.sweeps for c in costs), frame, articulated, order, dofs)
        link = sum(_flops(node, dofs) for node in self.program.nodes)
        frame = sum(opcodes.FLOPS_PER_FRAME for node in self.program.nodes if node.step in ("B", "B.T"))
        return Cost(link, len(self.program.sweeps), frame, articulated, dofs=dofs)


def _flops(node: Node, dofs: float) -> float:
    if node.step in STEPS:
        return STEPS[node.step].flops(dofs)
    scaled = sum(c not in (1.0, -1.0) for c in node.factors)
    return opcodes.width(node.space, dofs) * (max(len(node.factors) - 1, 0) + scaled)


# ── making a plan ─────────────────────────────────────────────────────────────────────────────────────────────────────


def plan(expression: Expression, facts: Facts = ANY) -> Plan:
    """How an expression is applied: rewritten by the table of identities, then scheduled. Cached."""
    from phipsi.algebra.rewriting import simplify

    return plan_as_written(simplify(expression, facts).expression)


@lru_cache(maxsize=4096)
def plan_as_written(expression: Expression) -> Plan:
    """How an expression is applied as it stands: common factors on the left taken out, if that is cheaper."""
    written = _plan(expression)
    taken_out = factored(expression)
    if taken_out == expression:
        return written
    other = _plan(taken_out)
    cheaper = (other.cost.price, other.program is None) < (written.cost.price, written.program is None)
    return other if cheaper else written


def _plan(expression: Expression) -> Plan:
    program = _in_one_program(expression)
    if program is not None:
        return Plan(expression, program)
    if isinstance(expression, Product):
        return Plan(expression, None, tuple(plan_as_written(part) for part in _runs(expression.factors)))
    if isinstance(expression, Sum):
        return Plan(expression, None, tuple(plan_as_written(term) for term in expression.children()))
    return Plan(expression, None)


def _in_one_program(expression: Expression) -> Program | None:
    """The program, if there can be one: it knows one list of frames, and sums of anything but frames' vectors."""
    if expression.domain is None or isinstance(expression, Zero) or _at_contacts(expression):
        return None
    graph = Graph(expression.domain.code, _surely_unmasked(expression))
    result = graph.apply(expression, 0)
    frames = _frames_of_program(expression, graph.nodes, result)
    sums = any(node.step == "+" and node.space == opcodes.FRAMES for node in graph.nodes)
    if frames is None or sums or (result == 0 and expression.domain.code == opcodes.FRAMES):
        return None
    return scheduled(graph.nodes, result, frames)


def _at_contacts(expression: Expression) -> bool:
    """Whether a dense solve among contact forces stands in it, which is no sweep."""
    return any(isinstance(part, Atom) and part.name == "Pi" for part in expression.walk())


def _frames_of_program(expression: Expression, nodes: list[Node], result: int) -> tuple[str, ...] | None:
    """The frames that a program knows: the output's, then the input's; None if they meet others on the way."""
    known = dict.fromkeys(a.symbol.frames for a in expression.walk() if isinstance(a, Atom) and a.name == "B")
    if len(known) <= 1:
        return next(iter(known), ())
    ends = [space.frames for space in (expression.codomain, expression.domain) if space is not None and space.frames]
    at_ends = all(
        (node.step != "B" or node.sources == (0,)) and (node.step != "B.T" or i == result)
        for i, node in enumerate(nodes)
    )
    return ends[0] + ends[1] if at_ends and len(ends) == 2 and set(ends) == set(known) else None


def _surely_unmasked(expression: Expression) -> bool:
    """Whether the expression's own symbols say that all dofs are free to move."""
    gains = ("G", "K", "D", "D.inv")
    return any(a.symbol.domain == JOINTS for a in expression.walk() if isinstance(a, Atom) and a.name in gains)


def _runs(factors: tuple[Expression, ...]) -> list[Expression]:
    """A product cut into pieces that one program can do each, the last factor first."""
    runs: list[tuple[Expression, ...]] = []
    for factor in reversed(factors):
        longer = (factor, *runs[-1]) if runs else (factor,)
        if runs and _in_one_program(product(longer)) is not None:
            runs[-1] = longer
        else:
            runs.append((factor,))
    return [product(run) for run in runs]
