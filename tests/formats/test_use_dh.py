"""Chains by Denavit-Hartenberg rows and given motions in files that build on other files."""

import numpy as np
import pytest

import gori
from gori.errors import FileError, SpecWarning
from gori.formats import json_schema, load, read_dh, save, write_yaml

TRUCK = """gori: 1
bodies: {bed: {mass: 10, inertia: [1, 1, 1]}, wheel: {mass: 1, inertia: [1, 1, 1]}}
joints:
  road: {type: prismatic, parent: ground, child: bed, axis: [1, 0, 0], q: 2}
  axle: {type: revolute, parent: bed, child: wheel, axis: [0, 1, 0]}
"""
CRANE = """gori: 1
use: truck.yaml
dh:
  convention: modified
  base: {body: bed, at: [0, 0, 1]}
  links:
    boom: {theta_deg: 90, mass: 2}
    stick: {a: 3, mass: 1, limits_deg: [-90, 90]}
  effectors:
    hook: {a: 1}
joints:
  axle: {damping: 0.5}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "truck.yaml").write_text(TRUCK)
    (tmp_path / "crane.yaml").write_text(CRANE)
    return tmp_path


def write(folder, text: str, name: str = "m.yaml"):
    (folder / name).write_text(f"gori: 1\n{text}")
    return folder / name


def refused(file) -> FileError:
    with pytest.raises(FileError) as caught:
        load(file)
    return caught.value


def test_a_chain_is_added_to_the_machine_of_another_file(folder):
    spec, truck = load(folder / "crane.yaml"), load(folder / "truck.yaml")
    assert list(spec.bodies) == ["bed", "wheel", "boom", "stick"]
    assert list(spec.joints) == ["road", "axle", "J_boom", "J_stick"] and spec.joints["J_boom"].parent == "bed"
    assert spec.joints["axle"].damping == (0.5,) and spec.joints["road"] == truck.joints["road"]
    chain = read_dh(folder / "crane.yaml")
    links = {"boom": {"theta_deg": 90, "mass": 2}, "stick": {"a": 3, "mass": 1, "limits_deg": (-90, 90)}}
    base = {"body": "bed", "at": (0, 0, 1)}
    same = gori.dh("modified", links, effectors={"hook": {"a": 1}}, base=base).spec(
        bodies=truck.bodies, joints=truck.joints | {"axle": spec.joints["axle"]}
    )
    assert spec == same and chain.names == {0: "bed", 1: "boom", 2: "stick", 3: "hook"}
    # the bed is 2 m along the road, and the boom points to the left
    model = gori.compile(spec)
    np.testing.assert_allclose(model.forward_kinematics(model.q0)["hook"][:3, 3], [2, 4, 1], atol=1e-14)
    save(spec, folder / "whole.yaml")
    assert load(folder / "whole.yaml") == spec and "dh" not in write_yaml(spec)


def test_what_a_used_chain_became_is_changed(folder):
    file = write(folder, """use: crane.yaml
bodies:
  boom: {mass: 7}
joints:
  J_stick: {limits: [-1, 1], damping: 3}
frames:
  hook: {at: [0, 0, 0.5]}
