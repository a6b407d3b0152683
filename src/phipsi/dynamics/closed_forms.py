"""RCCFD1 to RCCFD3 of RK88, part II, as operator expressions: arms whose frames hold something, rigidly or not.

Each is a function of the frames that hold, and gives an expression that maps T' = T - C to θ̈ where a' = 0;
:func:`of_biases` maps a' to the rest. `expression.explain()` says which theorems, which sweeps and which cost; bound to
a configuration that knows what is held, it is applied in O(n) and one dense solve.

>>> import numpy as np
>>> import phipsi as pp
>>> from phipsi.dynamics.closed_forms import closed_forms
>>> print(closed_forms["RCCFD3"])
RCCFD3: θ̈ = (1 - HψK)* {D⁻¹ - D⁻¹HψB Π B*ψ*H*D⁻¹} (1 - HψK) T'
>>> arm = pp.zoo.chain(7).add_frame("tip", "link7", pp.Pose((0, 0, 0.1)))
>>> q, T = arm.random(rng=0)
>>> s = arm.at(q).holding("tip", compliance=np.eye(6) / 3)
>>> answers = [form("tip").at(s) @ T for form in closed_forms.values()]
>>> bool(max(abs(x - answers[0]).max() for x in answers) < 1e-9)
True
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from phipsi.algebra.atoms import PLAIN, Vocabulary
from phipsi.algebra.expression import Expression
from phipsi.algebra.identities import closed

__all__ = ["ClosedForm", "closed_forms", "contact_force", "of_biases"]


class _Holding:
    """The letters of a vocabulary as theorems on closed chains use them: B_c and Pi_c of some frames."""

    def __init__(self, vocabulary: Vocabulary, frames: tuple[str, ...]) -> None:
        self._letters = vocabulary.free
        self.B_c, self.Pi_c = vocabulary.B(*frames), vocabulary.Pi(*frames)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._letters, name)


@dataclass(frozen=True)
class ClosedForm:
    """A forward dynamics algorithm of closed chains; `form("left/hand", "right/hand")` is its expression."""

    name: str
    tags: tuple[str, ...]
    formula: str
    statement: Callable[[Any], Expression]

    def __call__(self, *frames: str, vocabulary: Vocabulary = PLAIN) -> Expression:
        """The expression from T' to θ̈; `algebra.masked` as vocabulary leaves only the passive dofs free to move."""
        return self.statement(_Holding(vocabulary, frames))

    def __str__(self) -> str:
        return f"{self.name}: {self.formula}"


closed_forms: dict[str, ClosedForm] = {
    form.name: form
    for form in (
        ClosedForm("analytical", ("RK88 II 3.6a",), "θ̈ = {M⁻¹ - M⁻¹J* Π JM⁻¹} T'", closed.analytical),
        ClosedForm(
            "RCCFD1",
            ("RK88 II 6.11b", "RK88 II 6.11f", "RK88 II 6.11g", "RK88 II 6.11i"),
            "θ̈_f = (1 - HψK)* D⁻¹ (1 - HψK) T'; f = Π B*φ*H* θ̈_f; θ̈ = θ̈_f - (1 - HψK)* D⁻¹ HψB f",
            closed.rccfd1,
        ),
        ClosedForm(
            "RCCFD2",
            ("RK88 II 6.18d", "RK88 II 6.18e"),
            "f = Π B*ψ*H*D⁻¹ (1 - HψK) T'; θ̈ = (1 - HψK)* D⁻¹ {T' - Hψ(K T' + B f)}",
            closed.rccfd2,
        ),
        ClosedForm(
            "RCCFD3",
            ("RK88 II 6.22f",),
            "θ̈ = (1 - HψK)* {D⁻¹ - D⁻¹HψB Π B*ψ*H*D⁻¹} (1 - HψK) T'",
            closed.rccfd3,
        ),
    )
}


def contact_force(*frames: str, vocabulary: Vocabulary = PLAIN) -> Expression:
    """From T' to the forces that frames exert on what they hold, where a' = 0: Π B*ψ*H*D⁻¹ (1 - HψK). [RK88 II 6.13]

    >>> contact_force("tip")
    Pi('tip') @ B('tip').T @ psi.T @ H.T @ D.inv @ (I - H @ psi @ K)
    """
    return closed.contact_force(_Holding(vocabulary, frames))


def of_biases(*frames: str, vocabulary: Vocabulary = PLAIN) -> Expression:
    """From a' = a(C) - A M(C)⁻¹ b(C) - B*φ*a - a(0) to its part of θ̈; the forces' part is -Π a'. [RK88 II 6.20]"""
    s = _Holding(vocabulary, frames)
    return -(closed.correction(s) @ s.Pi_c)
