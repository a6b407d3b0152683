"""Bound operators: an expression in a configuration. They can be applied, made dense, and asked for blocks."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np

from phipsi import errors
from phipsi.algebra import applying, fused
from phipsi.algebra.atoms import is_masked, meaning
from phipsi.algebra.expression import Expression, as_scalar
from phipsi.algebra.facts import NO_ARMATURE
from phipsi.algebra.inverses import inverse
from phipsi.algebra.nodes import Atom
from phipsi.algebra.normal_form import product, scaled, total
from phipsi.algebra.planning import Cost, Plan, plan
from phipsi.algebra.printing import latex
from phipsi.algebra.rewriting import simplify
from phipsi.algebra.spaces import BODIES, JOINTS, Space
from phipsi.model.reading import Floats

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration
    from phipsi.algebra.explain import Explanation


class Operator:
    """An operator of one configuration: `s.phi`, `s.H @ s.phi`, `s.mass.inv`. Nothing is computed until it is applied.

    `A @ x` applies it in O(n), to vectors `(*batch, m)` or to stacks of columns `(*batch, m, k)`, where batch are the
    batch axes of the configuration (x's broadcast against them; one vector does for all). `x @ A` is `A.T` on rows.
    `A.dense()` is the matrix, `A[k, j]` a block of it. Equality is that of the formula, in the same configuration.

    >>> import phipsi as pp
    >>> s = pp.zoo.chain(3).at([0.1, 0.2, 0.3])
    >>> A = s.H @ s.phi @ s.M
    >>> A, A.shape, A.T
    (H @ phi @ M, (3, 18), M @ phi.T @ H.T)
    """

    # NumPy must not spread an operator over its elements: array @ operator asks the operator
    __array_ufunc__ = None

    def __init__(self, expression: Expression, configuration: Configuration) -> None:
        self.__dict__.update(expression=expression, configuration=configuration)

    expression: Expression
    configuration: Configuration

    # ── what it is ────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def codomain(self) -> Space:
        """The space it maps to."""
        return self.expression.codomain or BODIES

    @property
    def domain(self) -> Space:
        """The space it maps from."""
        return self.expression.domain or BODIES

    @cached_property
    def shape(self) -> tuple[int, int]:
        """(rows, columns) of the matrix in one configuration; the batch axes are `configuration.batch`."""
        return self.configuration.size(self.codomain), self.configuration.size(self.domain)

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes of the configuration."""
        return self.configuration.batch

    @cached_property
    def T(self) -> Operator:
        """The adjoint, A*: <A x, y> = <x, A* y>."""
        return Operator(self.expression.T, self.configuration)

    @cached_property
    def inv(self) -> Operator:
        """The inverse, where the theory knows it; :class:`phipsi.NoInverse` where not."""
        return Operator(inverse(self.expression, self.configuration.facts), self.configuration)

    @property
    def simplified(self) -> Operator:
        """The same operator, rewritten by the table of identities where that makes it cheaper."""
        return Operator(simplify(self.expression, self.configuration.facts).expression, self.configuration)

    @cached_property
    def plan(self) -> Plan:
        """The sweeps that apply it."""
        return plan(self.expression, self.configuration.facts)

    @cached_property
    def batch_kernel(self) -> Callable[[Any], Floats] | None:
        """The fused kernel that applies it to a batch, if there is one."""
        return fused.batch_kernel(self)

    @property
    def sweeps(self) -> tuple[str, ...]:
        """The directions of the sweeps that apply it, in order."""
        return self.plan.directions

    def cost(self) -> Cost:
        """Flops per link, sweeps and complexity of one application, for this robot's mean number of dofs a joint."""
        robot = self.configuration.robot
        return self.plan.cost_for(robot.nv / max(robot.n, 1))

    def explain(self) -> Explanation:
        """Which theorems, which sweeps with which recursions, which cost."""
        from phipsi.algebra.explain import explain

        robot = self.configuration.robot
        return explain(self.expression, self.configuration.facts, robot.nv / max(robot.n, 1))

    # ── numbers ───────────────────────────────────────────────────────────────────────────────────────────────────

    def dense(self) -> Floats:
        """The matrix, (*batch, rows, columns)."""
        return applying.dense(self)

    def to_scipy(self) -> Any:
        """A `scipy.sparse.linalg.LinearOperator`, of one configuration."""
        return applying.to_scipy(self)

    def __getitem__(self, key: Any) -> Floats:
        return applying.block(self, key)

    def __array__(self, *_: Any, **__: Any) -> NoReturn:
        raise errors.operator_as_array(repr(self))

    # ── arithmetic ────────────────────────────────────────────────────────────────────────────────────────────────

    def __matmul__(self, other: Any) -> Any:
        if isinstance(other, np.ndarray):
            fits, ready = self._ready
            return ready(other) if cast(Any, other).shape == fits else applying.apply(self, other)
        if isinstance(other, Operator | Expression):
            return self._with(product((self.expression, self._expression_of(other))))
        if hasattr(other, "terms") and hasattr(other, "configuration"):  # composed: it knows how
            return NotImplemented
        return applying.apply(self, other)

    @cached_property
    def _ready(self) -> tuple[tuple[int, ...] | None, Callable[[Any], Floats]]:
        """The shape of plain vectors, and what applies the operator to them with nothing more to decide."""
        return applying.ready(self)

    def __rmatmul__(self, other: Any) -> Any:
        if isinstance(other, Expression):
            return self._with(product((self._expression_of(other), self.expression)))
        return applying.apply_to_rows(self, other)

    def _sum(self, sign: float, other: Any) -> Operator:
        if isinstance(other, Operator | Expression):
            return self._with(total(((1.0, self.expression), (sign, self._expression_of(other)))))
        if as_scalar(other) == 0.0:  # the start of Python's sum()
            return self
        if as_scalar(other) is not None:
            raise errors.number_plus_operator(repr(self), other)
        if isinstance(other, np.ndarray):
            raise errors.array_plus_operator(repr(self))
        return NotImplemented

    def __add__(self, other: Any) -> Operator:
        return self._sum(1.0, other)

    __radd__ = __add__

    def __sub__(self, other: Any) -> Operator:
        return self._sum(-1.0, other)

    def __rsub__(self, other: Any) -> Operator:
        return (-self)._sum(1.0, other)

    def __neg__(self) -> Operator:
        return self._with(scaled(-1.0, self.expression))

    def __pos__(self) -> Operator:
        return self

    def __mul__(self, factor: Any) -> Operator:
        number = as_scalar(factor)
        if number is None:
            if isinstance(factor, np.ndarray | Operator | Expression):
                raise errors.not_a_scalar(repr(self))
            return NotImplemented
        return self._with(scaled(number, self.expression))

    __rmul__ = __mul__

    def __truediv__(self, divisor: Any) -> Operator:
        number = as_scalar(divisor)
        return NotImplemented if number is None else self._with(scaled(1.0 / number, self.expression))

    def _with(self, expression: Expression) -> Operator:
        return Operator(expression, self.configuration)

    def _expression_of(self, other: Operator | Expression) -> Expression:
        if isinstance(other, Expression):
            return bind(other, self.configuration).expression
        if other.configuration is not self.configuration:
            raise errors.two_configurations(repr(self), repr(other))
        return other.expression

    # ── one value ─────────────────────────────────────────────────────────────────────────────────────────────────

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise errors.immutable("operator", name, "Operations such as @, + and .T make new ones.")

    def __reduce__(self) -> tuple[Any, ...]:
        return Operator, (self.expression, self.configuration)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Operator):
            return NotImplemented
        return self.configuration is other.configuration and self.expression == other.expression

    def __hash__(self) -> int:
        return hash((self.expression, id(self.configuration)))

    def __repr__(self) -> str:
        return repr(self.expression)

    def _repr_latex_(self) -> str:
        return f"${latex(self.expression)}$"

    @property
    def meaning(self) -> str:
        """'maps body forces to joint torques'."""
        return meaning(self.expression)


def bind(expression: Expression, configuration: Configuration) -> Operator:
    """The operator that an expression is in a configuration."""
    if configuration.facts.armature and NO_ARMATURE in expression.assumes:
        robot = configuration.robot
        joints = np.repeat(np.arange(robot.n), np.diff(robot.v_index))[np.flatnonzero(robot.armature)]
        names = [robot.joint_names[int(k)] for k in np.unique(joints)]
        raise errors.armature_assumed(repr(expression), names)
    if configuration.passive is None:
        if is_masked(expression):
            raise errors.mask_missing(repr(expression))
    else:
        for part in expression.walk():
            if isinstance(part, Atom) and part.name in ("G", "K", "D", "D.inv") and part.symbol.domain == JOINTS:
                raise errors.mask_unexpected(repr(expression), part.name)
    return Operator(expression, configuration)
