"""What MuJoCo compiles is the robot that phipsi reads: poses, mass matrices, bias forces, properties, remarks."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import phipsi as pp
from phipsi.model.load import load_mjcf_string

mujoco: Any = pytest.importorskip("mujoco")

NOISY = [
    "contacts are ignored: geoms of 'world', 'cart', 'pole'.",
    "tendons are ignored: 'rope'.",
    "equality constraints are ignored: 'glue'.",
    "actuators are ignored: 'engine'.",
    "sensors are ignored: 'gauge'.",
    "fluid forces are ignored: density=1.2, wind=(1, 0, 0).",
    "gravity compensation is ignored, of bodies 'pole'.",
    "mocap bodies stand still where the file puts them: 'hook'.",
    "of unequal joint force limits the larger is kept, of joints 'rail'.",
    "limits and springs of ball and free joints are ignored: 'hinge'.",
]
GEOM = '<geom size="0.1" contype="0" conaffinity="0"/>'


def one(inside: str, name: str = "a") -> str:
    return f'<mujoco><worldbody><body name="{name}">{GEOM}{inside}</body></worldbody></mujoco>'


@pytest.fixture
def chain(files: Path) -> pp.Robot:
    with pytest.warns(pp.FileWarning, match="site 'hand' is 'hand_site'"):
        return pp.load(files / "mjcf" / "chain.xml")


def test_joints_keep_their_names_and_bodies_say_where_they_are(chain: pp.Robot) -> None:
    assert chain.name == "chain"
    assert chain.joint_names == ("yaw", "reach", "arm_joint_3", "wrist", "fly")
    assert chain.body_names == ("arm_after_yaw", "arm_after_reach", "arm_at_arm_joint_3", "hand_at_wrist", "stone")
    assert chain.frame_names[5:] == ("plinth", "arm", "bracket", "hand", "mark", "palm", "hand_site")
    assert chain.gravity.tolist() == [0, 0.5, -3]
    assert chain.frame("plinth")[0] == -1
    assert chain.mass[0] == chain.mass[1] == 0


def test_properties(chain: pp.Robot) -> None:
    yaw = chain.joint("yaw").joint
    assert (yaw.lower, yaw.upper, yaw.effort_limit) == ((-0.2,), (0.7,), (5.0,))
    assert (yaw.damping, yaw.friction, yaw.stiffness, yaw.rest) == ((0.2,), (0.3,), (3.0,), (0.4,))
    assert chain.armature.tolist() == [0.01] * 6 + [0] * 6  # a <freejoint> takes no defaults
    assert chain.joint("reach").joint.upper == (np.inf,)


def states(robot: pp.Robot, model: Any) -> Any:
    """Random states: phipsi's q, MuJoCo's, phipsi's v, and the matrix that turns phipsi's v into MuJoCo's."""
    q, v = robot.random(rng=1)
    theirs, turn = np.zeros(model.nq), np.zeros((model.nv, robot.nv))
    for k, name in enumerate(robot.joint_names):
        view, address, dof = robot.joint(name), model.jnt_qposadr[k], model.jnt_dofadr[k]
        value, nv = q[view.q], view.joint.nv
        if view.joint.kind == "free":  # position first; the linear velocity in world axes
            theirs[address : address + 7] = [*value[4:], *value[:4]]
            start = view.v.start
            turn[dof : dof + 3, start + 3 : start + 6] = Rotation.from_quat(np.roll(value[:4], -1)).as_matrix()
            turn[dof + 3 : dof + 6, start : start + 3] = np.eye(3)
        else:
            theirs[address : address + view.joint.nq] = value
            turn[dof : dof + nv, view.v] = np.eye(nv)
    return q, theirs, v, turn


def compare(robot: pp.Robot, model: Any, names: dict[str, str]) -> None:
    """Poses, mass matrix and bias forces; `names` are the frames to compare with MuJoCo's bodies."""
    data = mujoco.MjData(model)
    q, theirs, v, turn = states(robot, model)
    data.qpos[:], data.qvel[:] = theirs, turn @ v
    mujoco.mj_forward(model, data)
    for frame, body in names.items():
        pose = robot.pose(q, frame)
        np.testing.assert_allclose(pose.position, data.body(body).xpos, rtol=0, atol=1e-13)
        np.testing.assert_allclose(pose.rotation, data.body(body).xmat.reshape(3, 3), rtol=0, atol=1e-13)
    for k in range(model.nsite):
        name = model.site(k).name
        pose = robot.pose(q, "hand_site" if name == "hand" else name)
        np.testing.assert_allclose(pose.position, data.site_xpos[k], rtol=0, atol=1e-13)
        np.testing.assert_allclose(pose.rotation, data.site_xmat[k].reshape(3, 3), rtol=0, atol=1e-13)
    # columns of their mass matrix, from the product that every version of MuJoCo has
    columns = np.zeros((model.nv, model.nv))
    for i, unit in enumerate(np.eye(model.nv)):
        mujoco.mj_mulM(model, data, columns[i], unit)
    scale = np.abs(columns).max()
    np.testing.assert_allclose(robot.mass_matrix(q), turn.T @ columns @ turn, rtol=0, atol=1e-13 * scale)
    # their bias is at zero acceleration of *their* velocity: ours is then -ω × v for a free body
    a = np.zeros(robot.nv)
    for name in robot.joint_names:
        view = robot.joint(name)
        if view.joint.kind == "free":
            start = view.v.start
            a[start + 3 : start + 6] = -np.cross(v[start : start + 3], v[start + 3 : start + 6])
    expected = turn.T @ data.qfrc_bias
    scale = np.abs(expected).max()
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), expected, rtol=0, atol=1e-12 * scale)


