"""Commands with SDFormat files."""

import json
from pathlib import Path

import pytest

import gori
from gori.cli.reading import Reading, is_machine

pytest.importorskip("lxml")

ARM = """<sdf version="1.9"><model name="arm"><link name="a"/><link name="b"><sensor name="eye" type="camera"/></link>
  <joint name="j" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 1 0</xyz></axis></joint>
  </model></sdf>"""
WORLD = """<sdf version="1.9"><world name="w"><include><uri>model://arm/arm.sdf</uri></include></world></sdf>"""


def test_info(run):
    Path("arm.sdf").write_text(ARM)
    facts = json.loads(run("info", "arm.sdf", "--json").stdout)
    assert facts["format"] == "SDFormat" and facts["nv"] == 7 and "sensor: b.eye" in facts["warnings"][0]
    assert json.loads(run("info", "arm.sdf", "--base", "fixed", "--json").stdout)["nv"] == 1
    assert run("info", "arm.sdf", "--strict").exit_code == 2


def test_convert_with_models_elsewhere(run):
    Path("models/arm").mkdir(parents=True)
    Path("models/arm/arm.sdf").write_text(ARM)
    Path("worlds").mkdir()
    Path("worlds/w.sdf").write_text(WORLD)
    result = run("convert", "worlds/w.sdf", "w.yaml")
    assert result.exit_code == 2 and "give packages=[FOLDER]" in result.stderr
    result = run("convert", "worlds/w.sdf", "w.yaml", "--packages", "models")
    assert (
        result.exit_code == 0 and "w.yaml: 2 bodies, 2 joints" in result.stdout and "sensor: arm.b.eye" in result.stderr
    )
    assert list(gori.load("w.yaml").joints) == ["arm.a.free", "arm.j"]
    assert run("info", "worlds/w.sdf", "--packages", "models").exit_code == 0


def test_a_description_may_use_it(run):
    Path("arm.sdf").write_text(ARM)
    Path("more.yaml").write_text("gori: 1\nuse: arm.sdf\njoints:\n  j: {damping: 0.5}\n")
    assert gori.load("more.yaml").joints["j"].damping == (0.5,)


def test_view_takes_it_for_a_machine(run):
    Path("arm.sdf").write_text(ARM)
    assert is_machine(Path("arm.sdf")) and Reading().model(Path("arm.sdf")).joint_names == ("a.free", "j")
    Path("w.world").write_text(WORLD.replace("model://arm/", ""))
    assert is_machine(Path("w.world")) and Reading().model(Path("w.world")).joint_names == ("arm.a.free", "arm.j")
