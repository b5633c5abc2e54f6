"""Machines given as a graph of joints: the tree that is chosen, the cuts, reversed joints, and what is refused."""

import itertools
import warnings

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import gori
from gori.errors import SpecError, SpecWarning
from gori.formats import read_yaml, write_yaml
from gori.model.spanning import span, turned
from gori.spec import GROUND, Joint, Spec
from gori.spec.base import rotation_to
from gori.spec.joint import NQ, NV
from tests.checks import arm, close
from tests.reference.random_spec import random_joint, random_quaternion, shuffled
from tests.reference.spatial import plucker, plucker_inverse, pose_of
from tests.reference.tree import JOINTS

BALL = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
SAME_Q = ("fixed", "revolute", "prismatic", "helical", "cylindrical")


def graph(*joints: str, **changes) -> Spec:
    """Joints such as "A ground a revolute"; `changes` are other keys of a joint, or of the Spec (forces, run)."""
    parts = {}
    for name, parent, child, kind in map(str.split, joints):
        parts[name] = {"type": kind, "parent": parent, "child": child} | changes.pop(name, {})
    ends = dict.fromkeys(end for part in parts.values() for end in (part["parent"], part["child"]) if end != GROUND)
    return Spec(bodies=dict.fromkeys(ends, BALL), joints=parts, **changes)


FOUR_BAR = ("A ground crank revolute", "B crank coupler revolute", "C coupler rocker revolute",
            "D rocker ground revolute")  # fmt: skip


def four_bar(**changes) -> Spec:
    return graph(*FOUR_BAR, **changes)


def refused(spec: Spec) -> SpecError:
    with pytest.raises(SpecError) as caught:
        span(spec)
    assert caught.value.problems
    return caught.value


# ---- what is cut


def test_a_tree_stays_the_same_object():
    for spec in (Spec(), arm(), graph("A ground a free", "B a b helical", B={"pitch": 0.1, "q": 1.0})):
        assert span(spec) is spec
        assert gori.compile(spec).spec is spec


def test_four_bar_is_opened_far_from_the_ground():
    spec = span(four_bar(C={"at": [1, 2, 3], "child_rpy_deg": [0, 0, 90], "axis": [0, 1, 0], "damping": 0.0}))
    assert list(spec.joints) == ["A", "B", "D"] and list(spec.cuts) == ["C"]
    assert spec.cuts["C"].model_dump(exclude_unset=True) == {
        "type": "revolute", "parent": "coupler", "child": "rocker", "at": (1.0, 2.0, 3.0), "axis": (0.0, 1.0, 0.0),
        "child_rpy_deg": (0.0, 0.0, 90.0),
    }  # fmt: skip
    assert (spec.joints["D"].parent, spec.joints["D"].child) == ("ground", "rocker")
    assert gori.compile(spec).loops == ("cut 'C'",)


def test_the_first_of_equals_stays():
    assert list(span(graph("A ground a revolute", "B ground a revolute")).cuts) == ["B"]
    assert list(span(graph("B ground a revolute", "A ground a revolute")).cuts) == ["A"]


@pytest.mark.parametrize("kind", ["cylindrical", "universal", "planar", "spherical"])
def test_the_joint_of_most_freedom_is_cut(kind):
    for name in "ABCD":
        assert list(span(four_bar(**{name: {"type": kind}})).cuts) == [name]
    assert list(span(four_bar(B={"type": kind}, C={"type": "fixed"})).cuts) == ["B"]


def stewart() -> Spec:
    """A platform on six legs, each of two bodies: universal joint below, a slider, a ball joint above."""
    joints = []
    for k in range(6):
        joints += [f"u{k} ground low{k} universal", f"p{k} low{k} high{k} prismatic", f"s{k} high{k} top spherical"]
    return graph(*joints)


def test_stewart_platform():
    model = gori.compile(stewart(), open_loops=True)
    assert list(model.spec.cuts) == ["s1", "s2", "s3", "s4", "s5"]
    assert model.nv == 6 * 3 + 3


@pytest.mark.parametrize("n", [1, 2, 40])
def test_row_of_four_bars(n):
    """n windows side by side: one more crank than windows, all on the ground, each with the next by a coupler."""
    joints = [f"a{k} ground crank{k} revolute" for k in range(n + 1)]
    for k in range(n):
        joints += [f"b{k} crank{k} coupler{k} revolute", f"c{k} crank{k + 1} coupler{k} revolute"]
    spec = span(graph(*joints))
    assert list(spec.cuts) == [f"c{k}" for k in range(n)]
    assert gori.compile(spec, open_loops=True).nv == 2 * n + 1


