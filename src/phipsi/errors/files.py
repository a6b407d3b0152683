"""What is said of files: URDF, MJCF, descriptions. A sentence is named, and has two halves: the problem, the remedy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from phipsi.errors.kinds import FileError, UnknownName, brief, closest, quoted

FILE_SENTENCES: dict[str, tuple[str, str]] = {
    # the file itself
    "missing": ("there is no such file", "Check the path; relative paths start at {directory}"),
    "directory": ("this is a directory", "Give the path of the robot's file inside it"),
    "unreadable": ("it cannot be read ({reason})", "Check the file and its permissions"),
    "too_large": ("it is larger than {limit} MB", "A robot's file holds no meshes: is this the right one?"),
    "empty": ("it is empty", 'A URDF begins with <robot name="...">, an MJCF model with <mujoco>'),
    "text_as_path": ("this is XML text, not a path", "For text there are load_urdf_string and load_mjcf_string"),
    "suffix": ("phipsi does not read {suffix} files", "{remedy}"),
    "root": ("the root element is <{got}>, expected {expected}", "{remedy}"),
    # XML
    "xml": ("this is not well-formed XML: {reason}", "Correct it; every element needs its end, every value its quotes"),
    "encoding": ("the text cannot be decoded: {reason}", "Save it as UTF-8, or declare its encoding in <?xml ... ?>"),
    "doctype": ("a document type (DTD) is refused, with its entities", "Remove <!DOCTYPE ...>: no robot needs one"),
    "depth": ("elements are nested more than {limit} deep", "Nothing in a robot's file is: write it again"),
    "xacro": ("{text} is xacro, not yet expanded", "Run 'xacro robot.urdf.xacro > robot.urdf' and load the result"),
    # words and numbers
    "attribute": ("attribute '{attribute}' is missing", 'Write {attribute}="..."'),
    "blank": ("attribute '{attribute}' is empty", "Give it a name"),
    "number": ("{attribute} must be a number, got {got}", "Write a decimal number such as 0.25 or 1e-3"),
    "numbers": ("{attribute} must be {count} numbers, got {given}: {got}", "Write {count}, with spaces between them"),
    "finite": ("{attribute} must be finite, got {got}", "Write a finite number"),
    "negative": ("{attribute} must not be negative, got {got}", "Write zero or a positive number"),
    "zero_axis": ("the axis has no direction", 'Write one that is not zero, such as xyz="0 0 1"'),
    "zero_quaternion": ("the quaternion is zero, which is no rotation", 'The identity is quat_xyzw="0 0 0 1"'),
    "two_rotations": ("rpy and quat_xyzw are both given", "Keep one of them"),
    "overflow": ("mass or inertia, with all that is fixed to it, is too large for a number", "Use kg, m and kg m²"),
    "limits": ("lower={lower} exceeds upper={upper}", "Swap them, or remove <limit>"),
    # structure
    "no_links": ("there is no <link>", "An unexpanded macro file looks like this: load what it expands to"),
    "child": ("<{child}> is missing", "Add <{child} {example}/>"),
    "duplicate": ("the name is taken by the {kind} in line {first}", "Give every {kind} its own name"),
    "joint_type": ("type {got} is unknown", "URDF has fixed, revolute, continuous, prismatic, floating and planar"),
    "unknown_link": ("its {role} link {link} is not in the file.{hint}", "Add <link name={link}/> or correct the name"),
    "self_mimic": ("it mimics itself", "Name another joint or remove <mimic>"),
    "self_loop": ("its parent and its child are one link, {link}", "Name two different links"),
    "two_parents": (
        "its child {link} already hangs on joint {other} (line {first})",
        "URDF holds trees: leave one joint out here, and close the loop on the loaded robot",
    ),
    "cycle": ("the links {links} hang on each other in a ring", "URDF holds trees: leave one of their joints out"),
    "roots": ("there are {count} root links, {links}", "URDF holds one tree: join them with joints, or load each"),
    "world_root": (
        'the root link "world" cannot float (base="free")',
        'Load with base="fixed"; or hang one link on "world", by a fixed joint, and that one will float',
    ),
    "model": ("{reason}", "Correct it in the file"),
    # MJCF
    "mujoco": ("MuJoCo does not compile it: {reason}", "phipsi reads what MuJoCo compiles: correct it for MuJoCo"),
    "free_base": ('base="free" needs one body to float, but {reason}', 'Write <freejoint/> there, load base="fixed"'),
    # writing
    "no_urdf_joint": (
        "joint {joint} is {kind}, which URDF cannot say: {lacks}",
        "Use {instead} in its place, or keep the robot by pickle",
    ),
    "no_xml_name": ("the name {name} has a character that XML has not", "Rename it"),
    "unwritable": ("it cannot be written ({reason})", "Check the directory and its permissions"),
    # descriptions
    "download": ("the description could not be fetched: {reason}", "{remedy}"),
    "no_format": ("the description has neither a URDF nor an MJCF file", "Choose another one"),
    "extra": ("reading it needs the package {package}", "Install it: pip install 'phipsi[{extra}]'"),
}

# What a file asks for and phipsi does not do: one sentence for everything of a kind.
FILE_WARNINGS: dict[str, str] = {
    "mimic": "mimic joints move freely; robot.mimic keeps how they should follow: {names}",
    "mimic_unknown": "<mimic> is ignored where no joint has the name that it gives: {names}",
    "mimic_fixed": "<mimic> is ignored where one of the two joints has not exactly one degree of freedom: {names}",
    "transmission": "<transmission> is ignored (a rotor's inertia is armature= of its joint): {names}",
    "gazebo": "<gazebo> is ignored: {names}",
    "sensor": "<sensor> is ignored: {names}",
    "ros2_control": "<ros2_control> is ignored: {names}",
    "calibration": "<calibration> is ignored, of joints {names}",
    "safety_controller": "<safety_controller> is ignored, of joints {names}",
    "unknown": "unknown elements are ignored: {names}",
    "attribute": "unknown attributes are ignored: {names}",
    "repeated": "elements given twice are read once, the first time: {names}",
    "no_limit": "joints without <limit> move without limit: {names}",
    "unused": "elements that mean nothing for their type of joint are ignored: {names}",
    "replaced": 'with base="free", a free joint replaces the fixed joint to "world": {names}',
    "renamed": "names that are taken get another: {names}",
    # MJCF
    "contact": "contacts are ignored: {names}",
    "tendon": "tendons are ignored: {names}",
    "equality": "equality constraints are ignored: {names}",
    "actuator": "actuators are ignored: {names}",
    "fluid": "fluid forces are ignored: {names}",
    "sensor_mjcf": "sensors are ignored: {names}",
    "plugin": "plugins are ignored: {names}",
    "flex": "deformable bodies are ignored: {names}",
    "gravcomp": "gravity compensation is ignored, of bodies {names}",
    "mocap": "mocap bodies stand still where the file puts them: {names}",
    "polynomial": "of stiffness and damping only the linear part is kept, of joints {names}",
    "quaternion": "limits and springs of ball and free joints are ignored: {names}",
    "one_sided": "of unequal joint force limits the larger is kept, of joints {names}",
    # writing
    "lost": "URDF has no place for these, which are not written: {names}",
    "expanded": "joints that URDF has not are written as several, with massless links between: {names}",
    "reordered": "URDF is read depth first, so q will be in another order, beginning at {names}",
}


def file_error(sentence: str, path: str, line: int | None = None, element: str = "", **words: object) -> FileError:
    """What is wrong with a file, where (path, line, element), and the remedy."""
    problem, remedy = (half.format(**words) for half in FILE_SENTENCES[sentence])
    place = path if line is None else f"{path}, line {line}"
    start = f"{place}: {element}: " if element else f"{place}: "
    error = FileError(start + " ".join(half if half.endswith((".", "?")) else f"{half}." for half in (problem, remedy)))
    error.path, error.line, error.element, error.remedy = path, line, element, remedy
    return error


def file_warning(kind: str, path: str, groups: Mapping[str, Sequence[str]]) -> str:
    """One sentence for all that is ignored of one kind: what of whom; long lists are cut, and say by how much."""
    parts = [f"{what} {_cut(names)}" if what else _cut(names) for what, names in groups.items()]
    return f"{path}: {FILE_WARNINGS[kind].format(names='; '.join(parts))}."


def _cut(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """' Did you mean …?' where a name comes close, else nothing."""
    close = closest(name, known)
    return f" Did you mean {close!r}?" if close else ""


def in_short(value: object) -> str:
    """`value` as a sentence quotes it: its repr on one line, cut at 80 characters."""
    return brief(value)


def unknown_description(name: object, known: Sequence[str]) -> UnknownName:
    """No robot is described under that name."""
    short = [other.removesuffix("_description") for other in known]
    close = closest(name, short)
    hint = f" Did you mean {close!r}?" if close else ""
    return UnknownName(f"robot_descriptions has no robot named {brief(name)}.{hint} It has {quoted(short)}.")
