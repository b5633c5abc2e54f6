"""Macros, expanded only on request, in a process with bounds."""

import pytest

import gori
from gori.errors import FileError, InputError, MissingPackageError
from gori.formats import xacro as door

TEXT = """<?xml version="1.0"?>
<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="mass" default="1"/>
  <xacro:macro name="one" params="name">
    <link name="${name}">
      <inertial><mass value="$(arg mass)"/><inertia ixx="${2*0.5}" iyy="1" izz="1"/></inertial>
    </link>
  </xacro:macro>
  <xacro:one name="a"/>
</robot>
"""


@pytest.fixture
def file(tmp_path):
    (tmp_path / "r.urdf.xacro").write_text(TEXT)
    return tmp_path / "r.urdf.xacro"


def test_only_on_request(file):
    with pytest.raises(FileError, match="run xacro on it first"):
        gori.load(file)
    pytest.importorskip("xacro")
    assert gori.load(file, xacro=True).bodies["a"].mass == 1.0
    assert gori.load(file, xacro={"mass": "3"}).bodies["a"].mass == 3.0
    with pytest.raises(InputError, match="xacro must be True or"):
        gori.load(file, xacro="mass:=3")


def test_what_it_cannot_expand(file, monkeypatch):
    pytest.importorskip("xacro")
    file.write_text(TEXT.replace("${2*0.5}", "${nothing}"))
    with pytest.raises(FileError, match=r"xacro cannot expand it: .*nothing"):
        gori.load(file, xacro=True)
    monkeypatch.setattr(door, "find_spec", lambda name: None)
    with pytest.raises(MissingPackageError, match=r"gori\[xacro\]"):
        gori.load(file, xacro=True)


def test_bounds(file, monkeypatch):
    pytest.importorskip("xacro")
    monkeypatch.setattr(door, "SECONDS", 1)
    file.write_text(TEXT.replace("${2*0.5}", "${[x for x in range(10**12)][0]}"))
    with pytest.raises(FileError, match="xacro"):
        gori.load(file, xacro=True)
    monkeypatch.setattr(door, "_CHILD", "print('x' * 1000)")
    monkeypatch.setattr(door, "TEXT", 1000)
    with pytest.raises(FileError, match="MB"):
        door.expand(file, {})
