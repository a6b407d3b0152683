"""Hostile arguments of robots without motors, of diagonal and of flexible ones: NaN in one state, and what is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import phipsi as pp

GOOD = [0, 1, 3, 4]


@pytest.fixture
def lost():
    """A satellite's five states; in that of number 2 q is NaN."""
    ship = pp.zoo.dual_arm_satellite()
    q, v = ship.random(5, rng=0)
    q[2, 9] = np.nan
    return ship, q, v


def test_null_space_of_a_lost_state(lost):
    ship, q, _ = lost
    N = pp.underactuated.reaction_null_space(ship, q)
    assert N.shape == (5, 14, 8)
    assert np.isnan(N[2]).all()
    np.testing.assert_allclose(ship.disturbance_jacobian(q[GOOD]) @ N[GOOD], 0.0, atol=1e-12)


def test_curvature_of_a_lost_state():
    arm = pp.zoo.planar_arm(3)
    q, _ = arm.random(5, rng=0)
    expected = pp.diagonal.curvature(arm, q)
    q[2, 1] = np.nan
    found = pp.diagonal.curvature(arm, q)
    np.testing.assert_array_equal(found.riemann[GOOD], expected.riemann[GOOD])
    assert np.isnan(found.riemann[2]).all()
    assert np.isnan(found.largest[2])
    assert not found.flat


@pytest.mark.parametrize("samples", [0, -1, 1.5])
def test_flatness_is_not_told_from_nothing(samples):
    with pytest.raises(pp.PhipsiError, match=r"curvature: samples must"):
        pp.diagonal.curvature(pp.zoo.acrobot(), samples=samples)


def test_frequencies_of_a_lost_state():
    beam = pp.unified.flexible_beam(1.0, 0.5, 20.0, segments=4)
    q, _ = beam.random(5, rng=0)
    q[2, 1] = np.nan
    found = pp.unified.bending_frequencies(beam, q)
    assert np.isnan(found[2]).all()
    np.testing.assert_array_equal(found[GOOD], pp.unified.bending_frequencies(beam, q[GOOD]))


def test_sensitivities_of_no_state():
    robot = pp.zoo.every_joint("free")
    for batch in ((0,), (2, 0, 3)):
        q, v = robot.random(batch, rng=0)
        assert pp.diagonal.quadratic_sensitivities(robot, q, v).shape == (*batch, robot.nv)


def test_batches_of_momentum_rates(lost):
    ship, q, v = lost
    forces = np.zeros((3, ship.n, 6))
    for arguments in ((q, v[:3]), (q, None, forces), (q, v, None, np.zeros((3, 3)))):
        with pytest.raises(pp.ShapeError, match=r"momentum_rate: the batch axes do not broadcast"):
            pp.underactuated.momentum_rate(ship, *arguments)
    with pytest.raises(pp.DTypeError, match="f_ext"):
        pp.underactuated.momentum_rate(ship, q, None, [[1, 2], [3]])  # pyright: ignore


@pytest.mark.parametrize("pairs", [("base", "left/hand"), "base", None, [("base",)], ["ab"], [3]])
def test_pairs_are_pairs(lost, pairs):
    ship, q, _ = lost
    with pytest.raises(pp.DTypeError, match="pairs must be a list of pairs of names"):
        pp.free_flying.compliance_between(ship, q, pairs)


def test_what_is_no_number_or_function(lost):
    ship, q, _ = lost
    with pytest.raises(pp.DTypeError, match="tolerance must be a number"):
        pp.underactuated.reaction_null_space(ship, q, tolerance="small")  # pyright: ignore
    with pytest.raises(pp.ModelError, match="tolerance must not be negative"):
        pp.underactuated.reaction_null_projector(ship, q, tolerance=-1.0)
    with pytest.raises(pp.DTypeError, match="wanted must be a function"):
        pp.underactuated.zero_reaction_path(ship, q[0], 0.3, until=1.0)  # pyright: ignore


def test_beams_of_nothing():
    for bad in ((-1.0, 1.0, 1.0), (1.0, 0.0, 1.0), (1.0, 1.0, np.nan)):
        with pytest.raises(pp.ModelError, match="must be positive and finite"):
            pp.unified.clamped_frequencies(*bad)
    with pytest.raises(pp.DTypeError, match="joint must be a joint"):
        pp.unified.flexible_beam(1.0, 1.0, 1.0, 2, joint="motor")  # pyright: ignore


def test_links_without_mass_in_mobility_form():
    b = pp.Builder("massless")
    b.body("a", joint=pp.Revolute((0, 0, 1)), mass=0.0)
    b.body("b", "a", pp.Revolute((0, 1, 0)), pp.Pose((1, 0, 0)), 1.0, (0.3, 0, 0), 0.1 * np.eye(3))
    robot = b.build()
    q, v = robot.random(rng=1)
    assert np.isfinite(robot.forward_dynamics(q, v, v)).all()
    with pytest.raises(pp.ModelError, match="'a', taken without one of the branches it carries"):
        pp.free_flying.dynamics(robot, q, v, v)


def test_rebased_numbers_are_read(lost):
    ship, q, v = lost
    there = ship.rebasing("left/hand")
    for call, symbol in (
        (lambda: there.state(q[0], "fast"), "v"),
        (lambda: there.velocity(q[0], v[0] + 1j), "v"),
        (lambda: there.torque(q[0], {}), "tau"),
        (lambda: there.mass_matrix(q[0], "heavy"), "mass"),
        (lambda: there.bodies("all"), "x"),
    ):
        with pytest.raises(pp.DTypeError, match=f": {symbol} must"):
            call()
    for call in (
        lambda: there.velocity(q[:2], v[:3]),
        lambda: there.acceleration(q[0], v[0], v[0, :4]),
        lambda: there.torque(q[:2], v[:3]),
        lambda: there.mass_matrix(q[0], np.eye(2)),
        lambda: there.mass_matrix(q[:2], ship.mass_matrix(q[:3])),
        lambda: there.bodies(np.zeros((ship.n + 1, 6))),  # more rows than bodies would be lost
        lambda: there.bodies(np.zeros(6)),
    ):
        with pytest.raises(pp.ShapeError):
            call()
    assert np.isfinite(there.torque(q[0], v)).all()  # one configuration, many torques


def test_accelerations_of_one_side_are_read(lost):
    ship, q, v = lost
    model = pp.unified.model(ship, q[0], v[0])
    relations = pp.underactuated.relations(ship, q[:2], v[:2], "left/hand")
    for bad, kind in (("x", pp.DTypeError), (np.zeros(3), pp.ShapeError), (np.zeros(14) * 1j, pp.DTypeError)):
        for call in (lambda bad=bad: model.complete(bad, np.zeros(6)), lambda bad=bad: relations.passive(bad)):
            with pytest.raises(kind, match="a_active"):
                call()
        with pytest.raises(kind, match="a_active"):
            relations.frames(bad)
    with pytest.raises(pp.ShapeError, match="do not broadcast"):
        relations.frames(np.zeros((3, 14)))
    assert model.complete([0.0] * 14, [1.0] * 6).sum() == 6.0


def test_files_do_not_share_names_with_what_they_hold():
    """A module loaded late would take the place of the function."""
    for package in (pp.underactuated, pp.unified, pp.free_flying, pp.diagonal):
        files = {path.stem for path in Path(str(package.__file__)).parent.glob("*.py")}
        assert not files & set(package.__all__)
