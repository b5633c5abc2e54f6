"""Joints as parts of one axis, and the order of a tree."""

import numpy as np
import pytest

import gori
from gori.errors import SpecError
from gori.formats.export.tree import Branches, axes_of, check_joints, compose, inverse, note_sections, of_dof, start_of
from gori.formats.left_out import LeftOut
from gori.spec.base import rotation
from tests.formats.export.machines import machine


def test_axes_of_joints():
    spec = machine("planar", damping=[1, 2, 3], q=[4, 5, 6])
    joint = spec.joints["tested"]
    axes = axes_of("p", joint)
    assert [(axis.name, axis.kind, axis.dof) for axis in axes] == [
        ("p.0", "slide", 0),
        ("p.1", "slide", 1),
        ("p.2", "hinge", 2),
    ]
    E = np.array([axis.direction for axis in axes])
    assert np.allclose(E @ E.T, np.eye(3)) and np.allclose(np.cross(E[0], E[1]), E[2])
    assert [of_dof(joint, "damping", k) for k in range(3)] == [1, 2, 3] and of_dof(joint, "friction", 2) == 0.0
    assert start_of(joint, "q").tolist() == [4, 5, 6] and start_of(joint, "rest") is None
    assert axes_of("f", machine("fixed").joints["tested"]) == []


def test_joints_stand_behind_those_that_carry_them():
    spec = machine("revolute")
    branches = Branches(spec)
    assert list(branches.joints()) == ["first", "tested", "last"] and branches.carrier["c"] == "last"
    framed = gori.Spec(**spec.model_dump(exclude_unset=True), frames={"f": {"body": "b"}}, no_contact=[["a", "c"]])
    assert Branches(framed).used() == {"a", "b", "c"}
    turned = gori.Spec(bodies={"a": {}}, joints={"j": {"type": "fixed", "parent": "a", "child": "ground"}})
    with pytest.raises(SpecError, match="joint 'j' closes a loop, or carries the ground"):
        Branches(turned)


def test_poses():
    a = rotation((10, 20, 30), None), np.array([1.0, 2.0, 3.0])
    R, p = compose(a, inverse(a))
    assert np.allclose(R, np.eye(3)) and np.allclose(p, 0)


def test_what_is_listed():
    left = LeftOut()
    spec = machine("revolute", limits=[0, 1], limit_stiffness=1)
    check_joints(spec.set({"tested.type": "helical", "tested.pitch": 1}), left)
    note_sections(gori.Spec(**spec.model_dump(exclude_unset=True), terrain={}, frames={"f": {"body": "a"}}), left, ())
    assert left.parts == {
        "helical joint": ["tested"],
        "limit_stiffness of a joint": ["tested"],
        "frames": ["f"],
        "terrain": [],
    }
