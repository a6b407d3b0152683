"""Motions that the passive dofs do not feel: the null space of J_D, and manoeuvres in it that leave a base alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.singular_values import svd
from phipsi.dynamics.underactuated.accelerations import times
from phipsi.dynamics.underactuated.states import Passive, mask_of, spread, vector
from phipsi.model.reading import Bools, Floats, Ints, number
from phipsi.model.robot import Robot

RANK = 1e-9  # of the largest singular value: less counts as nothing
ROUNDING = 1e-13  # of a unit of passive motion for one of active motion: what rounding leaves where nothing should be


def reaction_null_space(robot: Robot, q: ArrayLike, passive: Passive = None, tolerance: float = RANK) -> Floats:
    """Orthonormal columns N with J_D N = 0: motions of the active dofs that the passive ones do not feel.

    M_pa v_active = 0: without momentum, a free base does not move however fast the arm goes along N. q (*batch, nq) →
    (*batch, Na, Na - rank J_D); of a free base with a long arm the rank is 6. Singular values below `tolerance` of the
    largest count as zero. Where states of a batch differ in rank, take `reaction_null_projector`.

    >>> import phipsi as pp
    >>> ship = pp.zoo.dual_arm_satellite()
    >>> q, _ = ship.random(100, rng=0)
    >>> N = pp.underactuated.reaction_null_space(ship, q)
    >>> N.shape, bool(abs(ship.disturbance_jacobian(q) @ N).max() < 1e-12)
    ((100, 14, 8), True)
    """
    Vt, ranks = _svd("reaction_null_space", robot, q, mask_of(robot, passive, "reaction_null_space"), tolerance)
    rank = ranks[~np.isnan(Vt).any(axis=(-2, -1))]  # of NaN there is none, and it stays in its state
    least, most = int(rank.min(initial=Vt.shape[-1])), int(rank.max(initial=0))
    if rank.size == 0:
        least = most = min(Vt.shape[-1], int(mask_of(robot, passive, "reaction_null_space").sum()))
    if least != most:
        raise errors.null_space_varies(Vt.shape[-1] - most, Vt.shape[-1] - least)
    return np.ascontiguousarray(np.swapaxes(Vt[..., most:, :], -1, -2))


def reaction_null_projector(robot: Robot, q: ArrayLike, passive: Passive = None, tolerance: float = RANK) -> Floats:
    """1 - J_D⁺ J_D: the orthogonal projection on the motions that the passive dofs do not feel; (*batch, Na, Na)."""
    verb = "reaction_null_projector"
    Vt, rank = _svd(verb, robot, q, mask_of(robot, passive, verb), tolerance)
    order: Ints = np.arange(Vt.shape[-1], dtype=np.intp)
    unfelt: Bools = order >= rank[..., None]
    return np.swapaxes(Vt, -1, -2) @ (unfelt[..., None] * Vt)


@dataclass(frozen=True, eq=False)
class ZeroReactionPath:
    """t (T,), q (T, *batch, nq), v (T, *batch, nv): a motion of the active dofs that the passive ones do not feel."""

    robot: Robot
    t: Floats
    q: Floats
    v: Floats


def zero_reaction_path(
    robot: Robot,
    q0: ArrayLike,
    wanted: Callable[[float, Floats], ArrayLike],
    until: float,
    step: float = 0.01,
    passive: Passive = None,
) -> ZeroReactionPath:
    """A manoeuvre that leaves the passive dofs where they are: v_active = [1 - J_D⁺J_D] wanted(t, q), v_passive = 0.

    `wanted` gives the velocities (*batch, Na) that one would like; the nearest that are not felt are taken. RK4 from q0
    (*batch, nq), with steps of at most `step`. Executed from rest without momentum (by the torques that
    `inverse_dynamics` says), a free base stays to the accuracy of the integration. It starts and ends with a jerk
    unless `wanted` does not.

    >>> import phipsi as pp
    >>> ship = pp.zoo.dual_arm_satellite()
    >>> path = pp.underactuated.zero_reaction_path(ship, ship.random(rng=0)[0], lambda t, q: [0.3] * 14, until=2.0)
    >>> bool((path.q[-1, :7] == path.q[0, :7]).all()), bool(abs(ship.momentum(path.q, path.v)).max() < 1e-12)
    (True, True)
    """
    mask = mask_of(robot, passive, "zero_reaction_path")
    duration = number(until, "zero_reaction_path", "until")
    longest = number(step, "zero_reaction_path", "step")
    if not callable(wanted):  # pyright: ignore[reportUnnecessaryComparison]
        raise errors.wrong_type("zero_reaction_path", "wanted", "a function (t, q) of active velocities", wanted)
    if not (0.0 <= duration < np.inf and 0.0 < longest < np.inf):
        raise errors.no_steps("zero_reaction_path", duration, longest)
    count = max(1, int(np.ceil(duration / longest - 1e-9)))
    h = duration / count

    def velocity(t: float, q: Floats) -> Floats:
        asked = vector(wanted(t, q), int((~mask).sum()), "zero_reaction_path", "wanted(t, q)", "active velocities")
        return spread(times(reaction_null_projector(robot, q, mask), asked), ~mask)

    q = vector(q0, robot.nq, "zero_reaction_path", "q0", "configuration")
    v = velocity(0.0, q)
    q = np.array(np.broadcast_to(q, (*v.shape[:-1], robot.nq)))
    instants, path, rates = [0.0], [q], [v]
    for i in range(count):
        t = i * h
        k2 = velocity(t + h / 2, robot.integrate(q, h / 2 * v))
        k3 = velocity(t + h / 2, robot.integrate(q, h / 2 * k2))
        k4 = velocity(t + h, robot.integrate(q, h * k3))
        q = _held(robot, robot.integrate(q, h / 6 * (v + 2 * k2 + 2 * k3 + k4)), q, mask)
        v = velocity(t + h, q)
        instants.append(t + h)
        path.append(q)
        rates.append(v)
    return ZeroReactionPath(robot, np.array(instants), np.stack(path), np.stack(rates))


def _held(robot: Robot, q: Floats, before: Floats, mask: Bools) -> Floats:
    """q, with the joints that are passive as a whole exactly where they were: not even rounding moves them."""
    for k in range(robot.n):
        own = slice(int(robot.q_index[k]), int(robot.q_index[k + 1]))
        if mask[robot.v_index[k] : robot.v_index[k + 1]].all():
            q[..., own] = before[..., own]
    return q


def _svd(verb: str, robot: Robot, q: ArrayLike, mask: Bools, tolerance: float) -> tuple[Floats, Ints]:
    """The right singular vectors of J_D, as rows, and its rank in each state."""
    J_D = robot.disturbance_jacobian(q, mask)
    if not number(tolerance, verb, "tolerance") >= 0.0:
        raise errors.negative(verb, "tolerance", tolerance)
    _, sizes, Vt = svd(J_D)
    counted: Bools = sizes > np.maximum(tolerance * sizes[..., :1], ROUNDING)
    return Vt, np.count_nonzero(counted, axis=-1)
