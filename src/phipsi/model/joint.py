"""Joint: what every joint has. Numbers of coordinates and their names come from the native list of joint types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, NoReturn, TypeVar

import numpy as np

from phipsi import _core, errors
from phipsi.model.properties import Mimic, Properties, read_passive, read_properties
from phipsi.model.reading import Floats

if TYPE_CHECKING:
    from typing_extensions import Unpack

_REMEDY = "Build another one, or let a robot do it: with_armature, with_passive, freeze."
TYPES: dict[str, dict[str, Any]] = {str(row["name"]): dict(row) for row in _core.joint_types()}
KINDS: dict[str, int] = {name: index for index, name in enumerate(TYPES)}  # the native index of each type

AnyJoint = TypeVar("AnyJoint", bound="Joint")


class Joint:
    """How a body may move against its parent; see the subclasses for the motions.

    Every joint takes, by keyword: `name` (default: its body's), `armature` (rotor inertia seen at the joint, adds to
    the mass matrix's diagonal), `damping`, `friction` (Coulomb), `stiffness` and `rest` (a spring), `lower` and
    `upper` limits, `velocity_limit`, `effort_limit`, `passive`, `mimic`. A single number serves all its dofs. Only
    armature and passive enter the dynamics; `Robot.passive_forces` turns the others into torques.

    >>> from phipsi import Revolute
    >>> elbow = Revolute((0, 0, 2), name="elbow", armature=0.1, lower=-2, upper=2)
    >>> elbow.nq, elbow.nv, elbow.parameters, elbow.armature
    (1, 1, array([0., 0., 1.]), (0.1,))
    """

    kind: ClassVar[str] = ""
    name: str | None
    passive: tuple[bool, ...] | None
    mimic: Mimic | None
    armature: tuple[float, ...]
    damping: tuple[float, ...]
    friction: tuple[float, ...]
    stiffness: tuple[float, ...]
    rest: tuple[float, ...]
    lower: tuple[float, ...]
    upper: tuple[float, ...]
    velocity_limit: tuple[float, ...]
    effort_limit: tuple[float, ...]
    _parameters: tuple[float, ...]
    _nq: int
    _nv: int

    def __init__(self, parameters: tuple[float, ...] = (), **properties: Unpack[Properties]) -> None:
        row = TYPES.get(self.kind)
        if row is None:
            raise errors.wrong_type("Joint", "a joint", "one of the joint types, such as Revolute", type(self))
        self._describe(parameters, int(row["nq"]), int(row["nv"]), properties)

    def _describe(self, parameters: tuple[float, ...], nq: int, nv: int, properties: Properties) -> None:
        own = self.__dict__  # __setattr__ refuses, so that nobody else can
        own["_parameters"], own["_nq"], own["_nv"] = parameters, nq, nv
        own.update(read_properties(type(self).__name__, nv, properties))
        if nq != nv and (max(self.lower, default=-np.inf) > -np.inf or min(self.upper, default=np.inf) < np.inf):
            raise errors.no_limits(self._where(), self.q_labels)

    def _where(self) -> str:
        return type(self).__name__ if self.name is None else f"{type(self).__name__} {self.name!r}"

    @property
    def nq(self) -> int:
        """Numbers in q."""
        return self._nq

    @property
    def nv(self) -> int:
        """Degrees of freedom: numbers in v, a and tau."""
        return self._nv

    @property
    def parameters(self) -> Floats:
        """Axes, pitch or columns, flat, as the native core takes them."""
        return np.array(self._parameters, dtype=np.float64)

    @property
    def flat_parameters(self) -> tuple[float, ...]:
        """`parameters` without making an array: what a robot of 1e5 joints is gathered from."""
        return self._parameters

    @property
    def q_labels(self) -> tuple[str, ...]:
        """What each number in q is called."""
        return tuple(TYPES[self.kind]["q_labels"])

    @property
    def v_labels(self) -> tuple[str, ...]:
        """What each number in v is called."""
        return tuple(TYPES[self.kind]["v_labels"])

    def with_name(self: AnyJoint, name: str) -> AnyJoint:
        """The same joint under another name."""
        return self._changed({"name": name})

    def with_mimic(self: AnyJoint, mimic: Mimic | None) -> AnyJoint:
        """The same joint, mimicking another one, or none."""
        return self._changed({"mimic": mimic})

    def with_passive(self: AnyJoint, passive: bool | tuple[bool, ...] | None) -> AnyJoint:
        """The same joint, with dofs that are passive or not."""
        return self._changed({"passive": read_passive(self._where(), self.nv, passive)})

    def with_properties(self: AnyJoint, **properties: Unpack[Properties]) -> AnyJoint:
        """The same joint with some properties replaced."""
        names = ("name", "passive", "mimic", *_NUMBERS)
        kept: Any = {name: self.__dict__[name] for name in names} | properties
        joint = self._changed({})
        joint._describe(self._parameters, self._nq, self._nv, kept)
        return joint

    def _changed(self: AnyJoint, changes: dict[str, Any]) -> AnyJoint:
        """A copy with some attributes replaced, unchecked: cheap enough for every joint of a long chain."""
        joint = object.__new__(type(self))
        joint.__dict__.update(self.__dict__)
        joint.__dict__.update(changes)
        return joint

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise errors.immutable("joint", name, _REMEDY)

    def __delattr__(self, name: str) -> NoReturn:
        raise errors.immutable("joint", name, _REMEDY)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Joint):
            return NotImplemented
        return type(self) is type(other) and self.__dict__ == other.__dict__

    def __hash__(self) -> int:
        return hash((type(self), self.name, self._parameters))

    def __reduce__(self) -> tuple[Any, ...]:
        return _restore, (type(self), dict(self.__dict__))

    def __repr__(self) -> str:
        shown = [] if not self._parameters else [str([round(x, 9) + 0.0 for x in self._parameters])]
        default = read_properties("", self.nv, {})
        for name in ("name", *_NUMBERS, "passive", "mimic"):
            value = self.__dict__[name]
            if value != default[name]:
                single = isinstance(value, tuple) and self.nv == 1
                shown.append(f"{name}={value[0] if single else value!r}")
        return f"{type(self).__name__}({', '.join(shown)})"


_NUMBERS = (
    "armature", "damping", "friction", "stiffness", "rest", "lower", "upper", "velocity_limit", "effort_limit",
)  # fmt: skip


def _restore(kind: type[AnyJoint], attributes: dict[str, Any]) -> AnyJoint:
    """Unpickles a joint."""
    joint = object.__new__(kind)
    joint.__dict__.update(attributes)
    return joint
