"""Steps of bodies that fly free."""

import numpy as np
from scipy.spatial.transform import Rotation

from gori.kernels.contact.impulses.free import about_centre, fly, mean_spin, solve_symmetric
from tests.plain import plain


def test_a_symmetric_solution():
    rng = np.random.default_rng(0)
    A = rng.normal(size=(3, 3))
    J, b = A @ A.T + np.eye(3), rng.normal(size=3)
    six = J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]
    np.testing.assert_allclose(plain(solve_symmetric)(*six, *b), np.linalg.solve(J, b), rtol=1e-12)


def test_inertia_about_the_centre_of_mass():
    """Steiner's theorem backwards."""
    m, c, J = 2.0, np.array([0.1, -0.2, 0.3]), np.diag([1.0, 2.0, 3.0])
    about_origin = J + m * (c @ c * np.eye(3) - np.outer(c, c))
    body_f = np.zeros((1, 24))
    body_f[0, 12], body_f[0, 13:16] = m, c
    body_f[0, 16:22] = [*np.diag(about_origin), about_origin[0, 1], about_origin[0, 2], about_origin[1, 2]]
    found = plain(about_centre)(body_f, 0)
    np.testing.assert_allclose(found, [*c, 1.0, 2.0, 3.0, 0.0, 0.0, 0.0], atol=1e-12)


def tumble(steps, h, w):
    """Energy of a body that flies alone, by that at the start, and its momenta in the world, in each step."""
    J, c, m = np.diag([0.05, 0.0425, 0.0125]) / 12.0, np.array([0.1, -0.2, 0.3]), 2.0
    about_origin = J + m * (c @ c * np.eye(3) - np.outer(c, c))
    body_f = np.zeros((1, 24))
    body_f[0, 12], body_f[0, 13:16] = m, c
    body_f[0, 16:22] = [*np.diag(about_origin), about_origin[0, 1], about_origin[0, 2], about_origin[1, 2]]
    q, v, energy, momenta = np.array([1.0, 0, 0, 0, 0, 0, 0]), np.array([*w, 1.0, 2.0, 3.0]), [], []
    for _ in range(steps):
        R = Rotation.from_quat(q[:4], scalar_first=True)
        speed = v[3:] + np.cross(v[:3], c)
        energy.append(0.5 * v[:3] @ J @ v[:3] + 0.5 * m * speed @ speed)
        momenta.append([*R.apply(m * speed), *R.apply(J @ v[:3])])
        plain(fly)(body_f, 0, 0, 0, True, q, v, v, h)
    return np.array(energy) / energy[0], np.array(momenta)


def test_a_body_that_tumbles_keeps_its_momenta_and_gains_no_energy():
    for w in ([10.0, 1.0, 0.0], [0.1, 10.0, 0.1], [3.0, 3.0, 3.0]):
        energy, momenta = tumble(1000, 1e-2, w)
        np.testing.assert_allclose(momenta, np.broadcast_to(momenta[0], momenta.shape), atol=1e-9)
        assert energy.min() > 0.998 and energy.max() < 1.0 + 1e-6


def test_a_mean_spin_is_that_of_its_ends():
    """For a turn that is small, to the third order."""
    J, w = np.diag([1.0, 2.0, 3.0]), np.array([0.3, 0.2, 0.1])
    six = 1.0, 2.0, 3.0, 0.0, 0.0, 0.0
    for h, error in ((0.1, 3e-6), (0.05, 4e-7)):
        s = np.array(plain(mean_spin)(six, *w, h))
        end = np.linalg.solve(J, Rotation.from_rotvec(-h * s).apply(J @ w))
        np.testing.assert_allclose(s, 0.5 * (w + end), atol=error)
