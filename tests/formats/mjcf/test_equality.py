"""Equalities: exact here, and what MuJoCo's soft ones come to where they are made stiffer and stiffer."""

import mujoco
import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.errors import FormatWarning
from gori.formats.mjcf import MujocoCoordinates
from gori.formats.mjcf.equality import equalities
from gori.formats.mjcf.joints import joints
from gori.formats.mjcf.source import MjcfSource
from gori.model import assemble, consistent_velocity

ROD = "<geom type='capsule' fromto='0 0 0 {} 0 {}' size='.02'/>"
FOUR_BAR = f"""<worldbody>
  <body name='crank' pos='0 0 1'><joint name='A' axis='0 1 0'/>{ROD.format(0, 0.3)}
    <body name='coupler' pos='0 0 .3'><joint name='B' axis='0 1 0'/>{ROD.format(0.6, 0.2)}
      <site name='end' pos='.6 0 .2'/></body></body>
  <body name='rocker' pos='.6 0 1'><joint name='C' axis='0 1 0'/>{ROD.format(0, 0.5)}
    <site name='top' pos='0 0 .5'/></body></worldbody>"""
CHAIN = f"""<worldbody><body name='a' pos='0 0 1'><joint name='j' axis='0 1 0' ref='20'/>{ROD.format(0.3, 0)}
  <body name='b' pos='.3 0 0'><joint name='k' axis='0 1 0'/>{ROD.format(0.3, 0.1)}
  <body name='c' pos='.3 0 .1'><joint name='l' type='slide' axis='1 0 0'/>{ROD.format(0.2, 0.1)}</body></body></body>
  <body name='free' pos='.9 0 1.1'><freejoint name='root'/><geom type='box' size='.1 .2 .05'/></body></worldbody>
  <tendon><fixed name='t'><joint joint='j' coef='2'/></fixed><fixed name='u'><joint joint='l' coef='.5'/></fixed>
  <fixed name='w'><joint joint='j' coef='4'/></fixed>
  <fixed name='both'><joint joint='j' coef='2'/><joint joint='k' coef='-3'/></fixed></tendon>"""
MACHINES = {
    "four-bar by connect": (FOUR_BAR, "<connect body1='coupler' body2='rocker' anchor='.6 0 .2' {}/>", 1),
    "four-bar by sites": (FOUR_BAR, "<connect site1='end' site2='top' {}/>", 1),
    "weld of a free body": (CHAIN, "<weld body1='c' body2='free' {}/>", 3),
    "weld to the world": (CHAIN, "<weld body1='free' anchor='.9 0 1.1' {}/>", 3),
    "connect to the world": (CHAIN, "<connect body1='free' anchor='.1 .2 .05' {}/>", 6),
    "coupling of joints": (CHAIN, "<joint joint1='j' joint2='k' polycoef='0 -2 0 0 0' {}/>", 8),
    "coupling of tendons": (CHAIN, "<tendon tendon1='t' tendon2='u' polycoef='0 .5 0 0 0' {}/>", 8),
    "one tendon that is held": (CHAIN, "<tendon tendon1='both' {}/>", 8),
    "a joint that is held": (CHAIN, "<joint joint1='j' {}/>", 8),
}


def accelerations(path, q, v, model):
    """MuJoCo's at a state, in Gori's coordinates."""
    m = compiled(path)
    m.opt.disableflags |= int(mujoco.mjtDisableBit.mjDSBL_CONTACT)
    m.opt.tolerance, m.opt.iterations = 0.0, 200
    d, coordinates = mujoco.MjData(m), MujocoCoordinates(m, model)
    d.qpos[:], d.qvel[:] = coordinates.qpos(q), coordinates.qvel(q, v)
    mujoco.mj_forward(m, d)
    assert np.abs(d.efc_pos).max() < 1e-9 and np.abs(d.efc_vel).max() < 1e-9  # the state is on the constraints
    return coordinates.a(d.qpos, d.qvel, d.qacc)


