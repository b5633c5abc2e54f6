"""Forces in a Spec: what is taken, what is refused and where, and that files keep them."""

import math
import warnings

import numpy as np
import pytest

from gori.errors import FileError, SpecError
from gori.formats import json_schema, read_yaml, write_yaml
from gori.spec import Spec
from gori.spec.force import FORCES, SLIDING
from gori.spec.joint import NV

BALL = {"mass": 1.0, "inertia": [0.1, 0.1, 0.1]}
JOINTS = {
    "hinge": {"type": "revolute"},
    "slide": {"type": "prismatic"},
    "screw": {"type": "helical", "pitch": 0.01},
    "tube": {"type": "cylindrical"},
    "cross": {"type": "universal"},
    "plane": {"type": "planar"},
    "socket": {"type": "spherical"},
    "flight": {"type": "free"},
    "weld": {"type": "fixed"},
    "arm.tip": {"type": "revolute"},
}


def machine(**forces) -> Spec:
    """One body on each type of joint, and forces."""
    return Spec(
        bodies={f"on_{name}": BALL for name in JOINTS},
        joints={name: {"parent": "ground", "child": f"on_{name}"} | joint for name, joint in JOINTS.items()},
        frames={"tool": {"body": "on_hinge", "at": (0, 0, 1)}, "mark": {"body": "ground"}},
        forces=forces,
    )


TABLE = ((0.0, 0.0), (1.0, 2.0), (1.5, -3.0))
EVERY: dict = {
    "torque": {"joint": "hinge", "value": "2*sin(3*t)", "dof": 0},
    "force": {"joint": "plane", "value": TABLE, "dof": 1},
    "wrench": {
        "body": "tool", "force": (1, "-hinge.q", TABLE), "moment": ("t", 0, "arm.tip.v"), "at": (1, 2, 3),
        "axes": "body",
    },
    "spring": {
        "parent": "ground", "at": (0, 0, 1), "child": "on_flight", "child_at": (1, 0, 0), "stiffness": 1e3,
        "damping": 10, "length": 0.5,
    },
    "strut": {
        "parent": "ground", "at": (0, 0, 1), "child": "on_flight", "child_at": (1, 0, 0), "stiffness": 1e3,
        "length": 0.5, "compression": 10, "rebound": 20, "midstroke": (0.3, 0.6), "end_compression": 5,
        "end_rebound": 50, "blend": 0.02, "shortest": 0.2, "longest": 0.7, "stop": ((0.01, 1e3), (0.02, 3e3)),
    },
    "torsion": {
        "joint": "cross", "stiffness": 5, "damping": 1, "rest": None, "rest_deg": 30, "preload": -0.5, "dof": 1,
    },
    "bushing": {
        "parent": "on_slide", "at": (0, 0, 1), "rpy_deg": (0, 90, 0), "quat": None, "child": "on_screw",
        "child_at": (1, 0, 0), "child_rpy_deg": None, "child_quat": (0, 1, 0, 0), "stiffness": (1, 2, 3, 4, 5, 6),
        "damping": (0, 0, 0, 1, 1, 1),
    },
    "motor": {
        "joint": "slide", "target": "where(t < 1, 0, 1)", "target_velocity": ((0, 0), (1, 1)), "kp": 100, "kd": 10,
        "limit": 50, "dof": 0,
    },
}  # fmt: skip


@pytest.mark.parametrize("kind", FORCES)
def test_round_trip_keeps_every_field(kind):
    spec = machine(it={"type": kind} | EVERY[kind])
    force = spec.forces["it"]
    assert type(force) is FORCES[kind]
    assert force.model_fields_set == set(type(force).model_fields)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        text = write_yaml(spec)
        again = read_yaml(None, text)
        assert again == spec
        assert again.model_dump(exclude_unset=True)["forces"] == spec.model_dump(exclude_unset=True)["forces"]
        assert spec.set("gravity", [0, 0, 0]).forces == spec.forces
        spec.model_dump_json()
    assert f"forces:\n  it:\n    type: {kind}\n" in text


