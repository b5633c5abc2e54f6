"""Motions and the moving base in a Spec: what is taken, what is refused and where, and that files keep them."""

import math

import pytest

from gori.errors import FileError, SpecError, SpecWarning
from gori.formats import json_schema, read_yaml, write_yaml
from gori.spec import Base, Motion, Spec
from gori.spec.loops.motion import farthest_past, swinging_tables, table_curve

JOINTS = {
    "hinge": {"type": "revolute", "q_deg": 30},
    "slide": {"type": "prismatic"},
    "screw": {"type": "helical", "pitch": 0.01},
    "tube": {"type": "cylindrical"},
    "cross": {"type": "universal"},
    "plane": {"type": "planar"},
    "socket": {"type": "spherical"},
    "flight": {"type": "free"},
    "weld": {"type": "fixed"},
    "arm.tip": {"type": "revolute", "mimic": {"joint": "hinge"}},
}
TABLE = ((0.0, 0.0), (1.0, 2.0), (1.5, -3.0))


def machine(**sections) -> Spec:
    """One body on each type of joint, and motions or a base."""
    return Spec(
        bodies={f"on_{name}": {"mass": 1.0} for name in JOINTS},
        joints={name: {"parent": "ground", "child": f"on_{name}"} | joint for name, joint in JOINTS.items()},
        cuts={"rope": {"type": "distance", "parent": "on_hinge", "child": "on_slide", "length": 1}},
        forces={"push": {"type": "force", "joint": "slide", "value": 1}},
        frames={"tool": {"body": "on_hinge"}},
        **sections,
    )


EVERY: dict = {
    "number": {"joint": "hinge", "value": 0.3},
    "expression": {"joint": "slide", "value": "0.1*sin(2*pi*t)"},
    "table": {"joint": "plane", "axis": 2, "value": TABLE, "interpolation": "pchip"},
    "speed": {"joint": "tube", "axis": 1, "speed": -0.2},
    "start": {"joint": "cross", "speed": 3, "start": 0.5, "weight": 2.0},
    "screw": {"joint": "screw", "value": "t**2"},  # a motion may have the name of its joint
}


def test_files_keep_motions_and_base():
    spec = machine(
        motions=EVERY, base={"position": ["t", 0, TABLE], "rpy": [0.1, "sin(t)", 0], "interpolation": "pchip"}
    )
    again = read_yaml(None, write_yaml(spec))
    assert again == spec
    dump = spec.model_dump(exclude_unset=True)
    assert again.model_dump(exclude_unset=True) == dump | {"gori": 1}
    assert set().union(*(motion.model_fields_set for motion in spec.motions.values())) == set(Motion.model_fields)
    assert spec.base.model_fields_set == set(Base.model_fields)
    assert spec.base.position == ("t", 0.0, TABLE) and spec.motions["table"].value == TABLE
    assert machine().base is None and machine(base={}).base == Base()


def test_every_coordinate_can_be_moved():
    axes = {"hinge": 1, "slide": 1, "screw": 1, "tube": 2, "cross": 2, "plane": 3}
    spec = machine(
        motions={f"{j}{k}": {"joint": j, "axis": k, "value": "t"} for j, n in axes.items() for k in range(n)}
    )
    assert len(spec.motions) == 10


