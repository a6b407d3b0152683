"""Programs of sweeps, carried out body by body in plain Python on the blocks of `phipsi.reference`.

The independent check of the native executor, and of plans: it knows nothing of either, only what the rows mean.
"""

from __future__ import annotations

from typing import Any

import numpy as np

import phipsi as pp
from phipsi import reference

UP, DOWN = 0, 1
UP_ONLY, DOWN_ONLY = {60, 61, 62, 63}, {70, 71, 72, 73}


class Letters:
    """The dense operators of one state, all with nv rows and columns at the joints: zero at dofs that are locked."""

    def __init__(self, robot: pp.Robot, q: np.ndarray, passive: np.ndarray | None) -> None:
        s = reference.at(robot, q)
        r = reference.riccati(s, passive)
        nv, free = robot.nv, r.free
        self.robot, self.free = robot, free
        self.H, self.E_phi, self.phi, self.M = s.H, s.E_phi, s.phi, s.M
        self.H_p, self.H_a = np.where(free[:, None], s.H, 0.0), np.where(free[:, None], 0.0, s.H)
        self.D, self.D_inv, self.G = np.zeros((nv, nv)), np.zeros((nv, nv)), np.zeros((6 * robot.n, nv))
        self.D[np.ix_(free, free)], self.D_inv[np.ix_(free, free)], self.G[:, free] = r.D, r.D_inverse, r.G
        self.P, self.P_plus, self.tau, self.tau_bar, self.E_psi, self.psi = (
            r.P, r.P_plus, r.tau, r.tau_bar, r.E_psi, r.psi,
        )  # fmt: skip
        self.J = np.diag(robot.armature)
        self.K = s.E_phi @ self.G
        self.Omega = self.psi.T @ self.H_p.T @ self.D_inv @ self.H_p @ self.psi
        self.Upsilon = np.zeros_like(self.Omega)
        for k in range(robot.n):
            own = slice(6 * k, 6 * k + 6)
            self.Upsilon[own, own] = self.Omega[own, own]
        self.one = np.eye(6 * robot.n)
        self._state = s

    def B(self, *frames: str) -> np.ndarray:
        """From forces at frames, world axes, to forces at their bodies' origins."""
        out = np.zeros((6 * self.robot.n, 6 * len(frames)))
        for i, name in enumerate(frames):
            body, pose = self.robot.frame(name)
            if body >= 0:
                arm = self._state.rotation[body] @ pose.position
                out[6 * body : 6 * body + 6, 6 * i : 6 * i + 6] = reference.spatial.shift(arm)
        return out


class Interpreter:
    """What `robot._configuration(q, passive)` returns, in Python."""

    def __init__(self, robot: pp.Robot, q: np.ndarray, passive: np.ndarray | None) -> None:
        self.robot, self.batch = robot, q.shape[:-1]
        flat = q.reshape(int(np.prod(q.shape[:-1])), robot.nq)
        self.states = [Letters(robot, one, passive) for one in flat]

    def run(
        self,
        program: np.ndarray,
        constants: np.ndarray,
        spaces: list[int],
        frames: list[str],
        x: np.ndarray,
        columns: bool,
    ) -> np.ndarray:
        """The output of a program; x: (*batch, m), with `columns` (*batch, m, k)."""
        assert x.flags.c_contiguous
        assert x.dtype == np.float64
        wide = x if columns else x[..., None]
        wide = np.broadcast_to(wide, (*self.batch, *wide.shape[-2:])).reshape(len(self.states), *wide.shape[-2:])
        out = [run(s, program, constants, spaces, frames, one) for s, one in zip(self.states, wide, strict=True)]
        rows = 6 * self.robot.n if spaces[1] == 0 else self.robot.nv if spaces[1] == 1 else 6 * len(frames)
        y = np.reshape(out, (*self.batch, rows, wide.shape[-1]))
        return y if columns else y[..., 0]