def test_all_together_and_with_defaults():
    spec = machine(**{f"my_{kind}": {"type": kind} | keys for kind, keys in EVERY.items()})
    assert list(spec.forces) == [f"my_{kind}" for kind in FORCES]
    spring = machine(s={"type": "spring", "parent": "ground", "child": "on_hinge", "stiffness": 1}).forces["s"]
    assert spring.length is None and spring.damping == 0.0 and spring.at == (0.0, 0.0, 0.0)
    torsion = {"type": "torsion", "joint": "hinge", "stiffness": 1}
    assert machine(s=torsion).forces["s"].rest_q() == 0.0
    assert machine(s=torsion | {"rest": 2}).forces["s"].rest_q() == 2.0
    assert math.isclose(machine(s=torsion | {"rest_deg": 90}).forces["s"].rest_q(), math.pi / 2)
    motor = machine(m={"type": "motor", "joint": "tube", "dof": 1, "kd": 3}).forces["m"]
    assert motor.target is None and motor.kp == 0.0 and motor.limit is None and motor.target_velocity == 0.0


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        (2, 2.0),
        (np.float32(0.5), 0.5),
        ("t", "t"),
        ([[0, 1], [2, 3]], ((0.0, 1.0), (2.0, 3.0))),
        (np.array([[0, 1], [2, 3]]), ((0.0, 1.0), (2.0, 3.0))),
        ([[5, 7]], 7.0),
    ],
)
def test_values(given, kept):
    spec = machine(m={"type": "torque", "joint": "hinge", "value": given})
    assert spec.forces["m"].value == kept
    assert read_yaml(None, write_yaml(spec)) == spec


@pytest.mark.parametrize("joint", JOINTS)
def test_torques_turn_and_forces_slide(joint):
    kind = JOINTS[joint]["type"]
    for dof in range(NV[kind]):
        right, wrong = ("force", "torque") if dof in SLIDING.get(kind, ()) else ("torque", "force")
        machine(it={"type": right, "joint": joint, "value": 1, "dof": dof})
        with pytest.raises(SpecError, match=rf"forces.it.type: .*\({kind}\): write type: {right}"):
            machine(it={"type": wrong, "joint": joint, "value": 1, "dof": dof})


def torque(**keys) -> dict:
    return {"type": "torque", "joint": "hinge", "value": 1} | keys


def motor(**keys) -> dict:
    return {"type": "motor", "joint": "hinge", "kp": 1, "target": 0} | keys


def wrench(**keys) -> dict:
    return {"type": "wrench", "body": "on_hinge"} | keys


def spring(**keys) -> dict:
    return {"type": "spring", "parent": "ground", "child": "on_hinge", "stiffness": 1} | keys


def strut(**keys) -> dict:
    return {"type": "strut", "parent": "ground", "child": "on_hinge"} | keys


def torsion(**keys) -> dict:
    return {"type": "torsion", "joint": "hinge", "stiffness": 1} | keys


def bushing(**keys) -> dict:
    return {"type": "bushing", "parent": "ground", "child": "on_hinge", "stiffness": [1] * 6} | keys


