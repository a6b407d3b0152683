"""The articulated-body quantities: P, D, G, K, tau, tau_bar, P+, psi, from the Riccati recursion.

The recursion runs from the tips to the base. With a mask of passive degrees of freedom, only those count as free to
move: H is read as H_p, the rows of the passive ones, and P(k) is the inertia felt at body k with the others held."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from . import spatial
from .description import WORLD, Array, block, freedom, size, v_of
from .operators import State


@dataclass(frozen=True)
class Riccati:
    """What :func:`riccati` returns. N = number of free (passive) degrees of freedom; all matrices dense."""

    H: Array  # (N, 6n): the rows of H that are free
    P: Array  # (6n, 6n) block diagonal: articulated-body inertias
    D: Array  # (N, N) block diagonal: H P H*, plus the armature
    D_inverse: Array
    G: Array  # (6n, N): P H* D^-1
    K: Array  # (6n, N): E_phi G
    tau: Array  # (6n, 6n): G H
    tau_bar: Array  # (6n, 6n): 1 - G H
    P_plus: Array  # (6n, 6n): tau_bar P
    E_psi: Array  # (6n, 6n): E_phi tau_bar
    psi: Array  # (6n, 6n): (1 - E_psi)^-1
    free: Array  # (nv) of bool: the mask


def riccati(state: State, passive: ArrayLike | None = None) -> Riccati:
    """The articulated-body quantities of a state, with every joint free or only the passive degrees of freedom.

    Armature adds to D; it loads the joint's own axis and leaves P+ = tau_bar P true, though not tau_bar P tau_bar*.
    Raises :class:`numpy.linalg.LinAlgError` where some D(k) is singular.
    """
    robot, n = state.robot, size(state.robot)
    free = np.ones(freedom(robot), dtype=bool) if passive is None else np.asarray(passive, dtype=bool)
    armature = np.diag(np.asarray(robot.armature, dtype=np.float64))
    P, D = np.zeros_like(state.M), np.zeros((len(free), len(free)))
    D_inverse, P_plus, G = np.zeros_like(D), np.zeros_like(P), np.zeros((6 * n, len(free)))
    for k in reversed(range(n)):  # [JR93 4.6], with the gather over children instead of the one link beyond
        own = np.flatnonzero(free[v_of(robot, k)]) + v_of(robot, k).start
        Hk = state.H[own, block(k)]
        P[block(k), block(k)] += state.M[block(k), block(k)]
        Pk = P[block(k), block(k)]
        Dk = Hk @ Pk @ Hk.T + armature[np.ix_(own, own)]
        Dk_inverse = np.linalg.inv(Dk)
        Gk = Pk @ Hk.T @ Dk_inverse
        D[np.ix_(own, own)], D_inverse[np.ix_(own, own)], G[block(k), own] = Dk, Dk_inverse, Gk
        P_plus[block(k), block(k)] = (np.eye(6) - Gk @ Hk) @ Pk
        p = robot.parent[k]
        if p != WORLD:
            phi = state.E_phi[block(p), block(k)]
            P[block(p), block(p)] += phi @ P_plus[block(k), block(k)] @ phi.T
    H_free, G_free = state.H[free], G[:, free]
    one = np.eye(6 * n)
    tau_bar = one - G_free @ H_free
    E_psi = state.E_phi @ tau_bar  # [JR93 4.7]
    return Riccati(
        H=H_free,
        P=P,
        D=D[np.ix_(free, free)],
        D_inverse=D_inverse[np.ix_(free, free)],
        G=G_free,
        K=state.E_phi @ G_free,  # [JR93 4.7]
        tau=G_free @ H_free,
        tau_bar=tau_bar,
        P_plus=P_plus,
        E_psi=E_psi,
        psi=spatial.solve(one - E_psi, one),  # [JR93 4.9]
        free=free,
    )


def inverse_mass_matrix_from(r: Riccati) -> Array:
    """[1 - H psi K]* D^-1 [1 - H psi K]: of the whole arm, or of the passive arm. [JR93 Lemma 4.3]"""
    factor = np.eye(len(r.D)) - r.H @ r.psi @ r.K
    return factor.T @ r.D_inverse @ factor