OWN = {
    "q": {"q": 0.0},
    "q_deg": {"q_deg": 10},
    "v": {"v": 0.0},
    "spring": {"stiffness": 3},
    "damper": {"damping": 1},
    "friction": {"friction": 1},
    "limits": {"limits": [0, 1]},
    "armature": {"armature": 1},
    "helical": {"type": "helical", "pitch": 0.01},
    "mimic": {"mimic": {"joint": "A"}},
}
NAMED = {
    "motor": {"forces": {"m": {"type": "motor", "joint": "C", "kp": 1}}},
    "torque": {"forces": {"m": {"type": "torque", "joint": "C", "value": 1}}},
    "expression": {"forces": {"m": {"type": "torque", "joint": "A", "value": "-3*C.v"}}},
    "wrench": {"forces": {"m": {"type": "wrench", "body": "crank", "force": [0, "sin(C.q)", 0]}}},
    "event": {"run": {"duration": 1, "events": {"e": "C.q - 1"}}},
    "channel": {"run": {"duration": 1, "record": ["A.q", "C.v"]}},
    "plot": {"run": {"duration": 1, "plots": [["*.v"], ["C.q"]]}},
    "mimicked": {"A": {"mimic": {"joint": "C"}}},
}


@pytest.mark.parametrize("case", OWN)
def test_a_joint_with_something_of_its_own_stays(case):
    assert list(span(four_bar(C=OWN[case])).cuts) == ["B"]


@pytest.mark.parametrize("case", NAMED)
def test_a_joint_that_is_named_elsewhere_stays(case):
    spec = span(four_bar(**NAMED[case]))
    assert list(spec.cuts) == ["B"] and "C" in spec.joints


def test_wildcards_name_no_joint():
    assert list(span(four_bar(run={"duration": 1, "record": ["*.q"]})).cuts) == ["C"]


def test_cuts_of_the_user_stay():
    spec = Spec(**four_bar().model_dump(exclude_unset=True), cuts={"rope": {
        "type": "distance", "parent": "crank", "child": "rocker", "length": 1}})  # fmt: skip
    assert list(span(spec).cuts) == ["rope", "C"]


def test_the_spec_of_a_model_is_that_tree_and_comes_back_from_a_file():
    with pytest.warns(SpecWarning):
        spec = four_bar(A={"q_deg": 30, "limits_deg": [-90, 10]}, run={"duration": 1}, gravity=[0, 0, 0])
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # what was doubted once is not doubted again
        model = gori.compile(spec)
    assert model.spec == span(spec) and model.spec.run == spec.run and model.spec.gravity == spec.gravity
    with pytest.warns(SpecWarning):
        again = read_yaml(None, write_yaml(model.spec))
    assert again == model.spec and gori.compile(again).spec is again


# ---- turned around


def relative(joint: Joint, q) -> tuple[np.ndarray, np.ndarray]:
    """R and p of the child in the parent, by the reference functions of the joints."""
    X_J = JOINTS[joint.type](joint, q, np.zeros(NV[joint.type]))[0]
    return pose_of(plucker_inverse(plucker(*joint.child_pose())) @ X_J @ plucker(*joint.pose()))


def coordinates(rng, kind: str):
    if kind in ("spherical", "free"):
        return np.concatenate([random_quaternion(rng), rng.normal(size=NQ[kind] - 4)])
    return rng.uniform(-1.0, 1.0, NQ[kind])


def some_joint(seed: int, kind: str) -> tuple[np.random.Generator, Joint]:
    rng = np.random.default_rng(seed)
    return rng, Joint(**random_joint(rng, kind, "a", "b", 0.5))


@pytest.mark.parametrize("kind", SAME_Q)
@pytest.mark.parametrize("seed", range(5))
def test_turned_joints_keep_q(kind, seed):
    rng, joint = some_joint(seed, kind)
    q = coordinates(rng, kind)
    (R_ab, p_ab), (R_ba, p_ba) = relative(joint, q), relative(turned(joint), q)
    close(R_ba, R_ab.T, 1e-14)
    close(p_ba, -R_ab.T @ p_ab, 1e-14)
    assert turned(joint).armature == joint.armature and (turned(joint).parent, turned(joint).child) == ("b", "a")
    R, p = relative(turned(turned(joint)), q)
    assert np.array_equal(R, R_ab) and np.array_equal(p, p_ab)


