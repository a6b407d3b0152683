"""Rigid inertias: Payload and the shapes it may have, adding bodies together, and what makes an inertia possible."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.model.reading import Bools, Floats, number, read_only, real, vector

# Relative slack: files round their numbers.
TOLERANCE = 1e-6


def inertia_matrix(value: ArrayLike | None, where: str) -> Floats:
    """An inertia as users write it: (3, 3), or three principal moments along the body's axes, or None for none."""
    if value is None:
        return np.zeros((3, 3))
    expected = "numbers of shape (3, 3), or 3 principal moments along the body's axes"
    array = real(value, where, "inertia", expected)
    if array.shape == (3,):
        return np.diag(array)
    if array.shape != (3, 3):
        raise errors.model_shape(where, "inertia", expected, array.shape)
    return array.copy()


@dataclass(frozen=True, init=False, eq=False)
class Payload:
    """A rigid body to weld to a robot: `mass`, mass centre `com` in its own frame, `inertia` about the mass centre.

    >>> Payload.sphere(2.0, radius=0.1).inertia.diagonal()
    array([0.008, 0.008, 0.008])
    """

    mass: float
    com: Floats
    inertia: Floats

    def __init__(self, mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike | None = None) -> None:
        weight = number(mass, "Payload", "mass")
        centre = np.array(vector(com, 3, "Payload", "com"))
        moments = inertia_matrix(inertia, "Payload")
        (moments,) = validate(np.array([weight]), centre[None], moments[None], ["payload"])
        for name, value in {"mass": weight, "com": read_only(centre), "inertia": read_only(moments)}.items():
            object.__setattr__(self, name, value)

    @classmethod
    def point(cls, mass: float, com: ArrayLike = (0.0, 0.0, 0.0)) -> Payload:
        """All mass in one point."""
        return cls(mass, com)

    @classmethod
    def sphere(cls, mass: float, radius: float, com: ArrayLike = (0.0, 0.0, 0.0)) -> Payload:
        """A solid ball: I = 2/5 m r²."""
        m, r = number(mass, "Payload.sphere", "mass"), number(radius, "Payload.sphere", "radius")
        return cls(m, com, np.full(3, 0.4 * m * r * r))

    @classmethod
    def box(cls, mass: float, size: ArrayLike, com: ArrayLike = (0.0, 0.0, 0.0)) -> Payload:
        """A solid box with edges `size` along the axes: Ixx = m (y² + z²) / 12, and so on."""
        m = number(mass, "Payload.box", "mass")
        return cls(m, com, m * box_moments(vector(size, 3, "Payload.box", "size")))

    @classmethod
    def cylinder(cls, mass: float, radius: float, length: float, com: ArrayLike = (0.0, 0.0, 0.0)) -> Payload:
        """A solid cylinder along z: Izz = m r² / 2, Ixx = Iyy = m (3 r² + l²) / 12."""
        where = "Payload.cylinder"
        m, r, z = number(mass, where, "mass"), number(radius, where, "radius"), number(length, where, "length")
        across = m * (3 * r * r + z * z) / 12
        return cls(m, com, (across, across, m * r * r / 2))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Payload):
            return NotImplemented
        same = self.mass == other.mass and np.array_equal(self.com, other.com)
        return bool(same and np.array_equal(self.inertia, other.inertia))

    def __hash__(self) -> int:
        return hash((self.mass, tuple(self.com.tolist())))


def box_moments(size: Floats) -> Floats:
    """Principal moments of solid boxes of unit mass and edges `size`, shape (*batch, 3)."""
    squares = size**2
    return (squares.sum(axis=-1, keepdims=True) - squares) / 12.0


def about(displacement: Floats) -> Floats:
    """|d|² 1 - d dᵀ: what a unit mass at d adds to an inertia, shape (*batch, 3, 3)."""
    d = displacement
    return np.einsum("...i,...i->...", d, d)[..., None, None] * np.eye(3) - d[..., :, None] * d[..., None, :]


