"""The sweeps of a plan as recursions, in the papers' letters, as text and as LaTeX.

A step whose result is used once, in the same sweep, is written inside the step that uses it; gatherings, sums and what
is used again get a letter of their own: z and s for forces, λ and μ for motions, ε and ν at the joints.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from phipsi.algebra import opcodes
from phipsi.algebra.graph import Node
from phipsi.algebra.nodes import Atom
from phipsi.algebra.opcodes import DIRECTIONS
from phipsi.algebra.planning import Plan
from phipsi.algebra.scheduling import Program


@dataclass(frozen=True)
class Sweep:
    """One sweep: its direction, its recursions as text, and as LaTeX."""

    direction: str
    recursions: tuple[str, ...]
    equations: tuple[str, ...]


def recursions(plan: Plan, masked: bool = False) -> tuple[Sweep, ...]:
    """The sweeps of a plan, in order; without a mask the passive rows H_p are H."""
    if plan.program is None:
        if isinstance(plan.expression, Atom):
            return (Sweep("at the contacts", ("y = Π x, dense",), (r"y = \Pi x",)),)
        return tuple(sweep for part in plan.parts for sweep in recursions(part, masked))
    plain, fancy = _Writer(plan.program, _TEXT, masked), _Writer(plan.program, _LATEX, masked)
    return tuple(
        Sweep(DIRECTIONS[direction], tuple(plain.sweep(i)), tuple(fancy.sweep(i)))
        for i, direction in enumerate(plan.program.sweeps)
    )


_LOCAL = {  # the letters of steps that stay at one body
    "H": ("H", "H"), "H.T": ("H*", "H^*"), "H_p": ("H_p", "H_p"), "H_p.T": ("H_p*", "H_p^*"), "H_a": ("H_a", "H_a"),
    "H_a.T": ("H_a*", "H_a^*"), "M": ("M", "M"), "P": ("P", "P"), "P_plus": ("P⁺", "P^+"),
    "Upsilon": ("Υ", r"\Upsilon"), "tau": ("τ", r"\tau"), "tau.T": ("τ*", r"\tau^*"),
    "tau_bar": ("τ̄", r"\bar\tau"), "tau_bar.T": ("τ̄*", r"\bar\tau^*"), "G": ("G", "G"), "G.T": ("G*", "G^*"),
    "D": ("D", "D"), "D.inv": ("D⁻¹", "D^{-1}"), "J": ("J", "J"), "B": ("B", "B"), "B.T": ("B*", "B^*"),
}  # fmt: skip
_CARRIED = {  # of steps that go from body to body; K is what G and E_phi make together
    "phi": ("φ", r"\phi"), "E_phi": ("φ", r"\phi"), "psi": ("ψ", r"\psi"), "E_psi": ("ψ", r"\psi"),
    "phi.T": ("φ*", r"\phi^*"), "E_phi.T": ("φ*", r"\phi^*"), "psi.T": ("ψ*", r"\psi^*"),
    "E_psi.T": ("ψ*", r"\psi^*"), "K": ("K", "K"), "K.T": ("K*", "K^*"),
}  # fmt: skip
_LETTERS = {
    "up": (("z", "s", "w", "r"), ("z", "s", "w", "r")),
    "down": (("λ", "μ", "ξ", "η"), (r"\lambda", r"\mu", r"\xi", r"\eta")),
    "joints": (("ε", "κ", "γ"), (r"\epsilon", r"\kappa", r"\gamma")),
    "D.inv": (("ν", "χ"), (r"\nu", r"\chi")),
    "other": (("c", "d", "e", "g"), ("c", "d", "e", "g")),
}
_TEXT, _LATEX = 0, 1


class _Writer:
    def __init__(self, program: Program, style: int, masked: bool) -> None:
        self.program, self.style, self.masked = program, style, masked
        self.uses: list[list[int]] = [[] for _ in program.nodes]
        for i, node in enumerate(program.nodes):
            for source in node.sources:
                self.uses[source].append(i)
        self.names: dict[int, str] = {0: "x", program.result: "y"}
        taken: dict[str, int] = {}
        for i in range(1, len(program.nodes)):
            if i not in self.names and not self._inline(i):
                self.names[i] = self._name(program.nodes[i], taken)
        if program.result == 0:
            self.names[0] = "x"

    def sweep(self, number: int) -> Iterator[str]:
        for i in range(1, len(self.program.nodes)):
            if i in self.names and self.program.sweep_of[i] == number:
                yield f"{self.names[i]}(k) = {self._right(i)}"
        if self.program.result == 0:
            yield "y(k) = x(k)"

    def _inline(self, i: int) -> bool:
        """Whether a step is written inside the one that uses it."""
        node, uses = self.program.nodes[i], self.uses[i]
        if len(uses) != 1 or self.program.sweep_of[i] != self.program.sweep_of[uses[0]]:
            return False
        user = self.program.nodes[uses[0]].step
        if user == "+" and node.step == "+":
            return False
        if node.step in ("E_phi", "E_psi"):  # a sum over children: may stand in a sum, or begin another gathering
            return user in ("phi", "psi", "+")
        if node.step in ("E_phi.T", "E_psi.T"):
            return True
        if node.step in ("phi", "psi", "phi.T", "psi.T"):
            return False
        if user in ("E_phi", "E_psi") and node.step == "G":
            return user == "E_phi"
        return user not in ("E_phi", "E_psi", "E_phi.T", "E_psi.T") and node.step != "+"

    def _name(self, node: Node, taken: dict[str, int]) -> str:
        if node.step == "D.inv":
            kind = "D.inv"
        elif node.space == opcodes.JOINTS:
            kind = "joints"
        elif node.step in STEP_KIND:
            kind = STEP_KIND[node.step]
        else:
            kind = "other"
        letters = _LETTERS[kind][self.style]
        count = taken[kind] = taken.get(kind, -1) + 1
        return letters[count] if count < len(letters) else f"{letters[-1]}{count}"

    # ── one step ──────────────────────────────────────────────────────────────────────────────────────────────────

    def _value(self, i: int, k: str = "k") -> str:
        """The vector of node i at body k: its letter, or what it is."""
        if i in self.names:
            return f"{self.names[i]}({k})"
        return self._right(i, k)

    def _right(self, i: int, k: str = "k") -> str:
        node = self.program.nodes[i]
        if node.step == "+":
            return self._sum(node)
        source = node.sources[0]
        if node.step in ("phi", "psi"):
            own = self._value(source)
            return f"{self._gather(node.step, self.names[i] + '(j)')} + {own}"
        if node.step in ("phi.T", "psi.T"):
            return f"{self._carried(node.step, 'p,k')} {self.names[i]}(p) + {self._value(source)}"
        if node.step in ("E_phi", "E_psi"):
            inner = self.program.nodes[source]
            if source not in self.names and inner.step == "G":
                return self._gather("K", self._value(inner.sources[0], "j"))
            return self._gather(node.step, self._value(source, "j"))
        if node.step in ("E_phi.T", "E_psi.T"):
            return f"{self._carried(node.step, 'p,k')} {self._value(source, 'p')}"
        inner = self.program.nodes[source]
        if node.step == "G.T" and source not in self.names and inner.step == "E_phi.T":
            return f"{self._carried('K.T', 'p,k')} {self._value(inner.sources[0], 'p')}"
        value = self._value(source, k)
        bracketed = f"[{value}]" if source not in self.names and " + " in value else value
        step = node.step if self.masked else node.step.replace("H_p", "H")
        return f"{_LOCAL[step][self.style]}({k}) {bracketed}"

    def _gather(self, step: str, value: str) -> str:
        sign = "Σ" if self.style == _TEXT else r"\sum_j"
        return f"{sign} {self._carried(step, 'k,j')} {value}"

    def _carried(self, step: str, ends: str) -> str:
        return f"{_CARRIED[step][self.style]}({ends})"

    def _sum(self, node: Node) -> str:
        if not node.sources:
            return "0"
        out = ""
        for source, c in zip(node.sources, node.factors, strict=True):
            sign = ("- " if c < 0 else "+ ") if out else ("-" if c < 0 else "")
            sign = sign.replace("-", "−") if self.style == _TEXT else sign
            size = "" if abs(c) == 1.0 else f"{abs(c):g} "
            value = self._value(source)
            out += f"{' ' if out else ''}{sign}{size}{value}"
        return out


STEP_KIND = {
    "phi": "up", "psi": "up", "E_phi": "up", "E_psi": "up", "H.T": "down", "H_p.T": "down", "H_a.T": "down",
    "phi.T": "down", "psi.T": "down", "E_phi.T": "down", "E_psi.T": "down",
}  # fmt: skip
