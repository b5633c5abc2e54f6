"""`gori convert`."""

from pathlib import Path

import pytest

import gori
from tests.cli.files import FOUR_BAR


def test_convert(run):
    result = run("convert", "arm.urdf", "arm.yaml", "--base", "free")
    assert result.exit_code == 0 and "arm.yaml: 2 bodies, 2 joints" in result.stdout
    assert (
        result.stderr.startswith("warning: line 3: link 'b': inertia violates the triangle")
        and result.stderr.count("\n") == 1
    )
    assert gori.load("arm.yaml").joints["base"].type == "free"


def test_convert_keeps_a_file_that_is_there(run):
    result = run("convert", "arm.urdf", "four.yaml")
    assert result.exit_code == 2 and "--force" in result.stderr and Path("four.yaml").read_text() == FOUR_BAR
    assert run("convert", "arm.urdf", "four.yaml", "--force").exit_code == 0
    assert set(gori.load("four.yaml").bodies) == {"a", "b"}


def test_convert_to_another_format(run):
    result = run("convert", "four.yaml", "four.step")
    assert result.exit_code == 2 and "a machine is written as .yaml, .yml, .urdf" in result.stderr
    result = run("convert", "four.yaml", "four.urdf")
    assert result.exit_code == 2 and "--lossy" in result.stderr and "cuts: D" in result.stderr
    result = run("convert", "four.yaml", "four.urdf", "--lossy")
    assert result.exit_code == 0 and "cuts: D" in result.stderr
    assert set(gori.load("four.urdf").joints) == {"base", "A", "B", "C", "E", "tip.fixed"}
    assert run("convert", "four.yaml", "four.xml").exit_code == 0
    assert set(gori.load("four.xml").cuts) == {"D.a", "D.b"}


def test_convert_to_gltf(run, tmp_path):
    """A machine, and a run with its motion."""
    pytest.importorskip("trimesh")
    assert run("convert", "four.yaml", "machine.glb").exit_code == 0
    assert (tmp_path / "machine.glb").read_bytes()[:4] == b"glTF"
    (tmp_path / "run").mkdir()
    model = gori.compile(gori.load("arm.urdf"))
    gori.Simulation(model, gori.RK4(1e-3)).run(0.1, path="run/run.h5", progress=False)
    result = run("convert", "run", "run.glb")
    assert result.exit_code == 0 and "run.glb: 0.1 s" in result.stdout
    assert b'"animations"' in (tmp_path / "run.glb").read_bytes()


@pytest.mark.filterwarnings("ignore:.*inertia violates")
def test_convert_to_usd(run, tmp_path):
    """A machine, and a run with its motion, in all suffixes; a run in no other format."""
    pytest.importorskip("pxr")
    from pxr import Usd

    done = run("convert", "four.yaml", "machine.usda")
    assert done.exit_code == 0 and done.stdout.startswith("machine.usda: 4 bodies, 4 joints, ")
    model = gori.compile(gori.load("arm.urdf"))
    gori.Simulation(model, gori.RK4(1e-3)).run(0.1, path="run.h5", progress=False)
    for suffix in ("usdc", "usd", "usdz"):
        done = run("convert", "run.h5", f"run.{suffix}")
        assert done.exit_code == 0 and f"run.{suffix}: 0.1 s, " in done.stdout
        assert Usd.Stage.Open(f"run.{suffix}").GetEndTimeCode() == pytest.approx(6.0)
    done = run("convert", "run.h5", "few.usdc", "--frames", "3")
    assert "warning: 3 of 101 samples are written: more with" in done.stderr
    stage = Usd.Stage.Open("few.usdc")
    assert stage.GetPrimAtPath("/machine/b").GetAttribute("xformOp:translate").GetNumTimeSamples() == 3
    done = run("convert", "run.h5", "run.xml")
    assert done.exit_code == 2 and "a run is written as .glb, .usda, .usdc, .usd, .usdz, not as .xml" in done.stderr
    Path("folder.usda").mkdir()
    done = run("convert", "run.h5", "folder.usda", "--force")
    assert done.exit_code == 2 and "folder.usda: cannot be written: it is a folder" in done.stderr


def test_convert_xacro_only_on_request(run, tmp_path):
    pytest.importorskip("xacro")
    text = "<robot name='r' xmlns:xacro='http://www.ros.org/wiki/xacro'><link name='a'/></robot>"
    (tmp_path / "r.urdf.xacro").write_text(text)
    result = run("convert", "r.urdf.xacro", "r.yaml")
    assert result.exit_code == 2 and "--xacro" in result.stderr
    assert run("convert", "r.urdf.xacro", "r.yaml", "--xacro").exit_code == 0


@pytest.mark.filterwarnings("ignore:.*UsdPhysics")
def test_convert_takes_as_many_particles_as_it_is_told(run):
    pytest.importorskip("pxr")
    from pxr import Usd, UsdGeom

    example = str(Path(gori.__file__).parents[2] / "examples" / "tray.yaml")
    assert run("run", example, "--out", "out", "--duration", "0.01", "--no-plots").exit_code == 0
    done = run("convert", "out", "few.usdc", "--grains", "10")
    assert done.exit_code == 0 and "warning: 10 of 1000 particles are written: more with" in done.stderr
    stage = Usd.Stage.Open("few.usdc")
    assert len(UsdGeom.PointInstancer(stage.GetPrimAtPath("/machine/particles")).GetIdsAttr().Get()) == 10
