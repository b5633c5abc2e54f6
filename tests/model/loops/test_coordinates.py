"""Coordinates of cuts by name: the same as those of the joint in the tree, whichever joint of a loop is cut."""

import numpy as np
import pytest

import gori
from gori.model.loops.coordinates import WithCuts, along, cut_coordinates
from gori.spec import Spec
from tests.checks import close
from tests.reference.random_loops import random_closed
from tests.reference.random_spec import ALL_TYPES
from tests.sim.loops.cut_anywhere import cut_at, joints_alone, moving_as

KINDS = [kind for kind in ALL_TYPES if kind not in ("fixed", "free")]


def loop_of(spec: Spec) -> list[str]:
    """Joints of the one loop of a Spec, its cut last."""
    ((name, cut),) = spec.cuts.items()
    carried, ways = {joint.child: joint_name for joint_name, joint in spec.joints.items()}, []
    for body in (cut.parent, cut.child):
        way = []
        while body != "ground":
            way.append(carried[body])
            body = spec.joints[carried[body]].parent
        ways.append(way)
    return [*(joint for joint in spec.joints if (joint in ways[0]) != (joint in ways[1])), name]


@pytest.mark.parametrize("seed", range(20))
def test_the_same_values_wherever_a_loop_is_cut(seed):
    """q, v and a of all joints, also of those that are turned around, in a random loop of all types of joints."""
    rng = np.random.default_rng(seed)
    kind = KINDS[seed % (len(KINDS) - 1)]  # a spherical cut may have frames that a joint cannot have
    spec, q, v = random_closed(rng, n=6, n_cuts=1, cut_types=(kind,), joint_types=KINDS, armature_fraction=0.0)
    model = gori.compile(spec)
    first = gori.Recording(model, [0.0], q[None], v[None])
    trace = gori.Trace(first)
    found = {
        name: [first[f"{name}.q"][0], first[f"{name}.v"][0], own(trace, name)]
        for name in (*model.joint_names, *model.cut_names)
    }
    for joint in loop_of(spec):
        if spec.joints.get(joint, spec.cuts.get(joint)).type == "fixed":
            continue
        other = gori.compile(cut_at(joints_alone(spec), joint))
        assert other.cut_names == (joint,)
        here = moving_as(other, first)
        assert np.abs(other.loop_system.terms(here.q[0], here.v[0]).gap).max() < 1e-12
        there = gori.Trace(here)
        for name, (q_one, v_one, a_one) in found.items():
            q_here = here[f"{name}.q"][0]
            if np.size(q_one) == 4:  # of one sample alone, the sign is not known
                q_here = q_here * np.sign(q_here @ q_one)
            close(q_here, q_one, 1e-10)
            close(here[f"{name}.v"][0], v_one, 1e-10)
            close(own(there, name), a_one, 1e-10)


def own(trace: gori.Trace, name: str) -> np.ndarray:
    """Acceleration of a joint or cut at the first sample."""
    model = trace.model
    for info in model.cut_coordinates.joints:
        if info.name == name:
            return trace.cut_accelerations[0, info.v]
    return trace.accelerations[0, model.joint(name).v]


def test_what_has_coordinates():
    part = {"mass": 1.0, "inertia": [1, 1, 1]}
    spec = Spec(
        bodies={"a": part, "b": part},
        joints={"A": {"type": "revolute", "parent": "ground", "child": "a"},
                "B": {"type": "universal", "parent": "b", "child": "ground", "axis": [1, 0, 0]}},
        cuts={"rod": {"type": "distance", "parent": "a", "child": "b", "length": 0},
              "weld": {"type": "fixed", "parent": "a", "child": "b"},
              "plane": {"type": "planar", "parent": "a", "child": "b"},
              "ball": {"type": "spherical", "parent": "a", "child": "b"}},
    )  # fmt: skip
    model = gori.compile(spec)
    found = cut_coordinates(model)
    assert [(info.name, info.nq, info.nv) for info in found.joints] == [("B", 2, 2), ("plane", 3, 3), ("ball", 4, 3)]
    assert found.sizes == (9, 8) and found.turns == 4
    assert [found.columns(name) for name in ("B", "plane", "ball")] == [[0, 1], [2], [3]]
    assert gori.compile(spec, open_loops=True).cut_coordinates.sizes == (2, 2)
    assert gori.compile(Spec()).cut_coordinates.sizes == (0, 0)
    names = WithCuts(model)
    assert names.joint("A") == model.joint("A") and not names.used and names.nq == model.nq
    assert names.joint("plane").q == slice(model.nq + 2, model.nq + 5) and names.used
    assert names.joint("plane").v == slice(model.nv + 2, model.nv + 5)


def test_turns_are_counted_or_taken_as_recorded():
    part = {"mass": 1.0, "inertia": [1, 1, 1]}
    hinge = {"type": "revolute", "parent": "ground", "child": "rotor"}
    spec = Spec(
        bodies={"rotor": part}, joints={"A": hinge}, cuts={"B": hinge | {"at": [0, 0, 1], "child_at": [0, 0, 1]}}
    )
    model = gori.compile(spec)
    time = np.linspace(0.0, 5.0, 11)
    counted = along(model, time, 1.0 + 8.0 * time[:, None], np.full((11, 1), 8.0))
    close(counted.q[:, 0], 1.0 + 8.0 * time, 1e-12)
    given = along(model, time, 1.0 + 8.0 * time[:, None], np.full((11, 1), 8.0), turns=np.full((11, 1), 7.0))
    assert np.abs(given.q - 14.0 * np.pi).max() <= np.pi and not counted.a.any()
