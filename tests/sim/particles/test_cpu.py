"""The engine of the CPU: on from a state bit for bit, lists that grow, and Ctrl-C."""

import signal
from types import SimpleNamespace

import numpy as np
import pytest

from gori.kernels.particles.arrays import rows_of_chunk
from gori.model.particles.state import fresh_state
from gori.sim.particles.cpu import CpuEngine
from tests.reference import particles as twin
from tests.sim.particles.heaps import CASES, ONE, RADIUS, STEP, bed_of, corner, heap, setup_of
from tests.sim.particles.poses import still


@pytest.mark.parametrize("case", ["equal", "some roll", "voigt, sizes"])
def test_on_from_a_state(case):
    """A run that goes on from a state in the middle of a list's life is the same to the last bit."""
    pairs, materials, law, rolling, spread = CASES[case]
    place, motion = heap(1500, 4, spread, materials)
    motion[:, :3] *= 0.2
    setup = setup_of(pairs, materials, law, corner(), rolling, workers=2)
    bed = bed_of(setup, place, motion)
    assert bed.march(still(90), STEP) is None
    while np.array_equal(bed.state().sphere[:, :3], bed.state().listed_position):
        assert bed.march(still(1), STEP) is None
    state = bed.state()
    assert bed.counts()["rebuilds"] > 1 and len(state.pairs) > 500 and len(state.walls) > 50
    again = CpuEngine(setup._replace(workers=1), state)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(again.state(), state))
    for one in (bed, again):
        assert one.march(still(150), STEP) is None
    assert bed.counts()["rebuilds"] > 2
    assert all(a.tobytes() == b.tobytes() for a, b in zip(bed.state(), again.state()))
    assert bed.wrench.tobytes() == again.wrench.tobytes()


def test_on_from_a_state_with_another_skin():
    """Contacts that a narrower skin would not have listed keep their history; the lists to come have that skin."""
    place, motion = heap(600, 4)
    wide = bed_of(setup_of(ONE, planes=corner(), skin=0.5 * RADIUS), place, motion)
    assert wide.march(still(60), STEP) is None
    state = wide.state()
    narrow = CpuEngine(setup_of(ONE, planes=corner(), skin=0.01 * RADIUS), state)
    assert all(a.tobytes() == b.tobytes() for a, b in zip(narrow.state()[:9], state))
    for bed in (wide, narrow):
        assert bed.march(still(30), STEP) is None
    assert narrow.state().skin == 0.01 * RADIUS and narrow.counts()["rebuilds"] > 3
    np.testing.assert_allclose(narrow.snapshot()[1], wide.snapshot()[1], rtol=0, atol=1e-10 * RADIUS)


def test_lists_grow():
    """A skin of three radii and planes in layers need more room than there is at first; nothing changes but that."""
    results = []
    for skin in (0.2 * RADIUS, 3.0 * RADIUS):
        place, motion = heap(400, 5)
        floors = [twin.Plane(np.array([0.0, 0.0, -1e-6 * k]), np.array([0.0, 0.0, 1.0])) for k in range(6)]
        bed = bed_of(setup_of(ONE, planes=[*corner(), *floors], skin=skin), place, motion)
        before = bed._capacity["pair_slots"]
        assert bed.march(still(40), STEP) is None
        results.append((bed, before))
    (narrow, _), (wide, _) = results
    rows = rows_of_chunk(400)
    assert (
        wide._capacity["pair_slots"] > 11 * rows + 64 > narrow._capacity["pair_slots"]
        and wide._capacity["wall_slots"] > rows
    )
    assert wide.counts()["contacts"] == narrow.counts()["contacts"]
    np.testing.assert_allclose(wide.snapshot()[1], narrow.snapshot()[1], rtol=0, atol=1e-10 * RADIUS)


def test_ctrl_c_waits_until_workers_have_met():
    """A worker that has begun would wait for ever for the one that was interrupted."""
    x, v = heap(100)
    beds = [CpuEngine(setup_of(ONE, workers=2), fresh_state(x, v, np.arange(len(x)), still(0)[0])) for _ in range(2)]
    interrupted, whole = beds
    submit = interrupted._pool.submit

    def pressed(*task):
        signal.raise_signal(signal.SIGINT)
        return submit(*task)

    interrupted._pool = SimpleNamespace(submit=pressed)
    with pytest.raises(KeyboardInterrupt):
        interrupted.march(still(20), STEP)
    whole.march(still(20), STEP)
    for a, b in zip(interrupted.snapshot(), whole.snapshot()):  # it came to the end of its march
        np.testing.assert_array_equal(a, b)
