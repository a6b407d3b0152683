"""Ten thousand arms at once: leading axes are the batch, on every function.

A robot is one; its states are many. What follows costs about as much as saying it."""

# %% Ten thousand states. Nothing else changes: each function takes `q` of shape (*batch, nq), whatever the batch.
import time

import numpy as np

import phipsi as pp

np.set_printoptions(precision=3, suppress=True)
arm = pp.zoo.arm()
N = 10_000
q, v = arm.random(N, rng=0)
tau = np.random.default_rng(1).normal(size=(N, arm.nv))
print(arm, q.shape, v.shape)


def timed(words, function, *arguments, **options):
    """Best of five, per state."""
    function(*arguments, **options)
    times = []
    for _ in range(5):
        start = time.perf_counter()
        result = function(*arguments, **options)
        times.append(time.perf_counter() - start)
    print(f"{words:<44}{result.shape!s:<18}{1e9 * min(times) / N:8.0f} ns a state")
    return result


# %% Everything, for all of them
a = timed("accelerations", arm.forward_dynamics, q, v, tau)
back = timed("torques", arm.inverse_dynamics, q, v, a)
mass = timed("mass matrices", arm.mass_matrix, q)
inverse = timed("their inverses", arm.inverse_mass_matrix, q)
jacobian = timed("Jacobians of the hand", arm.jacobian, q, "hand")
energy = timed("kinetic energies", arm.kinetic_energy, q, v)
print("\ntorques come back to", abs(back - tau).max(), "of", abs(tau).max())
assert np.allclose(back, tau, atol=1e-8)

# %% The same by operators: an expression does not know how many states it will meet
s = arm.at(q)
x = timed("\nH φ M φ* H* + J, inverted, times τ", lambda: s.mass.inv @ tau)
assert np.allclose(x, np.einsum("nij,nj->ni", inverse, tau))

# %% Shapes broadcast as NumPy's do: one torque for all, or a grid of angles
a = arm.forward_dynamics(q, v, np.zeros(arm.nv))
grid = np.zeros((40, 25, arm.nq))
grid[..., 1] = np.linspace(-1.5, 1.5, 40)[:, None]
grid[..., 3] = np.linspace(-2.0, 0.0, 25)
reach = np.linalg.norm(arm.pose(grid, "hand").position, axis=-1)
print(
    "\na grid of", grid.shape[:-1], "postures: the hand is", reach.min().round(2), "to", reach.max().round(2), "m away"
)

# %% What a robot can do, in one line: how much the hand accelerates for one newton metre, over all states
Lambda_inverse = jacobian @ inverse @ jacobian.swapaxes(-1, -2)
mobility = np.linalg.eigvalsh(Lambda_inverse[:, 3:, 3:])
print("mobility of the hand, 1/kg: from", mobility[:, 0].min().round(4), "to", mobility[:, -1].max().round(4))

# %% Threads: blocks of states run side by side, and the GIL is released
print("instruction set:", pp.isa(), " threads:", pp.get_threads())

# %% One bad state spoils nothing. Here one has a NaN; it gets NaN, the others do not.
q[4711] = np.nan
a = arm.forward_dynamics(q, v, tau)
print("states without an answer:", np.flatnonzero(np.isnan(a).any(axis=1)))
