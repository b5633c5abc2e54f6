"""The command line: each command on good and bad files, exit codes, plain output when piped."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import gori
from gori.cli import app, cache
from gori.kernels import jit

FOUR_BAR = """gori: 1
bodies:
  crank: {mass: 1, inertia: [1, 1, 1]}
  coupler: {mass: 2, inertia: [1, 1, 1]}
  rocker: {mass: 3, inertia: [1, 1, 1]}
  rod: {mass: 4, inertia: [1, 1, 1]}
joints:
  A: {type: revolute, parent: ground, child: crank, limits_deg: [-30, 90]}
  B: {type: spherical, parent: crank, at: [0.2, 0, 0], child: coupler}
  C: {type: revolute, parent: ground, at: [0.5, 0, 0], child: rocker, mimic: {joint: A, ratio: 2, offset: 0.5}}
  E: {type: fixed, parent: ground, child: rod}
cuts:
  D: {type: revolute, parent: coupler, child: rocker}
frames:
  tip: {body: coupler, at: [0.5, 0, 0]}
"""
ARM = """<robot name="arm">
  <link name="a"/>
  <link name="b"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="9" ixy="0" ixz="0" iyz="0"/></inertial></link>
  <joint name="slide" type="prismatic">
    <parent link="a"/><child link="b"/><axis xyz="0 0 1"/><limit lower="-1" upper="1" velocity="2" effort="3"/>
  </joint>
