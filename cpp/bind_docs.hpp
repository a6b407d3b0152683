// bind_docs.hpp: what help() says about the native verbs; the examples are run by the tests.
#pragma once

namespace phipsi::docs {

inline constexpr const char* inverse_dynamics =
    R"(The joint torques of a motion: tau = M(q) a + bias(q, v) - J* f_ext. Known elsewhere as RNEA.

tau = H φ [M (φ* (H* a + 𝔞)) + b - f_ext]; two sweeps, O(n).
q (*batch, nq), v and a (*batch, nv), f_ext (*batch, n, 6) → tau (*batch, nv). f_ext: [moment; force] on each body at
its origin, world axes. Damping, friction and springs are not in it: see passive_forces.

>>> import phipsi as pp
>>> arm = pp.zoo.chain(7)
>>> q, v = arm.random(1000, rng=0)
>>> arm.inverse_dynamics(q, v, a=0 * v).shape
(1000, 7))";

inline constexpr const char* forward_dynamics =
    R"(The joint accelerations that torques cause: a = M(q)⁻¹ (tau - bias(q, v) + J* f_ext). Known elsewhere as ABA.

a = [1 - HψK]* D⁻¹ [1 - HψK] (tau - bias): the articulated recursion, three sweeps, O(n).
q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6) → a (*batch, nv). All dofs are driven by tau, passive ones
too. Where some D(k) is not positive there is no answer: SingularJoint, or NaN in those states with on_singular="nan".

>>> import phipsi as pp
>>> arm = pp.zoo.chain(7)
>>> q, v = arm.random(rng=0)
>>> a = arm.forward_dynamics(q, v, tau=[0.0] * 7)
>>> bool(abs(arm.inverse_dynamics(q, v, a)).max() < 1e-9)
True)";

inline constexpr const char* bias =
    R"(The torques that hold the accelerations at zero: velocity forces and gravity, less external forces.

inverse_dynamics(q, v, 0, f_ext); O(n). q (*batch, nq), v (*batch, nv) → (*batch, nv).)";

inline constexpr const char* gravity_torque = R"(The torques that hold the robot still against gravity: dU/dq. O(n).

q (*batch, nq) → (*batch, nv).)";

inline constexpr const char* reaction_forces =
    R"(f(k), the force that each body receives through its joint, at its origin O_k, world axes, [moment; force].

f = φ [M α + b - f_ext], of which tau = H f is the part along the joints; two sweeps, O(n).
q (*batch, nq), v and a (*batch, nv), f_ext (*batch, n, 6) → (*batch, n, 6).)";

inline constexpr const char* mass_matrix = R"(The mass matrix H φ M φ* H* + armature. Known elsewhere as CRBA.

O(n) composite inertias, then one walk to the root per column. q (*batch, nq) → (*batch, nv, nv), both triangles.

>>> import phipsi as pp
>>> pp.zoo.chain(3).mass_matrix([0.0, 0.5, 1.0]).shape
(3, 3))";

inline constexpr const char* inverse_mass_matrix =
    R"(The inverse of the mass matrix: [1 - HψK]* D⁻¹ [1 - HψK], without inverting a matrix larger than a D(k).

O(n) articulated inertias and O(n²) for the entries; more accurate than inverting mass_matrix where that is
ill-conditioned. q (*batch, nq) → (*batch, nv, nv). on_singular as in forward_dynamics.)";

inline constexpr const char* coriolis_matrix = R"(C(q, v) with C v = bias(q, v) without gravity, and dM/dt - 2C skew.

For coordinates with q̇ = v these are the Christoffel symbols'; free, spherical and planar joints have the same two
properties in their quasi-velocities. O(n · depth). q (*batch, nq), v (*batch, nv) → (*batch, nv, nv).)";

inline constexpr const char* jacobian = R"(J with V(target) = J v, [angular; linear].

target: a frame or body by name. frame: "world_aligned" (velocity of the frame's origin, world axes), "body" (the same
in the frame's own axes) or "world" (of the body's point that is at the world's origin, world axes).
q (*batch, nq) → (*batch, 6, nv). Only the columns of joints between the target and the world are not zero.

>>> import phipsi as pp
>>> pp.zoo.chain(7).jacobian([0.0] * 7, "link7").shape
(6, 7))";

inline constexpr const char* jacobian_dot_v =
    R"(dJ/dt v: the rate of V(target) while all joint accelerations are zero, in the sense that `frame` says.

acceleration(q, v, a, target, frame) = jacobian(q, target, frame) a + jacobian_dot_v(q, v, target, frame). O(n).
q (*batch, nq), v (*batch, nv) → (*batch, 6).)";

