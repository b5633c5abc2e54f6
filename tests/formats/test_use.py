"""Files that build on other files: what is added, what is changed, and whose line a mistake stands in."""

import json

import numpy as np
import pytest
from typer.testing import CliRunner

import gori
from gori.cli import app
from gori.errors import FileError, InputError, SpecWarning
from gori.formats import json_schema, load, read_yaml, save, write_yaml
from gori.formats.use import changed, holds

ROBOT = """<robot name="bars">
  <link name="base_plate"/>
  <link name="crank"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
    <collision><geometry><sphere radius="0.1"/></geometry></collision></link>
  <link name="coupler"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial>
  </link>
  <joint name="A" type="revolute">
    <parent link="base_plate"/><child link="crank"/><origin xyz="0 0 1" rpy="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-1" upper="1" velocity="2" effort="3"/><dynamics damping="0.1" friction="0.2"/>
  </joint>
  <joint name="B" type="continuous">
    <parent link="crank"/><child link="coupler"/><origin xyz="1 0 0"/><axis xyz="0 1 0"/>
  </joint>
</robot>
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "robots").mkdir()
    (tmp_path / "robots" / "bars.urdf").write_text(ROBOT)
    return tmp_path


def write(folder, text: str, name: str = "m.yaml"):
    (folder / name).write_text(f"gori: 1\nuse: robots/bars.urdf\n{text}" if "use:" not in text else f"gori: 1\n{text}")
    return folder / name


def test_use_alone_is_the_other_file(folder):
    assert load(write(folder, "")) == load(folder / "robots" / "bars.urdf")


def test_parts_are_added_and_changed_field_by_field(folder):
    before = load(folder / "robots" / "bars.urdf")
    spec = load(write(folder, """
gravity: [0, 0, 0]
bodies:
  crank: {mass: 5}
  rocker: {mass: 3}
joints:
  A: {damping: 0.7, limits_deg: [-90, 90], rpy_deg: [0, 90, 0]}
  D: {type: revolute, parent: base_plate, child: rocker, axis: [0, 1, 0]}
cuts:
  C: {type: revolute, parent: coupler, at: [1, 0, 0], child: rocker, axis: [0, 1, 0]}
forces:
  motor: {type: motor, joint: A, kd: 3}
frames:
  tip: {body: coupler, at: [1, 0, 0]}
