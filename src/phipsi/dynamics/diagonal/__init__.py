"""Diagonalized dynamics (JR95d): rates ν = m*(θ) v in which the mass matrix is the identity, everywhere and always.

m is the square root of the mass matrix that the articulated recursion makes, m m* = H φ M φ* H*: the Cholesky factor,
taken from the tips. Then the kinetic energy is ½ |ν|², each ν is driven by its own ε = m⁻¹ τ, and the Coriolis force
does no work: ν* C(θ, ν) = 0.

>>> import numpy as np, phipsi as pp
>>> arm = pp.zoo.chain(7)
>>> q, v = arm.random(rng=0)
>>> nu = pp.diagonal.rates(arm, q, v)
>>> bool(np.isclose(0.5 * nu @ nu, arm.kinetic_energy(q, v)))
True
>>> bool(np.allclose(pp.diagonal.velocities(arm, q, nu), v))
True
>>> bool(abs(nu @ pp.diagonal.coriolis(arm, q, nu)) < 1e-10)
True

θ and ν do not make a set of coordinates: ν is not the rate of anything, unless the robot is flat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from .inertias import ArticulatedRates, articulated_rates, quadratic_sensitivities, sensitivities
from .riemann import Curvature, curvature
from .verbs import coriolis, dynamics, forces, rates, torques, velocities

if TYPE_CHECKING:
    from .motion import simulate

__all__ = [
    "ArticulatedRates",
    "Curvature",
    "articulated_rates",
    "coriolis",
    "curvature",
    "dynamics",
    "forces",
    "quadratic_sensitivities",
    "rates",
    "sensitivities",
    "simulate",
    "torques",
    "velocities",
]


def __getattr__(name: str) -> Any:
    if name == "simulate":  # control laws of the room that it needs are made of this one
        from .motion import simulate

        return simulate
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
