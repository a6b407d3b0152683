"""One robot seen from three bases: a free-flying robot does not care which of its links we call the base.

The theory is JR95f: a link feels P(k) + S(k), what is beyond it and what is before it; their sum knows no base."""

# %% [markdown]
# # One robot, three bases
#
# A robot arm on the ground has a base: the link that is bolted down. A satellite with two arms has none. Somebody still
# has to pick one, because coordinates must start somewhere: *this* link gets a position and an orientation, the others
# get joint angles. Simulators ask you to choose once, in the file, and everything they compute, from the mass matrix to
# the order of the sweeps, follows from the choice.
#
# So which of the results belong to the robot, and which only to the choice?

# %% A satellite with two arms, and the same satellite with a hand for its base, and with an elbow for its base
import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True, linewidth=110)
ship = pp.zoo.dual_arm_satellite()
bases = ["base", "left/hand", "right/link4"]
views = {name: ship.rebasing(name) for name in bases}  # a robot each, and the maps between their states

q, v = ship.random(rng=7)
tau = np.r_[np.zeros(6), np.random.default_rng(7).normal(size=ship.nv - 6)]  # joint motors only, no thrusters
for name, there in views.items():
    print(f"base {name:<12} {there.robot!r}, parent of 'base': {there.robot.body('base').parent}")


# %% [markdown]
# `rebasing` turns the joints between the two bases round and carries states, accelerations, torques and mass matrices
# over, both ways. It is the transformation T of the paper's appendix A (whose printed form forgets that hinges turned
# round change their sign).


# %% 1. What changes with the base: the coordinates, and everything that is written in them
def say(words, value):
    print(f"  {words:<64} {value}")


print("\n1. What depends on the base")
kappa = []
for name, there in views.items():
    q1, v1 = there.state(q, v)
    mass = there.robot.mass_matrix(q1)
    assert np.allclose(mass, there.mass_matrix(q), atol=1e-9 * abs(mass).max())  # T⁻* M T⁻¹ [JR95f 44]
    kappa.append(np.linalg.cond(mass))
    say(f"condition number of the mass matrix, base {name}", f"{kappa[-1]:.0f}")
say("largest over smallest", f"{max(kappa) / min(kappa):.1f}")

# %% 2. What does not: energy, momentum, and how the robot moves
print("\n2. What does not")
energy, momentum, links = [], [], []
for there in views.values():
    robot = there.robot
    q1, v1 = there.state(q, v)
    a1 = robot.forward_dynamics(q1, v1, there.torque(q, tau))
    energy.append(robot.kinetic_energy(q1, v1))
    momentum.append(robot.momentum(q1, v1))
    body = [robot.body(name).index for name in ship.body_names]
    links.append(robot.accelerations(q1, v1, a1)[body])
say("kinetic energy: largest difference", f"{np.ptp(energy):.1e}")
say("momentum: largest difference", f"{np.ptp(momentum, axis=0).max():.1e}")
say("accelerations of all links: largest difference", f"{np.ptp(links, axis=0).max():.1e}")
assert np.ptp(energy) < 1e-9 * max(energy)
assert np.ptp(links, axis=0).max() < 1e-9 * np.abs(links).max()

# %% [markdown]
# That the *physics* agrees is no surprise. What follows is: quantities that are usually computed *from* a base, by
# sweeps which begin or end there, turn out to be the links' own.
#
# Push link k: it yields by Υ(k) = Λ(k)⁻¹. Push link j and look at link i: Ω(i, j). Λ(k) is the sum of two inertias:
#
# - **P(k)**: link k and all beyond it, with their joints free. A sweep from the tips brings it.
# - **S(k)**: everything on the other side of joint k, in the same way. A sweep from the base brings it.
#
# Move the base to the other side of link k and P and S change roles. Their sum stays.

# %% 3. Each link's inertia: P and S change, P + S does not
print("\n3. P(k) + S(k) = Λ(k) [JR95f 38]")
elbow = "left/link4"
felt = {}
for name, there in views.items():
    q1 = there.configuration(q)
    k = there.robot.body(elbow).index
    P, S = pp.free_flying.dual_inertias(there.robot, q1)
    felt[name] = pp.free_flying.link_inertias(there.robot, q1)[[there.robot.body(x).index for x in ship.body_names]]
    masses = P[k, 5, 5], S[k, 5, 5], (P + S)[k, 5, 5]
    say(f"base {name:<12} what {elbow} resists along z: P, S, P + S", "  ".join(f"{x:7.3f}" for x in masses))
spread = np.ptp(list(felt.values()), axis=0).max() / abs(felt["base"]).max()
say("Λ of all 15 links, from three bases: largest difference", f"{spread:.1e}")
assert spread < 1e-10

hands = ["left/hand", "right/hand"]
across = [
    pp.free_flying.compliance_between(there.robot, there.configuration(q), [tuple(hands)]) for there in views.values()
]
say("Ω(left hand, right hand), from three bases: largest difference", f"{np.ptp(across, axis=0).max():.1e}")
assert np.ptp(across, axis=0).max() < 1e-9 * abs(across[0]).max()

# %% [markdown]
# ## So do away with the base
#
# If every link has its Λ(k), every link can be its own base. Two sweeps that do not wait for each other bring P, z
# and S, z_s; then each link finds its acceleration alone, Λ(k) α(k) = P a - z - z_s, without asking its neighbours
# for theirs. This is the paper's Algorithm 3.3.

# %% 4. Every link at once
print("\n4. Every link as base [JR95f 25]")
motion = pp.free_flying.dynamics(ship, q, v, tau)
say("sweeps", " | ".join(motion.directions))
say("accelerations of all links, against forward dynamics", f"{abs(motion.link_accelerations - links[0]).max():.1e}")
assert np.allclose(motion.link_accelerations, links[0], atol=1e-9 * np.abs(links[0]).max())

# %% [markdown]
# One step further, and the joint angles go too: let each link keep its own pose and twist, and integrate them by
# itself (Algorithm 3.4). Nothing then makes the joints fit but the dynamics, and integration errors slowly pull them
# apart. The same two sweeps put them together again: fed with the gaps instead of accelerations, they answer with the
# displacements of least mass that close them.

# %% 5. Fifteen rigid bodies that happen to hold hands
print("\n5. Links on their own for a quarter of a second [JR95f Algorithm 3.4]")
calm = 0.3 * v
for keep in ((), ("position", "velocity", "momentum")):
    loose = pp.free_flying.LinkByLink(ship, keep)
    state = loose.split(q, calm)
    before = loose.momentum(state)
    for _ in range(5):
        state = loose.step(state, 0.05, tau)
    position, velocity = loose.closure_error(state)
    drift = abs(loose.momentum(state) - before).max() / abs(before).max()
    say(f"keeping {' and '.join(keep) or 'nothing'}:", "")
    say("    gaps in the joints, slip between them, momentum lost", f"{position:.0e}  {velocity:.0e}  {drift:.0e}")
assert position < 1e-12
assert velocity < 1e-11
assert drift < 1e-13
