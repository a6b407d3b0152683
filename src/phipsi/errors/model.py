"""What is said of robots, bodies, joints, names, and of other engines' robots."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import ImmutableError, ModelError, ModelWarning, UnknownName, also, brief, closest, quoted

# ── Names ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def unknown_name(kind: str, name: object, known: Sequence[str]) -> UnknownName:
    """The robot has no body, joint or frame of that name."""
    close = closest(name, known)
    hint = f" Did you mean {close!r}?" if close else ""
    listed = f"It has {quoted(known)}." if known else "It has none."
    return UnknownName(f"the robot has no {kind} named {brief(name)}.{hint} {listed}")


def unknown_parent(where: str, name: object, known: Sequence[str]) -> UnknownName:
    """A body is to hang on something that is not there (yet)."""
    close = closest(name, known)
    hint = f" Did you mean {close!r}?" if close else " Parents come first: add it before what hangs on it."
    return UnknownName(f"{where}: there is no parent named {brief(name)}.{hint} There are {quoted(known)}.")


def bad_name(kind: str, name: object) -> ModelError:
    """Not a usable name."""
    return ModelError(f"the name of a {kind} must be a non-empty string, got {brief(name)}.")


def reserved_name(kind: str) -> ModelError:
    """`world` belongs to the fixed frame."""
    return ModelError(f"no {kind} can be named 'world': it is the fixed frame that every robot stands on. Rename it.")


def name_taken(where: str, kind: str, name: str, holder: str, remedy: str = "Names must be unique.") -> ModelError:
    """A name is used twice."""
    return ModelError(f"{where}: the {kind} name {name!r} is taken by a {holder}. {remedy}")


def ambiguous_joint(verb: str, name: str, by_joint: str, by_body: str) -> ModelError:
    """A name means one joint as a joint and another as a body."""
    return ModelError(
        f"{verb}: {name!r} is both a joint (that of body {by_joint!r}) and a body (behind joint {by_body!r}). "
        "Name the joint by the other's name, or pass a mask."
    )


# ── Robots, bodies, joints ────────────────────────────────────────────────────────────────────────────────────────


def model(text: str) -> ModelError:
    """A robot description that the native constructor refuses."""
    return ModelError(text)


def immutable(what: str, attribute: str, remedy: str) -> ImmutableError:
    """Nothing is changed in place."""
    return ImmutableError(f"a {what} is immutable: {attribute!r} cannot be set or deleted. {remedy}")


def not_finite(where: str, symbol: str, got: object) -> ModelError:
    """NaN or infinity where a number is needed."""
    return ModelError(f"{where}: {symbol} must be finite, got {brief(got)}.")


def nan(where: str, symbol: str) -> ModelError:
    """Where infinity would do."""
    return ModelError(f"{where}: {symbol} must not be NaN.")


def negative(where: str, symbol: str, got: object) -> ModelError:
    """A property that cannot be negative."""
    return ModelError(f"{where}: {symbol} must not be negative, got {brief(got)}.")


def not_positive(where: str, symbol: str, got: object) -> ModelError:
    """A property that must be more than zero, and finite."""
    return ModelError(f"{where}: {symbol} must be positive and finite, got {brief(got)}.")


def zero_axis(where: str, symbol: str, got: object) -> ModelError:
    """An axis without a direction."""
    return ModelError(f"{where}: {symbol} must have a direction, got {brief(got)}. Give a vector that is not zero.")


def parallel_axes(where: str, first: str, second: str) -> ModelError:
    """Two axes that should span a plane."""
    return ModelError(f"{where}: {first} and {second} are parallel, so one motion is lost. Use a revolute joint.")


def no_direction_in_plane(where: str, in_plane: str, normal: str) -> ModelError:
    """The in-plane axis is the normal."""
    return ModelError(
        f"{where}: {in_plane} is parallel to {normal}, so it shows no direction in the plane. "
        "Leave it out, or give another one."
    )


def not_perpendicular(where: str, second: str, first: str, cosine: float, remedy: object) -> ModelError:
    """The in-plane axis leaves the plane."""
    return ModelError(
        f"{where}: {second} must be perpendicular to {first}, but their unit vectors have product {cosine:.3g}. "
        f"Its part in the plane is {brief(remedy)}."
    )


def limits_crossed(where: str, lower: object, upper: object) -> ModelError:
    """lower > upper."""
    return ModelError(f"{where}: lower must not exceed upper, got lower={brief(lower)}, upper={brief(upper)}.")


def no_limits(where: str, labels: Sequence[str]) -> ModelError:
    """A quaternion has no lower and upper limit."""
    return ModelError(
        f"{where}: lower and upper limit coordinates, but q is ({', '.join(labels)}), a pose whose quaternion "
        "cannot be bounded so. Leave them out."
    )


def custom_columns(where: str, problem: str) -> ModelError:
    """H* columns that are not a joint."""
    return ModelError(f"{where}: columns (the columns of H*, [angular; linear], child axes) {problem}.")


def improper_rotation(where: str, problem: str, remedy: str) -> ModelError:
    """A 3x3 matrix that is no rotation."""
    return ModelError(f"{where}: rotation must be orthonormal with determinant +1: {problem}. {remedy}")


def zero_quaternion(where: str) -> ModelError:
    """A quaternion without a direction."""
    return ModelError(f"{where}: quaternion [w, x, y, z] is zero, which is no rotation. The identity is (1, 0, 0, 0).")


def several_rotations(where: str, given: Sequence[str]) -> ModelError:
    """More than one way to say the rotation."""
    return ModelError(f"{where}: give the rotation once, got {' and '.join(given)}.")


def inertia(body: str, problem: str, remedy: str, others: int = 0) -> ModelError:
    """A body that cannot exist."""
    return ModelError(f"body {body!r}: {problem}. {remedy}{also(others)}")


def mimic(joint: str, problem: str) -> ModelError:
    """A mimic relation that cannot be."""
    return ModelError(f"joint {joint!r}: mimic {problem}.")


def gravities_differ(first: str, gravity: object, second: str, other: object) -> ModelError:
    """Robots of one cell must fall the same way."""
    return ModelError(
        f"assemble: {first!r} has gravity {brief(gravity)} and {second!r} has {brief(other)}. "
        "Say which: assemble(..., gravity=(0, 0, -9.81))."
    )


def nothing_attached(name: object, known: Sequence[str]) -> UnknownName:
    """detach() of something that was never attached."""
    close = closest(name, known)
    hint = f" Did you mean {close!r}?" if close else ""
    listed = f"Attached are {quoted(known)}." if known else "Nothing is."
    return UnknownName(f"detach: nothing named {brief(name)} was attached.{hint} {listed}")


# ── Conventions of other engines ──────────────────────────────────────────────────────────────────────────────────


def unmatched_joints(engine: str, ours: Sequence[str], theirs: Sequence[str]) -> ModelError:
    """The other engine's model is not this robot's."""
    here = f"the robot's {quoted(ours)}" if ours else "none of the robot's"
    there = f"the model's {quoted(theirs)}" if theirs else "none of the model's"
    return ModelError(
        f"{engine}: joints without a partner: {here}; {there}. Joints are matched by name: load both from one file, "
        "or give the joints of the robot the model's names."
    )


def unlike_joints(engine: str, name: str, kind: str, theirs: str) -> ModelError:
    """Two joints of one name that are not the same motion."""
    return ModelError(
        f"{engine}: joint {name!r} is {kind} here and {theirs} there, and no rule relates their coordinates. "
        "Use the same joint type in both."
    )


def no_such_joint(engine: str, name: str, kind: str) -> ModelError:
    """A joint that the other engine does not have."""
    return ModelError(f"{engine}: joint {name!r} is {kind}, and {engine} has no such joint. Give a model that has it.")


# ── Warnings of the model ─────────────────────────────────────────────────────────────────────────────────────────


def planar_inertia(bodies: Sequence[str]) -> ModelWarning:
    """Two zero principal moments: fine in a plane, impossible in space."""
    return ModelWarning(
        f"two principal moments of inertia are zero at {quoted(bodies)}: enough for motion in a plane, but no real "
        "body, and forward dynamics is singular about the other axes. Give all three moments if it moves in space."
    )


def rotor_without_mass(bodies: Sequence[str]) -> ModelWarning:
    """Inertia without mass."""
    return ModelWarning(
        f"mass is zero but inertia is not at {quoted(bodies)}: treated as pure rotors. If that is a rotor seen "
        "through its gear, armature= of the joint says it better; if not, give the mass."
    )


def doubtful_inertia(text: str) -> ModelWarning:
    """An impossible inertia, let through on request."""
    return ModelWarning(f"{text} Kept, as asked.")


def mimic_lost(followers: Sequence[str]) -> ModelWarning:
    """The joint that was mimicked is gone."""
    return ModelWarning(
        f"the mimic of {quoted(followers)} is dropped: the joint to follow no longer moves. Freeze the follower too."
    )
