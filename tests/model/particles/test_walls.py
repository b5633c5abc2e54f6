"""Walls out of shapes: their primitives, where they are placed, how they are found, and what is refused."""

import warnings
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from gori.errors import InputError, SpecError, UnsupportedError
from gori.kernels.particles import columns as t
from gori.kernels.particles import walls as kernel
from gori.model.particles.meshes import write_stl
from gori.model.particles.walls import wall_tables
from gori.spec import Gear, Mesh
from gori.spec.shape import SHAPES

trimesh = pytest.importorskip("trimesh")

_nearest, _bin_range = kernel.nearest, kernel.bin_range
EYE, ZERO = np.eye(3), np.zeros(3)
X = np.array([1.0, 0.0, 0.0])


@numba.njit
def nearest_of(wall_i, wall_f, rim_i, rim_f, rows, c):
    out = np.zeros((len(rows), 4))
    for n in range(len(rows)):
        out[n] = _nearest(wall_i, wall_f, rim_i, rim_f, rows[n], c[0], c[1], c[2], t.FAR)
    return out


@numba.njit
def bin_range(bin_i, bin_f, bin_start, b, c):
    return _bin_range(bin_i, bin_f, bin_start, b, c[0], c[1], c[2])


def shape(**given):
    return SHAPES[given["type"]].model_validate(given | {"hollow": True} if "open" in given else given)


BOX = shape(type="box", size=(1.0, 0.6, 0.4), open=("z+",))


def contacts(walls, body, c, reach):
    """Primitives that a sphere touches, as the engine looks for them: {row: (gap, point)}."""
    c = np.asarray(c, float)
    start, stop = bin_range(walls.bin_i, walls.bin_f, walls.bin_start, body, c)
    first, count = walls.bin_i[body, [t.FIRST_ALWAYS, t.ALWAYS]]
    rows = np.concatenate([walls.always[first : first + count], walls.bin_wall[start:stop]])
    found = nearest_of(*walls[:4], rows, c)
    return {k: (out[0], c + out[0] * out[1:]) for k, out in zip(rows.tolist(), found) if out[0] <= reach}


def all_contacts(walls, body, c, reach):
    rows = np.flatnonzero(walls.wall_i[:, t.BODY] == body)
    found = nearest_of(*walls[:4], rows, np.asarray(c, float))
    return {k for k, out in zip(rows.tolist(), found) if out[0] <= reach}


def test_primitives_and_names():
    tank = shape(type="cylinder", radius=0.3, length=1.0, axis=X, open=("top",))
    funnel = shape(type="cone", radius=0.5, top_radius=0.1, length=1.0, axis=X, open=("base", "top"))
    tip = shape(type="cone", radius=0.5, top_radius=0.0, length=1.0, axis=X)
    shapes = [BOX, tank, funnel, tip, shape(type="sphere", radius=1.0), shape(type="plane", normal=X)]
    walls = wall_tables([(k % 2, f"s{k}", one, EYE, ZERO, 10 + k) for k, one in enumerate(shapes)], 0.1)
    kinds = [t.RECT] * 5 + [t.TUBE, t.DISC, t.TUBE, t.TUBE, t.DISC, t.SPHERE, t.PLANE]
    assert walls.wall_i[:, t.KIND].tolist() == kinds
    owner = [0] * 5 + [1, 1, 2, 3, 3, 4, 5]
    assert walls.wall_i[:, t.SHAPE].tolist() == owner
    assert walls.wall_i[:, t.WALL_MATERIAL].tolist() == [10 + k for k in owner]
    assert walls.wall_i[:, t.BODY].tolist() == [k % 2 for k in owner]
    assert walls.shape_of == tuple(f"s{k}" for k in owner)
    # rims: the tank's top is free, the funnel's both, the tip as well
    assert walls.wall_i[walls.wall_i[:, t.KIND] == t.TUBE, t.OWNED].tolist() == [2, 3, 2]
    assert walls.wall_i.dtype == np.int32 and walls.wall_f.dtype == np.float64
    # few facets need no cells
    assert walls.bin_i[:, t.NX].tolist() == [0, 0]
    assert sorted(walls.always.tolist()) == list(range(len(kinds)))