run: {duration: 2}
"""))  # fmt: skip
    assert spec.gravity == (0.0, 0.0, 0.0) and before.gravity[2] == -9.81
    assert list(spec.bodies) == ["base_plate", "crank", "coupler", "rocker"]
    assert list(spec.joints) == ["base", "A", "B", "D"] and list(spec.cuts) == ["C"] and spec.run.duration == 2.0
    assert spec.bodies["crank"].mass == 5.0 and spec.bodies["crank"].inertia == (1.0, 1.0, 1.0)
    assert spec.bodies["crank"].shapes == before.bodies["crank"].shapes
    joint, old = spec.joints["A"], before.joints["A"]
    assert joint.damping == (0.7,) and joint.friction == old.friction == (0.2,) and joint.effort_limit == 3.0
    # two ways to say the same: the new one takes the place of the old
    assert joint.limits is None and joint.limits_deg == (-90.0, 90.0) and old.limits == (-1.0, 1.0)
    assert joint.quat is None and joint.rpy_deg == (0.0, 90.0, 0.0) and old.quat is not None
    assert spec.joints["B"] == before.joints["B"]


def test_an_urdf_gets_its_loop(folder):
    text = "bodies: {rocker: {mass: 1, inertia: [1, 1, 1]}}\njoints:\n"
    text += "  C: {type: revolute, parent: coupler, at: [1, 0, 0], child: rocker, axis: [0, 1, 0]}\n"
    text += "  D: {type: revolute, parent: rocker, at: [0, 0, -1], child: base_plate, axis: [0, 1, 0]}\n"
    model = gori.compile(load(write(folder, text)), open_loops=True)
    assert list(model.spec.cuts) == ["C"] and list(model.spec.joints) == ["base", "A", "B", "D"]
    assert model.spec.joints["D"].child == "rocker"


def test_files_may_use_files_that_use_files(folder):
    write(folder, "joints: {A: {damping: 1, friction: 1}}\n", "one.yaml")
    write(folder, "use: one.yaml\njoints: {A: {damping: 2}}\nrun: {duration: 1, record: [A.q]}\n", "two.yaml")
    (folder / "sub").mkdir()
    top = write(folder, "use: ../two.yaml\nrun: {duration: 3}\n", "sub/three.yml")
    spec = load(top)
    assert spec.joints["A"].damping == (2.0,) and spec.joints["A"].friction == (1.0,)
    assert spec.run.duration == 3.0 and spec.run.record == ("*.q",)  # run is replaced as a whole


def test_parts_within_parts(folder):
    write(folder, "use: robots/bars.urdf\njoints: {B: {mimic: {joint: A, ratio: 2}}}\n", "one.yaml")
    name = next(iter(load(folder / "one.yaml").bodies["crank"].shapes))
    text = (
        f"use: one.yaml\nbodies: {{crank: {{shapes: {{{name}: {{radius: 0.2}}, tip: {{type: sphere, radius: 1}}}}}}}}\n"
    )
    spec = load(write(folder, text + "joints: {B: {mimic: {offset: 1}}}\n"))
    assert spec.joints["B"].mimic.model_dump() == {"joint": "A", "ratio": 2.0, "offset": 1.0}
    assert [shape.radius for shape in spec.bodies["crank"].shapes.values()] == [0.2, 1.0]


def test_null_takes_a_field_away_and_empty_parts_change_nothing(folder):
    spec = load(write(folder, "bodies:\n  crank:\njoints:\n  A: {limits: null, velocity_limit: ~}\ncuts:\n"))
    assert spec.joints["A"].limits is None and spec.joints["A"].velocity_limit is None
    assert spec.bodies == load(folder / "robots" / "bars.urdf").bodies


def test_a_base_that_flies(folder):
    spec = load(write(folder, "joints: {base: {type: free, q: [1, 0, 0, 0, 0, 0, 2]}}\n"))
    assert spec == load(folder / "robots" / "bars.urdf", base="free").set("base.q", [1, 0, 0, 0, 0, 0, 2])


def test_meshes_are_found_beside_the_file_that_names_them(folder):
    write(folder, "use: ../robots/bars.urdf\nbodies: {crank: {shapes: {hull: {type: mesh, file: parts/hull.stl}}}}\n",
          "robots/meshes.yaml")  # fmt: skip
    assert load(write(folder, "use: robots/meshes.yaml\n")).bodies["crank"].shapes["hull"].file == str(
        folder / "robots" / "parts" / "hull.stl"
    )
    text = "use: robots/meshes.yaml\nbodies: {crank: {shapes: {hull: {file: other.stl}}}}\n"
    assert load(write(folder, text)).bodies["crank"].shapes["hull"].file == str(folder / "other.stl")


def test_a_saved_spec_is_whole(folder):
    spec = load(write(folder, "joints: {A: {damping: 2}}\n"))
    assert "use" not in write_yaml(spec)
    save(spec, folder / "robots" / "saved.yaml")
    (folder / "robots" / "bars.urdf").unlink()
    assert load(folder / "robots" / "saved.yaml") == spec


def test_text_without_a_file_looks_in_the_working_folder(folder, monkeypatch):
    monkeypatch.chdir(folder)
    assert read_yaml(None, "gori: 1\nuse: robots/bars.urdf\n") == load("robots/bars.urdf")


# ---- refused


WRONG = {
    "no such file": ("use: bars.urdf\n", 2, "use: {folder}/bars.urdf: there is no such file"),
    "folder": ("use: robots\n", 2, "use: {folder}/robots: no extension is not one of the formats"),
    "unknown format": ("use: bars.step\n", 2, ".step is not one of the formats .yaml, .yml, .urdf"),
    "xacro": ("use: bars.urdf.xacro\n", 2, "run xacro on it first"),
    "not a name": ("use: [robots/bars.urdf]\n", 2, "use: must be the name of a file, not ['robots/bars.urdf']"),
    "empty": ("use:\n", 2, "use: must be the name of a file, not None"),
    "itself": ("use: ./m.yaml\n", 2, "use: files use each other in a cycle: m.yaml -> m.yaml"),
    "bad field": ("joints:\n  A:\n    dampng: 1\n", 5, "joints.A.dampng: unknown key 'dampng'; did you mean"),
    "bad value": ("joints:\n  A:\n    damping: -1\n", 5, "joints.A.damping.0: must not be negative, is -1"),
    "misspelt part": ("joints:\n  a: {damping: 1}\n", 4, "joints.a.type: 'type' is missing"),
    "part is a number": ("joints:\n  A: 3\n", 4, "joints.A: must be a mapping, not 3"),
    "group is a number": ("joints: 3\n", 3, "joints: must be a mapping, not 3"),
    "old field, new type": ("joints:\n  A: {type: spherical}\n", 4, "has no axis (from the used file)"),
    "unknown body": ("cuts:\n  C: {type: revolute, parent: crank,\n      child: rod}\n", 5, "'rod' is not a body"),
    "body left alone": ("\njoints: {B: {child: base_plate}}\n", 2, "body 'coupler' is not the child of any"),
    "two ways": ("joints:\n  A: {q: 1, q_deg: 1}\n", 4, "give q or q_deg, not both"),
}  # fmt: skip


@pytest.mark.parametrize("case", WRONG)
def test_mistakes_are_told_with_their_line(folder, case):
    text, line, words = WRONG[case]
    file = write(folder, text)
    with pytest.raises(FileError) as caught:
        load(file)
    assert words.format(folder=folder) in str(caught.value)
    assert caught.value.line == line and str(caught.value).startswith(f"{file}, line {line}: ")


def test_mistakes_in_the_other_file_are_told_with_its_line(folder):
    (folder / "robots" / "bars.urdf").write_text(ROBOT.replace('upper="1"', 'upper="x"'))
    with pytest.raises(FileError, match="upper is 'x', which is not a number") as caught:
        load(write(folder, "\n\n\ngravity: [0, 0, 0]\n"))
    assert str(caught.value).startswith(f"{folder}/robots/bars.urdf, line 9: ")
    write(folder, "bodies:\n  crank: {mass: x}\n", "one.yaml")
    (folder / "robots" / "bars.urdf").write_text(ROBOT)
    with pytest.raises(FileError, match=r"bodies\.crank\.mass: must be a number") as caught:
        load(write(folder, "use: one.yaml\n"))
    assert str(caught.value).startswith(f"{folder}/one.yaml, line 4: ")


def test_a_ring_of_three_files(folder):
    for name, other in (("a", "b"), ("b", "c"), ("c", "b")):
        write(folder, f"# {name}\nuse: {other}.yaml\n", f"{name}.yaml")
    with pytest.raises(FileError, match=r"in a cycle: b\.yaml -> c\.yaml -> b\.yaml") as caught:
        load(folder / "a.yaml")
    assert str(caught.value).startswith(f"{folder}/c.yaml, line 3: ")


def test_doubts_are_told_once_and_refused_when_strict(folder):
    bad = ROBOT.replace('izz="1" ixy="0" ixz="0" iyz="0"/></inertial>\n  </link>', 'izz="9"/></inertial></link>')
    bad = bad.replace('izz="9"/>', 'izz="9" ixy="0" ixz="0" iyz="0"/>')
    (folder / "robots" / "bars.urdf").write_text(bad)
    file = write(folder, "joints:\n  A: {q: 2}\n")
    with pytest.warns(SpecWarning) as caught:
        load(file)
    first, second = (str(warning.message) for warning in caught)
    assert first.startswith(f"{folder}/robots/bars.urdf, line 5: link 'coupler': inertia violates")
    assert second.startswith(f"{file}, line 4: joints.A.q: q lies outside its limits")
    top = write(folder, f"use: {file.name}\n", "top.yaml")
    with pytest.warns(SpecWarning) as caught:
        load(top)
    assert [str(warning.message) for warning in caught] == [first, second]
    with pytest.raises(FileError, match="link 'coupler': inertia violates the triangle inequality"):
        load(top, strict=True)


def test_options_of_the_other_format_are_refused(folder):
    with pytest.raises(InputError, match="take no option base; known: strict"):
        load(write(folder, ""), base="free")


# ---- around it


def test_commands(folder, monkeypatch):
    monkeypatch.chdir(folder)
    write(folder, "joints: {A: {q: 0.5}}\nrun: {duration: 0.01, method: {type: rk4, step: 1e-3}}\n")
    run = lambda *words: CliRunner().invoke(app, list(words), prog_name="gori")  # noqa: E731
    about = json.loads(run("info", "m.yaml", "--json").stdout)
    assert list(about["bodies"]) == ["base_plate", "crank", "coupler"] and about["format"] == "YAML"
    assert run("convert", "m.yaml", "whole.yaml").exit_code == 0
    assert "use" not in (folder / "whole.yaml").read_text() and load("whole.yaml") == load("m.yaml")
    assert run("run", "m.yaml", "--no-plots").exit_code == 0
    assert load(folder / "out" / "m" / "run.yaml") == load("m.yaml")
    assert np.isclose(gori.Recording.load(folder / "out" / "m" / "run.h5")["A.q"][0], 0.5)


def test_schema_takes_changes_only_with_use():
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(json_schema())
    assert json_schema()["properties"]["use"]["type"] == "string"
    change = {"gori": 1, "joints": {"A": {"damping": 1, "mimic": {"ratio": 2}}}, "forces": {"m": {"kp": 2}}}
    change["bodies"] = {"a": {"shapes": {"s": {"radius": 1}}}}
    assert check.is_valid(change | {"use": "bars.urdf"}) and not check.is_valid(change)
    assert not check.is_valid({"gori": 1, "use": 3})
    assert not check.is_valid({"gori": 1, "use": "bars.urdf", "joints": {"A": {"dampng": 1}}})
    assert not check.is_valid({"gori": 1, "use": "bars.urdf", "run": {"sample": 1}})
    assert not check.is_valid({"gori": 1, "use": "bars.urdf", "joins": {}})


def test_plain_data_on_top_of_other():
    """Parts field by field, what says the same in two ways instead of each other, all else replaced."""
    old = {
        "gravity": [0, 0, -1],
        "joints": {"A": {"type": "revolute", "q": 1.0, "damping": 2.0}},
        "bodies": {"b": {"mass": 1.0, "shapes": {"s": {"type": "sphere", "radius": 1.0, "mass": 2.0}}}},
        "contacts": {"a/b": {"law": "voigt", "friction": 0.1}},
    }
    kept = json.dumps(old)
    new = {
        "gravity": [0, 0, 0],
        "joints": {"A": {"q_deg": 9.0}, "B": {"type": "fixed"}},
        "bodies": {"b": {"shapes": {"s": {"density": 7.0}, "t": {"type": "box"}}}},
        "contacts": {"a/b": {"law": "hertz"}},
    }
    assert changed(old, new) == {
        "gravity": [0, 0, 0],
        "joints": {"A": {"type": "revolute", "damping": 2.0, "q_deg": 9.0}, "B": {"type": "fixed"}},
        "bodies": {
            "b": {"mass": 1.0, "shapes": {"s": {"type": "sphere", "radius": 1.0, "density": 7.0}, "t": {"type": "box"}}}
        },
        "contacts": {"a/b": {"law": "hertz"}},  # another law: nothing of the old contact fits
    }
    assert json.dumps(old) == kept


def test_dotted_places_of_names_with_dots():
    data = {"joints": {"truck.rack": {"q": 1.0}}}
    assert holds(data, "joints.truck.rack.q") and holds(data, "joints.truck.rack")
    assert not holds(data, "joints.truck") and not holds(data, "joints.truck.rack.v") and not holds(3, "joints")
