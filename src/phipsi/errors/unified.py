"""What is said of the unified model: what its frames hold, and beams that are none."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import ModelError


def held_without_inertia(mass: float) -> ModelError:
    """An object that cannot be accelerated."""
    return ModelError(
        f"unified.Held: an object needs a positive mass (got {mass:g}) and a symmetric, positive definite inertia "
        "about its mass centre: M_o is inverted. For a point, give it a small sphere's inertia."
    )


def held_by_nothing(frames: bool) -> ModelError:
    """An object and forces, or an object and no frames."""
    if frames:
        return ModelError("table_1: f_e is what the object makes of the frames: give `held` or `f_e`, not both.")
    return ModelError("table_1: an object is held, but by no frame: pp.unified.model(robot, q, v, frames=[...]).")


def frames_slip(slip: float) -> ModelError:
    """Velocities that a rigid grip does not allow."""
    return ModelError(
        f"table_1: the frames hold one rigid object, but do not move as one rigid body: they differ by {slip:.2g}. "
        "Take velocities that close the chain: robot.close(...).project_velocity(q, v)."
    )


def no_beam(segments: int, length: float, mass: float, stiffness: float, axis: Sequence[float]) -> ModelError:
    """Numbers of which no beam can be made."""
    return ModelError(
        "unified.flexible_beam: expected at least one segment, positive length, mass and bending stiffness, and an "
        f"axis across x; got {segments} segments, {length:g} m, {mass:g} kg, {stiffness:g} N m², axis {list(axis)}."
    )


def nothing_bends(name: str) -> ModelError:
    """No passive dof."""
    return ModelError(
        f"unified.bending_frequencies: {name!r} has no passive dofs. Name the elastic joints: passive=['bend1', ...]."
    )
