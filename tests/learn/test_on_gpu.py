"""An environment of a batch on a GPU, with its engine run on the host: the same program, masks and codes."""

import numpy as np
import pytest

import gori
import gori.learn.arrays
from gori.errors import InputError
from gori.learn.arrays import Arrays
from gori.sim.batch.arguments import machine_mask
from gori.sim.batch.cuda import CudaMachines
from gori.sim.batch.devices import Host
from tests.learn.machines import H, balancer, cart_pole


@pytest.fixture
def on_host(monkeypatch):
    monkeypatch.setattr(CudaMachines, "accelerator", Host)
    monkeypatch.setattr(gori.learn.arrays, "_package", lambda device, xp: np)
    monkeypatch.setattr(Arrays, "mask", lambda self, mask: mask)


def test_it_does_what_it_does_on_a_cpu(on_host):
    options = {"dtype": "float64", "duration": 0.5}
    one = balancer(4, **options)
    other = balancer(batch=gori.batch(cart_pole(), 4, gori.SemiImplicit(step=H), device="cuda"), **options)
    assert np.array_equal(one.reset(seed=4)[0], other.reset(seed=4)[0])
    given = np.random.default_rng(0).uniform(-1.0, 1.0, (60, 4, 1))
    given[7, 2] = np.nan
    ended = 0
    for k, action in enumerate(given):
        left, right = one.step(action), other.step(action)
        for a, b in zip(left[:4], right[:4]):
            assert np.allclose(a, b, atol=1e-9)
        assert right[4]["failed"].tolist() == [False, False, k == 7, False]
        assert "final_obs" in right[4]  # always, so that nothing is waited for
        ended += int((right[2] | right[3]).sum())
    assert ended >= 8


class OnGpu:
    """What PyTorch and CuPy say of a mask."""

    def __init__(self, mask: np.ndarray, strides=None):
        self.mask = mask
        data = (mask.ctypes.data, False)
        self.__cuda_array_interface__ = {
            "shape": mask.shape,
            "typestr": mask.dtype.str,
            "data": data,
            "strides": strides,
        }


def test_masks_on_a_gpu_are_taken_as_they_are():
    mask = np.array([True, False, True])
    taken = machine_mask(OnGpu(mask), 3, 0)
    assert taken.address == mask.ctypes.data and taken.dtype == np.uint8 and taken.shape == (3,) and taken.device == 0
    for wrong in (OnGpu(mask[:2]), OnGpu(np.zeros(3)), OnGpu(mask, strides=(2,))):
        with pytest.raises(InputError, match="contiguous"):
            machine_mask(wrong, 3, 0)
