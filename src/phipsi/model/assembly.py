"""Several robots on one world, as one robot."""

from __future__ import annotations

from collections.abc import Mapping

from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model import edit
from phipsi.model.robot import Robot


def assemble(robots: Mapping[str, Robot], *, name: str = "cell", gravity: ArrayLike | None = None) -> Robot:
    """One robot (a forest) of several, standing on one world: `assemble({"left": arm, "right": arm.placed(pose)})`.

    Every name gets its robot's prefix, "left/hand"; a name equal to the prefix is not doubled, so the body "box" of
    `{"box": zoo.box()}` is "box" (and "box/box" a frame of it, so that prefix/name always works as a frame). A robot of
    one body is also found by its prefix alone. q, v and the bodies follow in the order of the dict. All must have the
    same gravity, unless `gravity` is given.
    """
    if not isinstance(robots, Mapping):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type("assemble", "robots", "a dict prefix -> Robot", robots)
    for prefix, robot in robots.items():
        if not isinstance(prefix, str) or not prefix:  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.bad_name("robot's prefix", prefix)
        if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.wrong_type("assemble", repr(prefix), "a Robot", robot)
    return Robot(edit.assemble({prefix: robot.description for prefix, robot in robots.items()}, name, gravity))