</robot>
"""


@pytest.fixture
def run(tmp_path, monkeypatch):
    """Run the command line inside a folder with two good files."""
    (tmp_path / "four.yaml").write_text(FOUR_BAR)
    (tmp_path / "arm.urdf").write_text(ARM)
    monkeypatch.chdir(tmp_path)
    for name in ("COLUMNS", "GORI_DEBUG", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    return lambda *words: CliRunner().invoke(app, list(words), prog_name="gori")


def shell(*words, **options):
    return subprocess.Popen(
        [sys.executable, "-m", "gori.cli", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options
    )


def chain(count: int, ribs: bool = False) -> str:
    data = {"gori": 1, "bodies": {}, "joints": {}}
    for i in range(count):
        parent = f"b{i - 1}" if i else "ground"
        data["bodies"][f"b{i}"] = {"mass": 1}
        data["joints"][f"j{i}"] = {"type": "revolute", "parent": parent, "child": f"b{i}"}
        if ribs:
            data["bodies"][f"r{i}"] = {}
            data["joints"][f"s{i}"] = {"type": "fixed", "parent": f"b{i}", "child": f"r{i}"}
    return json.dumps(data)


# ---- the app


def test_version(run):
    result = run("--version")
    assert (result.exit_code, result.stdout) == (0, f"gori {gori.__version__}\n")


def test_help_names_every_command(run):
    result = run("--help")
    assert result.exit_code == 0
    assert all(command in result.stdout for command in ("info", "convert", "schema", "doctor"))


def test_help_is_fast():
    seconds = []
    for _ in range(3):  # the best of three: other work may run on this machine
        start = time.perf_counter()
        assert shell("--help").wait() == 0
        seconds.append(time.perf_counter() - start)
    assert min(seconds) < 1.5


BAD = {
    "missing.yaml": (None, "missing.yaml: there is no such file"),
    "missing.urdf": (None, "missing.urdf"),
    "broken.yaml": ("gori: 1\nbodies:\n  a: {mass: 1\n", "broken.yaml, line 4: "),
    "typo.yaml": ("gori: 1\nbodies:\n  a: {mas: 1}\n", "typo.yaml, line 3: bodies.a.mas: unknown key 'mas'"),
    "broken.urdf": ("<robot name='r'>\n<link name='a'>\n</robot>", "broken.urdf, line "),
    "four.txt": ("gori: 1", "four.txt: .txt is not one of the formats"),
}


@pytest.mark.parametrize("command", [["info"], ["info", "--json"], ["convert"]])
@pytest.mark.parametrize("file", BAD)
def test_bad_files_end_with_words_and_code_2(run, file, command):
    text, words = BAD[file]
    if text is not None:
        Path(file).write_text(text)
    result = run(*command, file, *(["out.yaml"] if command == ["convert"] else []))
    assert result.exit_code == 2
    assert result.stderr.startswith("error: ") and words in result.stderr
    assert result.stdout == "" and "Traceback" not in result.stderr and "\x1b" not in result.stderr
    assert not Path("out.yaml").exists()


def test_debug_lets_the_error_through(run, monkeypatch):
    assert isinstance(run("--debug", "info", "missing.yaml").exception, gori.errors.FileError)
    monkeypatch.setenv("GORI_DEBUG", "1")
    assert isinstance(run("info", "missing.yaml").exception, gori.errors.FileError)


def test_ctrl_c(run, monkeypatch):
    def interrupted():
        raise KeyboardInterrupt

    monkeypatch.setattr("gori.formats.json_schema", interrupted)
    result = run("schema")
    assert result.exit_code == 130 and result.output == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such signals and pipes")
@pytest.mark.parametrize("words", [["schema"], ["info", "--all", "long.yaml"], ["info", "--json", "long.yaml"]])
def test_broken_pipe_is_silent(tmp_path, words):
    (tmp_path / "long.yaml").write_text(chain(200))
    process = shell(*words, cwd=tmp_path)
    process.stdout.close()
    assert process.stderr.read() == ""
    assert process.wait() in (0, 1, 128 + signal.SIGPIPE)


# ---- info


def test_info(run):
    result = run("info", "four.yaml")
    assert result.exit_code == 0 and result.stderr == "" and "\x1b" not in result.stdout
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert lines[:3] == [
        "four.yaml YAML, gravity 0 0 -9.81 m/s2",
        "4 bodies, 4 joints (3 moving), 1 cut, 1 frame, 1 mimic",
        "mass 10 kg, nq 6, nv 5",
    ]
    text = "\n".join(lines)
    assert "crank 1 kg A revolute q[0] -30 .. 90 deg" in text
    assert "coupler 2 kg B spherical q[1:5] v[1:4]" in text
    assert "rocker 3 kg C revolute q[5] v[4] mimic" in text
    assert "rod 4 kg E fixed" in text
    assert "D revolute coupler - rocker" in text
    assert "C = 2 * A +0.5" in text
    assert "tip on coupler" in text


def test_info_shows_urdf_warnings_in_words(run):
    result = run("info", "arm.urdf", "--base", "free")
    assert result.exit_code == 0 and result.stderr == ""
    assert "nq 8, nv 7" in result.stdout and "-1 .. 1 m" in result.stdout
    assert "1 warning\n  line 3: link 'b': inertia breaks the triangle inequality" in result.stdout
    assert "SpecWarning" not in result.stdout


def test_info_strict_refuses(run):
    result = run("info", "arm.urdf", "--strict")
    assert result.exit_code == 2 and "error: arm.urdf, line 3: link 'b'" in result.stderr


def test_info_options_of_another_format(run):
    result = run("info", "four.yaml", "--base", "free")
    assert result.exit_code == 2 and "take no option base" in result.stderr


def test_info_json(run):
    about = json.loads(run("info", "four.yaml", "--json").stdout)
    assert (about["nq"], about["nv"], about["mass"], about["format"]) == (6, 5, 10.0, "YAML")
    assert list(about["bodies"]) == ["crank", "coupler", "rocker", "rod"]
    assert about["joints"]["B"] == {
        "type": "spherical", "parent": "crank", "child": "coupler", "q": [1, 5], "v": [1, 4], "limits": None
    }  # fmt: skip
    assert about["joints"]["A"]["limits"] == pytest.approx([-0.5235987755982988, 1.5707963267948966])
    assert about["mimic"] == {"C": {"joint": "A", "ratio": 2.0, "offset": 0.5}}
    assert about["cuts"]["D"]["child"] == "rocker" and about["frames"] == {"tip": {"body": "coupler"}}
    assert about["warnings"] == []
    assert "triangle" in json.loads(run("info", "arm.urdf", "--json").stdout)["warnings"][0]


def test_info_says_which_joints_became_cuts(run):
    text = FOUR_BAR.replace("C: {type: revolute, parent: ground, at: [0.5, 0, 0], child: rocker,",
                            "C: {type: revolute, parent: rocker, child_at: [0.5, 0, 0], child: ground,")  # fmt: skip
    head, tail = text.split("cuts:\n")
    Path("graph.yaml").write_text(head + tail)  # D is one of the joints now
    result = run("info", "graph.yaml")
    assert result.exit_code == 0
    lines = [" ".join(line.split()) for line in result.stdout.splitlines()]
    assert "4 bodies, 4 joints (3 moving), 1 cut, 1 frame, 1 mimic" in lines
    assert "B spherical crank - coupler a joint that closes a loop" in lines
    assert lines.index("C ground - rocker") == lines.index("joints turned around") + 1
    about = json.loads(run("info", "graph.yaml", "--json").stdout)
    assert about["became_cuts"] == ["B"] and about["turned"] == ["C", "D"]
    assert about["cuts"]["B"] == {"type": "spherical", "parent": "crank", "child": "coupler"}
    assert json.loads(run("info", "four.yaml", "--json").stdout)["became_cuts"] == []


def test_info_leaves_out_the_middle_of_a_long_chain(run):
    Path("long.yaml").write_text(chain(1200))
    short, full = run("info", "long.yaml").stdout, run("info", "long.yaml", "--all").stdout
    assert "... 1190 more" in short and "b600 " not in short and "b1199 " in short
    assert "more" not in full and all(f"b{i} " in full for i in range(1200))


def test_info_counts_what_is_too_deep(run):
    Path("comb.yaml").write_text(chain(60, ribs=True))
    assert re.search(r"\.\.\. \d+ more", run("info", "comb.yaml").stdout)
    full = run("info", "comb.yaml", "--all")
    assert full.exit_code == 0 and "r59" in full.stdout


@pytest.mark.parametrize("columns", [20, 40, 80])
def test_info_fits_a_narrow_terminal(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    result = run("info", "four.yaml")
    assert result.exit_code == 0
    assert max(map(len, result.stdout.splitlines())) <= columns


def test_info_takes_names_as_they_are(run):
    Path("odd.yaml").write_text(
        'gori: 1\nbodies: {"[red]b[/red]": {mass: 1}, ":smile:": {}}\n'
        'joints:\n  j: {type: free, parent: ground, child: "[red]b[/red]"}\n'
        '  k: {type: fixed, parent: ground, child: ":smile:"}\n'
    )
    result = run("info", "odd.yaml")
    assert "[red]b[/red]" in result.stdout and ":smile:" in result.stdout


def test_info_of_nothing(run):
    Path("empty.yaml").write_text("gori: 1\n")
    result = run("info", "empty.yaml")
    assert result.exit_code == 0 and "0 bodies, 0 joints" in result.stdout


# ---- convert and schema


def test_convert(run):
    result = run("convert", "arm.urdf", "arm.yaml", "--base", "free")
    assert result.exit_code == 0 and "arm.yaml: 2 bodies, 2 joints" in result.stdout
    assert "1 warning" in result.stderr and "triangle" in result.stderr
    assert gori.load("arm.yaml").joints["base"].type == "free"


def test_convert_keeps_a_file_that_is_there(run):
    result = run("convert", "arm.urdf", "four.yaml")
    assert result.exit_code == 2 and "--force" in result.stderr and Path("four.yaml").read_text() == FOUR_BAR
    assert run("convert", "arm.urdf", "four.yaml", "--force").exit_code == 0
    assert set(gori.load("four.yaml").bodies) == {"a", "b"}


def test_convert_to_another_format(run):
    result = run("convert", "four.yaml", "four.urdf")
    assert result.exit_code == 2 and "saved as .yaml" in result.stderr


def test_schema(run):
    schema = json.loads(run("schema").stdout)
    assert schema["$schema"].startswith("https://json-schema.org/")
    assert {"gori", "gravity", "bodies", "joints", "cuts", "frames"} <= set(schema["properties"])
    assert schema["required"] == ["gori"] and schema["properties"]["gori"]["const"] == 1


def test_schema_accepts_a_good_file(run):
    jsonschema = pytest.importorskip("jsonschema")
    yaml = pytest.importorskip("yaml")
    schema = json.loads(run("schema").stdout)
    jsonschema.validate(yaml.safe_load(FOUR_BAR), schema)
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"gori": 1, "bodys": {}}, schema)


# ---- doctor


@pytest.fixture
def one_kernel(monkeypatch):
    """Only the kernel that compiles fastest."""
    cache.all_kernels()
    monkeypatch.setattr(jit, "KERNELS", {"difference_batch": jit.KERNELS["difference_batch"]})


@pytest.fixture
def own_root(tmp_path, monkeypatch):
    """A cache folder of the test's own, with one stale folder and one that is not Gori's."""
    for name in ("0123456789abcdef", "not_ours"):
        (tmp_path / "cache" / name).mkdir(parents=True)
        (tmp_path / "cache" / name / "lock").write_text("12345")
    monkeypatch.setenv("GORI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def test_doctor(run):
    result = run("doctor")
    assert result.exit_code == 0 and result.stderr == ""
    for item in ("gori", "python", "platform", "numpy", "scipy", "numba", "llvmlite", "cores", "threads", "cpu", "gpu"):
        assert item in result.stdout
    assert re.search(r"numba layer +(tbb|omp|workqueue)", result.stdout)
    assert jit.CACHE.name in result.stdout and all(name in result.stdout for name in cache.all_kernels())


def test_doctor_compile(run, one_kernel):
    result = run("doctor", "--compile")
    assert result.exit_code == 0
    assert re.search(r"difference_batch +[\d.]+ s  (loaded|compiled)", result.stdout)
    assert re.search(r"1 kernel ready in [\d.]+ s", result.stdout)
    assert cache.is_cached(jit.KERNELS["difference_batch"])


def test_doctor_tells_what_is_not_compiled(tmp_path):
    process = shell("doctor", env=os.environ | {"GORI_CACHE": str(tmp_path)})
    output, errors = process.communicate()
    assert process.returncode == 0 and errors == ""
    assert re.search(r"compiled +0 of \d+", output) and re.search(r"not compiled +\w+, ", output)
    assert list(tmp_path.iterdir()) == [] or not any(tmp_path.rglob("*.nbc"))


def test_doctor_tells_of_a_folder_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    process = shell("doctor", env=os.environ | {"GORI_CACHE": str(tmp_path / "file")})
    output, _ = process.communicate()
    assert process.returncode == 0 and "cannot be written: set GORI_CACHE" in output


def test_doctor_clean(run, own_root):
    assert re.search(r"stale +1 folder of other sources or versions, 5 bytes", run("doctor").stdout)
    assert (own_root / "0123456789abcdef").exists()
    assert re.search(r"stale +1 folder removed", run("doctor", "--clean").stdout)
    assert [path.name for path in own_root.iterdir()] == ["not_ours"]


def test_doctor_clean_spares_a_folder_in_use(run, own_root):
    fcntl = pytest.importorskip("fcntl")
    with open(own_root / "0123456789abcdef" / "lock") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        assert "1 in use and kept" in run("doctor", "--clean").stdout
    assert (own_root / "0123456789abcdef").exists()


def test_doctor_finds_a_broken_package(run, monkeypatch):
    monkeypatch.setitem(sys.modules, "h5py", None)
    result = run("doctor")
    assert result.exit_code == 1 and "h5py cannot be imported" in result.stderr


def test_doctor_finds_a_kernel_that_does_not_compile(run, one_kernel, monkeypatch):
    def fail(self):
        raise TypeError("no such type")

    monkeypatch.setattr(jit.Kernel, "load", fail)
    result = run("doctor", "--compile")
    assert result.exit_code == 1 and "difference_batch" in result.stderr and "no such type" in result.stderr
