"""What is said of closed chains: grasps, contacts, loops that do not close, motions that they forbid."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import ClosureError, ModelError, OptionError, brief, quoted


def friction_needs_normal() -> OptionError:
    """A friction cone without a direction."""
    return OptionError(
        "contact.point: friction is a cone about a normal, and normal is missing. "
        "Give normal=(x, y, z), from the object to the tip."
    )


def nothing_locked() -> OptionError:
    """A contact that is none."""
    return OptionError(
        "contact.directions: mask must lock at least one of the six directions, got none. Drop the loop."
    )


def two_places(verb: str) -> OptionError:
    """Two ways to say where frames meet."""
    return OptionError(
        f"{verb}: at= and offset= both say where the two frames meet. Give one: a configuration, or the tip's pose "
        "in the object."
    )


def same_body(name: str, tip: str, other: str) -> ModelError:
    """Both ends on one body."""
    return ModelError(
        f"close: the ends of {name!r}, {tip!r} and {other!r}, are on one body, and no joint moves them apart. "
        "Name frames of two bodies, or of a body and the world."
    )


def no_loops() -> OptionError:
    """close() of nothing."""
    return OptionError("close: at least one Grasp or Loop is needed, got none. An open robot is closed by nothing.")


def loop_name_taken(name: str) -> ModelError:
    """Two loops of one name."""
    return ModelError(f"close: two loops are named {name!r}. Names must be unique: Grasp(..., name=...).")


def no_such_loop(name: object, known: Sequence[str]) -> OptionError:
    """A loop that is not there."""
    return OptionError(f"release: there is no loop {brief(name)}. There are {quoted(known)}.")


def not_closed(residual: float, tolerance: float, worst: str, count: int, total: int) -> ClosureError:
    """Position projection that ends elsewhere."""
    which = "" if total == 1 else f" for {count} of {total} states"
    return ClosureError(
        f"project_position: the loops cannot be closed{which}: the nearest found leaves {residual:.3g} "
        f"(tolerance {tolerance:.1g}), most of it at {worst!r}. Start nearer to closure, "
        "free more dofs (free=), or check the lengths."
    )


def not_consistent(verb: str, what: str, residual: float, tolerance: float, worst: str) -> ClosureError:
    """A motion that the loops forbid."""
    remedy = "project_velocity(q, v)" if what == "v" else "project_acceleration(q, v, a)"
    rule = "J v = 0" if what == "v" else "J a + J_dot v = 0"
    return ClosureError(
        f"{verb}: {what} is no motion of the closed chain: {rule} is off by {residual:.3g} "
        f"(tolerance {tolerance:.1g}), most of it at {worst!r}. Use {remedy}, or check=False."
    )


def driven_apart(residual: float, worst: str) -> ClosureError:
    """Accelerations of driven dofs that loops forbid."""
    return ClosureError(
        f"hybrid_dynamics: the driven dofs would open the loop {worst!r}: with their accelerations as given, no motion "
        f"of the passive dofs keeps it closed, J a + J_dot v = {residual:.3g}. Make more dofs passive, or take "
        "accelerations from project_acceleration."
    )


def too_few_motors(count: int, needed: int, residual: float, total: int) -> ClosureError:
    """Motors that cannot make a motion."""
    which = "" if total == 1 else f" in some of {total} states"
    return ClosureError(
        f"inverse_dynamics: {count} motors cannot make this motion of {needed} freedoms{which}: the dofs "
        f"without a motor lack {residual:.3g}. Choose another motion, add dofs to actuated=, "
        "or take what forward_dynamics gives."
    )
