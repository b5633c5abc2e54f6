"""Joints in MJCF: their fields, by degree of freedom."""

from xml.etree import ElementTree

import numpy as np
import pytest

import gori
from gori.formats.export.mjcf_joints import JointWriter
from gori.formats.export.tree import SAME
from gori.formats.left_out import LeftOut

BODY = {"mass": 1, "inertia": [1, 1, 1]}


def written(joint):
    spec = gori.Spec(bodies={"a": BODY}, joints={"j": {"parent": "ground", "child": "a", **joint}})
    left, element = LeftOut(), ElementTree.Element("body")
    writer = JointWriter(spec, left)
    writer.write(element, "j", SAME, SAME)
    return element, writer, left


def test_fields_of_a_hinge():
    element, writer, left = written(
        {"type": "revolute", "axis": [0, 2, 0], "limits_deg": [-90, 90], "damping": 1, "armature": 2, "friction": 3,
         "stiffness": 4, "rest_deg": 45, "effort_limit": 5, "q_deg": 30, "v": 6, "velocity_limit": 7}
    )  # fmt: skip
    joint = element[0].attrib
    assert joint["axis"] == "0 1 0" and "type" not in joint
    assert [float(joint[key]) for key in ("damping", "armature", "frictionloss", "stiffness")] == [1, 2, 3, 4]
    assert float(joint["springref"]) == np.pi / 4 and joint["actuatorfrcrange"] == "-5 5"
    assert np.allclose([float(x) for x in joint["range"].split()], [-np.pi / 2, np.pi / 2])
    assert writer.qpos == [np.pi / 6] and writer.qvel == [6.0] and writer.starts
    assert left.message() == "velocity limits of joints are left out: MJCF has none"


def test_axes_of_a_joint_have_their_own_values():
    element, writer, _ = written({"type": "planar", "damping": [1, 2, 3], "q": [4, 5, 6]})
    assert [joint.get("name") for joint in element] == ["j.0", "j.1", "j.2"]
    assert [joint.get("damping") for joint in element] == ["1", "2", "3"] and writer.qpos == [4, 5, 6]


@pytest.mark.parametrize(
    ("joint", "words"),
    [
        ({"type": "spherical", "damping": [1, 2, 3]}, "different values about its axes: j"),
        ({"type": "spherical", "stiffness": 1, "rest": [0.6, 0.8, 0, 0]}, "rests in another pose: j"),
        ({"type": "revolute", "limits": [1, 1]}, "no way to move: j"),
        ({"type": "free", "friction": 1}, "free joint with friction or different dampers: j"),
    ],
)
def test_what_mjcf_cannot_say(joint, words):
    assert words in written(joint)[2].message()


def test_a_free_joint_starts_in_the_world():
    _, writer, _ = written({"type": "free", "q": [0, 0, 0, 1, 1, 2, 3], "v": [1, 2, 3, 4, 5, 6]})
    assert writer.qpos == [1, 2, 3, 0, 0, 0, 1]
    assert np.allclose(writer.qvel, [-4, -5, 6, 1, 2, 3])
    R, p = writer.free_start("j")
    assert np.allclose(R, np.diag([-1, -1, 1])) and np.allclose(p, [1, 2, 3])