REFUSED = {
    "no type": ({"joint": "hinge"}, "forces.it: 'type' is missing"),
    "unknown type": ({"type": "push"}, "forces.it: type 'push' is not one of 'torque', 'force', 'wrench'"),
    "not a mapping": (3, "forces.it: must be a mapping, not 3"),
    "unknown key": (torque(vlaue=2), "forces.it.vlaue: unknown key 'vlaue'; did you mean 'value'?"),
    "key of another": (torque(kp=2), "unknown key 'kp'; known keys: joint, dof, type, value"),
    "no value": ({"type": "torque", "joint": "hinge"}, "forces.it.value: 'value' is missing"),
    "truth": (torque(value=True), "forces.it.value: must be a number, an expression or a table [[t, x], ...]"),
    "mapping as value": (torque(value={}), "forces.it.value: must be a number, an expression or a table"),
    "nothing": (torque(value=None), "forces.it.value: must be a number, an expression or a table"),
    "NaN": (torque(value=math.nan), "forces.it.value: must be finite, not nan"),
    "expression": (torque(value="2*sni(t)"), "forces.it.value: unknown function 'sni'; did you mean 'sin'?"),
    "import": (torque(value="__import__('os')"), "forces.it.value: unknown function '__import__'"),
    "class": (torque(value="t.__class__"), "forces.it.value: unknown name 't.__class__'"),
    "unknown name": (torque(value="hinje.q"), "forces.it.value: unknown name 'hinje.q'; did you mean 'hinge.q'?"),
    "unknown coordinate": (torque(value="hinge.a"), "forces.it.value: unknown name 'hinge.a'; did you mean 'hinge."),
    "ball in expression": (torque(value="socket.q"), "forces.it.value: 'socket.q': joint 'socket' is spherical"),
    "empty table": (torque(value=[]), "forces.it.value: a table needs at least one row"),
    "flat table": (torque(value=[1, 2]), "forces.it.value.0: must be a list of numbers, not 1"),
    "short row": (torque(value=[[0, 1], [1]]), "forces.it.value.1: needs 2 numbers, has 1"),
    "long row": (torque(value=[[0, 1, 2]]), "forces.it.value.0: needs 2 numbers, has 3"),
    "text in table": (torque(value=[[0, "t"]]), "forces.it.value.0.1: must be a number, not 't'"),
    "times stand still": (torque(value=[[0, 1], [1, 1], [1, 2]]), "forces.it.value.2: times must increase"),
    "unknown joint": (torque(joint="hing"), "forces.it.joint: 'hing' is not a joint; did you mean 'hinge'?"),
    "fixed joint": (torque(joint="weld"), "forces.it.joint: joint 'weld' is fixed: a torque on it has no effect"),
    "dof too high": (torque(dof=1), "forces.it.dof: joint 'hinge' is revolute and has no degree of freedom 1: only 0"),
    "dof of a ball": (torque(joint="socket", dof=3), "has no degree of freedom 3: 0 to 2"),
    "negative dof": (torque(dof=-1), "forces.it.dof: must be a non-negative integer, not -1"),
    "fraction dof": (torque(dof=1.0), "forces.it.dof: must be a non-negative integer, not 1.0"),
    "true dof": (torque(dof=True), "forces.it.dof: must be a non-negative integer, not True"),
    "motor on a ball": (motor(joint="socket"), "forces.it.joint: joint 'socket' is spherical, and its q contains a"),
    "torsion in flight": (torsion(joint="flight", dof=4), "is free, and its q contains a quaternion: a torsion needs"),
    "torsion slides": (torsion(joint="slide"), "forces.it.type: joint 'slide' is translational (prismatic): give the"),
    "two rests": (torsion(rest=1, rest_deg=1), "forces.it: give rest or rest_deg, not both"),
    "negative stiffness": (torsion(stiffness=-1), "forces.it.stiffness: must not be negative, is -1"),
    "motor without gain": ({"type": "motor", "joint": "hinge"}, "forces.it: a motor needs kp or kd"),
    "target without kp": ({"type": "motor", "joint": "hinge", "target": 1, "kd": 1}, "a motor with a target needs kp"),
    "no limit left": (motor(limit=0), "forces.it.limit: must be positive, is 0"),
    "target": (motor(target="1 < t < 2"), "forces.it.target: comparisons cannot be chained"),
    "target velocity": (motor(target_velocity="x"), "forces.it.target_velocity: unknown name 'x'"),
    "unknown body": (wrench(body="on_hing"), "forces.it.body: 'on_hing' is not a body or frame; did you mean"),
    "wrench on ground": (wrench(body="ground"), "forces.it.body: 'ground' is the ground, or fixed to it"),
    "wrench on fixed": (wrench(body="mark"), "forces.it.body: 'mark' is the ground, or fixed to it"),
    "two components": (wrench(force=[0, 1]), "forces.it.force: needs 3 numbers, has 2"),
    "component": (wrench(moment=[0, "slide.w", 0]), "forces.it.moment.1: unknown name 'slide.w'"),
    "bad component": (wrench(moment=[0, 0, "1 +"]), "forces.it.moment.2: '1 +' is not an expression"),
    "axes": (wrench(axes="mine"), "forces.it.axes: 'mine' is not one of 'world' or 'body'"),
    "spring on nothing": (spring(parent="grund"), "it.parent: parent 'grund' is not a body or frame; did you"),
    "spring on its own frame": (spring(parent="on_hinge", child="tool"), "are on the same body, 'on_hinge': a spring"),
    "spring on itself": (spring(parent="on_hinge"), "forces.it: parent and child are the same body, 'on_hinge'"),
    "bushing on itself": (bushing(parent="on_hinge"), "forces.it: parent and child are the same body, 'on_hinge'"),
    "strut on nothing": (strut(parent="grund"), "it.parent: parent 'grund' is not a body or frame; did you"),
    "strut on itself": (strut(parent="on_hinge"), "forces.it: parent and child are the same body, 'on_hinge'"),
    "ends of nothing": (strut(end_rebound=1), "forces.it.end_rebound: end_rebound needs midstroke"),
    "midstroke turned": (strut(midstroke=[2, 1]), "forces.it.midstroke: must be two lengths, the shorter one first"),
    "no blend": (strut(blend=0), "forces.it.blend: must be positive, is 0"),
    "stop nowhere": (strut(stop=[[1, 1]]), "forces.it: a stop needs its table `stop`, and shortest or longest"),
    "stop without force": (strut(longest=1), "forces.it: a stop needs its table `stop`, and shortest or longest"),
    "stops crossed": (strut(shortest=2, longest=1, stop=[[1, 1]]), "forces.it.shortest: the bump stop at 2.0 m is not"),
    "stop of nothing": (strut(longest=1, stop=[[0, 0]]), "forces.it.stop: a stop takes 1 to 7 rows"),
    "stop of too much": (strut(longest=1, stop=[[k, k] for k in range(9)]), "besides [0, 0], not 8"),
    "stop goes back": (strut(longest=1, stop=[[2, 1], [1, 2]]), "forces.it.stop.1: travel must increase"),
    "stop starts at once": (strut(longest=1, stop=[[0, 1], [1, 2]]), "forces.it.stop.0: travel must increase"),
    "stop gives way": (strut(longest=1, stop=[[0, 0], [1, 2], [2, 1]]), "2: the force of a stop must not decrease"),
    "stop pulls": (strut(longest=1, stop=[[1, -2]]), "forces.it.stop.0.1: must not be negative"),
    "negative length": (spring(length=-1), "forces.it.length: must not be negative"),
    "three stiffnesses": (bushing(stiffness=[1, 2, 3]), "forces.it.stiffness: needs 6 numbers, has 3"),
    "axis of a bushing": (bushing(axis=[0, 0, 1]), "forces.it.axis: unknown key 'axis'"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_forces_that_may_not_be(case):
    force, words = REFUSED[case]
    with pytest.raises(SpecError) as caught:
        machine(it=force)
    assert words in str(caught.value)
    assert "<" not in caught.value.problems[0][0]


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("hinge", "force 'hinge' has the name of a joint"),
        ("on_hinge", "force 'on_hinge' has the name of a body"),
        ("tool", "force 'tool' has the name of a frame"),
        ("ground", "force 'ground' has the name of the ground"),
        ("a b", "a name must not be empty or contain spaces"),
    ],
)
def test_names_that_may_not_be(name, words):
    with pytest.raises(SpecError, match=words) as caught:
        machine(**{name: torque()})
    assert caught.value.problems[0][0] == f"forces.{name}"


