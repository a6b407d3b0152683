"""What is said of runs through time."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import DTypeError, ModelError, OptionError, ShapeError, SimulationError, brief


def step_size(symbol: str, got: object) -> OptionError:
    """A step, period or end of time that is none."""
    return OptionError(f"simulate: {symbol} must be a positive number of seconds, got {brief(got)}.")


def backwards(until: float, start: float) -> OptionError:
    """The end comes before the beginning."""
    return OptionError(f"simulate: until = {until:g} lies before the start at t = {start:g}. Time goes forward only.")


def period(got: float, step: float) -> OptionError:
    """A sample rate that does not fit the steps."""
    return OptionError(
        f"simulate: control_period = {got:g} must be a whole number of steps of {step:g}, "
        f"and it is {got / step:g} of them."
    )


def start_missing(symbol: str) -> DTypeError:
    """No initial state."""
    return DTypeError(f"simulate: {symbol} is missing. Only a Trajectory that is continued needs no initial state.")


def not_finite_state(symbol: str, count: int, total: int) -> ModelError:
    """NaN or Inf at the start."""
    which = "" if total == 1 else f" in {count} of {total} states"
    return ModelError(f"simulate: {symbol} must be finite, got NaN or Inf{which}.")


def no_motor(joints: Sequence[str]) -> str:
    """A law drives dofs that have no motor."""
    names = ", ".join(repr(joint) for joint in joints)
    return (
        f"simulate: the control gives torque at passive dofs (of {names}), which have no motor; it acts all the same. "
        "Give 0 there, or say with robot.with_passive(...) which dofs are passive."
    )


def control_shape(symbol: str, expected: Sequence[int], got: Sequence[int]) -> ShapeError:
    """A law's answer of the wrong shape."""
    what = "torques" if symbol == "control" else "accelerations"
    return ShapeError(
        f"simulate: {symbol}(t, q, v) must give {what} of shape {tuple(expected)}, as v has, got {tuple(got)}."
    )


def passive_of_closed() -> OptionError:
    """A mask for a closed system whose accelerations are all found."""
    return OptionError(
        "simulate: passive= of a closed system says which dofs follow acceleration=, and none is given. To say which "
        "dofs have no motor, close robot.with_passive(...)."
    )


def not_callable(symbol: str, got: object) -> DTypeError:
    """Something that is neither a law nor torques."""
    return DTypeError(
        f"simulate: {symbol} must be a function of (t, q, v), an array that stays constant or None, got "
        f"{type(got).__name__} {brief(got)}."
    )


def system(got: object) -> DTypeError:
    """Something that cannot be simulated."""
    return DTypeError(
        "simulate: system must be a Robot, a closed system (robot.close(...)) or a Trajectory to continue, got "
        f"{type(got).__name__} {brief(got)}."
    )


def too_long(records: int, gigabytes: float) -> SimulationError:
    """More records than memory holds."""
    return SimulationError(
        f"simulate: {records} records need {gigabytes:.3g} GB of memory. Keep fewer with record_every=, or stream them "
        "to a file with stream='run.parquet'."
    )


def diverged(time: float, step: float) -> str:
    """All states left the numbers: the run ends there."""
    return (
        f"simulate: no state is finite at t = {time:g}; the run stops there. A smaller step (it was {step:g}) or "
        "softer springs and gains would keep it together."
    )


def interrupted(time: float, until: float) -> str:
    """Ctrl-C was pressed: the run so far is returned."""
    return f"simulate: interrupted at t = {time:g} of {until:g}; what was recorded is returned."


def no_step(time: float, step: float) -> SimulationError:
    """An adaptive or implicit method that finds no step."""
    return SimulationError(
        f"simulate: no step that keeps the tolerance was found at t = {time:g} (the last try was {step:.3g}). "
        "Something there is not smooth or not bounded: a control that jumps, a singular configuration."
    )


def extra(package: str, verb: str, name: str) -> SimulationError:
    """An optional package is not there."""
    return SimulationError(f"{verb} needs {package}, which is not installed: pip install 'phipsi[{name}]'.")


def not_a_record(path: str, problem: str) -> SimulationError:
    """A file that is not a recorded run."""
    return SimulationError(f"Trajectory.load: {path} is not a recorded run: {problem}.")


def lost(names: Sequence[str]) -> SimulationError:
    """A loaded run whose functions are not in the file."""
    return SimulationError(
        f"simulate: files do not keep {', '.join(names)} of a run. Give control= again to go on with it, load a closed "
        "system's run with Trajectory.load(path, system=...), or start anew from run.q[-1] and run.v[-1]."
    )


def method_system(method: str, kind: str) -> OptionError:
    """A method that does not serve this kind of system."""
    return OptionError(f"simulate: method={method!r} does not serve {kind}. Methods for it: 'euler', 'rk4'.")


def passive_law(law: str, joint: str) -> ModelError:
    """A law that needs motors everywhere."""
    return ModelError(
        f"{law}: joint {joint!r} is passive, and this law needs a motor at every dof. Use PD or OperationalSpace, "
        "or robot.with_passive([]) if the dof is driven after all."
    )


def continued() -> OptionError:
    """A run that is continued has a state and a step already."""
    return OptionError(
        "simulate: a Trajectory goes on from its last record with its own step; q0, v0 and step must not be given. "
        "Start a new run with simulate(run.system, q0, v0, start=...) instead."
    )


def event_value(name: str, got: Sequence[int]) -> ShapeError:
    """An event's function that gives several numbers."""
    return ShapeError(
        f"simulate: `when` of event {name!r} must give one number, got an array of shape {tuple(got)}. All states of a "
        "batch share their steps: reduce over them, for instance with .min()."
    )


def other_numbers(name: str, got: Sequence[int], expected: Sequence[int]) -> ShapeError:
    """A change to a robot with other coordinates."""
    return ShapeError(
        f"Change: robot {name!r} has nq = {got[0]} and nv = {got[1]}, the run has nq = {expected[0]} and nv = "
        f"{expected[1]}. Assemble all bodies in one robot and close or release its loops, or start another run."
    )


def event_outcome(name: str, got: object) -> DTypeError:
    """An event that leads nowhere."""
    return DTypeError(
        f"simulate: `then` of event {name!r} must be 'stop', a Change, a capture or None, got {type(got).__name__} "
        f"{brief(got)}."
    )
