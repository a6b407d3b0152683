"""One free-flying robot seen from two bases: its states, torques and mass matrices, both ways.

v' = T v, where T is the identity but for two things: the new base's rows are the body Jacobian of the new base, and the
joints between the bases are turned round. T is T_{k,n} of JR95f's Appendix A (corrected), in body-axes base velocities.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.joints import Joint
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, Ints, batch_of, real
from phipsi.model.rebase import Rerooted, Turned, adjoint, columns, rebase
from phipsi.model.rotation import from_quaternion, to_quaternion

if TYPE_CHECKING:
    from phipsi.model.robot import Robot


class Rebasing:
    """A robot, the same robot with another base, and the maps between their states.

    `there.robot` is the other robot; `there.configuration(q)`, `velocity(q, v)`, `acceleration(q, v, a)`,
    `torque(q, tau)` and `bodies(x)` carry over what belongs to the first; `there.back` has the same, the other way.

    >>> import phipsi as pp
    >>> ship = pp.zoo.arm_satellite()
    >>> there = ship.rebasing("arm/hand")
    >>> q, v = ship.random(100, rng=0)
    >>> q1, v1 = there.state(q, v)
    >>> there.robot.pose(q1, "base").isclose(ship.pose(q, "base"))
    True
    >>> bool(abs(there.robot.kinetic_energy(q1, v1) - ship.kinetic_energy(q, v)).max() < 1e-9)
    True
    """

    robot: Robot  # the other one
    origin: Robot
    base: str  # the other one's base
    back: Rebasing

    def __init__(self, robot: Robot, body: str) -> None:
        index, _ = robot.frame(body)
        if index < 0:
            raise errors.base_in_the_world(body)
        found = rebase(robot.description, index)
        other = robot if not found.joints else type(robot)(found.description)
        self._describe(robot, other, found, forward=True)
        self.back = object.__new__(Rebasing)
        self.back._describe(other, robot, found, forward=False)
        self.back.back = self

    def _describe(self, origin: Robot, robot: Robot, found: Rerooted, forward: bool) -> None:
        self.origin, self.robot = origin, robot
        self._base = found.base if forward else found.old_root
        self.base = (origin if forward else robot).body_names[self._base]
        self._plan = _plan(origin, robot, found, forward)

    # ── states ────────────────────────────────────────────────────────────────────────────────────────────────────

    def configuration(self, q: ArrayLike) -> Floats:
        """q of the other robot, (*batch, nq')."""
        q = self.origin.normalize(q)
        out = np.zeros((*q.shape[:-1], self.robot.nq))
        out[..., self._plan.q.there] = q[..., self._plan.q.here]
        for joint in self._plan.turned:
            out[..., joint.q.there] = joint.coordinates(q[..., joint.q.here])
        if self._plan.base is not None:
            pose = self.origin.pose(q, self.base)
            if self._plan.placement is not None:
                pose = self._plan.placement.inv @ pose
            out[..., self._plan.base.q] = np.concatenate([to_quaternion(pose.rotation), pose.position], axis=-1)
        return out

    def velocity(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """v' = T v, (*batch, nv)."""
        return self._rates(q, v, lambda q, v: self.origin.velocity(q, v, self.base, "body"))

    def acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Floats:
        """The rate of v': T a + (dT/dt) v, (*batch, nv). Joints turned round add nothing to it, the base does."""
        return self._rates(q, a, lambda q, a: self.origin.acceleration(q, v, a, self.base, "body"))

    def state(self, q: ArrayLike, v: ArrayLike) -> tuple[Floats, Floats]:
        """q and v of the other robot."""
        return self.configuration(q), self.velocity(q, v)

    def torque(self, q: ArrayLike, tau: ArrayLike) -> Floats:
        """T⁻* tau: the torques of the other robot that do the same work, (*batch, nv)."""
        inverse = self.back.matrix(self.configuration(q))
        tau = _read("torque", "tau", "joint torques", tau, self.origin.nv)
        batch_of("torque", q=inverse.shape[:-2], tau=tau.shape[:-1])
        return np.einsum("...ji,...j->...i", inverse, tau)

    def matrix(self, q: ArrayLike) -> Floats:
        """T with v' = T v, (*batch, nv, nv)."""
        q = self.origin.normalize(q)
        T = np.zeros((*q.shape[:-1], self.robot.nv, self.origin.nv))
        T[..., self._plan.v.there, self._plan.v.here] = 1.0
        for joint in self._plan.turned:
            T[..., joint.v.there[:, None], joint.v.here] = joint.rates(q[..., joint.q.here])
        if self._plan.base is not None:
            T[..., self._plan.base.v, :] = self.origin.jacobian(q, self.base, "body")
        return T

    def mass_matrix(self, q: ArrayLike, mass: ArrayLike | None = None) -> Floats:
        """T⁻* M T⁻¹: the other robot's mass matrix from this one's (`mass`, or computed here), (*batch, nv, nv)."""
        nv = self.origin.nv
        M = self.origin.mass_matrix(q) if mass is None else _read("mass_matrix", "mass", "mass matrix", mass, nv, nv)
        inverse = self.back.matrix(self.configuration(q))
        batch_of("mass_matrix", q=inverse.shape[:-2], mass=M.shape[:-2])
        return np.swapaxes(inverse, -1, -2) @ M @ inverse

    def bodies(self, x: ArrayLike) -> Floats:
        """What is given for each body, such as external forces (*batch, n, 6), in the other robot's order of bodies.

        Massless crosses of universal joints get zero.
        """
        x = real(x, "bodies", "x", f"numbers of shape (*batch, {self.origin.n}, m)")
        if x.ndim < 2 or x.shape[-2] != self.origin.n:
            raise errors.shape("bodies", "x", "a row for each body", f"(*batch, {self.origin.n}, m)", x.shape)
        out = np.zeros((*x.shape[:-2], self.robot.n, x.shape[-1]))
        out[..., self._plan.bodies.there, :] = x[..., self._plan.bodies.here, :]
        return out

    def _rates(self, q: ArrayLike, v: ArrayLike, base: Callable[[Floats, Floats], Floats]) -> Floats:
        q, v = self.origin.normalize(q), _read("rebasing", "v", "rates of the dofs", v, self.origin.nv)
        batch_of("rebasing", q=q.shape[:-1], v=v.shape[:-1])
        of_base = base(q, v)
        out = np.zeros((*of_base.shape[:-1], self.robot.nv))
        out[..., self._plan.v.there] = v[..., self._plan.v.here]
        for joint in self._plan.turned:
            S, own = joint.rates(q[..., joint.q.here]), v[..., joint.v.here]
            out[..., joint.v.there] = np.einsum("...ij,...j->...i", S, own)
        if self._plan.base is not None:
            out[..., self._plan.base.v] = of_base
        return out

    def __repr__(self) -> str:
        return f"<Rebasing of {self.origin.name!r} to {self.base!r}>"


def _read(verb: str, symbol: str, meaning: str, value: ArrayLike, *ending: int) -> Floats:
    """Numbers of shape (*batch, *ending)."""
    expected = f"(*batch, {', '.join(map(str, ending))})"
    array = real(value, verb, symbol, f"numbers of shape {expected}")
    if array.shape[max(array.ndim - len(ending), 0) :] != ending:
        raise errors.shape(verb, symbol, meaning, expected, array.shape)
    return array


# ── which number goes where ───────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True, eq=False)
class _Places:
    """Which numbers of one robot are which of the other."""

    here: Ints
    there: Ints

    def seen(self, forward: bool) -> _Places:
        """The same, from the first robot (as they are made) or from the second."""
        return self if forward else _Places(self.there, self.here)


@dataclass(frozen=True, eq=False)
class _Joint:
    """A turned joint's numbers in both robots."""

    q: _Places
    v: _Places
    how: str
    source: Joint
    target: Joint
    placement: Pose  # of the source's joint in the body that is its parent there

    @cached_property
    def _constant(self) -> tuple[Floats, Floats]:
        """S = left Ad_m right."""
        return np.linalg.pinv(columns(self.target)) @ -adjoint(self.placement), columns(self.source)

    def coordinates(self, q: Floats) -> Floats:
        """q of the joint turned round."""
        if self.how == "slide":
            return -np.einsum("ij,...j->...i", self.placement.rotation, q)
        if self.how == "swap":
            return q[..., ::-1]
        if self.how == "copy":
            return q
        motion = self.placement @ _motion(self.source, q).inv @ self.placement.inv
        if self.target.kind == "spherical":
            return to_quaternion(motion.rotation)
        if self.target.kind == "planar":
            n, along = self.target.parameters[:3], self.target.parameters[3:6]
            plane = np.stack([along, np.cross(n, along)])
            return np.concatenate([-q[..., :1], motion.position @ plane.T], axis=-1)
        return np.concatenate([to_quaternion(motion.rotation), motion.position], axis=-1)

    def rates(self, q: Floats) -> Floats:
        """S with v' = S v, (*batch, m, m)."""
        m = len(self.v.there)
        if self.how == "copy":
            return np.eye(m)
        if self.how == "swap":
            return np.eye(m)[::-1]
        if self.how == "slide":
            return -self.placement.rotation
        left, right = self._constant
        return left @ adjoint(_motion(self.source, q)) @ right


def _motion(joint: Joint, q: Floats) -> Pose:
    """The joint's displacement at unit-length q."""
    if joint.kind == "spherical":
        return Pose.trusted(from_quaternion(q), np.zeros((*q.shape[:-1], 3)))
    if joint.kind == "planar":
        n, along = joint.parameters[:3], joint.parameters[3:6]
        half = 0.5 * q[..., :1]
        turn = from_quaternion(np.concatenate([np.cos(half), np.sin(half) * n], axis=-1))
        return Pose.trusted(turn, q[..., 1:] @ np.stack([along, np.cross(n, along)]))
    return Pose.trusted(from_quaternion(q[..., :4]), np.array(q[..., 4:]))


@dataclass(frozen=True, eq=False)
class _Base:
    q: slice
    v: slice


@dataclass(frozen=True, eq=False)
class _Plan:
    """Numbers that are copied, joints that are turned, and the base."""

    q: _Places
    v: _Places
    bodies: _Places
    turned: tuple[_Joint, ...]
    base: _Base | None  # where the new base's numbers go; None: the base stays
    placement: Pose | None  # of the free joint


def _plan(origin: Robot, robot: Robot, found: Rerooted, forward: bool) -> _Plan:
    old, new = (origin, robot) if forward else (robot, origin)
    path = {found.old_root, *(k for k, _ in found.joints)} if found.joints else set[int]()
    pairs = [(k, row) for row, k in enumerate(found.order) if k >= 0]  # a body's numbers in both robots
    stay = [pair for pair in pairs if pair[0] not in path]
    joints, row = list[_Joint](), 1  # in the new robot the joints between the bases follow the base
    for k, turn in found.joints:
        joints.append(_joint(old, new, k, row, turn, forward))
        row += len(turn.new)
    base, placement = None, None
    if found.joints:
        k = 0 if forward else found.old_root
        of_q, of_v = (slice(int(index[k]), int(index[k + 1])) for index in (robot.q_index, robot.v_index))
        base, placement = _Base(of_q, of_v), robot.placements[k]
    bodies = _Places(_ints([k for k, _ in pairs]), _ints([row for _, row in pairs]))
    q, v = _numbers(old.q_index, new.q_index, stay), _numbers(old.v_index, new.v_index, stay)
    return _Plan(q.seen(forward), v.seen(forward), bodies.seen(forward), tuple(joints), base, placement)


def _joint(old: Robot, new: Robot, k: int, row: int, turn: Turned, forward: bool) -> _Joint:
    count = len(turn.new)
    q, v = _run(old.q_index, new.q_index, k, row, count), _run(old.v_index, new.v_index, k, row, count)
    source, target = (turn.old, turn.new[-1]) if forward else (turn.new[-1], turn.old)
    placement = turn.placement if forward else turn.placement.inv
    return _Joint(q.seen(forward), v.seen(forward), turn.how, source, target, placement)


def _run(a: Ints, b: Ints, k: int, row: int, joints: int) -> _Places:
    """The numbers of joint k of one robot, and those of some joints of the other from `row` on."""
    return _Places(np.arange(a[k], a[k + 1], dtype=np.intp), np.arange(b[row], b[row + joints], dtype=np.intp))


def _numbers(a: Ints, b: Ints, pairs: list[tuple[int, int]]) -> _Places:
    """The numbers of joints that are in both robots."""
    runs = [_run(a, b, k, row, 1) for k, row in pairs]
    none = _ints([])
    return _Places(np.concatenate([none, *(x.here for x in runs)]), np.concatenate([none, *(x.there for x in runs)]))


def _ints(values: list[int]) -> Ints:
    return np.array(values, dtype=np.intp)
