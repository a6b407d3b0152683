"""The operator algebra: write the mathematics, get O(n) sweeps.

The symbols below belong to no state. Write an expression with them once, and bind it to any configuration; or take the
operators of a configuration, `s = robot.at(q)`, which are the same symbols, bound.

>>> import phipsi as pp
>>> from phipsi.algebra import H, M, phi
>>> mass = H @ phi @ M @ phi.T @ H.T
>>> mass.inv
(I - K.T @ psi.T @ H.T) @ D.inv @ (I - H @ psi @ K)
>>> mass.sweeps
('base → tips', 'tips → base')
>>> arm = pp.zoo.chain(7)
>>> q, v = arm.random(rng=0)
>>> bool(abs(mass.at(arm.at(q)) @ v - arm.mass_matrix(q) @ v).max() < 1e-12)
True

`masked` has the symbols of configurations with a mask, where D, G, K and psi are those of the passive dofs, and H_p and
H_a the rows of H on either side of the mask.
"""

from __future__ import annotations

from phipsi.algebra import atoms as _atoms
from phipsi.algebra import identities
from phipsi.algebra.configuration import Configuration
from phipsi.algebra.explain import Explanation
from phipsi.algebra.expression import Expression
from phipsi.algebra.operators import Operator
from phipsi.algebra.planning import Cost

_symbols = _atoms.PLAIN
H, phi, E_phi, phi_tilde, M = _symbols.H, _symbols.phi, _symbols.E_phi, _symbols.phi_tilde, _symbols.M
P, P_plus, D, G, K = _symbols.P, _symbols.P_plus, _symbols.D, _symbols.G, _symbols.K
tau, tau_bar, psi, E_psi, psi_tilde = _symbols.tau, _symbols.tau_bar, _symbols.psi, _symbols.E_psi, _symbols.psi_tilde
J, Omega, Upsilon, B, I = _symbols.J, _symbols.Omega, _symbols.Upsilon, _symbols.B, _symbols.I  # noqa: E741
Pi = _symbols.Pi
mass, jacobian = _symbols.mass, _symbols.jacobian
masked = _atoms.MASKED

__all__ = [  # noqa: RUF022 (from the joints to the operational space)
    # symbols
    "H",
    "phi",
    "E_phi",
    "phi_tilde",
    "M",
    "P",
    "P_plus",
    "D",
    "G",
    "K",
    "tau",
    "tau_bar",
    "psi",
    "E_psi",
    "psi_tilde",
    "J",
    "Omega",
    "Upsilon",
    "B",
    "Pi",
    "I",
    "mass",
    "jacobian",
    "masked",
    # what they make
    "Expression",
    "Operator",
    "Configuration",
    "Cost",
    "Explanation",
    # the theorems
    "identities",
]