@pytest.mark.parametrize("name", MACHINES)
def test_accelerations_are_the_limit_of_stiff_equalities(mjcf, name):
    machine, equality, freedom = MACHINES[name]
    soft = [equality.format(f"solref='.01 1' solimp='{d} {d} .1 .5 1'") for d in (0.99, 0.999, 0.9999)]
    paths = [mjcf(f"{machine}<equality>{text}</equality>", f"{k}.xml") for k, text in enumerate(soft)]
    model = gori.compile(gori.load(paths[0]))
    q = assemble(model, model.q0)
    v = consistent_velocity(model, q, np.random.default_rng(3).normal(size=model.nv))
    assert np.linalg.matrix_rank(model.loop_system.terms(q).J) == model.nv - freedom
    ours = model.forward_dynamics(q, v, np.zeros(model.nv))
    gaps = [np.abs(accelerations(path, q, v, model) - ours).max() / np.abs(ours).max() for path in paths]
    assert (gaps[2] < 2e-3 and gaps[0] > 5.0 * gaps[1] > 25.0 * gaps[2]) or max(gaps) < 1e-9, gaps


def parts(path):
    source = MjcfSource(compiled(path), path)
    made = joints(source)[0]
    return (*equalities(source, made), made, source.left.message())


def test_offsets_of_couplings(mjcf):
    """q_j - 20 deg = 0.1 - 2 (q_k - 0)."""
    coupling = "<joint name='e' joint1='j' joint2='k' polycoef='.1 -2 0 0 0'/>"
    _, _, made, _ = parts(mjcf(f"{CHAIN}<equality>{coupling}</equality>"))
    assert made["j"]["mimic"] == {"joint": "k", "ratio": -2.0, "offset": pytest.approx(0.1 + np.radians(20.0))}
    _, motions, _, _ = parts(mjcf(f"{CHAIN}<equality><joint name='e' joint1='j' polycoef='.1 0 0 0 0'/></equality>"))
    assert motions == {"e.hold": {"joint": "j", "value": pytest.approx(0.1 + np.radians(20.0))}}


def test_a_joint_that_follows_already_leads_the_other_way_round(mjcf):
    text = """<joint name='e' joint1='j' joint2='k'/><joint name='f' joint1='j' joint2='l' polycoef='0 2 0 0 0'/>
      <joint name='g' joint1='k' joint2='l'/>"""
    _, _, made, left = parts(mjcf(f"{CHAIN}<equality>{text}</equality>"))
    assert made["j"]["mimic"]["joint"] == "k"
    assert made["l"]["mimic"] == {"joint": "j", "ratio": 0.5, "offset": pytest.approx(-0.5 * np.radians(20.0))}
    assert "equality of joints that are coupled already: g" in left


LEFT_OUT = {
    "not active: e": "<joint name='e' joint1='j' joint2='k' active='false'/>",
    "higher order between joints: e": "<joint name='e' joint1='j' joint2='k' polycoef='0 1 2 0 0'/>",
    "more than two joints: e": "<tendon name='e' tendon1='both' tendon2='u'/>",
    "without effect: e": "<tendon name='e' tendon1='t' tendon2='w' polycoef='0 .5 0 0 0'/>",
}


@pytest.mark.parametrize("words", LEFT_OUT)
def test_what_is_left_out_is_told_by_name(mjcf, words):
    with pytest.warns(FormatWarning, match=words):
        gori.load(mjcf(f"{CHAIN}<equality>{LEFT_OUT[words]}</equality>"))


def test_two_bodies_that_do_not_move_on_each_other(mjcf):
    path = mjcf("""<worldbody><body name='a'/><body name='b'/></worldbody>
      <equality><weld name='e' body1='a' body2='b'/></equality>""")
    assert parts(path)[0] == {} and "do not move on each other: e" in parts(path)[3]


def test_a_weld_to_a_mocap_body_holds_and_is_told(mjcf):
    hand = "<body name='hand' mocap='true' pos='.9 0 1.1'/></worldbody>"
    path = mjcf(f"{CHAIN.replace('</worldbody>', hand)}<equality><weld name='e' body1='free' body2='hand'/></equality>")
    cuts, _, _, left = parts(path)
    assert cuts["e"]["type"] == "fixed" and "equality 'e' holds a body at the mocap body 'hand'" in left
