"""phipsi view: a robot, or a run that was saved, in the browser."""

from __future__ import annotations

import argparse

import numpy as np

from .robots import ZOO, load_robot, robot_arguments
from .words import OK, target

RUNS = (".npz", ".parquet")


def arguments(parser: argparse.ArgumentParser) -> None:
    """What may be asked."""
    robot_arguments(parser, "; or a run that was saved, .npz or .parquet")
    parser.add_argument("--trace", action="append", default=[], metavar="FRAME", help="draw the path of a frame")
    parser.add_argument("--meshes", action="store_true", help="draw the URDF's <visual> elements (STL, OBJ)")
    parser.add_argument("--random", type=int, metavar="SEED", help="in a random configuration")
    parser.add_argument("--sweep", action="store_true", help="move the joints one after another")
    parser.add_argument("--save", type=target(), metavar="HTML", help="write the page there")
    parser.add_argument("--no-open", action="store_true", help="do not open a browser")


def run(chosen: argparse.Namespace) -> int:
    """Show a robot or a run in the browser: one page without a network; drag turns it, the wheel zooms."""
    from phipsi.show import view

    if chosen.file.endswith(RUNS):
        from phipsi.motion.trajectory import Trajectory

        page = view(Trajectory.load(chosen.file), trace=chosen.trace, open=False)
    else:
        robot = load_robot(chosen)
        q = robot.neutral() if chosen.random is None else np.asarray(robot.random(rng=chosen.random)[0])
        meshes = chosen.file if chosen.meshes and not chosen.file.startswith(ZOO) else None
        page = view(
            robot, q, sweep=chosen.sweep, trace=chosen.trace, meshes=meshes,
            package_dirs=chosen.package_dir, open=False,
        )  # fmt: skip
    if not chosen.no_open:
        print(page.open(chosen.save))
    elif chosen.save:
        print(page.save(chosen.save))
    return OK
