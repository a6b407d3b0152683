"""Robots at the edge: no bodies, no dofs, no mass; copies of robots; forests as assembled cells; large trees."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

import phipsi as pp

from . import robots
from .verbs import VERBS, assert_same, label, parts


@pytest.mark.parametrize("verb", [v for v in VERBS if "f_ext" not in v.takes], ids=label)
@pytest.mark.parametrize("shape", [(), (5,), (0,)], ids=str)
def test_a_robot_without_bodies(verb, shape):
    robot = pp.Builder("nothing").build()
    data = {name: np.zeros((*shape, 0)) for name in ("q", "q1", "v", "a", "tau")}
    for part in parts(verb(robot, data)):
        assert np.asarray(part).shape[: len(shape)] == shape
        if verb.name not in ("center_of_mass", "center_of_mass_jacobian"):
            assert not np.any(part)


def test_a_robot_without_bodies_has_no_forces():
    robot, none = pp.Builder("nothing").build(), np.zeros((5, 0))
    assert robot.bias(none, none, np.zeros((5, 0, 6))).shape == (5, 0)


def test_without_mass_there_is_no_mass_centre():
    robot = pp.Builder().body("ghost", joint=pp.Free()).build()
    q, v = robot.random(3, rng=0)
    for answer in (
        robot.center_of_mass(q),
        robot.center_of_mass_jacobian(q),
        robot.momentum(q, v, about="com")[:, :3],
    ):
        assert np.isnan(answer).all()
    assert not robot.momentum(q, v).any()
    assert not robot.inverse_dynamics(q, v, v).any()


@pytest.mark.parametrize("name", ["tree", "free_tree", "zoo_every_joint"])
def test_a_pickled_robot_answers_the_same(name):
    robot = robots.named(name)
    copy = pickle.loads(pickle.dumps(robot))
    data = robots.states(robot, 13)
    for verb in VERBS:
        assert_same(verb(copy, data), verb(robot, data), 0)


def test_an_assembled_cell_is_its_parts():
    left, right = robots.named("free_tree"), robots.named("tree").with_gravity(robots.named("free_tree").gravity)
    cell = pp.assemble({"left": left, "right": right})
    ours, theirs = robots.states(left, 13), robots.states(right, 13, 1)
    both = {name: np.concatenate([ours[name], theirs[name]], axis=1) for name in ours}
    for verb in VERBS:
        if verb.name in ("inverse_dynamics", "forward_dynamics", "bias", "gravity_torque", "integrate", "difference"):
            parts_ = np.concatenate([verb(left, ours), verb(right, theirs)], axis=-1)
            assert_same(verb(cell, both), parts_, 1e-12)
        elif verb.name in ("velocities", "accelerations", "reaction_forces"):
            assert_same(verb(cell, both), np.concatenate([verb(left, ours), verb(right, theirs)], axis=1), 1e-12)
        elif verb.name in ("kinetic_energy", "potential_energy") or (verb.name == "momentum" and not verb.options):
            assert_same(verb(cell, both), verb(left, ours) + verb(right, theirs), 1e-12)


def test_long_and_wide():
    """Ten thousand bodies in a row, and around one: forward dynamics solves the equation of inverse dynamics."""
    row = pp.zoo.chain(10_000)
    builder = pp.Builder("star").body("hub", joint=pp.Free(), mass=1, inertia=(1, 1, 1))
    for k in range(10_000):
        builder.body(f"ray_{k}", "hub", pp.Revolute((0, 0, 1)), mass=1, com=(1, 0, 0), inertia=(1, 1, 1))
    for robot in (row, builder.build()):
        q, v = robot.random(rng=0)
        tau = robot.inverse_dynamics(q, 0.1 * v, v)
        a = robot.forward_dynamics(q, 0.1 * v, tau)
        assert_same(robot.inverse_dynamics(q, 0.1 * v, a) / np.abs(tau).max(), tau / np.abs(tau).max(), 1e-11)


@pytest.mark.parametrize("seed", range(3))
def test_a_large_tree_agrees_with_itself(seed):
    """A hundred bodies, too many for the reference: the verbs against one another."""
    robot = pp.zoo.tree(100, seed=seed, base="free")
    q, v = robot.random(11, rng=0)
    a, f_ext = np.random.default_rng(1).normal(size=v.shape), np.random.default_rng(2).normal(size=(11, robot.n, 6))
    mass, bias = robot.mass_matrix(q), robot.bias(q, v, f_ext)
    tau = robot.inverse_dynamics(q, v, a, f_ext)
    condition = float(np.linalg.cond(mass).max())
    assert_same(np.einsum("bij,bj->bi", mass, a) + bias, tau, 1e-12)
    coriolis = np.einsum("bij,bj->bi", robot.coriolis_matrix(q, v), v)
    assert_same(coriolis + robot.gravity_torque(q), robot.bias(q, v), 1e-12)
    assert_same(robot.forward_dynamics(q, v, tau, f_ext), a, 1e-13 * condition)
    assert_same(robot.inverse_mass_matrix(q), np.linalg.inv(mass), 1e-14 * condition)
    assert_same(np.einsum("bi,bij,bj->b", v, mass, v) / 2, robot.kinetic_energy(q, v), 1e-12)
    momentum = np.einsum("bij,bj->bi", robot.centroidal_momentum_matrix(q), v)
    assert_same(momentum, robot.momentum(q, v, about="com"), 1e-12)
    last = robot.body_names[-1]
    assert_same(robot.velocity(q, v, last), robot.velocities(q, v)[:, -1], 1e-12)
    assert_same(robot.acceleration(q, v, a, last), robot.accelerations(q, v, a)[:, -1], 1e-12)
    # what the world gives the base, and what falls on all, is the rate of the momentum
    rate = robot.centroidal_momentum_matrix_dot_v(q, v) + np.einsum(
        "bij,bj->bi", robot.centroidal_momentum_matrix(q), a
    )
    base = robot.reaction_forces(q, v, a)[:, 0]
    arm = robot.poses(q).position[:, 0] - robot.center_of_mass(q)
    weight = robot.mass.sum() * robot.gravity
    got = np.concatenate([base[:, :3] + np.cross(arm, base[:, 3:]), base[:, 3:] + weight], axis=-1)
    assert_same(got, rate, 1e-11)
