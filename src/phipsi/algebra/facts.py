"""What is known of the robots that an expression is for: some theorems ask for it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Facts:
    """`armature`: whether some dof has any; None: not known. `branching`: whether a body may carry several others.

    `masked`: whether some dofs are locked, so that psi, P and tau are not those of all dofs; None: as the expression's
    own symbols say.
    """

    armature: bool | None = None
    branching: bool = True
    masked: bool | None = None


ANY = Facts()
NO_ARMATURE = "no armature"  # what an expression may assume of the robots it is bound to
