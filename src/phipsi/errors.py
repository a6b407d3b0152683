"""Every sentence the library can utter: the exceptions and warnings, and the factories that word them.

A factory *returns* the exception, the caller raises it (`raise errors.unknown_name("frame", "hnad", names)`): the
native core uses the same factories. A sentence says what was expected, what came, and the remedy.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping, Sequence

# ── The kinds of trouble ──────────────────────────────────────────────────────────────────────────────────────────


class PhipsiError(Exception):
    """Everything phipsi raises on purpose is one of these."""


class ShapeError(PhipsiError, ValueError):
    """An array of the wrong shape, or batch axes that do not broadcast."""


class DTypeError(PhipsiError, TypeError):
    """An array that does not hold real numbers, or an argument of the wrong type."""


class SingularJoint(PhipsiError, ArithmeticError):  # noqa: N818 (the papers speak of the singularity)
    """D(k) = H P H* is not positive: nothing beyond that joint resists its motion."""


class UnknownName(PhipsiError, KeyError):  # noqa: N818
    """A body, joint or frame that the robot does not have."""

    def __str__(self) -> str:  # KeyError would print the repr of its argument
        return str(self.args[0]) if self.args else ""


class ModelError(PhipsiError, ValueError):
    """A robot that cannot be: its tree, names, joints, inertias or placements."""


class ImmutableError(PhipsiError, AttributeError):
    """An attempt to change a robot, joint or pose in place."""


class FileError(PhipsiError, ValueError):
    """A robot file that cannot be read or written; where, and the remedy, are also attributes."""

    path: str = ""
    line: int | None = None
    element: str = ""
    remedy: str = ""


class OptionError(PhipsiError, ValueError):
    """An option that is not one of those offered."""


class PhipsiWarning(UserWarning):
    """Everything phipsi warns of is one of these."""


class ModelWarning(PhipsiWarning):
    """A robot that is legal, and perhaps not what was meant."""


class FileWarning(PhipsiWarning):
    """Something a file asks for that phipsi does not do."""


# ── How things are spelt in a sentence ────────────────────────────────────────────────────────────────────────────


def _names(names: Iterable[str], most: int = 8) -> str:
    every = list(names)
    text = ", ".join(repr(name) for name in every[:most])
    return text if len(every) <= most else f"{text} and {len(every) - most} more"


def _short(value: object, most: int = 80) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= most else text[: most - 1] + "…"


def _closest(name: object, known: Sequence[str]) -> str | None:
    if not isinstance(name, str):
        return None
    folded = {other.lower(): other for other in reversed(known)}
    if name.lower() in folded:
        return folded[name.lower()]
    # a robot of 1e5 bodies must not take minutes to say that a name is unknown
    few = known if len(known) <= 2000 else [other for other in known if other[:2] == name[:2]][:2000]
    matches = difflib.get_close_matches(name, few, n=1)
    return matches[0] if matches else None


def _also(others: int, noun: str = "body", plural: str = "bodies") -> str:
    return "" if others == 0 else f" ({others} other {noun if others == 1 else plural} likewise)"


# ── Arrays ────────────────────────────────────────────────────────────────────────────────────────────────────────


_BATCH = "Leading axes are the batch; the trailing ones are the robot's own numbers."


def shape(verb: str, symbol: str, meaning: str, expected: str, got: Sequence[int], remedy: str = "") -> ShapeError:
    """A verb was given an array of the wrong shape."""
    end = f" {remedy or _BATCH}"
    return ShapeError(f"{verb}: {symbol} ({meaning}) must have shape {expected}, got {tuple(got)}.{end}")


def broadcast(verb: str, shapes: Mapping[str, Sequence[int]]) -> ShapeError:
    """The batch axes of a verb's arguments disagree."""
    listed = ", ".join(f"{symbol} {tuple(axes)}" for symbol, axes in shapes.items())
    return ShapeError(
        f"{verb}: the batch axes do not broadcast: {listed}. "
        "Leading axes follow NumPy's rules: equal, 1 or absent; add an axis with x[:, None]."
    )


