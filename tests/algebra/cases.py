"""Configurations for the tests: robots, masks, atoms, random composites, and what they are densely."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from phipsi.algebra import Configuration, Expression, Operator
from phipsi.algebra.atoms import MASKED, PLAIN
from tests.algebra.interpreter import Interpreter, Letters
from tests.contract import robots

ATOMS = (
    *("H", "phi", "E_phi", "phi_tilde", "M", "P", "P_plus", "D", "G", "K", "tau", "tau_bar", "psi", "E_psi"),
    *("psi_tilde", "J", "Omega", "Upsilon"),
)
OF_A_MASK = ("H_p", "H_a", "J_p")
MASKS = ("none", "all", "some", "nobody")
NAMES = ("tree", "free_tree", "forest", "star", "massless", "rotors", "welded", "rigid", "custom_se2", "zoo_free_tree")


class Interpreted(Configuration):
    """A configuration whose programs are carried out by the interpreter."""

    def _make_executor(self) -> Any:
        return Interpreter(self.robot, self.q, self.passive)


def mask(kind: str, nv: int) -> np.ndarray | None:
    made = {"all": np.ones(nv, dtype=bool), "some": np.arange(nv) % 3 != 1, "nobody": np.zeros(nv, dtype=bool)}
    return made.get(kind)


def configuration(name: str, kind: str = "none", made_by: Any = Configuration, seed: int = 0) -> Any:
    robot = robots.named(name)
    return made_by(robot, robots.states(robot, 1, seed)["q"][0], mask(kind, robot.nv))


class Dense:
    """The matrices behind the names, at the sizes of the operators' spaces."""

    def __init__(self, s: Configuration) -> None:
        letters, passive = Letters(s.robot, s.q, s.passive), s.passive
        free = np.ones(s.robot.nv, dtype=bool) if passive is None else passive
        self.at = letters
        self.matrices = {name: getattr(letters, name) for name in ATOMS if hasattr(letters, name)}
        self.matrices |= {"phi_tilde": letters.phi - letters.one, "psi_tilde": letters.psi - letters.one}
        self.matrices |= {"G": letters.G[:, free], "K": letters.K[:, free]}
        self.matrices |= {"D": letters.D[np.ix_(free, free)], "D.inv": letters.D_inv[np.ix_(free, free)]}
        self.matrices |= {"H_p": letters.H[free], "H_a": letters.H[~free], "J_p": letters.J[np.ix_(free, free)]}

    def of(self, expression: Expression, s: Configuration) -> np.ndarray:
        """The matrix of an expression, from those of its atoms."""
        from phipsi.algebra.nodes import Atom, Identity, Product, Sum, Zero

        sizes = [s.size(space) if space else 6 * s.robot.n for space in (expression.codomain, expression.domain)]
        if isinstance(expression, Atom):
            name, frames = expression.name, expression.symbol.frames
            matrix = self.at.B(*frames) if name == "B" else self.matrices[name]
            return matrix.T if expression.transposed else matrix
        if isinstance(expression, Identity):
            return np.eye(sizes[0])
        if isinstance(expression, Zero):
            return np.zeros(sizes)
        if isinstance(expression, Product):
            return np.linalg.multi_dot([self.of(factor, s) for factor in expression.factors])
        assert isinstance(expression, Sum)
        return np.sum([c * self.of(term, s) for c, term in expression.terms], axis=0)


def composite(rng: np.random.Generator, masked: bool, frames: tuple[str, ...] = ("tip",), depth: int = 3) -> Expression:
    """A random expression, of bodies to bodies in its parts, and of anything at its ends."""
    words = MASKED if masked else PLAIN
    square = ("phi", "E_phi", "psi", "E_psi", "M", "P", "P_plus", "tau", "tau_bar", "phi_tilde", "psi_tilde")
    inner: list[Callable[[], Expression]] = [
        lambda: words.symbol(str(rng.choice(square))),
        lambda: words.symbol(str(rng.choice(["Omega", "Upsilon"]))),
        lambda: words.K @ words.H_p,
        lambda: words.G @ words.symbol("D.inv") @ words.G.T,
        lambda: words.H.T @ words.J @ words.H,
        lambda: words.B(*frames) @ words.B(*frames).T,
        lambda: words.I_bodies,
    ]

    def bodies(depth: int) -> Expression:
        if depth == 0:
            one = inner[rng.integers(len(inner))]()
            return one.T if rng.random() < 0.5 else one
        if rng.random() < 0.5:
            return bodies(depth - 1) @ bodies(depth - 1)
        c, d = float(rng.choice([1, -1, 2, 0.5])), float(rng.choice([1, -1, 3]))
        return c * bodies(depth - 1) + d * bodies(depth - 1)

    middle = bodies(depth)
    ends: list[Callable[[Expression], Expression]] = [
        lambda x: x,
        lambda x: words.H @ x,
        lambda x: words.K.T @ x,
        lambda x: words.B(*frames).T @ x,
        lambda x: words.D @ words.H_p @ x,
    ]
    left, right = ends[rng.integers(len(ends))], ends[rng.integers(len(ends))]
    return right(left(middle).T).T


def close(found: np.ndarray, wanted: np.ndarray, tolerance: float = 1e-9) -> bool:
    """Equal, relative to the largest entry."""
    scale = max(1.0, float(np.max(np.abs(wanted), initial=0.0)))
    return found.shape == wanted.shape and bool(np.all(np.abs(found - wanted) <= tolerance * scale))


def adjoint_gap(A: Operator, rng: np.random.Generator) -> float:
    """|<A x, y> - <x, A* y>|, relative; to |x||y| where A is smaller than one: it may be nothing but rounding."""
    x, y = rng.normal(size=A.shape[1]), rng.normal(size=A.shape[0])
    Ax, ATy = A @ x, A.T @ y
    size = np.linalg.norm(Ax) * np.linalg.norm(y) + np.linalg.norm(ATy) * np.linalg.norm(x)
    return float(abs(Ax @ y - x @ ATy) / max(size, np.linalg.norm(x) * np.linalg.norm(y), 1e-300))
