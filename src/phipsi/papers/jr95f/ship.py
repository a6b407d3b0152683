"""A free-flying manipulator as JR95f sees it: links from the outermost (1) to the base (n), seen from both ends.

The truths are RK88's: poses differentiated numerically, d'Alembert's principle, and the compiled core's mass matrix."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from phipsi.papers.rk88.arm import Arm, cross, inverse
from phipsi.papers.rk88.operators import Operators, mobile_base
from phipsi.reference.description import Array
from phipsi.reference.spatial import skew


class Ship:
    """Lists run over k = 0 ... n, 0 being the hinge between link 1 and the world; stacked vectors over 1 ... n."""

    def __init__(self, o: Operators) -> None:
        self.o, self.arm, self.n = o, o.arm, o.N
        self.N = len(o.W)
        self.one, self.one6 = np.eye(6 * self.n), np.eye(6)

    # ── the motion ────────────────────────────────────────────────────────────────────────────────────────────────

    def of(self, x: Array, k: int) -> Array:
        """Link k's part of a stacked vector; zero beyond the base."""
        return x[Arm.at(k)] if k <= self.n else np.zeros(6)

    def block(self, X: Array, i: int, j: int) -> Array:
        """The 6 x 6 block of links i and j."""
        return X[Arm.at(i), Arm.at(j)]

    def shift(self, i: int, j: int) -> Array:
        """φ(i, j), either way; hinge 0 is where link 1 is."""
        return self.arm.shift(max(i, 1), max(j, 1))

    @cached_property
    def alpha(self) -> Array:
        """α(k) = [ω̇; v̇ - ω~v], measured."""
        turning = [np.concatenate([np.zeros(3), cross(self.arm.w[k], self.arm.v[k])]) for k in range(1, self.n + 1)]
        return self.o.alpha - np.concatenate(turning)

    def step(self, k: int) -> tuple[Array, Array]:
        """Δω(k) and Δv(k): the relative velocity H*(k) β(k)."""
        relative = self.H(k).T @ self.beta(k)
        return relative[:3], relative[3:]

    def a_of(self, k: int) -> Array:
        """a(k): [ω~Δω; v~Δω] of turning hinges, [0; ω~Δv] of sliding ones, [0; v~ω] of a base with β(n) = V(n)."""
        w, v = self.arm.w[k], self.arm.v[k]
        turn, slide = self.step(k)
        if self.arm.kind(k) == "free":
            return np.concatenate([np.zeros(3), cross(v, w)])
        return np.concatenate([cross(w, turn), cross(v, turn) + cross(w, slide)])

    def b_of(self, k: int) -> Array:
        """b(k) = [[ω~, v~], [0, ω~]] M(k) V(k), less the external force."""
        w, v = skew(self.arm.w[k]), skew(self.arm.v[k])
        own = np.block([[w, v], [np.zeros((3, 3)), w]]) @ self.M(k) @ self.of(self.o.V, k)
        return own + (self.arm.shift(1, 0) @ self.o.f0 if k == 1 else 0.0)

    @cached_property
    def a(self) -> Array:
        """Coriolis accelerations."""
        return np.concatenate([self.a_of(k) for k in range(1, self.n + 1)])

    @cached_property
    def b(self) -> Array:
        """Gyroscopic forces, and what acts on the tip."""
        return np.concatenate([self.b_of(k) for k in range(1, self.n + 1)])

    @property
    def f(self) -> Array:
        """f, by d'Alembert."""
        return self.o.f

    @cached_property
    def alpha_plus(self) -> Array:
        """α⁺ = E_φ* α."""
        return self.E_phi.T @ self.alpha

    # ── links one by one ──────────────────────────────────────────────────────────────────────────────────────────

    def M(self, k: int) -> Array:
        """M(k)."""
        return self.o.M_of(k)

    def H(self, k: int) -> Array:
        """H(k); -1 at hinge 0."""
        return self.o.H_of(k) if k else -np.eye(6)

    def beta(self, k: int) -> Array:
        """β(k); V(1) at hinge 0."""
        return self.o.W[self.arm.own(k)] if k else self.of(self.o.V, 1)

    def beta_dot(self, k: int) -> Array:
        """The rate of β(k)."""
        return self.o.W_dot[self.arm.own(k)]

    def T(self, k: int) -> Array:
        """T(k), by the compiled core."""
        return self.o.T[self.arm.own(k)]

    @cached_property
    def P(self) -> list[Array]:
        """P(k), k = 0 ... n."""
        return self.o.riccati[0]

    @cached_property
    def D_inverse(self) -> list[Array]:
        """D⁻¹(k)."""
        return [np.zeros((0, 0)), *(inverse(d) for d in self.o.riccati[1][1:])]

    def G(self, k: int) -> Array:
        """G(k) = P(k) H*(k) D⁻¹(k)."""
        return self.P[k] @ self.H(k).T @ self.D_inverse[k]

    def tau_bar(self, k: int) -> Array:
        """1 - G(k) H(k)."""
        return np.eye(6) - self.G(k) @ self.H(k)

    def P_plus(self, k: int) -> Array:
        """τ̄(k) P(k); P⁺(0) = 0."""
        return self.tau_bar(k) @ self.P[k] if k else np.zeros((6, 6))

    # ── operators ─────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def E_phi(self) -> Array:
        """The step of φ, φ(k+1, k) in the first subdiagonal."""
        return self.o.S @ self.o.E_phi

    @cached_property
    def E_psi(self) -> Array:
        """E_φ τ̄."""
        return self.E_phi @ self.o.tau_bar

    @cached_property
    def K(self) -> Array:
        """E_φ G."""
        return self.E_phi @ self.o.G

    @cached_property
    def Omega(self) -> Array:
        """φ*H* 𝓜⁻¹ H φ, with the compiled core's mass matrix."""
        J = self.o.phi.T @ self.o.H.T
        return J @ inverse(self.arm.mass_matrix) @ J.T

    def diagonal(self, parts: list[Array]) -> Array:
        """diag[x(1), ..., x(n)]."""
        return self.arm.per_link(parts)

    # ── residual forces, regular ──────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def regular(self) -> tuple[list[Array], list[Array], list[Array]]:
        """z_p(k), z_p⁺(k), ε_p(k), k = 0 ... n. (13a)"""
        z, z_plus, eps = [np.zeros(6)], [np.zeros(6)], [np.zeros(0)]
        for k in range(1, self.n + 1):
            z.append(self.shift(k, k - 1) @ z_plus[k - 1] + self.b_of(k) + self.P[k] @ self.a_of(k))
            eps.append(self.T(k) - self.H(k) @ z[k])
            z_plus.append(z[k] + self.G(k) @ eps[k])
        return z, z_plus, eps

    def nu(self, k: int) -> Array:
        """ν_p(k)."""
        return self.D_inverse[k] @ self.regular[2][k]

    def stacked(self, parts: list[Array]) -> Array:
        """col[x(1), ..., x(n)] of a list over k = 0 ... n."""
        return np.concatenate(parts[1 : self.n + 1])

    # ── the dual: from the base to the tip ────────────────────────────────────────────────────────────────────────

    @cached_property
    def dual(self) -> tuple[list[Array], list[Array]]:
        """S(k), S⁺(k), k = 0 ... n. (16)"""
        S, S_plus = [np.zeros((6, 6))] * (self.n + 1), [np.zeros((6, 6))] * (self.n + 1)
        for k in range(self.n - 1, -1, -1):
            step = self.shift(k, k + 1)
            S_plus[k] = step @ (S[k + 1] + self.M(k + 1)) @ step.T
            H = self.H(k)
            G = -S_plus[k] @ H.T @ inverse(H @ S_plus[k] @ H.T)
            S[k] = (np.eye(6) + G @ H) @ S_plus[k]
        return S, S_plus

    def D_s(self, k: int) -> Array:
        """D_s(k) = H(k) S⁺(k) H*(k)."""
        return self.H(k) @ self.dual[1][k] @ self.H(k).T

    def G_s(self, k: int) -> Array:
        """G_s(k) = -S⁺(k) H*(k) D_s⁻¹(k)."""
        return -self.dual[1][k] @ self.H(k).T @ inverse(self.D_s(k))

    def tau_bar_s(self, k: int) -> Array:
        """1 + G_s(k) H(k)."""
        return np.eye(6) + self.G_s(k) @ self.H(k)

    def residuals(self, start: Array) -> tuple[list[Array], list[Array], list[Array]]:
        """z_s(k), z_s⁺(k), ε_s(k), k = 0 ... n, from z_s(n). (18a), corrected: nothing holds link 1."""
        z = [np.zeros(6)] * self.n + [start]
        z_plus, eps = [np.zeros(6)] * (self.n + 1), [np.zeros(0)] * (self.n + 1)
        for k in range(self.n - 1, 0, -1):
            a_s = -self.a_of(k)
            z_plus[k] = self.shift(k, k + 1) @ (z[k + 1] + self.b_of(k + 1)) + self.dual[1][k] @ a_s
            eps[k] = self.T(k) + self.H(k) @ z_plus[k]
            z[k] = z_plus[k] + self.G_s(k) @ eps[k]
        return z, z_plus, eps

    @cached_property
    def dual_residuals(self) -> tuple[list[Array], list[Array], list[Array]]:
        """From z_s(n) = -T(n)."""
        return self.residuals(-self.T(self.n))

    @cached_property
    def Upsilon(self) -> tuple[list[Array], list[Array]]:
        """Υ(k) and Υ⁺(k), k = 0 ... n. (34)"""
        Y, Y_plus = [np.zeros((6, 6))] * (self.n + 1), [np.zeros((6, 6))] * (self.n + 1)
        for k in range(self.n, 0, -1):
            t = self.tau_bar(k)
            Y[k] = t.T @ Y_plus[k] @ t + self.H(k).T @ self.D_inverse[k] @ self.H(k)
            if k > 1:
                step = self.shift(k, k - 1)
                Y_plus[k - 1] = step.T @ Y[k] @ step
        return Y, Y_plus


def free_flyer(rng: np.random.Generator) -> Ship:
    """A chain of revolute, sliding and spherical hinges on a free base that thrusters move."""
    return Ship(mobile_base(rng))
