"""From a graph of steps to a program: as few sweeps as the order of the steps allows, and the executor's rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from phipsi.algebra import opcodes
from phipsi.algebra.graph import Node
from phipsi.algebra.opcodes import AXPY, COPY, DOWN, SCALE, STEPS, UP


@dataclass(frozen=True)
class Program:
    """What the native executor runs, and what it was made from."""

    rows: NDArray[np.int32]  # (r, 4): op, dst, src, index
    constants: NDArray[np.float64]
    spaces: tuple[int, ...]
    frames: tuple[str, ...]
    nodes: tuple[Node, ...]
    result: int
    sweep_of: tuple[int, ...]  # of each node, -1 for the input
    sweeps: tuple[int, ...]  # the direction of each

    @cached_property
    def space_list(self) -> list[int]:
        """The registers' spaces, as the executor takes them."""
        return list(self.spaces)

    @cached_property
    def frame_list(self) -> list[str]:
        """The frames' names, as the executor takes them."""
        return list(self.frames)


def scheduled(nodes: list[Node], result: int, frames: tuple[str, ...]) -> Program:
    """The program that computes the node `result`; `frames` are those that it knows."""
    schedules = [_delayed(nodes, _schedule(nodes, start)) for start in (UP, DOWN)]
    used = [sorted(set(sweeps[1:])) for sweeps in schedules]
    best = 0 if len(used[0]) <= len(used[1]) else 1
    # sweeps that do something, numbered anew
    renumbered = {old: new for new, old in enumerate(used[best])}
    sweep_of = tuple(renumbered.get(s, -1) if i else -1 for i, s in enumerate(schedules[best]))
    directions = tuple((old + best) % 2 for old in used[best])
    return _program(nodes, result, sweep_of, directions or (UP,), frames)


def _schedule(nodes: list[Node], start: int) -> list[int]:
    """The first sweep that can do each node, when sweeps alternate beginning with `start`."""
    sweep_of = [0] * len(nodes)
    for i, node in enumerate(nodes):
        earliest = max((sweep_of[source] for source in node.sources), default=0)
        needs = STEPS[node.step].direction if node.step in STEPS else None
        sweep_of[i] = earliest if needs is None or (earliest + start) % 2 == needs else earliest + 1
    return sweep_of


def _delayed(nodes: list[Node], sweep_of: list[int]) -> list[int]:
    """What stays at one body, and is used only in later sweeps, is done there if less has to wait in memory then."""
    uses: list[list[int]] = [[] for _ in nodes]
    for i in range(len(nodes) - 1, 0, -1):
        node = nodes[i]
        if uses[i] and _may_wait(node, nodes):
            sweep_of[i] = max(sweep_of[i], min(uses[i]))
        for source in node.sources:
            uses[source].append(sweep_of[i])
    return sweep_of


def _may_wait(node: Node, nodes: list[Node]) -> bool:
    if node.step not in STEPS or STEPS[node.step].direction is not None:
        return False
    return node.space == opcodes.BODIES and nodes[node.sources[0]].space in (opcodes.BODIES, opcodes.JOINTS)


def _program(
    nodes: list[Node], result: int, sweep_of: tuple[int, ...], directions: tuple[int, ...], frames: tuple[str, ...]
) -> Program:
    register = [0] * len(nodes)
    spaces = [nodes[0].space, nodes[result].space]
    for i in range(1, len(nodes)):
        register[i] = 1 if i == result else len(spaces)
        if i != result:
            spaces.append(nodes[i].space)
    constants: list[float] = []
    rows: list[tuple[int, int, int, int]] = []
    for sweep, direction in enumerate(directions):
        rows.append((direction, 0, 0, 0))
        for i in range(1, len(nodes)):
            if sweep_of[i] == sweep:
                rows.extend(_rows_of(nodes[i], register[i], register, constants))
    if result == 0:
        rows.append((COPY, 1, 0, 0))
    table, numbers = np.array(rows, dtype=np.int32), np.array(constants, dtype=np.float64)
    return Program(table, numbers, tuple(spaces), frames, tuple(nodes), result, sweep_of, directions)


def _rows_of(node: Node, dst: int, register: list[int], constants: list[float]) -> list[tuple[int, int, int, int]]:
    if node.step != "+":
        return [(STEPS[node.step].code, dst, register[node.sources[0]], 0)]
    if not node.sources:
        return [(opcodes.ZERO, dst, 0, 0)]
    rows: list[tuple[int, int, int, int]] = []
    for position, (source, c) in enumerate(zip(node.sources, node.factors, strict=True)):
        if position == 0 and c == 1.0:
            rows.append((COPY, dst, register[source], 0))
            continue
        if c not in constants:
            constants.append(c)
        rows.append((SCALE if position == 0 else AXPY, dst, register[source], constants.index(c)))
    return rows
