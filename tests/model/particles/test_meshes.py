"""Mesh files: corners that are joined, needles, holes, and what is no surface."""

import warnings

import numpy as np
import pytest

from gori.errors import SpecError, SpecWarning
from gori.model.particles.meshes import JOIN, clean_mesh, read_mesh, write_stl
from gori.model.particles.walls import wall_tables
from gori.spec import Mesh

trimesh = pytest.importorskip("trimesh")

EYE, ZERO = np.eye(3), np.zeros(3)


def test_a_file_comes_back_with_its_corners_joined(tmp_path):
    """STL holds each triangle with corners of its own, in single precision."""
    cube = trimesh.creation.box((1.0, 2.0, 0.3))
    write_stl(tmp_path / "cube.stl", np.array(cube.vertices), np.array(cube.faces))
    vertices, faces = read_mesh(str(tmp_path / "cube.stl"), scale=(2.0, 1.0, -1.0))
    assert len(vertices) == 8 and len(faces) == 12
    np.testing.assert_allclose(np.abs(vertices), np.tile([1.0, 1.0, 0.15], (8, 1)), rtol=1e-6)


def test_corners_that_are_nearly_one():
    """Two triangles of a square, whose common corners are a little apart; farther apart they are two."""
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 0, 0), (1, 1, 0), (0, 1, 0)], float)
    for apart, count in ((0.1 * JOIN, 4), (100.0 * JOIN, 6)):
        moved = square.copy()
        moved[3:5, 2] += apart
        vertices, faces = clean_mesh(moved, np.arange(6).reshape(2, 3), "square", surface=True)
        assert len(vertices) == count and len(np.unique(faces)) == count


def test_holes_are_found_and_named(tmp_path):
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    centers = ball.triangles_center
    ball.update_faces(np.linalg.norm(centers - [0.5, 0.0, 0.0], axis=1) > 0.12)
    ball.export(tmp_path / "open.stl")
    file = str(tmp_path / "open.stl")
    with pytest.raises(SpecError, match=r"open.stl' has a hole around \(0\.4\d+, .* m wide: close it.*`surface: true`"):
        wall_tables([(0, "ball", Mesh(type="mesh", file=file), EYE, ZERO, 0)], 0.1)
    walls = wall_tables([(0, "ball", Mesh(type="mesh", file=file, surface=True), EYE, ZERO, 0)], 0.1)
    assert len(walls.wall_i) == len(ball.faces)
    ball.update_faces(ball.triangles_center[:, 2] > -0.45)
    ball.export(file)
    with pytest.raises(SpecError, match=r"wide, and 1 more: close"):
        read_mesh(file)


def test_what_is_no_surface_is_refused(tmp_path):
    vertices = np.array([(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1), (0, -1, 0)], float)
    with pytest.raises(SpecError, match=r"fan is not a surface: 3 .* the edge from \(0, 0, 0\) to \(1, 0, 0\)"):
        clean_mesh(vertices, np.array([(0, 1, 2), (0, 1, 3), (0, 1, 4)]), "fan", surface=True)
    with pytest.raises(SpecError, match=r"nothing has no triangles$"):
        clean_mesh(vertices, np.zeros((0, 3), int), "nothing")
    with pytest.raises(SpecError, match="vertex that is not finite"):
        clean_mesh(vertices * np.nan, np.array([(0, 1, 2)]), "it")
    with pytest.raises(SpecError, match="it has only degenerate triangles"), pytest.warns(SpecWarning):
        clean_mesh(vertices, np.array([(0, 1, 1)]), "it", surface=True)
    with pytest.raises(SpecError, match=r"none.stl' cannot be read"):
        read_mesh(str(tmp_path / "none.stl"))
    (tmp_path / "text.stl").write_text("this is no mesh")
    with pytest.raises(SpecError, match=r"text.stl"):
        read_mesh(str(tmp_path / "text.stl"))


def test_needles_leave_no_slit():
    """A cube with a corner in the middle of an edge, which a needle links: the cube stays closed, and flat."""
    cube = trimesh.creation.box((1, 1, 1))
    vertices, faces = np.array(cube.vertices), np.array(cube.faces)
    a, b = faces[0][:2]
    middle = len(vertices)
    vertices = np.vstack([vertices, 0.5 * (vertices[a] + vertices[b])])
    c = faces[0][2]
    cut = np.vstack([faces[1:], [(a, middle, c), (middle, b, c), (a, b, middle)], [(a, c, c)]])
    with pytest.warns(SpecWarning, match="it has 2 degenerate triangles, which are ignored"):
        points, found = clean_mesh(vertices, cut, "it")
    mesh = trimesh.Trimesh(points, found, process=False)
    assert mesh.is_watertight and len(found) == 14
    assert mesh.area == pytest.approx(6.0)
    # two needles on top of each other, and one at the border of a sheet
    square = np.array([(0, 0, 0), (1, 0, 0), (1, 1, 0), (0, 1, 0), (0.5, 0, 0), (0.2, 0, 0)], float)
    with pytest.warns(SpecWarning, match="2 degenerate triangles"):
        _, found = clean_mesh(square, np.array([(0, 2, 3), (0, 1, 2), (0, 4, 1), (0, 5, 4)]), "it", surface=True)
    assert len(found) == 4
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clean_mesh(np.array(cube.vertices), np.array(cube.faces), "cube")
