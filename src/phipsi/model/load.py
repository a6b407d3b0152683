"""load: one verb for every file that holds a robot; it looks at what the file says it is."""

from __future__ import annotations

import os
from pathlib import PurePath

from phipsi import errors
from phipsi.model.descriptions import load_description
from phipsi.model.file_report import FileReport
from phipsi.model.file_source import Source, check_base, read_source
from phipsi.model.mjcf import compile_mjcf, load_mjcf, load_mjcf_string, read_mjcf
from phipsi.model.robot import Robot
from phipsi.model.urdf import PackageDirs, load_urdf, load_urdf_string, read_urdf
from phipsi.model.urdf_xml import root_tag

__all__ = ["load", "load_description", "load_mjcf", "load_mjcf_string", "load_urdf", "load_urdf_string"]

# what people may try: what to do instead
_OTHER_FILES = {
    ".xacro": "Run 'xacro robot.urdf.xacro > robot.urdf' and load the result",
    ".sdf": "Convert it to URDF or MJCF",
    ".mjb": "Load the MJCF file that it was compiled from",
    ".usd": "Convert it to URDF or MJCF",
    ".srdf": "It adds words to a URDF: load that",
}


def load(path: Source, base: str = "fixed", package_dirs: PackageDirs = (), merge_fixed: bool = True) -> Robot:
    """The robot in a URDF or MJCF file, whichever its root element says it is.

    base="free" puts the robot on a free joint called "base"; merge_fixed=False keeps links that do not move as bodies.
    See `load_urdf` and `load_mjcf` for what is read, how bodies are numbered, and what is ignored with a warning.
    """
    check_base("load", base)
    if isinstance(path, (str, os.PathLike)):
        _refuse_other_files(os.fspath(path))
    name, content = read_source(path)
    report = FileReport(name)
    tag = root_tag(content, report)
    if tag == "robot":
        return read_urdf(content, report, base, merge_fixed)
    if tag == "mujoco":
        return read_mjcf(compile_mjcf(path, content, report), report, base, merge_fixed)
    remedy = "Load the file that includes this one" if tag == "mujocoinclude" else "phipsi reads URDF and MJCF"
    raise report.error("root", got=tag, expected="<robot> or <mujoco>", remedy=remedy)


def _refuse_other_files(path: str) -> None:
    suffix = PurePath(path).suffix.lower()
    if suffix in _OTHER_FILES:
        raise errors.file_error("suffix", path, suffix=suffix, remedy=_OTHER_FILES[suffix])
