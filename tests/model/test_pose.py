"""Pose: its spellings agree with each other and with scipy, batches broadcast, mistakes are named."""
# ruff: noqa: E501

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import phipsi as pp

ROTATIONS = Rotation.random(50, rng=0)


def test_quaternion_and_matrix_agree_with_scipy() -> None:
    xyzw = ROTATIONS.as_quat(canonical=True)
    pose = pp.Pose(np.zeros((50, 3)), quaternion=np.roll(xyzw, 1, axis=-1) * 3.0)
    np.testing.assert_allclose(pose.rotation, ROTATIONS.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(pose.quaternion, np.roll(xyzw, 1, axis=-1), atol=1e-14)


def test_rpy_agrees_with_scipy_and_comes_back() -> None:
    rpy = ROTATIONS.as_euler("xyz")
    pose = pp.Pose(np.zeros((50, 3)), rpy=rpy)
    np.testing.assert_allclose(pose.rotation, ROTATIONS.as_matrix(), atol=1e-14)
    np.testing.assert_allclose(pose.rpy, rpy, atol=1e-12)


@pytest.mark.parametrize("pitch", [np.pi / 2, -np.pi / 2])
def test_rpy_at_the_singular_pitch_still_says_the_rotation(pitch: float) -> None:
    pose = pp.Pose(rpy=(0.3, pitch, -0.8))
    assert pose.rpy[0] == 0.0
    assert pp.Pose(rpy=pose.rpy).isclose(pose, 1e-9)


def test_half_turns_have_quaternions() -> None:
    for axis in np.eye(3):
        pose = pp.Pose(quaternion=[0.0, *axis])
        np.testing.assert_array_equal(pose.quaternion, [0.0, *axis])


def test_tiny_and_huge_quaternions_are_directions() -> None:
    same = pp.Pose(quaternion=(1, 2, 3, 4))
    for scale in (1e-200, 1e200):
        assert pp.Pose(quaternion=scale * np.array([1.0, 2, 3, 4])).isclose(same, 1e-15)


def test_chains_moves_and_inverts() -> None:
    a, b = pp.Pose((1, 2, 3), rpy=(0.1, 0.2, 0.3)), pp.Pose((0, -1, 0.5), rpy=(1, 2, 3))
    np.testing.assert_allclose((a @ b).matrix, a.matrix @ b.matrix, atol=1e-14)
    np.testing.assert_allclose(a @ (b @ [0.1, 0.2, 0.3]), (a @ b) @ [0.1, 0.2, 0.3], atol=1e-14)
    assert (a @ a.inv).isclose(pp.Pose.identity(), 1e-15)
    assert pp.Pose.from_matrix(a.matrix) == a
    np.testing.assert_array_equal(np.asarray(a), a.matrix)


def test_batches_broadcast() -> None:
    poses = pp.Pose(np.zeros((4, 1, 3)), ROTATIONS.as_matrix()[:5])
    assert poses.shape == (4, 5)
    assert len(poses) == 4
    assert (poses @ np.ones(3)).shape == (4, 5, 3)
    assert (poses @ pp.Pose((1, 0, 0))).shape == (4, 5)
    assert poses[1:3, 2].shape == (2,)
    assert poses[..., 0].shape == (4,)
    assert poses[np.ones((4, 5), dtype=bool)].shape == (20,)
    assert poses[2, 3].rotation.shape == (3, 3)
    assert [row.shape for row in poses] == [(5,)] * 4
    assert pp.Pose.stack([poses[0], poses[1]]).shape == (2, 5)
    with pytest.raises(IndexError):
        poses[0, 0, 0]
    with pytest.raises(IndexError, match="a single pose has no batch axes to index"):
        pp.Pose()[0]


def test_is_a_value() -> None:
    pose = pp.Pose((1, 2, 3), rpy=(0.1, 0.2, 0.3))
    assert pickle.loads(pickle.dumps(pose)) == pose
    assert hash(pp.Pose((0.0, -0.0, 0))) == hash(pp.Pose((0, 0, 0)))
    assert copy.copy(pose) is pose
    assert copy.deepcopy(pose) is pose
    assert pose != pp.Pose()
    assert pose != "pose"
    assert repr(pp.Pose((0, 0, 1))) == "Pose(position=[0., 0., 1.], quaternion=[1., 0., 0., 0.])"
    assert repr(pp.Pose(np.zeros((2, 3)))) == "Pose(batch of shape (2,))"
    with pytest.raises(ValueError, match="read-only"):
        pose.position[0] = 1.0
    with pytest.raises(pp.ImmutableError) as error:
        pose.position = np.zeros(3)  # type: ignore[misc]
    assert str(error.value) == (
        "a Pose is immutable: 'position' cannot be set or deleted. "
        "A pose has no setters: build another one, Pose(position=..., rotation=...)."
    )


def test_does_not_share_the_caller_s_array() -> None:
    position = np.zeros(3)
    pose = pp.Pose(position)
    position[0] = 5.0
    assert pose.position[0] == 0.0


def test_nearly_orthonormal_rotations_are_made_exact() -> None:
    rotation = ROTATIONS.as_matrix()[0].round(7)
    exact = pp.Pose(rotation=rotation).rotation
    np.testing.assert_allclose(exact.T @ exact, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(exact, rotation, atol=1e-6)


@pytest.mark.parametrize(
    ("given", "kind", "sentence"),
    [
        ({"position": (1, 2)}, pp.ShapeError, "Pose: position must be numbers of shape (*batch, 3), got an array of shape (2,)."),
        ({"position": (1, 2, np.nan)}, pp.ModelError, "Pose: position must be finite, got [1.0, 2.0, nan]."),
        ({"position": "abc"}, pp.DTypeError, "Pose: position must be numbers of shape (*batch, 3), got 'abc'."),
        ({"position": (1, 2j, 0)}, pp.DTypeError, "Pose: position must be numbers of shape (*batch, 3), got (1, 2j, 0)."),
        ({"position": [[1, 2], [3]]}, pp.DTypeError, "Pose: position must be numbers of shape (*batch, 3), got [[1, 2], [3]]."),
        ({"quaternion": (0, 0, 0, 0)}, pp.ModelError, "Pose: quaternion [w, x, y, z] is zero, which is no rotation. The identity is (1, 0, 0, 0)."),
        ({"quaternion": (1, 0, 0, 0), "rpy": (0, 0, 0)}, pp.ModelError, "Pose: give the rotation once, got quaternion and rpy."),
        ({"rotation": np.diag([1, 1, -1])}, pp.ModelError, "Pose: rotation must be orthonormal with determinant +1: its determinant is -1, a mirror. Flip one axis: left-handed axes have no right-handed pose."),
        ({"rotation": np.diag([1, 1, 2])}, pp.ModelError, "Pose: rotation must be orthonormal with determinant +1: R.T @ R differs from the identity by 3. Scale and shear have no place in a pose; a quaternion= is always a rotation."),
        ({"position": np.zeros((2, 3)), "rpy": np.zeros((3, 3))}, pp.ShapeError, "Pose: the batch axes do not broadcast: position (2,), rpy (3,). Leading axes follow NumPy's rules: equal, 1 or absent; add an axis with x[:, None]."),
    ],
)  # fmt: skip
def test_mistakes_are_named(given: dict[str, object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as error:
        pp.Pose(**given)  # type: ignore[arg-type]
    assert str(error.value) == sentence


def test_mistakes_of_use_are_named() -> None:
    with pytest.raises(pp.ShapeError) as error:
        _ = pp.Pose(np.zeros((2, 3))) @ np.zeros((3, 3))
    assert str(error.value).startswith("Pose @: the batch axes do not broadcast: left (2,), right (3,).")
    with pytest.raises(pp.ModelError, match="the last row of a pose's matrix must be"):
        pp.Pose.from_matrix(np.ones((4, 4)))
    with pytest.raises(TypeError):
        np.eye(4) @ pp.Pose()  # type: ignore[operator]
