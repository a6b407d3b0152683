"""Algorithm 3.3: a sweep to the base and one to the tips, and then every link moves as if it were the base.

The sweep to the base finds what is beyond each joint, (P, z); the sweep to the tips what is on its near side, as
inertia (S, z_s) where the base floats, or as mobility (Φ⁺, γ⁺) where it is held and S has no bounds. Both together are
a link on its own: neither its parent's nor its children's acceleration is asked for.

Each is right for any a(k), b(k) and T(k): with those of dynamics it gives accelerations, with closure errors it gives
displacements, with momenta it gives velocities (see `loose`). On trees, with any mask of free dofs, with armature."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from phipsi import errors
from phipsi.dynamics.links import Links, positive, shift, star
from phipsi.model.reading import Bools, Floats


def inverse(x: Floats) -> Floats:
    """x⁻¹, state by state."""
    return np.asarray(np.linalg.inv(x), dtype=np.float64)


class TwoWay:
    """P, z and S, z_s (or Φ⁺, γ⁺), and from them α, Υ, the joints' β̇ and the forces f, link by link.

    `free` are the masks of the joints' dofs that are free to move, a and b columns of the links, T of the free dofs.
    """

    def __init__(
        self, s: Links, free: Sequence[Bools], a: Sequence[Floats], b: Sequence[Floats], T: Sequence[Floats]
    ) -> None:
        self.s, self.a, self.b, self.T = s, a, b, T
        self.H: list[Floats] = [H[..., mask, :] for H, mask in zip(s.H, free, strict=True)]
        rotors = [s.robot.armature[own][mask] for own, mask in zip(s.of_v, free, strict=True)]
        self.J: list[Floats] = [np.diag(x) for x in rotors]
        self.rotors = rotors
        self.children: list[list[int]] = [[] for _ in s.parent]
        for k, p in enumerate(s.parent):
            if p >= 0:
                self.children[p].append(k)
        self.P, self.z = s.rows(6, 6), s.rows()
        self.P_in, self.z_in = s.rows(6, 6), s.rows()  # P⁺ and z⁺ of k, at its parent's origin
        self.alpha, self.f = s.rows(), s.rows()
        self.rate = s.per_joint()  # β̇ of the free dofs
        self.Upsilon = s.rows(6, 6)
        self._inward()

    def _inward(self) -> None:
        """What is beyond each joint, and its own body: Riccati and residuals. [JR95f 6] [JR95f 13a]"""
        s, P, z = self.s, self.P, self.z
        for k, p in s.tips_to_base():
            H, phi = self.H[k], s.phi[k]
            P[k] += s.M[k]
            z[k] += self.b[k] + P[k] @ self.a[k]
            U = P[k] @ star(H)
            D = H @ U + self.J[k]
            bad = ~positive(D, P[k], H, self.rotors[k])
            if np.any(bad):
                bad = np.broadcast_to(bad, s.batch)
                first = [int(i) for i in np.argwhere(bad)[0]]
                raise errors.singular_joint(s.robot.joint_names[k], k, int(bad.sum()), bad.size, first)
            G = U @ inverse(D)
            self.P_in[k] = phi @ (P[k] - G @ star(U)) @ star(phi)
            self.z_in[k] = phi @ (z[k] + G @ (self.T[k] - H @ z[k]))
            if p >= 0:
                P[p] += self.P_in[k]
                z[p] += self.z_in[k]

    def _without(self, j: int, M: Floats, b: Floats) -> Iterator[tuple[int, Floats, Floats]]:
        """(c, M + Σ P⁺(c'), b + Σ z⁺(c')) for each child c of j, summed over the others without subtracting."""
        others, sums = self.children[j], (M, b)
        later = [(np.zeros_like(M), np.zeros_like(b))]
        for c in reversed(others[1:]):
            later.append((later[-1][0] + self.P_in[c], later[-1][1] + self.z_in[c]))
        for c in others:
            M_later, b_later = later.pop()
            yield c, sums[0] + M_later, sums[1] + b_later
            sums = sums[0] + self.P_in[c], sums[1] + self.z_in[c]

    def _forces(self) -> None:
        """f(k) = P [α - a] + z: what joint k gives its body."""
        for k in range(len(self.s.parent)):
            self.f[k] = self.P[k] @ (self.alpha[k] - self.a[k]) + self.z[k]


class ByInertias(TwoWay):
    """Where every tree hangs on a free joint: S and z_s from the base to the tips, and Lemma 3.2 at each link."""

    def solve(self) -> ByInertias:
        """The sweep to the tips; Λ(k) = P(k) + S(k) and Λ(k) α(k) = P a - z - z_s. [JR95f 38] [JR95f 25]"""
        s = self.s
        self.S, self.z_s, self.Lambda = s.rows(6, 6), s.rows(), s.rows(6, 6)
        arriving: dict[int, tuple[Floats, Floats]] = {}
        for k, p in s.base_to_tips():
            a = self.a[k]
            gain, epsilon, U = self._root(k) if p < 0 else self._inner(k, *arriving.pop(k))
            self.Lambda[k] = self.P[k] + self.S[k]
            self.Upsilon[k] = inverse(self.Lambda[k])
            self.alpha[k] = np.linalg.solve(self.Lambda[k], self.P[k] @ a - self.z[k] - self.z_s[k])
            self.rate[k] = gain @ (epsilon + star(U) @ self.alpha[k])  # [JR95f 26]
            for c, S_j, z_j in self._without(k, self.S[k] + s.M[k], self.z_s[k] + self.b[k]):
                arriving[c] = (S_j, z_j)
        self._forces()
        return self

    def _root(self, k: int) -> tuple[Floats, Floats, Floats]:
        """S, z_s of a base: the world gives it what its motors give, f = H⁻¹ [T - J β̇]. Then β̇ = H⁻* (α - a)."""
        H_inv = inverse(self.H[k])
        self.S[k] = H_inv @ self.J[k] @ star(H_inv)
        self.z_s[k] = -H_inv @ self.T[k] - self.S[k] @ self.a[k]
        return star(H_inv), -self.a[k], np.eye(6)

    def _inner(self, k: int, S: Floats, z: Floats) -> tuple[Floats, Floats, Floats]:
        """S, z_s on the far side of joint k, from what meets at its parent; then β̇ = D_s⁻¹ [ε_s + H S⁺ α]."""
        H, back = self.H[k], shift(-self.s.l[k])
        S_plus = back @ S @ star(back)  # [JR95f 16]
        z_plus = back @ z - S_plus @ self.a[k]  # [JR95f 18a], a_s = -a_p
        U = S_plus @ star(H)
        gain = self._near(k, H @ U + self.J[k], S_plus)
        epsilon = self.T[k] + H @ z_plus
        self.S[k] = S_plus - U @ gain @ star(U)
        self.z_s[k] = z_plus - U @ gain @ epsilon
        return gain, epsilon, U

    def _near(self, k: int, D: Floats, S_plus: Floats) -> Floats:
        bad = ~positive(D, S_plus, self.H[k], self.rotors[k])
        if np.any(bad):
            s = self.s
            raise errors.no_near_side(s.robot.joint_names[k], s.robot.body_names[s.parent[k]])
        return inverse(D)


class ByMobilities(TwoWay):
    """With any base: the mobility Φ⁺ of the near side and its free acceleration γ⁺, zero where the world is."""

    def solve(self) -> ByMobilities:
        """The sweep to the tips, and each link between its two sides. [JR95f G4]"""
        s = self.s
        arriving: dict[int, tuple[Floats, Floats]] = {}
        still = np.zeros((*s.still, 6, 6)), np.zeros((*s.batch, 6, 1))
        for k, p in s.base_to_tips():
            side = still if p < 0 else arriving.pop(k)
            beyond = self.P[k], self.z[k] - self.P[k] @ self.a[k]
            self.Upsilon[k], self.alpha[k], self.rate[k] = self._meet(k, *side, *beyond)
            for c, M_j, b_j in self._without(k, s.M[k], self.b[k]):
                Phi, gamma, _ = self._meet(k, *side, M_j, b_j)
                far = star(s.phi[c])
                arriving[c] = (far @ Phi @ s.phi[c], far @ gamma)
        self._forces()
        return self

    def _meet(self, k: int, Phi: Floats, gamma: Floats, M: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Joint k between the mobility (Φ⁺, γ⁺) of its near side and the inertia (M, b) of its far side: Φ, γ, β̇."""
        H = self.H[k]
        E = inverse(np.eye(6) + Phi @ M)
        W = E @ Phi
        g = E @ (gamma + self.a[k]) - W @ b
        H_E = H @ star(E)
        D = H @ M @ star(H_E) + self.J[k]
        D_inv = self._inverse(k, D, M)
        rate = D_inv @ (self.T[k] - H @ (b + M @ g))
        return W + star(H_E) @ D_inv @ H_E, g + star(H_E) @ rate, rate

    def _inverse(self, k: int, D: Floats, M: Floats) -> Floats:
        """D⁻¹, where the far side, less its children one by one, resists joint k."""
        bad = ~positive(D, M, self.H[k], self.rotors[k])
        if np.any(bad):
            raise errors.no_far_side(self.s.robot.joint_names[k], self.s.robot.body_names[k])
        return inverse(D)
