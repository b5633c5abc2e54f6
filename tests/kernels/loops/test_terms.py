"""Phi, J, J v - nu and gamma at one state, as analysis takes them."""

import numpy as np
import pytest

import gori
from gori.kernels.codes import OK
from gori.kernels.loops.terms import loop_terms
from gori.model.loops.equations import loop_tables
from gori.model.machine import machine_of
from tests.checks import close
from tests.reference import dynamics as dyn
from tests.reference import loops
from tests.reference.random_loops import random_closed


@pytest.mark.parametrize("seed", range(5))
def test_against_the_reference(seed):
    """All equations, on the loops; the same numbers again from the same arrays."""
    spec, q, v = random_closed(np.random.default_rng(seed), n_mimic=seed % 2)
    model = gori.compile(spec)
    machine, data = machine_of(model, loops=loop_tables(model))
    J = np.full((len(machine.equation), model.nv), np.nan)
    for _ in range(2):
        assert loop_terms(machine, data, 0.0, q, v, J) == OK
        work = data.loops.work
        close(J, loops.jacobian(spec, q), 1e-12)
        close(work.gap, np.zeros(len(J)), 1e-10)
        close(work.slip, J @ v, 1e-12)
        close(work.gamma, loops.gamma(spec, q, v), 1e-11)
        data.body_w[1:], data.loops.work.flat[:] = np.nan, np.nan  # work is not read before it is written


def test_the_rate_of_the_jacobian_is_in_gamma():
    """gamma = d(J v)/dt along v, by differences."""
    spec, q, v = random_closed(np.random.default_rng(7))
    model = gori.compile(spec)
    machine, data = machine_of(model, loops=loop_tables(model))
    tree, h, J = loops.open_tree(spec), 1e-6, np.empty((len(machine.equation), model.nv))
    slips = []
    for step in (-h, h):
        loop_terms(machine, data, 0.0, dyn.integrate(tree, q, step * v), v, J)
        slips.append(J @ v)
    loop_terms(machine, data, 0.0, q, v, J)
    close((slips[1] - slips[0]) / (2.0 * h), data.loops.work.gamma, 1e-6)
