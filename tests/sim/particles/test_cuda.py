"""The engine of a GPU, in the simulator: against that of the CPU, and on from a state."""

import pytest

from gori.errors import UnsupportedError
from gori.sim.particles import cuda
from tests.cuda.simulator import run_checks


def test_in_the_simulator():
    run_checks("agrees with the CPU", "goes on from a state")


def test_devices_that_will_not_do(monkeypatch):
    monkeypatch.setattr(cuda, "SIMULATED", False)
    monkeypatch.setattr(cuda.cuda, "is_available", lambda: False)
    with pytest.raises(UnsupportedError, match="no NVIDIA GPU can be used here"):
        cuda.check_device()

    class Old:
        compute_capability = (6, 1)

    monkeypatch.setattr(cuda.cuda, "is_available", lambda: True)
    monkeypatch.setattr(cuda.cuda, "get_current_device", Old)
    with pytest.raises(UnsupportedError, match=r"compute capability 6\.1, and particles need 7\.0 or more"):
        cuda.check_device()
    Old.compute_capability = cuda.OLDEST
    cuda.check_device()
