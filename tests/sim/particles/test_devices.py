"""Which devices can compute particles."""

import pytest

from gori.errors import MissingPackageError, UnsupportedError
from gori.sim.particles import cuda
from gori.sim.particles.devices import devices


@pytest.mark.parametrize("error", [MissingPackageError("no numba-cuda"), UnsupportedError("an old GPU"), None])
def test_the_cpu_and_a_gpu_that_can_be_used(monkeypatch, error):
    def check_device():
        if error is not None:
            raise error

    monkeypatch.setattr(cuda, "check_device", check_device)
    assert devices() == (("cpu", "cuda") if error is None else ("cpu",))
