"""A hand of three fingertips that can only push: when a grasp holds, when it slips, and what squeezing is good for."""

# %% Three fingers around a palm that faces up, 120° apart, each with a universal joint at its root and a hinge halfway.
import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=110)
builder = pp.Builder("hand", gravity=(0, 0, -9.81))
link = pp.Payload.cylinder(0.05, 0.008, 0.05, com=(0, 0, 0.025))
for k, angle in enumerate(np.radians([0, 120, 240])):
    root = pp.Pose((0.06 * np.cos(angle), 0.06 * np.sin(angle), 0), rpy=(0, 0, angle))
    for part, parent, joint, at in (
        ("proximal", "world", pp.Universal((1, 0, 0), (0, 1, 0)), root),
        ("distal", f"finger{k}/proximal", pp.Revolute((0, 1, 0)), pp.Pose((0, 0, 0.05))),
    ):
        builder.body(f"finger{k}/{part}", parent, joint, at, link.mass, link.com, link.inertia)
    builder.frame(f"finger{k}/tip", f"finger{k}/distal", pp.Pose((0, 0, 0.05)))
cell = pp.assemble({"hand": builder.build(), "ball": pp.zoo.box(mass=0.2, size=(0.06, 0.06, 0.06))})

# %% Curl the fingers in, put the ball in the middle. Each tip touches it with friction: the normal points from the ball
#       to the tip, in the ball's axes.
q = cell.neutral()
for k in range(3):
    q[cell.joint(f"hand/finger{k}/proximal").q] = (0.0, 0.1)
    q[cell.joint(f"hand/finger{k}/distal").q] = -0.9
tips = [f"hand/finger{k}/tip" for k in range(3)]
places = np.array([cell.pose(q, tip).position for tip in tips])
q[-3:] = places.mean(axis=0)
normals = places - q[-3:]
grasps = [
    pp.Grasp(tip, "ball", pp.contact.point(normal, friction=0.6), at=q, name=tip[5:12])
    for tip, normal in zip(tips, normals, strict=True)
]
closed = cell.close(grasps)
mobility = closed.mobility(q)
print(closed, "- freedoms:", mobility.freedoms)
assert mobility.freedoms == 6  # 9 joints and a ball of 6, less 9 constraints: the ball can go anywhere

# %% Hold it against gravity with the least forces: each tip carries a third of the weight, by friction alone, without
#       pressing. That is no grasp. The report says so.
still = np.zeros(cell.nv)
least = closed.inverse_dynamics(q, still, still)
print("normal forces:", least.pressing)
print(least.report())
assert not least.holds.any()

# %% Nine contact forces hold a ball of six freedoms: three are internal. Of those, the one that presses inward on all:
J_ball = closed.constraint_jacobian(q)[:, -6:]
inward = np.concatenate([normal / np.linalg.norm(normal) for normal in normals])  # on the tips: outward
internal = inward - np.linalg.pinv(J_ball.T) @ (J_ball.T @ inward)
print("what the ball feels of it:", np.abs(J_ball.T @ internal).max())
assert np.abs(J_ball.T @ internal).max() < 1e-12

# %% Squeeze until it holds. The cone |f_t| <= 0.6 f_n asks for a third of the weight over 0.6 at each tip.
for squeeze in (0.5, 1.0, 1.5):
    effort = closed.inverse_dynamics(q, still, still, contact_force=squeeze * internal)
    print(f"squeezing with {squeeze} N: normal forces {effort.pressing}, holds: {effort.holds}")
needed = 0.2 * 9.81 / 3 / 0.6
assert not closed.inverse_dynamics(q, still, still, contact_force=0.99 * needed * internal).holds.any()
firm = closed.inverse_dynamics(q, still, still, contact_force=1.01 * needed * internal)
assert firm.holds.all()
print("it takes", round(needed, 3), "N;", firm.report().splitlines()[0])

# %% Lift it: 2 m/s² upward. The accelerations of the fingers follow from those of the ball.
wish = np.zeros(cell.nv)
wish[-1] = 2.0
J = closed.constraint_jacobian(q)
wish[:-6] = -np.linalg.pinv(J[:, :-6]) @ (J[:, -6:] @ wish[-6:])
lift = closed.inverse_dynamics(q, still, wish, contact_force=1.01 * needed * internal)
print("lifting with the same squeeze, holds:", lift.holds)
assert not lift.holds.any()  # the ball is heavier now
lift = closed.inverse_dynamics(q, still, wish, contact_force=1.3 * needed * internal)
assert lift.holds.all()
assert np.allclose(closed.forward_dynamics(q, still, lift.torque).acceleration, wish, atol=1e-9)

# %% One finger lets go. Two point contacts leave the ball free to turn about the line between them.
two = closed.release("finger2", q=q, v=still).system
print("with two fingers:", two.mobility(q).freedoms, "freedoms, three more than with three")
falling = two.forward_dynamics(q, still, lift.torque)
print("the ball turns with", falling.acceleration[-6:-3].round(1), "rad/s²")
assert np.abs(falling.acceleration[-6:-3]).max() > 1.0
