"""Distances to walls against brute force: each contact once, at the right place."""

from types import SimpleNamespace

import numba
import numpy as np
import pytest
from scipy.spatial import Delaunay
from scipy.spatial.transform import Rotation

from gori.kernels.particles import columns as t
from gori.kernels.particles import walls as kernel
from gori.kernels.particles.facets import FLAT_BIT
from gori.model.particles.facets import facet_rows
from gori.model.particles.walls import wall_tables
from tests.reference import walls as twin

_nearest, _within = kernel.nearest, kernel.within


@numba.njit
def all_nearest(wall_i, wall_f, rim_i, rim_f, c):
    out = np.zeros((wall_i.shape[0], 4))
    for k in range(wall_i.shape[0]):
        out[k] = _nearest(wall_i, wall_f, rim_i, rim_f, k, c[0], c[1], c[2], t.FAR)
    return out


@numba.njit
def all_within(wall_i, wall_f, rim_i, rim_f, c, reach):
    out = np.zeros(wall_i.shape[0], np.bool_)
    for k in range(wall_i.shape[0]):
        out[k] = _within(wall_i, wall_f, rim_i, rim_f, k, c[0], c[1], c[2], reach)
    return out


def touched(tables, c, reach):
    """Points (n, 3) that primitives within reach answer, and their distances (n,)."""
    out = all_nearest(*tables, np.asarray(c, float))
    out = out[out[:, 0] <= reach]
    np.testing.assert_allclose(np.linalg.norm(out[:, 1:], axis=1), 1.0, rtol=0, atol=1e-14)
    return c + out[:, :1] * out[:, 1:], out[:, 0]


def same_points(found, expected, tolerance=1e-9):
    assert len(found) == len(expected), f"{found} in place of {expected}"
    for q in expected:
        assert np.linalg.norm(found - q, axis=1).min() < tolerance


def of_shape(**given):
    shape = SimpleNamespace(**({"open": (), "hollow": False} | given))
    return wall_tables([(0, "it", shape, np.eye(3), np.zeros(3), 0)], 0.1)[:4]


def icosphere():
    trimesh = pytest.importorskip("trimesh")
    ball = trimesh.creation.icosphere(subdivisions=2, radius=0.5)
    return np.array(ball.vertices), np.array(ball.faces)


def sheet(height, n=9, seed=0):
    """A sheet over random places of a square, with the heights of a function."""
    rng = np.random.default_rng(seed)
    x, y = np.meshgrid(np.linspace(-1, 1, n), np.linspace(-1, 1, n))
    xy = np.stack([x.ravel(), y.ravel()], axis=1)
    inner = np.abs(xy).max(axis=1) < 0.99
    xy[inner] += rng.uniform(-0.06, 0.06, (inner.sum(), 2))
    faces = Delaunay(xy).simplices
    turned = rng.random(len(faces)) < 0.5  # facets need not be turned the same way
    faces[turned] = faces[turned][:, ::-1]
    return np.column_stack([xy, height(xy[:, 0], xy[:, 1])]), faces[rng.permutation(len(faces))]


def wavy(x, y):
    return 0.15 * np.sin(5 * x) * np.cos(4 * y)


@pytest.mark.parametrize("case", ["icosphere", "wavy", "ridges"])
def test_meshes_against_brute_force(case):
    """Random spheres near a mesh, on both of its sides: as many contacts as there are local minima, and where."""
    vertices, faces = {
        "icosphere": icosphere,
        "wavy": lambda: sheet(wavy),
        "ridges": lambda: sheet(lambda x, y: 0.3 * np.abs(np.round(4 * x) % 2)),
    }[case]()
    tables = facet_rows(vertices, faces)[:4]
    rng = np.random.default_rng(1)
    counts = []
    for _ in range(250):
        face = vertices[faces[rng.integers(len(faces))]]
        c = rng.dirichlet(np.ones(3)) @ face + rng.normal(size=3) * 0.08
        found, _ = touched(tables, c, 0.12)
        same_points(found, twin.mesh_contacts(vertices, faces, c, 0.12))
        counts.append(len(found))
    assert min(counts) == 0 or case == "icosphere"
    assert {1, 2, 3} <= set(counts) or case == "icosphere"


