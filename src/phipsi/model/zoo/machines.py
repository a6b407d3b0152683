"""Machines worth moving: an arm, satellites with arms, a hand, a quadruped."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from phipsi.model.builder import Builder
from phipsi.model.inertia import Payload
from phipsi.model.joints import Free, Joint, Revolute, Universal
from phipsi.model.pose import Pose
from phipsi.model.properties import Properties
from phipsi.model.reading import count, one_of
from phipsi.model.robot import Robot

EARTH = (0.0, 0.0, -9.81)
SPACE = (0.0, 0.0, 0.0)
_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)

# A 7-joint arm, straight up at q = 0: axis, length along z to the next joint, radius, mass, rotor inertia.
_ARM = (
    (_Z, 0.15, 0.06, 3.5, 0.20),
    (_Y, 0.20, 0.06, 3.5, 0.20),
    (_Z, 0.20, 0.05, 3.0, 0.15),
    (_Y, 0.20, 0.05, 2.7, 0.15),
    (_Z, 0.20, 0.05, 1.7, 0.10),
    (_Y, 0.10, 0.04, 1.6, 0.08),
    (_Z, 0.10, 0.04, 0.5, 0.05),
)


def arm(*, gravity: ArrayLike = EARTH) -> Robot:
    """A 7-joint arm on the world, straight up at q = 0: link1…link7, joint1…joint7, frame "hand"."""
    builder = Builder("arm", gravity)
    _add_arm(builder, "", "world", Pose())
    return builder.build()


def arm_satellite(*, gravity: ArrayLike = SPACE) -> Robot:
    """A free-flying base of 120 kg with one arm: bodies "base", "arm/link1"…, frame "arm/hand"; no gravity."""
    builder = _satellite("arm_satellite", gravity)
    _add_arm(builder, "arm/", "base", Pose((0.4, 0, 0), rpy=(0, np.pi / 2, 0)))
    return builder.build()


def dual_arm_satellite(*, gravity: ArrayLike = SPACE) -> Robot:
    """A free-flying base of 120 kg with two 7-joint arms: "base", "left/link1"…, frames "left/hand" and "right/hand".

    The base is passive, and there is no gravity.

    >>> dual_arm_satellite()
    <Robot 'dual_arm_satellite': 15 bodies, nq = 21, nv = 20>
    """
    builder = _satellite("dual_arm_satellite", gravity)
    for side, y in (("left/", 0.25), ("right/", -0.25)):
        _add_arm(builder, side, "base", Pose((0.4, y, 0), rpy=(0, np.pi / 2, 0)))
    return builder.build()


def hand(fingers: int = 4, base: str = "fixed", *, gravity: ArrayLike = EARTH) -> Robot:
    """A palm with fingers of a universal joint and two hinges: "palm", "finger1/proximal"…, frames "finger1/tip"…"""
    builder = _based("hand", base, gravity, "palm", Payload.box(0.4, (0.09, 0.10, 0.03), com=(0, 0, 0.04)))
    fingers = count(fingers, "hand", "fingers", "a number of fingers")
    for k in range(1, fingers + 1):
        across = 0.08 * ((k - 0.5) / fingers - 0.5)
        parent, start = "palm", Pose((0, across, 0.09))
        for part, length in (("proximal", 0.045), ("middle", 0.03), ("distal", 0.025)):
            name = f"finger{k}/{part}"
            joint: Joint = Universal(_X, _Y) if part == "proximal" else Revolute(_Y)
            solid = Payload.cylinder(0.4 * length, 0.008, length, com=(0, 0, length / 2))
            builder.body(name, parent, joint, start, solid.mass, solid.com, solid.inertia)
            parent, start = name, Pose((0, 0, length))
        builder.frame(f"finger{k}/tip", parent, start)
    return builder.build()


def quadruped(base: str = "free", *, gravity: ArrayLike = EARTH) -> Robot:
    """A trunk on four legs of three joints: "trunk", "front_left/hip"…, frames "front_left/foot"…; 12 motors."""
    builder = _based("quadruped", base, gravity, "trunk", Payload.box(12.0, (0.5, 0.2, 0.12)))
    for end, x in (("front", 0.22), ("rear", -0.22)):
        for side, y in (("left", 0.08), ("right", -0.08)):
            leg, out = f"{end}_{side}", float(np.sign(y))
            motor: Properties = {"armature": 0.01, "effort_limit": 40.0, "velocity_limit": 20.0}
            hip = Payload.cylinder(0.8, 0.05, 0.06)
            builder.body(f"{leg}/hip", "trunk", Revolute(_X, **motor), Pose((x, y, 0)),
                         hip.mass, hip.com, hip.inertia)  # fmt: skip
            thigh = Payload.box(1.0, (0.04, 0.03, 0.25), com=(0, 0, -0.1))
            builder.body(f"{leg}/thigh", f"{leg}/hip", Revolute(_Y, **motor), Pose((0, 0.08 * out, 0)),
                         thigh.mass, thigh.com, thigh.inertia)  # fmt: skip
            shank = Payload.box(0.25, (0.02, 0.02, 0.25), com=(0, 0, -0.12))
            builder.body(f"{leg}/shank", f"{leg}/thigh", Revolute(_Y, **motor), Pose((0, 0, -0.25)),
                         shank.mass, shank.com, shank.inertia)  # fmt: skip
            builder.frame(f"{leg}/foot", f"{leg}/shank", Pose((0, 0, -0.25)))
    return builder.build()


def _add_arm(builder: Builder, prefix: str, parent: str, start: Pose) -> None:
    for k, (axis, length, radius, mass, armature) in enumerate(_ARM, start=1):
        joint = Revolute(axis, name=f"{prefix}joint{k}", armature=armature, lower=-2.9, upper=2.9)
        solid = Payload.cylinder(mass, radius, length, com=(0, 0, length / 2))
        builder.body(f"{prefix}link{k}", parent, joint, start, solid.mass, solid.com, solid.inertia)
        parent, start = f"{prefix}link{k}", Pose((0, 0, length))
    builder.frame(f"{prefix}hand", parent, start)


def _satellite(name: str, gravity: ArrayLike) -> Builder:
    return _based(name, "free", gravity, "base", Payload.box(120.0, (0.8, 0.8, 0.8)))


def _based(name: str, base: str, gravity: ArrayLike, body: str, solid: Payload) -> Builder:
    """A builder that has the first body, on a free joint or on the world."""
    joint = Free() if one_of(base, ("fixed", "free"), name, "base") == "free" else None
    return Builder(name, gravity).body(body, joint=joint, mass=solid.mass, com=solid.com, inertia=solid.inertia)
