"""RK88, part II, section 4: where Ω is singular. Its conjecture holds, and accelerations are unique; on planar arms."""

from __future__ import annotations

import numpy as np

from phipsi.model.builder import Builder
from phipsi.model.joints import Revolute
from phipsi.model.pose import Pose
from phipsi.model.robot import Robot
from phipsi.papers.row import Row, Section
from phipsi.reference.description import Array
from phipsi.reference.spatial import solve

from .grasped import Grasped


class Planar(Grasped):
    """Arms of three joints in a plane: each can only yield in three directions of six, and Ω is singular always."""

    def _arm_of_chance(self, rng: np.random.Generator) -> Robot:
        builder = Builder("arm", gravity=(0, 0, 0))
        for k in range(3):
            at = Pose((*rng.normal(size=2).tolist(), 0.0) if k == 0 else (0.5, 0, 0))
            inertia = np.diag(rng.uniform(0.05, 0.1, size=3))
            parent = "world" if k == 0 else f"link{k - 1}"
            builder.body(f"link{k}", parent, Revolute((0, 0, 1)), at, rng.uniform(0.5, 2), (0.25, 0.05, 0), inertia)
        return builder.frame("tip", "link2", Pose((0.4, 0, 0))).build()


def planar(rng: np.random.Generator) -> Grasped:
    """Two or three arms in a plane that hold an object rigidly, away from singular positions of the arms themselves."""
    while True:
        found = Planar(rng, ("rigid",) * int(rng.integers(2, 4)))
        tips = [found.robot.jacobian(found.q, f"{name}/tip") for name in found.names]
        if min(np.linalg.svd(J, compute_uv=False)[2] for J in tips) > 0.2:
            return found


def _resolved(o: Grasped) -> tuple[Array, Array, Array]:
    """Of a singular Ω: its null space, the right side of (4.9d), and the least of the forces that solve it."""
    right = o.free_tips + o.yielding_b - o.a_C
    values, vectors = np.linalg.eigh(o.Omega)
    regular = values > 1e-10 * values[-1]
    kept = vectors[:, regular]
    return vectors[:, ~regular], right, kept @ ((kept.T @ right) / values[regular])


def _lost(o: Grasped) -> tuple[Array, Array]:
    """The null space of Ω, and of [J A]*: their projections."""
    null = _resolved(o)[0]
    _, values, directions = np.linalg.svd(np.concatenate([o.J, o.A], axis=1).T)
    other = directions[int((values > 1e-10 * values[0]).sum()) :].T
    return null @ null.T, other @ other.T


PART_2_4_SINGULAR = Section("II.4s", "Part II, section 4: where Ω is singular", planar, (
    Row("II 4, null", "null Ω = {f: Jᵢ* fᵢ = 0, Σ φ(C, Oᵢ) fᵢ = 0}: regular iff the φ(C, Oᵢ) null Jᵢ* are independent",
        lambda o: [_lost(o), (float(_resolved(o)[0].shape[1]), 3.0 * (o.count - 1))],
        note="ours; a single singular arm does no harm"),
    Row("II 4, conjecture", "the right side of (4.9d) starts and remains in the image of Ω",
        lambda o: (_resolved(o)[0].T @ _resolved(o)[1], np.zeros(_resolved(o)[0].shape[1])), title="Conjecture",
        note="true along every motion; false for arbitrary velocities of an isolated singular position"),
    Row("II 4, uniqueness", "θ̈ = θ̈_f - 𝓜⁻¹ J* Ω⁺ [α_f(0) + A M⁻¹(C) b(C) - a(C)]; f(0) is unique up to null Ω",
        lambda o: [(o.free_joints - o.Mass_inverse @ o.J.T @ _resolved(o)[2], o.W_dot),
                   (solve(o.M_C, o.A.T @ _resolved(o)[2] - o.b_C), o.alpha_C)], note="ours"),
))  # fmt: skip
