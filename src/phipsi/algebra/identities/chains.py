"""Rows of RK88, JR95d and JR95f: propagators, the Riccati equation, φ against ψ, the mass matrix, inverses, Ω."""

from __future__ import annotations

from typing import Any

from .table import row


def _innovations(s: Any) -> Any:
    """1 + H φ K: makes of innovations what is felt at the joints."""
    return s.I_joints + s.H @ s.phi @ s.K


def _whitening(s: Any) -> Any:
    """1 - H ψ K: the Kalman filter, as a whitening filter."""
    return s.I_joints - s.H @ s.psi @ s.K


# fmt: off

# ── Propagators: rigid (φ), and through joints that are free to move (ψ) ──

row("phi is a resolvent", "[JR95d 4.5]", "the sum of all powers of E_phi, done by one sweep",
    lambda s: ((s.I - s.E_phi).inv, s.phi), rewrite=True)
row("inverse of phi", "[JR95d 4.5]", "one step back",
    lambda s: (s.phi.inv, s.I - s.E_phi), rewrite=True)
row("psi is a resolvent", "[JR95d 4.9]", "the sum of all powers of E_psi, done by one sweep",
    lambda s: ((s.I - s.E_psi).inv, s.psi), rewrite=True)
row("inverse of psi", "[JR95d 4.9]", "one step back",
    lambda s: (s.psi.inv, s.I - s.E_psi), rewrite=True)
row("strict part of phi", "[RK88 5.11]", "φ without its diagonal",
    lambda s: (s.phi - s.I, s.phi_tilde), rewrite=True)
row("strict part of psi", "[RK88 a.4]", "ψ without its diagonal",
    lambda s: (s.psi - s.I, s.psi_tilde), rewrite=True)
row("phi after a step", "[RK88 a.9]", "φ E_φ is φ without its diagonal",
    lambda s: (s.phi @ s.E_phi, s.phi_tilde), rewrite=True)
row("phi before a step", "[RK88 a.9]", "φ commutes with E_φ",
    lambda s: (s.E_phi @ s.phi, s.phi_tilde), rewrite=True)
row("psi after a step", "[RK88 a.8]", "ψ E_ψ is ψ without its diagonal",
    lambda s: (s.psi @ s.E_psi, s.psi_tilde), rewrite=True)
row("psi before a step", "[RK88 a.8]", "ψ commutes with E_ψ",
    lambda s: (s.E_psi @ s.psi, s.psi_tilde), rewrite=True)
row("phi from its step", "[RK88 a.11]", "one, and one step more",
    lambda s: (s.I + s.phi @ s.E_phi, s.phi), rewrite=True)
row("psi from its step", "[RK88 a.10]", "one, and one step more",
    lambda s: (s.I + s.psi @ s.E_psi, s.psi), rewrite=True)

# ── What the Riccati equation defines ──

row("articulated joint inertia", "[RK88 a.1]", "D: what resists at a joint, its rotor included",
    lambda s: (s.H @ s.P @ s.H.T + s.J, s.D), rewrite=True)
row("joint inertia without rotors", "[RK88 4.6]", "D: what resists at a joint",
    lambda s: (s.H @ s.P @ s.H.T, s.D), rewrite=True, armature=False, why="D counts the rotors")
row("Kalman gain", "[RK88 a.2]", "G: from the torque at a joint to the force it takes",
    lambda s: (s.P @ s.H.T @ s.D.inv, s.G), rewrite=True)
row("gain times D", "[RK88 a.2]", "G D is P H*",
    lambda s: (s.G @ s.D, s.P @ s.H.T))
row("shifted gain", "[RK88 a.12]", "K: the gain, carried to the parent",
    lambda s: (s.E_phi @ s.G, s.K), rewrite=True)
row("gain of all ancestors", "[RK88 a.13]", "φ̃ G: the gain, carried to every ancestor",
    lambda s: (s.phi_tilde @ s.G, s.phi @ s.K), rewrite=True)
row("joint projection", "[JR95d 4.7]", "τ: what a free joint takes of a force",
    lambda s: (s.G @ s.H, s.tau), rewrite=True)
