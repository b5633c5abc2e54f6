"""The reader as a whole: sections of the Spec, round trip through YAML, attachments."""

import sys

import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled, errors
from gori.errors import FileError, InputError, MissingPackageError
from gori.formats import format_of
from gori.formats.mjcf import read_mjcf
from gori.formats.mjcf.files import as_text, read_document
from gori.formats.mjcf.read import checked_model

ARM = """<option gravity='0 0 -3'/><worldbody><geom name='floor' type='plane' size='1 1 1'/>
  <body name='a' pos='0 0 1'><joint name='j' axis='0 1 0' damping='.1'/><geom name='g' size='.1' pos='.2 0 0'/>
  <site name='tip' pos='.3 0 0'/></body></worldbody><actuator><motor name='m' joint='j'/></actuator>"""


def test_sections(mjcf):
    spec = read_mjcf(mjcf(ARM))
    assert spec.gravity == (0.0, 0.0, -3.0)
    assert set(spec.bodies) == {"ground", "a"} and list(spec.bodies["ground"].shapes) == ["floor"]
    assert set(spec.joints) == {"j"} and set(spec.frames) == {"tip"} and set(spec.forces) == {"m"}


def test_yaml_says_the_same(mjcf, tmp_path):
    path = mjcf(ARM)
    spec = gori.load(path, collide="rubber")
    gori.save(spec, tmp_path / "a.yaml")
    assert gori.load(tmp_path / "a.yaml") == spec
    (tmp_path / "uses.yaml").write_text("gori: 1\nuse: model.xml\njoints: {j: {damping: 2}}\n")
    assert gori.load(tmp_path / "uses.yaml").joints["j"].damping == (2.0,)


def test_the_root_element_says_what_an_xml_file_is(mjcf, tmp_path):
    path = mjcf(ARM)
    assert format_of(path) == "MJCF" and format_of(tmp_path / "x.mjcf") == "MJCF"
    path.with_suffix(".mjcf").write_bytes(path.read_bytes())
    assert gori.load(path) == gori.load(path.with_suffix(".mjcf"))
    robot = tmp_path / "robot.xml"
    robot.write_text("<?xml version='1.0'?><!-- <mujoco> --><robot name='r'><link name='a'/></robot>")
    assert format_of(robot) == "URDF" and list(gori.load(robot).bodies) == ["a"]
    robot.write_text("<a/>")
    with pytest.raises(FileError, match=r"root element is <a>: none of <mujoco> \(MJCF\), <robot> \(URDF\) and <sdf>"):
        gori.load(robot)
    with pytest.raises(FileError, match="no such file"):
        gori.load(tmp_path / "none.xml")
    with pytest.raises(InputError, match="MJCF files take no option base; known: within, collide, keyframe, strict"):
        gori.load(path, base="free")


def test_files_that_end_in_mjcf_have_includes_meshes_and_attachments(mjcf, tmp_path):
    trimesh = pytest.importorskip("trimesh")
    trimesh.creation.box((0.1, 0.2, 0.3)).export(tmp_path / "part.stl")
    mjcf("<worldbody><body name='finger'><joint/><geom size='.1'/></body></worldbody>", "finger.xml")
    mjcf("<worldbody><body name='b'><joint/><geom type='mesh' mesh='m'/></body></worldbody>", "b.xml")
    path = mjcf(
        """<asset><mesh name='m' file='part.stl'/><model name='f' file='finger.xml'/></asset>
      <include file='b.xml'/><worldbody><attach model='f' body='finger' prefix='x_'/></worldbody>""",
        "a.mjcf",
    )
    spec = gori.load(path)
    assert set(spec.bodies) == {"b", "x_finger"} and spec.bodies["b"].shapes["geom_0"].file == str(
        tmp_path / "part.stl"
    )
    assert "part.stl" in as_text(read_document(path, tmp_path)) and "include" not in as_text(
        read_document(path, tmp_path)
    )


def test_parts_of_other_files_are_attached(mjcf):
    mjcf(
        "<worldbody><body name='finger'><joint name='bend'/><geom size='.1' pos='.1 0 0'/></body></worldbody>",
        "finger.xml",
    )
    path = mjcf("""<asset><model name='finger' file='finger.xml'/></asset><worldbody><body name='hand'><freejoint/>
      <geom size='.2'/><frame pos='.3 0 0'><attach model='finger' body='finger' prefix='left_'/></frame>
      <frame pos='-.3 0 0'><attach model='finger' body='finger' prefix='right_'/></frame></body></worldbody>""")
    model = gori.compile(gori.load(path))
    assert set(model.joint_names) >= {"left_bend", "right_bend"}
    assert max(errors(compiled(path), model).values()) < 1e-10


def test_numbers_are_those_of_the_compiled_model(mjcf):
    m, written = checked_model(mjcf(ARM))
    assert m.nv == 1 and [body.name for body in written.bodies] == ["world", "a"]


@pytest.mark.parametrize("missing", ["mujoco", "lxml"])
def test_without_its_packages(mjcf, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(MissingPackageError, match=r"pip install 'gori\[mjcf\]'"):
        gori.load(mjcf(ARM))


def test_an_empty_model(mjcf):
    model = gori.compile(gori.load(mjcf("")))
    assert model.nv == 0 and np.isfinite(model.mass)
