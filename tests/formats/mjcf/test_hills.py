"""Height fields as terrain, against MuJoCo."""

import mujoco
import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.errors import FormatWarning
from gori.formats.mjcf.hills import TERRAIN, is_terrain, take_terrain
from gori.formats.mjcf.shapes import shapes
from gori.formats.mjcf.source import MjcfSource

FIELD = "<hfield name='h' nrow='3' ncol='4' size='3 1 2 .1' elevation='0 1 2 3  4 5 6 7  8 7 1 0'/>"
HILLS = "<geom name='hills' type='hfield' hfield='h' pos='.5 .2 .3'/>"
WORLD = """<asset>{field}</asset><worldbody>HILLS{more}
  <body name='ball' pos='0 0 5'><freejoint/><geom name='g' size='.1'/></body></worldbody>""".replace("HILLS", HILLS)


@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")
def test_heights_are_those_that_rays_find(mjcf):
    """At nodes and half way between neighbours; inside a cell MuJoCo has two triangles, and the terrain is bilinear."""
    path = mjcf(WORLD.format(field=FIELD, more=""))
    m, terrain = compiled(path), gori.load(path).terrain
    d = mujoco.MjData(m)
    mujoco.mj_forward(m, d)
    places = [(0.5 - 3 + 2.0 * a, 0.2 - 1 + 1.0 * b) for a in np.arange(0, 3.1, 0.5) for b in np.arange(0, 2.1, 0.5)
              if a % 1 == 0 or b % 1 == 0]  # fmt: skip
    for x, y in places:
        inside = np.array([x + 1e-9 * np.sign(0.5 - x), y + 1e-9 * np.sign(0.2 - y), 9.0])
        ray = mujoco.mj_ray(m, d, inside, np.array([0.0, 0.0, -1.0]), None, 1, -1, np.zeros(1, np.int32))
        assert float(terrain.height(x, y)) == pytest.approx(9.0 - ray, abs=1e-6), (x, y)
    assert len(places) == 29


def test_it_collides_as_its_mask_says(mjcf):
    """A ball that is 1 mm deep in a level field."""
    level = FIELD.replace("0 1 2 3  4 5 6 7  8 7 1 0", "1 1 1 1  1 1 1 1  1 1 1 0")
    path = mjcf(WORLD.format(field=level, more=""))
    with pytest.warns(FormatWarning, match="the ground goes on beyond the edges of height field 'hills'"):
        spec = gori.load(path, collide="rubber")
    assert spec.terrain.material == "rubber" and "ground" not in spec.bodies
    model, m = gori.compile(spec), compiled(path)
    q = model.q0.copy()
    q[4:7] = 0.0, 0.0, 2.3 + 0.1 - 1e-3
    (contact,) = model.contacts(q)
    d = mujoco.MjData(m)
    d.qpos[:3] = q[4:7]
    mujoco.mj_forward(m, d)
    assert d.ncon >= 1 and contact.gap == pytest.approx(d.contact.dist.min(), abs=1e-6)
    assert gori.load(path, collide=None).terrain.material is None


@pytest.mark.parametrize(
    "change",
    [
        ("{more}", "<geom type='plane' size='1 1 1'/>"),
        ("{more}", "<geom type='hfield' hfield='h' pos='0 0 9'/>"),
        ("pos='.5 .2 .3'", "euler='0 0 90'"),
        (HILLS, f"<body>{HILLS}</body>"),
    ],
    ids=["a plane", "two fields", "turned", "on a body"],
)
def test_what_no_terrain_is_like_is_listed(mjcf, change):
    path = mjcf(WORLD.replace(*change).format(field=FIELD, more=""))
    with pytest.warns(FormatWarning, match="height field: hills"):
        assert gori.load(path).terrain is None
    assert not any(is_terrain(compiled(path), k) for k in range(compiled(path).ngeom))


def test_the_terrain_is_no_shape(mjcf):
    path = mjcf(WORLD.format(field=FIELD, more=""))
    source = MjcfSource(compiled(path), path)
    drawn = shapes(source)
    assert drawn["ground"]["hills"]["type"] == TERRAIN
    assert take_terrain(source, drawn)["terrain"]["at"] == [0.0, 0.0, 0.3] and drawn["ground"] == {}
    assert take_terrain(source, drawn) == {}
