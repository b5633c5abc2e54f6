"""Spec: values set by name, and every refusal in its words."""

import math

import numpy as np
import pytest

from gori.errors import SpecError
from gori.spec import Spec
from tests.checks import arm

BALL = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}


def chain(**changes) -> dict:
    """The data of two bodies on two joints; a value of None takes a key away."""
    data = {
        "bodies": {"a": BALL, "b": BALL},
        "joints": {
            "ja": {"type": "revolute", "parent": "ground", "child": "a"},
            "jb": {"type": "prismatic", "parent": "a", "child": "b"},
        },
    }
    return data | changes


def joint(**keys) -> dict:
    """The data of one body on one joint."""
    return {"bodies": {"a": BALL}, "joints": {"j": {"type": "revolute", "parent": "ground", "child": "a", **keys}}}


def refused(data: dict) -> str:
    with pytest.raises(SpecError) as caught:
        Spec(**data)
    assert caught.value.problems
    return str(caught.value)


# ---- bodies


@pytest.mark.parametrize(
    "body",
    [
        {},
        {"mass": 1.0},
        {"mass": 1.0, "com": [1, 2, 3]},
        {"mass": 1.0, "inertia": [1, 1, 0]},
        {"mass": 1.0, "inertia": [0, 2, 2]},
        {"mass": 1.0, "inertia": [1, 1, 2]},
        {"mass": 1.0, "inertia": [1, 1, 9], "unphysical": True},
    ],
    ids=["massless", "point", "point away", "rod along z", "rod along x", "plate", "unphysical"],
)
def test_bodies_that_may_be(body):
    assert Spec(**chain(bodies={"a": body, "b": BALL})).bodies["a"].inertial()[0] == body.get("mass", 0.0)


DENSE = {"ball": {"type": "sphere", "radius": 1.0, "density": 1.0}}
BODIES = {
    "NaN mass": ({"mass": math.nan}, "bodies.a.mass: must be finite, not nan"),
    "infinite mass": ({"mass": math.inf}, "bodies.a.mass: must be finite, not inf"),
    "negative mass": ({"mass": -1.0}, "bodies.a.mass: must not be negative, is -1.0"),
    "text": ({"mass": "heavy"}, "bodies.a.mass: must be a number, not 'heavy'"),
    "truth": ({"mass": True}, "bodies.a.mass: must be a number, not True"),
    "short com": ({"mass": 1, "com": [1, 2]}, "bodies.a.com: too few numbers: 2"),
    "long com": ({"mass": 1, "com": [1, 2, 3, 4]}, "bodies.a.com: too many numbers: 4 instead of 3"),
    "NaN in com": ({"mass": 1, "com": [0, math.nan, 0]}, "bodies.a.com.1: must be finite"),
    "four moments": ({"mass": 1, "inertia": [1, 1, 1, 1]}, "must be a list of 3 (xx yy zz) or 6"),
    "negative moment": (
        {"mass": 1, "inertia": [1, 1, -0.1]},
        "inertia is not positive definite: principal moments -0.1",
    ),
    "hidden negative": ({"mass": 1, "inertia": [1, 1, 1, 2, 0, 0]}, "inertia is not positive definite"),
    "triangle": ({"mass": 1, "inertia": [1, 1, 3]}, "inertia breaks the triangle inequality"),
    "inertia without mass": ({"mass": 0, "inertia": [1, 1, 1]}, "inertia without mass"),
    "no mass": ({"inertia": [1, 1, 1]}, "inertia given without mass"),
    "mass twice": ({"mass": 1, "shapes": DENSE}, "mass given here, and shape 'ball' has a density"),
    "unknown key": ({"mas": 1}, "unknown key 'mas'; did you mean 'mass'?"),
    "unknown shape": ({"shapes": {"x": {"type": "cone"}}}, "bodies.a.shapes.x: type 'cone' is not one of"),
    "shape without type": ({"shapes": {"x": {}}}, "bodies.a.shapes.x: 'type' is missing"),
    "flat box": ({"shapes": {"x": {"type": "box", "size": [1, 0, 1]}}}, "size must be positive"),
    "no radius": ({"shapes": {"x": {"type": "sphere"}}}, "bodies.a.shapes.x.radius: 'radius' is missing"),
    "two amounts": ({"shapes": {"x": DENSE["ball"] | {"mass": 1}}}, "give density or mass, not both"),
}


@pytest.mark.parametrize("case", BODIES)
def test_bodies_that_may_not_be(case):
    body, words = BODIES[case]
    assert words in refused(chain(bodies={"a": body, "b": BALL}))


# ---- the tree


JA, JB = chain()["joints"]["ja"], chain()["joints"]["jb"]


def two(a: dict | None = None, b: dict | None = None) -> dict:
    """The chain with other keys on its two joints."""
    return chain(joints={"ja": JA | (a or {}), "jb": JB | (b or {})})