@pytest.mark.parametrize("is_open", [(), ("z+",), ("x-", "x+", "z+"), ("x-", "y+", "z-", "z+")])
def test_box_against_brute_force(is_open):
    """Inside, outside, at edges and corners, with faces left out."""
    size = np.array([1.0, 0.6, 0.8])
    tables = of_shape(type="box", size=size, open=is_open)
    half = size / 2
    faces = []
    for k, name in enumerate(("x-", "x+", "y-", "y+", "z-", "z+")):
        if name not in is_open:
            axis, side = k // 2, (-1.0, 1.0)[k % 2]
            square = np.array([(-1.0, -1.0), (1.0, -1.0), (1.0, 1.0), (-1.0, 1.0)])
            faces.append(np.insert(square, axis, side, axis=1) * half)
    rng = np.random.default_rng(2)
    counts = []
    for _ in range(600):
        c = rng.uniform(-1.3, 1.3, 3) * half
        found, _ = touched(tables, c, 0.2)
        same_points(found, twin.contacts(faces, c, twin.closest_on_polygon, 0.2))
        counts.append(len(found))
    assert {0, 1, 2} <= set(counts)
    assert 3 in counts or is_open


@pytest.mark.parametrize("is_open", [(), ("top",), ("base", "top")])
@pytest.mark.parametrize("radii", [(0.5, 0.5), (0.5, 0.2), (0.3, 0.6), (0.5, 0.0)])
def test_cylinder_and_cone_against_brute_force(radii, is_open):
    """In the plane through the axis the surface is a line: its local minima are the contacts."""
    base, top = radii
    axis = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])
    tables = of_shape(type="cone", radius=base, top_radius=top, length=0.9, axis=axis, open=is_open)
    line = [np.array([(0.0, base), (0.9, top)])]
    if "base" not in is_open:
        line.append(np.array([(0.0, 0.0), (0.0, base)]))
    if "top" not in is_open and top > 0.0:
        line.append(np.array([(0.9, 0.0), (0.9, top)]))
    rng = np.random.default_rng(3)
    counts = []
    for _ in range(400):
        z, rho = rng.uniform(-0.3, 1.2), rng.uniform(0.0, 0.8)
        u = np.cross(axis, rng.normal(size=3))
        u /= np.linalg.norm(u)
        found, _ = touched(tables, z * axis + rho * u, 0.25)
        expected = twin.turned_contacts(line, z, rho, 0.25)
        same_points(found, expected[:, :1] * axis + expected[:, 1:] * u)
        counts.append(len(found))
    assert {0, 1} <= set(counts)
    assert 2 in counts or len(line) == 1


def test_cylinder_is_a_cone_of_equal_radii():
    given = {"radius": 0.3, "length": 0.7, "axis": np.array([0.0, 1.0, 0.0]), "open": ("base",)}
    one, other = of_shape(type="cylinder", **given), of_shape(type="cone", top_radius=0.3, **given)
    for mine, its in zip(one, other):
        np.testing.assert_array_equal(mine, its)


def test_sphere_capsule_and_plane():
    rng = np.random.default_rng(4)
    axis = np.array([2.0, 1.0, -1.0]) / np.sqrt(6.0)
    ball = of_shape(type="sphere", radius=0.4)
    rod = of_shape(type="capsule", radius=0.4, length=1.0, axis=2 * axis)
    floor = of_shape(type="plane", normal=3 * axis)
    for _ in range(200):
        c = rng.normal(size=3)
        (gap, *n) = all_nearest(*ball, c)[0]
        assert gap == pytest.approx(abs(np.linalg.norm(c) - 0.4), abs=1e-15)
        assert np.linalg.norm(c + gap * np.array(n)) == pytest.approx(0.4, abs=1e-15)

        (gap, *n) = all_nearest(*rod, c)[0]
        q = twin.closest_on_segment(np.zeros(3), axis, c)
        assert gap == pytest.approx(abs(np.linalg.norm(c - q) - 0.4), abs=1e-15)
        q = c + gap * np.array(n)
        assert np.linalg.norm(q - twin.closest_on_segment(np.zeros(3), axis, q)) == pytest.approx(0.4, abs=1e-14)

        (gap, *n) = all_nearest(*floor, c)[0]
        assert gap == pytest.approx(c @ axis, abs=1e-15)  # below the plane, too: it is a half-space
        np.testing.assert_allclose(n, -axis, rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("kind", "given", "c", "gap"),
    [
        ("sphere", {}, (0, 0, 0), 0.5),
        ("sphere", {}, (0, 0.5, 0), 0.0),
        ("capsule", {}, (0.3, 0, 0), 0.5),
        ("cylinder", {"open": ("base",)}, (0.3, 0, 0), 0.5),
        ("cylinder", {"open": ("base",)}, (-0.3, 0, 0), np.hypot(0.3, 0.5)),
        ("cylinder", {}, (0, 0, 0.2), 0.0),
        ("cylinder", {}, (0, 0, 0.5), 0.0),
        ("box", {"size": (1.0, 1.0, 0.6)}, (0, 0, 0.3), 0.0),
        ("box", {"size": (1.0, 1.0, 0.6)}, (0.5, 0.5, 0), 0.0),
        ("box", {"size": (1.0, 1.0, 0.6)}, (0.5, 0.5, 0.3), 0.0),
    ],
)
def test_centres_where_no_direction_is_right(kind, given, c, gap):
    """In the middle of a ball, on an axis, in a facet, an edge, a corner: the distance, and any unit vector."""
    bar = {"radius": 0.5, "length": 1.0, "axis": np.array([1.0, 0.0, 0.0])}
    _, found = touched(of_shape(type=kind, **(bar | given)), np.array(c, float), 2.0)
    assert min(found) == pytest.approx(gap, abs=1e-14)


