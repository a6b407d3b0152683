"""A first look: a robot of one's own, its dynamics in every form, and what a state costs."""

# %% A satellite with two seven-joint arms, floating freely
import time

import numpy as np

import phipsi as pp

ship = pp.zoo.dual_arm_satellite()
print(ship)
print(ship.tree())

# %% One state: torques, accelerations, and back
q, v = ship.random(rng=0)
tau = np.zeros(ship.nv)
a = ship.forward_dynamics(q, v, tau)
print(f"\nforward, then inverse dynamics: torques come back to {abs(ship.inverse_dynamics(q, v, a) - tau).max():.1e}")

# %% The operator form of the mass matrix, and its inverse without inverting it
mass, inverse = ship.mass_matrix(q), ship.inverse_mass_matrix(q)
print(f"mass matrix times its inverse: identity to {abs(mass @ inverse - np.eye(ship.nv)).max():.1e}")

# %% Nothing pushes it, so momentum stays: ten seconds of free motion (Runge-Kutta in v, exponentials in q)


def rate(q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Accelerations without torques."""
    return ship.forward_dynamics(q, v, tau)


before, energy, h, steps = ship.momentum(q, v), ship.kinetic_energy(q, v), 1e-3, 10_000
start = time.perf_counter()
for _ in range(steps):
    k1 = rate(q, v)
    k2 = rate(ship.integrate(q, h / 2 * v), v + h / 2 * k1)
    k3 = rate(ship.integrate(q, h / 2 * v + h * h / 4 * k1), v + h / 2 * k2)
    k4 = rate(ship.integrate(q, h * v + h * h / 2 * k2), v + h * k3)
    q = ship.integrate(q, h * v + h * h / 6 * (k1 + k2 + k3))
    v = v + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)
elapsed = time.perf_counter() - start
drift = np.linalg.norm(ship.momentum(q, v) - before) / np.linalg.norm(before)
print(f"{steps} steps of 1 ms in {elapsed:.2f} s, {1e6 * elapsed / steps:.0f} µs each")
print(f"momentum about the origin kept to {drift:.1e}, energy to {abs(ship.kinetic_energy(q, v) / energy - 1):.1e}")

# %% Many states at once
states = 100_000
Q, V = ship.random(states, rng=1)
T = np.zeros((states, ship.nv))
ship.forward_dynamics(Q[:100], V[:100], T[:100])
start = time.perf_counter()
ship.forward_dynamics(Q, V, T)
elapsed = time.perf_counter() - start
print(f"\n{states} states of forward dynamics in {1e3 * elapsed:.0f} ms: {1e9 * elapsed / states:.0f} ns each")
print(f"with {pp.isa()} lanes on {pp.get_threads()} threads")
