"""Pose: where a frame is, a rotation and a position, one or a batch of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, NoReturn, cast, overload

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phipsi import errors
from phipsi.model.reading import Floats, read_only, trailing
from phipsi.model.rotation import from_quaternion, from_rpy, nearest, to_quaternion, to_rpy

_REMEDY = "A pose has no setters: build another one, Pose(position=..., rotation=...)."


class Pose:
    """A rigid displacement x ↦ R x + p, or a batch of them.

    `rotation` R takes child axes to parent axes, `position` p is the child's origin in parent axes, so
    ``parent_pose @ child_pose`` chains them and ``pose @ points`` moves points. Give the rotation once: as a matrix
    (3, 3), as `quaternion` [w, x, y, z] (read by its direction, any length), or as `rpy`, URDF's fixed-axis roll,
    pitch, yaw: R = Rz(yaw) Ry(pitch) Rx(roll). Leading axes are the batch, broadcast by NumPy's rules.

    A matrix within 1e-6 of a rotation is replaced by the nearest rotation; further away is an error. Immutable.

    >>> half_turn = Pose((0, 0, 0.3), rpy=(0, 0, np.pi))
    >>> (half_turn @ [1, 0, 0]).round(12)
    array([-1. ,  0. ,  0.3])
    >>> half_turn @ half_turn.inv == Pose.identity()
    True
    """

    __slots__ = ("_position", "_rotation")
    __array_ufunc__ = None  # ndarray @ pose is not a pose
    _position: Floats
    _rotation: Floats

    def __init__(
        self,
        position: ArrayLike = (0.0, 0.0, 0.0),
        rotation: ArrayLike | None = None,
        *,
        quaternion: ArrayLike | None = None,
        rpy: ArrayLike | None = None,
    ) -> None:
        ways = {"rotation": rotation, "quaternion": quaternion, "rpy": rpy}
        given = [way for way, value in ways.items() if value is not None]
        if len(given) > 1:
            raise errors.several_rotations("Pose", given)
        p = trailing(position, (3,), "Pose", "position")
        r = np.eye(3)
        if rotation is not None:
            r = nearest(trailing(rotation, (3, 3), "Pose", "rotation"))
        elif quaternion is not None:
            r = from_quaternion(trailing(quaternion, (4,), "Pose", "quaternion"))
        elif rpy is not None:
            r = from_rpy(trailing(rpy, (3,), "Pose", "rpy"))
        try:
            batch = np.broadcast_shapes(p.shape[:-1], r.shape[:-2])
        except ValueError:
            raise errors.broadcast("Pose", {"position": p.shape[:-1], given[0]: r.shape[:-2]}) from None
        self._set(np.broadcast_to(r, (*batch, 3, 3)).copy(), np.broadcast_to(p, (*batch, 3)).copy())

    def _set(self, rotation: Floats, position: Floats) -> None:
        object.__setattr__(self, "_rotation", read_only(rotation))
        object.__setattr__(self, "_position", read_only(position))

    @classmethod
    def trusted(cls, rotation: Floats, position: Floats) -> Pose:
        """A pose from arrays that are known to be right: nothing is checked or copied, and they become read-only."""
        pose = object.__new__(cls)
        pose._set(rotation, position)
        return pose

    @classmethod
    def identity(cls, batch: tuple[int, ...] = ()) -> Pose:
        """The pose of a frame in itself."""
        return cls(np.zeros((*batch, 3)))

    @classmethod
    def from_matrix(cls, matrix: ArrayLike) -> Pose:
        """From homogeneous matrices [[R, p], [0, 1]] of shape (*batch, 4, 4)."""
        m = trailing(matrix, (4, 4), "Pose.from_matrix", "matrix")
        if not np.allclose(m[..., 3, :], (0, 0, 0, 1), rtol=0, atol=1e-9):
            raise errors.model("Pose.from_matrix: the last row of a pose's matrix must be (0, 0, 0, 1).")
        return cls(m[..., :3, 3], m[..., :3, :3])

    @classmethod
    def stack(cls, poses: Sequence[Pose]) -> Pose:
        """Equal-shaped poses along a new leading axis."""
        if len(poses) == 0:
            return cls.identity((0,))
        return cls.trusted(np.stack([x.rotation for x in poses]), np.stack([x.position for x in poses]))

    @property
    def position(self) -> Floats:
        """p, the origin, shape (*batch, 3). Read-only."""
        return self._position

    @property
    def rotation(self) -> Floats:
        """R, child axes to parent axes, shape (*batch, 3, 3). Read-only."""
        return self._rotation

    @property
    def quaternion(self) -> Floats:
        """[w, x, y, z], unit, w >= 0, shape (*batch, 4)."""
        return to_quaternion(self._rotation)

    @property
    def rpy(self) -> Floats:
        """URDF's roll, pitch, yaw, shape (*batch, 3); pitch in [-π/2, π/2], and roll = 0 where it is ±π/2."""
        return to_rpy(self._rotation)

    @property
    def matrix(self) -> Floats:
        """[[R, p], [0, 1]], shape (*batch, 4, 4)."""
        m = np.zeros((*self.shape, 4, 4))
        m[..., :3, :3] = self._rotation
        m[..., :3, 3] = self._position
        m[..., 3, 3] = 1.0
        return m

    @property
    def inv(self) -> Pose:
        """The parent as the child sees it: (Rᵀ, -Rᵀ p)."""
        transposed = np.swapaxes(self._rotation, -1, -2).copy()
        return Pose.trusted(transposed, -np.einsum("...ij,...j->...i", transposed, self._position))

    @property
    def shape(self) -> tuple[int, ...]:
        """The batch axes; () for a single pose."""
        return self._position.shape[:-1]

    @overload
    def __matmul__(self, other: Pose) -> Pose: ...
    @overload
    def __matmul__(self, other: NDArray[Any] | Sequence[Any]) -> Floats: ...
    def __matmul__(self, other: Pose | NDArray[Any] | Sequence[Any]) -> Pose | Floats:
        """`pose @ pose` chains; `pose @ points`, points (*batch, 3), moves points. Batches broadcast."""
        points = other.position if isinstance(other, Pose) else trailing(other, (3,), "pose @ points", "points")
        try:
            moved = np.einsum("...ij,...j->...i", self._rotation, points) + self._position
        except ValueError:
            raise errors.broadcast("Pose @", {"left": self.shape, "right": points.shape[:-1]}) from None
        if not isinstance(other, Pose):
            return moved
        return Pose.trusted(self._rotation @ other.rotation, moved)

    def __getitem__(self, index: Any) -> Pose:
        """Index the batch axes."""
        if not self.shape:
            raise IndexError("a single pose has no batch axes to index")
        # spelling out the trailing axes keeps an Ellipsis among the batch axes
        keys = cast("tuple[Any, ...]", index) if isinstance(index, tuple) else (index,)
        position = self._position[(*keys, slice(None))]
        rotation = self._rotation[(*keys, slice(None), slice(None))]
        return Pose.trusted(rotation, position)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("a single pose has no length")
        return self.shape[0]

    def __iter__(self) -> Iterator[Pose]:
        return (self[k] for k in range(len(self)))

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> NDArray[Any]:
        return self.matrix.astype(dtype) if dtype is not None else self.matrix

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Pose):
            return NotImplemented
        same = np.array_equal(self._position, other._position) and np.array_equal(self._rotation, other._rotation)
        return bool(same)

    def __hash__(self) -> int:
        return hash((self.shape, (self._position + 0.0).tobytes(), (self._rotation + 0.0).tobytes()))

    def isclose(self, other: Pose, tolerance: float = 1e-9) -> bool:
        """Whether the two agree to an absolute tolerance, in R and p alike."""
        return bool(
            np.allclose(self._position, other.position, rtol=0, atol=tolerance)
            and np.allclose(self._rotation, other.rotation, rtol=0, atol=tolerance)
        )

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise errors.immutable("Pose", name, _REMEDY)

    def __delattr__(self, name: str) -> NoReturn:
        raise errors.immutable("Pose", name, _REMEDY)

    def __reduce__(self) -> tuple[Any, ...]:
        return Pose.trusted, (np.array(self._rotation), np.array(self._position))

    def __copy__(self) -> Pose:
        return self

    def __deepcopy__(self, memo: object) -> Pose:
        return self

    def __repr__(self) -> str:
        if self.shape:
            return f"Pose(batch of shape {self.shape})"
        position, quaternion = (np.array2string(x, separator=", ") for x in (self.position, self.quaternion))
        return f"Pose(position={position}, quaternion={quaternion})"
