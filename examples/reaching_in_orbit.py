"""An arm on a satellite reaches without thrusters, and what that does to the satellite.

Nothing holds a satellite. When its arm moves one way, it moves the other way, and a hand that is steered as if the base
stood still misses what it reaches for. This is the problem for which generalized Jacobians were invented. Run it with a
path ("reaching.png") to save a figure; that needs matplotlib. The theory is JR93, sections 6 and 7."""

# %% A satellite of 120 kg with an arm of seven joints, its thrusters off
import sys

import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=110)
ship = pp.zoo.arm_satellite()
print(ship, "of which nothing drives", [ship.joint_names[0]])
q0 = ship.neutral()
q0[7:] = 0.3, -0.8, 0.4, 1.6, -0.3, 0.9, 0.2
start = ship.pose(q0, "arm/hand")
goal = pp.Pose(start.position + np.array([-0.3, -0.4, 0.1]), start.rotation)


def base_motion(q):
    """Degrees and metres that the base has turned and moved since q0."""
    moved = ship.difference(q0, q)[..., :6]
    return np.degrees(np.linalg.norm(moved[..., :3], axis=-1)), np.linalg.norm(moved[..., 3:], axis=-1)


# %% Pretending that the base stands still
# The usual Jacobian says which joint velocities give the hand a velocity, if the base is at rest. It is not: without
# momentum, the base yields by β_p = J_D β_a, and the hand really moves by J_G β_a. Ask for 0.1 m/s along x:
wanted = np.array([0, 0, 0, 0.1, 0, 0])
J, J_G = ship.jacobian(q0, "arm/hand")[:, 6:], ship.generalized_jacobian(q0, "arm/hand")
naive, right = np.linalg.pinv(J) @ wanted, np.linalg.pinv(J_G) @ wanted
for name, rates in (("with J, as if the base were held:", naive), ("with J_G:", right)):
    got = pp.underactuated.frame_velocity(ship, q0, rates, "arm/hand")
    print(f"{name:35}", got)
assert np.abs(pp.underactuated.frame_velocity(ship, q0, right, "arm/hand") - wanted).max() < 1e-12
assert np.abs(pp.underactuated.frame_velocity(ship, q0, naive, "arm/hand") - wanted).max() > 0.01

# %% Reaching, by a law that knows
# `EndEffector` asks J_G for joint accelerations and hybrid dynamics for the torques that make them, fifty times a
# second. The hand arrives to the micrometre. The base has turned by several degrees, and stays turned.
path = pp.control.Reach(start, goal, duration=6.0)
law = pp.control.EndEffector(ship, "arm/hand", path)
run = pp.simulate(ship, q0, until=7.0, step=0.02, control=law, control_period=0.02, record_every=5)
miss = np.linalg.norm(ship.pose(run.q[-1], "arm/hand").position - goal.position)
degrees, metres = base_motion(run.q)
print(
    f"the hand misses its goal by {miss * 1e6:.2f} µm;",
    f"the base has turned {degrees[-1]:.2f}° and moved {metres[-1]:.3f} m",
)
print(f"largest momentum on the way: {np.abs(ship.momentum(run.q, run.v)).max():.1e}")
assert miss < 1e-5
assert np.abs(ship.momentum(run.q, run.v)).max() < 1e-9

# %% The seventh joint
# Six numbers say where the hand is to be, and there are seven joints: one motion is left that the hand does not feel.
# `LeastDisturbance` spends it on the base: of all accelerations that serve the hand it takes those that push least.
quiet = pp.control.LeastDisturbance(ship, "arm/hand", path)
calm = pp.simulate(ship, q0, until=7.0, step=0.02, control=quiet, control_period=0.02, record_every=5)
calm_degrees, calm_metres = base_motion(calm.q)
print(f"now the base has turned {calm_degrees[-1]:.2f}° and moved {calm_metres[-1]:.3f} m")
assert np.linalg.norm(ship.pose(calm.q[-1], "arm/hand").position - goal.position) < 1e-5
assert calm_degrees[-1] < 0.7 * degrees[-1]

# %% Where it came from, it does not return to
# Linear momentum can be integrated: it holds the mass centre. Angular momentum cannot. Let the joints go round a loop
# and come back to where they were: the mass centre has not moved, but the satellite has turned. Astronauts and cats use
# it; a planner that ignores it finds its antenna pointing elsewhere.
turns, steps = 3, 200
q, loop = q0.copy(), np.zeros(7)
for i in range(turns * steps):
    angle = 2 * np.pi * (i + 0.5) / steps
    loop[1], loop[3] = 0.5 * np.cos(angle), 0.5 * np.sin(angle)  # joint velocities, per radian of the loop
    h = 2 * np.pi / steps
    middle = ship.integrate(q, h / 2 * np.r_[pp.underactuated.passive_velocity(ship, q, loop), loop])
    q = ship.integrate(q, h * np.r_[pp.underactuated.passive_velocity(ship, middle, loop), loop])
print("joints after the loops, less before:", np.abs(q[7:] - q0[7:]).max())
print(f"mass centre moved by {np.linalg.norm(ship.center_of_mass(q) - ship.center_of_mass(q0)):.1e} m,", end=" ")
print(f"base turned by {base_motion(q)[0]:.2f}°")
assert np.abs(q[7:] - q0[7:]).max() < 1e-9
assert np.linalg.norm(ship.center_of_mass(q) - ship.center_of_mass(q0)) < 1e-4
assert base_motion(q)[0] > 0.5

# %% Motions that the base does not feel at all
# With more joints than the base has directions, some motions leave it alone whatever their speed: those with
# J_D β_a = 0. A satellite with two arms has fourteen joints, so eight such motions at each instant.
two = pp.zoo.dual_arm_satellite()
q2 = two.neutral()
q2[7:] = np.tile([0.3, -0.8, 0.4, 1.6, -0.3, 0.9, 0.2], 2) * np.repeat([1, -1], 7)
N = pp.underactuated.reaction_null_space(two, q2)
print("motions not felt:", N.shape[1], "of", N.shape[0])
wish = np.linspace(-0.4, 0.4, 14)
zero = pp.underactuated.zero_reaction_path(two, q2, lambda t, q: np.sin(np.pi * t / 5) ** 2 * wish, until=5.0)
swept = np.abs(zero.q[-1, 7:] - zero.q[0, 7:]).max()
print(
    f"a joint has gone {np.degrees(swept):.0f}°,",
    f"momentum never above {np.abs(two.momentum(zero.q, zero.v)).max():.0e},",
)
print("the base is where it was:", np.array_equal(zero.q[-1, :7], q2[:7]))
assert N.shape == (14, 8)
assert swept > 0.3
assert np.abs(two.momentum(zero.q, zero.v)).max() < 1e-12

# %% A picture of both reaches, if a path was given
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for motion, label in ((run, "hand only"), (calm, "least disturbance")):
        axes[0].plot(motion.t, base_motion(motion.q)[0], label=label)
        axes[1].plot(motion.t, 1000 * base_motion(motion.q)[1], label=label)
    axes[0].set(xlabel="time [s]", ylabel="base turned [°]")
    axes[1].set(xlabel="time [s]", ylabel="base moved [mm]")
    axes[0].legend()
    figure.savefig(sys.argv[1])
    print(f"saved {sys.argv[1]}")
