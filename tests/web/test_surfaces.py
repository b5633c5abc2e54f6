"""Triangles of shapes: volumes, closed surfaces, sharp and smooth edges."""

import numpy as np
import pytest

from gori.web.surfaces import shaded, surface_of, turned

trimesh = pytest.importorskip("trimesh")


@pytest.mark.parametrize(
    ("entry", "volume"),
    [
        ({"type": "sphere", "radius": 0.5}, 4.0 / 3.0 * np.pi * 0.125),
        ({"type": "ellipsoid", "radii": [1.0, 2.0, 3.0]}, 8.0 * np.pi),
        ({"type": "capsule", "radius": 0.5, "length": 2.0}, np.pi * (0.5 + 4.0 / 3.0 * 0.125)),
        ({"type": "cylinder", "radius": 0.5, "length": 2.0}, 0.5 * np.pi),
        ({"type": "cone", "radius": 0.5, "length": 3.0, "top_radius": 0.0}, 0.25 * np.pi),
        ({"type": "cone", "radius": 0.5, "length": 3.0, "top_radius": 1.0}, np.pi * (0.25 + 0.5 + 1.0)),
        ({"type": "box", "size": [1.0, 2.0, 3.0]}, 6.0),
        ({"type": "tyre", "radius": 1.0, "width": 1.0}, np.pi * (0.7 + 0.3 * (1.0 + 0.85 + 0.85**2) / 3.0)),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_volumes(entry, volume):
    mesh = trimesh.Trimesh(*surface_of(entry, {}, 1.0))
    assert mesh.is_watertight and mesh.is_winding_consistent
    assert volume * 0.98 < mesh.volume <= volume * (1.0 + 1e-12)


def test_open_faces_are_not_there():
    box = {"type": "box", "size": [1.0, 2.0, 3.0], "open": ["x-", "z+"]}
    vertices, triangles = surface_of(box, {}, 1.0)
    assert len(triangles) == 8
    centres = vertices[triangles].mean(1)
    assert centres[:, 0].min() > -0.5 and centres[:, 2].max() < 1.5
    pipe = {"type": "cylinder", "radius": 0.5, "length": 2.0, "open": ["base", "top"]}
    assert trimesh.Trimesh(*surface_of(pipe, {}, 1.0)).area == pytest.approx(2.0 * np.pi, rel=1e-2)


def test_edges_of_a_cylinder_are_sharp_and_its_side_is_smooth():
    points, normals, triangles, of = shaded(*turned([(0.0, 0.0), (1.0, 0.0), (1.0, 2.0), (0.0, 2.0)], 1.0))
    side = np.abs(normals[:, 2]) < 0.5
    np.testing.assert_allclose(normals[side][:, :2], points[side][:, :2], atol=0.04)  # the radius of the side is 1
    np.testing.assert_allclose(np.abs(normals[~side][:, 2]), 1.0, atol=1e-12)
    assert len(of) == len(points) and triangles.max() < len(points)


def test_fine_meshes_are_smooth():
    sphere = trimesh.creation.icosphere(6)
    points, normals, triangles, _ = shaded(np.array(sphere.vertices), np.array(sphere.faces))
    assert len(points) == len(sphere.vertices) and len(triangles) == len(sphere.faces)
    assert np.sum(points * normals, axis=1).min() > 0.999


def test_what_has_no_triangles():
    with pytest.raises(ValueError, match="no triangles"):
        surface_of({"type": "cloud"}, {}, 1.0)
