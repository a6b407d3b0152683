"""The book in plain NumPy: every operator a dense matrix, every quantity its expression. Slow, obvious, an oracle.

phipsi's reference: one state at a time, dense, and nothing compiled.

Read it beside the papers. :func:`at` builds the operators of a state; every other function states its quantity from
them:

>>> from phipsi import reference, zoo
>>> robot = zoo.chain(3)
>>> q, v = robot.random(rng=0)
>>> s = reference.at(robot, q, v)
>>> mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
>>> bool(abs(mass - robot.mass_matrix(q)).max() < 1e-12)
True

The functions have the names of the methods of :class:`phipsi.Robot` and take the robot first. Time and memory grow as
the square and the cube of the number of bodies; use it to check, never to run.
"""

from .articulated import Riccati, riccati
from .batch import over_batch
from .closed import closed_forward_dynamics
from .coordinates import difference, integrate, neutral, normalize
from .description import JointLike, PoseLike, RobotLike
from .dynamics import (
    bias,
    coriolis_matrix,
    forward_dynamics,
    forward_dynamics_dense,
    forward_dynamics_operators,
    gravity_torque,
    hybrid_dynamics,
    inverse_dynamics,
    inverse_mass_matrix,
    mass_matrix,
    reaction_forces,
)
from .kinematics import (
    acceleration,
    accelerations,
    jacobian,
    jacobian_dot_v,
    pose,
    poses,
    velocities,
    velocity,
)
from .momentum import (
    center_of_mass,
    center_of_mass_jacobian,
    centroidal_momentum_matrix,
    centroidal_momentum_matrix_dot_v,
    kinetic_energy,
    momentum,
    potential_energy,
)
from .operational import operational_space_compliance
from .operators import State, at

__all__ = [
    "JointLike",
    "PoseLike",
    "Riccati",
    "RobotLike",
    "State",
    "acceleration",
    "accelerations",
    "at",
    "bias",
    "center_of_mass",
    "center_of_mass_jacobian",
    "centroidal_momentum_matrix",
    "centroidal_momentum_matrix_dot_v",
    "closed_forward_dynamics",
    "coriolis_matrix",
    "difference",
    "forward_dynamics",
    "forward_dynamics_dense",
    "forward_dynamics_operators",
    "gravity_torque",
    "hybrid_dynamics",
    "integrate",
    "inverse_dynamics",
    "inverse_mass_matrix",
    "jacobian",
    "jacobian_dot_v",
    "kinetic_energy",
    "mass_matrix",
    "momentum",
    "neutral",
    "normalize",
    "operational_space_compliance",
    "over_batch",
    "pose",
    "poses",
    "potential_energy",
    "reaction_forces",
    "riccati",
    "velocities",
    "velocity",
]
