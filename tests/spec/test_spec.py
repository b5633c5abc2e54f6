"""Spec: every refusal in its words."""

import math
import warnings

import numpy as np
import pytest

import gori.spec
from gori.errors import SpecError, SpecWarning
from gori.spec import Body, Box, Cut, Joint, Motor, Spec, Wrench
from gori.spec.base import quaternion, rotation

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
    "negative mass": ({"mass": -1.0}, "bodies.a.mass: must not be negative, is -1"),
    "text": ({"mass": "heavy"}, "bodies.a.mass: must be a number, not 'heavy'"),
    "truth": ({"mass": True}, "bodies.a.mass: must be a number, not True"),
    "short com": ({"mass": 1, "com": [1, 2]}, "bodies.a.com: needs 3 numbers, has 2"),
    "long com": ({"mass": 1, "com": [1, 2, 3, 4]}, "bodies.a.com: needs 3 numbers, has 4"),
    "NaN in com": ({"mass": 1, "com": [0, math.nan, 0]}, "bodies.a.com.1: must be finite"),
    "matrix": ({"mass": 1, "inertia": np.eye(3)}, "for a 3x3 matrix, give the 6 numbers xx yy zz xy xz yz"),
    "rows": ({"mass": 1, "inertia": [[1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "give the 6 numbers xx yy zz xy xz yz"),
    "four moments": ({"mass": 1, "inertia": [1, 1, 1, 1]}, "must be a list of 3 (xx yy zz) or 6"),
    "negative moment": (
        {"mass": 1, "inertia": [1, 1, -0.1]},
        "inertia is not positive definite: principal moments -0.1",
    ),
    "hidden negative": ({"mass": 1, "inertia": [1, 1, 1, 2, 0, 0]}, "inertia is not positive definite"),
    "triangle": ({"mass": 1, "inertia": [1, 1, 3]}, "inertia violates the triangle inequality"),
    "inertia without mass": ({"mass": 0, "inertia": [1, 1, 1]}, "inertia without mass"),
    "no mass": ({"inertia": [1, 1, 1]}, "inertia given without mass"),
    "mass twice": ({"mass": 1, "shapes": DENSE}, "mass given here, and shape 'ball' has a density"),
    "unknown key": ({"mas": 1}, "unknown key 'mas'; did you mean 'mass'?"),
    "unknown shape": ({"shapes": {"x": {"type": "torus"}}}, "bodies.a.shapes.x: type 'torus' is not one of"),
    "shape without type": ({"shapes": {"x": {}}}, "bodies.a.shapes.x: 'type' is missing"),
    "flat box": ({"shapes": {"x": {"type": "box", "size": [1, 0, 1]}}}, "size must be positive"),
    "flat mesh": (
        {"shapes": {"x": {"type": "mesh", "file": "x.stl", "scale": [1, 0, 1]}}},
        "bodies.a.shapes.x.scale: must not contain a zero",
    ),
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
    "world": (
        two({"parent": "world"}),
        "joints.ja.parent: joint 'ja': parent 'world' is not a body; the fixed body is called 'ground'",
    ),
    "base": (two({"parent": "base"}), "parent 'base' is not a body; the fixed body is called 'ground'"),
    "spring on the world": (
        chain(forces={"s": {"type": "spring", "parent": "world", "child": "a", "stiffness": 1}}),
        "forces.s.parent: parent 'world' is not a body or frame; the fixed body is called 'ground'",
    ),
    "ring": (two({"parent": "b"}), "form a cycle that is not connected to the ground"),
    "disconnected": (
        chain(joints={"ja": JA}),
        "bodies.b: body 'b' is not the child of any joint, so its position is undefined",
    ),
    "itself": (two({"parent": "a"}), "parent and child are the same body, 'a'"),
    "ground listed": (chain(bodies={"a": BALL, "b": BALL, "ground": {"mass": 1}}), "only its shapes can be given"),
    "name with space": (chain(bodies={"a": BALL, "b c": BALL}), "a name must not be empty or contain spaces"),
    "empty name": (chain(joints={"": JA, "jb": JB}), "a name must not be empty"),
    "frame on nothing": (chain(frames={"f": {"body": "c"}}), "frames.f.body: frame 'f': body 'c' is not a body"),
    "frame like body": (chain(frames={"a": {"body": "b"}}), "frame 'a' has the name of a body"),
    "cut on nothing": (
        chain(cuts={"c": {"type": "revolute", "parent": "a", "child": "x"}}),
        "cut 'c': child 'x' is not a body",
    ),
    "unknown group": (chain(body={}), "unknown key 'body'; did you mean 'bodies'?"),
    "body is a number": (chain(bodies={"a": 3, "b": BALL}), "bodies.a: must be a mapping, not 3"),
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
    "mimic ring": (two({"mimic": {"joint": "jb"}}, {"mimic": {"joint": "ja"}}), "mimic each other in a cycle"),
    "mimic without joint": (two(b={"mimic": {"ratio": 2}}), "joints.jb.mimic.joint: 'joint' is missing"),
}


@pytest.mark.parametrize("case", TREES)
def test_trees_that_may_not_be(case):
    data, words = TREES[case]
    assert words in refused(data)


def test_joints_may_close_loops():
    joints = {"ja": JA, "jb": JB, "jc": JB | {"parent": "ground"}, "jd": JB | {"parent": "b", "child": "ground"}}
    assert list(Spec(**chain(joints=joints)).joints) == list(joints)


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
    "helical without pitch": ({"type": "helical"}, "joints.j: pitch is required for helical joints"),
    "pitch of a hinge": ({"pitch": 0.1}, "and not allowed for others; this one is revolute"),
    "axis2 of a hinge": ({"axis2": [1, 0, 0]}, "axis2 is for universal joints; this one is revolute"),
    "axes not square": (
        {"type": "universal", "axis": [0, 0, 1], "axis2": [1, 0, 0.1]},
        "must be perpendicular to axis",
    ),
    "child turned, ball": (
        {"type": "spherical", "child_rpy_deg": [0, 0, 9]},
        "a spherical joint refers to the child's own axes",
    ),
    "child turned, free": ({"type": "free", "child_quat": [0, 1, 0, 0]}, "a free joint refers to the child's own axes"),
    "child moved, free": ({"type": "free", "child_at": [1, 0, 0]}, "child_at is not allowed"),
    "armature, free": ({"type": "free", "armature": 1.0}, "a free joint has no drive and cannot have armature"),
    "armature, ball": ({"type": "spherical", "armature": [1, 1, 2]}, "one armature for all directions"),
    "negative damping": ({"damping": -1}, "must not be negative, is -1"),
    "two dampings": ({"damping": [1, 2]}, "joints.j.damping: damping needs 1 number for a revolute joint, has 2"),
    "limits swapped": ({"limits": [1, -1]}, "joints.j.limits: the lower limit 1.0 is above the upper -1.0"),
    "limits of a plane": ({"type": "planar", "limits": [0, 1]}, "limits is for joints of one degree of freedom"),
    "mimic of a plane": ({"type": "planar", "mimic": {"joint": "j"}}, "mimic is for joints of one degree of freedom"),
    "degrees of a slider": (
        {"type": "prismatic", "q_deg": 10},
        "q_deg is for rotational joints; this one is prismatic",
    ),
    "q twice": ({"q": 1, "q_deg": 2}, "give q or q_deg, not both"),
    "long q": ({"q": [1, 2]}, "q needs 1 number for a revolute joint, has 2"),
    "no quaternion": ({"type": "spherical", "q": [1, 1, 0, 0]}, "q must begin with a unit quaternion"),
    "no quaternion at rest": (
        {"type": "spherical", "rest": [0, 0, 0, 0]},
        "joints.j.rest: rest must begin with a unit quaternion",
    ),
    "free, no quaternion at rest": ({"type": "free", "rest": [0] * 7}, "rest must begin with a unit quaternion"),
    "short axis": ({"axis": [1]}, "joints.j.axis: needs 3 numbers, has 1"),
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


STILL = {"q": 1, "q_deg": 1, "v": 1, "velocity_limit": 1, "effort_limit": 1, "damping": 1, "friction": 1,
         "stick_stiffness": 1, "stiffness": 1, "rest": 1, "rest_deg": 1, "armature": 1, "limits": [0, 1],
         "limits_deg": [0, 1], "limit_stiffness": 1, "limit_damping": 1, "mimic": {"joint": "k"}}  # fmt: skip


@pytest.mark.parametrize("name", STILL)
def test_fixed_joints_take_nothing_of_motion(name):
    words = f"joints.j.{name}: a fixed joint has no {name}"
    assert words in refused(joint(type="fixed", **{name: STILL[name]}))
    assert Spec(**joint(type="fixed", at=[1, 0, 0], q=None)).joints["j"].q is None


def test_short_lists_are_told_of_once():
    assert refused(joint(axis=[1])).count("\n") == 0


# ---- start outside the limits


OUTSIDE = {
    "radians": ({"q": 90, "limits": [-1, 1]}, "q lies outside its limits: 90 is not within -1 and 1; did you mean q_d"),
    "limits in degrees": ({"q": 2, "limits_deg": [-90, 90]}, "2 is not within -1.5708 and 1.5708; did you mean q_deg?"),
    "degrees": ({"q_deg": 90, "limits_deg": [-45, 45]}, "q_deg lies outside its limits: 90 is not within -45 and 45"),
    "q in degrees": ({"q_deg": 90, "limits": [0, 1]}, "q_deg lies outside its limits: 90 is not within 0 and 57.2958"),
    "slider": ({"type": "prismatic", "q": 2, "limits": [0, 1]}, "q lies outside its limits: 2 is not within 0 and 1"),
}


@pytest.mark.parametrize("case", OUTSIDE)
def test_start_outside_the_limits_is_warned_of_at_the_callers_line(case):
    keys, words = OUTSIDE[case]
    with pytest.warns(SpecWarning) as caught:
        spec = Spec(**joint(**keys))
    (warning,) = caught
    assert str(warning.message).startswith("joints.j.q") and words in str(warning.message)
    assert ("q_deg?" in str(warning.message)) == ("q" in keys and "type" not in keys)
    assert warning.filename == __file__
    with pytest.warns(SpecWarning) as caught:
        spec.set("gravity", [0, 0, 0])
    assert caught[0].filename == __file__


def test_start_at_the_limits_is_not_doubted():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Spec(**joint(q_deg=90, limits=[0, math.pi / 2]))
        Spec(**joint(limits=[1, 2]))
        Spec(**joint(limits=np.array([-1, 1]), q=-1))


# ---- parts on their own


ALONE = {
    "negative mass": (lambda: Body(mass=-1), [("mass", "must not be negative, is -1")]),
    "keys of a body": (lambda: Body(mas=1), [("mas", "unknown key 'mas'; did you mean 'mass'?")]),
    "keys of a shape": (
        lambda: Body(shapes={"s": {"type": "sphere", "radius": 1, "dens": 2}}),
        [("shapes.s.dens", "unknown key 'dens'; did you mean 'density'?")],
    ),
    "shape": (
        lambda: Body(shapes={"s": {"type": "sphere", "radius": -1}}),
        [("shapes.s.radius", "must be positive, is -1")],
    ),
    "keys of a mimic": (
        lambda: Joint(type="revolute", parent="a", child="b", mimic={"joint": "j", "scale": 2}),
        [("mimic.scale", "unknown key 'scale'; known keys: joint, ratio, offset")],
    ),
    "type": (lambda: Cut(type="free", parent="a", child="b"), [("type", "'free' is not one of")]),
    "whole": (lambda: Box(type="box", size=[0, 1, 1]), [("", "size must be positive in all three directions")]),
    "several": (lambda: Joint(type="fixed", at=[1]), [("at", "needs 3 numbers, has 1"), ("parent", ""), ("child", "")]),
    "value": (lambda: Motor(type="motor", joint="j", kp=1, target=[[0, "t"]]), [("target.0.1", "must be a number")]),
    "component": (lambda: Wrench(type="wrench", body="a", force=[0, 0, "2 +"]), [("force.2", "'2 +' is not an expr")]),
    "plain data": (lambda: Spec.model_validate({"bodies": {"a": 1}}), [("bodies.a", "must be a mapping, not 1")]),
}  # fmt: skip


@pytest.mark.parametrize("case", ALONE)
def test_parts_on_their_own_are_refused_in_plain_words(case):
    make, expected = ALONE[case]
    with pytest.raises(SpecError) as caught:
        make()
    assert "pydantic" not in str(caught.value)
    assert [place for place, _ in caught.value.problems] == [place for place, _ in expected]
    assert all(words in found for (_, words), (_, found) in zip(expected, caught.value.problems))


def test_all_parts_are_public():
    assert list(gori.spec.__all__) == sorted(gori.spec.__all__, key=lambda name: (not name.isupper(), name))
    kinds = {kind.__name__ for group in (gori.spec.force.FORCES, gori.spec.shape.SHAPES) for kind in group.values()}
    assert kinds <= set(gori.spec.__all__)


# ---- rotations


def test_quaternion_is_the_inverse_of_rotation():
    rng = np.random.default_rng(0)
    halves = [*np.eye(4), [0, 0.6, 0.8, 0], [0.6, 0, 0, 0.8], [0, 0, 0.6, -0.8]]
    for q in [*halves, *rng.normal(size=(100, 4)), *(rng.normal(size=(50, 4)) * [1e-9, 1, 1, 1])]:
        q = q / np.linalg.norm(q)
        found = np.array(quaternion(rotation(None, q)))
        np.testing.assert_allclose(found * np.sign(found @ q), q, atol=1e-15)
        assert found[np.flatnonzero(found)[0]] > 0.0


def test_several_values_are_checked_together():
    """Each alone would not fit the other."""
    group = {"material": "grain", "radius": 0.01, "fill": {"shape": "ground.bin", "count": 5}}
    spec = Spec(
        bodies={"ground": {"shapes": {"bin": {"type": "box", "size": [1, 1, 1], "hollow": True, "material": "grain"}}}},
        materials={"grain": {"E": 1e7, "nu": 0.3, "density": 2500.0}},
        contacts={"grain/grain": {"restitution": 0.5, "friction": 0.3}},
        particles={"a": group, "b": group},
        run={"duration": 1.0, "subsystems": {"a": {"step": "auto"}, "b": {"step": "auto"}}},
    )
    names = [f"run.subsystems.{name}.torque_arm" for name in "ab"]
    with pytest.raises(SpecError, match="must be the same for all particles"):
        spec.set(names[0], "radius")
    changed = spec.set(dict.fromkeys(names, "radius"))
    assert all(part.torque_arm == "radius" for part in changed.run.subsystems.values())
    assert spec.set({}) == spec