def dtype(verb: str, symbol: str, got: str) -> DTypeError:
    """A verb was given something that is not an array of real numbers."""
    return DTypeError(f"{verb}: {symbol} must hold real numbers, got dtype {got}. Convert it to float64.")


def not_an_array(verb: str, symbol: str, got: object) -> DTypeError:
    """A verb was given something that NumPy makes no array of: None, a ragged list, a set."""
    return DTypeError(
        f"{verb}: {symbol} must be an array of real numbers, got {type(got).__name__} {_short(got)}. "
        "Lists must have rows of equal length."
    )


def masked(verb: str, symbol: str) -> DTypeError:
    """A verb was given a masked array."""
    return DTypeError(
        f"{verb}: {symbol} must be an array of real numbers, got a masked array, whose mask would be lost. "
        "Pass x.filled(value)."
    )


def too_many_axes(verb: str, count: int, most: int) -> ShapeError:
    """The result would have more axes than NumPy has."""
    return ShapeError(
        f"{verb}: expected results of at most {most} axes, as NumPy has, got {count} batch axes and the result's own. "
        "Reshape the batch to fewer axes."
    )


def out(verb: str, expected_shape: Sequence[int], problem: str) -> ShapeError:
    """A wrong `out=` array."""
    return ShapeError(
        f"{verb}: out= must be a writable, C-ordered float64 array of shape {tuple(expected_shape)}: {problem}."
    )


def option(verb: str, name: str, got: object, allowed: Sequence[str]) -> OptionError:
    """An option outside its list."""
    close = _closest(got, allowed)
    hint = f" Did you mean {close!r}?" if close else ""
    return OptionError(f"{verb}: {name} must be one of {_names(allowed, 30)}, got {_short(got)}.{hint}")


def numbers(where: str, symbol: str, expected: str, got: object) -> DTypeError:
    """Something that should be numbers is not."""
    return DTypeError(f"{where}: {symbol} must be {expected}, got {_short(got)}.")


def model_shape(where: str, symbol: str, expected: str, got: Sequence[int]) -> ShapeError:
    """A property of the model of the wrong shape."""
    return ShapeError(f"{where}: {symbol} must be {expected}, got an array of shape {tuple(got)}.")


def wrong_type(where: str, symbol: str, expected: str, got: object) -> DTypeError:
    """An argument of the wrong type."""
    came = f"the class {got.__name__}" if isinstance(got, type) else f"{type(got).__name__} {_short(got)}"
    return DTypeError(f"{where}: {symbol} must be {expected}, got {came}.")


def unknown_property(where: str, name: str, known: Sequence[str]) -> DTypeError:
    """A keyword that joints do not have."""
    close = _closest(name, known)
    hint = f" Did you mean {close!r}?" if close else ""
    return DTypeError(f"{where}: joints have no property {name!r}.{hint} They have {_names(known, 20)}.")


# ── Dynamics ──────────────────────────────────────────────────────────────────────────────────────────────────────


def singular_joint(
    joint_name: str, body_index: int, count: int, total: int, batch_index: Sequence[int]
) -> SingularJoint:
    """D(k) is not positive somewhere in the batch."""
    which = ""
    if len(batch_index) > 0:
        index = batch_index[0] if len(batch_index) == 1 else tuple(batch_index)
        which = f", for {count} of {total} states: {'' if count == 1 else 'first '}batch index {index}"
    return SingularJoint(
        f"D(k) = H P H* is not positive at joint {joint_name!r} (body {body_index}){which}. Everything beyond "
        f"{joint_name!r} has no inertia about its axis: give the tool a mass, or the joint an armature."
    )


