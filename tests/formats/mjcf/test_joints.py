"""Joints of all kinds, alone and several on one body, against MuJoCo."""

import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled, errors, same_forces
from gori.errors import FormatWarning
from gori.formats.mjcf.joints import is_split, joints
from gori.formats.mjcf.source import MjcfSource

pytestmark = pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")

BOX = "<geom type='box' size='.1 .2 .3' pos='.1 0 .05' euler='9 8 7'/>"
MACHINES = {
    "hinge": f"<body pos='1 2 3' euler='30 40 50'><joint axis='1 2 3' pos='.1 .2 .3' ref='20'/>{BOX}</body>",
    "slide": f"<body pos='1 2 3' euler='3 4 5'><joint type='slide' axis='1 2 .3' pos='.1 .2 .3' ref='.4'/>{BOX}</body>",
    "ball": f"<body pos='1 2 3' euler='30 40 50'><joint type='ball' pos='.1 .2 .3'/>{BOX}</body>",
    "free": f"<body pos='1 2 3' euler='30 40 50'><freejoint/>{BOX}</body>",
    "free, with a drive": f"<body pos='1 2 3'><joint type='free' armature='.3' frictionloss='.1'/>{BOX}</body>",
    "free, on a spring": f"<body pos='1 2 3' euler='9 8 7'><joint type='free' stiffness='3' damping='.2'/>{BOX}</body>",
    "three on one body": f"""<body pos='0 0 1' euler='0 30 0'>
        <joint name='a' type='slide' axis='1 0 1' ref='.2' pos='.3 0 0' armature='.1'/>
        <joint name='b' axis='0 1 0' pos='.1 .2 .3' ref='30'/>
        <joint name='c' axis='1 0 0' pos='-.1 .2 .1' armature='.2'/>{BOX}
        <body pos='.3 0 0'><joint type='slide' axis='0 0 1'/><joint type='ball' pos='.1 0 0'/>{BOX}</body></body>""",
    "nested, with a fixed body": f"""<body pos='0 0 1'><freejoint/>{BOX}
        <body pos='.2 0 0' euler='0 0 40'>{BOX}<body pos='.2 0 .1'><joint axis='0 1 0'/>{BOX}</body></body>
        <body pos='-.2 0 0'><joint axis='0 1 1' damping='.4' stiffness='2' springref='25'/>{BOX}</body></body>""",
    "ball on a spring": f"<body><joint type='ball' stiffness='2' damping='.3' armature='.1'/>{BOX}</body>",
    "a frame": f"<frame pos='1 0 0' euler='0 0 45'><body pos='0 1 0'><joint axis='0 1 0'/>{BOX}</body></frame>",
    "replicas": f"<replicate count='3' offset='1 0 0'><body name='b'><joint axis='0 1 0'/>{BOX}</body></replicate>",
}


@pytest.mark.parametrize("name", MACHINES)
def test_dynamics_are_those_of_mujoco(mjcf, name):
    path = mjcf(f"<worldbody>{MACHINES[name]}</worldbody>")
    model = gori.compile(gori.load(path))
    found = errors(compiled(path), model)
    assert max(found.values()) < 1e-10 and found["mass"] < 1e-13, found
    assert same_forces(path, path.parent) < 1e-9


def test_q_is_the_same_number_and_starts_at_the_reference(mjcf):
    path = mjcf(f"<worldbody>{MACHINES['three on one body']}</worldbody>")
    model = gori.compile(gori.load(path))
    assert np.allclose(model.q0[:3], [0.2, np.radians(30.0), 0.0])
    assert model.joint_names[:3] == ("a", "b", "c")
    assert {"body_1.a", "body_1.b"} <= set(model.body_names)  # massless, between the joints


def test_defaults_and_classes_are_applied(mjcf):
    path = mjcf("""
    <compiler angle='radian'/>
    <default><joint damping='1' armature='.1'/>
      <default class='stiff'><joint stiffness='5' range='-1 2'/></default></default>
    <worldbody><body name='a'><joint name='j' class='stiff'/><geom size='.1'/>
      <body name='b' childclass='stiff'>
        <joint name='k' type='slide' damping='3' frictionloss='.5'/><geom size='.1'/></body>
    </body></worldbody>""")
    spec = gori.load(path)
    j, k = spec.joints["j"], spec.joints["k"]
    assert (j.damping, j.armature, j.stiffness, j.limits) == ((1.0,), (0.1,), (5.0,), (-1.0, 2.0))
    assert (k.damping, k.friction, k.type, k.limits) == ((3.0,), (0.5,), "prismatic", (-1.0, 2.0))


def test_a_free_joint_with_a_drive_is_split(mjcf):
    path = mjcf(f"<worldbody>{MACHINES['free, with a drive']}</worldbody>")
    m = compiled(path)
    made, between = joints(MjcfSource(m, path))
    assert is_split(m, 0)
    assert [joint["type"] for joint in made.values()] == ["prismatic"] * 3 + ["spherical"] and len(between) == 3


def test_flags_turn_parts_off(mjcf):
    path = mjcf("""<option><flag gravity='disable' damper='disable' limit='disable'/></option>
    <worldbody><body>
      <joint name='j' damping='1' limited='true' range='-10 10' stiffness='2'/><geom size='.1'/></body></worldbody>""")
    spec = gori.load(path)
    assert spec.gravity == (0.0, 0.0, 0.0)
    assert (
        spec.joints["j"].damping == (0.0,) and spec.joints["j"].limits is None and spec.joints["j"].stiffness == (2.0,)
    )


def test_what_is_not_linear_is_listed(mjcf):
    path = mjcf("<worldbody><body><joint name='j' damping='1 2' stiffness='1 2'/><geom size='.1'/></body></worldbody>")
    with pytest.warns(FormatWarning) as caught:
        gori.load(path)
    text = str(caught[0].message)
    assert "terms of higher order of joint stiffness: j" in text and "terms of higher order of joint damping: j" in text


def test_the_limit_of_a_ball_is_listed(mjcf):
    path = mjcf("<worldbody><body><joint name='j' type='ball' range='0 50'/><geom size='.1'/></body></worldbody>")
    with pytest.warns(FormatWarning, match="limit of a ball joint: j"):
        gori.load(path)
