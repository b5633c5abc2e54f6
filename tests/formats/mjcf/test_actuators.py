"""Actuators against MuJoCo, at the controls of a keyframe."""

import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled, same_forces
from gori.errors import FormatWarning
from gori.formats.mjcf.actuators import actuators
from gori.formats.mjcf.source import MjcfSource

ARM = """<worldbody><body name='a' pos='0 0 1'><joint name='j' axis='0 1 0'/><geom size='.1' pos='.2 0 0'/>
  <body name='b' pos='.4 0 0'><joint name='s' type='slide' axis='0 0 1'/><geom size='.1' pos='.2 0 0'/>
  <site name='tip' pos='.3 0 .1' euler='20 30 40'/>
  <body name='c' pos='.4 0 0'><joint name='k' type='ball'/><geom size='.1' pos='.2 0 0'/></body></body></body>
  <body name='f' pos='0 2 0'><freejoint name='root'/><geom type='box' size='.1 .2 .3'/></body></worldbody>
  <tendon><fixed name='t'><joint joint='j' coef='.5'/><joint joint='s' coef='-2'/></fixed>
    <fixed name='one'><joint joint='s' coef='-3'/></fixed></tendon>"""
ACTUATORS = {
    "motor": "<motor name='m' joint='j' gear='3'/>",
    "motor on a slide": "<motor name='m' joint='s' gear='-3' ctrlrange='-.1 .1'/>",
    "position": "<position name='m' joint='j' gear='2' kp='5' kv='.3'/>",
    "position with a dampratio": "<position name='m' joint='j' kp='5' dampratio='.5'/>",
    "position within a force": "<position name='m' joint='s' gear='2' kp='50' forcerange='-.5 .5'/>",
    "position within unequal forces": "<position name='m' joint='s' gear='2' kp='50' forcerange='-.5 1'/>",
    "velocity": "<velocity name='m' joint='j' gear='2' kv='.3'/>",
    "general": "<general name='m' joint='j' gear='2' gainprm='3' biastype='affine' biasprm='.5 -7 -.2'/>",
    "general that pushes": "<general name='m' joint='j' gear='2' gainprm='3' biastype='affine' biasprm='.5 1 .2'/>",
    "on a tendon": "<motor name='m' tendon='t' gear='2'/>",
    "position on a tendon": "<position name='m' tendon='t' gear='2' kp='4' kv='.2'/>",
    "position on a tendon of one joint": "<position name='m' tendon='one' gear='2' kp='4' kv='.2'/>",
    "at a site": "<motor name='m' site='tip' gear='1 2 3 4 5 6'/>",
    "on a ball": "<motor name='m' joint='k' gear='1 0 3'/>",
    "on a free joint": "<motor name='m' joint='root' gear='1 2 3 4 5 6'/>",
    "drive": "<motor name='m' joint='j' gear='3' armature='.1' damping='.2'/>",
    "drive on a tendon of one joint": "<motor name='m' tendon='one' gear='3' armature='.1'/>",
}
KEY = "<keyframe><key name='k' ctrl='.7'/></keyframe>"


@pytest.mark.parametrize("name", ACTUATORS)
def test_forces_are_those_of_mujoco(mjcf, name):
    path = mjcf(f"{ARM}<actuator>{ACTUATORS[name]}</actuator>{KEY}")
    assert same_forces(path, path.parent, "k") < 1e-9
    with_none = actuators(MjcfSource(compiled(path), path, start=0))
    assert with_none and all(force == "m" or force.startswith("m.") for force in with_none)


def test_motors_have_the_names_of_actuators_and_their_targets(mjcf):
    path = mjcf(f"""{ARM}<actuator><motor name='j' joint='j' gear='3'/>
      <position name='lift' joint='s' gear='2' kp='5' forcerange='-4 4'/></actuator>{KEY.replace("'.7'", "'.7 .5'")}""")
    spec = gori.load(path, keyframe="k")
    assert spec.forces["j.motor"].value == pytest.approx(2.1)  # a force must not have the name of a joint
    lift = spec.forces["lift"]
    assert (lift.target, lift.kp, lift.limit) == (0.25, 20.0, 8.0)
    assert gori.load(path).forces["lift"].target == 0.0


def test_a_control_beyond_its_range_is_clamped(mjcf):
    path = mjcf(f"{ARM}<actuator><motor name='m' joint='j' ctrlrange='-.2 .2'/></actuator>{KEY}")
    assert gori.load(path, keyframe="k").forces["m"].value == 0.2


LEFT_OUT = {
    "an activation": "<general name='m' joint='j' dyntype='filter' dynprm='.1'/>",
    "gain depends": "<damper name='m' joint='j' kv='1' ctrlrange='0 1'/>",
    "not linear in the coordinates": "<position name='m' joint='k' gear='1 0 0' kp='3'/>",
    "gear 0": "<motor name='m' joint='j' gear='0'/>",
}


@pytest.mark.parametrize("words", LEFT_OUT)
def test_what_is_not_linear_is_left_out_by_name(mjcf, words):
    path = mjcf(f"{ARM}<actuator>{LEFT_OUT[words]}</actuator>")
    with pytest.warns(FormatWarning, match=f"{words}.*: m"):
        spec = gori.load(path)
    assert "m" not in spec.forces


def test_names_that_no_expression_can_spell(mjcf):
    inside = ARM.replace("'j'", "'j-1'").replace("'s'", "'in'")
    path = mjcf(f"{inside}<actuator><position name='m' tendon='t' kp='2'/><position name='n' joint='j-1'/></actuator>")
    with pytest.warns(FormatWarning, match="no expression can spell: m"):
        assert list(gori.load(path).forces) == ["n"]


def test_a_run_follows_its_inputs(mjcf):
    path = mjcf(f"{ARM}<actuator><position name='lift' joint='s' kp='500' kv='40'/></actuator>")
    model = gori.compile(gori.load(path))
    simulation = gori.Simulation(model, gori.RK4(step=1e-3), force_values={"lift": "0.3*t"})
    rec = simulation.run(1.0, progress=False)
    assert np.abs(rec["s.q"][-1] - 0.3) < 0.15
