"""The coefficients of SM03's model, corrected: M, C, J, J_D and T̂, from what active and passive dofs make together."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Bools, Floats, batch_of, real

if TYPE_CHECKING:
    from phipsi.model.robot import Robot

    from .held import Held
    from .table_1 import Step


def model(
    robot: Robot,
    q: ArrayLike,
    v: ArrayLike,
    frames: str | Sequence[str] = (),
    passive: str | Sequence[str] | ArrayLike | None = None,
) -> Model:
    """The unified model of a robot in a state, with contact forces at `frames`. [SM03 28]

    q (*batch, nq), v (*batch, nv). `passive` (names of joints or bodies, or a bool for each dof) stands in for the
    robot's own mask; `()` leaves all dofs active: the fixed-base robot. Nothing is computed before it is asked for.
    """
    return Model(robot, q, v, frames, passive)


class Model:
    """M q̈ + C = T̂ - J* f_e, in one state or a batch of them; made by :func:`model`.

    q̈: accelerations of the Na active dofs; f_e: what the m frames exert on what they touch, [moment; force] at their
    origins, world axes. Letters as in SM03, its misprints corrected; `C` counts gravity too. The base's velocity is in
    its own axes, as everywhere in v. Matrices of active dofs cost O(n²) here, and O(Na³) to solve.
    """

    def __init__(
        self,
        robot: Robot,
        q: ArrayLike,
        v: ArrayLike,
        frames: str | Sequence[str] = (),
        passive: str | Sequence[str] | ArrayLike | None = None,
    ) -> None:
        self.robot = robot
        if not isinstance(frames, (str, list, tuple)):
            raise errors.wrong_type("unified.model", "frames", "the name of a frame, or a list of names", frames)
        self.frames = (frames,) if isinstance(frames, str) else tuple(frames)
        for name in self.frames:
            robot.frame(name)
        self.q, self.v = _state(robot.nq, "q", "configuration", q), _state(robot.nv, "v", "velocities", v)
        try:
            self.batch = np.broadcast_shapes(self.q.shape[:-1], self.v.shape[:-1])
        except ValueError:
            raise errors.broadcast("unified.model", {"q": self.q.shape[:-1], "v": self.v.shape[:-1]}) from None
        self.passive: Bools = _mask(robot, passive)

    def __repr__(self) -> str:
        active, passive = int((~self.passive).sum()), int(self.passive.sum())
        touching = f", frames {', '.join(self.frames)}" if self.frames else ""
        return f"<unified model of {self.robot.name!r}: {active} active and {passive} passive dofs{touching}>"

    # ── the two arms, and what couples them ───────────────────────────────────────────────────────────────────────

    @cached_property
    def _mass(self) -> Floats:
        return self.robot.mass_matrix(self.q)

    @cached_property
    def _bias(self) -> Floats:
        return self.robot.bias(self.q, self.v)

    @cached_property
    def _jacobian(self) -> Floats:
        parts = [self.robot.jacobian(self.q, name) for name in self.frames]
        return np.concatenate(parts, axis=-2) if parts else np.zeros((*self.q.shape[:-1], 0, self.robot.nv))

    @property
    def M_a(self) -> Floats:
        """A_a* M_q A_a: the mass matrix of the active arm, passive dofs held, (*batch, Na, Na). [SM03 28]"""
        return self._mass[..., ~self.passive, :][..., ~self.passive]

    @property
    def M_p(self) -> Floats:
        """M_b + A_p* M_q A_p: that of the passive arm, (*batch, Np, Np). [SM03 28]"""
        return self._mass[..., self.passive, :][..., self.passive]

    @property
    def M_ap(self) -> Floats:
        """A_p* M_q A_a: what couples them, (*batch, Np, Na). [SM03 28]"""
        return self._mass[..., self.passive, :][..., ~self.passive]

    @property
    def C_a(self) -> Floats:
        """A_a* (b + M_q g), and weight: what the active dofs need to go on as they do, (*batch, Na). [SM03 28]"""
        return self._bias[..., ~self.passive]

    @property
    def C_p(self) -> Floats:
        """A_p* (b + M_q g) + b_b, and weight, (*batch, Np). [SM03 28]"""
        return self._bias[..., self.passive]

    @property
    def J_a(self) -> Floats:
        """B A_a: from active rates to the frames' motions, (*batch, 6m, Na). [SM03 14]"""
        return self._jacobian[..., ~self.passive]

    @property
    def J_p(self) -> Floats:
        """B A_p: from passive rates to the frames' motions, (*batch, 6m, Np). [SM03 14]"""
        return self._jacobian[..., self.passive]

    @cached_property
    def drift(self) -> Floats:
        """J̇_a q̇_a + J̇_p q̇_p: the frames' accelerations at q̈ = 0, (*batch, 6m). [SM03 36]"""
        parts = [self.robot.jacobian_dot_v(self.q, self.v, name) for name in self.frames]
        return np.concatenate(parts, axis=-1) if parts else np.zeros((*self.batch, 0))

    # ── the model ─────────────────────────────────────────────────────────────────────────────────────────────────

    @cached_property
    def J_D(self) -> Floats:
        """M_p⁻¹ M_ap, the disturbance Jacobian: q̈_p = -J_D q̈ + ..., (*batch, Np, Na). [SM03 38]

        The negative of `Robot.disturbance_jacobian`, whose kernel makes it in O(n) a column.
        """
        return -self.robot.disturbance_jacobian(self.q, self.passive)

    @cached_property
    def M(self) -> Floats:
        """M_a - M_ap* M_p⁻¹ M_ap: the generalized inertia, (*batch, Na, Na). [SM03 28]"""
        found = self.M_a - _T(self.M_ap) @ self.J_D
        return (found + _T(found)) / 2

    @cached_property
    def C(self) -> Floats:
        """C_a - M_ap* M_p⁻¹ C_p, (*batch, Na). [SM03 28]"""
        return self.C_a - _times(_T(self.J_D), self.C_p)

    @cached_property
    def J(self) -> Floats:
        """J_a - J_p J_D: the generalized Jacobian, (*batch, 6m, Na). [SM03 41]"""
        return self.J_a - self.J_p @ self.J_D

    def T_hat(self, T_a: ArrayLike, T_p: ArrayLike | None = None) -> Floats:
        """T̂ = T_a - M_ap* M_p⁻¹ T_p; T_p is zero where it is not given. [SM03 28]"""
        T_a = self._read("T_a", T_a, active=True)
        return T_a if T_p is None else T_a - _times(_T(self.J_D), self._read("T_p", T_p, active=False))

    @cached_property
    def H(self) -> Floats:
        """J M⁻¹ J* + J_p M_p⁻¹ J_p*: how the frames yield to forces on them, (*batch, 6m, 6m). [SM03 48]

        Made by the operational-space kernel, in O(n): passive dofs and active ones all yield.
        """
        m = 6 * len(self.frames)
        everything = np.ones(self.robot.nv, dtype=bool)
        if m == 0:
            return np.zeros((*self.q.shape[:-1], 0, 0))
        return self.robot.operational_space_compliance(self.q, list(self.frames), everything)

    def passive_effort(self) -> Floats:
        """T_p = -δ v_p - s Δx_p: what springs and dampers of the passive joints exert, (*batch, Np). [SM03 C5]"""
        return self.robot.passive_forces(self.q, self.v)[..., self.passive]

    # ── inverse dynamics, and what the passive dofs do ────────────────────────────────────────────────────────────

    def inverse_dynamics(
        self, a_active: ArrayLike, T_p: ArrayLike | None = None, f_e: ArrayLike | None = None
    ) -> Floats:
        """T_a = M q̈ + C + J* f_e + M_ap* M_p⁻¹ T_p. [SM03 28]"""
        a = self._read("a_active", a_active, active=True)
        needed = _times(self.M, a) + self.C
        if T_p is not None:
            needed = needed + _times(_T(self.J_D), self._read("T_p", T_p, active=False))
        return needed if f_e is None else needed + _times(_T(self.J), self._force(f_e))

    def passive_acceleration(
        self, a_active: ArrayLike, T_p: ArrayLike | None = None, f_e: ArrayLike | None = None
    ) -> Floats:
        """M_p⁻¹ (T_p - C_p - M_ap q̈ - J_p* f_e). [SM03 26]"""
        return self._passive(self._read("a_active", a_active, active=True), T_p, f_e)

    def _passive(self, a: Floats, T_p: ArrayLike | None, f_e: ArrayLike | None) -> Floats:
        left = -self.C_p if T_p is None else self._read("T_p", T_p, active=False) - self.C_p
        if f_e is not None:
            left = left - _times(_T(self.J_p), self._force(f_e))
        return _solve(self.M_p, left) - _times(self.J_D, a)

    def table_1(
        self,
        T_a: ArrayLike,
        T_p: ArrayLike | None = None,
        held: Held | None = None,
        f_e: ArrayLike | None = None,
    ) -> Step:
        """Steps 1 to 4 of Table I: accelerations and, of frames that hold an object, the forces. See :class:`Step`."""
        from .table_1 import step

        return step(self, T_a, T_p, held, f_e)

    def complete(self, a_active: ArrayLike, a_passive: ArrayLike) -> Floats:
        """All accelerations, (*batch, nv), in the order of the robot."""
        one, other = self._read("a_active", a_active, True), self._read("a_passive", a_passive, False)
        batch = batch_of("unified.model", a_active=one.shape[:-1], a_passive=other.shape[:-1])
        out = np.empty((*batch, self.robot.nv))
        out[..., ~self.passive], out[..., self.passive] = one, other
        return out

    # ── reading ───────────────────────────────────────────────────────────────────────────────────────────────────

    def _read(self, symbol: str, value: ArrayLike, active: bool) -> Floats:
        kind = "active" if active else "passive"
        return self._of_size(symbol, f"of the {kind} dofs", value, int((self.passive != active).sum()))

    def _force(self, value: ArrayLike) -> Floats:
        return self._of_size("f_e", "forces at the frames", value, 6 * len(self.frames))

    def _of_size(self, symbol: str, meaning: str, value: ArrayLike, size: int) -> Floats:
        array = real(value, "unified.model", symbol, "real numbers")
        if array.ndim == 0 or array.shape[-1] != size:
            raise errors.shape("unified.model", symbol, meaning, f"(*batch, {size})", array.shape)
        try:
            np.broadcast_shapes(array.shape[:-1], self.batch)
        except ValueError:
            raise errors.broadcast("unified.model", {"q, v": self.batch, symbol: array.shape[:-1]}) from None
        return array


def _mask(robot: Robot, passive: str | Sequence[str] | ArrayLike | None) -> Bools:
    if passive is None:
        return robot.passive
    if not isinstance(passive, str) and np.size(np.asarray(passive)) == 0 and robot.nv > 0:
        return np.zeros(robot.nv, dtype=bool)
    return robot.mask(passive, "unified.model")


def _state(size: int, symbol: str, meaning: str, value: ArrayLike) -> Floats:
    array = real(value, "unified.model", symbol, "real numbers")
    if array.ndim == 0 or array.shape[-1] != size:
        raise errors.shape("unified.model", symbol, meaning, f"(*batch, {size})", array.shape)
    return array


def _T(matrix: Floats) -> Floats:
    return np.swapaxes(matrix, -1, -2)


def _times(matrix: Floats, x: Floats) -> Floats:
    return (matrix @ x[..., None])[..., 0]


def _solve(matrix: Floats, x: Floats) -> Floats:
    return np.asarray(np.linalg.solve(matrix, x[..., None])[..., 0], dtype=np.float64)
