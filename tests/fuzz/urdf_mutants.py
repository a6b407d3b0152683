"""Broken URDFs for the fuzzers: valid text with elements, attributes, numbers, names and bytes put out of order."""

from __future__ import annotations

import copy
import random
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable
from pathlib import Path

SEEDS = sorted((Path(__file__).parents[1] / "files" / "urdf").glob("*.urdf"))

NUMBERS = [
    "0",
    "-0",
    "1",
    "-1",
    "1e300",
    "-1e300",
    "1e-300",
    "1e400",
    "5e-324",
    "nan",
    "inf",
    "-inf",
    "1.",
    ".5",
    "+.5e-3",
]
NUMBERS += ["1e", "0x10", "1,5", "1_0", "--1", "true", "${x}", "$(arg y)", "\u0661", "\u22121", "", " ", "1 2", "0 0 0"]
NUMBERS += ["0 0 1", "1 2 3", "1 2 3 4", "1e300 1e300 1e300", "1" * 400, "1" * 400 + "x", "9" * 30 + "." + "9" * 30]
NAMES = ["", "world", "base", "base_link", "turned", "tip", "turn", "weld", "a/b", "0"]
NAMES += ["a" * 5000, "\u00e4", "<&\"'>", "\U0001f916"]
TAGS = [
    "link",
    "joint",
    "inertial",
    "mass",
    "inertia",
    "origin",
    "axis",
    "limit",
    "dynamics",
    "mimic",
    "parent",
    "child",
]
TAGS += ["visual", "robot", "xacro:macro", "gazebo", "sensor", "transmission", "calibration", "anything"]
TYPES = ["fixed", "revolute", "continuous", "prismatic", "floating", "planar", "hinge", "", "Fixed"]
ATTRIBUTES = [
    "name",
    "type",
    "link",
    "xyz",
    "rpy",
    "quat_xyzw",
    "value",
    "ixx",
    "iyy",
    "lower",
    "upper",
    "effort",
    "joint",
]


def mutant(seed: int) -> bytes:
    """A URDF with a few mutations; the same seed gives the same bytes."""
    chance = random.Random(seed)
    root = ElementTree.fromstring(chance.choice(SEEDS).read_bytes())
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        chance.choice(_MUTATIONS)(root, chance)
    data = ElementTree.tostring(root, encoding=chance.choice(("utf-8", "utf-8", "us-ascii", "utf-16")))
    return _damaged(data, chance) if chance.random() < 0.3 else data


def _delete(root: ElementTree.Element, chance: random.Random) -> None:
    parent = _any(root, chance)
    if len(parent):
        parent.remove(chance.choice(list(parent)))


def _duplicate(root: ElementTree.Element, chance: random.Random) -> None:
    parent = _any(root, chance)
    if len(parent):
        parent.insert(chance.randrange(len(parent) + 1), chance.choice(list(parent)))


def _move(root: ElementTree.Element, chance: random.Random) -> None:
    """Puts a copy of an element somewhere else."""
    piece = copy.deepcopy(_any(root, chance))
    _any(root, chance).append(piece)


def _retag(root: ElementTree.Element, chance: random.Random) -> None:
    _any(root, chance).tag = chance.choice(TAGS)


def _attribute(root: ElementTree.Element, chance: random.Random) -> None:
    element = _any(root, chance)
    values = {"name": NAMES, "link": NAMES, "joint": NAMES, "reference": NAMES, "type": TYPES}
    name = chance.choice([*element.attrib, chance.choice(ATTRIBUTES)])
    if chance.random() < 0.2:
        element.attrib.pop(name, None)
    else:
        element.set(name, chance.choice(values.get(name, NUMBERS)))


def _float(root: ElementTree.Element, chance: random.Random) -> None:
    """A number of any size in place of a number."""
    element = _any(root, chance)
    for name, value in element.attrib.items():
        words = value.split()
        if name not in ("name", "link", "joint", "type", "reference") and words:
            words[chance.randrange(len(words))] = repr(chance.choice((-1, 1)) * 10 ** chance.uniform(-320, 308))
            element.set(name, " ".join(words))


def _swap_names(root: ElementTree.Element, chance: random.Random) -> None:
    """Other parents and children: rings, several roots, shared links."""
    ends = [element for element in root.iter() if element.tag in ("parent", "child", "mimic")]
    if len(ends) > 1:
        first, second = chance.sample(ends, 2)
        first.attrib, second.attrib = second.attrib, first.attrib


def _any(root: ElementTree.Element, chance: random.Random) -> ElementTree.Element:
    return chance.choice(list(root.iter()))


def _damaged(data: bytes, chance: random.Random) -> bytes:
    """Cut off, or with bytes changed, put in or taken out."""
    if chance.random() < 0.3:
        return data[: chance.randrange(len(data))]
    damaged = bytearray(data)
    for _ in range(chance.choice((1, 2, 10))):
        place = chance.randrange(len(damaged))
        damaged[place : place + chance.randrange(3)] = bytes(chance.randrange(256) for _ in range(chance.randrange(3)))
    return bytes(damaged)


_MUTATIONS: list[Callable[[ElementTree.Element, random.Random], None]] = [
    _delete, _duplicate, _move, _retag, _attribute, _attribute, _attribute, _float, _float, _swap_names,
]  # fmt: skip
