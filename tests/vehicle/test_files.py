"""Files of vehicles: parts that are swapped, values that are set, and mistakes with their file and line."""

import shutil

import pytest

import gori
from gori.errors import ClosureError, FileError, SpecError
from gori.vehicle import read_vehicle, spec, vehicle
from gori.vehicle.files import PARTS


@pytest.fixture
def folder(tmp_path):
    """A copy of the parts, to change."""
    for file in PARTS.glob("*.yaml"):
        shutil.copy(file, tmp_path)
    return tmp_path


def edit(file, old, new):
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))
    return text[: text.index(old)].count("\n") + 1


def test_a_file_and_a_name_give_the_same(folder):
    assert read_vehicle(folder / "hmmwv.yaml") == read_vehicle("hmmwv")


def test_values_are_set_by_dotted_place():
    changed = read_vehicle("hmmwv", {"payload.mass": 600, "front.spring.stiffness": 2e5, "rear.hub": [0, 1, 0]})
    assert changed.payload.mass == 600 and changed.front.spring.stiffness == 2e5 and changed.rear.hub == (0, 1, 0)
    assert changed.rear.spring.stiffness == 369149


def test_a_part_is_swapped_by_a_file(folder, monkeypatch):
    text = (folder / "tyre_37x12.yaml").read_text()
    (folder / "light.yaml").write_text(text.replace("radius: 0.4699", "radius: 0.4"))
    assert read_vehicle(folder / "hmmwv.yaml", {"wheel.tyre": "light.yaml"}).wheel.tyre["radius"] == 0.4
    monkeypatch.chdir(folder)
    assert vehicle(set={"wheel.tyre": "light.yaml"})["wheels"]["truck.wheel_fl"]["tyre"]["radius"] == 0.4
    assert read_vehicle("hmmwv", {"front": "hmmwv_front.yaml"}) == read_vehicle("hmmwv")


def test_what_stands_beside_use_goes_on_top(folder):
    own = folder / "own.yaml"
    own.write_text("gori: 1\nuse: hmmwv.yaml\nfront: {spring: {stiffness: 1e5}}\npayload: {mass: 300}\n")
    mine, theirs = read_vehicle(own), read_vehicle("hmmwv")
    assert mine.front.spring.stiffness == 1e5 and mine.front.spring.length == theirs.front.spring.length
    assert mine.payload.mass == 300 and mine.payload.at == theirs.payload.at and mine.rear == theirs.rear


def test_parts_that_come_with_gori_are_found_from_anywhere(tmp_path):
    own = tmp_path / "own.yaml"
    own.write_text("gori: 1\nuse: hmmwv.yaml\nrear: {use: hmmwv_rear.yaml, spring: {stiffness: 3e5}}\n")
    assert read_vehicle(own).rear.spring.stiffness == 3e5


