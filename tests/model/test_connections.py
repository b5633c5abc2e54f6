"""Joints and cuts as they were written: undone where they were turned around; the length of a machine."""

import numpy as np
import pytest

import gori
from gori.model.connections import connections, drives, reach
from gori.model.spanning import turned
from gori.spec import Joint, Spec
from gori.spec.joint import NQ
from tests.checks import close
from tests.reference.random_spec import random_joint

PART = {"mass": 1.0, "inertia": [1, 1, 1]}


def spec_of(joint: Joint) -> Spec:
    bodies = dict.fromkeys(("a", "b"), PART)
    hold = {"type": "fixed", "parent": "ground", "child": joint.parent}
    return Spec(bodies=bodies, joints={"hold": hold, "joint": joint})


@pytest.mark.parametrize("kind", [kind for kind in NQ if kind != "free"])
@pytest.mark.parametrize("seed", range(3))
def test_a_joint_that_is_turned_around_stands_as_it_was_written(kind, seed):
    rng = np.random.default_rng(seed)
    joint = Joint(**random_joint(rng, kind, "a", "b", 0.0), compliance=(1, 2, 3, 4, 5, 6))
    written, back = (connections(spec_of(part))[1] for part in (joint, turned(joint)))
    assert back.reversed and not written.reversed
    assert (back.parent, back.child, back.type, back.pitch) == ("a", "b", kind, pytest.approx(written.pitch))
    for one, other in zip((*written.on_parent, *written.on_child), (*back.on_parent, *back.on_child)):
        close(other, one, 1e-14)
    if kind not in ("fixed", "spherical"):
        close(back.axis, written.axis, 1e-14)
    if kind == "universal":
        close(back.axis2, written.axis2, 1e-14)
    assert np.array_equal(back.compliance, [1, 2, 3, 4, 5, 6])


@pytest.mark.parametrize("kind", ["revolute", "prismatic", "helical", "cylindrical", "universal", "planar"])
def test_axes_of_coordinates_are_columns_of_the_jacobian(kind):
    """Seen from the ground, at the joint's origin on the child."""
    rng = np.random.default_rng(4)
    model = gori.compile(Spec(bodies={"b": PART}, joints={"j": random_joint(rng, kind, "ground", "b", 0.0)}))
    (joint,) = model.connections
    q = rng.normal(size=model.nq)
    pose = model.forward_kinematics(q)["b"]
    J = model.jacobian(q, "b")
    J[3:] += np.cross(J[:3], pose[:3, :3] @ joint.on_child[1], axis=0)
    for k in range(model.nv):
        body, axis = joint.motion_axis(k)
        R = np.eye(3) if body == "ground" else pose[:3, :3]
        close((R @ axis.reshape(2, 3).T).T.ravel(), J[:, k], 1e-12)


def test_cuts_stand_last_and_open_loops_have_none():
    hinge = {"type": "revolute", "parent": "ground", "child": "b"}
    spec = Spec(bodies={"b": PART}, joints={"A": hinge}, cuts={"B": hinge | {"at": [0, 3, 4], "child_at": [0, 3, 4]}},
                motions={"m": {"joint": "B", "value": "t", "weight": 3}})  # fmt: skip
    assert [(joint.name, joint.cut) for joint in connections(spec)] == [("A", False), ("B", True)]
    assert [joint.name for joint in connections(spec, open_loops=True)] == ["A"]
    assert reach(connections(spec)) == 5.0 and reach(connections(spec, open_loops=True)) == 1.0
    assert drives(spec) == (("m", "B", 0, 3.0),) and gori.compile(spec, open_loops=True).drives == ()
