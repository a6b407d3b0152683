"""The command line: `phipsi info`, `simulate`, `view`, `papers`, `bench`, `demo`. A file a command."""

from __future__ import annotations

import argparse
import importlib
import io
import os
import sys
from collections.abc import Sequence
from typing import Any

from phipsi import __version__, errors

from .words import FAILED, OK, USAGE

_EPILOG = "exit codes: 0 all is well, 1 a check or a file fails, 2 the command is not understood"

# name: what `phipsi --help` says of it; the module of that name has `arguments` and `run`
COMMANDS: dict[str, str] = {
    "demo": "something to look at: a satellite catches a target, and others",
    "info": "what robot a URDF or MJCF file holds",
    "view": "show a robot in the browser",
    "simulate": "move a robot through time",
    "bench": "what a robot's dynamics cost on this machine",
    "papers": "check the papers' equations, one by one",
}


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
    except KeyboardInterrupt:
        print("phipsi: interrupted", file=sys.stderr)
        return FAILED
    except BrokenPipeError:  # `phipsi papers | head` is no failure
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        return OK
    except (errors.PhipsiError, OSError) as problem:
        print(f"phipsi: {problem}", file=sys.stderr)
        return USAGE if isinstance(problem, (errors.OptionError, errors.UnknownName)) else FAILED
    return code


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="phipsi", description="Robot dynamics as an algebra of operators.", epilog=_EPILOG
    )
    parser.add_argument("--version", action="version", version=f"phipsi {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="command")
    for name, words in COMMANDS.items():
        module = importlib.import_module(f"phipsi.cli.{name}")
        command = commands.add_parser(name, help=words, description=module.run.__doc__, epilog=_EPILOG)
        command.set_defaults(run=module.run)
        module.arguments(command)
    return parser
