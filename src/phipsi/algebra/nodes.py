"""What expressions are made of: symbols, identities, zeros, products, sums."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NoReturn

from phipsi import errors
from phipsi.algebra.expression import Expression, forms
from phipsi.algebra.spaces import Space

NOTHING: frozenset[str] = frozenset()


@dataclass(frozen=True)
class Symbol:
    """What an atom is: its name in code, its letter in print, the spaces that it maps between."""

    name: str
    letter: str = field(compare=False)  # LaTeX
    codomain: Space
    domain: Space
    symmetric: bool = field(default=False, compare=False)
    frames: tuple[str, ...] = ()


class _Node(Expression):
    """What the kinds of expressions share: they cannot be changed."""

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise errors.immutable("expression", name, "Operations such as @, + and .T make new ones.")

    def __reduce__(self) -> tuple[Any, ...]:  # without the hash, which is another in another process
        return type(self), self._parts

    @property
    @abstractmethod
    def _parts(self) -> tuple[Any, ...]:
        """What the constructor takes."""


class Atom(_Node):
    """One symbol, or its transpose."""

    def __init__(self, symbol: Symbol, transposed: bool = False) -> None:
        vars(self).update(symbol=symbol, transposed=transposed and not symbol.symmetric, assumes=NOTHING)

    symbol: Symbol
    transposed: bool

    @property
    def name(self) -> str:
        """The symbol's name."""
        return self.symbol.name

    @property
    def codomain(self) -> Space:
        """The space it maps to."""
        return self.symbol.domain if self.transposed else self.symbol.codomain

    @property
    def domain(self) -> Space:
        """The space it maps from."""
        return self.symbol.codomain if self.transposed else self.symbol.domain

    def transpose(self) -> Atom:
        """The adjoint."""
        return self if self.symbol.symmetric else Atom(self.symbol, not self.transposed)

    def children(self) -> tuple[Expression, ...]:
        """None."""
        return ()

    def rebuilt(self, children: Iterable[Expression]) -> Expression:
        """Itself."""
        return self

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.symbol, self.transposed

    @property
    def key(self) -> Any:
        """The symbol, and whether it is transposed."""
        return self.symbol, self.transposed


class Identity(_Node):
    """I: of one space, or (without one) of whatever stands beside it."""

    def __init__(self, space: Space | None = None) -> None:
        vars(self).update(space=space, assumes=NOTHING)

    space: Space | None

    @property
    def codomain(self) -> Space | None:
        """Its space."""
        return self.space

    @property
    def domain(self) -> Space | None:
        """Its space."""
        return self.space

    def transpose(self) -> Identity:
        """Itself."""
        return self

    def children(self) -> tuple[Expression, ...]:
        """None."""
        return ()

    def rebuilt(self, children: Iterable[Expression]) -> Expression:
        """Itself."""
        return self

    @property
    def _parts(self) -> tuple[Any, ...]:
        return (self.space,)

    @property
    def key(self) -> Any:
        """Its space."""
        return self.space


class Zero(_Node):
    """The operator that forgets everything."""

    def __init__(self, codomain: Space | None, domain: Space | None) -> None:
        vars(self).update(_codomain=codomain, _domain=domain, assumes=NOTHING)

    _codomain: Space | None
    _domain: Space | None

    @property
    def codomain(self) -> Space | None:
        """The space it maps to."""
        return self._codomain

    @property
    def domain(self) -> Space | None:
        """The space it maps from."""
        return self._domain

    def transpose(self) -> Zero:
        """The zero that maps back."""
        return Zero(self._domain, self._codomain)

    def children(self) -> tuple[Expression, ...]:
        """None."""
        return ()

    def rebuilt(self, children: Iterable[Expression]) -> Expression:
        """Itself."""
        return self

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self._codomain, self._domain

    @property
    def key(self) -> Any:
        """Its spaces."""
        return self._codomain, self._domain


class Product(_Node):
    """A B C: flat, at least two factors, atoms and sums. Made by :func:`product`."""

    def __init__(self, factors: tuple[Expression, ...], assumes: frozenset[str]) -> None:
        vars(self).update(factors=factors, assumes=assumes)

    factors: tuple[Expression, ...]

    @property
    def codomain(self) -> Space | None:
        """The first factor's."""
        return self.factors[0].codomain

    @property
    def domain(self) -> Space | None:
        """The last factor's."""
        return self.factors[-1].domain

    def transpose(self) -> Expression:
        """(A B)* = B* A*."""
        return forms().assuming(forms().product(factor.T for factor in reversed(self.factors)), self.assumes)

    def children(self) -> tuple[Expression, ...]:
        """The factors."""
        return self.factors

    def rebuilt(self, children: Iterable[Expression]) -> Expression:
        """The product of other factors."""
        return forms().assuming(forms().product(children), self.assumes)

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.factors, self.assumes

    @property
    def key(self) -> Any:
        """The factors."""
        return self.factors


class Sum(_Node):
    """c A + d B: flat, each term once. A single term with a factor is one too. Made by :func:`total`."""

    def __init__(self, terms: tuple[tuple[float, Expression], ...], assumes: frozenset[str]) -> None:
        vars(self).update(terms=terms, assumes=assumes)

    terms: tuple[tuple[float, Expression], ...]

    @property
    def codomain(self) -> Space | None:
        """That of its terms."""
        return self.terms[0][1].codomain

    @property
    def domain(self) -> Space | None:
        """That of its terms."""
        return self.terms[0][1].domain

    def transpose(self) -> Expression:
        """(A + B)* = A* + B*."""
        return forms().assuming(forms().total((c, term.T) for c, term in self.terms), self.assumes)

    def children(self) -> tuple[Expression, ...]:
        """The terms, without their factors."""
        return tuple(term for _, term in self.terms)

    def rebuilt(self, children: Iterable[Expression]) -> Expression:
        """The sum of other terms with the same factors."""
        renewed = forms().total((c, child) for (c, _), child in zip(self.terms, children, strict=True))
        return forms().assuming(renewed, self.assumes)

    @property
    def _parts(self) -> tuple[Any, ...]:
        return self.terms, self.assumes

    @property
    def key(self) -> Any:
        """The terms, in any order."""
        return self._terms

    @cached_property
    def _terms(self) -> frozenset[tuple[Expression, float]]:
        return frozenset((term, c) for c, term in self.terms)