def run(
    s: Letters, program: np.ndarray, constants: np.ndarray, spaces: list[int], frames: list[str], x: np.ndarray
) -> np.ndarray:
    """One state, columns x."""
    robot, n = s.robot, s.robot.n
    sizes = {0: 6 * n, 1: robot.nv, 2: 6 * len(frames)}
    register: list[Any] = [np.full((sizes[space], x.shape[1]), np.nan) for space in spaces]
    register[0] = x
    _single_assignment(program)
    local, gathers, asks = _steps(s, s.B(*frames))
    for sweep in _sweeps(program):
        direction = sweep[0][0]
        for op, dst, _, _ in sweep[1:]:
            assert not (op in UP_ONLY and direction == DOWN)
            assert not (op in DOWN_ONLY and direction == UP)
            if op in (60, 61, 62, 63, 81):
                register[dst][:] = 0.0
        for k in range(n) if direction == DOWN else reversed(range(n)):
            for op, dst, src, index in sweep[1:]:
                place = _place(robot, spaces[dst], k)
                to, fro = register[dst], register[src]
                if op == 10:
                    to[place] = fro[place]
                elif op == 11:
                    to[place] += constants[index] * fro[place]
                elif op == 12:
                    to[place] = constants[index] * fro[place]
                elif op == 13:
                    to[place] = 0.0
                elif op in local:
                    own = _place(robot, spaces[src], k)
                    if op == 80:
                        to[place] = local[op][place] @ fro
                    elif op == 81:
                        to += local[op][:, own] @ fro[own]
                    else:
                        to[place] = local[op][place, own] @ fro[own]
                elif op in gathers:
                    matrix, recursive = gathers[op]
                    children = [j for j in range(n) if robot.parent[j] == k]
                    gathered = sum((matrix[place, _place(robot, 0, j)] @ (to if recursive else fro)[_place(robot, 0, j)]
                                    for j in children), np.zeros_like(to[place]))  # fmt: skip
                    to[place] = gathered + (fro[place] if recursive else 0.0)
                else:
                    matrix, recursive = asks[op]
                    p = int(robot.parent[k])
                    up = _place(robot, 0, p)
                    asked = np.zeros_like(to[place]) if p < 0 else matrix[place, up] @ (to if recursive else fro)[up]
                    to[place] = asked + (fro[place] if recursive else 0.0)
    return register[1]


def _steps(s: Letters, B: np.ndarray) -> tuple[dict[int, np.ndarray], dict[int, Any], dict[int, Any]]:
    local = {
        20: s.H, 21: s.H.T, 22: s.H_p, 23: s.H_p.T, 24: s.H_a, 25: s.H_a.T, 30: s.M, 31: s.P, 32: s.P_plus,
        33: s.Upsilon, 34: s.tau, 35: s.tau.T, 36: s.tau_bar, 37: s.tau_bar.T, 40: s.G, 41: s.G.T, 50: s.D,
        51: s.D_inv, 52: s.J, 80: B, 81: B.T,
    }  # fmt: skip
    gathers = {60: (s.E_phi, True), 61: (s.E_phi, False), 62: (s.E_psi, True), 63: (s.E_psi, False)}
    asks = {
        70: (s.E_phi.T, True), 71: (s.E_phi.T, False), 72: (s.E_psi.T, True), 73: (s.E_psi.T, False),
    }  # fmt: skip
    return local, gathers, asks


def _place(robot: pp.Robot, space: int, k: int) -> slice:
    if space == 1:
        return slice(int(robot.v_index[k]), int(robot.v_index[k + 1]))
    return slice(6 * k, 6 * k + 6)


def _sweeps(program: np.ndarray) -> list[list[list[int]]]:
    sweeps: list[list[list[int]]] = []
    for row in program.tolist():
        if row[0] in (UP, DOWN):
            sweeps.append([])
        sweeps[-1].append(row)
    return sweeps


def _single_assignment(program: np.ndarray) -> None:
    """Every register is written by one row (and added to by AXPY), after all that it reads."""
    written = {0}
    for op, dst, src, _ in program.tolist():
        if op in (UP, DOWN):
            continue
        assert op == 13 or src in written
        assert (dst in written) == (op == 11)
        written.add(dst)
