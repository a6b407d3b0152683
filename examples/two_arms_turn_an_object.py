"""Two arms on a free satellite catch a tumbling object, stop it between them, and turn it to where it should look."""

# %% A satellite of 120 kg with two arms, and something of 60 kg that drifts and spins in front of it.
import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=110)
target = pp.zoo.box(mass=60.0, size=(0.5, 0.5, 0.3), gravity=(0, 0, 0))
scene = pp.assemble({"ship": pp.zoo.dual_arm_satellite(), "target": target})
q = scene.neutral()
for side, sign in (("left", 1), ("right", -1)):
    q[scene.joint(f"ship/{side}/joint2").q], q[scene.joint(f"ship/{side}/joint4").q] = 0.5 * sign, -1.1 * sign
    q[scene.joint(f"ship/{side}/joint6").q] = 0.9 * sign
hands = [f"ship/{side}/hand" for side in ("left", "right")]
q[-3:] = np.mean([scene.pose(q, hand).position for hand in hands], axis=0)
v = np.zeros(scene.nv)
v[-6:] = (0.02, -0.03, 0.05, -0.02, 0.01, 0.0)  # it tumbles
print(scene)

# %% Both hands close at once, each where it is. What happens in that instant is an impulse: the velocities jump to the
#       nearest ones, in the mass metric, at which the loops stay closed. Momentum is kept; energy is not.
first = scene.close([pp.Grasp(hand, "target", at=q) for hand in hands])
caught = first.attach(q=q, v=v)
closed, v = caught.system, caught.v
print(closed, "- impulses up to", np.abs(caught.impulse).max().round(3), "N s or N m s")
spin = np.zeros(scene.nv)
spin[-6:] = (0.02, -0.03, 0.05, -0.02, 0.01, 0.0)
assert np.allclose(scene.momentum(q, v), scene.momentum(q, spin), atol=1e-12)
print("energy:", scene.kinetic_energy(q, spin), "->", scene.kinetic_energy(q, v), "J")
assert scene.kinetic_energy(q, v) < scene.kinetic_energy(q, spin)

# %% Now turn it by 20° about its own z axis, and keep it where it is relative to the ship. The ship itself is free: it
#       will turn the other way. So the law asks for an acceleration of the target relative to the base, and everything
#       else follows: from closure (J a + J̇v = 0) and from momentum, which no motor can change (A a + Ȧv = 0).
wanted = pp.Pose(rpy=(0, 0, np.radians(20)))
start = scene.pose(q, "ship/base").inv @ scene.pose(q, "target")
goal = start @ wanted
motors = ~scene.passive


def law(t, q, v):
    """PD of the target in the base's frame, as accelerations; then the torques of the fourteen motors for them."""
    base, there = scene.pose(q, "ship/base"), scene.pose(q, "target")
    to_world = base @ goal
    turn = pp.Pose(rotation=to_world.rotation @ there.rotation.T)
    angle = 2 * np.arccos(np.clip(turn.quaternion[0], -1, 1))
    axis = turn.quaternion[1:] / max(np.linalg.norm(turn.quaternion[1:]), 1e-12)
    lever = there.position - base.position
    carried = np.eye(6)
    carried[3:, :3] = -np.array([[0, -lever[2], lever[1]], [lever[2], 0, -lever[0]], [-lever[1], lever[0], 0]])
    J = scene.jacobian(q, "target") - carried @ scene.jacobian(q, "ship/base")
    error = np.r_[axis * angle, to_world.position - there.position]
    task = 4.0 * error - 4.0 * (J @ v)
    rows = [closed.constraint_jacobian(q), scene.centroidal_momentum_matrix(q), J]
    right = [-closed.constraint_rate(q, v), -scene.centroidal_momentum_matrix_dot_v(q, v), task]
    a = np.linalg.lstsq(np.vstack(rows), np.concatenate(right), rcond=1e-8)[0]
    return closed.inverse_dynamics(q, v, a, actuated=motors, least="torque", check=False).torque


# %% Four seconds later. The loops are closed to the last digit all the way, and momentum is what it was.
run = pp.simulate(closed, q, v, until=4.0, step=0.02, control=law, control_period=0.02, record_every=10)
last = scene.pose(run.q[-1], "ship/base").inv @ scene.pose(run.q[-1], "target")
turned = np.degrees(2 * np.arccos(np.clip((start.inv @ last).quaternion[0], -1, 1)))
ship = np.degrees(2 * np.arccos(np.clip(scene.pose(run.q[-1], "ship/base").quaternion[0], -1, 1)))
print(f"the target turned by {turned:.2f} degrees against the ship, the ship itself by {ship:.2f}")
print("loops open by at most", np.abs(run.closure).max(), "- momentum off by", np.ptp(run.momentum, axis=0).max())
assert abs(turned - 20.0) < 1.0
assert np.abs(run.closure).max() < 1e-10