row("complementary projection", "[JR95d 4.7]", "τ̄: what a free joint lets through",
    lambda s: (s.I - s.tau, s.tau_bar), rewrite=True)
row("step through free joints", "[JR95d 4.7]", "E_ψ: what is let through, carried to the parent",
    lambda s: (s.E_phi @ s.tau_bar, s.E_psi), rewrite=True)
row("inertia handed on", "[JR95d 4.7]", "P⁺: what of P the joint hands on",
    lambda s: (s.tau_bar @ s.P, s.P_plus), rewrite=True)
row("inertia handed on, transposed", "[JR95d 4.12]", "τ̄ P is symmetric",
    lambda s: (s.P @ s.tau_bar.T, s.P_plus), rewrite=True)
row("inertia handed on, congruence", "[JR95f 6]", "τ̄ P τ̄* is τ̄ P",
    lambda s: (s.tau_bar @ s.P @ s.tau_bar.T,
               s.P_plus), rewrite=True, armature=False, why="a rotor loads its own axis twice in τ̄ P τ̄*")
row("inertia handed on, difference", "[RK88 4.5]", "P less what the joint takes",
    lambda s: (s.P - s.G @ s.D @ s.G.T, s.P_plus), rewrite=True)
row("gain seen at its joint", "[JR95f 7]", "H G is one",
    lambda s: (s.H @ s.G, s.I_joints), rewrite=True, armature=False, why="H G = 1 - J D⁻¹")
row("gain seen at its joint, with rotors", "[JR95d G6]", "H G and the rotor's share make one",
    lambda s: (s.H @ s.G + s.J @ s.D.inv, s.I_joints), rewrite=True)
row("projection at its joint", "[JR95d 4.12]", "what a free joint takes is all that its axes feel: H τ̄ = 0",
    lambda s: (s.H @ s.tau, s.H), rewrite=True, armature=False, why="H τ̄ = J D⁻¹ H")
row("tau projects", "[JR95f 7]", "τ is a projection",
    lambda s: (s.tau @ s.tau, s.tau), rewrite=True, armature=False, why="H G is not one")
row("tau_bar projects", "[JR95f 7]", "τ̄ is a projection",
    lambda s: (s.tau_bar @ s.tau_bar, s.tau_bar), rewrite=True, armature=False, why="H G is not one")

# ── The Riccati equation, solved for M ──

row("Riccati, with P_plus", "[JR95d 4.8]", "a body is what the articulated one adds to what its children hand on",
    lambda s: (s.P - s.E_phi @ s.P_plus @ s.E_phi.T, s.M), rewrite=True)
row("Riccati, mixed", "[JR95f 8]", "the same through φ and ψ",
    lambda s: (s.P - s.E_psi @ s.P @ s.E_phi.T, s.M), rewrite=True)
row("Riccati, mixed, transposed", "[JR95f 8]", "the same through ψ and φ",
    lambda s: (s.P - s.E_phi @ s.P @ s.E_psi.T, s.M), rewrite=True)
row("Riccati, symmetric", "[JR95d 4.8]", "the same through ψ on both sides",
    lambda s: (s.P - s.E_psi @ s.P @ s.E_psi.T, s.M), rewrite=True, armature=False, why="τ̄ P τ̄* is not P⁺ then")

# ── φ against ψ ──

row("difference of the steps", "[JR95d 4.11]", "what a free joint takes, carried to the parent",
    lambda s: (s.E_phi - s.E_psi, s.K @ s.H), rewrite=True)
row("difference of the inverses", "[JR95d 4.11]", "ψ⁻¹ = φ⁻¹ + K H",
    lambda s: (s.phi.inv + s.K @ s.H, s.psi.inv), rewrite=True)
row("phi less psi", "[RK88 a.18]", "what the joints take on the way, then carried rigidly",
    lambda s: (s.psi @ s.K @ s.H @ s.phi, s.phi - s.psi))
row("phi less psi, other order", "[RK88 a.28]", "first rigidly, then through the joints",
    lambda s: (s.phi @ s.K @ s.H @ s.psi, s.phi - s.psi))
