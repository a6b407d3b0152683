"""URDF files become robots."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeAlias

from phipsi import errors
from phipsi.model.builder import Builder
from phipsi.model.file_report import FileReport
from phipsi.model.file_source import Source, check_base, read_source
from phipsi.model.joints import Fixed, Free, Joint, Planar, Prismatic, Revolute
from phipsi.model.properties import Mimic
from phipsi.model.robot import Robot
from phipsi.model.urdf_bodies import Bodies, UrdfBody, UrdfFrame, weigh
from phipsi.model.urdf_parse import UrdfJoint, UrdfModel, read_model
from phipsi.model.urdf_tree import WORLD_LINK, depth_first, float_world, free_joint_name
from phipsi.model.urdf_xml import parse

PackageDirs: TypeAlias = "str | os.PathLike[str] | Iterable[str | os.PathLike[str]]"


def load_urdf(path: Source, base: str = "fixed", package_dirs: PackageDirs = (), merge_fixed: bool = True) -> Robot:
    """The robot in a URDF file; `path` may also be a file opened for reading.

    base="fixed": the root link stands on the world, as a frame; its mass is of no consequence. base="free": it is
    body 0 on a free joint called "base" (or "root_joint", if the file has a joint "base"). A root link "world" is the
    world itself: with base="free" the link fastened to it floats, and q is the pose of that link in the world.
    Bodies are numbered depth first, branches in the order of the file.

    merge_fixed=True welds links behind fixed joints to their parents and keeps their names as frames; with False
    they stay bodies. A link without <inertial> has no mass, a missing axis is (1, 0, 0), <axis> of a planar joint is
    its normal. Inertias that no body can have are kept, with a warning. Meshes are never opened, so `package_dirs`
    changes nothing yet. What else the file asks for is ignored with a `FileWarning` that names it; the surprising
    one: mimic joints are free to move (`robot.mimic` keeps the relation).
    """
    check_base("load_urdf", base)
    name, content = read_source(path)
    return read_urdf(content, FileReport(name), base, merge_fixed)


def load_urdf_string(
    text: str | bytes, base: str = "fixed", package_dirs: PackageDirs = (), merge_fixed: bool = True
) -> Robot:
    """The robot in a URDF text; see `load_urdf`.

    >>> load_urdf_string('<robot name="stone"><link name="stone"/></robot>', base="free")
    <Robot 'stone': 1 body, nq = 7, nv = 6>
    """
    check_base("load_urdf_string", base)
    if not isinstance(text, (str, bytes)):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise errors.wrong_type("load_urdf_string", "text", "the text of a URDF", text)
    return read_urdf(text, FileReport("<string>"), base, merge_fixed)


def read_urdf(content: str | bytes, report: FileReport, base: str, merge_fixed: bool) -> Robot:
    """The robot in the content of a URDF file."""
    model = read_model(parse(content, report), report)
    root, joints = depth_first(model, report)
    floats = base == "free"
    if floats and root == WORLD_LINK:
        root, joints = float_world(model, root, joints, report)
        floats = root != WORLD_LINK
    bodies = Bodies(model, root, floats, merge_fixed)
    for joint in joints:
        bodies.add(joint)
    robot = _build(model, bodies, report)
    report.warn()
    return robot


def _build(model: UrdfModel, tree: Bodies, report: FileReport) -> Robot:
    builder = Builder(model.name)
    for body in tree.bodies:
        parent = tree.bodies[body.parent].link.name if body.parent >= 0 else "world"
        joint = Free(name=free_joint_name(model.joints)) if body.joint is None else _joint(body.joint, report)
        own = weigh(body, report)
        try:
            builder.body(body.link.name, parent, joint, body.placement.pose(), own.mass, own.com, own.inertia)
        except errors.ModelError as error:
            raise _refused(body, error, report) from error
    for frame in tree.frames:
        if frame.body < 0 and frame.link.name == WORLD_LINK:
            continue  # every robot has it
        parent = tree.bodies[frame.body].link.name if frame.body >= 0 else "world"
        try:
            builder.frame(frame.link.name, parent, frame.placement.pose())
        except errors.ModelError as error:
            raise _refused(frame, error, report) from error
    try:
        return builder.build(unphysical="warn")
    except errors.ModelError as error:
        raise report.error("model", reason=_sentence(error)) from error


def _joint(joint: UrdfJoint, report: FileReport) -> Joint:
    try:
        return _typed_joint(joint)
    except errors.PhipsiError as error:
        raise report.error("model", joint.line, f"joint {joint.name!r}", reason=_sentence(error)) from error


def _typed_joint(joint: UrdfJoint) -> Joint:
    if joint.type == "fixed":
        return Fixed(name=joint.name)
    if joint.type == "floating":
        return Free(name=joint.name)
    if joint.type == "planar":
        return Planar(joint.axis, name=joint.name)
    kind = Prismatic if joint.type == "prismatic" else Revolute
    return kind(
        joint.axis,
        name=joint.name,
        damping=joint.damping,
        friction=joint.friction,
        lower=joint.lower,
        upper=joint.upper,
        velocity_limit=joint.velocity,
        effort_limit=joint.effort,
        mimic=None if joint.mimic is None else Mimic(*joint.mimic),
    )


def _refused(body: UrdfBody | UrdfFrame, error: errors.ModelError, report: FileReport) -> errors.FileError:
    return report.error("model", body.link.line, f"link {body.link.name!r}", reason=_sentence(error))


def _sentence(error: Exception) -> str:
    """A message as part of another one."""
    return str(error).rstrip(".")
