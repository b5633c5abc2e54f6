import numba
import numpy as np

from gori.kernels.choose import smaller, where_less
from gori.kernels.lanes import WIDTH, lanes


@numba.njit
def _choose(a, b, least, chosen):
    x, y, least, chosen = lanes(a), lanes(b), lanes(least), lanes(chosen)
    for k in range(len(x)):
        least[k] = smaller(x[k], y[k])
        chosen[k] = where_less(x[k], y[k], 2.0 * x[k], -y[k])


def test_lanes_choose_one_by_one():
    a, b = np.random.default_rng(0).normal(size=(2, 3, WIDTH))
    least, chosen = np.empty_like(a), np.empty_like(a)
    _choose(a, b, least, chosen)
    assert np.array_equal(least, np.minimum(a, b))
    assert np.array_equal(chosen, np.where(a < b, 2.0 * a, -b))


def test_plain_numbers():
    assert smaller(1.0, 2.0) == smaller(2.0, 1.0) == 1.0
    assert (where_less(1.0, 2.0, "x", "y"), where_less(2.0, 1.0, "x", "y")) == ("x", "y")
