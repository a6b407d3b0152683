"""The curves of a run that plots and reports share: energy, momentum, base, joints, torques, closure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from phipsi.model.reading import Floats
from phipsi.model.robot import Robot

from .record import Record


@dataclass(frozen=True)
class Quantities:
    """What can be said of one state of a record over time; computed when asked for."""

    record: Record
    state: int = 0

    @property
    def robot(self) -> Robot:
        """Whose motion it is."""
        return self.record.robot

    @property
    def t(self) -> Floats:
        """Times, (T,)."""
        return self.record.t

    @cached_property
    def q(self) -> Floats:
        """Configurations, (T, nq)."""
        return np.ascontiguousarray(self.record.q[:, self.state])

    @cached_property
    def v(self) -> Floats:
        """Velocities, (T, nv)."""
        return np.ascontiguousarray(self.record.v[:, self.state])

    @cached_property
    def tau(self) -> Floats | None:
        """Torques, (T, nv), where the run has them."""
        return self._extra("tau", (self.robot.nv,))

    @cached_property
    def kinetic(self) -> Floats:
        """Kinetic energy, (T,)."""
        return self.robot.kinetic_energy(self.q, self.v)

    @cached_property
    def potential(self) -> Floats:
        """Potential energy of gravity and of the joints' springs, (T,)."""
        k = self.robot.stiffness
        stored = self.robot.potential_energy(self.q)
        if k.any():
            rest = self.robot.integrate(self.robot.neutral(), self.robot.rest)
            stored = stored + 0.5 * (k * self.robot.difference(rest, self.q) ** 2).sum(axis=-1)
        return stored

    @cached_property
    def energy(self) -> Floats:
        """Their sum, (T,)."""
        return self.kinetic + self.potential

    @cached_property
    def momentum(self) -> Floats:
        """[angular; linear] about the world's origin, (T, 6)."""
        return self.robot.momentum(self.q, self.v)

    @cached_property
    def closure(self) -> Floats | None:
        """The largest closure error, (T,), where the run has it."""
        value = self.record.extra.get("closure")
        if value is None:
            return None
        value = value[:, self.state].reshape(self.t.size, -1)
        return np.fmax.reduce(np.abs(value), axis=-1) if value.shape[1] else None  # NaN: nothing was closed then

    @property
    def floats(self) -> bool:
        """Whether all of it floats freely, with nothing that changes its momentum but gravity."""
        roots = [k for k in range(self.robot.n) if self.robot.parent[k] < 0]
        return bool(roots) and all(self.robot.joints[k].kind == "free" for k in roots)

    @property
    def base(self) -> str | None:
        """The first body on a free joint of the world."""
        for k in range(self.robot.n):
            if self.robot.parent[k] < 0 and self.robot.joints[k].kind == "free":
                return self.robot.body_names[k]
        return None

    @property
    def driven(self) -> bool:
        """Whether the motion puts energy in or takes it out, as far as the run says."""
        dissipates = self.robot.damping.any() or self.robot.friction.any()
        return bool(dissipates or (self.tau is not None and self.tau.any()) or self.closure is not None)

    @cached_property
    def base_motion(self) -> tuple[Floats, Floats]:
        """How far the base has gone, (T, 3), and by how much it has turned since the start, (T,)."""
        pose = self.robot.pose(self.q, str(self.base))
        turned = pose.rotation @ pose.rotation[0].T
        cosine = (np.trace(turned, axis1=-2, axis2=-1) - 1) / 2
        sine = np.linalg.norm(turned - np.swapaxes(turned, -1, -2), axis=(-2, -1)) / np.sqrt(8)
        return pose.position - pose.position[0], np.arctan2(sine, cosine)

    def drift(self, values: Floats) -> Floats:
        """The largest change since the start, over the largest size of what changes, or 1 where that is tiny."""
        size = float(np.abs(values).max(initial=0.0))
        away = np.abs(values - values[0]).reshape(values.shape[0], -1).max(axis=-1)
        return away / (size if size > 1e-9 else 1.0)

    def coordinates(self, names: Sequence[str] | None = None) -> list[tuple[str, Floats]]:
        """Curves of the scalar joints (those with nq = nv), by name."""
        return self._joints(names, self.q, "q")

    def velocities(self, names: Sequence[str] | None = None) -> list[tuple[str, Floats]]:
        """Curves of the joints' velocities, by name; free bases only where named."""
        return self._joints(names, self.v, "v")

    def torques(self, names: Sequence[str] | None = None) -> list[tuple[str, Floats]]:
        """Curves of the torques that are not always zero, by name of the joint."""
        if self.tau is None:
            return []
        return [(name, curve) for name, curve in self._joints(names, self.tau, "tau") if curve.any()]

    def _joints(self, names: Sequence[str] | None, values: Floats, which: str) -> list[tuple[str, Floats]]:
        curves: list[tuple[str, Floats]] = []
        for name in self.robot.joint_names if names is None else names:
            view = self.robot.joint(name)
            scalar = view.joint.nq == view.joint.nv and view.joint.kind != "free"
            if not (scalar or (names is not None and which != "q")):
                continue
            columns = view.q if which == "q" else view.v
            labels = view.joint.q_labels if which == "q" else view.joint.v_labels
            part = values[:, columns]
            named = [name] if part.shape[1] == 1 else [f"{name} {label}" for label in labels]
            curves += zip(named, part.T, strict=True)
        return curves

    def _extra(self, name: str, shape: tuple[int, ...]) -> Floats | None:
        value = self.record.extra.get(name)
        return None if value is None or value.shape[2:] != shape else value[:, self.state]