def test_name_of_a_cut():
    data = machine().model_dump(exclude_unset=True)
    data["cuts"] = {"loop": {"type": "revolute", "parent": "on_hinge", "child": "on_tube"}}
    with pytest.raises(SpecError, match="force 'loop' has the name of a cut"):
        Spec(**data | {"forces": {"loop": torque()}})


def test_cuts_take_no_forces():
    data = machine().model_dump(exclude_unset=True)
    data["cuts"] = {"loop": {"type": "revolute", "parent": "on_hinge", "child": "on_tube"}}
    with pytest.raises(SpecError, match=r"it\.joint: 'loop' is a cut, and takes no torque: list it under `joints`"):
        Spec(**data | {"forces": {"it": torque(joint="loop")}})
    with pytest.raises(SpecError, match=r"'loop\.v': 'loop' is a cut, which forces cannot read.*list it under `joi"):
        Spec(**data | {"forces": {"it": torque(value="-loop.v")}})


def test_set():
    spec = machine(drive=motor())
    assert spec.set("drive.kp", 5).forces["drive"].kp == 5.0
    assert spec.set("forces.drive.target", "sin(t)").forces["drive"].target == "sin(t)"
    with pytest.raises(SpecError, match="unknown key 'kpp'; did you mean 'kp'"):
        spec.set("drive.kpp", 5)


