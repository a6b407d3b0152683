"""The robot as a Kalman filter: its mass matrix is a covariance, its articulated inertias are prediction errors.

Run it with a path ("kalman.png") to save a figure; that needs matplotlib. The theory is RK88, section 4."""

# %% An arm, and a random process that has nothing to do with mechanics, or so it seems
import sys
import unicodedata

import numpy as np

import phipsi as pp
from phipsi import reference

np.set_printoptions(precision=3, suppress=True, linewidth=110)
arm = pp.zoo.arm(gravity=(0, 0, 0)).with_armature(0.01)  # seven joints, whose motors have rotors of some inertia
q, _ = arm.random(rng=3)
n, samples = arm.n, 200_000
rng = np.random.default_rng(0)
s = reference.at(arm, q)  # H, φ, E_φ, M as matrices, to take their blocks out


def block(k):
    return slice(6 * k, 6 * k + 6)


H = [s.H[k : k + 1, block(k)] for k in range(n)]  # (1, 6) each: what joint k sees of a force
M = [s.M[block(k), block(k)] for k in range(n)]
PHI = [s.E[block(0)].T, *(s.E_phi[block(k - 1), block(k)] for k in range(1, n))]  # (6, 6): a force, one link inward
R = arm.armature  # one number a joint
INWARD = range(n - 1, -1, -1)  # tip → base: the "time" of the process


def line(words, number):
    width = sum(not unicodedata.combining(letter) for letter in words)  # the dots of θ̈ take no room
    print(f"  {words}{' ' * (66 - width)}{number}")


def exact(words, got, expected, within=1e-12):
    gap = np.max(np.abs(np.asarray(got) - expected)) / np.max(np.abs(expected))
    line(words, f"{gap:.1e}")
    assert gap < within, words


def sampled(words, x, covariance):
    """A sample covariance against the true one, in standard errors: a few is luck, ten would be a mistake."""
    errors = np.sqrt((np.outer(np.diag(covariance), np.diag(covariance)) + covariance**2) / len(x))
    worst = np.max(np.abs(x.T @ x / len(x) - covariance) / errors)
    line(words, f"{worst:.1f} σ")
    assert worst < 5, words


# %% 1. The process. A state z walks from the tip to the base, carried by φ and kicked on each link by white noise w(k)
#       with covariance M(k); at each joint an instrument reads y(k) = H(k) z(k), with noise of variance R(k).
#
#           z(k) = φ(k, k+1) z(k+1) + w(k)      E[w w*] = M
#           y(k) = H(k) z(k) + r(k)             E[r r*] = R           that is,  y = H φ w + r
#
#       z is a force and y are torques, if you insist. M(k) is the inertia of link k, R(k) that of motor k's rotor (the
#       paper has none). Then E[y y*] = H φ M φ* H* + R: the mass matrix.
W = [rng.normal(size=(samples, 6)) @ np.linalg.cholesky(M[k]).T for k in range(n)]
noise = rng.normal(size=(samples, n)) * np.sqrt(R)
Z, Y = [np.empty(0)] * n, np.empty((samples, n))
z = np.zeros((samples, 6))
for k in INWARD:
    Z[k] = z = z + W[k]
    Y[:, k] = (z @ H[k].T)[:, 0] + noise[:, k]
    z = z @ PHI[k].T

mass = arm.mass_matrix(q)
print("1. y = H φ w + r has the mass matrix for its covariance. [RK88 4.1-4.3]")
exact("H φ M φ* H* + R, and arm.mass_matrix(q)", s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + np.diag(R), mass)
sampled(f"covariance of {samples} samples of y, and arm.mass_matrix(q)", Y, mass)

