"""Expressions that have a kernel of their own: recognised, and carried out by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

from phipsi.algebra.atoms import derived
from phipsi.algebra.spaces import ACTIVE, JOINTS, PASSIVE
from phipsi.model.reading import Floats

if TYPE_CHECKING:
    from phipsi.algebra.operators import Operator


def matrix_kernel(op: Operator) -> Callable[[], Floats] | None:
    """What makes the whole matrix: that of the mass matrix, of its inverse, or of the Jacobians J_G and J_D."""
    q, robot = op.configuration.q, cast(Any, op.configuration.robot)
    if op.domain == ACTIVE:
        return _underactuated(op)
    match _name(op):
        case "mass":
            return lambda: robot.mass_matrix(q)
        case "inverse mass":
            return lambda: robot.inverse_mass_matrix(q)
        case _:
            return None


def _underactuated(op: Operator) -> Callable[[], Floats] | None:
    """The kernel of J_G or J_D."""
    s, robot = op.configuration, op.configuration.robot
    passive = s.passive
    if not s.native or passive is None:
        return None
    if op.codomain == PASSIVE and op.expression == derived("J_D"):
        return lambda: robot.disturbance_jacobian(s.q, passive)
    frames = op.codomain.frames
    if frames and op.expression == derived("J_G", frames):
        return lambda: robot.generalized_jacobian(s.q, frames, passive)
    return None


def batch_kernel(op: Operator) -> Callable[[Any], Floats] | None:
    """What applies an operator to a vector in each of many configurations: inverse or forward dynamics, without biases.

    For a batch, making P, D and G anew in the caches is faster than fetching those of every state from memory; for a
    single configuration it is not, and the prepared program serves.
    """
    if not op.configuration.batch:
        return None
    q, robot = op.configuration.q, cast(Any, op.configuration.robot)
    match _name(op):
        case "mass":
            return lambda x: robot._mass_times(q, x)
        case "inverse mass":
            return lambda x: robot._mass_solve(q, x)
        case _:
            return None


def _name(op: Operator) -> str | None:
    s = op.configuration
    if s.passive is not None or op.codomain != JOINTS or op.domain != JOINTS or not s.native:
        return None
    expression, mass = op.plan.expression, s.mass
    if expression == mass.plan.expression:
        return "mass"
    return "inverse mass" if expression == mass.inv.plan.expression else None
