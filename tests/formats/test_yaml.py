"""YAML: what is read, what is refused and in which line, and that writing loses nothing."""

import math

import pytest

from gori.errors import FileError, SpecWarning
from gori.formats import json_schema, load, read_yaml, save, write_yaml
from gori.spec import Spec

TREE = """gori: 1
bodies:
  a: {mass: 1}
  b.c: {mass: 2}
joints:
  j: {type: revolute, parent: ground, child: a}
  k.l:
    type: revolute
    parent: a
    child: b.c
"""

MALFORMED = {
    "empty": ("", 1, "the file is empty"),
    "only a comment": ("# nothing\n", 1, "the file is empty"),
    "no mapping": ("- 1\n- 2\n", 1, "must be a mapping at the top level"),
    "no header": ("bodies: {}\n", 1, "start with 'gori: 1'"),
    "other version": ("gravity: [0, 0, 0]\ngori: 2\n", 2, "version 2 of the format is unknown; this Gori reads 1"),
    "version as text": ("gori: '1'\n", 1, "version '1' of the format is unknown"),
    "two documents": ("gori: 1\n---\ngori: 1\n", 2, "more than one document"),
    "duplicate key": ("gori: 1\nbodies:\n  a: {}\n  b: {}\n  a: {}\n", 5, "'a' is given twice, first in line 3"),
    "anchor": ("gori: 1\nbodies:\n  a: &x {mass: 1}\n", 3, "anchors (&) and aliases (*) are not supported"),
    "alias": ("gori: 1\ngravity: *g\n", 2, "anchors (&) and aliases (*) are not supported"),
    "merge key": ("gori: 1\nbodies:\n  a:\n    <<: {mass: 1}\n", 4, "merge keys (<<) are not supported"),
    "number as key": ("gori: 1\nbodies:\n  1: {}\n", 3, "a key must be text; write '1' in quotes"),
    "null as key": ("gori: 1\nbodies:\n  ~: {}\n", 3, "a key must be text; write '~' in quotes"),
    "list as key": ("gori: 1\n? [1, 2]\n: 3\n", 2, "a key must be text, not a list"),
    "custom tag": ("gori: 1\ngravity: !vector [0, 0, 0]\n", 2, "remove '!vector'"),
    "Python tag": ("gori: 1\n\nbodies: !!python/object/apply:os.system ['true']\n", 3, "tags are not supported"),
    "open bracket": ("gori: 1\ngravity: [0, 0\nbodies: {}\n", 3, "expected ',' or ']'"),
    "tab": ("gori: 1\nbodies:\n\ta: {}\n", 3, "a tab where YAML allows only spaces"),
    "control character": ("gori: 1\nbodies:\n  a\x00: {}\n", 3, "contains the character '\\x00'"),
    "deep nesting": ("gori: 1\ngravity: " + "[" * 5000, 1, "nested too deeply"),
    "unknown top key": ("gori: 1\nbodys: {}\n", 2, "unknown key 'bodys'; did you mean 'bodies'?"),
    "unknown body key": ("gori: 1\nbodies:\n  a:\n    mas: 1\n", 4, "unknown key 'mas'; did you mean 'mass'?"),
    "unknown shape key": (
        "gori: 1\nbodies:\n  shapes:\n    shapes:\n      s: {type: sphere, radius: 1,\n        denstiy: 3}\n",
        6,
        "bodies.shapes.shapes.s.denstiy: unknown key 'denstiy'; did you mean 'density'?",
    ),
    "unknown mimic key": (
        TREE + "    mimic:\n      joint: j\n      multiplier: 2\n",
        13,
        "unknown key 'multiplier'; known keys: joint, ratio, offset",
    ),
    "infinite": ("gori: 1\ngravity: [0, 0,\n  -.inf]\n", 3, "gravity.2: must be finite, not -inf"),
    "not a number": ("gori: 1\ngravity: [0, .nan, 0]\n", 2, "gravity.1: must be finite, not nan"),
    "overflow": ("gori: 1\ngravity: [0, 1e999, 0]\n", 2, "must be finite, not inf"),
    "huge integer": (f"gori: 1\ngravity: [0, {'9' * 6000}, 0]\n", 2, "must be finite, not inf"),
    "number as text": ("gori: 1\ngravity: [0, 0, '-9.81']\n", 2, "must be a number, not '-9.81'"),
    "boolean": ("gori: 1\ngravity: [0, 0, true]\n", 2, "must be a number, not True"),
    "yes is text": ("gori: 1\ngravity: [0, 0, yes]\n", 2, "must be a number, not 'yes'"),
    "too few numbers": ("gori: 1\ngravity: [0, 0]\n", 2, "gravity: needs 3 numbers, has 2"),
    "too many numbers": ("gori: 1\ngravity: [0, 0, 0, 0]\n", 2, "gravity: needs 3 numbers, has 4"),
    "empty joint": (TREE + "  empty:\n", 11, "joints.empty.type: 'type' is missing"),
    "empty shape": ("gori: 1\nbodies:\n  a:\n    shapes:\n      s:\n", 5, "bodies.a.shapes.s: 'type' is missing"),
    "empty field": ("gori: 1\ngravity:\n", 2, "gravity: must be a list of numbers, not None"),
    "field of a joint": (TREE + "    v: 1\n    limits: [1, 0]\n", 12, "the lower limit 1.0 is above the upper 0.0"),
    "missing mesh": (
        "gori: 1\nbodies:\n  a:\n    shapes:\n      s:\n        type: mesh\n        density: 1\n        file: no.stl\n"
        "joints: {j: {type: free, parent: ground, child: a}}\n",
        8,
        "bodies.a.shapes.s.file: there is no mesh",
    ),
    "key of Python": ("gori: 1\nself: 1\n", 2, "unknown key 'self'"),
    "name with dots": (
        TREE + "    dampng: 1\n",
        11,
        "joints.k.l.dampng: unknown key 'dampng'; did you mean 'damping'?",
    ),
    "unknown parent": (TREE.replace("parent: a", "parent: b"), 9, "parent 'b' is not a body"),
    "missing key": (TREE.replace("    parent: a\n", ""), 7, "joints.k.l.parent: 'parent' is missing"),
    "mimic ring": (
        TREE.replace("child: a}", "child: a, mimic: {joint: k.l}}") + "    mimic: {joint: j}\n",
        6,
        "the joints j <- k.l <- j mimic each other in a cycle",
    ),
}


