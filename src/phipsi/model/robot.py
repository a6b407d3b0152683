"""Robot: the immutable model, and the thin verbs that read it or make another robot of it."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phipsi import _core, errors
from phipsi.model import edit, freezing, lookup, merging, sampling, springs
from phipsi.model.description import WORLD, Description, offsets, per_dof
from phipsi.model.inertia import Payload
from phipsi.model.joints import Joint
from phipsi.model.pose import Pose
from phipsi.model.properties import Mimic
from phipsi.model.reading import Bools, Floats, Ints
from phipsi.model.views import BodyView, JointView, tree

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration
    from phipsi.dynamics.closed.grasp import Loop
    from phipsi.dynamics.closed.system import ClosedRobot
    from phipsi.dynamics.hybrid import HybridMotion
    from phipsi.dynamics.rebasing import Rebasing

_REMEDY = "Its methods (add_frame, attach, with_gravity, ...) return new robots."


class Robot(_core.Robot):
    """A robot: bodies (parents first) held by joints, and named frames. Immutable, picklable, safe between threads.

    Made by `Builder`, the file loaders and `zoo`; edited by methods that return another robot. The dynamics are
    methods of the native base class, batched over leading axes: `inverse_dynamics`, `mass_matrix` and so on.

    All arrays are read-only. `nq` and `nv` count the numbers in q and v; joint k owns q[q_index[k] : q_index[k + 1]]
    and v[v_index[k] : v_index[k + 1]]. Body k is moved by joint k.
    """

    def __init__(self, description: Description) -> None:
        if not isinstance(description, Description):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.wrong_type("Robot", "description", "a Description, as Builder, load and zoo make", description)
        super().__init__(**description.native(), passive=lookup.passive_mask(description))
        mass, com, inertia = description.loaded()
        parent = description.parent.astype(np.int32)
        for array in (mass, com, inertia, parent):
            array.flags.writeable = False
        # __setattr__ refuses; the instance's dictionary is the one door
        self.__dict__.update(_description=description, mass=mass, com=com, inertia=inertia, parent=parent)

    # ── what it is ────────────────────────────────────────────────────────────────────────────────────────────────

    mass: Floats  # (n,), payloads included
    com: Floats  # (n, 3), mass centres in body axes
    inertia: Floats  # (n, 3, 3), about the mass centres, body axes
    parent: NDArray[np.int32]  # (n,), -1 is the world
    _description: Description

    @property
    def description(self) -> Description:
        """The columns that the robot is made of; `Robot(robot.description) == robot`."""
        return self._description

    @property
    def name(self) -> str:
        """The robot's name."""
        return self._description.name

    @property
    def body_names(self) -> tuple[str, ...]:
        """Names of the n bodies, parents first."""
        return self._description.body_names

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The n joints; joint k moves body k."""
        return self._description.joints

    @cached_property
    def joint_names(self) -> tuple[str, ...]:
        """Names of the n joints."""
        return tuple(str(joint.name) for joint in self.joints)

    @cached_property
    def frame_names(self) -> tuple[str, ...]:
        """Every name that `pose`, `jacobian` and their like take: the bodies, then the added frames."""
        return (*self.body_names, *(frame.name for frame in self._description.frames))

    @property
    def placements(self) -> Pose:
        """The joints' fixed placements in their parent bodies, a batch of n."""
        return self._description.placements

    @property
    def gravity(self) -> Floats:
        """Acceleration of free fall, world axes, (3,)."""
        return self._description.gravity

    @cached_property
    def q_index(self) -> Ints:
        """(n + 1,): joint k owns q[q_index[k] : q_index[k + 1]]."""
        return offsets([joint.nq for joint in self.joints])

    @cached_property
    def v_index(self) -> Ints:
        """(n + 1,): joint k owns v[v_index[k] : v_index[k + 1]]."""
        return offsets([joint.nv for joint in self.joints])

    @cached_property
    def armature(self) -> Floats:
        """Rotor inertia seen at each dof, (nv,): added to the mass matrix's diagonal."""
        return per_dof(self.joints, "armature")

    @cached_property
    def damping(self) -> Floats:
        """Torque per velocity, (nv,). See `passive_forces`."""
        return per_dof(self.joints, "damping")

    @cached_property
    def friction(self) -> Floats:
        """Coulomb friction, (nv,). See `passive_forces`."""
        return per_dof(self.joints, "friction")

    @cached_property
    def stiffness(self) -> Floats:
        """Torque per displacement from rest, (nv,). See `passive_forces`."""
        return per_dof(self.joints, "stiffness")

    @cached_property
    def rest(self) -> Floats:
        """Where the springs are slack, as displacements from neutral, (nv,). See `passive_forces`."""
        return per_dof(self.joints, "rest")

    @cached_property
    def lower(self) -> Floats:
        """Lower limits, (nv,), -inf where there is none."""
        return per_dof(self.joints, "lower")

    @cached_property
    def upper(self) -> Floats:
        """Upper limits, (nv,), inf where there is none."""
        return per_dof(self.joints, "upper")

    @cached_property
    def velocity_limit(self) -> Floats:
        """Limits of |v|, (nv,), inf where there is none."""
        return per_dof(self.joints, "velocity_limit")

    @cached_property
    def effort_limit(self) -> Floats:
        """Limits of |tau|, (nv,), inf where there is none."""
        return per_dof(self.joints, "effort_limit")

    @cached_property
    def passive(self) -> Bools:
        """Which dofs have no motor, (nv,): free bases, unless a joint's `passive=` or `with_passive` says otherwise."""
        return lookup.passive_mask(self._description)

    @cached_property
    def mimic(self) -> Mapping[str, Mimic]:
        """Which joints ask to follow another one, by name. Kept for simulators; the dynamics leave them free."""
        named = zip(self.joint_names, self.joints, strict=True)
        return MappingProxyType({name: joint.mimic for name, joint in named if joint.mimic is not None})

    @property
    def attached(self) -> tuple[str, ...]:
        """What `detach` can take off again: payloads, then robots."""
        return (*(payload.name for payload in self._description.payloads), *self._description.groups)

    # ── asking by name ────────────────────────────────────────────────────────────────────────────────────────────

    def joint(self, name: str) -> JointView:
        """Joint `name`: its slices `.q` and `.v`, its `.index`, and the `.joint` itself."""
        k = lookup.index(self._joint_index, "joint", name)
        q, v = self.q_index, self.v_index
        parent = "world" if self.parent[k] == WORLD else self.body_names[int(self.parent[k])]
        slices = slice(int(q[k]), int(q[k + 1])), slice(int(v[k]), int(v[k + 1]))
        return JointView(name, k, self.joints[k], *slices, self.body_names[k], parent)

    def body(self, name: str) -> BodyView:
        """Body `name`: its index, parent, joint, mass, mass centre and inertia (payloads included)."""
        k = lookup.index(self._body_index, "body", name)
        parent = "world" if self.parent[k] == WORLD else self.body_names[int(self.parent[k])]
        inertias = float(self.mass[k]), self.com[k], self.inertia[k]
        return BodyView(name, k, parent, self.joint_names[k], *inertias)

    def frame(self, name: str) -> tuple[int, Pose]:
        """Where a frame is: the index of its body (-1: the world) and its pose in that body."""
        return lookup.frame(self._description, self._body_index, self._frame_index, name)

    def joint_indices(self, names: str | Sequence[str], verb: str = "joint_indices") -> list[int]:
        """Numbers of the joints that `names` means, each a joint or the body it moves; `verb` speaks in errors."""
        return lookup.joints(self._joint_index, self._body_index, names, verb)

    @cached_property
    def _body_index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.body_names)}

    @cached_property
    def _joint_index(self) -> dict[str, int]:
        return {name: k for k, name in enumerate(self.joint_names)}

    @cached_property
    def _frame_index(self) -> dict[str, int]:
        return {frame.name: k for k, frame in enumerate(self._description.frames)}

    # ── states ────────────────────────────────────────────────────────────────────────────────────────────────────

    def pose(self, q: ArrayLike, target: str) -> Pose:
        """Pose of a frame or body in the world, batched like q."""
        return Pose.trusted(*self._pose(q, target))

    def poses(self, q: ArrayLike) -> Pose:
        """Poses of all bodies in the world: a batch of shape (*batch, n)."""
        return Pose.trusted(*self._poses(q))

    def random(
        self, size: int | tuple[int, ...] | None = None, rng: int | np.random.Generator | None = None
    ) -> tuple[Floats, Floats]:
        """A random state q, v: (nq,) and (nv,), or (*size, nq) and (*size, nv).

        Inside the limits, where there are two; otherwise angles are uniform in [-π, π], distances in [-1, 1] (shifted
        to a single limit), quaternions uniform over all rotations, positions of free joints normal. v is normal.

        >>> from phipsi import zoo
        >>> q, v = zoo.chain(7).random(1000, rng=0)
        >>> q.shape
        (1000, 7)
        """
        return sampling.random(self, self._sampling, size, rng)

    @cached_property
    def _sampling(self) -> sampling.Plan:
        return sampling.plan(self.joints, self.q_index, self.v_index)

    def passive_forces(self, q: ArrayLike, v: ArrayLike) -> Floats:
        """Torques of the joints' dampers, friction and springs, to be added to those of the motors; shape (*batch, nv).

        tau = -(damping v + friction sign(v) + stiffness difference(q_rest, q)), with q_rest = integrate(neutral, rest):
        q - rest for joints whose q̇ = v, the logarithm of the displacement in child axes for the others. Friction is
        zero at rest: sticking is the simulator's to solve. Where a spherical, planar or free joint's three stiffnesses
        differ, its spring has no potential, so energy is conserved only if they are equal.
        """
        return springs.passive_forces(self, q, v)

    def at(self, q: ArrayLike, passive: str | Sequence[str] | ArrayLike | None = None) -> Configuration:
        """The robot's operators at q: `s = robot.at(q)`, then `s.H`, `s.phi`, `s.M`, `s.mass.inv`.

        Nothing is computed before they are applied. q is `(*batch, nq)`; it is copied. With `passive` (names of joints
        or bodies, or a bool for each dof) the articulated quantities are those of the passive dofs, the others locked;
        without, all dofs are free to move, whatever the robot's own mask says.

        >>> from phipsi import zoo
        >>> robot = zoo.chain(7)
        >>> s = robot.at(robot.neutral())
        >>> print(s.mass.inv)
        (I - K.T @ psi.T @ H.T) @ D.inv @ (I - H @ psi @ K)
        """
        from phipsi.algebra.configuration import Configuration

        if passive is None:
            return Configuration(self, q)
        return Configuration(
            self, q, lookup.read_mask(self._description, self._joint_index, self._body_index, passive, "at")
        )

    # ── dofs without a motor ──────────────────────────────────────────────────────────────────────────────────────

    def generalized_jacobian(
        self,
        q: ArrayLike,
        target: str | Sequence[str],
        passive: str | Sequence[str] | ArrayLike | None = None,
        frame: Literal["world_aligned", "body", "world"] = "world_aligned",
        *,
        out: Floats | None = None,
        on_singular: Literal["raise", "nan"] = "raise",
    ) -> Floats:
        """J_G: how a frame follows the driven dofs while the passive ones yield. [JR93 6.11]

        α(frame) = J_G a_active + drift (`underactuated.frame_drift`), and if nothing but a free base is passive and its
        momentum is zero, V(frame) = J_G v_active. J_G = B* [1 - Ω M] φ* H_a*; it depends on the masses.
        q (*batch, nq) → (*batch, 6, Na), columns in the order of the active dofs; of m frames (a list) (*batch, 6m,
        Na). `passive` (names of joints or bodies, or a bool for each dof) stands in for the robot's own mask; `frame`
        as in `jacobian`. O(n) for each frame.

        >>> import phipsi as pp
        >>> ship = pp.zoo.arm_satellite()
        >>> ship.generalized_jacobian(ship.neutral(), "arm/hand").shape
        (6, 7)
        """
        mask = self.passive if passive is None else self.mask(passive, "generalized_jacobian")
        return self._generalized_jacobian(q, target, mask, frame, out, on_singular)

    def disturbance_jacobian(
        self,
        q: ArrayLike,
        passive: str | Sequence[str] | ArrayLike | None = None,
        *,
        out: Floats | None = None,
        on_singular: Literal["raise", "nan"] = "raise",
    ) -> Floats:
        """J_D: how the passive dofs yield to the driven ones, -S_ap* = -M_pp⁻¹ M_pa. [JR93 6.13]

        a_passive = J_D a_active + drift (`underactuated.passive_drift`), and v_passive = J_D v_active where the
        generalized momentum of the passive dofs is zero and conserved, as that of a free base is.
        q (*batch, nq) → (*batch, Np, Na), rows and columns in the order of the dofs; `passive` as in
        `generalized_jacobian`. O(n) for each column at most, and O(depth) where only the base is passive.
        """
        mask = self.passive if passive is None else self.mask(passive, "disturbance_jacobian")
        return self._disturbance_jacobian(q, mask, out, on_singular)

    def operational_space_compliance(
        self,
        q: ArrayLike,
        frames: str | Sequence[str],
        passive: str | Sequence[str] | ArrayLike | None = None,
        *,
        out: Floats | None = None,
        on_singular: Literal["raise", "nan"] = "raise",
    ) -> Floats:
        """Λ⁻¹ = J M⁻¹ J*: how frames yield to forces on them, B* ψ* H* D⁻¹ H ψ B. [JR95f 33]

        x = Λ⁻¹ f, with f the forces [moment; force] on the m frames and x their accelerations [angular; linear] over
        those without f; at the frames' origins, world axes, frame after frame as given. q (*batch, nq) → (*batch, 6m,
        6m), symmetric, and right where Λ does not exist: fewer than six dofs, aligned joints, two frames on one body.
        With `passive` (names of joints or bodies, or a bool for each dof) only those dofs yield, the others are
        locked; without, all dofs yield, whatever the robot's own mask says. O(n + m depth + m²).

        >>> import phipsi as pp
        >>> ship = pp.zoo.dual_arm_satellite()
        >>> q, _ = ship.random(rng=0)
        >>> both = ship.operational_space_compliance(q, ["left/hand", "right/hand"])
        >>> J = np.concatenate([ship.jacobian(q, "left/hand"), ship.jacobian(q, "right/hand")])
        >>> bool(abs(both - J @ ship.inverse_mass_matrix(q) @ J.T).max() < 1e-10)
        True
        """
        mask = None if passive is None else self.mask(passive, "operational_space_compliance")
        return self._operational_space_compliance(q, frames, mask, out, on_singular)

    def hybrid_motion(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        a: ArrayLike,
        passive: str | Sequence[str] | ArrayLike | None = None,
        f_ext: ArrayLike | None = None,
        on_singular: Literal["raise", "nan"] = "raise",
    ) -> HybridMotion:
        """`hybrid_dynamics` with all that it meets: (tau, a, accelerations, reaction_forces), by name or in this order.

        `accelerations` (*batch, n, 6) are the bodies' α(k), as `Robot.accelerations` gives them; `reaction_forces`
        (*batch, n, 6) the f(k) that the joints carry, of which tau = H f + armature a is the part along their axes.
        The same sweeps and a half: O(n).

        >>> import phipsi as pp
        >>> ship = pp.zoo.arm_satellite()
        >>> q, v = ship.random(rng=0)
        >>> m = ship.hybrid_motion(q, v, [0.0] * 13, [0.5] * 13)
        >>> bool(abs(m.reaction_forces[0]).max() < 1e-9)  # nothing holds a base that floats
        True
        """
        from phipsi.dynamics.hybrid import HybridMotion

        return HybridMotion(*self._hybrid_motion(q, v, tau, a, passive, f_ext, on_singular))

    def _masks(self, passive: str | Sequence[str] | ArrayLike, verb: str) -> Bools:
        """As `mask`, where each state of a batch may have its own: (nv,) or (*batch, nv)."""
        return lookup.read_mask(self._description, self._joint_index, self._body_index, passive, verb, batch=True)

    def mask(self, passive: str | Sequence[str] | ArrayLike, verb: str = "mask", symbol: str = "passive") -> Bools:
        """A bool for each dof, (nv,), of what a `passive=` means: names of joints or bodies, or such bools."""
        return lookup.read_mask(self._description, self._joint_index, self._body_index, passive, verb, symbol=symbol)

    # ── loops ─────────────────────────────────────────────────────────────────────────────────────────────────────────

    def close(self, *loops: Loop | Sequence[Loop]) -> ClosedRobot:
        """The robot with loops closed: hands on objects, ends of mechanisms on the world. See `ClosedRobot`.

        >>> import phipsi as pp
        >>> bars = pp.zoo.planar_arm(3)
        >>> bars.close(pp.Loop(bars.frame_names[-1], "world", pp.contact.revolute((0, 1, 0)), at=bars.neutral())).rows
        5
        """
        from phipsi.dynamics.closed.system import ClosedRobot

        if not any(True for loop in loops if not isinstance(loop, (list, tuple)) or loop):
            raise errors.no_loops()
        return ClosedRobot(self, loops)

    # ── other robots made of this one ─────────────────────────────────────────────────────────────────────────────

    def add_frame(self, name: str, parent: str, pose: Pose | None = None) -> Robot:
        """With a frame `name` at `pose` in `parent` (a body, a frame or "world")."""
        body, at = self.frame(parent)
        return Robot(edit.add_frame(self._description, name, body, at, pose))

    def placed(self, pose: Pose) -> Robot:
        """Standing elsewhere: everything that stands on the world is moved by `pose`. Gravity keeps its direction."""
        return Robot(edit.placed(self._description, pose))

    def attach(self, to: str, what: Payload | Robot, name: str | None = None, placement: Pose | None = None) -> Robot:
        """With a payload or another robot welded at `placement` in `to` (a body or a frame).

        A `Payload` needs a `name`: it becomes a frame, and its inertia is added to the body's. Another robot brings
        its bodies, joints and frames along (a root on a free joint is welded: that is what attaching means); `name`
        becomes a prefix "name/..." of all its names, needed only where names clash. `detach` undoes either exactly.
        The other robot's gravity is forgotten.
        """
        body, at = self.frame(to)
        if isinstance(what, Payload):
            return Robot(edit.attach_payload(self._description, body, at, what, name, placement))
        if not isinstance(what, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.wrong_type("attach", "what", "a Payload or a Robot", what)
        return Robot(edit.attach_robot(self._description, body, at, what._description, name, placement))

    def detach(self, name: str) -> Robot:
        """Without the payload or robot that was attached under `name` (by default, the attached robot's own name)."""
        return Robot(edit.detach(self._description, name))

    def freeze(
        self, joints: str | Sequence[str] | None = None, q: ArrayLike | Mapping[str, ArrayLike] | None = None
    ) -> Robot:
        """With `joints` (named by joint or body; None: all) made Fixed where q puts them. Bodies keep their names.

        q is a configuration of the whole robot, or a dict joint -> coordinates (its keys are then the default for
        `joints`, and what is absent stays neutral), or None: neutral.
        """
        return Robot(freezing.freeze(self, joints, q))

    def merge_fixed(self) -> Robot:
        """With every body behind a Fixed joint welded into its parent: same dynamics, fewer bodies.

        Its inertia is added to the parent's and its name becomes a frame. What is welded to the world leaves only
        frames (its mass carries nothing but a constant of the potential energy).
        """
        return Robot(merging.merge_fixed(self._description))

    def with_passive(self, passive: str | Sequence[str] | ArrayLike) -> Robot:
        """With another passive mask: names of joints (or of their bodies), or a bool for each dof, (nv,).

        It replaces the mask: `with_passive(["elbow"])` makes a free base active. `with_passive([])`: all are active.
        """
        mask = lookup.read_mask(self._description, self._joint_index, self._body_index, passive)
        return Robot(edit.with_passive(self._description, mask, self.v_index))

    def rebase(self, body: str) -> Robot:
        """The same free-flying robot with another base: the tree that holds `body` hangs on a free joint there.

        Bodies keep their names, frames and inertias; the joints between the two bases are turned round, so that
        scalar coordinates keep their values. Joints whose axis misses the frame that they now move become Custom.
        `rebasing(body)` also carries states, torques and mass matrices over, both ways.

        >>> import phipsi as pp
        >>> ship = pp.zoo.arm_satellite()
        >>> ship.rebase("arm/hand").body("arm/link7").parent
        'world'
        """
        return self.rebasing(body).robot

    def rebasing(self, body: str) -> Rebasing:
        """`rebase(body)`, together with the maps between the states of the two robots."""
        from phipsi.dynamics.rebasing import Rebasing

        return Rebasing(self, body)

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """With another gravity, world axes, (3,)."""
        return Robot(edit.with_gravity(self._description, gravity))

    def with_armature(self, armature: ArrayLike | Mapping[str, ArrayLike]) -> Robot:
        """With another armature: a number for all, or (nv,), or a dict joint -> number(s) (the others keep theirs)."""
        return Robot(edit.with_armature(self._description, armature, self._joint_index, self._body_index))

    # ── words ─────────────────────────────────────────────────────────────────────────────────────────────────────

    def to_urdf(self, path: str | os.PathLike[str] | None = None) -> str:
        """The robot as URDF text, also written to `path` if one is given."""
        from phipsi.model.urdf_write import to_urdf

        return to_urdf(self, path)

    def tree(self) -> str:
        """The tree of bodies in readable lines, for printing."""
        return tree(self._description)

    def __repr__(self) -> str:
        bodies = f"{self.n} {'body' if self.n == 1 else 'bodies'}"
        return f"<Robot {self.name!r}: {bodies}, nq = {self.nq}, nv = {self.nv}>"

    # ── one value, everywhere the same ────────────────────────────────────────────────────────────────────────────

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise errors.immutable("robot", name, _REMEDY)

    def __delattr__(self, name: str) -> NoReturn:
        raise errors.immutable("robot", name, _REMEDY)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Robot):
            return NotImplemented
        return self is other or self._description.same(other._description)

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.name, self.body_names, self.nq, self.nv))

    def __copy__(self) -> Robot:
        return self

    def __deepcopy__(self, memo: object) -> Robot:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Robot, (self._description,)
