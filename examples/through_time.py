"""Through time: four methods on one tumbling satellite, what each of them keeps, and events on the way."""

# %% [markdown]
# # Through time
#
# A satellite with an arm tumbles freely. Nothing acts from outside, so its energy and its momentum must stay what they
# are: whatever changes in them, the method of integration did. All of phipsi's methods step on the joints' manifolds
# (a base's attitude is a rotation, not four numbers), so none of them needs to mend quaternions afterwards.

# %% A satellite, and a push
import numpy as np

import phipsi as pp

ship = pp.zoo.arm_satellite()
rng = np.random.default_rng(0)
q0, v0 = ship.neutral(), np.zeros(ship.nv)
q0[7:] = rng.uniform(-1, 1, 7)
v0[:3], v0[6:] = (0.2, -0.1, 0.3), rng.uniform(-0.3, 0.3, 7)

# %% [markdown]
# ## What the methods keep
#
# `euler` (semi-implicit, order 1) is the cheapest; `rk4` is the one to take when in doubt; `dopri5` chooses its own
# steps so that an error bound is kept; `midpoint` is variational: it solves an equation at every step, and in return
# the momentum stays to rounding and the energy never drifts away, however long the run.

# %% The same ten seconds, four times
print(f"{'method':<10}{'energy wanders by':>20}{'momentum by':>16}{'records':>10}")
runs = {}
for method in ("euler", "rk4", "dopri5", "midpoint"):
    run = pp.simulate(ship, q0, v0, until=10.0, step=5e-3, method=method, record_every=20, limits=False)
    runs[method] = run
    print(f"{method:<10}{run.drift.energy / run.energy[0]:>20.1e}{run.drift.momentum:>16.1e}{len(run):>10}")

assert runs["midpoint"].drift.momentum < 1e-12
assert runs["rk4"].drift.energy < 1e-6
assert runs["euler"].drift.energy > 100 * runs["rk4"].drift.energy

# %% [markdown]
# ## A law, and a hundred satellites at once
#
# A law is called with `(t, q, v)` and gives torques. Those of `pp.control` run without Python between the steps; any
# function of your own may be asked at every stage, or as a real computer would be, every `control_period`. A batch is
# one call with more rows: time is the first axis of the results, then come the batch axes.

# %% A hundred arms are folded; the bases turn the other way
starts = np.repeat(q0[None], 100, axis=0)
starts[:, 7:] = rng.uniform(-1, 1, (100, 7))
folded = q0.copy()
folded[7:] = 0.0
fold = pp.control.PD(ship, folded, kp=4.0, kd=6.0)
run = pp.simulate(ship, starts, until=20.0, step=5e-3, control=fold, record_every=200)
left = np.abs(run.q[-1, :, 7:]).max()
turned = 2 * np.arccos(np.clip(np.abs(run.q[-1, :, 0]), 0, 1))
print(f"\n{run.q.shape = }: arms folded within {left:.1e} rad, bases turned by up to {turned.max():.2f} rad")
assert left < 0.05
assert np.abs(run.momentum).max() < 1e-5  # motors cannot change it

# %% [markdown]
# ## Events
#
# An event is a function whose sign changes, or a time. It is found to the last bits of time, and then something
# happens: the run stops, the state jumps, a motor fails, a hand closes.

# %% The elbow's motor fails when the arm is half folded; two seconds later the run ends
half = 0.5 * np.abs(q0[7:]).max()
failure = pp.Event(
    lambda t, q, v: np.abs(q[7:]).max() - half,
    pp.Change(passive=["base", "arm/joint4"], control=lambda t, q, v: fold(t, q, v) * (np.arange(13) != 9)),
    direction=-1,
    once=True,
    name="the elbow fails",
)
run = pp.simulate(ship, q0, until=20.0, step=1e-2, control=fold, events=[failure])
((when, what),) = run.events
print(f"\nat t = {when:.6f} s {what}; its torque is then {np.abs(run.tau[run.t > when, 9]).max()} Nm")
assert np.abs(run.tau[run.t > when, 9]).max() == 0.0
assert np.abs(run.tau[run.t < when, 9]).max() > 0.0

# %% [markdown]
# ## Going on
#
# A run is taken up again from its last record, on the same grid: the end is the same to the last bit. `run.save(...)`
# and `pp.Trajectory.load(...)` keep runs in files, with the robot in them.

# %% Half a run and another half are a run
whole = pp.simulate(ship, q0, v0, until=1.0, step=5e-3)
again = pp.simulate(pp.simulate(ship, q0, v0, until=0.5, step=5e-3), until=1.0)
print(f"\nin two halves: {np.array_equal(whole.q[-1], again.q[-1]) = }")
assert np.array_equal(whole.q[-1], again.q[-1])
