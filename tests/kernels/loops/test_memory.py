"""Layouts of the loops' memory: pieces cover the flat arrays, in Python and in compiled code alike."""

import numba
import numpy as np
import pytest

import gori
from gori.kernels.loops import memory as lm
from gori.model.machine import machine_of
from tests.integrate.closed_machines import rockers, slider_crank


@numba.njit(_nrt=False)  # as all kernels: they count no references
def first_numbers(data):
    """First numbers of some pieces, as compiled code sees them."""
    m = data.loops
    return m.state.multipliers[0], m.state.over_pivots[-1], m.work.gap[0], m.work.wrench[0, 5], m.work.reduced[-1, -1]


@pytest.fixture(params=[rockers, slider_crank], ids=lambda make: make.__name__)
def bundle(request):
    model = gori.compile(request.param())
    return model, *machine_of(model, loops=model.loop_system.kept)


@pytest.mark.parametrize("name", ["state", "work"])
def test_pieces_cover_the_flat_array_once(bundle, name):
    pieces = getattr(bundle[2].loops, name)
    for k, piece in enumerate(pieces.members().values()):
        piece[:] += k + 1
    expected = [np.full(piece.size, k + 1.0) for k, piece in enumerate(pieces.members().values())]
    np.testing.assert_array_equal(pieces.flat, np.concatenate(expected))


def test_python_and_compiled_code_see_the_same_numbers(bundle):
    model, machine, data = bundle
    rng, m = np.random.default_rng(0), data.loops
    for pieces in (m.state, m.work):
        pieces.flat[:] = rng.normal(size=pieces.flat.size)
    here = m.state.multipliers[0], m.state.over_pivots[-1], m.work.gap[0], m.work.wrench[0, 5], m.work.reduced[-1, -1]
    assert first_numbers(data) == here
    assert m.state.multipliers.shape == (len(machine.equation),) and m.work.mass.shape == (model.nv, model.nv)


def test_a_machine_without_loops_keeps_nothing():
    model = gori.compile(rockers(), open_loops=True)
    machine, data = machine_of(model)
    work = data.loops.work
    assert data.loops.state.flat.size == 0 and work.flat.size == work.standing.size + work.departing.size == 4
    assert lm.loop_memory(None, model.nv).work.mass.size == 0 == len(machine.equation)
