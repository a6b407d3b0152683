"""The map of dynamic singularities: where a free-flying arm cannot move its hand, and its geometry does not say so.

An arm on the ground is singular where it is stretched or folded, and one look at it tells. A free-flying arm is
singular elsewhere, and where depends on its masses. Run it with a path ("map.png") to save the map; that needs
matplotlib. The theory is JR93, section 6; the picture is Papadopoulos and Dubowsky's."""

# %% A planar robot that floats: a base and two links
# In the plane a free base has three dofs, [angle, x, y], none of them driven.
import sys

import numpy as np

import phipsi as pp

np.set_printoptions(precision=4, suppress=True, linewidth=110)
b = pp.Builder("planar", gravity=(0, 0, 0))
b.body("base", joint=pp.Planar((0, 0, 1), passive=True), mass=40.0, inertia=np.diag([4, 4, 6.7]))
b.body("upper", "base", pp.Revolute((0, 0, 1), name="shoulder"), pp.Pose((0.5, 0, 0)), 4.0, (0.5, 0, 0),
       np.diag([0.01, 0.35, 0.35]))  # fmt: skip
b.body("fore", "upper", pp.Revolute((0, 0, 1), name="elbow"), pp.Pose((1, 0, 0)), 3.0, (0.5, 0, 0),
       np.diag([0.01, 0.25, 0.25]))  # fmt: skip
robot = b.frame("hand", "fore", pp.Pose((1, 0, 0))).build()
print(robot, "driven:", robot.nv - int(robot.passive.sum()))

# %% J_G at every shape of the arm, in one call
# The hand's velocity is J_G times the joints' (without momentum): two rows for x and y, two joints. A quarter of a
# million shapes are one batch.
side = 500
angles = np.linspace(-np.pi, np.pi, side)
shoulder, elbow = np.meshgrid(angles, angles, indexing="ij")
q = np.zeros((side, side, robot.nq))
q[..., robot.joint("shoulder").q], q[..., robot.joint("elbow").q] = shoulder[..., None], elbow[..., None]
rows = [3, 4]  # of [angular; linear]: x and y of the hand
J_G = robot.generalized_jacobian(q, "hand")[..., rows, :]
determinant = np.linalg.det(J_G)
print("J_G of", side * side, "shapes:", J_G.shape)

# %% Where its determinant vanishes
# For an arm on the ground, det J = l₁ l₂ sin(elbow): singular at 0 and 180° whatever the shoulder does. Here the zero
# line bends: along it the elbow's angle depends on the shoulder's.
held = np.linalg.det(robot.jacobian(q, "hand")[..., rows, 3:])
assert np.abs(held - np.sin(elbow)).max() < 1e-12
crossing = np.diff(np.sign(determinant), axis=1) != 0  # between neighbouring elbow angles
place = np.abs((angles[:-1] + angles[1:]) / 2)
found = np.broadcast_to(place, crossing.shape)[crossing]
off = np.degrees(np.minimum(found, np.pi - found))
print(f"singular shapes lie up to {off.max():.1f}° from a straight or folded elbow")
assert off.max() > 3.0

# %% One of them, closely
# Take the singular shape that is farthest from straight, bring the determinant to zero by bisection, and try: whatever
# the joints do, the hand moves along one line only. Meanwhile the arm on a held base has no trouble there.
i, j = np.unravel_index(np.argmax(np.where(crossing, np.minimum(place, np.pi - place), -1)), crossing.shape)


def det(x):
    state = np.zeros(robot.nq)
    state[robot.joint("shoulder").q], state[robot.joint("elbow").q] = angles[i], x
    return state, np.linalg.det(robot.generalized_jacobian(state, "hand")[rows])


low, high = angles[j], angles[j + 1]
for _ in range(50):
    middle = (low + high) / 2
    low, high = (middle, high) if det(middle)[1] * det(low)[1] > 0 else (low, middle)
singular, value = det(middle)
rates = np.random.default_rng(0).normal(size=(1000, 2))
moves = pp.underactuated.frame_velocity(robot, singular, rates, "hand")[:, rows]
spread = np.linalg.svd(moves, compute_uv=False)
print(f"shoulder {np.degrees(angles[i]):.1f}°, elbow {np.degrees(middle):.2f}°: det J_G = {value:.1e},", end=" ")
print(f"with the base held det J = {np.sin(middle):.3f}")
print("a thousand random motions of the joints: the hand's velocities have singular values", spread)
assert spread[1] < 1e-9 * spread[0]
assert abs(np.sin(middle)) > 0.05

