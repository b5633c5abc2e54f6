"""Fiala's law against its twin and the classical formula."""

import numpy as np
import pytest

from gori.kernels.vehicle.fiala import fiala_force, fiala_stiffness
from gori.model.vehicle.tyre import tyre_row
from tests.kernels.vehicle.tyres import FIALA
from tests.plain import plain, rows
from tests.reference import tyres as twin


def law(part, N, scale, sx, sy):
    return plain(fiala_force)(rows(tyre_row(part))[0], N, scale, sx, sy)


def test_against_the_twin():
    rng = np.random.default_rng(0)
    for _ in range(300):
        N, scale = rng.uniform(100, 20000), rng.uniform(0.1, 1.3)
        sx, sy = rng.normal(size=2) * 10 ** rng.uniform(-4, 0.2)
        np.testing.assert_allclose(
            law(FIALA, N, scale, sx, sy), twin.fiala(FIALA, N, scale, sx, sy), rtol=1e-12, atol=1e-12
        )


def test_the_classical_law_in_pure_lateral_slip():
    """F = C t - C^2 t^2 / (3 mu N) + C^3 t^3 / (27 mu^2 N^2), with t the tangent of the slip angle (UMIN = UMAX)."""
    part = FIALA.model_copy(update={"friction_min": 0.9, "friction_max": 0.9})
    N, C = 6000.0, 50000.0
    for t in np.tan(np.radians([0.5, 2, 5, 10])):
        F = C * t - (C * t) ** 2 / (3 * 0.9 * N) + (C * t) ** 3 / (27 * (0.9 * N) ** 2)
        assert law(part, N, 1.0, 0.0, t)[1] == pytest.approx(F, rel=1e-12)
    assert law(part, N, 1.0, 0.0, 3 * 0.9 * N / C * 1.01) == (0.0, pytest.approx(0.9 * N), 0.0)


def test_the_force_is_along_the_elastic_one_and_within_friction():
    rng = np.random.default_rng(2)
    for _ in range(200):
        sx, sy = rng.normal(size=2) * 10 ** rng.uniform(-3, 1)
        Fx, Fy, Mz = law(FIALA, 5000.0, 0.7, sx, sy)
        assert np.hypot(Fx, Fy) <= FIALA.friction_max * 0.7 * 5000.0 * (1 + 1e-12)
        assert Fx * FIALA.cornering_stiffness * sy == pytest.approx(Fy * FIALA.slip_stiffness * sx, rel=1e-9)
        assert Mz * Fy <= 0.0  # it turns the wheel into its motion


def test_stiffness_is_the_slope_at_no_slip():
    Cx, Cy, limit = plain(fiala_stiffness)(rows(tyre_row(FIALA))[0], 5000.0, 0.5)
    assert law(FIALA, 5000.0, 0.5, 1e-8, 0.0)[0] / 1e-8 == pytest.approx(Cx, rel=1e-5)
    assert law(FIALA, 5000.0, 0.5, 0.0, 1e-8)[1] / 1e-8 == pytest.approx(Cy, rel=1e-5)
    assert limit == FIALA.friction_max * 0.5 * 5000.0


def test_nothing_without_load_friction_or_slip():
    for N, scale, s in ((0.0, 1.0, 0.1), (5000.0, 0.0, 0.1), (5000.0, 1.0, 0.0)):
        assert law(FIALA, N, scale, s, s) == (0.0, 0.0, 0.0)
