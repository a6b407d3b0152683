"""Benchmark mechanisms: four-bars in a row, Bricard's, Andrews' squeezer (published data), and a slider-crank.

Each is a closed robot with a consistent initial state: the data of the multibody benchmark library (problems A02, A04)
and of Hairer and Wanner (Solving ODEs II, VII.7: the seven-body mechanism). The slider-crank, of equal uniform bars, is
held against its one equation of motion, for want of a published trajectory.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from phipsi.dynamics.closed.contact import directions, revolute
from phipsi.dynamics.closed.grasp import Loop
from phipsi.dynamics.closed.system import ClosedRobot
from phipsi.model.builder import Builder
from phipsi.model.inertia import Payload
from phipsi.model.joints import Revolute
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, count

GRAVITY = (0.0, -9.81, 0.0)
_Z = (0, 0, 1)
_IN_PLANE = (False, False, False, True, True, False)


@dataclass(frozen=True, eq=False)
class Mechanism:
    """A closed robot, a state to start from, and, where a motor or spring drives it, its torques `law(t, q, v)`."""

    system: ClosedRobot
    q: Floats
    v: Floats
    law: Callable[[float, Floats, Floats], Floats] | None = None


def four_bars(windows: int = 2) -> Mechanism:
    """`windows` four-bars in a row, 2 windows + 1 uniform bars of 1 m and 1 kg; upright, tips moving at 1 m/s in x.

    It has one freedom, and windows + 1 where all bars are in line, which it passes at speed. Hinges are spatial, so
    three of the five constraints of each are redundant.

    >>> int(four_bars(3).system.mobility(four_bars(3).q).freedoms)
    1
    """
    windows = count(windows, "four_bars", "windows", "how many four-bars")
    builder, rod = Builder("four_bars", GRAVITY), (1 / 12, 1e-6, 1 / 12 + 1e-6)
    for i in range(windows + 1):
        builder.body(f"post{i}", joint=Revolute(_Z), placement=Pose((i, 0, 0)), mass=1, com=(0, 0.5, 0), inertia=rod)
        builder.frame(f"top{i}", f"post{i}", Pose((0, 1, 0)))
    for i in range(windows):
        along = (1e-6, 1 / 12, 1 / 12 + 1e-6)
        builder.body(f"bar{i}", f"post{i}", Revolute(_Z), Pose((0, 1, 0)), 1, (0.5, 0, 0), along)
        builder.frame(f"end{i}", f"bar{i}", Pose((1, 0, 0)))
    robot = builder.build()
    system = robot.close([Loop(f"end{i}", f"top{i + 1}", revolute(_Z)) for i in range(windows)])
    return Mechanism(system, robot.neutral(), np.r_[-np.ones(windows + 1), np.ones(windows)])


def bricard() -> Mechanism:
    """Five uniform rods of 1 m and 1 kg, 0.1 m square, and six hinges along the edges of a cube, at rest.

    Counting says that it cannot move (5 joints, 5 constraints); it has one freedom, for one constraint is redundant.
    """
    corners = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (1, 1, 1), (0, 1, 1), (0, 0, 1)], dtype=np.float64)
    edges = np.roll(corners, -1, axis=0) - corners
    builder, parent = Builder("bricard", GRAVITY), "world"
    for k in range(5):
        axis = np.cross(edges[k - 1], edges[k])
        size = 0.1 + 0.9 * np.abs(edges[k])
        solid = Payload.box(1.0, size)
        start = corners[0] if k == 0 else edges[k - 1]
        builder.body(f"rod{k}", parent, Revolute(axis), Pose(start), 1.0, edges[k] / 2, solid.inertia)
        parent = f"rod{k}"
    builder.frame("end", parent, Pose(edges[4])).frame("stand", "world", Pose(corners[5]))
    robot = builder.build()
    system = robot.close(Loop("end", "stand", revolute(np.cross(edges[4], edges[5]))))
    return Mechanism(system, robot.neutral(), np.zeros(5))


def slider_crank(speed: float = -4.0) -> Mechanism:
    """A crank and a rod, both uniform of 1 m and 1 kg, and a massless slider along x; crank at 45°, pin at `speed`.

    It passes its singular position, crank and rod both upright, where slider and hinge coincide.
    """
    builder, rod = Builder("slider_crank", GRAVITY), (1e-6, 1 / 12, 1 / 12 + 1e-6)
    builder.body("crank", joint=Revolute(_Z), mass=1, com=(0.5, 0, 0), inertia=rod)
    builder.body("rod", "crank", Revolute(_Z), Pose((1, 0, 0)), 1, (0.5, 0, 0), rod)
    builder.frame("pin", "rod", Pose((1, 0, 0)))
    robot = builder.build()
    system = robot.close(Loop("pin", "world", directions([False, False, False, False, True, False]), name="slide"))
    q = np.array([np.pi / 4, -np.pi / 2])  # the rod comes down as steeply as the crank goes up
    rate = -speed / (2.0 * np.sin(q[0]))
    return Mechanism(system, q, np.array([rate, -2.0 * rate]))


# ── Andrews' squeezer ─────────────────────────────────────────────────────────────────────────────────────────────────

A, B, C = (-0.06934, -0.00227, 0.0), (-0.03635, 0.03273, 0.0), np.array([0.014, 0.072, 0.0])
MOTOR, STIFFNESS, REST = 0.033, 4530.0, 0.07785
# body: parent, hinge in the parent, mass, mass centre, inertia. At zero angles the crank points along x, as do K2, K5
# (towards -x and x), while K3, K4, K6, K7 have the axes in which the paper writes their points.
_SQUEEZER = {
    "K1": ("world", (0, 0, 0), 0.04325, (0.00092, 0), 2.194e-6),
    "K2": ("K1", (0.007, 0, 0), 0.00365, (-0.0115, 0), 4.410e-7),
    "K3": ("world", B, 0.02373, (0.01043, -0.01874), 5.255e-6),
    "K5": ("world", A, 0.07050, (0.02308, 0.00916), 1.169e-5),
    "K4": ("K5", (0.04, 0, 0), 0.00706, (0, -(0.02 - 0.01421)), 5.667e-7),
    "K7": ("world", A, 0.05498, (-0.00449, -0.01228), 1.912e-5),
    "K6": ("K7", (0, -0.04, 0), 0.00706, (0.02 - 0.01421, 0), 5.667e-7),
}
# β, Θ, γ, δ, Φ, ε, Ω
_START = (-0.0617138900142764496, 0.0, 0.455279819163070380, 0.487364979543842550,
          0.222668390165885884, 1.23054744454982119, -0.222668390165885884)  # fmt: skip


def squeezer() -> Mechanism:
    """Andrews' squeezing mechanism: seven bodies in a plane, three loops at one point, a motor and a stiff spring.

    q = (β, Θ, γ, δ, Φ, ε, Ω) in the names of Hairer and Wanner; there is no gravity; it runs for 0.03 s.
    """
    builder = Builder("squeezer", (0, 0, 0))
    for name, (parent, hinge, mass, (x, y), inertia) in _SQUEEZER.items():
        builder.body(name, parent, Revolute(_Z), Pose(hinge), mass, (x, y, 0), (inertia, inertia, inertia))
    builder.frame("F", "K2", Pose((-0.028, 0, 0))).frame("F3", "K3", Pose((0, -0.035, 0)))
    builder.frame("F4", "K4", Pose((0, -0.02, 0))).frame("F6", "K6", Pose((0.02, 0, 0)))
    builder.frame("D", "K3", Pose((0.02, -0.018, 0)))
    robot = builder.build()
    system = robot.close([Loop("F", end, directions(_IN_PLANE)) for end in ("F3", "F4", "F6")])

    def law(t: float, q: Floats, v: Floats) -> Floats:
        reach = C - robot.pose(q, "D").position
        length = np.linalg.norm(reach, axis=-1, keepdims=True)
        pull = STIFFNESS * (length - REST) * reach / length
        tau = (robot.jacobian(q, "D")[..., 3:, :] * pull[..., None]).sum(axis=-2)
        tau[..., 0] += MOTOR
        return tau

    return Mechanism(system, np.array(_START), np.zeros(7), law)
