"""States on both sides of a singular pose."""

import numpy as np
import pytest

import gori
from gori.model.loops.beside import ASIDE, NODES, SLOPES, branch_at
from tests.model.loops.singular import locomotive, parallelogram

BRANCHES = [(parallelogram, [2.0, -2.0, 2.0]), (parallelogram, [2.0, -6.0, -6.0]), (locomotive, [6.0, -6.0, 6.0, 6.0])]


def test_weights_are_those_of_a_polynomial_of_degree_five():
    for degree in range(6):
        assert sum(share * k**degree for k, share in NODES.items()) == pytest.approx(float(degree == 0), abs=1e-12)
        assert sum(share * k**degree for k, share in SLOPES.items()) == pytest.approx(float(degree == 1), abs=1e-12)


@pytest.mark.parametrize(("make", "v"), BRANCHES)
def test_states_lie_on_the_loops_and_what_they_have_in_common_is_the_pose(make, v):
    model, v = gori.compile(make()), np.array(v)
    branch = branch_at(model, model.q0, v, 0.0)
    sides = branch.sides()
    assert branch.T.shape == (model.nv, 1) and set(sides) == set(NODES)
    for k, side in sides.items():
        terms = model.loop_system.terms(side.q, side.v, side.time)
        assert np.abs(terms.gap).max() < 1e-13 and np.abs(terms.slip).max() < 1e-12
        assert np.abs(side.q).max() == pytest.approx(abs(k) * ASIDE, rel=0.1)
    np.testing.assert_allclose(sum(s * sides[k].q for k, s in NODES.items()), 0.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(sum(s * sides[k].v for k, s in NODES.items()), v, rtol=0, atol=1e-8)


def test_none_at_other_poses_at_rest_and_off_the_branches():
    flat, open_ = gori.compile(parallelogram()), gori.compile(parallelogram(0.7))
    assert branch_at(flat, flat.q0, np.zeros(3), 0.0) is None
    assert branch_at(flat, flat.q0, np.array([2.0, -3.0, 0.0]), 0.0) is None
    assert branch_at(open_, open_.q0, np.array([2.0, -2.0, 2.0]), 0.0) is None


def test_a_machine_that_is_driven_moves_on_in_time():
    spec = parallelogram(A=2.0)
    model = gori.compile(type(spec)(**spec.model_dump(exclude_unset=True), motions={"m": {"joint": "A", "speed": 2.0}}))
    branch = branch_at(model, model.q0, np.array([2.0, -2.0, 2.0]), 0.0)
    assert branch.T.shape == (3, 0)
    assert branch.side(1.0).time == pytest.approx(ASIDE / 2.0) and branch.side(1.0).q[0] == pytest.approx(ASIDE)
