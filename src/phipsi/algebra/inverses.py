"""What has an inverse: phi, psi, D, I + H phi K and its like, the mass matrix, and products of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache, lru_cache

from phipsi import errors
from phipsi.algebra.atoms import MASKED, PLAIN, Vocabulary, is_masked
from phipsi.algebra.expression import Expression
from phipsi.algebra.facts import ANY, NO_ARMATURE, Facts
from phipsi.algebra.nodes import Atom, Identity, Product, Sum, Zero
from phipsi.algebra.normal_form import assuming, product, scaled


@dataclass(frozen=True)
class Pair:
    """A and its inverse, with the theorem that says so. `armature`: it also holds for robots that have armature."""

    operator: Expression
    inverse: Expression
    reference: str
    words: str
    armature: bool = True


def _pairs_of(s: Vocabulary) -> list[Pair]:
    H, phi, psi, K, D, M, I = s.H_p, s.phi, s.psi, s.K, s.D, s.M, s.I  # noqa: E741
    D_inv = s.symbol("D.inv")
    innovations = I - H @ psi @ K
    inverse_mass = innovations.T @ D_inv @ innovations
    mass = H @ phi @ M @ phi.T @ H.T
    return [
        Pair(phi, I - s.E_phi, "JR95d 4.5", "φ = (I − E_φ)⁻¹: forces gathered from the tips to the base"),
        Pair(psi, I - s.E_psi, "JR95d 4.9", "ψ = (I − E_ψ)⁻¹: forces gathered through joints that are free to move"),
        Pair(I + s.phi_tilde, I - s.E_phi, "RK88 a.3", "φ = I + φ~"),
        Pair(I + s.psi_tilde, I - s.E_psi, "RK88 a.4", "ψ = I + ψ~"),
        Pair(D, D_inv, "RK88 4.6", "D is block diagonal, one block a joint"),
        Pair(I + H @ phi @ K, innovations, "RK88 4.14", "(I + HφK)⁻¹ = I − HψK: whitening inverts colouring"),
        Pair(I + phi @ K @ H, I - psi @ K @ H, "RK88 a.22", "(I + φKH)⁻¹ = I − ψKH"),
        Pair(I + K @ H @ phi, I - K @ H @ psi, "RK88 a.14", "(I + KHφ)⁻¹ = I − KHψ"),
        Pair(mass + s.J_p, inverse_mass, "JR95d G6", "innovations form of the inverse mass matrix, with armature"),
        Pair(mass, inverse_mass, "RK88 4.16", "innovations form of the inverse mass matrix", armature=False),
    ]


@cache
def pairs(masked: bool) -> tuple[Pair, ...]:
    """Every operator whose inverse is known."""
    found: dict[Expression, Pair] = {}
    for pair in _pairs_of(MASKED if masked else PLAIN):
        found.setdefault(pair.operator, pair)
    return tuple(found.values())


@cache
def _known(masked: bool) -> dict[Expression, tuple[Expression, Pair]]:
    table: dict[Expression, tuple[Expression, Pair]] = {}
    for pair in pairs(masked):
        table.setdefault(pair.operator, (pair.inverse, pair))
        table.setdefault(pair.inverse, (pair.operator, pair))
    return table


def inverse(expression: Expression, facts: Facts = ANY) -> Expression:
    """The inverse of an expression.

    Not knowing whether the robot has armature, H phi M phi* H* is inverted too; the result then assumes a robot
    without, and refuses to be bound to another.
    """
    facts = replace(facts, masked=is_masked(expression) if facts.masked is None else facts.masked)
    found = _inverse(expression, facts)
    if found is None:
        from phipsi.algebra.rewriting import simplify

        simpler = simplify(expression, facts).expression
        found = None if simpler == expression else _inverse(simpler, facts)
    if found is None:
        raise errors.no_inverse(repr(expression), *_why_not(expression, facts))
    return assuming(found, expression.assumes)


@lru_cache(maxsize=1024)
def _inverse(expression: Expression, facts: Facts) -> Expression | None:
    if isinstance(expression, Identity):
        return expression
    if isinstance(expression, Zero) or expression.codomain != expression.domain:
        return None
    for candidate, c in _up_to_a_factor(expression):
        found = _looked_up(candidate, facts)
        if found is not None:
            return scaled(1.0 / c, found)
    if isinstance(expression, Sum) and len(expression.terms) == 1:
        c, term = expression.terms[0]
        found = _inverse(term, facts)
        return None if found is None else scaled(1.0 / c, found)
    return _inverse_of_factors(expression.factors, facts) if isinstance(expression, Product) else None


def _up_to_a_factor(expression: Expression) -> Iterable[tuple[Expression, float]]:
    """The expression divided by each of its factors, in order."""
    yield expression, 1.0
    if isinstance(expression, Sum):
        for c in dict.fromkeys(c for c, _ in expression.terms):
            if c != 1.0:
                yield scaled(1.0 / c, expression), c


def _looked_up(expression: Expression, facts: Facts) -> Expression | None:
    for candidate, transposed in ((expression, False), (expression.T, True)):
        known = _known(facts.masked is True)
        if candidate not in known:
            continue
        found, pair = known[candidate]
        if not pair.armature and facts.armature:
            continue
        found = found.T if transposed else found
        return found if pair.armature or facts.armature is False else assuming(found, frozenset({NO_ARMATURE}))
    return None


def _inverse_of_factors(factors: tuple[Expression, ...], facts: Facts) -> Expression | None:
    """(A B)^-1 = B^-1 A^-1, for the longest A at the front whose inverse is known, and so on."""
    for cut in range(len(factors), 0, -1):
        front = product(factors[:cut])
        known = _looked_up(front, facts) if cut > 1 else _inverse(front, facts)
        if known is None:
            continue
        rest = _inverse_of_factors(factors[cut:], facts) if cut < len(factors) else Identity()
        if rest is not None:
            return product((rest, known))
    return None


def recognised(expression: Expression, facts: Facts = ANY) -> list[Pair]:
    """The inverses that stand in an expression, the largest only: their theorems, for `explain`."""
    masked = is_masked(expression) if facts.masked is None else facts.masked
    candidates = [pair for pair in pairs(masked) if pair.inverse.size > 2]
    whole = [pair for pair in candidates if isinstance(pair.inverse, Product) and _contains(expression, pair.inverse)]
    if whole:
        return whole[-1:] if facts.armature is False or NO_ARMATURE in expression.assumes else whole[:1]
    return [p for p in candidates if _contains(expression, p.inverse) or _contains(expression, p.inverse.T)]


def _contains(expression: Expression, part: Expression) -> bool:
    if expression == part:
        return True
    if isinstance(expression, Product) and isinstance(part, Product):
        width = len(part.factors)
        starts = range(len(expression.factors) - width + 1)
        if any(expression.factors[i : i + width] == part.factors for i in starts):
            return True
    return any(_contains(child, part) for child in expression.children())


def _why_not(expression: Expression, facts: Facts) -> tuple[str, str]:
    """The name of the remedy in `errors.no_inverse`, and what it speaks of."""
    if expression.codomain != expression.domain:
        return "not_square", f"{expression.codomain} <- {expression.domain}"
    plain, masked = PLAIN, MASKED
    mass = plain.H @ plain.phi @ plain.M @ plain.phi.T @ plain.H.T
    passive_mass = masked.H_p @ masked.phi @ masked.M @ masked.phi.T @ masked.H_p.T
    if facts.armature and expression == (passive_mass if facts.masked else mass):
        return "armature", "J" if expression == mass else "J_p"
    if isinstance(expression, Atom) and expression.name in ("M", "P", "P_plus"):
        return "inertia", expression.name
    return ("masked" if facts.masked else "unknown"), ""
