"""JR93, sections 2 and 3: velocity-dependent terms, the equations of motion, and the same with spatial operators."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi.papers.row import Pair, Section, definition, misprint
from phipsi.papers.row import Row as _Row
from phipsi.reference.description import WORLD, Array, block
from phipsi.reference.spatial import solve

from .system import System, anything

Row = _Row[System]


def _twist(o: System, k: int) -> tuple[Array, Array, Array, Array, Array]:
    """ω(p), ω(k) - ω(p), v(k) - v(p), and the relative twist H*(k) β(k) in its halves."""
    here, there = o.of(o.V, k), o.of(o.V, o.parent(k))
    delta = o.H[o.own(k), block(k)].T @ o.v[o.own(k)]
    return there[:3], here[:3] - there[:3], here[3:] - there[3:], delta[:3], delta[3:]


def _coriolis(o: System, k: int) -> Array:
    """a(k), corrected."""
    w, _, dv, Dw, Dv = _twist(o, k)
    if o.kind(k) == "free":  # on the world, in body axes
        return np.concatenate([np.zeros(3), np.cross(o.V[block(k)][:3], o.V[block(k)][3:])])
    if o.kind(k) == "prismatic":
        return np.concatenate([np.zeros(3), np.cross(w, dv) + np.cross(w, Dv)])
    return np.concatenate([np.cross(w, Dw), np.cross(w, dv)])


def _printed_coriolis(o: System, k: int) -> Array:
    w, dw, dv, _, _ = _twist(o, k)
    return np.concatenate([np.cross(w, dw), np.cross(w, dv)])


def _true_coriolis(o: System, k: int) -> Array:
    """What the compiled core's accelerations have besides the carried one and H* β̇."""
    own = o.H[o.own(k), block(k)].T @ o.v_dot[o.own(k)]
    return o.of(o.alpha, k) - o.carried(k).T @ o.of(o.alpha, o.parent(k)) - own


def _gyroscopic(o: System, k: int) -> Array:
    inertia, w = o.M[block(k), block(k)], o.V[block(k)][:3]
    com = o.s.rotation[k] @ o.robot.com[k]
    return np.concatenate([np.cross(w, inertia[:3, :3] @ w), o.robot.mass[k] * np.cross(w, np.cross(w, com))])


def _true_gyroscopic(o: System, k: int) -> Array:
    """What the core's force on a body has besides those handed on and M α."""
    forces = [o.of(o.f, c) for c in range(o.n)]
    return forces[k] - o.gathered(forces, k) - o.M[block(k), block(k)] @ o.of(o.alpha, k)


def _recursions(o: System, wrong: bool = False) -> list[Pair]:
    """(3.1), with the forces carried from the body beyond or (printed) as if from this one."""
    V, alpha = np.zeros((o.n + 1, 6)), np.zeros((o.n + 1, 6))  # row -1 is the world
    f: list[Array] = [np.zeros(6)] * o.n
    T = np.zeros(o.N)
    for k in range(o.n):
        p, Hk = o.parent(k), o.H[o.own(k), block(k)]
        V[k] = o.carried(k).T @ V[p] + Hk.T @ o.v[o.own(k)]
        alpha[k] = o.carried(k).T @ alpha[p] + Hk.T @ o.v_dot[o.own(k)] + _coriolis(o, k)
    for k in reversed(range(o.n)):
        beyond = o.gathered(f, k)
        if wrong:
            pieces = [f[c] for c in range(o.n) if o.parent(c) == k]
            beyond = sum((o.carried(k) @ piece for piece in pieces), np.zeros(6))
        f[k] = beyond + o.M[block(k), block(k)] @ alpha[k] + o.b[block(k)]
        T[o.own(k)] = o.H[o.own(k), block(k)] @ f[k]
    if wrong:
        return [(T, o.torques)]
    return [(V[:-1], o.robot.velocities(o.q, o.v)), (alpha[:-1].ravel(), o.alpha), (np.concatenate(f), o.f),
            (T, o.torques)]  # fmt: skip


def _steps(o: System) -> Array:
    """E_φ from the compiled core's poses."""
    origin = np.asarray(o.robot.poses(o.q).position)
    out = np.zeros((6 * o.n, 6 * o.n))
    for k in range(o.n):
        if (p := o.parent(k)) != WORLD:
            l = origin[k] - origin[p]  # noqa: E741
            tilde = np.array([[0, -l[2], l[1]], [l[2], 0, -l[0]], [-l[1], l[0], 0]])
            out[block(p), block(k)] = np.block([[np.eye(3), tilde], [np.zeros((3, 3)), np.eye(3)]])
    return out


