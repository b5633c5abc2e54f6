"""Directions of contact points, and speeds along them."""

import numpy as np

from gori.kernels.contact.speeds import along, speeds, tangents
from tests.plain import Plain, plain


def test_tangents_are_across():
    rng = np.random.default_rng(0)
    for n in [*rng.normal(size=(50, 3)), (0, 0, 1), (0, 0, -1)]:
        n = np.array(n) / np.linalg.norm(n)
        t = plain(tangents)(*n)
        R = np.array([n, t[:3], t[3:]])
        np.testing.assert_allclose(R @ R.T, np.eye(3), atol=1e-12)


def test_speeds_are_rows_of_the_jacobian_times_velocities():
    """A point between a body whose axes 1 and 3 move it and one with the axes 4 and 5, whatever their order."""
    rng = np.random.default_rng(1)
    jac, v = rng.normal(size=(3, 4)), rng.normal(size=6)
    row = Plain(direct=0, at=0, count_a=2, count_b=2, path_a=0, path_b=2)
    memory = Plain(jac=jac.ravel(), path=np.array([3, 1, 5, 4]))
    np.testing.assert_allclose(plain(speeds)(row, memory, v), jac @ v[[3, 1, 5, 4]], rtol=1e-14)
    row = Plain(direct=1, at=0, count_a=2, count_b=2, first_a=1, first_b=4)
    np.testing.assert_allclose(plain(speeds)(row, memory, v), jac @ v[[1, 2, 4, 5]], rtol=1e-14)
    assert plain(along)([1.0, 2.0, 3.0], [0.0, 0.5, 1.0]) == 4.0
