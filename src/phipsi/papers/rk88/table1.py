"""RK88, table 1.1: the symbols."""

from __future__ import annotations

import numpy as np

from phipsi.papers.row import Section, definition
from phipsi.reference.spatial import skew

from .arm import cross
from .operators import Operators, fixed_base


def _relative_turn(o: Operators) -> list[tuple[object, object]]:
    """h θ̇ is what link k turns more than link k + 1; h ẋ is how it slides along it."""
    arm, pairs = o.arm, list[tuple[object, object]]()
    for k in range(1, o.N + 1):
        rate = arm.h[k] * arm.W[arm.own(k)][0]
        turned = arm.w[k] - arm.w[k + 1]
        slid = arm.v[k] - arm.v[k + 1] - cross(arm.w[k + 1], arm.l(k + 1, k))
        revolute = arm.kind(k) == "revolute"
        pairs += [(turned, rate * revolute), (slid, rate * (not revolute)), (np.linalg.norm(arm.h[k]), 1.0)]
    return pairs


TABLE_1 = Section(
    "1",
    "Symbol definitions",
    fixed_base,
    (
        definition(
            "Table 1.1",
            "h(k), θ(k): joint axis and angle; l(k, k-1) = O(k-1) - O(k); p(k) = CM(k) - O(k); F, N: force and moment "
            "through joint k; F^c: net force; v, v^c, ω: velocities; m, I^c, I: mass and inertias; T: torque",
            lambda o: [
                *_relative_turn(o),
                # the inertia tensor at O(k): of the particles, and by I = I^c - m p~ p~
                (o.arm.I[1:], [o.arm.I_c[k] - o.arm.m[k] * skew(o.arm.p[k]) @ skew(o.arm.p[k]) for k in _links(o)]),
                # F, N and F^c by d'Alembert, against the core's reaction forces
                ([o.arm.wrench(k) for k in _links(o)], o.arm.reactions[1:]),
            ],
        ),
    ),
)


def _links(o: Operators) -> range:
    return range(1, o.N + 1)
