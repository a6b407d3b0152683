"""FD1 to FD4: against the compiled core, against their expressions, and in as many sweeps as the paper counts."""

from __future__ import annotations

import ast
import inspect

import numpy as np
import pytest

import phipsi as pp
from phipsi import reference
from phipsi.dynamics import forward_expressions, forward_forms
from tests.contract import robots
from tests.contract.verbs import assert_same, conditioning

FORMS = {"FD1": forward_forms.fd1, "FD2": forward_forms.fd2, "FD3": forward_forms.fd3, "FD4": forward_forms.fd4}
OUT, IN = "base → tips", "tips → base"
DIRECTIONS = {"FD1": (OUT, IN, IN, OUT), "FD2": (OUT, IN, IN, OUT), "FD3": (OUT, IN, OUT), "FD4": (OUT, IN, OUT)}
COUNT = 5
MACHINES = {
    "satellite": lambda: pp.zoo.dual_arm_satellite(gravity=(0.1, -0.2, 0.3)),
    "quadruped": lambda: pp.zoo.quadruped(),
    "long_chain": lambda: pp.zoo.chain(40),
    "spheres": lambda: pp.zoo.chain(5, "spherical"),
    "sliders": lambda: robots.robot(("prismatic", "revolute") * 3, 31, armature=True),
}


def robot_named(name: str) -> pp.Robot:
    return MACHINES[name]() if name in MACHINES else robots.named(name)


@pytest.fixture(params=FORMS)
def form(request: pytest.FixtureRequest) -> str:
    return request.param


@pytest.fixture(params=(*robots.NAMES, *MACHINES))
def name(request: pytest.FixtureRequest) -> str:
    return request.param


