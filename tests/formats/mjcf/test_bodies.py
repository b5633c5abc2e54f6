"""Bodies, gravity compensation, and sites."""

import mujoco
import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled, same_forces
from gori.formats.mjcf.bodies import bodies, frames, gravity_compensation
from gori.formats.mjcf.source import MjcfSource

GEOMS = """<worldbody><body name='a' pos='0 0 1'><joint axis='0 1 0'/>
  <geom type='capsule' fromto='0 0 0 .3 .1 .2' size='.05'/><geom type='ellipsoid' size='.1 .2 .3' pos='.2 0 0'/>
  <geom type='cylinder' size='.1 .2' euler='20 30 40' mass='2'/></body></worldbody>"""


def test_inertia_comes_from_geoms(mjcf):
    path = mjcf(GEOMS)
    m, body = compiled(path), gori.load(path).bodies["a"]
    R = np.zeros(9)
    mujoco.mju_quat2Mat(R, m.body_iquat[1])
    R = R.reshape(3, 3)
    mass, com, J = body.inertial()
    assert mass == m.body_mass[1] and np.allclose(com, m.body_ipos[1], rtol=1e-15)
    assert np.allclose(J, R @ np.diag(m.body_inertia[1]) @ R.T, rtol=1e-13, atol=1e-14)


def test_an_inertia_that_is_given_and_one_that_is_not_possible(mjcf):
    given = "<inertial pos='1 2 3' mass='4' fullinertia='3 4 5 .1 .2 .3'/>"
    spec = gori.load(mjcf(f"<worldbody><body name='a'>{given}<joint/></body></worldbody>"))
    assert np.allclose(spec.bodies["a"].inertia, [3, 4, 5, 0.1, 0.2, 0.3], rtol=1e-12)
    source = MjcfSource(compiled(mjcf(GEOMS)), "x")
    source.m.body_inertia[1] = 1.0, 2.0, 4.0
    assert bodies(source)["a"]["unphysical"] is True
    assert "triangle inequality" in source.left.message()


@pytest.mark.parametrize("flag", ["", "<option><flag gravity='disable'/></option>"])
def test_gravity_compensation(mjcf, flag):
    path = mjcf(flag + GEOMS.replace("name='a'", "name='a' gravcomp='.7'"))
    assert same_forces(path, path.parent) < 1e-9 if not flag else gori.load(path).gravity == (0.0, 0.0, 0.0)
    found = gravity_compensation(MjcfSource(compiled(path), path))
    assert list(found) == ([] if flag else ["a.gravcomp"])


def test_sites_are_frames_and_take_other_names_than_bodies(mjcf):
    path = mjcf("""<worldbody><body name='tool'><joint/><geom size='.1'/>
      <site name='tool' pos='.1 .2 .3' euler='30 0 0'/></body><site name='mark'/></worldbody>""")
    made = frames(MjcfSource(compiled(path), path))
    assert list(made) == ["tool.site", "mark"] or list(made) == ["mark", "tool.site"]
    model = gori.compile(gori.load(path))
    d = mujoco.MjData(m := compiled(path))
    d.qpos[:] = 0.4
    mujoco.mj_kinematics(m, d)
    assert np.allclose(model.forward_kinematics([0.4])["tool.site"][:3, 3], d.site("tool").xpos, atol=1e-15)
    assert np.allclose(
        model.forward_kinematics([0.4])["tool.site"][:3, :3], d.site("tool").xmat.reshape(3, 3), atol=1e-15
    )


def test_a_mocap_body_stands_still_and_is_told(mjcf):
    path = mjcf(GEOMS.replace("</worldbody>", "<body name='hand' mocap='true' pos='1 2 3'/></worldbody>"))
    with pytest.warns(gori.errors.FormatWarning, match="mocap body 'hand' stands still"):
        spec = gori.load(path)
    assert spec.joints["hand.fixed"].type == "fixed" and spec.joints["hand.fixed"].at == (1.0, 2.0, 3.0)
