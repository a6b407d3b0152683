"""Diagonalized dynamics against Cholesky, Christoffel symbols and the usual equations of motion; batches, refusals."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp
from phipsi import reference
from phipsi.reference import diagonal as dense
from tests.contract import robots
from tests.contract.verbs import assert_same

SHAPES = ((), (1,), (3, 1, 2), (0,), (7,), (8,), (13,))
BOTH = pytest.mark.parametrize("normalized", [True, False], ids=["nu", "xi"])
NAMES = [name for name in robots.NAMES if name not in ("massless", "rigid")]
# the verbs: what each takes after q
VERBS = {
    "rates": ("v",),
    "velocities": ("v",),
    "coriolis": ("v",),
    "dynamics": ("v", "tau", "f_ext"),
    "forces": ("tau", "f_ext"),
    "torques": ("tau", "f_ext"),
}


def state(name: str, seed: int = 0) -> tuple[pp.Robot, dict[str, np.ndarray]]:
    robot = robots.named(name)
    return robot, {key: x[0] for key, x in robots.states(robot, 1, seed).items()}


def bound(robot: pp.Robot, q: np.ndarray) -> float:
    return 1e-13 * max(10.0, float(np.linalg.cond(reference.mass_matrix(robot, q))))


@pytest.mark.parametrize("name", NAMES)
@BOTH
def test_against_cholesky(name, normalized):
    robot, s = state(name)
    q, v, tau, f_ext = s["q"], s["v"], s["tau"], s["f_ext"]
    tolerance = bound(robot, q)
    f = dense.factor(robot, q)
    A, D = dense.innovations_factor(robot, q)
    assert_same(f.A, A, tolerance)  # the two roads to the factor
    assert_same(f.D, D, tolerance)
    factor = f.m if normalized else f.A
    x = pp.diagonal.rates(robot, q, v, normalized)
    assert_same(x, factor.T @ v, tolerance)
    assert_same(pp.diagonal.velocities(robot, q, x, normalized), v, tolerance)
    weight = reference.gravity_torque(robot, q)
    load = weight - reference.bias(robot, q, 0 * v, f_ext)
    epsilon = pp.diagonal.forces(robot, q, tau, normalized=normalized)
    assert_same(epsilon, np.linalg.solve(factor, tau), tolerance)
    assert_same(pp.diagonal.torques(robot, q, epsilon, normalized=normalized), tau, tolerance)
    epsilon = pp.diagonal.forces(robot, q, tau, f_ext, normalized=normalized, gravity=True)
    assert_same(epsilon, np.linalg.solve(factor, tau + load - weight), tolerance)
    back = pp.diagonal.torques(robot, q, epsilon, f_ext, normalized=normalized, gravity=True)
    assert_same(back, tau, tolerance)


@pytest.mark.parametrize("name", NAMES)
@BOTH
def test_coriolis_and_dynamics(name, normalized):
    robot, s = state(name)
    q, v, tau, f_ext = s["q"], s["v"], s["tau"], s["f_ext"]
    x = pp.diagonal.rates(robot, q, v, normalized)
    C = pp.diagonal.coriolis(robot, q, x, normalized)
    tolerance = 10 * bound(robot, q)
    assert_same(C, dense.diagonal_coriolis(robot, q, x, normalized), tolerance)
    if normalized:  # no work
        assert abs(x @ C) <= 1e-12 * np.linalg.norm(x) * np.linalg.norm(C) + 1e-13
    rate, x_dot = pp.diagonal.dynamics(robot, q, x, tau, f_ext, normalized)
    expected = dense.diagonal_dynamics(robot, q, x, tau, f_ext, normalized)
    assert_same(rate, v, tolerance)
    assert_same(x_dot, expected[1], tolerance)
    drive = pp.diagonal.forces(robot, q, tau, f_ext, normalized, gravity=True)
    D = np.eye(robot.nv) if normalized else dense.factor(robot, q).D
    assert_same(D @ x_dot + C, drive, tolerance)


@pytest.mark.parametrize("armature", ["none", "some", "all"])
@pytest.mark.parametrize("kind", robots.KINDS)
@BOTH
def test_every_joint_at_root_between_and_tip(kind, normalized, armature):
    """Each joint type has paths of its own for these places, and for what it stands below."""
    kinds = (kind, "revolute", kind, "spherical", "universal", kind, "free", kind)
    robot = robots.robot(kinds, 5, parents=(-1, 0, 1, 2, 0, 4, 2, 6), armature=armature == "all")
    if armature == "some":  # the joint in the middle has none, that at the root and at the tip have
        robot = robot.with_armature({"body_0": 0.2, "body_7": 0.3} if kind != "fixed" else {"body_1": 0.2})
    data = robots.states(robot, 9, seed=2)
    q, v, tau, f_ext = (data[x] for x in ("q", "v", "tau", "f_ext"))
    x = pp.diagonal.rates(robot, q, v, normalized)
    rate, x_dot = pp.diagonal.dynamics(robot, q, x, tau, f_ext, normalized)
    for i in (0, 8):  # in lanes, and alone
        tolerance = 100 * bound(robot, q[i])
        assert_same(rate[i], v[i], tolerance)
        expected = dense.diagonal_dynamics(robot, q[i], x[i], tau[i], f_ext[i], normalized)
        assert_same(x_dot[i], expected[1], tolerance)


@pytest.mark.parametrize("name", ["tree", "free_tree", "aligned"])
def test_rates_of_rates(name):
    """ν̇ and ξ̇ against differences along the true motion."""
    robot, s = state(name, seed=3)
    q, v, tau = s["q"], s["v"], s["tau"]
    a = robot.forward_dynamics(q, v, tau)
    h = 1e-5
    for normalized in (True, False):
        ends = [
            pp.diagonal.rates(robot, robot.integrate(q, v * d + 0.5 * d * d * a), v + d * a, normalized)
            for d in (h, -h)
        ]
        x = pp.diagonal.rates(robot, q, v, normalized)
        _, x_dot = pp.diagonal.dynamics(robot, q, x, tau, normalized=normalized)
        assert_same(x_dot, (ends[0] - ends[1]) / (2 * h), 1e-6)


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("name", ["tree", "free_tree", "rigid"])
def test_every_shape_of_batch(name, verb):
    robot = robots.named(name)
    call = getattr(pp.diagonal, verb)
    data = robots.states(robot, 13)
    takes = ("q", *VERBS[verb])
    for normalized in (True, False):
        singles = [np.array(call(robot, *(data[x][i] for x in takes), normalized=normalized)) for i in range(13)]
        for shape in SHAPES:
            size = int(np.prod(shape))
            batch = [data[x][:size].reshape(*shape, *data[x].shape[1:]) for x in takes]
            got = call(robot, *batch, normalized=normalized)
            pairs = [(got, singles)] if verb != "dynamics" else [(got[j], [x[j] for x in singles]) for j in (0, 1)]
            for part, one in pairs:
                assert_same(part, np.reshape(one[:size], (*shape, robot.nv)), 1e-11)


def test_broadcasting_and_odd_arrays():
    robot = robots.named("tree")
    data = robots.states(robot, 6)
    q, v = data["q"], data["v"]
    one = pp.diagonal.rates(robot, q[0], v)
    assert_same(one, np.array([pp.diagonal.rates(robot, q[0], x) for x in v]), 1e-12)
    strided = np.asfortranarray(q)
    strided.flags.writeable = False
    assert_same(pp.diagonal.rates(robot, strided, v[:, ::-1][:, ::-1]), pp.diagonal.rates(robot, q, v), 1e-12)
    out = np.empty_like(v)
    assert pp.diagonal.rates(robot, q, v, out=out) is out
    pair = np.empty_like(v), np.empty_like(v)
    got = pp.diagonal.dynamics(robot, q, v, v, out=pair)
    assert got[0] is pair[0]
    assert got[1] is pair[1]
    assert_same(got, pp.diagonal.dynamics(robot, q, v, v), 1e-13)
    assert_same(pp.diagonal.rates(robot, q.astype(np.float32), v), pp.diagonal.rates(robot, q, v), 1e-5)


def test_nan_stays_in_its_state():
    robot = robots.named("free_tree")
    data = robots.states(robot, 11)
    q, v = data["q"], data["v"].copy()
    clean = pp.diagonal.coriolis(robot, q, v)
    v[4, 3] = np.nan
    spoilt = pp.diagonal.coriolis(robot, q, v)
    keep = np.arange(11) != 4
    assert np.array_equal(spoilt[keep], clean[keep])
    assert np.isnan(spoilt[4]).any()


def test_refusals():
    arm = pp.zoo.chain(3)
    q, v = arm.random(rng=0)
    with pytest.raises(pp.ShapeError, match=r"diagonal.rates: v \(velocity\)"):
        pp.diagonal.rates(arm, q, v[:2])
    with pytest.raises(pp.ShapeError, match=r"diagonal.coriolis: xi"):
        pp.diagonal.coriolis(arm, q, v[:2], normalized=False)
    with pytest.raises(pp.DTypeError, match=r"diagonal\.velocities"):
        pp.diagonal.velocities(arm, q, ["a", "b", "c"])
    with pytest.raises(pp.DTypeError, match="robot must be a Robot"):
        pp.diagonal.rates("arm", q, v)
    with pytest.raises(pp.OptionError, match="on_singular"):
        pp.diagonal.rates(arm, q, v, on_singular="never")


def test_singular():
    robot = robots.robot(("revolute", "revolute"), 0, massless=(1,))
    q, v = robot.random(rng=0)
    for verb in ("rates", "velocities", "coriolis"):
        with pytest.raises(pp.SingularJoint, match="body_1"):
            getattr(pp.diagonal, verb)(robot, q, v)
        assert np.isnan(getattr(pp.diagonal, verb)(robot, q, v, on_singular="nan")).all()


@pytest.mark.parametrize("kind", ["free", "spherical", "translational", "planar", "universal", "custom"])
@BOTH
def test_singular_joints_of_several_dofs(kind, normalized):
    robot = robots.robot(("revolute", "spherical", kind), 0, massless=(2,))
    data = robots.states(robot, 9)
    with pytest.raises(pp.SingularJoint, match="body_2"):
        pp.diagonal.dynamics(robot, data["q"], data["v"], data["tau"], normalized=normalized)


def test_massless_links():
    """Links without mass between others: all holds while D(k) > 0."""
    robot, s = state("massless")
    q, v = s["q"], s["v"]
    nu = pp.diagonal.rates(robot, q, v)
    tolerance = 1e-12 * np.linalg.cond(reference.mass_matrix(robot, q))
    assert abs(0.5 * nu @ nu - robot.kinetic_energy(q, v)) <= tolerance * robot.kinetic_energy(q, v)
    C = pp.diagonal.coriolis(robot, q, nu)
    assert abs(nu @ C) <= tolerance * np.linalg.norm(nu) * np.linalg.norm(C)


def test_ten_thousand_bodies():
    """One state of a chain of 10 000: there and back, and no work."""
    robot = pp.zoo.chain(10_000)
    q, v = robot.random(rng=0)
    nu = pp.diagonal.rates(robot, 0.01 * q, v)
    C = pp.diagonal.coriolis(robot, 0.01 * q, nu)
    assert abs(nu @ C) <= 1e-11 * np.linalg.norm(nu) * np.linalg.norm(C)
    assert_same(pp.diagonal.velocities(robot, 0.01 * q, nu), v, 1e-8)


def test_threads_and_instruction_lanes_agree():
    """A batch in lanes and its states one by one, to rounding; and the same whatever the threads."""
    robot = robots.named("free_tree")
    data = robots.states(robot, 37)
    before = pp.get_threads()
    try:
        found = []
        for threads in (1, 2):
            pp.set_threads(threads)
            found.append(pp.diagonal.dynamics(robot, data["q"], data["v"], data["tau"], data["f_ext"]))
    finally:
        pp.set_threads(before)
    assert np.array_equal(found[0], found[1])


@pytest.mark.parametrize("name", ["aligned", "rotors", "free_tree"])
def test_articulated_rates(name):
    """P̊ against the algebra's local rate, λ̇ by ψ: P̊ = E_ψ λ̇ E_ψ* for joints of one dof."""
    robot, s = state(name)
    q, v = s["q"], s["v"]
    P, ring, lam = pp.diagonal.articulated_rates(robot, q, v)
    at = robot.at(q)
    full, local = at.P.dense(), at.dot("P", v, frame="local").dense()
    for k in range(robot.n):
        own = slice(6 * k, 6 * k + 6)
        assert_same(P[k], full[own, own], 1e-12)
        assert_same(ring[k], local[own, own], 1e-10)
    assert_same(lam, np.swapaxes(lam, -1, -2), 1e-12)
    if name == "rotors":
        psi = at.E_psi.dense()
        stacked = np.zeros_like(full)
        for k in range(robot.n):
            stacked[6 * k : 6 * k + 6, 6 * k : 6 * k + 6] = lam[k]
        assert_same(psi @ stacked @ psi.T, local, 1e-10)
    batch = pp.diagonal.articulated_rates(robot, np.stack([q, q]), v)
    assert_same(batch.lam[1], lam, 1e-12)
