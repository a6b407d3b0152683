"""Bad input: what is said, word for word. Nothing is guessed, nothing is ignored, and nothing is left half done."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp

from . import robots
from .verbs import VERBS, frame_verbs, label

ROBOT = "free_tree"  # nq = 33, nv = 27, 12 bodies
EVERY_VERB = (*VERBS, *frame_verbs("tip"))
Q = "q (configuration)"
MEANING = {
    "q": Q,
    "q1": "q1 (configuration)",
    "v": "v (velocity)",
    "a": "a (acceleration)",
    "tau": "tau (joint torques)",
    "f_ext": "f_ext (external force on each body, at its origin, world axes)",
}


def said(kind: type[Exception], call) -> str:
    with pytest.raises(kind) as caught:
        call()
    assert isinstance(caught.value, pp.PhipsiError)
    return str(caught.value)


@pytest.fixture(scope="module")
def robot() -> pp.Robot:
    return robots.named(ROBOT)


@pytest.fixture
def data(robot) -> dict[str, np.ndarray]:
    return robots.states(robot, 13)


# integrate and difference have names of their own for their arguments: below
@pytest.mark.parametrize("verb", [v for v in EVERY_VERB if v.name not in ("integrate", "difference")], ids=label)
def test_wrong_lengths(robot, data, verb):
    """Each argument in turn is one number too short, one too long, or has no axis at all."""
    for name in verb.takes:
        good = data[name]
        size = "(*batch, 12, 6)" if name == "f_ext" else f"(*batch, {good.shape[-1]})"
        for wrong in (good[..., :-1], np.concatenate([good, good[..., :1]], axis=-1), np.float64(3.0)):
            text = said(pp.ShapeError, lambda wrong=wrong, name=name: verb(robot, {**data, name: wrong}))
            assert text.startswith(f"{verb.name}: {MEANING[name]} must have shape {size}, got {np.shape(wrong)}.")


def test_wrong_lengths_of_steps(robot, data):
    text = said(pp.ShapeError, lambda: robot.integrate(data["q"], data["q"]))
    assert text.startswith("integrate: ")
    assert "must have shape (*batch, 27), got (13, 33)." in text
    text = said(pp.ShapeError, lambda: robot.difference(data["q"], data["v"]))
    assert text.startswith("difference: ")
    assert "must have shape (*batch, 33), got (13, 27)." in text


def test_forces_want_a_row_for_each_body(robot, data):
    for wrong in (data["f_ext"].reshape(13, -1), data["f_ext"][:, :1], data["f_ext"][..., :3]):
        text = said(pp.ShapeError, lambda wrong=wrong: robot.bias(data["q"], data["v"], wrong))
        assert text.startswith(f"bias: {MEANING['f_ext']} must have shape (*batch, 12, 6), got {wrong.shape}.")


def test_batches_that_do_not_broadcast(robot, data):
    assert said(pp.ShapeError, lambda: robot.forward_dynamics(data["q"], data["v"][:5], data["tau"])) == (
        "forward_dynamics: the batch axes do not broadcast: q (13,), v (5,), tau (13,). "
        "Leading axes follow NumPy's rules: equal, 1 or absent; add an axis with x[:, None]."
    )
    assert said(pp.ShapeError, lambda: robot.bias(data["q"][:0], data["v"][:2])).startswith(
        "bias: the batch axes do not broadcast: q (0,), v (2,)."
    )


@pytest.mark.parametrize(
    ("make", "came"),
    [
        (lambda q: q + 0j, "complex128"),
        (lambda q: q.astype(str), None),
        (lambda q: q.astype(object), "object"),
        (lambda q: np.zeros(q.shape, "M8[s]"), "datetime64[s]"),
    ],
    ids=["complex", "text", "objects", "dates"],
)
@pytest.mark.parametrize("verb", [v for v in EVERY_VERB if v.takes == ("q",)], ids=label)
def test_what_is_not_real_numbers(robot, data, verb, make, came):
    text = said(pp.DTypeError, lambda: verb(robot, {"q": make(data["q"])}))
    assert text.startswith(f"{verb.name}: q must hold real numbers, got dtype {came or '<U'}")
    assert text.endswith(". Convert it to float64.")
    assert issubclass(pp.DTypeError, TypeError)


def test_ragged_lists(robot):
    said(pp.DTypeError, lambda: robot.mass_matrix([[1, 2], [3]]))


@pytest.mark.parametrize("verb", frame_verbs("tpi"), ids=label)
def test_unknown_frames(robot, data, verb):
    text = said(pp.UnknownName, lambda: verb(robot, data))
    assert text.startswith("the robot has no frame named 'tpi'. Did you mean 'tip'? It has ")
    assert issubclass(pp.UnknownName, KeyError)


def test_unknown_options(robot, data):
    q, v, tau = data["q"], data["v"], data["tau"]
    assert said(pp.OptionError, lambda: robot.jacobian(q, "tip", "bdoy")) == (
        "jacobian: frame must be one of 'world_aligned', 'body', 'world', got 'bdoy'. Did you mean 'body'?"
    )
    assert said(pp.OptionError, lambda: robot.momentum(q, v, "center")) == (
        "momentum: about must be one of 'world', 'com', got 'center'."
    )
    assert said(pp.OptionError, lambda: robot.inverse_mass_matrix(q, on_singular="nan ")) == (
        "inverse_mass_matrix: on_singular must be one of 'raise', 'nan', got 'nan '. Did you mean 'nan'?"
    )
    with pytest.raises(TypeError):
        robot.forward_dynamics(q, v, tau, onsingular="nan")


def test_a_frame_by_number(robot, data):
    text = said(pp.DTypeError, lambda: robot.jacobian(data["q"], 3))
    assert text == "jacobian: target must be the name of a frame or body, got int 3."


@pytest.mark.parametrize("count", [0, -3, 2.5, "two"])
def test_threads_are_counted(count):
    assert said(pp.PhipsiError, lambda: pp.set_threads(count)) == (
        f"set_threads: count must be a whole number of threads, at least 1, got {type(count).__name__} {count!r}."
    )


def test_a_refusal_leaves_out_alone(robot, data):
    out = np.full((13, 27, 27), 7.0)
    said(pp.ShapeError, lambda: robot.mass_matrix(data["q"][:, 1:], out=out))
    said(pp.ShapeError, lambda: robot.mass_matrix(data["q"][:12], out=out))
    assert (out == 7.0).all()