def with_frames(form: str, frames: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    return {} if form == "FD1" else {"frames": frames}


@pytest.mark.parametrize("forces", [False, True], ids=["", "f_ext"])
def test_against_the_core(name, form, forces):
    """Joints, links and frames; gravity is not hidden in any acceleration."""
    robot = robot_named(name)
    data = robots.states(robot, COUNT)
    q, v, tau, f_ext = data["q"], data["v"], data["tau"], data["f_ext"] if forces else None
    tolerance = 1e-13 * conditioning(robot, q)
    target = "tip" if "tip" in robot.frame_names else robot.body_names[-1]
    motion = FORMS[form](robot, q, v, tau, f_ext, **with_frames(form, (target, "world", robot.body_names[0])))
    a = robot.forward_dynamics(q, v, tau, f_ext)
    assert_same(motion.acceleration, a, tolerance)
    assert (motion.directions, motion.sweeps) == (DIRECTIONS[form], len(DIRECTIONS[form]))
    if form == "FD1":
        assert motion.link_accelerations is None
        assert motion.frame_accelerations is None
        return
    assert_same(motion.link_accelerations, robot.accelerations(q, v, a), tolerance)
    assert_same(motion.frame_accelerations[:, 0], robot.acceleration(q, v, a, target), tolerance)
    assert_same(motion.frame_accelerations[:, 1], np.zeros((COUNT, 6)), 0)
    assert_same(motion.frame_accelerations[:, 2], motion.link_accelerations[:, 0], 1e-13)


def test_expressions(name, form):
    """Each recursion is its expression, read with dense operators."""
    robot = robot_named(name)
    data = robots.states(robot, 2)
    tolerance = 1e-13 * conditioning(robot, data["q"])
    motion = FORMS[form](robot, data["q"], data["v"], data["tau"], data["f_ext"])
    expression = forward_forms.expressions[form]
    assert expression.sweeps == motion.sweeps
    for i in range(2):
        q, v, tau, f_ext = (data[x][i] for x in ("q", "v", "tau", "f_ext"))
        state = reference.at(robot, q, v)
        weight = state.M @ np.tile([0, 0, 0, *robot.gravity], robot.n)
        s = forward_forms.dense_operators(robot, q)
        theta_dd, alpha = expression(s, tau, state.a, state.b - f_ext.reshape(-1) - weight)
        assert_same(motion.acceleration[i], np.asarray(theta_dd), tolerance)
        if form == "FD1":
            assert alpha is None
        else:
            assert_same(motion.link_accelerations[i].reshape(-1), np.asarray(alpha), tolerance)


def test_an_accelerated_base_is_the_same_as_gravity(form):
    """[RK88 3.21] a → a + E g on the roots, in the expressions: joints agree, and the links' α is g more."""
    robot = robots.named("free_tree")
    data = robots.states(robot, 1)
    q, v, tau = (data[x][0] for x in ("q", "v", "tau"))
    state = reference.at(robot, q, v)
    pseudo = np.r_[np.zeros(3), -robot.gravity]
    s = forward_forms.dense_operators(robot, q)
    theta_dd, alpha = forward_forms.expressions[form](s, tau, state.a + state.E @ pseudo, state.b)
    motion = FORMS[form](robot, q, v, tau)
    assert_same(motion.acceleration, np.asarray(theta_dd), 1e-9)
    if alpha is not None:
        assert_same(motion.link_accelerations, np.asarray(alpha).reshape(-1, 6) - pseudo, 1e-9)


@pytest.mark.parametrize("function", ["_fd1", "_fd2", "_fd3", "_fd4"])
def test_expressions_say_nothing_but_algebra(function):
    """Products, sums, differences, stars and inverses of operators: no call, no index, no number."""
    source = inspect.getsource(getattr(forward_expressions, function))
    for node in ast.walk(ast.parse(source)):
        assert not isinstance(node, (ast.Call, ast.Subscript, ast.UnaryOp))
        assert not isinstance(node, ast.Constant) or node.value is None
        assert not isinstance(node, ast.BinOp) or isinstance(node.op, (ast.MatMult, ast.Add, ast.Sub))


def test_every_loop_is_a_counted_sweep():
    """No link is visited but in a sweep that counts itself."""
    loops = []
    for node in ast.walk(ast.parse(inspect.getsource(forward_forms))):
        assert not isinstance(node, (ast.While, ast.comprehension))
        if isinstance(node, ast.For):
            loops.append(ast.unparse(node.iter))
    # fd1 and fd2 share their first three sweeps and have one each; fd3 and fd4 have three each
    assert sorted(loops) == sorted(["s.base_to_tips()"] * (1 + 2 + 2 * 2) + ["s.tips_to_base()"] * (2 + 2))


def test_every_equation_is_marked_where_it_is_used():
    source = inspect.getsource(forward_forms) + inspect.getsource(forward_expressions)
    for form in forward_forms.expressions.values():
        assert form.formula
        for tag in form.tags:
            assert f"[{tag}]" in source


@pytest.mark.skipif(not hasattr(pp.Robot, "at"), reason="the operator algebra is not there yet")
@pytest.mark.parametrize("which", ["tree", "free_tree", "forest", "massless", "rotors"])
def test_expressions_with_operators(which, form):
    """The same expressions, with the operators of robot.at(q), for a batch."""
    robot = robots.named(which)
    data = robots.states(robot, 3)
    q, v, tau, f_ext = (data[x] for x in ("q", "v", "tau", "f_ext"))
    states = [reference.at(robot, *x) for x in zip(q, v, strict=True)]
    weight = [s.M @ np.tile([0, 0, 0, *robot.gravity], robot.n) for s in states]
    a, b = np.stack([s.a for s in states]), np.stack([s.b for s in states]) - f_ext.reshape(3, -1) - weight
    theta_dd, alpha = forward_forms.expressions[form](robot.at(q), tau, a, b)  # pyright: ignore
    motion = FORMS[form](robot, q, v, tau, f_ext)
    tolerance = 1e-12 * conditioning(robot, q)
    assert_same(theta_dd, motion.acceleration, tolerance)
    if alpha is not None:
        assert_same(alpha, motion.link_accelerations.reshape(3, -1), tolerance)


def test_at_rest_without_gravity_nothing_moves(form):
    robot = robots.named("free_tree").with_gravity((0, 0, 0))
    q, v = robots.states(robot, 1)["q"][0], np.zeros(robot.nv)
    motion = FORMS[form](robot, q, v, v)
    assert_same(motion.acceleration, v, 0)


def test_free_fall(form):
    """A free body falls with g, and so do all its links."""
    robot = pp.zoo.quadruped()
    q, v = robot.neutral(), np.zeros(robot.nv)
    motion = FORMS[form](robot, q, v, v)
    assert_same(motion.acceleration, np.r_[0, 0, 0, robot.gravity, np.zeros(robot.nv - 6)], 1e-12)
    if motion.link_accelerations is not None:
        assert_same(motion.link_accelerations, np.tile(np.r_[0, 0, 0, robot.gravity], (robot.n, 1)), 1e-12)


@pytest.mark.parametrize(
    ("of_q", "of_v", "of_tau", "of_f"),
    [
        ((), (), (), ()),
        ((1,), (), (1,), ()),
        ((3, 1, 2), (2,), (), (3, 1, 1)),
        ((), (4,), (3, 1), ()),
        ((0,), (), (), ()),
    ],
)
def test_batches_broadcast(form, of_q, of_v, of_tau, of_f):
    robot = robots.named("free_tree")
    data = robots.states(robot, 6)

    def shaped(name, batch):
        return np.resize(data[name], (*batch, *data[name].shape[1:]))

    q, v, tau, f_ext = shaped("q", of_q), shaped("v", of_v), shaped("tau", of_tau), shaped("f_ext", of_f)
    motion = FORMS[form](robot, q, v, tau, f_ext, **with_frames(form, ("tip",)))
    a = robot.forward_dynamics(q, v, tau, f_ext)
    assert_same(motion.acceleration, a, 1e-13 * conditioning(robot, data["q"]))
    if form != "FD1":
        assert motion.link_accelerations.shape == (*a.shape[:-1], robot.n, 6)
        assert motion.frame_accelerations.shape == (*a.shape[:-1], 1, 6)


def test_lists_will_do(form):
    robot = pp.zoo.chain(2)
    assert_same(FORMS[form](robot, [0, 1], [1, 0], [0, 0]).acceleration, robot.forward_dynamics([0, 1], [1, 0], [0, 0]))


def test_refusals_are_those_of_the_core(form):
    """The same sentence, under this verb's name."""
    robot = robots.named("free_tree")
    q, v = robots.states(robot, 2)["q"], np.zeros((2, robot.nv))
    cases = (
        (q[:, 1:], v, v, None),
        (q, v[:, :3], v, None),
        (q, v, 0.0, None),
        (q, v, v, np.zeros((robot.n, 5))),
        (q, v, np.zeros((3, robot.nv)), None),
    )
    for arguments in cases:
        with pytest.raises(pp.ShapeError) as ours:
            FORMS[form](robot, *arguments)
        with pytest.raises(pp.ShapeError) as theirs:
            robot.forward_dynamics(*arguments)
        said = str(theirs.value).replace("forward_dynamics", form.lower())
        assert str(ours.value).replace(", f_ext ()", "") == said
    with pytest.raises(pp.DTypeError):
        FORMS[form](robot, q, v, v * 1j)
    if form != "FD1":
        with pytest.raises(pp.UnknownName):
            FORMS[form](robot, q, v, v, frames=("hand",))


def singular_arm(**properties: float) -> pp.Robot:
    builder = pp.Builder("arm")
    builder.body("link", "world", pp.Revolute((1, 0, 0)), mass=1.0, com=(0, 0, 0.1), inertia=(0.02, 0.03, 0.04))
    builder.body("bracket", "link", pp.Revolute((0, 0, 1), name="wrist", **properties), pp.Pose((0, 0, 0.1)))
    return builder.body("tool", "bracket", pp.Revolute((0, 1, 0)), mass=0.7, com=(0.2, 0, 0)).build()


def test_a_singular_joint_is_named_as_by_the_core(form):
    robot = singular_arm()
    q = np.random.default_rng(0).uniform(-1, 1, size=(4, 3, 3))
    q[2, 1, 2] = q[3, 0, 2] = np.pi / 2  # the tool's mass on the wrist's axis
    zero = np.zeros(3)
    with pytest.raises(pp.SingularJoint) as ours:
        FORMS[form](robot, q, zero, zero)
    with pytest.raises(pp.SingularJoint) as theirs:
        robot.forward_dynamics(q, zero, zero)
    assert str(ours.value) == str(theirs.value)


def test_armature_heals_a_singular_joint(form):
    robot = singular_arm(armature=0.1)
    q, v = np.array([0.3, 0.2, np.pi / 2]), np.array([0.3, -0.4, 0.5])
    assert_same(FORMS[form](robot, q, v, v).acceleration, robot.forward_dynamics(q, v, v), 1e-12)


def test_nan_stays_in_its_state(form):
    robot = robots.named("free_tree")
    data = robots.states(robot, 3)
    good = FORMS[form](robot, data["q"], data["v"], data["tau"]).acceleration
    data["q"][1] = np.nan
    spoilt = FORMS[form](robot, data["q"], data["v"], data["tau"]).acceleration
    assert np.isnan(spoilt[1]).any()
    assert_same(spoilt[[0, 2]], good[[0, 2]], 1e-13)


def test_frames_of_a_forest(form):
    if form == "FD1":
        return
    robot = robots.named("forest")
    data = robots.states(robot, 2)
    motion = FORMS[form](robot, data["q"], data["v"], data["tau"], frames=robot.frame_names)
    for i, frame in enumerate(robot.frame_names):
        expected = robot.acceleration(data["q"], data["v"], motion.acceleration, frame)
        assert_same(motion.frame_accelerations[:, i], expected, 1e-11)
