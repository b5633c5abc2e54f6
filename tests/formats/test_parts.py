"""Vehicles, terrain and controls in files: what they become, and mistakes with their file and line."""

import numpy as np
import pytest

import gori
from gori import vehicle
from gori.errors import FileError
from gori.formats import json_schema, read_yaml, write_yaml
from gori.formats.parts import merged, set_in_parts
from gori.text.yaml import parse
from gori.vehicle.files import PARTS

TRUCK = "gori: 1\nparts:\n  truck: {use: hmmwv}\n"
TYRE = """\
gori: 1
source: a test
type: fiala
radius: 0.4
width: 0.3
stiffness: 3e5
slip_stiffness: 1e5
cornering_stiffness: 5e4
friction_max: 0.9
friction_min: 0.5
"""


def test_a_part_is_the_vehicle_of_python():
    assert read_yaml(None, TRUCK) == vehicle.spec("hmmwv")
    text = TRUCK.replace("hmmwv}", "vehicle/hmmwv.yaml, set: {payload.mass: 600}}")
    assert read_yaml(None, text) == vehicle.spec("hmmwv", set={"payload.mass": 600})


def test_files_beside_the_description(tmp_path):
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "own.yaml").write_text("gori: 1\nuse: hmmwv.yaml\npayload: {mass: 300}\n")
    (tmp_path / "sub" / "light.yaml").write_text(TYRE)
    file = tmp_path / "sub" / "m.yaml"
    file.write_text("gori: 1\nparts:\n  lead: {use: own.yaml, set: {wheel.tyre: light.yaml}}\n")
    spec = gori.load(file)
    assert (
        spec.bodies["lead.chassis"].mass == pytest.approx(2386.52) and spec.wheels["lead.wheel_rr"].tyre.radius == 0.4
    )
    assert spec.joints["lead"].q[6] == pytest.approx(0.4 + 0.026289)


def test_several_vehicles_where_they_are_put():
    text = "gori: 1\nterrain: {grade: [0.1, 0]}\nparts:\n  a: {use: hmmwv}\n"
    text += "  b: {use: hmmwv, at: [12, 3], yaw_deg: 90}\n"
    model = gori.compile(read_yaml(None, text))
    assert (
        model.nv == 54
        and len(model.spec.wheels) == 8
        and list(model.spec.drivetrains) == ["a.drivetrain", "b.drivetrain"]
    )
    poses = model.forward_kinematics(model.q0)
    up = np.array([-0.1, 0.0, 1.0]) / np.hypot(0.1, 1.0)
    for name, ahead in (("a", [1.0, 0.0, 0.1]), ("b", [0.0, 1.0, 0.0])):
        pose = poses[f"{name}.chassis"]
        np.testing.assert_allclose(pose[:3, 2], up, atol=1e-12)
        np.testing.assert_allclose(pose[:3, 0], ahead / np.linalg.norm(ahead), atol=1e-12)
        gaps = [poses[f"{name}.knuckle_{corner}"][:3, 3] @ up - 0.4699 for corner in vehicle.CORNERS]
        np.testing.assert_allclose(gaps, 0.0, atol=1e-9)  # all wheels touch
    np.testing.assert_allclose(poses["b.chassis"][:2, 3], [12.0, 3.0], atol=1e-12)


def test_wheels_start_on_top_of_what_is_under_them():
    text = TRUCK + "terrain: {features: {kerb: {type: step, at: [1, 0], height: 0.2}}}\n"
    level, spec = read_yaml(None, TRUCK), read_yaml(None, text)
    assert spec.joints["truck"].q[6] == pytest.approx(level.joints["truck"].q[6] + 0.2)


def test_a_file_changes_what_its_parts_made(tmp_path):
    (tmp_path / "light.yaml").write_text(TYRE)
    file = tmp_path / "m.yaml"
    file.write_text(
        TRUCK + "wheels: {truck.wheel_fl: {brake: 1000, tyre: light.yaml}}\ndrag: {truck.drag: {area_cd: 1}}\n"
    )
    spec = gori.load(file)
    wheel = spec.wheels["truck.wheel_fl"]
    assert wheel.brake == 1000 and wheel.tyre.stiffness == 3e5 and wheel.body == "truck.knuckle_fl"
    assert spec.wheels["truck.wheel_fr"].brake == 4000 and spec.drag["truck.drag"].area_cd == 1
    (tmp_path / "again.yaml").write_text("gori: 1\nuse: m.yaml\nterrain: {friction: 0.4}\n")
    again = gori.load(tmp_path / "again.yaml")
    assert again.wheels == spec.wheels and again.terrain.friction == 0.4


