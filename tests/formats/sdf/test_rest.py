"""What is not carried over is listed by name."""

import warnings

import pytest

import gori
from gori.errors import FileError, FormatWarning
from gori.formats.sdf.rest import list_the_rest


def told(path, **options):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        gori.load(path, **options)
    assert {warning.category for warning in caught} <= {FormatWarning} and len(caught) <= 1
    return str(caught[0].message) if caught else ""


def test_everything_else_is_listed_once_by_name(sdf):
    path = sdf("""<world name='w'><light name='sun' type='point'/><physics name='fast' type='ode'/><wind/><scene/>
      <actor name='walker'/><plugin name='p' filename='f'/><include><uri>arm.sdf</uri><name>arm</name>
      <plugin name='q'/></include>
      <model name='m'><plugin name='drive' filename='f'/><allow_auto_disable>1</allow_auto_disable>
      <link name='a'><sensor name='imu' type='imu'/><kinematic>true</kinematic><enable_wind>false</enable_wind>
      <velocity_decay><linear>0.1</linear></velocity_decay></link><link name='b'/>
      <joint name='j' type='revolute'><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis>
      <physics/><sensor name='torque' type='force_torque'/></joint>
      <drake:bushing xmlns:drake='d' name='r'/></model></world>""")
    sdf(
        "<model name='arm'><link name='l'><velocity_decay><linear>0</linear></velocity_decay></link></model>",
        name="arm.sdf",
    )
    words = told(path)
    for line in ("light: sun", "physics: fast, m.j", "wind", "actor: walker", "plugin: p, arm.q, m.drive",
                 "sensor: m.a.imu, m.j.torque", "kinematic: m.a", "velocity_decay: m.a",
                 "drake:bushing: m.r"):  # fmt: skip
        assert f"\n  {line}\n" in f"{words}\n", (line, words)
    assert not any(name in words for name in ("enable_wind", "scene", "allow_auto_disable", "arm.l"))
    with pytest.raises(FileError, match="light: sun"):
        gori.load(path, strict=True)


def test_nothing_is_said_of_a_file_that_is_all_read(sdf):
    path = sdf("<model name='m'><link name='a'><self_collide>false</self_collide></link></model>")
    assert told(path) == "" and gori.load(path, strict=True)


def test_frames_of_poses_before_they_had_a_meaning(sdf):
    model = "<model name='m'><link name='a'><pose frame='{}'>0 0 1 0 0 0</pose></link></model>"
    assert "frames of poses before SDFormat 1.7: a" in told(sdf(model.format("b"), "1.6"))
    assert told(sdf(model.format(""), "1.6")) == ""


def test_kinds_and_names(source_of):
    source = source_of("<model name='m'><gripper name='g'/><link name='a'><battery name='b'/></link></model>")
    list_the_rest(source)
    assert source.left.parts == {"gripper": ["g"], "battery": ["a.b"]}
