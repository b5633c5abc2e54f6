"""Copies of strided arrays on a GPU: in the simulator (`tests/cuda/device_arrays.py` on a GPU)."""

import numpy as np

from gori.kernels.device_copies import assign, to_host, wait_for
from gori.kernels.strided import array_at
from tests.cuda.simulator import run_checks


def test_copies_in_the_simulator():
    run_checks("reads", "writes", "records", module="device_arrays")


def test_nothing_is_copied_without_a_device():
    empty = array_at(0, (0, 3), np.dtype(float))
    assert to_host(empty, 0, None).shape == (0, 3)
    assign(empty, np.zeros(3), 0, None)


def test_streams_that_need_no_order():
    wait_for(7, -1, 0)
    wait_for(7, 7, 0)
