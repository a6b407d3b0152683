"""An arm whose energy is ½|ν|²: where torque works, where it only carries, and control that knows the difference.

Run it with a path ("diagonal.png") to save a figure; that needs matplotlib. The theory is JR95d."""

# %% A seven-joint arm, and its diagonalizing rates
import sys
import time

import numpy as np

import phipsi as pp
from phipsi import diagonal

np.set_printoptions(precision=3, suppress=True, linewidth=110)
arm = pp.zoo.arm()
floating = arm.with_gravity((0, 0, 0))  # for what has nothing to do with weight
q, v = arm.random(rng=3)
nu = diagonal.rates(arm, q, v)
m = arm.at(q).m  # ν = m* θ̇, an operator; its matrix is the Cholesky factor of the mass matrix, taken from the tip
print("θ̇ =", v, "\nν =", nu)
print(f"½ θ̇* 𝓜 θ̇ = {arm.kinetic_energy(q, v):.6f},  ½ ν* ν = {0.5 * nu @ nu:.6f}")
assert np.isclose(0.5 * nu @ nu, arm.kinetic_energy(q, v))
assert np.allclose((m @ m.T).dense(), arm.mass_matrix(q))
assert np.allclose(m.dense(), np.triu(m.dense()))  # ν(k) depends on joint k and those that carry it

# %% Coriolis forces that do no work. In θ̇ they trade energy between the joints; in ν they only turn the vector.
C_usual, C = floating.bias(q, v), diagonal.coriolis(arm, q, nu)
print(f"θ̇* C(θ, θ̇) = {v @ C_usual:+.3f} W,  ν* C(θ, ν) = {nu @ C:+.1e} W")
assert abs(v @ C_usual) > 1e-3
assert abs(nu @ C) < 1e-12 * np.linalg.norm(nu) * np.linalg.norm(C)

# %% Where torque works, and where it only carries. Of the torque T(k) of a joint one part, D^½ ε, accelerates what the
#    joint moves; the other, H z, stops what the motors beyond push back with: T(k) = D^½(k) ε(k) + H(k) z(k). Only the
#    working part is in ν̇ + C = ε. Here the elbow alone works. The joints that carry it must be driven too, or they
#    would give way: their torques go into holding, and none of them works. Those beyond it need no torque at all.
none, working = np.zeros((2, 7))
working[3] = 2.0
torques = diagonal.torques(arm, q, working)
kappa = diagonal.forces(arm, q, torques, normalized=False)  # D^½ ε
carried = torques - kappa
print("T      =", torques, "\nD^½ ε  =", kappa, "\nH z    =", carried)
assert np.allclose(np.delete(kappa, 3), 0, atol=1e-12)  # none of the others works
assert abs(carried[:3]).max() > 0.1 * torques[3]  # but some carry
assert np.allclose(torques[4:], 0)
_, nu_dot = diagonal.dynamics(floating, q, none, torques)
print("ν̇      =", nu_dot)
assert np.allclose(nu_dot, working)  # from rest, only the elbow's rate feels it


# %% The motion in (θ, ν): an ordinary right-hand side. Cost and energy against the usual form, for 200 motions by the
#    same Runge-Kutta method with the same steps. No form keeps the energy for free: all errors fall with the fourth
#    power of the step, and which form has the smallest depends on the motion.
def rk4(rate, q, x, dt, steps):
    """θ on the joints' manifolds, x as it is; `rate(q, x)` gives v and ẋ."""
    for _ in range(steps):
        v1, a1 = rate(q, x)
        v2, a2 = rate(arm.integrate(q, 0.5 * dt * v1), x + 0.5 * dt * a1)
        v3, a3 = rate(arm.integrate(q, 0.5 * dt * v2), x + 0.5 * dt * a2)
        v4, a4 = rate(arm.integrate(q, dt * v3), x + dt * a3)
        q = arm.integrate(q, dt * (v1 + 2 * v2 + 2 * v3 + v4) / 6)
        x = x + dt * (a1 + 2 * a2 + 2 * a3 + a4) / 6
    return q, x


forms = {
    "θ̇": (lambda q, v: (v, floating.forward_dynamics(q, v, none)), lambda q, v: v),
    "ν": (lambda q, x: diagonal.dynamics(floating, q, x, none), lambda q, v: diagonal.rates(arm, q, v)),
    "ξ": (
        lambda q, x: diagonal.dynamics(floating, q, x, none, normalized=False),
        lambda q, v: diagonal.rates(arm, q, v, normalized=False),
    ),
}
back = {
    "θ̇": lambda q, x: x,
    "ν": lambda q, x: diagonal.velocities(arm, q, x),
    "ξ": lambda q, x: diagonal.velocities(arm, q, x, normalized=False),
}
starts, speeds = arm.random(200, rng=0)
before = arm.kinetic_energy(starts, speeds)
drift, usual = {}, []
print("energy error after 0.5 s, relative, median of 200 motions, by step:")
for name, (rate, into) in forms.items():
    errors = []
    for steps in (25, 50, 100):
        end, x = rk4(rate, starts, into(starts, speeds), 0.5 / steps, steps)
        errors.append(abs(arm.kinetic_energy(end, back[name](end, x)) / before - 1))
    drift[name] = np.median(errors, axis=-1)
    print(f"  {name:2}  " + "  ".join(f"{error:.1e}" for error in drift[name]), end="")
    usual = errors if name == "θ̇" else usual
    print("" if name == "θ̇" else f"   smaller than the usual form's in {(errors[-1] < usual[-1]).mean():.0%}")
    assert drift[name][2] < drift[name][0] / 20

