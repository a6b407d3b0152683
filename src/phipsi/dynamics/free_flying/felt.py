"""What forces on the links feel: Λ(k) = P(k) + S(k) and Υ(k) of every link, Ω(i, j) of chosen pairs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.description import WORLD
from phipsi.model.reading import Bools, Floats
from phipsi.model.robot import Robot

_Passive = str | Sequence[str] | ArrayLike | None


def floats(robot: Robot, free: Bools | None = None) -> int | None:
    """None if every tree hangs on a free joint that is free to move; else the index of a root that is held."""
    for k in np.flatnonzero(robot.parent == WORLD).tolist():
        own = slice(int(robot.v_index[k]), int(robot.v_index[k + 1]))
        if robot.joints[k].kind != "free" or (free is not None and not free[own].all()):
            return k
    return None


def link_inertias(
    robot: Robot,
    q: ArrayLike,
    passive: _Passive = None,
    *,
    out: Floats | None = None,
    on_singular: Literal["raise", "nan"] = "raise",
) -> Floats:
    """Λ(k) = P(k) + S(k): what every link resists, as if it were the base. [JR95f 38]

    f = Λ(k) α(k) for a force [moment; force] on body k at its origin and the acceleration it causes, world axes; all
    joints free to move, or with `passive` (names of joints or bodies, or a bool for each dof) only those.
    q (*batch, nq) → (*batch, n, 6, 6). O(n), about twice forward dynamics. The same whichever link is the base. It adds
    two resistances and inverts nothing, so light links on heavy ones lose no digits. Only for robots that float: where
    the base is held there may be no Λ(k); `link_compliances` always is.

    >>> import phipsi as pp
    >>> brick = pp.zoo.box(mass=3.0)
    >>> bool(np.allclose(np.diag(pp.free_flying.link_inertias(brick, brick.neutral())[0])[3:], 3.0))
    True
    """
    mask = None if passive is None else robot.mask(passive, "link_inertias")
    held = floats(robot, mask)
    if held is not None:
        raise errors.no_link_inertia(robot.body_names[held], robot.joint_names[held], robot.joints[held].kind)
    return _one(robot._link_inertias(q, mask, False, out, on_singular))  # pyright: ignore[reportPrivateUsage]


def dual_inertias(
    robot: Robot, q: ArrayLike, passive: _Passive = None, *, on_singular: Literal["raise", "nan"] = "raise"
) -> tuple[Floats, Floats]:
    """P(k) and S(k): what resists beyond each joint (its body included), and on its near side; (*batch, n, 6, 6) each.

    S(k) is P(k) of the robot seen from the other end: S⁺(c) = φ(c, j) [S(j) + M(j) + Σ φ P⁺ φ*] φ*(c, j) over the other
    children, S = τ̄_s S⁺. [JR95f 16]

    >>> import phipsi as pp
    >>> ship = pp.zoo.arm_satellite()
    >>> P, S = pp.free_flying.dual_inertias(ship, ship.neutral())
    >>> bool(abs(S[0]).max() == 0)  # nothing is on the near side of the base
    True
    """
    mask = None if passive is None else robot.mask(passive, "dual_inertias")
    held = floats(robot, mask)
    if held is not None:
        raise errors.no_link_inertia(robot.body_names[held], robot.joint_names[held], robot.joints[held].kind)
    both = robot._link_inertias(q, mask, True, None, on_singular)  # pyright: ignore[reportPrivateUsage]
    _, P = robot._link_compliances(q, mask, True, None, on_singular)  # pyright: ignore[reportPrivateUsage]
    return P, both[1]


def link_compliances(
    robot: Robot,
    q: ArrayLike,
    passive: _Passive = None,
    *,
    out: Floats | None = None,
    on_singular: Literal["raise", "nan"] = "raise",
) -> Floats:
    """Υ(k) = ψ* Υ(p) ψ + H* D⁻¹ H: how every link yields to a force on it, on any base. [JR95f 34]

    α(k) = Υ(k) f; where the robot floats, Υ(k) = Λ(k)⁻¹. Arguments as in `link_inertias`; q (*batch, nq) →
    (*batch, n, 6, 6). O(n). On a fixed base Υ(k) has rank min(6, dofs up to body k) in general, so the first links have
    no Λ(k).

    >>> import phipsi as pp
    >>> arm = pp.zoo.chain(7)
    >>> Upsilon = pp.free_flying.link_compliances(arm, arm.random(rng=0)[0])
    >>> np.linalg.matrix_rank(Upsilon, rtol=1e-9).tolist()
    [1, 2, 3, 4, 5, 6, 6]
    """
    mask = None if passive is None else robot.mask(passive, "link_compliances")
    return _one(robot._link_compliances(q, mask, False, out, on_singular))  # pyright: ignore[reportPrivateUsage]


def compliance_between(
    robot: Robot,
    q: ArrayLike,
    pairs: Sequence[tuple[str, str]],
    passive: _Passive = None,
    *,
    on_singular: Literal["raise", "nan"] = "raise",
) -> Floats:
    """Ω(i, j) = ψ*(c, i) Υ(c) ψ(c, j): what a force on j does to i, c being where their paths part. [JR95f 33]

    `pairs` are names of bodies or frames; q (*batch, nq) → (*batch, len(pairs), 6, 6), at their origins, world axes.
    Ω(j, i) = Ω(i, j)*, and Ω(i, i) = Υ(i). On trees this includes the term that JR95f leaves out: i and j on
    different branches feel each other through their nearest common ancestor. O(n + pairs²) at most.

    >>> import phipsi as pp
    >>> ship = pp.zoo.dual_arm_satellite()
    >>> hands = pp.free_flying.compliance_between(ship, ship.neutral(), [("left/hand", "right/hand")])
    >>> hands.shape
    (1, 6, 6)
    """
    mask = None if passive is None else robot.mask(passive, "compliance_between")
    pairs = _read_pairs(pairs)
    names = list(dict.fromkeys(name for pair in pairs for name in pair))
    where = {name: i for i, name in enumerate(names)}
    of_q = robot.normalize(q)
    found = np.empty((*of_q.shape[:-1], len(pairs), 6, 6))
    together = len(names) ** 2 <= 16 * max(1, len(pairs))
    every = robot.operational_space_compliance(of_q, names, mask, on_singular=on_singular) if together else None
    for row, (i, j) in enumerate(pairs):
        if every is None:
            two = robot.operational_space_compliance(of_q, [i, j], mask, on_singular=on_singular)
            found[..., row, :, :] = two[..., :6, 6:]
        else:
            a, b = 6 * where[i], 6 * where[j]
            found[..., row, :, :] = every[..., a : a + 6, b : b + 6]
    return found


def _read_pairs(pairs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Pairs of names, and no single pair in their place."""
    expected = 'a list of pairs of names, such as [("left/hand", "right/hand")]'
    good = isinstance(pairs, Sequence) and not isinstance(pairs, str)  # pyright: ignore[reportUnnecessaryIsInstance]
    if not good or any(isinstance(pair, str) or not isinstance(pair, Sequence) or len(pair) != 2 for pair in pairs):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type("compliance_between", "pairs", expected, pairs)
    return [(i, j) for i, j in pairs]


def _one(answer: Floats | tuple[Floats, Floats]) -> Floats:
    assert not isinstance(answer, tuple)
    return answer
