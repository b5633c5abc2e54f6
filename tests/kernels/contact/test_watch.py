"""What is noted of contacts: the worst, with time and names; mobilities of bodies as if alone."""

import numpy as np
import pytest

from gori.kernels.contact.penalty_memory import DEEP, PASSED, STIFF
from gori.kernels.contact.watch import mobility, natural_frequency, note, note_point, thickness
from gori.kernels.machine import ADVANCE, START
from tests.kernels.contact.test_penalty import K, Pair
from tests.plain import plain, records


def test_the_worst_is_kept_and_the_first_passage():
    memory = records(Pair(0).data.penalty_memory)
    for k, value in enumerate((1.0, 3.0, 2.0)):
        note.py_func(memory, STIFF, value, 0.1 * k, 5.0 + k, k, k + 1)
        note.py_func(memory, PASSED, 1.0, 0.1 * k, 5.0 + k, k, k + 1)
    stiff, passed = memory.worst[STIFF], memory.worst[PASSED]
    assert (stiff.value, stiff.time, stiff.speed, stiff.a, stiff.b) == (3.0, 0.1, 6.0, 1, 2)
    assert (passed.value, passed.time, passed.speed, passed.a, passed.b) == (3.0, 0.0, 5.0, 0, 1)


def test_mobility_of_a_point_of_a_free_body():
    """As by a unit impulse along the normal, from mass and inertia; the ground does not move."""
    pair = Pair(3)
    pair.call(START)
    machine, data = records(pair.machine), records(pair.data)
    rng = np.random.default_rng(0)
    p, n = pair.p[1] + rng.normal(size=3), rng.normal(size=3)
    n /= np.linalg.norm(n)
    arm = np.cross(p - pair.p[1], n)
    found = plain(mobility)(data.penalty_memory.solid, machine.body_f, data.body_w, 2, 9.0, p, n)
    assert found == pytest.approx(1.0 / 3.0 + arm @ arm / 5e-2, rel=1e-9)
    assert plain(mobility)(data.penalty_memory.solid, machine.body_f, data.body_w, 0, 9.0, p, n) == 0.0
    none = 0.0 * data.penalty_memory.solid
    assert plain(mobility)(none, machine.body_f, data.body_w, 2, 4.0, p, n) == 0.25


def test_a_step_of_the_kernel_notes_frequency_and_depth():
    pair = Pair(1, depth=1e-3, restitution=1.0)
    pair.call(START)
    assert not pair.data.penalty_memory.worst["value"].any()
    pair.data.penalty_memory.time[0] = -1e-3  # the step before the state
    pair.call(ADVANCE)
    worst = pair.data.penalty_memory.worst
    frequency = np.sqrt(1.5 * K * np.sqrt(1e-3) * (1.0 + 1.0 / 3.0))
    assert worst["value"][STIFF] == pytest.approx(1e-3 * frequency, rel=1e-9)
    assert worst["value"][DEEP] == pytest.approx(1e-3 / 0.1, rel=1e-9) and worst["b"][DEEP] == 1
    machine, data = records(pair.machine), records(pair.data)
    point = data.contact_memory.near[0]
    assert plain(natural_frequency)(machine, data, point, K, 1e-3) == pytest.approx(frequency, rel=1e-9)
    plain(note_point)(machine, data, point, K, 30.0, 1e-3, 0.5)
    assert data.penalty_memory.worst[STIFF].value == pytest.approx(1e-3 * (frequency + 30.0 * 4.0 / 3.0), rel=1e-9)
    assert plain(thickness)(machine.contact.shape[1]) == 0.2
