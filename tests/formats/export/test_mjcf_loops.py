"""Loops in MJCF: the equations of the file that is read back are those of the Spec."""

from xml.etree import ElementTree

import numpy as np
import pytest

import gori
from gori.formats.export import write_mjcf
from gori.formats.export.mjcf_loops import write_loops
from gori.formats.left_out import LeftOut
from gori.model import assemble

BAR = {"mass": 1, "com": [0, 0, 0.1], "inertia": [0.1, 0.1, 0.1]}
Y = {"axis": [0, 1, 0]}


def four_bar(cut):
    return gori.Spec(
        bodies={"crank": BAR, "coupler": BAR, "rocker": BAR},
        joints={
            "A": {"type": "revolute", "parent": "ground", "child": "crank", **Y},
            "B": {"type": "revolute", "parent": "crank", "at": [0, 0, 0.3], "child": "coupler", **Y},
            "C": {"type": "revolute", "parent": "ground", "at": [0.6, 0, 0], "child": "rocker", **Y},
        },
        cuts={"D": {"parent": "coupler", "at": [0.6, 0, 0.2], "child": "rocker", "child_at": [0, 0, 0.5], **cut}},
    )


@pytest.mark.parametrize("cut", [{"type": "spherical"}, {"type": "revolute", **Y}])
def test_a_four_bar_moves_alike(tmp_path, cut):
    spec = four_bar(cut)
    write_mjcf(spec, tmp_path / "a.xml")
    accelerations = []
    for one in (spec, gori.load(tmp_path / "a.xml")):
        model = gori.compile(one)
        q = assemble(model, model.q0)
        accelerations.append(model.forward_dynamics(q, np.zeros(3), np.zeros(3)))
    assert np.allclose(*accelerations, atol=1e-9)


def test_welds_mimics_and_held_joints(tmp_path):
    data = four_bar({"type": "spherical"}).model_dump(exclude_unset=True) | {"cuts": {}}
    data["joints"]["B"]["mimic"] = {"joint": "A", "ratio": 2.0, "offset": 0.5}
    data["motions"] = {"hold": {"joint": "C", "value": 0.3}}
    weld = {"type": "fixed", "parent": "ground", "at": [0, 0, 0.3], "rpy_deg": [0, 30, 0]}
    data["cuts"] = {"w": {**weld, "child": "coupler", "child_rpy_deg": [0, 0, 10]}}
    spec = gori.Spec(**data)
    write_mjcf(spec, tmp_path / "a.xml")
    back = gori.load(tmp_path / "a.xml")
    assert back.joints["B"].mimic == spec.joints["B"].mimic and back.motions["hold.hold"].value == 0.3
    ours, theirs = spec.cuts["w"], back.cuts["w"]
    assert np.allclose(ours.pose()[0], theirs.pose()[0]) and np.allclose(ours.child_pose()[0], theirs.child_pose()[0])


def test_what_mjcf_cannot_say():
    left = LeftOut()
    spec = gori.Spec(**(four_bar({"type": "distance", "length": 1.0}).model_dump(exclude_unset=True)
                        | {"motions": {"m": {"joint": "A", "speed": 1.0}}}))  # fmt: skip
    write_loops(spec, left, ElementTree.Element("mujoco"), lambda name, body, pose: name)
    assert left.parts == {"distance cut": ["D"], "motion over time, or of a joint of several axes": ["m"]}
