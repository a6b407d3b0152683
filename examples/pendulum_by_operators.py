"""A pendulum by operators: each letter of the algebra, on robots small enough to check by hand.

Start here if H φ M φ* H* means nothing to you yet. All you need to know is what a lever is."""

# %% One rod, one hinge
import numpy as np

import phipsi as pp

np.set_printoptions(precision=4, suppress=True, linewidth=100)

m, length = 1.2, 0.8  # a rod of this mass and length, hung at its end
J = np.diag([m * length**2 / 12, m * length**2 / 12, 1e-4])  # about its own middle


def hang(builder, name, parent, at):
    """A rod that swings about the y axis and points down when its angle is zero."""
    return builder.body(
        name,
        parent,
        pp.Revolute((0, 1, 0), name=f"hinge of {name}"),
        pp.Pose(position=at),
        mass=m,
        com=(0, 0, -length / 2),
        inertia=J,
    )


builder = pp.Builder("pendulum", gravity=(0, 0, -9.81))
hang(builder, "rod", "world", (0, 0, 2))
pendulum = builder.build()
q = np.array([0.4])
s = pendulum.at(q)

# %% H: what the hinge feels of a force. A force on the rod is six numbers, moment first; the hinge lets through the
#       moment about its own axis, y, and carries all the rest to the wall.
print("H =", s.H.dense())
push = np.array([0, 0, 0, 5.0, 0, 0])  # five newtons along x, at the hinge: nothing turns
twist = np.array([0, 2.0, 0, 0, 0, 0])
print("torque at the hinge:", s.H @ push, "for a push there,", s.H @ twist, "for a twist")

# %% M: how the rod resists, about the hinge. Upper left is its inertia there, m l²/3 about y, by the theorem of
#       parallel axes. The lower right is its mass. The corners say that its middle is not where the hinge is.
print(s.M.dense())
assert np.isclose(s.M.dense()[1, 1], m * length**2 / 3)

# %% H M H*: turn the hinge with unit acceleration (H*), see what force that takes (M), read the torque (H).
#       One link needs no φ, for there is nobody to carry a force to.
mass = s.H @ s.M @ s.H.T
print(mass, "=", mass.dense(), " and m l²/3 =", m * length**2 / 3)
assert np.isclose(mass.dense(), m * length**2 / 3)
assert np.allclose(mass.dense(), pendulum.mass_matrix(q))

# %% Two rods, and the letter φ. What the second rod needs to be accelerated must come from the first one. φ carries
#       forces to the parent: the force itself, and the moment that it makes there, by its lever.
builder = pp.Builder("double pendulum", gravity=(0, 0, -9.81))
hang(builder, "upper", "world", (0, 0, 2))
hang(builder, "lower", "upper", (0, 0, -length))
double = builder.build()
q = np.array([0.4, 0.9])
s = double.at(q)
print("φ(upper, lower) =")
print(s.phi["upper", "lower"])
lever = double.pose(q, "lower").position - double.pose(q, "upper").position
print("its upper right corner is the cross product with the lever", lever)
assert np.allclose(s.phi["upper", "lower"][:3, 3:] @ [1, 2, 3], np.cross(lever, [1, 2, 3]))

# %% The mass matrix of the double pendulum, which you can find in any book, without the algebra that fills its page
mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
print(mass)
print(mass.dense())
c = np.cos(q[1])
a, b = m * length**2 / 3, m * length**2 / 2
by_hand = np.array([[a + a + m * length**2 + 2 * b * c, a + b * c], [a + b * c, a]])
print("by the book, to", abs(mass.dense() - by_hand).max())
assert np.allclose(mass.dense(), by_hand)

# %% Nobody multiplies matrices. Applied to a vector, the product is read from right to left, each letter a step at
#       every rod; φ and φ* are sweeps. This is what happens:
print(mass.explain())

# %% ψ: when hinges give way. Hold the upper rod's hinge in your hand, and push at the far end of the lower rod. Were
#       the lower hinge rusted, φ would carry the push to you in full. It is not: what arrives is ψ times the push.
force = np.array([5.0, 0, 0])
end = double.pose(q, "lower").rotation @ [0, 0, -length]
push = np.r_[np.cross(end, force), force]  # about the lower hinge
print("through a rusted hinge:", s.phi["upper", "lower"] @ push)
print("through a free one:    ", s.psi["upper", "lower"] @ push)

# %% P: how heavy the pendulum feels in your hand. M + what the lower rod adds; through a free hinge it adds less than
#       its own inertia, carried over, would. D is what is left of P about the hinge.
print("the lower rod alone, M(2) = P(2):", np.allclose(s.P["lower", "lower"], s.M["lower", "lower"]))
print("D:", np.diag(s.D.dense()))
determinant = np.linalg.det(by_hand)
print("their product is the determinant of the mass matrix:", np.prod(np.diag(s.D.dense())), determinant)
assert np.isclose(np.prod(np.diag(s.D.dense())), determinant)

# %% The inverse. Nobody inverts a matrix, either: a theorem says what the inverse is, again as sweeps.
print(mass.inv)
print(mass.inv.dense() @ by_hand)
assert np.allclose(mass.inv.dense() @ by_hand, np.eye(2))

# %% Let it swing. Accelerations are the inverse mass matrix times what torques are left after gravity and the
#       centrifugal forces; `forward_dynamics` does it all in one go.
v, tau = np.array([0.0, 2.0]), np.zeros(2)
by_operators = mass.inv @ (tau - double.bias(q, v))
print(by_operators, double.forward_dynamics(q, v, tau))
assert np.allclose(by_operators, double.forward_dynamics(q, v, tau))
