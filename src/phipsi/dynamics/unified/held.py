"""What the frames of the unified model hold: a rigid body, gripped rigidly."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.pose import Pose
from phipsi.model.reading import Floats, number, real

if TYPE_CHECKING:
    from .coefficients import Model

_SLIP = 1e-6  # how far from rigid the velocities of the frames may be, relative to their size


class Held:
    """A rigid body that the model's frames hold: M_o V̇° + b_o = W* f_e. [SM03 33]

    mass; inertia (3, 3) about the mass centre, along the axes of `pose`, where the mass centre is (world, or a batch of
    poses). f_ext: another force on it, [moment; force] at the mass centre, world axes. Its weight is that of the
    robot's gravity. All here is in world axes about the mass centre, so that Ẇ ≠ 0 (in body axes it is; the paper's
    Table I needs only that both agree).
    """

    def __init__(self, mass: float, inertia: ArrayLike, pose: Pose, f_ext: ArrayLike | None = None) -> None:
        self.mass = number(mass, "unified.Held", "mass")
        self.inertia = real(inertia, "unified.Held", "inertia", "a 3 x 3 matrix")
        if self.inertia.shape[-2:] != (3, 3):
            raise errors.shape("unified.Held", "inertia", "about the mass centre", "(3, 3)", self.inertia.shape)
        symmetric = np.allclose(self.inertia, np.swapaxes(self.inertia, -1, -2), rtol=1e-9, atol=0.0)
        if not (self.mass > 0 and symmetric and np.all(np.linalg.eigvalsh(self.inertia) > 0)):
            raise errors.held_without_inertia(self.mass)
        if not isinstance(pose, Pose):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise errors.wrong_type("unified.Held", "pose", "a Pose, that of the mass centre", pose)
        self.pose = pose
        self.f_ext = np.zeros(6) if f_ext is None else real(f_ext, "unified.Held", "f_ext", "six numbers")
        if self.f_ext.shape[-1:] != (6,):
            raise errors.shape("unified.Held", "f_ext", "a force", "(*batch, 6)", self.f_ext.shape)

    def M_o(self) -> Floats:
        """diag[I, m], (*batch, 6, 6). [SM03 32]"""
        R = self.pose.rotation
        out = np.zeros((*R.shape[:-2], 6, 6))
        out[..., :3, :3] = R @ self.inertia @ np.swapaxes(R, -1, -2)
        out[..., 3:, 3:] = self.mass * np.eye(3)
        return out

    def W(self, model: Model) -> Floats:
        """The grip: from V° to the frames' velocities, (*batch, 6m, 6); of full column rank, not square. [SM03 29]"""
        return np.concatenate([_carried(arm) for arm in self._arms(model)], axis=-2)

    def V_o(self, model: Model) -> Floats:
        """V°, of the frames' velocities, (*batch, 6); refused where the frames do not move as one body. [SM03 34]"""
        W = self.W(model)
        V_e = np.concatenate([model.robot.velocity(model.q, model.v, name) for name in model.frames], axis=-1)
        W_T = np.swapaxes(W, -1, -2)
        V_o = np.asarray(np.linalg.solve(W_T @ W, W_T @ V_e[..., None])[..., 0], dtype=np.float64)  # [RK88 II 2.8a]
        slip = abs((W @ V_o[..., None])[..., 0] - V_e).max(axis=-1, initial=0.0)
        if np.any(slip > _SLIP * np.maximum(1.0, abs(V_e).max(axis=-1, initial=0.0))):
            raise errors.frames_slip(float(np.max(slip)))
        return V_o

    def W_dot_V(self, model: Model, V_o: Floats) -> Floats:
        """Ẇ V° = col[0; ω × (ω × l)], (*batch, 6m). [SM03 35]"""
        w, parts = V_o[..., :3], list[Floats]()
        for arm in self._arms(model):
            turned = np.cross(w, np.cross(w, arm))
            parts += [np.zeros_like(turned), turned]
        return np.concatenate(parts, axis=-1)

    def b_o(self, model: Model, V_o: Floats) -> Floats:
        """[ω × I ω; 0], less weight and the other force, (*batch, 6). [SM03 32]"""
        w = V_o[..., :3]
        gyroscopic = np.cross(w, (self.M_o()[..., :3, :3] @ w[..., None])[..., 0])
        weight = np.broadcast_to(self.mass * model.robot.gravity, gyroscopic.shape)
        return np.concatenate([gyroscopic, -weight], axis=-1) - self.f_ext

    def _arms(self, model: Model) -> list[Floats]:
        """From the mass centre to each frame."""
        return [model.robot.pose(model.q, name).position - self.pose.position for name in model.frames]


def _carried(arm: Floats) -> Floats:
    """φ*: the velocity of a rigid body, at a point that is `arm` away."""
    out = np.broadcast_to(np.eye(6), (*arm.shape[:-1], 6, 6)).copy()
    x, y, z = (arm[..., i] for i in range(3))
    out[..., 3, 1], out[..., 3, 2], out[..., 4, 2] = z, -y, x
    out[..., 4, 0], out[..., 5, 0], out[..., 5, 1] = -z, y, -x
    return out
