"""Events: found where they are, whatever the method; what follows from them."""

from __future__ import annotations

import numpy as np
import pytest

import phipsi as pp

METHODS = {"rk4": 1e-12, "dopri5": 1e-9, "midpoint": 1e-12}


def falling(t: float) -> float:
    return -0.5 * 9.81 * t * t


@pytest.mark.parametrize("method", METHODS)
def test_a_stop_is_found(method: str) -> None:
    box = pp.zoo.box()
    fall = pp.Event(lambda t, q, v: q[6] + 2.0, "stop", name="floor")
    run = pp.simulate(box, box.neutral(), until=10.0, step=0.03, method=method, events=[fall], record_every=5)
    exact = np.sqrt(4 / 9.81)
    assert run.stopped == "event"
    assert run.events == ((run.t[-1], "floor"),)
    np.testing.assert_allclose(run.t[-1], exact, atol=METHODS[method])
    np.testing.assert_allclose(run.q[-1, 6], -2.0, atol=1e-8)
    np.testing.assert_allclose(run.q[:, 6], falling(run.t), atol=1e-8)
    on = pp.simulate(run, until=1.0)
    np.testing.assert_allclose(on.q[-1, 6], falling(1.0), atol=1e-8)


@pytest.mark.parametrize("method", ["euler", *METHODS])
def test_a_ball_bounces(method: str) -> None:
    ball = pp.zoo.box()

    def bounce(t: float, q: np.ndarray, v: np.ndarray) -> pp.Change:
        return pp.Change(v=v * [1, 1, 1, 1, 1, -0.5])

    floor = pp.Event(lambda t, q, v: q[6] + 1.0, bounce, direction=-1, name="bounce")
    step = 1e-4 if method == "euler" else 0.01
    run = pp.simulate(ball, ball.neutral(), until=1.0, step=step, method=method, events=[floor], record_every=10)
    first = np.sqrt(2 / 9.81)
    second = first + 2 * 0.5 * first
    times = [t for t, name in run.events if name == "bounce"]
    np.testing.assert_allclose(times[:2], [first, second], atol=1e-3 if method == "euler" else 1e-8)
    assert run.q[:, 6].min() > -1.001
    assert run.stopped == "until"
    k = int(np.flatnonzero(np.diff(run.t) == 0)[0])  # the state before and after
    np.testing.assert_allclose(run.v[k + 1, 5], -0.5 * run.v[k, 5])


def test_times_control_and_masks_change() -> None:
    arm = pp.zoo.arm()
    off = pp.Event(0.0205, pp.Change(control=np.zeros(7)), name="off")
    loose = pp.Event(0.0305, pp.Change(passive=["joint4"]), name="loose")
    run = pp.simulate(arm, arm.neutral(), until=0.05, step=1e-3, control=np.ones(7), events=[off, loose])
    assert [name for _, name in run.events] == ["off", "loose"]
    np.testing.assert_array_equal([t for t, _ in run.events], [0.0205, 0.0305])
    assert (run.tau[run.t < 0.0205] == 1).all()
    assert (run.tau[run.t > 0.0205] == 0).all()
    assert run.robot.passive.sum() == 1
    # the same in three runs
    a = pp.simulate(arm, arm.neutral(), until=0.0205, step=1e-3, control=np.ones(7))
    b = pp.simulate(arm, a.q[-1], a.v[-1], start=0.0205, until=0.05, step=1e-3)
    np.testing.assert_allclose(run.q[-1], b.q[-1], atol=1e-12)


def test_attach_and_release() -> None:
    """A pendulum's tip is caught by a pin, held, and let go: closed, then open again."""
    arm = pp.zoo.planar_arm(3, gravity=(0, 0, 0))
    tip = arm.frame_names[-1]
    q0, v0 = np.array([0.3, 0.5, -0.4]), np.array([0.2, -0.1, 0.3])

    def catch(t: float, q: np.ndarray, v: np.ndarray) -> object:
        closed = arm.close(pp.Loop(tip, "world", pp.contact.directions(np.array([0, 0, 0, 1, 1, 0], bool)), at=q))
        return pp.Change(system=closed)

    run = pp.simulate(
        arm, q0, v0, until=0.3, step=1e-3,
        events=[pp.Event(0.1, catch, name="catch"), pp.Event(0.2, pp.Change(system=arm), name="release")],
    )  # fmt: skip
    held = (run.t > 0.1) & (run.t < 0.2)
    at = arm.pose(run.q, tip).position
    assert np.ptp(at[held], axis=0).max() < 1e-9
    assert np.ptp(at[run.t < 0.1], axis=0).max() > 1e-3
    assert run.closure is not None
    assert run.contact_force is not None
    assert np.isnan(run.closure[run.t < 0.1]).all()
    assert np.abs(run.closure[held]).max() < 1e-9
    energy = run.energy[held]
    assert np.ptp(energy) < 1e-9
    after = run.energy[run.t > 0.2]
    np.testing.assert_allclose(after, energy[-1], atol=1e-9)


def test_hostile_events() -> None:
    box = pp.zoo.box()
    options = {"until": 0.1, "step": 0.01}
    q = np.stack([box.neutral()] * 2)
    with pytest.raises(pp.ShapeError, match="must give one number"):
        pp.simulate(box, q, events=[pp.Event(lambda t, q, v: q[..., 6], "stop")], **options)
    with pytest.raises(pp.DTypeError, match="must be 'stop', a Change"):
        pp.simulate(box, q, events=[pp.Event(0.05, lambda t, q, v: "go")], **options)
    with pytest.raises(pp.DTypeError, match="a list of Event"):
        pp.simulate(box, q, events=["stop"], **options)
    with pytest.raises(pp.ShapeError, match="nq = 7"):
        pp.simulate(pp.zoo.pendulum(), [0.1], events=[pp.Event(0.05, pp.Change(system=box))], **options)
