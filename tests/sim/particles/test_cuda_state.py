"""What lies on a GPU, read by the host: in the simulator, particles that come and go, and slots by hand."""

import numpy as np

from gori.sim.particles.cuda_state import slot_rows
from tests.cuda.simulator import run_checks


def test_in_the_simulator():
    run_checks("comes and goes")


def test_slots_of_all_neighbours():
    slot, row = slot_rows(np.array([2, 0, 3]), 4)
    assert sorted(zip(row.tolist(), slot.tolist())) == [(0, 0), (0, 1), (2, 0), (2, 1), (2, 2)]