batch_q, batch_v = arm.random(2048, rng=0)
cost = {}
for name, (rate, into) in forms.items():
    x, quickest = into(batch_q, batch_v), np.inf
    for _ in range(15):
        begun = time.perf_counter()
        rate(batch_q, x)
        quickest = min(quickest, time.perf_counter() - begun)
    cost[name] = quickest / 2048
print("cost of a right-hand side: " + ", ".join(f"{x / cost['θ̇']:.2f} ({name})" for name, x in cost.items()))

# %% Are there coordinates whose rates ν are? Only where the mass matrix, as a metric, is flat. This arm's is not.
curved = diagonal.curvature(arm, q)
print(curved)
assert not curved.flat


# %% Control. Damping of each ν by itself: the energy decays at least as exp(-2 c t), from any state. Joint damping with
#    as much dissipation at the start has no such rate: light motions are overdamped, heavy ones hardly.
def roll(law, q, v, until, dt=4e-3):
    """Explicit steps of second order; records t, q, v, tau."""
    record = []
    for i in range(round(until / dt)):
        tau = law(i * dt, q, v)
        a = arm.forward_dynamics(q, v, tau)
        record.append((i * dt, q, v, tau))
        middle = arm.integrate(q, 0.5 * dt * v), v + 0.5 * dt * a
        q, v = arm.integrate(q, dt * middle[1]), v + dt * arm.forward_dynamics(*middle, law(i * dt, *middle))
    return [np.array(x) for x in zip(*record, strict=True)]


damping = pp.control.DecoupledDamping(arm, 3.0)
t, qs, vs, _ = roll(damping, q, v, 1.0)
energy, bound = damping.lyapunov(qs, vs), damping.bound(t, q, v)
d = -damping.lyapunov_rate(q, v) / (v @ v)  # the same dissipation at the start
_, qs_joint, vs_joint, _ = roll(lambda t, q, v: arm.gravity_torque(q) - d * v, q, v, 1.0)
energy_joint = arm.kinetic_energy(qs_joint, vs_joint)
print(f"energy left after 1 s: {energy[-1] / energy[0]:.1e} (ν), {energy_joint[-1] / energy_joint[0]:.1e} (joints)")
assert (energy <= bound * (1 + 1e-3)).all()

# %% A pose, reached by energy alone, beside computed torque, which needs the posture, inverts the dynamics and
#    moves every joint as it was told; the pose law needs no inverse kinematics, cancels nothing but the weight, never
#    raises its Lyapunov function, and promises no path. From afar it may stop where it should not.
there = arm.integrate(q, 0.4 * np.array([1, -1, 1, 1, -1, 1, 1.0]))
goal = arm.pose(there, "hand")
pose_law = pp.control.DecoupledPose(arm, "hand", goal, c=5.0, W=(60.0, 15.0))
computed = pp.control.ComputedTorque(arm, there, kp=16.0, kd=8.0)
runs = {"pose law": roll(pose_law, q, none, 4.0), "computed torque": roll(computed, q, none, 4.0)}
far = {name: np.linalg.norm(pose_law.error(run[1]), axis=-1) for name, run in runs.items()}
for name, (_, _, speeds, taus) in runs.items():
    spent = abs((taus * speeds).sum(axis=-1)).sum() * 4e-3
    reached = f"|e| {far[name][0]:.2f} → {far[name][-1]:.0e}"
    print(f"  {name:16} {reached}, peak torque {abs(taus).max():.0f} N m, {spent:.1f} J")
    assert far[name][-1] < 0.05 * far[name][0]
L = pose_law.lyapunov(runs["pose law"][1], runs["pose law"][2])
assert (np.diff(L) <= 1e-4 * L[0]).all()  # up to the error of the steps

# %% A wrong equilibrium: the goal turned by exactly π about the hand's x axis. Nothing pulls, though all is wrong.
here = arm.pose(q, "hand")
wrong = pp.control.DecoupledPose(
    arm, "hand", pp.Pose(here.position, rotation=here.rotation @ np.diag([1.0, -1.0, -1.0])), c=5.0, W=50.0
)
print(f"turned by π: |e| = {np.linalg.norm(wrong.error(q)):.2f}, and at rest? {wrong.at_wrong_equilibrium(q)}")
assert wrong.at_wrong_equilibrium(q)

# %% Pictures
if len(sys.argv) > 1:
    import matplotlib.pyplot as plt

    figure, ((a, b), (c, e)) = plt.subplots(2, 2, figsize=(11, 7), layout="constrained")
    joints = np.arange(1, 8)
    a.bar(joints, kappa, label="D^½ ε: works")
    a.bar(joints, carried, bottom=kappa, label="H z: only carries")
    a.set(title="The elbow works, what bears it only carries", xlabel="joint", ylabel="torque [N m]")
    for name, errors in drift.items():
        b.loglog([20, 10, 5], errors, "o-", label=f"in (θ, {name})")
    b.set(title="Energy error of RK4 after 0.5 s, median", xlabel="step [ms]", ylabel="relative")
    c.semilogy(t, energy / energy[0], label="ε = -c ν")
    c.semilogy(t, bound / energy[0], "--", label="bound")
    c.semilogy(t, energy_joint / energy_joint[0], label="joint damping")
    c.set(title="Energy under damping", xlabel="t [s]", ylabel="K / K(0)")
    for name, run in runs.items():
        e.plot(run[0], far[name], label=name)
    e.set(title="Error of the hand's pose", xlabel="t [s]", ylabel="|e|")
    for axes in (a, b, c, e):
        axes.legend()
    figure.savefig(sys.argv[1])