TREES = {
    "unknown parent": (
        two(b={"parent": "aa"}),
        "joints.jb.parent: joint 'jb': parent 'aa' is not a body; did you mean 'a'?",
    ),
    "unknown child": (two(b={"child": "grund"}), "child 'grund' is not a body; did you mean 'ground'?"),
    "unknown far away": (two(b={"parent": "zzz"}), "parent 'zzz' is not a body"),
    "two movers": (
        chain(joints={"ja": JA, "jb": JB, "jc": JB | {"parent": "ground"}}),
        "that closes a loop. The joints form a tree; move one of the two to cuts",
    ),
    "ring": (two({"parent": "b"}), "carry each other in a ring that never reaches the ground"),
    "disconnected": (
        chain(joints={"ja": JA}),
        "bodies.b: body 'b' is the child of no joint, so nothing says where it is",
    ),
    "itself": (two({"parent": "a"}), "parent and child are the same body, 'a'"),
    "ground moves": (two({"parent": "a", "child": "ground"}), "the ground cannot be a child; swap parent and child"),
    "ground listed": (chain(bodies={"a": BALL, "b": BALL, "ground": {}}), "it is not listed among the bodies"),
    "name with space": (chain(bodies={"a": BALL, "b c": BALL}), "a name must not be empty or hold spaces"),
    "empty name": (chain(joints={"": JA, "jb": JB}), "a name must not be empty"),
    "frame on nothing": (chain(frames={"f": {"body": "c"}}), "frames.f.body: frame 'f': body 'c' is not a body"),
    "frame like body": (chain(frames={"a": {"body": "b"}}), "frame 'a' has the name of a body"),
    "cut on nothing": (
        chain(cuts={"c": {"type": "revolute", "parent": "a", "child": "x"}}),
        "cut 'c': child 'x' is not a body",
    ),
    "cut without length": (
        chain(cuts={"c": {"type": "distance", "parent": "a", "child": "b"}}),
        "a distance cut needs length",
    ),
    "unknown group": (chain(body={}), "unknown key 'body'; did you mean 'bodies'?"),
    "body is a number": (chain(bodies={"a": 3, "b": BALL}), "bodies.a: must hold keys and values, not 3"),
    "mimic of nothing": (
        two(b={"mimic": {"joint": "jaa"}}),
        "joint 'jb' mimics 'jaa', which is not a joint; did you mean 'ja'?",
    ),
    "mimic of itself": (
        two(b={"mimic": {"joint": "jb"}}),
        "must mimic another joint of one degree of freedom, not 'jb'",
    ),
    "mimic of a ball": (
        two({"type": "spherical"}, {"mimic": {"joint": "ja"}}),
        "must mimic another joint of one degree of freedom, not 'ja'",
    ),
    "mimic ring": (two({"mimic": {"joint": "jb"}}, {"mimic": {"joint": "ja"}}), "mimic each other in a ring"),
    "mimic without joint": (two(b={"mimic": {"ratio": 2}}), "joints.jb.mimic.joint: 'joint' is missing"),
}


@pytest.mark.parametrize("case", TREES)
def test_trees_that_may_not_be(case):
    data, words = TREES[case]
    assert words in refused(data)


def test_mimic_chain_is_allowed():
    joints = {"ja": JA, "jb": JB | {"mimic": {"joint": "ja", "ratio": -2, "offset": 0.1}}}
    joints["jc"] = JB | {"parent": "b", "child": "c", "mimic": {"joint": "jb"}}
    spec = Spec(bodies={"a": BALL, "b": BALL, "c": BALL}, joints=joints)
    assert spec.joints["jb"].mimic.ratio == -2.0 and spec.joints["jc"].mimic.offset == 0.0


def test_all_problems_are_told_at_once():
    message = refused(chain(bodies={"a": {"mass": -1}, "b": {"mass": math.nan}}))
    assert "bodies.a.mass" in message and "bodies.b.mass" in message


# ---- joints


