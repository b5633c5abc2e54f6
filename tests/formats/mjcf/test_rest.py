"""What has no counterpart is listed, and what a recording shows anyway is not."""

import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.errors import FileError, FormatWarning
from gori.formats.mjcf.rest import has_channel, list_the_rest
from gori.formats.mjcf.source import MjcfSource

MACHINE = """<option density='1.2'/><custom><numeric name='n' data='1'/><text name='t' data='x'/></custom>
  <worldbody><light name='sun'/><body name='a'><camera name='eye'/><joint name='j'/><geom size='.1'/>
  <site name='s'/></body></worldbody>
  <sensor><jointpos name='q' joint='j'/><accelerometer name='imu' site='s'/>
  <framepos name='at' objtype='site' objname='s'/>
  <framepos name='seen' objtype='site' objname='s' reftype='body' refname='a'/></sensor>"""


def test_the_rest_is_listed_by_name(mjcf):
    path = mjcf(MACHINE)
    source = MjcfSource(compiled(path), path)
    list_the_rest(source)
    assert source.left.parts == {
        "camera": ["eye"], "light": ["sun"], "numeric": ["n"], "text": ["t"], "sensor": ["imu", "seen"],
        "forces of the surrounding fluid (density, viscosity, wind)": [],
    }  # fmt: skip
    assert [has_channel(source.m, k) for k in range(4)] == [True, False, True, False]
    with pytest.warns(FormatWarning, match="sensor: imu, seen"):
        gori.load(path)


def test_deformable_bodies_are_refused(mjcf):
    with pytest.raises(FileError, match="1 flexes: deformable bodies have no counterpart"):
        gori.load(
            mjcf("<worldbody><flexcomp name='f' type='grid' count='3 3 1' spacing='.1 .1 .1' dim='2'/></worldbody>")
        )