REFUSED: dict = {
    "nothing": ({"joint": "hinge"}, "", "a motion needs value or speed"),
    "no joint": ({"value": 1}, ".joint", "'joint' is missing"),
    "two ways": ({"joint": "hinge", "value": 1, "speed": 1}, "", "give value or speed, not both"),
    "start alone": ({"joint": "hinge", "value": 1, "start": 1}, ".start", "start is for speed"),
    "of q": (
        {"joint": "hinge", "value": "t + slide.q"},
        ".value",
        "'slide.q' is not allowed here: a prescribed motion ",
    ),
    "of v": ({"joint": "hinge", "value": "hinge.v"}, ".value", "expression of t alone; to follow the state"),
    "bad text": ({"joint": "hinge", "value": "2*"}, ".value", "is not an expression"),
    "too deep": ({"joint": "hinge", "value": "sin(" * 95 + "t" + ")" * 95}, ".value", "simplify it"),
    "bad table": ({"joint": "hinge", "value": ((0, 1), (0, 2))}, ".value.1", "times must increase from row to row"),
    "no value": ({"joint": "hinge", "value": True}, ".value", "must be a number, an expression or a table"),
    "speed as text": ({"joint": "hinge", "speed": "t"}, ".speed", "must be a number, not 't'"),
    "unknown key": ({"joint": "hinge", "value": 1, "dof": 1}, ".dof", "unknown key 'dof'; known keys: joint, axis"),
    "unknown joint": ({"joint": "hing", "value": 1}, ".joint", "'hing' is not a joint; did you mean 'hinge'?"),
    "fixed": ({"joint": "weld", "value": 1}, ".joint", "joint 'weld' is fixed: it does not move"),
    "spherical": ({"joint": "socket", "value": 1}, ".joint", "its q contains a quaternion, which single coordinates"),
    "free": ({"joint": "flight", "value": 1}, ".joint", "use three prismatic and three revolute joints with massless"),
    "axis": ({"joint": "hinge", "axis": 1, "value": 1}, ".axis", "is revolute and has no axis 1: only 0"),
    "axis of many": ({"joint": "plane", "axis": 3, "value": 1}, ".axis", "is planar and has no axis 3: 0 to 2"),
    "axis by name": ({"joint": "plane", "axis": "x", "value": 1}, ".axis", "must be a non-negative integer, not 'x'"),
}


@pytest.mark.parametrize(("motion", "place", "words"), REFUSED.values(), ids=REFUSED)
def test_refused_with_its_place(motion, place, words):
    with pytest.raises(SpecError) as caught:
        machine(motions={"drive": motion})
    (problem,) = caught.value.problems
    assert problem[0] == f"motions.drive{place}" and words in problem[1]


@pytest.mark.parametrize(
    ("motions", "words"),
    [
        (
            {"a": {"joint": "hinge", "value": 1}, "b": {"joint": "hinge", "speed": 1}},
            "motions.b: motions 'a' and 'b' both prescribe joint 'hinge': remove one",
        ),
        (
            {"a": {"joint": "tube", "axis": 1, "value": 1}, "b": {"joint": "tube", "axis": 1, "speed": 1}},
            "motions.b: motions 'a' and 'b' both prescribe joint 'tube', axis 1: remove one",
        ),
        (
            {"a": {"joint": "hinge", "value": 1}, "b": {"joint": "arm.tip", "speed": 1}},
            "motions.b: motions 'a' and 'b' both prescribe joints that mimic each other, led by 'hinge': remove one",
        ),
        ({"push": {"joint": "hinge", "value": 1}}, "motions.push: motion 'push' has the name of a force"),
        ({"tool": {"joint": "hinge", "value": 1}}, "motions.tool: motion 'tool' has the name of a frame"),
        ({"on_hinge": {"joint": "hinge", "value": 1}}, "motion 'on_hinge' has the name of a body"),
        ({"slide": {"joint": "hinge", "value": 1}}, "motion 'slide' has the name of a joint that it does not move"),
        ({"a b": {"joint": "hinge", "value": 1}}, "motions.a b: a name must not be empty or contain spaces"),
    ],
)
def test_refused_together(motions, words):
    with pytest.raises(SpecError) as caught:
        machine(motions=motions)
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("base", "words"),
    [
        ({"position": [0, "slide.q", 0]}, "base.position.1: 'slide.q' is not allowed here"),
        ({"position": [0, 0]}, "base.position: needs 3 numbers, has 2"),
        ({"rpy": ["t +", 0, 0]}, "base.rpy.0: 't +' is not an expression"),
        ({"rpy_deg": [0, 0, 0]}, "base.rpy_deg: unknown key 'rpy_deg'; did you mean 'rpy'?"),
    ],
)
def test_bases_that_are_refused(base, words):
    with pytest.raises(SpecError) as caught:
        machine(base=base)
    assert words in str(caught.value)


