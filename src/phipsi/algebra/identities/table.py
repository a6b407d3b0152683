"""What a row of the table of identities is, the table itself, and how far a row is from holding."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from phipsi.reference.letters import Letters, Matrix

Statement: TypeAlias = Callable[[Any], tuple[Any, Any]]


@dataclass(frozen=True)
class Row:
    """A theorem. `statement(s)` is its two sides, in the letters of s: dense matrices, bound operators or symbols.

    Where only some degrees of freedom are free to move, H means the rows of those (H_p): a row with `masks` holds then
    too, and one that `needs_mask` speaks of the others as well (H_a). `armature` and `trees` say whether it holds with
    rotor inertia, and where a body carries several others; `why` says what breaks. With `rewrite`, the left side may
    always be replaced by the right one: it never costs more.
    """

    name: str
    ref: str
    words: str
    statement: Statement
    rewrite: bool = False
    masks: bool = True
    armature: bool = True
    trees: bool = True
    needs_mask: bool = False
    why: str = ""

    def holds_for(self, robot: Any, passive: ArrayLike | None = None) -> bool:
        """Whether the theorem claims anything about this robot."""
        parents = [p for p in np.asarray(robot.parent).tolist() if p >= 0]
        return (
            (self.masks or passive is None)
            and (self.armature or not np.any(robot.armature))
            and (self.trees or len(set(parents)) == len(parents))
        )

    def __str__(self) -> str:
        limits = [name for name in ("masks", "armature", "trees") if not getattr(self, name)]
        note = f" (not with {', '.join(limits)}: {self.why})" if limits else ""
        return f"{self.ref} {self.name}: {self.words}{note}"


TABLE: dict[str, Row] = {}


def register(row: Row) -> Row:
    """Add a row to the table, after the others."""
    if row.name in TABLE:
        raise ValueError(f"identities: there is a row {row.name!r} already ({TABLE[row.name].ref}). Name it otherwise.")
    TABLE[row.name] = row
    return row


def rows() -> tuple[Row, ...]:
    """All rows, in the order in which they were registered."""
    return tuple(TABLE.values())


def difference(left: Matrix, right: Matrix) -> float:
    """How far two matrices are apart: the largest difference of entries, over the largest entry met on the way."""
    if left.shape != right.shape:
        return float("inf")
    apart = float(abs(left.value - right.value).max(initial=0.0))
    return apart / max(left.met, right.met) if apart > 0 else 0.0


def residual(row: Row, robot: Any, q: ArrayLike, passive: ArrayLike | None = None) -> float:
    """How far apart the two sides are at q, relative to the largest entry on the way, by the dense reference."""
    return difference(*row.statement(Letters(robot, q, passive)))


def table() -> str:
    """The table as text: a line for each row. `print(identities.table())`."""
    return "\n".join(str(row) for row in rows())


def row(name: str, ref: str, words: str, statement: Statement, **properties: Any) -> None:
    """Register a row of ours."""
    register(Row(name, ref, words, statement, **properties))
