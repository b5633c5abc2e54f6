"""Layouts of the loops' memory: pieces cover the flat arrays, in Python and in compiled code alike."""

import numba
import numpy as np
import pytest

import gori
from gori.kernels.loops import memory as lm
from gori.model.machine import machine_of
from tests.integrate.closed_machines import rockers, slider_crank


@numba.njit(_nrt=False)  # as all kernels: they count no references
def first_numbers(machine, data):
    """First numbers of some pieces, through the compiled `carve`."""
    m = lm.carve(machine, data)
    return m.state.multipliers[0], m.state.over_pivots[-1], m.work.gap[0], m.work.wrench[0, 5], m.work.reduced[-1, -1]


@pytest.fixture(params=[rockers, slider_crank], ids=lambda make: make.__name__)
def bundle(request):
    model = gori.compile(request.param())
    return model, *machine_of(model, loops=model.loop_system.kept)


@pytest.mark.parametrize(
    "layout, sizes, flat",
    [(lm.LOOP_STATE, lm.state_sizes, "loop_state"), (lm.LOOP_WORK, lm.work_sizes, "loop")],
    ids=["state", "work"],
)
def test_pieces_cover_the_flat_array_once(bundle, layout, sizes, flat):
    model, machine, data = bundle
    whole = getattr(data, flat)
    for k, piece in enumerate(layout.views(whole, **sizes(machine, model.nv))):
        piece[:] += k + 1
    expected = np.concatenate(
        [
            np.full(int(np.prod([sizes(machine, model.nv).get(size, size) for size in piece.shape])), k + 1.0)
            for k, piece in enumerate(layout.arrays)
        ]
    )
    np.testing.assert_array_equal(whole, expected)


def test_python_and_compiled_code_see_the_same_numbers(bundle):
    model, machine, data = bundle
    rng = np.random.default_rng(0)
    data.loop_state[:], data.loop[:] = rng.normal(size=data.loop_state.size), rng.normal(size=data.loop.size)
    m = lm.views(machine, data)
    here = m.state.multipliers[0], m.state.over_pivots[-1], m.work.gap[0], m.work.wrench[0, 5], m.work.reduced[-1, -1]
    assert first_numbers(machine, data) == here
    assert m.state.multipliers.shape == (len(machine.eq_i),) and m.work.mass.shape == (model.nv, model.nv)


def test_rows_write_through(bundle):
    _, machine, data = bundle
    m = lm.views(machine, data)
    m.head.pivot, m.settings.position_tolerance = 0.5, 1e-9
    m.head.evaluations += 3
    assert data.loop_head["pivot"][0] == 0.5 and data.loop_head["evaluations"][0] == 3
    assert data.loop_settings["position_tolerance"][0] == 1e-9


def test_a_machine_without_loops_keeps_nothing():
    model = gori.compile(rockers(), open_loops=True)
    _, data = machine_of(model)
    assert data.loop_state.size == data.loop.size == 0
