"""Back onto the closed manifold: positions by Gauss-Newton, velocities and accelerations nearest in the mass metric."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from phipsi import errors
from phipsi.dynamics.closed import forward, geometry
from phipsi.model.reading import Bools, Floats

if TYPE_CHECKING:
    from phipsi.dynamics.closed.system import ClosedRobot

_SHORTENINGS = 12  # halvings of a step that would not come closer


def position(system: ClosedRobot, q: Floats, free: Bools, tolerance: float, iterations: int) -> Floats:
    """q moved along the free dofs until e = 0: steps -J⁺ e, halved where they overshoot."""
    q = system.robot.normalize(q)
    e = geometry.error(system.robot, system.places, q)
    for _ in range(iterations):
        size = _norm(e)
        if not np.any(size > tolerance):
            return q
        J = geometry.jacobian(system.robot, system.places, q) * free
        step = -(np.linalg.pinv(J, rcond=1e-9) @ e[..., None])[..., 0]
        long = np.linalg.norm(step, axis=-1, keepdims=True)
        step = step / np.maximum(1.0, long)  # near a singularity: at most one unit at once
        step = np.where((size > 0.1 * tolerance)[..., None], step, 0.0)
        there, e_there = _tried(system, q, step)
        for _ in range(_SHORTENINGS):
            worse = (_norm(e_there) > size) & (size > tolerance)
            if not np.any(worse):
                break
            step = np.where(worse[..., None], 0.5 * step, step)
            there, e_there = _tried(system, q, step)
        q, e = there, e_there
    return _require_closed(system, q, e, tolerance)


def _tried(system: ClosedRobot, q: Floats, step: Floats) -> tuple[Floats, Floats]:
    there = system.robot.integrate(q, step)
    return there, geometry.error(system.robot, system.places, there)


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


def velocity(system: ClosedRobot, q: Floats, v: Floats) -> tuple[Floats, Floats]:
    """v + M⁻¹ J* p with J v = 0, and the impulse p: what an inelastic capture does. [RK88 II 2.11]"""
    there = forward.response(system, q)
    impulse = there.factors.solve(-(there.J @ v[..., None])[..., 0])
    return v + there.effect(impulse), impulse


def acceleration(system: ClosedRobot, q: Floats, v: Floats, a: Floats) -> Floats:
    """The acceleration nearest to a that keeps the loops closed, in the mass metric (Gauss's least constraint)."""
    there = forward.response(system, q)
    wanted = -system.constraint_rate(q, v) - (there.J @ a[..., None])[..., 0]
    return a + there.effect(there.factors.solve(wanted))


def _norm(e: Floats) -> Floats:
    return np.abs(e).max(axis=-1, initial=0.0)