@pytest.mark.parametrize("text, line, words", MALFORMED.values(), ids=MALFORMED)
def test_malformed_file_is_refused_with_its_line(tmp_path, text, line, words):
    file = tmp_path / "machine.yaml"
    file.write_bytes(text.encode())
    with pytest.raises(FileError) as caught:
        read_yaml(file)
    assert words in str(caught.value)
    assert caught.value.line == line
    assert str(caught.value).startswith(f"{file}, line {line}: ")


def test_all_problems_are_listed_in_the_order_of_lines():
    text = "gori: 1\njoints:\n  j: {type: hinge, parent: ground, child: a}\nbodies:\n  a:\n    mass: -1\n"
    with pytest.raises(FileError) as caught:
        read_yaml("m.yaml", text)
    first, second = str(caught.value).splitlines()
    assert first.startswith("m.yaml, line 3: joints.j.type: 'hinge' is not one of 'fixed'")
    assert second == "line 6: bodies.a.mass: must not be negative, is -1"
    assert caught.value.line == 3


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileError, match="there is no such file"):
        read_yaml(tmp_path / "none.yaml")
    with pytest.raises(FileError, match="cannot be read: it is a folder"):
        read_yaml(tmp_path)
    latin = tmp_path / "latin.yaml"
    latin.write_bytes(b"gori: 1\n# M\xfcnchen\n")
    with pytest.raises(FileError, match="not text in UTF-8") as caught:
        read_yaml(latin)
    assert caught.value.line == 2


