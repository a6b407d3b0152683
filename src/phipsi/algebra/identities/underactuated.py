"""Rows of JR93: dofs without a motor. H, D, K, psi, P, Omega are those of the passive dofs, H_a of the active ones."""

from __future__ import annotations

from typing import Any

from phipsi.algebra import underactuated as forms

from .table import row


def _bar(s: Any) -> Any:
    """T̄ = 1 - Ω M."""
    return forms.projection_bar(s)


def _coupling(s: Any) -> Any:
    """M_ap, from its definition."""
    return s.H_a @ s.phi @ s.M @ s.phi.T @ s.H.T


def _passive_mass(s: Any) -> Any:
    """M_pp, from its definition."""
    return s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + s.J


_ROTORS = "the rotors' inertia is not in M"
_YIELD = "the passive rotors resist: Ω M φ* H_p* is not φ* H_p*"

# fmt: off

# ── φ M ψ*, Ω M φ* and what follows ──

row("error and state, transposed", "[JR93 A.6]", "φ M ψ*: P and its strict parts",
    lambda s: (s.phi @ s.M @ s.psi.T, s.P + s.phi_tilde @ s.P + s.P @ s.psi_tilde.T))
row("yielding", "[JR93 A.7]", "what of a rigid motion the passive dofs take up",
    lambda s: (s.Omega @ s.M @ s.phi.T, s.phi.T - (s.psi.T - s.Omega @ s.P)), rewrite=True)
row("yielding, by the gains", "[JR93 A.7]", "the same, as accelerations of the passive dofs",
    lambda s: (s.Omega @ s.M @ s.phi.T,
               s.phi.T @ s.H.T @ (s.K.T @ (s.psi.T - s.Omega @ s.P) + s.D.inv @ s.H @ s.psi @ s.P)))
row("inertia felt while yielding", "[JR93 A.8]", "(ψ - PΩ) M φ* by P",
    lambda s: ((s.psi - s.P @ s.Omega) @ s.M @ s.phi.T,
               (s.psi - s.P @ s.Omega) @ s.P + s.P @ s.psi_tilde.T), rewrite=True)
row("inertia felt while yielding, symmetric", "[JR93 A.8]", "the same by M",
    lambda s: ((s.psi - s.P @ s.Omega) @ s.P + s.P @ s.psi_tilde.T,
               s.psi @ s.M @ s.psi.T - s.P @ s.Omega @ s.P), armature=False, why="ψ M ψ* lacks the rotors")
row("yielding, transposed", "[JR93 A.9]", "φ M Ω: forces that the passive dofs do not hand on",
    lambda s: (s.phi @ s.M @ s.Omega, s.phi - (s.psi - s.P @ s.Omega)))
row("what the passive dofs feel", "[JR93 A.11]", "H ψ M ψ* H* is D",
    lambda s: (s.H @ s.psi @ s.M @ s.psi.T @ s.H.T, s.D), rewrite=True, armature=False, why=_ROTORS)

# ── The projections T = Ω M and T̄ = 1 - Ω M ──

row("T projects", "[JR93 6.5]", "T = Ω M: the part of link accelerations that passive dofs can make",
    lambda s: (s.Omega @ s.M @ s.Omega @ s.M, s.Omega @ s.M), rewrite=True, armature=False, why=_ROTORS)
row("T_bar projects", "[JR93 6.5]", "T̄: what is left when they have yielded",
    lambda s: (_bar(s) @ _bar(s), _bar(s)), rewrite=True, armature=False, why=_ROTORS)
row("T_bar after phi*", "[JR93 6.6]", "T̄ φ* = ψ* - Ω P",
    lambda s: (_bar(s) @ s.phi.T, s.psi.T - s.Omega @ s.P), rewrite=True)
row("passive motion is projected away", "[JR93 6.7]", "T̄ φ* H_p* = 0",
    lambda s: (s.Omega @ s.M @ s.phi.T @ s.H.T, s.phi.T @ s.H.T), rewrite=True, armature=False, why=_YIELD)
row("passive motion, through psi", "[JR93 6.7]", "(ψ* - Ω P) H_p* = 0",
    lambda s: (s.Omega @ s.P @ s.H.T, s.psi.T @ s.H.T), rewrite=True, armature=False, why=_YIELD)
row("projected inertia", "[JR93 6.8]", "T̄* M T̄ = M T̄",
    lambda s: (_bar(s).T @ s.M @ _bar(s), s.M @ _bar(s)), rewrite=True, armature=False, why=_ROTORS)

# ── The blocks of the dynamics ──

row("S_ap", "[JR93 5.1b]", "M_ap M_pp⁻¹, in two sweeps",
    lambda s: (_coupling(s) @ _passive_mass(s).inv, forms.S_ap(s)), rewrite=True, needs_mask=True)
row("S_ap, with Omega", "[JR93 5.1b]", "the same, by Ω",
    lambda s: (s.H_a @ ((s.psi - s.P @ s.Omega) @ s.K + s.P @ s.psi.T @ s.H.T @ s.D.inv),
               forms.S_ap(s)), needs_mask=True)
row("S_aa", "[JR93 5.1c]", "M_aa - M_ap M_pp⁻¹ M_pa: the mass matrix that the active dofs feel",
    lambda s: (s.H_a @ s.phi @ s.M @ s.phi.T @ s.H_a.T + s.J_a
               - _coupling(s) @ _passive_mass(s).inv @ _coupling(s).T, forms.S_aa(s)), needs_mask=True)
row("S_aa, projected", "[JR93 6.8]", "the mass matrix of the active arm, with M T̄ for M",
    lambda s: (s.H_a @ s.phi @ s.M @ _bar(s) @ s.phi.T @ s.H_a.T + s.J_a, forms.S_aa(s)), needs_mask=True)
row("generalized Jacobian", "[JR93 6.11]", "link motions, with the passive dofs yielding",
    lambda s: (_bar(s) @ s.phi.T @ s.H_a.T, forms.J_G(s, s.I)), rewrite=True, needs_mask=True)
row("disturbance Jacobian", "[JR93 6.13]", "-M_pp⁻¹ M_pa",
    lambda s: (-(_passive_mass(s).inv @ _coupling(s).T), forms.J_D(s)), needs_mask=True)
# fmt: on