# ── Names ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def unknown_name(kind: str, name: object, known: Sequence[str]) -> UnknownName:
    """The robot has no body, joint or frame of that name."""
    close = _closest(name, known)
    hint = f" Did you mean {close!r}?" if close else ""
    listed = f"It has {_names(known)}." if known else "It has none."
    return UnknownName(f"the robot has no {kind} named {_short(name)}.{hint} {listed}")


def unknown_parent(where: str, name: object, known: Sequence[str]) -> UnknownName:
    """A body is to hang on something that is not there (yet)."""
    close = _closest(name, known)
    hint = f" Did you mean {close!r}?" if close else " Parents come first: add it before what hangs on it."
    return UnknownName(f"{where}: there is no parent named {_short(name)}.{hint} There are {_names(known)}.")


def bad_name(kind: str, name: object) -> ModelError:
    """Not a usable name."""
    return ModelError(f"the name of a {kind} must be a non-empty string, got {_short(name)}.")


def reserved_name(kind: str) -> ModelError:
    """`world` belongs to the fixed frame."""
    return ModelError(f"no {kind} can be named 'world': it is the fixed frame that every robot stands on. Rename it.")


def name_taken(where: str, kind: str, name: str, holder: str, remedy: str = "Names must be unique.") -> ModelError:
    """A name is used twice."""
    return ModelError(f"{where}: the {kind} name {name!r} is taken by a {holder}. {remedy}")


def ambiguous_joint(verb: str, name: str, by_joint: str, by_body: str) -> ModelError:
    """A name means one joint as a joint and another as a body."""
    return ModelError(
        f"{verb}: {name!r} is both a joint (that of body {by_joint!r}) and a body (behind joint {by_body!r}). "
        "Name the joint by the other's name, or pass a mask."
    )


# ── Robots, bodies, joints ────────────────────────────────────────────────────────────────────────────────────────


def model(text: str) -> ModelError:
    """A robot description that the native constructor refuses."""
    return ModelError(text)


def immutable(what: str, attribute: str, remedy: str) -> ImmutableError:
    """Nothing is changed in place."""
    return ImmutableError(f"a {what} is immutable: {attribute!r} cannot be set or deleted. {remedy}")


def not_finite(where: str, symbol: str, got: object) -> ModelError:
    """NaN or infinity where a number is needed."""
    return ModelError(f"{where}: {symbol} must be finite, got {_short(got)}.")


def nan(where: str, symbol: str) -> ModelError:
    """Where infinity would do."""
    return ModelError(f"{where}: {symbol} must not be NaN.")


def negative(where: str, symbol: str, got: object) -> ModelError:
    """A property that cannot be negative."""
    return ModelError(f"{where}: {symbol} must not be negative, got {_short(got)}.")


def zero_axis(where: str, symbol: str, got: object) -> ModelError:
    """An axis without a direction."""
    return ModelError(f"{where}: {symbol} must have a direction, got {_short(got)}. Give a vector that is not zero.")


def parallel_axes(where: str, first: str, second: str) -> ModelError:
    """Two axes that should span a plane."""
    return ModelError(f"{where}: {first} and {second} are parallel, so one motion is lost. Use a revolute joint.")


def no_direction_in_plane(where: str, in_plane: str, normal: str) -> ModelError:
    """The in-plane axis is the normal."""
    return ModelError(
        f"{where}: {in_plane} is parallel to {normal}, so it shows no direction in the plane. "
        "Leave it out, or give another one."
    )


def not_perpendicular(where: str, second: str, first: str, cosine: float, remedy: object) -> ModelError:
    """The in-plane axis leaves the plane."""
    return ModelError(
        f"{where}: {second} must be perpendicular to {first}, but their unit vectors have product {cosine:.3g}. "
        f"Its part in the plane is {_short(remedy)}."
    )


def limits_crossed(where: str, lower: object, upper: object) -> ModelError:
    """lower > upper."""
    return ModelError(f"{where}: lower must not exceed upper, got lower={_short(lower)}, upper={_short(upper)}.")


