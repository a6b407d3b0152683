"""Rows of JR95f beyond those of chains: Ω step by step, on trees; what the links do about torques at the joints."""

from __future__ import annotations

from typing import Any

from .table import row


def _whitening(s: Any) -> Any:
    """1 - H ψ K."""
    return s.I_joints - s.H @ s.psi @ s.K


def _own(s: Any) -> Any:
    """H* D⁻¹ H: how a link yields by its own joint, its parent being held."""
    return s.H.T @ s.D.inv @ s.H


# fmt: off
row("Omega, a step outward", "[JR95f 33]", "what the parent does, passed on, and what the joint does",
    lambda s: (s.E_psi.T @ s.Omega + _own(s) @ s.psi, s.Omega))
row("Omega, a step on both sides", "[JR95f 33]", "pushed and watched one joint further out",
    lambda s: (s.E_psi.T @ s.Omega @ s.E_psi + _own(s) @ s.psi + s.psi.T @ _own(s) - _own(s), s.Omega))
row("links moved by torques", "[JR95f 21]", "φ* H* 𝓜⁻¹ in two sweeps",
    lambda s: (s.phi.T @ s.H.T @ _whitening(s).T @ s.D.inv @ _whitening(s),
               s.psi.T @ s.H.T @ s.D.inv @ _whitening(s)))
row("forces handed on by Omega", "[JR95f 32]", "the joints' share of Ω: Ω (1 - E_φ) = (ψ* H* D⁻¹ - Ω K) H",
    lambda s: (s.Omega - s.Omega @ s.E_phi, (s.psi.T @ s.H.T @ s.D.inv - s.Omega @ s.K) @ s.H))
# fmt: on
