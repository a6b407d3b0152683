"""Rates of operators along a motion, by the product rule: every letter's from those of H, E_φ, M and P.

dφ = φ Ė_φ φ, dψ = ψ Ė_ψ ψ, dG = Ṗ H* D⁻¹ + …: sums of products of operators and of blocks, applied in O(n).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.algebra.blocks import Blocks, turning
from phipsi.algebra.composed import Composed, Factor, Sparse, Term
from phipsi.algebra.expression import Expression
from phipsi.algebra.nodes import Atom, Identity, Product, Sum, Zero
from phipsi.algebra.operators import Operator, bind
from phipsi.algebra.spaces import BODIES, JOINTS
from phipsi.model.reading import Floats, one_of, real

if TYPE_CHECKING:
    from phipsi.algebra.configuration import Configuration

Terms = list[Term]


class Rates:
    """The rates of the operators of s when it moves with v."""

    def __init__(self, s: Configuration, v: Floats) -> None:
        self.s, self.blocks = s, Blocks(s, v)
        self._known: dict[str, Terms] = {}

    def of(self, expression: Expression) -> Terms:
        """The inertial rate of an expression."""
        if isinstance(expression, Identity | Zero):
            return []
        if isinstance(expression, Atom):
            terms = self._letter(expression)
            return _transposed(terms) if expression.transposed else terms
        if isinstance(expression, Sum):
            return [(c * d, factors) for c, part in expression.terms for d, factors in self.of(part)]
        assert isinstance(expression, Product)
        out: Terms = []
        for i, factor in enumerate(expression.factors):
            before = tuple(self._bound(x) for x in expression.factors[:i])
            after = tuple(self._bound(x) for x in expression.factors[i + 1 :])
            out += [(c, (*before, *inner, *after)) for c, inner in self.of(factor)]
        return out

    def _letter(self, atom: Atom) -> Terms:
        name = atom.name
        if name == "B":
            return [(1.0, (self._frames(atom),))]
        if name not in self._known:
            if name not in _LETTERS:
                raise errors.no_rate(name, sorted(_LETTERS))
            self._known[name] = _LETTERS[name](self)
        return self._known[name]

    def _bound(self, x: Expression) -> Operator:
        return bind(x, self.s)

    def _around(self, left: str, letter: str, right: str, sign: float = 1.0) -> Terms:
        """left · d(letter) · right, of letters' names."""
        s = self.s.vocabulary
        a, b = self._bound(s.symbol(left)), self._bound(s.symbol(right))
        return [(sign * c, (a, *inner, b)) for c, inner in self._letter(s.symbol(letter))]

    def _frames(self, atom: Atom) -> Sparse:
        """B carries forces from frames to their bodies: φ(k, frame), whose l turns with the body."""
        robot, blocks = self.s.robot, self.blocks
        names = atom.symbol.frames
        out = np.zeros((*self.s.batch, len(names), 6, 6))
        rows, columns = np.zeros((2, len(names), 6, 6), dtype=np.intp)
        six = np.arange(6)
        for i, name in enumerate(names):
            k = robot.frame(name)[0]
            columns[i] = (6 * i + six)[None, :]
            if k >= 0:
                l = robot.pose(self.s.q, name).position - robot.pose(self.s.q, robot.body_names[k]).position  # noqa: E741
                rows[i] = (6 * k + six)[:, None]
                out[..., i, :3, 3:] = turning(np.cross(blocks.w[..., k, :], l))[..., :3, :3]
        values = out.reshape(*self.s.batch, -1)
        shape = (self.s.size(BODIES), 6 * len(names))
        return Sparse("dB", BODIES, atom.symbol.domain, shape, rows.ravel(), columns.ravel(), values)

    def local(self, terms: Terms, op: Operator) -> Terms:
        """Å = Ȧ - Ω~ A + A Ω~: the rate of the components in the bodies' own axes."""
        out = list(terms)
        for space, sign, before in ((op.codomain, -1.0, True), (op.domain, 1.0, False)):
            if space == JOINTS:
                continue
            turn = self._turning(space)
            out.append((sign, (turn, op) if before else (op, turn)))
        return out

    def _turning(self, space: Any) -> Sparse:
        blocks = self.blocks
        if space == BODIES:
            return blocks.layout.of_bodies("Omega~", turning(blocks.w))
        bodies = [self.s.robot.frame(name)[0] for name in space.frames]  # frames turn with their bodies
        w = np.stack([blocks.w[..., k, :] if k >= 0 else 0 * blocks.v[..., :1] * np.zeros(3) for k in bodies], axis=-2)
        rows = 6 * np.arange(len(bodies))[:, None] + np.arange(6)
        rows, columns = np.broadcast_arrays(rows[:, :, None], rows[:, None, :])
        size = 6 * len(bodies)
        values = turning(w).reshape(*w.shape[:-2], -1)
        return Sparse("Omega~", space, space, (size, size), rows.ravel(), columns.ravel(), values)


def _of_H(r: Rates) -> Terms:
    return [(1.0, (r.blocks.layout.to_joints("dH", r.blocks.h_rate),))]


def _of_E_phi(r: Rates) -> Terms:
    return [(1.0, (r.blocks.layout.to_parents("dE_phi", r.blocks.E_rate),))]


def _of_M(r: Rates) -> Terms:
    return [(1.0, (r.blocks.layout.of_bodies("dM", r.blocks.turned(r.blocks.M)),))]


