"""Shapes: boxes weigh and turn like the bodies they stand for, capsules reach from joint to joint, limbs differ."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import phipsi as pp
from phipsi.model.inertia import Payload
from phipsi.show.geometry import LIMBS, TRUNK, YIELDING, along, equal_box, shapes, turned

JOINTS = [
    pp.Revolute((0, 1, 0)), pp.Prismatic((1, 0, 0)), pp.Helical((0, 0, 1), 0.1), pp.Cylindrical((1, 0, 0)),
    pp.Universal((1, 0, 0), (0, 1, 0)), pp.Spherical(), pp.Planar(), pp.Translational(), pp.Free(), pp.Fixed(),
    pp.Custom(np.array([[0, 0, 1, 0, 0, 0.1]]).T),
]  # fmt: skip


def test_the_box_has_the_inertia_of_the_body() -> None:
    turn = Rotation.random(rng=np.random.default_rng(0)).as_matrix()
    solid = np.asarray(Payload.box(3.0, (0.3, 0.2, 0.4)).inertia)
    edges, axes = equal_box(3.0, turn @ solid @ turn.T)
    np.testing.assert_allclose(np.sort(edges), [0.2, 0.3, 0.4], atol=1e-12)
    np.testing.assert_allclose(np.linalg.det(axes), 1.0)
    again = axes @ np.asarray(Payload.box(3.0, edges).inertia) @ axes.T
    np.testing.assert_allclose(again, turn @ solid @ turn.T, atol=1e-14)


def test_inertias_that_no_body_has_are_flat_and_finite() -> None:
    edges, _ = equal_box(1.0, np.diag([1.0, 0.1, 0.1]))
    assert np.isfinite(edges).all()
    assert edges.min() == 0


@pytest.mark.parametrize("z", [(0, 0, 1), (0, 0, -1), (1, 0, 0), (0.6, 0, 0.8)])
def test_turned_is_a_rotation_that_takes_z_there(z: tuple[float, float, float]) -> None:
    r = turned(np.array(z, dtype=float))
    np.testing.assert_allclose(r.T @ r, np.eye(3), atol=1e-15)
    np.testing.assert_allclose(r[:, 2], z)
    assert np.linalg.det(r) > 0


def test_capsules_reach_from_joint_to_joint() -> None:
    arm = pp.zoo.planar_arm(3, length=0.7)
    links = [shape for shape in shapes(arm) if shape.kind == "capsule" and shape.layer == "links"]
    assert [shape.body for shape in links] == [0, 1, 2]
    for shape in links:
        assert shape.size[1] == pytest.approx(0.7)
        np.testing.assert_allclose(shape.pose @ [0.0, 0.0, 0.35], [0.7, 0, 0], atol=1e-12)
    start, end = np.array([1.0, 2, 3]), np.array([1.0, 2, 2])
    np.testing.assert_allclose(along(start, end).position, (start + end) / 2)


def test_limbs_have_colours_of_their_own_and_passive_joints_show() -> None:
    ship = pp.zoo.dual_arm_satellite()
    every = shapes(ship.with_passive(["base", "left/joint3"]))
    drawn = [shape for shape in every if shape.layer in ("links", "joints")]
    colour = {shape.body: shape.color for shape in drawn if shape.layer == "links"}
    left, right = (ship.body(f"{side}/link4").index for side in ("left", "right"))
    assert colour[0] == TRUNK
    assert {colour[left], colour[right]} <= set(LIMBS)
    assert colour[left] != colour[right]
    yielding = {shape.body for shape in drawn if shape.color == YIELDING}
    assert yielding == {ship.body("left/link3").index}


@pytest.mark.parametrize("joint", JOINTS, ids=lambda joint: joint.kind)
def test_every_joint_can_be_drawn(joint: pp.Joint) -> None:
    builder = pp.Builder("two")
    builder.body("a", joint=joint, mass=1.0, inertia=0.01 * np.eye(3))
    builder.body("b", "a", pp.Revolute((0, 0, 1)), pp.Pose((0.3, 0, 0)), mass=1.0, inertia=0.01 * np.eye(3))
    for shape in shapes(builder.build()):
        assert np.isfinite(shape.size).all()
        assert min(shape.size) >= 0


@pytest.mark.parametrize(
    "robot",
    [pp.Builder("nothing").build(), pp.zoo.box(), pp.zoo.hand(), pp.zoo.quadruped(), pp.zoo.tree(30, seed=1)],
    ids=lambda robot: robot.name,
)
def test_any_robot_has_finite_shapes_on_its_bodies(robot: pp.Robot) -> None:
    for shape in shapes(robot):
        assert -1 <= shape.body < robot.n
        assert np.isfinite([*shape.size, *shape.color, *shape.pose.position]).all()


def test_massless_bodies_without_anything_are_not_drawn() -> None:
    robot = pp.Builder("ghost").body("a", joint=pp.Free(), mass=0.0).build(unphysical="warn")
    assert [shape for shape in shapes(robot) if shape.layer in ("links", "inertia")] == []
