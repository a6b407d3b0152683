"""Expressions: atoms, products, sums, scalar factors, transposes and inverses; immutable, and of no state.

Every expression is kept in one normal form: transposes stand at the atoms, products and sums are flat, scalar factors
stand in front of a term of a sum, identities and zeros are gone where they say nothing. Two expressions are equal when
their normal forms are (the order of a sum's terms does not count), so they can be the keys of caches.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from phipsi import errors
from phipsi.algebra.spaces import Space

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration
    from phipsi.algebra.explain import Explanation
    from phipsi.algebra.operators import Operator
    from phipsi.algebra.planning import Cost


class Expression(ABC):
    """An operator expression that belongs to no state: `H @ phi @ M @ phi.T @ H.T`.

    `@`, `+`, `-`, scalar factors, `.T` and `.inv` make others; `.at(s)` binds it to a configuration, where it can be
    applied. Its repr is the formula.
    """

    # NumPy must not spread an operator over its elements: array @ expression asks the expression
    __array_ufunc__ = None
    assumes: frozenset[str]  # what must hold of a robot to whose configurations this is bound; not part of equality

    @property
    @abstractmethod
    def codomain(self) -> Space | None:
        """The space it maps to; None for an identity that fits everywhere."""

    @property
    @abstractmethod
    def domain(self) -> Space | None:
        """The space it maps from; None for an identity that fits everywhere."""

    @property
    def T(self) -> Expression:
        """The adjoint, A*: <A x, y> = <x, A* y>."""
        return self._adjoint

    @cached_property
    def _adjoint(self) -> Expression:
        return self.transpose()

    @abstractmethod
    def transpose(self) -> Expression:
        """The adjoint, made anew."""

    @abstractmethod
    def children(self) -> tuple[Expression, ...]:
        """The expressions that it is made of."""

    @abstractmethod
    def rebuilt(self, children: Iterable[Expression]) -> Expression:
        """The same, of other parts."""

    @property
    def inv(self) -> Expression:
        """The inverse, where the theory knows it; :class:`phipsi.NoInverse` where not.

        >>> from phipsi.algebra import H, M, phi
        >>> (H @ phi @ M @ phi.T @ H.T).inv
        (I - K.T @ psi.T @ H.T) @ D.inv @ (I - H @ psi @ K)
        """
        from phipsi.algebra.inverses import inverse

        return inverse(self)

    @property
    def simplified(self) -> Expression:
        """The same operator, rewritten by the table of identities where that makes it cheaper.

        >>> from phipsi.algebra import H, I, K, phi, psi
        >>> ((I - H @ psi @ K) @ H @ phi).simplified
        H @ psi
        """
        from phipsi.algebra.rewriting import simplify

        return simplify(self).expression

    def at(self, configuration: Configuration) -> Operator:
        """The operator that this is in a configuration `s = robot.at(q)`."""
        from phipsi.algebra.operators import bind

        return bind(self, configuration)

    def cost(self) -> Cost:
        """Flops per link, sweeps and complexity of one application."""
        from phipsi.algebra.planning import plan

        return plan(self).cost

    @property
    def sweeps(self) -> tuple[str, ...]:
        """The directions of the sweeps that apply it, in order.

        >>> from phipsi.algebra import H, M, phi
        >>> (H @ phi @ M @ phi.T @ H.T).sweeps
        ('base → tips', 'tips → base')
        """
        from phipsi.algebra.planning import plan

        return plan(self).directions

    def explain(self) -> Explanation:
        """Which theorems, which sweeps with which recursions, which cost."""
        from phipsi.algebra.explain import explain

        return explain(self)

    # ── arithmetic ────────────────────────────────────────────────────────────────────────────────────────────────

    def __matmul__(self, other: Any) -> Expression:
        if isinstance(other, Expression):
            return forms().product((self, other))
        return _not_mine(self, other)

    def __rmatmul__(self, other: Any) -> Any:
        return _not_mine(self, other)

    def __add__(self, other: Any) -> Expression:
        return _sum(self, 1.0, other)

    def __radd__(self, other: Any) -> Expression:
        return _sum(self, 1.0, other)

    def __sub__(self, other: Any) -> Expression:
        return _sum(self, -1.0, other)

    def __rsub__(self, other: Any) -> Expression:
        return _sum(-self, 1.0, other)

    def __neg__(self) -> Expression:
        return forms().scaled(-1.0, self)

    def __pos__(self) -> Expression:
        return self

    def __mul__(self, factor: Any) -> Expression:
        number = as_scalar(factor)
        return NotImplemented if number is None else forms().scaled(number, self)

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Expression:
        number = as_scalar(divisor)
        return NotImplemented if number is None else forms().scaled(1.0 / number, self)

    # ── one value ─────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    @abstractmethod
    def key(self) -> Any:
        """What equality compares."""

    @cached_property
    def _hash(self) -> int:
        return hash((type(self).__name__, self.key))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        return type(self) is type(other) and hash(self) == hash(other) and self.key == cast(Expression, other).key

    def __repr__(self) -> str:
        from phipsi.algebra.printing import text

        return text(self)

    def _repr_latex_(self) -> str:
        from phipsi.algebra.printing import latex

        return f"${latex(self)}$"

    def walk(self) -> Iterator[Expression]:
        """This expression and all its parts."""
        yield self
        for child in self.children():
            yield from child.walk()

    @cached_property
    def size(self) -> int:
        """The number of atoms and identities: what a reader has to read."""
        return max(1, sum(child.size for child in self.children()))


def forms() -> Any:
    """The module of normal forms, which is made of this one."""
    from phipsi.algebra import normal_form

    return normal_form


def as_scalar(value: Any) -> float | None:
    """A real number as a float; None for anything else."""
    if isinstance(value, bool | np.bool_):
        return None
    if isinstance(value, int | float | np.integer | np.floating):
        return float(cast(float, value))
    if isinstance(value, np.ndarray) and cast(Any, value).shape == () and cast(Any, value).dtype.kind in "iuf":
        return float(cast(Any, value))
    return None


def _sum(left: Expression, sign: float, right: Any) -> Expression:
    if isinstance(right, Expression):
        return forms().total(((1.0, left), (sign, right)))
    if as_scalar(right) == 0.0:  # the start of Python's sum()
        return left
    if as_scalar(right) is not None:
        raise errors.number_plus_operator(repr(left), right)
    return _not_mine(left, right)


def _not_mine(expression: Expression, other: Any) -> Any:
    """An array met an expression of no state, or something met it that is neither."""
    if isinstance(other, np.ndarray | list | tuple):
        raise errors.no_state(repr(expression))
    return NotImplemented
