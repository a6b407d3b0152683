"""FD1 to FD4: the four forward dynamics algorithms of RK88, as explicit sweeps over the links.

Each takes (robot, q, v, tau, f_ext) and gives a :class:`ForwardResult`; all agree with ``robot.forward_dynamics``, the
one to use for speed. These are to be read beside the paper; its operator forms stand in :data:`expressions`.

======  =======================  ======  ==========================================================================
form    equations                sweeps  what is different
======  =======================  ======  ==========================================================================
FD1     RK88 (4.17)-(4.22)       4       the bias torques first, then filter T' and smooth
FD2     RK88 (5.6), (4.21b)      4       the same, with the accelerations of links and frames
FD3     RK88 (5.8)-(5.10)        3       the bias forces go through the filter, together with T
FD4     RK88 (5.13)-(5.17)       3       no bias accelerations either: what is smoothed *is* the accelerations
======  =======================  ======  ==========================================================================

The paper's loop k = 1..N runs from the tip to the base; here it is a loop over the bodies of a tree, children first,
and "+=" gathers them. Its L(k) is K(k) = φ(p, k) G(k), its last joint of a mobile base is a free joint, its tip force
f(0) is part of -f_ext: all joint types, trees, forests and free bases, in one set of recursions. Armature adds to D(k);
all four remain exact. φ, H and M are functions of q and are given, as in the paper; V, a, b, P, D and G are made in the
sweeps where the paper makes them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phipsi.dynamics.forward_expressions import Form, dense_operators, expressions
from phipsi.dynamics.links import Links, Riccati, star
from phipsi.model.reading import Floats
from phipsi.model.robot import Robot

__all__ = ["Form", "ForwardResult", "dense_operators", "expressions", "fd1", "fd2", "fd3", "fd4"]


@dataclass(frozen=True, eq=False)
class ForwardResult:
    """What a forward dynamics algorithm found, and in how many sweeps."""

    acceleration: Floats  # (*batch, nv): of the joints
    link_accelerations: Floats | None  # (*batch, n, 6): α = [ω̇; v̇ of O_k], true, inertial; FD1 does not find them
    sweeps: int
    directions: tuple[str, ...]  # of the sweeps, in order: "base → tips" or "tips → base"
    frame_accelerations: Floats | None = None  # (*batch, m, 6): of the frames asked for, at their origins, world axes


def fd1(robot: Robot, q: ArrayLike, v: ArrayLike, tau: ArrayLike, f_ext: ArrayLike | None = None) -> ForwardResult:
    """FD1, 4 sweeps: θ̈ = (1 - HψK)* D⁻¹ (1 - HψK) T', with T' = T - Hφ[Mφ*a + b - f_ext].

    q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6). O(n).

    >>> import phipsi as pp
    >>> arm = pp.zoo.chain(7)
    >>> q, v = arm.random(rng=0)
    >>> motion = fd1(arm, q, v, tau=v)
    >>> bool(abs(motion.acceleration - arm.forward_dynamics(q, v, tau=v)).max() < 1e-9)
    True
    >>> motion.directions
    ('base → tips', 'tips → base', 'tips → base', 'base → tips')
    """
    s = Links("fd1", robot, q, v, tau, f_ext)
    _, nu = _bias_free_innovations(s, r := Riccati(s))
    theta_dd, lam = s.per_joint(), s.rows()
    for k, p in s.base_to_tips():  # smoothing of the weighted residuals; λ(world) = 0
        theta_dd[k] = nu[k] - star(r.K[k]) @ lam[p]  # [RK88 4.22]
        lam[k] = star(r.psi[k]) @ lam[p] + star(s.H[k]) @ nu[k]  # [RK88 4.21]
    return _result(s, theta_dd)


def fd2(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    frames: Sequence[str] = (),
) -> ForwardResult:
    """FD2, 4 sweeps: FD1, and α = ψ*H*D⁻¹(1 - HψK) T' + φ*a, for the links and for frames ("tips").

    q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6), names of m frames. O(n).

    >>> import phipsi as pp
    >>> arm = pp.zoo.arm()
    >>> q, v = arm.random(10, rng=0)
    >>> fd2(arm, q, v, tau=v, frames=["hand"]).frame_accelerations.shape
    (10, 1, 6)
    """
    s = Links("fd2", robot, q, v, tau, f_ext)
    V, nu = _bias_free_innovations(s, r := Riccati(s))
    theta_dd, lam, xi, alpha = s.per_joint(), s.rows(), s.rows(), s.rows()
    for k, p in s.base_to_tips():
        theta_dd[k] = nu[k] - star(r.K[k]) @ lam[p]
        lam[k] = star(r.psi[k]) @ lam[p] + star(s.H[k]) @ nu[k]  # [RK88 4.21b]: λ = φ*H*θ̈
        xi[k] = star(s.phi[k]) @ xi[p] + s.coriolis(k, V)  # ξ = φ*a
        alpha[k] = lam[k] + xi[k]  # [RK88 5.6], the line that the scan lost
    return _result(s, theta_dd, alpha, V, frames)


def fd3(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    frames: Sequence[str] = (),
) -> ForwardResult:
    """FD3, 3 sweeps: θ̈ = (1 - HψK)* D⁻¹ ε, with ε = T - Hψ[KT + Mξ + b - f_ext] and ξ = φ*a.

    The bias forces are filtered together with the torques, so no sweep is needed to free T of them. α = λ + φ*a, as in
    FD2. q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6), names of m frames. O(n).
    """
    s = Links("fd3", robot, q, v, tau, f_ext)
    r = Riccati(s)
    V, xi, z = s.rows(), s.rows(), s.rows()
    nu, theta_dd, lam, alpha = s.per_joint(), s.per_joint(), s.rows(), s.rows()
    for k, p in s.base_to_tips():
        V[k] = star(s.phi[k]) @ V[p] + star(s.H[k]) @ s.v[k]
        xi[k] = star(s.phi[k]) @ xi[p] + s.coriolis(k, V)  # [RK88 5.8]
    for k, p in s.tips_to_base():
        r.step(k, p)
        z[k] += s.M[k] @ xi[k] + s.loads(k, V)
        epsilon = s.T[k] - s.H[k] @ z[k]  # [RK88 5.9]
        nu[k] = r.D_inv[k] @ epsilon
        z[p] += r.psi[k] @ z[k] + r.K[k] @ s.T[k]
    for k, p in s.base_to_tips():
        theta_dd[k] = nu[k] - star(r.K[k]) @ lam[p]  # [RK88 5.10]
        lam[k] = star(r.psi[k]) @ lam[p] + star(s.H[k]) @ nu[k]
        alpha[k] = lam[k] + xi[k]
    return _result(s, theta_dd, alpha, V, frames)


def fd4(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    frames: Sequence[str] = (),
) -> ForwardResult:
    """FD4, 3 sweeps: θ̈ = (1 - HψK)*ν - K*ψ*(1 - GH)*a - G*a, with ν = D⁻¹{T - Hψ[KT + b - f_ext] - Hψ̃Pa}.

    a(k) enters where it is met, through P(k). What the last sweep smooths, λ, is α: link accelerations for nothing.
    q (*batch, nq), v and tau (*batch, nv), f_ext (*batch, n, 6), names of m frames. O(n).
    """
    s = Links("fd4", robot, q, v, tau, f_ext)
    r = Riccati(s)
    V, a, z = s.rows(), s.rows(), s.rows()
    nu, theta_dd, lam = s.per_joint(), s.per_joint(), s.rows()
    for k, p in s.base_to_tips():
        V[k] = star(s.phi[k]) @ V[p] + star(s.H[k]) @ s.v[k]  # [RK88 5.13], without its B*
        a[k] = s.coriolis(k, V)
    for k, p in s.tips_to_base():
        r.step(k, p)
        z[k] += s.loads(k, V)  # [RK88 5.16], with the b(k) that it lacks
        epsilon = s.T[k] - s.H[k] @ z[k]
        nu[k] = r.D_inv[k] @ epsilon
        z[p] += r.psi[k] @ (z[k] + r.P[k] @ a[k]) + r.K[k] @ s.T[k]
    for k, p in s.base_to_tips():
        lam[k] = star(r.psi[k]) @ lam[p] + star(s.H[k]) @ nu[k] + star(r.tau_bar[k]) @ a[k]  # [RK88 5.17]
        theta_dd[k] = nu[k] - star(r.K[k]) @ lam[p] - star(r.G[k]) @ a[k]
    return _result(s, theta_dd, lam, V, frames)


def _bias_free_innovations(s: Links, r: Riccati) -> tuple[Floats, list[Floats]]:
    """The first three sweeps of FD1 and FD2: V, T' and ν = D⁻¹(1 - HψK) T'."""
    V, xi, f, z = s.rows(), s.rows(), s.rows(), s.rows()
    T, nu = s.per_joint(), s.per_joint()
    for k, p in s.base_to_tips():
        V[k] = star(s.phi[k]) @ V[p] + star(s.H[k]) @ s.v[k]
        xi[k] = star(s.phi[k]) @ xi[p] + s.coriolis(k, V)  # φ*a
    for k, p in s.tips_to_base():
        r.step(k, p)
        f[k] += s.M[k] @ xi[k] + s.loads(k, V)
        T[k] = s.T[k] - s.H[k] @ f[k]  # T' = T - Hφ[Mφ*a + b] [RK88 4.17]
        f[p] += s.phi[k] @ f[k]
    for k, p in s.tips_to_base():  # filtering of the bias-free torques
        epsilon = T[k] - s.H[k] @ z[k]  # [RK88 4.19]
        nu[k] = r.D_inv[k] @ epsilon  # [RK88 4.20]
        z[p] += r.psi[k] @ z[k] + r.K[k] @ T[k]
    return V, nu


def _result(
    s: Links, theta_dd: list[Floats], alpha: Floats | None = None, V: Floats | None = None, frames: Sequence[str] = ()
) -> ForwardResult:
    directions = tuple(s.directions)
    acceleration = s.stacked(theta_dd)
    if alpha is None or V is None:
        return ForwardResult(acceleration, None, len(directions), directions)
    links = np.moveaxis(alpha[:-1, ..., 0], 0, -2)
    tips = s.at_frames(frames, V, alpha) if len(frames) else None
    return ForwardResult(acceleration, links, len(directions), directions, tips)
