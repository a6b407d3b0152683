"""Velocity relations, where the passive dofs' momentum is known: v_p = J_D v_a + M_pp⁻¹ h."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from phipsi.dynamics.underactuated.states import Passive, mask_of, names_of, spread, together, vector
from phipsi.model.reading import Bools, Floats
from phipsi.model.robot import Robot


def passive_momentum(robot: Robot, q: ArrayLike, v: ArrayLike, passive: Passive = None) -> Floats:
    """h = M_pa v_active + M_pp v_passive, the passive dofs' part of M v; shape (*batch, Np), O(n). [JR93 7.2]

    Of a free base it is the robot's momentum about the base's origin, in the base's axes (`base_momentum`). Conserved
    is not that but `momentum`, which is about a fixed point. q (*batch, nq), v (*batch, nv).
    """
    mask = mask_of(robot, passive, "passive_momentum")
    q, v = together(
        "passive_momentum",
        q=vector(q, robot.nq, "passive_momentum", "q", "configuration"),
        v=vector(v, robot.nv, "passive_momentum", "v", "velocity"),
    )
    return np.ascontiguousarray((robot.at(q).mass @ np.ascontiguousarray(v))[..., mask])


def passive_velocity(
    robot: Robot, q: ArrayLike, v_active: ArrayLike, momentum: ArrayLike | None = None, passive: Passive = None
) -> Floats:
    """v_passive = J_D v_active + M_pp⁻¹ h; with h = 0, v_passive = J_D v_active. [JR93 6.2]

    h is `momentum`, (*batch, Np), as `passive_momentum` and `base_momentum` give it. It also restores a momentum that
    an integrator lost: v_active stays, v_passive is what makes M v have it. q (*batch, nq), v_active (*batch, Na) →
    (*batch, Np). O(n).

    >>> import phipsi as pp
    >>> ship = pp.zoo.arm_satellite()
    >>> q, v = ship.random(rng=0)
    >>> h = pp.underactuated.passive_momentum(ship, q, v)
    >>> bool(abs(pp.underactuated.passive_velocity(ship, q, v[6:], h) - v[:6]).max() < 1e-12)
    True
    """
    mask = mask_of(robot, passive, "passive_velocity")
    return np.ascontiguousarray(_complete(robot, q, v_active, momentum, mask, "passive_velocity")[1][..., mask])


def frame_velocity(
    robot: Robot,
    q: ArrayLike,
    v_active: ArrayLike,
    target: str | Sequence[str],
    momentum: ArrayLike | None = None,
    passive: Passive = None,
) -> Floats:
    """V(frame) = J_G v_active + B*φ*H_p* M_pp⁻¹ h; with h = 0, V(frame) = J_G v_active. [JR93 6.1]

    Shapes as in `passive_velocity`; (*batch, 6), world axes at the frame's origin, or (*batch, 6m) of m frames. O(n).
    """
    mask = mask_of(robot, passive, "frame_velocity")
    q, v = _complete(robot, q, v_active, momentum, mask, "frame_velocity")
    parts = [robot.velocity(q, v, name) for name in names_of(target)]
    return np.concatenate(parts, axis=-1) if parts else np.zeros((*v.shape[:-1], 0))


def _complete(
    robot: Robot, q: ArrayLike, v_active: ArrayLike, momentum: ArrayLike | None, mask: Bools, verb: str
) -> tuple[Floats, Floats]:
    """(q, v): the velocities of all dofs, from those of the active ones and the passive ones' momentum."""
    count = int(mask.sum())
    h = np.zeros(count) if momentum is None else vector(momentum, count, verb, "momentum", "of the passive dofs")
    q, driven, h = together(
        verb,
        q=vector(q, robot.nq, verb, "q", "configuration"),
        v_active=vector(v_active, robot.nv - count, verb, "v_active", "velocities of the active dofs"),
        momentum=h,
    )
    s = robot.at(q, mask)
    yielding = s.J_D @ np.ascontiguousarray(driven) + s.S_pp @ np.ascontiguousarray(h)
    return q, spread(driven, ~mask) + spread(yielding, mask)
