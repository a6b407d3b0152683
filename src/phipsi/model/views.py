"""What `robot.joint(name)`, `robot.body(name)` and `robot.tree()` show."""

from __future__ import annotations

from dataclasses import dataclass

from phipsi.model.description import WORLD, Description
from phipsi.model.joints import Joint
from phipsi.model.reading import Floats


@dataclass(frozen=True)
class JointView:
    """A joint in its robot: `q[..., view.q]` are its coordinates, `v[..., view.v]` its velocities."""

    name: str
    index: int
    joint: Joint
    q: slice
    v: slice
    body: str
    parent: str


@dataclass(frozen=True, eq=False)
class BodyView:
    """A body in its robot; `com` in body axes, `inertia` about the mass centre."""

    name: str
    index: int
    parent: str
    joint: str
    mass: float
    com: Floats
    inertia: Floats


def tree(description: Description, most: int = 200) -> str:
    """One line a body: its name, its joint and dofs, its mass; frames below the body that carries them."""
    children: dict[int, list[int]] = {}
    for k, parent in enumerate(description.parent.tolist()):
        children.setdefault(parent, []).append(k)
    frames: dict[int, list[str]] = {}
    for frame in description.frames:
        frames.setdefault(frame.body, []).append(frame.name)
    mass, _, _ = description.loaded()
    lines = [f"{description.name}", *(f"  · {name}" for name in frames.get(WORLD, []))]
    # (body, the text before its branch); a stack, since chains may be deeper than Python's recursion
    stack = [(k, "") for k in reversed(children.get(WORLD, []))]
    while stack and len(lines) < most:
        k, before = stack.pop()
        siblings = children[int(description.parent[k])]
        last = k == siblings[-1]
        joint = description.joints[k]
        dofs = f"{joint.nv} dof{'' if joint.nv == 1 else 's'}"
        named = "" if joint.name == description.body_names[k] else f" {joint.name!r}"
        held = f"{type(joint).__name__.lower()}{named}, {dofs}"
        lines.append(f"{before}{'└─' if last else '├─'} {description.body_names[k]}  ({held}, {mass[k]:.4g} kg)")
        below = before + ("   " if last else "│  ")
        lines.extend(f"{below}· {name}" for name in frames.get(k, []))
        stack.extend((child, below) for child in reversed(children.get(k, [])))
    return "\n".join([*lines, "…"] if stack else lines)
