"""What an expression does: the theorems behind it, its sweeps as recursions, its cost."""

from __future__ import annotations

from dataclasses import dataclass

from phipsi.algebra.atoms import is_masked
from phipsi.algebra.expression import Expression
from phipsi.algebra.facts import ANY, Facts
from phipsi.algebra.inverses import recognised
from phipsi.algebra.planning import Cost, plan
from phipsi.algebra.printing import latex
from phipsi.algebra.recursions import Sweep, recursions
from phipsi.algebra.rewriting import simplify


@dataclass(frozen=True)
class Theorem:
    """A theorem that was used: its citation, what it says, and what it made of the expression (if it rewrote it)."""

    reference: str
    words: str
    after: Expression | None = None


@dataclass(frozen=True, repr=False)
class Explanation:
    """The answer of `explain()`: print it, or read its parts. In a notebook it is mathematics."""

    expression: Expression
    theorems: tuple[Theorem, ...]
    executed: Expression
    sweeps: tuple[Sweep, ...]
    cost: Cost

    def __str__(self) -> str:
        lines = [repr(self.expression)]
        if self.theorems:
            lines += ["", "theorems"]
            for theorem in self.theorems:
                lines.append(f"  {theorem.reference} {theorem.words}")
                if theorem.after is not None:
                    lines.append(f"    → {theorem.after!r}")
        lines += ["", f"y = A x in {self.cost.sweeps} sweep{'' if self.cost.sweeps == 1 else 's'}"]
        for i, sweep in enumerate(self.sweeps):
            lines.append(f"  {i + 1}. {sweep.direction}: {'; '.join(sweep.recursions)}")
        lines += ["", f"cost: {self.cost}"]
        return "\n".join(lines)

    __repr__ = __str__

    def _repr_latex_(self) -> str:
        rows = [f"A &= {latex(self.expression)}"]
        rows += [f"&= {latex(t.after)} && \\text{{{t.reference}}}" for t in self.theorems if t.after is not None]
        for sweep in self.sweeps:
            direction = sweep.direction.replace("→", r"$\to$")
            rows.append(rf"& \text{{{direction}}}")
            rows += [f"& \\quad {equation}" for equation in sweep.equations]
        rows.append(rf"& \text{{{self.cost}}}")
        return "$$\\begin{aligned}\n" + " \\\\\n".join(rows) + "\n\\end{aligned}$$"


def explain(expression: Expression, facts: Facts = ANY, dofs: float = 1.0) -> Explanation:
    """How an expression is understood and carried out.

    >>> from phipsi.algebra import H, M, phi
    >>> print((H @ phi @ M @ phi.T @ H.T).explain())
    H @ phi @ M @ phi.T @ H.T
    <BLANKLINE>
    y = A x in 2 sweeps
      1. base → tips: λ(k) = φ*(p,k) λ(p) + H*(k) x(k)
      2. tips → base: z(k) = Σ φ(k,j) z(j) + M(k) λ(k); y(k) = H(k) z(k)
    <BLANKLINE>
    cost: 100 flops per link, 2 sweeps, O(n)
    """
    simplified = simplify(expression, facts)
    theorems = [Theorem(_bracketed(p.reference), p.words) for p in recognised(expression, facts)]
    theorems += [Theorem(_bracketed(s.rule.reference), s.rule.words, s.after) for s in simplified.steps]
    made = plan(expression, facts)
    masked = is_masked(expression) if facts.masked is None else facts.masked
    sweeps, cost = recursions(made, masked), made.cost_for(dofs)
    return Explanation(expression, tuple(theorems), simplified.expression, sweeps, cost)


def _bracketed(reference: str) -> str:
    return reference if reference.startswith("[") else f"[{reference}]"
