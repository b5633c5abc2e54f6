"""Commands with MJCF files."""

import json
from pathlib import Path

import pytest

import gori
from gori.cli.reading import Reading, is_machine

pytest.importorskip("mujoco")

ARM = """<mujoco><include file="{}"/><worldbody><light name="sun"/></worldbody></mujoco>"""
PART = """<mujoco><worldbody><body name="a"><joint name="j"/><geom size=".1"/></body></worldbody></mujoco>"""


def test_info(run):
    Path("part.xml").write_text(PART)
    Path("arm.xml").write_text(ARM.format("part.xml"))
    result = run("info", "arm.xml", "--json")
    facts = json.loads(result.stdout)
    assert facts["format"] == "MJCF" and facts["nv"] == 1 and "light: sun" in facts["warnings"][0]
    assert run("info", "arm.xml", "--strict").exit_code == 2


def test_convert_with_files_elsewhere(run):
    Path("part.xml").write_text(PART)
    Path("inner").mkdir()
    Path("inner/arm.xml").write_text(ARM.format("../part.xml"))
    result = run("convert", "inner/arm.xml", "arm.yaml")
    assert result.exit_code == 2 and "within=FOLDER" in result.stderr
    result = run("convert", "inner/arm.xml", "arm.yaml", "--within", ".")
    assert result.exit_code == 0 and "arm.yaml: 1 body, 1 joint" in result.stdout and "light: sun" in result.stderr
    assert list(gori.load("arm.yaml").joints) == ["j"]


def test_view_takes_it_for_a_machine(run):
    Path("part.xml").write_text(PART)
    assert is_machine(Path("part.xml")) and Reading().model(Path("part.xml")).joint_names == ("j",)
    assert run("view", "none.xml", "--save", "none.html").exit_code == 2
