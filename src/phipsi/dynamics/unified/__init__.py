"""The unified model of robots with active and passive dofs (SM03, corrected): coefficients, Table I, five cases.

M q̈ + C = T̂ - J* f_e for the active dofs, whatever the passive ones are: none (a fixed base), a base that floats
(T_p = 0) or flies (T_p: thrusters), a base on springs and dampers, virtual elastic joints of flexible links. The
partition is exact: the paper doubts it, but C, M, J and T̂ are a Schur complement of the equations of motion.

>>> import numpy as np
>>> import phipsi as pp
>>> ship = pp.zoo.arm_satellite()  # its base is passive
>>> q, v = ship.random(rng=0)
>>> model = pp.unified.model(ship, q, v, "arm/hand")
>>> model
<unified model of 'arm_satellite': 7 active and 6 passive dofs, frames arm/hand>
>>> T = np.ones(7)
>>> a = np.linalg.solve(model.M, model.T_hat(T) - model.C)  # no force at the hand, no thrusters
>>> bool(abs(a - ship.forward_dynamics(q, v, np.r_[np.zeros(6), T])[6:]).max() < 1e-9)
True

To read, to check, and to design by; `forward_dynamics`, `hybrid_dynamics` and `close` are faster, and agree.
"""

from .coefficients import Model, model
from .flexible import bending_frequencies, clamped_frequencies, flexible_beam
from .held import Held
from .table_1 import Step

__all__ = ["Held", "Model", "Step", "bending_frequencies", "clamped_frequencies", "flexible_beam", "model"]
