"""What is said of arrays, options and states."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phipsi.errors.kinds import DTypeError, OptionError, ShapeError, SingularJoint, brief, closest, quoted

_BATCH = "Leading axes are the batch; the trailing ones are the robot's own numbers."


def shape(verb: str, symbol: str, meaning: str, expected: str, got: Sequence[int], remedy: str = "") -> ShapeError:
    """A verb was given an array of the wrong shape."""
    end = f" {remedy or _BATCH}"
    return ShapeError(f"{verb}: {symbol} ({meaning}) must have shape {expected}, got {tuple(got)}.{end}")


def broadcast(verb: str, shapes: Mapping[str, Sequence[int]]) -> ShapeError:
    """The batch axes of a verb's arguments disagree."""
    listed = ", ".join(f"{symbol} {tuple(axes)}" for symbol, axes in shapes.items())
    return ShapeError(
        f"{verb}: the batch axes do not broadcast: {listed}. "
        "Leading axes follow NumPy's rules: equal, 1 or absent; add an axis with x[:, None]."
    )


def dtype(verb: str, symbol: str, got: str) -> DTypeError:
    """A verb was given something that is not an array of real numbers."""
    return DTypeError(f"{verb}: {symbol} must hold real numbers, got dtype {got}. Convert it to float64.")


def not_an_array(verb: str, symbol: str, got: object) -> DTypeError:
    """A verb was given something that NumPy makes no array of: None, a ragged list, a set."""
    return DTypeError(
        f"{verb}: {symbol} must be an array of real numbers, got {type(got).__name__} {brief(got)}. "
        "Lists must have rows of equal length."
    )


def masked(verb: str, symbol: str) -> DTypeError:
    """A verb was given a masked array."""
    return DTypeError(
        f"{verb}: {symbol} must be a plain array, got a masked array, whose mask would be lost. Pass x.filled(value)."
    )


def too_many_axes(verb: str, count: int, most: int) -> ShapeError:
    """The result would have more axes than NumPy has."""
    return ShapeError(
        f"{verb}: expected results of at most {most} axes, as NumPy has, got {count} batch axes and the result's own. "
        "Reshape the batch to fewer axes."
    )


def out(verb: str, expected_shape: Sequence[int], problem: str) -> ShapeError:
    """A wrong `out=` array."""
    return ShapeError(
        f"{verb}: out= must be a writable, C-ordered float64 array of shape {tuple(expected_shape)}: {problem}."
    )


def option(verb: str, name: str, got: object, allowed: Sequence[str]) -> OptionError:
    """An option outside its list."""
    close = closest(got, allowed)
    hint = f" Did you mean {close!r}?" if close else ""
    return OptionError(f"{verb}: {name} must be one of {quoted(allowed, 30)}, got {brief(got)}.{hint}")


def numbers(where: str, symbol: str, expected: str, got: object) -> DTypeError:
    """Something that should be numbers is not."""
    return DTypeError(f"{where}: {symbol} must be {expected}, got {brief(got)}.")


def model_shape(where: str, symbol: str, expected: str, got: Sequence[int]) -> ShapeError:
    """A property of the model of the wrong shape."""
    return ShapeError(f"{where}: {symbol} must be {expected}, got an array of shape {tuple(got)}.")


def wrong_type(where: str, symbol: str, expected: str, got: object) -> DTypeError:
    """An argument of the wrong type."""
    came = f"the class {got.__name__}" if isinstance(got, type) else f"{type(got).__name__} {brief(got)}"
    return DTypeError(f"{where}: {symbol} must be {expected}, got {came}.")


def unknown_property(where: str, name: str, known: Sequence[str]) -> DTypeError:
    """A keyword that joints do not have."""
    close = closest(name, known)
    hint = f" Did you mean {close!r}?" if close else ""
    return DTypeError(f"{where}: joints have no property {name!r}.{hint} They have {quoted(known, 20)}.")


# ── Dynamics ──────────────────────────────────────────────────────────────────────────────────────────────────────


def singular_joint(
    joint_name: str, body_index: int, count: int, total: int, batch_index: Sequence[int], held: bool = False
) -> SingularJoint:
    """D(k) is not positive somewhere in the batch; `held`: of the passive dofs, the others held."""
    which = ""
    if len(batch_index) > 0:
        index = batch_index[0] if len(batch_index) == 1 else tuple(batch_index)
        which = f", for {count} of {total} states: {'' if count == 1 else 'first '}batch index {index}"
    if held:
        return SingularJoint(
            f"D(k) = H_p P H_p* is not positive at joint {joint_name!r} (body {body_index}){which}. With the active "
            f"dofs held, everything beyond {joint_name!r} has no inertia about its passive axes: give the tool a mass "
            "or the joint an armature, or take the joint out of the passive ones."
        )
    return SingularJoint(
        f"D(k) = H P H* is not positive at joint {joint_name!r} (body {body_index}){which}. Everything beyond "
        f"{joint_name!r} has no inertia about its axis: give the tool a mass, or the joint an armature."
    )
