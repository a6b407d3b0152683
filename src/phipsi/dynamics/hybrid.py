"""Hybrid dynamics: torques known at the passive dofs, accelerations at the active ones; as operators.

"Hybrid" as in Featherstone: a mixture of forward dynamics (of the passive dofs) and inverse dynamics (of the active
ones) in one equation of motion. Contacts that come and go, which others call hybrid, are another subject.

`Robot.hybrid_dynamics` and `Robot.hybrid_motion` are the fused sweeps; `hybrid` below is the mathematics they carry
out, in the letters of a configuration with a mask, and `hybrid_motion` the same sweeps written with operators:

>>> import phipsi as pp
>>> ship = pp.zoo.arm_satellite()
>>> q, v = ship.random(rng=0)
>>> written = hybrid_motion(ship, q, v, [0.0] * 13, [1.0] * 13, passive=["base", "arm/joint4"])
>>> fused = ship.hybrid_motion(q, v, [0.0] * 13, [1.0] * 13, passive=["base", "arm/joint4"])
>>> bool(abs(written.tau - fused.tau).max() < 1e-9 and abs(written.a - fused.a).max() < 1e-9)
True
>>> print(blocks(ship.at(q, passive="base"))["a_p of T_p"])
(I - K.T @ psi.T @ H_p.T) @ D.inv @ (I - H_p @ psi @ K)
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from phipsi.model.reading import Floats
from phipsi.model.robot import Robot


class HybridMotion(NamedTuple):
    """What `Robot.hybrid_motion` finds."""

    tau: Floats  # (*batch, nv), complete: known at the passive dofs, found at the active ones
    a: Floats  # (*batch, nv), complete: known at the active dofs, found at the passive ones
    accelerations: Floats  # (*batch, n, 6): α(k), inertial derivative of V(k) at O_k, world axes, true
    reaction_forces: Floats  # (*batch, n, 6): f(k), what body k receives through its joint, at O_k, world axes


def hybrid(s: Any, T_p: Any, a_a: Any) -> tuple[Any, Any, Any, Any]:
    """(T_a, a_p, α, f) that T_p and a_a cause in a robot at rest without weight: what the two sweeps compute.

    s: operators with H, D, K, psi, P of the passive dofs and H_a, J_a of the active ones, as `Configuration.free` and
    `reference.Letters` have them. Everything is linear, so velocities, gravity and external forces come in as
    T_p - C_p, and what is found is added to the motion with a = 0.
    """
    driven = s.H_a.T @ a_a
    z = s.psi @ (s.K @ T_p + s.P @ driven)  # tips → base [JR93 5.3z]
    nu = s.D.inv @ (T_p - s.H @ z)  # [JR93 5.3z]
    alpha = s.psi.T @ (s.H.T @ nu + driven)  # base → tips [JR93 5.3a]
    a_p = nu - s.K.T @ alpha  # [JR93 5.3b]
    f = s.P @ (alpha - driven) + z  # P⁺ α⁺ + z⁺ [JR93 5.3c]
    return s.H_a @ f + s.J_a @ a_a, a_p, alpha, f


def blocks(s: Any) -> dict[str, Any]:
    """The map (T_p, a_a) → (a_p, T_a) of `hybrid` in closed form: M_pp⁻¹, J_D, S_ap and S_aa. [JR93 5.1]

    s: a configuration with a mask, `robot.at(q, passive=...)`. Each acts in O(n), prints its formula
    and explains itself (`.explain()`): a_p = M_pp⁻¹ T_p + J_D a_a, T_a = S_ap T_p + S_aa a_a.
    """
    return {"a_p of T_p": s.S_pp, "a_p of a_a": s.J_D, "T_a of T_p": s.S_ap, "T_a of a_a": s.S_aa}


def hybrid_motion(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a: ArrayLike,
    passive: str | Sequence[str] | ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
) -> HybridMotion:
    """`Robot.hybrid_motion` by operators instead of fused sweeps: O(n) as well, slower by a factor, readable.

    One mask for all states. q, v, tau and a must have the same batch axes here.
    """
    mask = robot.passive if passive is None else robot.mask(passive, "hybrid_motion")
    q, v = np.asarray(q, dtype=np.float64), np.asarray(v, dtype=np.float64)
    tau, a = np.array(tau, dtype=np.float64), np.array(a, dtype=np.float64)
    rest = robot.bias(q, v, f_ext)
    found = hybrid(robot.at(q, mask).free, tau[..., mask] - rest[..., mask], a[..., ~mask])
    tau[..., ~mask] = found[0] + rest[..., ~mask]
    a[..., mask] = found[1]
    still = np.zeros(v.shape)
    alpha, f = (x.reshape(*x.shape[:-1], robot.n, 6) for x in found[2:])
    alpha = alpha + robot.accelerations(q, v, still)
    return HybridMotion(tau, a, alpha, f + robot.reaction_forces(q, v, still, f_ext))
