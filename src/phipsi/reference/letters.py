"""The operators of one state, dense, under the letters in which the theorems are written: H, phi, psi, P, D, K, ...

With a mask of passive degrees of freedom, they are those of the passive arm: H is H_p, the rows that are free."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from . import articulated, operators, spatial
from .description import WORLD, Array, block, size


class Matrix:
    """A dense matrix that is written as operators are: `A @ B`, `A + B`, `A - B`, `A.T`, `A.inv`.

    It remembers the largest number met on the way to it, in entries and in the terms of which they are sums: that is
    what rounding errors are to be compared with.
    """

    def __init__(self, value: Array, met: float = 0.0) -> None:
        self.value = np.asarray(value, dtype=np.float64)
        self.met = max(met, float(abs(self.value).max(initial=0.0)))

    def __matmul__(self, other: Matrix) -> Matrix:
        terms = float((abs(self.value) @ abs(other.value)).max(initial=0.0))
        return Matrix(self.value @ other.value, max(self.met, other.met, terms))

    def __add__(self, other: Matrix) -> Matrix:
        return Matrix(self.value + other.value, max(self.met, other.met))

    def __sub__(self, other: Matrix) -> Matrix:
        return Matrix(self.value - other.value, max(self.met, other.met))

    def __neg__(self) -> Matrix:
        return Matrix(-self.value, self.met)

    def __mul__(self, factor: float) -> Matrix:
        return Matrix(self.value * factor, self.met)

    __rmul__ = __mul__

    @property
    def T(self) -> Matrix:
        """The adjoint."""
        return Matrix(self.value.T, self.met)

    @property
    def inv(self) -> Matrix:
        """The inverse."""
        return Matrix(spatial.solve(self.value, np.eye(len(self.value))), self.met)

    @property
    def shape(self) -> tuple[int, ...]:
        """(rows, columns)."""
        return self.value.shape


class Letters:
    """The namespace of a state. I is the identity of bodies, I_joints that of joints; J the armature, diagonal.

    H_a and J_a are of the dofs outside the mask: of none, without one.
    """

    def __init__(self, robot: Any, q: ArrayLike, passive: ArrayLike | None = None) -> None:
        s = operators.at(robot, q)
        r = articulated.riccati(s, passive)
        self.I, self.I_joints = Matrix(np.eye(len(s.M))), Matrix(np.eye(len(r.D)))
        self.H, self.M, self.phi, self.E_phi = Matrix(r.H), Matrix(s.M), Matrix(s.phi), Matrix(s.E_phi)
        self.psi, self.E_psi = Matrix(r.psi), Matrix(r.E_psi)
        self.phi_tilde, self.psi_tilde = self.phi - self.I, self.psi - self.I
        self.P, self.P_plus, self.D, self.G, self.K = map(Matrix, (r.P, r.P_plus, r.D, r.G, r.K))
        self.tau, self.tau_bar = Matrix(r.tau), self.I - Matrix(r.tau)
        free = np.flatnonzero(r.free)
        self.J = Matrix(np.diag(np.asarray(robot.armature, dtype=np.float64)[free]))
        driven = np.flatnonzero(np.logical_not(r.free))
        self.H_a = Matrix(s.H[driven])
        self.J_a = Matrix(np.diag(np.asarray(robot.armature, dtype=np.float64)[driven]))
        self.Upsilon = Matrix(_upsilon(s, r))
        self.Omega = self.psi.T @ self.H.T @ Matrix(r.D_inverse) @ self.H @ self.psi
        # not from these operators: as the compiled core computes it
        self.mass_matrix = Matrix(np.asarray(robot.mass_matrix(q))[np.ix_(free, free)])
        self._n = size(robot)

    # contacts for theorems on closed chains: two bodies hold two things, by whatever contacts

    @cached_property
    def _drawn(self) -> tuple[Array, Array, Array, Array]:
        """B_c, A, M_C and the free motions of two contacts: numbers that mean nothing, the same for every robot."""
        rng = np.random.default_rng(self._n)
        B, carried = np.zeros((6 * self._n, 12)), np.zeros((12, 12))
        for i, k in enumerate((self._n - 1, self._n // 2)[: self._n and 2]):
            B[block(k), 6 * i : 6 * i + 6] = spatial.shift(rng.normal(size=3) * 0.3)
        for i in range(2):
            carried[6 * i : 6 * i + 6, 6 * i : 6 * i + 6] = spatial.shift(rng.normal(size=3) * 0.3).T
        root = rng.normal(size=(12, 12)) * 0.3
        freedom = np.zeros((5, 12))
        freedom[:2, :3] = rng.normal(size=(2, 3))  # a soft finger [RK88 II a.6]
        freedom[2:, 6:9] = np.eye(3)  # a point
        return B, carried, np.eye(12) + root @ root.T, freedom

    @property
    def B_c(self) -> Matrix:
        """From contact forces to body forces."""
        return Matrix(self._drawn[0])

    @property
    def A(self) -> Matrix:
        """From the motion of what is held to motions at the contacts."""
        return Matrix(self._drawn[1])

    @property
    def M_C(self) -> Matrix:
        """The inertia of what is held."""
        return Matrix(self._drawn[2])

    @property
    def H_c(self) -> Matrix:
        """The relative motions that contacts leave free, as rows."""
        return Matrix(self._drawn[3])

    @cached_property
    def N_c(self) -> Matrix:
        """The forces that contacts transmit, as columns."""
        return Matrix(np.linalg.svd(self._drawn[3])[2][5:].T)

    @cached_property
    def Omega_c(self) -> Matrix:
        """The compliance of the contacts, with that of what they hold; densely, from the mass matrix."""
        jacobian = self.B_c.T @ self.phi.T @ self.H.T
        return jacobian @ self.mass_matrix.inv @ jacobian.T + self.A @ self.M_C.inv @ self.A.T

    @cached_property
    def Pi_c(self) -> Matrix:
        """What of contact forces undoes relative accelerations."""
        return self.N_c @ (self.N_c.T @ self.Omega_c @ self.N_c).inv @ self.N_c.T


def _upsilon(s: operators.State, r: articulated.Riccati) -> Array:
    """Upsilon(k) = psi*(p, k) Upsilon(p) psi(p, k) + H* D^-1 H, from the base to the tips. [JR95f 34]"""
    upsilon = r.H.T @ r.D_inverse @ r.H
    for k in range(size(s.robot)):
        p = int(s.robot.parent[k])
        if p != WORLD:
            psi = r.E_psi[block(p), block(k)]
            upsilon[block(k), block(k)] += psi.T @ upsilon[block(p), block(p)] @ psi
    return upsilon
