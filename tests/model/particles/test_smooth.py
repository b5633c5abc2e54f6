"""Triangles of round walls and of flat ones: which edges are real, where normals point, how far the surface bulges."""

import numpy as np
import pytest

from gori.model.particles.edges import surface_of
from gori.model.particles.smooth import divided, rise, smooth
from tests.kernels.particles.round_meshes import cone, sheet, sphere, tube

CREASE = np.radians(25.0)
RHO = 0.05


def lean(found, corners, true):
    """Largest angle [rad] between the normals at the corners and true ones, whatever their side."""
    sine = np.linalg.norm(np.cross(found.normal, true), axis=2)
    return np.arcsin(np.clip(sine, 0.0, 1.0)).max()


def unit(vectors):
    return vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-300)


@pytest.mark.parametrize("single", [False, True])
@pytest.mark.parametrize("count, rows", [(45, 1), (45, 4), (180, 1), (18, 2)])
def test_a_tube_is_round(count, rows, single):
    """Normals are radial, edges bulge to the circle: to the digits that the file has."""
    vertices, faces = tube(count, rows)
    if single:
        vertices = vertices.astype(np.float32).astype(float)
    found, corners = smooth(vertices, faces, CREASE), vertices[faces]
    digits = 1e-7 if single else 1e-14
    assert found.sharp.sum() == 2 * count and (found.weight == 1.0).all()  # the rims
    assert lean(found, corners, unit(corners * [1.0, 1.0, 0.0])) < count * digits
    middle = 0.5 * (corners + np.roll(corners, -1, axis=1)) + found.middle
    radius = np.linalg.norm(middle[..., :2], axis=2)
    np.testing.assert_allclose(radius, 1.0, rtol=0, atol=2.0 * digits)


@pytest.mark.parametrize("level", [2, 3])
def test_a_sphere_is_round(level):
    vertices, faces = sphere(level)
    found, corners = smooth(vertices, faces, CREASE), vertices[faces]
    assert not found.sharp.any()
    assert lean(found, corners, corners) < 1e-8
    middle = 0.5 * (corners + np.roll(corners, -1, axis=1)) + found.middle
    np.testing.assert_allclose(np.linalg.norm(middle, axis=2), 1.0, rtol=0, atol=1e-8)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("top", [0.0, 0.4])
def test_a_cone_is_round_and_its_lines_are_straight(rows, top):
    vertices, faces = cone(45, rows, top=top)
    found, corners = smooth(vertices, faces, CREASE), vertices[faces]
    slope = 1.0 - top
    true = unit(unit(corners * [1.0, 1.0, 0.0]) + slope * np.eye(3)[2])
    at_tip = np.linalg.norm(corners[..., :2], axis=2) < 1e-9
    assert np.array_equal(found.weight == 0.0, at_tip) and at_tip.sum() == (45 if top == 0.0 else 0)
    true[at_tip] = found.normal[at_tip]
    assert lean(found, corners, true) < 1e-12
    # lines towards the tip, in and across triangles, do not bulge, and weights fall with the radius
    edges = np.roll(corners, -1, axis=1) - corners
    along = np.abs(corners[..., 0] * edges[..., 1] - corners[..., 1] * edges[..., 0]) < 1e-12
    assert along.sum() > 45 and np.abs(found.middle[along]).max() < 1e-15
    distance = np.linalg.norm(corners[..., :2], axis=2)
    expected = distance / distance.max(axis=1, keepdims=True)
    np.testing.assert_allclose(found.weight, expected, rtol=0, atol=1e-12)


def channel(parts):
    """Floor 1 m wide, a fillet of RHO, and a wall 1 m high."""
    turn = np.linspace(0.0, 0.5 * np.pi, parts + 1)
    fillet = np.stack([RHO * np.sin(turn), RHO * (1.0 - np.cos(turn))], axis=1)
    return np.vstack([(-1.0, 0.0), fillet, (RHO, 1.0)])


def test_a_floor_stays_flat_beside_a_fillet():
    vertices, faces = sheet(channel(6))
    found, corners = smooth(vertices, faces, CREASE), vertices[faces]
    floor = np.abs(corners[..., 2]).max(axis=1) == 0.0
    wall = np.abs(corners[..., 0] - RHO).max(axis=1) < 1e-15
    assert floor.sum() == wall.sum() == 2
    np.testing.assert_allclose(np.abs(found.normal[floor]), np.broadcast_to([0.0, 0.0, 1.0], (2, 3, 3)), atol=1e-15)
    np.testing.assert_allclose(np.abs(found.normal[wall]), np.broadcast_to([1.0, 0.0, 0.0], (2, 3, 3)), atol=1e-15)
    assert np.abs(found.middle[floor | wall]).max() < 1e-15
    # the fillet itself is a quarter of a cylinder, also where it touches floor and wall
    middle = (0.5 * (corners + np.roll(corners, -1, axis=1)) + found.middle)[~(floor | wall)] - [0.0, 0.0, RHO]
    np.testing.assert_allclose(np.hypot(middle[..., 0], middle[..., 2]), RHO, rtol=1e-9)
    assert found.sharp.sum() == 2 * (len(channel(6)) - 1) + 2  # its borders, and no other edge