def _powers(E: Array) -> Array:
    """1 + E + E² + ..."""
    total = term = np.eye(len(E))
    while np.any(term):
        term = term @ E
        total = total + term
    return total


def _tip(o: System) -> Any:
    return o.robot.velocity(o.q, o.v, "tip")


SECTION_2: Section[System] = Section(
    "2",
    "Nomenclature",
    anything,
    (
        misprint(
            "2.a",
            "a(k) = [ω~(p) Δω; ω~(p) (v(k) - v(p)) + ω~(p) Δv of sliding hinges]; of a free base in its axes [0; ω~v]",
            lambda o: [(_coriolis(o, k), _true_coriolis(o, k)) for k in range(o.n)],
            "a(k) = diag(ω~(k+1)) [V(k) - V(k+1)]",
            lambda o: [(_printed_coriolis(o, k), _true_coriolis(o, k)) for k in range(o.n)],
            title="Coriolis acceleration",
            note="as printed it holds for revolute and spherical hinges; not numbered in the paper",
        ),
        definition(
            "2.b",
            "b(k) = [ω~ J ω; m ω~ ω~ p]",
            lambda o: [(_gyroscopic(o, k), _true_gyroscopic(o, k)) for k in range(o.n)],
            title="gyroscopic force",
            note="not numbered in the paper",
        ),
    ),
)

SECTION_3: Section[System] = Section(
    "3",
    "Dynamics of regular manipulators",
    anything,
    (
        misprint(
            "3.1",
            "V(k) = φ*V(k+1) + H*β, α(k) = φ*α(k+1) + H*β̇ + a; f(k) = φ(k,k-1) f(k-1) + Mα + b, T(k) = H f",
            _recursions,
            "f(k) = φ(k+1,k) f(k-1) + ...",
            lambda o: _recursions(o, wrong=True),
            title="Newton-Euler recursions",
        ),
        Row("3.2a", "V = φ*H*β", lambda o: (o.phi.T @ o.H.T @ o.v, o.robot.velocities(o.q, o.v).ravel())),
        Row("3.2b", "α = φ*[H*β̇ + a]", lambda o: (o.phi.T @ (o.H.T @ o.v_dot + o.coriolis), o.alpha)),
        Row("3.2c", "f = φ[Mα + b]", lambda o: (o.phi @ (o.M @ o.alpha + o.b), o.f)),
        Row("3.2d", "T = H f = 𝓜 β̇ + 𝓒", lambda o: [(o.H @ o.f, o.torques), (o.mass @ o.v_dot + o.C, o.torques)]),
        Row("3.3a", "𝓜 = H φ M φ* H*", lambda o: (o.H @ o.phi @ o.M @ o.phi.T @ o.H.T, o.mass), title="mass matrix"),
        Row("3.3b", "𝓒 = H φ [M φ* a + b]", lambda o: (o.H @ o.phi @ (o.M @ o.phi.T @ o.coriolis + o.b), o.C)),
        definition("3.4a", "E_φ: φ(k+1,k) on the first subdiagonal", lambda o: (o.E_phi, _steps(o))),
        Row("3.4b", "φ = (1 - E_φ)⁻¹, of blocks φ(i,j) = φ(i,i-1) ... φ(j+1,j)",
            lambda o: [(o.phi, solve(o.I - o.E_phi, o.I)), (o.phi, _powers(o.E_phi))]),
        misprint(
            "3.5",
            "V(0) = φ*(1,0) V(1) = B*V = B*φ*H*β, with B = col[φ(1,0), 0, ...]",
            lambda o: [(o.B.T @ o.V, _tip(o)), (o.B.T @ o.phi.T @ o.H.T @ o.v, _tip(o))],
            "V(0) = BV = Bφ*H*θ̇ with B = [φ*(1,0), 0, ...] in R^(6n×6)",
            note="as printed the sizes do not fit",
        ),
        Row("3.6", "J = B* φ* H*", lambda o: (o.B.T @ o.phi.T @ o.H.T, o.robot.jacobian(o.q, "tip"))),
    ),
)  # fmt: skip
