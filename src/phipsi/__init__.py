"""phipsi: robot dynamics as an algebra of operators, batched, fast, and readable next to the papers."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from phipsi._core import available_isas, get_threads, isa, set_threads
from phipsi.dynamics.closed import contact
from phipsi.dynamics.closed.grasp import Grasp, Loop
from phipsi.errors import (
    ClosureError,
    ConfigurationError,
    DTypeError,
    FileError,
    FileWarning,
    ImmutableError,
    MissingPackage,
    ModelError,
    ModelWarning,
    NoInverse,
    OptionError,
    PhipsiError,
    PhipsiWarning,
    ShapeError,
    SimulationError,
    SimulationWarning,
    SingularJoint,
    SpaceError,
    UnknownName,
)
from phipsi.model import zoo
from phipsi.model.assembly import assemble
from phipsi.model.builder import Builder
from phipsi.model.inertia import Payload
from phipsi.model.joints import (
    Custom,
    Cylindrical,
    Fixed,
    Free,
    Helical,
    Joint,
    Planar,
    Prismatic,
    Revolute,
    Spherical,
    Translational,
    Universal,
)
from phipsi.model.load import load, load_description, load_mjcf, load_mjcf_string, load_urdf, load_urdf_string
from phipsi.model.pose import Pose
from phipsi.model.properties import Mimic
from phipsi.model.robot import Robot

if TYPE_CHECKING:
    from phipsi import algebra, conventions, papers, reference, show
    from phipsi.dynamics import diagonal, free_flying, underactuated, unified
    from phipsi.motion import control
    from phipsi.motion.events import Change, Event
    from phipsi.motion.simulate import simulate
    from phipsi.motion.trajectory import Trajectory
    from phipsi.show import report, view

__version__ = "0.1.0"

__all__ = [  # noqa: RUF022 (grouped as in the README)
    # a robot, written or read
    "Builder",
    "Robot",
    "Pose",
    "Payload",
    "Mimic",
    "assemble",
    "load",
    "load_urdf",
    "load_urdf_string",
    "load_mjcf",
    "load_mjcf_string",
    "load_description",
    "zoo",
    # its joints
    "Joint",
    "Fixed",
    "Revolute",
    "Prismatic",
    "Helical",
    "Cylindrical",
    "Universal",
    "Spherical",
    "Planar",
    "Translational",
    "Free",
    "Custom",
    # loops closed: hands on objects, mechanisms
    "Grasp",
    "Loop",
    "contact",
    # its motion through time
    "simulate",
    "Trajectory",
    "Event",
    "Change",
    "control",
    # its other names: Pinocchio, MuJoCo, Drake
    "conventions",
    # rates in which the mass matrix is the identity
    "diagonal",
    # robots that stand on nothing: what every link feels
    "free_flying",
    # operators as objects, and the theorems about them
    "algebra",
    # dofs that no motor drives
    "underactuated",
    # one model for fixed, floating, flying and flexible robots
    "unified",
    # looking at robots and runs
    "view",
    "report",
    "show",
    # the papers, equation by equation
    "papers",
    # the book in plain NumPy
    "reference",
    # the machine
    "set_threads",
    "get_threads",
    "isa",
    "available_isas",
    # what can go wrong
    "MissingPackage",
    "PhipsiError",
    "ShapeError",
    "DTypeError",
    "SingularJoint",
    "SpaceError",
    "NoInverse",
    "ConfigurationError",
    "UnknownName",
    "ClosureError",
    "ModelError",
    "ImmutableError",
    "FileError",
    "OptionError",
    "SimulationError",
    "PhipsiWarning",
    "ModelWarning",
    "FileWarning",
    "SimulationWarning",
]

_ON_DEMAND = ("algebra", "conventions", "papers", "reference", "show")  # imported when first used
_ELSEWHERE = {
    "control": "phipsi.motion.control",
    "diagonal": "phipsi.dynamics.diagonal",
    "free_flying": "phipsi.dynamics.free_flying",
    "underactuated": "phipsi.dynamics.underactuated",
    "unified": "phipsi.dynamics.unified",
}  # the same, under a shorter name
_FOUND_IN = {
    "simulate": "phipsi.motion.simulate",
    "Trajectory": "phipsi.motion.trajectory",
    "Event": "phipsi.motion.events",
    "Change": "phipsi.motion.events",
    "view": "phipsi.show",
    "report": "phipsi.show",
}  # what stands in a file that is imported when first used


def __getattr__(name: str) -> Any:
    if name in _ON_DEMAND:
        return importlib.import_module(f"phipsi.{name}")
    if name in _ELSEWHERE:
        found: Any = importlib.import_module(_ELSEWHERE[name])
    elif name in _FOUND_IN:
        found = getattr(importlib.import_module(_FOUND_IN[name]), name)
    else:
        raise AttributeError(f"module 'phipsi' has no attribute {name!r}")
    globals()[name] = found
    return found


def __dir__() -> list[str]:
    return sorted({*globals(), *_ON_DEMAND, *_ELSEWHERE, *_FOUND_IN})
