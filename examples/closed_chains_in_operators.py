"""Closed chains in operators: two arms that hold one object, as three expressions that say the same.

RCCFD1, RCCFD2 and RCCFD3 are three ways to write the forward dynamics of arms that hold something. As operators they
are one line each; `explain()` says what each would do, and `robot.close` says that all are right."""

# %% Two arms face each other, a box of 4 kg between their hands
import numpy as np

import phipsi as pp
from phipsi.dynamics.closed_forms import closed_forms, contact_force, of_biases

np.set_printoptions(precision=3, suppress=True, linewidth=110)

right = pp.zoo.arm().placed(pp.Pose((1.9, 0, 0), rpy=(0, 0, np.pi)))
arms = pp.assemble({"left": pp.zoo.arm(), "right": right})
hands = ("left/hand", "right/hand")
q = np.tile([0.0, 0.6, 0.0, 1.3, 0.0, -0.33, 0.0], 2)
middle = np.mean([arms.pose(q, hand).position for hand in hands], axis=0)
shape = pp.zoo.box(mass=4.0, size=(0.3, 0.2, 0.2))
T = np.random.default_rng(0).normal(size=14) * 5  # whatever the motors do

# %% [markdown]
# The paper keeps arms and object apart. The arms alone have a mass matrix H φ M φ* H*, block by block, and its inverse
# in two sweeps. What the object adds is a compliance: forces f at the hands accelerate the points where they hold it by
# A M(C)⁻¹ A* f. The two compliances add up to Ω, and Ω is all that is ever inverted: 12 × 12, however long the arms.

# %% What the hands hold: A, M(C) and Ω
box = pp.unified.Held(4.0, shape.inertia[0], pp.Pose(middle))
A = box.W(pp.unified.model(arms, q, np.zeros(14), hands))  # from the box's motion to those of its grasps
M_C = box.M_o()
s = arms.at(q).holding(*hands, compliance=A @ np.linalg.solve(M_C, A.T))
B = s.B(*hands)
arms_yield = (B.T @ s.Omega @ B).dense()
print("Ω:", arms_yield.shape, "- the arms do not know of each other:", abs(arms_yield[:6, 6:]).max())
assert abs(s.Pi(*hands).dense() @ (arms_yield + A @ np.linalg.solve(M_C, A.T)) - np.eye(12)).max() < 1e-7

# %% Three algorithms, from T' = T - C to θ̈. They are expressions: nothing is computed yet.
for name in ("RCCFD1", "RCCFD2", "RCCFD3"):
    expression = closed_forms[name](*hands)
    print(f"{closed_forms[name]}\n    {expression.cost()}\n")

# %% The paper begins with θ̈ = {M⁻¹ - M⁻¹ J* Ω⁻¹ J M⁻¹} T'. The table of identities finds the rest by itself.
print(closed_forms["analytical"](*hands).explain())

# %% Numbers: T' drives, and a' is what the object's weight asks for
C = arms.bias(q, np.zeros(14))
weight = np.r_[np.zeros(3), -4.0 * arms.gravity]
a_prime = -A @ np.linalg.solve(M_C, weight)
answers = {}
for name, form in closed_forms.items():
    answers[name] = form(*hands).at(s) @ (T - C) + of_biases(*hands).at(s) @ a_prime
    print(f"{name:>10}: θ̈ = {answers[name][:4]} ...")
f = contact_force(*hands).at(s) @ (T - C) - s.Pi(*hands) @ a_prime
print("forces of the hands on the box, N:", f[3:6], f[9:12])

# %% The judge: the whole as one robot with closed loops, from another code altogether
cell = pp.assemble({"left": pp.zoo.arm(), "right": right, "box": shape})
at = np.r_[q, 1, 0, 0, 0, middle]
held = cell.close(*(pp.Grasp(hand, "box", at=at) for hand in hands))
motion = held.forward_dynamics(at, np.zeros(20), np.r_[T, np.zeros(6)])
for name, found in answers.items():
    gap = abs(found - motion.acceleration[:14]).max()
    print(f"{name:>10} against robot.close: {gap:.1e}")
    assert gap < 1e-8 * abs(motion.acceleration).max()
assert abs(f.reshape(2, 6) + motion.wrenches).max() < 1e-8 * abs(f).max()  # the hands feel the opposite

# %% [markdown]
# A fingertip transmits less than a rigid grip. Let the left hand hold by a point: H(0) lists the three motions that the
# contact leaves free, and Π = Ω⁻¹ - Ω⁻¹ H* [H Ω⁻¹ H*]⁻¹ H Ω⁻¹ takes the place of Ω⁻¹. No letter of the three changes.

# %% A point instead of a grip
freedom = np.eye(12)[:3]  # the left hand turns freely
t = arms.at(q).holding(*hands, compliance=A @ np.linalg.solve(M_C, A.T), freedom=freedom)
f = contact_force(*hands).at(t) @ (T - C) - t.Pi(*hands) @ a_prime
found = closed_forms["RCCFD2"](*hands).at(t) @ (T - C) + of_biases(*hands).at(t) @ a_prime
print("moment of the left hand:", f[:3] + 0.0, " of the right one:", f[6:9])
assert abs(f[:3]).max() < 1e-9
loose = cell.close(pp.Grasp(hands[0], "box", pp.contact.point(), at=at), pp.Grasp(hands[1], "box", at=at))
motion = loose.forward_dynamics(at, np.zeros(20), np.r_[T, np.zeros(6)])
assert abs(found - motion.acceleration[:14]).max() < 1e-8 * abs(motion.acceleration).max()
print("and robot.close agrees again, to", f"{abs(found - motion.acceleration[:14]).max():.1e}")
