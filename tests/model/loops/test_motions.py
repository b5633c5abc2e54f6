"""Motions over time: position, velocity and acceleration of each way to give one."""

import numpy as np

from gori.model.loops.motions import motion_values
from gori.spec import Motion


def test_values_over_time():
    t = np.array([0.0, 0.25, 2.0])
    still = np.column_stack([np.full(3, 0.3), np.zeros(3), np.zeros(3)])
    np.testing.assert_array_equal(motion_values(Motion(joint="A", value=0.3), 9.0, t), still)
    for start, given in ((None, 9.0), (0.0, 0.0), (-1.0, -1.0)):
        moved = motion_values(Motion(joint="A", speed=2, start=start), 9.0, t)
        np.testing.assert_array_equal(moved, np.column_stack([given + 2.0 * t, np.full(3, 2.0), np.zeros(3)]))
    square = np.column_stack([t**2, 2.0 * t, np.full(3, 2.0)])
    np.testing.assert_allclose(motion_values(Motion(joint="A", value="t**2"), 9.0, t), square, rtol=1e-15)
    # a cubic is its own spline, if it begins and ends at rest
    rows = [(x, 3 * x**2 - 2 * x**3) for x in (0.0, 0.3, 0.6, 1.0)]
    table = motion_values(Motion(joint="A", value=rows), 9.0, t)
    np.testing.assert_allclose(table, [[0, 0, 6], [0.15625, 1.125, 3], [1, 0, 0]], rtol=1e-12, atol=1e-12)
    assert motion_values(Motion(joint="A", value="t"), 0.0, []).shape == (0, 3)


def test_pchip_stays_between_its_rows():
    """A lift that dwells: monotone between rows, flat where they are, at rest at both ends; the spline swings past."""
    rows = [(0.0, 0.05), (0.3, 0.05), (1.3, 0.25), (10.0, 0.25)]
    t = np.linspace(-1.0, 11.0, 2401)
    x, v, a = motion_values(Motion(joint="A", value=rows, interpolation="pchip"), 9.0, t).T
    assert x.min() == 0.05 and x.max() == 0.25 and (np.diff(x) > -1e-15).all() and np.abs(v[t > 1.3]).max() == 0.0
    assert (a[t < 0.0] == 0.0).all() and np.abs(np.gradient(x, t) - v)[1:-1].max() < 5e-3
    steep = motion_values(
        Motion(joint="A", value=[(0, 0), (1, 1), (2, 3), (4, 4)], interpolation="pchip"), 0.0, [0, 1, 4]
    )
    # weighted harmonic mean of the slopes 1 and 2 beside the row, at rest at the ends
    np.testing.assert_allclose(steep[:, 1], [0.0, 4.0 / 3.0, 0.0], atol=1e-14)
    assert motion_values(Motion(joint="A", value=rows), 9.0, t)[:, 0].max() > 0.5
