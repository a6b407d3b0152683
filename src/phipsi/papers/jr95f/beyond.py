"""What goes beyond JR95f, in its letters: trees, driven dofs, bases that are held, weight, links kept together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from phipsi import reference
from phipsi.model.robot import Robot
from phipsi.model.zoo import tree
from phipsi.papers.row import Pair, Row, Section
from phipsi.reference.description import Array
from phipsi.reference.letters import Letters


class Tree:
    """A free-flying tree and a held one, in random motions under random forces."""

    def __init__(self, rng: np.random.Generator) -> None:
        seed = int(rng.integers(1000))
        self.floating, self.held = tree(7, seed=seed, base="free"), tree(7, seed=seed, base="fixed")
        self.rng = np.random.default_rng(seed)
        self.motions = {id(r): self._motion(r) for r in (self.floating, self.held)}

    def _motion(self, robot: Robot) -> tuple[Array, ...]:
        q, v = robot.random(rng=self.rng)
        return q, v, self.rng.normal(size=robot.nv), self.rng.normal(size=(robot.n, 6)), self.rng.normal(size=robot.nv)


def _truth(t: Tree, robot: Robot) -> tuple[Array, Array]:
    q, v, tau, f_ext, _ = t.motions[id(robot)]
    a = reference.forward_dynamics_dense(robot, q, v, tau, f_ext)
    return a, reference.accelerations(robot, q, v, a)


def _solved(t: Tree, robot: Robot, form: str) -> list[Pair]:
    from phipsi.dynamics import free_flying

    q, v, tau, f_ext, _ = t.motions[id(robot)]
    found = free_flying.dynamics(robot, q, v, tau, f_ext=f_ext, form="inertia" if form == "inertia" else "mobility")
    a, alpha = _truth(t, robot)
    felt = [reference.operational_space_compliance(robot, q, name) for name in robot.body_names]
    return [(found.acceleration, a), (found.link_accelerations, alpha), (found.Upsilon, np.array(felt))]


def _branches(t: Tree) -> list[Pair]:
    """Ω(i, j) = ψ*(c, i) Υ(c) ψ(c, j), with R for links on different branches."""
    s = Letters(t.floating, t.motions[id(t.floating)][0])
    R = s.psi.T @ (s.E_psi.T @ s.Upsilon @ s.E_psi + s.H.T @ s.D.inv @ s.H - s.Upsilon) @ s.psi
    whole = s.Upsilon + s.psi_tilde.T @ s.Upsilon + s.Upsilon @ s.psi_tilde + R
    return [(s.Omega.value, whole.value)]


def _hybrid(t: Tree) -> list[Pair]:
    from phipsi.dynamics import free_flying

    robot = t.floating
    q, v, tau, f_ext, a = t.motions[id(robot)]
    mask = np.arange(robot.nv) % 2 == 0
    mask[:6] = True
    tau_all, a_all = reference.hybrid_dynamics(robot, q, v, tau, a, mask, f_ext)
    pairs: list[Pair] = []
    for form in ("inertia", "mobility"):
        found = free_flying.dynamics(robot, q, v, tau, a, mask, f_ext, form)
        pairs += [(found.acceleration, a_all), (found.tau, tau_all)]
    return pairs


def _invariant(t: Tree) -> list[Pair]:
    """J_G of a frame from another base; J_D with link k as base is J_G of O_k."""
    robot = t.floating
    q = t.motions[id(robot)][0]
    tip = robot.body_names[-1]
    there = robot.rebasing(tip)
    q1, base = there.configuration(q), robot.joint_names[0]
    J_G = robot.generalized_jacobian(q, tip, [base])
    # columns follow the hinges, whose signs and order the other base has of its own
    T = there.matrix(q)[6:, 6:]
    other = there.robot.generalized_jacobian(q1, tip, [there.robot.joint_names[0]])
    R = robot.pose(q, tip).rotation
    J_D = there.robot.disturbance_jacobian(q1, [there.robot.joint_names[0]])
    in_body = np.concatenate([R.T @ other[:3], R.T @ other[3:]])
    return [(other @ T, J_G), (J_D, in_body)]


def _falling(t: Tree) -> list[Pair]:
    """In uniform gravity a free-flyer's α(k) is shifted by [0; g], and nothing else is."""
    from phipsi.dynamics import free_flying

    g = np.array([0.3, -0.5, -9.0])
    q, v, tau, f_ext, _ = t.motions[id(t.floating)]
    light, heavy = (free_flying.dynamics(t.floating.with_gravity(x), q, v, tau, f_ext=f_ext) for x in (g * 0, g))
    shifted = light.link_accelerations + np.concatenate([np.zeros(3), g])
    return [(heavy.link_accelerations, shifted), (heavy.acceleration[6:], light.acceleration[6:])]


def _together(t: Tree) -> list[Pair]:
    """Torn links: closed by displacements, matched by velocities, with the momentum they had."""
    from phipsi.dynamics import free_flying

    q, v, *_ = t.motions[id(t.floating)]
    links = free_flying.LinkByLink(t.floating)
    whole = links.split(q, v)
    torn = replace(whole, position=whole.position + 1e-3 * t.rng.normal(size=whole.position.shape))
    torn = replace(torn, V=torn.V + 0.1 * t.rng.normal(size=torn.V.shape))
    closed = links.project_position(torn)
    matched = links.project_velocity(closed)
    twisted = links.restore_momentum(replace(matched, momentum=whole.momentum))
    nothing = np.zeros(())
    return [(links.closure_error(closed)[0], nothing), (links.closure_error(matched)[1], nothing),
            (links.momentum(matched), links.momentum(closed)), (links.momentum(twisted), links.momentum(whole)),
            (links.closure_error(twisted)[1], nothing)]  # fmt: skip


BEYOND = Section("G", "Beyond the paper", Tree, (
    Row("G1", "trees: S⁺(c) = φ(c, j) [S(j) + M(j) + Σ φ P⁺(c') φ*] φ*(c, j); Ω has blocks R between branches",
        lambda t: [*_solved(t, t.floating, "inertia"), *_branches(t)]),
    Row("G2", "driven dofs: P, z and S, z_s of the free ones, a_p → a_p + H_a* β̇_a; T_a = H_a f", _hybrid),
    Row("G3", "J_G does not depend on the base; J_D with link k as base is J_G of O_k", _invariant),
    Row("G4", "bases that are held: Φ⁺ = (S⁺)⁻¹ and γ⁺ from the base, zero there; Υ(k) = Φ, α(k) = γ",
        lambda t: [*_solved(t, t.held, "mobility"), *_solved(t, t.floating, "mobility")]),
    Row("G5", "gravity: b(k) less the weight; of a free-flyer only α(k) is shifted, by [0; g]", _falling),
    Row("G6", "links kept together: (a, b, T) = (-e, 0, 0) closes them, (0, -M V, 0) matches velocities", _together),
))  # fmt: skip
