"""A satellite catches a target: two arms close two loops around a tumbling box, and bring it to rest with no thruster.

Run it with a path ("capture.svg") to save a figure; that needs matplotlib. `phipsi demo` does it at length."""

# %% One forest: a satellite with two arms, and a box. They do not know of each other yet.
import sys

import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=100)
ship = pp.zoo.dual_arm_satellite()
target = pp.zoo.box(mass=30.0, size=(0.5, 0.3, 0.4))
space = pp.assemble({"ship": ship, "target": target}, gravity=(0, 0, 0))
print(space)

# %% The moment before. The arms are stretched out and bent inward; the box has come between the hands, tumbling.
q = space.neutral()
for arm, side in (("left", 1.0), ("right", -1.0)):
    bend = np.array([0.4 * side, 0.5, 0.2 * side, -1.1, 0.3 * side, 0.5, 0.0])
    for k, angle in enumerate(bend, start=1):
        q[space.joint(f"ship/{arm}/joint{k}").q] = angle
hands = [space.pose(q, f"ship/{arm}/hand").position for arm in ("left", "right")]
where = space.joint(next(name for name in space.joint_names if name.startswith("target"))).q
q[where] = [1, 0, 0, 0, *np.mean(hands, axis=0)]
v = np.zeros(space.nv)
tumbling = space.joint(space.joint_names[-1]).v
v[tumbling] = [0.15, -0.1, 0.25, 0.02, 0.0, -0.01]
print("hands at", *hands)
print("the target turns at", np.rad2deg(v[tumbling][:3]), "degrees a second")

# %% The catch. Both hands grasp the box where they are (`at=q`): two loops, twelve constraints. What no motor and no
#       time can prevent is the jump of velocity. Of all velocities that the grasps allow, it leads to the nearest one,
#       as the mass matrix measures: momentum is kept, energy is not.
held = space.close(
    pp.Grasp("ship/left/hand", "target", contact=pp.contact.rigid(), at=q),
    pp.Grasp("ship/right/hand", "target", contact=pp.contact.rigid(), at=q),
)
print(held)
caught = held.project_velocity(q, v)
before, after = space.momentum(q, v), space.momentum(q, caught)
print("momentum before", before)
print("momentum after ", after)
print(f"kinetic energy {space.kinetic_energy(q, v):.3f} J before, {space.kinetic_energy(q, caught):.3f} J after")
assert np.allclose(before, after, atol=1e-10)

# %% The brakes. The fourteen motors of the arms damp their joints; base and box have no motors, and get no torque.
motors = ~space.passive
damping = np.where(motors, 25.0, 0.0)


def brake(t, q, v):
    """Torque against motion, at the joints only."""
    return -damping * v


run = pp.simulate(held, q, caught, until=12.0, step=2e-3, method="rk4", control=brake, record_every=20)
rates = np.linalg.norm(run.v[:, motors], axis=1)
print(f"joint rates from {rates[0]:.3f} to {rates[-1]:.1e} rad/s")
print(f"closure error, at most {abs(held.closure_error(run.q)).max():.1e}")
momentum = space.momentum(run.q, run.v)
print(f"momentum kept to {abs(momentum - before).max() / abs(before).max():.1e}")
assert rates[-1] < 0.05 * rates[0]
assert abs(momentum - before).max() < 1e-7 * abs(before).max()

# %% What is left. Nobody took the momentum away, so the whole turns on as one rigid body, and its energy is the least
#       that this momentum allows: ½ L·ω for the turning, ½ p²/m for the drift. Motors inside cannot do better.
omega = space.velocities(run.q[-1], run.v[-1])[0, :3]
angular, linear = np.split(space.momentum(run.q[-1], run.v[-1], about="com"), 2)
least = angular @ omega / 2 + linear @ linear / (2 * space.mass.sum())
print("the whole turns at", np.rad2deg(omega), "degrees a second")
print(f"energy {run.energy[0]:.5f} → {run.energy[-1]:.5f} J; as one rigid body {least:.5f} J")
assert np.isclose(run.energy[-1], least, rtol=1e-3)

# %% A picture, if a path was given
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, (left, right) = plt.subplots(1, 2, figsize=(9, 3.4), layout="constrained")
    left.semilogy(run.t, rates)
    left.set(title="joint rates", xlabel="t / s", ylabel="rad/s")
    right.plot(run.t, run.energy)
    right.set(title="kinetic energy", xlabel="t / s", ylabel="J", ylim=(0, None))
    figure.savefig(sys.argv[1])
    print("saved", sys.argv[1])
