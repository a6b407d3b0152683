"""What a MuJoCo model asks for that phipsi does not do, noted by name."""

from __future__ import annotations

from typing import Any

import numpy as np

from phipsi.model.file_report import FileReport


def remark(model: Any, report: FileReport) -> None:
    """Notes everything in a compiled `mujoco.MjModel` that the robot will not have."""
    _contacts(model, report)
    for kind, count, named in (
        ("tendon", model.ntendon, model.tendon),
        ("equality", model.neq, model.equality),
        ("actuator", model.nu, model.actuator),
        ("sensor_mjcf", model.nsensor, model.sensor),
    ):
        for k in range(count):
            report.note(kind, _called(named(k).name, kind.partition("_")[0], k))
    for k in range(model.nflex):
        report.note("flex", f"flex {k}")
    for k in range(model.nplugin):
        report.note("plugin", f"plugin {k}")
    _fluid(model, report)
    _bodies(model, report)
    _joints(model, report)


def _contacts(model: Any, report: FileReport) -> None:
    """Geoms that may touch something, by body: they seldom have names."""
    touching = (model.geom_contype != 0) | (model.geom_conaffinity != 0)
    for k in np.unique(model.geom_bodyid[touching]):
        report.note("contact", _called(model.body(k).name, "body", k), "geoms of")
    for k in range(model.npair):
        report.note("contact", _called(model.pair(k).name, "pair", k))


def _fluid(model: Any, report: FileReport) -> None:
    option = model.opt
    for name in ("density", "viscosity"):
        if getattr(option, name):
            report.note("fluid", f"{name}={getattr(option, name):g}")
    if np.any(option.wind):
        report.note("fluid", "wind=({:g}, {:g}, {:g})".format(*option.wind))


def _bodies(model: Any, report: FileReport) -> None:
    for k in range(1, model.nbody):
        name = _called(model.body(k).name, "body", k)
        if model.body_gravcomp[k]:
            report.note("gravcomp", name)
        if model.body_mocapid[k] >= 0:
            report.note("mocap", name)


def _joints(model: Any, report: FileReport) -> None:
    """Properties that phipsi's joints do not have."""
    stiffness, damping = _polynomial(model, "jnt_stiffnesspoly"), _polynomial(model, "dof_dampingpoly")
    for j in range(model.njnt):
        name = _called(model.joint(j).name, "joint", j)
        dof = int(model.jnt_dofadr[j])  # all dofs of a joint share their damping
        if np.any(stiffness[j : j + 1]) or np.any(damping[dof : dof + 1]):
            report.note("polynomial", name)
        if model.jnt_type[j] < 2 and (model.jnt_limited[j] or model.jnt_stiffness[j]):
            report.note("quaternion", name)
        low, high = model.jnt_actfrcrange[j]
        if model.jnt_actfrclimited[j] and low != -high:
            report.note("one_sided", name)


def _polynomial(model: Any, name: str) -> Any:
    """Coefficients of the second and third power; MuJoCo before version 4 has none."""
    return getattr(model, name, np.zeros((0, 2)))


def _called(name: str, kind: str, index: int) -> str:
    return repr(name) if name else f"{kind} {index}"