def test_names_of_the_library(tmp_path):
    (tmp_path / "course.yaml").write_text(
        "gori: 1\nfield: {cell: 1, heights: hill.csv}\nsoft: {soil: clay.yaml, size: [3, 2]}\n"
    )
    (tmp_path / "hill.csv").write_text("0, 0.1, 0.2\n0, 0.2, 0.4\n")
    (tmp_path / "clay.yaml").write_text((PARTS.parent / "soils" / "lean_clay_32.yaml").read_text())
    file = tmp_path / "m.yaml"
    file.write_text(TRUCK + "terrain: course.yaml\n")
    terrain = gori.load(file).terrain
    assert terrain.field.heights == ((0, 0.1, 0.2), (0, 0.2, 0.4)) and terrain.soft.soil == gori.soil("lean_clay_32")
    np.save(tmp_path / "hill.npy", np.array(terrain.field.heights))
    file.write_text(TRUCK + "terrain: {field: {cell: 1, heights: hill.npy}, soft: {soil: lete_sand, size: [3, 2]}}\n")
    assert gori.load(file).terrain.field == terrain.field and gori.load(file).terrain.soft.soil == gori.soil(
        "lete_sand"
    )
    train = "drivetrains: {truck.drivetrain: {use: hmmwv, hub_ratio: 1.5}}\n"
    file.write_text(TRUCK.replace("hmmwv}", "hmmwv, set: {drivetrain: null}}") + train)
    with pytest.raises(FileError, match=r"truck.drivetrain.chassis: a drive train needs the body"):
        gori.load(file)
    file.write_text(TRUCK + train)
    assert gori.load(file).drivetrains["truck.drivetrain"].hub_ratio == 1.5


WHOLE = (
    TRUCK
    + """\
terrain: {soft: {soil: lete_sand, at: [-4, -2], size: [20, 4]}}
controls:
  truck.driver:
    {type: schedule, throttle: [[0, 0], [1, 1]], steer: "0.2*sin(t)", selector: D, transfer: [[0, high], [2, low]]}
run: {duration: 1, start: equilibrium, speed: {truck: 2}, subsystems: {truck.drivetrain: {step: 1e-4}}}
"""
)


def test_saved_and_read_again(tmp_path):
    spec = read_yaml(None, WHOLE)
    gori.save(spec, tmp_path / "whole.yaml")
    assert gori.load(tmp_path / "whole.yaml") == spec
    assert "parts" not in write_yaml(spec)
    one = spec.set("truck.drivetrain.gearbox.ratios", [2.0]).set("truck.drivetrain.gearbox.up", [[0, 1500], [1, 3000]])
    assert read_yaml(None, write_yaml(one)) == one  # a list of one stays a list
    single = one.set("truck.wheel_fl.tyre.load_table", [[0.01, 3000]])
    assert read_yaml(None, write_yaml(single)) == single


def test_schema_knows_it():
    jsonschema = pytest.importorskip("jsonschema")
    check = jsonschema.Draft202012Validator(json_schema())
    data, _ = parse(WHOLE, None)
    assert check.is_valid(data)
    assert check.is_valid(parse(write_yaml(read_yaml(None, WHOLE)), None)[0])
    for section, wrong in (
        ("parts", {"truck": {"set": {}}}),
        ("parts", {"truck": {"use": "hmmwv", "at": [1]}}),
        ("controls", {"truck.driver": {"type": "schedule", "gear": 1}}),
        ("terrain", {"soft": {"soil": 3, "size": [1, 1]}}),
        ("run", {"duration": 1, "start": "rest"}),
    ):
        assert not check.is_valid(data | {section: wrong}), section


def test_values_set_while_reading():
    spec = read_yaml(None, WHOLE, set={"truck.payload.mass": 600, "run.duration": 3, "truck.wheel_fl.brake": 9})
    assert spec.bodies["truck.chassis"].mass == pytest.approx(2686.52) and spec.run.duration == 3
    assert spec.wheels["truck.wheel_fl"].brake == 9
    with pytest.raises(FileError, match=r"payload.mass: must not be negative"):
        read_yaml(None, WHOLE, set={"truck.payload.mass": -1})
    with pytest.raises(gori.errors.SpecError, match="unknown name"):
        read_yaml(None, WHOLE, set={"lorry.payload.mass": 1})