def test_placed_shapes_touch_where_they_are():
    """A shape in its place has the contacts of the shape at the origin, carried along."""
    R, p = Rotation.from_euler("xyz", (20, -50, 130), degrees=True).as_matrix(), np.array([0.4, -1.0, 2.0])
    rng = np.random.default_rng(0)
    shapes = [
        BOX,
        shape(type="cylinder", radius=0.3, length=1.0, axis=X),
        shape(type="capsule", radius=0.3, length=0.5, axis=X),
        shape(type="plane", normal=2 * X),
    ]
    here = wall_tables([(0, "s", one, EYE, ZERO, 0) for one in shapes], 0.2)
    there = wall_tables([(2, "s", one, R, p, 0) for one in shapes], 0.2, bodies=4)
    assert len(there.extent) == len(there.bin_i) == 4
    total = 0
    for _ in range(200):
        c = rng.uniform(-0.8, 0.8, 3)
        one, other = contacts(here, 0, c, 0.2), contacts(there, 2, R @ c + p, 0.2)
        assert set(one) == set(other)
        for k, (gap, q) in one.items():
            assert other[k][0] == pytest.approx(gap, abs=1e-14)
            np.testing.assert_allclose(other[k][1], R @ q + p, rtol=0, atol=1e-13)
        total += len(one)
    assert total > 100
    assert contacts(there, 1, p, 5.0) == {}


def test_extent_is_that_of_points():
    rng = np.random.default_rng(1)
    R, p = Rotation.random(random_state=3).as_matrix(), np.array([0.3, 0.2, -0.5])
    u = rng.normal(size=(200_000, 3))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    rim = np.stack([0 * u[:, 0], u[:, 0], u[:, 1]], axis=1) / np.hypot(u[:, 0], u[:, 1])[:, None]
    for one, points in (
        (shape(type="sphere", radius=0.4), 0.4 * u),
        (shape(type="capsule", radius=0.4, length=0.7, axis=X), np.concatenate([0.4 * u, 0.4 * u + 0.7 * X])),
        (
            shape(type="cone", radius=0.4, top_radius=0.6, length=0.7, axis=X),
            np.vstack([0.4 * rim, 0.6 * rim + 0.7 * X]),
        ),
        (BOX, 0.5 * np.array(BOX.size) * np.sign(u[:64])),
    ):
        far = np.linalg.norm(np.array(points) @ R.T + p, axis=1).max()
        walls = wall_tables([(1, "s", one, R, p, 0), (2, "floor", shape(type="plane", normal=X), R, p, 0)], 0.1)
        assert walls.extent == pytest.approx([-1.0, far, t.EVERYWHERE], rel=1e-4)  # -1: no wall
        assert walls.extent[1] >= far * (1 - 1e-14)


@pytest.mark.parametrize("reach", [0.01, 0.1])
def test_cells_offer_all_that_is_near(tmp_path, reach):
    ring = trimesh.creation.torus(0.5, 0.2, major_sections=40, minor_sections=20)
    ring.export(tmp_path / "ring.stl")
    crate = trimesh.creation.box((1.5, 1.5, 1.5)).subdivide()
    crate.export(tmp_path / "crate.obj")
    R, p = Rotation.random(random_state=3).as_matrix(), np.array([0.3, 0.2, -0.5])
    ball = shape(type="sphere", radius=0.9)
    shapes = [
        (0, "crate", Mesh(type="mesh", file=str(tmp_path / "crate.obj")), R, p, 0),
        (1, "ball", ball, EYE, ZERO, 0),
        (1, "ring", Mesh(type="mesh", file=str(tmp_path / "ring.stl"), scale=(1, 2, -1)), R, p, 0),
        (2, "ball", ball, EYE, ZERO, 0),
    ]
    walls = wall_tables(shapes, reach)
    assert walls.bin_i[2, t.NX] == 0 < walls.bin_i[1, t.NX]
    rng = np.random.default_rng(2)
    offered, seen = 0, 0
    for _ in range(1000):
        body = int(rng.integers(3))
        if body == 2:
            c = rng.normal(size=3)
        else:
            f = walls.wall_f[rng.choice(np.flatnonzero(walls.wall_i[:, t.SHAPE] == 2 * body))]
            a, b = rng.dirichlet(np.ones(3))[:2]
            c = f[t.POINT : t.POINT + 3] + a * f[t.E1 : t.E1 + 3] + b * f[t.E2 : t.E2 + 3] + rng.normal(size=3) * reach
        assert set(contacts(walls, body, c, reach)) == all_contacts(walls, body, c, reach)
        start, stop = bin_range(*walls[4:7], body, c)
        offered, seen = offered + (stop - start), seen + 1
    assert offered / seen < 80  # of 1600 + 48
    for c in ((np.nan, 0.0, 0.0), (1e300, 0.0, 0.0), (0.0, -np.inf, 0.0)):
        start, stop = bin_range(*walls[4:7], 1, np.array(c))
        assert start == stop