# %% The masses decide
# Make the base heavier and the singularities go home to the straight and the folded arm.
for mass in (10.0, 40.0, 160.0, 1e5):
    scaled = pp.Builder("planar", gravity=(0, 0, 0))
    scaled.body("base", joint=pp.Planar((0, 0, 1), passive=True), mass=mass, inertia=np.eye(3) * mass / 6)
    for name, parent, at, m in (("upper", "base", 0.5, 4.0), ("fore", "upper", 1.0, 3.0)):
        scaled.body(name, parent, pp.Revolute((0, 0, 1)), pp.Pose((at, 0, 0)), m, (0.5, 0, 0), np.eye(3) * m / 12)
    copy = scaled.frame("hand", "fore", pp.Pose((1, 0, 0))).build()
    signs = np.sign(np.linalg.det(copy.generalized_jacobian(q[::5], "hand")[..., rows, :]))
    at = np.broadcast_to(place, (side // 5, side - 1))[np.diff(signs, axis=1) != 0]
    print(
        f"a base of {mass:8.0f} kg: up to {np.degrees(np.minimum(at, np.pi - at)).max():5.1f}° from straight or folded"
    )
assert np.degrees(np.minimum(at, np.pi - at)).max() < 1.0

# %% What to do about them
# Two things: plan in the part of the workspace where none can be met, and let the law fade out what cannot be done.
# How far the hand is from the mass centre does not change when the robot as a whole turns. Distances at which no shape
# is singular are safe however the hand came there: the path-independent workspace. Others are safe on some ways only.
reach = np.linalg.norm((robot.pose(q, "hand").position - robot.center_of_mass(q))[..., :2], axis=-1)
near = np.zeros((side, side), dtype=bool)
near[:, :-1] |= crossing
bent = np.minimum(np.abs(elbow), np.pi - np.abs(elbow)) > np.radians(0.5)
inner, outer = reach[near & bent & (np.abs(elbow) > np.pi / 2)], reach[near & bent & (np.abs(elbow) < np.pi / 2)]
print(f"the hand can be {reach.min():.2f} to {reach.max():.2f} m from the mass centre")
print(f"singular shapes with a folded elbow: {inner.min():.2f} to {inner.max():.2f} m", end="; ")
print(f"with a stretched one: {outer.min():.2f} to {outer.max():.2f} m")
print(f"between {inner.max():.2f} and {outer.min():.2f} m the hand may go any way")
assert reach.min() < inner.max() < outer.min() < reach.max()

# %% Through one of them, damped
# A path that asks for what the singular shape cannot do. Without damping J_G⁻¹ asks for ever more; with it, the law
# gives up that direction for as long as it must.
hand = robot.pose(singular, "hand")
blocked = np.linalg.svd(robot.generalized_jacobian(singular, "hand")[rows])[0][:, 1]  # the direction that is lost
goal = pp.Pose(hand.position + 0.05 * np.r_[blocked, 0], hand.rotation)
path = pp.control.Reach(hand, goal, duration=2.0)
still = np.zeros(robot.nv)
for damping in (0.0, 0.02, 0.1):
    law = pp.control.EndEffector(robot, "hand", path, rows=rows, bandwidth=1.0, damping=damping)
    nearly = singular + np.r_[np.zeros(4), 1e-5]
    print(
        f"damping {damping}: joint accelerations up to {np.abs(law.acceleration(0.3, nearly, still)).max():.3g} rad/s²"
    )
assert np.abs(law.acceleration(0.3, nearly, still)).max() < 10.0

# %% The map, if a path was given
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(5, 4), layout="constrained")
    degrees = np.degrees(angles)
    picture = axes.pcolormesh(degrees, degrees, np.abs(determinant).T, shading="auto", cmap="viridis", rasterized=True)
    axes.contour(degrees, degrees, determinant.T, levels=[0.0], colors="white")
    axes.set(xlabel="shoulder [°]", ylabel="elbow [°]", title="|det J_G|; white: no motion across one line")
    figure.colorbar(picture)
    figure.savefig(sys.argv[1])
    print(f"saved {sys.argv[1]}")
