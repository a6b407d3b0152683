"""Applying an operator: to vectors, columns and rows, for a whole batch in one call; its matrix and its blocks."""

from __future__ import annotations

import importlib
import operator as numbers
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from phipsi import errors
from phipsi.algebra import fused
from phipsi.algebra.nodes import Atom, Identity, Product, Sum, Zero
from phipsi.algebra.planning import Plan
from phipsi.algebra.scheduling import Program
from phipsi.algebra.spaces import ACTIVE, PASSIVE, Space
from phipsi.model.reading import Bools, Floats, real

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration
    from phipsi.algebra.operators import Operator


def apply(op: Operator, x: Any) -> Floats:
    """A x: for vectors (*batch, m), or stacks of columns (*batch, m, k)."""
    array = real(x, f"{op!r} @ x", "x", "an array of numbers, or another operator")
    batch, size = op.configuration.batch, op.shape[1]
    columns = array.ndim == len(batch) + 2
    if (
        array.ndim == 0
        or array.ndim > len(batch) + 2
        or array.shape[-2 if columns else -1] != size
        or not _broadcasts(array.shape[: -2 if columns else -1], batch)
    ):
        raise _refused(op, array.shape)
    if not columns and (kernel := op.batch_kernel) is not None:
        return kernel(array)
    return _carried_out(op.plan, op.configuration, array, columns)


def ready(op: Operator) -> tuple[tuple[int, ...] | None, Callable[[Any], Floats]]:
    """The shape of vectors that need no thought, and what the operator does to them: one native call."""
    s, program = op.configuration, op.plan.program
    if program is None or any(_places(end, s, program, True)[1] is not None for end in (op.domain, op.codomain)):
        return None, lambda x: apply(op, x)
    if op.batch_kernel is not None:
        return None, lambda x: apply(op, x)
    run, rows, constants = s.executor.run, program.rows, program.constants
    spaces, frames, fits = program.space_list, program.frame_list, (*op.batch, op.shape[1])

    def applied(x: Any) -> Floats:
        if x.dtype != _FLOAT or not x.flags.c_contiguous:
            return apply(op, x)
        return run(rows, constants, spaces, frames, x, False)

    return fits, applied


_FLOAT = np.dtype(np.float64)


def apply_to_rows(op: Operator, x: Any) -> Floats:
    """X A = (A* X*)*: for vectors (*batch, m), or stacks of rows (*batch, k, m)."""
    array = real(x, f"x @ {op!r}", "x", "an array of numbers, or another operator")
    if array.ndim == len(op.configuration.batch) + 2:
        return np.ascontiguousarray(np.swapaxes(apply(op.T, np.swapaxes(array, -1, -2)), -1, -2))
    return apply(op.T, array)


def _broadcasts(shape: tuple[int, ...], batch: tuple[int, ...]) -> bool:
    pairs = zip(reversed(shape), reversed(batch), strict=False)
    return len(shape) <= len(batch) and all(x == s or x == 1 or s == 1 for x, s in pairs)


def _refused(op: Operator, shape: tuple[int, ...]) -> Exception:
    batch, size = op.configuration.batch, op.shape[1]
    columns = len(shape) == len(batch) + 2
    if shape and len(shape) <= len(batch) + 2 and shape[-2 if columns else -1] == size:
        return errors.broadcast(f"{op!r} @ x", {"s": batch, "x": shape[: -2 if columns else -1]})
    return errors.vector_of_space(repr(op), op.meaning, size, batch, shape)


# ── programs ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _carried_out(plan: Plan, s: Configuration, x: Floats, columns: bool) -> Floats:
    if plan.program is not None:
        return _run(plan.program, plan.expression.domain, plan.expression.codomain, s, x, columns)
    expression = plan.expression
    if isinstance(expression, Product):
        for part in plan.parts:
            x = _carried_out(part, s, x, columns)
        return x
    if isinstance(expression, Sum):
        y: Any = 0.0
        for (c, _), part in zip(expression.terms, plan.parts, strict=True):
            y = y + c * _carried_out(part, s, x, columns)
        return y
    if isinstance(expression, Atom):
        pi = s.contact_solve(expression.symbol.frames)
        return pi @ x if columns else (pi @ x[..., None])[..., 0]
    ends = x.shape[-1:] if columns else ()
    inner = x.shape[: -2 if columns else -1]
    batch = np.broadcast_shapes(s.batch, inner)
    if isinstance(expression, Identity):
        return np.array(np.broadcast_to(x, (*batch, *x.shape[len(inner) :])))
    assert isinstance(expression, Zero)
    assert expression.codomain is not None
    return np.zeros((*batch, s.size(expression.codomain), *ends))


def _run(
    program: Program, domain: Space | None, codomain: Space | None, s: Configuration, x: Floats, columns: bool
) -> Floats:
    width, places = _places(domain, s, program, last=True)
    if places is not None:
        x = _spread(x, width, places, columns)
    elif not x.flags.c_contiguous:
        x = np.ascontiguousarray(x)
    y = s.executor.run(program.rows, program.constants, program.space_list, program.frame_list, x, columns)
    _, places = _places(codomain, s, program, last=False)
    if places is None:
        return y
    return np.ascontiguousarray(y[..., places, :] if columns else y[..., places])


