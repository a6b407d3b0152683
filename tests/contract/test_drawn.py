"""Robots drawn at random: chains, stars, trees and forests, zero-dof joints, massless links, inertias of any size."""

from __future__ import annotations

import numpy as np
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import phipsi as pp

from . import robots
from .verbs import VERBS, assert_same, conditioning, frame_verbs

SOME = settings(
    max_examples=80,
    deadline=None,
    derandomize=True,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def any_robot(draw: st.DrawFn) -> pp.Robot:
    n = draw(st.integers(1, 9))
    shape = draw(st.sampled_from(["chain", "star", "tree", "forest"]))
    first = {"chain": lambda k: k - 1, "star": lambda k: 0, "tree": lambda k: 0, "forest": lambda k: -1}[shape]
    last = {"star": lambda k: 0}.get(shape, lambda k: k - 1)
    parents = [-1, *(draw(st.integers(first(k), last(k))) for k in range(1, n))]
    kinds = draw(st.lists(st.sampled_from(robots.KINDS), min_size=n, max_size=n))
    orders = draw(st.lists(st.integers(-6, 6), min_size=n, max_size=n))
    leaves = set(range(n)) - set(parents)
    massless = draw(st.sets(st.sampled_from(range(n)))) - leaves
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    axis_aligned = draw(st.booleans())
    armature = draw(st.booleans())
    builder = pp.Builder("drawn", gravity=draw(st.sampled_from([(0.0, 0.0, 0.0), (0.0, 0.0, -9.81), (1.0, 2.0, 3.0)])))
    for k in range(n):
        axis = np.eye(3)[rng.integers(3)] * rng.choice([-1, 1]) if axis_aligned else None
        properties = {"armature": rng.uniform(0, 0.5)} if armature and kinds[k] != "fixed" else {}
        size = 10.0 ** orders[k]
        body = {} if k in massless else {"mass": size, "com": rng.normal(size=3), "inertia": size * robots.inertia(rng)}
        builder.body(
            f"body_{k}",
            "world" if parents[k] < 0 else f"body_{parents[k]}",
            robots.joint(kinds[k], rng, axis, **properties),
            pp.Pose(rng.normal(size=3)) if axis_aligned else robots.pose(rng),
            **body,
        )
    return builder.frame("tip", f"body_{n - 1}", robots.pose(rng)).build()


@SOME
@given(any_robot(), st.integers(0, 1000))
def test_what_needs_no_division(robot, seed):
    data = robots.states(robot, 3, seed)
    for verb in (*VERBS, *frame_verbs("tip")):
        if not verb.solves:
            assert_same(verb(robot, data), verb.truth(robot, data), 2e-11)


@SOME
@given(any_robot(), st.integers(0, 1000))
def test_forward_dynamics_undoes_inverse_dynamics(robot, seed):
    """To what the condition allows; and the residual in the torques is small whatever the condition."""
    data = robots.states(robot, 3, seed)
    q, v, a, f_ext = (data[name] for name in ("q", "v", "a", "f_ext"))
    condition = conditioning(robot, q)
    if condition > 1e10:
        return
    tau = robot.inverse_dynamics(q, v, a, f_ext)
    got = robot.forward_dynamics(q, v, tau, f_ext)
    scale = 1 + float(np.abs(robot.bias(q, v, f_ext)).max(initial=0)) / float(
        np.abs(robot.mass_matrix(q)).max(initial=1e-300)
    )
    assert_same(got, a, 1e-12 * condition * scale)
    product = robot.inverse_mass_matrix(q) @ robot.mass_matrix(q)
    assert_same(product, np.broadcast_to(np.eye(robot.nv), product.shape), 1e-12 * condition)


@SOME
@given(any_robot(), st.integers(0, 1000))
def test_a_batch_is_its_states(robot, seed):
    data = robots.states(robot, 11, seed)
    for verb in (*VERBS, *frame_verbs("tip")):
        more = {"on_singular": "nan"} if verb.solves else {}
        batch = verb(robot, data, **more)
        for i in (0, 7, 10):
            single = verb(robot, {name: x[i] for name, x in data.items()}, **more)
            part = tuple(x[i] for x in batch) if isinstance(batch, tuple) else np.asarray(batch)[i]
            if not verb.solves:
                assert_same(single, part, 1e-11)
            elif conditioning(robot, data["q"][i : i + 1]) < 1e10:
                assert_same(single, part, 1e-13 * conditioning(robot, data["q"][i : i + 1]))
