"""An arm as JR95d sees it: operators, their rates, the factor of the mass matrix, and truths from elsewhere.

The truths: the compiled core's mass matrix and Coriolis forces, `numpy.linalg.cholesky`, differences along a motion.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from phipsi.model.robot import Robot
from phipsi.papers.rk88.arm import draw as drawn
from phipsi.papers.rk88.arm import inverse
from phipsi.reference import articulated, operators
from phipsi.reference.description import Array, block
from phipsi.reference.spatial import skew

# the first derivative from eight samples: exact for polynomials of degree 8
_H = 4e-3
_STEPS = {1: 4 / 5, 2: -1 / 5, 3: 4 / 105, 4: -1 / 280}


def cross6(x: Array) -> Array:
    """X~ = [[a~, 0], [b~, a~]] of X = [a; b]: the bracket of motions."""
    out = np.zeros((6, 6))
    out[:3, :3] = out[3:, 3:] = skew(x[:3])
    out[3:, :3] = skew(x[3:])
    return out


def diagonal(blocks: list[Array]) -> Array:
    """diag{A(k)}."""
    out = np.zeros((6 * len(blocks), 6 * len(blocks)))
    for k, x in enumerate(blocks):
        out[block(k), block(k)] = x
    return out


def cholesky_from_tips(mass: Array) -> Array:
    """m with m m* = mass, lower triangular when dofs are counted from the tip (upper here, where bodies are)."""
    return np.asarray(np.linalg.cholesky(mass[::-1, ::-1]), dtype=np.float64)[::-1, ::-1]


class Moment:
    """An arm at one instant: its operators, dense. `E` is E_phi, `Es` is E_psi, `tb` tau-bar, `Pp` P⁺."""

    def __init__(self, robot: Robot, q: Array, v: Array) -> None:
        s = operators.at(robot, q, v)
        r = articulated.riccati(s)
        self.robot, self.q, self.v, self.N = robot, q, v, robot.n
        self.I, self.In = np.eye(6 * robot.n), np.eye(robot.nv)
        self.H, self.M, self.phi, self.E = s.H, s.M, s.phi, s.E_phi
        self.P, self.D, self.G, self.K, self.Pp = r.P, r.D, r.G, r.K, r.P_plus
        self.tau, self.tb, self.psi, self.Es = r.tau, r.tau_bar, r.psi, r.E_psi
        self.V, self.state = s.V, s
        self.Vp = s.E_phi.T @ s.V  # V⁺(k) = φ* V(k + 1)
        self.mass = np.asarray(robot.mass_matrix(q))
        self.root = np.sqrt(np.diag(np.diag(r.D)))  # D^½ of joints of one dof
        self.m = cholesky_from_tips(self.mass)

    def each(self, stacked: Array) -> list[Array]:
        """The six numbers of every body."""
        return [stacked[block(k)] for k in range(self.N)]

    @cached_property
    def Om(self) -> Array:
        """Ω~ = diag{[ω; 0]~}."""
        return diagonal([cross6(np.concatenate([x[:3], np.zeros(3)])) for x in self.each(self.V)])

    @cached_property
    def Delta(self) -> Array:
        """Δ(k) = H*(k) θ̇(k), stacked."""
        return self.H.T @ self.v

    @cached_property
    def Dt(self) -> Array:
        """Δ~: for revolute joints Ω~_δ."""
        return diagonal([cross6(x) for x in self.each(self.Delta)])

    @cached_property
    def Vt(self) -> Array:
        """V~."""
        return diagonal([cross6(x) for x in self.each(self.V)])


class Arm(Moment):
    """An arm that moves: at t = 0 with v, accelerated by `a`, driven by T."""

    def __init__(self, robot: Robot, rng: np.random.Generator) -> None:
        q, v = robot.random(rng=rng)
        super().__init__(robot, np.asarray(q), np.asarray(v))
        self.T = rng.normal(size=robot.nv)
        self.a = np.asarray(robot.forward_dynamics(q, v, self.T))
        self.rng = rng

    def moment(self, t: float) -> Moment:
        """The arm a little later, along a motion with the velocity v and the acceleration a at t = 0."""
        step = self.v * t + 0.5 * self.a * t * t
        return Moment(self.robot, np.asarray(self.robot.integrate(self.q, step)), self.v + self.a * t)

    @cached_property
    def _nodes(self) -> list[tuple[float, Moment]]:
        return [(s * c / _H, self.moment(s * i * _H)) for i, c in _STEPS.items() for s in (1, -1)]

    def rate(self, of: Callable[[Any], Array]) -> Array:
        """d/dt of what `of` makes of the arm, by differences along the motion."""
        return np.sum([c * of(o) for c, o in self._nodes], axis=0)

    def local(self, of: Callable[[Any], Array]) -> Array:
        """Å = Ȧ - Ω~ A + A Ω~, for an operator between bodies; without Ω~ on the side of the joints."""
        A, rate = of(self), self.rate(of)
        if A.shape[0] == len(self.I):
            rate = rate - self.Om @ A
        if A.shape[1] == len(self.I):
            rate = rate + A @ self.Om
        return rate

    @cached_property
    def P_ring(self) -> Array:
        """The rate of P as the bodies see it."""
        return self.local(lambda o: o.P)

    @cached_property
    def lam(self) -> Array:
        """λ̇ = P̊ - Δ~* P - P Δ~, from the rate of P by differences. [6.4]"""
        return self.P_ring - self.Dt.T @ self.P - self.P @ self.Dt

    @cached_property
    def m_dot(self) -> Array:
        """ṁ."""
        return self.rate(lambda o: o.m)

    @cached_property
    def ell(self) -> Array:
        """ℓ = m⁻¹."""
        return inverse(self.m)

    @cached_property
    def nu(self) -> Array:
        """ν = m* θ̇."""
        return self.m.T @ self.v

    @cached_property
    def xi(self) -> Array:
        """ξ = D^{-½} ν."""
        return inverse(self.root) @ self.nu

    @cached_property
    def coriolis(self) -> Array:
        """C(θ, θ̇), of the compiled core."""
        return np.asarray(self.robot.bias(self.q, self.v))

    @cached_property
    def C_nu(self) -> Array:
        """C(θ, ν) = ℓ C(θ, θ̇) - ṁ* θ̇."""
        return self.ell @ self.coriolis - self.m_dot.T @ self.v

    @cached_property
    def C_xi(self) -> Array:
        """κ - D ξ̇, with ξ̇ by differences along the true motion."""
        kappa = (self.In - self.H @ self.psi @ self.K) @ self.T
        return kappa - self.D @ self.rate(lambda o: inverse(o.root) @ o.m.T @ o.v)

    @cached_property
    def M_theta(self) -> Array:
        """∂M/∂θᵢ by differences, i first."""
        out = np.zeros((self.robot.nv,) * 3)
        for i in range(self.robot.nv):
            e = np.eye(self.robot.nv)[i]
            for k, c in _STEPS.items():
                for s in (1, -1):
                    out[i] += s * c / _H * self.robot.mass_matrix(self.robot.integrate(self.q, s * k * _H * e))
        return out

    @cached_property
    def quadratic(self) -> Array:
        """col{θ̇* M_θi θ̇}."""
        return np.einsum("j,ijk,k->i", self.v, self.M_theta, self.v)


def revolute(rng: np.random.Generator) -> Arm:
    """Five revolute joints: what the paper writes of."""
    return Arm(drawn(rng, ("revolute",) * 5), rng)


def short(rng: np.random.Generator) -> Arm:
    """Three revolute joints."""
    return Arm(drawn(rng, ("revolute",) * 3), rng)
