"""Riemann symbols of mass matrices: flat and curved arms, symmetries, the planar formula, coordinates that are not."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from tests.contract import robots
from tests.contract.verbs import assert_same

Z, X, Y = (0, 0, 1), (1, 0, 0), (0, 1, 0)


def planar(c2: float, I2: float = 0.2, m1: float = 1.3, I1: float = 0.15, m2: float = 0.9) -> pp.Robot:
    """2R: links of length 0.7, mass centres at 0.3 and c2."""
    b = pp.Builder("planar", gravity=(0, 0, 0))
    b.body("one", parent="world", joint=pp.Revolute(Z), mass=m1, com=(0.3, 0, 0), inertia=np.diag([0, I1, I1]) + 0)
    b.body(
        "two",
        parent="one",
        joint=pp.Revolute(Z),
        placement=pp.Pose((0.7, 0, 0)),
        mass=m2,
        com=(c2, 0, 0),
        inertia=None if I2 == 0 else np.diag([0, I2, I2]),
    )
    return b.build()


def gantry() -> pp.Robot:
    b = pp.Builder("gantry")
    for name, parent, axis in (("x", "world", X), ("y", "x", Y), ("z", "y", Z)):
        b.body(name, parent=parent, joint=pp.Prismatic(axis), mass=1.0, com=(0.1, 0.2, 0), inertia=np.eye(3))
    return b.build()


def polar(I2: float) -> pp.Robot:
    """RP with a mass on a ray through the axis: polar coordinates of the plane, if it has no inertia of its own."""
    b = pp.Builder("polar")
    b.body("turn", parent="world", joint=pp.Revolute(Z))
    slide = pp.Prismatic(X, lower=0.3, upper=1.5)
    inertia = None if I2 == 0 else I2 * np.eye(3)
    return b.body("slide", parent="turn", joint=slide, mass=2.0, inertia=inertia).build()


def tip_mass() -> pp.Robot:
    """2R without mass but for a point at its tip: the plane in two angles."""
    b = pp.Builder("tip mass")
    b.body("one", parent="world", joint=pp.Revolute(Z))
    elbow = pp.Revolute(Z, lower=0.3, upper=2.5)
    b.body("two", parent="one", joint=elbow, placement=pp.Pose((0.7, 0, 0)), mass=1.0, com=(0.6, 0, 0))
    return b.build()


def single(joint: pp.Joint, inertia: np.ndarray) -> pp.Robot:
    return pp.Builder("one").body("b", parent="world", joint=joint, mass=1.0, inertia=inertia).build()


FLAT = {
    "one joint": lambda: pp.zoo.chain(1),
    "gantry": gantry,
    "2R, second mass centre on its joint": lambda: planar(0.0),
    "RP with a point": lambda: polar(0.0),
    "2R with a point at the tip": tip_mass,
    "translational": lambda: single(pp.Translational(), np.eye(3)),
    "planar": lambda: single(pp.Planar(Z, X), np.eye(3)),
}
CURVED = {
    "2R": lambda: planar(0.4),
    "RP with inertia": lambda: polar(0.5),
    "spatial 3R": lambda: pp.zoo.chain(3),
    "free body": lambda: single(pp.Spherical(), np.diag([1.0, 1.5, 2.0])),
}


@pytest.mark.parametrize("name", FLAT)
def test_flat(name):
    found = pp.diagonal.curvature(FLAT[name](), samples=8)
    assert found.flat, str(found)
    assert "flat in 8" in str(found)


@pytest.mark.parametrize("name", CURVED)
def test_curved(name):
    found = pp.diagonal.curvature(CURVED[name](), samples=4)
    assert not found.flat
    assert "not flat" in str(found)
    assert (found.relative > 1e-4).any()


def test_planar_formula():
    """K = b cos(θ) (a d - b²) / (a d - b² cos² θ)², |R_1212| = |K| det M."""
    I1, m1, I2, m2, c1, c2, l1 = 0.15, 1.3, 0.2, 0.9, 0.3, 0.4, 0.7
    robot = planar(c2, I2, m1, I1, m2)
    a, d, b = I1 + m1 * c1**2 + m2 * l1**2, I2 + m2 * c2**2, m2 * l1 * c2
    for elbow in (0.3, 1.2, 2.8):
        q = np.array([0.4, elbow])
        K = b * np.cos(elbow) * (a * d - b**2) / (a * d - b**2 * np.cos(elbow) ** 2) ** 2
        found = pp.diagonal.curvature(robot, q)
        assert_same(found.riemann[0, 1, 0, 1], K * np.linalg.det(robot.mass_matrix(q)), 1e-12)
        assert_same(found.largest, abs(K), 1e-12)


def test_rotating_body():
    """An isotropic body on a spherical joint: SO(3), sectional curvature 1/(4 I) everywhere, though C(θ, ν) = 0."""
    inertia = 2.0
    robot = single(pp.Spherical(), inertia * np.eye(3))
    q, v = robot.random(5, rng=0)
    found = pp.diagonal.curvature(robot, q)
    assert_same(found.largest, np.full(5, 1 / (4 * inertia)), 1e-12)
    assert abs(pp.diagonal.coriolis(robot, q, v)).max() < 1e-12


@pytest.mark.parametrize("name", ["tree", "universal", "custom_se2", "planar"])
def test_symmetries_and_first_bianchi(name):
    robot = robots.named(name) if name != "tree" else pp.zoo.tree(4, seed=1)
    R = pp.diagonal.curvature(robot, robot.random(rng=0)[0]).riemann
    scale = abs(R).max()
    for other in (-np.swapaxes(R, 0, 1), -np.swapaxes(R, 2, 3), np.transpose(R, (2, 3, 0, 1))):
        assert abs(R - other).max() < 1e-11 * max(scale, 1.0)
    cyclic = R + np.transpose(R, (0, 2, 3, 1)) + np.transpose(R, (0, 3, 1, 2))
    assert abs(cyclic).max() < 1e-11 * max(scale, 1.0)


def test_against_differences_of_christoffel_symbols():
    """(2.5), with second derivatives of the mass matrix by differences."""
    robot = pp.zoo.chain(3)
    q = np.array([0.3, -0.8, 1.1])
    h = 2e-3

    def shifted(i, j, a, b):
        return robot.mass_matrix(q + h * (a * np.eye(3)[i] + b * np.eye(3)[j]))

    n = 3
    c = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}
    d1 = np.array([sum(w * (shifted(i, i, k, 0) - shifted(i, i, -k, 0)) for k, w in c.items()) / h for i in range(n)])
    d2 = np.zeros((n, n, n, n))
    for i in range(n):
        for j in range(n):
            terms = [
                w * u * (shifted(i, j, k, m) - shifted(i, j, -k, m) - shifted(i, j, k, -m) + shifted(i, j, -k, -m))
                for k, w in c.items()
                for m, u in c.items()
            ]
            d2[i, j] = sum(terms) / h**2
    first = 0.5 * (np.einsum("ijk->ijk", d1) + np.einsum("jik->ijk", d1) - np.einsum("kij->ijk", d1))  # [ij, k]
    second = np.einsum("ijl,lk->kij", first, np.linalg.inv(robot.mass_matrix(q)))
    R = 0.5 * (
        np.einsum("ijhk->hijk", d2) + np.einsum("hkij->hijk", d2) - np.einsum("ikhj->hijk", d2)
        - np.einsum("hjik->hijk", d2)
    ) + np.einsum("lij,hkl->hijk", second, first) - np.einsum("lik,hjl->hijk", second, first)  # fmt: skip
    assert_same(abs(pp.diagonal.curvature(robot, q).riemann), abs(R), 1e-7)


def test_refusals():
    robot = pp.zoo.chain(2)
    with pytest.raises(pp.ShapeError, match=r"diagonal\.curvature: q"):
        pp.diagonal.curvature(robot, [0.0])
    with pytest.raises(pp.DTypeError, match="robot must be a Robot"):
        pp.diagonal.curvature(None)
    assert pp.diagonal.curvature(robot, np.zeros((2, 3, 2))).riemann.shape == (2, 3, 2, 2, 2, 2)
    assert pp.diagonal.curvature(robots.named("rigid")).flat
