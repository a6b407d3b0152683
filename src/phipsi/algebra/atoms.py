"""The symbols H, phi, M, …: what each maps, how it is written; and the vocabularies with and without a mask."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

from phipsi import errors
from phipsi.algebra.expression import Expression
from phipsi.algebra.nodes import Atom, Identity, Product, Sum, Symbol
from phipsi.algebra.spaces import ACTIVE, BODIES, JOINTS, PASSIVE, Space, frames_space

FORCE, MOTION = "force", "motion"

# symbol: LaTeX, takes, gives
_LETTERS: dict[str, tuple[str, str, str]] = {
    "H": ("H", FORCE, FORCE),
    "H_p": ("H_p", FORCE, FORCE),
    "H_a": ("H_a", FORCE, FORCE),
    "phi": (r"\phi", FORCE, FORCE),
    "E_phi": (r"\mathcal{E}_\phi", FORCE, FORCE),
    "psi": (r"\psi", FORCE, FORCE),
    "E_psi": (r"\mathcal{E}_\psi", FORCE, FORCE),
    "phi_tilde": (r"\tilde\phi", FORCE, FORCE),
    "psi_tilde": (r"\tilde\psi", FORCE, FORCE),
    "tau": (r"\tau", FORCE, FORCE),
    "tau_bar": (r"\bar\tau", FORCE, FORCE),
    "M": ("M", MOTION, FORCE),
    "P": ("P", MOTION, FORCE),
    "P_plus": ("P^+", MOTION, FORCE),
    "Upsilon": (r"\Upsilon", FORCE, MOTION),
    "Omega": (r"\Omega", FORCE, MOTION),
    "D": ("D", MOTION, FORCE),
    "D.inv": ("D^{-1}", FORCE, MOTION),
    "J": ("J", MOTION, FORCE),
    "J_p": ("J_p", MOTION, FORCE),
    "J_a": ("J_a", MOTION, FORCE),
    "G": ("G", FORCE, FORCE),
    "K": ("K", FORCE, FORCE),
    "B": ("B", FORCE, FORCE),
    "Pi": (r"\Pi", MOTION, FORCE),
}
_SYMMETRIC = frozenset({"M", "P", "P_plus", "Upsilon", "Omega", "D", "D.inv", "J", "J_p", "J_a", "Pi"})
# what is made of the articulated inertias of the Riccati recursion, and is computed only when a program needs it
ARTICULATED = frozenset(
    {"psi", "E_psi", "psi_tilde", "tau", "tau_bar", "P", "P_plus", "Upsilon", "Omega", "D", "D.inv", "G", "K"}
)
# closed forms of [JR93], made of symbols; see phipsi.algebra.underactuated
DERIVED = ("S_aa", "S_ap", "S_pp", "J_D", "projection", "projection_bar")
_WITHOUT_MASK = frozenset({"H_a", "J_a", "I_active", "J_G", *DERIVED})


def _atom(name: str, codomain: Space, domain: Space, frames: tuple[str, ...] = ()) -> Atom:
    return Atom(Symbol(name, _LETTERS[name][0], codomain, domain, name in _SYMMETRIC, frames))


@dataclass(frozen=True)
class Vocabulary:
    """The symbols. `masked`: P, D, G, K, psi, tau are those of the passive dofs, and H_p, H_a are rows of H.

    Without a mask every dof is free to move, and H_p is H. `I` is the identity of whatever stands beside it.
    """

    masked: bool = False

    @cached_property
    def passive_space(self) -> Space:
        """The space of the dofs that are free to move."""
        return PASSIVE if self.masked else JOINTS

    @cached_property
    def I(self) -> Identity:  # noqa: E743 (the papers' letter)
        """The identity of any space: of bodies, where nothing beside it says another."""
        return Identity()

    @cached_property
    def I_bodies(self) -> Identity:
        """The identity of the bodies."""
        return Identity(BODIES)

    @cached_property
    def I_joints(self) -> Identity:
        """The identity of the joints."""
        return Identity(JOINTS)

    @cached_property
    def I_passive(self) -> Identity:
        """The identity of the dofs that are free to move."""
        return Identity(self.passive_space)

    @cached_property
    def I_active(self) -> Identity:
        """The identity of the dofs that are driven."""
        if not self.masked:
            raise AttributeError(errors.not_of_a_mask("I_active"))
        return Identity(ACTIVE)

    def B(self, *frames: str) -> Atom:
        """Carries forces at pick-off frames to their bodies; `B("left", "right").T` gives the frames' motions."""
        for name in frames:
            if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise errors.wrong_type("B", "frames", "names of frames or bodies", name)
        return _atom("B", BODIES, frames_space(frames), frames)

    def Pi(self, *frames: str) -> Atom:
        """Contact forces that undo relative accelerations of frames and what they hold: Omega_c^-1. [RK88 II b.7b]"""
        for name in frames:
            if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                raise errors.wrong_type("Pi", "frames", "names of frames or bodies", name)
        return Atom(Symbol("Pi", _LETTERS["Pi"][0], frames_space(frames), frames_space(frames), True, frames))

    def jacobian(self, *frames: str) -> Expression:
        """J = B* phi* H*: joint rates to the motions of frames. [JR93 3.6]"""
        return self.B(*frames).T @ self.phi.T @ self.H.T

    @property
    def mass(self) -> Expression:
        """H phi M phi* H* + J, of robots with armature J or without."""
        return self.H @ self.phi @ self.M @ self.phi.T @ self.H.T + self.J

    @property
    def mass_matrix(self) -> Expression:
        """The same."""
        return self.mass

    @property
    def free(self) -> Letters:
        """The letters as theorems use them: H, J and I_joints are those of the dofs that are free to move."""
        return Letters(self)

    def J_G(self, *frames: str) -> Expression:
        """The generalized Jacobian of frames, B* [psi* - Omega P] H_a*. [JR93 6.11]"""
        if not self.masked:
            raise AttributeError(errors.not_of_a_mask("J_G"))
        return derived("J_G", frames)

    def symbol(self, name: str) -> Atom:
        """The atom of a name, `D.inv` among them."""
        return _symbols(self.masked)[name]

    def __getattr__(self, name: str) -> Any:
        found: Expression | None = _symbols(self.masked).get(name)
        if found is None and self.masked and name in DERIVED:
            found = derived(name)
        if found is None:
            raise AttributeError(errors.no_symbol(name, [*NAMES, "B", "I"], name in _WITHOUT_MASK))
        return found


