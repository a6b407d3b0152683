"""Closed forms for robots with dofs that no motor drives: S_aa, S_ap, S_pp, J_G, J_D, and the projections T and T̄.

Each is a function of the letters of a configuration with a mask (`s.free`): symbols, bound operators or dense matrices.
H is that of the passive dofs, H_a that of the active ones; D, K, psi, P and Omega are those of the passive arm. The
same stand as names on configurations and on `phipsi.algebra.masked`:

>>> import phipsi as pp
>>> ship = pp.zoo.arm_satellite()
>>> s = ship.at(ship.neutral(), passive="base")
>>> s.J_D
-((I - K.T @ psi.T @ H_p.T) @ D.inv @ H_p @ psi @ P @ H_a.T) - K.T @ psi.T @ H_a.T
>>> s.J_D.shape, s.J_D.sweeps
((6, 7), ('tips → base', 'base → tips'))
>>> bool(abs(s.J_D.dense() - ship.disturbance_jacobian(ship.neutral())).max() < 1e-12)
True

Each acts in O(n): two sweeps, and the columns of `.dense()` all travel in the same two (those of J_G and J_D in the
kernels of `Robot.generalized_jacobian` and `Robot.disturbance_jacobian`). Armature is in S_aa and S_pp.
The projections `s.projection` = T = Omega M and `s.projection_bar` are so only without armature at the passive dofs.
"""

from __future__ import annotations

from typing import Any


def whitening(s: Any) -> Any:
    """1 - H_p ψ K_p."""
    return s.I_joints - s.H @ s.psi @ s.K


def S_pp(s: Any) -> Any:
    """M_pp⁻¹ = [1 - H_p ψ K_p]* D_p⁻¹ [1 - H_p ψ K_p]."""
    return whitening(s).T @ s.D.inv @ whitening(s)  # [JR93 5.1a]


def S_ap(s: Any) -> Any:
    """M_ap M_pp⁻¹: the torques at active dofs that torques at passive ones ask for."""
    return s.H_a @ s.psi @ s.K + s.H_a @ s.P @ s.psi.T @ s.H.T @ s.D.inv @ whitening(s)  # [JR93 5.1b]


def S_aa(s: Any) -> Any:
    """M_aa - M_ap M_pp⁻¹ M_pa: the mass matrix that the active dofs feel, armature included."""
    inertia = (s.psi - s.P @ s.Omega) @ s.P + s.P @ s.psi_tilde.T  # [JR93 A.8]
    return s.H_a @ inertia @ s.H_a.T + s.J_a  # [JR93 5.1c]


def J_D(s: Any) -> Any:
    """-S_ap*: how the passive dofs yield to the active ones."""
    return -(whitening(s).T @ s.D.inv @ s.H @ s.psi @ s.P @ s.H_a.T) - s.K.T @ s.psi.T @ s.H_a.T  # [JR93 6.13]


def J_G(s: Any, B: Any) -> Any:
    """B* [ψ* - Ω P] H_a*: how the frames of B follow the active dofs."""
    return B.T @ (s.psi.T - s.Omega @ s.P) @ s.H_a.T  # [JR93 6.11]


def projection(s: Any) -> Any:
    """T = Ω M: of link accelerations, the part that the passive dofs can make."""
    return s.Omega @ s.M  # [JR93 6.5]


def projection_bar(s: Any) -> Any:
    """T̄ = 1 - Ω M: of link accelerations, the part that is left when the passive dofs have yielded."""
    return s.I - s.Omega @ s.M  # [JR93 6.5]
