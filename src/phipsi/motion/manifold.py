"""Moving about on the joints' manifolds: q = q0 exp(Ω), and which rate of Ω a velocity v is."""

from __future__ import annotations

from phipsi.model.reading import Floats
from phipsi.model.robot import Robot

_GROUPS = ("spherical", "planar", "free")


class Chart:
    """The chart Ω around a configuration q0, in which Runge-Kutta methods are what they are in vector spaces.

    q = q0 ⊞ Ω (`integrate`) and Ω̇ = v + ½ [Ω, v] + 1/12 [Ω, [Ω, v]] + O(Ω⁴); joints with q̇ = v have Ω̇ = v.
    """

    def __init__(self, robot: Robot) -> None:
        self.robot = robot
        self.flat = not any(
            joint.kind in _GROUPS or (joint.kind == "custom" and joint.nq != joint.nv) for joint in robot.joints
        )

    def move(self, q: Floats, omega: Floats) -> Floats:
        """q ⊞ Ω."""
        return self.robot.integrate(q, omega)

    def rate(self, omega: Floats, v: Floats) -> Floats:
        """Ω̇ at Ω."""
        return v if self.flat else self.robot._chart_rate(omega, v)  # pyright: ignore[reportPrivateUsage]
