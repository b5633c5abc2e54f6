"""Soil laws against their formulas: pressure, memory, shear, slip sinkage."""

import math

import numba
import numpy as np
import pytest

from gori.kernels.vehicle import soil as laws
from gori.model.vehicle.soil import soil_row
from tests.kernels.vehicle.soils import LOAM, SAND
from tests.reference import soil as twin

WIDTH = 0.3
SOILS = [SAND, LOAM]


@numba.njit
def pressure(soil, z, z_max):
    p = soil[0]
    k = laws.stiffness(p, WIDTH)
    P_max = laws.virgin_pressure(p, k, z_max)[0] if z_max > 0.0 else 0.0
    return laws.pressure(p, k, z, z_max, P_max)


@numba.njit
def shear(p, P, j, j_before):
    return laws.shear_limit(p[0], P, j, j_before)


@numba.njit
def slip_sinkage(p, P, j):
    return laws.slip_sinkage(p[0], P, j)


def row(soil):
    return soil_row(soil, (0.0, 0.0), (1.0, 1.0), 0.05)


@pytest.mark.parametrize("soil", SOILS, ids=["exponential", "bekker"])
def test_pressure_is_the_formula(soil):
    for z_max in (0.0, 0.01, 0.1):
        for z in (-0.01, 0.0, 1e-6, 0.005, 0.0095, 0.05, 0.095, 0.099, 0.2):
            assert pressure(row(soil), z, z_max)[0] == pytest.approx(twin.pressure(soil, z, z_max, WIDTH), rel=1e-12)


@pytest.mark.parametrize("soil", SOILS, ids=["exponential", "bekker"])
def test_slopes_are_derivatives(soil):
    h = 1e-7
    for z, z_max in ((0.03, 0.0), (0.1, 0.05), (0.095, 0.1)):
        P, down, up = pressure(row(soil), z, z_max)
        ahead = twin.pressure(soil, z + h, z_max, WIDTH)
        assert down == pytest.approx((ahead - P) / h, rel=1e-4)
        back = twin.pressure(soil, z - h, max(z, z_max), WIDTH)
        assert up == pytest.approx((P - back) / h, rel=1e-4)


@pytest.mark.parametrize("soil", SOILS, ids=["exponential", "bekker"])
def test_shear_is_the_formula(soil):
    for P in (0.0, 50.0, 3e4):
        for j in (0.0, 1e-4, 0.01, 0.3):
            for j_before in (0.0, 0.005, 0.1):
                assert shear(row(soil), P, j, j_before) == pytest.approx(twin.shear(soil, P, j, j_before), rel=1e-12)


def test_hump_of_published_figures():
    """Peak and residual of the curve over tau_max, by the ratio C_e."""
    figures = ((1.0, 1.054, 1.69, 1.0), (1.2, 1.011, 1.22, 0.833), (1.5, 1.0, 1.01, 0.667), (2.0, 1.007, 0.88, 0.5))
    for ratio, peak, at, residual in figures:
        p = row(SAND.model_copy(update={"hump": ratio, "cohesion": 0.0}))
        strongest = 1e4 * math.tan(math.radians(31.1))
        j = np.linspace(1e-4, 0.3, 30000)
        tau = np.array([shear(p, 1e4, x, 0.0) for x in j]) / strongest
        assert tau.max() == pytest.approx(peak, abs=1e-3)
        assert j[tau.argmax()] / 0.012 == pytest.approx(at, abs=0.01)
        assert tau[-1] == pytest.approx(residual, abs=1e-3)


def test_hump_does_not_come_back():
    p = row(SAND)
    fresh, used = shear(p, 3e4, 0.012, 0.0), shear(p, 3e4, 0.012, 1.0)
    assert used == pytest.approx(fresh / 1.5 * (1 - 1 / math.e), rel=0.01)


def test_slip_sinkage_is_the_formula():
    for soil in SOILS:
        for P, j in ((0.0, 0.1), (1e4, 0.0), (3e4, 0.2)):
            assert slip_sinkage(row(soil), P, j) == pytest.approx(twin.slip_sinkage(soil, P, j), rel=1e-12)


@pytest.mark.parametrize("most", [False, True], ids=["usual", "largest_rebound"])
@pytest.mark.parametrize("soil", SOILS, ids=["exponential", "bekker"])
def test_closed_load_cycles_dissipate(soil, most):
    """A plate goes down and up: deeper than ever it takes work, to the same depth again none."""
    if most:
        soil = soil.model_copy(update={"rebound": 0.999 * soil.largest_rebound()})
    p, z_max = row(soil), 0.0

    def way(z, target):
        nonlocal z_max
        work = 0.0
        for z_next in np.linspace(z, target, 4000)[1:]:
            work += pressure(p, 0.5 * (z + z_next), z_max)[0] * (z_next - z)
            z, z_max = z_next, max(z_max, z_next)
        return work

    for depth in (0.002, 0.01, 0.05, 0.2):
        down, up = way(0.0, depth), way(depth, 0.0)
        assert -down < up < 0.0
        again = way(0.0, depth) + way(depth, 0.0)
        assert abs(again) < 1e-3 * (down + up)
