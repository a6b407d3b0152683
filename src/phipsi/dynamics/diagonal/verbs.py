"""v ↔ ν and ξ, τ ↔ ε and κ, the Coriolis terms, and the right-hand sides in (θ, ν) and (θ, ξ): fused sweeps, O(n)."""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Floats
from phipsi.model.robot import Robot

Policy = Literal["raise", "nan"]


def rates(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    normalized: bool = True,
    *,
    out: Floats | None = None,
    on_singular: Policy = "raise",
) -> Floats:
    """ν = m*(θ) v, in which the kinetic energy is ½ |ν|²; or ξ = [1 + HφK]* v, in which it is ½ ξ* D ξ.

    ξ(k) = v(k) + G*(k) V⁺(k): what a joint turns beyond what its own mass would have it do when the parent moves.
    ν = S* ξ, D = S S*. Three sweeps, O(n). q (*batch, nq), v (*batch, nv) → (*batch, nv); `normalized=False` gives ξ,
    which needs no square roots. ν(k) depends on the velocities of the joints that carry k, on none beyond it: m* is
    lower triangular here, and the transpose of what `numpy.linalg.cholesky` makes of the mass matrix when both its
    axes are turned round. [JR95d 3.1]

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.chain(3)
    >>> q, v = arm.random(rng=0)
    >>> m = np.linalg.cholesky(arm.mass_matrix(q)[::-1, ::-1])[::-1, ::-1]
    >>> bool(np.allclose(pp.diagonal.rates(arm, q, v), m.T @ v))
    True
    """
    return _of(robot, "diagonal.rates")._diagonal_rates(  # pyright: ignore[reportPrivateUsage]
        "diagonal.rates", q, v, plain=not normalized, out=out, on_singular=on_singular
    )


def velocities(
    robot: Robot,
    q: ArrayLike,
    nu: ArrayLike,
    normalized: bool = True,
    *,
    out: Floats | None = None,
    on_singular: Policy = "raise",
) -> Floats:
    """v = ℓ*(θ) ν, ℓ = m⁻¹: the way back from `rates`; with `normalized=False`, nu is ξ.

    v(k) = ξ(k) - G*(k) V⁺(k), base to tips. O(n). q (*batch, nq), nu (*batch, nv) → (*batch, nv).

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.tree(9, seed=1)
    >>> q, v = arm.random((3, 2), rng=0)
    >>> back = pp.diagonal.velocities(arm, q, pp.diagonal.rates(arm, q, v))
    >>> bool(np.allclose(back, v))
    True
    """
    return _of(robot, "diagonal.velocities")._diagonal_velocities(  # pyright: ignore[reportPrivateUsage]
        "diagonal.velocities", q, nu, plain=not normalized, out=out, on_singular=on_singular
    )


def coriolis(
    robot: Robot,
    q: ArrayLike,
    nu: ArrayLike,
    normalized: bool = True,
    *,
    out: Floats | None = None,
    on_singular: Policy = "raise",
) -> Floats:
    """C(θ, ν) of ν̇ + C(θ, ν) = ε; with `normalized=False`, nu is ξ and the result C(θ, ξ) of D ξ̇ + C(θ, ξ) = κ.

    Four sweeps, O(n), no differences of energies anywhere. q (*batch, nq), nu (*batch, nv) → (*batch, nv). It does no
    work: ν* C(θ, ν) = 0. Not so ξ* C(θ, ξ), which is ½ ξ* Ḋ ξ. Gravity and external forces are not in it: they are in
    ε, see `forces`. [JR95d 7.1] [JR95d 7.9]

    >>> import phipsi as pp
    >>> arm = pp.zoo.chain(7)
    >>> q, v = arm.random(rng=0)
    >>> nu = pp.diagonal.rates(arm, q, v)
    >>> bool(abs(nu @ pp.diagonal.coriolis(arm, q, nu)) < 1e-10)
    True
    """
    return _of(robot, "diagonal.coriolis")._diagonal_coriolis(  # pyright: ignore[reportPrivateUsage]
        "diagonal.coriolis", q, nu, plain=not normalized, out=out, on_singular=on_singular
    )


