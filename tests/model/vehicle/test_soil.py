"""Soils as tables: figures of the laws, grids of cells, and ruts."""

import math

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.vehicle.state import CELL, NEVER
from gori.kernels.vehicle.tables import BEKKER, EXPONENTIAL, SOIL
from gori.model.vehicle.soil import (
    fresh_cells,
    has_window,
    places_of,
    rut_depths,
    soil_memory,
    soil_row,
    touched_cells,
)
from gori.spec.vehicle.terrain import SoftGround
from tests.kernels.vehicle.soils import LOAM, SAND


def test_figures_of_both_laws():
    sand, loam = (soil_row(soil, (-1.0, 2.0), (1.0, 0.52), 0.1)[0] for soil in (SAND, LOAM))
    assert sand["kind"] == EXPONENTIAL and (sand["p0"], sand["k1"], sand["k2"]) == (59e3, 163.0, 308.0)
    assert loam["kind"] == BEKKER and (loam["kc"], loam["kphi"], loam["exponent"]) == (5.27e3, 1515e3, 0.7)
    assert sand["tan_phi"] == pytest.approx(math.tan(math.radians(31.1)))
    # (1 + hump) (1 - 1/e) residual is the peak, residual = peak / 1.5; without a hump nothing falls off
    assert (1.0 + sand["hump"]) * (1.0 - math.exp(-1.0)) * sand["share"] == pytest.approx(1.0)
    assert loam["share"] == 1.0 and loam["hump"] == 0.0
    assert (loam["c0"], loam["c1"], loam["c2"], loam["p_crit"]) == (0.05, 1.0, 1.0, 1e4)
    dry = soil_row(LOAM.model_copy(update={"slip_sinkage": None}), (0.0, 0.0), (1.0, 1.0), 0.1)[0]
    assert dry["c0"] == 0.0 and dry["p_crit"] == 1.0


def test_the_grid_covers_its_size():
    p = soil_row(SAND, (-1.0, 2.0), (1.0, 0.52), 0.1)
    assert (p["nx"][0], p["ny"][0]) == (10, 6) and (p["x0"][0], p["y0"][0]) == (-1.0, 2.0)
    cells = fresh_cells(p)
    assert len(cells) == 60 and (cells["stamp"] == NEVER).all() and not cells["z_max"].any()
    assert len(fresh_cells(SOIL.zeros(0))) == 0


@pytest.mark.parametrize("cell", [0.0, -0.1, math.inf, math.nan])
def test_cells_have_a_size(cell):
    with pytest.raises(InputError, match="must be positive"):
        soil_row(SAND, (0.0, 0.0), (1.0, 1.0), cell)


def test_too_many_cells():
    with pytest.raises(InputError, match=r"10000 x 10000 cells is too large \(at most 20,000,000"):
        soil_row(SAND, (0.0, 0.0), (100.0, 100.0), 0.01)


def test_a_rut_is_what_does_not_come_back():
    soft = SoftGround(soil=SAND, size=(0.3, 0.2), cell=0.1)
    assert rut_depths(soft, None).shape == (2, 3) and not rut_depths(soft, {}).any()
    cells = CELL.zeros(2)
    cells["z_max"], cells["z_dyn"] = (0.1, 0.0), (0.02, 0.03)
    depths = rut_depths(soft, {"cells": cells, "cell_index": np.array([1, 5])})
    np.testing.assert_allclose(depths, [[0.0, 0.9 * 0.1 + 0.02, 0.0], [0.0, 0.0, 0.03]], rtol=1e-14)


def test_memory_is_that_of_the_window():
    whole = soil_row(SAND, (0.0, 0.0), (1.0, 0.6), 0.1)
    small = soil_row(SAND, (0.0, 0.0), (1.0, 0.6), 0.1, (0.4, 0.3))
    assert not has_window(whole) and has_window(small) and not has_window(SOIL.zeros(0))
    assert not has_window(soil_row(SAND, (0.0, 0.0), (1.0, 0.6), 0.1, (2.0, 0.6)))
    sizes = [[len(array) for array in soil_memory(soil).values()] for soil in (whole, small, SOIL.zeros(0))]
    assert sizes == [[60, 0, 0], [13, 12, 1], [0, 0, 0]]
    endless = soil_row(SAND, (0.0, 0.0), (1e7, 1e7), 0.1, (0.4, 0.3))
    assert endless["nx"][0] == 100_000_000 and len(fresh_cells(endless)) == 13
    with pytest.raises(InputError, match="too long"):
        soil_row(SAND, (0.0, 0.0), (1e9, 1.0), 0.1, (0.4, 0.3))
    with pytest.raises(InputError, match="a window of 10000 x 10000 cells is too large"):
        soil_row(SAND, (0.0, 0.0), (1e4, 1e4), 0.01, (100.0, 100.0))


def test_touched_cells_are_told_in_the_order_of_the_grid():
    small = soil_row(SAND, (0.0, 0.0), (1.0, 0.6), 0.1, (0.4, 0.3))
    memory, index = soil_memory(small), np.array([5, 17, 42])  # (5, 0), (7, 1), (2, 4)
    places = places_of(small, index)
    assert places.tolist() == [1, 7, 6]
    memory["window"]["cell"][places] = index + 1
    found = touched_cells(memory["cells"], memory["window"])
    assert [array.tolist() for array in found] == [[5, 17, 42], [1, 7, 6]]
    whole = soil_memory(soil_row(SAND, (0.0, 0.0), (1.0, 0.6), 0.1))
    whole["cells"]["stamp"][[3, 9]] = 1.0
    assert [array.tolist() for array in touched_cells(whole["cells"], whole["window"])] == [[3, 9], [3, 9]]
