"""phipsi's joints in URDF's words: one step, or several where a chain of URDF's joints is the same."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from phipsi.model.file_report import FileReport
from phipsi.model.joints import Joint, Planar
from phipsi.model.properties import Mimic
from phipsi.model.reading import Floats

# joints that no chain of URDF's joints equals: what URDF lacks, and what to use instead
_REFUSED = {
    "spherical": ("it has no ball joint", "a universal and a revolute joint"),
    "helical": ("it has no screw", "a revolute or a cylindrical joint"),
    "custom": ("it has no joints by columns of H*", "joints of the other types"),
    "planar": ("its planar joint has no x axis of its own", "one without x_axis, in a placement that is turned"),
}


@dataclass(slots=True)
class UrdfStep:
    """One <joint>."""

    name: str
    type: str
    axis: Floats | None = None
    lower: float = -math.inf
    upper: float = math.inf
    effort: float = math.inf
    velocity: float = math.inf
    damping: float = 0.0
    friction: float = 0.0
    mimic: Mimic | None = None

    @property
    def bounded(self) -> bool:
        """Has any limit."""
        return min(-self.lower, self.upper, self.effort, self.velocity) < math.inf


def steps(joint: Joint, name: str, report: FileReport) -> list[UrdfStep]:
    """The URDF joints that make up `joint`, from parent to child; their q and v, in this order, are the same."""
    axes = joint.parameters
    if joint.kind in ("fixed", "free"):
        return [UrdfStep(name, "fixed" if joint.kind == "fixed" else "floating")]
    if joint.kind == "planar" and np.allclose(axes, Planar(axes[:3]).parameters, rtol=0.0, atol=1e-12):
        return [UrdfStep(name, "planar", axes[:3])]
    if joint.kind == "revolute":
        return [_step(joint, 0, name, "revolute", axes)]
    if joint.kind == "prismatic":
        return [_step(joint, 0, name, "prismatic", axes)]
    if joint.kind == "cylindrical":
        turn = _step(joint, 0, f"{name}_angle", "revolute", axes)
        return [turn, _step(joint, 1, f"{name}_distance", "prismatic", axes)]
    if joint.kind == "universal":
        return [_step(joint, i, f"{name}_{i + 1}", "revolute", axes[3 * i : 3 * i + 3]) for i in range(2)]
    if joint.kind == "translational":
        return [_step(joint, i, f"{name}_{'xyz'[i]}", "prismatic", np.eye(3)[i]) for i in range(3)]
    lacks, instead = _REFUSED[joint.kind]
    raise report.error("no_urdf_joint", joint=repr(name), kind=joint.kind, lacks=lacks, instead=instead)


def _step(joint: Joint, dof: int, name: str, kind: str, axis: Floats) -> UrdfStep:
    """One dof of `joint` as a joint of its own."""
    lower, upper = joint.lower[dof], joint.upper[dof]
    if kind == "revolute" and math.isinf(lower) and math.isinf(upper):
        kind = "continuous"
    effort, velocity = joint.effort_limit[dof], joint.velocity_limit[dof]
    losses = joint.damping[dof], joint.friction[dof]
    return UrdfStep(name, kind, axis, lower, upper, effort, velocity, *losses, mimic=joint.mimic)


def has_bounds_or_losses(joint: Joint) -> bool:
    """Whether a joint has damping, friction or limits."""
    bounds = (*(-x for x in joint.lower), *joint.upper, *joint.effort_limit, *joint.velocity_limit)
    return any(joint.damping) or any(joint.friction) or min(bounds, default=math.inf) < math.inf
