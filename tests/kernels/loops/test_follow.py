"""Dependent coordinates that follow the independent ones."""

import numpy as np
import pytest

from gori.kernels.codes import NOT_CLOSED, OK
from gori.kernels.loops.follow import factor_dependent, follow
from gori.kernels.loops.system import place_all
from tests.integrate.closed_machines import rockers, slider_crank, slider_position
from tests.kernels.loops.closed import case
from tests.plain import plain
from tests.reference import loops


def followed(made, q, v):
    machine, data, m = made.machine, made.data, made.m
    plain(place_all)(machine, data, m, 0.0, q, v)
    plain(factor_dependent)(machine, data, m, v)
    return plain(follow)(machine, data, 0.0, q, v)


@pytest.mark.parametrize("make", [rockers, slider_crank])
def test_the_independent_ones_stay(make):
    made = case(make(), solver="partition")
    held = made.m.state.dependent == 0.0
    q, v = made.q.copy(), made.v.copy()
    q[0] += 0.05  # a hinge of one coordinate in both machines
    v[0] *= 1.5
    assert held[0] and held.sum() == 1
    given = q[0], v[0]
    assert followed(made, q, v) == OK
    assert (q[0], v[0]) == given and not np.allclose(q[1:], made.q[1:])
    assert np.abs(loops.residual(made.spec, q)).max() < 1e-12
    assert np.abs(loops.jacobian(made.spec, q) @ v).max() < 1e-10


def test_the_slider_is_where_the_crank_has_it():
    made = case(slider_crank(), solver="partition")
    rail = loops.open_tree(made.spec).q_slice["rail"].start
    for angle in np.linspace(0.0, 1.0, 5):
        q, v = made.q.copy(), made.v.copy()
        q[0] = angle
        assert followed(made, q, v) == OK
        assert q[rail] == pytest.approx(slider_position(angle), abs=1e-12)


def test_a_crank_that_cannot_turn_so_far():
    made = case(rockers(), solver="partition")
    q, v = made.q.copy(), made.v.copy()
    q[0] = 3.0
    assert followed(made, q, v) == NOT_CLOSED


def test_factors_are_not_those_with_the_masses():
    made = case(slider_crank(), solver="partition")
    head = made.m.head[0]
    head.mass_factors, count = 1, head.factorisations
    plain(place_all)(made.machine, made.data, made.m, 0.0, made.q, made.v)
    plain(factor_dependent)(made.machine, made.data, made.m, made.v)
    assert head.mass_factors == 0 and head.factorisations == count + 1 and 0.0 < head.pivot <= 1.0