""")  # fmt: skip
    spec, before = load(file), load(folder / "crane.yaml")
    assert spec.bodies["boom"].mass == 7.0 and spec.bodies["stick"] == before.bodies["stick"]
    joint = spec.joints["J_stick"]
    assert (joint.limits, joint.limits_deg, joint.damping) == ((-1.0, 1.0), None, (3.0,))
    assert joint.at == before.joints["J_stick"].at == (3.0, 0.0, 0.0)
    assert spec.frames["hook"].body == "stick" and spec.frames["hook"].at == (0.0, 0.0, 0.5)
    with pytest.raises(FileError, match="it has no key 'dh'"):
        read_dh(file)


def test_a_chain_on_a_used_chain(folder):
    text = "use: crane.yaml\ndh:\n  convention: standard\n  base: {body: stick}\n  links: [{a: 1}, {a: 1}]\n"
    text += "  cuts: [{C: {on: 0}, R: {on: 2}}]\n"
    spec = load(write(folder, text))
    assert [joint.parent for joint in spec.joints.values()] == ["ground", "bed", "bed", "boom", "stick", "L1"]
    assert (spec.cuts["cut1"].parent, spec.cuts["cut1"].child) == ("stick", "L2")


# ---- whose line

HEAD = "use: crane.yaml\ndh:\n  convention: modified\n"
WRONG = {
    "row": (HEAD + "  links: [{},\n    {a: x}]\n", 6, "dh.links.2.a: must be a number, not 'x'"),
    "late": (HEAD + "  links:\n    - limits: [1, 0]\n", 6, "dh.links.1.limits: the lower limit 1.0 is above"),
    "base": (HEAD + "  base:\n    body: bet\n  links: [{}]\n", 6, "'bet' is not a body; did you mean 'bed'"),
    "taken": (HEAD + "  links:\n    arm: {}\n    boom: {}\n", 7, "dh.links.boom: makes 'boom', which also exists in"),
    "joint taken": (HEAD.replace("crane", "arm") + "  links: [{}]\n", 5, "dh.links.1: makes 'J1', which also exists"),
    "effector taken": (HEAD + "  links: [{}]\n  effectors:\n    hook:\n", 7, "dh.effectors.hook: makes 'hook', which"),
    "both": (HEAD + "  links: [{}]\nbodies: {L1: {}}\n", 6, "bodies.L1: 'L1' is also made by dh.links.1: choose"),
    "used row": ("use: crane.yaml\njoints:\n  J_stick: {damping: -1}\n", 4, "joints.J_stick.damping.0: must not be"),
    "used frame": (HEAD + "  links: {hook: {}}\n", 2, "frames.hook: frame 'hook' has the name of a body (from the"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_told_with_their_line(folder, case):
    write(folder, "bodies: {a: {}}\njoints: {J1: {type: fixed, parent: ground, child: a}}\n", "arm.yaml")
    text, line, words = WRONG[case]
    file = write(folder, text)
    error = refused(file)
    assert words in str(error) and str(error).startswith(f"{file}, line {line}: ")


def test_a_row_that_makes_several_known_parts_is_told_of_once(folder):
    file = write(folder, HEAD + "  links:\n    boom:\n    stick:\n")
    assert str(refused(file)).splitlines() == [
        f"{file}, line 6: dh.links.boom: makes 'boom', which also exists in the used file: choose another name",
        "line 7: dh.links.stick: makes 'stick', which also exists in the used file: choose another name",
    ]


def test_mistakes_in_a_used_chain_are_told_with_its_line(folder):
    (folder / "crane.yaml").write_text(CRANE.replace("[-90, 90]", "[90, -90]"))
    error = refused(write(folder, "\n\nuse: crane.yaml\n"))
    assert str(error).startswith(f"{folder}/crane.yaml, line 8: dh.links.stick.limits_deg: the lower limit 90.0")
    (folder / "crane.yaml").write_text(CRANE)
    (folder / "truck.yaml").write_text(TRUCK.replace("mass: 10", "mass: -10"))
    assert str(refused(write(folder, "use: crane.yaml\n"))).startswith(f"{folder}/truck.yaml, line 2: bodies.bed.mass")


def test_doubts_of_a_used_chain_are_told_once(folder):
    (folder / "crane.yaml").write_text(CRANE.replace("stick: {a: 3,", "stick: {a: 3, theta_deg: 100,"))
    text = "use: crane.yaml\ndh:\n  convention: modified\n  links:\n    - {d: 3, s: 1, limits: [0, 1]}\n"
    file = write(folder, text)
    with pytest.warns(SpecWarning) as caught:
        load(file)
    first, second = (str(warning.message) for warning in caught)
    assert first.startswith(f"{folder}/crane.yaml, line 8: dh.links.stick.theta_deg: q lies outside its limits")
    assert second.startswith(f"{file}, line 6: dh.links.1.d: q lies outside its limits: 3 is not within 0 and 1")
    with pytest.raises(FileError, match=r"crane\.yaml, line 8: dh\.links\.stick"):
        load(file, strict=True)


def test_meshes_of_rows_are_beside_their_file(folder):
    (folder / "parts").mkdir()
    write(folder, "use: ../truck.yaml\ndh:\n  convention: standard\n  base: {body: bed}\n  links:\n"
          "    arm: {shapes: {hull: {type: mesh, file: hull.stl}}}\n", "parts/arm.yaml")  # fmt: skip
    spec = load(write(folder, "use: parts/arm.yaml\nbodies: {arm: {shapes: {hull: {at: [0, 0, 1]}}}}\n"))
    assert spec.bodies["arm"].shapes["hull"].file == str(folder / "parts" / "hull.stl")
    assert spec.bodies["arm"].shapes["hull"].at == (0.0, 0.0, 1.0)


# ---- motions and a moving base


def test_motions_are_changed_field_by_field(folder):
    write(folder, """use: crane.yaml
