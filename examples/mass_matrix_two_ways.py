"""The mass matrix and its inverse, read twice: as operator expressions, and as the sweeps that these say."""

# %% The parts of an arm: a list of links, each with what the paper calls φ(k), H(k), M(k)
import time
from typing import NamedTuple

import numpy as np

import phipsi as pp
from phipsi import reference

np.set_printoptions(precision=4, suppress=True, linewidth=110)


class Link(NamedTuple):
    phi: np.ndarray  # (6, 6): carries a force from this link's joint to the joint before it
    H: np.ndarray  # (6,): the axis as a row: H f is the torque in a force f; H* θ̇ the relative velocity
    M: np.ndarray  # (6, 6): inertia about the joint
    J: float  # what the motor's rotor adds


def tilde(x):
    return np.array([[0, -x[2], x[1]], [x[2], 0, -x[0]], [-x[1], x[0], 0]])


def links_of(robot, q):
    """The links of a chain of hinges, base first."""
    links, before, one, none = [], np.zeros(3), np.eye(3), np.zeros((3, 3))
    R, O = robot.poses(q).rotation, robot.poses(q).position  # noqa: E741 (O_k, the papers' letter)
    for k, joint in enumerate(robot.joints):
        m, p = robot.mass[k], tilde(R[k] @ robot.com[k])
        inertia = R[k] @ robot.inertia[k] @ R[k].T - m * p @ p
        phi, M = np.block([[one, tilde(O[k] - before)], [none, one]]), np.block([[inertia, m * p], [-m * p, m * one]])
        links.append(Link(phi, np.concatenate([R[k] @ joint.parameters, np.zeros(3)]), M, robot.armature[k]))
        before = O[k]
    return links


# %% mass @ x = H φ M φ* H* x. Read it from right to left: two sweeps.


def mass_times(links, x):
    alpha, forces, f, torques = np.zeros(6), [], np.zeros(6), np.zeros(len(links))
    for k, link in enumerate(links):  # φ* H* x: base → tip, each joint adds its own motion
        alpha = link.phi.T @ alpha + link.H * x[k]
        forces.append(link.M @ alpha)  # M: each link on its own
    for k, link in reversed(list(enumerate(links))):  # H φ: tip → base, forces add up and each joint feels its part
        f = forces[k] + f
        torques[k] = link.H @ f + link.J * x[k]
        f = link.phi @ f
    return torques


# %% mass⁻¹ @ x = (1 - HψK)* D⁻¹ (1 - HψK) x. Again two sweeps; P, D and G are made on the way inward.


def inverse_mass_times(links, x):
    P, z, lam = np.zeros((6, 6)), np.zeros(6), np.zeros(6)
    nu, gains, accelerations = np.zeros(len(links)), [np.empty(0)] * len(links), np.zeros(len(links))
    for k, link in reversed(list(enumerate(links))):  # D⁻¹ (1 - HψK): tip → base
        P = link.M + P  # what this link and all beyond resist, with the joints beyond free to turn
        D = link.H @ P @ link.H + link.J
        gains[k] = G = P @ link.H / D
        nu[k] = (x[k] - link.H @ z) / D
        z = link.phi @ (z + G * (x[k] - link.H @ z))  # ψ z + K x, with ψ = φ(1 - GH), K = φG
        P = link.phi @ (P - np.outer(G, link.H @ P)) @ link.phi.T  # P⁺, what the joint hands on
    for k, link in enumerate(links):  # (1 - HψK)*: base → tip
        carried = link.phi.T @ lam  # the acceleration that the joint's inner side has
        accelerations[k] = nu[k] - gains[k] @ carried
        lam = carried + link.H * accelerations[k]
    return accelerations


# %% A pendulum: everything is one number


def by_hand(sweeps, links):
    """A matrix from what it does to the unit vectors."""
    return np.stack([sweeps(links, e) for e in np.eye(len(links))], axis=1)


m, length = 2.0, 0.5
pendulum = pp.zoo.pendulum(mass=m, length=length)
links = links_of(pendulum, [0.3])
mass, inverse = by_hand(mass_times, links), by_hand(inverse_mass_times, links)
print(f"a rod of {m} kg and {length} m about its end:  H M H* = {mass[0, 0]:.6f}")
print(f"m l²/3 = {m * length**2 / 3:.6f}; the section of the rod adds m (l/20)²/12 = {m * (length / 20) ** 2 / 12:.6f}")
print(f"its inverse, 1/D: {inverse[0, 0]:.6f};  their product is {mass[0, 0] * inverse[0, 0]:.12f}")

# %% A seven-joint arm: the same 25 lines, and the expression in one
arm = pp.zoo.arm()
q, _ = arm.random(rng=0)
links = links_of(arm, q)
s = reference.at(arm, q)  # the operators as dense matrices, to see them
r = reference.riccati(s)
one, armature = np.eye(arm.nv), np.diag(arm.armature)

mass = s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + armature
whitening = one - r.H @ r.psi @ r.K
inverse = whitening.T @ r.D_inverse @ whitening
print("\nthe mass matrix of a seven-joint arm, H φ M φ* H* + armature:")
print(mass)
print("D, all that has to be inverted:", np.diag(r.D))


def compare(words, x, y):
    gap = abs(x - y).max() / abs(y).max()
    print(f"{words:58s} {gap:.1e}")
    assert gap < 1e-12, words


print()
compare("mass matrix: sweeps by hand, and the expression", by_hand(mass_times, links), mass)
compare("mass matrix: the compiled core, and the expression", arm.mass_matrix(q), mass)
compare("inverse: sweeps by hand, and the expression", by_hand(inverse_mass_times, links), inverse)
compare("inverse: the compiled core, and the expression", arm.inverse_mass_matrix(q), inverse)
compare("inverse, times mass matrix, and the identity", inverse @ mass, one)
compare("determinant: product of D(k), and that of the matrix", np.prod(np.diag(r.D)), np.linalg.det(mass))

# %% Two sweeps are O(n): each link is met once on the way in and once on the way out
print("\n links   mass⁻¹ x by hand   per link")
for n in (10, 100, 1000):
    chain = pp.zoo.chain(n)
    links, x = links_of(chain, chain.random(rng=0)[0]), np.ones(n)
    start = time.perf_counter()
    inverse_mass_times(links, x)
    elapsed = time.perf_counter() - start
    print(f"{n:6d} {1e3 * elapsed:15.2f} ms {1e6 * elapsed / n:8.1f} µs")
