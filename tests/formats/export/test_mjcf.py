"""A Spec as MJCF: MuJoCo computes the same, and it is read back as it was."""

import mujoco
import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled, errors, same_forces
from gori.errors import FileError, FormatWarning, InputError, SpecError
from gori.formats.export.mjcf import write_mjcf
from tests.formats.export.machines import HEAVY, JOINTS, chain, machine, same_dynamics


@pytest.mark.parametrize("kind", JOINTS)
def test_mujoco_computes_the_same(tmp_path, kind):
    spec, path = machine(kind), tmp_path / "a.xml"
    write_mjcf(spec, path)
    back = gori.load(path)
    same_dynamics(spec, back)
    found = errors(compiled(path), gori.compile(back))
    assert max(found.values()) < 1e-9, found


def test_massless_bodies_between_joints_vanish(tmp_path):
    spec, path = chain(), tmp_path / "a.xml"
    write_mjcf(spec, path)
    m = compiled(path)
    assert m.nbody == 2 and m.njnt == 3
    same_dynamics(spec, gori.load(path))
    assert np.allclose(m.key("start").qpos, [0, 0.2, 0]) and np.allclose(m.key("start").qvel, [0, 0, 0.4])


def test_poses_are_the_same(tmp_path):
    spec, path = machine("spherical"), tmp_path / "a.xml"
    write_mjcf(spec.set("tested.q", [0.6, 0.8, 0, 0]), path)
    ours, back = gori.compile(spec), gori.compile(gori.load(path, keyframe="start"))
    assert np.allclose(back.q0, gori.compile(spec.set("tested.q", [0.6, 0.8, 0, 0])).q0)
    poses, theirs = ours.forward_kinematics(back.q0), back.forward_kinematics(back.q0)
    assert np.allclose(poses["c"], theirs["c"], atol=1e-14)


def test_a_free_joint_starts_where_it_did(tmp_path):
    spec = machine("free", q=[0.6, 0.8, 0, 0, 1, 2, 3], v=[1, 2, 3, 4, 5, 6])
    write_mjcf(spec, tmp_path / "a.xml")
    back = gori.compile(gori.load(tmp_path / "a.xml", keyframe="start"))
    ours = gori.compile(spec)
    poses = [model.forward_kinematics(model.q0)["c"] for model in (ours, back)]
    assert np.allclose(*poses, atol=1e-14) and np.allclose(back.v0, ours.v0)


def test_forces_are_the_same_when_read_back(tmp_path):
    spec = gori.Spec(
        bodies={"a": HEAVY, "b": HEAVY},
        joints={
            "j": {"type": "revolute", "parent": "ground", "child": "a", "axis": [0, 1, 0], "damping": 0.3,
                  "stiffness": 2, "rest": 0.1, "armature": 0.2, "limits": [-1, 1], "effort_limit": 9},
            "s": {"type": "prismatic", "parent": "a", "child": "b", "axis": [1, 0, 0], "q": 0.3},
        },
        frames={"tip": {"body": "b", "at": [0.1, 0, 0], "rpy_deg": [0, 30, 0]}},
        forces={"push": {"type": "torque", "joint": "j", "value": 2.0},
                "hold": {"type": "motor", "joint": "s", "kp": 30, "kd": 2, "limit": 5},
                "turn": {"type": "motor", "joint": "j", "kd": 2, "target_velocity": 0.5},
                "jet": {"type": "wrench", "body": "tip", "force": [1, 2, 3], "moment": [4, 5, 6], "axes": "body"},
                "lift": {"type": "wrench", "body": "a", "at": HEAVY["com"], "force": [0, 0, 9.81]},
                "line": {"type": "spring", "parent": "ground", "child": "tip", "stiffness": 20, "length": 0.3},
                "coil": {"type": "torsion", "joint": "j", "stiffness": 3, "rest": 0.2, "preload": 0.5}},
    )  # fmt: skip
    path = tmp_path / "a.xml"
    write_mjcf(spec, path)
    assert same_forces(path, tmp_path, "start") < 1e-9
    back = gori.load(path, keyframe="start")
    assert back.forces["hold"].target == 0.3 and back.forces["push"].value == 2.0
    assert back.joints["j"].limits == (-1.0, 1.0) and back.joints["j"].effort_limit == 9.0
    ours, theirs = (gori.compile(one) for one in (spec, back))
    simulated = [gori.Simulation(model, gori.RK4(step=1e-3)).run(0.2, progress=False) for model in (ours, theirs)]
    assert np.allclose(simulated[0]["j.q"], simulated[1]["j.q"], atol=1e-10)


