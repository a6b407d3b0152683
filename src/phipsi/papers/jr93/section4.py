"""JR93, section 4: active and passive arms, the equations in blocks, and the innovations form of M_pp⁻¹."""

from __future__ import annotations

import numpy as np

from phipsi.papers.row import Row as _Row
from phipsi.papers.row import Section, definition, misprint
from phipsi.reference.description import WORLD, Array, block
from phipsi.reference.spatial import solve

from .system import System, anything

Row = _Row[System]


def _articulated(o: System, swapped: bool = False) -> tuple[Array, Array, Array, Array]:
    """(4.6), with hinges of mixed dofs: P, τ̄, P⁺ and E_ψ. `swapped`: as printed, τ̄ = 1 where it is passive."""
    P, tau_bar, P_plus, E_psi = (np.zeros((6 * o.n, 6 * o.n)) for _ in range(4))
    for k in reversed(range(o.n)):
        here = block(k)
        P[here, here] += o.M[here, here]
        own = [i for i in range(o.own(k).start, o.own(k).stop) if o.passive[i] != swapped]
        Hk, Pk = o.H[own, here], P[here, here]
        bar = np.eye(6) - Pk @ Hk.T @ np.linalg.inv(Hk @ Pk @ Hk.T) @ Hk  # τ̄(k) = 1 - G H
        tau_bar[here, here], P_plus[here, here] = bar, bar @ Pk
        if (p := o.parent(k)) != WORLD:
            phi = o.carried(k)
            P[block(p), block(p)] += phi @ bar @ Pk @ phi.T
            E_psi[block(p), here] = phi @ bar
    return P, tau_bar, P_plus, E_psi


def _resisting(o: System, k: int) -> Array:
    """P(k) without a Riccati equation: all beyond body k as it resists, its passive dofs eliminated."""
    beyond = [k]
    for c in range(k + 1, o.n):
        if o.parent(c) in beyond:
            beyond.append(c)
    inertia = o.phi @ o.M @ o.phi.T
    yielding = [i for c in beyond[1:] for i in range(o.own(c).start, o.own(c).stop) if o.passive[i]]
    own, coupling = inertia[block(k), block(k)], (o.H @ inertia)[np.ix_(yielding, range(6 * k, 6 * k + 6))]
    return own - coupling.T @ solve(o.mass[np.ix_(yielding, yielding)], coupling)


def _from_resistance(o: System) -> tuple[Array, Array, Array, Array]:
    """P, D, G and τ̄ of these."""
    P, D, G = np.zeros((6 * o.n, 6 * o.n)), np.zeros((len(o.p), len(o.p))), np.zeros((6 * o.n, len(o.p)))
    for k in range(o.n):
        P[block(k), block(k)] = _resisting(o, k)
        mine = [i for i, dof in enumerate(o.p) if o.own(k).start <= dof < o.own(k).stop]
        Hk = o.H_p[mine][:, block(k)]
        D[np.ix_(mine, mine)] = Hk @ P[block(k), block(k)] @ Hk.T
        G[block(k), mine] = P[block(k), block(k)] @ Hk.T @ np.linalg.inv(D[np.ix_(mine, mine)])
    return P, D, G, o.I - G @ o.H_p


def _walked(o: System) -> Array:
    """ψ from its blocks: ψ(i,j) = ψ(i,i-1) ... ψ(j+1,j) along the tree."""
    out = np.zeros((6 * o.n, 6 * o.n))
    for j in range(o.n):
        i, carried = j, np.eye(6)
        while True:
            out[block(i), block(j)] = carried
            if (p := o.parent(i)) == WORLD:
                break
            carried, i = o.E_psi[block(p), block(i)] @ carried, p
    return out


_HYBRID = "[T_a; β̇_p] = [[S_aa, S_ap], [-S_ap*, S_pp]] [β̇_a; T_p] + [C_a - S_ap C_p; -S_pp C_p]"

