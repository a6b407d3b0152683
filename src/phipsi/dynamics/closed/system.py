"""ClosedRobot: a robot with loops closed; thin verbs, each of which has a file of its own."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.closed import forward, geometry, hybrid, inverse, least, native, projection
from phipsi.dynamics.closed.grasp import Loop, Place
from phipsi.dynamics.closed.motion import Capture, Contacts, Effort, HybridMotion, Mobility, Motion
from phipsi.model.reading import Bools, Floats, batch_of, count, number, one_of, real
from phipsi.model.robot import Robot


class ClosedRobot:
    """A robot whose loops are closed; immutable, made by `robot.close(pp.Grasp(...), ...)`.

    M a + C = τ + J* f, J a + J̇v = 0. J has `rows` = m rows, those of each loop together (`rows_of`), its locked
    directions in contact axes, angular before linear; f are the forces on the tips in the same directions.
    Contacts that press are taken as if they also pulled: motions say whether they do (`holds`, `report()`).

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> q, v = arm.random(rng=0)
    >>> held = arm.close(pp.Loop("hand", "world", pp.contact.point(), at=q))
    >>> held
    <ClosedRobot 'arm': 1 loop, 3 constraints on nv = 7>
    >>> bool(np.abs(held.constraint_jacobian(q) @ held.project_velocity(q, v)).max() < 1e-12)
    True
    """

    def __init__(
        self, robot: Robot, loops: Sequence[Loop | Sequence[Loop]], baumgarte: tuple[float, float] = (0.0, 1.0)
    ) -> None:
        flat: list[Loop] = []
        for item in loops:
            flat.extend(cast("Sequence[Loop]", item) if isinstance(item, (list, tuple)) else [cast("Loop", item)])
        for loop in flat:
            if not isinstance(loop, Loop):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise errors.wrong_type("close", "loops", "Grasp or Loop objects", loop)
        self.robot = robot
        self.places: tuple[Place, ...] = tuple(loop.found(robot) for loop in flat)
        names = [loop.name for loop in flat]
        for name in names:
            if names.count(name) > 1:
                raise errors.loop_name_taken(name)
        self._ends = np.cumsum([0, *(len(loop.contact.locked) for loop in flat)]).tolist()
        self.rows: int = int(self._ends[-1])
        self.baumgarte = baumgarte
        self._native = native.closure(robot, self.places, baumgarte)

    # ── what it is ────────────────────────────────────────────────────────────────────────────────────────────────────

    @property
    def loops(self) -> tuple[Loop, ...]:
        """The loops, each with its place said by `offset`."""
        return tuple(place.pinned for place in self.places)

    def rows_of(self, name: str) -> slice:
        """Which rows of J, and numbers of contact forces, are those of a loop."""
        names = [place.loop.name for place in self.places]
        if name not in names:
            raise errors.unknown_name("loop", name, names)
        i = names.index(name)
        return slice(int(self._ends[i]), int(self._ends[i + 1]))

    def row_owner(self, row: int) -> str:
        """The name of the loop that a row belongs to."""
        return self.places[int(np.searchsorted(self._ends, row, side="right")) - 1].loop.name

    # ── constraints ───────────────────────────────────────────────────────────────────────────────────────────────────

    def constraint_jacobian(self, q: ArrayLike) -> Floats:
        """J (*batch, m, nv), with J v = 0 where the loops stay closed."""
        return geometry.jacobian(self.robot, self.places, self._read("constraint_jacobian", "q", q))

    def constraint_rate(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """J̇ v (*batch, m), with J a + J̇ v = 0 where the loops stay closed."""
        q, v = self._read_all("constraint_rate", q=q, v=v)
        return geometry.rate(self.robot, self.places, q, v)

    def closure_error(self, q: ArrayLike) -> Floats:
        """e (*batch, m): rotation vectors and gaps that remain, in the rows of J; zero for a lone locked spin."""
        return geometry.error(self.robot, self.places, self._read("closure_error", "q", q))

    def free_jacobian(self, q: ArrayLike) -> Floats:
        """J of the directions that contacts leave free, loop by loop: W = J_free v, τ = J_free* T_c if driven."""
        return geometry.free_jacobian(self.robot, self.places, self._read("free_jacobian", "q", q))

    def mobility(self, q: ArrayLike) -> Mobility:
        """Rank of the constraints, freedoms left, constraints too many; an integer for each state, -1 if it is NaN."""
        rank = forward.response(self, self._read("mobility", "q", q)).factors.rank
        lost = rank < 0
        return Mobility(rank, np.where(lost, -1, self.robot.nv - rank), np.where(lost, -1, self.rows - rank))

    def internal_forces(self, q: ArrayLike) -> Floats:
        """An orthonormal basis of the contact forces that move nothing, null(Ω) = null(J*): (*batch, m, k)."""
        return least.basis(forward.response(self, self._read("internal_forces", "q", q)).factors.internal)

    # ── dynamics ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        f_ext: ArrayLike | None = None,
        contact_torque: ArrayLike | None = None,
    ) -> Motion:
        """Accelerations and contact forces. [RK88 II 4.9]

        q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6) as of the open robot; `contact_torque`
        (*batch, free directions) drives what contacts leave free (rows of `free_jacobian`). v should have J v = 0.
        """
        verb = "forward_dynamics"
        if contact_torque is not None:
            J = geometry.free_jacobian(self.robot, self.places, self._read(verb, "q", q))
            drive = real(contact_torque, verb, "contact_torque", "a number for each free direction")
            if drive.shape[-1:] != (J.shape[-2],):
                raise errors.shape(verb, "contact_torque", "free directions", f"(*batch, {J.shape[-2]})", drive.shape)
            tau = self._read(verb, "tau", tau) + (drive[..., None, :] @ J)[..., 0, :]
        a, f, rank = self.robot._closed_dynamics(self._native, q, v, tau, f_ext)  # pyright: ignore[reportPrivateUsage]
        return Motion(self, q, f, a, rank)

    def hybrid_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        a: ArrayLike,
        passive: str | Sequence[str] | ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
    ) -> HybridMotion:
        """Driven dofs accelerate as `a` says, passive ones feel `tau`; what each lacks is found, and contact forces.

        `passive` as in `Robot.hybrid_dynamics`: names, or bools (nv,) or (*batch, nv); default: the robot's own mask.
        Driven dofs may push against each other through the loops; f is then the least, the torques those with it.
        """
        verb = "hybrid_dynamics"
        q, v, tau, a = self._read_all(verb, q=q, v=v, tau=tau, a=a)
        forces = None if f_ext is None else real(f_ext, verb, "f_ext", "forces (*batch, n, 6)")
        return hybrid.motion(self, q, v, tau, a, hybrid.mask_of(self.robot, passive), forces)

    @cached_property
    def weightless(self) -> Robot:
        """The robot without gravity."""
        return self.robot.with_gravity((0.0, 0.0, 0.0))

    def contacts(self, q: ArrayLike, contact_force: ArrayLike) -> Contacts:
        """Contact forces as a run records them, to be asked for wrenches, and for contacts that would have let go.

        `closed.contacts(run.q, run.contact_force).report()` says which did not hold, and for how many of the states.
        """
        forces, of_q = self._forces("contacts", contact_force), self._read("contacts", "q", q)
        batch_of("contacts", q=of_q.shape[:-1], contact_force=forces.shape[:-1])
        return Contacts(self, of_q, forces)

    def drift(self, q: Floats, v: Floats) -> Floats:
        """J̇ v, and what Baumgarte's stabilisation adds: 2 ζ ω J v + ω² e."""
        out = geometry.rate(self.robot, self.places, q, v)
        omega, zeta = self.baumgarte
        if omega > 0.0:
            e, J = geometry.error(self.robot, self.places, q), geometry.jacobian(self.robot, self.places, q)
            out = out + 2.0 * zeta * omega * (J @ v[..., None])[..., 0] + omega**2 * e
        return out

    def with_baumgarte(self, frequency: float, damping: float = 1.0) -> ClosedRobot:
        """With closure errors pulled back inside forward dynamics, ë + 2 ζ ω ė + ω² e = 0. Projection is better."""
        omega = number(frequency, "with_baumgarte", "frequency", "a number of radians a second")
        zeta = number(damping, "with_baumgarte", "damping")
        for symbol, value in (("frequency", omega), ("damping", zeta)):
            if not value >= 0.0:
                raise errors.negative("with_baumgarte", symbol, value)
        return ClosedRobot(self.robot, self.loops, (omega, zeta))

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        f_ext: ArrayLike | None = None,
        *,
        actuated: str | Sequence[str] | ArrayLike | None = None,
        contact_force: ArrayLike | None = None,
        share: ArrayLike | None = None,
        least: Literal["force", "torque"] = "force",
        check: bool = True,
    ) -> Effort:
        """Torques that make a motion, and the contact forces that go with it. [RK88 II 3.2]

        Motors: `actuated` (names or a bool for each dof; default: all that are not passive). Where more forces than one
        do it, the contact forces nearest to `contact_force` (default 0: the least) are taken, so adding an internal
        force to it squeezes harder; `share` (one number a loop) lets loops with more of it carry more; and
        `least="torque"` spends the choice on small torques instead. The motion must be one of the closed chain
        (`project_acceleration`), or a ClosureError says how far it is from one.
        """
        verb = "inverse_dynamics"
        q, v, a = self._read_all(verb, q=q, v=v, a=a)
        one_of(least, ("force", "torque"), verb, "least")
        if check:
            self._require_consistent(verb, q, v, a)
        motors: Bools = ~self.robot.passive if actuated is None else self.robot.mask(actuated, verb, "actuated")
        forces: Any = None if f_ext is None else real(f_ext, verb, "f_ext", "forces (*batch, n, 6)")
        needs = self.robot.inverse_dynamics(q, v, a, forces)
        preferred = np.zeros(self.rows)
        if contact_force is not None:
            preferred = self._forces(verb, contact_force)
        tau, f = inverse.torques(self, q, needs, motors, preferred, self._weights(share), least)
        return Effort(self, q, f, tau)

    # ── consistency ───────────────────────────────────────────────────────────────────────────────────────────────────

    def project_position(
        self,
        q: ArrayLike,
        free: str | Sequence[str] | ArrayLike | None = None,
        tolerance: float = 1e-12,
        iterations: int = 50,
    ) -> Floats:
        """q with its loops closed: Gauss-Newton along the `free` dofs (names or bools; default: all)."""
        verb = "project_position"
        mask: Bools = np.ones(self.robot.nv, bool) if free is None else self.robot.mask(free, verb, "free")
        limit = number(tolerance, verb, "tolerance")
        if not 0.0 < limit < np.inf:
            raise errors.not_positive(verb, "tolerance", tolerance)
        most = count(iterations, verb, "iterations", "a whole number")
        return projection.position(self, self._read(verb, "q", q), mask, limit, most)

    def project_velocity(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """The velocity with J v = 0 that is nearest in the mass metric: what an inelastic capture leaves."""
        verb = "project_velocity"
        q, v = self._read_all(verb, q=q, v=v)
        return v + self.projected(verb, q, v)[0]

    def project_acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Floats:
        """The acceleration with J a + J̇v = 0 that is nearest in the mass metric."""
        q, v, a = self._read_all("project_acceleration", q=q, v=v, a=a)
        return projection.acceleration(self, q, v, a)

    def projected(self, verb: str, q: ArrayLike, v: ArrayLike | None) -> tuple[Floats, Floats, Floats, Floats]:
        """The kernel of both projections: the change, the impulse, the rank of Ω, and J v or e as it was."""
        return self.robot._closed_projection(self._native, verb, q, v)  # pyright: ignore[reportPrivateUsage]

    # ── attach and release ────────────────────────────────────────────────────────────────────────────────────────────

    def close(self, *loops: Loop | Sequence[Loop]) -> ClosedRobot:
        """With more loops closed, as `Robot.close`; `attach` also carries a moving state over."""
        if not any(True for loop in loops if not isinstance(loop, (list, tuple)) or loop):
            raise errors.no_loops()
        return ClosedRobot(self.robot, [*self.loops, *loops], self.baumgarte)

    def attach(self, *loops: Loop, q: ArrayLike, v: ArrayLike) -> Capture:
        """With more loops closed, inelastically: the velocity jumps by M⁻¹ J* p; momentum is kept, energy is lost."""
        return captured(ClosedRobot(self.robot, [*self.loops, *loops], self.baumgarte), q, v)

    def release(self, *names: str, q: ArrayLike, v: ArrayLike) -> Capture:
        """With some loops let go; the state stays as it is, the impulse is empty of jumps (zero)."""
        known = [place.loop.name for place in self.places]
        for name in names:
            if name not in known:
                raise errors.no_such_loop(name, known)
        rest = [loop for loop in self.loops if loop.name not in names]
        q, v = self._read("release", "q", q), self._read("release", "v", v)
        system = ClosedRobot(self.robot, rest, self.baumgarte)
        return Capture(system, q, v, np.zeros((*v.shape[:-1], system.rows)))

    def __reduce__(self) -> tuple[Any, ...]:
        return ClosedRobot, (self.robot, self.loops, self.baumgarte)

    def __repr__(self) -> str:
        loops = f"{len(self.places)} loop{'' if len(self.places) == 1 else 's'}"
        return f"<ClosedRobot {self.robot.name!r}: {loops}, {self.rows} constraints on nv = {self.robot.nv}>"

    # ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, verb: str, symbol: str, value: ArrayLike) -> Floats:
        size = self.robot.nq if symbol == "q" else self.robot.nv
        array = real(value, verb, symbol, "an array of real numbers")
        if array.shape[-1:] != (size,):
            meanings = {"q": "configuration", "v": "velocity", "a": "acceleration", "tau": "joint torques"}
            raise errors.shape(verb, symbol, meanings[symbol], f"(*batch, {size})", array.shape)
        return array

    def _read_all(self, verb: str, **values: ArrayLike) -> list[Floats]:
        """The same of several, whose batch axes broadcast."""
        arrays = {symbol: self._read(verb, symbol, value) for symbol, value in values.items()}
        batch_of(verb, **{symbol: array.shape[:-1] for symbol, array in arrays.items()})
        return list(arrays.values())

    def _forces(self, verb: str, value: ArrayLike) -> Floats:
        array = real(value, verb, "contact_force", "a number for each row of J")
        if array.shape[-1:] != (self.rows,):
            raise errors.shape(verb, "contact_force", "rows of J", f"(*batch, {self.rows})", array.shape)
        return array

    def _weights(self, share: ArrayLike | None) -> Floats:
        if share is None:
            return np.ones(self.rows)
        each = real(share, "inverse_dynamics", "share", "one positive number for each loop")
        if each.shape != (len(self.places),):
            raise errors.model_shape(
                "inverse_dynamics", "share", f"({len(self.places)},) numbers, one a loop", each.shape
            )
        if not np.all((each > 0.0) & (each < np.inf)):
            raise errors.not_positive("inverse_dynamics", "share", each.tolist())
        return np.repeat(each, np.diff(self._ends))

    def _require_consistent(self, verb: str, q: Floats, v: Floats, a: Floats) -> None:
        J = self.constraint_jacobian(q)
        for symbol, x in (
            ("v", (J @ v[..., None])[..., 0]),
            ("a", (J @ a[..., None])[..., 0] + self.constraint_rate(q, v)),
        ):
            scale = 1.0 + float(np.nanmax(np.abs(v if symbol == "v" else a), initial=0.0))
            size = np.abs(x)
            if np.any(size > 1e-7 * scale):
                row = int(np.argmax(np.nan_to_num(size).reshape(-1, self.rows).max(axis=0)))
                raise errors.not_consistent(verb, symbol, float(np.nanmax(size)), 1e-7 * scale, self.row_owner(row))


def captured(system: ClosedRobot, q: ArrayLike, v: ArrayLike) -> Capture:
    """A chain just closed on a moving robot: velocities after the impulse. `captured(robot.close(...), q, v)`."""
    q, v = system._read("attach", "q", q), system._read("attach", "v", v)  # pyright: ignore[reportPrivateUsage]
    change, impulse, _, _ = system.projected("attach", q, v)
    return Capture(system, q, v + change, impulse)
