"""Every URDF of example-robot-data is the robot that Pinocchio reads: names, tree, places, inertias, limits, frames."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import phipsi as pp

pinocchio: Any = pytest.importorskip("pinocchio")

_SHARE = Path(pinocchio.__file__).parents[4] / "share" / "example-robot-data" / "robots"
FILES = sorted(_SHARE.glob("**/*.urdf"))
EMPTY = {"ur3.urdf"}  # a macro file without links
# with base="free", the link that is fastened to "world" floats; here it is not where "world" is, and Pinocchio's does
ASKEW = {"TwoDofs.urdf"}


@pytest.fixture(params=[file for file in FILES if file.name not in EMPTY], ids=lambda path: path.stem)
def path(request: pytest.FixtureRequest) -> Path:
    return request.param


@pytest.fixture(params=["fixed", "free"])
def base(request: pytest.FixtureRequest, path: Path) -> str:
    if request.param == "free" and path.name in ASKEW:
        pytest.skip("another link floats in Pinocchio")
    return request.param


def test_the_files_are_there() -> None:
    assert len(FILES) > 60
    for file in FILES:
        if file.name in EMPTY:
            with pytest.raises(pp.FileError, match="there is no <link>"):
                load(file, "fixed")


def load(path: Path, base: str) -> pp.Robot:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pp.PhipsiWarning)
        return pp.load(path, base=base)


def witness(path: Path, base: str) -> Any:
    if base == "fixed":
        return pinocchio.buildModelFromUrdf(str(path))
    return pinocchio.buildModelFromUrdf(str(path), pinocchio.JointModelFreeFlyer(), "base")


def test_the_same_robot(path: Path, base: str) -> None:
    robot, model = load(path, base), witness(path, base)
    assert sorted(robot.joint_names) == sorted(model.names[1:])
    index = {name: model.getJointId(name) for name in robot.joint_names}
    for k, name in enumerate(robot.joint_names):
        j = index[name]
        parent = robot.parent[k]
        assert model.parents[j] == (0 if parent < 0 else index[robot.joint_names[parent]])
        place, inertia = model.jointPlacements[j], model.inertias[j]
        np.testing.assert_allclose(robot.placements[k].rotation, place.rotation, rtol=0, atol=1e-14)
        np.testing.assert_allclose(robot.placements[k].position, place.translation, rtol=0, atol=1e-14)
        np.testing.assert_allclose(robot.mass[k], inertia.mass, rtol=1e-14, atol=0)
        scale = max(1.0, np.abs(inertia.inertia).max())
        np.testing.assert_allclose(robot.inertia[k], inertia.inertia, rtol=0, atol=1e-13 * scale)
        if robot.mass[k]:
            np.testing.assert_allclose(robot.com[k], inertia.lever, rtol=0, atol=1e-13)
        view = robot.joint(name)
        if len(robot.lower[view.v]) == 1 and model.joints[j].nq == 1:
            i = model.joints[j].idx_q
            assert robot.lower[view.v][0] == model.lowerPositionLimit[i]
            assert robot.upper[view.v][0] == model.upperPositionLimit[i]
            assert robot.effort_limit[view.v][0] == model.effortLimit[model.joints[j].idx_v]


def test_the_same_frames(path: Path, base: str) -> None:
    """Every link, whether it moves or not, is a frame at the same place of the same body."""
    robot, model = load(path, base), witness(path, base)
    bodies = [frame for frame in model.frames if frame.type == pinocchio.FrameType.BODY]
    links = [frame for frame in bodies if frame.name not in ("universe", "world")]
    assert sorted(frame.name for frame in links) == sorted(robot.frame_names)
    for link in links:
        body, pose = robot.frame(link.name)
        assert model.names[link.parentJoint] == ("universe" if body < 0 else robot.joint_names[body])
        np.testing.assert_allclose(pose.rotation, link.placement.rotation, rtol=0, atol=1e-14)
        np.testing.assert_allclose(pose.position, link.placement.translation, rtol=0, atol=1e-14)


def test_the_same_mass_matrix(path: Path, base: str) -> None:
    """At a random state; the joints of one dof, and a free base, in each other's order."""
    robot, model = load(path, base), witness(path, base)
    if not robot.nv:
        return
    q, _ = robot.random(rng=0)
    theirs, order = np.zeros(model.nq), np.zeros(model.nv, dtype=int)
    for name in robot.joint_names:
        view, joint = robot.joint(name), model.joints[model.getJointId(name)]
        value = q[view.q]
        if joint.nq == 7:  # theirs: position, quaternion xyzw; v = [linear; angular]
            theirs[joint.idx_q : joint.idx_q + 7] = [*value[4:], *value[1:4], value[0]]
            order[joint.idx_v : joint.idx_v + 6] = view.v.start + np.array([3, 4, 5, 0, 1, 2])
            continue
        # continuous joints are points of a circle there
        theirs[joint.idx_q : joint.idx_q + joint.nq] = value if joint.nq == 1 else [*np.cos(value), *np.sin(value)]
        order[joint.idx_v] = view.v.start
    data = model.createData()
    expected = pinocchio.crba(model, data, theirs)
    expected = np.triu(expected) + np.triu(expected, 1).T
    got = robot.mass_matrix(q)[np.ix_(order, order)]
    np.testing.assert_allclose(got, expected, rtol=0, atol=1e-11 * max(1.0, np.abs(expected).max()))
