"""Rows behind hybrid dynamics: link accelerations and joint forces that passive torques and active motions cause."""

from __future__ import annotations

from phipsi.algebra import underactuated as forms

from .table import row

# fmt: off
row("accelerations by passive torques", "[JR93 5.3a]", "φ* H_p* M_pp⁻¹ in the two sweeps of hybrid dynamics",
    lambda s: (s.phi.T @ s.H.T @ forms.S_pp(s), s.psi.T @ s.H.T @ s.D.inv @ forms.whitening(s)), rewrite=True)
row("joint forces by passive torques", "[JR93 5.3c]", "f = P α + z instead of the sum φ M α over all bodies beyond",
    lambda s: (s.phi @ s.M @ s.psi.T @ s.H.T @ s.D.inv @ forms.whitening(s),
               s.P @ s.psi.T @ s.H.T @ s.D.inv @ forms.whitening(s) + s.psi @ s.K))
row("joint forces by active motions", "[JR93 5.3c]", "the same where active dofs move: ψ - PΩ holds what yields beyond",
    lambda s: (s.phi @ s.M @ (s.psi.T - s.Omega @ s.P),
               (s.psi - s.P @ s.Omega) @ s.P + s.P @ s.psi_tilde.T), rewrite=True)
# fmt: on
