"""Tendons against MuJoCo."""

import mujoco
import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled, same_forces
from gori.errors import FileError, FormatWarning
from gori.formats.mjcf.source import MjcfSource
from gori.formats.mjcf.tendons import tendons

ARM = """<worldbody><site name='top' pos='.1 0 2'/><body name='a' pos='0 0 1'><joint name='j' axis='0 1 0'/>
  <geom name='g' size='.1' pos='.2 0 0'/>
  <body name='b' pos='.4 0 0'><joint name='s' type='slide' axis='0 0 1' ref='.2'/><geom size='.1' pos='.2 0 0'/>
  <site name='tip' pos='.3 0 .1'/></body></body></worldbody><tendon>{}</tendon>"""
BOTH = "<joint joint='j' coef='.5'/><joint joint='s' coef='-2'/></fixed>"
LINE = "<spatial name='t' {}><site site='tip'/><site site='top'/></spatial>"
TENDONS = {
    "spring": f"<fixed name='t' stiffness='30' damping='.4'>{BOTH}",
    "spring of a length": f"<fixed name='t' stiffness='30' springlength='.3'>{BOTH}",
    "slack between two lengths": f"<fixed name='t' stiffness='30' springlength='-.1 .1' damping='.1'>{BOTH}",
    "one joint": "<fixed name='t' stiffness='30' damping='.4' springlength='.3'><joint joint='s' coef='-2'/></fixed>",
    "one joint with slack": "<fixed name='t' stiffness='30' springlength='0 .3'><joint joint='s' coef='-2'/></fixed>",
    "a line": "<spatial name='t' stiffness='30' damping='.4'><site site='top'/><site site='tip'/></spatial>",
    "a line of a length": LINE.format("stiffness='3' springlength='.5'"),
}


@pytest.mark.parametrize("name", TENDONS)
def test_forces_are_those_of_mujoco(mjcf, name):
    path = mjcf(ARM.format(TENDONS[name]))
    assert same_forces(path, path.parent) < 1e-9
    assert all(force.split(".")[0] == "t" for force in tendons(MjcfSource(compiled(path), path)))


LEFT_OUT = {
    "bends or hangs slack: t": LINE.format("stiffness='3' springlength='0 1'"),
    "without stiffness: t": LINE.format(""),
    "bends or hangs slack: u": "<spatial name='u'><site site='tip'/><geom geom='g'/><site site='top'/></spatial>",
    "limit of a tendon over several joints, or of a spatial one: t": f"<fixed name='t' range='-1 1'>{BOTH}",
    "friction of a tendon over several joints, or of a spatial one: t": f"<fixed name='t' frictionloss='1'>{BOTH}",
    "not linear: t": f"<fixed name='t' stiffness='1 2'>{BOTH}",
}


@pytest.mark.parametrize("words", LEFT_OUT)
def test_what_is_left_out_is_told_by_name(mjcf, words):
    path = mjcf(ARM.format(LEFT_OUT[words]))
    with pytest.warns(FormatWarning, match=words):
        gori.load(path)


def test_inertia_that_joints_share_is_refused(mjcf):
    with pytest.raises(FileError, match="tendon 't': its armature"):
        gori.load(mjcf(ARM.format(f"<fixed name='t' armature='1'>{BOTH}")))


ONE = "<joint joint='s' coef='-2'/></fixed>"


def test_friction_of_a_tendon_of_one_joint_is_that_of_the_joint(mjcf):
    """The force that stops a fast slide in MuJoCo is the friction of the joint: its own and twice the tendon's."""
    path = mjcf(ARM.format(f"<fixed name='t' frictionloss='3'>{ONE}").replace("ref='.2'", "frictionloss='.5'"))
    m = compiled(path)
    d = mujoco.MjData(m)
    d.qvel[1] = 100.0
    mujoco.mj_forward(m, d)
    assert gori.load(path).joints["s"].friction == (6.5,)
    assert np.isclose(d.qfrc_constraint[1], -6.5)


def test_limits_of_a_tendon_of_one_joint_are_those_of_the_joint(mjcf):
    """-2 q within -0.6 and 1 is q within -0.5 and 0.3: where MuJoCo's constraint begins."""
    path = mjcf(ARM.format(f"<fixed name='t' limited='true' range='-.6 1'>{ONE}"))
    m = compiled(path)
    assert np.allclose(gori.load(path, strict=True).joints["s"].limits, (-0.5, 0.3))
    for q, active in ((-0.499, 0), (-0.501, 1), (0.299, 0), (0.301, 1)):
        d = mujoco.MjData(m)
        d.qpos[1] = q
        mujoco.mj_forward(m, d)
        assert d.nefc == active, q
    narrower = path.read_text().replace("ref='.2'", "limited='true' range='-.1 5'")
    path.write_text(narrower)
    assert np.allclose(gori.load(path).joints["s"].limits, (-0.1, 0.3))
    path.write_text(narrower.replace("-.1 5", "4 5"))
    with pytest.warns(FormatWarning, match="limits of a joint and its tendons that exclude each other: s"):
        assert gori.load(path).joints["s"].limits is None
