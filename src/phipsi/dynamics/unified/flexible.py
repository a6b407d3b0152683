"""Flexible links as chains of virtual elastic joints, and how fast they vibrate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.builder import Builder
from phipsi.model.inertia import Payload
from phipsi.model.joint import Joint
from phipsi.model.joints import Revolute
from phipsi.model.pose import Pose
from phipsi.model.reading import Bools, Floats, count, number, unit

if TYPE_CHECKING:
    from phipsi.model.robot import Robot

_ROOTS = (1.8751040687119611, 4.694091132974174, 7.854757438237613, 10.995540734875467, 14.13716839104647)


def flexible_beam(
    length: float,
    mass: float,
    bending_stiffness: float,
    segments: int,
    *,
    axis: ArrayLike = (0, 1, 0),
    joint: Joint | None = None,
    damping: float = 0.0,
    tip: Payload | None = None,
    gravity: ArrayLike = (0.0, 0.0, 0.0),
) -> Robot:
    """A flexible link along x: rigid pieces of a slender rod, between virtual elastic joints that bend about `axis`.

    `bending_stiffness` is E I in N m²; a piece of length h = length / segments bends in its middle, with the stiffness
    E I / h (`damping`: the same in N m² s). The joints "bend1", ... are passive, as SM03 wants; `joint` carries the
    root ("motor", active; by default the root is clamped), `tip` sits at the end, where the frame "tip" is. Each axis
    of bending is a beam of its own: `axis` is one direction across x. [SM03 C6], [SM03 C10]

    >>> import phipsi as pp
    >>> beam = pp.unified.flexible_beam(1.0, 0.5, 20.0, segments=8)
    >>> beam.nv, bool(beam.passive.all())
    (8, True)
    """
    where = "unified.flexible_beam"
    n = count(segments, where, "segments", "a number of segments")
    L, m, EI = (number(x, where, s) for x, s in ((length, "length"), (mass, "mass"),
                                                 (bending_stiffness, "bending_stiffness")))  # fmt: skip
    across = np.asarray(unit(axis, where, "axis"))
    if n < 1 or not (L > 0 and m > 0 and EI > 0) or abs(across[0]) > 1e-9:
        raise errors.no_beam(n, L, m, EI, across.tolist())
    if joint is not None and not isinstance(joint, Joint):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type(where, "joint", "a joint, such as pp.Revolute((0, 0, 1))", joint)
    h = L / n
    builder = Builder("beam", gravity)
    parent, start = "world", Pose()
    if joint is not None:
        parent = "root"
        _rod(builder, parent, "world", joint.with_name("motor") if joint.name is None else joint, start, m, L, h / 2)
    for k in range(1, n + 1):
        at = Pose((h / 2 if k == 1 else h, 0, 0))
        bend = Revolute(across, name=f"bend{k}", stiffness=EI / h, damping=damping / h, passive=True)
        _rod(builder, f"piece{k}", parent, bend, at, m, L, h if k < n else h / 2)
        parent = f"piece{k}"
    builder.frame("tip", parent, Pose((h / 2, 0, 0)))
    made = builder.build()
    return made if tip is None else made.attach("tip", tip, "payload")


def _rod(
    builder: Builder, name: str, parent: str, joint: Joint, at: Pose, mass: float, length: float, piece: float
) -> None:
    """A piece of a slender rod along x, which starts at its joint."""
    m = mass * piece / length
    across = m * piece**2 / 12
    along = 1e-4 * across  # a thin rod's inertia about itself: no joint turns about it
    builder.body(name, parent, joint, at, m, (piece / 2, 0, 0), np.diag([along, across, across]))


def clamped_frequencies(length: float, mass: float, bending_stiffness: float) -> Floats:
    """The first five bending frequencies of a clamped beam, rad/s: (β_i)² √(E I / (m L³)), by Euler and Bernoulli.

    >>> import phipsi as pp
    >>> [round(float(w), 3) for w in pp.unified.clamped_frequencies(1.0, 1.0, 1.0)[:2]]
    [3.516, 22.034]
    """
    where = "unified.clamped_frequencies"
    L, m, EI = (number(x, where, s) for x, s in ((length, "length"), (mass, "mass"),
                                                 (bending_stiffness, "bending_stiffness")))  # fmt: skip
    for x, symbol in ((L, "length"), (m, "mass"), (EI, "bending_stiffness")):
        if not 0.0 < x < np.inf:
            raise errors.not_positive(where, symbol, x)
    return np.array(_ROOTS) ** 2 * np.sqrt(EI / (m * L**3))


def bending_frequencies(
    robot: Robot, q: ArrayLike | None = None, passive: str | Sequence[str] | ArrayLike | None = None
) -> Floats:
    """Frequencies of the passive dofs' small vibrations about q, active dofs held, rad/s, slowest first.

    √ of the eigenvalues of M_p⁻¹ s, where s is the stiffness of the joints; weight and damping are left out.
    q (*batch, nq), neutral by default → (*batch, Np).
    """
    where = "unified.bending_frequencies"
    mask = robot.passive if passive is None else robot.mask(passive, where)
    at = robot.neutral() if q is None else q
    stiffness = np.asarray(robot.stiffness)[mask]
    if not mask.any() or not np.all(stiffness >= 0):
        raise errors.nothing_bends(robot.name)
    mass = robot.mass_matrix(at)[..., mask, :][..., mask]
    fine: Bools = np.asarray(np.isfinite(mass).all(axis=(-2, -1)))[..., None]
    mass = np.where(fine[..., None], mass, np.eye(len(stiffness)))  # NaN stays in its state
    root = np.linalg.cholesky(np.linalg.inv(mass))  # M_p⁻¹ = R R*: the eigenvalues of R* s R are those of M_p⁻¹ s
    values = np.linalg.eigvalsh(np.swapaxes(root, -1, -2) @ (stiffness[:, None] * root))
    return np.where(fine, np.sqrt(np.maximum(values, 0.0)), np.nan)
