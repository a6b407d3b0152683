"""What is said when something cannot be shown."""

from __future__ import annotations

from phipsi.errors.kinds import DTypeError, OptionError, PhipsiError, brief


class MissingPackage(PhipsiError, ImportError):  # noqa: N818 (what is missing, as Python's own)
    """A package that one function needs and that is not installed."""


def not_a_run(verb: str, got: object, missing: str) -> DTypeError:
    """Something that is no recorded motion."""
    return DTypeError(
        f"{verb}: run must be a recorded motion with robot, t, q and v, as simulate returns; "
        f"{type(got).__name__} {brief(got)} has no {missing}."
    )


def no_such_state(verb: str, state: object, count: int) -> OptionError:
    """A state of a batch that the run does not have."""
    return OptionError(f"{verb}: states must be numbers from 0 to {count - 1} of the {count} in the run, got {state}.")


def nothing_to_plot(what: str, remedy: str) -> OptionError:
    """A run without the quantity that was asked for."""
    return OptionError(f"plot: the run has no {what}. {remedy}")


def missing_package(verb: str, package: str, extra: str) -> MissingPackage:
    """An optional package is not installed."""
    return MissingPackage(f"{verb} needs the package {package}. Install it: pip install 'phipsi[{extra}]'.")


def bad_mesh(path: str, problem: str) -> str:
    """A remark on a mesh that is not drawn."""
    return f"{path}: the mesh is not drawn: {problem}. Its link is drawn as a capsule."