def _places(space: Space | None, s: Configuration, program: Program, last: bool) -> tuple[int, Any]:
    """How long the executor's vectors are, and where in them those of a space stand; None: they are the same.

    Registers of joints have all dofs; those of frames have the output's frames, then the input's.
    """
    mask = _mask_of(space, s)
    if mask is not None:
        return len(mask), mask
    if space is None or space.code != 2 or len(space.frames) == len(program.frames):
        return 0, None
    width, own = 6 * len(program.frames), 6 * len(space.frames)
    return width, slice(width - own, width) if last else slice(0, own)


def _mask_of(space: Space | None, s: Configuration) -> Bools | None:
    """Which dofs a space has, if not all."""
    if s.passive is None or space not in (PASSIVE, ACTIVE):
        return None
    return s.passive if space == PASSIVE else ~s.passive


def _spread(x: Floats, width: int, places: Any, columns: bool) -> Floats:
    if columns:
        wide = np.zeros((*x.shape[:-2], width, x.shape[-1]))
        wide[..., places, :] = x
    else:
        wide = np.zeros((*x.shape[:-1], width))
        wide[..., places] = x
    return wide


# ── matrices and blocks ───────────────────────────────────────────────────────────────────────────────────────────────


def dense(op: Operator) -> Floats:
    """The matrix, (*batch, rows, columns): columns of the identity, through the operator; or a kernel that knows it."""
    kernel = fused.matrix_kernel(op)
    if kernel is not None:
        return kernel()
    columns = np.eye(op.shape[1]).reshape((1,) * len(op.batch) + (op.shape[1], op.shape[1]))
    if op.expression.domain is None or not op.plan.directions:
        columns = np.array(np.broadcast_to(columns, (*op.batch, *columns.shape[-2:])))
    return _carried_out(op.plan, op.configuration, columns, True)


def block(op: Operator, key: Any) -> Floats:
    """The block A(k, j): the rows of k, the columns of j, each a body, joint or frame by index or name."""
    pair = cast(tuple[Any, ...], key) if isinstance(key, tuple) else ()
    if len(pair) != 2:
        raise errors.blocks_of(repr(op), str(op.codomain), str(op.domain))
    rows, columns = _place(op.configuration, op.codomain, pair[0]), _place(op.configuration, op.domain, pair[1])
    units = np.zeros((*(1 for _ in op.batch), op.shape[1], len(columns)))
    units[..., columns, range(len(columns))] = 1.0
    return np.ascontiguousarray(_carried_out(op.plan, op.configuration, units, True)[..., rows, :])


def _place(s: Configuration, space: Space, key: Any) -> Sequence[int]:
    """The positions of one body, joint or frame in the vectors of a space."""
    robot = s.robot
    if space.code == 2:
        k = _number("frame", key, len(space.frames), partial(_frame_number, space.frames))
        return range(6 * k, 6 * k + 6)
    if space.kind == "bodies":
        k = _number("body", key, robot.n, lambda name: robot.body(str(name)).index)
        return range(6 * k, 6 * k + 6)
    k = _number("joint", key, robot.n, lambda name: robot.joint_indices(str(name), "block")[0])
    own = range(int(robot.v_index[k]), int(robot.v_index[k + 1]))
    mask = _mask_of(space, s)
    if mask is None:
        return own
    position = np.cumsum(mask) - 1
    return [int(position[i]) for i in own if mask[i]]


def _number(kind: str, key: Any, count: int, by_name: Callable[[str], int]) -> int:
    if isinstance(key, str):
        return by_name(key)
    try:
        k = numbers.index(key)
    except TypeError:
        raise errors.wrong_type("A[k, j]", kind, "an index or a name", key) from None
    if not -count <= k < count:
        raise errors.block_index(kind, k, count)
    return k % count


def _frame_number(frames: Sequence[str], name: str) -> int:
    if name not in frames:
        raise errors.unknown_name("frame", name, list(frames))
    return frames.index(name)


def to_scipy(op: Operator) -> Any:
    """A scipy LinearOperator; SciPy is imported here, not before."""
    if op.batch:
        raise errors.one_configuration_only("to_scipy", op.batch)
    try:
        linalg = cast(Any, importlib.import_module("scipy.sparse.linalg"))
    except ImportError:
        raise errors.extra_needed("to_scipy", "scipy") from None

    def of(one: Operator) -> Callable[[Any], Floats]:
        return lambda x: apply(one, np.asarray(x))

    def of_vectors(one: Operator) -> Callable[[Any], Floats]:
        return lambda x: apply(one, np.ravel(x))

    return linalg.LinearOperator(
        op.shape, matvec=of_vectors(op), rmatvec=of_vectors(op.T), matmat=of(op), rmatmat=of(op.T), dtype=np.float64
    )
