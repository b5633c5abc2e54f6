"""Soils in a Spec: pressures, and what is refused."""

import math

import numpy as np
import pytest

from gori.errors import SpecError
from gori.spec.vehicle.soil import BekkerSoil, ExponentialSoil
from tests.kernels.vehicle.soils import LOAM, SAND


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"rebound": 0.95, "k1": 29.9, "k2": 2.91, "p0": 5220}, "at most 0.618 for this pressure law"),
        ({"rebound": 0.95, "k1": 4.58, "k2": 4.49, "p0": 230e3}, "at most 0.901"),
        ({"rebound": 1.0}, "would generate energy"),
        ({"hump": 0.5}, "at least 1 - 1/e"),
        ({"friction_deg": 75}, "below 60 degrees"),
        ({"p0": -1}, "p0: must be positive"),
        ({"cohesion": math.nan}, "cohesion: must be finite"),
        ({"stiffness": 3}, "unknown key 'stiffness'"),
    ],
)
def test_impossible_soils_are_refused(change, words):
    with pytest.raises(SpecError, match=words.replace("(", r"\(")):
        ExponentialSoil(**(SAND.model_dump() | change))


def test_bekker_bound_of_rebound():
    with pytest.raises(SpecError, match=r"at most 0\.625"):
        BekkerSoil(**(LOAM.model_dump() | {"n": 1.6, "rebound": 0.7}))
    with pytest.raises(SpecError, match="carries no load"):
        BekkerSoil(**(LOAM.model_dump() | {"kc": 0, "kphi": 0}))


def test_pressures_are_the_formulas():
    z = np.array([-0.1, 0.0, 0.01, 0.1])
    np.testing.assert_allclose(
        SAND.pressure(z)[2:], 59e3 * (1.0 + 163.0 * z[2:]) * (1.0 - np.exp(-308.0 * z[2:])), rtol=1e-14
    )
    np.testing.assert_allclose(LOAM.pressure(z, 0.2)[2:], (5.27e3 / 0.2 + 1515e3) * z[2:] ** 0.7, rtol=1e-14)
    assert (SAND.pressure(z)[:2] == 0.0).all() and (LOAM.pressure(z)[:2] == 0.0).all()


def test_rebound_at_its_bound_gives_no_energy():
    """R P'(z) z <= P(z): the straight way back then ends above z = 0, so that the cycle encloses an area."""
    z = np.geomspace(1e-4, 1.0, 300)
    for soil in (SAND, LOAM):
        P, d = soil.pressure(z), 1e-7
        slope = (soil.pressure(z + d) - soil.pressure(z - d)) / (2 * d)
        assert (soil.largest_rebound() * slope * z <= P * (1 + 1e-3)).all()
