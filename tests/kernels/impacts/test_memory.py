"""Sizes of the memory of resting contacts."""

import numpy as np

from gori.kernels.impacts.memory import JOINT_STOP, MOST_HELD, rest_memory


def test_empty():
    memory = rest_memory()
    assert len(memory.held) == 0 and memory.equations.size == 0 and memory.solver == 0


def test_sizes():
    memory = rest_memory(7, 6, 2, 5, np.zeros((1, 2), np.int64), JOINT_STOP.zeros(2), 100.0)
    assert len(memory.held) == MOST_HELD and memory.equations.shape == (8, 8 + 3 * MOST_HELD)
    assert memory.jac.shape == (3 * MOST_HELD * 6,) and memory.head["rate"][0] == 100.0 and len(memory.stop) == 2
