"""Plots of a run with matplotlib (the extra `plot`): sized for a column or a page, fonts that can be read in print."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from phipsi import errors
from phipsi.model.reading import Floats, one_of

from .charts import CURVES
from .quantities import Quantities
from .record import read

COLUMN, PAGE = 3.45, 7.1  # inches: the widths of a column and of a page in most journals
_ROW = 1.75
_STYLE: dict[str, Any] = {
    "font.size": 8.0,
    "axes.labelsize": 8.0,
    "axes.titlesize": 8.5,
    "legend.fontsize": 7.0,
    "xtick.labelsize": 7.0,
    "ytick.labelsize": 7.0,
    "axes.linewidth": 0.6,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.linewidth": 0.4,
    "grid.color": "#d5dae1",
    "lines.linewidth": 1.1,
    "legend.frameon": False,
    "legend.handlelength": 1.4,
    "figure.dpi": 150,
    "savefig.dpi": 300,
    "svg.fonttype": "none",
    "pdf.fonttype": 42,  # journals refuse Type 3
}
MOST_CURVES = len(CURVES)

Draw = Callable[[Quantities, Any, Sequence[str] | None], None]


def plot(
    run: Any,
    what: str | Sequence[str] | None = None,
    *,
    joints: Sequence[str] | None = None,
    state: int | None = None,
    columns: int | None = None,
    path: Any = None,
) -> Any:
    """A matplotlib figure of a run, a panel for each quantity: (*batch, T, …) of one `state` of a batch.

    what: any of "coordinates", "velocities", "torques", "energy", "energy drift", "momentum", "momentum drift",
    "base", "closure"; by default whatever this run has something to say about. One panel fills a column of a paper,
    several a page. `joints` picks joints by name; `path` saves the figure (.pdf, .svg, .png by its name).

    >>> import numpy as np, phipsi as pp
    >>> from types import SimpleNamespace
    >>> box = pp.zoo.box(gravity=(0, 0, 0))
    >>> q, v = box.random(3, rng=0)
    >>> run = SimpleNamespace(robot=box, t=np.arange(3.0), q=q, v=v)
    >>> len(pp.show.plot(run, ["base", "momentum"]).axes)
    2
    """
    figure_class, context = _matplotlib()
    record = read(run, None if state is None else state, "plot")
    if not record.states:
        raise errors.nothing_to_plot("states", "Its batch is empty.")
    told = Quantities(record)
    if what is not None and not isinstance(what, (str, list, tuple)):
        raise errors.option("plot", "what", what, tuple(PANELS))
    names = _available(told) if what is None else [what] if isinstance(what, str) else list(what)
    for name in names:
        one_of(name, tuple(PANELS), "plot", "what")
    count = max(1, len(names))
    wide = columns or (1 if count == 1 else 2)
    rows = -(-count // wide)
    with context(_STYLE):
        figure = figure_class(figsize=(COLUMN if wide == 1 else PAGE, _ROW * rows + 0.25), layout="constrained")
        for k, name in enumerate(names):
            axes = figure.add_subplot(rows, wide, k + 1)
            PANELS[name](told, axes, joints)
            axes.set_xlim(float(told.t[0]), float(told.t[-1]) if told.t[-1] > told.t[0] else float(told.t[0]) + 1)
            axes.set_xlabel("$t$ / s")
        if path is not None:
            figure.savefig(path)
    return figure


def _matplotlib() -> tuple[Any, Any]:
    """The classes that are needed; no global state is touched, so figures neither pile up nor open windows."""
    try:
        return importlib.import_module("matplotlib.figure").Figure, importlib.import_module("matplotlib").rc_context
    except ImportError:
        raise errors.missing_package("plot", "matplotlib", "plot") from None


# ── the panels ────────────────────────────────────────────────────────────────────────────────────────────────────────


def _curves(axes: Any, t: Floats, curves: Sequence[tuple[str, Floats]], quantity: str) -> None:
    for k, (name, values) in enumerate(curves):
        style = ("-", "--", ":")[k // MOST_CURVES % 3]
        label = name if "$" in name else name.replace("_", " ")
        axes.plot(t, values, style, color=CURVES[k % MOST_CURVES], label=label)
    axes.set_ylabel(quantity)
    if 1 < len(curves) <= 4:
        axes.legend(loc="best")
    elif 1 < len(curves) <= 2 * MOST_CURVES:  # beside the curves, where it hides none
        axes.legend(loc="center left", bbox_to_anchor=(1.0, 0.5), fontsize=5.5 if len(curves) <= MOST_CURVES else 4.5)


def _needs(curves: Sequence[tuple[str, Floats]], what: str, remedy: str) -> Sequence[tuple[str, Floats]]:
    if not curves:
        raise errors.nothing_to_plot(what, remedy)
    return curves


def _coordinates(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    curves = _needs(told.coordinates(joints), "scalar joints", 'Name some, or plot "velocities" or "base".')
    _curves(axes, told.t, curves, "$q$ / rad, m")


def _velocities(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    curves = _needs(told.velocities(joints), "scalar joints", "Name the joints whose velocities are meant.")
    _curves(axes, told.t, curves, "$v$ / rad/s, m/s")


def _torques(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    _curves(axes, told.t, _needs(told.torques(joints), "torques", "Nothing drove it."), "$τ$ / N m, N")


def _energy(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    curves = [("kinetic", told.kinetic), ("potential", told.potential), ("total", told.energy)]
    _curves(axes, told.t, curves, "energy / J")


def _momentum(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    h = told.momentum
    names = ("$h_x$", "$h_y$", "$h_z$", "$p_x$", "$p_y$", "$p_z$")
    _curves(axes, told.t, list(zip(names, h.T, strict=True)), "momentum / N m s, N s")


def _base(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    if told.base is None:
        raise errors.nothing_to_plot("base on a free joint", 'Load it with base="free", or plot "coordinates".')
    away, turned = told.base_motion
    curves = [*zip(("$x$", "$y$", "$z$"), away.T, strict=True), ("angle turned", turned)]
    _curves(axes, told.t, curves, "base motion / m, rad")


def _energy_drift(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    _decades(axes, told.t, told.drift(told.energy), r"$|E - E_0|$ / $\max|E|$")


def _momentum_drift(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    _decades(axes, told.t, told.drift(told.momentum), r"$|h - h_0|$ / $\max|h|$")


def _closure(told: Quantities, axes: Any, joints: Sequence[str] | None) -> None:
    if told.closure is None:
        raise errors.nothing_to_plot("closure error", "Only closed chains have one.")
    _decades(axes, told.t, told.closure, "closure error / m, rad")


def _decades(axes: Any, t: Floats, values: Floats, label: str) -> None:
    axes.plot(t, np.where(values > 0, values, np.nan), color=CURVES[0])
    if (values > 0).any():
        axes.set_yscale("log")
    axes.set_ylabel(label)


PANELS: dict[str, Draw] = {
    "coordinates": _coordinates,
    "velocities": _velocities,
    "torques": _torques,
    "base": _base,
    "energy": _energy,
    "energy drift": _energy_drift,
    "momentum": _momentum,
    "momentum drift": _momentum_drift,
    "closure": _closure,
}


def _available(told: Quantities) -> list[str]:
    """The panels that say something of this run."""
    free = told.floats and not told.robot.gravity.any()
    says = {
        "coordinates": bool(told.coordinates()),
        "velocities": bool(told.velocities()),
        "torques": bool(told.torques()),
        "base": told.base is not None,
        "energy": True,
        "energy drift": not told.driven,
        "momentum": free,
        "momentum drift": free,
        "closure": told.closure is not None,
    }
    return [name for name, shown in says.items() if shown]