@pytest.mark.parametrize("name", ["base", "base.x", "base.x.carriage"])
@pytest.mark.parametrize("group", ["bodies", "joints", "frames"])
def test_names_of_the_base_are_taken(group, name):
    parts = {
        "bodies": {name if group == "bodies" else "a": {"mass": 1}},
        "joints": {name if group == "joints" else "j": {"type": "free", "parent": "ground", "child": "a"}},
        "frames": {name if group == "frames" else "f": {"body": "ground"}},
    }
    parts["joints"] = {key: joint | {"child": next(iter(parts["bodies"]))} for key, joint in parts["joints"].items()}
    spec = Spec(**parts)
    with pytest.raises(SpecError, match=f"{group}.{name}: '{name}' is reserved for the moving base"):
        spec.set("base", {"position": ["t", 0, 0]})


def test_problems_have_their_line():
    text = "gori: 1\nbodies: {b: {mass: 1}}\njoints: {A: {type: revolute, parent: ground, child: b}}\nmotions:\n"
    with pytest.raises(FileError, match=r"'A\.q' is not allowed here") as caught:
        read_yaml(None, text + "  drive:\n    joint: A\n    value: 2*A.q\n")
    assert caught.value.line == 7
    with pytest.raises(FileError, match="'B' is not a joint") as caught:
        read_yaml(None, text + "  drive: {joint: B, speed: 1}\n")
    assert caught.value.line == 5


def test_set():
    spec = machine(motions=EVERY, base={"position": ["t", 0, 0]})
    assert spec.set("speed.speed", 3).motions["speed"].speed == 3.0
    assert spec.set("motions.expression.value", "2*t").motions["expression"].value == "2*t"
    assert spec.set("base.rpy", [0, 0, "t"]).base.rpy == (0.0, 0.0, "t")
    assert spec.set("base", None).base is None
    with pytest.raises(SpecError, match="give value or speed, not both"):
        spec.set("number.speed", 3)
    with pytest.raises(SpecError, match=r"cannot set 'number' as a whole: .* such as 'number\.value'"):
        spec.set("number", 3)


def test_set_of_a_body_that_is_called_base():
    spec = Spec(bodies={"base": {"mass": 1}}, joints={"j": {"type": "free", "parent": "ground", "child": "base"}})
    assert spec.set("base.mass", 2).bodies["base"].mass == 2.0


def test_schema():
    jsonschema = pytest.importorskip("jsonschema")
    schema = json_schema()
    for motion in EVERY.values():
        plain = motion | ({"value": [list(row) for row in TABLE]} if "value" in motion else {})
        jsonschema.validate({"gori": 1, "motions": {"a": plain}, "base": {"position": [0, "t", [[0, 1]]]}}, schema)
    for bad in ({"motions": {"a": {}}}, {"motions": {"a": {"joint": "b", "axis": "x"}}}, {"base": {"rpy": [0, 0]}}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate({"gori": 1} | bad, schema)


LIFT = [[0, 0.05], [0.3, 0.05], [1.3, 0.25], [10, 0.25]]


def test_a_spline_that_swings_past_its_rows_is_told_of():
    with pytest.warns(SpecWarning, match=r"motions\.lift\.value: the spline .* goes to 0\.\d+ at t = [\d.]+ s.*pchip"):
        spec = machine(motions={"lift": {"joint": "slide", "value": LIFT}})
    ((at, _),) = swinging_tables(spec)
    t, x, share = farthest_past(LIFT)
    assert at == "motions.lift.value" and 1.3 < t < 10.0 and x > 0.5 and share == pytest.approx((x - 0.25) / 0.2)
    with pytest.warns(SpecWarning, match=r"base\.position\.2: the spline"):
        machine(base={"position": [0, 0, LIFT]})
    for good in (machine(motions={"lift": {"joint": "slide", "value": LIFT, "interpolation": "pchip"}}),
                 machine(base={"position": [0, 0, LIFT], "interpolation": "pchip"})):  # fmt: skip
        assert swinging_tables(good) == []
    sine = [(0.1 * k, math.sin(0.1 * k)) for k in range(60)]
    assert farthest_past(sine) is None and farthest_past([(0, 1), (1, 1), (2, 1)]) is None
    assert farthest_past([(0, 0), (1, 1)]) is None  # a smooth step
    curve = table_curve(LIFT, "pchip")
    assert curve(5.0) == 0.25 and curve(0.2) == 0.05


def test_interpolation_is_for_tables():
    with pytest.raises(SpecError, match="is for a value that is a table"):
        machine(motions={"lift": {"joint": "slide", "value": "t", "interpolation": "pchip"}})
