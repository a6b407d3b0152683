"""Free-flying robots, with no link more of a base than another: what every link feels, and how every link moves.

    Λ(k) = P(k) + S(k)                                                                        [JR95f 38]

P(k) is what link k and all beyond it resist, S(k) what everything on the near side of its joint resists; their sum does
not ask which link is called the base. `link_inertias` gives all Λ(k), `link_compliances` all Υ(k) (of robots with any
base, fixed ones too), `compliance_between` Ω(i, j) of chosen pairs.

>>> import phipsi as pp
>>> ship = pp.zoo.dual_arm_satellite()
>>> q, v = ship.random(rng=0)
>>> Lambda = pp.free_flying.link_inertias(ship, q)
>>> Lambda.shape == (ship.n, 6, 6)
True
>>> there = ship.rebasing("left/hand")  # another base: the links feel the same
>>> other = pp.free_flying.link_inertias(there.robot, there.configuration(q))
>>> k, j = ship.body("right/link3").index, there.robot.body("right/link3").index
>>> bool(abs(Lambda[k] - other[j]).max() < 1e-9 * abs(Lambda[k]).max())
True
"""

from phipsi.dynamics.free_flying.apart import Apart, LinkByLink
from phipsi.dynamics.free_flying.felt import compliance_between, dual_inertias, link_compliances, link_inertias
from phipsi.dynamics.free_flying.motion import LinkMotion, dynamics

__all__ = [
    "Apart",
    "LinkByLink",
    "LinkMotion",
    "compliance_between",
    "dual_inertias",
    "dynamics",
    "link_compliances",
    "link_inertias",
]
