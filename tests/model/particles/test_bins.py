"""Grids of facets: every facet within reach of a point is in the point's cell."""

import numpy as np
import pytest

from gori.kernels.particles import columns as t
from gori.model.particles import bins
from gori.model.particles.bins import FEW_FACETS, make_bins
from gori.model.particles.clearance import distance_to_triangles


def triangles(count, seed=0, size=0.3):
    """Random triangles in a box, and their rows."""
    rng = np.random.default_rng(seed)
    corners = rng.uniform(-1.0, 1.0, (count, 1, 3)) + size * rng.normal(size=(count, 3, 3))
    wall_i = np.zeros((count, t.N_WALL_I), np.int32)
    wall_i[:, t.KIND] = t.TRIANGLE
    return wall_i, corners[:, [0, 1, 2, 2]]


def offered(made, body, point):
    """Rows that the cell of a point holds."""
    shape, cell = made.bin_i[body, t.NX : t.NZ + 1], made.bin_f[body, t.CELL]
    place = np.floor((point - made.bin_f[body, t.X0 : t.Z0 + 1]) / cell).astype(int)
    if ((place < 0) | (place >= shape)).any():
        return set()
    index = made.bin_i[body, t.FIRST_CELL] + (place[2] * shape[1] + place[1]) * shape[0] + place[0]
    return set(made.bin_wall[made.bin_start[index] : made.bin_start[index + 1]].tolist())


@pytest.mark.parametrize("reach", [0.01, 0.2])
def test_cells_hold_all_that_is_within_reach(reach):
    wall_i, corners = triangles(60)
    wall_i[30:, t.BODY] = 1
    wall_i = np.vstack([wall_i, wall_i])
    corners = np.vstack([corners, corners + 0.01])
    made = make_bins(wall_i, corners, reach, bodies=3)
    assert made.bin_i[2, t.NX] == 0 and len(made.always) == 0
    seen = 0
    for point in np.random.default_rng(1).uniform(-1.5, 1.5, (300, 3)):
        distance = distance_to_triangles(corners[:, :3], np.tile(point, (len(corners), 1)))
        for body in (0, 1):
            near = set(np.flatnonzero((distance <= reach) & (wall_i[:, t.BODY] == body)).tolist())
            found = offered(made, body, point)
            assert near <= found
            seen += len(near)
            assert all(wall_i[k, t.BODY] == body for k in found)
    assert seen > 0


def test_few_facets_and_other_primitives_are_tested_always():
    wall_i, corners = triangles(FEW_FACETS)
    wall_i[3, t.KIND] = t.SPHERE  # one facet too few for a grid
    few = make_bins(wall_i, corners, 0.1, bodies=1)
    assert few.bin_i[0, t.NX] == 0 and few.always.tolist() == list(range(FEW_FACETS)) and few.bin_f[0, t.CELL] == 1.0
    wall_i, corners = triangles(FEW_FACETS + 1)
    wall_i[3, t.KIND] = t.SPHERE
    many = make_bins(wall_i, corners, 0.1, bodies=1)
    assert many.bin_i[0, t.NX] > 0 and many.always.tolist() == [3] and 3 not in many.bin_wall


def test_cells_are_in_order_and_whole():
    made = make_bins(*triangles(50), 0.1, bodies=1)
    shape = made.bin_i[0, t.NX : t.NZ + 1]
    assert len(made.bin_start) == np.prod(shape) + 1 and made.bin_start[-1] == len(made.bin_wall)
    for k in range(len(made.bin_start) - 1):
        assert (np.diff(made.bin_wall[made.bin_start[k] : made.bin_start[k + 1]]) > 0).all()


def test_cells_grow_where_there_would_be_too_many(monkeypatch):
    """A tiny facet far from the others."""
    wall_i, corners = triangles(40, size=0.001)
    fine = make_bins(wall_i, corners, 0.001, bodies=1)
    monkeypatch.setattr(bins, "MOST_CELLS", 1000)
    coarse = make_bins(wall_i, corners, 0.001, bodies=1)
    assert np.prod(coarse.bin_i[0, t.NX : t.NZ + 1]) <= 1000 < np.prod(fine.bin_i[0, t.NX : t.NZ + 1])
    assert coarse.bin_f[0, t.CELL] > fine.bin_f[0, t.CELL]
