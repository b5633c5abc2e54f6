"""Cotangents of steps in the space of q: the transposes of the matrices of `model/tangents.py`."""

import numpy as np
import pytest

from gori.kernels.tree.configuration import exp_coefficients
from gori.kernels.tree.joints import FREE
from gori.kernels.tree.turning import polynomial, rates_of_coefficients, stepped_back, turned_back
from gori.model.tangents import cross_matrix, quaternion_steps
from tests.checks import close, machine
from tests.plain import plain


@pytest.mark.parametrize("size", [1e-9, 1e-3, 0.19, 0.21, 2.5])
def test_they_are_transposed(size):
    model, _ = machine(0, types=("spherical", "free", "revolute", "cylindrical"))
    rng = np.random.default_rng(1)
    dv, of, by_q, by_dv = rng.normal(size=(4, model.nv))
    turns = quaternion_steps(model, dv[None])
    for turn in turns:
        dv[turn.at] *= size / np.linalg.norm(dv[turn.at][:3])
    plain(stepped_back)(model.kernel_tables.body_i, dv, of, by_q, by_dv)
    left = np.ones(model.nv, bool)
    for turn in quaternion_steps(model, dv[None]):
        close(by_q[turn.at], turn.by_q[0].T @ of[turn.at], 1e-12)
        close(by_dv[turn.at], turn.by_dv[0].T @ of[turn.at], 1e-11)
        left[turn.at] = False
    assert len(turns) == 2 and np.array_equal(by_q[left], of[left]) and np.array_equal(by_dv[left], of[left])


def test_pieces():
    w, x = np.random.default_rng(0).normal(size=(2, 3))
    W = cross_matrix(w[None])[0]
    close(plain(polynomial)(w, 0.3, 0.2, x), x + 0.3 * W @ x + 0.2 * W @ W @ x, 1e-14)
    rates, d = plain(rates_of_coefficients), 1e-6
    for t2 in (1e-4, 0.0399, 0.0401, 3.0):
        up, here, down = (plain(exp_coefficients)(t2 + k * d) for k in (1.0, 0.0, -1.0))
        found = rates(t2, here[1], here[2])
        close(found, [(up[k] - down[k]) / (2.0 * d) for k in (1, 2)], 1e-9)
    back, by = np.empty((2, 6))
    plain(turned_back)(FREE, 0, np.zeros(6), np.arange(6.0), back, by)
    assert np.array_equal(back, np.arange(6.0)) and np.array_equal(by, np.arange(6.0))