@pytest.mark.parametrize("degrees", [0.5, 5.0, 15.0])
def test_a_fold_between_plates_is_an_edge(degrees):
    turn = np.radians(degrees)
    vertices, faces = sheet(np.array([(-1.0, 0.0), (0.0, 0.0), (np.cos(turn), np.sin(turn))]))
    found = smooth(vertices, faces, CREASE)
    assert found.sharp.sum() == 6 + 2 and np.abs(found.middle).max() < 1e-15


def test_a_crease_is_an_edge_whatever_goes_on():
    """A drum of 12 sides, 30 degrees each, is one of 12 sides; with a larger limit it is round."""
    vertices, faces = tube(12)
    assert np.abs(smooth(vertices, faces, CREASE).middle).max() < 1e-15
    assert smooth(vertices, faces, np.radians(31.0)).sharp.sum() == 24  # the rims alone


def test_both_sides_of_a_real_edge_bulge_to_one_line():
    """A closed tin: its lids reach as far as its side."""
    trimesh = pytest.importorskip("trimesh")
    tin = trimesh.creation.cylinder(radius=1.0, height=1.0, sections=32)
    vertices, faces = np.array(tin.vertices), np.array(tin.faces)
    found, s = smooth(vertices, faces, CREASE), surface_of(vertices, faces)
    np.testing.assert_allclose(found.middle, found.middle.reshape(-1, 3)[s.partner], atol=1e-15)
    rim = found.sharp & (s.partner >= 0)
    middle = (s.corners + 0.5 * s.edges + found.middle)[rim]
    assert rim.sum() == 2 * 64
    np.testing.assert_allclose(np.linalg.norm(middle[:, :2], axis=1), 1.0, atol=1e-14)
    np.testing.assert_allclose(np.abs(middle[:, 2]), 0.5, atol=1e-14)


def test_facets_may_be_turned_any_way_and_a_moebius_strip_is_as_drawn():
    vertices, faces = tube(45, 2)
    rng = np.random.default_rng(0)
    flipped = np.where((rng.random(len(faces)) < 0.5)[:, None], faces[:, ::-1], faces)
    one, other = smooth(vertices, faces, CREASE), smooth(vertices, flipped, CREASE)
    assert one.sharp.sum() == other.sharp.sum()
    assert lean(other, vertices[flipped], unit(vertices[flipped] * [1.0, 1.0, 0.0])) < 1e-12
    turn = 2.0 * np.pi * np.arange(60) / 60
    out = np.stack([np.cos(turn), np.sin(turn), 0.0 * turn], axis=1)
    wide = 0.3 * (np.cos(0.5 * turn)[:, None] * out + np.sin(0.5 * turn)[:, None] * [0.0, 0.0, 1.0])
    k = np.arange(59)
    quads = [*np.stack([k, k + 1, k + 61, k + 60], axis=1).tolist(), [59, 60, 0, 119]]
    strip = np.array([half for a, b, c, d in quads for half in ((a, b, c), (a, c, d))])
    assert np.abs(smooth(np.concatenate([out - wide, out + wide]), strip, CREASE).middle).max() < 1e-15


def test_the_rise_of_a_sphere():
    """r = 1/8 |p_i - p_j|^2 / radius of each edge."""
    vertices, faces = sphere(3, radius=2.0)
    s, found = surface_of(vertices, faces), smooth(vertices, faces, CREASE)
    numbers = rise(s, found.normal, found.weight)
    np.testing.assert_allclose(np.abs(numbers), (s.edges**2).sum(axis=2) / 16.0, rtol=1e-6)


def test_divided_into_small_triangles():
    """Packings see the smooth surface: points of the triangles lie on it, and none is missing."""
    vertices, faces = tube(45)
    small = divided(vertices, faces, CREASE)
    assert len(small) > len(faces)
    np.testing.assert_allclose(np.linalg.norm(small[..., :2], axis=2), 1.0, atol=3e-6)
    area = 0.5 * np.linalg.norm(np.cross(small[:, 1] - small[:, 0], small[:, 2] - small[:, 0]), axis=1).sum()
    assert area == pytest.approx(4.0 * np.pi, rel=2e-4)
    flat, halves = sheet(np.array([(-1.0, 0.0), (0.0, 0.0), (1.0, 0.1)]))
    assert np.array_equal(divided(flat, halves, CREASE), flat[halves])
