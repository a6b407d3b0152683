"""Operators that are not expressions of the letters: rates of operators, and factors of the mass matrix.

They are sums of products of bound operators and of sparse matrices with a few numbers a body, and are applied in O(n).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

import numpy as np

from phipsi import errors
from phipsi.algebra.expression import Expression, as_scalar
from phipsi.algebra.operators import Operator, bind
from phipsi.algebra.spaces import Space
from phipsi.model.reading import Floats, Ints, real

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration


@dataclass(frozen=True, eq=False)
class Sparse:
    """A matrix for each state of a batch, by its entries: `values` (*batch, e) at `rows`, `columns` (e,)."""

    name: str
    codomain: Space
    domain: Space
    shape: tuple[int, int]
    rows: Ints
    columns: Ints
    values: Floats

    @cached_property
    def T(self) -> Sparse:
        """The adjoint."""
        name = self.name[:-2] if self.name.endswith(".T") else f"{self.name}.T"
        return Sparse(
            name, self.domain, self.codomain, (self.shape[1], self.shape[0]), self.columns, self.rows, self.values
        )

    @cached_property
    def _sorted(self) -> tuple[Ints, Floats, Ints, Ints]:
        """Columns and values in the order of the rows, where each row begins, and which rows there are."""
        order = np.argsort(self.rows, kind="stable")
        present, begin = np.unique(self.rows[order], return_index=True)
        return self.columns[order], self.values[..., order], begin, present

    def apply(self, x: Floats) -> Floats:
        """A x for stacks of columns, (*batch, m, k)."""
        columns, values, begin, present = self._sorted
        batch = np.broadcast_shapes(x.shape[:-2], values.shape[:-1])
        y = np.zeros((*batch, self.shape[0], x.shape[-1]))
        if len(present):
            y[..., present, :] = np.add.reduceat(values[..., None] * x[..., columns, :], begin, axis=-2)
        return y

    def __repr__(self) -> str:
        return self.name


Factor: TypeAlias = "Operator | Sparse"
Term: TypeAlias = "tuple[float, tuple[Factor, ...]]"


class Composed:
    """A sum of products of operators and sparse matrices, in one configuration: what `s.m`, `s.l` and `s.dot` give.

    As other operators: `A @ x` in O(n) for vectors (*batch, m) or stacks of columns (*batch, m, k), `.T`, `.dense()`,
    `+`, `-`, scalar factors, and products with other operators. There is no `.inv`, except of m and l.
    """

    __array_ufunc__ = None

    def __init__(
        self,
        configuration: Configuration,
        codomain: Space,
        domain: Space,
        terms: Sequence[Term],
        inverse: Sequence[Term] | None = None,
    ) -> None:
        vars(self).update(
            configuration=configuration, codomain=codomain, domain=domain, terms=tuple(terms), _inverse=inverse
        )

    configuration: Configuration
    codomain: Space
    domain: Space
    terms: tuple[Term, ...]
    _inverse: Sequence[Term] | None

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the matrix in one configuration."""
        return self.configuration.size(self.codomain), self.configuration.size(self.domain)

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes of the configuration."""
        return self.configuration.batch

    @cached_property
    def T(self) -> Composed:
        """The adjoint, A*: <A x, y> = <x, A* y>."""
        inverse = None if self._inverse is None else _transposed(self._inverse)
        return Composed(self.configuration, self.domain, self.codomain, _transposed(self.terms), inverse)

    @property
    def inv(self) -> Composed:
        """The inverse of m, l or their adjoints; :class:`phipsi.NoInverse` of all others."""
        if self._inverse is None:
            raise errors.no_inverse_of_composed(repr(self))
        return Composed(self.configuration, self.domain, self.codomain, self._inverse, self.terms)

    # ── numbers ───────────────────────────────────────────────────────────────────────────────────────────────────

    def apply(self, x: Any) -> Floats:
        """A x: for vectors (*batch, m), or stacks of columns (*batch, m, k)."""
        array = real(x, f"{self!r} @ x", "x", "an array of numbers, or another operator")
        batch, size = self.batch, self.shape[1]
        stacked = array.ndim == len(batch) + 2
        leading = array.shape[: -2 if stacked else -1]
        if array.ndim == 0 or array.ndim > len(batch) + 2 or array.shape[-2 if stacked else -1] != size:
            raise errors.vector_of_space(repr(self), "takes such vectors", size, batch, array.shape)
        try:
            whole = np.broadcast_shapes(batch, leading)
        except ValueError:
            raise errors.broadcast(f"{self!r} @ x", {"s": batch, "x": leading}) from None
        columns = array if stacked else array[..., None]
        columns = np.broadcast_to(columns, (*whole, *columns.shape[-2:]))
        total = np.zeros((*whole, self.shape[0], columns.shape[-1]))
        for c, factors in self.terms:
            y = columns
            for factor in reversed(factors):
                y = factor.apply(y) if isinstance(factor, Sparse) else factor @ np.ascontiguousarray(y)
            total = total + c * y
        return total if stacked else total[..., 0]

    def dense(self) -> Floats:
        """The matrix, (*batch, rows, columns)."""
        return self.apply(np.broadcast_to(np.eye(self.shape[1]), (*self.batch, self.shape[1], self.shape[1])))

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise errors.operator_as_array(repr(self))

    # ── arithmetic ────────────────────────────────────────────────────────────────────────────────────────────────

    def __matmul__(self, other: Any) -> Any:
        terms = self._terms_of(other)
        if terms is None:
            return self.apply(other)
        inner, domain = other.codomain, other.domain or self.domain
        if inner is not None and inner != self.domain:
            raise errors.spaces_do_not_meet(repr(self), repr(other), str(self.domain), str(inner))
        products = [(c * d, (*left, *right)) for c, left in self.terms for d, right in terms]
        return Composed(self.configuration, self.codomain, domain, products)

    def __rmatmul__(self, other: Any) -> Any:
        if self._terms_of(other) is not None:
            return as_composed(other, self.configuration) @ self
        array = np.asarray(other, dtype=np.float64)
        if array.ndim == len(self.batch) + 2:
            return np.swapaxes(self.T.apply(np.swapaxes(array, -1, -2)), -1, -2)
        return self.T.apply(array)

    def _plus(self, sign: float, other: Any) -> Composed:
        if as_scalar(other) == 0.0:  # the start of Python's sum()
            return self
        terms = self._terms_of(other)
        if terms is None:
            return NotImplemented
        for mine, its in ((self.codomain, other.codomain), (self.domain, other.domain)):
            if its is not None and mine != its:
                raise errors.spaces_do_not_meet(repr(self), repr(other), str(mine), str(its))
        return Composed(
            self.configuration, self.codomain, self.domain, [*self.terms, *((sign * c, fs) for c, fs in terms)]
        )

    def __add__(self, other: Any) -> Composed:
        return self._plus(1.0, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Composed:
        return self._plus(-1.0, other)

    def __rsub__(self, other: Any) -> Composed:
        return (-1.0 * self)._plus(1.0, other)

    def __neg__(self) -> Composed:
        return -1.0 * self

    def __mul__(self, factor: Any) -> Composed:
        number = as_scalar(factor)
        if number is None:
            return NotImplemented
        return Composed(self.configuration, self.codomain, self.domain, [(number * c, fs) for c, fs in self.terms])

    __rmul__ = __mul__

    def _terms_of(self, other: Any) -> Sequence[Term] | None:
        if isinstance(other, Composed | Operator):
            if other.configuration is not self.configuration:
                raise errors.two_configurations(repr(self), repr(other))
        elif not isinstance(other, Expression):
            return None
        return as_composed(other, self.configuration).terms

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise errors.immutable("operator", name, "Operations such as @, + and .T make new ones.")

    def __repr__(self) -> str:
        return " + ".join(_term(c, factors) for c, factors in self.terms) or "0"


def as_composed(x: Composed | Operator | Expression, configuration: Configuration) -> Composed:
    """Any operator of a configuration as one of these."""
    if isinstance(x, Composed):
        return x
    op = x if isinstance(x, Operator) else bind(x, configuration)
    return Composed(configuration, op.codomain, op.domain, [(1.0, (op,))])


def _transposed(terms: Sequence[Term]) -> list[Term]:
    return [(c, tuple(factor.T for factor in reversed(factors))) for c, factors in terms]


def _term(c: float, factors: Sequence[Factor]) -> str:
    words = [f"({factor!r})" if " + " in repr(factor) or " - " in repr(factor) else repr(factor) for factor in factors]
    sign = "" if c == 1.0 else "-" if c == -1.0 else f"{c:g} "
    return sign + " @ ".join(words)
