"""Walls in pictures: edges of shapes, outlines and creases of meshes."""

import numpy as np
import pytest

from gori.spec import Body, Joint, Spec
from gori.view.walls import mesh_lines, placed, vanishing_times, wall_lines
from tests.view.grains import tray


def test_shapes_of_the_ground_are_walls():
    spec = Spec(
        bodies={"ground": Body(shapes={"drum": {"type": "cylinder", "radius": 1.0, "length": 3.0, "hollow": True}})}
    )
    corners = np.concatenate(placed(wall_lines(spec, ("tray",)), {}))
    assert np.allclose(corners.min(axis=0), (0.0, -1.0, -1.0)) and np.allclose(corners.max(axis=0), (3.0, 1.0, 1.0))


def test_walls_move_with_their_body(film):
    lines = wall_lines(film.spec)
    assert len(lines) == 12
    corners = np.concatenate(placed(lines, film[3].poses))
    assert np.allclose(corners.min(axis=0), (2.0, -0.5, 0.0)) and np.allclose(corners.max(axis=0), (4.0, 0.5, 0.5))


def test_lines_of_a_mesh(tmp_path):
    """A cube of triangles: its twelve edges, not the diagonals; without a face: still, as border and crease."""
    trimesh = pytest.importorskip("trimesh")
    cube = trimesh.creation.box((1, 1, 1))
    assert len(mesh_lines(cube.vertices, cube.faces)) == 12
    flat = np.abs(cube.face_normals[:, 2] - 1.0) > 0.5
    assert len(mesh_lines(cube.vertices, cube.faces[flat])) == 12
    cube.export(tmp_path / "cube.stl")
    shape = {"type": "mesh", "file": str(tmp_path / "cube.stl"), "scale": (1, 2, 3), "at": (5, 0, 0)}
    body = Body(mass=1.0, inertia=(1, 1, 1), shapes={"hull": shape})
    spec = Spec(bodies={"a": body}, joints={"j": Joint(type="prismatic", parent="ground", child="a")})
    corners = np.concatenate([line for _, line in wall_lines(spec)])
    assert np.allclose(corners.min(axis=0), (4.5, -1.0, -1.5)) and np.allclose(corners.max(axis=0), (5.5, 1.0, 1.5))


def test_which_walls():
    spec = tray()
    assert wall_lines(None) == [] and wall_lines(False) == [] and wall_lines(spec, ("other",)) == []
    assert len(wall_lines(spec, ("tray",))) == 12
    ((body, line),) = wall_lines([("tray", [[0, 0, 0], [1, 2, 3]])])
    assert body == "tray" and line.dtype == float
    (stands,) = placed([("nobody", line)], {})
    assert stands.tolist() == [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]]


def test_walls_that_vanish_are_drawn_until_then():
    gate = {"type": "box", "size": (1, 1, 1), "material": "steel", "until": 2.0}
    spec = Spec(
        materials={"steel": {"E": 1e9}},
        bodies={"ground": Body(shapes={"gate": gate, "wall": gate | {"until": None}, "other": gate | {"until": 1.0}})},
    )
    assert vanishing_times(spec) == [1.0, 2.0] and vanishing_times(None) == []
    assert [len(wall_lines(spec, None, time)) for time in (0.0, 0.999, 1.0, 2.0)] == [36, 36, 24, 12]


def test_shapes_that_are_only_drawn_are_no_walls():
    skin = {"type": "sphere", "radius": 2.0, "visual": True}
    spec = Spec(bodies={"ground": {"shapes": {"hull": {"type": "sphere", "radius": 1.0}, "skin": skin}}})
    lines = wall_lines(spec)
    assert lines and max(np.abs(line).max() for _, line in lines) == 1.0