REFUSED = {
    "helical joint: tested": lambda: machine("revolute").set({"tested.type": "helical", "tested.pitch": 0.1}),
    "torque that MJCF cannot say: f": lambda: with_force({"type": "torque", "joint": "tested", "value": "sin(t)"}),
    "bushing that MJCF cannot say: f": lambda: with_force(
        {"type": "bushing", "parent": "a", "child": "c", "stiffness": [1] * 6}
    ),
    "wrench that MJCF cannot say: f": lambda: with_force({"type": "wrench", "body": "a", "force": [1, 2, 3]}),
    "terrain": lambda: gori.Spec(**machine("fixed").model_dump(exclude_unset=True), terrain={}),
    "limit_stiffness of a joint: tested": lambda: machine("revolute", limits=[0, 1], limit_stiffness=3),
    "free joint with friction": lambda: machine("free", friction=1),
}


def with_force(force):
    return gori.Spec(**machine("revolute").model_dump(exclude_unset=True), forces={"f": force})


@pytest.mark.parametrize("words", REFUSED)
def test_what_cannot_be_said_is_refused_by_name(tmp_path, words):
    spec = REFUSED[words]()
    with pytest.raises(FileError, match="lossy=True") as caught:
        write_mjcf(spec)
    assert words in str(caught.value)
    with pytest.warns(FormatWarning, match="not carried over"):
        write_mjcf(spec, tmp_path / "a.xml", lossy=True)
    assert compiled(tmp_path / "a.xml").nbody == 4


def test_what_mujoco_would_refuse_is_refused():
    light = gori.Spec(bodies={"a": {"mass": 1}}, joints={"j": {"type": "revolute", "parent": "ground", "child": "a"}})
    with pytest.raises(FileError, match="body 'a' moves without mass or inertia"):
        write_mjcf(light)
    odd = {"mass": 1, "inertia": [1, 1, 3], "unphysical": True}
    with pytest.raises(FileError, match=r"body 'a': inertia violates the triangle inequality.*MuJoCo refuses that"):
        write_mjcf(light.set({"bodies.a." + key: value for key, value in odd.items()}))
    with pytest.raises(InputError, match="takes a Spec, not a Model"):
        write_mjcf(gori.compile(light))
    two = {name: {"type": "fixed", "parent": "ground", "child": "a"} for name in "jk"}
    with pytest.raises(SpecError, match=r"gori\.compile\(spec\)\.spec"):
        write_mjcf(gori.Spec(bodies={"a": {}}, joints=two))


def test_a_body_called_world_gets_another_name(tmp_path):
    spec = gori.Spec(bodies={"world": HEAVY}, joints={"j": {"type": "free", "parent": "ground", "child": "world"}})
    with pytest.warns(FormatWarning, match="the body 'world' is called 'world_2'"):
        write_mjcf(spec, tmp_path / "a.xml")
    assert list(gori.load(tmp_path / "a.xml").bodies) == ["world_2"]


def test_a_file_that_cannot_be_written(tmp_path):
    with pytest.raises(FileError, match="cannot be written"):
        write_mjcf(machine("free"), tmp_path / "none" / "a.xml")
    assert mujoco.MjModel.from_xml_string(write_mjcf(machine("free"))).nv == 8
