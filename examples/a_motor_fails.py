"""An elbow motor fails in mid-flight, and the arm still arrives.

A joint without a motor is not a joint that is held: it swings as inertia has it. But the other motors can move it, for
they shake the arm that it is part of. Run it with a path ("failure.png") to save a figure; that needs matplotlib. The
theory is JR93, sections 5 to 7."""

# %% A satellite's arm on its way to a goal
import sys

import numpy as np

import phipsi as pp

ship = pp.zoo.arm_satellite()
elbow = ship.joint("arm/joint4")
q0 = ship.neutral()
q0[7:] = 0.3, -0.8, 0.4, 1.6, -0.3, 0.9, 0.2
start = ship.pose(q0, "arm/hand")
goal = pp.Pose(start.position + np.array([-0.25, 0.2, 0.25]), start.rotation)
path = pp.control.Reach(start, goal, duration=6.0)
before = pp.control.EndEffector(ship, "arm/hand", path)
flight = pp.simulate(ship, q0, until=2.0, step=0.02, control=before, control_period=0.02, record_every=2)


def miss(run):
    """Metres between hand and goal at the end."""
    return float(np.linalg.norm(ship.pose(run.q[-1], "arm/hand").position - goal.position))


print(f"after 2 s the hand has {miss(flight):.2f} m to go; now the elbow's motor dies")

# %% Nobody notices
# The law goes on as before, and what it tells the elbow is lost. Feedback brings the hand past its goal in time, but
# the model is no longer true: the elbow swings on, and the hand drifts off with it.
lost = np.ones(ship.nv)
lost[elbow.v] = 0.0
blind = pp.simulate(flight, until=9.0, control=lambda t, q, v: lost * before(t, q, v))
print(f"not noticed: misses by {1000 * miss(blind):.0f} mm")
assert miss(blind) > 0.02

# %% The mask changes, the robot does not
# Which dofs are passive is a word in the call: `passive=`. No model is rebuilt, J_G and the torques follow. Six motors
# are left, and the hand's position asks for three of them.
mask = ["base", "arm/joint4"]
print("J_G of the healthy arm", ship.generalized_jacobian(q0, "arm/hand").shape, end=", ")
print("of the other", ship.generalized_jacobian(q0, "arm/hand", passive=mask).shape)
after = pp.control.EndEffector(ship, "arm/hand", path, passive=mask, rows=[3, 4, 5])
saved = pp.simulate(flight, until=9.0, control=after)
print(f"noticed: misses by {1e6 * miss(saved):.3f} µm, with no torque at the elbow:", not saved.tau[51:, elbow.v].any())
assert miss(saved) < 1e-5
assert not saved.tau[51:, elbow.v].any()

# %% And the elbow itself?
# It went where it would. With three more motors than the hand needs, it can be told to keep quiet: `LeastDisturbance`
# asks first for the hand, then for as little motion of the base and the elbow as can be.
held = pp.control.LeastDisturbance(ship, "arm/hand", path, passive=mask, rows=[3, 4, 5])
calm = pp.simulate(flight, until=9.0, control=held)
for name, run in (("hand only", saved), ("elbow too", calm)):
    angles = np.degrees(run.q[:, elbow.q])
    print(
        f"{name}: the elbow went from {angles.min():.1f}° to {angles.max():.1f}°, the hand misses by {miss(run):.1e} m"
    )
assert miss(calm) < 1e-5
assert np.ptp(calm.q[:, elbow.q]) < 0.5 * np.ptp(saved.q[:, elbow.q])

# %% How much a motor can do for another joint
# J_D says it: one row for the elbow, the columns are the six motors that live. And hybrid dynamics is exact: torques
# known at the base and the elbow (none), accelerations at the motors; what comes out is a motion of the robot.
J_D = ship.disturbance_jacobian(flight.q[-1], passive=mask)
print("elbow's acceleration for one of each motor:", np.round(J_D[6], 3))
q, v, a = flight.q[-1], flight.v[-1], np.ones(ship.nv)
tau, a = ship.hybrid_dynamics(q, v, np.zeros(ship.nv), a, passive=mask)
assert np.abs(ship.forward_dynamics(q, v, tau) - a).max() < 1e-9
assert not tau[:6].any()
assert not tau[elbow.v].any()

# %% A picture, if a path was given
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for name, run in (("not noticed", blind), ("hand only", saved), ("elbow too", calm)):
        distance = np.linalg.norm(ship.pose(run.q, "arm/hand").position - goal.position, axis=-1)
        axes[0].semilogy(run.t, distance, label=name)
        axes[1].plot(run.t, np.degrees(run.q[:, elbow.q]), label=name)
    axes[0].set(xlabel="time [s]", ylabel="hand from its goal [m]")
    axes[1].set(xlabel="time [s]", ylabel="elbow [°]")
    axes[0].legend()
    figure.savefig(sys.argv[1])
    print(f"saved {sys.argv[1]}")
