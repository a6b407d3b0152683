"""Whatever is passed where, the model room answers with one of its own errors, never with somebody else's."""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import phipsi as pp

GARBAGE: list[Any] = [
    None, True, 3, -1, 2.5, float("nan"), float("inf"), 1j, "x", "", b"x", [], [1], [1, 2, 3], [1, 2, "a"],
    [[1, 2, 3]] * 3, [[1, 2], [3]], np.zeros(3), np.zeros((3, 3)), np.eye(3) * 1e300, np.array(["a"] * 3),
    np.array([None] * 3), {}, {"a": 1}, object(), pp.Pose(), pp.Pose(np.zeros((2, 3))), pp.Revolute,
    pp.Revolute((0, 0, 1)), lambda: 0, 10**400, [10**400] * 3, (1e308,) * 3, range(3), set(), np.float16(1), slice(1),
]  # fmt: skip
ARM, PAYLOAD, Z = pp.zoo.arm(), pp.Payload(1.0), (0, 0, 1)
TO = pp.conventions.pinocchio(ARM)
ZERO = np.zeros(7)


def body(argument: str) -> Callable[[Any], object]:
    return lambda x: pp.Builder().body(**({"name": "a"} | {argument: x})).build()


def prop(name: str) -> Callable[[Any], object]:
    return lambda x: [pp.Revolute(Z, **{name: x}), pp.Spherical(**{name: x}), pp.Fixed(**{name: x})]


TAKES: dict[str, Callable[[Any], object]] = {
    **{f"body {x}": body(x) for x in ("name", "parent", "joint", "placement", "mass", "com", "inertia")},
    **{f"joint {x}": prop(x) for x in ("name", "armature", "rest", "lower", "effort_limit", "passive", "mimic")},
    "builder": pp.Builder,
    "gravity": lambda x: pp.Builder(gravity=x),
    "frame": lambda x: pp.Builder().body("a").frame(x, "a"),
    "frame parent": lambda x: pp.Builder().body("a").frame("f", x),
    "build": lambda x: pp.Builder().build(x),
    "axis": pp.Revolute,
    "pitch": lambda x: pp.Helical(Z, x),
    "columns": pp.Custom,
    "x_axis": lambda x: pp.Planar(Z, x),
    "axis2": lambda x: pp.Universal(Z, x),
    "mimic": lambda x: pp.Mimic(x, x),
    "multiplier": lambda x: pp.Mimic("a", x),
    "position": pp.Pose,
    "rotation": lambda x: pp.Pose(rotation=x),
    "quaternion": lambda x: pp.Pose(quaternion=x),
    "rpy": lambda x: pp.Pose(rpy=x),
    "matrix": pp.Pose.from_matrix,
    "points": lambda x: pp.Pose() @ x,
    "robot": pp.Robot,
    "ask joint": ARM.joint,
    "ask frame": ARM.frame,
    "add_frame": lambda x: ARM.add_frame(x, "hand"),
    "add_frame to": lambda x: ARM.add_frame("f", x),
    "placed": ARM.placed,
    "attach to": lambda x: ARM.attach(x, PAYLOAD, name="p"),
    "attach what": lambda x: ARM.attach("hand", x, name="p"),
    "attach name": lambda x: ARM.attach("hand", pp.zoo.box(), name=x),
    "attach at": lambda x: ARM.attach("hand", PAYLOAD, name="p", placement=x),
    "detach": ARM.detach,
    "freeze": ARM.freeze,
    "freeze q": lambda x: ARM.freeze(None, x),
    "freeze one": lambda x: ARM.freeze(q={"joint1": x}),
    "with_passive": ARM.with_passive,
    "with_gravity": ARM.with_gravity,
    "with_armature": ARM.with_armature,
    "random rng": lambda x: ARM.random(2, x),
    "passive_forces": lambda x: ARM.passive_forces(x, ZERO),
    "assemble": pp.assemble,
    "assemble robot": lambda x: pp.assemble({"a": x}),
    "assemble gravity": lambda x: pp.assemble({"a": ARM}, gravity=x),
    "payload": pp.Payload,
    "payload com": lambda x: pp.Payload(1, x),
    "payload inertia": lambda x: pp.Payload(1, inertia=x),
    "sphere": lambda x: pp.Payload.sphere(1, x),
    "box": lambda x: pp.Payload.box(x, (1, 1, 1)),
    "cylinder": lambda x: pp.Payload.cylinder(1, x, 1),
    "zoo kind": lambda x: pp.zoo.chain(3, x),
    "zoo kinds": lambda x: pp.zoo.tree(3, kinds=x),
    "zoo seed": lambda x: pp.zoo.tree(3, seed=x),
    "zoo base": lambda x: pp.zoo.star(3, base=x),
    "zoo length": lambda x: pp.zoo.pendulum(1, x),
    "zoo size": lambda x: pp.zoo.box(1, x),
    "pinocchio": lambda x: pp.conventions.pinocchio(ARM, x),
    "mujoco": pp.conventions.mujoco,
    "to_q": TO.to_q,
    "from_v": lambda x: TO.from_v(x, ZERO),
    "to_mass_matrix": lambda x: TO.to_mass_matrix(ZERO, x),
    "to_jacobian": lambda x: TO.to_jacobian(ZERO, x),
    "to_spatial": TO.to_spatial,
}


@pytest.mark.parametrize("name", TAKES)
@pytest.mark.filterwarnings("ignore::phipsi.PhipsiWarning")
def test_garbage_is_refused_in_phipsi_s_own_words(name: str) -> None:
    for x in GARBAGE:
        with contextlib.suppress(pp.PhipsiError), np.errstate(over="ignore", invalid="ignore"):
            TAKES[name](x)
