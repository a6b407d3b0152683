"""Acceleration relations, complete: how frames and passive dofs follow the active ones, and how they drift."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phipsi.dynamics.underactuated.states import Passive, mask_of, names_of, torques, vector
from phipsi.model.reading import Bools, Floats, batch_of
from phipsi.model.robot import Robot


@dataclass(frozen=True, eq=False)
class Relations:
    """α(frames) = J_G a_active + frame_drift, and a_passive = J_D a_active + passive_drift.

    Shapes: J_G (*batch, 6m, Na), frame_drift (*batch, 6m), J_D (*batch, Np, Na), passive_drift (*batch, Np); m frames,
    their accelerations [ω̇; v̇ of the frame's origin], world axes, true (gravity is not hidden in them).
    """

    J_G: Floats
    frame_drift: Floats
    J_D: Floats
    passive_drift: Floats

    def frames(self, a_active: ArrayLike) -> Floats:
        """(*batch, 6m): the frames' accelerations."""
        return times(self.J_G, self._read("frames", a_active)) + self.frame_drift  # [JR93 6.10]

    def passive(self, a_active: ArrayLike) -> Floats:
        """(*batch, Np): the accelerations of the passive dofs."""
        return times(self.J_D, self._read("passive", a_active)) + self.passive_drift  # [JR93 6.12]

    def _read(self, name: str, a_active: ArrayLike) -> Floats:
        where = f"relations.{name}"
        a = vector(a_active, self.J_D.shape[-1], where, "a_active", "accelerations of the active dofs")
        batch_of(where, J_D=self.J_D.shape[:-2], a_active=a.shape[:-1])
        return a


def relations(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    target: str | Sequence[str],
    tau: ArrayLike | None = None,
    passive: Passive = None,
    f_ext: ArrayLike | None = None,
) -> Relations:
    """J_G and J_D with their drifts: all of (6.10) and (6.12), for one frame or several.

    q (*batch, nq), v (*batch, nv), f_ext (*batch, n, 6); of tau (*batch, nv) only the passive entries count: springs,
    thrusters, nothing by default. O(n) for each column of the Jacobians.

    >>> import phipsi as pp
    >>> ship = pp.zoo.arm_satellite()
    >>> q, v = ship.random(rng=0)
    >>> r = pp.underactuated.relations(ship, q, v, "arm/hand")
    >>> a = pp.underactuated.passive_drift(ship, q, v)
    >>> bool((r.passive([0.0] * 7) == a).all())
    True
    """
    mask = mask_of(robot, passive, "relations")
    a = _at_rest(robot, q, v, tau, mask, f_ext, "relations")
    return Relations(
        J_G=robot.generalized_jacobian(q, target, mask),
        frame_drift=_frames(robot, q, v, a, target),
        J_D=robot.disturbance_jacobian(q, mask),
        passive_drift=np.ascontiguousarray(a[..., mask]),
    )


def frame_drift(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    target: str | Sequence[str],
    tau: ArrayLike | None = None,
    passive: Passive = None,
    f_ext: ArrayLike | None = None,
) -> Floats:
    """B*ψ*H_p*D⁻¹[1 - H_pψK_p]T_p - B*Ω[b + Pa] + B*ψ*a + a(0): a frame's acceleration while a_active = 0. [JR93 6.10]

    Shapes as in `relations`; (*batch, 6), or (*batch, 6m) of m frames. Gravity is in it: a passive robot falls. O(n).
    """
    mask = mask_of(robot, passive, "frame_drift")
    return _frames(robot, q, v, _at_rest(robot, q, v, tau, mask, f_ext, "frame_drift"), target)


def passive_drift(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None = None,
    passive: Passive = None,
    f_ext: ArrayLike | None = None,
) -> Floats:
    """S_pp [T_p - C_p]: what the passive dofs do while a_active = 0. [JR93 6.12]

    Shapes as in `relations`; (*batch, Np). O(n).
    """
    mask = mask_of(robot, passive, "passive_drift")
    return np.ascontiguousarray(_at_rest(robot, q, v, tau, mask, f_ext, "passive_drift")[..., mask])


def times(matrix: Floats, x: Floats) -> Floats:
    """A x, for each state of a batch."""
    return (matrix @ x[..., None])[..., 0]


def _at_rest(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike | None,
    mask: Bools,
    f_ext: ArrayLike | None,
    verb: str,
) -> Floats:
    """The accelerations of all dofs while those of the active ones are zero. [JR93 4.4]"""
    q = vector(q, robot.nq, verb, "q", "configuration")
    v = vector(v, robot.nv, verb, "v", "velocity")
    return robot.hybrid_dynamics(q, v, torques(robot, tau, verb), np.zeros(robot.nv), mask, f_ext)[1]


def _frames(robot: Robot, q: ArrayLike, v: ArrayLike, a: Floats, target: str | Sequence[str]) -> Floats:
    """The accelerations of frames, stacked."""
    parts = [robot.acceleration(q, v, a, name) for name in names_of(target)]
    return np.concatenate(parts, axis=-1) if parts else np.zeros((*a.shape[:-1], 0))