@pytest.mark.parametrize(
    "text, value",
    [
        ("1e-3", 1e-3),
        ("1E3", 1e3),
        ("+.5", 0.5),
        ("5.", 5.0),
        ("010", 10.0),
        ("0o17", 15.0),
        ("0xff", 255.0),
        ("-7", -7.0),
    ],
)
def test_numbers_of_yaml_1_2(text, value):
    spec = read_yaml(None, f"gori: 1\ngravity: [0, 0, {text}]\n")
    assert spec.gravity == (0.0, 0.0, value)


@pytest.mark.parametrize("name", ["on", "yes", "no", "off", "1_000", "1:30", "2001-01-01", "'1e3'", "'<<'", "="])
def test_words_that_yaml_1_1_changes_stay_names(name):
    spec = read_yaml(
        None, f"gori: 1\nbodies: {{{name}: {{}}}}\njoints: {{j: {{type: free, parent: ground, child: {name}}}}}"
    )
    assert list(spec.bodies) == [name.strip("'")]
    assert read_yaml(None, write_yaml(spec)) == spec


def everything(folder) -> Spec:
    """A Spec in which each field of each part is set somewhere."""
    solids = {
        "ball": {"type": "sphere", "radius": 0.1, "density": 1000.0, "at": (0.1, 0, 1 / 3)},
        "brick": {"type": "box", "size": (1, 2, 3), "mass": 2.0, "rpy_deg": (10, 20, 30)},
        "rod": {"type": "cylinder", "radius": 0.1, "length": 2.0, "axis": (0, 1, 0), "quat": (0, 1, 0, 0)},
        "pill": {"type": "capsule", "radius": 1e-5, "length": 1e22, "axis": (1, 1, 1)},
        "egg": {"type": "ellipsoid", "radii": (1, 2, 3), "material": "steel", "collide": True},
        "bin": {
            "type": "box",
            "size": (1, 2, 3),
            "hollow": True,
            "thickness": 0.1,
            "material": "steel",
            "collide": True,
        },
        "hull": {"type": "mesh", "file": str(folder / "parts" / "hull.stl"), "scale": (1e-3, 1e-3, -1e-3)},
    }
    names = ("heavy", "solid", "on", "1e3", "dotted.name", "null", "Größe", "~", "bent")
    joints = {
        "fixed": {"type": "fixed", "at": (1, 2, 3), "rpy_deg": (0, 90, 0)},
        "revolute": {
            "type": "revolute", "axis": (0, 1, 0), "q_deg": 60, "v": 0.1, "limits_deg": (-90, 90), "rest_deg": 5,
            "velocity_limit": 3, "effort_limit": 100, "damping": 0.1, "friction": 0.2, "stiffness": 7, "armature": 1e-4,
            "child_at": (0, 0, 0.1), "child_rpy_deg": (1, 2, 3), "limit_stiffness": 1e4, "limit_damping": 1.0,
            "stick_stiffness": 1e5, "compliance": (0, 0, 0, 1e-6, 2e-6, 3e-6), "reversed": True, "contact": True,
        },
        "prismatic": {"type": "prismatic", "q": 0.1, "limits": (-1, 1), "rest": 0.2, "child_quat": (0, 0, 1, 0)},
        "helical": {"type": "helical", "pitch": 0.01, "mimic": {"joint": "revolute", "ratio": -2, "offset": 0.5}},
        "cylindrical": {"type": "cylindrical", "damping": (1, 2)},
        "universal": {"type": "universal", "axis": (1, 0, 0), "axis2": (0, 1, 0), "guess_deg": (1, 2)},
        "planar": {"type": "planar", "guess": (1, 2, 3), "v": (1, 2, 3)},
        "spherical": {"type": "spherical", "q": (1, 0, 0, 0)},
        "free": {"type": "free", "quat": (0, 0, 0, 1)},
    }  # fmt: skip
    bodies: dict = {name: {} for name in names}
    bodies["heavy"] = {"mass": 1.5, "com": (0.1, -0.0, 5e-324), "inertia": (0.1, 0.2, 0.25, 0.01, -0.01, 1e-9)}
    bodies["bent"] = {"mass": 1, "inertia": (1, 1, 5), "unphysical": True, "com": None}
    bodies["solid"] = {"shapes": solids}
    return Spec(
        gravity=(0, 0, -1.62),
        bodies=bodies,
        joints={key: {"parent": "ground", "child": name} | joint for name, (key, joint) in zip(names, joints.items())},
        cuts={
            "rope": {"type": "distance", "parent": "heavy", "child": "solid", "length": 2},
            "cross": {"type": "universal", "parent": "on", "child": "~", "axis2": (0, 1, 0), "axis": (1, 0, 0)},
        },
        gears={"mesh": {"type": "gear", "bodies": ("solid", "on"), "carrier": "heavy", "teeth": (20, 41)}},
        frames={"tool.tip": {"body": "1e3", "at": (0.1, 0.2, 0.3), "rpy_deg": (0, 0, 45)}},
        materials={"steel": {"rigid": True}},
        contacts={"steel/steel": {"friction": 0.5, "restitution": 0, "torsional_friction": 0.1, "stiffness": 1e8}},
        no_contact=[("heavy", "solid"), ("solid.egg", "ground")],
    )


