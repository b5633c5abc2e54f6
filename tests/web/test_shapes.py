import numpy as np
import pytest

from gori.spec.base import rotation
from gori.spec.shape import SHAPES
from gori.web.shapes import GROUND_COLOUR, PALETTE, body_colour, shape_entry


def entry_of(kind, **fields):
    arrays, notices = {}, []

    def put(name, array):
        arrays[name] = array
        return name

    return shape_entry("s", SHAPES[kind](type=kind, **fields), put, notices), arrays, notices


@pytest.mark.parametrize(
    ("kind", "fields", "expected"),
    [
        ("sphere", {"radius": 0.5, "at": (1, 2, 3)}, {"radius": 0.5}),
        (
            "box",
            {"size": (1, 2, 3), "hollow": True, "open": ("z+",)},
            {"size": [1, 2, 3], "hollow": True, "open": ["z+"]},
        ),
        ("ellipsoid", {"radii": (1, 2, 3)}, {"radii": [1, 2, 3]}),
        ("capsule", {"radius": 0.1, "length": 2.0}, {"radius": 0.1, "length": 2.0}),
        ("cone", {"radius": 0.1, "length": 2.0, "top_radius": 0.3}, {"top_radius": 0.3}),
        ("box", {"size": (1, 1, 1), "material": "steel_wall", "until": 2.0}, {"until": 2.0, "colour": "#8e99a6"}),
        ("sphere", {"radius": 1.0, "material": "steel", "colour": "#FF8000"}, {"colour": "#ff8000"}),
        ("sphere", {"radius": 1.0, "colour": "#ff000033"}, {"colour": [1.0, 0.0, 0.0, 0.2]}),
    ],
)
def test_primitives_keep_their_numbers(kind, fields, expected):
    entry, _, notices = entry_of(kind, **fields)
    assert entry["type"] == kind and {key: entry[key] for key in expected} == expected and notices == []
    np.testing.assert_allclose(entry["at"], fields.get("at", (0, 0, 0)))


def test_bars_and_planes_turn_z_to_their_axis():
    for kind, name in (("cylinder", "axis"), ("plane", "normal")):
        size = {"radius": 0.1, "length": 1.0} if kind == "cylinder" else {}
        entry, _, _ = entry_of(kind, rpy_deg=(0, 0, 90), **{name: (1.0, 0.0, 0.0)}, **size)
        R = rotation(None, tuple(entry["quaternion"]))
        np.testing.assert_allclose(R[:, 2], [0.0, 1.0, 0.0], atol=1e-12)  # x, turned by 90 degrees about z


def test_gears_are_triangles():
    entry, arrays, _ = entry_of("gear", teeth=20, module=0.01, width=0.02)
    vertices, triangles = arrays[entry["vertices"]], arrays[entry["triangles"]]
    assert entry["type"] == "mesh" and triangles.max() < len(vertices)
    assert np.linalg.norm(vertices[:, :2], axis=1).max() == pytest.approx(0.11, rel=1e-3)  # pitch radius and a module


def test_meshes_bring_their_colours_and_mirrored_ones_their_outside(tmp_path):
    trimesh = pytest.importorskip("trimesh")
    mesh = trimesh.creation.box((1.0, 2.0, 3.0))
    mesh.visual.vertex_colors = np.tile([10, 200, 30, 255], (len(mesh.vertices), 1))
    mesh.export(tmp_path / "box.ply")
    entry, arrays, notices = entry_of("mesh", file=str(tmp_path / "box.ply"), scale=(-1.0, 1.0, 2.0))
    assert notices == [] and (arrays[entry["colours"]] == [10, 200, 30]).all()
    vertices, triangles = arrays[entry["vertices"]], arrays[entry["triangles"]]
    assert np.ptp(vertices, axis=0) == pytest.approx([1.0, 2.0, 6.0])
    volume = np.einsum("ni,ni->", vertices[triangles[:, 0]], np.cross(*vertices[triangles[:, 1:]].swapaxes(0, 1))) / 6.0
    assert volume == pytest.approx(12.0)


def test_a_mesh_that_is_missing_is_a_notice(tmp_path):
    entry, arrays, notices = entry_of("mesh", file=str(tmp_path / "none.stl"))
    assert entry is None and arrays == {} and "none.stl' is not shown" in notices[0]


def test_solid_bodies_that_move_do_not_have_the_colour_of_their_material():
    ball, bin = SHAPES["sphere"], SHAPES["box"]
    solid = ball(type="sphere", radius=1.0, material="steel")
    hollow = bin(type="box", size=(1, 1, 1), hollow=True, material="steel")
    assert "colour" not in shape_entry("s", solid, None, [], moves=True)
    assert shape_entry("s", solid, None, [])["colour"] == shape_entry("s", hollow, None, [], moves=True)["colour"]


def test_bodies_have_calm_colours():
    assert body_colour("ground", 0, "ground") == body_colour("pedestal", 0, "ground") == GROUND_COLOUR
    assert [body_colour("a", row, "ground") for row in (1, 2, 11)] == [PALETTE[0], PALETTE[1], PALETTE[0]]
