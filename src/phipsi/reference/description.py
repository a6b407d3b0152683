"""What the reference asks of a robot: the few attributes that it reads, and nothing else.

Any object with these attributes is a robot to the reference; :class:`phipsi.Robot` is one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

Array: TypeAlias = NDArray[np.float64]
WORLD = -1


class JointLike(Protocol):
    """A joint: its type, its numbers, how many coordinates and velocities it has."""

    @property
    def kind(self) -> str:
        """The name of the type, as in the table of ``joints``."""
        ...

    @property
    def parameters(self) -> Any:
        """The numbers that the type needs (axes, pitch, columns), flat."""
        ...

    @property
    def nq(self) -> int:
        """The number of coordinates."""
        ...

    @property
    def nv(self) -> int:
        """The number of velocities."""
        ...


class PoseLike(Protocol):
    """A pose, or n of them."""

    @property
    def rotation(self) -> Any:
        """(3, 3) or (n, 3, 3)."""
        ...

    @property
    def position(self) -> Any:
        """(3,) or (n, 3)."""
        ...


class RobotLike(Protocol):
    """A robot: n bodies numbered parents first, each with the joint that holds it."""

    @property
    def parent(self) -> Any:
        """(n,) the body that carries each body; -1 is the world."""
        ...

    @property
    def joints(self) -> Sequence[Any]:
        """The n joints, each a :class:`JointLike`."""
        ...

    @property
    def placements(self) -> Any:
        """A :class:`PoseLike` of n: where each joint sits on the parent body."""
        ...

    @property
    def mass(self) -> Any:
        """(n,)."""
        ...

    @property
    def com(self) -> Any:
        """(n, 3) mass centres, in body axes."""
        ...

    @property
    def inertia(self) -> Any:
        """(n, 3, 3) about the mass centres, in body axes."""
        ...

    @property
    def armature(self) -> Any:
        """(nv,) rotor inertias."""
        ...

    @property
    def gravity(self) -> Any:
        """(3,) in world axes."""
        ...

    @property
    def q_index(self) -> Any:
        """(n + 1,): joint k owns q[q_index[k] : q_index[k + 1]]."""
        ...

    @property
    def v_index(self) -> Any:
        """(n + 1,): joint k owns v[v_index[k] : v_index[k + 1]]."""
        ...

    def frame(self, name: str) -> Any:
        """(body index or -1, :class:`PoseLike` on that body) of a named frame."""
        ...


def size(robot: RobotLike) -> int:
    """The number n of bodies."""
    return len(robot.parent)


def freedom(robot: RobotLike) -> int:
    """The number nv of velocities."""
    return int(robot.v_index[-1])


def q_of(robot: RobotLike, k: int) -> slice:
    """Where joint k keeps its coordinates in q."""
    return slice(int(robot.q_index[k]), int(robot.q_index[k + 1]))


def v_of(robot: RobotLike, k: int) -> slice:
    """Where joint k keeps its velocities in v (and its torques in tau)."""
    return slice(int(robot.v_index[k]), int(robot.v_index[k + 1]))


def block(k: int) -> slice:
    """Where body k keeps its six numbers in a stacked vector of 6n."""
    return slice(6 * k, 6 * k + 6)
