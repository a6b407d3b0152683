"""Joints: sizes, normalised axes, properties, exact words for what cannot be."""
# ruff: noqa: E501

from __future__ import annotations

import pickle
from collections.abc import Callable

import numpy as np
import pytest

import phipsi as pp
from phipsi.model.joint import KINDS, TYPES

Z = (0, 0, 1)
PLANE = np.array([[0, 0, 1, 0, 0, 0], [0, 0, 0, 1, 0, 0], [0, 0, 0, 0, 1, 0]]).T
EVERY = [
    pp.Fixed(), pp.Revolute(Z), pp.Prismatic(Z), pp.Helical(Z, 0.1), pp.Cylindrical(Z), pp.Universal(Z, (1, 0, 0)),
    pp.Spherical(), pp.Planar(), pp.Translational(), pp.Free(), pp.Custom(PLANE),
]  # fmt: skip


def test_every_native_joint_has_a_class() -> None:
    assert [joint.kind for joint in EVERY] == list(KINDS) == list(TYPES)


@pytest.mark.parametrize("joint", EVERY, ids=lambda joint: joint.kind)
def test_sizes_follow_the_labels(joint: pp.Joint) -> None:
    assert (len(joint.q_labels), len(joint.v_labels)) == (joint.nq, joint.nv)
    assert joint.parameters.dtype == np.float64
    for name in ("armature", "damping", "friction", "stiffness", "rest"):
        assert getattr(joint, name) == (0.0,) * joint.nv
    assert joint.lower == (-np.inf,) * joint.nv
    assert joint.effort_limit == (np.inf,) * joint.nv


@pytest.mark.parametrize("joint", EVERY, ids=lambda joint: joint.kind)
def test_is_a_value(joint: pp.Joint) -> None:
    again = pickle.loads(pickle.dumps(joint))
    assert again == joint
    assert hash(again) == hash(joint)
    assert joint != pp.Revolute(Z, name="another")
    assert joint != "joint"
    with pytest.raises(pp.ImmutableError) as error:
        joint.armature = (1.0,)
    assert str(error.value) == (
        "a joint is immutable: 'armature' cannot be set or deleted. "
        "Build another one, or let a robot do it: with_armature, with_passive, freeze."
    )


def test_axes_are_normalised() -> None:
    for size in (1e-200, 0.5, 1e200):
        np.testing.assert_allclose(pp.Revolute((0, 3 * size, 4 * size)).parameters, (0, 0.6, 0.8), rtol=1e-15)


def test_one_number_serves_all_dofs() -> None:
    assert pp.Spherical(armature=0.5).armature == (0.5, 0.5, 0.5)
    assert pp.Cylindrical(Z, damping=[1, 2]).damping == (1.0, 2.0)
    assert pp.Cylindrical(Z, passive=True).passive == (True, True)
    assert pp.Cylindrical(Z, passive=[True, False]).passive == (True, False)
    assert pp.Fixed(damping=3).damping == ()


def test_planar_completes_its_axes() -> None:
    np.testing.assert_array_equal(pp.Planar().parameters, (0, 0, 1, 1, 0, 0))
    for normal in np.vstack([np.eye(3), -np.eye(3), [[1, 2, 3]]]):
        n, x = pp.Planar(normal).parameters.reshape(2, 3)
        assert abs(n @ x) < 1e-15
        assert np.isclose(x @ x, 1)


def test_custom_counts_its_coordinates() -> None:
    screw = pp.Custom([0, 0, 1, 0, 0, 0.2])
    assert (screw.nq, screw.nv, screw.q_labels, screw.v_labels) == (1, 1, ("q1",), ("v1",))
    plane = pp.Custom(PLANE)
    assert (plane.nq, plane.nv) == (7, 3)
    np.testing.assert_array_equal(plane.columns, PLANE)
    assert (pp.Custom(np.eye(6)).nq, pp.Custom(np.eye(6)[:, 3:]).nq) == (7, 3)


def test_copies_change_one_thing() -> None:
    joint = pp.Revolute(Z, name="a", damping=2.0, passive=True)
    other = joint.with_properties(armature=1.0)
    assert (other.name, other.damping, other.armature, other.passive) == ("a", (2.0,), (1.0,), (True,))
    assert joint.with_name("b").name == "b"
    assert joint.name == "a"
    assert joint.with_passive(None).passive is None
    assert joint.with_mimic(pp.Mimic("x", 2)).mimic == pp.Mimic("x", 2.0, 0.0)


def test_repr_says_what_was_given() -> None:
    assert repr(pp.Revolute((0, 0, 2))) == "Revolute([0.0, 0.0, 1.0])"
    assert repr(pp.Revolute(Z, name="a", damping=1)) == "Revolute([0.0, 0.0, 1.0], name='a', damping=1.0)"
    assert repr(pp.Free()) == "Free()"