row("phi from psi, right factor", "[RK88 a.14]", "φ = ψ (1 + K H φ)",
    lambda s: (s.psi @ (s.I + s.K @ s.H @ s.phi), s.phi), rewrite=True)
row("psi from phi, left factor", "[RK88 a.15]", "ψ = (1 - ψ K H) φ",
    lambda s: ((s.I - s.psi @ s.K @ s.H) @ s.phi, s.psi), rewrite=True)
row("strict phi from psi", "[RK88 a.16]", "A.2, a step further",
    lambda s: (s.psi @ (s.E_phi + s.K @ s.H @ s.phi_tilde), s.phi_tilde), rewrite=True)
row("psi of a rigid step", "[RK88 a.17]", "A.2, a step further",
    lambda s: ((s.I - s.psi @ s.K @ s.H) @ s.phi_tilde, s.psi @ s.E_phi), rewrite=True)
row("phi from psi, left factor", "[RK88 a.22]", "φ = (1 + φ K H) ψ",
    lambda s: ((s.I + s.phi @ s.K @ s.H) @ s.psi, s.phi), rewrite=True)
row("psi from phi, right factor", "[RK88 a.23]", "ψ = φ (1 - K H ψ)",
    lambda s: (s.phi @ (s.I - s.K @ s.H @ s.psi), s.psi), rewrite=True)
row("strict phi from psi, left factor", "[RK88 a.24]", "A.3, a step further",
    lambda s: ((s.I + s.phi @ s.K @ s.H) @ s.psi @ s.E_phi, s.phi_tilde), rewrite=True)
row("psi of a rigid step, right factor", "[RK88 a.25]", "A.3, a step further",
    lambda s: (s.phi @ (s.E_phi - s.K @ s.H @ s.psi @ s.E_phi), s.psi @ s.E_phi), rewrite=True)
row("phi and psi exchange", "[RK88 a.26]", "which of φ and ψ comes first does not matter around K H",
    lambda s: (s.phi @ s.K @ s.H @ s.psi, s.psi @ s.K @ s.H @ s.phi))
row("strict phi and psi exchange", "[RK88 a.27]", "the same, a step further",
    lambda s: (s.phi @ s.K @ s.H @ s.psi @ s.E_phi, s.psi @ s.K @ s.H @ s.phi @ s.E_phi))
row("forces at the joints", "[RK88 a.32]", "H φ is the innovations factor after H ψ",
    lambda s: (_innovations(s) @ s.H @ s.psi, s.H @ s.phi), rewrite=True)
row("strict forces at the joints", "[RK88 a.33]", "the same, a step further",
    lambda s: (_innovations(s) @ s.H @ s.psi @ s.E_phi, s.H @ s.phi_tilde), rewrite=True)
row("filtered forces, right factor", "[RK88 a.34]", "H ψ = H φ (1 - K H ψ)",
    lambda s: (s.H @ s.phi @ (s.I - s.K @ s.H @ s.psi), s.H @ s.psi), rewrite=True)
row("whitened forces", "[RK88 5.4]", "whitening H φ gives H ψ",
    lambda s: (_whitening(s) @ s.H @ s.phi, s.H @ s.psi), rewrite=True)
row("strict whitened forces", "[RK88 a.36]", "the same, a step further",
    lambda s: (_whitening(s) @ s.H @ s.phi_tilde, s.H @ s.psi @ s.E_phi), rewrite=True)
row("forces at the joints, right factor", "[RK88 a.37]", "H φ = H ψ (1 + K H φ)",
    lambda s: (s.H @ s.psi @ (s.I + s.K @ s.H @ s.phi), s.H @ s.phi), rewrite=True)
row("exchange at the joints", "[RK88 a.38]", "H φ K H ψ = H ψ K H φ",
    lambda s: (s.H @ s.phi @ s.K @ s.H @ s.psi, s.H @ s.psi @ s.K @ s.H @ s.phi))
row("gains, right factor", "[RK88 a.39]", "φ K = ψ K (1 + H φ K)",
    lambda s: (s.psi @ s.K @ _innovations(s), s.phi @ s.K), rewrite=True)
