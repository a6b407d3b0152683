"""Runs in files and tables: the same numbers come back, and a run goes on from a file."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

import phipsi as pp
from phipsi.model import plain


@pytest.mark.parametrize("seed", range(3))
def test_robots_as_text(seed: int) -> None:
    robots = [pp.zoo.every_joint(seed=seed), pp.zoo.dual_arm_satellite(), pp.zoo.quadruped(), pp.Builder("no").build()]
    robots.append(robots[1].attach(robots[1].frame_names[-1], pp.Payload.sphere(2.0, 0.1), "tool"))
    for robot in robots:
        assert plain.from_text(plain.to_text(robot)) == robot


@pytest.mark.parametrize("ending", ["npz", "parquet"])
@pytest.mark.parametrize("batch", [(), (1,), (3, 1, 2), (0,)])
def test_saved_and_loaded(tmp_path: Path, ending: str, batch: tuple) -> None:
    if ending == "parquet":
        pytest.importorskip("pyarrow")
    robot = pp.zoo.every_joint()
    q0, v0 = robot.random(batch or None, rng=0) if batch != (0,) else (np.zeros((0, robot.nq)), np.zeros((0, robot.nv)))
    run = pp.simulate(robot, q0, v0, until=0.01, step=1e-3, record_every=2)
    path = tmp_path / f"run.{ending}"
    run.save(path)
    again = pp.Trajectory.load(path)
    assert again.robot == robot
    if batch == (0,) and ending == "parquet":
        assert again.q.size == 0
        return
    for name in ("t", "q", "v", "tau", "energy", "momentum", "kinetic_energy"):
        np.testing.assert_array_equal(getattr(again, name), getattr(run, name))
    assert again.closure is None
    np.testing.assert_array_equal(pp.simulate(again, until=0.02).q[-1], pp.simulate(run, until=0.02).q[-1])


def test_the_control_must_be_given_again(tmp_path: Path) -> None:
    arm = pp.zoo.arm()
    law = pp.control.PD(arm, arm.neutral(), kp=3.0, kd=1.0)
    run = pp.simulate(arm, arm.neutral() + 0.1, until=0.01, step=1e-3, control=law)
    run.save(tmp_path / "run.npz")
    again = pp.Trajectory.load(tmp_path / "run.npz")
    with pytest.raises(pp.SimulationError, match="files do not keep control"):
        pp.simulate(again, until=0.02)
    np.testing.assert_array_equal(pp.simulate(again, until=0.02, control=law).q[-1], pp.simulate(run, until=0.02).q[-1])


def test_a_closed_run_keeps_its_forces(tmp_path: Path) -> None:
    arm = pp.zoo.planar_arm(3)
    q0 = np.array([0.3, 0.5, -0.4])
    closed = arm.close(pp.Loop(arm.frame_names[-1], "world", pp.contact.revolute((0, 0, 1)), at=q0))
    run = pp.simulate(closed, q0, until=0.05, step=1e-3, record_every=5)
    assert run.closure is not None
    assert np.abs(run.closure).max() < 1e-9
    worst = run.drift.closure
    assert worst is not None
    assert worst < 1e-9
    run.save(tmp_path / "run.npz")
    again = pp.Trajectory.load(tmp_path / "run.npz")
    np.testing.assert_array_equal(again.contact_force, run.contact_force)
    with pytest.raises(pp.SimulationError, match="files do not keep system"):
        pp.simulate(again, until=0.1)
    again = pp.Trajectory.load(tmp_path / "run.npz", system=closed)
    np.testing.assert_allclose(pp.simulate(again, until=0.1).q[-1], pp.simulate(run, until=0.1).q[-1], atol=1e-12)


def test_tables() -> None:
    pandas, xarray = pytest.importorskip("pandas"), pytest.importorskip("xarray")
    ship = pp.zoo.arm_satellite()
    one = pp.simulate(ship, ship.neutral(), until=0.01, step=1e-3)
    frame = one.to_pandas()
    assert isinstance(frame, pandas.DataFrame)
    assert frame.index.name == "t"
    assert {"q.base.w", "v.base.rate_x", "tau.arm/joint1", "kinetic_energy", "momentum.linear_z"} <= set(frame.columns)
    np.testing.assert_array_equal(frame["q.base.w"], one.q[:, 0])
    q0, v0 = ship.random((2, 3), rng=0)
    many = pp.simulate(ship, q0, v0, until=0.002, step=1e-3)
    assert list(many.to_pandas().index.names) == ["t", "state"]
    data = many.to_xarray()
    assert isinstance(data, xarray.Dataset)
    assert data["q"].dims == ("t", "batch_0", "batch_1", "coordinate")
    np.testing.assert_array_equal(data["v"].sel(dof="base.rate_x"), many.v[..., 0])


@pytest.mark.parametrize("native", [True, False])
def test_streamed(tmp_path: Path, native: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pyarrow")
    from phipsi.motion import streaming

    monkeypatch.setattr(streaming, "NUMBERS", 2000)
    arm = pp.zoo.arm()
    q0, v0 = arm.random(2, rng=0)
    law = pp.control.PD(arm, arm.neutral(), kp=3.0, kd=1.0)
    control = law if native else lambda t, q, v: law(t, q, v)
    options = {"until": 0.2, "step": 1e-3, "control": control}
    whole = pp.simulate(arm, q0, v0, **options)
    path = tmp_path / "run.parquet"
    run = pp.simulate(arm, q0, v0, stream=path, **options)
    for name in ("t", "q", "v", "tau", "energy"):
        np.testing.assert_array_equal(getattr(run, name), getattr(whole, name))
    again = pp.Trajectory.load(path)
    np.testing.assert_array_equal(again.q, whole.q)
    np.testing.assert_array_equal(pp.simulate(run, until=0.21).q[-1], pp.simulate(whole, until=0.21).q[-1])


def test_streaming_bounds_memory_and_survives_exceptions(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    arm = pp.zoo.arm()
    q0 = np.broadcast_to(arm.neutral(), (200, 7))
    pp.simulate(arm, q0, until=0.01, step=1e-3, method="euler", stream=tmp_path / "first.parquet")
    tracemalloc.start()
    pp.simulate(arm, q0, until=2.0, step=1e-3, method="euler", stream=tmp_path / "run.parquet")
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 60e6  # all records are 67 MB, twice that with their columns

    def law(t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
        if t > 0.0055:
            raise ZeroDivisionError
        return 0 * v

    with pytest.raises(ZeroDivisionError) as caught:
        pp.simulate(arm, q0, until=1.0, step=1e-3, control=law, stream=tmp_path / "cut.parquet")
    assert caught.value.run.stopped == "error"
    assert pp.Trajectory.load(tmp_path / "cut.parquet").q.shape == (6, 200, 7)


def test_hostile_files(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    arm = pp.zoo.arm()
    run = pp.simulate(arm, arm.neutral(), until=0.01, step=1e-3)
    with pytest.raises(pp.OptionError, match="ending of the file's name"):
        run.save(tmp_path / "run.csv")
    with pytest.raises(pp.OptionError, match="ending of stream"):
        pp.simulate(arm, arm.neutral(), until=0.01, step=1e-3, stream="run.npz")
    for name in ("no.npz", "no.parquet"):
        (tmp_path / name).write_bytes(b"nothing")
        with pytest.raises(pp.SimulationError, match="not a recorded run"):
            pp.Trajectory.load(tmp_path / name)
        with pytest.raises(FileNotFoundError):
            pp.Trajectory.load(tmp_path / f"absent{name[2:]}")
    np.savez(tmp_path / "other.npz", x=np.ones(3))
    with pytest.raises(pp.SimulationError, match="does not say which robot moved"):
        pp.Trajectory.load(tmp_path / "other.npz")
