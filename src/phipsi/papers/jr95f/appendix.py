"""JR95f, appendix A: the mass matrix and its factors with link k as the base."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from phipsi.papers.rk88.arm import inverse
from phipsi.papers.row import Pair, Section, definition, misprint
from phipsi.papers.row import Row as Plain
from phipsi.reference.description import Array

from .ship import Ship, free_flyer


class Base:
    """What the appendix defines for link k as the base, k < n. Coordinates: β(1) ... β(n-1), then V of the base."""

    def __init__(self, s: Ship, k: int) -> None:
        self.s, self.k, self.n = s, k, s.n
        self.inner = s.N - 6  # coordinates of the hinges between links
        n, zero = s.n, np.zeros((6, 6))
        self.H_inner = s.o.H[: self.inner, : 6 * (n - 1)]
        self.X = np.concatenate([zero if i < k else s.shift(i, k).T for i in range(1, n)], axis=1)
        self.T = self._map(s.shift(n, k).T, self.X)  # to base k
        self.T_inv = self._map(s.shift(k, n).T, -s.shift(k, n).T @ self.X)  # to base n
        before = s.arm.own(k).start
        self.P_N = self._permutation(before, self.inner)
        self.P_6 = self._permutation(6 * (k - 1), 6 * (n - 1))
        self.J = np.diag(np.where(np.arange(6 * n) < 6 * k, 1.0, -1.0))
        self.delta = s.diagonal([np.eye(6) if i <= k else s.shift(i - 1, i) for i in range(1, n + 1)])
        self.E_phi = self._step()
        self.phi = inverse(np.eye(6 * n) - self.E_phi)
        self.M = self.delta @ s.o.M @ self.delta.T
        self.H = self.P_N @ s.o.H @ self.P_6.T @ self.J
        e = np.concatenate([np.eye(6) if i == k else zero for i in range(1, n + 1)], axis=1)
        self.e = e

    def _map(self, of_base: Array, of_links: Array) -> Array:
        out = np.eye(self.s.N)
        out[self.inner :, : self.inner] = of_links @ self.H_inner.T
        out[self.inner :, self.inner :] = of_base
        return out

    @staticmethod
    def _permutation(before: int, inner: int) -> Array:
        """The last six behind the first `before`."""
        order = [*range(before), *range(inner, inner + 6), *range(before, inner)]
        return np.eye(inner + 6)[order]

    def _step(self) -> Array:
        """E_φk: links 1 ... k-1 towards k as ever, links k+1 ... n, at their inner neighbours' origins, backwards."""
        s, k, out = self.s, self.k, np.zeros((6 * self.n, 6 * self.n))

        def put(i: int, j: int, x: Array) -> None:
            out[6 * i - 6 : 6 * i, 6 * j - 6 : 6 * j] = x

        for i in range(2, k + 1):
            put(i, i - 1, s.shift(i, i - 1))
        put(k, k + 1, np.eye(6))
        for i in range(k + 1, self.n):
            put(i, i + 1, s.shift(i - 1, i))
        return out

    @property
    def mass(self) -> Array:
        """𝓜_k, from the compiled core's 𝓜_n."""
        return self.T_inv.T @ self.s.arm.mass_matrix @ self.T_inv

    @property
    def Q(self) -> Array:
        """Of (49)."""
        out = np.eye(6 * self.n)
        out[-6:, :-6] = -self.s.shift(self.k, self.n).T @ self.X
        out[-6:, -6:] = self.s.shift(self.k, self.n).T
        return out

    @property
    def ordered(self) -> Array:
        """[Î - Î E_φ*; e_k]."""
        top = (np.eye(6 * self.n) - self.s.E_phi.T)[:-6]
        return np.concatenate([top, self.e])

    @property
    def inverse_mass(self) -> Array:
        """[1 - H_k ψ_k K_k]* D_k⁻¹ [1 - H_k ψ_k K_k], by the Riccati equation of the tree that base k has."""
        gain, step = self._articulated()
        white = np.eye(self.s.N) - self.H @ inverse(np.eye(6 * self.n) - step) @ self.E_phi @ gain[0]
        return white.T @ gain[1] @ white

    def _articulated(self) -> tuple[tuple[Array, Array], Array]:
        """(G_k, D_k⁻¹) and E_ψk; E_φk is nilpotent, so that the equation is solved by repeating it."""
        inertia = self.M
        for _ in range(self.n):
            inertia = self.M + self._gain(inertia)[1] @ inertia @ self.E_phi.T
        return self._gain(inertia)

    def _gain(self, inertia: Array) -> tuple[tuple[Array, Array], Array]:
        d_inverse = inverse(self.H @ inertia @ self.H.T)
        gain = inertia @ self.H.T @ d_inverse
        return (gain, d_inverse), self.E_phi @ (np.eye(6 * self.n) - gain @ self.H)