class Letters:
    """The letters as theorems use them: where some dofs are locked, H means H_p, J means J_p, I_joints I_passive."""

    def __init__(self, of: Any) -> None:
        self._of = of

    def __getattr__(self, name: str) -> Any:
        return getattr(self._of, _FREE.get(name, name))

    @property
    def mass_matrix(self) -> Any:
        """H phi M phi* H* + J of the dofs that are free to move."""
        return self.H @ self.phi @ self.M @ self.phi.T @ self.H.T + self.J


_FREE = {"H": "H_p", "J": "J_p", "I_joints": "I_passive"}


def _symbols_of(masked: bool) -> dict[str, Atom]:
    free = PASSIVE if masked else JOINTS
    bodies = [
        "phi",
        "E_phi",
        "psi",
        "E_psi",
        "phi_tilde",
        "psi_tilde",
        "M",
        "P",
        "P_plus",
        "Upsilon",
        "Omega",
        "tau",
        "tau_bar",
    ]
    found = {name: _atom(name, BODIES, BODIES) for name in bodies}
    found |= {name: _atom(name, BODIES, free) for name in ("G", "K")}
    found |= {name: _atom(name, free, free) for name in ("D", "D.inv")}
    found |= {"H": _atom("H", JOINTS, BODIES), "J": _atom("J", JOINTS, JOINTS)}
    found |= {"H_p": found["H"], "J_p": found["J"]}
    if masked:
        found |= {"H_p": _atom("H_p", PASSIVE, BODIES), "H_a": _atom("H_a", ACTIVE, BODIES)}
        found |= {"J_p": _atom("J_p", PASSIVE, PASSIVE), "J_a": _atom("J_a", ACTIVE, ACTIVE)}
    return found


_SYMBOLS = {masked: _symbols_of(masked) for masked in (False, True)}


def _symbols(masked: bool) -> dict[str, Atom]:
    return _SYMBOLS[masked]


PLAIN = Vocabulary()
MASKED = Vocabulary(masked=True)


@lru_cache(maxsize=256)
def derived(name: str, frames: tuple[str, ...] = ()) -> Expression:
    """What a name of `phipsi.algebra.underactuated` is, of symbols; made once."""
    from phipsi.algebra import underactuated

    more = (MASKED.B(*frames),) if name == "J_G" else ()
    return getattr(underactuated, name)(MASKED.free, *more)


NAMES = tuple(name for name in _SYMBOLS[True] if name != "D.inv")


@lru_cache(maxsize=4096)
def is_masked(expression: Expression) -> bool:
    """Whether an expression speaks of passive or active dofs."""
    return any(
        space in (PASSIVE, ACTIVE)
        for part in expression.walk()
        if not part.children()
        for space in (part.codomain, part.domain)
    )


# ── what an expression does, in words ─────────────────────────────────────────────────────────────────────────────────

_NOUNS = {
    ("bodies", FORCE): "body forces",
    ("bodies", MOTION): "body motions",
    ("joints", FORCE): "joint torques",
    ("joints", MOTION): "joint motions",
    ("passive dofs", FORCE): "torques of passive dofs",
    ("passive dofs", MOTION): "motions of passive dofs",
    ("active dofs", FORCE): "torques of active dofs",
    ("active dofs", MOTION): "motions of active dofs",
    ("frames", FORCE): "forces at frames",
    ("frames", MOTION): "motions of frames",
}


def kinds(expression: Expression) -> tuple[str, str] | None:
    """What an expression takes and what it gives, forces or motions; None for an identity."""
    if isinstance(expression, Atom):
        _, takes, gives = _LETTERS[expression.name]
        other = {FORCE: MOTION, MOTION: FORCE}
        return (other[gives], other[takes]) if expression.transposed else (takes, gives)
    if isinstance(expression, Product):
        first, last = kinds(expression.factors[0]), kinds(expression.factors[-1])
        return None if first is None or last is None else (last[0], first[1])
    if isinstance(expression, Sum):
        return next((found for found in map(kinds, expression.children()) if found), None)
    return None


def meaning(expression: Expression) -> str:
    """'maps body forces to joint torques'."""
    found = kinds(expression)
    if found is None or expression.domain is None or expression.codomain is None:
        return "maps a space to itself"
    takes, gives = _NOUNS[expression.domain.kind, found[0]], _NOUNS[expression.codomain.kind, found[1]]
    return f"maps {takes} to {gives}"
