"""Meshes of links: STL (text or binary) and OBJ files as triangles, with normals that keep sharp edges sharp."""

from __future__ import annotations

import base64
import os
from dataclasses import dataclass
from typing import Any

import numpy as np

from phipsi.model.reading import Floats, Ints

MOST_TRIANGLES = 200_000  # of one mesh: a page must still open
_CROWD = 64  # triangles around one point
_SHARP = 0.75  # cosine of the largest angle between faces that are shaded as one smooth surface


class MeshError(ValueError):
    """A file that holds no triangles that can be drawn; its message is part of a warning."""


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles: corners (t, 3, 3), and a normal at each corner, (t, 3, 3)."""

    corners: Floats
    normals: Floats

    def as_json(self) -> dict[str, Any]:
        """Positions in 16 bits within their box, normals in 8."""
        low, high = self.corners.min(axis=(0, 1)), self.corners.max(axis=(0, 1))
        centre, half = (low + high) / 2, np.maximum((high - low) / 2, 1e-12)
        points = np.asarray(np.round((self.corners - centre) / half * 32767), dtype=np.int16)
        normals = np.round(self.normals * 127).astype(np.int8)
        return {
            "centre": centre.tolist(),
            "half": half.tolist(),
            "points": base64.b64encode(points.tobytes()).decode("ascii"),
            "normals": base64.b64encode(normals.tobytes()).decode("ascii"),
        }


def read_mesh(path: str | os.PathLike[str], scale: tuple[float, float, float] = (1.0, 1.0, 1.0)) -> Mesh:
    """The mesh in an .stl or .obj file, scaled."""
    name = os.fspath(path).lower()
    try:
        with open(path, "rb") as file:
            content = file.read()
    except OSError as problem:
        raise MeshError(problem.strerror or str(problem)) from problem
    if name.endswith(".stl"):
        corners = _stl(content)
    elif name.endswith(".obj"):
        corners = _obj(content)
    else:
        raise MeshError("only .stl and .obj files are read")
    corners = corners[np.isfinite(corners).all(axis=(1, 2))] * scale
    if np.prod(scale) < 0:
        corners = corners[:, ::-1]
    if not len(corners):
        raise MeshError("it has no triangles")
    if len(corners) > MOST_TRIANGLES:
        raise MeshError(f"it has {len(corners)} triangles, more than {MOST_TRIANGLES}")
    return smooth(corners)


def smooth(corners: Floats) -> Mesh:
    """Normals at the corners: the mean of the faces that meet there at a flat angle with the corner's own."""
    across = np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    size = np.linalg.norm(across, axis=1)
    corners, across, size = corners[size > 0], across[size > 0], size[size > 0]
    if not len(corners):
        raise MeshError("all of its triangles are flat")
    face = across / size[:, None]
    span = float(np.ptp(corners.reshape(-1, 3), axis=0).max())
    _, point = np.unique(np.round(corners.reshape(-1, 3) / (1e-6 * span)), axis=0, return_inverse=True)
    own, other = _meetings(point.reshape(-1))
    flat = np.einsum("mi,mi->m", face[own // 3], face[other // 3]) > _SHARP
    sums = np.zeros((3 * len(corners), 3))
    np.add.at(sums, own[flat], across[other[flat] // 3])
    length = np.linalg.norm(sums, axis=1, keepdims=True)
    return Mesh(corners, (sums / np.maximum(length, 1e-300)).reshape(-1, 3, 3))


def _meetings(point: Ints) -> tuple[Ints, Ints]:
    """All pairs of corners at one point, a corner with itself too; only with itself where far too many meet."""
    order = np.argsort(point, kind="stable")
    counts = np.bincount(point)
    counts = np.where(counts > _CROWD, 1, counts)
    start = np.concatenate([[0], np.cumsum(np.bincount(point))[:-1]])
    many = counts[point]
    own = np.repeat(np.arange(point.size), many)
    within = np.arange(own.size) - np.repeat(np.cumsum(many) - many, many)
    return own, np.where(many[own] > 1, order[start[point[own]] + within], own)


def _stl(content: bytes) -> Floats:
    """Binary: 80 bytes, a count, 50 bytes a triangle. Text: three `vertex x y z` a facet."""
    if len(content) >= 84:
        count = int(np.frombuffer(content, np.uint32, 1, 80)[0])
        if len(content) >= 84 + 50 * count and (count or not content.lstrip().startswith(b"solid")):
            rows = np.frombuffer(content, np.uint8, 50 * count, 84).reshape(count, 50)[:, 12:48]
            return np.ascontiguousarray(rows).view(np.float32).reshape(count, 3, 3).astype(np.float64)
    words = content.decode("utf-8", "replace").split()
    at = [k for k, word in enumerate(words) if word == "vertex"]
    try:
        numbers = np.array([[float(x) for x in words[k + 1 : k + 4]] for k in at])
        return numbers.reshape(-1, 3, 3)
    except ValueError:
        raise MeshError("it is no STL file, or is cut short") from None


def _obj(content: bytes) -> Floats:
    """`v x y z` and `f a b c …` with a, a/t, a//n or a/t/n, counted from 1, or from the end where negative."""
    points: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    try:
        for line in content.decode("utf-8", "replace").splitlines():
            word, *rest = line.split() or [""]
            if word == "v":
                points.append([float(x) for x in rest[:3]])
            elif word == "f":
                ring = [int(x.split("/")[0]) for x in rest]
                ring = [k - 1 if k > 0 else len(points) + k for k in ring]
                faces += [(ring[0], ring[i], ring[i + 1]) for i in range(1, len(ring) - 1)]
        return np.array(points).reshape(-1, 3)[np.array(faces, dtype=int).reshape(-1, 3)]
    except (ValueError, IndexError):
        raise MeshError("it is no OBJ file, or is cut short") from None
