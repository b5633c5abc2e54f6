"""A terrain of heights in MJCF: there and back, and what no height field is like."""

import numpy as np
import pytest

import gori
from bench.mujoco_agrees import compiled
from gori.errors import FileError, FormatWarning
from gori.formats.export import write_mjcf
from gori.formats.export.mjcf_terrain import is_height_field
from gori.spec.vehicle.terrain import Terrain

pytest.importorskip("mujoco")

HEIGHTS = np.random.default_rng(0).normal(size=(4, 6))
FIELD = {"at": [-1.0, 2.0], "cell": 0.5, "cell_y": 0.25, "heights": HEIGHTS.tolist()}


def spec_of(terrain, **more):
    ball = {"type": "sphere", "radius": 0.1, "material": "rubber", "collide": True}
    bodies = {"a": {"mass": 1, "inertia": [1, 1, 1], "shapes": {"ball": ball}}}
    joints = {"j": {"type": "free", "parent": "ground", "child": "a"}}
    contacts = {"rubber/rock": {"friction": 0.7, "restitution": 0.0}}
    touch = {"materials": {"rubber": {}, "rock": {}}, "contacts": contacts}
    return gori.Spec(bodies=bodies, joints=joints, terrain=terrain, **touch, **more)


@pytest.mark.parametrize("material", [None, "rock"])
@pytest.mark.filterwarnings("ignore::gori.errors.FormatWarning")
def test_there_and_back(tmp_path, material):
    """Heights are kept in single precision by MuJoCo, as shares of the highest one."""
    terrain = {"at": [7.0, 8.0, 0.3], "field": FIELD} | ({"material": material} if material else {})
    spec = spec_of(terrain)
    write_mjcf(spec, tmp_path / "a.xml")
    back = gori.load(tmp_path / "a.xml", collide="rubber").terrain
    x, y = np.random.default_rng(1).uniform((-1.5, 1.8), (2.0, 3.0), (50, 2)).T
    assert np.allclose(back.height(x, y), spec.terrain.height(x, y), rtol=0, atol=1e-6)
    assert (back.material is None) == (material is None)
    m = compiled(tmp_path / "a.xml")
    assert m.geom("terrain").friction[0] == (0.7 if material else 1.0)


def test_level_ground_is_a_field_too(tmp_path):
    with pytest.warns(FormatWarning, match="the terrain ends at the edges of its heights"):
        write_mjcf(spec_of({"field": FIELD | {"heights": [[2.0, 2.0], [2.0, 2.0]]}}), tmp_path / "a.xml")
    with pytest.warns(FormatWarning, match="the ground goes on"):
        assert float(gori.load(tmp_path / "a.xml").terrain.height(-0.8, 2.1)) == pytest.approx(2.0)


@pytest.mark.parametrize(
    "more",
    [
        {"field": None},
        {"grade": [0.1, 0]},
        {"features": {"k": {"type": "step", "height": 1}}},
        {"patches": {"p": {"at": [0, 0], "size": [1, 1], "friction": 0.1}}},
    ],
)
def test_other_terrain_is_refused(tmp_path, more):
    terrain = {"field": FIELD} | more
    assert not is_height_field(Terrain(**terrain)) and is_height_field(Terrain(field=FIELD))
    with pytest.raises(FileError, match="terrain"):
        write_mjcf(spec_of(terrain), tmp_path / "a.xml")
