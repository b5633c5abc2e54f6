"""Who may touch whom: MuJoCo's own list of contacts is the oracle."""

import mujoco
import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.errors import InputError
from gori.formats.mjcf.contact import TouchClass, friction_of, let_collide
from gori.formats.mjcf.joints import joints
from gori.formats.mjcf.shapes import shapes
from gori.formats.mjcf.source import MjcfSource

pytestmark = pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")

# all geoms overlap, so that masks, pairs and joints alone decide
MASKS = """<worldbody><geom name='floor' type='sphere' size='.5' pos='.01 0 0'/>
  <body name='a'><freejoint/><geom name='a' size='.5' pos='.02 0 0'/></body>
  <body name='b'><freejoint/><geom name='b' size='.5' pos='.03 0 0' contype='2' conaffinity='4' friction='.3'/></body>
  <body name='c'><freejoint/><geom name='c' size='.5' pos='.04 0 0' contype='4' conaffinity='1'/></body>
  <body name='d'><freejoint/><geom name='d' size='.5' pos='.05 0 0' contype='0' conaffinity='0'/></body>
  <body name='e'><freejoint/><geom name='e' size='.5' pos='.06 0 0' priority='1' friction='.1'/></body></worldbody>"""
CHAIN = """<worldbody><geom name='floor' type='sphere' size='.5' pos='.07 0 0'/>
  <body name='base'><geom name='base' size='.5' pos='.08 0 0'/>
    <body name='a'><joint/><geom name='a' size='.5' pos='.09 0 0'/>
      <body name='b'><joint/><joint axis='0 1 0'/><geom name='b' size='.5' pos='.010 0 0'/>
        <body name='tip'><geom name='tip' size='.5' pos='.011 0 0'/>
          <body name='c'><joint/><geom name='c' size='.5' pos='.012 0 0'/></body></body></body></body></body>
  </worldbody>"""
CASES = {
    "masks": MASKS,
    "a chain": CHAIN,
    "a chain without the filter of parents": "<option><flag filterparent='disable'/></option>" + CHAIN,
    "excluded bodies": CHAIN + "<contact><exclude body1='a' body2='c'/></contact>",
    "pairs": f"""{MASKS}<contact><pair geom1='d' geom2='floor' friction='.7 .7 1 1 1'/>
      <pair geom1='a' geom2='b'/></contact>""",
    "nothing": "<option><flag contact='disable'/></option>" + MASKS,
}


@pytest.mark.parametrize("name", CASES)
def test_the_same_geoms_touch(mjcf, name):
    path = mjcf(CASES[name])
    m = compiled(path)
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    theirs = {}
    for contact in d.contact:
        pair = frozenset(m.geom(g).name for g in contact.geom)
        theirs[pair] = contact.friction[0] if contact.dim > 1 else 0.0
    spec = gori.load(path, collide="rubber")
    ours = {}
    if spec.contacts:
        model = gori.compile(spec)
        for touch in model.contacts(model.q0):
            ours[frozenset(part.rpartition(".")[2] for part in (touch.a, touch.b))] = friction(spec, touch)
    assert ours == pytest.approx(theirs)


def friction(spec, touch):
    materials = [shape_of(spec, part)[1].material for part in (touch.a, touch.b)]
    return next(
        spec.contacts[key].friction for key in ("/".join(materials), "/".join(materials[::-1])) if key in spec.contacts
    )


def shape_of(spec, part):
    body, _, shape = part.rpartition(".")
    return body, spec.bodies[body].shapes[shape]


def test_priority_decides_about_friction(mjcf):
    m = compiled(mjcf(MASKS))
    plain, slippery = TouchClass(1, 1, 0.8, 0, ()), TouchClass(1, 1, 0.2, 1, ())
    assert friction_of(m, plain, slippery) == 0.2 and friction_of(m, plain, plain) == 0.8
    assert friction_of(m, plain, TouchClass(2, 4, 0.5, 0, ())) is None


def test_nothing_collides_unless_it_is_asked_for(mjcf):
    path = mjcf(MASKS)
    source = MjcfSource(compiled(path), path)
    assert let_collide(source, shapes(source), joints(source)[0]) == {}
    assert not gori.load(path).contacts
    with pytest.raises(InputError, match="collide must be the name of a material"):
        gori.load(path, collide="")


def test_a_ball_comes_to_rest_on_the_floor(mjcf):
    path = mjcf("""<worldbody><geom type='plane' size='1 1 1'/>
      <body name='ball' pos='0 0 .3'><freejoint/><geom size='.1'/></body></worldbody>""")
    model = gori.compile(gori.load(path, collide="rubber"))
    rec = gori.Simulation(model, gori.TimeStepping(step=5e-3)).run(1.0, progress=False)
    assert rec["ball.z"][-1] == pytest.approx(0.1, abs=1e-4)