@pytest.mark.parametrize("kind", ["universal", "planar", "spherical"])
@pytest.mark.parametrize("seed", range(5))
def test_turned_joints_allow_the_same_motions(kind, seed):
    rng, joint = some_joint(seed, kind)
    around = turned(joint)
    zero = np.eye(4)[0] if kind == "spherical" else np.zeros(NQ[kind])
    (R_ab, p_ab), (R_ba, p_ba) = relative(joint, zero), relative(around, zero)
    close(R_ba, R_ab.T, 1e-14)
    close(p_ba, -R_ab.T @ p_ab, 1e-14)

    # the equations of the joint as it was written, between its two frames, in poses of the turned one
    R_ba, p_ba = relative(around, coordinates(rng, kind))
    (R_aA, p_aA), (R_bB, p_bB) = joint.pose(), joint.child_pose()
    R_ab, p_ab = R_ba.T, -R_ba.T @ p_ba
    apart, R_AB = R_aA.T @ (p_ab + R_ab @ p_bB - p_aA), R_aA.T @ R_ab @ R_bB
    axis = rotation_to(joint.axis)[:, 2]
    if kind == "planar":
        close([axis @ apart], [0.0], 1e-14)
        close(R_AB @ axis, axis, 1e-14)
    else:
        close(apart, np.zeros(3), 1e-14)
    if kind == "universal":
        axis2 = rotation_to(joint.axis)[:, 0] if joint.axis2 is None else np.array(joint.axis2)
        close([axis @ R_AB @ axis2], [0.0], 1e-14)


def test_universal_joints_become_cuts_with_both_axes():
    spec = span(four_bar(C={"type": "universal", "axis": [0, 2, 0]}))
    close(spec.cuts["C"].axis2, rotation_to([0, 1, 0])[:, 0], 1e-15)
    spec = span(four_bar(C={"type": "universal", "axis": [0, 2, 0], "axis2": [3, 0, 0]}))
    assert spec.cuts["C"].axis2 == (3.0, 0.0, 0.0)


def test_ground_as_child():
    spec = span(graph("A a ground revolute", "B b a prismatic", A={"q_deg": 30, "at": [1, 0, 0]}))
    assert [(joint.parent, joint.child) for joint in spec.joints.values()] == [("ground", "a"), ("a", "b")]
    joint = spec.joints["A"]
    assert joint.child_at == (1.0, 0.0, 0.0) and joint.q_deg == (30.0,) and joint.axis == (0.0, 0.0, -1.0)
    assert not spec.cuts


# ---- any graph


