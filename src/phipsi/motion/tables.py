"""Recorded states as columns with names: rows are times × states, for Parquet, pandas and xarray."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats
from phipsi.model.robot import Robot

MOMENTUM = tuple(f"momentum.{half}_{axis}" for half in ("angular", "linear") for axis in "xyz")


def names(robot: Robot, symbol: str) -> list[str]:
    """Of the numbers in q, or of those in v or tau: "q.elbow", "v.base.rate_x"."""
    out: list[str] = []
    for joint, name in zip(robot.joints, robot.joint_names, strict=True):
        count, labels = (joint.nq, joint.q_labels) if symbol == "q" else (joint.nv, joint.v_labels)
        labels = labels if len(labels) == count else tuple(str(i) for i in range(count))
        out += [f"{symbol}.{name}"] if count == 1 else [f"{symbol}.{name}.{label}" for label in labels]
    return out


def labels(robot: Robot, name: str, trailing: tuple[int, ...]) -> list[str]:
    """The columns of one array."""
    if name in ("q", "v", "tau"):
        return names(robot, name)
    if name == "momentum":
        return list(MOMENTUM)
    count = int(np.prod(trailing))
    return [name] if trailing == () else [f"{name}.{i}" for i in range(count)]


def columns(robot: Robot, arrays: Mapping[str, Floats]) -> dict[str, Any]:
    """t, the number of the state in its batch (if there is one), and every number of every array."""
    batch, rows = arrays["q"].shape[1:-1], len(arrays["t"])
    states = int(np.prod(batch))
    table: dict[str, Any] = {"t": np.repeat(arrays["t"], states)}
    if batch:
        table["state"] = np.tile(np.arange(states, dtype=np.int32), rows)
    for name, array in arrays.items():
        if name == "t":
            continue
        trailing = array.shape[1 + len(batch) :]
        flat = array.reshape(rows * states, int(np.prod(trailing)))
        for i, label in enumerate(labels(robot, name, trailing)):
            table[label] = np.ascontiguousarray(flat[:, i])
    return table


def to_pandas(robot: Robot, arrays: Mapping[str, Floats]) -> Any:
    """A DataFrame, its index t (and the state's number, for a batch)."""
    try:
        pandas: Any = importlib.import_module("pandas")
    except ImportError:
        raise errors.extra("pandas", "to_pandas", "tables") from None
    frame = pandas.DataFrame(columns(robot, arrays))
    return frame.set_index(["t", "state"] if "state" in frame else "t")


def to_xarray(robot: Robot, arrays: Mapping[str, Floats]) -> Any:
    """A Dataset with dimensions t, batch_0 …, and named coordinates of q and v."""
    try:
        xarray: Any = importlib.import_module("xarray")
    except ImportError:
        raise errors.extra("xarray", "to_xarray", "tables") from None
    batch = [f"batch_{i}" for i in range(arrays["q"].ndim - 2)]
    ends: dict[str, list[str]] = {"q": ["coordinate"], "v": ["dof"], "tau": ["dof"], "momentum": ["component"]}
    data: dict[str, Any] = {}
    for name, array in arrays.items():
        if name == "t":
            continue
        extra = [f"{name}_{i}" for i in range(array.ndim - 1 - len(batch))]
        data[name] = (["t", *batch, *ends.get(name, extra)], array)
    coordinates = {
        "t": arrays["t"],
        "coordinate": [label[2:] for label in names(robot, "q")],
        "dof": [label[2:] for label in names(robot, "v")],
        "component": [label.split(".")[1] for label in MOMENTUM],
    }
    return xarray.Dataset(data, coords=coordinates, attrs={"robot": robot.name})
