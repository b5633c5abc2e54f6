"""Arrays of NumPy and of PyTorch on a batch."""

import sys

import numpy as np
import pytest

import gori
from gori.errors import InputError, MissingPackageError
from gori.learn.arrays import Arrays
from tests.learn.machines import cart_pole


@pytest.fixture
def batch():
    return gori.batch(cart_pole(), 3)


def test_numpy(batch):
    arrays = Arrays(batch)
    assert arrays.xp is np and arrays.view(batch.q) is not None and arrays.zeros(2).shape == (3, 2)
    assert arrays.of([1, 2], "int64").dtype == np.int64 and arrays.cast(np.zeros(2), "float32").dtype == np.float32
    mask = np.array([True, False, True])
    assert arrays.mask(mask) is mask and arrays.host(mask) is mask
    q = arrays.copy(arrays.view(batch.q))
    q[:] = 7.0
    assert not (batch.q == 7.0).any()


def test_torch_sees_the_memory_of_the_batch(batch):
    torch = pytest.importorskip("torch")
    arrays = Arrays(batch, torch)
    q = arrays.view(batch.q)
    q[1] = torch.tensor([3.0, 4.0])
    assert batch.q[1].tolist() == [3.0, 4.0] and arrays.zeros(2).dtype == torch.float64
    assert arrays.cast(q, "float32").dtype == torch.float32 and arrays.copy(q).data_ptr() != q.data_ptr()
    assert arrays.of(np.array([True]), "bool").dtype == torch.bool
    assert isinstance(arrays.mask(q[:, 0] > 0.0), np.ndarray)
    assert not arrays.of(torch.ones(3, requires_grad=True)).requires_grad


def test_what_is_refused(batch, monkeypatch):
    with pytest.raises(InputError, match="must be one of numpy, cupy, torch"):
        Arrays(batch, "jax")
    with pytest.raises(InputError, match="no arrays on the device"):
        Arrays(batch, "cupy")
    monkeypatch.setitem(sys.modules, "torch", None)
    with pytest.raises(MissingPackageError, match="pip install torch"):
        Arrays(batch, "torch")
