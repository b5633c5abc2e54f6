"""Geometry of a contact against cross products of NumPy."""

import numpy as np

from gori.kernels.particles import columns as c
from gori.kernels.particles import geometry
from gori.spec.base import rotation

RNG = np.random.default_rng(8)


def plain(part):
    return part.py_func


def test_slip_of_two_spheres():
    """The velocity of the touching points, each seen from its own centre."""
    x, y, (ri, rj) = np.zeros(3), RNG.normal(size=3), (0.4, 0.7)
    v, u, w, z = RNG.normal(size=(4, 3))
    distance = np.linalg.norm(y - x)
    n = (y - x) / distance
    mean, skew = 0.5 * distance, 0.5 * (ri - rj)
    surface = plain(geometry.surface_velocity)(mean, *(w + z), skew, *(w - z))
    found = plain(geometry.slip)(*n, *(v - u), *surface)
    point = x + (mean + skew) * n
    expected = v + np.cross(w, point - x) - u - np.cross(z, point - y)
    np.testing.assert_allclose(found, expected, atol=1e-14)
    turned = plain(geometry.slip)(*-n, *(u - v), *plain(geometry.surface_velocity)(mean, *(w + z), -skew, *(z - w)))
    assert np.array_equal(turned, -np.array(found))  # as the other one finds it
    assert plain(geometry.spin_about)(0.5, *n, *(w + z)) == np.float64(0.5 * ((w + z) * n)[[0, 1, 2]].cumsum()[-1])


def test_forces():
    n, f = RNG.normal(size=(2, 3))
    np.testing.assert_allclose(plain(geometry.moment)(*n, *f), np.cross(n, f), atol=1e-15)
    np.testing.assert_allclose(plain(geometry.whole_force)(2.0, *n, *f), f - 2.0 * n, atol=1e-15)


def poses():
    pose = np.zeros((2, c.N_POSE))
    pose[1, c.ROT : c.ROT + 9] = rotation((10, 20, 30), None).ravel()
    pose[1, c.POS :] = RNG.normal(size=9)
    return pose


def test_motion_against_a_wall_and_its_reaction():
    pose, gap = poses(), 0.3
    n = RNG.normal(size=3)
    n /= np.linalg.norm(n)
    x, v, w, f, m = RNG.normal(size=(5, 3))
    q, u, spin = plain(geometry.wall_motion)(pose, 1, gap, n, x, v, w)
    origin, velocity, omega = pose[1, c.POS : c.VEL], pose[1, c.VEL : c.OMEGA], pose[1, c.OMEGA :]
    np.testing.assert_allclose(q, x + gap * n - origin, atol=1e-14)
    np.testing.assert_allclose(u, v + np.cross(w, gap * n) - velocity - np.cross(omega, q), atol=1e-14)
    assert abs(spin - 0.5 * (w + omega) @ n) < 1e-14
    wrench = np.ones((3, 6))
    plain(geometry.react)(wrench, 2, q, *f, *m)
    np.testing.assert_allclose(wrench[2], 1.0 - np.concatenate([np.cross(q, f) + m, f]), atol=1e-14)
    assert (wrench[:2] == 1.0).all()


def test_a_point_in_the_frame_of_a_body():
    pose, x = poses(), RNG.normal(size=3)
    R = pose[1, : c.POS].reshape(3, 3)
    np.testing.assert_allclose(plain(geometry.in_frame)(pose, 1, *x), R.T @ (x - pose[1, c.POS : c.VEL]), atol=1e-14)


def test_length_and_direction():
    v = RNG.normal(size=3)
    length, *found = plain(geometry.direction)(*v, 0.0, 0.0, 1.0)
    assert length == np.float64(np.linalg.norm(v)) and np.allclose(length * np.array(found), v, atol=1e-15)
    assert plain(geometry.direction)(0.0, 0.0, 0.0, 0.0, 1.0, 0.0) == (0.0, 0.0, 1.0, 0.0)


def test_points_in_a_tangent_plane():
    """A wall at 0.3 along n: points in its plane are part of it, wherever they lie; those off it are not."""
    n, e = RNG.normal(size=(2, 3))
    n /= np.linalg.norm(n)
    across = e - (e @ n) * n
    for off, expected in ((0.0, True), (0.009, True), (-0.009, True), (0.011, False), (-0.011, False)):
        point = (0.3 + off) * n + across
        far = np.linalg.norm(point)
        assert plain(geometry.lies_in_plane)(0.3, *n, far, *(point / far), 0.01) == expected