def test_a_mesh_of_a_box_is_a_box(tmp_path):
    """Twelve triangles and five rectangles: the same contacts; one name for all of them."""
    trimesh.creation.box((1.0, 0.6, 0.4)).export(tmp_path / "box.stl")
    mesh = Mesh(type="mesh", file=str(tmp_path / "box.stl"))
    exact = shape(type="box", size=np.float32((1.0, 0.6, 0.4)).astype(float))
    walls = wall_tables([(0, "crate.mesh", mesh, EYE, ZERO, 0), (1, "crate.box", exact, EYE, ZERO, 0)], 0.2)
    assert walls.shape_of == ("crate.mesh",) * 12 + ("crate.box",) * 6
    rng = np.random.default_rng(3)
    for _ in range(300):
        c = rng.uniform(-0.6, 0.6, 3)
        pairs = [sorted(contacts(walls, body, c, 0.15).values(), key=lambda one: tuple(one[1])) for body in (0, 1)]
        assert len(pairs[0]) == len(pairs[1])
        for (gap, q), (other, its) in zip(*pairs):
            assert gap == pytest.approx(other, abs=1e-12)
            np.testing.assert_allclose(q, its, rtol=0, atol=1e-9)


def test_a_gear_and_its_file_are_the_same_wall(tmp_path):
    given = {"teeth": 17, "module": 0.01, "width": 0.03, "bore": 0.05}
    gear = Gear(type="gear", phase_deg=5.0, axis=(1, 2, -2), **given)
    write_stl(tmp_path / "gear.stl", *gear.mesh())
    file = Mesh(type="mesh", file=str(tmp_path / "gear.stl"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        walls = wall_tables([(0, "gear", gear, EYE, ZERO, 0), (1, "file", file, EYE, ZERO, 0)], 0.005)
    assert (walls.shape_of.count("gear"), walls.shape_of.count("file")) == (len(gear.mesh()[1]),) * 2
    bulge = walls.wall_f[:, t.BULGE].max()
    assert 0.0 < bulge < 1e-4
    assert walls.extent == pytest.approx(np.hypot(0.095 * np.ones(2), 0.03) + bulge, rel=1e-6)
    rng = np.random.default_rng(5)
    vertices = gear.mesh()[0]
    touching = 0
    for _ in range(300):
        c = vertices[rng.integers(len(vertices))] + rng.normal(size=3) * 0.002
        gaps = [sorted(gap for gap, _ in contacts(walls, body, c, 0.004).values()) for body in (0, 1)]
        assert gaps[0] == pytest.approx(gaps[1], abs=1e-7)
        touching += len(gaps[0])
    assert touching > 200


def test_bad_input_is_refused():
    with pytest.raises(InputError, match="reach must be a positive length"):
        wall_tables([(0, "s", BOX, EYE, ZERO, 0)], 0.0)
    with pytest.raises(InputError, match="outside the rows 0 to 1"):
        wall_tables([(2, "s", BOX, EYE, ZERO, 0)], 0.1, bodies=2)
    with pytest.raises(UnsupportedError, match=r"tray.knot: a knot cannot be a wall"):
        wall_tables([(0, "tray.knot", SimpleNamespace(type="knot"), EYE, ZERO, 0)], 0.1)
    with pytest.raises(UnsupportedError, match=r"tray.egg: an ellipsoid cannot be a wall for particles: use a mesh"):
        wall_tables([(0, "tray.egg", shape(type="ellipsoid", radii=(1, 2, 3)), EYE, ZERO, 0)], 0.1)
    with pytest.raises(SpecError, match=r"tray.bin: all faces of the box are open"):
        bare = shape(type="box", size=(1, 1, 1), open=("x-", "x+", "y-", "y+", "z-", "z+"))
        wall_tables([(0, "tray.bin", bare, EYE, ZERO, 0)], 0.1)
    empty = wall_tables([], 0.1, bodies=3)
    assert len(empty.wall_i) == 0 and empty.extent.tolist() == [-1.0] * 3  # no wall
    assert bin_range(*empty[4:7], 1, ZERO) == (0, 0)


def test_a_wall_too_far_away_has_no_faces():
    """Its corners were all the same, and its normals NaN."""
    gear = Gear(type="gear", teeth=12, module=0.01, width=0.02)
    with pytest.raises(SpecError, match=r"b\.teeth cannot be a wall: it is 1e\+30 m away"):
        wall_tables([(0, "b.teeth", gear, EYE, np.array([0.0, 1e30, 0.0]), 0)], 0.1)


def test_a_wall_whose_distance_has_no_square():
    """It was infinitely far away, and no particle was offered it."""
    ball = shape(type="sphere", radius=0.1)
    with pytest.raises(SpecError, match=r"b\.ball cannot be a wall: it is 1e\+200 m away"):
        wall_tables([(0, "b.ball", ball, EYE, np.array([0.0, 1e200, 0.0]), 0)], 0.1)
