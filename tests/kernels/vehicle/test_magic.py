"""The Magic Formula against its twin, and the figures that its coefficients stand for."""

import numpy as np
import pytest

from gori.kernels.vehicle import magic
from gori.model.vehicle.tyre import tyre_row
from tests.kernels.vehicle.tyres import MAGIC, PLAIN
from tests.plain import plain
from tests.reference import tyres as twin

FORCE, NOMINAL = plain(magic.magic_force), twin.MAGIC["FNOMIN"]


def law(part, N, kappa, alpha, gamma=0.0, scale=1.0):
    return FORCE(tyre_row(part)[0]["magic"], N, scale, part.radius, kappa, alpha, gamma)


def test_against_the_twin():
    rng = np.random.default_rng(1)
    for _ in range(200):
        N, scale, gamma = rng.uniform(1000, 25000), rng.uniform(0.2, 1.2), rng.uniform(-0.15, 0.15)
        kappa, alpha = rng.normal(size=2) * 10 ** rng.uniform(-3, -0.3)
        expected = twin.magic(twin.MAGIC, 0.5, N, scale, kappa, alpha, gamma)
        np.testing.assert_allclose(law(MAGIC, N, kappa, alpha, gamma, scale), expected, rtol=1e-9, atol=1e-9 * N)


def test_peaks_are_D():
    slips = np.linspace(0.0, 1.0, 1001)
    for scale in (1.0, 0.4):
        Fx = max(law(PLAIN, NOMINAL, s, 0.0, scale=scale)[0] for s in slips)
        Fy = max(law(PLAIN, NOMINAL, 0.0, -np.arctan(2.0 * s), scale=scale)[1] for s in slips)
        assert Fx == pytest.approx(twin.MAGIC["PDX1"] * NOMINAL * scale, rel=1e-4)
        assert Fy == pytest.approx(twin.MAGIC["PDY1"] * NOMINAL * scale, rel=1e-4)


def test_friction_ellipse():
    """Its weights are fitted, not derived: with these coefficients it stays within 7 % of the ellipse."""
    N, worst = 9000.0, 0.0
    for angle in np.linspace(0, np.pi / 2, 31):
        for s in np.geomspace(1e-3, 1.0, 40):
            Fx, Fy, _ = law(PLAIN, N, s * np.cos(angle), -np.arctan(s * np.sin(angle)))
            worst = max(worst, np.hypot(Fx / (0.95 * N), Fy / (0.85 * N)))
    assert worst < 1.07


def test_stiffnesses_are_slopes_and_positive_at_any_load():
    c = tyre_row(PLAIN)[0]["magic"]
    for N in (500.0, NOMINAL, 20000.0):
        Cx, Cy, limit = plain(magic.magic_stiffness)(c, N, 1.0)
        assert law(PLAIN, N, 1e-6, 0.0)[0] / 1e-6 == pytest.approx(Cx, rel=1e-4)
        assert law(PLAIN, N, 0.0, -1e-6)[1] / 1e-6 == pytest.approx(Cy, rel=1e-4)
        assert Cx > 0.0 < Cy and 0.0 < limit < 2.0 * N
    K = -twin.MAGIC["PKY1"] * NOMINAL * np.sin(2 * np.arctan(1 / twin.MAGIC["PKY2"]))
    assert -plain(magic.cornering_stiffness)(c, NOMINAL) == pytest.approx(K)


def test_relaxation_lengths():
    """PTX1 and PTY1 by load over nominal load; the radius where a file has none; never less than a tenth of it."""
    c, R = tyre_row(MAGIC)[0]["magic"].copy(), 0.5
    lengths = plain(magic.magic_relaxation)
    c[[magic.PTX1, magic.PTX2, magic.PTX3]] = 2.0, 0.5, 0.0
    assert lengths(c, 2.0 * NOMINAL, R)[0] == pytest.approx(2.0 * (2.0 + 0.5) * R)
    c[[magic.PTY1, magic.PTY2]] = 3.0, 1.0
    assert lengths(c, NOMINAL, R)[1] == pytest.approx(3.0 * R)
    c[[magic.PTX1, magic.PTY1]] = 0.0
    assert lengths(c, NOMINAL, R) == (R, R)
    c[[magic.PTX1, magic.PTY1]] = 1e-9
    assert lengths(c, NOMINAL, R) == (0.1 * R, 0.1 * R)


def test_rolling_resistance_and_radius():
    c, N = tyre_row(MAGIC)[0]["magic"].copy(), 6000.0
    c[[magic.QSY1, magic.QSY2, magic.QSY3, magic.QSY4, magic.LONGVL]] = 0.01, 0.02, 0.003, 0.0004, 10.0
    share = 0.01 + 0.02 * 1000.0 / NOMINAL + 0.003 * 2.0 + 0.0004 * 16.0
    assert plain(magic.magic_rolling)(c, N, 0.5, 1000.0, -20.0) == pytest.approx(N * 0.5 * share)
    assert plain(magic.magic_rolling)(c, N, 0.5, -1e9, 0.0) == 0.0
    x = N / NOMINAL
    c[[magic.DREFF, magic.BREFF, magic.FREFF]] = 0.3, 8.0, 0.05
    expected = 0.5 - NOMINAL / 4e5 * (0.3 * np.arctan(8.0 * x) + 0.05 * x)
    assert plain(magic.magic_radius)(c, N, 0.5) == pytest.approx(expected)


def test_loads_beyond_the_data_are_held():
    c = tyre_row(MAGIC)[0]["magic"].copy()
    c[magic.FZMAX] = 2.0 * NOMINAL
    assert plain(magic.relative_load)(c, 9.0 * NOMINAL) == 1.0 and plain(magic.relative_load)(c, NOMINAL) == 0.0