# %% 2. The filter. What can be said about the force z(k) before joint k is read, given all joints beyond it? Here is
#       the predictor of any textbook on control; nothing in it knows that this is a robot.
P, D, G = [np.empty(0)] * n, np.empty(n), [np.empty(0)] * n
covariance = np.zeros((6, 6))
for k in INWARD:
    P[k] = covariance + M[k]  # error covariance of the predicted state: process noise comes in
    D[k] = (H[k] @ P[k] @ H[k].T)[0, 0] + R[k]  # innovations covariance
    G[k] = (P[k] @ H[k].T)[:, 0] / D[k]  # Kalman gain
    updated = P[k] - np.outer(G[k], H[k] @ P[k])  # the reading takes uncertainty away, along one direction
    covariance = PHI[k] @ updated @ PHI[k].T  # and it is carried on

r = reference.riccati(s)  # the articulated quantities of forward dynamics
print("\n2. Its Riccati equation is the recursion for articulated inertias. [RK88 4.4-4.6]")
exact("P(k), error covariance, and the articulated-body inertias", P, [r.P[block(k), block(k)] for k in range(n)])
exact("D(k), innovations covariance, and the inertia seen at each joint", D, np.diag(r.D))
exact("G(k), Kalman gain, and how a joint hands forces on", G, [r.G[block(k), k] for k in range(n)])

# An experiment for those who do not believe names: saw the arm off at joint 4 and let the outer part float. P(4) is how
# it resists being pushed at that point, with all its joints free to give.
cut = 3
builder = pp.Builder("outer part", gravity=(0, 0, 0))
parent = "world"
for k in range(cut, n):
    held = pp.Free() if k == cut else pp.Revolute(arm.joints[k].parameters, armature=R[k])
    place = pp.Pose() if k == cut else pp.Pose(arm.placements.position[k], arm.placements.rotation[k])
    builder.body(arm.body_names[k], parent, held, place, arm.mass[k], arm.com[k], arm.inertia[k])
    parent = arm.body_names[k]
outer, pose = builder.build(), arm.pose(q, arm.body_names[cut])
compliance = outer.inverse_mass_matrix(np.r_[pose.quaternion, pose.position, q[cut + 1 :]])[:6, :6]
turn = np.kron(np.eye(2), pose.rotation)  # a free joint tells its twist in its own axes
exact("P(4), and the outer arm pushed as it floats", turn @ np.linalg.inv(compliance) @ turn.T, P[cut])
print(f"  rigid, its mass would be {sum(arm.mass[cut:]):.1f} kg in all directions; P(4) has", end=" ")
print(np.linalg.eigvalsh(P[cut][3:, 3:]), "kg")

# %% 3. The innovations: what a reading says that the readings before it did not. Run the filter on the samples.
EPSILON, Z_HAT = np.empty((samples, n)), [np.empty(0)] * n
z_hat = np.zeros((samples, 6))
for k in INWARD:
    Z_HAT[k] = z_hat  # E[z(k) | y of the joints beyond k]
    EPSILON[:, k] = Y[:, k] - (z_hat @ H[k].T)[:, 0]
    z_hat = (z_hat + np.outer(EPSILON[:, k], G[k])) @ PHI[k].T

whitening = np.eye(n) - r.H @ r.psi @ r.K
print("\n3. ε = (1 - HψK) y is white: the filter makes the mass matrix diagonal. [RK88 4.11-4.15]")
exact("the filter, run link by link, and the operator (1 - HψK)", EPSILON, Y @ whitening.T)
exact(
    "(1 + HφK) D (1 + HφK)*, and the mass matrix", np.linalg.solve(whitening, np.linalg.solve(whitening, r.D).T), mass
)
sampled("covariance of the samples of ε, and D", EPSILON, np.diag(D))
sampled("covariance of z - ẑ at link 4, and P(4)", Z[cut] - Z_HAT[cut], P[cut])


def correlation(x):
    deviation = np.sqrt(np.diag(x.T @ x))
    return x.T @ x / np.outer(deviation, deviation)


def most(x):
    return np.max(np.abs(correlation(x) - np.eye(n)))