H = "Custom: columns (the columns of H*, [angular; linear], child axes)"
MISTAKES = [
    (lambda: pp.Revolute((0, 0, 0)), pp.ModelError, "Revolute: axis must have a direction, got [0.0, 0.0, 0.0]. Give a vector that is not zero."),
    (lambda: pp.Prismatic((0, np.nan, 0)), pp.ModelError, "Prismatic: axis must be finite, got [0.0, nan, 0.0]."),
    (lambda: pp.Revolute((0, 1)), pp.ShapeError, "Revolute: axis must be 3 numbers, got an array of shape (2,)."),
    (lambda: pp.Revolute("z"), pp.DTypeError, "Revolute: axis must be 3 numbers, got 'z'."),
    (lambda: pp.Helical(Z, np.inf), pp.ModelError, "Helical: pitch must be finite, got inf."),
    (lambda: pp.Helical(Z, (1, 2)), pp.ShapeError, "Helical: pitch must be a number of metres per radian, got an array of shape (2,)."),
    (lambda: pp.Universal(Z, (0, 0, -2)), pp.ModelError, "Universal: axis1 and axis2 are parallel, so one motion is lost. Use a revolute joint."),
    (lambda: pp.Planar(Z, (0, 0, 1)), pp.ModelError, "Planar: x_axis is parallel to normal, so it shows no direction in the plane. Leave it out, or give another one."),
    (lambda: pp.Planar(Z, (1, 0, 1)), pp.ModelError, "Planar: x_axis must be perpendicular to normal, but their unit vectors have product 0.707. Its part in the plane is [0.707107, 0.0, 0.0]."),
    (lambda: pp.Revolute(Z, armature=-1), pp.ModelError, "Revolute: armature must not be negative, got -1."),
    (lambda: pp.Revolute(Z, name="a", damping=np.nan), pp.ModelError, "Revolute 'a': damping must be finite, got nan."),
    (lambda: pp.Revolute(Z, stiffness=np.inf), pp.ModelError, "Revolute: stiffness must be finite, got inf."),
    (lambda: pp.Revolute(Z, velocity_limit=-np.inf), pp.ModelError, "Revolute: velocity_limit must not be negative, got -inf."),
    (lambda: pp.Revolute(Z, effort_limit=np.nan), pp.ModelError, "Revolute: effort_limit must not be NaN."),
    (lambda: pp.Revolute(Z, lower=1, upper=-1), pp.ModelError, "Revolute: lower must not exceed upper, got lower=1, upper=-1."),
    (lambda: pp.Revolute(Z, lower=1, upper=(1, 2)), pp.ShapeError, "Revolute: upper must be a number, or 1 of them, got an array of shape (2,)."),
    (lambda: pp.Spherical(lower=-1), pp.ModelError, "Spherical: lower and upper limit coordinates, but q is (w, x, y, z), a pose whose quaternion cannot be bounded so. Leave them out."),
    (lambda: pp.Revolute(Z, dampin=1), pp.DTypeError, "Revolute: joints have no property 'dampin'. Did you mean 'damping'? They have 'name', 'passive', 'mimic', 'armature', 'damping', 'friction', 'stiffness', 'rest', 'lower', 'upper', 'velocity_limit', 'effort_limit'."),
    (lambda: pp.Revolute(Z, name=""), pp.ModelError, "the name of a joint must be a non-empty string, got ''."),
    (lambda: pp.Revolute(Z, name=3), pp.ModelError, "the name of a joint must be a non-empty string, got 3."),
    (lambda: pp.Revolute(Z, passive=1), pp.DTypeError, "Revolute: passive must be None, True, False or a bool for each dof, got int 1."),
    (lambda: pp.Revolute(Z, passive=[True, False]), pp.ShapeError, "Revolute: passive must be a bool, or 1 of them, got an array of shape (2,)."),
    (lambda: pp.Revolute(Z, mimic="a"), pp.DTypeError, "Revolute: mimic must be a Mimic(joint, multiplier, offset) or None, got str 'a'."),
    (lambda: pp.Mimic("a", np.nan), pp.ModelError, "Mimic: multiplier must be finite, got nan."),
    (lambda: pp.Mimic(""), pp.ModelError, "the name of a mimicked joint must be a non-empty string, got ''."),
    (lambda: pp.Custom(np.zeros((6, 0))), pp.ShapeError, "Custom: columns must be numbers of shape (6, m), m = 1..6, got an array of shape (6, 0)."),
    (lambda: pp.Custom(np.zeros((6, 2))), pp.ModelError, f"{H} must not be zero, but column 0 is."),
    (lambda: pp.Custom(np.ones((6, 2))), pp.ModelError, f"{H} must be linearly independent: one of them adds no motion."),
    (lambda: pp.Custom(np.eye(6)[:, :2]), pp.ModelError, f"{H} must span a Lie subalgebra, but the bracket of columns 0 and 1, [0.0, 0.0, 1.0, 0.0, 0.0, 0.0], is not in their span: no joint has these motions with constant columns. Use two joints with a massless body between."),
    (lambda: pp.Joint(), pp.DTypeError, "Joint: a joint must be one of the joint types, such as Revolute, got the class Joint."),
]  # fmt: skip


@pytest.mark.parametrize(("make", "kind", "sentence"), MISTAKES, ids=range(len(MISTAKES)))
def test_mistakes_are_named(make: Callable[[], object], kind: type[Exception], sentence: str) -> None:
    with pytest.raises(kind) as error:
        make()
    assert str(error.value) == sentence
