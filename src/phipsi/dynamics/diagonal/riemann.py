"""Whether ν can be the rates of coordinates: the Riemann symbols of the mass matrix, from analytic derivatives.

Some factor of the mass matrix is a gradient, ν = ϑ̇, where and only where all of them vanish. [JR95d 2.5]"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats, count, real
from phipsi.model.robot import Robot

_FLAT = 1e-9  # of the terms whose sum a symbol is: more than rounding leaves


@dataclass(frozen=True, eq=False)
class Curvature:
    """What `curvature` found, for a batch of configurations.

    `riemann` (*batch, nv, nv, nv, nv): R_hijk = <e_h, R(e_j, e_k) e_i>, along the directions of v.
    `largest` (*batch,): the largest component in an orthonormal frame (that of ν), whatever the
    units of the joints; in 1/(kg m²).
    `relative` (*batch,): the largest symbol as a part of the terms that cancel in it, or of M where there are none.
    """

    riemann: Floats
    largest: Floats
    relative: Floats

    @property
    def flat(self) -> bool:
        """Whether all symbols vanish, up to rounding, in every configuration that was asked for."""
        return bool((self.relative <= _FLAT).all())

    def __repr__(self) -> str:
        return str(self)

    def __str__(self) -> str:
        size = self.largest.size
        where = "in one configuration" if size == 1 else f"in {size} configurations"
        if self.flat:
            return f"flat {where}: no Riemann symbol is larger than {self.relative.max(initial=0.0):.1e} of its terms"
        share = int((self.relative > _FLAT).sum())
        return (
            f"not flat {where} (curved in {share}): sectional components up to {self.largest.max():.3g} / (kg m²), "
            f"symbols up to {self.relative.max():.1e} of their terms"
        )


def curvature(robot: Robot, q: ArrayLike | None = None, samples: int = 32, seed: int = 0) -> Curvature:
    """The Riemann symbols of the mass matrix at q (*batch, nq), or at `samples` random configurations without q.

    Symbols need second derivatives of M; they are made of brackets of Jacobian columns, so no step size is involved. A
    robot is globally diagonalizable where all vanish: then some coordinates ϑ exist with ϑ̇ = Q(θ) ν, Q orthogonal, and
    ϑ̈ is the force alone. Q need not be one: a flat robot may still have C(θ, ν) ≠ 0. Sampling cannot prove flatness
    everywhere, only disprove it; the symbols are analytic, so a few random zeros leave little doubt. O(nv⁴ + n nv³) for
    each configuration. [JR95d 2.5]

    >>> import phipsi as pp
    >>> pp.diagonal.curvature(pp.zoo.chain(1)).flat
    True
    >>> pp.diagonal.curvature(pp.zoo.chain(3), samples=4).flat
    False
    """
    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type("diagonal.curvature", "robot", "a Robot", robot)
    if q is None and not count(samples, "diagonal.curvature", "samples", "a whole number"):
        raise errors.not_positive("diagonal.curvature", "samples", samples)
    places = robot.random(samples, seed)[0] if q is None else real(q, "diagonal.curvature", "q", "numbers")
    if places.ndim == 0 or places.shape[-1] != robot.nq:
        raise errors.shape("diagonal.curvature", "q", "configuration", f"(*batch, {robot.nq})", places.shape)
    flat = places.reshape(math.prod(places.shape[:-1]), robot.nq)
    riemann = np.zeros((len(flat), *[robot.nv] * 4))
    largest, relative = np.zeros((2, len(flat)))
    for i, one in enumerate(flat):
        riemann[i], largest[i], relative[i] = _symbols(robot, one)
    batch = places.shape[:-1]
    return Curvature(riemann.reshape(*batch, *riemann.shape[1:]), largest.reshape(batch), relative.reshape(batch))


def _symbols(robot: Robot, q: Floats) -> tuple[Floats, float, float]:
    if not np.isfinite(q).all():  # NaN stays in its state
        return np.full((robot.nv,) * 4, np.nan), np.nan, np.nan
    g, dg, ddg, c = _metric(robot, q)
    if robot.nv == 0:
        return np.zeros((0, 0, 0, 0)), 0.0, 0.0
    gamma = _christoffel(dg, g, c)
    dgamma = _christoffel_rates(ddg, dg, c)
    inverse = np.asarray(robot.inverse_mass_matrix(q))
    raised = np.einsum("lm,mij->lij", inverse, gamma)  # Γ^l_ij
    # R_lkij = e_i Γ_l,jk - e_j Γ_l,ik - (e_i g_lm) Γ^m_jk + (e_j g_lm) Γ^m_ik
    #          + Γ_l,im Γ^m_jk - Γ_l,jm Γ^m_ik - c^m_ij Γ_l,mk
    first = np.einsum("iljk->lkij", dgamma)
    moving = np.einsum("lim,mjk->lkij", gamma, raised) - np.einsum("ilm,mjk->lkij", dg, raised)
    half = first + moving
    symbols = half - np.swapaxes(half, 2, 3) - np.einsum("mij,lmk->lkij", c, gamma)
    terms = max(float(abs(first).max()), float(abs(np.einsum("lim,mjk->lkij", gamma, raised)).max()))
    scale = max(terms, float(abs(g).max()))  # where M is constant there are no terms
    lead = np.linalg.inv(np.linalg.cholesky(g))  # an orthonormal frame
    local = np.einsum("al,bk,ci,dj,lkij->abcd", lead, lead, lead, lead, symbols, optimize=True)
    return symbols, float(abs(local).max()), float(abs(symbols).max()) / scale


def _metric(robot: Robot, q: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """g = M, e_i g (i, j, k), e_l e_i g (l, i, j, k), and the structure constants c[k, i, j] of [e_i, e_j] = c e_k.

    Columns J of body Jacobians in body axes: e_i J_j = J_j × J_i if j stands before i on the way to the body, else 0.
    """
    nv = robot.nv
    g = np.diag(robot.armature)
    dg, ddg = np.zeros((nv,) * 3), np.zeros((nv,) * 4)
    before = _before(robot)
    for k, name in enumerate(robot.body_names):
        whole = np.asarray(robot.jacobian(q, name, "body"))  # (6, nv)
        own = np.flatnonzero(abs(whole).max(axis=0, initial=0.0) > 0)
        if not len(own):
            continue
        J, first = whole[:, own], before[np.ix_(own, own)]
        M = _spatial_inertia(robot, k)
        pairs = _bracket(J[:, :, None], J[:, None, :])  # (6, j, i)
        dJ = np.where(first, pairs, 0.0)
        # e_l (J_j × J_i) = (e_l J_j) × J_i + J_j × (e_l J_i)
        ddJ = _bracket(dJ[:, :, None, :], J[:, None, :, None]) + _bracket(J[:, :, None, None], dJ[:, None, :, :])
        ddJ = np.where(first[:, :, None], ddJ, 0.0)  # (6, j, i, l)
        MJ, MdJ = M @ J, np.einsum("ab,bji->aji", M, dJ)
        part = np.einsum("aji,ak->ijk", dJ, MJ)
        two = np.einsum("ajil,ak->lijk", ddJ, MJ) + np.einsum("aji,akl->lijk", dJ, MdJ)
        index = np.ix_(own, own)
        g[index] += J.T @ MJ
        dg[np.ix_(own, own, own)] += part + np.swapaxes(part, 1, 2)
        ddg[np.ix_(own, own, own, own)] += two + np.swapaxes(two, 2, 3)
    return g, dg, ddg, _structure(robot, q)


def _before(robot: Robot) -> np.ndarray:
    """[j, i]: whether dof j stands before dof i on a way out: in a carrier's joint, or as a first axis."""
    body = np.repeat(np.arange(robot.n), np.diff(robot.v_index))
    out = body[:, None] < body  # carriers have smaller numbers; others share no body with nonzero columns
    for k, joint in enumerate(robot.joints):
        if joint.kind == "universal":
            i = int(robot.v_index[k])
            out[i, i + 1] = True
    return out