@pytest.mark.parametrize("turn", [(0, 0, 0), (30, -40, 77)])
@pytest.mark.parametrize("single", [False, True])
def test_a_flat_sheet_is_one_plane(turn, single):
    """A sphere that rolls over a flat sheet has one contact at each place, along edges and on corners too."""
    vertices, faces = sheet(lambda x, y: 0.0 * x)
    R = Rotation.from_euler("xyz", turn, degrees=True).as_matrix()
    vertices = vertices @ R.T + [3.0, -2.0, 1.0]
    if single:  # as a file holds them: triangles are no longer quite in one plane
        vertices = vertices.astype(np.float32).astype(float)
    tables = facet_rows(vertices, faces)[:4]
    rng = np.random.default_rng(5)
    path = np.linspace(0, 1, 500)[:, None] * (vertices[60] - vertices[20]) + vertices[20]
    feet = np.concatenate([vertices, vertices[faces][:, :2].mean(axis=1), path])
    inner = np.abs((feet - [3.0, -2.0, 1.0]) @ R)[:, :2].max(axis=1) < 0.95
    assert inner.sum() > 600
    for foot in feet[inner]:
        for gap in (0.03, -0.03, rng.uniform(0.0, 0.05)):
            _, found = touched(tables, foot + gap * R[:, 2], 0.06)
            assert len(found) == 1
            assert found[0] == pytest.approx(abs(gap), abs=1e-6 if single else 1e-14)


def test_what_bends_little_by_little_is_not_flat():
    """A strip of a circle, 5e-5 rad from facet to facet: all of it is no plane, ten of them are."""
    for count, flat in ((400, False), (10, True)):
        angle = 5e-5 * np.arange(count + 1)
        rail = 100.0 * np.stack([np.sin(angle), 0.0 * angle, np.cos(angle)], axis=1)
        vertices = np.concatenate([rail, rail + 0.005 * np.eye(3)[1]])
        k = np.arange(count)
        faces = np.concatenate(
            [np.stack([k, k + 1, k + count + 2], axis=1), np.stack([k, k + count + 2, k + count + 1], axis=1)]
        )
        tables = facet_rows(vertices, faces)[:4]
        assert np.any(tables[0][:, t.OWNED] >> FLAT_BIT) == flat
        for middle in range(1, count, 7):
            c = rail[middle] * (1.0 + 2e-5) + [0.0, 0.0025, 0.0]
            _, gaps = touched(tables, c, 0.003)
            assert gaps == pytest.approx([0.002], abs=1e-9)


