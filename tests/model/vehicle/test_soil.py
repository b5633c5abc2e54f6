"""Soils as tables: figures of the laws, grids of cells, and ruts."""

import math

import numpy as np
import pytest

from gori.errors import InputError
from gori.kernels.vehicle.state import CELL, NEVER
from gori.kernels.vehicle.tables import BEKKER, EXPONENTIAL, SOIL
from gori.model.vehicle.soil import fresh_cells, rut_depths, soil_row
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
