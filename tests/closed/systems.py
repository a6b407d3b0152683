"""Closed systems to test with: arms on the world, on one free base, on moving bases, with one object."""

from __future__ import annotations

import numpy as np

import phipsi as pp

CONTACTS = {
    "rigid": pp.contact.rigid,
    "revolute": lambda: pp.contact.revolute((0.3, -0.5, 0.8)),
    "soft_finger": lambda: pp.contact.soft_finger((0.2, 0.9, -0.4)),
    "point": pp.contact.point,
    "directions": lambda: pp.contact.directions([True, False, False, False, True, True]),
    "slider": lambda: pp.contact.directions([True, True, True, False, True, True]),
    "cylinder": lambda: pp.contact.directions([True, True, False, True, True, False]),
}
GRAVITY = (0.3, -0.2, -9.81)


def arms(count: int, seed: int = 0, base: str = "fixed", lengths: tuple[int, ...] = (7, 5, 6, 8)) -> pp.Robot:
    """Random arms of unequal length, each with a frame "hand", and an object."""
    parts: dict[str, pp.Robot] = {}
    for i in range(count):
        arm = pp.zoo.tree(lengths[i % len(lengths)], seed=seed + i, base=base)
        arm = arm.with_gravity(GRAVITY).placed(pp.Pose((0.4 * i, 0.1, 0)))
        tip = pp.Pose((0.1, -0.2, 0.3), rpy=(0.3, 0.2, i))
        parts[f"arm{i}"] = arm.add_frame("hand", arm.body_names[-1], tip)
    box = pp.zoo.box(mass=3.0, size=(0.3, 0.2, 0.4), gravity=GRAVITY).with_passive([])
    parts["box"] = box.add_frame("corner", box.body_names[0], pp.Pose((0.1, 0.1, -0.2), rpy=(1, 0.5, 0)))
    return pp.assemble(parts)


def satellite() -> pp.Robot:
    return pp.assemble(
        {"ship": pp.zoo.dual_arm_satellite(), "box": pp.zoo.box(mass=30.0, size=(0.3, 0.2, 0.4))}, gravity=(0, 0, 0)
    )


def planar(joints: int, count: int) -> pp.Robot:
    """Planar arms and an object: held rigidly, they are over-constrained out of the plane, and Ω is singular."""
    parts = {
        f"arm{i}": pp.zoo.planar_arm(joints, gravity=GRAVITY).placed(pp.Pose((0.5 * i, 0, 0))) for i in range(count)
    }
    return pp.assemble({**parts, "box": pp.zoo.box(mass=2.0, gravity=GRAVITY)})


def closed(robot: pp.Robot, count: int, kinds: list[str], q: np.ndarray, axes: str = "object", tip: str = "hand"):
    """Every arm's hand on the box."""
    hands = [name for name in robot.frame_names if name.endswith(tip)][:count]
    thing = "box/corner" if "box/corner" in robot.frame_names else "box"
    return robot.close(
        [pp.Grasp(hand, thing, CONTACTS[kind](), at=q, axes=axes) for hand, kind in zip(hands, kinds, strict=False)]
    )


def state(system, q: np.ndarray, seed: int = 0):
    """A state that keeps the loops closed, and torques."""
    rng = np.random.default_rng(seed)
    v, tau = rng.normal(size=(2, *q.shape[:-1], system.robot.nv))
    return system.project_velocity(q, v), tau