SECTION_4: Section[System] = Section(
    "4",
    "Under-actuated manipulators",
    anything,
    (
        Row("4.1", "H_a*β_a + H_p*β_p = H*β",
            lambda o: (o.H_a.T @ o.v[o.a] + o.H_p.T @ o.v[o.p], o.H.T @ o.v)),
        Row("4.2", "[[M_aa, M_ap], [M_ap*, M_pp]] [β̇_a; β̇_p] + [C_a; C_p] = [T_a; T_p]",
            lambda o: [(o.part("a", "a") @ o.v_dot[o.a] + o.part("a", "p") @ o.v_dot[o.p] + o.C[o.a], o.torques[o.a]),
                       (o.part("p", "a") @ o.v_dot[o.a] + o.part("p", "p") @ o.v_dot[o.p] + o.C[o.p], o.T[o.p])]),
        Row("4.3", "M_ij = H_i φ M φ* H_j*, C_i = H_i φ [b + M φ* a]",
            lambda o: [*((getattr(o, f"H_{i}") @ o.phi @ o.M @ o.phi.T @ getattr(o, f"H_{j}").T, o.part(i, j))
                         for i in "ap" for j in "ap"),
                       *((getattr(o, f"H_{i}") @ o.phi @ (o.b + o.M @ o.phi.T @ o.coriolis), o.C[getattr(o, i)])
                         for i in "ap")]),
        Row("4.4", _HYBRID,
            lambda o: [(o.S_aa @ o.v_dot[o.a] + o.S_ap @ o.T[o.p] + o.C[o.a] - o.S_ap @ o.C[o.p], o.torques[o.a]),
                       (-o.S_ap.T @ o.v_dot[o.a] + o.S_pp @ o.T[o.p] - o.S_pp @ o.C[o.p],
                        o.robot.forward_dynamics(o.q, o.v, o.torques)[o.p])]),
        definition("4.5", "S_aa = M_aa - M_ap M_pp⁻¹ M_ap*, S_ap = M_ap M_pp⁻¹, S_pp = M_pp⁻¹",
            lambda o: [(np.linalg.inv(o.S_aa), np.linalg.inv(o.mass)[np.ix_(o.a, o.a)]),
                       (o.S_pp @ o.part("p", "p"), np.eye(len(o.p)))],
            note="S_aa⁻¹ is a block of the inverse mass matrix"),
        misprint("4.6", "P, D_p, G_p, K_p, τ̄_p, P⁺, ψ from the tip to the base; τ̄(k) = 1 if k is an active hinge",
            lambda o: [(_articulated(o)[0], _from_resistance(o)[0]), (_articulated(o)[1], _from_resistance(o)[3]),
                       (_articulated(o)[3], o.E_phi @ _from_resistance(o)[3])],
            "if k is in I_p: τ̄_p(k) = I_6, else ...",
            lambda o: (_articulated(o, swapped=True)[0], _from_resistance(o)[0]),
            title="articulated inertias of the passive arm", note="hinges of mixed dofs need no splitting"),
        definition("4.7", "D_p = H_p P H_p*, G_p = P H_p* D_p⁻¹, K_p = E_φ G_p, τ̄_p = 1 - G_p H_p, E_ψ = E_φ τ̄_p",
            lambda o: [(o.D, _from_resistance(o)[1]), (o.G, _from_resistance(o)[2]),
                       (o.K, o.E_phi @ _from_resistance(o)[2]), (o.tau_bar, _from_resistance(o)[3]),
                       (o.E_psi, o.E_phi @ _from_resistance(o)[3])]),
        Row("4.8", "M = P - E_ψ P E_ψ* = P - E_φ P E_ψ*",
            lambda o: [(o.P - o.E_psi @ o.P @ o.E_psi.T, o.M), (o.P - o.E_phi @ o.P @ o.E_psi.T, o.M)]),
        Row("4.9", "ψ = (1 - E_ψ)⁻¹, of blocks ψ(i,j) = ψ(i,i-1) ... ψ(j+1,j)",
            lambda o: [(solve(o.I - o.E_psi, o.I), _walked(o)), (o.psi, _walked(o))]),
        Row("4.10", "M_pp = [1 + H_p φ K_p] D_p [1 + H_p φ K_p]*",
            lambda o: (_innovations(o) @ o.D @ _innovations(o).T, o.part("p", "p"))),
        Row("Lemma 4.1", "M_pp = [1 + H_p φ K_p] D_p [1 + H_p φ K_p]*",
            lambda o: (_innovations(o) @ o.D @ _innovations(o).T, o.part("p", "p")), title="innovations factorization"),
        Row("Lemma 4.2", "[1 + H_p φ K_p]⁻¹ = [1 - H_p ψ K_p]",
            lambda o: (solve(_innovations(o), np.eye(len(o.p))), o.white)),
        Row("Lemma 4.3", "M_pp⁻¹ = [1 - H_p ψ K_p]* D_p⁻¹ [1 - H_p ψ K_p]",
            lambda o: (o.white.T @ o.D_inv @ o.white, o.S_pp)),
    ),
)  # fmt: skip


def _innovations(o: System) -> Array:
    """1 + H_p φ K_p."""
    return np.eye(len(o.p)) + o.H_p @ o.phi @ o.K
