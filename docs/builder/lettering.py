"""Theorems as they were typed: their statements, in letters that only write themselves down and simplify nothing.

(Symbols of the algebra know the simple theorems already: of (1 - E_φ)⁻¹ = φ they would print φ = φ.)"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from phipsi.algebra import atoms

# letters that the algebra writes as expressions of others, or not at all
OTHERS = {
    "I": "I",
    "I_joints": "I",
    "mass": r"\mathcal{M}",
    "mass_matrix": r"\mathcal{M}",
    "jacobian": r"\mathcal{J}",
    "lam": r"\dot{\lambda}",
    "V_cross": r"\tilde{V}",
    "Delta": r"\tilde{\Delta}",
    "M_dot": r"\dot{\mathcal{M}}",
}
ACCENTS = {"dot": r"\dot", "ring": r"\mathring", "tilde": r"\tilde", "bar": r"\bar"}
GREEK = ("Omega", "Pi", "Upsilon", "nu", "xi", "phi", "psi", "tau", "epsilon")
ATOM, PRODUCT, SUM = range(3)


@dataclass(frozen=True)
class Written:
    """LaTeX, and how tightly it binds."""

    latex: str
    binds: int = ATOM

    def __matmul__(self, other: Written) -> Written:
        return Written(f"{self.within(PRODUCT)} {other.within(PRODUCT)}", PRODUCT)

    def __add__(self, other: Written) -> Written:
        return Written(f"{self.latex} + {other.latex}", SUM)

    def __sub__(self, other: Written) -> Written:
        return Written(f"{self.latex} - {other.within(PRODUCT)}", SUM)

    def __neg__(self) -> Written:
        return Written(f"-{self.within(PRODUCT)}", SUM)

    def __rmul__(self, factor: float) -> Written:
        return Written(rf"{factor:g} \, {self.within(PRODUCT)}", PRODUCT)

    __mul__ = __rmul__

    def within(self, outer: int) -> str:
        """In brackets, where what is around it binds tighter."""
        return rf"\left({self.latex}\right)" if self.binds > outer else self.latex

    @property
    def T(self) -> Written:
        """The adjoint."""
        return Written(f"{{{self.within(ATOM)}}}^{{*}}")

    @property
    def inv(self) -> Written:
        """The inverse."""
        return Written(f"{{{self.within(ATOM)}}}^{{-1}}")


class Letters:
    """What a statement takes its letters from: `Letters().phi` is φ."""

    def __getattr__(self, name: str) -> Written:
        if name in OTHERS:
            return Written(OTHERS[name])
        symbol = getattr(getattr(atoms.MASKED, name, None), "symbol", None)
        return Written(symbol.letter if symbol is not None else _letter(name))


def _letter(name: str) -> str:
    """P_dot is Ṗ, P_plus is P⁺, Omega_c is Ω with a c below."""
    base, _, mark = name.partition("_")
    base = f"\\{base}" if base in GREEK else base
    if mark in ACCENTS:
        return f"{ACCENTS[mark]}{{{base}}}"
    if mark == "plus":
        return f"{base}^{{+}}"
    mark = f"\\{mark}" if mark in GREEK else mark
    return f"{base}_{{{mark}}}" if mark else base


def formula(statement: Callable[[Letters], tuple[Written, Written]]) -> str:
    """Both sides of a theorem, in LaTeX."""
    return " = ".join(side.latex for side in statement(Letters()))
