"""Poses between two moments: exact at both ends, smooth between them."""

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles.poses import add_impulse, interpolate
from gori.spec.base import rotation


def pose(degrees, position, velocity, omega):
    out = np.zeros((1, c.N_POSE))
    out[0, : c.POS] = rotation((0, 0, degrees), None).ravel()
    out[0, c.POS : c.VEL], out[0, c.VEL : c.OMEGA], out[0, c.OMEGA :] = position, velocity, omega
    return out


def test_a_body_that_turns_and_falls():
    span, steps, rate = 0.1, 10, np.radians(300.0)
    before = pose(0.0, [0, 0, 1.0], [1.0, 0, 0.0], [0, 0, rate])
    after = pose(30.0, [0.1, 0, 1.0 - 0.5 * 9.81 * span**2], [1.0, 0, -9.81 * span], [0, 0, rate])
    table = np.zeros((steps + 1, 1, c.N_POSE))
    interpolate(before, after, span, table, steps)
    np.testing.assert_allclose(table[0], before, atol=1e-14)
    np.testing.assert_allclose(table[-1], after, atol=1e-14)
    time = span * np.arange(steps + 1) / steps
    np.testing.assert_allclose(table[:, 0, c.POS + 2], 1.0 - 0.5 * 9.81 * time**2, atol=1e-14)
    np.testing.assert_allclose(table[:, 0, c.ROT], np.cos(rate * time), atol=1e-12)
    np.testing.assert_allclose(table[:, 0, c.OMEGA + 2], rate, atol=1e-11)


def test_impulse_about_the_origin():
    poses, states, out = pose(0.0, [1.0, 0, 0], 0.0, 0.0), np.arange(8.0), np.zeros(6)
    add_impulse(poses, states, np.array([1]), 0.5, out)
    moment, force = states[1:4], states[4:7]
    np.testing.assert_allclose(out, 0.5 * np.concatenate([moment + np.cross([1, 0, 0], force), force]))
    add_impulse(poses, states, np.array([-1]), 0.5, out)
    np.testing.assert_allclose(out[3:], 0.5 * force)