def test_like_mujoco(chain: pp.Robot, files: Path) -> None:
    model = mujoco.MjModel.from_xml_path(str(files / "mjcf" / "chain.xml"))
    compare(chain, model, {name: name for name in ("plinth", "arm", "bracket", "hand", "stone")})


def test_like_mujoco_without_merging(files: Path, load: Callable[..., Any]) -> None:
    robot, _ = load(files / "mjcf" / "chain.xml", merge_fixed=False)
    assert robot.joint_names == ("plinth", "yaw", "reach", "arm_joint_3", "bracket", "wrist", "fly")
    assert [joint.kind for joint in robot.joints].count("fixed") == 2
    model = mujoco.MjModel.from_xml_path(str(files / "mjcf" / "chain.xml"))
    merged, _ = load(files / "mjcf" / "chain.xml")
    q, _ = merged.random(rng=1)
    np.testing.assert_allclose(robot.mass_matrix(q), merged.mass_matrix(q), rtol=0, atol=1e-9)
    assert model.body("plinth").mass[0] == pytest.approx(robot.body("plinth").mass)


def test_springs_push_as_in_mujoco(files: Path, chain: pp.Robot) -> None:
    model = mujoco.MjModel.from_xml_path(str(files / "mjcf" / "chain.xml"))
    model.dof_frictionloss[:] = 0
    data = mujoco.MjData(model)
    q, theirs, v, turn = states(chain, model)
    data.qpos[:], data.qvel[:] = theirs, turn @ v
    mujoco.mj_forward(model, data)
    got = chain.passive_forces(q, v)[0] + chain.friction[0] * np.sign(v[0])
    assert got == pytest.approx(data.qfrc_passive[0], rel=1e-12)


def test_what_is_ignored_is_named(files: Path, load: Callable[..., Any]) -> None:
    robot, said = load(files / "mjcf" / "noisy.xml")
    assert said == NOISY
    assert robot.effort_limit[0] == 2
    assert robot.frame("hook")[0] == -1


def test_warnings_point_at_the_line_that_loads(files: Path) -> None:
    for load in (pp.load, pp.load_mjcf):
        with pytest.warns(pp.FileWarning) as caught:
            load(files / "mjcf" / "noisy.xml")
        assert {warning.filename for warning in caught} == {__file__}


def test_a_free_base() -> None:
    robot = load_mjcf_string(one('<body name="b"><joint name="base"/>' + GEOM + "</body>"), base="free")
    assert robot.joint_names == ("root_joint", "base")
    assert robot.body_names == ("a", "b")
    assert robot.mass[0] > 0
    assert load_mjcf_string(one('<freejoint name="fly"/>'), base="free").joint_names == ("fly",)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("<mujoco/>", "there is none"),
        (one("<joint/>"), "body 'a' already moves by joints of its own"),
        (one(f'</body><body name="b">{GEOM}'), "2 bodies stand on the world: 'a', 'b'"),
    ],
)
def test_bases_that_are_not_clear(text: str, reason: str) -> None:
    with pytest.raises(pp.FileError) as caught:
        load_mjcf_string(text, base="free")
    remedy = 'Write <freejoint/> there, load base="fixed".'
    assert str(caught.value) == f'<string>: base="free" needs one body to float, but {reason}. {remedy}'


def test_no_names() -> None:
    text = f"<mujoco><worldbody><body>{GEOM}<joint/><joint/><body>{GEOM}</body></body></worldbody></mujoco>"
    robot = load_mjcf_string(text.replace("<joint/>", "<joint axis='1 0 0'/>", 1))
    assert robot.body_names == ("body_1_after_body_1_joint_1", "body_1")
    assert robot.joint_names == ("body_1_joint_1", "body_1_joint_2")
    assert robot.frame_names[2:] == ("body_2",)
    taken = one('<joint/><site name="world"/>', name="body_2").replace("</body>", f"</body><body>{GEOM}</body>")
    with pytest.warns(pp.FileWarning, match="site 'world' is 'world_site'"):
        assert load_mjcf_string(taken).frame_names == ("body_2", "body_2_2", "world_site")


def test_gravity_switched_off() -> None:
    text = one("<joint/>").replace("<worldbody>", '<option><flag gravity="disable"/></option><worldbody>')
    assert load_mjcf_string(text).gravity.tolist() == [0, 0, 0]


def test_mujoco_says_what_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "robot.xml"
    path.write_text("<mujoco>\n<arm/>\n</mujoco>")
    with pytest.raises(pp.FileError) as caught:
        pp.load(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: MuJoCo does not compile it: ")
    assert "'arm', line 2" in message
    assert message.endswith(". phipsi reads what MuJoCo compiles: correct it for MuJoCo.")


def test_without_mujoco(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "mujoco", None)
    path = files / "mjcf" / "chain.xml"
    with pytest.raises(pp.FileError) as caught:
        pp.load(path)
    remedy = "Install it: pip install 'phipsi[mjcf]'."
    assert str(caught.value) == f"{path}: reading it needs the package mujoco. {remedy}"
