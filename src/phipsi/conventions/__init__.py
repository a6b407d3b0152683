"""States and matrices to and from other engines: `pinocchio`, `mujoco`, `drake`, each giving a `Converter`.

    pin_of = pp.conventions.pinocchio(robot, model)
    a = pinocchio.aba(model, data, pin_of.to_q(q), pin_of.to_v(q, v), pin_of.to_tau(q, tau))
    robot.forward_dynamics(q, v, tau)  # the same as pin_of.from_a(q', v', a)

Joints are matched by name. None of the engines is imported: their models are only asked.
"""

from phipsi.conventions.converter import Converter
from phipsi.conventions.engine_drake import drake
from phipsi.conventions.engine_mujoco import mujoco
from phipsi.conventions.engine_pinocchio import pinocchio

__all__ = ["Converter", "drake", "mujoco", "pinocchio"]
