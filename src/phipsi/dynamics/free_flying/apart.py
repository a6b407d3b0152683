"""Algorithm 3.4: every link a rigid body of its own, integrated locally; sweeps keep the joints together."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from phipsi import errors
from phipsi.dynamics.free_flying.felt import floats
from phipsi.dynamics.free_flying.two_way import ByInertias, ByMobilities, TwoWay
from phipsi.dynamics.links import Links, columns, shift, star
from phipsi.model.reading import Floats
from phipsi.model.robot import Robot
from phipsi.model.rotation import from_quaternion, to_quaternion

Drive = ArrayLike | Callable[[float, Floats, Floats], ArrayLike] | None
_REFITS, _REFIT_TO = 4, 1e-15  # Newton steps to the joints' nearest coordinates; two are enough mostly


@dataclass(frozen=True, eq=False)
class Apart:
    """The links' own states, (*batch, n, ·): nothing but the joints' forces holds them together."""

    quaternion: Floats  # (*batch, n, 4), of each link in the world
    position: Floats  # (*batch, n, 3), of its origin O_k
    V: Floats  # (*batch, n, 6) = [ω; v of O_k], world axes
    q: Floats  # (*batch, nq): the joint coordinates nearest to where the links are
    momentum: Floats  # (*batch, trees, 6), about the world's origin: what each started with, and what was put in since


class LinkByLink:
    """A robot without base or joint angles: each link integrates its own pose and twist. [JR95f Algorithm 3.4]

    The equations of motion are solved link by link (Lemma 3.2: Λ(k) α(k) = P a - z - z_s), so no coordinate is special.
    What integration tears apart, the same two sweeps put together again: with (a, b, T) = (-e, 0, 0), e the closure
    errors, α is the displacement of least mass; with (0, -M V, J β) it is the M-nearest V that the joints allow, which
    has the same momentum. `keep` says what is restored after each step: "position", "velocity", and "momentum", by a
    rigid twist of each tree, which no joint feels (for robots that float).

    >>> import phipsi as pp
    >>> ship = pp.zoo.arm_satellite().with_gravity((0, 0, 0))
    >>> q, v = ship.random(rng=0)
    >>> links = pp.free_flying.LinkByLink(ship)
    >>> state = links.split(q, v)
    >>> for _ in range(3):
    ...     state = links.step(state, 0.01)
    >>> position, velocity = links.closure_error(state)
    >>> bool(position < 1e-12), bool(velocity < 1e-10)
    (True, True)
    >>> h = ship.momentum(q, v)
    >>> bool(abs(ship.momentum(*links.joint_state(state)) - h).max() < 1e-10 * abs(h).max())
    True
    """

    def __init__(self, robot: Robot, keep: tuple[str, ...] = ("position", "velocity", "momentum")) -> None:
        known = ("position", "velocity", "momentum")
        for word in keep:
            if word not in known:
                raise errors.option("LinkByLink", "keep", word, known)
        self.robot, self.keep = robot, keep
        self.floats = floats(robot) is None
        self._trees: list[list[int]] = []  # links of each, roots first
        tree_of: list[int] = []
        for k, p in enumerate(int(p) for p in robot.parent):
            if p < 0:
                self._trees.append([])
            tree_of.append(tree_of[p] if p >= 0 else len(self._trees) - 1)
            self._trees[tree_of[k]].append(k)

    # ── states ────────────────────────────────────────────────────────────────────────────────────────────────────

    def split(self, q: ArrayLike, v: ArrayLike) -> Apart:
        """The links of the robot in a state q (*batch, nq), v (*batch, nv)."""
        V = np.asarray(self.robot.velocities(q, v), dtype=np.float64)
        poses = self.robot.poses(np.broadcast_to(self.robot.normalize(q), (*V.shape[:-2], self.robot.nq)))
        q = np.broadcast_to(self.robot.normalize(q), (*V.shape[:-2], self.robot.nq))
        state = Apart(to_quaternion(poses.rotation), np.array(poses.position), V, np.array(q), np.zeros((0, 6)))
        return replace(state, momentum=self._momentum(self._links(state)))

    def joint_state(self, state: Apart) -> tuple[Floats, Floats]:
        """q and v of the joints: where nearest to the links, and what of their motions the joints allow."""
        s = self._links(state)
        return state.q, s.stacked(s.v)

    def momentum(self, state: Apart) -> Floats:
        """[angular; linear] about the world's origin, (*batch, 6). Rotors of armature are not in it."""
        return self._momentum(self._links(state)).sum(axis=-2)

    def closure_error(self, state: Apart) -> tuple[Floats, Floats]:
        """How far the joints are from closed: the largest errors of position and of velocity, (*batch,) each."""
        s = self._links(state)
        e, _ = self._errors(state)
        slip = [s.V[k] - star(s.phi[k]) @ s.V[p] - star(s.H[k]) @ s.v[k] for k, p in enumerate(s.parent)]
        velocity = np.max([abs(x[..., 0]).max(axis=-1) for x in slip], axis=0, initial=0.0)
        return np.max([abs(x[..., 0]).max(axis=-1) for x in e], axis=0, initial=0.0), velocity

    # ── motion ────────────────────────────────────────────────────────────────────────────────────────────────────

    def accelerations(self, state: Apart, tau: ArrayLike | None = None, f_ext: ArrayLike | None = None) -> Floats:
        """α(k) of every link, (*batch, n, 6), from the links' own states. [JR95f Algorithm 3.4]"""
        return self._rates(state, tau, f_ext)[0]

    def step(self, state: Apart, dt: float, tau: Drive = None, f_ext: ArrayLike | None = None, t: float = 0.0) -> Apart:
        """One step of RK4, and what `keep` says afterwards. tau: (*batch, nv), or a law (t, q, v) → tau."""
        k1 = self._slope(state, tau, f_ext, t)
        k2 = self._slope(self._advance(state, k1, dt / 2), tau, f_ext, t + dt / 2)
        k3 = self._slope(self._advance(state, k2, dt / 2), tau, f_ext, t + dt / 2)
        k4 = self._slope(self._advance(state, k3, dt), tau, f_ext, t + dt)
        mean = tuple((a + 2 * b + 2 * c + d) / 6 for a, b, c, d in zip(k1, k2, k3, k4, strict=True))
        state = self._advance(state, mean, dt)
        if "position" in self.keep:
            state = self.project_position(state)
        if "velocity" in self.keep:
            state = self.project_velocity(state)
        if "momentum" in self.keep and self.floats:
            state = self.restore_momentum(state)
        return state

    def project_position(self, state: Apart) -> Apart:
        """The nearest poses that the joints allow, nearest by mass: (a, b, T) = (-e, 0, 0), twice. [JR95f G6]"""
        for _ in range(3):
            e, refitted = self._errors(state)
            state = replace(state, q=refitted)
            if max((float(abs(x).max(initial=0.0)) for x in e), default=0.0) < 1e-14:
                break
            s = self._links(state)
            nothing = [np.zeros((own.stop - own.start, 1)) for own in s.of_v]
            d = self._solve(s, [-x for x in e], [np.zeros((6, 1))] * self.robot.n, nothing).alpha
            d = self._per_link(d)
            turned = _product(_exponential(d[..., :3]), state.quaternion)
            state = replace(state, quaternion=turned, position=state.position + d[..., 3:])
        return self._refit(state)

    def project_velocity(self, state: Apart) -> Apart:
        """The M-nearest twists that the joints allow: (a, b, T) = (0, -M V, J β). Momentum stays. [JR95f G6]"""
        s = self._links(state)
        b = [-s.M[k] @ s.V[k] for k in range(self.robot.n)]
        T = [self.robot.armature[own][:, None] * v for own, v in zip(s.of_v, s.v, strict=True)]
        found = self._solve(s, [np.zeros((6, 1))] * self.robot.n, b, T)
        return replace(state, V=self._per_link(found.alpha))

    def restore_momentum(self, state: Apart) -> Apart:
        """Each tree twisted rigidly until its momentum is what it started with and what was put in since."""
        s = self._links(state)
        missing = state.momentum - self._momentum(s)
        V = s.V.copy()
        for i, tree in enumerate(self._trees):
            about = {k: shift(s.origin[k]) for k in tree}  # φ(world, k)
            inertia = sum((x @ s.M[k] @ star(x) for k, x in about.items()), np.zeros((6, 6)))
            twist = np.linalg.solve(inertia, missing[..., i, :, None])
            for k, x in about.items():
                V[k] += star(x) @ twist
        return replace(state, V=self._per_link(V))

    # ── inside ────────────────────────────────────────────────────────────────────────────────────────────────────

    def _links(self, state: Apart, tau: ArrayLike | None = None, f_ext: ArrayLike | None = None) -> _Loose:
        return _Loose(self.robot, state, tau, f_ext)

    def _solve(self, s: Links, a: list[Floats], b: list[Floats], T: list[Floats]) -> TwoWay:
        free = [np.ones(own.stop - own.start, dtype=np.bool_) for own in s.of_v]
        return (ByInertias if self.floats else ByMobilities)(s, free, a, b, T).solve()

    def _rates(self, state: Apart, tau: ArrayLike | None, f_ext: ArrayLike | None) -> tuple[Floats, Floats]:
        """α(k), and what is put into the momentum: weight, external forces, and what the roots' joints give."""
        s = self._links(state, tau, f_ext)
        n = self.robot.n
        a = [s.coriolis(k, s.V) for k in range(n)]  # needs the neighbour's V: one exchange
        found = self._solve(s, a, [s.loads(k, s.V) for k in range(n)], s.T)
        put = [s.f_ext[k] + s.M[k] @ s.weight + (found.f[k] if p < 0 else 0.0) for k, p in enumerate(s.parent)]
        return self._per_link(found.alpha), self._by_tree(s, put)

    def _slope(self, state: Apart, tau: Drive, f_ext: ArrayLike | None, t: float) -> tuple[Floats, ...]:
        torque = tau(t, *self.joint_state(state)) if callable(tau) else tau
        alpha, into = self._rates(state, torque, f_ext)
        turning = np.concatenate([np.zeros((*state.V.shape[:-1], 1)), state.V[..., :3]], axis=-1)
        return 0.5 * _product(turning, state.quaternion), state.V[..., 3:], alpha, into

    def _advance(self, state: Apart, slope: tuple[Floats, ...], dt: float) -> Apart:
        turning, v, alpha, into = slope
        turned = state.quaternion + dt * turning
        turned = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
        moved = Apart(turned, state.position + dt * v, state.V + dt * alpha, state.q, state.momentum + dt * into)
        return self._refit(moved)

    def _refit(self, state: Apart) -> Apart:
        return replace(state, q=self._errors(state)[1])

    def _errors(self, state: Apart) -> tuple[list[Floats], Floats]:
        """What no motion of each joint can close, (6, 1) in world axes, and the joints' nearest coordinates."""
        robot, q = self.robot, state.q
        R = from_quaternion(state.quaternion)
        turn, slide = self._in_parents(R, state.position)  # the links in their parents, as they are
        gap = np.zeros((*state.V.shape[:-1], 6))  # in the links' own axes
        for refit in range(_REFITS + 1):
            poses = robot.poses(q)
            meant, place = self._in_parents(poses.rotation, poses.position)  # and as q means them
            gap[..., :3] = _logarithm(star(meant) @ turn)
            gap[..., 3:] = (star(meant) @ (slide - place)[..., None])[..., 0]
            move = np.zeros((*gap.shape[:-2], robot.nv))
            for k, h in enumerate(self._columns(q)):
                own = slice(int(robot.v_index[k]), int(robot.v_index[k + 1]))
                move[..., own] = (_left_inverse(h) @ gap[..., k, :, None])[..., 0]
            if refit == _REFITS or float(abs(move).max(initial=0.0)) < _REFIT_TO:
                break
            q = np.asarray(robot.integrate(q, move), dtype=np.float64)
        e = np.concatenate([R @ gap[..., :3, None], R @ gap[..., 3:, None]], axis=-2)
        return list(np.moveaxis(e, -3, 0)), q

    def _in_parents(self, rotation: Floats, position: Floats) -> tuple[Floats, Floats]:
        """Rotations and positions of the links in their parents' axes."""
        p = self.robot.parent
        world = np.broadcast_to(np.eye(3), (*rotation.shape[:-3], 1, 3, 3))
        R = np.concatenate([rotation, world], axis=-3)[..., p, :, :]  # parent -1 finds the world's
        O = np.concatenate([position, np.zeros((*position.shape[:-2], 1, 3))], axis=-2)[..., p, :]  # noqa: E741
        return star(R) @ rotation, (star(R) @ (position - O)[..., None])[..., 0]

    def _columns(self, q: Floats) -> list[Floats]:
        """H*(k) in child axes."""
        index = self.robot.q_index
        return [columns(j, q[..., index[k] : index[k + 1]]) for k, j in enumerate(self.robot.joints)]

    def _momentum(self, s: _Loose) -> Floats:
        return self._by_tree(s, [s.M[k] @ s.V[k] for k in range(self.robot.n)])

    def _by_tree(self, s: _Loose, x: list[Floats]) -> Floats:
        """Forces or momenta of links, summed over each tree about the world's origin: (*batch, trees, 6)."""
        out = np.zeros((*s.batch, len(self._trees), 6))
        for i, tree in enumerate(self._trees):
            out[..., i, :] = sum((shift(s.origin[k]) @ x[k] for k in tree), np.zeros((6, 1)))[..., 0]
        return out

    def _per_link(self, x: Floats) -> Floats:
        return np.moveaxis(x[: self.robot.n, ..., 0], 0, -2)

    def __repr__(self) -> str:
        return f"<LinkByLink of {self.robot.name!r}, keeping {', '.join(self.keep) or 'nothing'}>"


