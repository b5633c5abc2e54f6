"""What drives add to joints, and levers of tendons."""

import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled, errors
from gori.errors import FileError
from gori.formats.mjcf.drives import gear_of, levers, on_joints, reflected, sum_of, transmission
from gori.formats.mjcf.source import MjcfSource

MACHINE = """<worldbody><body name='a'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/>
  <body name='b'><joint name='s' type='slide' armature='.1'/><geom size='.1'/></body></body>
  <body name='c'><joint name='ball' type='ball'/><geom size='.1'/></body></worldbody>
  <tendon><fixed name='t'><joint joint='j' coef='.5'/><joint joint='s' coef='-2'/></fixed>
  <fixed name='one'><joint joint='s' coef='3'/></fixed></tendon>
  <actuator>{}</actuator>"""


def source_of(mjcf, inside):
    path = mjcf(MACHINE.format(inside))
    return MjcfSource(compiled(path), path)


def test_drives_add_the_square_of_their_gears(mjcf):
    source = source_of(
        mjcf,
        """<motor joint='j' gear='2' armature='.3' damping='.2'/><motor joint='j' armature='.1'/>
      <motor tendon='one' gear='2' armature='.01'/>""",
    )
    added = reflected(source.m, source.file, source.names)
    assert np.allclose(added.armature, [4 * 0.3 + 0.1, 36 * 0.01, 0, 0, 0])
    assert np.allclose(added.damping, [0.8, 0, 0, 0, 0])
    assert errors(source.m, gori.compile(gori.load(source.file)))["mass"] < 1e-14


@pytest.mark.parametrize("inside", ["<motor name='m' joint='ball' gear='1 0 0' armature='1'/>",
                                    "<motor name='m' tendon='t' armature='1'/>"])  # fmt: skip
def test_inertia_without_a_counterpart_is_refused_by_name(mjcf, inside):
    with pytest.raises(FileError, match=r"(actuator 'm'|tendon 't').*has no counterpart"):
        gori.load(mjcf(MACHINE.format(inside)))


def test_levers(mjcf):
    source = source_of(mjcf, "<motor tendon='t' gear='4'/><motor joint='j' gear='5'/><motor joint='ball'/>")
    m = source.m
    assert levers(m, 0) == {0: 0.5, 1: -2.0}
    assert [transmission(m, k) for k in range(3)] == [{0: 2.0, 1: -8.0}, {0: 5.0}, None]
    assert gear_of(m, 1)[0] == 5.0
    assert sum_of(levers(m, 0), source.names, "v") == "(0.5*j.v + -2.0*s.v)"
    forces = dict(on_joints(source, "t", {0: 0.5, 1: -2.0}, 3.0))
    assert forces == {"t.j": {"type": "torque", "joint": "j", "value": 1.5},
                      "t.s": {"type": "force", "joint": "s", "value": -6.0}}  # fmt: skip