def no_limits(where: str, labels: Sequence[str]) -> ModelError:
    """A quaternion has no lower and upper limit."""
    return ModelError(
        f"{where}: lower and upper limit coordinates, but q is ({', '.join(labels)}), a pose whose quaternion "
        "cannot be bounded so. Leave them out."
    )


def custom_columns(where: str, problem: str) -> ModelError:
    """H* columns that are not a joint."""
    return ModelError(f"{where}: columns (the columns of H*, [angular; linear], child axes) {problem}.")


def improper_rotation(where: str, problem: str, remedy: str) -> ModelError:
    """A 3x3 matrix that is no rotation."""
    return ModelError(f"{where}: rotation must be orthonormal with determinant +1: {problem}. {remedy}")


def zero_quaternion(where: str) -> ModelError:
    """A quaternion without a direction."""
    return ModelError(f"{where}: quaternion [w, x, y, z] is zero, which is no rotation. The identity is (1, 0, 0, 0).")


def several_rotations(where: str, given: Sequence[str]) -> ModelError:
    """More than one way to say the rotation."""
    return ModelError(f"{where}: give the rotation once, got {' and '.join(given)}.")


def inertia(body: str, problem: str, remedy: str, others: int = 0) -> ModelError:
    """A body that cannot exist."""
    return ModelError(f"body {body!r}: {problem}. {remedy}{_also(others)}")


def mimic(joint: str, problem: str) -> ModelError:
    """A mimic relation that cannot be."""
    return ModelError(f"joint {joint!r}: mimic {problem}.")


def gravities_differ(first: str, gravity: object, second: str, other: object) -> ModelError:
    """Robots of one cell must fall the same way."""
    return ModelError(
        f"assemble: {first!r} has gravity {_short(gravity)} and {second!r} has {_short(other)}. "
        "Say which: assemble(..., gravity=(0, 0, -9.81))."
    )


def nothing_attached(name: object, known: Sequence[str]) -> UnknownName:
    """detach() of something that was never attached."""
    close = _closest(name, known)
    hint = f" Did you mean {close!r}?" if close else ""
    listed = f"Attached are {_names(known)}." if known else "Nothing is."
    return UnknownName(f"detach: nothing named {_short(name)} was attached.{hint} {listed}")


# ── Conventions of other engines ──────────────────────────────────────────────────────────────────────────────────


def unmatched_joints(engine: str, ours: Sequence[str], theirs: Sequence[str]) -> ModelError:
    """The other engine's model is not this robot's."""
    here = f"the robot's {_names(ours)}" if ours else "none of the robot's"
    there = f"the model's {_names(theirs)}" if theirs else "none of the model's"
    return ModelError(
        f"{engine}: joints without a partner: {here}; {there}. Joints are matched by name: load both from one file, "
        "or give the joints of the robot the model's names."
    )


def unlike_joints(engine: str, name: str, kind: str, theirs: str) -> ModelError:
    """Two joints of one name that are not the same motion."""
    return ModelError(
        f"{engine}: joint {name!r} is {kind} here and {theirs} there, and no rule relates their coordinates. "
        "Use the same joint type in both."
    )


def no_such_joint(engine: str, name: str, kind: str) -> ModelError:
    """A joint that the other engine does not have."""
    return ModelError(f"{engine}: joint {name!r} is {kind}, and {engine} has no such joint. Give a model that has it.")


# ── Warnings of the model ─────────────────────────────────────────────────────────────────────────────────────────


def planar_inertia(bodies: Sequence[str]) -> ModelWarning:
    """Two zero principal moments: fine in a plane, impossible in space."""
    return ModelWarning(
        f"two principal moments of inertia are zero at {_names(bodies)}: enough for motion in a plane, but no real "
        "body, and forward dynamics is singular about the other axes. Give all three moments if it moves in space."
    )


