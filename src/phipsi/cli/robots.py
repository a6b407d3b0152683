"""Where the commands get their robot from: a file, or the zoo."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from phipsi import errors

if TYPE_CHECKING:
    from phipsi.model.robot import Robot

ZOO = "zoo:"


def robot_arguments(parser: argparse.ArgumentParser, more: str = "") -> None:
    """The robot and how it is loaded."""
    parser.add_argument("file", help=f"a URDF or MJCF file, or zoo:NAME for one that phipsi brings (zoo:arm){more}")
    parser.add_argument("--base", choices=("fixed", "free"), default="fixed", help="free: on a joint of six dofs")
    parser.add_argument("--package-dir", action="append", default=[], metavar="DIR", help="where package:// looks")
    parser.add_argument("--keep-fixed", action="store_true", help="keep links that do not move as bodies")


def load_robot(chosen: argparse.Namespace) -> Robot:
    """The robot that was asked for."""
    from phipsi.model.load import load

    if chosen.file.startswith(ZOO):
        return _of_the_zoo(chosen.file.removeprefix(ZOO))
    return load(chosen.file, chosen.base, chosen.package_dir, merge_fixed=not chosen.keep_fixed)


def _of_the_zoo(name: str) -> Robot:
    from phipsi.model import zoo

    known = [other for other in zoo.__all__ if other not in ("chain", "tree", "star")]
    kind, _, size = name.partition(":")
    if kind in ("chain", "tree") and size.isdecimal() and len(size) < 7:
        return getattr(zoo, kind)(int(size))
    if name not in known:
        raise errors.option("zoo", "NAME", name, (*known, "chain:N", "tree:N"))
    return getattr(zoo, name)()
