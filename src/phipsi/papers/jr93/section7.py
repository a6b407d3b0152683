"""JR93, section 7: free-flying space manipulators: reaction mode, and momentum."""

from __future__ import annotations

from functools import partial

import numpy as np

from phipsi.papers.row import Pair, Section, misprint
from phipsi.papers.row import Row as _Row
from phipsi.reference.description import Array
from phipsi.reference.spatial import both, shift, skew

from .section6 import J_D, J_G, passive_drift, tip_drift
from .system import System, floating

Row = _Row[System]


def ship(rng: np.random.Generator) -> System:
    """A free-flyer of which nothing but the base is passive."""
    o = floating(rng)
    return o.masked(np.asarray(o.robot.passive))


def _momentum(o: System, q: Array, v: Array) -> Array:
    """h = [M_pa M_pp] β."""
    return (o.robot.mass_matrix(q) @ v)[:6]


def _to_point(o: System, q: Array) -> Array:
    """φ(I, n) H*(n): from the base's own axes and origin to the fixed point I."""
    pose = o.robot.pose(q, o.robot.body_names[0])
    return shift(pose.position - o.point) @ both(pose.rotation)


def _at_point(o: System, q: Array, v: Array) -> Array:
    """φ(I, n) H*(n) h."""
    return _to_point(o, q) @ _momentum(o, q, v)


def _centre_velocity(o: System, q: Array, v: Array) -> Array:
    return o.robot.center_of_mass_jacobian(q) @ v


def _h_dot(o: System) -> Array:
    return o.rate_of(partial(_momentum, o))


def _turning(o: System) -> Array:
    """[[ω~, v~], [0, ω~]] h, of the base's twist in its own axes."""
    w, v = skew(o.v[:3]), skew(o.v[3:6])
    return np.block([[w, v], [np.zeros((3, 3)), w]]) @ _momentum(o, o.q, o.v)


def _reaction_mode(o: System) -> list[Pair]:
    """[J_G; J_D] β̇_a, of any β̇_a; and one that leaves the base alone (7 motors or more can)."""
    both_J = np.concatenate([J_G(o), J_D(o)])
    drift = np.concatenate([tip_drift(o), passive_drift(o)])
    found = both_J @ o.v_dot[o.a] + drift
    quiet = np.linalg.pinv(J_D(o)) @ -passive_drift(o)
    return [(found, np.concatenate([o.alpha_tip, o.v_dot[o.p]])), (o.moved(quiet)[o.p], np.zeros(6))]


def _mass_centre(o: System) -> Array:
    """The acceleration of the mass centre when T_p = 0."""
    free = o.masked(o.passive)
    free.T = np.zeros(o.N)
    free.__dict__.pop("v_dot", None)
    return free.rate_of(partial(_centre_velocity, o))


SECTION_7: Section[System] = Section(
    "7",
    "Application to free-flying space manipulators",
    ship,
    (
        misprint("7.1", "[J_G; J_D] β̇_a = [α(0); β̇_p] less velocity and T_p dependent terms, solved for β̇_a",
            _reaction_mode, "... is solved for the active hinge acceleration β̇_p",
            title="reaction-mode control", note="the text names the wrong acceleration"),
        misprint("7.2", "dh/dt + [[ω~, v~], [0, ω~]] h = T_p with h = M_pa β_a + M_pp β_p, β_p in the base's axes",
            lambda o: (_h_dot(o) + _turning(o), o.T[:6]),
            "dh/dt - ½ ∇(β*𝓜β) = dh/dt = T_p", lambda o: (_h_dot(o), o.T[:6]),
            note="β_p is a quasi-velocity: Lagrange's equations need the bracket term"),
        misprint("7.3", "φ(I,n) H*(n) h = ∫ φ(I,n) H*(n) T_p dt + constant, I a fixed point",
            lambda o: [(_at_point(o, o.q, o.v), _about(o)),
                       (o.rate_of(partial(_at_point, o)), _to_point(o, o.q) @ o.T[:6])],
            "[M_pa, M_pp] β = ∫ T_p dt + constant", lambda o: (_h_dot(o), o.T[:6]),
            title="momentum", note="h is about the moving base; checked by its rate"),
        misprint("7, mass centre", "if T_p = 0, the mass centre moves uniformly (and rests if p = 0)",
            lambda o: (_mass_centre(o), np.zeros(3)),
            "the centre of mass of the manipulator remains stationary",
            lambda o: (o.robot.center_of_mass_jacobian(o.q) @ o.v, np.zeros(3))),
    ),
)  # fmt: skip


def _about(o: System) -> Array:
    """The compiled core's momentum, moved to I."""
    return shift(-o.point) @ o.robot.momentum(o.q, o.v)
