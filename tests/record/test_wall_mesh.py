"""Shapes as triangles: closed where nothing is open, of the right size, where the shape is."""

import numpy as np
import pytest
import trimesh

from gori.record.wall_mesh import wall_mesh
from gori.spec import Spec

SHAPES = {
    "box": ({"type": "box", "size": [1, 2, 3], "at": [1, 0, 0]}, 6.0),
    "cylinder": ({"type": "cylinder", "radius": 0.5, "length": 2.0, "axis": [0, 1, 0]}, 0.5 * np.pi),
    "cone": (
        {"type": "cone", "radius": 0.5, "top_radius": 0.2, "length": 2.0},
        2.0 / 3.0 * np.pi * (0.25 + 0.1 + 0.04),
    ),
    "tip": ({"type": "cone", "radius": 0.5, "length": 3.0}, 0.25 * np.pi),
    "sphere": ({"type": "sphere", "radius": 0.7, "at": [0, 0, 3]}, 4.0 / 3.0 * np.pi * 0.343),
    "capsule": ({"type": "capsule", "radius": 0.5, "length": 2.0, "axis": [1, 1, 0]}, np.pi * (0.5 + 1.0 / 6.0)),
    "ellipsoid": ({"type": "ellipsoid", "radii": [0.2, 0.5, 0.7], "at": [1, 2, 3]}, 4.0 / 3.0 * np.pi * 0.07),
    "gear": ({"type": "gear", "teeth": 20, "module": 0.1, "width": 0.3}, None),
}


def shape_of(data):
    return Spec(bodies={"ground": {"shapes": {"s": data}}}).bodies["ground"].shapes["s"]


@pytest.mark.parametrize("name", SHAPES)
def test_closed_shapes_have_their_volume(name):
    data, volume = SHAPES[name]
    shape = shape_of(data)
    vertices, faces = wall_mesh(shape, 1.0)
    mesh = trimesh.Trimesh(vertices, faces, process=True)
    mesh.merge_vertices()
    mesh.update_faces(mesh.nondegenerate_faces())
    mesh.fix_normals()
    wanted, center, _ = shape.unit()
    R, p = shape.pose()
    assert mesh.is_watertight and mesh.volume == pytest.approx(wanted, rel=0.01)
    assert volume is None or wanted == pytest.approx(volume, rel=1e-9)
    np.testing.assert_allclose(mesh.center_mass, R @ center + p, atol=0.01)


def test_open_faces_and_planes():
    whole, _ = SHAPES["box"]
    assert len(wall_mesh(shape_of(whole | {"hollow": True, "open": ["z+", "x-"]}), 1.0)[1]) == 8
    tube = SHAPES["cylinder"][0] | {"hollow": True, "open": ["base", "top"]}
    vertices, faces = wall_mesh(shape_of(tube), 1.0)
    assert np.allclose(np.hypot(vertices[:, 0], vertices[:, 2]), 0.5) and len(faces) == 96
    vertices, faces = wall_mesh(shape_of({"type": "plane", "normal": [0, 1, 0], "at": [0, 3, 0]}), 4.0)
    assert np.allclose(vertices[:, 1], 3.0) and len(faces) == 2 and np.ptp(vertices[:, 0]) == pytest.approx(4.0)