def test_round_trip_keeps_every_field(tmp_path):
    spec = everything(tmp_path)
    again = read_yaml(None, write_yaml(spec))
    assert again == spec
    assert again.model_dump(exclude_unset=True) == spec.model_dump(exclude_unset=True) | {"gori": 1}
    used = {name for joint in spec.joints.values() for name in joint.model_fields_set}
    assert used == set(type(spec.joints["free"]).model_fields)


def test_written_file_is_short_and_in_order(tmp_path):
    spec = Spec(
        bodies={"a": {"mass": 1, "com": (0.1, 0, 0)}},
        joints={"j": {"type": "revolute", "parent": "ground", "child": "a", "q": 0.5, "axis": (0, 1, 0)}},
    )
    assert write_yaml(spec) == (
        "gori: 1\nbodies:\n  a:\n    mass: 1.0\n    com: [0.1, 0.0, 0.0]\njoints:\n  j:\n    type: revolute\n"
        "    parent: ground\n    child: a\n    axis: [0.0, 1.0, 0.0]\n    q: 0.5\n"
    )


def test_saved_meshes_are_relative_and_come_back_absolute(tmp_path):
    spec = everything(tmp_path)
    save(spec, tmp_path / "all.yaml")
    assert "file: parts/hull.stl" in (tmp_path / "all.yaml").read_text()
    assert load(tmp_path / "all.yaml") == spec
    (tmp_path / "one" / "two").mkdir(parents=True)
    save(spec, tmp_path / "one" / "two" / "all.yaml")
    assert "file: ../../parts/hull.stl" in (tmp_path / "one" / "two" / "all.yaml").read_text()
    assert load(tmp_path / "one" / "two" / "all.yaml") == spec


def test_relative_meshes_stay_as_they_are(tmp_path):
    file = tmp_path / "m.yaml"
    shape = {"type": "mesh", "file": "parts/hull.stl"}
    spec = Spec(
        bodies={"a": {"shapes": {"s": shape}}}, joints={"j": {"type": "free", "parent": "ground", "child": "a"}}
    )
    assert "file: parts/hull.stl" in write_yaml(spec, file)
    assert load(file).bodies["a"].shapes["s"].file == str(tmp_path / "parts" / "hull.stl")


