"""Writes every answer of some robots to a file: run once under each instruction set.

PHIPSI_ISA=avx2 python -m contract.answers answers.npz
"""

from __future__ import annotations

import sys

import numpy as np

import phipsi as pp

from . import robots
from .verbs import VERBS, frame_verbs, parts

NAMES = ("tree", "free_tree", "aligned", "massless", "zoo_tree")
COUNT = 29


def main(path: str) -> None:
    answers = {"isa": np.array(pp.isa())}
    for name in NAMES:
        robot = robots.named(name)
        data = robots.states(robot, COUNT)
        for verb in (*VERBS, *frame_verbs("tip" if "tip" in robot.frame_names else robot.body_names[-1])):
            for i, part in enumerate(parts(verb(robot, data))):
                answers[f"{name}: {verb.label} {i}"] = part
    np.savez(path, allow_pickle=False, **answers)


if __name__ == "__main__":
    main(sys.argv[1])