PART = "gori: 1\nparts:\n  truck:\n    use: hmmwv\n    set:\n      "
REFUSED = {  # text, line, words
    "no list": ("gori: 1\nparts: 3\n", 2, "parts: must be a mapping, not 3"),
    "no use": ("gori: 1\nparts:\n  truck: {}\n", 3, "parts.truck.use: 'use' is missing"),
    "a name alone": ("gori: 1\nparts:\n  truck: hmmwv\n", 3, "parts.truck: must be a mapping, not 'hmmwv'"),
    "unknown vehicle": (
        "gori: 1\nparts:\n  truck: {use: tank}\n", 3,
        "'tank' is not a vehicle included in Gori (hmmwv)",
    ),
    "unknown file": ("gori: 1\nparts:\n  truck: {use: tank.yaml}\n", 3, "there is no file 'tank.yaml'"),
    "unknown key": (
        TRUCK.replace("hmmwv", "hmmwv, sett: {}"), 3,
        "parts.truck.sett: unknown key 'sett'; did you mean 'set'?",
    ),
    "place": (TRUCK.replace("hmmwv", "hmmwv, at: [1]"), 3, "parts.truck.at: needs 2 numbers, has 1"),
    "unknown part in set": (PART + "payload.mas: 3\n", 6, "payload.mas: unknown key 'mas'; did you mean 'mass'?"),
    "unknown section in set": (PART + "pyload.mass: 3\n", 6, "pyload: unknown key 'pyload'; did you mean 'payload'?"),
    "set inside a number": (PART + "payload.mass.kg: 3\n", 6, "cannot set 'payload.mass.kg'"),
    "negative": (PART + "payload.mass: -3\n", 6, "payload.mass: must not be negative, is -3"),
    "negative brake": (PART + "wheel.brake: -3\n", 6, "wheel.brake: must not be negative, is -3"),
    "no tyre file": (PART + "wheel.tyre: none.yaml\n", 6, "set 'wheel.tyre': there is no file 'none.yaml'"),
    "unknown tyre": (PART + "wheel.tyre.type: fialla\n", 6, "wheel.tyre.type: 'fialla' is not one of 'fiala', 'magic'"),
    "table that falls": (PART + "wheel.tyre.load_table: [[0.01, 100], [0.02, 50]]\n", 6, "loads must increase"),
    "map that falls": (
        PART + "drivetrain.engine.speed_rpm: [1, 3, 2]\n", 6,
        "drivetrain.engine.speed_rpm.2: must increase",
    ),
    "impossible points": (
        PART + "front.lower_arm.ball: [0.223266, 0.307086, 0]\n", 6,
        "front.lower_arm: ball lies on the axis",
    ),
    "unknown soil": (
        TRUCK + "terrain:\n  soft: {soil: lete_snad, size: [9, 9]}\n", 5,
        "no soil 'lete_snad'; did you mean 'lete_sand'?",
    ),
    "no soil file": (TRUCK + "terrain:\n  soft: {soil: none.yaml, size: [9, 9]}\n", 5, "terrain.soft.soil: "),
    "soil without fields": (
        TRUCK + "terrain:\n  soft: {size: [9, 9], soil: {type: bekker}}\n", 5,
        "terrain.soft.soil.cohesion: 'cohesion' is missing",
    ),
    "no size": (TRUCK + "terrain:\n  soft: {soil: lete_sand}\n", 5, "terrain.soft.size: 'size' is missing"),
    "feature": (TRUCK + "terrain:\n  features:\n    a: {type: hill}\n", 6, "type 'hill' is not one of 'trapezoid'"),
    "ramp": (
        TRUCK + "terrain:\n  features:\n    a: {type: ramp, height: 1, length: 0}\n", 6,
        "length: must be at least 0.001, is 0",
    ),
    "no terrain file": (TRUCK + "terrain: course.yaml\n", 4, "terrain: there is no file 'course.yaml'"),
    "no heights": (
        TRUCK + "terrain: {field: {cell: 1, heights: h.csv}}\n", 4,
        "terrain.field.heights: there is no file 'h.csv'",
    ),
    "wheel on nothing": (
        TRUCK + "wheels:\n  truck.wheel_fl: {body: truck.knuckle_f}\n", 5,
        "'truck.knuckle_f' is not a body",
    ),
    "wheel's brake": (
        TRUCK + "wheels:\n  truck.wheel_fl:\n    brake: -1\n", 6,
        "wheels.truck.wheel_fl.brake: must not be negative",
    ),
    "no .tir": (
        TRUCK + "wheels:\n  truck.wheel_fl: {tyre: none.tir}\n", 5,
        "wheels.truck.wheel_fl.tyre: there is no file 'none.tir'",
    ),
    "train's wheels": (TRUCK + "drivetrains:\n  truck.drivetrain: {wheels: [a, b, c, d]}\n", 5, "'a' is not a wheel"),
    "too few": (
        TRUCK + "drivetrains:\n  truck.drivetrain: {wheels: [a]}\n", 5,
        "needs left and right wheel of each of the 2 axles",
    ),
    "unknown train": (
        TRUCK + "drivetrains:\n  truck.drivetrain: {use: hmmw}\n", 5,
        "there is no drive train 'hmmw'; known: hmmwv",
    ),
    "throttle": (
        TRUCK + "controls:\n  truck.driver: {type: schedule, throttle: 2}\n", 5,
        "throttle: must be from 0 to 1, is 2",
    ),
    "gear": (
        TRUCK + "controls:\n  truck.driver: {type: schedule, selector: 7}\n", 5,
        "selector: must be one of R, P, N, D, a gear from 1 to 4",
    ),
    "nobody's driver": (TRUCK + "controls:\n  lorry.driver: {type: schedule}\n", 5, "there is no vehicle 'lorry'"),
    "subsystem": (
        TRUCK + "run:\n  duration: 1\n  subsystems: {truck.train: {step: 1}}\n", 6,
        "'truck.train' is not a drive train; did you mean",
    ),
    "speed": (
        TRUCK + "run:\n  duration: 1\n  start: equilibrium\n  speed: {trck: 1}\n", 7,
        "'trck' is not a vehicle; did you mean 'truck'?",
    ),
    "made by a part": (
        TRUCK + "wheels: {truck.wheel_fl: {axis: [0, 0, 0]}}\n", 4,
        "wheels.truck.wheel_fl.axis: must be a direction",
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_mistakes_name_file_and_line(case, tmp_path):
    text, line, words = REFUSED[case]
    file = tmp_path / "m.yaml"
    file.write_text(text)
    with pytest.raises(FileError) as caught:
        gori.load(file)
    assert words in str(caught.value) and (caught.value.file, caught.value.line) == (file, line)


def test_mistakes_in_the_files_of_parts(tmp_path):
    file, tyre = tmp_path / "m.yaml", tmp_path / "tyre.yaml"
    file.write_text(PART + "wheel.tyre: tyre.yaml\n")
    tyre.write_text(TYRE.replace("slip_stiffness: 1e5\n", ""))
    with pytest.raises(FileError, match=r"wheel.tyre.slip_stiffness: 'slip_stiffness' is missing") as caught:
        gori.load(file)
    assert caught.value.file == tyre
    tyre.write_text(TYRE.replace("radius: 0.4", "radius: -0.4"))
    with pytest.raises(FileError, match=r"tyre.yaml, line 4: wheel.tyre.radius: must be positive"):
        gori.load(file)
    tyre.write_text(TYRE)
    (tmp_path / "soil.yaml").write_text("gori: 1\ntype: bekker\nkc: -1\n")
    file.write_text(TRUCK + "terrain: {soft: {soil: soil.yaml, size: [9, 9]}}\n")
    with pytest.raises(FileError, match=r"soil.yaml, line 1: cohesion"):
        gori.load(file)


def test_wheels_need_ground():
    text = "gori: 1\nbodies: {b: {mass: 1, inertia: [1, 1, 1]}}\njoints: {j: {type: free, parent: ground, child: b}}\n"
    text += (
        "wheels:\n  w: {body: b, inertia: 1, tyre: {type: fiala, radius: 1, width: 1, stiffness: 1, slip_stiffness: 1,"
    )
    text += " cornering_stiffness: 1, friction_max: 1, friction_min: 1}}\n"
    with pytest.raises(FileError, match="wheels need terrain: add terrain") as caught:
        read_yaml(None, text)
    assert caught.value.line == 4
    assert read_yaml(None, text + "terrain:\n").terrain.friction == 0.8


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parts/hmmwv", "holds the template of a vehicle .* write 'parts: {truck: {use: hmmwv.yaml}}'"),
        ("parts/hmmwv_rear", "holds an axle of a vehicle"),
        ("parts/tyre_37x12", "holds a tyre"),
        ("soils/lete_sand", "holds a soil"),
        ("soils/lete_sand_bekker", "holds a soil"),
        ("drivetrain/hmmwv", "holds a drive train"),
    ],
)
def test_a_part_is_no_description(name, words):
    with pytest.raises(FileError, match=words):
        gori.load(PARTS.parent / f"{name}.yaml")


def test_values_in_the_template_of_a_part():
    parts = {"truck": {"use": "hmmwv", "set": {"payload.mass": 1}}, "lead": None}
    assert set_in_parts(parts, "truck.payload.mass", 600) and set_in_parts(parts, "truck.wheel.brake", 5.0)
    assert parts["truck"]["set"] == {"payload.mass": 600, "wheel.brake": 5.0}
    for name in ("truck.lower_arm_fl.damping", "payload.mass", "lead.payload.mass", "trailer.payload.mass"):
        assert not set_in_parts(parts, name, 1)
    assert not set_in_parts("hmmwv", "truck.payload.mass", 1)


def test_parts_become_one_description():
    made = merged({"a": {"bodies": {"a.x": {"mass": 1}}}, "b": {"bodies": {"b.x": {"mass": 2}}, "drag": {}}})
    assert made == {"bodies": {"a.x": {"mass": 1}, "b.x": {"mass": 2}}, "drag": {}} and merged({}) == {}