def test_ties_over_a_square_grid():
    """Centres exactly over edges and corners of a regular grid, and over the middle of a box's edges and corners."""
    n = 5
    vertices = np.array([(x, y, 0.0) for y in range(n) for x in range(n)]) * 0.25
    faces = []
    for j in range(n - 1):
        for i in range(n - 1):
            a = j * n + i
            faces += [(a, a + 1, a + n + 1), (a, a + n + 1, a + n)]
    for seed in range(5):  # who owns what depends on the order
        order = np.random.default_rng(seed).permutation(len(faces))
        tables = facet_rows(vertices, np.array(faces)[order])[:4]
        for x in np.arange(1, 2 * n - 2) * 0.125:
            for y in np.arange(1, 2 * n - 2) * 0.125:
                _, found = touched(tables, np.array([x, y, 0.1]), 0.11)
                np.testing.assert_array_equal(found, [0.1])
    box = of_shape(type="box", size=(1.0, 1.0, 1.0))
    for x, y in ((0.5, 0.5), (0.5, 0.0), (0.0, -0.5), (-0.5, 0.5)):
        _, found = touched(box, np.array([x, y, 0.6]), 0.11)
        assert found == pytest.approx([0.1], abs=1e-15)
    rim = of_shape(type="cylinder", radius=0.5, length=1.0, axis=np.array([0.0, 0.0, 1.0]))
    for angle in np.linspace(0, 2 * np.pi, 30):
        _, found = touched(rim, np.array([0.5 * np.cos(angle), 0.5 * np.sin(angle), 1.1]), 0.11)
        assert found == pytest.approx([0.1], abs=1e-14)


def test_a_concave_edge_has_two_contacts_and_a_convex_one_has_one():
    fold = np.array([(0, 0, 0), (0, 1, 0), (1, 0, 1), (1, 1, 1), (-1, 0, 1), (-1, 1, 1)], float)  # a valley along y
    tables = facet_rows(fold, np.array([(0, 1, 3), (0, 3, 2), (0, 5, 1), (0, 4, 5)]))[:4]
    found, gaps = touched(tables, np.array([0.0, 0.5, 0.3]), 0.25)
    same_points(found, np.array([(0.15, 0.5, 0.15), (-0.15, 0.5, 0.15)]))
    assert gaps == pytest.approx([0.3 / np.sqrt(2)] * 2, abs=1e-15)
    found, gaps = touched(tables, np.array([0.0, 0.5, -0.2]), 0.25)
    same_points(found, np.array([(0.0, 0.5, 0.0)]))
    assert gaps == pytest.approx([0.2], abs=1e-15)


def test_far_says_far():
    tables = of_shape(type="box", size=(1.0, 1.0, 1.0))
    gaps = all_nearest(*tables, np.array([0.0, 0.0, 0.7]))[:, 0]
    assert sorted(gaps)[0] == pytest.approx(0.2)
    assert (gaps == t.FAR).sum() == 4  # the sides end at an edge that the top's face covers


@pytest.mark.parametrize("case", ["wavy", "flat", "icosphere", "box", "cylinder", "cone", "capsule"])
def test_a_list_knows_all_that_a_grain_may_touch_until_the_next(case):
    """What answers at c + d, with d shorter than the skin, was within the radius and the skin of c: also the facet that
    did not own the closest point then.
    """
    made = {
        "wavy": lambda: facet_rows(*sheet(wavy))[:4],
        "flat": lambda: facet_rows(*sheet(lambda x, y: 0 * x))[:4],
        "icosphere": lambda: facet_rows(*icosphere())[:4],
        "box": lambda: of_shape(type="box", size=(1, 1.4, 0.8), open=("z+",), hollow=True),
        "cylinder": lambda: of_shape(type="cylinder", radius=0.6, length=1.0, axis=(0, 1, 0)),
        "cone": lambda: of_shape(type="cone", radius=0.7, top_radius=0.2, length=0.9, axis=(1, 0, 1), open=("top",)),
        "capsule": lambda: of_shape(type="capsule", radius=0.4, length=0.5, axis=(0, 0, 1)),
    }[case]()
    rng = np.random.default_rng(3)
    radius, skin, moved_on, known = 0.1, 0.03, 0, 0
    for _ in range(1500):
        c = rng.uniform(-1, 1, 3) * [1, 1, 0.3 if case in ("wavy", "flat") else 1]
        d = rng.normal(size=3)
        d *= skin * rng.random() / np.linalg.norm(d)
        near = all_within(*made, c, radius + skin)
        before, after = all_nearest(*made, c)[:, 0], all_nearest(*made, c + d)[:, 0]
        assert near[after < radius].all()
        assert near[before < radius + skin].all()
        moved_on += int((after < radius)[before > radius + skin].sum())
        known += int(near.sum())
    assert known > 0
    if case in ("wavy", "flat", "icosphere"):
        assert moved_on > 10  # a list by the distances alone would have lost these
