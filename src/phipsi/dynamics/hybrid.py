"""Hybrid dynamics: torques known at the passive dofs, accelerations at the active ones; all that a call can return."""

from __future__ import annotations

from typing import NamedTuple

from phipsi.model.reading import Floats


class HybridMotion(NamedTuple):
    """What `Robot.hybrid_motion` finds."""

    tau: Floats  # (*batch, nv), complete: known at the passive dofs, found at the active ones
    a: Floats  # (*batch, nv), complete: known at the active dofs, found at the passive ones
    accelerations: Floats  # (*batch, n, 6): α(k), inertial derivative of V(k) at O_k, world axes, true
    reaction_forces: Floats  # (*batch, n, 6): f(k), what body k receives through its joint, at O_k, world axes
