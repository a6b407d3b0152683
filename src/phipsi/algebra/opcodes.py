"""The steps that the native executor knows, what each costs, and which sweeps can do it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

UP, DOWN = 0, 1
COPY, AXPY, SCALE, ZERO = 10, 11, 12, 13
DIRECTIONS = ("tips → base", "base → tips")

BODIES, JOINTS, FRAMES = 0, 1, 2  # spaces of registers


@dataclass(frozen=True)
class Step:
    """One opcode: the space of its result, the sweep that it needs (None: either), its flops for d dofs a joint."""

    name: str
    code: int
    gives: int
    direction: int | None
    flops: Callable[[float], float]


def _of(n: float) -> Callable[[float], float]:
    return lambda d: n


def _dofs(n: float, constant: float = 0.0) -> Callable[[float], float]:
    return lambda d: n * d + constant


SHIFT = 12.0  # φ(p, k) on six numbers: a cross product and a sum
_BAR = _dofs(23, 6)  # τ̄ = 1 − G H: d inner products, d multiples of six numbers, a difference


def _through(d: float) -> float:
    return _BAR(d) + SHIFT


STEPS = {
    step.name: step
    for step in (
        Step("H", 20, JOINTS, None, _dofs(11)),
        Step("H.T", 21, BODIES, None, _dofs(11)),
        Step("H_p", 22, JOINTS, None, _dofs(11)),
        Step("H_p.T", 23, BODIES, None, _dofs(11)),
        Step("H_a", 24, JOINTS, None, _dofs(11)),
        Step("H_a.T", 25, BODIES, None, _dofs(11)),
        Step("M", 30, BODIES, None, _of(42)),
        Step("P", 31, BODIES, None, _of(66)),
        Step("P_plus", 32, BODIES, None, lambda d: 66 + _BAR(d)),
        Step("Upsilon", 33, BODIES, None, _of(66)),
        Step("tau", 34, BODIES, None, _dofs(23)),
        Step("tau.T", 35, BODIES, None, _dofs(23)),
        Step("tau_bar", 36, BODIES, None, _BAR),
        Step("tau_bar.T", 37, BODIES, None, _BAR),
        Step("G", 40, BODIES, None, _dofs(11)),
        Step("G.T", 41, JOINTS, None, _dofs(11)),
        Step("D", 50, JOINTS, None, lambda d: d * (2 * d - 1)),
        Step("D.inv", 51, JOINTS, None, lambda d: d * (2 * d - 1)),
        Step("J", 52, JOINTS, None, _dofs(1)),
        Step("phi", 60, BODIES, UP, _of(SHIFT + 6)),
        Step("E_phi", 61, BODIES, UP, _of(SHIFT + 6)),
        Step("psi", 62, BODIES, UP, lambda d: _through(d) + 6),
        Step("E_psi", 63, BODIES, UP, lambda d: _through(d) + 6),
        Step("phi.T", 70, BODIES, DOWN, _of(SHIFT + 6)),
        Step("E_phi.T", 71, BODIES, DOWN, _of(SHIFT)),
        Step("psi.T", 72, BODIES, DOWN, lambda d: _through(d) + 6),
        Step("E_psi.T", 73, BODIES, DOWN, _through),
        Step("B", 80, BODIES, None, _of(0)),  # counted for each frame, not for each link
        Step("B.T", 81, FRAMES, None, _of(0)),
    )
}
BY_CODE = {step.code: step for step in STEPS.values()}

# Atoms that are several steps, the first to be done last
COMPOSED = {
    "K": ("E_phi", "G"),
    "K.T": ("G.T", "E_phi.T"),
    "phi_tilde": ("E_phi", "phi"),
    "phi_tilde.T": ("E_phi.T", "phi.T"),
    "psi_tilde": ("E_psi", "psi"),
    "psi_tilde.T": ("E_psi.T", "psi.T"),
    "Omega": ("psi.T", "H_p.T", "D.inv", "H_p", "psi"),
    "J_p": ("J",),
    "J_a": ("J",),
}
FLOPS_PER_FRAME = SHIFT + 6


def width(space: int, dofs: float) -> float:
    """How many numbers a link has in a space."""
    return {BODIES: 6.0, JOINTS: dofs, FRAMES: 0.0}[space]
