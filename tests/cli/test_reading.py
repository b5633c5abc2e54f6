"""Options of the readers: the same for all commands that take a machine."""

import inspect

import pytest

import gori
from gori.cli.reading import BaseKind, Reading, is_machine, reads_machines
from gori.errors import InputError
from tests.cli.files import ARM, FOUR_BAR

pytestmark = pytest.mark.filterwarnings("ignore:.*inertia violates")
COMMANDS = ("info", "run", "view", "render", "convert")
MJCF = """<mujoco><include file="../parts/arm.xml"/><keyframe><key name="up" qpos="1.5"/></keyframe></mujoco>"""
PART = """<mujocoinclude><worldbody><body name="b"><joint name="j" axis="0 0 1"/><geom name="g" size="0.1"/></body>
</worldbody></mujocoinclude>"""


@pytest.fixture
def files(tmp_path):
    (tmp_path / "a.yaml").write_text(FOUR_BAR)
    (tmp_path / "a.urdf").write_text(ARM)
    (tmp_path / "model").mkdir()
    (tmp_path / "parts").mkdir()
    (tmp_path / "model" / "m.xml").write_text(MJCF)
    (tmp_path / "parts" / "arm.xml").write_text(PART)
    return tmp_path


def test_values_are_changed_in_any_format(files):
    for name, body in (("a.yaml", "crank"), ("a.urdf", "b")):
        assert Reading().spec(files / name, [(f"{body}.mass", 7)]).bodies[body].mass == 7.0


def test_options_of_one_format_only(files):
    free = Reading(base=BaseKind.free)
    assert free.given == {"base": "free"} and Reading().given == {}
    assert "free" in {joint.type for joint in free.spec(files / "a.urdf").joints.values()}
    with pytest.raises(InputError, match="take no option base"):
        free.spec(files / "a.yaml")


def test_options_reach_the_reader(files):
    pytest.importorskip("mujoco")
    model = Reading(within=files, keyframe="up", collide="rubber").model(files / "model" / "m.xml")
    assert model.q0 == pytest.approx([1.5])
    assert model.spec.bodies["b"].shapes["g"].material == "rubber"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_takes_them(command, run, files, monkeypatch):
    """What is in another folder is refused without --within, and passes the reader with it."""
    pytest.importorskip("mujoco")
    read = []
    monkeypatch.setattr(gori.formats, "load", lambda file, **options: read.append(options) or 1 / 0)
    rest = {"render": ["x.png"], "convert": ["x.glb"], "view": ["--save", "x.html"]}.get(command, [])
    words = ["--within", ".", "--keyframe", "up", "--packages", "p", "--packages", "q", "--srdf", "s", "--strict"]
    assert isinstance(run(command, "model/m.xml", *rest, *words).exception, ZeroDivisionError)
    assert {name: str(value) for name, value in read[0].items() if name not in ("packages", "strict")} == {
        "within": ".", "keyframe": "up", "srdf": "s",
    }  # fmt: skip
    assert [str(path) for path in read[0]["packages"]] == ["p", "q"] and read[0]["strict"] is True


def test_a_run_takes_none(run, files):
    (files / "out").mkdir()
    for words in (["view", "out"], ["render", "out", "x.png"], ["convert", "out", "x.glb"]):
        done = run(*words, "--within", ".")
        assert done.exit_code == 2 and "--within is for machines, and out is a run" in done.stderr
    done = run("run", "--resume", "out", "--within", ".", "--base", "free")
    assert done.exit_code == 2 and "cannot be combined with --base, --within" in done.stderr


def test_the_options_stand_in_the_place_of_reading():
    @reads_machines
    def command(file: str, reading: Reading, last: int = 1) -> None:
        seen.append((file, reading.given, last))

    seen: list = []
    command(
        file="a",
        last=2,
        **{name: None for name in inspect.signature(command).parameters if name not in ("file", "last")},
    )
    assert seen == [("a", {}, 2)] and "reading" not in inspect.signature(command).parameters


def test_machines_and_runs(files):
    (files / "odd.txt").write_text("gori: 1")
    (files / "run.rec").write_bytes(b"\x89HDF\r\n\x1a\n...")
    assert [is_machine(files / name) for name in ("a.urdf", "none.yaml", "odd.txt")] == [True] * 3
    assert [is_machine(path) for path in (files, files / "run.rec", files / "none.h5", files / "none")] == [False] * 4


def test_meshes_that_are_missing_leave_the_rest(files):
    visual = '<visual><geometry><mesh filename="none.stl"/></geometry></visual>'
    (files / "meshed.urdf").write_text(ARM.replace("</link>", f"{visual}</link>", 1))
    assert isinstance(Reading().model(files / "meshed.urdf"), gori.Model)
