"""Curved triangles: one contact on a smooth wall, where the true wall has it; real edges; no holes."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.kernels.particles import curved as kernel
from gori.kernels.particles import walls
from gori.kernels.particles.facets import CORNER_BIT, CURVED_BIT, EDGE_BIT, FLAT_BIT
from gori.model.particles.clearance import distance_to_triangles
from gori.model.particles.edges import surface_of
from gori.model.particles.facets import facet_rows
from gori.model.particles.smooth import smooth
from tests.kernels.particles.round_meshes import cone, sheet, sphere, tube
from tests.plain import plain
from tests.reference import walls as twin

CREASE = math.radians(25.0)
_nearest, _within = walls.nearest, walls.within


@numba.njit
def all_nearest(wall_i, wall_f, rim_i, rim_f, c, reach):
    out = np.zeros((wall_i.shape[0], 4))
    for k in range(wall_i.shape[0]):
        out[k] = _nearest(wall_i, wall_f, rim_i, rim_f, k, c[0], c[1], c[2], reach)
    return out


@numba.njit
def all_within(wall_i, wall_f, rim_i, rim_f, c, reach):
    out = np.zeros(wall_i.shape[0], np.bool_)
    for k in range(wall_i.shape[0]):
        out[k] = _within(wall_i, wall_f, rim_i, rim_f, k, c[0], c[1], c[2], reach)
    return out


def answers(made, c, reach):
    """Gaps and directions (n, 4) of what a sphere of radius `reach` touches."""
    found = all_nearest(*made[:4], np.asarray(c, float), reach)
    return found[found[:, 0] < reach]


def test_cross_dot_and_columns():
    rng = np.random.default_rng(0)
    a, b, rows = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 9))
    np.testing.assert_allclose(plain(kernel.cross)(*a, *b), np.cross(a, b))
    assert plain(kernel.dot)(*a, *b) == pytest.approx(a @ b)
    assert plain(kernel.vector)(rows, 1, 4) == tuple(rows[1, 4:7])


def test_the_first_root_of_a_cubic():
    """From a start that is not beyond it by too much: the smallest positive one; or a slope of 0 if there is none."""
    rng, found = np.random.default_rng(1), 0
    for _ in range(500):
        roots = rng.uniform(-2.0, 3.0, 3)
        cubic = np.poly(roots) * rng.choice([-1.0, 1.0])
        cubic *= np.sign(cubic[-1])
        positive = np.sort(roots[roots > 0.0])
        t_found, slope = plain(kernel.first_root)(*cubic[::-1], rng.uniform(0.05, 0.5))
        if len(positive) and (len(positive) == 1 or positive[1] > 2.2 * max(positive[0], 0.5)):
            assert t_found == pytest.approx(positive[0], rel=1e-9) and slope < 0.0
            found += 1
        elif not len(positive):
            assert slope == 0.0
    assert found > 100
    assert plain(kernel.first_root)(0.0, -1.0, 0.0, 0.0, 0.0) == (0.0, -1.0)


def on_tube(rng, r):
    """A centre inside a tube of radius 1, the gap there and the direction to the wall."""
    turn, gap = rng.uniform(0.0, 2.0 * np.pi), r * rng.uniform(0.6, 1.0)
    out = np.array([np.cos(turn), np.sin(turn), 0.0])
    return (1.0 - gap) * out + [0.0, 0.0, rng.uniform(0.3, 1.7)], gap, out


def on_cone(rng, r, top=0.4):
    turn, gap, z = rng.uniform(0.0, 2.0 * np.pi), r * rng.uniform(0.6, 1.0), rng.uniform(0.3, 0.7)
    out = np.array([np.cos(turn), np.sin(turn), 0.0])
    n = np.array([out[0], out[1], 1.0 - top]) / np.hypot(1.0, 1.0 - top)
    return (1.0 + (top - 1.0) * z) * out + [0.0, 0.0, z] - gap * n, gap, n


def on_sphere(rng, r):
    out, gap = rng.normal(size=3), r * rng.uniform(0.6, 1.0)
    out /= np.linalg.norm(out)
    return (1.0 - gap) * out, gap, out


WALLS = {
    "tube of 90": (lambda: tube(45), on_tube, 2.0 * np.pi / 45, (0.1, 1.0, 3.0), 1e-13),
    "tube of 1440": (lambda: tube(180, 4), on_tube, 2.0 * np.pi / 180, (0.1, 1.0, 10.0, 20.0), 1e-13),
    "cone": (lambda: cone(45), on_cone, 0.1, (0.1, 1.0, 2.0), 2e-4),
    "cone with a tip": (lambda: cone(45, 1, top=0.0), lambda rng, r: on_cone(rng, r, 0.0), 0.1, (0.1, 1.0), 2.5e-4),
    "sphere of 320": (lambda: sphere(2), on_sphere, 0.28, (0.1, 1.0, 2.0), 1e-8),
    "sphere of 5120": (lambda: sphere(4), on_sphere, 0.07, (0.1, 1.0, 8.0), 1e-8),
}


@pytest.mark.parametrize("name", WALLS)
def test_one_contact_that_of_the_smooth_wall(name):
    """Also right above edges and corners of the mesh; gaps in radii of the sphere, directions in radians."""
    make, place, width, ratios, error = WALLS[name]
    vertices, faces = make()
    made, rng = facet_rows(vertices, faces, CREASE), np.random.default_rng(3)
    corners = vertices[faces].reshape(-1, 3)
    for ratio in ratios:
        r = ratio * width
        for k in range(100):
            c, gap, n = place(rng, r)
            if k % 4 == 0:  # the wall straight below a corner, or the middle of an edge
                q = corners[rng.integers(len(corners))]
                c, gap, n = _below(place, rng, r, q if k % 8 else 0.5 * (q + corners[rng.integers(len(corners))]))
            found = answers(made, c, 1.01 * r)
            assert len(found) == 1
            assert abs(found[0, 0] - gap) < error * r
            assert np.linalg.norm(found[0, 1:] - n) < 6.0 * error + 1e-8


def _below(place, rng, r, point):
    """A place of the wall whose azimuth is that of a point."""
    c, gap, n = place(rng, r)
    if np.hypot(*point[:2]) < 1e-3:
        return c, gap, n
    turn = np.arctan2(point[1], point[0]) - np.arctan2(c[1], c[0])
    R = np.array([[np.cos(turn), -np.sin(turn), 0.0], [np.sin(turn), np.cos(turn), 0.0], [0.0, 0.0, 1.0]])
    return R @ c, gap, R @ n


def bumpy():
    """A closed surface with hills and valleys, whose bends differ much."""
    vertices, faces = sphere(3)
    wave = 1.0 + 0.08 * np.sin(4.0 * vertices[:, 0]) * np.cos(5.0 * vertices[:, 1]) * np.sin(3.0 * vertices[:, 2])
    return vertices * wave[:, None] * [1.0, 0.8, 1.2], faces


@pytest.mark.parametrize("name", ["tube", "cone", "sphere", "bumpy"])
def test_faces_against_the_twin(name):
    """Where no real edge is near: the same points, on both sides of the wall, by roots of a cubic and brute force."""
    make = {"tube": lambda: tube(18, 2), "cone": lambda: cone(18, 2), "sphere": lambda: sphere(2), "bumpy": bumpy}[name]
    vertices, faces = make()
    shape, made, rng = smooth(vertices, faces, CREASE), facet_rows(vertices, faces, CREASE), np.random.default_rng(5)
    assert shape.sharp.sum() == {"tube": 36, "cone": 36}.get(name, 0)
    corners, inner, several = vertices[faces], ~shape.sharp.any(axis=1), 0
    largest = 1.1 * np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2).max()
    for _ in range(60):
        k = rng.choice(np.flatnonzero(inner))
        q, r = rng.dirichlet(np.ones(3)) @ corners[k], rng.uniform(0.02, 0.5)
        normal = np.cross(corners[k, 1] - corners[k, 0], corners[k, 2] - corners[k, 0])
        c = q + rng.choice([-1.0, 1.0]) * r * rng.uniform(0.5, 0.95) * normal / np.linalg.norm(normal)
        found = answers(made, c, r)
        near = np.linalg.norm(corners - c, axis=2).min(axis=1) < r + largest
        expected = twin.smooth_contacts(corners[near], shape.normal[near], shape.weight[near], c, r)
        assert len(found) == len(expected)
        for point in expected:
            assert np.linalg.norm(c + found[:, :1] * found[:, 1:] - point, axis=1).min() < 1e-8
        several += len(expected) > 1
    assert several < 30


def test_a_sphere_too_large_for_a_groove_touches_both_of_its_sides():
    """A groove of radius 0.05 between two planes, square to each other: a ball of 0.1 has two contacts, one of 0.02 in
    its bottom has one."""
    turn = np.linspace(0.0, 0.5 * np.pi, 7)
    line = np.vstack([(-1.0, 0.0), np.stack([0.05 * np.sin(turn), 0.05 * (1.0 - np.cos(turn))], axis=1), (0.05, 1.0)])
    points = np.array([(x, y, z) for x, z in line for y in (0.0, 1.0)])
    k = 2 * np.arange(len(line) - 1)
    faces = np.concatenate([np.stack([k, k + 2, k + 3], axis=1), np.stack([k, k + 3, k + 1], axis=1)])
    made = facet_rows(points, faces, CREASE)
    found = answers(made, np.array([0.05 - 0.099, 0.5, 0.099]), 0.1)
    np.testing.assert_allclose(found[:, 0], [0.099, 0.099], atol=1e-12)
    away = (0.05 - 0.0199) / np.sqrt(2.0)
    found = answers(made, np.array([away, 0.43, 0.05 - away]), 0.02)
    assert found[:, 0] == pytest.approx([0.0199], abs=1e-9)
    assert found[0, 1:] == pytest.approx([np.sqrt(0.5), 0.0, -np.sqrt(0.5)], abs=1e-6)


def tin():
    """A closed cylinder, radius 1, from z = 0 to 1: its lids are flat, with round edges."""
    vertices, faces = tube(32, 1, length=1.0)
    k = np.arange(32)
    lids = [np.stack([np.full(32, 64 + end), 32 * end + k, 32 * end + (k + 1) % 32], axis=1) for end in (0, 1)]
    return np.vstack([vertices, [(0, 0, 0), (0, 0, 1)]]), np.concatenate([faces, *lids])


def test_rims_and_lids_of_a_tin():
    """Outside, beyond the rim: the distance from the true circle. On lids as far as they reach: that of the plane."""
    made, rng = facet_rows(*tin(), CREASE), np.random.default_rng(7)
    assert (made.wall_i[:, t.OWNED] >> CURVED_BIT & 1).all()
    for _ in range(400):
        turn, r = rng.uniform(0.0, 2.0 * np.pi), rng.uniform(0.01, 0.4)
        out = np.array([np.cos(turn), np.sin(turn), 0.0])
        lean = rng.uniform(0.0, 0.5 * np.pi)
        c = out + [0.0, 0.0, 1.0] + 0.9 * r * (np.cos(lean) * out + [0.0, 0.0, np.sin(lean)])
        found = answers(made, c, r)
        assert len(found) >= 1 and found[:, 0].min() == pytest.approx(0.9 * r, rel=2e-3)
        points = c + found[:, :1] * found[:, 1:]
        assert np.ptp(points, axis=0).max() < 0.02 * r  # what is found twice is one contact
        edge = 1.0 - 0.02 * rng.random()
        found = answers(made, edge * out + [0.0, 0.0, 1.0 + 0.9 * r], r)
        deepest = found[found[:, 0].argmin()]
        assert deepest[0] == pytest.approx(0.9 * r, abs=1e-12) and deepest[3] == pytest.approx(-1.0)
    # inside, in the corner between side and lid: two, square to each other
    found = answers(made, np.array([0.91 * np.cos(0.3), 0.91 * np.sin(0.3), 0.91]), 0.1)
    np.testing.assert_allclose(found[:, 0], [0.09, 0.09], atol=1e-12)
    assert abs(found[0, 1:] @ found[1, 1:]) < 1e-9


@pytest.mark.parametrize("name", ["tube", "cone", "tin", "bumpy", "sphere"])
def test_no_holes_and_no_list_that_is_too_short(name):
    """A centre that is nearer than its radius to the triangles and all they may bulge is answered by some of them, and
    what answers after a small move was within reach before."""
    make = {"tube": lambda: tube(24), "cone": lambda: cone(24, top=0.0), "tin": tin, "bumpy": bumpy,
            "sphere": lambda: sphere(2)}[name]  # fmt: skip
    vertices, faces = make()
    made, rng, corners = facet_rows(vertices, faces, CREASE), np.random.default_rng(11), vertices[faces]
    bulge, touched = made.wall_f[:, t.BULGE].max(), 0
    for _ in range(800):
        r = rng.uniform(0.02, 0.4)
        q = [rng.dirichlet(np.ones(3)), np.array([0.5, 0.5, 0.0]), np.array([1.0, 0.0, 0.0])][rng.integers(3)]
        out = rng.normal(size=3)
        c = q @ corners[rng.integers(len(faces))] + out * r * rng.uniform(0.1, 1.0) / np.linalg.norm(out)
        away = distance_to_triangles(corners, np.tile(c, (len(faces), 1))).min()
        found = answers(made, c, r)
        if away < r - 2.0 * bulge:
            assert len(found) > 0
            touched += 1
        move = rng.normal(size=3)
        move *= 0.1 * r * rng.random() / np.linalg.norm(move)
        near = all_within(*made[:4], c, 1.1 * r)
        assert near[all_nearest(*made[:4], c + move, r)[:, 0] < r].all()
    assert touched > 200


def test_middles_and_edges():
    """The deflected middle of each edge, out of the columns of the table, and the foot of a point on its parabola."""
    vertices, faces = tin()
    made, shape, s = facet_rows(vertices, faces, CREASE), smooth(vertices, faces, CREASE), surface_of(vertices, faces)
    for k in (0, 33, 70, 127):
        for j in range(3):
            found = plain(kernel.middle_of)(made.wall_f, k, j, *s.edges[k, j])
            np.testing.assert_allclose(found, shape.middle[k, j], atol=1e-12)
    e, m = np.array([1.0, 0.0, 0.0]), np.array([0.0, 0.1, 0.0])
    along = np.linspace(0.0, 1.0, 100_001)
    for q in (np.array([0.3, 0.5, 0.2]), np.array([0.8, -0.4, 0.0])):
        line = along[:, None] * e + 4.0 * (along * (1.0 - along))[:, None] * m
        nearest = along[np.linalg.norm(line - q, axis=1).argmin()]
        assert plain(kernel.on_edge)(*e, *m, *q) == pytest.approx(nearest, abs=2e-3)


def test_the_foot_of_a_centre_and_what_is_beyond():
    vertices, faces = tube(18, 3, length=3.0)
    made, rng = facet_rows(vertices, faces, CREASE), np.random.default_rng(2)
    k = 40  # in the middle row: no feature of its own
    p = made.corners[k]
    for _ in range(50):
        b, gap = rng.dirichlet(np.ones(3)), rng.uniform(-0.5, 0.9)
        n = b @ made.wall_f[k, t.AT_CORNER : t.AT_CORNER + 9].reshape(3, 3)
        face, d = made.wall_f[k, t.FACE : t.FACE + 3], b @ p + gap * n - p[0]
        u, v, *normal, minimum = plain(kernel.foot)(made.wall_f, k, *d, d @ face)
        inward = np.sign(n @ (p.mean(axis=0) * [1, 1, 0]))  # the surface is concave on this side
        assert bool(minimum) == (inward * gap > -1.0)
        np.testing.assert_allclose([1.0 - u - v, u, v], b, atol=1e-9)
        np.testing.assert_allclose(normal, n, atol=1e-9)
        assert not plain(kernel.is_beyond)(made.wall_f, k, made.wall_i[k, t.OWNED], *d, d @ face, 1.0)
    far = p.mean(axis=0) - p[0] + 3.0 * (p[1] - p[0])
    assert plain(kernel.is_beyond)(made.wall_f, k, made.wall_i[k, t.OWNED], *far, 0.0, 1.0)
    assert plain(kernel.to_curved)(*made[:4], k, *(p[0] + far), 1.0)[0] == t.FAR


def test_edges_and_corners_that_a_triangle_owns():
    """Against a list of what can answer beyond each edge: the edge itself, if it is real, and both of its ends."""
    rng = np.random.default_rng(4)
    for _ in range(200):
        own_edge, own_corner, flat = rng.random((3, 3)) < 0.3
        over = rng.choice([-1.0, 1.0], 3)
        numbers = [(EDGE_BIT, own_edge), (CORNER_BIT, own_corner), (FLAT_BIT, flat)]
        owned = sum(int(flag) << (bit + j) for bit, flags in numbers for j, flag in enumerate(flags))
        answers = [(own_edge[j] and not flat[j]) or own_corner[j] or own_corner[(j + 1) % 3] for j in range(3)]
        assert plain(kernel.has_feature)(owned, *over) == any(answers[j] for j in range(3) if over[j] < 0.0)


def test_centres_near_a_corner():
    """All that a corner answers is near it, and most of what lies over a triangle is not."""
    turn = np.linspace(0.0, 0.5 * np.pi, 7)
    made = facet_rows(*sheet(np.stack([np.sin(turn), 1.0 - np.cos(turn)], axis=1)), CREASE)
    ends = np.flatnonzero(
        (made.wall_i[:, t.OWNED] >> CORNER_BIT & 7 != 0) & (made.wall_i[:, t.OWNED] >> CURVED_BIT == 1)
    )
    rng, answered, spared = np.random.default_rng(12), 0, 0
    for _ in range(1000):
        k = rng.choice(ends)
        owned, p = made.wall_i[k, t.OWNED], made.corners[k]
        j = rng.integers(3)
        d = p[j] - p[0] + rng.normal(0.0, 0.05, 3)
        gap, *n = plain(kernel.to_curved)(*made[:4], k, *(p[0] + d), 1.0)
        corner = np.linalg.norm(d + gap * np.array(n) - (p - p[0]), axis=1).min() < 1e-9
        near = plain(kernel.near_corner)(made.wall_f, k, owned, *d)
        assert near or not corner
        answered += corner
        spared += not near
    assert answered > 10 and spared > 100
