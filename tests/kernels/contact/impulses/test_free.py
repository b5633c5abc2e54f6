"""Steps of bodies that fly free."""

import numpy as np

from gori.kernels.contact.impulses.free import about_centre, solve_symmetric
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
