"""RK88's algorithms as the recursions that they are: link by link, one loop a sweep."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from phipsi.reference.description import Array

from .arm import inverse
from .operators import Operators


@dataclass(frozen=True)
class Sweeps:
    """What the two sweeps of a forward dynamics algorithm leave behind, stacked over k = 1 ... N."""

    z: Array
    epsilon: Array
    nu: Array
    lam: Array  # λ
    acceleration: Array  # θ̈


def _parts(o: Operators, k: int) -> tuple[slice, Array, Array, Array]:
    """Where joint k keeps its numbers; H(k), D⁻¹(k), L(k)."""
    _, D, L = o.riccati
    return o.arm.own(k), o.H_of(k), inverse(D[k]), L[k]


def filtered(o: Operators, T: Array, drive: Array, start: Array | None = None) -> tuple[Array, Array, Array]:
    """Tip to base: z(k) = ψ(k, k-1) z(k-1) + L(k-1) T(k-1) + drive(k), ε = T - H z, ν = D⁻¹ ε; z(0) = start."""
    z, epsilon = np.zeros((o.N + 1, 6)), np.zeros_like(T)
    nu = np.zeros_like(T)
    z[0] = 0 if start is None else start
    for k in range(1, o.N + 1):
        own, H, D_inverse, _ = _parts(o, k)
        z[k] = o.psi_step(k) @ z[k - 1] + drive[6 * k - 6 : 6 * k]
        if k > 1:
            z[k] += o.riccati[2][k - 1] @ T[o.arm.own(k - 1)]
        epsilon[own] = T[own] - H @ z[k]
        nu[own] = D_inverse @ epsilon[own]
    return z[1:].ravel(), epsilon, nu


def smoothed(o: Operators, nu: Array, a: Array | None = None) -> tuple[Array, Array]:
    """Base to tip: λ(k) = ψ*(k+1, k) λ(k+1) + H* ν + (1 - G H)* a, θ̈ = ν - L* λ(k+1) - G* a; returns λ and θ̈."""
    lam, acceleration = np.zeros((o.N + 2, 6)), np.zeros_like(nu)
    for k in range(o.N, 0, -1):
        own, H, D_inverse, L = _parts(o, k)
        ak = np.zeros(6) if a is None else a[6 * k - 6 : 6 * k]
        G = o.riccati[0][k] @ H.T @ D_inverse
        psi_up = o.arm.shift(k + 1, k) @ (np.eye(6) - G @ H)
        lam[k] = psi_up.T @ lam[k + 1] + H.T @ nu[own] + (np.eye(6) - G @ H).T @ ak
        acceleration[own] = nu[own] - L.T @ lam[k + 1] - G.T @ ak
    return lam[1:-1].ravel(), acceleration


def carried_out(o: Operators, a: Array) -> Array:
    """Base to tip: ξ(k) = φ*(k+1, k) ξ(k+1) + a(k)."""
    xi = np.zeros((o.N + 2, 6))
    for k in range(o.N, 0, -1):
        xi[k] = o.arm.shift(k + 1, k).T @ xi[k + 1] + a[6 * k - 6 : 6 * k]
    return xi[1:-1].ravel()


def carried_in(o: Operators, f: Array, start: Array) -> Array:
    """Tip to base: x(k) = φ(k, k-1) x(k-1) + f(k), x(0) = start."""
    x = np.zeros((o.N + 1, 6))
    x[0] = start
    for k in range(1, o.N + 1):
        x[k] = o.arm.shift(k, k - 1) @ x[k - 1] + f[6 * k - 6 : 6 * k]
    return x[1:].ravel()


def bias_removed(o: Operators) -> Array:
    """T', by an outward and an inward sweep: inverse dynamics with θ̈ = 0."""
    xi = carried_out(o, o.a)
    return o.T - o.H @ carried_in(o, o.M @ xi + o.b, o.f0)


def fd1(o: Operators) -> Sweeps:
    """FD1, and FD2 with α = λ + ξ: two sweeps for T', two for θ̈."""
    T = bias_removed(o)
    z, epsilon, nu = filtered(o, T, np.zeros(6 * o.N))
    return Sweeps(z, epsilon, nu, *smoothed(o, nu))


def fd3(o: Operators) -> Sweeps:
    """FD3: outward for ξ, inward, outward."""
    xi = carried_out(o, o.a)
    z, epsilon, nu = filtered(o, o.T, o.M @ xi + o.b, o.f0)
    return Sweeps(z, epsilon, nu, *smoothed(o, nu))


def fd4(o: Operators, with_b: bool = True) -> Sweeps:
    """FD4: outward for V (and with it a and b), inward, outward. `with_b`: z takes b(k), as it must."""
    drive = o.b.copy() if with_b else np.zeros_like(o.b)
    for k in range(2, o.N + 1):
        drive[6 * k - 6 : 6 * k] += o.psi_step(k) @ o.riccati[0][k - 1] @ o.a[6 * k - 12 : 6 * k - 6]
    z, epsilon, nu = filtered(o, o.T, drive, o.f0)
    return Sweeps(z, epsilon, nu, *smoothed(o, nu, o.a))
