"""Hybrid dynamics against DART, whose joints may each be driven by a torque or by an acceleration; 1e-10."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from tests.contract import robots

pytest.importorskip("dartpy", reason="nobody to compare hybrid dynamics with: pip install dartpy")
from .dart_twin import KINDS, DartTwin

COUNT = 12
ROBOTS = {
    **{kind: lambda kind=kind: robots.robot(("revolute", kind, "revolute"), 3) for kind in KINDS},
    # a free joint in the middle, ball joints, branches
    "tree": lambda: robots.robot(
        ("revolute", "free", "spherical", "universal", "prismatic", "fixed", "translational", "free", "revolute"),
        20,
        parents=(-1, 0, 0, 1, 1, 2, 2, 5, 5),
    ),
    "free_tree": lambda: robots.robot(
        ("free", "spherical", "revolute", "revolute", "spherical"), 21, parents=(-1, 0, 0, 1, 2)
    ),
    **{f"random_{seed}": lambda seed=seed: pp.zoo.tree(20, seed=seed, kinds=KINDS[1:]) for seed in range(3)},
    "satellite": lambda: pp.zoo.dual_arm_satellite(),
}


@pytest.mark.parametrize("name", ROBOTS)
def test_hybrid_dynamics(name):
    """Random masks that leave joints whole (DART's own limit), torques that are not zero, external forces."""
    robot = ROBOTS[name]().with_armature(0.0)
    twin = DartTwin(robot)
    rng = np.random.default_rng(7)
    data = robots.states(robot, COUNT)
    shares = np.linspace(0, 1, COUNT)[:, None]
    per_joint = rng.uniform(size=(COUNT, robot.n)) < shares
    mask = np.repeat(per_joint, [joint.nv for joint in robot.joints], axis=1)
    tau, a = robot.hybrid_dynamics(data["q"], data["v"], data["tau"], data["a"], mask, data["f_ext"])
    for i in range(COUNT):
        one = [data[x][i] for x in ("q", "v", "tau", "a")]
        theirs = twin.hybrid_dynamics(*one, mask[i], data["f_ext"][i])
        size = max(1.0, *(float(abs(x).max()) for x in theirs))
        for ours in ((tau[i], a[i]), robot.hybrid_dynamics(*one, mask[i], data["f_ext"][i])):
            for x, y in zip(ours, theirs, strict=True):
                assert abs(x - y).max() < 1e-10 * size