row("filtered gains, left factor", "[RK88 a.40]", "ψ K = (1 - ψ K H) φ K",
    lambda s: ((s.I - s.psi @ s.K @ s.H) @ s.phi @ s.K, s.psi @ s.K), rewrite=True)
row("filtered gains", "[RK88 a.41]", "φ K after whitening is ψ K",
    lambda s: (s.phi @ s.K @ _whitening(s), s.psi @ s.K), rewrite=True)
row("gains, left factor", "[RK88 a.42]", "φ K = (1 + φ K H) ψ K",
    lambda s: ((s.I + s.phi @ s.K @ s.H) @ s.psi @ s.K, s.phi @ s.K), rewrite=True)
row("exchange of gains", "[RK88 a.43]", "ψ K H φ K = φ K H ψ K",
    lambda s: (s.phi @ s.K @ s.H @ s.psi @ s.K, s.psi @ s.K @ s.H @ s.phi @ s.K))
row("projected forces", "[JR95d 4.10d]", "H φ τ̄ = H φ E_ψ",
    lambda s: (s.H @ s.phi @ s.tau_bar, s.H @ s.phi @ s.E_psi), armature=False, why="H τ̄ is not 0")

# ── φ M φ*, its relatives, and the mass matrix ──

row("covariance, three parts", "[RK88 a.48]", "φ M φ* by P: diagonal, strict parts, and what the joints take",
    lambda s: (s.phi @ s.M @ s.phi.T,
               s.P + s.phi_tilde @ s.P + s.P @ s.phi_tilde.T
               + s.phi_tilde @ s.P @ s.H.T @ s.D.inv @ s.H @ s.P @ s.phi_tilde.T))
row("covariance, with tau", "[JR95d 4.10c]", "the same, the last term by τ",
    lambda s: (s.phi @ s.M @ s.phi.T,
               s.P + s.phi_tilde @ s.P + s.P @ s.phi_tilde.T + s.phi_tilde @ s.tau @ s.P @ s.phi_tilde.T))
row("covariance, factored", "[JR95d 4.10c]", "the same, with the factor 1 + φ K H",
    lambda s: (s.phi @ s.M @ s.phi.T, s.phi_tilde @ s.P_plus + (s.I + s.phi @ s.K @ s.H) @ s.P @ s.phi.T))
row("covariance, product form", "[RK88 a.22]", "φ M φ* is ψ M ψ* between 1 + φ K H and its transpose",
    lambda s: ((s.I + s.phi @ s.K @ s.H) @ s.psi @ s.M @ s.psi.T @ (s.I + s.phi @ s.K @ s.H).T,
               s.phi @ s.M @ s.phi.T), rewrite=True)
row("covariance at the joints", "[JR95d 4.10c]", "φ M φ* H* = (1 + φ K H) P φ* H*",
    lambda s: ((s.I + s.phi @ s.K @ s.H) @ s.P @ s.phi.T @ s.H.T,
               s.phi @ s.M @ s.phi.T @ s.H.T), armature=False, why="H τ̄ is not 0")
row("error and state", "[RK88 a.46]", "ψ M φ*: P and its strict parts",
    lambda s: (s.psi @ s.M @ s.phi.T, s.P + s.psi_tilde @ s.P + s.P @ s.phi_tilde.T))
row("covariance of the errors", "[RK88 a.47]", "ψ M ψ*: P and its strict parts",
    lambda s: (s.psi @ s.M @ s.psi.T,
               s.P + s.psi_tilde @ s.P + s.P @ s.psi_tilde.T), armature=False, why="τ̄ P τ̄* is not P⁺ then")
row("smoothing of biases", "[RK88 a.50]", "what FD4 does with the bias accelerations",
    lambda s: (_whitening(s).T @ s.D.inv @ s.H @ s.psi @ s.M @ s.phi.T,
               _whitening(s).T @ s.D.inv @ s.H @ s.psi_tilde @ s.P + s.K.T @ s.psi.T @ s.tau_bar.T + s.G.T))
row("smoothing of gains", "[RK88 a.51]", "the two last terms of the same, as they arise",
    lambda s: (_whitening(s).T @ s.D.inv @ s.H @ s.P @ s.phi.T, s.K.T @ s.psi.T @ s.tau_bar.T + s.G.T))
