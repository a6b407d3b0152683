"""Table I of SM03, corrected: from torques to accelerations, through the forces at the frames."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Bools, Floats

if TYPE_CHECKING:
    from .coefficients import Model
    from .held import Held

_REGULAR = 1e-11  # eigenvalues of H below this part of the largest are zeros


@dataclass(frozen=True, eq=False)
class Step:
    """What Table I finds. With an object, the frames' forces are the object's doing; without, they are those given."""

    active_acceleration: Floats  # (*batch, Na): q̈ of step 4
    passive_acceleration: Floats  # (*batch, Np): of step 4 too, V̇_b where only a base is passive
    acceleration: Floats  # (*batch, nv): both, in the order of the robot
    contact_force: Floats  # (*batch, 6m): f_e of step 3, what the frames exert
    V_open_dot: Floats  # (*batch, 6m): V̇ᵉ of step 1, had the frames let go
    object_acceleration: Floats | None  # (*batch, 6): V̇° of step 2, at the mass centre, world axes


def step(model: Model, T_a: ArrayLike, T_p: ArrayLike | None, held: Held | None, f_e: ArrayLike | None) -> Step:
    """Steps 1 to 4. T_a (*batch, Na), T_p (*batch, Np), f_e (*batch, 6m); step 5 is any integrator's."""
    T_hat = model.T_hat(T_a, T_p)
    V_open_dot = _open(model, T_hat, T_p)
    object_acceleration = None
    if held is None:
        force = np.zeros((*model.batch, 6 * len(model.frames))) if f_e is None else model._force(f_e)  # pyright: ignore
    else:
        if not model.frames or f_e is not None:
            raise errors.held_by_nothing(bool(model.frames))
        object_acceleration, force = _gripped(model, held, V_open_dot)
    # step 4: q̈ = M⁻¹ (T̂ - J* f_e - C) [SM03 28]
    active = _solve(model.M, T_hat - _times(_T(model.J), force) - model.C)
    passive = model.passive_acceleration(active, T_p, force)
    return Step(active, passive, model.complete(active, passive), force, V_open_dot, object_acceleration)


def _open(model: Model, T_hat: Floats, T_p: ArrayLike | None) -> Floats:
    """Step 1: V̇_open = J M⁻¹ (T̂ - C) + J_p M_p⁻¹ (T_p - C_p) + B g. [SM03 44]"""
    active = _solve(model.M, T_hat - model.C)
    passive = model.passive_acceleration(active, T_p)
    return _times(model.J_a, active) + _times(model.J_p, passive) + model.drift


def _gripped(model: Model, held: Held, V_open_dot: Floats) -> tuple[Floats, Floats]:
    """Steps 2 and 3: V̇° and f_e."""
    H, W, M_o, V_o = model.H, held.W(model), held.M_o(), held.V_o(model)
    b_o = held.b_o(model, V_o)
    relative = V_open_dot - held.W_dot_V(model, V_o)
    lost: Bools = np.asarray(~np.isfinite(H).all(axis=(-1, -2), keepdims=True))  # NaN stays in its state
    values = np.linalg.eigvalsh(np.where(lost, np.eye(H.shape[-1]), H))
    if np.all(values[..., 0] > _REGULAR * values[..., -1]):
        # V̇° = (M_o + W* H⁻¹ W)⁻¹ {W* H⁻¹ (V̇_open - Ẇ V°) - b_o} [SM03 49]
        V_o_dot = _solve(M_o + _T(W) @ np.linalg.solve(H, W), _times(_T(W), _solve(H, relative)) - b_o)
        return V_o_dot, _solve(H, relative - _times(W, V_o_dot))  # f_e = H⁻¹ (V̇_open - W V̇° - Ẇ V°) [SM03 47]
    # where J has lost rank: of all forces that the motion allows, the least
    yielding = H + W @ np.linalg.solve(M_o, _T(W))
    symmetric = np.where(lost, 0.0, (yielding + _T(yielding)) / 2)
    found = np.linalg.pinv(symmetric, rcond=_REGULAR, hermitian=True) + np.where(lost, np.nan, 0.0)
    force = _times(np.asarray(found, dtype=np.float64), relative + _times(W, _solve(M_o, b_o)))
    return _solve(M_o, _times(_T(W), force) - b_o), force


def _T(matrix: Floats) -> Floats:
    return np.swapaxes(matrix, -1, -2)


def _times(matrix: Floats, x: Floats) -> Floats:
    return (matrix @ x[..., None])[..., 0]


def _solve(matrix: Floats, x: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrix, x[..., None])[..., 0], dtype=np.float64)