print(f"  largest correlation between two joints: {most(Y):.3f} in y, {most(EPSILON):.3f} in ε")
exact("log det of the mass matrix: Σ log D(k), as in any likelihood", np.log(D).sum(), np.linalg.slogdet(mass)[1])

# %% 4. The smoother: back from the base to the tip. Feed the readings y to the arm as torques: then the smoothed
#       innovations are its joint accelerations.
nu = EPSILON / D
A, LAMBDA = np.empty((samples, n)), [np.empty(0)] * n
lam = np.zeros((samples, 6))
for k in reversed(INWARD):
    carried = lam @ PHI[k]  # φ* λ: from the base side of the joint
    A[:, k] = nu[:, k] - carried @ G[k]
    LAMBDA[k] = lam = carried + np.outer(A[:, k], H[k])

rest = np.zeros(n)
print("\n4. Smoothing gives the accelerations: θ̈ = (1 - HψK)* D⁻¹ (1 - HψK) y. [RK88 4.16-4.22]")
exact(f"the smoother, and arm.forward_dynamics on {samples} torques", A, arm.forward_dynamics(q, rest, Y))
sampled("covariance of the samples of θ̈, and arm.inverse_mass_matrix(q)", A, arm.inverse_mass_matrix(q))
exact("y* θ̈ = Σ ε(k)²/D(k), for each sample", np.sum(Y * A, axis=1), np.sum(EPSILON**2 / D, axis=1))
print(f"  and that is χ² with {n} degrees of freedom: its mean is {np.mean(np.sum(Y * A, axis=1)):.3f}")

# %% 5. And what does the smoother estimate? The noise: E[w(k) | y] = M(k) λ(k), and λ(k) is link k's acceleration. The
#       most likely kicks, given the torques, are the inertia forces of the links; the most likely reading noise, R θ̈,
#       is what spins up the rotors. Least squares chooses, among all forces that explain the torques, those with the
#       least w* M⁻¹ w + r* R⁻¹ r. So does nature: Gauss's principle of least constraint, from its dual side.
accelerations = arm.accelerations(q, rest, A)
w_hat = [LAMBDA[k] @ M[k] for k in range(n)]
explained = A * R
z = np.zeros((samples, 6))
for k in INWARD:
    z = z + w_hat[k]
    explained[:, k] += (z @ H[k].T)[:, 0]
    z = z @ PHI[k].T
gain = s.M @ s.phi.T @ s.H.T @ np.linalg.inv(mass)  # E[w y*] E[y y*]⁻¹, the estimator by the book

print("\n5. The best guess of the noise, E[w | y] = M λ, is the inertia force of each link. [RK88 5.6]")
exact("λ(k), and arm.accelerations(q, 0, θ̈)", np.stack(LAMBDA, axis=1), accelerations)
exact("M λ, and E[w y*] E[y y*]⁻¹ y", np.concatenate(w_hat, axis=1), Y @ gain.T)
exact("H φ (M λ) + R θ̈: the guess explains the readings", explained, Y)
left = s.M - gain @ s.H @ s.phi @ s.M
sampled("covariance of w - ŵ at link 4, and (M - MΩM)(4)", W[cut] - w_hat[cut], left[block(cut), block(cut)])

# %% A picture of whitening, if a path was given
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(8, 3.6), layout="constrained")
    for ax, x, title in zip(axes, (Y, EPSILON), ("torques y: the mass matrix", "innovations ε: white"), strict=True):
        image = ax.imshow(correlation(x), vmin=-1, vmax=1, cmap="RdBu")
        ax.set(title=title, xlabel="joint", xticks=range(n), xticklabels=range(1, n + 1))
        ax.set(yticks=range(n), yticklabels=range(1, n + 1))
    figure.colorbar(image, ax=axes, label="correlation")
    figure.savefig(sys.argv[1])
    print(f"\nsaved {sys.argv[1]}")