row("Newton-Euler factorization", "[RK88 3.20]", "the mass matrix, read as two sweeps",
    lambda s: (s.mass_matrix, s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + s.J))
row("innovations factorization", "[RK88 4.11]", "the mass matrix as a square, causal factor, D, and its transpose",
    lambda s: (_innovations(s) @ s.D @ _innovations(s).T,
               s.H @ s.phi @ s.M @ s.phi.T @ s.H.T), armature=False, why="D counts the rotors, H φ M φ* H* does not")
row("innovations factorization, with rotors", "[JR95d G6]", "the same, the armature on both sides",
    lambda s: (_innovations(s) @ s.D @ _innovations(s).T, s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + s.J))

# ── Inverses ──

row("inverse of the innovations factor", "[RK88 4.14]", "the factor and the whitening filter are mutually reciprocal",
    lambda s: (_innovations(s).inv, _whitening(s)), rewrite=True)
row("inverse of the whitening filter", "[RK88 4.14]", "and the other way round",
    lambda s: (_whitening(s).inv, _innovations(s)), rewrite=True)
row("innovations inverse", "[RK88 4.16]", "the inverse of the mass matrix, as two sweeps",
    lambda s: ((s.H @ s.phi @ s.M @ s.phi.T @ s.H.T).inv,
               _whitening(s).T @ s.D.inv @ _whitening(s)),
    rewrite=True, armature=False, why="D counts the rotors, H φ M φ* H* does not")
row("innovations inverse, with rotors", "[JR95d G6]", "the same, the armature on both sides",
    lambda s: ((s.H @ s.phi @ s.M @ s.phi.T @ s.H.T + s.J).inv,
               _whitening(s).T @ s.D.inv @ _whitening(s)), rewrite=True)
row("inverse of 1 + phi K H", "[RK88 a.22]", "the factor between ψ and φ, of bodies",
    lambda s: ((s.I + s.phi @ s.K @ s.H).inv, s.I - s.psi @ s.K @ s.H), rewrite=True)
row("inverse of 1 + K H phi", "[RK88 a.14]", "the factor between ψ and φ, from the right",
    lambda s: ((s.I + s.K @ s.H @ s.phi).inv, s.I - s.K @ s.H @ s.psi), rewrite=True)

# ── Ω, the operational space of all bodies ──

row("operational compliance", "[JR95f 31]", "what a force on one body does to every other",
    lambda s: (s.phi.T @ s.H.T @ (_whitening(s).T @ s.D.inv @ _whitening(s)) @ s.H @ s.phi, s.Omega), rewrite=True)
row("Omega", "[JR95f 31]", "Ω as two sweeps",
    lambda s: (s.psi.T @ s.H.T @ s.D.inv @ s.H @ s.psi, s.Omega), rewrite=True)
row("Omega and M", "[JR93 6.5]", "Ω M Ω = Ω",
    lambda s: (s.Omega @ s.M @ s.Omega, s.Omega), rewrite=True, armature=False, why="the rotors' inertia is not in M")
row("Upsilon", "[JR95f 34]", "Υ from the base to the tips",
    lambda s: (s.H.T @ s.D.inv @ s.H + s.E_psi.T @ s.Upsilon @ s.E_psi,
               s.Upsilon), rewrite=True, trees=False, why="two children of a body have blocks between them")
row("Omega, three parts", "[JR95f 33]", "Ω by its diagonal blocks Υ",
    lambda s: (s.Upsilon + s.psi_tilde.T @ s.Upsilon + s.Upsilon @ s.psi_tilde,
               s.Omega), trees=False, why="bodies of two branches couple through their common ancestor")
row("Omega, on trees", "[JR95f G1]", "the same, and R: what branches do to each other",
    lambda s: (s.Upsilon + s.psi_tilde.T @ s.Upsilon + s.Upsilon @ s.psi_tilde
               + s.psi.T @ (s.E_psi.T @ s.Upsilon @ s.E_psi + s.H.T @ s.D.inv @ s.H - s.Upsilon) @ s.psi,
               s.Omega))
# fmt: on
