"""Forward dynamics of closed chains, as RK88 part II: the open motion, Ω f = what closure asks for, and its effect.

Ω = J M⁻¹ J* comes from articulated sweeps over the rows of J, never from a mass matrix: O(n m) here, and less in the
kernel that serves calls."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from phipsi.dynamics.closed import geometry, least
from phipsi.model.reading import Floats

if TYPE_CHECKING:
    from phipsi.dynamics.closed.system import ClosedRobot


@dataclass(frozen=True, eq=False)
class Response:
    """What contact forces do at q: J, M⁻¹ J* and Ω factored."""

    J: Floats  # (*batch, m, nv)
    M_inv_Jt: Floats  # (*batch, m, nv): row r is what a unit of force r accelerates
    Omega: Floats
    factors: least.Factored

    def effect(self, f: Floats) -> Floats:
        """M⁻¹ J* f."""
        return (f[..., None, :] @ self.M_inv_Jt)[..., 0, :]


def response(system: ClosedRobot, q: Floats) -> Response:
    """Ω = J M⁻¹ J*: a sweep up and down for each row, none of them dense."""
    J = geometry.jacobian(system.robot, system.places, q)
    M_inv_Jt = np.asarray(system.robot._mass_solve(q[..., None, :], J))  # pyright: ignore[reportPrivateUsage]
    Omega = J @ np.swapaxes(M_inv_Jt, -1, -2)
    Omega = 0.5 * (Omega + np.swapaxes(Omega, -1, -2))
    part = least.resolution(geometry.error(system.robot, system.places, q))
    return Response(J, M_inv_Jt, Omega, least.factored(Omega, part))


def by_rows(
    system: ClosedRobot, q: Floats, v: Floats, tau: Floats, f_ext: Floats | None
) -> tuple[Floats, Floats, Floats]:
    """q̈, f and the rank: RCCFD with every step a verb of the open robot. [RK88 II 4.9]"""
    free = system.robot.forward_dynamics(q, v, tau, f_ext)
    there = response(system, q)
    wanted = -system.drift(q, v) - (there.J @ free[..., None])[..., 0]
    f = there.factors.solve(wanted)
    rank = np.broadcast_to(there.factors.rank, f.shape[:-1])
    return free + there.effect(f), f, rank.astype(np.float64)
