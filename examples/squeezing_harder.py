"""Squeezing harder without moving: the forces that two arms exert on each other through what they hold."""

# %% Two arms hold a box, rigidly. Each joint has a motor: fourteen of them, for a system of eight freedoms. The six
#       that are left over cannot move anything; they press.
import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=110)
right = pp.zoo.arm().placed(pp.Pose((0.8, 0, 0)))
cell = pp.assemble({"left": pp.zoo.arm(), "right": right, "box": pp.zoo.box(mass=4.0, size=(0.3, 0.2, 0.2))})
q = cell.neutral()
q[cell.joint("left/joint2").q], q[cell.joint("left/joint4").q] = 0.6, 0.9
q[cell.joint("right/joint2").q], q[cell.joint("right/joint4").q] = -0.6, -0.9
hands = cell.pose(q, "left/hand").position, cell.pose(q, "right/hand").position
box = cell.joint(cell.joint_names[-1])
q[box.q][4:] = (hands[0] + hands[1]) / 2
closed = cell.close(pp.Grasp("left/hand", "box", at=q), pp.Grasp("right/hand", "box", at=q))
print(closed, "with", closed.mobility(q).freedoms, "freedoms")

# %% Holding still. `inverse_dynamics` finds the torques, and of all contact forces that hold the box up the least.
still = np.zeros(cell.nv)
easy = closed.inverse_dynamics(q, still, still)
print("forces on the hands (moment, force):")
print(easy.wrenches)
assert np.allclose(easy.wrenches[:, 5].sum(), -4.0 * 9.81)  # together they feel its weight
assert np.isclose(*easy.wrenches[:, 5])  # each half of it

# %% A squeeze is a pair of forces that the box does not feel: what one hand pushes, the other takes up. In world axes,
#       left pushes along x and right against it; in the numbers of the constraints, the force on each hand is its row.
squeeze = np.zeros(closed.rows)
for name, force in (("left/hand on box", -20.0), ("right/hand on box", 20.0)):
    squeeze[closed.rows_of(name)][3] = force  # the box's axes are the world's here
hard = closed.inverse_dynamics(q, still, still, contact_force=squeeze)
print("squeezing with", (hard.wrenches - easy.wrenches)[:, 3], "N along x")
print("torques of the left arm, holding: ", easy.torque[:7])
print("                       squeezing: ", hard.torque[:7])
assert np.allclose(hard.contact_force - easy.contact_force, squeeze)

# %% Nothing moves: with either torques the whole system stays at rest. (It cannot be told from the motion how hard they
#       squeeze, and so not from the constraints either: motors and contact forces decide it together.)
for effort in (easy, hard):
    motion = closed.forward_dynamics(q, still, effort.torque)
    print("largest acceleration:", np.abs(motion.acceleration).max(), " rank", motion.rank)
    assert np.abs(motion.acceleration).max() < 1e-9
    assert np.allclose(motion.contact_force, effort.contact_force, atol=1e-8)

# %% The choice can be spent otherwise: one arm may carry more than the other, or the motors may have it easy.
tired = closed.inverse_dynamics(q, still, still, share=[1.0, 3.0])
lazy = closed.inverse_dynamics(q, still, still, least="torque")
print("weight carried by left and right:", -tired.wrenches[:, 5])
print("norm of the torques:", np.linalg.norm(easy.torque), "->", np.linalg.norm(lazy.torque))
assert tired.wrenches[1, 5] < 2 * tired.wrenches[0, 5]
assert np.linalg.norm(lazy.torque) < np.linalg.norm(easy.torque)

# %% And if a motor fails? Thirteen are still more than the eight freedoms need; the same squeeze is still there.
working = ~cell.passive
working[cell.joint("left/joint4").v] = False
without = closed.inverse_dynamics(q, still, still, actuated=working)
print("without the left elbow:", without.torque[:7])
assert without.torque[cell.joint("left/joint4").v] == 0.0
assert np.abs(closed.forward_dynamics(q, still, without.torque).acceleration).max() < 1e-9