def test_schema_describes_the_format():
    schema = json_schema()
    assert schema["$schema"].endswith("2020-12/schema")
    assert schema["title"] == "Gori description"
    assert schema["required"] == ["gori"]
    assert set(schema["properties"]) == {*Spec.model_fields, "use", "dh", "parts"}
    damping = schema["$defs"]["Joint"]["properties"]["damping"]["anyOf"]
    assert [kind["type"] for kind in damping] == ["number", "array"]


def keys_of(schema) -> set[str]:
    """All keys of a schema, at any depth, that are not names of fields."""
    if isinstance(schema, list):
        return {key for part in schema for key in keys_of(part)}
    if not isinstance(schema, dict):
        return set()
    inside = [*schema.get("properties", {}).values(), *schema.get("$defs", {}).values()]
    plain = {key: value for key, value in schema.items() if key not in ("properties", "$defs")}
    return set(plain) | keys_of(inside) | keys_of(list(plain.values()))


def test_schema_holds_bounds_and_lengths():
    schema = json_schema()
    assert not {"ge", "gt", "le", "lt"} & keys_of(schema)
    body, sphere = (schema["$defs"][name]["properties"] for name in ("Body", "Sphere"))
    assert body["mass"]["anyOf"][0] == {"type": "number", "minimum": 0}
    assert sphere["radius"]["exclusiveMinimum"] == 0
    jsonschema = pytest.importorskip("jsonschema")
    for inertia, fits in (([1] * 3, True), ([1] * 6, True), ([1] * 4, False), ([[1] * 3] * 3, False)):
        check = jsonschema.Draft202012Validator(schema)
        assert check.is_valid({"gori": 1, "bodies": {"a": {"mass": 1, "inertia": inertia}}}) == fits


def test_empty_sections_and_parts():
    text = "gori: 1\nbodies:\n  rod:\n    shapes:\n  tip:\njoints:\n  j: {type: free, parent: ground, child: rod}\n"
    text += "  k: {type: fixed, parent: rod, child: tip}\ncuts:\nforces:\nframes: null\n"
    spec = read_yaml(None, text)
    assert list(spec.bodies) == ["rod", "tip"] and spec.frames == {} and spec.bodies["rod"].shapes == {}


def test_start_outside_the_limits_is_warned_of_with_its_line(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text(TREE + "    q: 90\n    limits: [-1, 1]\n")
    words = "joints.k.l.q: q lies outside its limits: 90 is not within -1 and 1; did you mean q_deg?"
    with pytest.warns(SpecWarning) as caught:
        load(file)
    assert [str(warning.message) for warning in caught] == [f"{file}, line 11: {words}"]
    assert caught[0].filename == __file__
    with pytest.raises(FileError, match="q lies outside its limits") as refused:
        load(file, strict=True)
    assert refused.value.line == 11


def test_strict_refuses_impossible_inertia(tmp_path):
    file = tmp_path / "m.yaml"
    file.write_text(TREE)
    assert load(file, strict=True) == load(file)
    bent = TREE.replace("a: {mass: 1}", "a:\n    mass: 1\n    inertia: [1, 1, 5]\n    unphysical: true")
    file.write_text(bent)
    assert load(file).bodies["a"].unphysical
    with pytest.raises(
        FileError, match=r"bodies\.a\.unphysical: is rejected .*: inertia violates the triangle"
    ) as caught:
        load(file, strict=True)
    assert caught.value.line == 6


def test_only_meshes_with_volume_must_be_there(tmp_path):
    spec = everything(tmp_path)
    assert read_yaml(tmp_path / "m.yaml", write_yaml(spec)) == spec
    heavy = write_yaml(spec).replace("hull.stl", "hull.stl\n        mass: 1")
    with pytest.raises(FileError, match=r"there is no mesh '.*hull\.stl'"):
        read_yaml(None, heavy)
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "hull.stl").touch()
    assert read_yaml(None, heavy).bodies["solid"].shapes["hull"].mass == 1.0


def test_smallest_file():
    spec = read_yaml(None, "gori: 1\n")
    assert spec == Spec()
    assert math.isclose(spec.gravity[2], -9.81)