def rotor_without_mass(bodies: Sequence[str]) -> ModelWarning:
    """Inertia without mass."""
    return ModelWarning(
        f"mass is zero but inertia is not at {_names(bodies)}: treated as pure rotors. If that is a rotor seen "
        "through its gear, armature= of the joint says it better; if not, give the mass."
    )


def doubtful_inertia(text: str) -> ModelWarning:
    """An impossible inertia, let through on request."""
    return ModelWarning(f"{text} Kept, as asked.")


def mimic_lost(followers: Sequence[str]) -> ModelWarning:
    """The joint that was mimicked is gone."""
    return ModelWarning(
        f"the mimic of {_names(followers)} is dropped: the joint to follow no longer moves. Freeze the follower too."
    )


# ── Files ─────────────────────────────────────────────────────────────────────────────────────────────────────────
#    URDF, MJCF and description files. A sentence has a name and two halves: what is wrong, and the remedy.

_FILE_SENTENCES: dict[str, tuple[str, str]] = {
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
_FILE_WARNINGS: dict[str, str] = {
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
    problem, remedy = (half.format(**words) for half in _FILE_SENTENCES[sentence])
    place = path if line is None else f"{path}, line {line}"
    start = f"{place}: {element}: " if element else f"{place}: "
    error = FileError(start + " ".join(half if half.endswith((".", "?")) else f"{half}." for half in (problem, remedy)))
    error.path, error.line, error.element, error.remedy = path, line, element, remedy
    return error


def file_warning(kind: str, path: str, groups: Mapping[str, Sequence[str]]) -> str:
    """One sentence for all that is ignored of one kind: what of whom; long lists are cut, and say by how much."""
    parts = [f"{what} {_cut(names)}" if what else _cut(names) for what, names in groups.items()]
    return f"{path}: {_FILE_WARNINGS[kind].format(names='; '.join(parts))}."


def _cut(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (f" and {len(names) - most} more" if len(names) > most else "")


def did_you_mean(name: str, known: Sequence[str]) -> str:
    """' Did you mean …?' where a name comes close, else nothing."""
    close = _closest(name, known)
    return f" Did you mean {close!r}?" if close else ""


def in_short(value: object) -> str:
    """`value` as a sentence quotes it: its repr on one line, cut at 80 characters."""
    return _short(value)


def unknown_description(name: object, known: Sequence[str]) -> UnknownName:
    """No robot is described under that name."""
    short = [other.removesuffix("_description") for other in known]
    close = _closest(name, short)
    hint = f" Did you mean {close!r}?" if close else ""
    return UnknownName(f"robot_descriptions has no robot named {_short(name)}.{hint} It has {_names(short)}.")


# ── The algebra ───────────────────────────────────────────────────────────────────────────────────────────────────
#    An operator is described by its formula, what it does, the space it maps to, the space it maps from.


class SpaceError(ShapeError):
    """Operators that do not meet in one space, or a vector of another space."""


class NoInverse(PhipsiError, ArithmeticError):  # noqa: N818 (what there is, not what went wrong)
    """An operator without an inverse, or with none that the theory knows."""


class ConfigurationError(PhipsiError, ValueError):
    """Operators of two configurations in one expression, or of none where one is needed."""


_BETWEEN = {  # (from, to): what could stand there
    ("bodies", "joints"): "H",
    ("joints", "bodies"): "H.T",
    ("bodies", "passive dofs"): "H_p or G.T",
    ("passive dofs", "bodies"): "H_p.T, G or K",
    ("bodies", "active dofs"): "H_a",
    ("active dofs", "bodies"): "H_a.T",
    ("bodies", "frames"): "B.T",
    ("frames", "bodies"): "B",
}


def spaces_of_product(*described: str) -> SpaceError:
    """Two factors that do not meet in one space."""
    left, does, codomain, domain, right, right_does, right_codomain, right_domain = described
    remedy = ""
    if right_domain == domain:
        remedy = f" Did you mean {_transposed(right)}?" if codomain != domain else ""
    elif codomain == right_codomain:
        remedy = f" Did you mean {_transposed(left)}?"
    between = _BETWEEN.get((right_codomain.split()[0] if right_codomain.startswith("frames") else right_codomain,
                            domain.split()[0] if domain.startswith("frames") else domain))  # fmt: skip
    if not remedy and between:
        remedy = f" Between them something must map {right_codomain} to {domain}, such as {between}."
    return SpaceError(
        f"{left} {does} ({codomain} <- {domain}); it cannot stand left of {right}, which {right_does} "
        f"({right_codomain} <- {right_domain}).{remedy}"
    )


def _transposed(formula: str) -> str:
    if formula.endswith(".T") and " " not in formula:
        return formula[:-2]
    return f"({formula}).T" if " " in formula else f"{formula}.T"


def spaces_of_sum(*described: str) -> SpaceError:
    """Two terms that do not map between the same spaces."""
    left, does, codomain, domain, right, right_does, right_codomain, right_domain = described
    turned = (codomain, domain) == (right_domain, right_codomain)
    remedy = f"Did you mean {_transposed(right)}?" if turned else "The terms of a sum map between the same two spaces."
    return SpaceError(
        f"{left} {does} ({codomain} <- {domain}), {right} {right_does} ({right_codomain} <- {right_domain}): they "
        f"cannot be added. {remedy}"
    )


def identity_not_square(formula: str, does: str, codomain: str, domain: str) -> SpaceError:
    """I beside something that does not map a space to itself."""
    return SpaceError(
        f"{formula} {does} ({codomain} <- {domain}), and I maps a space to itself: they cannot be added. "
        f"Complete {formula} to an operator of one space, or leave I out."
    )


def number_plus_operator(formula: str, number: object) -> SpaceError:
    """A number beside an operator in a sum."""
    return SpaceError(f"the number {_short(number)} cannot be added to {formula}. Did you mean {_short(number)} * I?")


def no_state(formula: str) -> ConfigurationError:
    """A symbolic expression met an array."""
    return ConfigurationError(
        f"{formula} belongs to no configuration, so it cannot be applied to an array. Bind it first: "
        "(...).at(robot.at(q)) @ x, or build it from the operators of s = robot.at(q)."
    )


def two_configurations(left: str, right: str) -> ConfigurationError:
    """Operators of two configurations met."""
    return ConfigurationError(
        f"{left} and {right} belong to two configurations, and one expression has one. Take both from the same "
        "s = robot.at(q); for many configurations at once make q a batch; to compare two, compare A @ x with B @ x."
    )


def armature_assumed(formula: str, joints: Sequence[str]) -> ConfigurationError:
    """An inverse that was taken without J met a robot with armature."""
    return ConfigurationError(
        f"{formula} was inverted for robots without armature, and this one has some (at {_names(joints)}). "
        "Invert H @ phi @ M @ phi.T @ H.T + J, or take s.mass.inv."
    )


def mask_missing(formula: str) -> ConfigurationError:
    """An expression of passive dofs met a configuration without a mask."""
    return ConfigurationError(
        f"{formula} speaks of passive dofs, and this configuration has no mask. Give one: robot.at(q, passive=...)."
    )


def mask_unexpected(formula: str, symbol: str) -> ConfigurationError:
    """An expression in which all dofs are free met a configuration with a mask."""
    return ConfigurationError(
        f"{formula} was written for configurations without a mask: there {symbol} is of all dofs, here of the passive "
        "ones. Write it with the symbols of phipsi.algebra.masked, or take robot.at(q)."
    )


def operator_as_array(formula: str) -> DTypeError:
    """NumPy was given an operator."""
    return DTypeError(f"{formula} is an operator, not an array. Its matrix is (...).dense().")


def array_plus_operator(formula: str) -> DTypeError:
    """An array beside an operator in a sum."""
    return DTypeError(f"an array cannot be added to the operator {formula}. Add it to the matrix: (...).dense() + X.")


def not_a_scalar(formula: str) -> DTypeError:
    """An operator times something that is no number."""
    return DTypeError(f"{formula} * X multiplies by a real number; operators and arrays are applied with @.")


def extra_needed(verb: str, package: str) -> OptionError:
    """A package that is not installed."""
    return OptionError(f"{verb} needs the package {package}. Install it: pip install {package}.")


def not_of_a_mask(name: str) -> str:
    """H_a without a mask."""
    return f"there is no {name} without a mask: all dofs are free to move. Give one: robot.at(q, passive=...)."


def no_symbol(name: str, known: Sequence[str], needs_mask: bool) -> str:
    """The text of an AttributeError: a vocabulary has no such symbol."""
    if needs_mask:
        return not_of_a_mask(name)
    close = _closest(name, known)
    hint = f" Did you mean {close}?" if close else ""
    return f"there is no operator {name}.{hint} There are {', '.join(known)}."


_NO_INVERSE = {
    "not_square": "It maps between two spaces ({what}); only what maps a space to itself can have one.",
    "armature": "This robot has armature, and D includes it: invert H @ phi @ M @ phi.T @ H.T + {what}, or s.mass.",
    "masked": (
        "In a configuration with a mask, D, K and psi are those of the passive dofs: invert the passive mass matrix "
        "H_p @ phi @ M @ phi.T @ H_p.T + J_p, or take the whole one from robot.at(q) without a mask."
    ),
    "inertia": "{what} is block diagonal, and singular where a body has no mass: solve with its blocks {what}[k, k].",
    "unknown": (
        "Known are those of phi, psi, D, I + H @ phi @ K, I - H @ psi @ K, the mass matrix "
        "H @ phi @ M @ phi.T @ H.T + J, their transposes, multiples and products. Write it as a product of these, or "
        "give up O(n): numpy.linalg.inv(A.dense())."
    ),
}


def no_inverse(formula: str, why: str, what: str) -> NoInverse:
    """Nothing is known, and what to do instead."""
    return NoInverse(f"no inverse of {formula} is known. {_NO_INVERSE[why].format(what=what)}")


def vector_of_space(formula: str, does: str, size: int, batch: Sequence[int], got: Sequence[int]) -> SpaceError:
    """An array that the operator cannot take."""
    axes = ", ".join(map(str, batch))
    vector, stack = (f"({axes}, {size})" if axes else f"({size},)"), f"({axes + ', ' if axes else ''}{size}, k)"
    hint = ""
    if len(got) == len(batch) + 2 and got[-1] == size:
        hint = " Its last axis fits: for many vectors at one configuration make them columns, A @ X.T, or X @ A.T."
    elif len(got) < len(batch) + 2 and len(got) > 1 and got[-2] == size:
        hint = f" Its last axis but one fits: give columns the batch axes, of length 1 if need be, {stack}."
    elif len(got) > len(batch) + 2:
        hint = " The batch is the configuration's: robot.at(q[None]) has one more batch axis."
    return SpaceError(
        f"{formula} {does}: it takes vectors of shape {vector} or stacks of columns {stack}, got {tuple(got)}.{hint}"
    )


def one_configuration_only(verb: str, batch: Sequence[int]) -> ShapeError:
    """A verb that batches have no answer to."""
    return ShapeError(
        f"{verb}: SciPy's operators have no batch axes, and this configuration has {tuple(batch)}. "
        "Take one: robot.at(q[i])."
    )


def blocks_of(formula: str, codomain: str, domain: str) -> SpaceError:
    """A key that is no pair."""
    return SpaceError(
        f"{formula}[k, j] is a block: k, of the {codomain}, and j, of the {domain}, are each an index or a name. "
        "The whole matrix is (...).dense()."
    )


def block_index(kind: str, index: int, count: int) -> UnknownName:
    """A block's number out of range."""
    return UnknownName(f"there is no {kind} {index}: they are numbered from 0 to {count - 1}.")
