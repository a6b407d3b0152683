"""The command line: `phipsi papers`, `phipsi info robot.urdf`, `phipsi --version`. One function a command."""

from __future__ import annotations

import argparse
import io
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from phipsi import __version__, errors

if TYPE_CHECKING:
    from phipsi.model.robot import Robot

OK, FAILED, USAGE = 0, 1, 2

_EPILOG = "exit codes: 0 all is well, 1 a check or a file fails, 2 the command is not understood"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit code."""
    stdout: Any = sys.stdout
    if isinstance(stdout, io.TextIOWrapper):
        stdout.reconfigure(errors="replace")  # a terminal without Greek letters shows question marks
    parser = _parser()
    try:
        chosen = parser.parse_args(arguments)
        if not hasattr(chosen, "run"):
            parser.print_help()
            return USAGE
        code: int = chosen.run(chosen)
        stdout.flush()
    except SystemExit as exit_:  # argparse has said what it wants
        return int(exit_.code or 0)
    except BrokenPipeError:  # `phipsi papers | head` is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        return OK
    except (errors.PhipsiError, OSError) as problem:
        print(f"phipsi: {problem}", file=sys.stderr)
        return USAGE if isinstance(problem, errors.OptionError) else FAILED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="phipsi", description="Robot dynamics as an algebra of operators.", epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"phipsi {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="command")
    for name, (words, run, arguments) in COMMANDS.items():
        command = commands.add_parser(name, help=words, description=run.__doc__, epilog=_EPILOG)
        command.set_defaults(run=run)
        arguments(command)
    return parser


# ── phipsi papers ─────────────────────────────────────────────────────────────────────────────────────────────────────


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("must be at least 1")
    return number


def _seed(text: str) -> int:
    number = int(text)
    if number < 0:
        raise argparse.ArgumentTypeError("must not be negative")
    return number


def _papers_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("paper", nargs="*", help="citation keys, such as RK88 (default: all)")
    parser.add_argument("--section", metavar="S", help="one section or appendix, such as 4 or A")
    parser.add_argument("--json", action="store_true", help="a JSON list with an object for each row")
    parser.add_argument("--seed", type=_seed, default=0, metavar="N", help="which random systems (default: 0)")
    parser.add_argument("--robots", type=_count, default=4, metavar="N", help="how many a section (default: 4)")


def papers(chosen: argparse.Namespace) -> int:
    """Check every equation, algorithm and theorem of the papers on random robots, and print a row for each.

    A row is as printed (no mark), a definition (:) or misprinted (≠: the statement is the corrected one); ! marks a
    row that fails.
    """
    from phipsi import papers as book

    report = book.run(chosen.paper, section=chosen.section, seed=chosen.seed, robots=chosen.robots)
    print(report.to_json() if chosen.json else report.text())
    return OK if report.passed else FAILED


# ── phipsi info ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _info_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", help="a URDF or MJCF file")
    parser.add_argument("--json", action="store_true", help="the same as a JSON object")
    parser.add_argument("--base", choices=("fixed", "free"), default="fixed", help="free: on a joint of six dofs")
    parser.add_argument("--package-dir", action="append", default=[], metavar="DIR", help="where package:// looks")
    parser.add_argument("--keep-fixed", action="store_true", help="keep links that do not move as bodies")


def info(chosen: argparse.Namespace) -> int:
    """Say what robot a file holds: its tree, degrees of freedom, masses, passive joints, and what was ignored."""
    from phipsi.model.load import load

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        robot = load(chosen.file, chosen.base, chosen.package_dir, merge_fixed=not chosen.keep_fixed)
    facts = describe(robot, [str(warning.message) for warning in caught])
    print(json.dumps(facts, indent=1, ensure_ascii=False) if chosen.json else _told(robot, facts))
    return OK


def describe(robot: Robot, remarks: Sequence[str] = ()) -> dict[str, Any]:
    """What `phipsi info --json` prints: numbers, names and warnings, as JSON holds them."""
    joints: list[dict[str, Any]] = []
    for k, (name, joint) in enumerate(zip(robot.joint_names, robot.joints, strict=True)):
        v = robot.joint(name).v
        parent = int(robot.parent[k])
        joints.append(
            {
                "joint": name,
                "type": joint.kind,
                "dofs": joint.nv,
                "passive": [bool(p) for p in robot.passive[v]],
                "body": robot.body_names[k],
                "parent": "world" if parent < 0 else robot.body_names[parent],
                "mass": float(robot.mass[k]),
            }
        )
    return {
        "name": robot.name,
        "bodies": robot.n,
        "nq": robot.nq,
        "nv": robot.nv,
        "mass": float(robot.mass.sum()),
        "passive_dofs": int(robot.passive.sum()),
        "gravity": robot.gravity.tolist(),
        "joints": joints,
        "frames": [name for name in robot.frame_names if name not in robot.body_names],
        "warnings": list(remarks),
    }


def _told(robot: Robot, facts: dict[str, Any]) -> str:
    passive = [
        joint["joint"] if all(joint["passive"]) else f"{joint['joint']} ({sum(joint['passive'])} of {joint['dofs']})"
        for joint in facts["joints"]
        if any(joint["passive"])
    ]
    massless = [joint["body"] for joint in facts["joints"] if joint["mass"] == 0]
    lines = [
        f"{facts['name']}: {facts['bodies']} bodies, {facts['nv']} degrees of freedom (nq = {facts['nq']}), "
        f"{facts['mass']:.6g} kg",
        f"gravity  {facts['gravity']}",
        f"passive  {facts['passive_dofs']} dofs" + (f": {', '.join(passive)}" if passive else ""),
        *([f"massless {', '.join(massless)}"] if massless else []),
        f"frames   {', '.join(facts['frames']) or 'none besides the bodies'}",
        "",
        robot.tree(),
        "",
        *(f"warning: {remark}" for remark in facts["warnings"]),
    ]
    return "\n".join(lines).rstrip()


# ── all commands: what `phipsi --help` says of each, what runs it, what arguments it takes ────────────────────────────

Command: TypeAlias = tuple[str, Callable[[argparse.Namespace], int], Callable[[argparse.ArgumentParser], None]]

COMMANDS: dict[str, Command] = {
    "papers": ("check the papers' equations, one by one", papers, _papers_arguments),
    "info": ("what robot a URDF or MJCF file holds", info, _info_arguments),
}

if __name__ == "__main__":
    sys.exit(main())