REFUSED = {
    "key": ("hmmwv_front.yaml", "  stiffness: 167062", "  stifness: 167062", "front.spring.stifness: unknown key"),
    "number": ("hmmwv_rear.yaml", "  rebound: 35025", "  rebound: fast", "rear.damper.rebound: must be a number"),
    "negative": ("hmmwv_rack.yaml", "mass: 9.072", "mass: -1", "steering.mass: must be positive"),
    "inertia": ("hmmwv.yaml", "[1078.52, 2955.66, 3570.20]", "[1, 1, 3]", "chassis.inertia: inertia violates"),
    "round": ("hmmwv_wheel.yaml", "[4.34457, 7.38782, 4.34457]", "[1, 2, 3]", "wheel.inertia: a wheel is axisymmetric"),
    "radius": ("tyre_37x12.yaml", "radius: 0.4699", "radius: big", "wheel.tyre.radius: must be a number, not 'big'"),
    "axis": (
        "hmmwv_front.yaml", "  back: [-0.223266, 0.307086, 0]", "  back: [0.223266, 0.307086, 0]",
        "front.lower_arm: front and back are the same point",
    ),
    "arm of no length": (
        "hmmwv_rear.yaml", "  ball: [0.03556, 0.786511, -0.11811]", "  ball: [0.5, 0.307086, 0]",
        "rear.lower_arm: ball lies on the axis of the arm",
    ),
    "one ball": (
        "hmmwv_front.yaml", "  ball: [-0.0530352, 0.715518, 0.2154936]", "  ball: [-0.03556, 0.786511, -0.11811]",
        "front.upper_arm.ball: the balls of both arms are the same point",
    ),
    "tie rod on the kingpin": (
        "hmmwv_rear.yaml", "  outer: [0.1702816, 0.8211058, -0.009271]", "  outer: [0.03556, 0.786511, -0.11811]",
        "rear.tie_rod.outer: lies on the steering axis",
    ),
    "no strut": (
        "hmmwv_front.yaml", "  at: [0.104013, 0.509778, 0.197485]", "  at: [0.0972058, 0.543179, -0.046609]",
        "front.spring: at and child_at are the same point",
    ),
    "stop": ("hmmwv_front.yaml", "  shortest: 0.15", "  shortest: 0.4", "front.spring.shortest: the bump stop"),
    "no file": ("hmmwv.yaml", "front: {use: hmmwv_front.yaml}", "front: {use: none.yaml}", "front.use: there is no"),
    "not a file": ("hmmwv.yaml", "front: {use: hmmwv_front.yaml}", "front: {use: 3}", "front.use: must be the"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_mistakes_name_file_and_line(folder, case):
    name, old, new, words = REFUSED[case]
    line = edit(folder / name, old, new)
    with pytest.raises(FileError) as caught:
        read_vehicle(folder / "hmmwv.yaml")
    assert words in str(caught.value)
    assert caught.value.file == folder / name and 0 <= line - caught.value.line <= 3  # of the part, or of the field


def test_missing_parts_and_rings(folder):
    edit(folder / "hmmwv.yaml", "rear: {use: hmmwv_rear.yaml}\n", "")
    with pytest.raises(FileError, match="rear: 'rear' is missing"):
        read_vehicle(folder / "hmmwv.yaml")
    edit(folder / "hmmwv_rack.yaml", "gori: 1\n", "gori: 1\nuse: hmmwv_rack.yaml\n")
    with pytest.raises(FileError, match=r"hmmwv_rack.yaml, line 2: use: files use each other in a cycle"):
        read_vehicle(folder / "hmmwv.yaml")


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"payload.mas": 1}, "payload.mas: unknown key 'mas'; did you mean 'mass'?"),
        ({"payload.mass": -1}, r"payload.mass: must not be negative, is -1 \(from `set`\)"),
        ({"payload.mass.kg": 1}, "cannot set 'payload.mass.kg': 'payload.mass' is not a mapping"),
        (
            {"front.spring.child": "knuckle"},
            r"front.spring.child: 'knuckle' is not one of 'lower_arm' \(from `set`\)",
        ),
        ({"wheel.tyre": "none.yaml"}, "set 'wheel.tyre': there is no file 'none.yaml'"),
    ],
)
def test_values_that_may_not_be_set(given, words):
    with pytest.raises(SpecError, match=words):
        read_vehicle("hmmwv", given)


def test_unknown_vehicle():
    with pytest.raises(FileError, match=r"'tank' is not a vehicle included in Gori \(hmmwv\)"):
        read_vehicle("tank")
    with pytest.raises(FileError, match=r"there is no file 'tank.yaml'"):
        read_vehicle("tank.yaml")


def test_a_tie_rod_that_cannot_reach():
    """One that is a little longer steers the wheels; one that is far too short cannot be put in."""
    longer = gori.compile(spec(set={"rear.tie_rod.length": 0.42}))
    assert abs(longer.loop_system.terms(gori.assemble(longer)).gap).max() < 1e-12
    with pytest.raises(ClosureError) as caught:
        gori.assemble(gori.compile(spec(set={"rear.tie_rod.length": 0.05})))
    assert caught.value.cut.startswith("truck.") and caught.value.cut[-2:] in ("rl", "rr")
