"""Real robots: URDF files of the package example-robot-data."""

from __future__ import annotations

import importlib.metadata
import warnings
from functools import cache
from pathlib import Path

import pytest

import phipsi as pp

FOLDER = "share/example-robot-data/robots"

# each with its base; a free base also brings in the inertia of the root link
ROBOTS = {
    "ur5": ("ur_description/urdf/ur5_robot.urdf", "fixed"),
    "panda": ("panda_description/urdf/panda.urdf", "fixed"),
    "kinova": ("kinova_description/robots/kinova.urdf", "fixed"),
    "xarm7": ("xarm_description/urdf/xarm7.urdf", "fixed"),
    "z1": ("z1_description/urdf/z1.urdf", "fixed"),
    "allegro_hand": ("allegro_hand_description/urdf/allegro_left_hand.urdf", "fixed"),
    "double_pendulum": ("double_pendulum_description/urdf/double_pendulum_continuous.urdf", "fixed"),
    "finger_edu": ("finger_edu_description/robots/finger_edu.urdf", "fixed"),
    "borinot": ("borinot_description/urdf/borinot_flying_arm_2.urdf", "free"),
    "quadrotor": ("hector_description/robots/quadrotor_base.urdf", "free"),
    "anymal": ("anymal_b_simple_description/robots/anymal.urdf", "free"),
    "anymal_c": ("anymal_c_simple_description/urdf/anymal.urdf", "free"),
    "solo12": ("solo_description/robots/solo12.urdf", "free"),
    "go2": ("go2_description/urdf/go2.urdf", "free"),
    "bolt": ("bolt_description/robots/bolt.urdf", "free"),
    "baxter": ("baxter_description/urdf/baxter.urdf", "fixed"),
    "centauro": ("centauro_description/urdf/centauro.urdf", "free"),
    "icub": ("icub_description/robots/icub.urdf", "free"),
    "talos": ("talos_data/robots/talos_reduced.urdf", "free"),
    "talos_full": ("talos_data/robots/talos_full_v2.urdf", "free"),
    "g1": ("g1_description/urdf/g1_29dof_rev_1_0.urdf", "free"),
    "romeo": ("romeo_description/urdf/romeo.urdf", "free"),
    "human": ("human_description/robots/human.urdf", "free"),
    "tiago_pro": ("tiago_pro_description/robots/tiago_pro.urdf", "fixed"),
    "pr2": ("pr2_description/urdf/pr2.urdf", "fixed"),
}
# with rotor inertias, which URDF files do not give; romeo's fingertips have neither mass nor inertia and need them
GEARED = ("panda", "romeo", "go2")


def path(name: str) -> str:
    """Where a robot's file is; skips the test where the package is not installed."""
    try:
        package = importlib.metadata.distribution("example-robot-data")
    except importlib.metadata.PackageNotFoundError:
        pytest.skip("no real robots: the package example-robot-data is not installed (pip install 'phipsi[test]')")
    wanted = f"{FOLDER}/{ROBOTS[name][0]}"
    for file in package.files or ():
        if file.as_posix().endswith(wanted):
            return str(package.locate_file(file))
    pytest.skip(f"example-robot-data {package.version} has no {Path(wanted).name}")


@cache
def load(name: str) -> pp.Robot:
    """The robot, read by phipsi."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pp.PhipsiWarning)  # of what is ignored; the loaders' own tests read those
        robot = pp.load(path(name), base=ROBOTS[name][1])
    return robot.with_armature(0.05) if name in GEARED else robot
