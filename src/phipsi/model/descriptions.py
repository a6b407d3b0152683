"""Robots by name, from the package robot_descriptions, which fetches their files when first asked for."""

from __future__ import annotations

import importlib
from typing import Any

from phipsi import errors
from phipsi.model.file_report import FileReport
from phipsi.model.file_source import check_base
from phipsi.model.mjcf import load_mjcf
from phipsi.model.robot import Robot
from phipsi.model.urdf import load_urdf

_PACKAGE = "robot_descriptions"
_OFFLINE = "It is downloaded when first used: check the network and that git is installed, then try again"


def load_description(name: str, base: str = "fixed", merge_fixed: bool = True) -> Robot:
    """A robot of the package `robot_descriptions` (pip install 'phipsi[descriptions]'), such as "panda" or "panda_mj".

    `name` is that of the description, with or without its ending "_description". Its files are downloaded when it is
    first used, and kept by that package. See `load` for the options.
    """
    check_base("load_description", base)
    report = FileReport(str(name))
    module = _fetch(_module_name(name, report), report)
    if hasattr(module, "URDF_PATH") or hasattr(module, "XACRO_PATH"):
        return load_urdf(_urdf_path(module, report), base, merge_fixed=merge_fixed)
    if hasattr(module, "MJCF_PATH"):
        return load_mjcf(module.MJCF_PATH, base, merge_fixed)
    raise report.error("no_format")


def _module_name(name: str, report: FileReport) -> str:
    """The module of a description; an unknown name gets a suggestion."""
    try:
        known = importlib.import_module(f"{_PACKAGE}._descriptions").DESCRIPTIONS
    except ImportError:
        raise report.error("extra", package=_PACKAGE, extra="descriptions") from None
    for candidate in (name, f"{name}_description"):
        if candidate in known:
            return candidate
    raise errors.unknown_description(name, sorted(known))


def _fetch(module: str, report: FileReport) -> Any:
    try:
        return importlib.import_module(f"{_PACKAGE}.{module}")
    except Exception as error:  # whatever git, the network or the disk may raise
        raise report.error("download", reason=_reason(error), remedy=_OFFLINE) from error


def _urdf_path(module: Any, report: FileReport) -> str:
    """Its URDF, expanded from xacro if that is how it comes."""
    if hasattr(module, "URDF_PATH"):
        return module.URDF_PATH
    try:
        return importlib.import_module(f"{_PACKAGE}._xacro").get_urdf_path(module)
    except Exception as error:
        remedy = "It is written in xacro: pip install xacrodoc, and try again"
        raise report.error("download", reason=_reason(error), remedy=remedy) from error


def _reason(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:300].rstrip(".")
