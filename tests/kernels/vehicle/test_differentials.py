"""Axles behind differentials: impulses balance, brakes are Coulomb friction, locked wheels turn alike."""

import numpy as np
import pytest

from gori.kernels.vehicle import differentials as kernel
from gori.kernels.vehicle.state import WHEEL_WORK
from gori.kernels.vehicle.tables import AXLE
from tests.plain import plain, rows

OPEN, LOCKED, MOVE = plain(kernel.open_centre), plain(kernel.locked_centre), plain(kernel.move_axles)


def random_case(seed, centre_locked):
    """Axles, wheels and P = a - c l; brakes from none to more than anything."""
    random = np.random.default_rng(seed)
    n = int(random.integers(1, 4))
    axle, wheels = AXLE.zeros(n), WHEEL_WORK.zeros(2 * n)
    axle["share"] = random.dirichlet(np.ones(n))
    if n > 1 and seed % 4 == 0:
        axle["share"] = [0.0, 1.0, 0.0][:n]
    axle["locked"] = random.integers(2, size=n)
    axle["inertia"] = random.uniform(4.0, 9.0, (n, 2))
    axle["inverse_inertia"], axle["inverse"] = 1.0 / axle["inertia"], 1.0 / axle["inertia"].sum(axis=1)
    wheels["momentum"] = random.normal(0.0, 30.0, 2 * n)
    wheels["brake_limit"] = random.choice([0.0, 5.0, 20.0, 1e3], 2 * n)
    a, c = random.normal(0.0, 50.0), random.uniform(0.1, 30.0)
    carrier = (LOCKED if centre_locked else OPEN)(rows(axle), a, c, random.normal(), rows(wheels))
    MOVE(rows(axle), rows(wheels))
    return axle, wheels, a, c, carrier


def check_wheels(axle, wheels):
    """D w = R + given + b, |b| within the capacity, and against the motion unless the wheel stands."""
    w, b, cap = (wheels[name].reshape(-1, 2) for name in ("new_speed", "brake_impulse", "brake_limit"))
    R, given = wheels["momentum"].reshape(-1, 2), wheels["axle_impulse"][::2]
    assert (np.abs(b) <= cap * (1.0 + 1e-12) + 1e-12).all()
    for x in range(len(axle)):
        if axle["locked"][x]:
            assert w[x, 0] == w[x, 1]
            total = axle["inertia"][x].sum() * w[x, 0]
            assert total == pytest.approx(R[x].sum() + given[x] + b[x].sum(), abs=1e-9)
            sliding = np.full(2, w[x, 0] != 0.0)
        else:
            np.testing.assert_allclose(axle["inertia"][x] * w[x], R[x] + 0.5 * given[x] + b[x], atol=1e-9)
            sliding = w[x] != 0.0
        np.testing.assert_allclose(b[x][sliding], -np.sign(w[x][sliding]) * cap[x][sliding], atol=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_open_centre(seed):
    """The carrier turns with the mean of the axles by their shares, each of which gets its share of P."""
    axle, wheels, a, c, carrier = random_case(seed, False)
    check_wheels(axle, wheels)
    mean = wheels["new_speed"].reshape(-1, 2).mean(axis=1)
    assert carrier == pytest.approx(axle["share"] @ mean, abs=1e-10)
    np.testing.assert_allclose(wheels["axle_impulse"][::2], axle["share"] * (a - c * carrier), atol=1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_locked_centre(seed):
    """All driven axles turn at one speed; what they are given sums up to P, axles that are not driven get nothing."""
    axle, wheels, a, c, carrier = random_case(seed, True)
    check_wheels(axle, wheels)
    mean, driven = wheels["new_speed"].reshape(-1, 2).mean(axis=1), axle["share"] > 0.0
    np.testing.assert_allclose(mean[driven], carrier, atol=1e-9)
    given = wheels["axle_impulse"][::2]
    assert given.sum() == pytest.approx(a - c * carrier, abs=1e-8) and not given[~driven].any()


def test_held_wheels_stand_exactly():
    axle, wheels = AXLE.zeros(1), WHEEL_WORK.zeros(2)
    axle["share"], axle["inertia"], axle["inverse_inertia"], axle["inverse"] = 1.0, 5.0, 0.2, 0.1
    wheels["momentum"], wheels["brake_limit"] = 3.0, 10.0
    for solve in (OPEN, LOCKED):
        assert solve(rows(axle), 8.0, 2.0, 1.0, rows(wheels)) == 0.0
        MOVE(rows(axle), rows(wheels))
        assert (wheels["new_speed"] == 0.0).all() and wheels["brake_impulse"].sum() == pytest.approx(-14.0)


def test_friction_shrinks_a_momentum():
    shrink = plain(kernel.shrink)
    assert [shrink(r, 2.0) for r in (5.0, 2.0, 1.0, -2.0, -5.0)] == [3.0, 0.0, 0.0, 0.0, -3.0]