FILE = """gori: 1
bodies:
  a: {mass: 1}
joints:
  A: {type: revolute, parent: ground, child: a}
forces:
  motor:
    type: torque
    joint: A
    value: 2*sin(3*t)
"""
MALFORMED = {
    "expression": (FILE.replace("sin", "sim"), 10, "forces.motor.value: unknown function 'sim'; did you mean 'sin'?"),
    "name": (FILE.replace("3*t", "B.q"), 10, "forces.motor.value: unknown name 'B.q'; did you mean 'A.q'?"),
    "joint": (FILE.replace("joint: A", "joint: B"), 9, "forces.motor.joint: 'B' is not a joint"),
    "type": (FILE.replace("torque", "tork"), 7, "forces.motor: type 'tork' is not one of"),
    "kind": (FILE.replace("torque", "force"), 8, "joint 'A' is rotational (revolute): write type: torque"),
    "key": (FILE + "    dov: 0\n", 11, "forces.motor.dov: unknown key 'dov'; did you mean 'dof'?"),
    "missing": (FILE.replace("    joint: A\n", ""), 7, "forces.motor.joint: 'joint' is missing"),
    "table": (
        FILE.replace("2*sin(3*t)", "\n    - [0, 1]\n    - [1, 1]\n    - [0.5, 1]"),
        13,
        "forces.motor.value.2: times must increase from row to row: 0.5 follows 1.0",
    ),
    "row": (
        FILE.replace("2*sin(3*t)", "\n    - [0, 1]\n    - [1, on]"),
        12,
        "forces.motor.value.1.1: must be a number, not 'on'",
    ),
    "component": (
        FILE + "  push:\n    type: wrench\n    body: a\n    force:\n    - 0\n    - t\n    - t +\n",
        17,
        "forces.push.force.2: 't +' is not an expression",
    ),
    "name taken": (FILE.replace("  motor:", "  A:"), 7, "force 'A' has the name of a joint"),
}


@pytest.mark.parametrize("case", MALFORMED)
def test_files_name_the_line(case):
    text, line, words = MALFORMED[case]
    assert read_yaml(None, FILE).forces["motor"].value == "2*sin(3*t)"
    with pytest.raises(FileError) as caught:
        read_yaml("m.yaml", text)
    assert words in str(caught.value)
    assert caught.value.line == line


@pytest.mark.parametrize("text", ["1e3", "0x10", "-t", "t*2 # no comment", "t - -t", "1 # t: 2"])
def test_expressions_that_yaml_may_take_for_something_else(text):
    spec = machine(m=torque(value=text))
    assert read_yaml(None, write_yaml(spec)).forces["m"].value == text


def test_schema_describes_forces():
    schema = json_schema()
    whole = schema["then"]["properties"]["forces"]  # of a file that uses no other
    assert set(whole["additionalProperties"]["discriminator"]["mapping"]) == set(FORCES)
    kinds = schema["$defs"]["JointTorque"]["properties"]["value"]["oneOf"]
    assert [kind["type"] for kind in kinds] == ["number", "string", "array"]


def test_stops_and_sticking_of_joints():
    data = {"type": "revolute", "parent": "ground", "child": "a"}

    def joint(**keys):
        return Spec(bodies={"a": BALL}, joints={"j": data | keys}).joints["j"]

    assert joint().limit_stiffness is None and joint().limit_damping is None and joint().stick_stiffness is None
    assert joint(limits=(-1, 1), limit_stiffness=1e4, limit_damping=1).limit_stiffness == 1e4
    assert joint(friction=1, stick_stiffness=1e5).stick_stiffness == 1e5
    for keys, words in (
        ({"limit_stiffness": 1}, "limit_stiffness is for joints with limits"),
        ({"limits": (-1, 1), "limit_damping": 1}, "limit_damping needs limit_stiffness"),
        ({"limits": (-1, 1), "limit_stiffness": -1}, "must not be negative"),
        ({"stick_stiffness": -1}, "must not be negative"),
    ):
        with pytest.raises(SpecError, match=words):
            joint(**keys)
