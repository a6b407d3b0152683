"""SM03, sections 3 and 4: transforms and inertias; positions, velocities and Jacobians."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from phipsi.papers.least_constraint import rates
from phipsi.papers.row import Row, Section, definition, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import both, skew

from .coefficients import floating, revolute
from .ship import Ship, transform


def _world(o: Ship, name: str, point: Array) -> Array:
    """Where a point of a body is, along the motion."""
    pose = o.robot.pose(o.path, name)
    return np.asarray(pose.position) + np.asarray(pose.rotation) @ point


def _chain(o: Ship, last: int, vectors: bool = False) -> list[Array]:
    """Origins of base and links 0 ... last of arm 0 (or of joints, and the vectors between them)."""
    points = [o.at.frames["base"][1], *(o.at.frames[f"0/{i}"][1] for i in range(last + 1))]
    return [b - a for a, b in pairwise(points)] if vectors else points


_POINT = np.array([0.1, -0.2, 0.3])
_LINK = 3


def _l_p(o: Ship) -> Array:
    """From the origin of link i to the point p."""
    return o.at.frames[f"0/{_LINK}"][0] @ _POINT


def _w(o: Ship, name: str) -> Array:
    return o.robot.velocity(o.q, o.v, name)[:3]


def _moved(o: Ship, last: bool) -> Array:
    """(5): with ω of link i at the last vector, as it must be, or of link i-1."""
    steps = _chain(o, _LINK, vectors=True)
    names = ["base", *(f"0/{i}" for i in range(_LINK + 1))]
    out = rates(_world(o, "base", np.zeros(3)))
    for name, step in zip(names, steps, strict=False):
        out = out + np.cross(_w(o, name), step)
    return out + np.cross(_w(o, names[-1 if last else -2]), _l_p(o))


def _turned(o: Ship) -> list[tuple[Array, Array]]:
    """(6), for every link."""
    pairs: list[tuple[Array, Array]] = []
    for j, own in enumerate(o.links):
        w = _w(o, "base")
        for i, k in enumerate(own):
            v = o.v[int(o.robot.v_index[k])]
            w = w + v * (o.at.frames[f"{j}/{i}"][0] @ np.asarray(o.robot.joints[k].parameters))
            pairs.append((_w(o, f"{j}/{i}"), w))
    return pairs


def _per_link(o: Ship) -> list[tuple[Array, Array]]:
    """(7), for every link."""
    pairs: list[tuple[Array, Array]] = []
    column = 0
    for j, own in enumerate(o.links):
        for i, k in enumerate(own):
            before = "base" if i == 0 else f"{j}/{i - 1}"
            width = o.robot.joints[k].nv
            row = 6 * (j * o.n + i)
            Phi = o.at.Phi[row : row + 6, column : column + width]
            X = transform(o.at.frames[before], o.at.frames[f"{j}/{i}"])
            moved = X @ o.velocity(before) + Phi @ o.rate_q[column : column + width]
            pairs.append((o.velocity(f"{j}/{i}"), moved))
            column += width
    return pairs


def _force_map(o: Ship) -> list[tuple[Array, Array]]:
    """The force transform, and its dual: power is the same on both sides."""
    a, b = o.at.frames["0/1"], o.at.frames["0/2"]
    X, R, p = transform(a, b), a[0].T @ b[0], a[0].T @ (b[1] - a[1])
    built = np.block([[R, skew(p) @ R], [np.zeros((3, 3)), R]])
    f = np.arange(1.0, 7.0)
    world = both(b[0]) @ f
    moved = np.r_[world[:3] + np.cross(b[1] - a[1], world[3:]), world[3:]]
    return [(X.T, built), (X.T @ f, both(a[0]).T @ moved)]


SECTION_3 = Section("3", "Spatial operators", floating, (
    definition("3, X", "ⁱ_{i-1}X = [[R, 0], [-R p~, R]]",
               lambda o: (transform(o.at.frames["base"], o.at.frames["tip0"]) @ o.velocity("base"),
                          _seen_from_base(o)),
               note="reconstructed: the scan garbles it; checked on a point of the base"),
    definition("3, force X", "^{i-1}_iX = ⁱ_{i-1}X* = [[R, p~ R], [0, R]]", _force_map),
    definition("3, M", "M = [[I, m c~], [-m c~, m 1]]",
               lambda o: (o.V @ o.M_q @ o.V + o.V_b @ o.M_b @ o.V_b + o.V_o @ o.M_o @ o.V_o,
                          2 * o.robot.kinetic_energy(o.q, o.v))),
))  # fmt: skip


def _seen_from_base(o: Ship) -> Array:
    """The velocity of the base's point that is where tip 0 is, along tip 0's axes."""
    R, p = o.at.frames["tip0"]
    V = o.robot.velocity(o.q, o.v, "base")
    return both(R).T @ np.r_[V[:3], V[3:] + np.cross(V[:3], p - o.at.frames["base"][1])]


def _positions(o: Ship, last: int) -> Array:
    """Σ of the vectors between origins up to link `last`, and on to the point."""
    return np.sum(_chain(o, last, vectors=True), axis=0) + _l_p(o)


def _middle(x: Array) -> Any:
    return x[4]


SECTION_4 = Section("4", "Kinematics", revolute, (
    definition("1", "r = r_b + _b r", lambda o: (_middle(_world(o, f"0/{_LINK}", _POINT)),
                                                o.at.frames["base"][1] + _positions(o, _LINK))),
    misprint("2", "_b r = ¹_b l + Σ ^{k+1}_k l + ^p_i l, k = 1 ... i-1",
             lambda o: (_middle(_world(o, f"0/{_LINK}", _POINT)) - o.at.frames["base"][1], _positions(o, _LINK)),
             "... k = 1 ... i",
             lambda o: (_middle(_world(o, f"0/{_LINK}", _POINT)) - o.at.frames["base"][1], _positions(o, _LINK + 1)),
             note="(3) has it right"),
    Row("3", "r = r_b + ¹_b l + Σ ^{k+1}_k l + ^p_i l, k = 1 ... i-1",
        lambda o: (_middle(_world(o, f"0/{_LINK}", _POINT)), o.at.frames["base"][1] + _positions(o, _LINK))),
    definition("4", "r_b^p = r_b + ^p_b r",
               lambda o: (_middle(_world(o, "base", _POINT)),
                          o.at.frames["base"][1] + o.at.frames["base"][0] @ _POINT)),
    misprint("5", "ṙ = ṙ_b + ω_b × ¹_b l + Σ ᵏω × ^{k+1}_k l + ⁱω × ^p_i l",
             lambda o: (rates(_world(o, f"0/{_LINK}", _POINT)), _moved(o, last=True)), "... + ᵏω × ^p_i l",
             lambda o: (rates(_world(o, f"0/{_LINK}", _POINT)), _moved(o, last=False)),
             note="of revolute joints; a sliding one adds its axis times q̇"),
    misprint("6", "ⁱω = ω_b + Σ ᵏq̇ ᵏz, k = 1 ... i", _turned, "ᵏω = ...", note="k is summed over"),
    Row("7", "ⁱV = ⁱ_{i-1}X ^{i-1}V + ⁱΦ ⁱq̇", _per_link),
    Row("8", "ⁱV = ⁱ_bX V_b + Σ ⁱ_kX ᵏΦ ᵏq̇, k = 1 ... i", lambda o: (o.V, o.X_b @ o.V_b + o.X @ (o.Phi @ o.rate_q))),
    misprint("9", "V_j = _bX_j V_b + X_j Φ_j q̇_j, the first block of _bX_j being ¹_bX",
             lambda o: (o.V[: 6 * o.n], (o.X_b @ o.V_b + o.XP @ o.rate_q)[: 6 * o.n]),
             "... the first block being ᵇ_bX",
             lambda o: (o.V[:6], o.V_b + (o.XP @ o.rate_q)[:6])),
    definition("10", "X_j: the lower block triangular matrix of the ⁱ_kX, i ≥ k",
               lambda o: (o.X @ o.Phi @ o.rate_q, o.V - o.X_b @ o.V_b)),
    Row("11", "V = X_b V_b + X Φ q̇", lambda o: (o.V, o.X_b @ o.V_b + o.XP @ o.rate_q)),
    Row("12", "Vᵉ = ^{n+1}_nX ⁿV",
        lambda o: [(o.velocity(f"tip{j}"), transform(o.at.frames[f"{j}/{o.n - 1}"], o.at.frames[f"tip{j}"])
                    @ o.velocity(f"{j}/{o.n - 1}")) for j in range(2)]),
    Row("13", "V_jᵉ = B_j _bX_j V_b + B_j X_j Φ_j q̇_j", lambda o: (o.V_e, o.B @ (o.X_b @ o.V_b + o.XP @ o.rate_q))),
    Row("14", "Vᵉ = J_b V_b + J_q q̇, J_b = B X_b, J_q = B X Φ",
        lambda o: [(o.V_e, o.B @ o.X_b @ o.V_b + o.B @ o.XP @ o.rate_q),
                   (np.concatenate([o.B @ o.X_b, o.B @ o.XP], axis=1), _by_core(o))]),
))  # fmt: skip


def _by_core(o: Ship) -> Array:
    """The frames' Jacobian by the compiled core, in their own axes."""
    rows = [o.robot.jacobian(o.q, f"tip{j}", "body") for j in range(2)]
    return np.concatenate(rows)[:, : o.own["object"].start]
