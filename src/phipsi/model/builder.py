"""Builder: a robot written body by body."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.description import WORLD, Description, Frame
from phipsi.model.inertia import inertia_matrix, validate
from phipsi.model.joints import Fixed, Joint
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, number, one_of, read_only, vector
from phipsi.model.robot import Robot

_NO_ROTATION: Floats = np.eye(3)
Kind = TypeVar("Kind")


class Builder:
    """Writes a robot body by body, parents first.

    `body` and `frame` return the builder, so calls may be chained. Names are unique among bodies and frames (every
    body's name is a frame too), and among joints; `"world"` is the fixed frame. Several bodies may stand on the
    world: a robot may be a forest. Units are SI.

    >>> from phipsi import Revolute
    >>> pendulum = Builder("pendulum").body("rod", joint=Revolute((0, 1, 0)), mass=1.0, com=(0, 0, -0.5)).build()
    >>> pendulum
    <Robot 'pendulum': 1 body, nq = 1, nv = 1>
    """

    def __init__(self, name: str = "robot", gravity: ArrayLike = (0.0, 0.0, -9.81)) -> None:
        self._name = _name("robot", name)
        self._gravity = np.array(vector(gravity, 3, "Builder", "gravity"))
        self._bodies: dict[str, int] = {}
        self._joint_names: dict[str, str] = {}  # joint -> its body
        self._frames: dict[str, Frame] = {}
        self._parent: list[int] = []
        self._joints: list[Joint] = []
        self._rotation: list[Floats] = []
        self._position: list[Floats] = []
        self._mass: list[float] = []
        self._com: list[Floats] = []
        self._inertia: list[Floats] = []

    def body(
        self,
        name: str,
        parent: str = "world",
        joint: Joint | None = None,
        placement: Pose | None = None,
        mass: float = 0.0,
        com: ArrayLike = (0.0, 0.0, 0.0),
        inertia: ArrayLike | None = None,
    ) -> Builder:
        """Adds a body, held by `joint` (None: welded) whose fixed `placement` is given in `parent`.

        parent is a body, a frame or "world". com is in body axes; inertia is about the mass centre, in body axes:
        (3, 3), or three principal moments, or None for a point mass. A joint without a name takes the body's.
        Inertias are judged in `build`.
        """
        where = f"body {name!r}"
        self._claim("body", name)
        body, rotation, position = self._place(where, parent, placement)
        joint = _one_of(Joint, where, "joint", "a joint such as Revolute((0, 0, 1)), or None", joint) or Fixed()
        named = joint if joint.name is not None else joint.with_name(name)
        joint_name = str(named.name)
        if joint_name in self._joint_names:
            holder = f"joint (that of body {self._joint_names[joint_name]!r})"
            remedy = "Give one of them another name: Revolute(..., name=...)."
            raise errors.name_taken(where, "joint", joint_name, holder, remedy)
        weight = number(mass, where, "mass")
        centre, moments = vector(com, 3, where, "com").copy(), inertia_matrix(inertia, where)
        # all is well: nothing is kept of a body that is refused
        self._mass.append(weight)
        self._com.append(centre)
        self._inertia.append(moments)
        self._joint_names[joint_name] = name
        self._bodies[name] = len(self._parent)
        self._parent.append(body)
        self._joints.append(named)
        self._rotation.append(rotation)
        self._position.append(position)
        return self

    def frame(self, name: str, parent: str, placement: Pose | None = None) -> Builder:
        """Names a place on a body, on another frame, or on the world."""
        self._claim("frame", name)
        body, rotation, position = self._place(f"frame {name!r}", parent, placement)
        self._frames[name] = Frame(name, body, Pose.trusted(rotation.view(), position.view()))
        return self

    def build(self, unphysical: str = "raise") -> Robot:
        """The robot. Inertias that no body can have are errors, or warnings with `unphysical="warn"`."""
        strict = one_of(unphysical, ("raise", "warn"), "build", "unphysical") == "raise"
        n, names = len(self._parent), tuple(self._bodies)
        mass, com = np.array(self._mass), np.array(self._com).reshape(n, 3)
        inertia = np.array(self._inertia).reshape(n, 3, 3)
        _check_mimics({str(joint.name): joint for joint in self._joints})
        placements = Pose.trusted(np.array(self._rotation).reshape(n, 3, 3), np.array(self._position).reshape(n, 3))
        return Robot(
            Description(
                name=self._name,
                gravity=read_only(self._gravity.copy()),
                body_names=names,
                parent=np.array(self._parent, dtype=np.intp),
                joints=tuple(self._joints),
                placements=placements,
                mass=read_only(mass),
                com=read_only(com),
                inertia=read_only(validate(mass, com, inertia, names, strict)),
                frames=tuple(self._frames.values()),
            )
        )

    def _claim(self, kind: str, name: str) -> None:
        _name(kind, name)
        if name in self._bodies or name in self._frames:
            holder = "body" if name in self._bodies else "frame"
            raise errors.name_taken("Builder", kind, name, holder, "Names are unique among bodies and frames together.")

    def _place(self, where: str, parent: str, placement: Pose | None) -> tuple[int, Floats, Floats]:
        """The body that carries `parent`, and `placement` in that body."""
        placement = _one_of(Pose, where, "placement", "a Pose or None", placement)
        rotation, position = _NO_ROTATION, np.zeros(3)
        if placement is not None:
            if placement.shape:
                raise errors.model_shape(where, "placement", "a single pose", placement.shape)
            rotation, position = placement.rotation, placement.position
        known = isinstance(parent, str)  # pyright: ignore[reportUnnecessaryIsInstance]
        if known and parent == "world":
            return WORLD, rotation, position
        if known and parent in self._bodies:
            return self._bodies[parent], rotation, position
        frame = self._frames.get(parent) if known else None
        if frame is None:
            raise errors.unknown_parent(where, parent, ["world", *self._bodies, *self._frames])
        pose = frame.pose @ Pose.trusted(rotation.view(), position.view())
        return frame.body, pose.rotation, pose.position


def _one_of(kind: type[Kind], where: str, symbol: str, expected: str, value: Kind | None) -> Kind | None:
    if value is not None and not isinstance(value, kind):
        raise errors.wrong_type(where, symbol, expected, value)
    return value


def _name(kind: str, name: str) -> str:
    if not isinstance(name, str) or not name:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.bad_name(kind, name)
    if name == "world" and kind != "robot":
        raise errors.reserved_name(kind)
    return name


def _check_mimics(joints: dict[str, Joint]) -> None:
    """A follower and its leader have one dof each, and nobody follows himself, however far around."""
    for name, joint in joints.items():
        if joint.mimic is None:
            continue
        leader = joints.get(joint.mimic.joint)
        if leader is None:
            raise errors.unknown_name("joint", joint.mimic.joint, list(joints))
        if joint.nv != 1 or leader.nv != 1:
            raise errors.mimic(name, f"needs one degree of freedom here and at {joint.mimic.joint!r}, "
                                     f"but they have {joint.nv} and {leader.nv}")  # fmt: skip
        chain = [name]
        follower = joint
        while follower.mimic is not None and follower.mimic.joint in joints:
            chain.append(follower.mimic.joint)
            if chain[-1] in chain[:-1]:
                raise errors.mimic(name, f"goes round in a circle: {' -> '.join(chain)}")
            follower = joints[follower.mimic.joint]
