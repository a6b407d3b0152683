"""Back onto the closed manifold: positions by Gauss-Newton, velocities and accelerations nearest in the mass metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phipsi import errors
from phipsi.dynamics.closed import forward, geometry, least
from phipsi.model.reading import Bools, Floats

if TYPE_CHECKING:
    from phipsi.dynamics.closed.system import ClosedRobot

_SHORTENINGS = 12  # halvings of a step that would not come closer


def position(system: ClosedRobot, q: Floats, free: Bools, tolerance: float, iterations: int) -> Floats:
    """q moved along the free dofs until e = 0, by steps that are halved where they overshoot.

    Where all dofs are free a step is -M⁻¹ J* Ω⁺ e, the least in the mass metric; else -J⁺ e of the free ones.
    """
    q = system.robot.normalize(q)
    step, e = _newton(system, q, free)
    for _ in range(iterations):
        size = _norm(e)
        if not np.any(size > tolerance):
            return q
        long = np.linalg.norm(step, axis=-1, keepdims=True)
        step = step / np.maximum(1.0, long)  # near a singularity: at most one unit at once
        step = np.where((size > 0.1 * tolerance)[..., None], step, 0.0)
        there = system.robot.integrate(q, step)
        next_step, e_there = _newton(system, there, free)
        for _ in range(_SHORTENINGS):
            worse = (_norm(e_there) > size) & (size > tolerance)
            if not np.any(worse):
                break
            step = np.where(worse[..., None], 0.5 * step, step)
            there = system.robot.integrate(q, step)
            next_step, e_there = _newton(system, there, free)
        q, e, step = there, e_there, next_step
    return _require_closed(system, q, e, tolerance)


def _newton(system: ClosedRobot, q: Floats, free: Bools) -> tuple[Floats, Floats]:
    """The step from q towards closure, and what is missing to it."""
    if free.all():
        step, _, _, e = system.projected("project_position", q, None)
        return step, e
    e = geometry.error(system.robot, system.places, q)
    J = geometry.jacobian(system.robot, system.places, q) * free
    return -(least.pseudo_inverse(J, 1e-9) @ e[..., None])[..., 0], e


def _require_closed(system: ClosedRobot, q: Floats, e: Floats, tolerance: float) -> Floats:
    open_still = ~(_norm(e) <= tolerance)
    if np.any(open_still):
        size = np.where(np.isnan(_norm(e)), -np.inf, _norm(e))
        if np.isneginf(size).all():  # NaN passes through, as everywhere
            return q
        rows = np.abs(e.reshape(-1, e.shape[-1]))[int(np.argmax(size))]
        raise errors.not_closed(float(size.max()), tolerance, system.row_owner(int(np.argmax(rows))),
                                int(open_still.sum()), open_still.size)  # fmt: skip
    return q


def acceleration(system: ClosedRobot, q: Floats, v: Floats, a: Floats) -> Floats:
    """The acceleration nearest to a that keeps the loops closed, in the mass metric (Gauss's least constraint)."""
    there = forward.response(system, q)
    wanted = -system.constraint_rate(q, v) - (there.J @ a[..., None])[..., 0]
    return a + there.effect(there.factors.solve(wanted))


def _norm(e: Floats) -> Floats:
    return np.abs(e).max(axis=-1, initial=0.0)
