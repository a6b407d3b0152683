"""Forward and hybrid dynamics by Algorithm 3.3: accelerations of links and joints, forces, what every link feels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.free_flying.felt import floats
from phipsi.dynamics.free_flying.two_way import ByInertias, ByMobilities, TwoWay
from phipsi.dynamics.links import Links, star
from phipsi.model.reading import Bools, Floats
from phipsi.model.robot import Robot


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """What Algorithm 3.3 found. Arrays count the n bodies on the axis after the batch; world axes, bodies' origins."""

    acceleration: Floats  # (*batch, nv): of the joints, complete
    tau: Floats  # (*batch, nv): of the joints, complete
    link_accelerations: Floats  # (*batch, n, 6): α(k) = [ω̇; v̇ of O_k], true, inertial
    reaction_forces: Floats  # (*batch, n, 6): f(k), what body k receives through its joint
    P: Floats  # (*batch, n, 6, 6)
    z: Floats  # (*batch, n, 6)
    Upsilon: Floats  # (*batch, n, 6, 6)
    S: Floats | None  # (*batch, n, 6, 6); None by mobilities
    z_s: Floats | None  # (*batch, n, 6); None by mobilities
    Lambda: Floats | None  # (*batch, n, 6, 6) = P + S; None by mobilities
    form: Literal["inertia", "mobility"]
    directions: tuple[str, ...]  # of the sweeps, in order


def dynamics(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    a: ArrayLike | None = None,
    passive: str | Sequence[str] | ArrayLike | None = None,
    f_ext: ArrayLike | None = None,
    form: Literal["inertia", "mobility"] | None = None,
) -> LinkMotion:
    """Algorithm 3.3: α(k) = Λ(k)⁻¹ [P a - z - z_s], every link on its own, as if it were the base. [JR95f 25]

    q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6). Without `a` all dofs are free to move, and tau drives
    them: forward dynamics. With `a` (*batch, nv) it is hybrid: tau is known at the dofs that `passive` names (names of
    joints or bodies, or a bool for each dof; None: the robot's own mask), a at the others, and both come back complete.

    `form="inertia"` wants every tree on a free joint; "mobility" takes any base: what is held has infinite S, so the
    near side is described by how it yields, Φ⁺ = (S⁺)⁻¹, zero where the world is. None: inertia where that can be.
    O(n) in NumPy, to be read and for what no verb gives (S, z_s, Λ, Υ); `robot.forward_dynamics` is the fast one.

    >>> import phipsi as pp
    >>> ship = pp.zoo.dual_arm_satellite()
    >>> q, v = ship.random(5, rng=0)
    >>> motion = pp.free_flying.dynamics(ship, q, v, tau=v)
    >>> bool(abs(motion.acceleration - ship.forward_dynamics(q, v, tau=v)).max() < 1e-8)
    True
    >>> motion.link_accelerations.shape, motion.form
    ((5, 15, 6), 'inertia')
    """
    verb = "free_flying.dynamics"
    if form not in (None, "inertia", "mobility"):
        raise errors.option(verb, "form", form, ["inertia", "mobility"])
    s = Links(verb, robot, q, v, tau, f_ext)
    mask, driven = _given(verb, robot, s, a, passive)
    held = floats(robot, mask)
    if form == "inertia" and held is not None:
        raise errors.no_link_inertia(robot.body_names[held], robot.joint_names[held], robot.joints[held].kind)
    free = [mask[own] for own in s.of_v]
    V = s.rows()
    a_known, b = s.per_joint(), s.per_joint()
    for k, p in s.base_to_tips():
        H = s.H[k]
        V[k] = star(s.phi[k]) @ V[p] + star(H) @ s.v[k]
        a_known[k] = s.coriolis(k, V) + star(H[..., ~free[k], :]) @ driven[k][..., ~free[k], :]  # a + H_a* β̇_a
        b[k] = s.loads(k, V)
    T = [tau_k[..., own, :] for tau_k, own in zip(s.T, free, strict=True)]
    kind = ByMobilities if form == "mobility" or held is not None else ByInertias
    return _answer(s, kind(s, free, a_known, b, T).solve(), free, driven)


def _given(
    verb: str, robot: Robot, s: Links, a: ArrayLike | None, passive: str | Sequence[str] | ArrayLike | None
) -> tuple[Bools, list[Floats]]:
    """The mask of the free dofs, and the accelerations of the joints as columns."""
    if a is None:
        if passive is not None and not robot.mask(passive, verb).all():
            raise errors.wrong_type(verb, "a", "the accelerations of the dofs that are not passive", a)
        return np.ones(robot.nv, dtype=np.bool_), [np.zeros((own.stop - own.start, 1)) for own in s.of_v]
    mask = robot.passive if passive is None else robot.mask(passive, verb)
    known = Links(verb, robot, robot.neutral(), a, np.zeros(robot.nv), None)
    try:
        s.batch = np.broadcast_shapes(s.batch, known.batch)
    except ValueError:
        raise errors.broadcast(verb, {"q, v, tau, f_ext": s.batch, "a": known.batch}) from None
    return mask, known.v


def _answer(s: Links, found: TwoWay, free: list[Bools], driven: list[Floats]) -> LinkMotion:
    """Joint quantities put together from free and driven dofs; the axis of bodies behind the batch."""
    nv, n = s.robot.nv, s.robot.n
    acceleration, tau = np.zeros((*s.batch, nv)), np.zeros((*s.batch, nv))
    for k, own in enumerate(s.of_v):
        rate = np.zeros((*s.batch, own.stop - own.start, 1))
        rate[..., :, :] = driven[k]
        rate[..., free[k], :] = found.rate[k]
        acceleration[..., own] = rate[..., 0]
        felt = s.H[k] @ found.f[k] + s.robot.armature[own][:, None] * rate  # T_a = H_a f
        tau[..., own] = np.where(free[k][:, None], s.T[k], felt)[..., 0]

    def rows(x: Floats) -> Floats:
        return np.moveaxis(x[:n, ..., 0], 0, -2)

    def matrices(x: Floats) -> Floats:
        return np.array(np.broadcast_to(np.moveaxis(x[:n], 0, -3), (*s.batch, n, 6, 6)))

    inertias = found if isinstance(found, ByInertias) else None
    return LinkMotion(
        acceleration=acceleration,
        tau=tau,
        link_accelerations=rows(found.alpha),
        reaction_forces=rows(found.f),
        P=matrices(found.P),
        z=rows(found.z),
        Upsilon=matrices(found.Upsilon),
        S=None if inertias is None else matrices(inertias.S),
        z_s=None if inertias is None else rows(inertias.z_s),
        Lambda=None if inertias is None else matrices(inertias.Lambda),
        form="mobility" if inertias is None else "inertia",
        directions=tuple(s.directions),
    )
