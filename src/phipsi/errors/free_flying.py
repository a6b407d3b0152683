"""What is said of robots that stand on nothing, and of dofs without a motor."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import ModelError, OptionError, quoted


def not_free_flying(body: str, root: str, kind: str) -> ModelError:
    """Another base was asked for, of a robot that is fixed to the world."""
    return ModelError(
        f"rebase: {body!r} cannot become the base: its tree stands on the world through a {kind} joint (that of body "
        f"{root!r}), and only a free-flying robot may choose its base. Load or build it with base='free'."
    )


def base_in_the_world(name: str) -> ModelError:
    """A frame of the world was named."""
    return ModelError(f"rebase: {name!r} is a frame of the world. Name a body of the robot, or a frame on one.")


def joint_not_reversible(name: str, kind: str) -> ModelError:
    """A property of the joint that its other end cannot have."""
    return ModelError(
        f"rebase: joint {name!r} ({kind}) cannot be turned round: its v is in the axes of the child, and it has an "
        "armature, damping, friction, spring, limits or passive dofs that are not the same about all of them. "
        "Take them off, or choose a base on its other side."
    )


def not_floating(verb: str, root: str, kind: str) -> ModelError:
    """Momentum was asked to be conserved by a robot that is held."""
    return ModelError(
        f"{verb}: body {root!r} stands on the world through a {kind} joint, whose reaction changes the momentum. "
        "Only robots whose trees all hang on free joints keep theirs."
    )


def several_bases(verb: str, roots: Sequence[str]) -> ModelError:
    """One momentum was given for several free-flying trees."""
    return ModelError(
        f"{verb}: momentum is of the whole robot, and {quoted(roots)} each float on their own (or nothing does): how "
        "it is shared is not known. Take robots of one free-flying tree, or give each passive dof its own momentum."
    )


def null_space_varies(least: int, most: int) -> ModelError:
    """The states of a batch have null spaces of different dimensions."""
    return ModelError(
        f"reaction_null_space: between {least} and {most} independent motions are not felt by the passive dofs in the "
        "states of this batch, so that they fit no array. Take reaction_null_projector, or one state at a time."
    )


def no_steps(verb: str, until: float, step: float) -> OptionError:
    """A duration or a step that leads nowhere."""
    came = f"got until = {until:g} and step = {step:g}"
    return OptionError(f"{verb}: until must be >= 0 and step > 0, both finite, {came}.")


def no_link_inertia(root: str, joint: str, kind: str) -> ModelError:
    """Λ(k) was asked of a robot that is held."""
    return ModelError(
        f"link_inertias: body {root!r} stands on the world through joint {joint!r} ({kind}), whose dofs are not "
        "those of a free joint that moves: S(k) has no bounds there, and Λ(k) need not exist. link_compliances gives "
        "Υ(k), which exists for any base; or build the robot with base='free'."
    )


def no_near_side(joint: str, body: str) -> ModelError:
    """Everything on the near side of a joint is massless."""
    return ModelError(
        f"free_flying.dynamics: nothing on the near side of joint {joint!r} (body {body!r} and all it holds) has "
        "inertia about the joint's axis: S(k) does not resist there. Give it a mass, or use robot.forward_dynamics."
    )


def no_far_side(joint: str, body: str) -> ModelError:
    """Everything on the far side of a joint, without one of its branches, is massless."""
    return ModelError(
        f"free_flying.dynamics: body {body!r}, taken without one of the branches it carries, has no inertia about the "
        f"axis of joint {joint!r}: the mobility of that branch's near side has no bounds. Give it a mass, or the "
        "joint an armature, or use robot.forward_dynamics."
    )
