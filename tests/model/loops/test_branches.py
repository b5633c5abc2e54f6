"""Singular poses: branches that cross, and freedom in an instant or of a finite motion."""

import numpy as np
import pytest

import gori
from bench.mechanisms import bricard, four_bar, stewart
from gori.model.loops.branches import directions, finite_freedom, is_singular, tangents
from tests.model.loops.singular import dead_centre, parallelogram
from tests.reference.random_loops import random_closed, random_overconstrained, random_planar


def at_start(spec):
    model = gori.compile(spec)
    return tangents(model, model.q0)


@pytest.mark.parametrize(
    ("spec", "instant", "finite"),
    [
        (parallelogram(), 2, 1),
        (parallelogram(0.3), 1, 1),
        (dead_centre(), 1, 0),
        (bricard(), 1, 1),
        (four_bar(), 1, 1),
        (stewart(), 6, 6),
    ],
)
def test_freedom(spec, instant, finite):
    at = at_start(spec)
    assert (at.freedom, finite_freedom(at)) == (instant, finite)
    assert is_singular(at) == (instant != finite)
    mobility = gori.compile(spec).mobility()
    assert (mobility.instantaneous, mobility.freedom) == (instant, finite)
    assert ("a singular pose" in str(mobility)) == (instant != finite)


def test_the_branches_of_a_flat_parallelogram():
    """To second order: C = A, and C = A (a + b)/(a - b) for cranks of a = 1 and a coupler of b = 2."""
    at = at_start(parallelogram())
    found = sorted(round(float(v[2] / v[0]), 9) for v in (at.velocity(c) for c in directions(at)))
    assert found == [-3.0, 1.0]


@pytest.mark.parametrize("make", [random_closed, random_overconstrained, random_planar])
@pytest.mark.parametrize("seed", range(6))
def test_regular_poses_have_no_branches(make, seed):
    spec, q, _ = make(np.random.default_rng(seed), 6)
    model = gori.compile(spec)
    at = tangents(model, q)
    assert not is_singular(at) and finite_freedom(at) == at.freedom == model.mobility(q).instantaneous
