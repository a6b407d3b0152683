"""The robots of textbooks: pendulums, a cart, a planar arm, a box in free flight."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from phipsi.model.builder import Builder
from phipsi.model.inertia import Payload
from phipsi.model.joints import Free, Prismatic, Revolute
from phipsi.model.pose import Pose
from phipsi.model.reading import count, number
from phipsi.model.robot import Robot

EARTH = (0.0, 0.0, -9.81)
_Y, _Z = (0, 1, 0), (0, 0, 1)


def box(mass: float = 1.0, size: ArrayLike = (0.1, 0.1, 0.1), *, gravity: ArrayLike = EARTH) -> Robot:
    """A solid box with edges `size`, in free flight: one body "box" on a free joint, its origin at its centre.

    >>> box(mass=3.0, size=(0.3, 0.2, 0.4)).nv
    6
    """
    solid = Payload.box(mass, size)
    return Builder("box", gravity).body("box", joint=Free(), mass=solid.mass, inertia=solid.inertia).build()


def pendulum(mass: float = 1.0, length: float = 1.0, *, gravity: ArrayLike = EARTH) -> Robot:
    """A uniform rod hanging from a hinge about y; q = 0 hangs. Body and joint "rod", frame "tip"."""
    builder, length = Builder("pendulum", gravity), number(length, "pendulum", "length")
    _rod(builder, "rod", "world", "rod", mass, length)
    return builder.frame("tip", "rod", Pose((0, 0, -length))).build()


def double_pendulum(mass: float = 1.0, length: float = 1.0, *, gravity: ArrayLike = EARTH) -> Robot:
    """Two equal rods, joints "shoulder" and "elbow" about y; q = 0 hangs. Frame "tip"."""
    return _double("double_pendulum", mass, length, gravity, passive_shoulder=False)


def acrobot(mass: float = 1.0, length: float = 1.0, *, gravity: ArrayLike = EARTH) -> Robot:
    """The double pendulum with a motor at the elbow only: its shoulder is passive.

    >>> acrobot().passive
    array([ True, False])
    """
    return _double("acrobot", mass, length, gravity, passive_shoulder=True)


def cartpole(
    cart_mass: float = 1.0, pole_mass: float = 0.1, length: float = 1.0, *, gravity: ArrayLike = EARTH
) -> Robot:
    """A cart on a rail along x, and a uniform pole on a passive hinge about y; q = 0 stands upright."""
    builder, length = Builder("cartpole", gravity), number(length, "cartpole", "length")
    cart = Payload.box(cart_mass, (0.3, 0.2, 0.1))
    builder.body("cart", joint=Prismatic((1, 0, 0), name="rail"), mass=cart.mass, inertia=cart.inertia)
    _rod(builder, "pole", "cart", "hinge", pole_mass, -length, passive=True)
    return builder.frame("tip", "pole", Pose((0, 0, length))).build()


def planar_arm(n: int = 3, mass: float = 1.0, length: float = 1.0, *, gravity: ArrayLike = EARTH) -> Robot:
    """n equal rods in the horizontal plane, along x at q = 0, joints about z: link1…, joint1…, frame "tip"."""
    builder = Builder("planar_arm", gravity)
    n, length = count(n, "planar_arm", "n", "a number of bodies"), number(length, "planar_arm", "length")
    solid = Payload.box(mass, (length, length / 20, length / 20), com=(length / 2, 0, 0))
    for k in range(1, n + 1):
        parent, start = ("world", Pose()) if k == 1 else (f"link{k - 1}", Pose((length, 0, 0)))
        joint = Revolute(_Z, name=f"joint{k}")
        builder.body(f"link{k}", parent, joint, start, solid.mass, solid.com, solid.inertia)
    return builder.frame("tip", f"link{n}", Pose((length, 0, 0))).build() if n else builder.build()


def _double(name: str, mass: float, length: float, gravity: ArrayLike, *, passive_shoulder: bool) -> Robot:
    builder, length = Builder(name, gravity), number(length, name, "length")
    _rod(builder, "upper", "world", "shoulder", mass, length, passive=passive_shoulder)
    _rod(builder, "lower", "upper", "elbow", mass, length, start=-length)
    return builder.frame("tip", "lower", Pose((0, 0, -length))).build()


def _rod(
    builder: Builder,
    name: str,
    parent: str,
    joint: str,
    mass: float,
    length: float,
    *,
    start: float = 0.0,
    passive: bool = False,
) -> None:
    """A slender square rod from its hinge (about y) down to -length."""
    solid = Payload.box(mass, np.abs([length / 20, length / 20, length]), com=(0, 0, -length / 2))
    hinge = Revolute(_Y, name=joint, passive=passive)
    builder.body(name, parent, hinge, Pose((0, 0, start)), solid.mass, solid.com, solid.inertia)