@st.composite
def graphs(draw):
    """A random connected Spec: a tree with joints in any direction, some with q, and more joints that close loops."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n, more = draw(st.integers(1, 7)), draw(st.integers(0, 6))
    names, joints = [GROUND], {}
    kinds = list(NQ)[:-1]  # no free joints: they cannot be turned around
    for k in range(n):
        ends = [names[rng.integers(len(names))], f"b{k}"]
        kind = kinds[rng.integers(len(kinds))]
        keys = random_joint(rng, kind, *(ends if rng.random() < 0.5 else ends[::-1]), armature_fraction=0.0)
        if kind in SAME_Q and kind != "fixed" and rng.random() < 0.3:
            keys["q"] = rng.uniform(-1.0, 1.0, NQ[kind])
        joints[f"t{k}"] = keys
        names.append(f"b{k}")
    for k in range(more):
        one, other = rng.choice(len(names), 2, replace=False)
        kind = [kind for kind in kinds if kind != "helical"][rng.integers(len(kinds) - 1)]
        joints[f"c{k}"] = random_joint(rng, kind, names[one], names[other], armature_fraction=0.0)
    return Spec(bodies=dict.fromkeys(names[1:], BALL), joints=shuffled(rng, joints)), rng


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_any_graph(case):
    spec, rng = case
    tree = span(spec)
    assert span(spec) == tree and span(tree) is tree
    assert len(tree.joints) == len(tree.bodies) and len(tree.cuts) == len(spec.joints) - len(spec.bodies)
    assert not set(tree.joints) & set(tree.cuts) and set(tree.joints) | set(tree.cuts) == set(spec.joints)
    own = [name for name, joint in spec.joints.items() if joint.q is not None or joint.type == "helical"]
    assert set(own) <= set(tree.joints)
    for name, joint in tree.joints.items():
        assert joint.q == spec.joints[name].q and joint.type == spec.joints[name].type

    # every joint of the tree means by q what was written, whichever way it is turned
    model = gori.compile(spec, open_loops=True)
    assert model.spec == tree
    q = model.random(rng)
    poses = model.forward_kinematics(q)
    for name, joint in tree.joints.items():
        written = spec.joints[name]
        if joint.type not in SAME_Q and joint != written:
            continue
        here = q[model.joint(name).q] if joint.type != "fixed" else ()
        T = np.linalg.inv(poses[written.parent]) @ poses[written.child]
        R, p = relative(written, here)
        close(T[:3, :3], R, 1e-12)
        close(T[:3, 3], p, 1e-12)


@settings(max_examples=60, deadline=None)
@given(graphs())
def test_no_tree_has_fewer_coordinates(case):
    """Against all trees, where they are few: none that keeps the joints with something of their own is smaller."""
    spec, _ = case
    own = {name for name, joint in spec.joints.items() if joint.q is not None or joint.type == "helical"}
    rest = [name for name in spec.joints if name not in own]
    assume(len(rest) <= 9)
    n = len(spec.bodies)
    sizes = []
    for more in itertools.combinations(rest, n - len(own)):
        chosen = {name: joint for name, joint in spec.joints.items() if name in own or name in more}
        try:
            Spec(bodies=spec.bodies, joints=chosen)
        except SpecError:
            continue  # some body is not reached: no tree
        sizes.append(sum(NV[joint.type] for joint in chosen.values()))
    assert sum(NV[joint.type] for joint in span(spec).joints.values()) == min(sizes)


# ---- refused


def test_a_loop_without_a_joint_to_cut():
    error = refused(four_bar(
        A={"q": 1}, B={"limits": [0, 1]}, C={"stiffness": 2, "damping": 1, "rest": 0.1},
        forces={"m": {"type": "motor", "joint": "D", "kp": 1}}))  # fmt: skip
    ((place, words),) = error.problems
    assert place == "joints.C" and "no joint of that loop can become a cut" in words
    for reason in ("'C' has damping, stiffness, rest", "'B' has limits", "'A' has q",
                   "'D' is named by forces.m"):  # fmt: skip
        assert reason in words
    assert "list one of them under cuts" in words


def test_all_loops_without_a_joint_to_cut_are_told_at_once():
    pair = ("A ground {0} revolute", "B ground {0} revolute")
    joints = [f"{text[0]}{body}{text[1:].format(body)}" for body in "ab" for text in pair]
    error = refused(graph(*joints, **{f"{name}{body}": {"q": 0} for name in "AB" for body in "ab"}))
    assert [place for place, _ in error.problems] == ["joints.Ba", "joints.Bb"]


def test_a_free_joint_in_a_loop():
    assert list(span(graph("F ground a free", "S ground a spherical")).cuts) == ["S"]
    error = refused(graph("F ground a free", "A ground a revolute", A={"q": 0}))
    assert "'F' is free, which a cut cannot be" in str(error)


@pytest.mark.parametrize("kind, own", [("free", {}), ("spherical", {"damping": 1}), ("planar", {"v": [1, 2, 3]}),
                                       ("universal", {"q_deg": [1, 2]})])  # fmt: skip
def test_coordinates_that_would_change_their_meaning(kind, own):
    error = refused(graph(f"A a ground {kind}", A=own))
    ((place, words),) = error.problems
    assert place == "joints.A" and words.endswith(": swap its parent and child")
    assert (f"has {next(iter(own))}" if own else "is free") in words
    assert span(graph(f"A ground a {kind}", A=own)).joints["A"].type == kind


def test_a_name_that_a_cut_has_already():
    with pytest.raises(SpecError, match="cut 'C' has the name of a joint") as caught:
        Spec(**four_bar().model_dump(exclude_unset=True), cuts={"C": {
            "type": "distance", "parent": "crank", "child": "rocker", "length": 1}})  # fmt: skip
    assert [place for place, _ in caught.value.problems] == ["cuts.C"]


def test_screws_become_cuts_where_all_others_have_something_of_their_own():
    spec = span(four_bar(A={"q": 1}, B={"type": "helical", "pitch": 0.1}, C={"damping": 1}, D={"q": 2}))
    assert list(spec.cuts) == ["B"] and spec.cuts["B"].pitch == 0.1


def test_a_joint_that_is_turned_around_says_so():
    """And no more when it is turned back; what it says comes back from a file."""
    spec = span(graph("A a ground revolute", "B a b spherical"))
    assert spec.joints["A"].reversed and not spec.joints["B"].reversed
    assert not turned(spec.joints["A"]).reversed and read_yaml(None, write_yaml(spec)) == spec


def test_bearings_of_gears_stay_in_the_tree():
    """A wheel on the rocker that meshes with the coupler: their hinges are not cut, though C else would be."""
    joints = (*FOUR_BAR, "W rocker wheel revolute")
    assert list(span(graph(*joints)).cuts) == ["C"]
    gear = {"type": "gear", "bodies": ["coupler", "wheel"], "radii": [0.05, 0.1]}
    for carrier in ({}, {"carrier": "rocker"}):
        assert list(span(graph(*joints, gears={"mesh": gear | carrier})).cuts) == ["B"]