def gather(
    onto: np.ndarray[tuple[int], np.dtype[np.intp]], count: int, mass: Floats, com: Floats, inertia: Floats
) -> tuple[Floats, Floats, Floats]:
    """Welds bodies together: row i (in the axes of body onto[i]) is added to body onto[i]; returns `count` bodies.

    m = Σ mᵢ, c = Σ mᵢ cᵢ / m, I = Σ Iᵢ + mᵢ (|cᵢ - c|² 1 - (cᵢ - c)(cᵢ - c)ᵀ).
    """
    total, centre, moments = np.zeros(count), np.zeros((count, 3)), np.zeros((count, 3, 3))
    np.add.at(total, onto, mass)
    np.add.at(centre, onto, mass[:, None] * com)
    massive = total > 0.0
    centre[massive] /= total[massive, None]
    np.add.at(moments, onto, inertia + mass[:, None, None] * about(com - centre[onto]))
    return total, centre, moments


def validate(mass: Floats, com: Floats, inertia: Floats, names: Sequence[str], strict: bool = True) -> Floats:
    """Refuses bodies that cannot exist and warns of doubtful ones; returns the inertias exactly symmetric.

    mass >= 0; inertia symmetric, positive semidefinite, and no principal moment larger than the sum of the others
    (they are integrals of y² + z² and so on). Legal, with a warning: two zero moments (a body for planar motion),
    and inertia without mass (a rotor). With `strict=False` an impossible inertia is a warning too.
    """
    _refuse(~np.isfinite(mass), names, lambda k: f"mass is {mass[k]}", "Give a finite number of kilograms.")
    _refuse(mass < 0.0, names, lambda k: f"mass is {mass[k]:.6g}, less than zero", "Give a mass >= 0.")
    _refuse(~_finite(com), names, lambda k: f"com is {com[k].tolist()}", "Give three finite numbers.")
    flat = inertia.reshape(-1, 9)
    _refuse(~_finite(flat), names, lambda k: "inertia is not finite", "Give nine finite numbers.")
    size = np.abs(flat).max(axis=-1)
    skew = np.abs(inertia - np.swapaxes(inertia, -1, -2)).reshape(-1, 9).max(axis=-1)
    _refuse(
        skew > TOLERANCE * size,
        names,
        lambda k: f"inertia is not symmetric: I and I.T differ by {skew[k]:.3g}",
        "Check the products of inertia (Ixy = Iyx).",
    )
    inertia = inertia / 2.0 + np.swapaxes(inertia, -1, -2) / 2.0  # no overflow
    scale = np.where(size > 0.0, size, 1.0)
    moments = np.linalg.eigvalsh(inertia / scale[:, None, None]) * scale[:, None]  # ascending; no overflow
    low, middle, high = moments.T
    _refuse(
        low < -TOLERANCE * size,
        names,
        lambda k: f"inertia is not positive: its principal moments are {_three(moments[k])}",
        "Check the signs of the products of inertia.",
        strict,
    )
    planar = (middle <= TOLERANCE * high) & (high > 0.0)
    _refuse(
        (high - low - middle > TOLERANCE * high) & ~planar & (low >= -TOLERANCE * size),
        names,
        lambda k: (
            f"inertia breaks the triangle inequality: no body has the principal moments {_three(moments[k])}, "
            "the largest of which exceeds the sum of the others"
        ),
        "Check that it is taken about the mass centre, in body axes, with the right products of inertia.",
        strict,
    )
    for doubtful, warning in ((planar, errors.planar_inertia), (rotors(mass, size, planar), errors.rotor_without_mass)):
        if doubtful.any():
            warnings.warn(warning([names[k] for k in np.flatnonzero(doubtful).tolist()]), stacklevel=3)
    return inertia


def rotors(mass: Floats, size: Floats, planar: Bools) -> Bools:
    """Inertia without mass (a planar one has been warned of already)."""
    return (mass == 0.0) & (size > 0.0) & ~planar


def _finite(rows: Floats) -> Bools:
    return np.array(np.isfinite(rows).all(axis=-1), dtype=np.bool_)


def _three(moments: Floats) -> str:
    return f"({', '.join(f'{x:.6g}' for x in moments)})"


def _refuse(bad: Bools, names: Sequence[str], problem: Callable[[int], str], remedy: str, strict: bool = True) -> None:
    """Raises (or warns) for the first bad body, saying how many others there are."""
    if bad.any():
        first = int(np.argmax(bad))
        error = errors.inertia(names[first], problem(first), remedy, int(bad.sum()) - 1)
        if strict:
            raise error
        warnings.warn(errors.doubtful_inertia(str(error)), stacklevel=4)
