"""Control laws: each is made once for a robot and a goal, then called with (t, q, v) and gives the torques.

A law takes one state or a batch, as the verbs of a robot do, and keeps nothing between calls.
"""

from .decoupled import DecoupledDamping, DecoupledPose
from .feedback import PD, ComputedTorque, GravityCompensation
from .given import Constant, Table
from .goals import Goal, Reach
from .law import Law
from .operational import OperationalSpace
from .underactuated import EndEffector, LeastDisturbance, ReactionMode

__all__ = [
    "PD",
    "ComputedTorque",
    "Constant",
    "DecoupledDamping",
    "DecoupledPose",
    "EndEffector",
    "Goal",
    "GravityCompensation",
    "Law",
    "LeastDisturbance",
    "OperationalSpace",
    "Reach",
    "ReactionMode",
    "Table",
]
