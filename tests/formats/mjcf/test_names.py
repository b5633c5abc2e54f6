"""Names of elements: those of the file where they fit, and told where they do not."""

import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.errors import FormatWarning
from gori.formats.left_out import LeftOut
from gori.formats.mjcf.names import ElementNames

MACHINE = """<worldbody><geom name='floor' size='1'/>
  <body name='ground'><joint name='same'/><geom size='.1'/><site name='ground'/></body>
  <body name='a b'><joint/><joint axis='0 1 0'/><geom size='.1'/><site name='same'/></body>
  <body><joint/><geom size='.1'/><site/></body></worldbody>
  <actuator><motor name='same' joint='same'/><motor joint='same'/></actuator>"""


def test_names_fit_a_spec(mjcf):
    left = LeftOut()
    names = ElementNames(compiled(mjcf(MACHINE)), left)
    assert names.bodies == ["ground", "ground_2", "a_b", "body_3"]
    assert names.joints == ["same", "joint_1", "joint_2", "joint_3"]
    assert names.sites == ["ground.site", "same.site", "site_2"]
    assert names.actuators == ["same.motor", "actuator_1"]
    assert left.message().splitlines() == ["body 'ground' is called 'ground_2'", "body 'a b' is called 'a_b'"]
    assert names.of("geom", 1) == ["floor"]


def test_names_that_mjcf_does_not_have(mjcf):
    names = ElementNames(compiled(mjcf(MACHINE)), LeftOut())
    assert names.body("new") == "new" and names.body("new") == "new_2" and names.body("a_b") == "a_b_2"
    assert names.joint("same") == "same_2"
    assert names.force("same.motor") == "same.motor_2" and names.force("ground_2") == "ground_2_2"


def test_the_spec_has_them(mjcf):
    with pytest.warns(FormatWarning, match="'a b' is called 'a_b'"):
        spec = gori.load(mjcf(MACHINE))
    assert set(spec.forces) == {"same.motor", "actuator_1"} and set(spec.frames) == {
        "ground.site",
        "same.site",
        "site_2",
    }
