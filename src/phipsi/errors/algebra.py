"""What is said of operators: by their formula, what they do, the space they map to, the space they map from."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import (
    ConfigurationError,
    DTypeError,
    NoInverse,
    OptionError,
    ShapeError,
    SpaceError,
    UnknownName,
    brief,
    closest,
    quoted,
)

_BETWEEN = {  # (from, to): what could stand there
    ("bodies", "joints"): "H",
    ("joints", "bodies"): "H.T",
    ("bodies", "passive dofs"): "H_p or G.T",
    ("passive dofs", "bodies"): "H_p.T, G or K",
    ("bodies", "active dofs"): "H_a",
    ("active dofs", "bodies"): "H_a.T",
    ("bodies", "frames"): "B.T",
    ("frames", "bodies"): "B",
}


def spaces_of_product(*described: str) -> SpaceError:
    """Two factors that do not meet in one space."""
    left, does, codomain, domain, right, right_does, right_codomain, right_domain = described
    remedy = ""
    if right_domain == domain:
        remedy = f" Did you mean {_transposed(right)}?" if codomain != domain else ""
    elif codomain == right_codomain:
        remedy = f" Did you mean {_transposed(left)}?"
    between = _BETWEEN.get((right_codomain.split()[0] if right_codomain.startswith("frames") else right_codomain,
                            domain.split()[0] if domain.startswith("frames") else domain))  # fmt: skip
    if not remedy and between:
        remedy = f" Between them something must map {right_codomain} to {domain}, such as {between}."
    return SpaceError(
        f"{left} {does} ({codomain} <- {domain}); it cannot stand left of {right}, which {right_does} "
        f"({right_codomain} <- {right_domain}).{remedy}"
    )


def _transposed(formula: str) -> str:
    if formula.endswith(".T") and " " not in formula:
        return formula[:-2]
    return f"({formula}).T" if " " in formula else f"{formula}.T"


def spaces_of_sum(*described: str) -> SpaceError:
    """Two terms that do not map between the same spaces."""
    left, does, codomain, domain, right, right_does, right_codomain, right_domain = described
    turned = (codomain, domain) == (right_domain, right_codomain)
    remedy = f"Did you mean {_transposed(right)}?" if turned else "The terms of a sum map between the same two spaces."
    return SpaceError(
        f"{left} {does} ({codomain} <- {domain}), {right} {right_does} ({right_codomain} <- {right_domain}): they "
        f"cannot be added. {remedy}"
    )


def identity_not_square(formula: str, does: str, codomain: str, domain: str) -> SpaceError:
    """I beside something that does not map a space to itself."""
    return SpaceError(
        f"{formula} {does} ({codomain} <- {domain}), and I maps a space to itself: they cannot be added. "
        f"Complete {formula} to an operator of one space, or leave I out."
    )


def number_plus_operator(formula: str, number: object) -> SpaceError:
    """A number beside an operator in a sum."""
    return SpaceError(f"the number {brief(number)} cannot be added to {formula}. Did you mean {brief(number)} * I?")


def no_state(formula: str) -> ConfigurationError:
    """A symbolic expression met an array."""
    return ConfigurationError(
        f"{formula} belongs to no configuration, so it cannot be applied to an array. Bind it first: "
        "(...).at(robot.at(q)) @ x, or build it from the operators of s = robot.at(q)."
    )


def two_configurations(left: str, right: str) -> ConfigurationError:
    """Operators of two configurations met."""
    return ConfigurationError(
        f"{left} and {right} belong to two configurations, and one expression has one. Take both from the same "
        "s = robot.at(q); for many configurations at once make q a batch; to compare two, compare A @ x with B @ x."
    )


def armature_assumed(formula: str, joints: Sequence[str]) -> ConfigurationError:
    """An inverse that was taken without J met a robot with armature."""
    return ConfigurationError(
        f"{formula} was inverted for robots without armature, and this one has some (at {quoted(joints)}). "
        "Invert H @ phi @ M @ phi.T @ H.T + J, or take s.mass.inv."
    )


def mask_missing(formula: str) -> ConfigurationError:
    """An expression of passive dofs met a configuration without a mask."""
    return ConfigurationError(
        f"{formula} speaks of passive dofs, and this configuration has no mask. Give one: robot.at(q, passive=...)."
    )


def mask_unexpected(formula: str, symbol: str) -> ConfigurationError:
    """An expression in which all dofs are free met a configuration with a mask."""
    return ConfigurationError(
        f"{formula} was written for configurations without a mask: there {symbol} is of all dofs, here of the passive "
        "ones. Write it with the symbols of phipsi.algebra.masked, or take robot.at(q)."
    )


def operator_as_array(formula: str) -> DTypeError:
    """NumPy was given an operator."""
    return DTypeError(f"{formula} is an operator, not an array. Its matrix is (...).dense().")


def array_plus_operator(formula: str) -> DTypeError:
    """An array beside an operator in a sum."""
    return DTypeError(f"an array cannot be added to the operator {formula}. Add it to the matrix: (...).dense() + X.")


def not_a_scalar(formula: str) -> DTypeError:
    """An operator times something that is no number."""
    return DTypeError(f"{formula} * X multiplies by a real number; operators and arrays are applied with @.")


def extra_needed(verb: str, package: str) -> OptionError:
    """A package that is not installed."""
    return OptionError(f"{verb} needs the package {package}. Install it: pip install {package}.")


def not_of_a_mask(name: str) -> str:
    """H_a without a mask."""
    return f"there is no {name} without a mask: all dofs are free to move. Give one: robot.at(q, passive=...)."


def no_symbol(name: str, known: Sequence[str], needs_mask: bool) -> str:
    """The text of an AttributeError: a vocabulary has no such symbol."""
    if needs_mask:
        return not_of_a_mask(name)
    close = closest(name, known)
    hint = f" Did you mean {close}?" if close else ""
    return f"there is no operator {name}.{hint} There are {', '.join(known)}."


_NO_INVERSE = {
    "not_square": "It maps between two spaces ({what}); only what maps a space to itself can have one.",
    "armature": "This robot has armature, and D includes it: invert H @ phi @ M @ phi.T @ H.T + {what}, or s.mass.",
    "masked": (
        "In a configuration with a mask, D, K and psi are those of the passive dofs: invert the passive mass matrix "
        "H_p @ phi @ M @ phi.T @ H_p.T + J_p, or take the whole one from robot.at(q) without a mask."
    ),
    "inertia": "{what} is block diagonal, and singular where a body has no mass: solve with its blocks {what}[k, k].",
    "unknown": (
        "Known are those of phi, psi, D, I + H @ phi @ K, I - H @ psi @ K, the mass matrix "
        "H @ phi @ M @ phi.T @ H.T + J, their transposes, multiples and products. Write it as a product of these, or "
        "give up O(n): numpy.linalg.inv(A.dense())."
    ),
}


def no_inverse(formula: str, why: str, what: str) -> NoInverse:
    """Nothing is known, and what to do instead."""
    return NoInverse(f"no inverse of {formula} is known. {_NO_INVERSE[why].format(what=what)}")


def vector_of_space(formula: str, does: str, size: int, batch: Sequence[int], got: Sequence[int]) -> SpaceError:
    """An array that the operator cannot take."""
    axes = ", ".join(map(str, batch))
    vector, stack = (f"({axes}, {size})" if axes else f"({size},)"), f"({axes + ', ' if axes else ''}{size}, k)"
    hint = ""
    if len(got) == len(batch) + 2 and got[-1] == size:
        hint = " Its last axis fits: for many vectors at one configuration make them columns, A @ X.T, or X @ A.T."
    elif len(got) < len(batch) + 2 and len(got) > 1 and got[-2] == size:
        hint = f" Its last axis but one fits: give columns the batch axes, of length 1 if need be, {stack}."
    elif len(got) > len(batch) + 2:
        hint = " The batch is the configuration's: robot.at(q[None]) has one more batch axis."
    return SpaceError(
        f"{formula} {does}: it takes vectors of shape {vector} or stacks of columns {stack}, got {tuple(got)}.{hint}"
    )


def one_configuration_only(verb: str, batch: Sequence[int]) -> ShapeError:
    """A verb that batches have no answer to."""
    return ShapeError(
        f"{verb}: SciPy's operators have no batch axes, and this configuration has {tuple(batch)}. "
        "Take one: robot.at(q[i])."
    )


def blocks_of(formula: str, codomain: str, domain: str) -> SpaceError:
    """A key that is no pair."""
    return SpaceError(
        f"{formula}[k, j] is a block: k, of the {codomain}, and j, of the {domain}, are each an index or a name. "
        "The whole matrix is (...).dense()."
    )


def block_index(kind: str, index: int, count: int) -> UnknownName:
    """A block's number out of range."""
    return UnknownName(f"there is no {kind} {index}: they are numbered from 0 to {count - 1}.")


def nothing_held(frames: Sequence[str], held: Sequence[Sequence[str]]) -> ConfigurationError:
    """Pi of frames that hold nothing."""
    names = ", ".join(map(repr, frames))
    known = " and what ".join(f"{', '.join(one)} hold" for one in held)
    others = f" It knows what {known}, in this order." if held else ""
    return ConfigurationError(
        f"Pi({names}): this configuration does not know what these frames hold.{others} "
        f"Say so: s = s.holding({names}, compliance=...)."
    )
