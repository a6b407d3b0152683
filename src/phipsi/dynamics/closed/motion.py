"""What closed chains answer: a motion with its contact forces, a mobility; whether contacts that only press hold."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi.dynamics.closed import geometry
from phipsi.model.reading import Bools, Floats, Ints

if TYPE_CHECKING:
    from phipsi.dynamics.closed.system import ClosedRobot


class Contacts:
    """Forces of contacts at q, made of the numbers `contact_force`, (*batch, m), that multiply the rows of J."""

    contact_force: Floats  # (*batch, m): M a + C = tau + J* f; on the tips, from the objects

    def __init__(self, system: ClosedRobot, q: ArrayLike, contact_force: Floats) -> None:
        self.system, self._q, self.contact_force = system, q, contact_force

    def of(self, name: str) -> Floats:
        """The force of one loop in its locked directions, contact axes, [moments; forces]."""
        return self.contact_force[..., self.system.rows_of(name)]

    @cached_property
    def wrenches(self) -> Floats:
        """The wrench on each tip, (*batch, loops, 6), world axes, about the contact's point (that of the rows)."""
        out = np.zeros((*self.contact_force.shape[:-1], len(self.system.places), 6))
        for i, place in enumerate(self.system.places):
            both = geometry.meeting(self.system.robot, place, np.asarray(self._q, dtype=np.float64)).both
            local = self.of(place.loop.name) @ place.loop.contact.locked
            out[..., i, :] = (np.swapaxes(both, -1, -2) @ local[..., None])[..., 0]
        return out

    @cached_property
    def pressing(self) -> Floats:
        """The normal force on the tip of each loop that can only press, (*batch, loops); NaN for the others."""
        return self._watched[0]

    @cached_property
    def holds(self) -> Bools:
        """Which contacts can carry what they are asked to, (*batch, loops): no pull, nothing outside its cone."""
        return self._watched[1]

    @cached_property
    def _watched(self) -> tuple[Floats, Bools]:
        shape = (*self.contact_force.shape[:-1], len(self.system.places))
        pressing, holds = np.full(shape, np.nan), np.ones(shape, dtype=np.bool_)
        for i, place in enumerate(self.system.places):
            contact = place.loop.contact
            if contact.normal is None:
                continue
            local = self.of(place.loop.name) @ contact.locked
            normal = local[..., 3:] @ contact.normal
            across = local[..., 3:] - normal[..., None] * contact.normal
            ok = normal >= 0.0
            if contact.friction is not None:
                ok = ok & (np.linalg.norm(across, axis=-1) <= contact.friction * normal)
            if contact.torsion is not None:
                ok = ok & (np.abs(local[..., :3] @ contact.normal) <= contact.torsion * normal)
            pressing[..., i], holds[..., i] = normal, ok
        return pressing, holds

    def report(self) -> str:
        """One line a loop: whether it holds, and the least that it presses with."""
        lines: list[str] = []
        for i, place in enumerate(self.system.places):
            lost, total = int((~self.holds[..., i]).sum()), int(self.holds[..., i].size)
            if place.loop.contact.normal is None:
                lines.append(f"{place.loop.name}: holds both ways ({place.loop.contact.kind})")
                continue
            worst = float(self.pressing[..., i].min(initial=np.inf))
            how = "holds" if lost == 0 else f"{'pulls' if worst < 0.0 else 'slips'} in {lost} of {total} states"
            lines.append(f"{place.loop.name}: {how}, pressing with {worst:.3g} at least")
        return "\n".join(lines)


class Motion(Contacts):
    """Forward dynamics of a closed chain.

    `acceleration` (*batch, nv) is unique even where Ω is singular; `contact_force` (*batch, m) is then the least of
    those that give it, `rank` (*batch) the rank of Ω, and m - rank internal forces could be added (`internal_forces`).
    """

    acceleration: Floats

    def __init__(
        self, system: ClosedRobot, q: ArrayLike, contact_force: Floats, acceleration: Floats, rank: Floats
    ) -> None:
        self.system, self._q, self.contact_force = system, q, contact_force
        self.acceleration, self._rank = acceleration, rank

    @cached_property
    def rank(self) -> Ints:
        """The rank of Ω, integers (*batch); -1 where the state is NaN."""
        rank = np.asarray(self._rank)
        lost = np.isnan(rank) | np.isnan(self.contact_force).any(axis=-1)
        return np.where(lost, -1, rank).astype(np.intp)


class HybridMotion(Motion):
    """Hybrid dynamics of a closed chain: a `Motion` with the complete `torque`, (*batch, nv)."""

    torque: Floats

    def __init__(
        self,
        system: ClosedRobot,
        q: ArrayLike,
        contact_force: Floats,
        acceleration: Floats,
        rank: Floats,
        torque: Floats,
    ) -> None:
        super().__init__(system, q, contact_force, acceleration, rank)
        self.torque = torque


class Effort(Contacts):
    """Inverse dynamics of a closed chain: `torque` (*batch, nv), zero without a motor, and the contact forces."""

    torque: Floats

    def __init__(self, system: ClosedRobot, q: ArrayLike, contact_force: Floats, torque: Floats) -> None:
        super().__init__(system, q, contact_force)
        self.torque = torque


@dataclass(frozen=True, eq=False)
class Mobility:
    """How a closed chain can move at q: each an integer for every state, -1 where q is NaN."""

    rank: Ints  # independent constraints
    freedoms: Ints  # nv - rank
    redundancy: Ints  # m - rank: constraints that others imply, and so internal forces


@dataclass(frozen=True, eq=False)
class Capture:
    """A chain whose loops have just changed, with the state carried over, and the impulse of it (contact rows)."""

    system: ClosedRobot
    q: Floats
    v: Floats
    impulse: Floats
