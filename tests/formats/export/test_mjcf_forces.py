"""Forces in MJCF: actuators, tendons, gravity compensation."""

from xml.etree import ElementTree

import pytest

import gori
from gori.formats.export.mjcf_forces import write_forces
from gori.formats.left_out import LeftOut

BODY = {"mass": 2, "inertia": [1, 1, 1]}


def written(force, joint="revolute"):
    spec = gori.Spec(
        bodies={"a": BODY},
        joints={"j": {"type": joint, "parent": "ground", "child": "a"}},
        frames={"tip": {"body": "a", "at": [1, 0, 0]}},
        forces={"f": force},
    )
    left, root, element = LeftOut(), ElementTree.Element("mujoco"), ElementTree.Element("body")
    sites = {}

    def site(name, body, pose):
        sites[name] = body, pose[1].tolist()
        return name

    controls = write_forces(spec, left, root, {"a": element}, site)
    return ElementTree.tostring(root, encoding="unicode"), controls, left.parts, sites, element


def test_a_torque_on_each_kind_of_joint():
    text, controls, *_ = written({"type": "torque", "joint": "j", "value": 3})
    assert 'motor name="f" joint="j"' in text and controls == [3.0]
    text, controls, *_ = written({"type": "torque", "joint": "j", "dof": 1, "value": 3}, "spherical")
    assert 'gear="0 1 0"' in text and controls == [3.0]
    assert 'joint="j.1"' in written({"type": "force", "joint": "j", "dof": 1, "value": 3}, "cylindrical")[0]


def test_motors():
    text, controls, *_ = written({"type": "motor", "joint": "j", "kp": 2, "kd": 3, "target": 4, "target_velocity": 5})
    assert 'gainprm="2" biasprm="15 -2 -3"' in text and controls == [4.0]
    text, controls, *_ = written({"type": "motor", "joint": "j", "kd": 3, "target_velocity": 5, "limit": 6})
    assert 'gainprm="3" biasprm="0 0 -3" forcerange="-6 6"' in text and controls == [5.0]


def test_ends_on_frames_and_bodies():
    spring = {
        "type": "spring",
        "parent": "ground",
        "at": [0, 0, 1],
        "child": "tip",
        "child_at": [0, 2, 0],
        "stiffness": 1,
    }
    text, _, _, sites, _ = written({**spring, "length": 0.5})
    assert sites == {"f.parent": ("ground", [0, 0, 1]), "f.child": ("a", [1, 2, 0])} and 'springlength="0.5"' in text
    assert written(spring)[2] == {"spring that MJCF cannot say": ["f"]}  # of the length that it has at the start


def test_gravity_compensation_is_known_again():
    lift = {"type": "wrench", "body": "a", "force": [0, 0, 9.81]}
    assert float(written(lift)[4].get("gravcomp")) == pytest.approx(0.5)
    assert written({**lift, "at": [1, 0, 0]})[2] == {"wrench that MJCF cannot say": ["f"]}
    _, controls, _, sites, _ = written({**lift, "axes": "body", "at": [1, 2, 3]})
    assert controls == [1.0] and sites == {"f.at": ("a", [1, 2, 3])}
