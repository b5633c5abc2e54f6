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
    """A point whose pieces are of the blocks 2 and 0, behind one of another point."""
    rng = np.random.default_rng(1)
    w, x = rng.normal(size=(3, 3, 8)), rng.normal(size=24)
    memory = Plain(w=w, block=np.array([1, 2, 0]))
    expected = w[1] @ x[16:] + w[2] @ x[:8]
    np.testing.assert_allclose(plain(speeds)(Plain(at=1, count=2), memory, x), expected, rtol=1e-13)
    assert plain(along)([1.0, 2.0, 3.0], [0.0, 0.5, 1.0]) == 4.0