inline constexpr const char* velocity = R"([angular; linear] velocity of a frame: jacobian(q, target, frame) v, in O(n).

q (*batch, nq), v (*batch, nv) → (*batch, 6).)";

inline constexpr const char* acceleration =
    R"(The time derivative of velocity(q, v, target, frame), in O(n). True acceleration: gravity is not in it.

For "world_aligned" it is the inertial derivative [ω̇; v̇ of the frame's origin]; for "body" the rate of the numbers in
the moving axes. q (*batch, nq), v and a (*batch, nv) → (*batch, 6).)";

inline constexpr const char* velocities =
    R"(V = φ* H* v: [angular; linear] velocity of every body at its origin O_k, world axes. One sweep, O(n).

q (*batch, nq), v (*batch, nv) → (*batch, n, 6).)";

inline constexpr const char* accelerations =
    R"(α = φ* (H* a + 𝔞): inertial derivatives [ω̇; v̇ of O_k] of every body, world axes. One sweep, O(n).

True accelerations: a robot at rest has none, whatever its gravity. q (*batch, nq), v and a (*batch, nv) →
(*batch, n, 6).)";

inline constexpr const char* momentum =
    R"([angular; linear] momentum of the robot, world axes, about the world's origin or about="com".

Without external forces and gravity, a free-flying robot keeps that about the world's origin. The rotors of armature
have none: only their kinetic energy is modelled. q (*batch, nq), v (*batch, nv) → (*batch, 6).)";

inline constexpr const char* centroidal_momentum_matrix = R"(A with momentum(q, v, about="com") = A v. O(n).

q (*batch, nq) → (*batch, 6, nv), [angular; linear], world axes.)";

inline constexpr const char* centroidal_momentum_matrix_dot_v =
    R"(dA/dt v: the rate of the momentum about the mass centre while all joint accelerations are zero. O(n).

q (*batch, nq), v (*batch, nv) → (*batch, 6).)";

inline constexpr const char* center_of_mass =
    R"(The mass centre of all bodies in the world; NaN for a robot without mass. O(n).

q (*batch, nq) → (*batch, 3).)";

inline constexpr const char* center_of_mass_jacobian =
    R"(J with velocity of the mass centre = J v: linear momentum over mass. O(n).

q (*batch, nq) → (*batch, 3, nv).)";

inline constexpr const char* kinetic_energy =
    R"(½ v* M(q) v, armature included, in O(n). q (*batch, nq), v (*batch, nv) → (*batch,).)";

inline constexpr const char* potential_energy =
    R"(-Σ m g·p: zero with the mass centre at the world's origin. Springs are not in it. O(n).

q (*batch, nq) → (*batch,).)";

inline constexpr const char* integrate =
    R"(q moved by dq: each joint by the exponential of its child's twist, so dq = v dt for constant v.

For q̇ = v joints this is q + dq; quaternions come out with unit length. q (*batch, nq), dq (*batch, nv) → (*batch, nq).

>>> import phipsi as pp
>>> box = pp.zoo.box(mass=1.0, size=(1, 1, 1))
>>> box.integrate(box.neutral(), [0, 0, 0, 1, 2, 3])
array([1., 0., 0., 0., 1., 2., 3.]))";

inline constexpr const char* difference =
    R"(dq with integrate(q0, dq) = q1, by the shortest way: the inverse of integrate.

q0, q1 (*batch, nq) → (*batch, nv).)";

inline constexpr const char* normalize =
    R"(The same configuration with quaternions of unit length. Every verb reads quaternions of any length.

q (*batch, nq) → (*batch, nq).)";

inline constexpr const char* neutral =
    R"(The configuration in which no joint has moved: zeros, and identity quaternions. (nq,).)";

inline constexpr const char* set_threads =
    R"(How many threads batches may use from now on (all cores, unless PHIPSI_NUM_THREADS says otherwise).

Single states and small batches always run on the caller's thread.)";

inline constexpr const char* flops =
    R"(Flops that one state of a verb takes, counted by running the kernel's source on numbers that count.

Products, sums, quotients and roots count one each, so a fused multiply-add counts two.)";

inline constexpr const char* run_program =
    R"(Carries out a planned operator expression on x: (*batch, m), or (*batch, m, k) with columns=True.

program: rows (operation, destination, source, constant), grouped into sweeps; cpp/program.hpp lists the operations.
Register 0 is the input, 1 the output; spaces: 0 bodies, 1 joints, 2 frames.)";

}  // namespace phipsi::docs
