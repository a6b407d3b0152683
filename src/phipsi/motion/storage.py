"""Runs in files: npz and Parquet, with the robot, how the run was made, and what follows from the states."""

from __future__ import annotations

import importlib
import json
import os
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from phipsi import errors
from phipsi.model import plain
from phipsi.model.reading import Floats
from phipsi.motion import arguments, tables
from phipsi.motion.clock import Clock
from phipsi.motion.systems import Closed, Hybrid, Open

if TYPE_CHECKING:
    from phipsi.motion.trajectory import Trajectory

KEY, END = "phipsi", "phipsi_end"
KEPT = ("control_period", "effort_limits", "limits", "on_singular", "rtol", "atol")
FORCES = ("slow", "wall", "wall_damping")
DERIVED = ("kinetic_energy", "potential_energy", "momentum", "closure", "contact_force")


def beginning(system: Open, batch: tuple[int, ...], method: str, every: int, options: dict[str, Any]) -> dict[str, Any]:
    """What is known when a run begins. Functions cannot be kept: `lost` names them."""
    lost = [name for name in ("control", "acceleration", "f_ext") if options[name] is not None]
    forces = {name: getattr(system.forces, name) for name in FORCES}
    return {
        "version": 1,
        "robot": plain.to_text(system.robot),
        "batch": list(batch),
        "method": method,
        "record_every": every,
        "options": {name: options[name] for name in KEPT},
        "lost": [*lost, *(["system"] if isinstance(system, (Closed, Hybrid)) else [])],
        "forces": {name: None if x is None else x.tolist() for name, x in forces.items()},
    }


def ending(clock: Clock, index: int, stopped: str, events: Any) -> dict[str, Any]:
    """What is known at its end."""
    return {"clock": asdict(clock), "index": index, "stopped": stopped, "events": [list(event) for event in events]}


def arrays_of(run: Trajectory) -> dict[str, Floats]:
    """Everything that is kept, by name."""
    arrays: dict[str, Floats] = {"t": run.t, "q": run.q, "v": run.v, "tau": run.tau}
    for name in DERIVED:
        value = getattr(run, name)
        if value is not None:
            arrays[name] = np.asarray(value)
    return arrays


def save(run: Trajectory, path: str | os.PathLike[str]) -> None:
    """By the ending of the name."""
    origin, arrays = run.origin, arrays_of(run)
    meta = beginning(run.moved, run.batch, origin.method, origin.record_every, origin.options)
    end = ending(origin.clock, origin.index, run.stopped, run.events)
    if (kind := _kind("save", path)) == ".npz":
        content: dict[str, Any] = {KEY: np.array(json.dumps(meta)), END: np.array(json.dumps(end)), **arrays}
        np.savez(path, **content)
        return
    assert kind == ".parquet"
    pyarrow, parquet = arrow("save")
    trailing = {name: list(x.shape[1 + len(run.batch) :]) for name, x in arrays.items() if name != "t"}
    table = pyarrow.table(tables.columns(run.robot, arrays))
    if not int(np.prod(run.batch)):  # a table of a batch of none has no rows
        end["times"] = run.t.tolist()
    notes = {KEY: json.dumps({**meta, "arrays": trailing}), END: json.dumps(end)}
    parquet.write_table(table.replace_schema_metadata(notes), path)


def load(path: str | os.PathLike[str], system: Any = None) -> tuple[dict[str, Floats], Open, dict[str, Any]]:
    """The arrays, what moved, and how the run was made and ended."""
    if _kind("load", path) == ".npz":
        arrays, meta = _load_npz(path)
    else:
        meta = notes_of(path)
        arrays = {name: read(path, meta, name) for name in ("t", *meta["arrays"])}
    return arrays, moved({**meta, "path": str(path)}, arrays["q"][:1], system), meta


def moved(meta: dict[str, Any], q: Floats, system: Any = None) -> Open:
    """The system of a file: the closed one if the user gives it, else the robot."""
    kept = plain.from_text(meta["robot"])
    robot = kept if system is None else arguments.robot_of(system)
    if (robot.joint_names, robot.nq, robot.nv) != (kept.joint_names, kept.nq, kept.nv):
        raise errors.other_joints(meta.get("path", "the file"), kept.name, robot.name)
    options = {**meta["options"], "f_ext": None, "passive": None, "acceleration": None}
    step = meta["clock"]["step"]
    made = arguments.system(robot if system is None else system, robot, q, step, options)
    forces = {name: None if x is None else np.array(x) for name, x in meta["forces"].items()}
    return replace(made, forces=replace(made.forces, **forces))


def notes_of(path: str | os.PathLike[str]) -> dict[str, Any]:
    """What a Parquet file says of the run."""
    _, parquet = arrow("Trajectory.load")
    try:
        notes: dict[bytes, bytes] = dict(parquet.read_metadata(path).metadata or {})
    except FileNotFoundError:
        raise
    except Exception as problem:
        raise errors.not_a_record(str(path), str(problem)) from None
    if KEY.encode() not in notes or END.encode() not in notes:
        raise errors.not_a_record(str(path), "it does not say which robot moved")
    return {**json.loads(notes[KEY.encode()]), **json.loads(notes[END.encode()])}


def read(path: str | os.PathLike[str], meta: dict[str, Any], name: str) -> Floats:
    """One array of a Parquet file."""
    _, parquet = arrow("Trajectory.load")
    batch = tuple(meta["batch"])
    states = int(np.prod(batch))
    if not states:
        t = np.array(meta.get("times", []), dtype=float)
        return t if name == "t" else np.zeros((t.size, *batch, *meta["arrays"][name]))
    if name == "t":
        return parquet.read_table(path, columns=["t"])["t"].to_numpy()[:: max(1, states)].copy()
    trailing = tuple(meta["arrays"][name])
    wanted = tables.labels(plain.from_text(meta["robot"]), name, trailing)
    table = parquet.read_table(path, columns=wanted)
    rows = table.num_rows // max(1, states)
    flat = np.stack([table[label].to_numpy() for label in wanted], axis=-1) if wanted else np.zeros((rows * states, 0))
    return flat.reshape(rows, *batch, *trailing)


def _load_npz(path: str | os.PathLike[str]) -> tuple[dict[str, Floats], dict[str, Any]]:
    try:
        with np.load(path, allow_pickle=False) as file:
            content: dict[str, Any] = {name: file[name] for name in file.files}
    except FileNotFoundError:
        raise
    except Exception as problem:
        raise errors.not_a_record(str(path), str(problem)) from None
    if KEY not in content or END not in content:
        raise errors.not_a_record(str(path), "it does not say which robot moved")
    meta = {**json.loads(str(content.pop(KEY))), **json.loads(str(content.pop(END)))}
    return content, meta


def _kind(verb: str, path: str | os.PathLike[str]) -> str:
    kind = Path(path).suffix
    if kind not in (".npz", ".parquet"):
        raise errors.option(verb, "the ending of the file's name", kind, [".npz", ".parquet"])
    return kind


def arrow(verb: str) -> tuple[Any, Any]:
    """pyarrow and its Parquet."""
    try:
        return importlib.import_module("pyarrow"), importlib.import_module("pyarrow.parquet")
    except ImportError:
        raise errors.extra("pyarrow", verb, "parquet") from None