def each(pair: Callable[[Base], Pair]) -> Callable[[Ship], list[Pair]]:
    """For every link that is not the base yet."""
    return lambda s: [pair(Base(s, k)) for k in range(1, s.n)]


def _rates(b: Base) -> Array:
    return np.concatenate([b.s.o.W[: b.inner], b.s.of(b.s.o.V, b.k)])


def _printed_factors(b: Base) -> Pair:
    H = b.P_N @ b.s.o.H @ b.P_6.T
    return b.P_N @ b.mass @ b.P_N.T, H @ b.phi @ b.M @ b.phi.T @ H.T


APPENDIX_A = Section("A", "Mass matrix factorization with link k as the base", free_flyer, (
    definition("39", "β_k = [β(1); ...; β(n-1); V(k)]", each(lambda b: (b.T @ b.s.o.W, _rates(b)))),
    definition("40", "H_n = diag[𝓗, 1], 𝓗 = diag[H(1), ..., H(n-1)]",
               each(lambda b: (b.s.o.H, np.block([[b.H_inner, np.zeros((b.inner, 6))],
                                                  [np.zeros((6, 6 * b.n - 6)), np.eye(6)]])))),
    misprint("41", "β_k = T_{k,n} β_n, T_{k,n} = [[1, 0], [X_k 𝓗*, φ*(n, k)]], 1 of size N - 6",
             each(lambda b: (b.T @ b.s.o.W, _rates(b))), "the identity of size n - 1", title="Lemma A.1"),
    misprint("42", "X_k = [0, ..., 1, φ*(k+1, k), ..., φ*(n-1, k)], 6 × 6(n-1)",
             each(lambda b: (b.X @ b.H_inner.T @ b.s.o.W[: b.inner] + b.s.shift(b.n, b.k).T @ b.s.of(b.s.o.V, b.n),
                             b.s.of(b.s.o.V, b.k))), "X_k of size 6 × (n-1)"),
    Plain("43", "T_{n,k} = T_{k,n}⁻¹ = [[1, 0], [-φ*(k, n) X_k 𝓗*, φ*(k, n)]]",
          each(lambda b: (b.T @ b.T_inv, np.eye(b.s.N)))),
    Plain("44", "𝓜_k = T_{n,k}* 𝓜_n T_{n,k}",
          each(lambda b: (np.array([_rates(b) @ b.mass @ _rates(b) / 2]),
                          np.array([b.s.arm.robot.kinetic_energy(b.s.arm.q, b.s.arm.rate)])))),
    misprint("45", "β_k° = P_N β_k, P_N of blocks Σ r(i) (i < k), 6, Σ r(i) (k ≤ i < n); P_6 of 6(k-1), 6, 6(n-k)",
             each(lambda b: (b.P_N @ _rates(b), np.concatenate([
                 b.s.o.W[: b.s.arm.own(b.k).start], b.s.of(b.s.o.V, b.k), b.s.o.W[b.s.arm.own(b.k).start : b.inner]]))),
             "one P for both, of blocks k-1 and 6(n-k-1)"),
    Plain("46", "𝓜_k° = P_N 𝓜_k P_N*",
          each(lambda b: (b.P_N @ b.mass @ b.P_N.T, (b.P_N @ b.T_inv.T @ b.s.o.H @ b.s.o.phi) @ b.s.o.M
                          @ (b.P_N @ b.T_inv.T @ b.s.o.H @ b.s.o.phi).T))),
    misprint("47", "𝓜_k° = H_k φ_k M_k φ_k* H_k*",
             each(lambda b: (b.P_N @ b.mass @ b.P_N.T, b.H @ b.phi @ b.M @ b.phi.T @ b.H.T)),
             "the same, with H_k = P H P*", each(_printed_factors), title="Lemma A.2"),
    misprint("48", "H_k = P_N H P_6* J, J = diag[1, -1]: the hinges between link k and link n turn round",
             each(lambda b: (b.H @ b.phi @ b.M @ b.phi.T @ b.H.T, b.P_N @ b.mass @ b.P_N.T)),
             "H_k = P H P*", each(_printed_factors)),
    Plain("49", "H* T_{n,k} = Q H*", each(lambda b: (b.s.o.H.T @ b.T_inv, b.Q @ b.s.o.H.T))),
    misprint("50", "[X_k, φ*(n, k)] = e_k φ_n*, e_k = col[1 δ(i, k)]* over i = 1 ... n",
             each(lambda b: (np.concatenate([b.X, b.s.shift(b.n, b.k).T], axis=1), b.e @ b.s.o.phi.T)),
             "e_k over i = 1 ... n-1"),
    Plain("51", "Q⁻¹ = [Î; e_k φ_n*]",
          each(lambda b: (inverse(b.Q), np.concatenate([np.eye(6 * b.n)[:-6], b.e @ b.s.o.phi.T])))),
    misprint("52", "φ_n* Q = [Q⁻¹ φ_n⁻*]⁻¹ = [Î - Î E_φ*; e_k]⁻¹",
             each(lambda b: (b.s.o.phi.T @ b.Q, inverse(b.ordered))), "[Î - Î E φ_n*; e_k]⁻¹"),
    misprint("53", "P_6 [Î - Î E_φ*; e_k] Δφ* = J [1 - E_φk*]",
             each(lambda b: (b.P_6 @ b.ordered @ b.delta.T, b.J @ (np.eye(6 * b.n) - b.E_phi.T))),
             "... = 1 - E_φk*",
             each(lambda b: (b.P_6 @ b.ordered @ b.delta.T, np.eye(6 * b.n) - b.E_phi.T))),
    misprint("54", "[Î - Î E_φ*; e_k]⁻¹ = Δφ* φ_k* J P_6",
             each(lambda b: (inverse(b.ordered), b.delta.T @ b.phi.T @ b.J @ b.P_6)),
             "... = Δφ* φ_k P", each(lambda b: (inverse(b.ordered), b.delta.T @ b.phi @ b.P_6))),
    misprint("55", "φ* H* T_{n,k} P_N* = Δφ* φ_k* H_k*",
             each(lambda b: (b.s.o.phi.T @ b.s.o.H.T @ b.T_inv @ b.P_N.T, b.delta.T @ b.phi.T @ b.H.T)),
             "the same, with H_k = P H P*",
             each(lambda b: (b.s.o.phi.T @ b.s.o.H.T @ b.T_inv @ b.P_N.T,
                             b.delta.T @ b.phi.T @ (b.P_N @ b.s.o.H @ b.P_6.T).T))),
    Plain("56", "𝓜_k°⁻¹ = [1 - H_k ψ_k K_k]* D_k⁻¹ [1 - H_k ψ_k K_k]",
          each(lambda b: (b.P_N @ b.mass @ b.P_N.T @ b.inverse_mass, np.eye(b.s.N))),
          note="lost in the scan; inferred from the text, with the corrected H_k"),
))  # fmt: skip