def _of_P(r: Rates) -> Terms:
    return [(1.0, (r.blocks.layout.of_bodies("dP", r.blocks.P_local + r.blocks.turned(r.blocks.P)),))]


def _of_D(r: Rates) -> Terms:
    return [(1.0, (r.blocks.layout.of_joints("dD", r.blocks.D_rate),))]


def _expanded(make: Callable[[Any], Expression]) -> Callable[[Rates], Terms]:
    """The rate of a letter that is made of others."""
    return lambda r: r.of(make(r.s.vocabulary))


_LETTERS: dict[str, Callable[[Rates], Terms]] = {
    "H": _of_H,
    "E_phi": _of_E_phi,
    "M": _of_M,
    "J": lambda r: [],
    "phi": lambda r: r._around("phi", "E_phi", "phi"),  # pyright: ignore[reportPrivateUsage]
    "phi_tilde": lambda r: r._around("phi", "E_phi", "phi"),  # pyright: ignore[reportPrivateUsage]
    "P": _of_P,
    "D": _of_D,
    "D.inv": lambda r: r._around("D.inv", "D", "D.inv", -1.0),  # pyright: ignore[reportPrivateUsage]
    "G": _expanded(lambda s: s.P @ s.H.T @ s.symbol("D.inv")),
    "K": _expanded(lambda s: s.E_phi @ s.G),
    "tau": _expanded(lambda s: s.G @ s.H),
    "tau_bar": _expanded(lambda s: s.I_bodies - s.G @ s.H),
    "P_plus": _expanded(lambda s: s.P - s.G @ s.D @ s.G.T),
    "E_psi": _expanded(lambda s: s.E_phi @ s.tau_bar),
    "psi": lambda r: r._around("psi", "E_psi", "psi"),  # pyright: ignore[reportPrivateUsage]
    "psi_tilde": lambda r: r._around("psi", "E_psi", "psi"),  # pyright: ignore[reportPrivateUsage]
    "Omega": _expanded(lambda s: s.psi.T @ s.H.T @ s.symbol("D.inv") @ s.H @ s.psi),
}


def dot(
    s: Configuration, what: str | Operator | Expression | Composed, v: ArrayLike, frame: Literal["inertial", "local"]
) -> Composed:
    """See `Configuration.dot`."""
    if s.passive is not None:
        raise errors.rate_with_mask()
    velocity = real(v, "dot", "v", "numbers")
    if velocity.ndim == 0 or velocity.shape[-1] != s.robot.nv:
        raise errors.shape("dot", "v", "velocity", f"(*batch, {s.robot.nv})", velocity.shape)
    try:
        velocity = np.broadcast_to(velocity, (*s.batch, s.robot.nv))
    except ValueError:
        raise errors.broadcast("dot", {"s": s.batch, "v": velocity.shape[:-1]}) from None
    one_of(frame, ("inertial", "local"), "dot", "frame")
    rates = Rates(s, velocity)
    if isinstance(what, str) and what in ("m", "l"):
        return _of_factor(rates, what)
    op = _operator(s, what)
    terms = rates.of(op.expression)
    return Composed(s, op.codomain, op.domain, rates.local(terms, op) if frame == "local" else terms)


def _operator(s: Configuration, what: Any) -> Operator:
    if isinstance(what, str):
        return getattr(s, what) if what != "D.inv" else s.D.inv
    if isinstance(what, Operator):
        if what.configuration is not s:
            raise errors.two_configurations(repr(what), repr(s))
        return what
    if isinstance(what, Expression):
        return bind(what, s)
    raise errors.wrong_type("dot", "what", "an operator of this configuration, or a letter's name", what)


# ── factors of the mass matrix ────────────────────────────────────────────────────────────────────────────────────────


def factor(s: Configuration) -> Composed:
    """m = [1 + HφK] S. [JR95d 4.10a]"""
    if s.passive is not None:
        raise errors.rate_with_mask()
    blocks = Blocks(s)
    S = blocks.layout.of_joints("S", blocks.S)
    S_inv = blocks.layout.of_joints("S.inv", [_inverse(x) for x in blocks.S])
    t = s.vocabulary
    colour, white = bind(t.I_joints + t.H @ t.phi @ t.K, s), bind(t.I_joints - t.H @ t.psi @ t.K, s)
    return Composed(s, JOINTS, JOINTS, [(1.0, (colour, S))], [(1.0, (S_inv, white))])


def _of_factor(rates: Rates, which: str) -> Composed:
    """ṁ = d(HφK) S + [1 + HφK] Ṡ;  dℓ = -ℓ ṁ ℓ. [JR95d 6.11]"""
    s, blocks, t = rates.s, rates.blocks, rates.s.vocabulary
    S, S_rate = blocks.layout.of_joints("S", blocks.S), blocks.layout.of_joints("dS", blocks.S_rate)
    colour = t.I_joints + t.H @ t.phi @ t.K
    terms: Terms = [(c, (*factors, S)) for c, factors in rates.of(colour)]
    m_rate = Composed(s, JOINTS, JOINTS, [*terms, (1.0, (bind(colour, s), S_rate))])
    if which == "m":
        return m_rate
    l = s.l  # noqa: E741
    return -1.0 * (l @ m_rate @ l)


def _inverse(S: Floats) -> Floats:
    return np.asarray(np.linalg.inv(S), dtype=np.float64)


def _transposed(terms: Sequence[Term]) -> Terms:
    return [(c, tuple(_adjoint(x) for x in reversed(factors))) for c, factors in terms]


def _adjoint(x: Factor) -> Factor:
    return x.T
