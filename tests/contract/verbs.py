"""The verbs of a robot: what each takes, how to call it, and how the reference says the same."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import phipsi as pp
from phipsi import reference

FRAMES = ("world_aligned", "body", "world")


@dataclass(frozen=True)
class Verb:
    """A method of Robot, by name: the arrays that it takes, in order, and the options of this way of calling it."""

    name: str
    takes: tuple[str, ...]
    options: Mapping[str, Any] = field(default_factory=dict)
    solves: bool = False  # its error grows with the condition of the mass matrix

    @property
    def label(self) -> str:
        words = [str(x) for x in self.options.values()] + (["f_ext"] if "f_ext" in self.takes else [])
        return "-".join([self.name, *words])

    def __call__(self, robot: pp.Robot, data: Mapping[str, Any], **more: Any) -> Any:
        """The robot's answer, as an array or (for poses) a tuple of two."""
        arguments = [data[name] for name in self.takes]
        if "target" in self.options:
            target, *frame = self.options.values()
            answer = getattr(robot, self.name)(*arguments, target, *frame, **more)
        else:
            answer = getattr(robot, self.name)(*arguments, **self.options, **more)
        return (answer.rotation, answer.position) if isinstance(answer, pp.Pose) else answer

    def truth(self, robot: pp.Robot, data: Mapping[str, np.ndarray]) -> Any:
        """The reference's answer, one state at a time."""
        vectors = [data[name] for name in self.takes if name != "f_ext"]
        forces = data["f_ext"] if "f_ext" in self.takes else None
        return reference.over_batch(getattr(reference, self.name), robot, *vectors, f_ext=forces, **self.options)


def _verbs(name: str, takes: str, solves: bool = False, **options: Any) -> list[Verb]:
    arguments = tuple(takes.split())
    found = [Verb(name, arguments, options, solves)]
    if arguments[-1] == "f_ext":  # optional
        found.insert(0, Verb(name, arguments[:-1], options, solves))
    return found


VERBS: tuple[Verb, ...] = (
    *_verbs("inverse_dynamics", "q v a f_ext"),
    *_verbs("forward_dynamics", "q v tau f_ext", solves=True),
    *_verbs("mass_matrix", "q"),
    *_verbs("inverse_mass_matrix", "q", solves=True),
    *_verbs("bias", "q v f_ext"),
    *_verbs("gravity_torque", "q"),
    *_verbs("coriolis_matrix", "q v"),
    *_verbs("poses", "q"),
    *_verbs("velocities", "q v"),
    *_verbs("accelerations", "q v a"),
    *_verbs("reaction_forces", "q v a f_ext"),
    *_verbs("momentum", "q v"),
    *_verbs("momentum", "q v", about="com"),
    *_verbs("centroidal_momentum_matrix", "q"),
    *_verbs("centroidal_momentum_matrix_dot_v", "q v"),
    *_verbs("center_of_mass", "q"),
    *_verbs("center_of_mass_jacobian", "q"),
    *_verbs("kinetic_energy", "q v"),
    *_verbs("potential_energy", "q"),
    *_verbs("integrate", "q v"),
    *_verbs("difference", "q q1"),
    *_verbs("normalize", "q"),
)
OUT_VERBS = tuple(
    v
    for v in VERBS
    if v.name
    in (
        "inverse_dynamics",
        "forward_dynamics",
        "mass_matrix",
        "inverse_mass_matrix",
        "bias",
        "gravity_torque",
        "coriolis_matrix",
    )
)


def frame_verbs(target: str) -> tuple[Verb, ...]:
    """The verbs that ask about one frame."""
    return (
        *_verbs("pose", "q", target=target),
        *(
            verb
            for frame in FRAMES
            for verb in (
                *_verbs("jacobian", "q", target=target, frame=frame),
                *_verbs("jacobian_dot_v", "q v", target=target, frame=frame),
                *_verbs("velocity", "q v", target=target, frame=frame),
                *_verbs("acceleration", "q v a", target=target, frame=frame),
            )
        ),
    )


def label(verb: Verb) -> str:
    return verb.label


def parts(answer: Any) -> tuple[np.ndarray, ...]:
    """One array or several, as several."""
    return answer if isinstance(answer, tuple) else (np.asarray(answer),)


def assert_same(got: Any, expected: Any, tolerance: float = 1e-11) -> None:
    """Equal shapes, and equal numbers to a tolerance relative to the largest of them (or to one)."""
    for x, y in zip(parts(got), parts(expected), strict=True):
        assert x.shape == y.shape
        scale = max(1.0, float(np.max(np.abs(y), initial=0.0)))
        np.testing.assert_allclose(x, y, rtol=0, atol=tolerance * scale)


def conditioning(robot: pp.Robot, q: np.ndarray) -> float:
    """The largest condition number of the mass matrices at the given configurations."""
    if robot.nv == 0:
        return 1.0
    masses = reference.over_batch(reference.mass_matrix, robot, q)
    return float(np.max(np.linalg.cond(masses)))
