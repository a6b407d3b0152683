"""A configuration, s = robot.at(q): where operators get their numbers."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Literal, NoReturn, Protocol, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from phipsi import errors
from phipsi.algebra.atoms import MASKED, PLAIN, Letters, Vocabulary
from phipsi.algebra.contacts import Contacts
from phipsi.algebra.expression import Expression
from phipsi.algebra.facts import Facts
from phipsi.algebra.operators import Operator, bind
from phipsi.algebra.spaces import Space
from phipsi.model.reading import Bools, Floats, real

if TYPE_CHECKING:
    from phipsi.algebra.composed import Composed
    from phipsi.model.robot import Robot


class Executor(Protocol):
    """Carries out programs of sweeps in one configuration: the native `_core.Configuration` is one."""

    def run(
        self,
        program: NDArray[np.int32],
        constants: NDArray[np.float64],
        spaces: list[int],
        frames: list[str],
        x: Floats,
        columns: bool,
    ) -> Floats:
        """The program's output for the input x."""
        ...


class Configuration:
    """The operators of a robot at q: `s.H`, `s.phi`, `s.M`, … Immutable; safe between threads.

    q is copied, `(*batch, nq)`; `s.batch` are its batch axes. Nothing is computed before an operator is applied; what
    is then computed (poses, articulated inertias) is kept. With a mask `passive`, P, D, G, K, psi and tau are those of
    the passive dofs with the others locked; `s.H_p` and `s.H_a` are the rows of H on either side.

    >>> import phipsi as pp
    >>> robot = pp.zoo.chain(7)
    >>> s = robot.at(robot.neutral())
    >>> s.H @ s.phi @ s.M @ s.phi.T @ s.H.T
    H @ phi @ M @ phi.T @ H.T
    >>> s.mass.inv.shape
    (7, 7)
    """

    def __init__(self, robot: Robot, q: ArrayLike, passive: Bools | None = None) -> None:
        array = np.array(real(q, "at", "q", "numbers"), dtype=np.float64, order="C")
        if array.ndim == 0 or array.shape[-1] != robot.nq:
            raise errors.shape("at", "q", "configuration", f"(*batch, {robot.nq})", array.shape)
        array.flags.writeable = False
        mask = None if passive is None else _mask(passive)
        self.__dict__.update(
            robot=robot,
            q=array,
            batch=array.shape[:-1],
            passive=mask,
            facts=_facts(robot, mask is not None),
            vocabulary=PLAIN if mask is None else MASKED,
            _lock=threading.Lock(),
            _executor=None,
            _operators={},
            _held={},
            _sizes={
                "bodies": 6 * robot.n,
                "joints": robot.nv,
                "passive dofs": robot.nv if mask is None else int(mask.sum()),
                "active dofs": 0 if mask is None else int((~mask).sum()),
            },
        )

    robot: Robot
    q: Floats
    batch: tuple[int, ...]
    passive: Bools | None
    facts: Facts
    vocabulary: Vocabulary
    _lock: threading.Lock
    _executor: Executor | None
    _operators: dict[str, Any]
    _sizes: dict[str, int]
    _held: dict[tuple[str, ...], Contacts]

    @property
    def executor(self) -> Executor:
        """What carries out programs here; made when first asked for."""
        found = self._executor
        if found is None:
            with self._lock:
                found = self._executor
                if found is None:
                    found = self.__dict__["_executor"] = self._make_executor()
        return found

    def _make_executor(self) -> Executor:
        return self.robot._configuration(self.q, self.passive)  # pyright: ignore

    @property
    def native(self) -> bool:
        """Whether the native core carries out programs; tests have an interpreter for it."""
        return type(self)._make_executor is Configuration._make_executor

    def size(self, space: Space) -> int:
        """How many numbers a vector of a space has."""
        return 6 * len(space.frames) if space.code == 2 else self._sizes[space.kind]

    # ── operators ─────────────────────────────────────────────────────────────────────────────────────────────────

    def __getattr__(self, name: str) -> Operator:
        if name.startswith("_"):
            raise AttributeError(name)
        found = self._operators.get(name)
        if found is None:
            symbol: Expression = getattr(self.vocabulary, name)
            if name == "S_aa" and not self.facts.armature:
                symbol = symbol - MASKED.J_a
            found = self._operators[name] = bind(symbol, self)
        return found

    def B(self, *frames: str) -> Operator:
        """Carries forces at pick-off frames to their bodies; `s.B("left", "right").T` gives the frames' motions."""
        for name in frames:
            if isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                self.robot.frame(name)
        return bind(self.vocabulary.B(*frames), self)

    def Pi(self, *frames: str) -> Operator:
        """Contact forces that undo relative accelerations at frames, dense; :meth:`holding` says what they hold."""
        return bind(self.vocabulary.Pi(*frames), self)

    def holding(self, *frames: str, compliance: ArrayLike | None = None, freedom: ArrayLike | None = None) -> Self:
        """This configuration, with frames that hold something: what `Pi(*frames)` needs. [RK88 II 3.1]

        `compliance`, (*batch, 6m, 6m), is what the thing held yields to forces at the m frames, A M(C)^-1 A* of a body;
        by default 0, a thing that never moves. `freedom`, (*batch, k, 6m), has as rows the relative motions that the
        contacts leave free, H(0); by default none. Where Omega_c = B* Omega B + compliance is singular, Pi gives the
        least of the forces.
        """
        made = type(self)(self.robot, self.q, self.passive)
        for name in frames:
            self.robot.frame(name)
        held = Contacts(made, frames, compliance, freedom)
        made.__dict__["_held"] = {**self._held, frames: held}
        return made

    def contact_solve(self, frames: tuple[str, ...]) -> Floats:
        """The matrix of Pi(*frames), (*batch, 6m, 6m), made when first asked for."""
        if frames not in self._held:
            raise errors.nothing_held(frames, list(self._held))
        return self._held[frames].pi

    def jacobian(self, *frames: str) -> Operator:
        """J = B* phi* H*: joint rates to the motions of frames, world axes. [JR93 3.6]"""
        return self.B(*frames).T @ self.phi.T @ self.H.T

    def J_G(self, *frames: str) -> Operator:
        """How frames follow the active dofs while the passive ones yield, B* [psi* - Omega P] H_a*. [JR93 6.11]"""
        for name in frames:
            if isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]
                self.robot.frame(name)
        return bind(self.vocabulary.J_G(*frames), self)

    @property
    def mass(self) -> Operator:
        """The mass matrix H phi M phi* H*, and + J if the robot has armature."""
        found = self._operators.get("mass")
        if found is None:
            found = self.H @ self.phi @ self.M @ self.phi.T @ self.H.T
            found = self._operators["mass"] = found + self.J if self.facts.armature else found
        return found

    @property
    def mass_matrix(self) -> Operator:
        """The same."""
        return self.mass

    @property
    def m(self) -> Composed:
        """The factor m = [I + H phi K] S of the mass matrix, m @ m.T, with S S* = D; `s.m.inv` is `s.l`. [JR95d 5.1]

        Upper triangular here: the Cholesky factor, taken from the tips.

        >>> import numpy as np, phipsi as pp
        >>> arm = pp.zoo.chain(4)
        >>> s = arm.at(arm.random(rng=0)[0])
        >>> bool(np.allclose((s.m @ s.m.T).dense(), arm.mass_matrix(s.q)))
        True
        """
        found = self._operators.get("m")
        if found is None:
            from phipsi.algebra.rates import factor

            found = self._operators["m"] = factor(self)
        return found

    @property
    def l(self) -> Composed:  # noqa: E743 (the paper's letter)
        """l = m^-1: its adjoint takes diagonalizing rates to v, itself torques to what drives the rates. [JR95d 5.1]"""
        return self.m.inv

    def dot(
        self,
        what: str | Operator | Expression,
        v: ArrayLike,
        frame: Literal["inertial", "local"] = "inertial",
    ) -> Composed:
        """The rate of an operator while the robot moves with v: of a letter by its name, or of any sum and product.

        `frame="local"`: of its components in the bodies' own axes, A-dot - Omega~ A + A Omega~. An operator, applied in
        O(n); `.dense()` is its matrix. "m" and "l" too. v (*batch, nv) as q of the configuration. Not in closed form
        with a mask, and not for Upsilon. (Table 4 of JR95d, for all joints.)

        >>> import numpy as np, phipsi as pp
        >>> arm = pp.zoo.chain(4)
        >>> q, v = arm.random(rng=0)
        >>> s, C = arm.at(q), arm.coriolis_matrix(q, v)
        >>> bool(np.allclose(s.dot(s.mass, v).dense(), C + C.T))
        True
        >>> abs(s.dot("M", v, frame="local").dense()).max() < 1e-12
        np.True_
        """
        from phipsi.algebra.rates import dot

        return dot(self, what, v, frame)

    @property
    def free(self) -> Letters:
        """The operators as theorems use them: H, J and I_joints are those of the dofs that are free to move."""
        return Letters(self)

    # ── one value ─────────────────────────────────────────────────────────────────────────────────────────────────

    def __setattr__(self, name: str, value: object) -> NoReturn:
        raise errors.immutable("configuration", name, "robot.at(q) makes another.")

    def __delattr__(self, name: str) -> NoReturn:
        raise errors.immutable("configuration", name, "robot.at(q) makes another.")

    def __copy__(self) -> Configuration:
        return self

    def __deepcopy__(self, memo: object) -> Configuration:
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return Configuration, (self.robot, self.q, self.passive)

    def __dir__(self) -> list[str]:
        from phipsi.algebra.atoms import DERIVED, NAMES

        return sorted({*super().__dir__(), *NAMES, *DERIVED, "I"})

    def __repr__(self) -> str:
        batch = f", batch {self.batch}" if self.batch else ""
        mask = "" if self.passive is None else f", {int(self.passive.sum())} of {self.robot.nv} dofs passive"
        return f"<Configuration of {self.robot.name!r}{batch}{mask}>"


def _mask(passive: Bools) -> Bools:
    mask = np.array(passive, dtype=np.bool_)
    mask.flags.writeable = False
    return mask


def _facts(robot: Robot, masked: bool) -> Facts:
    """What theorems ask of the robot; kept with it."""
    known = vars(robot).get("_facts")
    if known is None:
        carried = robot.parent[robot.parent >= 0]
        branching = len(np.unique(carried)) < len(carried)
        known = vars(robot)["_facts"] = tuple(Facts(bool(np.any(robot.armature)), branching, m) for m in (False, True))
    return known[masked]
