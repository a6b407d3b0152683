"""A row of four-bars through its singular position: where Ω loses rank, and the motion goes on."""

# %% Five bars, two windows, one freedom. Hinges are spatial, so each closes with five constraints of which only two do
#       something new: six of the ten are redundant, and six internal forces are anybody's guess.
import numpy as np

import phipsi as pp
from phipsi.dynamics.closed import mechanisms

row = mechanisms.four_bars(2)
system, robot = row.system, row.system.robot
print(system)
upright = system.mobility(row.q)
print("upright: rank", upright.rank, "of", system.rows, "- freedoms:", upright.freedoms)
assert (upright.rank, upright.freedoms, upright.redundancy) == (4, 1, 6)

# %% With all bars in one line the linkage could fold in three different ways: two more constraints fall silent.
in_line = np.array([-np.pi / 2] * 3 + [np.pi / 2] * 2)
assert np.abs(system.closure_error(in_line)).max() < 1e-15
there = system.mobility(in_line)
print("in line: rank", there.rank, "- freedoms:", there.freedoms)
assert there.freedoms == 3

# %% A parallelogram knows nothing of this. Swinging through the line with bars that stay parallel, it has the
#       same acceleration on either side, however near; only the contact forces are less and less determined.
v = -3.0 * row.v / row.v[0]
inertia, weight = 3 / 3 + 2, 9.81 * (3 / 2 + 2)  # three posts about their hinges, two bars at their ends
for angle in (-1e-3, -1e-5, 1e-5, 1e-3):
    motion = system.forward_dynamics(in_line + angle * np.array([1, 1, 1, -1, -1]), v, np.zeros(5))
    print(f"{angle:+.0e} from the line: rank {motion.rank}, acceleration {motion.acceleration[0]:.6f}")
    assert np.isclose(motion.acceleration[0], -weight / inertia * np.cos(angle), rtol=1e-6)

# %% Exactly at it the equations know less: two constraints are gone, the acceleration is still unique, and it is
#       that of three freedoms. One instant of this changes nothing; who would stay there has to choose (see the end).
at_it = system.forward_dynamics(in_line, v, np.zeros(5))
print(f"on the line: rank {at_it.rank}, acceleration {at_it.acceleration[0]:.6f}")
assert at_it.rank == 2

# %% So it is simulated as if nothing were there. It starts upright with 1 m/s and passes the line at full speed, twice.
#       The loops are put back after each step; energy says whether anything went wrong.
run = pp.simulate(system, row.q, row.v, until=1.5, step=1e-3, record_every=10)
energy = np.asarray(run.energy)
freedoms = system.mobility(run.q).freedoms
print("the posts turned by", np.degrees(run.q[-1, 0]).round(1), "degrees")
print("energy changed by", np.ptp(energy), "J of", energy[0].round(2), "J; loops open by", np.ptp(run.closure))
assert np.ptp(energy) < 1e-7
assert np.abs(run.closure).max() < 1e-10
assert freedoms.min() == 1

# %% What is lost at the singular position is the choice: from the line at rest, a push may fold it either way.
push = np.zeros(5)
push[3] = 5.0  # a torque on one of the horizontal bars
folding = system.forward_dynamics(in_line, np.zeros(5), push).acceleration
print("pushed at rest, on the line:", folding.round(3))
assert not np.isclose(folding[0], folding[2])  # the posts no longer stay parallel
