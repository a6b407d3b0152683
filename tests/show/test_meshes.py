"""Meshes: STL both ways and OBJ, sharp edges, broken files, and the <visual> elements of a URDF."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

import phipsi as pp
from phipsi.show.meshes import Mesh, MeshError, read_mesh, smooth
from phipsi.show.visuals import visuals

CUBE = np.array([
    [(0, 0, 0), (0, 1, 0), (1, 1, 0)], [(0, 0, 0), (1, 1, 0), (1, 0, 0)], [(0, 0, 1), (1, 0, 1), (1, 1, 1)],
    [(0, 0, 1), (1, 1, 1), (0, 1, 1)], [(0, 0, 0), (1, 0, 0), (1, 0, 1)], [(0, 0, 0), (1, 0, 1), (0, 0, 1)],
    [(0, 1, 0), (0, 1, 1), (1, 1, 1)], [(0, 1, 0), (1, 1, 1), (1, 1, 0)], [(0, 0, 0), (0, 0, 1), (0, 1, 1)],
    [(0, 0, 0), (0, 1, 1), (0, 1, 0)], [(1, 0, 0), (1, 1, 0), (1, 1, 1)], [(1, 0, 0), (1, 1, 1), (1, 0, 1)],
], dtype=float)  # fmt: skip


def binary(corners: np.ndarray) -> bytes:
    rows = b"".join(struct.pack("<12fH", 0, 0, 0, *triangle.ravel(), 0) for triangle in corners)
    return b"solid but binary".ljust(80) + struct.pack("<I", len(corners)) + rows


def text(corners: np.ndarray) -> bytes:
    facets = "".join(
        "facet normal 0 0 0\nouter loop\n" + "".join(f"vertex {x} {y} {z}\n" for x, y, z in t) + "endloop\nendfacet\n"
        for t in corners
    )
    return f"solid cube\n{facets}endsolid cube\n".encode()


def obj(corners: np.ndarray) -> bytes:
    points = "".join(f"v {x} {y} {z}\n" for x, y, z in corners.reshape(-1, 3))
    last = 3 * len(corners) + 1  # the third corner is counted from the end
    faces = "".join(f"f {k}/1/1 {k + 1}//1 {k + 2 - last}\n" for k in range(1, last, 3))
    return ("# a cube\n" + points + faces).encode()


@pytest.mark.parametrize(("name", "written"), [("a.stl", binary), ("b.STL", text), ("c.obj", obj)])
def test_a_cube_is_read_with_its_sharp_edges(name: str, written: object, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(written(CUBE))  # type: ignore[operator]
    mesh = read_mesh(path, (1, 2, 1))
    np.testing.assert_allclose(mesh.corners, CUBE * [1, 2, 1], atol=1e-6)
    across = np.cross(CUBE[:, 1] - CUBE[:, 0], CUBE[:, 2] - CUBE[:, 0])
    np.testing.assert_allclose(mesh.normals, np.repeat(across[:, None], 3, axis=1), atol=1e-6)


def test_round_things_are_shaded_smoothly() -> None:
    a = np.linspace(0, 2 * np.pi, 41)
    low, high = (np.stack([np.cos(a), np.sin(a), z * np.ones(41)], axis=1) for z in (0, 1))
    rising, falling = (low[:-1], low[1:], high[1:]), (low[:-1], high[1:], high[:-1])
    mesh = smooth(np.concatenate([np.stack(rising, axis=1), np.stack(falling, axis=1)]))
    outward = mesh.corners * [1, 1, 0]
    np.testing.assert_allclose(np.einsum("tci,tci->tc", outward, mesh.normals), 1, atol=5e-3)


def test_polygons_and_mirrors(tmp_path: Path) -> None:
    path = tmp_path / "square.obj"
    path.write_text("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3 4\n")
    assert read_mesh(path).corners.shape == (2, 3, 3)
    np.testing.assert_allclose(read_mesh(path, (1, 1, -1)).normals[..., 2], -1)  # turned inside out, and back


@pytest.mark.parametrize(
    ("name", "content"),
    [("a.stl", b""), ("a.stl", b"solid x vertex 1 2 nothing"), ("a.stl", b"\0" * 84), ("a.obj", b"f 1 2 3"),
     ("a.obj", b"v 0 0 0\nv 0 0 0\nv 0 0 0\nf 1 2 3"), ("a.obj", b"v 1 2\nf 1 1 1"), ("a.dae", b"<COLLADA/>"),
     ("a.stl", b"x" * 80 + b"\xff\xff\xff\xff")],
)  # fmt: skip
def test_broken_files_say_so(name: str, content: bytes, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(MeshError):
        read_mesh(path)


def test_what_the_page_gets_is_within_16_bits() -> None:
    mesh = smooth(CUBE * [1, 1e-3, 10])
    facts = Mesh(mesh.corners, mesh.normals).as_json()
    assert facts["centre"] == pytest.approx([0.5, 5e-4, 5])
    assert facts["half"] == pytest.approx([0.5, 5e-4, 5])


URDF = """<robot name="drawn"><material name="red"><color rgba="1 0 0 1"/></material>
<link name="base"><visual><geometry><box size="1 2 3"/></geometry><material name="red"/></visual></link>
<link name="arm"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
<visual><origin xyz="0 0 1" rpy="0 0 0"/>
<geometry><mesh filename="package://drawn/meshes/cube.stl" scale="1 1 2"/></geometry></visual>
<visual><geometry><sphere radius="0.5"/></geometry></visual>
<visual><geometry><mesh filename="gone.stl"/></geometry></visual></link>
<link name="tool"><visual><geometry><cylinder radius="0.1" length="0.4"/></geometry></visual></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint>
<joint name="weld" type="fixed"><parent link="arm"/><child link="tool"/><origin xyz="0 0 2"/></joint></robot>"""


def test_visuals_stand_where_the_urdf_puts_them(tmp_path: Path) -> None:
    (tmp_path / "meshes").mkdir()
    (tmp_path / "meshes" / "cube.stl").write_bytes(binary(CUBE))
    path = tmp_path / "drawn.urdf"
    path.write_text(URDF)
    robot = pp.load(path)
    with pytest.warns(pp.FileWarning, match=r"gone\.stl: the mesh is not drawn: there is no such file"):
        shapes, meshes = visuals(robot, path)
    assert [(shape.kind, shape.body) for shape in shapes] == [("box", -1), ("mesh", 0), ("capsule", 0), ("cylinder", 0)]
    assert shapes[0].color == (1, 0, 0)
    np.testing.assert_allclose(shapes[1].pose.position, [0, 0, 1])
    np.testing.assert_allclose(shapes[3].pose.position, [0, 0, 2])
    assert meshes[0].corners.max() == 2
    with pytest.warns(pp.FileWarning):
        page = pp.view(robot, meshes=path, open=False)
    assert len(page.scene.meshes) == 1
    assert page.html.count('"points":"') == 1  # the mesh's; nothing leaves a trail
