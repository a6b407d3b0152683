"""Batches: any leading axes, broadcasting, any layout and type of the arrays that come in, out=."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp

from . import robots
from .verbs import OUT_VERBS, VERBS, assert_same, frame_verbs, label, parts

TARGET = "tip"
EVERY_VERB = (*VERBS, *frame_verbs(TARGET))
SHAPES = ((), (1,), (3, 1, 2), (0,), (2, 0, 3), (2,), (7,), (8,), (13,), (16,), (33,), (2, 20))


def one_by_one(robot, verb, data, count):
    """The answers of single calls, stacked."""
    answers = [parts(verb(robot, {name: x[i] for name, x in data.items()})) for i in range(count)]
    return tuple(np.stack(part) for part in zip(*answers, strict=True))


@pytest.mark.parametrize("verb", EVERY_VERB, ids=label)
@pytest.mark.parametrize("name", robots.FEW)
def test_every_shape_of_batch(name, verb):
    robot = robots.named(name)
    data = robots.states(robot, 40)
    singles = one_by_one(robot, verb, data, 40)
    for shape in SHAPES:
        size = int(np.prod(shape))
        batch = {name: x[:size].reshape(*shape, *x.shape[1:]) for name, x in data.items()}
        answer = parts(verb(robot, batch))
        for x, y in zip(answer, singles, strict=True):
            assert x.dtype == np.float64
            assert_same(x, y[:size].reshape((*shape, *y.shape[1:])), 1e-12)


@pytest.mark.parametrize("verb", [v for v in EVERY_VERB if len(v.takes) > 1], ids=label)
def test_broadcasting(verb):
    """Each argument alone is single while the others are batches, and the axes 1 and absent stretch."""
    robot = robots.named("free_tree")
    data = robots.states(robot, 12)
    for alone in verb.takes:
        mixed = {name: (x[0] if name == alone else x) for name, x in data.items()}
        full = {name: (np.broadcast_to(x[0], x.shape) if name == alone else x) for name, x in data.items()}
        assert_same(verb(robot, mixed), verb(robot, full), 1e-12)
        rows = {name: (x[:3].reshape(3, 1, *x.shape[1:]) if name == alone else x[:4]) for name, x in data.items()}
        table = {name: np.broadcast_to(x, (3, 4, *x.shape[1 + (name == alone) :])) for name, x in rows.items()}
        assert_same(verb(robot, rows), verb(robot, table), 1e-12)


def everywhere(change):
    return lambda data: {name: change(x) for name, x in data.items()}


def strided(x):
    out = np.zeros((2 * x.shape[0], *x.shape[1:-1], 3 * x.shape[-1]))[::2, ..., ::3]
    out[...] = x
    return out


def reversed_view(x):
    return x[::-1, ..., ::-1].copy()[::-1, ..., ::-1]


def read_only(x):
    x = x.copy()
    x.flags.writeable = False
    return x


def swapped_bytes(x):
    return x.astype(x.dtype.newbyteorder())


def misaligned(x):
    buffer = np.zeros(x.nbytes + 1, dtype=np.uint8)[1:]
    out = buffer.view(np.float64).reshape(x.shape)
    out[...] = x
    return out


LAYOUTS = {
    "fortran": np.asfortranarray,
    "strided": strided,
    "reversed": reversed_view,
    "read_only": read_only,
    "lists": np.ndarray.tolist,
    "byte_swapped": swapped_bytes,
    "misaligned": misaligned,
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("verb", EVERY_VERB, ids=label)
def test_layouts(verb, layout):
    robot = robots.named("free_tree")
    data = robots.states(robot, 13)
    expected = verb(robot, data)
    assert_same(verb(robot, everywhere(LAYOUTS[layout])(data)), expected, 1e-13)


@pytest.mark.parametrize("kind", [np.float32, np.float16, np.int64, np.int8, np.uint32, bool])
def test_other_real_types(kind):
    """They are converted, exactly: the answer is that of the same numbers as float64."""
    robot = robots.named("tree")
    data = {name: np.rint(np.abs(4 * x)).astype(kind) for name, x in robots.states(robot, 13).items()}
    for joint, start in zip(robot.joints, robot.q_index, strict=False):
        if joint.nq > joint.nv:
            data["q"][:, start] = data["q1"][:, start] = 1  # no zero quaternion
    as_float = everywhere(np.float64)(data)
    for verb in EVERY_VERB:
        assert_same(verb(robot, data), verb(robot, as_float), 0)


def test_inputs_are_left_alone():
    robot = robots.named("free_tree")
    data = robots.states(robot, 5)
    before = {name: x.copy() for name, x in data.items()}
    for verb in EVERY_VERB:
        verb(robot, data)
    for name, x in data.items():
        np.testing.assert_array_equal(x, before[name])


# out= ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("verb", OUT_VERBS, ids=label)
@pytest.mark.parametrize("shape", [(), (13,), (3, 1, 2), (0,)], ids=str)
def test_out_is_filled_and_returned(verb, shape):
    robot = robots.named("free_tree")
    size = int(np.prod(shape))
    data = {name: x[:size].reshape(*shape, *x.shape[1:]) for name, x in robots.states(robot, 13).items()}
    expected = verb(robot, data)
    out = np.full_like(expected, 7.0)
    assert verb(robot, data, out=out) is out
    np.testing.assert_array_equal(out, expected)


@pytest.mark.parametrize("verb", OUT_VERBS, ids=label)
def test_a_wrong_out_is_refused(verb):
    robot = robots.named("free_tree")
    data = robots.states(robot, 13)
    right = verb(robot, data)
    sealed = right.copy()
    sealed.flags.writeable = False
    for wrong in (right[:-1], right[None], right.astype(np.float32), np.asfortranarray(right), sealed, right[::-1]):
        with pytest.raises(pp.ShapeError, match=r"out= must be a writable, C-ordered float64 array of shape"):
            verb(robot, data, out=wrong)


def test_out_may_be_an_input():
    """The torques' own array may receive the accelerations, as NumPy's out= allows."""
    robot = robots.named("free_tree")
    data = robots.states(robot, 13)
    expected = robot.forward_dynamics(data["q"], data["v"], data["tau"])
    np.testing.assert_array_equal(robot.forward_dynamics(data["q"], data["v"], data["tau"], out=data["tau"]), expected)
    assert_same(
        robot.inverse_dynamics(data["q"], data["v"], expected, out=expected), robots.states(robot, 13)["tau"], 1e-9
    )