motions:
  drive: {joint: road, speed: 1, start: 2}
  swing: {joint: J_boom, value: sin(t)}
base: {position: [t**2, 0, 0], rpy: [0.1, 0, 0]}
""", "moved.yaml")  # fmt: skip
    spec = load(write(folder, "use: moved.yaml\nmotions: {drive: {speed: 3}, roll: {joint: axle, speed: 1}}\n"))
    plain = {name: motion.model_dump(exclude_unset=True) for name, motion in spec.motions.items()}
    assert plain == {
        "drive": {"joint": "road", "speed": 3.0, "start": 2.0},
        "swing": {"joint": "J_boom", "value": "sin(t)"},
        "roll": {"joint": "axle", "speed": 1.0},
    }
    assert spec.base == load(folder / "moved.yaml").base
    # a value takes the place of a speed and its start, and the other way round; the base is replaced as a whole
    text = "use: moved.yaml\nmotions:\n  drive: {value: cos(t)}\n  swing: {speed: 2}\nbase: {position: [0, 0, t]}\n"
    spec = load(write(folder, text))
    assert spec.motions["drive"].model_dump(exclude_defaults=True) == {"joint": "road", "value": "cos(t)"}
    assert spec.motions["swing"].model_dump(exclude_defaults=True) == {"joint": "J_boom", "speed": 2.0}
    assert spec.base.position == (0.0, 0.0, "t") and spec.base.rpy == (0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("change", "line", "words"),
    [
        ("{joint: raod}", 4, "motions.drive.joint: 'raod' is not a joint; did you mean 'road'"),
        ("\n    value: axle.q", 5, "motions.drive.value: 'axle.q' is not allowed here"),
        ("{value: t, speed: 1}", 4, "motions.drive: give value or speed, not both"),
        ("{value: t, start: 1}", 4, "motions.drive.start: start is for speed"),
    ],
)
def test_mistakes_in_motions_are_told_with_their_line(folder, change, line, words):
    write(folder, "use: truck.yaml\nmotions: {drive: {joint: road, speed: 1}}\n", "moved.yaml")
    error = refused(write(folder, f"use: moved.yaml\nmotions:\n  drive: {change}\n"))
    assert words in str(error) and error.line == line


# ---- schema


def test_schema_shows_both():
    schema = json_schema()
    assert {"use", "dh", "motions", "base"} <= set(schema["properties"])
    assert not [name for name in schema["$defs"] if "__" in name], "two parts have one name"
    references = {word for word in str(schema).replace("'", " ").split() if word.startswith("#/$defs/")}
    assert references <= {f"#/$defs/{name}" for name in schema["$defs"]}


def test_schema_takes_changes_only_beside_the_chain():
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(json_schema())
    chain = {"convention": "modified", "base": {"body": "bed"}, "links": {"boom": {"theta_deg": 90}}}
    changes = {"joints": {"axle": {"damping": 1}}, "motions": {"drive": {"speed": 3}}}
    assert check.is_valid({"gori": 1, "use": "truck.yaml", "dh": chain} | changes)
    assert not check.is_valid({"gori": 1, "dh": chain} | changes)
    assert not check.is_valid({"gori": 1, "use": "truck.yaml", "dh": {"links": chain["links"]}})
    assert not check.is_valid({"gori": 1, "use": "truck.yaml", "dh": None})
