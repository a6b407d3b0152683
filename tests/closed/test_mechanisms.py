"""Published mechanisms from their published data: accelerations, end states, mobility, and energy over seconds."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import phipsi as pp
from phipsi.dynamics.closed import mechanisms


def simulated(mechanism, until, step, every=10):
    run = pp.simulate(
        mechanism.system, mechanism.q, mechanism.v, until=until, step=step, record_every=every, control=mechanism.law
    )
    assert np.abs(mechanism.system.closure_error(run.q)).max() < 1e-10
    return run


def test_squeezer():
    """Hairer and Wanner, Solving ODEs II, VII.7: initial accelerations and the state after 0.03 s."""
    m = mechanisms.squeezer()
    assert np.abs(m.system.closure_error(m.q)).max() < 1e-15
    assert m.law is not None
    a = m.system.forward_dynamics(m.q, m.v, m.law(0.0, m.q, m.v)).acceleration
    np.testing.assert_allclose(a[:2], [14222.4439199541, -10666.8329399656], rtol=1e-12)
    assert np.abs(a[2:]).max() < 1e-8
    run = simulated(m, 0.03, 2e-5)
    beta, theta, gamma, delta, phi, epsilon, omega = run.q[-1]
    end = [beta, theta, gamma, phi, delta, omega, epsilon]
    published = [15.81077119629904, -15.75637105984298, 0.04082224013073101, -0.5347301163226948, 0.5244099658805304,
                 0.5347301163226948, 1.048080741042263]  # fmt: skip
    np.testing.assert_allclose(end, published, rtol=0, atol=1e-7)


@pytest.mark.parametrize("windows", [1, 2, 8])
def test_four_bars(windows):
    """Problem A02: against the one equation that a row of parallelograms obeys, through its singular positions."""
    m = mechanisms.four_bars(windows)
    mobility = m.system.mobility(m.q)
    assert (mobility.freedoms, mobility.redundancy) == (1, 3 * windows)
    in_line = np.r_[np.full(windows + 1, -np.pi / 2), np.full(windows, np.pi / 2)]
    assert m.system.mobility(in_line).freedoms == windows + 1
    run = simulated(m, 1.5, 1e-3)
    energy = np.asarray(run.energy)
    assert np.abs(energy - energy[0]).max() < 1e-7
    inertia, weight = (windows + 1) / 3 + windows, 9.81 * ((windows + 1) / 2 + windows)
    x = np.array([np.pi / 2, -1.0])  # the angle of the posts from the x axis, and its rate
    for _ in range(15000):
        x = runge_kutta(lambda y: np.array([y[1], -weight * np.cos(y[0]) / inertia]), x, 1e-4)
    np.testing.assert_allclose(run.q[-1][: windows + 1], x[0] - np.pi / 2, atol=3e-6)
    np.testing.assert_allclose(run.v[-1][: windows + 1], x[1], atol=1e-5)


def runge_kutta(f, x, h):
    a = f(x)
    b = f(x + h / 2 * a)
    c = f(x + h / 2 * b)
    return x + h / 6 * (a + 2 * b + 2 * c + f(x + h * c))


def test_bricard():
    """Problem A04: a mechanism that counting says cannot move; its redundant constraint stays redundant all the way."""
    m = mechanisms.bricard()
    mobility = m.system.mobility(m.q)
    assert (mobility.freedoms, mobility.redundancy) == (1, 1)
    run = simulated(m, 3.0, 1e-3)
    energy = np.asarray(run.energy)
    assert np.abs(energy - energy[0]).max() < 1e-6
    assert np.abs(run.q).max() > 3.0
    assert (m.system.mobility(run.q).freedoms == 1).all()
    np.testing.assert_allclose(run.q[:, 0], run.q[:, 2], atol=1e-6)  # it keeps its symmetry


def test_slider_crank():
    """Crank and rod of equal length, through the position where the slider meets the hinge."""
    m = mechanisms.slider_crank()
    run = simulated(m, 2.0, 1e-3)
    slider = m.system.robot.pose(run.q, "pin").position
    assert slider[..., 0].min() < 0.0 < slider[..., 0].max()
    np.testing.assert_allclose(m.system.robot.velocity(m.q, m.v, "pin")[3:], [-4.0, 0, 0], atol=1e-12)
    energy = np.asarray(run.energy)
    assert np.abs(energy - energy[0]).max() < 1e-6


def test_slider_crank_follows_its_one_equation():
    """x = 2 cos θ; both bars together: m(θ) = 2/3 + 2 sin²θ, m θ̈ + 2 sin θ cos θ θ̇² + g cos θ = 0."""
    m = mechanisms.slider_crank()
    run = pp.simulate(m.system, m.q, m.v, until=2.0, step=5e-4, record_every=100)

    def rate(t, y):
        sine, cosine = np.sin(y[0]), np.cos(y[0])
        return y[1], -(2 * sine * cosine * y[1] ** 2 + 9.81 * cosine) / (2 / 3 + 2 * sine**2)

    start = [m.q[0], m.v[0]]
    exact = solve_ivp(rate, (0, 2), start, method="DOP853", t_eval=run.t, rtol=1e-12, atol=1e-12).y[0]
    np.testing.assert_allclose(m.system.robot.pose(run.q, "pin").position[:, 0], 2 * np.cos(exact), atol=1e-5)
