"""FD1 to FD4 of RK88 as operator expressions: what each algorithm is, before it is a set of sweeps.

An expression is a function of a namespace ``s`` of operators, of the torques T, of the Coriolis accelerations a and of
the forces b (external forces and weights taken off). It says ``@``, ``+``, ``-``, ``.T``, ``.inv`` and nothing else, so
``s`` may hold dense matrices (:func:`dense_operators`) or operators that act in O(n): whatever has H, phi, E_psi, psi,
M, P, D, G, K, tau_bar and I_joints. Parentheses stand where a vector is made; the rest is operators.

>>> print(expressions["FD3"])
FD3 (3 sweeps): ξ = φ*a; ε = T - Hψ[KT + Mξ + b]; θ̈ = (1 - HψK)* D⁻¹ ε; α = ψ*H*D⁻¹ε + ξ
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from phipsi import reference
from phipsi.reference import RobotLike

Motion = tuple[Any, Any]  # θ̈ and, where the algorithm finds them, α


@dataclass(frozen=True)
class Form:
    """A forward dynamics algorithm in operators; ``form(s, T, a, b)`` is (θ̈, α), with α = None where it finds none."""

    name: str
    tags: tuple[str, ...]  # its equations
    formula: tuple[str, ...]  # a line each, in the letters of NOTATION.md
    sweeps: int  # as the paper counts them
    evaluate: Callable[[Any, Any, Any, Any], Motion]

    def __call__(self, s: Any, T: Any, a: Any, b: Any) -> Motion:
        """(θ̈, α) from operators s, torques T, Coriolis accelerations a and forces b."""
        return self.evaluate(s, T, a, b)

    def __str__(self) -> str:
        return f"{self.name} ({self.sweeps} sweeps): " + "; ".join(self.formula)


def _fd1(s: Any, T: Any, a: Any, b: Any) -> Motion:
    T1 = T - s.H @ s.phi @ (s.M @ s.phi.T @ a + b)  # T' [RK88 4.17]
    whitening = s.I_joints - s.H @ s.psi @ s.K
    return whitening.T @ s.D.inv @ whitening @ T1, None  # [RK88 4.18]


def _fd2(s: Any, T: Any, a: Any, b: Any) -> Motion:
    T1 = T - s.H @ s.phi @ (s.M @ s.phi.T @ a + b)  # [RK88 5.5]
    whitening = s.I_joints - s.H @ s.psi @ s.K
    nu = s.D.inv @ whitening @ T1
    return whitening.T @ nu, s.psi.T @ s.H.T @ nu + s.phi.T @ a  # [RK88 5.6]


def _fd3(s: Any, T: Any, a: Any, b: Any) -> Motion:
    xi = s.phi.T @ a  # [RK88 5.8]
    epsilon = T - s.H @ s.psi @ (s.K @ T + s.M @ xi + b)  # [RK88 5.9]
    nu = s.D.inv @ epsilon
    return (s.I_joints - s.H @ s.psi @ s.K).T @ nu, s.psi.T @ s.H.T @ nu + xi  # [RK88 5.10]


def _fd4(s: Any, T: Any, a: Any, b: Any) -> Motion:
    psi_tilde = s.psi @ s.E_psi  # ψ - 1 [RK88 5.11]
    epsilon = T - s.H @ s.psi @ (s.K @ T + b) - s.H @ psi_tilde @ s.P @ a  # [RK88 5.14]
    nu = s.D.inv @ epsilon
    rest = s.psi.T @ s.tau_bar.T @ a
    theta_dd = (s.I_joints - s.H @ s.psi @ s.K).T @ nu - s.K.T @ rest - s.G.T @ a  # [RK88 5.15]
    return theta_dd, s.psi.T @ s.H.T @ nu + rest  # λ, which is α


expressions: dict[str, Form] = {
    form.name: form
    for form in (
        Form(
            "FD1",
            ("RK88 4.17", "RK88 4.18"),
            ("T' = T - Hφ[Mφ*a + b]", "θ̈ = (1 - HψK)* D⁻¹ (1 - HψK) T'"),
            4,
            _fd1,
        ),
        Form(
            "FD2",
            ("RK88 5.5", "RK88 5.6"),
            ("T' = T - Hφ[Mφ*a + b]", "ν = D⁻¹ (1 - HψK) T'", "θ̈ = (1 - HψK)* ν", "α = ψ*H*ν + φ*a"),
            4,
            _fd2,
        ),
        Form(
            "FD3",
            ("RK88 5.8", "RK88 5.9", "RK88 5.10"),
            ("ξ = φ*a", "ε = T - Hψ[KT + Mξ + b]", "θ̈ = (1 - HψK)* D⁻¹ ε", "α = ψ*H*D⁻¹ε + ξ"),
            3,
            _fd3,
        ),
        Form(
            "FD4",
            ("RK88 5.13", "RK88 5.14", "RK88 5.15"),
            (
                "ν = D⁻¹ {T - Hψ[KT + b] - Hψ̃Pa}",
                "θ̈ = (1 - HψK)* ν - K*ψ*(1 - GH)*a - G*a",
                "α = λ = ψ*H*ν + ψ*(1 - GH)*a",
            ),
            3,
            _fd4,
        ),
    )
}


class Dense(np.ndarray[Any, np.dtype[np.float64]]):
    """A matrix that also answers to ``.inv``, so that expressions read the same with matrices as with operators."""

    @property
    def inv(self) -> Dense:
        """The inverse matrix."""
        return np.linalg.inv(self).view(Dense)


def dense_operators(robot: RobotLike, q: ArrayLike) -> SimpleNamespace:
    """The operators of one configuration as matrices, for the expressions.

    >>> import phipsi as pp
    >>> arm = pp.zoo.chain(3)
    >>> q, _ = arm.random(rng=0)
    >>> s = dense_operators(arm, q)
    >>> whitening = s.I_joints - s.H @ s.psi @ s.K
    >>> bool(abs(whitening.T @ s.D.inv @ whitening - arm.inverse_mass_matrix(q)).max() < 1e-9)
    True
    """
    state = reference.at(robot, q)
    r = reference.riccati(state)
    matrices = {name: getattr(state, name) for name in ("H", "phi", "E_phi", "M")}
    matrices |= {name: getattr(r, name) for name in ("P", "D", "G", "K", "tau", "tau_bar", "P_plus", "E_psi", "psi")}
    matrices |= {"I": np.eye(len(state.M)), "I_joints": np.eye(len(state.H))}
    return SimpleNamespace(**{name: np.asarray(x).view(Dense) for name, x in matrices.items()})