JOINTS = {
    "unknown type": ({"type": "ball"}, "joints.j.type: 'ball' is not one of"),
    "no type": ({"type": None}, "joints.j.type"),
    "zero axis": ({"axis": [0, 0, 0]}, "must be a direction, not the zero vector"),
    "axis of a ball": ({"type": "spherical", "axis": [0, 0, 1]}, "a spherical joint has no axis"),
    "helical without pitch": ({"type": "helical"}, "a helical joint needs pitch"),
    "pitch of a hinge": ({"pitch": 0.1}, "and no other type takes it; this one is revolute"),
    "axis2 of a hinge": ({"axis2": [1, 0, 0]}, "axis2 is for universal joints; this one is revolute"),
    "axes not square": (
        {"type": "universal", "axis": [0, 0, 1], "axis2": [1, 0, 0.1]},
        "must be perpendicular to axis",
    ),
    "child turned, ball": (
        {"type": "spherical", "child_rpy_deg": [0, 0, 9]},
        "a spherical joint moves the child's own axes",
    ),
    "child turned, free": ({"type": "free", "child_quat": [0, 1, 0, 0]}, "a free joint moves the child's own axes"),
    "child moved, free": ({"type": "free", "child_at": [1, 0, 0]}, "it takes no child_at"),
    "armature, free": ({"type": "free", "armature": 1.0}, "a free joint has no drive and takes no armature"),
    "armature, ball": ({"type": "spherical", "armature": [1, 1, 2]}, "one armature for all directions"),
    "negative damping": ({"damping": -1}, "must not be negative, is -1"),
    "two dampings": ({"damping": [1, 2]}, "damping needs 1 or 1 numbers for a revolute joint"),
    "limits swapped": ({"limits": [1, -1]}, "limits: the lower limit 1.0 is above the upper -1.0"),
    "limits of a plane": ({"type": "planar", "limits": [0, 1]}, "limits is for joints of one degree of freedom"),
    "mimic of a plane": ({"type": "planar", "mimic": {"joint": "j"}}, "mimic is for joints of one degree of freedom"),
    "degrees of a slider": ({"type": "prismatic", "q_deg": 10}, "q_deg is for joints that turn; this one is prismatic"),
    "q twice": ({"q": 1, "q_deg": 2}, "give q or q_deg, not both"),
    "long q": ({"q": [1, 2]}, "q needs 1 numbers for a revolute joint"),
    "no quaternion": ({"type": "spherical", "q": [1, 1, 0, 0]}, "q must begin with a unit quaternion"),
    "two rotations": ({"rpy_deg": [0, 0, 1], "quat": [1, 0, 0, 0]}, "give rpy_deg or quat, not both"),
    "long quaternion": ({"quat": [2, 0, 0, 0]}, "must be a unit quaternion w x y z; its length is 2"),
}


@pytest.mark.parametrize("case", JOINTS)
def test_joints_that_may_not_be(case):
    keys, words = JOINTS[case]
    assert words in refused(joint(**keys))


@pytest.mark.parametrize(
    "keys",
    [
        {"type": "universal", "axis": [0, 1, 0]},
        {"type": "universal", "axis": [0, 1, 0], "axis2": [3, 0, 1]},
        {"type": "helical", "pitch": -0.01},
        {"type": "helical", "pitch": 0.0},
        {"type": "spherical", "child_at": [1, 0, 0], "armature": 0.1},
        {"type": "planar", "damping": [1, 2, 3], "q": [1, 2, 3]},
        {"type": "free", "q": [0, 1, 0, 0, 1, 2, 3]},
        {"type": "revolute", "limits_deg": [-90, 90], "q_deg": 30},
    ],
)
def test_joints_that_may_be(keys):
    assert Spec(**joint(**keys)).joints["j"].type == keys["type"]


# ---- set


def test_set():
    spec = arm()
    assert spec.set("elbow.damping", 0.5).joints["elbow"].damping == (0.5,)
    assert spec.set("bodies.lower.mass", 3).bodies["lower"].mass == 3.0
    assert spec.set("lower.mass", 3).bodies["lower"].mass == 3.0
    assert spec.set("gravity", [0, 0, 0]).gravity == (0.0, 0.0, 0.0)
    assert spec.set("tool.at", np.ones(3)).frames["tool"].at == (1.0, 1.0, 1.0)
    assert spec.bodies["lower"].mass == 1.0 and spec.joints["elbow"].damping == (0.0,)
    assert spec.set("elbow.mimic", {"joint": "shoulder"}).set("elbow.mimic.ratio", 3).joints["elbow"].mimic.ratio == 3.0


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("elbw.damping", 1, "cannot set 'elbw.damping': nothing here has that name; did you mean 'elbow'?"),
        ("joints.elbw.damping", 1, "nothing is called 'elbw' there; did you mean 'elbow'?"),
        ("elbow.dampin", 1, "unknown key 'dampin'; did you mean 'damping'?"),
        ("elbow.damping", -1, "joints.elbow.damping.0: must not be negative"),
        ("elbow.parent", "uper", "parent 'uper' is not a body; did you mean 'upper'?"),
        ("lower.mass", math.nan, "must be finite"),
        ("elbow.damping.more", 1, "cannot set"),
        ("weight", 1, "nothing here has that name"),
    ],
)
def test_set_refuses(name, value, words):
    with pytest.raises(SpecError) as caught:
        arm().set(name, value)
    assert words in str(caught.value)


def test_set_of_a_name_with_two_meanings():
    spec = Spec(bodies={"wheel": BALL}, joints={"wheel": {"type": "revolute", "parent": "ground", "child": "wheel"}})
    with pytest.raises(SpecError, match=r"it may mean bodies.wheel.mass or joints.wheel.mass; say which"):
        spec.set("wheel.mass", 2)
    assert spec.set("bodies.wheel.mass", 2).bodies["wheel"].mass == 2.0


def test_spec_is_frozen():
    for change in (lambda s: setattr(s, "gravity", (0, 0, 0)), lambda s: setattr(s.bodies["lower"], "mass", 2.0)):
        with pytest.raises(ValueError, match="frozen"):
            change(arm())
