"""What is said of runs through time."""

from __future__ import annotations

from collections.abc import Sequence

from phipsi.errors.kinds import DTypeError, ModelError, OptionError, ShapeError, SimulationError, brief


def step_size(symbol: str, got: object) -> OptionError:
    """A step, period or end of time that is none."""
    return OptionError(f"simulate: {symbol} must be a positive number of seconds, got {brief(got)}.")


def backwards(until: float, start: float) -> OptionError:
    """The end comes before the beginning, or where a run already is."""
    where = "lies before the start at" if until < start else "must lie after the last record of the run, at"
    return OptionError(f"simulate: until = {until:g} {where} t = {start:g}. Time goes forward only.")


def start_time(got: object) -> OptionError:
    """A beginning that is none."""
    return OptionError(f"simulate: start must be a finite number of seconds, got {brief(got)}.")


def tolerance(symbol: str, got: object) -> OptionError:
    """A tolerance that no step could keep."""
    return OptionError(f"simulate: {symbol} must be a positive number, got {brief(got)}.")


def too_short(step: float, time: float, spacing: float) -> OptionError:
    """Steps that do not move the clock."""
    return OptionError(
        f"simulate: step = {step:g} is too short: at t = {time:g} numbers lie {spacing:.2g} apart, and time would "
        "stand still. Take a longer step, or begin nearer to t = 0."
    )


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


def own_stream(path: str) -> OptionError:
    """A run that would write over what it goes on from."""
    return OptionError(
        f"simulate: stream={path!r} is the file that holds the run to go on from, and it would be written over. Give "
        "another name."
    )


def empty_stream() -> OptionError:
    """A table without rows keeps no times."""
    return OptionError("simulate: stream= keeps a row for each state, and q0 is a batch of none. Leave stream= away.")


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


def continued(symbol: str) -> OptionError:
    """A run that is continued has a state, a step and options already."""
    return OptionError(
        f"simulate: a Trajectory goes on from its last record as it began; {symbol} must not be given. "
        "Start a new run with simulate(run.system, q0, v0, start=...) instead."
    )


def event_value(name: str, got: Sequence[int]) -> ShapeError:
    """An event's function that gives several numbers."""
    return ShapeError(
        f"simulate: `when` of event {name!r} must give one number, got an array of shape {tuple(got)}. All states of a "
        "batch share their steps: reduce over them, for instance with .min()."
    )


def event_number(name: str, got: object) -> DTypeError:
    """An event's function that gives something else than a number."""
    return DTypeError(
        f"simulate: `when` of event {name!r} must give one number whose sign changes, got {type(got).__name__} "
        f"{brief(got)} for a finite state."
    )


def event_passed(name: str, when: float, start: float) -> str:
    """An event that would have been before the run."""
    return (
        f"simulate: event {name!r} at t = {when:g} does not lie after the start at t = {start:g}: it does not happen. "
        "What is to hold from the start on belongs into the arguments of simulate."
    )


def jump(symbol: str, expected: Sequence[int], got: object) -> ShapeError:
    """A change to a state of other numbers, or of none."""
    return ShapeError(f"Change: {symbol} must be finite numbers of shape {tuple(expected)}, got {brief(got)}.")


def other_joints(path: str, kept: str, given: str) -> SimulationError:
    """A file's run was that of another robot."""
    return SimulationError(
        f"Trajectory.load: {path} is a run of {kept!r}, and the joints of system={given!r} are others. Give the closed "
        "system that was simulated, or none."
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
