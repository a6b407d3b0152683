"""Forward dynamics of closed chains against Pinocchio's constraint dynamics, where it covers the case."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest

import phipsi as pp
from tests.closed import systems
from tests.witness import pinocchio_twin


def constraints(twin, system):
    models, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
    for place in system.places:
        offset = pin.SE3(place.offset.rotation, place.offset.position)
        kind = pin.ContactType.CONTACT_6D if place.loop.contact.kind == "rigid" else pin.ContactType.CONTACT_3D
        tip = frame(twin, place.loop.tip)
        at = (0, offset)
        if place.loop.object != "world":
            thing = frame(twin, place.loop.object)
            at = (thing.parentJoint, thing.placement * offset)
        model = pin.RigidConstraintModel(
            kind, twin.model, tip.parentJoint, tip.placement, *at, pin.ReferenceFrame.LOCAL
        )
        models.append(model)
        data.append(model.createData())
    pin.initConstraintDynamics(twin.model, twin.data, models, data)
    return models, data


def frame(twin, name):
    return twin.model.frames[twin.model.getFrameId(name)]


@pytest.mark.parametrize("kinds", [("rigid", "rigid"), ("rigid", "point"), ("point", "point")])
def test_satellite_with_an_object(kinds):
    robot = systems.satellite()
    q, _ = robot.random(rng=4)
    hands = ("ship/left/hand", "ship/right/hand")
    system = robot.close(
        [pp.Grasp(hand, "box", systems.CONTACTS[kind](), at=q) for hand, kind in zip(hands, kinds, strict=True)]
    )
    check(system, q)


@pytest.mark.parametrize("kind", ["rigid", "point"])
def test_an_arm_on_the_world(kind):
    robot = pp.zoo.arm().add_frame("tool", "link7", pp.Pose((0.1, 0.2, 0.3), rpy=(0.1, 0.2, 0.3)))
    q, _ = robot.random(rng=2)
    check(robot.close(pp.Loop("tool", "world", systems.CONTACTS[kind](), at=q)), q)


def test_a_quadruped_stands():
    robot = pp.zoo.quadruped()
    q, _ = robot.random(rng=3)
    feet = [name for name in robot.frame_names if name.endswith("foot")]
    check(robot.close([pp.Loop(foot, "world", pp.contact.point(), at=q) for foot in feet[:3]]), q)


def check(system, q):
    twin = pinocchio_twin.of_robot(system.robot)
    models, data = constraints(twin, system)
    for seed in range(5):
        v, tau = systems.state(system, q, seed)
        theirs = twin.back(
            pin.constraintDynamics(
                twin.model,
                twin.data,
                twin.q(q),
                twin.v(v),
                twin.v(tau),
                models,
                data,
                pin.ProximalSettings(1e-14, 0.0, 1),
            )
        )
        ours = system.forward_dynamics(q, v, tau).acceleration
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-9 * np.abs(theirs).max())