def dynamics(
    robot: Robot,
    q: ArrayLike,
    nu: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    normalized: bool = True,
    *,
    out: tuple[Floats, Floats] | None = None,
    on_singular: Policy = "raise",
) -> tuple[Floats, Floats]:
    """v and ν̇: the right-hand side of the equations of motion in (θ, ν); with `normalized=False`, of those in (θ, ξ).

    θ̇ = v = ℓ* ν,  ν̇ = ε - C(θ, ν), gravity and f_ext in ε; D ξ̇ = κ - C(θ, ξ). Four sweeps, O(n): the two of the
    articulated inertias, one for v, and one for the rates, which are exact (the algorithm of the paper updates v with
    the gains of the step before, and is of first order). q (*batch, nq); nu, tau (*batch, nv); f_ext (*batch, n, 6)
    → v, ν̇ (*batch, nv); `out` takes two arrays. Step q with `robot.integrate(q, v * dt)`. [JR95d 8.1]

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.chain(7)
    >>> q, v = arm.random(rng=0)
    >>> nu, tau = pp.diagonal.rates(arm, q, v), np.ones(7)
    >>> rate, nu_dot = pp.diagonal.dynamics(arm, q, nu, tau)
    >>> power = tau @ v - arm.gravity_torque(q) @ v
    >>> bool(np.isclose(nu @ nu_dot, power))
    True
    """
    return _of(robot, "diagonal.dynamics")._diagonal_dynamics(  # pyright: ignore[reportPrivateUsage]
        "diagonal.dynamics", q, nu, tau, f_ext, not normalized, *(out or (None, None)), on_singular
    )


def forces(
    robot: Robot,
    q: ArrayLike,
    tau: ArrayLike,
    f_ext: ArrayLike | None = None,
    normalized: bool = True,
    *,
    gravity: bool = False,
    out: Floats | None = None,
    on_singular: Policy = "raise",
) -> Floats:
    """ε = ℓ(θ) τ, what drives ν; with `normalized=False`, κ = [1 - HψK] τ, what drives D ξ.

    External forces add: ε = ℓ τ + S⁻¹ H ψ f_ext, and so does the weight of the bodies with `gravity=True`. ε* ν = τ* v.
    O(n). q (*batch, nq), tau (*batch, nv), f_ext (*batch, n, 6) → (*batch, nv). [JR95d G5]

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.chain(4)
    >>> q, v = arm.random(rng=0)
    >>> tau = np.arange(4.0)
    >>> bool(np.isclose(pp.diagonal.forces(arm, q, tau) @ pp.diagonal.rates(arm, q, v), tau @ v))
    True
    """
    loads = _loads(_of(robot, "diagonal.forces"), q, f_ext, gravity)
    return robot._diagonal_forces(  # pyright: ignore[reportPrivateUsage]
        "diagonal.forces", q, tau, loads, plain=not normalized, out=out, on_singular=on_singular
    )


def torques(
    robot: Robot,
    q: ArrayLike,
    epsilon: ArrayLike,
    f_ext: ArrayLike | None = None,
    normalized: bool = True,
    *,
    gravity: bool = False,
    out: Floats | None = None,
    on_singular: Policy = "raise",
) -> Floats:
    """τ = m(θ) ε: the way back from `forces`; with `normalized=False`, epsilon is κ.

    With f_ext or `gravity=True`, the torques that together with those forces make ε: τ = m ε - H φ f. O(n).
    q (*batch, nq), epsilon (*batch, nv), f_ext (*batch, n, 6) → (*batch, nv).

    >>> import numpy as np, phipsi as pp
    >>> arm = pp.zoo.chain(4)
    >>> q, _ = arm.random(rng=0)
    >>> bool(np.allclose(pp.diagonal.torques(arm, q, np.zeros(4), gravity=True), arm.gravity_torque(q)))
    True
    """
    loads = _loads(_of(robot, "diagonal.torques"), q, f_ext, gravity)
    return robot._diagonal_torques(  # pyright: ignore[reportPrivateUsage]
        "diagonal.torques", q, epsilon, loads, plain=not normalized, out=out, on_singular=on_singular
    )


def _of(robot: Robot, verb: str) -> Robot:
    if not isinstance(robot, Robot):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type(verb, "robot", "a Robot", robot)
    return robot


def _loads(robot: Robot, q: ArrayLike, f_ext: ArrayLike | None, gravity: bool) -> ArrayLike | None:
    """f_ext and the weights [m p × g; m g] of the bodies at their origins, if they are asked for."""
    if not gravity:
        return f_ext
    g = robot.gravity
    arm = robot.mass[:, None] * np.squeeze(robot.poses(q).rotation @ robot.com[:, :, None], -1)
    weight = np.concatenate([np.cross(arm, g), np.broadcast_to(robot.mass[:, None] * g, arm.shape)], axis=-1)
    return weight if f_ext is None else weight + np.asarray(f_ext, dtype=np.float64)
