"""Robots with dofs that no motor drives: how they yield, what they keep, and motions that they do not feel. [JR93]

Public as `phipsi.underactuated`. The operators behind it hang on a configuration with a mask (`robot.at(q, passive=…)`:
`S_aa`, `S_ap`, `S_pp`, `J_G(frame)`, `J_D`); `Robot.generalized_jacobian` and `Robot.disturbance_jacobian` are fast
matrices of the same; control laws stand in `phipsi.control`. Here are the equations that need a velocity or forces:

==========================  ============================================================================================
`relations`                 α(frame) = J_G a_active + drift and a_passive = J_D a_active + drift, all four parts
`frame_drift`               the drift of a frame, (6.10)
`passive_drift`             the drift of the passive dofs, (6.12)
`passive_momentum`          h = M_pa v_active + M_pp v_passive, (7.2)
`base_momentum`             h of a free base, from the robot's momentum about a point: (7.3) read backwards
`passive_velocity`          v_passive = J_D v_active + M_pp⁻¹ h
`frame_velocity`            V(frame) = J_G v_active + what h adds
`momentum`                  about any fixed point: what is conserved, (7.3)
`momentum_rate`             what base forces, external forces and weight do to it
`momentum_integral`         the integral in (7.3), along a recorded motion
`reaction_null_space`       motions of the active dofs that the passive ones do not feel: null(J_D)
`reaction_null_projector`   the orthogonal projection on it
`zero_reaction_path`        a manoeuvre that leaves the base where it is
==========================  ============================================================================================

`passive=` is as everywhere: names of joints or bodies, a bool for each dof, or None for the robot's own mask.
"""

from .accelerations import Relations, frame_drift, passive_drift, relations
from .momenta import base_momentum, momentum, momentum_integral, momentum_rate
from .reactions import ZeroReactionPath, reaction_null_projector, reaction_null_space, zero_reaction_path
from .velocities import frame_velocity, passive_momentum, passive_velocity

__all__ = [  # noqa: RUF022 (as in the table above)
    "Relations",
    "relations",
    "frame_drift",
    "passive_drift",
    "passive_momentum",
    "base_momentum",
    "passive_velocity",
    "frame_velocity",
    "momentum",
    "momentum_rate",
    "momentum_integral",
    "reaction_null_space",
    "reaction_null_projector",
    "ZeroReactionPath",
    "zero_reaction_path",
]
