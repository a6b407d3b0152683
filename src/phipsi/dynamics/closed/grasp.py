"""Grasp and Loop: between which two frames a chain is closed, how, and where; and the same, found in a robot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.closed.contact import Contact, rigid
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, one_of, real

if TYPE_CHECKING:
    from phipsi.model.robot import Robot


class Loop:
    """A closure: frame `tip` meets frame `object`, each a frame or body of the robot, or "world".

    Where they meet: exactly frame on frame; or with `offset`, the pose that the tip then has in `object`; or with
    `at=q`, wherever q puts the two. `contact` (default: rigid) says what is locked; its directions are constant in the
    axes of `object`, or with `axes="tip"` in those of the tip.

    >>> import phipsi as pp
    >>> Loop("rod/end", "world", pp.contact.revolute((0, 0, 1)))
    Loop('rod/end', 'world', <Contact revolute: 5 of 6 directions locked>)
    """

    def __init__(
        self,
        tip: str,
        object: str,  # noqa: A002 (the papers' word)
        contact: Contact | None = None,
        *,
        at: ArrayLike | None = None,
        offset: Pose | None = None,
        axes: Literal["object", "tip"] = "object",
        name: str | None = None,
    ) -> None:
        verb = type(self).__name__
        contact = rigid() if contact is None else contact
        if not isinstance(contact, Contact):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.wrong_type(verb, "contact", "a contact model, such as pp.contact.rigid()", contact)
        if at is not None and offset is not None:
            raise errors.two_places(verb)
        if offset is not None and (not isinstance(offset, Pose) or offset.shape):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.wrong_type(verb, "offset", "a single Pose, that of the tip in the object", offset)
        if name is not None and (not isinstance(name, str) or not name):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.bad_name("grasp", name)
        self.tip, self.object, self.contact = tip, object, contact
        self.at = None if at is None else np.array(real(at, verb, "at", "a configuration, (nq,)"))
        self.offset = offset
        self.axes: str = one_of(axes, ("object", "tip"), verb, "axes")
        self.name = f"{tip} on {object}" if name is None else name

    def found(self, robot: Robot) -> Place:
        """Where the two frames are in `robot`, and how they lie when the loop is closed."""
        ends = robot.frame(self.tip), robot.frame(self.object)
        if ends[0][0] == ends[1][0]:
            raise errors.same_body(self.name, self.tip, self.object)
        offset = Pose.identity() if self.offset is None else self.offset
        if self.at is not None:
            if self.at.shape != (robot.nq,):
                raise errors.model_shape(self.name, "at", f"one configuration, ({robot.nq},)", self.at.shape)
            if not np.isfinite(self.at).all():
                raise errors.not_finite(self.name, "at", self.at.tolist())
            offset = robot.pose(self.at, self.object).inv @ robot.pose(self.at, self.tip)
        return Place(self, *ends[0], *ends[1], offset)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.tip!r}, {self.object!r}, {self.contact!r})"


class Grasp(Loop):
    """A hand on an object: `Grasp("left/hand", "box", contact=pp.contact.rigid(), at=q)`. A `Loop` by another name."""


@dataclass(frozen=True, eq=False)
class Place:
    """A loop in its robot: the bodies of its ends (-1: the world), the frames in them, the tip's pose in the object."""

    loop: Loop
    tip_body: int
    tip: Pose
    object_body: int
    object: Pose
    offset: Pose

    @property
    def pinned(self) -> Loop:
        """The same loop, its place said by `offset` rather than by a configuration."""
        loop = self.loop
        axes: Literal["object", "tip"] = "tip" if loop.axes == "tip" else "object"
        return type(loop)(loop.tip, loop.object, loop.contact, offset=self.offset, axes=axes, name=loop.name)


def axis_at_both_ends(place: Place) -> Floats:
    """The axis of two locked turns in the tip's and in the object's frame."""
    axis, turn = place.loop.contact.axis, place.offset.rotation
    if axis is None:
        return np.zeros((2, 3))
    if place.loop.axes == "tip":
        return np.stack([axis, turn @ axis])
    return np.stack([turn.T @ axis, axis])
