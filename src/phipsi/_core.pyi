"""The hot room: every kernel, for one state or for many."""

from collections.abc import Sequence
from typing import Any, Literal


import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

Rows = NDArray[np.int32]

class Robot:
    """The native robot: flat arrays and the verbs that run on them."""

    def __init__(self, **columns: Any) -> None: ...

    @property
    def n(self) -> int:
        """Bodies."""

    @property
    def nq(self) -> int:
        """Numbers in a configuration q."""

    @property
    def nv(self) -> int:
        """Degrees of freedom: numbers in v, a and tau."""

    def inverse_dynamics(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, f_ext: ArrayLike | None = None, *, out: Array | None = None) -> Array:
        """
        The joint torques of a motion: tau = M(q) a + bias(q, v) - J* f_ext. Known elsewhere as RNEA.

        tau = H φ [M (φ* (H* a + 𝔞)) + b - f_ext]; two sweeps, O(n).
        q (*batch, nq), v and a (*batch, nv), f_ext (*batch, n, 6) → tau (*batch, nv). f_ext: [moment; force] on each body at
        its origin, world axes. Damping, friction and springs are not in it: see passive_forces.

        >>> import phipsi as pp
        >>> arm = pp.zoo.chain(7)
        >>> q, v = arm.random(1000, rng=0)
        >>> arm.inverse_dynamics(q, v, a=0 * v).shape
        (1000, 7)
        """

    def forward_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None, *, out: Array | None = None, on_singular: Literal['raise', 'nan'] = 'raise') -> Array:
        """
        The joint accelerations that torques cause: a = M(q)⁻¹ (tau - bias(q, v) + J* f_ext). Known elsewhere as ABA.

        a = [1 - HψK]* D⁻¹ [1 - HψK] (tau - bias): the articulated recursion, three sweeps, O(n).
        q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6) → a (*batch, nv). All dofs are driven by tau, passive ones
        too. Where some D(k) is not positive there is no answer: SingularJoint, or NaN in those states with on_singular="nan".

        >>> import phipsi as pp
        >>> arm = pp.zoo.chain(7)
        >>> q, v = arm.random(rng=0)
        >>> a = arm.forward_dynamics(q, v, tau=[0.0] * 7)
        >>> bool(abs(arm.inverse_dynamics(q, v, a)).max() < 1e-9)
        True
        """

    def bias(self, q: ArrayLike, v: ArrayLike, f_ext: ArrayLike | None = None, *, out: Array | None = None) -> Array:
        """
        The torques that hold the accelerations at zero: velocity forces and gravity, less external forces.

        inverse_dynamics(q, v, 0, f_ext); O(n). q (*batch, nq), v (*batch, nv) → (*batch, nv).
        """

    def reaction_forces(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, f_ext: ArrayLike | None = None, *, out: Array | None = None) -> Array:
        """
        f(k), the force that each body receives through its joint, at its origin O_k, world axes, [moment; force].

        f = φ [M α + b - f_ext], of which tau = H f is the part along the joints; two sweeps, O(n).
        q (*batch, nq), v and a (*batch, nv), f_ext (*batch, n, 6) → (*batch, n, 6).
        """

    def gravity_torque(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """
        The torques that hold the robot still against gravity: dU/dq. O(n).

        q (*batch, nq) → (*batch, nv).
        """

    def mass_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """
        The mass matrix H φ M φ* H* + armature. Known elsewhere as CRBA.

        O(n) composite inertias, then one walk to the root per column. q (*batch, nq) → (*batch, nv, nv), both triangles.

        >>> import phipsi as pp
        >>> pp.zoo.chain(3).mass_matrix([0.0, 0.5, 1.0]).shape
        (3, 3)
        """

    def inverse_mass_matrix(self, q: ArrayLike, *, out: Array | None = None, on_singular: Literal['raise', 'nan'] = 'raise') -> Array:
        """
        The inverse of the mass matrix: [1 - HψK]* D⁻¹ [1 - HψK], without inverting a matrix larger than a D(k).

        O(n) articulated inertias and O(n²) for the entries; more accurate than inverting mass_matrix where that is
        ill-conditioned. q (*batch, nq) → (*batch, nv, nv). on_singular as in forward_dynamics.
        """

    def _mass_times(self, q: ArrayLike, x: ArrayLike) -> Array:
        """The mass matrix times x; see Configuration.mass."""

    def _mass_solve(self, q: ArrayLike, x: ArrayLike) -> Array:
        """The inverse of the mass matrix times x; see Configuration.mass."""

    def coriolis_matrix(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """
        C(q, v) with C v = bias(q, v) without gravity, and dM/dt - 2C skew.

        For coordinates with q̇ = v these are the Christoffel symbols'; free, spherical and planar joints have the same two
        properties in their quasi-velocities. O(n · depth). q (*batch, nq), v (*batch, nv) → (*batch, nv, nv).
        """

    def jacobian(self, q: ArrayLike, target: str, frame: Literal['world_aligned', 'body', 'world'] = 'world_aligned', *, out: Array | None = None) -> Array:
        """
        J with V(target) = J v, [angular; linear].

        target: a frame or body by name. frame: "world_aligned" (velocity of the frame's origin, world axes), "body" (the same
        in the frame's own axes) or "world" (of the body's point that is at the world's origin, world axes).
        q (*batch, nq) → (*batch, 6, nv). Only the columns of joints between the target and the world are not zero.

        >>> import phipsi as pp
        >>> pp.zoo.chain(7).jacobian([0.0] * 7, "link7").shape
        (6, 7)
        """

    def jacobian_dot_v(self, q: ArrayLike, v: ArrayLike, target: str, frame: Literal['world_aligned', 'body', 'world'] = 'world_aligned', *, out: Array | None = None) -> Array:
        """
        dJ/dt v: the rate of V(target) while all joint accelerations are zero, in the sense that `frame` says.

        acceleration(q, v, a, target, frame) = jacobian(q, target, frame) a + jacobian_dot_v(q, v, target, frame). O(n).
        q (*batch, nq), v (*batch, nv) → (*batch, 6).
        """

    def velocity(self, q: ArrayLike, v: ArrayLike, target: str, frame: Literal['world_aligned', 'body', 'world'] = 'world_aligned', *, out: Array | None = None) -> Array:
        """
        [angular; linear] velocity of a frame: jacobian(q, target, frame) v, in O(n).

        q (*batch, nq), v (*batch, nv) → (*batch, 6).
        """

    def acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, target: str, frame: Literal['world_aligned', 'body', 'world'] = 'world_aligned', *, out: Array | None = None) -> Array:
        """
        The time derivative of velocity(q, v, target, frame), in O(n). True acceleration: gravity is not in it.

        For "world_aligned" it is the inertial derivative [ω̇; v̇ of the frame's origin]; for "body" the rate of the numbers in
        the moving axes. q (*batch, nq), v and a (*batch, nv) → (*batch, 6).
        """

    def velocities(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """
        V = φ* H* v: [angular; linear] velocity of every body at its origin O_k, world axes. One sweep, O(n).

        q (*batch, nq), v (*batch, nv) → (*batch, n, 6).
        """

    def accelerations(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, out: Array | None = None) -> Array:
        """
        α = φ* (H* a + 𝔞): inertial derivatives [ω̇; v̇ of O_k] of every body, world axes. One sweep, O(n).

        True accelerations: a robot at rest has none, whatever its gravity. q (*batch, nq), v and a (*batch, nv) →
        (*batch, n, 6).
        """

    def _pose(self, q: ArrayLike, target: str) -> tuple[Array, Array]:
        """Rotation (*batch, 3, 3) and position (*batch, 3) of a frame."""

    def _poses(self, q: ArrayLike) -> tuple[Array, Array]:
        """
        Rotations (*batch, n, 3, 3) and positions (*batch, n, 3) of the bodies.
        """

    def momentum(self, q: ArrayLike, v: ArrayLike, about: Literal['world', 'com'] = 'world', *, out: Array | None = None) -> Array:
        """
        [angular; linear] momentum of the robot, world axes, about the world's origin or about="com".

        Without external forces and gravity, a free-flying robot keeps that about the world's origin. The rotors of armature
        have none: only their kinetic energy is modelled. q (*batch, nq), v (*batch, nv) → (*batch, 6).
        """

    def centroidal_momentum_matrix(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """
        A with momentum(q, v, about="com") = A v. O(n).

        q (*batch, nq) → (*batch, 6, nv), [angular; linear], world axes.
        """

    def centroidal_momentum_matrix_dot_v(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """
        dA/dt v: the rate of the momentum about the mass centre while all joint accelerations are zero. O(n).

        q (*batch, nq), v (*batch, nv) → (*batch, 6).
        """

    def center_of_mass(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """
        The mass centre of all bodies in the world; NaN for a robot without mass. O(n).

        q (*batch, nq) → (*batch, 3).
        """

    def center_of_mass_jacobian(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """
        J with velocity of the mass centre = J v: linear momentum over mass. O(n).

        q (*batch, nq) → (*batch, 3, nv).
        """

    def kinetic_energy(self, q: ArrayLike, v: ArrayLike, *, out: Array | None = None) -> Array:
        """
        ½ v* M(q) v, armature included, in O(n). q (*batch, nq), v (*batch, nv) → (*batch,).
        """

    def potential_energy(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """
        -Σ m g·p: zero with the mass centre at the world's origin. Springs are not in it. O(n).

        q (*batch, nq) → (*batch,).
        """

    def integrate(self, q: ArrayLike, dq: ArrayLike, *, out: Array | None = None) -> Array:
        """
        q moved by dq: each joint by the exponential of its child's twist, so dq = v dt for constant v.

        For q̇ = v joints this is q + dq; quaternions come out with unit length. q (*batch, nq), dq (*batch, nv) → (*batch, nq).

        >>> import phipsi as pp
        >>> box = pp.zoo.box(mass=1.0, size=(1, 1, 1))
        >>> box.integrate(box.neutral(), [0, 0, 0, 1, 2, 3])
        array([1., 0., 0., 0., 1., 2., 3.])
        """

    def difference(self, q0: ArrayLike, q1: ArrayLike, *, out: Array | None = None) -> Array:
        """
        dq with integrate(q0, dq) = q1, by the shortest way: the inverse of integrate.

        q0, q1 (*batch, nq) → (*batch, nv).
        """

    def normalize(self, q: ArrayLike, *, out: Array | None = None) -> Array:
        """
        The same configuration with quaternions of unit length. Every verb reads quaternions of any length.

        q (*batch, nq) → (*batch, nq).
        """

    def neutral(self) -> Array:
        """
        The configuration in which no joint has moved: zeros, and identity quaternions. (nq,).
        """

    def _configuration(self, q: ArrayLike, passive: ArrayLike | None = None) -> Configuration:
        """The native configuration behind robot.at(q, passive)."""

    def _generalized_jacobian(self, q: ArrayLike, targets: str | Sequence[str], passive: ArrayLike, frame: str, out: Array | None, on_singular: str) -> Array:
        """J_G of the dofs that are not passive; see Robot.generalized_jacobian."""

    def _disturbance_jacobian(self, q: ArrayLike, passive: ArrayLike, out: Array | None, on_singular: str) -> Array:
        """J_D; see Robot.disturbance_jacobian."""

    def _closed_dynamics(self, closure: Closure, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None) -> tuple[Array, Array, Array]:
        """
        Accelerations, contact forces and the rank of Ω; see ClosedRobot.forward_dynamics.
        """

    def _closed_projection(self, closure: Closure, verb: str, q: ArrayLike, v: ArrayLike | None) -> tuple[Array, Array, Array, Array]:
        """
        The least change that closes velocities, or with v None positions to first order; impulse, rank, error.
        """

    def _operational_space_compliance(self, q: ArrayLike, frames: str | Sequence[str], passive: ArrayLike | None, out: Array | None, on_singular: str) -> Array:
        """The inverse of Lambda; see Robot.operational_space_compliance."""

    def _link_inertias(self, q: ArrayLike, passive: ArrayLike | None, both: bool, out: Array | None, on_singular: str) -> Array | tuple[Array, Array]:
        """Lambda(k), and S(k) if both; see free_flying.link_inertias."""

    def _link_compliances(self, q: ArrayLike, passive: ArrayLike | None, both: bool, out: Array | None, on_singular: str) -> Array | tuple[Array, Array]:
        """Upsilon(k), and P(k) if both; see free_flying.link_compliances."""

    def hybrid_dynamics(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, a: ArrayLike, passive: str | Sequence[str] | ArrayLike | None = None, f_ext: ArrayLike | None = None, on_singular: Literal['raise', 'nan'] = 'raise') -> tuple[Array, Array]:
        """
        Hybrid dynamics: the accelerations of some dofs and the torques of the others, from what is known of each.

        At passive dofs tau is known (that of a spring, mostly zero) and a is found; at active ones a is known (what a motor
        must achieve) and tau is found. M(q) a + bias(q, v) - J* f_ext = tau holds for both results, (tau, a), which are
        complete: what was known is copied. "Hybrid" is meant in Featherstone's sense, a mixture of forward and inverse
        dynamics; contacts that come and go have nothing to do with it. [JR93 5.4]

        q (*batch, nq), v, tau and a (*batch, nv), f_ext (*batch, n, 6) → two of (*batch, nv). What tau holds at active dofs,
        and a at passive ones, is not read: it may be NaN. `passive` stands in for the robot's own mask: names of joints or
        bodies, or bools (nv,), or bools (*batch, nv), another mask for each state; nothing is prepared for a mask, so a motor
        may fail between two steps. Joints of several dofs may be passive in part. Three sweeps, O(n): the price of
        forward_dynamics, whatever the mask; with all dofs passive it is forward_dynamics, with none inverse_dynamics, bit by
        bit. Where the passive dofs' D(k) is not positive there is no answer: SingularJoint, or with on_singular="nan" NaN at
        what was to be found in those states. `hybrid_motion` also returns the bodies' accelerations and reaction forces.

        >>> import phipsi as pp, numpy as np
        >>> ship = pp.zoo.arm_satellite()                         # seven motors on a base that floats
        >>> q, v = ship.random(rng=0)
        >>> wish = np.r_[[np.nan] * 6, np.ones(7)]                # accelerate all joints; let the base go where it may
        >>> tau, a = ship.hybrid_dynamics(q, v, np.zeros(13), wish)
        >>> bool(abs(ship.inverse_dynamics(q, v, a) - tau).max() < 1e-9)
        True
        >>> tau, a = ship.hybrid_dynamics(q, v, np.zeros(13), wish, passive=["base", "arm/joint4"])  # joint 4 has failed
        >>> float(tau[9])
        0.0
        """

    def _hybrid_motion(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, a: ArrayLike, passive: str | Sequence[str] | ArrayLike | None = None, f_ext: ArrayLike | None = None, on_singular: Literal['raise', 'nan'] = 'raise') -> tuple[Array, Array, Array, Array]:
        """
        Torques, accelerations, those of the bodies, reaction forces; see Robot.hybrid_motion.
        """

    def _advance(self, q: ArrayLike, v: ArrayLike, table: ArrayLike | None, held: ArrayLike | None, goal: ArrayLike | None, f_ext: ArrayLike | None, plan: dict[str, Any], on_singular: str) -> tuple[Array, Array, Array, Array]:
        """
        Many steps in one call: q, v and torques (*batch, blocks, ..) and the torques held; see motion.native.
        """

    def _chart_rate(self, omega: ArrayLike, v: ArrayLike) -> Array:
        """The rate of Ω where q = q0 exp(Ω) moves with v; see motion.steppers."""

    def _diagonal_rates(self, verb: str, q: ArrayLike, v: ArrayLike, plain: bool, out: Array | None, on_singular: str) -> Array:
        """ν (plain: ξ); see phipsi.diagonal.rates."""

    def _diagonal_velocities(self, verb: str, q: ArrayLike, x: ArrayLike, plain: bool, out: Array | None, on_singular: str) -> Array:
        """v from ν (plain: ξ); see phipsi.diagonal.velocities."""

    def _diagonal_coriolis(self, verb: str, q: ArrayLike, x: ArrayLike, plain: bool, out: Array | None, on_singular: str) -> Array:
        """C(θ, ν) (plain: C(θ, ξ)); see phipsi.diagonal.coriolis."""

    def _diagonal_inertias(self, verb: str, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """P and its local rate, 36 numbers a body; see algebra.blocks."""

    def _diagonal_dynamics(self, verb: str, q: ArrayLike, x: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None, plain: bool, out_v: Array | None, out_x: Array | None, on_singular: str) -> tuple[Array, Array]:
        """v and ν̇ (plain: ξ̇); see phipsi.diagonal.dynamics."""

    def _diagonal_forces(self, verb: str, q: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None, plain: bool, out: Array | None, on_singular: str) -> Array:
        """ε (plain: κ) from τ; see phipsi.diagonal.forces."""

    def _diagonal_torques(self, verb: str, q: ArrayLike, x: ArrayLike, f_ext: ArrayLike | None, plain: bool, out: Array | None, on_singular: str) -> Array:
        """τ from ε (plain: κ); see phipsi.diagonal.torques."""

class Configuration:
    """What operators need of a configuration, computed when first needed."""

    def __init__(self, robot: Robot, q: ArrayLike, passive: ArrayLike | None = None) -> None: ...

    @property
    def batch(self) -> tuple[int, ...]:
        """The batch axes of q."""

    def run(self, program: Rows, constants: Array, spaces: list[int], frames: list[str], x: ArrayLike, columns: bool) -> Array:
        """
        Carries out a planned operator expression on x: (*batch, m), or (*batch, m, k) with columns=True.

        program: rows (operation, destination, source, constant), grouped into sweeps; cpp/program.hpp lists the operations.
        Register 0 is the input, 1 the output; spaces: 0 bodies, 1 joints, 2 frames.
        """

class Closure:
    """
    The loops of a closed chain, as the kernels read them; see ClosedRobot.
    """

    def __init__(self, robot: Robot, whole: Any, values: ArrayLike, frequency: float, damping: float) -> None: ...

def joint_types() -> list[dict[str, Any]]:
    """The joint types of the kernels, in the order of their numbers."""

def set_threads(count: int) -> None:
    """
    How many threads batches may use from now on (all cores, unless PHIPSI_NUM_THREADS says otherwise).

    Single states and small batches always run on the caller's thread.
    """

def get_threads() -> int:
    """How many threads a batch may use."""

def isa() -> str:
    """The instruction set in use."""

def available_isas() -> list[str]:
    """
    The instruction sets of this build that this machine has, widest first.
    """

def fma_peak() -> float:
    """
    GFLOP/s of independent double multiply-adds on this core, measured now.
    """

def flops(robot: Robot, verb: str) -> int:
    """
    Flops that one state of a verb takes, counted by running the kernel's source on numbers that count.

    Products, sums, quotients and roots count one each, so a fused multiply-add counts two.
    """