class _Loose(Links):
    """Links that stand where their own states say, and move as they say; v is what of that the joints allow."""

    def __init__(self, robot: Robot, state: Apart, tau: ArrayLike | None, f_ext: ArrayLike | None) -> None:
        still = np.zeros((*state.q.shape[:-1], robot.nv))
        super().__init__("LinkByLink", robot, state.q, still, np.zeros(robot.nv) if tau is None else tau, f_ext)
        self.place(np.moveaxis(from_quaternion(state.quaternion), -3, 0), np.moveaxis(state.position, -2, 0))
        world = np.zeros((1, *state.V.shape[:-2], 6, 1))
        self.V = np.concatenate([np.moveaxis(state.V, -2, 0)[..., None], world])
        self.v = [
            _left_inverse(star(self.H[k])) @ (self.V[k] - star(self.phi[k]) @ self.V[p])
            for k, p in enumerate(self.parent)
        ]


def _left_inverse(columns: Floats) -> Floats:
    """(A* A)⁻¹ A*; NaN passes through."""
    return np.asarray(np.linalg.inv(star(columns) @ columns), dtype=np.float64) @ star(columns)


def _product(a: Floats, b: Floats) -> Floats:
    """a b of quaternions [w, x, y, z]."""
    u, v = a[..., 1:], b[..., 1:]
    w = a[..., :1] * b[..., :1] - np.sum(u * v, axis=-1, keepdims=True)
    return np.concatenate([w, a[..., :1] * v + b[..., :1] * u + np.cross(u, v)], axis=-1)


def _exponential(turn: Floats) -> Floats:
    """The quaternion of a rotation vector."""
    half = 0.5 * np.linalg.norm(turn, axis=-1, keepdims=True)
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turn], axis=-1)


def _logarithm(R: Floats) -> Floats:
    """The rotation vector, accurate near none."""
    q = to_quaternion(R)
    sine = np.linalg.norm(q[..., 1:], axis=-1, keepdims=True)
    angle = 2.0 * np.arctan2(sine, q[..., :1])
    # of a small angle: q = [1 - 0, half the antisymmetric part]
    small = np.stack([R[..., 2, 1] - R[..., 1, 2], R[..., 0, 2] - R[..., 2, 0], R[..., 1, 0] - R[..., 0, 1]], axis=-1)
    return np.where(sine < 1e-4, 0.5 * small, angle * q[..., 1:] / np.where(sine > 0, sine, 1.0))