def _structure(robot: Robot, q: Floats) -> Floats:
    """c[k, i, j] with [e_i, e_j] = Σ c[k, i, j] e_k: brackets of a joint's columns, zero where q̇ = v."""
    c = np.zeros((robot.nv,) * 3)
    for k, joint in enumerate(robot.joints):
        own = slice(int(robot.v_index[k]), int(robot.v_index[k + 1]))
        if joint.kind == "universal" or joint.nv < 2:
            continue
        h = np.asarray(robot.jacobian(q, robot.body_names[k], "body"))[:, own]
        brackets = _bracket(h[:, :, None], h[:, None, :]).reshape(6, -1)
        c[own, own, own] = np.linalg.lstsq(h, brackets, rcond=None)[0].reshape((joint.nv,) * 3)
    return c


def _christoffel(dg: Floats, g: Floats, c: Floats) -> Floats:
    """Γ_k,ij = <∇_i e_j, e_k>, (k, i, j), by Koszul's formula."""
    C = np.einsum("kl,lij->kij", g, c)  # <[e_i, e_j], e_k>
    plain = np.einsum("ijk->kij", dg) + np.einsum("jik->kij", dg) - dg
    return 0.5 * (plain + C - np.einsum("jik->kij", C) - np.einsum("ijk->kij", C))


def _christoffel_rates(ddg: Floats, dg: Floats, c: Floats) -> Floats:
    """e_l Γ_k,ij, (l, k, i, j)."""
    return np.stack([_christoffel(x, dx, c) for x, dx in zip(ddg, dg, strict=True)])


def _spatial_inertia(robot: Robot, k: int) -> Floats:
    """M(k) about O_k in body axes."""
    x, y, z = robot.com[k]
    p, m = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]]), float(robot.mass[k])
    return np.block([[robot.inertia[k] - m * p @ p, m * p], [-m * p, m * np.eye(3)]])


def _bracket(a: Floats, b: Floats) -> Floats:
    """[wa × wb; wa × vb + va × wb] along the first axis."""
    w = np.cross(a[:3], b[:3], axis=0)
    return np.concatenate([w, np.cross(a[:3], b[3:], axis=0) + np.cross(a[3:], b[:3], axis=0)])
