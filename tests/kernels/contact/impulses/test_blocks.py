"""Velocities of the solver in blocks of eight."""

import numpy as np

import gori
from gori.kernels.contact.branches import paths
from gori.kernels.contact.impulses.blocks import blocks_of, find_block, slots, velocities_at, ways
from tests.integrate.test_time_stepping import BALL, STILL, at, scene
from tests.plain import plain


def forked():
    """A free body with two arms of one joint each, one of which goes on by another, and a free ball."""
    link = {"mass": 1.0, "com": [0, 0, -0.2], "inertia": [0.02, 0.02, 0.01]}
    spec = scene(trunk=(BALL, at(z=1.0), STILL), ball=(BALL, at(x=3.0, z=1.0), STILL)).model_dump(exclude_unset=True)
    hinge = {"type": "revolute", "axis": [0, 1, 0]}
    joints = {
        "left": {**hinge, "parent": "trunk", "child": "one"},
        "wrist": {**hinge, "parent": "one", "child": "two"},
        "right": {**hinge, "parent": "trunk", "child": "three"},
    }
    bodies = spec["bodies"] | dict.fromkeys(("one", "two", "three"), link)
    return gori.compile(gori.Spec.model_validate(spec | {"bodies": bodies, "joints": spec["joints"] | joints}))


def test_chains_stand_side_by_side_and_branches_begin_blocks():
    model = forked()
    body_i = model.kernel_tables.body_i
    place = slots(body_i, model.nv)
    of = {name: place[model.joint(name).v].tolist() for name in model.joint_names}
    assert of["trunk_free"] == list(range(6)) and of["left"] == [8] and of["wrist"] == [9] and of["right"] == [16]
    assert of["ball_free"] == list(range(24, 30))
    back = velocities_at(place, 4)
    np.testing.assert_array_equal(back[place], np.arange(model.nv))
    assert (back >= 0).sum() == model.nv and blocks_of(place, 0, 9) == [0, 1, 2]
    path, path_of = paths(body_i)
    way, way_of = ways(path, path_of, place)
    found = [way[first : first + count].tolist() for first, count in way_of]
    assert sorted(found) == [[], [0], [1, 0], [1, 0], [2, 0], [3]]


def test_finding_a_block():
    block = np.array([4, 7, 2, 7])
    assert plain(find_block)(block, 0, 4, 7) == 1 and plain(find_block)(block, 2, 4, 7) == 3
    assert plain(find_block)(block, 0, 2, 2) == 2
