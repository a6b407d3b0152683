"""An elbow motor fails in mid-flight, and the hand still arrives.

A satellite reaches for a handle with its one arm, thrusters off. On the way the motor of the elbow dies. Nothing is
rebuilt: another mask of passive dofs goes into the same calls, and the six motors that are left bring the hand home.
The theory is JR93, sections 5 and 6."""

# %% [markdown]
# # A failed elbow
#
# A dof is *passive* when no motor drives it: its torque is known (zero, or that of a spring), its acceleration is not.
# An *active* dof is the other way round. Hybrid dynamics takes what is known of each dof and finds the rest, in three
# sweeps over the bodies, whatever the mask:
#
# ```
# tau, a = robot.hybrid_dynamics(q, v, tau, a, passive=mask)
# ```
#
# A base that floats is six passive dofs, and a motor that fails is one more. The mask is an argument, not a property of
# the robot, so it may change between two steps of a simulation.

# %% A satellite with an arm of seven joints
import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=110)
ship = pp.zoo.arm_satellite()
elbow = ship.joint("arm/joint4").v
q0, v0 = ship.neutral(), np.zeros(ship.nv)
q0[7:] = [1.3, 0.6, -1.2, -1.5, -1.5, 1.6, -0.4]
FAILS, ARRIVES = 1.2, 3.0  # seconds

floating = ship.mask("base")
broken = ship.mask(["base", "arm/joint4"])
print(f"{ship.name}: {floating.sum()} dofs of {ship.nv} are passive, {broken.sum()} once the elbow has failed")

# %% The task: lead the hand 15 cm along a straight line, from rest to rest; seven motors keep its attitude, too
start = ship.pose(q0, "arm/hand")
handle = pp.Pose(start.position + np.array([0.01, 0.14, -0.05]), start.rotation)
path = pp.control.Reach(start, handle, ARRIVES)
seven_motors = pp.control.EndEffector(ship, "arm/hand", path, passive=floating)


def fly(law):
    run = pp.simulate(ship, q0, v0, until=ARRIVES, step=0.02, control=law, progress=False)
    return run, np.linalg.norm(ship.pose(run.q[-1], "arm/hand").position - handle.position)


_, miss = fly(seven_motors)
print(f"all motors well: the hand misses the handle by {miss:.0e} m")
assert miss < 1e-7

# %% [markdown]
# ## What could the hand still do, if a motor failed?
#
# Masks broadcast like any other argument: eight of them, one state, one call. All motors are asked to stand still; the
# one that fails gives no torque, and its joint yields to what the motion of the others does to it.

# %% One state, eight masks
run, _ = fly(seven_motors)
now = int(np.argmin(abs(run.t - FAILS)))
q, v = run.q[now], run.v[now]
masks = np.vstack([floating, floating | np.eye(ship.nv, dtype=bool)[6:]])  # nobody fails, or one of the seven
tau, a = ship.hybrid_dynamics(q, v, np.zeros(ship.nv), np.zeros(ship.nv), masks)
assert np.allclose(ship.inverse_dynamics(q, v, a), tau, atol=1e-12)  # each row is a motion of the whole robot
print(f"\nat t = {FAILS} s, holding all joints that can be held:")
for mask, row in zip(masks, a, strict=True):
    J = ship.generalized_jacobian(q, "arm/hand", passive=mask)[3:]  # to the hand's velocity, the rest yielding
    reach = np.linalg.svd(J, compute_uv=False)[-1]
    failed = [name for name in ship.joint_names[1:] if mask[ship.joint(name).v].all()]
    name, own = (failed[0], f"{row[mask][-1]:+.3f}") if failed else ("none fails", "-")
    print(f"  {name:12s} it accelerates by {own:7s} weakest direction of J_G {reach:.3f}")

# %% [markdown]
# The weakest direction tells how hard motors must work for the hand. Where it goes to zero is a *dynamic singularity*:
# the hand can no longer be led that way with the motors that are left, and no law would help. Here it can: six motors
# are left for the three numbers that matter most, the position of the hand. Its attitude is let go.

# %% The elbow fails. A law that does not know it goes on commanding seven motors
six_motors = pp.control.EndEffector(ship, "arm/hand", path, passive=broken, rows=[3, 4, 5])


def unaware(t, q, v):
    tau = np.array(seven_motors(t, q, v))
    if t >= FAILS:
        tau[elbow] = 0.0
    return tau


def aware(t, q, v):
    return seven_motors(t, q, v) if t < FAILS else six_motors(t, q, v)


_, lost = fly(unaware)
saved, found = fly(aware)
print(f"\nthe elbow fails at {FAILS} s, and nobody notices:  the hand misses by {100 * lost:.1f} cm")
print(f"the elbow fails at {FAILS} s, and the mask changes: the hand misses by {found:.0e} m")
assert lost > 0.01
assert found < 1e-6
assert np.all(saved.tau[saved.t > FAILS, elbow] == 0.0)

# %% The elbow has moved all the same: the other six carried it along, and momentum stayed what it was
moved = np.ptp(saved.q[saved.t >= FAILS, ship.joint("arm/joint4").q])
gone = abs(saved.momentum - saved.momentum[0]).max()
print(f"the elbow, without a torque, went through {np.degrees(moved):.0f} degrees; momentum changed by {gone:.0e}")
assert moved > 0.05
assert gone < 1e-6
