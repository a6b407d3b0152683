"""Motion through time in (θ, ν) or (θ, ξ): the right-hand sides of `dynamics`, by RK4 on the joints' manifolds."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, count
from phipsi.model.robot import Robot
from phipsi.motion import arguments
from phipsi.motion.manifold import Chart
from phipsi.motion.steppers import rk4_of
from phipsi.motion.systems import Open
from phipsi.motion.trajectory import Origin, Segment, Trajectory

from .verbs import dynamics, rates, velocities


class _Form:
    """The equations of motion of one system, in ν or in ξ."""

    def __init__(self, system: Open, control: Any, normalized: bool) -> None:
        self.system, self.robot, self.normalized = system, system.robot, normalized
        self.control = arguments.law(control, system.robot)
        self.asks = self.control is not None or not system.forces.none or callable(system.f_ext)

    def torques(self, t: float, q: Floats, v: Floats) -> Floats:
        """What the control asks for."""
        tau = np.zeros_like(v) if self.control is None else np.asarray(self.control(t, q, v), dtype=np.float64)
        return np.broadcast_to(tau, v.shape)

    def rate(self, t: float, q: Floats, x: Floats) -> tuple[Floats, Floats]:
        """v and ẋ."""
        v = velocities(self.robot, q, x, self.normalized) if self.asks else np.zeros_like(x)
        tau = self.system.forced(q, v, self.torques(t, q, v))
        f_ext, policy = self.system.external(t, q, v), self.system.on_singular
        return dynamics(self.robot, q, x, tau, f_ext, self.normalized, on_singular=policy)  # pyright: ignore


def simulate(
    robot: Robot,
    q0: ArrayLike,
    v0: ArrayLike | None = None,
    *,
    until: float,
    step: float,
    control: Any = None,
    f_ext: Any = None,
    normalized: bool = True,
    record_every: int = 1,
    limits: bool = False,
    on_singular: str = "raise",
) -> Trajectory:
    """Moves a robot as `pp.simulate(method="rk4")` does, but with (θ, ν) as the state; `normalized=False`: (θ, ξ).

    q0 (*batch, nq), v0 (*batch, nv): the usual state, and so are the records of the `Trajectory`; only in between are
    the rates ν. The step is of order 4. It costs about half as much again as in (θ, θ̇), and more with a control, which
    is asked for at every stage and wants to see v. Energy is not conserved by it, in ν as little as in v: the errors of
    both are of order 4, and of similar size. [JR95d 8.1]

    >>> import phipsi as pp
    >>> arm = pp.zoo.chain(5)
    >>> q0, v0 = arm.random(rng=0)
    >>> run = pp.diagonal.simulate(arm, q0, v0, until=0.2, step=1e-3)
    >>> other = pp.simulate(arm, q0, v0, until=0.2, step=1e-3)
    >>> bool(abs(run.q[-1] - other.q[-1]).max() < 1e-7)
    True
    """
    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type("diagonal.simulate", "robot", "a Robot", robot)
    every = count(record_every, "diagonal.simulate", "record_every", "a whole number of steps")
    if every < 1:
        raise errors.wrong_type(
            "diagonal.simulate", "record_every", "a whole number of steps, at least 1", record_every
        )
    options = {
        "control": control,
        "control_period": None,
        "acceleration": None,
        "passive": None,
        "f_ext": f_ext,
        "effort_limits": False,
        "limits": limits,
        "on_singular": on_singular,
        "rtol": None,
        "atol": 1e-9,
    }
    q, v = arguments.state(robot, q0, v0, control, f_ext)
    clock = arguments.clock(0.0, arguments.positive("step", step), until)
    system = arguments.system(robot, robot, q, clock.step, options)
    form, chart = _Form(system, control, normalized), Chart(robot)
    x = rates(robot, q, v, normalized, on_singular=on_singular)  # pyright: ignore[reportArgumentType]
    records: list[tuple[float, Floats, Floats, Floats]] = []
    for k in range(clock.last + 1):
        if k % every == 0 or k == clock.last:
            now = clock.time(k)
            v = velocities(robot, q, x, normalized, on_singular=on_singular)  # pyright: ignore[reportArgumentType]
            records.append((now, q, v, form.torques(now, q, v)))
        if k < clock.last:
            q, x = rk4_of(chart, form.rate, clock.time(k), q, x, clock.length(k))
    t, qs, vs, taus = (np.array(part) for part in zip(*records, strict=True))
    return Trajectory(t, qs, vs, taus, [Segment(0, system)], Origin(clock, clock.last, "rk4", every, options))
