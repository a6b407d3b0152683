"""What is moved through time: an open robot, one with loops, or one whose driven dofs follow given accelerations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

from phipsi.model.reading import Bools, Floats
from phipsi.model.robot import Robot
from phipsi.motion.answers import said, shown
from phipsi.motion.forces import JointForces

Given: TypeAlias = "Callable[[float, Floats, Floats], Any]"  # a function of (t, q, v)


@dataclass(frozen=True, eq=False)
class Open:
    """A robot as it stands: a = forward_dynamics(q, v, tau + the joints' own forces, f_ext)."""

    given: Any  # what the user passed
    robot: Robot
    forces: JointForces
    f_ext: Floats | Given | None = None  # constant (*batch, n, 6), or a function of (t, q, v)
    on_singular: str = "raise"

    kind = "an open robot"

    def forced(self, q: Floats, v: Floats, tau: Floats) -> Floats:
        """Torques of the law, and those that the joints make by themselves."""
        return tau if self.forces.none else tau + self.forces(q, v)

    def external(self, t: float, q: Floats, v: Floats) -> Floats | None:
        """The external forces now."""
        return self.f_ext(t, shown(q), shown(v)) if callable(self.f_ext) else self.f_ext

    def accelerate(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats:
        """The accelerations, (*batch, nv)."""
        policy: Any = self.on_singular
        f_ext = self.external(t, q, v)
        return self.robot.forward_dynamics(q, v, self.forced(q, v, tau), f_ext, on_singular=policy)

    def project(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The state on the constraints: there are none."""
        return q, v

    def commanded(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats:
        """The torques of all motors, given those of the law."""
        return tau

    @property
    def native(self) -> bool:
        """Whether cpp/steppers.hpp can move it."""
        return not callable(self.f_ext)

    def closure(self, q: Floats) -> Floats | None:
        """How far the loops are open."""
        return None

    def contact_force(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats | None:
        """The forces in the contacts."""
        return None


@dataclass(frozen=True, eq=False)
class Closed(Open):
    """A closed system: the constraints hold in every acceleration, and each step ends on them."""

    kind = "a closed system"

    @property
    def native(self) -> bool:
        """Its dynamics are Python's to put together."""
        return False

    def accelerate(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats:
        """The accelerations, (*batch, nv)."""
        return self.given.forward_dynamics(q, v, self.forced(q, v, tau), self.external(t, q, v)).acceleration

    def project(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The nearest state whose loops are closed and stay so."""
        q = self.given.project_position(q)
        return q, self.given.project_velocity(q, v)

    def closure(self, q: Floats) -> Floats | None:
        """How far the loops are open, as the system measures it."""
        return self.given.closure_error(q)

    def contact_force(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats | None:
        """The forces in the contacts."""
        return self.given.forward_dynamics(q, v, self.forced(q, v, tau), self.external(t, q, v)).contact_force


@dataclass(frozen=True, eq=False)
class Hybrid(Open):
    """A robot whose driven dofs have given accelerations, and whose passive ones given torques. [JR93 4.4]"""

    acceleration: Given | None = None
    passive: Bools | None = None

    kind = "a hybrid system"

    @property
    def native(self) -> bool:
        """Its accelerations are Python's."""
        return False

    def _both(self, t: float, q: Floats, v: Floats, tau: Floats) -> tuple[Floats, Floats]:
        assert self.acceleration is not None
        wish = said("acceleration", self.acceleration(t, shown(q), shown(v)), v)
        policy: Any = self.on_singular
        whole: Any = self.robot
        return whole.hybrid_dynamics(
            q, v, self.forced(q, v, tau), wish, self.passive, self.external(t, q, v), on_singular=policy
        )

    def accelerate(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats:
        """Those that are given, and those that the passive dofs answer with."""
        return self._both(t, q, v, tau)[1]

    def commanded(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats:
        """What the motors must give for the accelerations that are asked."""
        needed = self._both(t, q, v, tau)[0]
        return needed if self.forces.none else needed - self.forces(q, v)


@dataclass(frozen=True, eq=False)
class ClosedHybrid(Hybrid):
    """A closed system whose driven dofs have given accelerations."""

    kind = "a closed hybrid system"

    def _motion(self, t: float, q: Floats, v: Floats, tau: Floats) -> Any:
        assert self.acceleration is not None
        wish = said("acceleration", self.acceleration(t, shown(q), shown(v)), v)
        return self.given.hybrid_dynamics(q, v, self.forced(q, v, tau), wish, self.passive, self.external(t, q, v))

    def _both(self, t: float, q: Floats, v: Floats, tau: Floats) -> tuple[Floats, Floats]:
        found = self._motion(t, q, v, tau)
        return found.torque, found.acceleration

    def project(self, q: Floats, v: Floats) -> tuple[Floats, Floats]:
        """The nearest state whose loops are closed and stay so."""
        q = self.given.project_position(q)
        return q, self.given.project_velocity(q, v)

    def closure(self, q: Floats) -> Floats | None:
        """How far the loops are open, as the system measures it."""
        return self.given.closure_error(q)

    def contact_force(self, t: float, q: Floats, v: Floats, tau: Floats) -> Floats | None:
        """The forces in the contacts, in the motion that the recorded torques make."""
        return self.given.forward_dynamics(q, v, self.forced(q, v, tau), self.external(t, q, v)).contact_force


def with_mask(system: Open, passive: Bools) -> Open:
    """The same system with another passive mask."""
    if isinstance(system, Hybrid):
        return replace(system, passive=passive)
    return replace(system, robot=system.robot.with_passive(passive))
