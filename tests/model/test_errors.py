"""What the native core says through `phipsi.errors`, word for word; and that every error is of the family."""
# ruff: noqa: E501

from __future__ import annotations

import inspect
import time

import pytest

import phipsi as pp
from phipsi import errors


@pytest.mark.parametrize(
    ("error", "kind", "sentence"),
    [
        (errors.shape("forward_dynamics", "q", "configuration", "(*batch, 7)", (6,)), pp.ShapeError,
         "forward_dynamics: q (configuration) must have shape (*batch, 7), got (6,). "
         "Leading axes are the batch; the trailing ones are the robot's own numbers."),
        (errors.shape("bias", "v", "velocities", "(*batch, 7)", (2, 6), "Ask robot.nv."), pp.ShapeError,
         "bias: v (velocities) must have shape (*batch, 7), got (2, 6). Ask robot.nv."),
        (errors.broadcast("bias", {"q": (2,), "v": (3,)}), pp.ShapeError,
         "bias: the batch axes do not broadcast: q (2,), v (3,). Leading axes follow NumPy's rules: equal, 1 or absent; add an axis with x[:, None]."),
        (errors.dtype("bias", "q", "complex128"), pp.DTypeError,
         "bias: q must hold real numbers, got dtype complex128. Convert it to float64."),
        (errors.out("bias", (3, 7), "it is read-only"), pp.ShapeError,
         "bias: out= must be a writable, C-ordered float64 array of shape (3, 7): it is read-only."),
        (errors.singular_joint("wrist_3", 6, 1, 4096, (412,)), pp.SingularJoint,
         "D(k) = H P H* is not positive at joint 'wrist_3' (body 6), for 1 of 4096 states: batch index 412. Everything beyond 'wrist_3' has no inertia about its axis: give the tool a mass, or the joint an armature."),
        (errors.singular_joint("a", 0, 3, 8, (1, 2)), pp.SingularJoint,
         "D(k) = H P H* is not positive at joint 'a' (body 0), for 3 of 8 states: first batch index (1, 2). Everything beyond 'a' has no inertia about its axis: give the tool a mass, or the joint an armature."),
        (errors.singular_joint("a", 0, 1, 1, ()), pp.SingularJoint,
         "D(k) = H P H* is not positive at joint 'a' (body 0). Everything beyond 'a' has no inertia about its axis: give the tool a mass, or the joint an armature."),
        (errors.singular_joint("a", 0, 1, 3, (2,), held=True), pp.SingularJoint,
         "D(k) = H_p P H_p* is not positive at joint 'a' (body 0), for 1 of 3 states: batch index 2. With the active dofs held, everything beyond 'a' has no inertia about its passive axes: give the tool a mass or the joint an armature, or take the joint out of the passive ones."),
        (errors.unknown_name("frame", "hnad", ["hand", "base"]), pp.UnknownName,
         "the robot has no frame named 'hnad'. Did you mean 'hand'? It has 'hand', 'base'."),
        (errors.unknown_name("body", "x", []), pp.UnknownName, "the robot has no body named 'x'. It has none."),
        (errors.option("jacobian", "frame", "wrld", ["world", "body"]), pp.OptionError,
         "jacobian: frame must be one of 'world', 'body', got 'wrld'. Did you mean 'world'?"),
        (errors.model("no"), pp.ModelError, "no"),
    ],
)  # fmt: skip
def test_sentences(error: Exception, kind: type[Exception], sentence: str) -> None:
    assert type(error) is kind
    assert str(error) == sentence


def test_every_error_is_of_the_family() -> None:
    kinds = [
        kind for _, kind in inspect.getmembers(errors, inspect.isclass) if kind.__module__ == errors.kinds.__name__
    ]
    assert len(kinds) > 10
    for kind in kinds:
        assert issubclass(kind, errors.PhipsiWarning if issubclass(kind, Warning) else errors.PhipsiError)
        assert getattr(pp, kind.__name__) is kind
        assert kind.__doc__
    assert issubclass(pp.ShapeError, ValueError)
    assert issubclass(pp.DTypeError, TypeError)
    assert issubclass(pp.UnknownName, KeyError)
    assert issubclass(pp.ImmutableError, AttributeError)


def test_suggestions_are_quick_among_many_names() -> None:
    names = [f"link{k}" for k in range(100_000)]
    start = time.perf_counter()
    assert "Did you mean 'link99999'?" in str(errors.unknown_name("body", "LINK99999", names))
    errors.unknown_name("body", "lnik", names)
    assert time.perf_counter() - start < 5
