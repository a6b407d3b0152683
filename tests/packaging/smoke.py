"""Does an installed phipsi work where there is nothing but NumPy? Run as a script: by CI and for every wheel."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

import phipsi as pp


def fall() -> None:
    """A batch of forward dynamics and its inverse must undo each other with the instruction set of this process."""
    robot = pp.zoo.chain(7)
    q, v = robot.random(37, rng=np.random.default_rng(0))  # 37: whole lanes and a remainder for every instruction set
    tau = np.cos(v)
    a = robot.forward_dynamics(q, v, tau)
    difference = float(np.max(np.abs(robot.inverse_dynamics(q, v, a) - tau)))
    print(f"phipsi {pp.__version__} {pp.isa()}: {a.shape} accelerations, torques recovered to {difference:.1e}")
    if not difference < 1e-9:
        sys.exit("inverse dynamics does not undo forward dynamics")


def main() -> None:
    """Once in this process, then in a new process for each instruction set of this machine."""
    fall()
    for isa in pp.available_isas():
        found = subprocess.run(
            [sys.executable, __file__, "--once"], env={**os.environ, "PHIPSI_ISA": isa}, capture_output=True, text=True
        )
        print(found.stdout.strip())
        if found.returncode or f" {isa}:" not in found.stdout:
            sys.exit(f"PHIPSI_ISA={isa} failed: {found.stderr or found.stdout}")


if __name__ == "__main__":
    fall() if "--once" in sys.argv else main()
