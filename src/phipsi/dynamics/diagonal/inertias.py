"""How inertias change, in closed form: ∂M/∂θᵢ of the mass matrix, v* (∂M/∂θᵢ) v, and the rates P̊, λ̇ of P(k)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.algebra.blocks import Blocks, star, tilde
from phipsi.model.reading import Floats, real
from phipsi.model.robot import Robot


def sensitivities(robot: Robot, q: ArrayLike) -> Floats:
    """∂M/∂θᵢ = -Hφ [h~*(i) φ M + M φ* h~(i)] φ* H*, for all dofs i: (*batch, nv, nv, nv), i first. [JR95d 6.14]

    No differences: cross products of columns of H* with what the composite bodies make of motions. O(nv³), the size of
    the result. θᵢ is the displacement along v's own i-th direction, so that Ṁ = Σ vᵢ ∂M/∂θᵢ for every joint, q̇ = v or
    not. q (*batch, nq).

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.chain(4)
    >>> q, v = arm.random(rng=0)
    >>> rate = np.einsum("i,ijk->jk", v, pp.diagonal.sensitivities(arm, q))
    >>> C = arm.coriolis_matrix(q, v)
    >>> bool(np.allclose(rate, C + C.T))
    True
    """
    s, blocks = _start(robot, q, np.zeros(robot.nv))
    body, h = blocks.layout.body_of, blocks.h
    at_joint = _rows(s.phi.T @ star(s.H.dense()), robot.n)[..., body, :, :]  # (i, 6, j): motion of i's body by j
    before = at_joint - np.where(body[:, None, None] == body, star(h)[..., None, :, :], 0.0)
    reached = _rows(s.phi @ (s.M @ (s.phi.T @ star(s.H.dense()))), robot.n)[..., body, :, :]  # (i, 6, l)
    change = _cross(h[..., :, :, None], before)
    first = blocks.layout.universal
    if len(first):  # the second dof turns the first column, as the body sees it: h̊ = h₁ × h₂
        extra = np.cross(h[..., first, :3], h[..., first + 1, :3])
        change[..., first + 1, :3, first] -= np.moveaxis(extra, -2, 0)
    half = star(change) @ reached
    return -(half + star(half))


def quadratic_sensitivities(robot: Robot, q: ArrayLike, v: ArrayLike) -> Floats:
    """v* (∂M/∂θᵢ) v for all dofs i: twice the gradient of the kinetic energy at fixed v. (*batch, nv). [JR95d 6.17]

    -2 (h(i) × V⁺(k))* f(k), f = φ M V the momentum beyond joint k: two sweeps, O(n). With it C(θ, v) = Ṁ v - ½ v*M_θ v
    where q̇ = v. q (*batch, nq), v (*batch, nv).

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.chain(4)
    >>> q, v = arm.random(rng=0)
    >>> full = np.einsum("j,ijk,k->i", v, pp.diagonal.sensitivities(arm, q), v)
    >>> bool(np.allclose(pp.diagonal.quadratic_sensitivities(arm, q, v), full))
    True
    """
    s, blocks = _start(robot, q, v)
    body, h, V = blocks.layout.body_of, blocks.h, blocks.V
    momentum = s.phi @ (s.M @ V.reshape(*s.batch, 6 * robot.n))
    f = momentum.reshape(*s.batch, robot.n, 6)[..., body, :]
    own = (s.H.T @ np.ascontiguousarray(blocks.v)).reshape(*s.batch, robot.n, 6)
    change = -_cross(h[..., None], (V - own)[..., body, :, None])[..., 0]
    first = blocks.layout.universal
    if len(first):
        extra = np.cross(h[..., first, :3], h[..., first + 1, :3]) * blocks.v[..., first, None]
        change[..., first + 1, :3] += extra
    return 2.0 * (change * f).sum(axis=-1)


class ArticulatedRates(NamedTuple):
    """P(k), P̊(k) and λ̇(k) of all bodies, each (*batch, n, 6, 6)."""

    P: Floats
    P_ring: Floats
    lam: Floats


def articulated_rates(robot: Robot, q: ArrayLike, v: ArrayLike) -> ArticulatedRates:
    """P(k), its rate P̊(k) as body k sees it, and λ̇(k) = P̊ - Δ~* P - P Δ~, that with the joint's own turning.

    P̊(p) = Σ ψ λ̇(k) ψ* where Δ × H* = 0 (single axes, cylindrical and translational joints); the other joints have terms
    more [JR95d G4]. One fused call, O(n). q (*batch, nq), v (*batch, nv) → (*batch, n, 6, 6), at O_k, world axes: not
    the rate of the numbers returned as P, which also turn with the body (`s.dot("P", v)` is that). [JR95d 6.4]

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.chain(4)
    >>> q, v = arm.random(rng=0)
    >>> P, P_ring, lam = pp.diagonal.articulated_rates(arm, q, v)
    >>> bool(np.allclose(P_ring[3], 0))  # nothing moves beyond the last body
    True
    """
    s, blocks = _start(robot, q, v)
    own = (s.H.T @ np.ascontiguousarray(blocks.v)).reshape(*s.batch, robot.n, 6)
    cross = np.zeros((*own.shape, 6))
    cross[..., :3, :3] = cross[..., 3:, 3:] = tilde(own[..., :3])
    cross[..., 3:, :3] = tilde(own[..., 3:])
    carried = blocks.P @ cross
    return ArticulatedRates(blocks.P, blocks.P_local, blocks.P_local - carried - star(carried))


def _start(robot: Robot, q: ArrayLike, v: ArrayLike):
    verb = "diagonal.sensitivities"
    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type(verb, "robot", "a Robot", robot)
    rates, places = real(v, verb, "v", "numbers"), real(q, verb, "q", "numbers")
    if rates.ndim == 0 or rates.shape[-1] != robot.nv:
        raise errors.shape(verb, "v", "velocity", f"(*batch, {robot.nv})", rates.shape)
    if places.ndim == 0 or places.shape[-1] != robot.nq:
        raise errors.shape(verb, "q", "configuration", f"(*batch, {robot.nq})", places.shape)
    try:
        batch = np.broadcast_shapes(places.shape[:-1], rates.shape[:-1])
    except ValueError:
        raise errors.broadcast(verb, {"q": places.shape[:-1], "v": rates.shape[:-1]}) from None
    s = robot.at(np.broadcast_to(places, (*batch, robot.nq)))
    return s, Blocks(s, np.broadcast_to(rates, (*batch, robot.nv)))


def _rows(x: Floats, n: int) -> Floats:
    """(*batch, 6n, m) as (*batch, n, 6, m)."""
    return x.reshape(*x.shape[:-2], n, 6, x.shape[-1])


def _cross(a: Floats, b: Floats) -> Floats:
    """The bracket of motions [wa × wb; wa × vb + va × wb], along axis -2."""
    wa, va, wb, vb = a[..., :3, :], a[..., 3:, :], b[..., :3, :], b[..., 3:, :]
    angular = np.cross(wa, wb, axis=-2)
    return np.concatenate([angular, np.cross(wa, vb, axis=-2) + np.cross(va, wb, axis=-2)], axis=-2)
