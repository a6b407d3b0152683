"""MJCF files become robots: MuJoCo compiles them (defaults, includes, inertia from geoms), phipsi reads the result."""

from __future__ import annotations

import importlib
import os
from typing import Any

import numpy as np

from phipsi import errors
from phipsi.model.builder import Builder
from phipsi.model.file_report import FileReport
from phipsi.model.file_source import Source, check_base, read_source
from phipsi.model.mjcf_bodies import Tree
from phipsi.model.mjcf_remarks import remark
from phipsi.model.reading import Floats
from phipsi.model.robot import Robot
from phipsi.model.welding import weld


def load_mjcf(path: Source, base: str = "fixed", merge_fixed: bool = True) -> Robot:
    """The robot in an MJCF file, as MuJoCo compiles it; needs the package `mujoco` (pip install 'phipsi[mjcf]').

    `path` may also be a file opened for reading, if it includes no others. q, v, limits and springs count as in MuJoCo
    (a joint's ref= goes into its placement; `phipsi.conventions.mujoco` reorders free joints). base="fixed" takes the
    file as it is; base="free" puts the one body that stands on the world on a free joint called "base", unless the
    file has a free joint already.

    A body with several joints becomes a chain, a joint each, of massless bodies "<body>_after_<joint>", so that every
    joint keeps its name. A phipsi body turns about its own origin: where pos= puts MuJoCo's joint elsewhere, the body
    is called "<body>_at_<joint>" and its origin is at the joint, while the *frame* with the body's name is where
    MuJoCo has it. Bodies without joints are welded (merge_fixed=True) and leave a frame; sites are frames too. A
    free joint's q is the pose in the world, as in MuJoCo: `robot.neutral()` is not MuJoCo's qpos0. Contacts,
    tendons, equality constraints, actuators and fluids are ignored with a `FileWarning` that names them.
    """
    check_base("load_mjcf", base)
    name, content = read_source(path)
    report = FileReport(name)
    return read_mjcf(compile_mjcf(path, content, report), report, base, merge_fixed)


def load_mjcf_string(text: str, base: str = "fixed", merge_fixed: bool = True) -> Robot:
    """The robot in an MJCF text; see `load_mjcf`."""
    check_base("load_mjcf_string", base)
    report = FileReport("<string>")
    return read_mjcf(compile_mjcf(None, text, report), report, base, merge_fixed)


def read_mjcf(model: Any, report: FileReport, base: str = "fixed", merge_fixed: bool = True) -> Robot:
    """The robot in a compiled `mujoco.MjModel`."""
    remark(model, report)
    tree = Tree(model, report, merge_fixed)
    if base == "free":
        tree.floating = _floating_body(model, tree, report)
    for index in range(1, model.nbody):
        tree.add(index)
    tree.add_sites()
    robot = _build(model, tree, report)
    report.warn()
    return robot


def compile_mjcf(source: Source | None, content: str | bytes, report: FileReport) -> Any:
    """The `mujoco.MjModel` of a file. MuJoCo opens paths itself, for the sake of includes and meshes."""
    is_path = isinstance(source, (str, os.PathLike))
    text = content.decode(errors="replace") if isinstance(content, bytes) else content
    try:
        mujoco: Any = importlib.import_module("mujoco")
    except ImportError:
        raise report.error("extra", package="mujoco", extra="mjcf") from None
    try:
        return mujoco.MjModel.from_xml_path(os.fspath(source)) if is_path else mujoco.MjModel.from_xml_string(text)
    except (ValueError, TypeError, mujoco.FatalError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise report.error("mujoco", reason=reason) from error


def _floating_body(model: Any, tree: Tree, report: FileReport) -> int | None:
    """The body that base="free" puts on a free joint; None if the file floats by itself."""
    standing = [k for k in range(1, model.nbody) if model.body_parentid[k] == 0 and model.body_mocapid[k] < 0]
    if any(model.jnt_type[j] == 0 for k in standing for j in tree.joints_of(k)):
        return None
    names = ", ".join(repr(tree.body_name(k)) for k in standing[:8])
    if len(standing) != 1:
        count = f"{len(standing)} bodies stand on the world: {names}" if standing else "there is none"
        raise report.error("free_base", reason=count)
    if tree.joints_of(standing[0]):
        raise report.error("free_base", reason=f"body {names} already moves by joints of its own")
    return standing[0]


def _build(model: Any, tree: Tree, report: FileReport) -> Robot:
    name = bytes(model.names).partition(b"\0")[0].decode(errors="replace") or "robot"
    builder = Builder(name, _gravity(model))
    names = [*(body.name for body in tree.bodies), "world"]  # body -1 is the world
    try:
        for body in tree.bodies:
            own = weld(body.parts)
            place = body.placement.pose()
            builder.body(body.name, names[body.parent], body.joint, place, own.mass, own.com, own.inertia)
        for frame in tree.frames:
            builder.frame(frame.name, names[frame.body], frame.placement.pose())
        return builder.build(unphysical="warn")
    except errors.ModelError as error:
        raise report.error("model", reason=str(error).rstrip(".")) from error


def _gravity(model: Any) -> Floats:
    mujoco: Any = importlib.import_module("mujoco")
    disabled = model.opt.disableflags & int(mujoco.mjtDisableBit.mjDSBL_GRAVITY)
    return np.zeros(3) if disabled else np.array(model.opt.gravity)
