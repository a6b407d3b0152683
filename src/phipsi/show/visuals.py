"""What a URDF's <visual> elements look like: boxes, cylinders, spheres, and meshes from STL and OBJ files."""

from __future__ import annotations

import os
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from phipsi import errors
from phipsi.model.file_report import FileReport, caller_level
from phipsi.model.file_source import read_source
from phipsi.model.pose import Pose
from phipsi.model.urdf_words import Words
from phipsi.model.urdf_xml import Element, parse

from .geometry import TRUNK, Color, Shape
from .meshes import Mesh, MeshError, read_mesh

if TYPE_CHECKING:
    from phipsi.model.robot import Robot


def visuals(
    robot: Robot, path: str | os.PathLike[str], package_dirs: Sequence[str | os.PathLike[str]] = ()
) -> tuple[list[Shape], list[Mesh]]:
    """The shapes of a robot's links as its URDF draws them, in the layer "meshes", and the meshes that they use.

    Links that were merged into others are drawn where their frames are. What cannot be read is said in one warning for
    each file, and the link keeps its capsule.
    """
    name, content = read_source(os.fspath(path))
    reader = _Reader(robot, FileReport(name), Path(path).resolve().parent, [Path(d) for d in package_dirs])
    reader.robot_element(parse(content, reader.report))
    return reader.shapes, reader.meshes


class _Reader(Words):
    def __init__(self, robot: Robot, report: FileReport, folder: Path, packages: list[Path]) -> None:
        super().__init__(report)
        self.robot, self.folder, self.packages = robot, folder, packages
        self.known = {*robot.frame_names, "world"}
        self.colors: dict[str, Color] = {}
        self.shapes: list[Shape] = []
        self.meshes: list[Mesh] = []
        self.read: dict[tuple[str, tuple[float, float, float]], int] = {}

    def robot_element(self, robot: Element) -> None:
        for element in robot.children:
            if element.tag == "material":
                self._material(element)
        for link in robot.children:
            if link.tag == "link" and link.attributes.get("name") in self.known:
                body, at = self.robot.frame(link.attributes["name"])
                for child in link.children:
                    if child.tag == "visual":
                        self._visual(child, body, at)

    def _visual(self, visual: Element, body: int, at: Pose) -> None:
        parts = {child.tag: child for child in visual.children}
        color = self._material(parts["material"]) if "material" in parts else TRUNK
        for geometry in parts["geometry"].children if "geometry" in parts else ():
            self._geometry(geometry, body, at @ self._origin(parts.get("origin")), color)

    def _geometry(self, element: Element, body: int, at: Pose, color: Color) -> None:
        if element.tag == "box":
            self.shapes.append(Shape("box", body, at, self.triple(element, "size"), color, "meshes"))
        elif element.tag == "sphere":
            self.shapes.append(Shape("capsule", body, at, (self.number(element, "radius"), 0.0, 0.0), color, "meshes"))
        elif element.tag in ("cylinder", "capsule"):
            size = (self.number(element, "radius"), self.number(element, "length"), 0.0)
            kind = "cylinder" if element.tag == "cylinder" else "capsule"
            self.shapes.append(Shape(kind, body, at, size, color, "meshes"))
        elif element.tag == "mesh":
            scale = self.triple(element, "scale") if "scale" in element.attributes else (1.0, 1.0, 1.0)
            self._mesh(self.word(element, "filename"), scale, body, at, color)

    def _origin(self, element: Element | None) -> Pose:
        if element is None:
            return Pose()
        given = element.attributes
        position = self.triple(element, "xyz") if "xyz" in given else (0.0, 0.0, 0.0)
        return Pose(position, rpy=self.triple(element, "rpy") if "rpy" in given else (0.0, 0.0, 0.0))

    def _material(self, element: Element) -> Color:
        """Its colour, also remembered by its name; textures are not shown."""
        name = element.attributes.get("name", "")
        for child in element.children:
            if child.tag == "color" and "rgba" in child.attributes:
                red, green, blue, _ = self.numbers(child, "rgba", 4)
                self.colors[name] = (red, green, blue)
        return self.colors.get(name, TRUNK)

    def _mesh(self, name: str, scale: tuple[float, float, float], body: int, at: Pose, color: Color) -> None:
        if (name, scale) not in self.read:
            try:
                self.meshes.append(read_mesh(self._found(name), scale))
            except MeshError as problem:
                warnings.warn(errors.bad_mesh(name, str(problem)), errors.FileWarning, stacklevel=caller_level())
                self.read[name, scale] = -1
            else:
                self.read[name, scale] = len(self.meshes) - 1
        k = self.read[name, scale]
        if k >= 0:
            x, y, z = (2 * np.abs(self.meshes[k].corners).max(axis=(0, 1))).tolist()
            self.shapes.append(Shape("mesh", body, at, (x, y, z), color, "meshes", k))

    def _found(self, name: str) -> Path:
        """Where package://, file:// and relative names lead."""
        if name.startswith("package://"):
            rest = name.removeprefix("package://")
            inside = rest.partition("/")[2]
            places = [d / rest for d in self.packages] + [d / inside for d in self.packages]
            for folder in (self.folder, *self.folder.parents):
                places += [folder / rest, folder / inside]
        else:
            places = [self.folder / name.removeprefix("file://")]
        found = next((place for place in places if place.is_file()), None)
        if found is None:
            raise MeshError("there is no such file; package_dirs= says where packages are")
        return found
