"""The footprint of a wheel on soft soil: the plane below it, the tyre in series, and the tread."""

import math

import numpy as np
import pytest

from gori.kernels.codes import OFF_GRID, OK
from gori.kernels.vehicle import footprint
from gori.kernels.vehicle.state import CONTACT, FOOTPRINT, WHEEL_STATE
from gori.kernels.vehicle.tables import SOIL, TYRE, Ground
from gori.model.vehicle.terrain import terrain_tables
from tests.kernels.vehicle.grounds import terrain
from tests.plain import plain, rows

R, B = 0.5, 0.3


def ground_of(**given):
    return Ground(*(rows(part) if part.dtype.names else part for part in terrain_tables(terrain(**given))))


def wheel(centre, axis=(0.0, 1.0, 0.0)):
    """Tyre, contact and footprint."""
    tyre, contact, foot = TYRE.zeros(1), CONTACT.zeros(1), FOOTPRINT.zeros(1)
    tyre["radius"], tyre["width"] = R, B
    contact["centre"], contact["axis"] = centre, np.array(axis, float) / np.linalg.norm(axis)
    return rows(tyre)[0], rows(contact)[0], rows(foot)[0]


def below(centre, axis=(0.0, 1.0, 0.0), **given):
    tyre, contact, foot = wheel(centre, axis)
    assert plain(footprint.ground_below)(ground_of(**given), tyre, contact, foot)
    return foot


@pytest.mark.parametrize("axis", [(0, 1, 0), (-1, 1, 0), (0.3, -1, 0.2)])
def test_a_plane_is_found_again(axis):
    """Slopes in world axes whatever the heading; the distance along the normal, turned into the wheel plane."""
    g, c = np.array([0.2, -0.1]), np.array([3.0, 4.0, 0.9])
    foot = below(c, axis, grade=g)
    a = np.array(axis) / np.linalg.norm(axis)
    np.testing.assert_allclose(foot.slope, g, atol=1e-12)
    n = np.array([-g[0], -g[1], 1.0]) / math.hypot(1.0, *g)
    up = n - (n @ a) * a
    np.testing.assert_allclose(foot.up, up / np.linalg.norm(up), atol=1e-12)
    assert foot.cosine == pytest.approx(n[2]) and foot.smooth == 1
    # along `up` the centre is that far from the plane
    assert (c - foot.above * foot.up) @ n == pytest.approx(0.0, abs=1e-12)
    assert foot.bump == pytest.approx(0.5 * B * abs(n @ a) / np.linalg.norm(up))
    np.testing.assert_allclose(foot.heading, [a[1], -a[0]] / np.hypot(a[0], a[1]), atol=1e-12)


def test_ground_that_is_higher_ahead_touches_first():
    flat = below((0.0, 0.0, R))
    assert flat.bump == 0.0 and flat.above == R
    step = below((0.0, 0.0, R), features={"kerb": {"type": "step", "at": [0.3, 0.0], "height": 0.1}})
    assert step.smooth == 0 and step.bump == pytest.approx(0.1, abs=1e-9) and step.grade == 0.0


def test_a_wheel_on_its_side_has_no_tread():
    tyre, contact, foot = wheel((0, 0, 0.2), (0, 0.2, 1))
    assert not plain(footprint.ground_below)(ground_of(), tyre, contact, foot)


def series(d, depth, dt, stiff, soil_load=0.0, before=0.0, damping=0.0):
    s = WHEEL_STATE.zeros(1)
    s["deflection"], s["depth"], s["soil_load"] = d, before, soil_load
    s["rise_stiffness"], s["sink_stiffness"] = 1e6, 2e5
    return plain(footprint.series_step)(rows(s)[0], stiff * d, stiff, damping, depth - before, dt)


def test_tyre_and_soil_share_the_depth():
    """Linear springs: one Newton step gives d = k_s z / (k + k_s), without damping."""
    k, z = 4e5, 0.03
    d = series(0.0, z, 1e-3, k)
    assert k * d == pytest.approx(2e5 * (z - d))
    assert series(0.02, 0.05, 1e-3, 0.0) == 0.02  # held
    assert series(0.001, -1.0, 1e-3, k) == 0.0  # it does not pull


def test_a_damper_holds_the_tyre_back():
    """In a short step a strong damper takes all: the soil gives way, and the deflection stays."""
    assert series(0.01, 0.05, 1e-9, 4e5, soil_load=4e3, before=0.05, damping=3e3) == pytest.approx(0.01, abs=1e-6)
    assert series(0.01, 0.05, 1e9, 4e5, soil_load=4e3, before=0.05, damping=3e3) == pytest.approx(0.01)


def test_press_tyre_says_whether_it_touches():
    state = rows(WHEEL_STATE.zeros(1))[0]
    for height, touches in ((R - 0.02, True), (R + 0.02, False)):
        tyre, contact, foot = wheel((0, 0, height))
        plain(footprint.ground_below)(ground_of(), tyre, contact, foot)
        assert bool(plain(footprint.press_tyre)(tyre, state, 1.0, 1e-3, foot)) == touches
        assert foot.sinkage == pytest.approx(R - height) and foot.deflection == 0.0


def laid(x, d, sinkage, size=4.0):
    tyre, contact, foot = wheel((x, 0.0, R - sinkage - d))
    plain(footprint.ground_below)(ground_of(), tyre, contact, foot)
    foot.deflection, foot.sinkage = d, sinkage
    soil = SOIL.zeros(1)
    soil["x0"], soil["y0"], soil["cell"], soil["nx"], soil["ny"] = -0.5 * size, -0.5 * size, 0.05, 80, 80
    return plain(footprint.lay_tread)(rows(soil)[0], tyre, contact, foot), foot


def test_the_flattened_tread_meets_the_round_one_where_it_enters():
    code, rigid = laid(0.0, 0.0, 0.02)
    assert code == OK and rigid.radius == R and rigid.raised == 0.0 and rigid.rolling_radius == R
    assert rigid.ahead == pytest.approx(math.sqrt(R**2 - (R - 0.02) ** 2))
    _, flat = laid(0.0, 0.01, 0.02)
    assert flat.radius == pytest.approx(R * (1.0 + 0.01 / 0.02))
    # its lowest point is R - d below the axle
    assert flat.radius - flat.raised == pytest.approx(R - 0.01)
    assert flat.rolling_radius == pytest.approx(R - 0.01 / 3.0)


def test_off_the_grid():
    assert laid(1.8, 0.0, 0.02)[0] == OK and laid(1.9, 0.0, 0.02)[0] == OFF_GRID
