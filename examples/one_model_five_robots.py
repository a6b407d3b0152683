"""One model, five robots: fixed, floating, flying and flexible bases, and a flexible arm.

M q̈ + C = T̂ - J* f_e says how motors move a robot, whatever no motor moves: nothing, a free base, thrusters, springs.
What changes from case to case is only T_p, the efforts on the passive dofs. Swain and Morris (SM03), corrected."""

# %% The partition: motors here, all the rest there
import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=110)

ship = pp.zoo.arm_satellite()  # a satellite, its base passive, an arm of seven motors
q, v = ship.random(rng=0)
v = 0.3 * v
T = np.array([3.0, -2.0, 1.0, 2.0, -0.5, 0.5, 0.2])
model = pp.unified.model(ship, q, v, "arm/hand")
print(model)
print("M, the inertia that motors feel:", model.M.shape, " J, how the hand follows them:", model.J.shape)

# %% [markdown]
# Eliminate what is passive: M = M_a - M_ap* M_p⁻¹ M_ap, and C, T̂ and J likewise. The paper wonders whether such a
# partition may be invalid for a nonlinear system. It is a Schur complement, so it is exact, at any speed:


# %% Exact, at any speed
def whole(robot, q, v, T_p, T_a):
    """The accelerations of everything at once."""
    tau = np.zeros(robot.nv)
    tau[robot.passive], tau[~robot.passive] = T_p, T_a
    return robot.forward_dynamics(q, v, tau)


for speed in (0.0, 1.0, 100.0):
    found = pp.unified.model(ship, q, speed * v).table_1(T, np.zeros(6))
    truth = whole(ship, q, speed * v, np.zeros(6), T)
    gap = abs(found.acceleration - truth).max() / max(1, abs(truth).max())
    print(f"speed × {speed:5.1f}: partition against the whole, {gap:.1e}")
    assert gap < 1e-11

# %% Case 1, a fixed base: nothing is passive
fixed = ship.freeze("base", q)
m = pp.unified.model(fixed, q[7:], v[6:], "arm/hand")
found = m.table_1(T)
assert len(found.passive_acceleration) == 0
assert abs(found.acceleration - fixed.forward_dynamics(q[7:], v[6:], T)).max() < 1e-9
print("fixed:      q̈ =", found.active_acceleration)

# %% Case 2, free-floating: T_p = 0, and the momentum stays what it was
found = model.table_1(T, np.zeros(6))
print("floating:   q̈ =", found.active_acceleration)
rate = ship.centroidal_momentum_matrix(q) @ found.acceleration + ship.centroidal_momentum_matrix_dot_v(q, v)
assert abs(rate).max() < 1e-9

# %% Case 3, free-flying: thrusters, here so strong that they hold the base still
T_p = np.zeros(6)
hold = ship.hybrid_dynamics(q, v, np.r_[T_p, T], np.zeros(13), passive=~ship.passive)[0]  # which T_p gives V̇_b = 0?
found = model.table_1(T, hold[:6])
print("flying:     q̈ =", found.active_acceleration)
assert abs(found.passive_acceleration).max() < 1e-9

# %% Case 4, a flexible base: six springs and dampers instead of thrusters. And all of that as a simulation
springs, dampers = (40.0,) * 3 + (400.0,) * 3, (8.0,) * 3 + (60.0,) * 3
mounted = pp.Builder("mounted", gravity=(0, 0, 0))
mounted.body("base", joint=pp.Free(stiffness=springs, damping=dampers), mass=120.0, inertia=np.diag([13.0] * 3))
mounted = mounted.build().attach("base", pp.zoo.arm(gravity=(0, 0, 0)), "arm", pp.Pose((0.4, 0, 0)))
q4, v4 = mounted.random(rng=2)
q4[:7] = mounted.integrate(mounted.neutral(), np.r_[0.05, -0.1, 0.02, 0.01, 0.03, -0.02, np.zeros(7)])[:7]
m = pp.unified.model(mounted, q4, 0.2 * v4, "arm/hand")
found = m.table_1(T, m.passive_effort())
assert abs(found.acceleration - whole(mounted, q4, 0.2 * v4, m.passive_effort(), T)).max() < 1e-9
print("flexible:   q̈ =", found.active_acceleration)
run = pp.simulate(mounted, q4, until=3.0, step=5e-3, record_every=20)
swing = np.linalg.norm(run.q[:, 4:7], axis=1)
print(f"left alone, the base comes to rest: {1e3 * swing[0]:.1f} mm away at first, {1e3 * swing[-1]:.1f} mm after 3 s")
assert swing[-1] < swing[0]

# %% [markdown]
# Case 5, a flexible arm. A slender beam is cut into rigid pieces; between them sit virtual elastic joints that no motor
# drives. Do they vibrate as a beam does? The frequencies of a clamped beam are known, (β_i L)² √(E I / m L³) with
# β_i L = 1.875, 4.694, 7.855 ...

# %% Case 5: frequencies converge to those of beam theory, with the square of the pieces' length
length, mass, EI = 2.0, 0.8, 30.0
exact = pp.unified.clamped_frequencies(length, mass, EI)[:3]
print("exact, rad/s:", exact)
before = None
for segments in (4, 8, 16, 32):
    beam = pp.unified.flexible_beam(length, mass, EI, segments)
    found = pp.unified.bending_frequencies(beam)[:3]
    off = abs(found / exact - 1)
    falls = "" if before is None else f", {(before / off).round(2)} times less"
    print(f"{segments:3d} pieces: {found}, off by {100 * off.round(5)} %{falls}")
    if segments > 8:
        assert abs(before / off - 4).max() < 0.5
    before = off
assert before.max() < 0.01

# %% A motor swings it: the tip lags behind, then overshoots
arm = pp.unified.flexible_beam(length, mass, EI, 8, joint=pp.Revolute((0, 1, 0), armature=0.5), damping=0.05)
print(pp.unified.model(arm, arm.neutral(), np.zeros(arm.nv), "tip"))
push = np.r_[4.0, np.zeros(8)]  # N m at the motor


def law(t, q, v):
    return push * (t < 0.5) - push * (0.5 <= t < 1.0)


run = pp.simulate(arm, arm.neutral(), until=1.5, step=5e-4, control=law, record_every=30)
bend = run.q[:, 1:].sum(axis=1)  # how much the tip points away from the root
print(f"bent by {np.rad2deg(bend.min()):.1f}° while it speeds up, by {np.rad2deg(bend.max()):.1f}° while it slows down")
assert bend.min() < -0.05
assert bend.max() > 0.05
m = pp.unified.model(arm, run.q, run.v, "tip")  # the whole run is a batch of states
found = m.table_1(np.zeros(1), m.passive_effort())
truth = arm.forward_dynamics(run.q, run.v, arm.passive_forces(run.q, run.v))
assert abs(found.acceleration - truth).max() < 1e-9 * abs(truth).max()
