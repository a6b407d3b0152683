"""Rows of RK88, part II: closed chains. Arms whose contacts hold something: operators, and one dense solve.

Contacts are B_c; what is held yields A M_C⁻¹ A* to forces at them; H_c has as rows the relative motions that they leave
free, N_c as columns the forces that they transmit. Π is Ω_c⁻¹ of rigid contacts, and that less what is free otherwise.
"""

from __future__ import annotations

from typing import Any

from .table import row


def _whitening(s: Any) -> Any:
    """1 - H ψ K: the Kalman filter, as a whitening filter."""
    return s.I_joints - s.H @ s.psi @ s.K


def free(s: Any) -> Any:
    """From T' to θ̈ of arms that hold nothing: the inverse of the mass matrix. [RK88 II 5.4]"""
    return _whitening(s).T @ s.D.inv @ _whitening(s)


def correction(s: Any) -> Any:
    """From contact forces to Δθ̈. [RK88 II 6.5a]"""
    return -(_whitening(s).T @ s.D.inv @ s.H @ s.psi @ s.B_c)


def contact_force(s: Any) -> Any:
    """From T' to the contact forces, where nothing else accelerates the contacts. [RK88 II 6.13]"""
    return s.Pi_c @ s.B_c.T @ s.psi.T @ s.H.T @ s.D.inv @ _whitening(s)


def analytical(s: Any) -> Any:
    """From T' to θ̈, as the analytical solution has it. [RK88 II 3.6a]"""
    jacobian = s.B_c.T @ s.phi.T @ s.H.T
    return free(s) - free(s) @ jacobian.T @ s.Pi_c @ jacobian @ free(s)


def rccfd1(s: Any) -> Any:
    """From T' to θ̈: free motion, contact forces, correction. [RK88 II 6.11i]"""
    return free(s) + correction(s) @ s.Pi_c @ s.B_c.T @ s.phi.T @ s.H.T @ free(s)


def rccfd2(s: Any) -> Any:
    """From T' to θ̈: torques and contact forces filtered together. [RK88 II 6.18e]"""
    return _whitening(s).T @ s.D.inv @ (s.I_joints - s.H @ s.psi @ (s.K + s.B_c @ contact_force(s)))


def rccfd3(s: Any) -> Any:
    """From T' to θ̈: one symmetric expression. [RK88 II 6.22f]"""
    of_contacts = s.B_c.T @ s.psi.T @ s.H.T @ s.D.inv
    return _whitening(s).T @ (s.D.inv - of_contacts.T @ s.Pi_c @ of_contacts) @ _whitening(s)


def _pi(s: Any) -> Any:
    """Π by the compliance of contacts, as the paper has it. [RK88 II b.7b]"""
    compliance = s.H_c @ s.Omega_c.inv @ s.H_c.T
    return s.Omega_c.inv - s.Omega_c.inv @ s.H_c.T @ compliance.inv @ s.H_c @ s.Omega_c.inv


# fmt: off
row("compliance of contacts", "[RK88 II 6.7]", "J M⁻¹ J* as two sweeps",
    lambda s: (s.B_c.T @ s.phi.T @ s.H.T @ s.mass_matrix.inv @ s.H @ s.phi @ s.B_c,
               s.B_c.T @ s.psi.T @ s.H.T @ s.D.inv @ s.H @ s.psi @ s.B_c))
row("compliance of contacts, with what is held", "[RK88 II 3.1]", "Ω_c: of the arms, and of what they hold",
    lambda s: (s.B_c.T @ s.Omega @ s.B_c + s.A @ s.M_C.inv @ s.A.T, s.Omega_c))
row("tips of moving arms", "[RK88 II 6.12]", "from T' to the tips' accelerations",
    lambda s: (s.B_c.T @ s.phi.T @ s.H.T @ s.mass_matrix.inv, s.B_c.T @ s.psi.T @ s.H.T @ s.D.inv @ _whitening(s)))
row("correction of accelerations", "[RK88 II 6.5a]", "what forces at the tips do to θ̈",
    lambda s: (-(s.mass_matrix.inv @ s.H @ s.phi @ s.B_c), correction(s)))
row("transmitted forces", "[RK88 II b.7b]", "Π by H, and by the forces that contacts transmit",
    lambda s: (_pi(s), s.Pi_c))
row("contacts transmit no force where they are free", "[RK88 II b.1c]", "H Π = 0",
    lambda s: (s.H_c @ s.Pi_c, 0.0 * s.H_c))
row("Pi and Omega_c", "[RK88 II b.7b]", "Π Ω_c Π = Π",
    lambda s: (s.Pi_c @ s.Omega_c @ s.Pi_c, s.Pi_c))
row("RCCFD1", "[RK88 II 6.11i]", "the closed chain: free motion and its correction",
    lambda s: (s.mass_matrix.inv - s.mass_matrix.inv @ s.H @ s.phi @ s.B_c @ s.Pi_c @ s.B_c.T @ s.phi.T @ s.H.T
               @ s.mass_matrix.inv, rccfd1(s)))
row("RCCFD2", "[RK88 II 6.18e]", "the closed chain: torques and contact forces in one filter",
    lambda s: (rccfd1(s), rccfd2(s)))
row("RCCFD3", "[RK88 II 6.22f]", "the closed chain: four sweeps around the contacts",
    lambda s: (rccfd1(s), rccfd3(s)))
row("contacts that do not slip", "[RK88 II 2.13b]", "tips follow what they hold, but where contacts are free",
    lambda s: (s.N_c.T @ s.B_c.T @ s.phi.T @ s.H.T @ rccfd3(s),
               s.N_c.T @ s.A @ s.M_C.inv @ s.A.T @ contact_force(s)))
row("non-rigid grasps", "[RK88 II b.9e]", "the closed chain with Π of contacts that leave some motions free",
    lambda s: (s.mass_matrix.inv - s.mass_matrix.inv @ s.H @ s.phi @ s.B_c @ _pi(s) @ s.B_c.T @ s.phi.T @ s.H.T
               @ s.mass_matrix.inv, rccfd2(s)))
# fmt: on
