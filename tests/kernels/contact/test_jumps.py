"""Whether forces of contact jump within a step."""

from gori.kernels.contact.jumps import forces_jump
from gori.kernels.machine import ADD_WRENCHES, ADVANCE, JUMPS, START
from tests.kernels.contact.test_penalty import Pair
from tests.plain import plain, records


def jumps(pair, h):
    pair.call(ADD_WRENCHES)
    pair.data.penalty_memory.weight[0] = h
    pair.call(JUMPS)
    assert plain(forces_jump)(records(pair.machine), records(pair.data), h) == bool(pair.data.penalty_memory.rough[0])
    return bool(pair.data.penalty_memory.rough[0])


def test_what_presses_evenly_does_not_jump():
    pair = Pair(0, speed=0.0)
    pair.call(START)
    pair.call(ADVANCE)
    assert not jumps(pair, 1.0)


def test_a_contact_that_begins_or_ends_jumps_if_the_step_does_not_resolve_it():
    """Its natural frequency at 1 mm is 251 rad/s."""
    pair = Pair(0, speed=0.0)
    assert jumps_after_moving(pair, 1e-2)
    assert not jumps_after_moving(Pair(0, speed=0.0), 1e-3)
    pair = Pair(0, speed=0.0)
    pair.call(START)
    pair.call(ADVANCE)
    pair.y[11:14] += 2e-3 * pair.n  # apart
    assert jumps(pair, 1e-2) and not jumps(pair, 1e-3)


def jumps_after_moving(pair, h):
    """From apart into each other."""
    pair.y[11:14] += 2e-3 * pair.n
    pair.call(START)
    pair.y[11:14] -= 2e-3 * pair.n
    return jumps(pair, h)


def test_a_force_that_changes_a_little_does_not():
    pair = Pair(0, speed=0.0)
    pair.call(START)
    pair.call(ADVANCE)
    for way, expected in ((5e-5, False), (5e-4, True)):
        pair.y[11:14] -= way * pair.n
        assert jumps(pair, 1e-2) == expected
        pair.y[11:14] += way * pair.n
