"""JR93, appendix A: the operator identities behind the lemmas."""

from __future__ import annotations

from phipsi.papers.row import Row as _Row
from phipsi.papers.row import Section, misprint
from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

from .section5 import driven, nu, wide
from .system import System, anything

Row = _Row[System]


def _phi_wide(o: System) -> Array:
    """φ~ = φ - 1."""
    return o.phi - o.I


def _yielding(o: System) -> Array:
    """Ω M φ*: link motions that the passive dofs take up, by elimination: φ*H_p*M_pp⁻¹ H_p φ M φ*."""
    return o.phi.T @ o.H_p.T @ o.S_pp @ o.H_p @ o.phi @ o.M @ o.phi.T


APPENDIX_A: Section[System] = Section(
    "A",
    "Proofs of the lemmas",
    anything,
    (
        Row("A.1", "ψ⁻¹ = φ⁻¹ + K_p H_p",
            lambda o: (solve(o.psi, o.I), solve(o.phi, o.I) + o.K @ o.H_p)),
        Row("A.2", "ψ K_p H_p φ = φ - ψ", lambda o: (o.psi @ o.K @ o.H_p @ o.phi, o.phi - o.psi)),
        Row("A.3", "[1 - H_p ψ K_p] H_p φ = H_p ψ", lambda o: (o.white @ o.H_p @ o.phi, o.H_p @ o.psi)),
        Row("A.4", "φ K_p [1 - H_p ψ K_p] = ψ K_p", lambda o: (o.phi @ o.K @ o.white, o.psi @ o.K)),
        Row("A.5", "ψ M ψ* = ψ~ P + P ψ*",
            lambda o: (o.psi @ o.M @ o.psi.T, wide(o) @ o.P + o.P @ o.psi.T)),
        Row("A.6", "φ M ψ* = φ~ P + P ψ*",
            lambda o: (o.phi @ o.M @ o.psi.T, _phi_wide(o) @ o.P + o.P @ o.psi.T)),
        Row("A.7", "Ω M φ* = T φ* = φ* - (ψ* - ΩP) = φ* H_p* [K_p*(ψ* - ΩP) + D_p⁻¹ H_p ψ P]",
            lambda o: [(o.projection @ o.phi.T, _yielding(o)), (o.phi.T - (o.psi.T - o.Omega @ o.P), _yielding(o)),
                       (o.phi.T @ o.H_p.T @ (o.K.T @ (o.psi.T - o.Omega @ o.P) + o.D_inv @ o.H_p @ o.psi @ o.P),
                        _yielding(o))]),
        Row("A.8", "(ψ - PΩ) M φ* = (ψ - PΩ) P + P ψ~* = ψ M ψ* - P Ω P",
            lambda o: [((o.psi - o.P @ o.Omega) @ o.M @ o.phi.T, (o.psi - o.P @ o.Omega) @ o.P + o.P @ wide(o).T),
                       ((o.psi - o.P @ o.Omega) @ o.P + o.P @ wide(o).T,
                        o.psi @ o.M @ o.psi.T - o.P @ o.Omega @ o.P)]),
        misprint("A.9", "φ M Ω = φ T* = φ - (ψ - PΩ)",
            lambda o: [(o.phi @ o.M @ o.Omega, _yielding(o).T), (o.phi - (o.psi - o.P @ o.Omega), _yielding(o).T)],
            "(ψ - PΩ) M φ* = ... = φ - (ψ - PΩ)",
            lambda o: ((o.psi - o.P @ o.Omega) @ o.M @ o.phi.T, o.phi - (o.psi - o.P @ o.Omega)),
            note="an identity of its own, not the continuation of (A.8); perhaps the scan's loss"),
        misprint("A.10", "β̇_p = [1 - H_p ψ K_p]* ν_p - K_p* ψ* [H_a*β̇_a + a]",
            lambda o: (o.white.T @ nu(o) - o.K.T @ o.psi.T @ driven(o), o.v_dot[o.p]),
            "[1 - H_p ψ K_p] ν_p - ...",
            lambda o: (o.white @ nu(o) - o.K.T @ o.psi.T @ driven(o), o.v_dot[o.p]),
            note="perhaps the scan's loss"),
        Row("A.11", "H_p ψ M ψ* H_p* = D_p", lambda o: (o.H_p @ o.psi @ o.M @ o.psi.T @ o.H_p.T, o.D)),
    ),
)  # fmt: skip
