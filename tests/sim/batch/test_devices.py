"""Memory and launches: on the host the same calls as on a GPU."""

from types import SimpleNamespace

import numpy as np
import pytest

import gori
from gori.errors import DeviceWarning, InputError, UnsupportedError
from gori.kernels.codes import OK
from gori.model.memory import free_memory
from gori.sim.batch.devices import LINE, Gpu, Host, stream_handle
from gori.sim.batch.plan import MemoryPlan
from tests.sim.batch.machines import pendulum
from tests.sim.batch.tiny import tiny_source

COUNT = 6


@pytest.fixture(scope="module")
def host() -> Host:
    return Host(tiny_source())


def test_pieces_of_memory_begin_at_lines(host):
    for size in (0, 1, 300, 12345):
        memory = host.take(size)
        assert memory.address % LINE == 0 and memory.size == size
        first = memory.address - memory.owner.ctypes.data
        assert first >= 0 and first + size <= memory.owner.size


def test_what_is_uploaded_is_downloaded(host):
    memory, table = host.take(200), np.arange(12.0).reshape(3, 4)
    host.upload(memory, 8, table.T)  # not contiguous: as it reads
    found = host.download(memory, 8, 96)
    assert np.array_equal(found.view(np.float64).reshape(4, 3), table.T)
    found[:] = 0  # a copy
    assert np.array_equal(host.download(memory, 16, 8).view(np.float64), [4.0])
    assert not host.download(memory, 0, 8).any() and not host.download(memory, 104, 96).any()
    host.upload(memory, 0, np.zeros(0))


def test_arrays_are_views(host):
    memory = host.take(160)
    view = host.array(memory, 32, (2, 3), (8, 16), np.float64)
    view[1, 2] = 7.0
    assert host.download(memory, 32 + 8 + 32, 8).view(np.float64)[0] == 7.0
    host.upload(memory, 32, np.array([3.0]))
    assert view[0, 0] == 3.0


def test_a_launch_moves_all_machines(host):
    source = tiny_source()
    assert host.used.paths >= {"machine.law", "machine.body_i", "data.own", "data.tau", "y", "many", "before"}
    assert "data.idle" not in host.used.paths
    plan = MemoryPlan(source.tree, host.used.paths, COUNT)
    memory = host.take(plan.size)
    words = plan.words(memory.address)
    for path, laid in plan.shared.items():
        host.upload(memory, plan.at[path], laid.array)
    own = np.arange(1.0 * COUNT)
    host.upload(memory, plan.at["data.own"], own)
    host.launch("advance", COUNT, words.ctypes.data, COUNT, 4, 0.5)
    host.synchronise()
    y = host.array(memory, plan.at["y"], (COUNT, 3), (8, 8 * COUNT), np.float64)
    assert np.array_equal(y[:, 0], 4 * (0.5 * 2.0 + own)) and not y[:, 1:].any()
    many = host.download(memory, plan.at["many"], COUNT * 24).view(source.tree["many"].array.dtype)
    assert many["steps_done"].tolist() == [4] * COUNT and (many["code"] == OK).all()
    tau = host.array(memory, plan.at["data.tau"], (COUNT, 1), (8, 8 * COUNT), np.float64)
    assert (tau == 1.5).all()  # the time at which the last step began


def test_free_memory_is_that_of_the_host(host):
    assert (host.free() is None) == (free_memory() is None)


def there_is_a_gpu() -> bool:
    try:
        from numba import cuda
    except ImportError:
        return False
    return cuda.is_available()


@pytest.mark.skipif(there_is_a_gpu(), reason="a GPU is there")
def test_without_a_gpu_its_programs_are_refused_with_a_cure():
    with pytest.raises(UnsupportedError, match=r"pip install 'gori\[gpu\]'"):
        Gpu(tiny_source())
    assert Gpu.missing() and not Host.missing()


@pytest.mark.skipif(there_is_a_gpu(), reason="a GPU is there")
def test_without_a_gpu_a_batch_moves_on_the_cpu_and_says_so():
    with pytest.warns(DeviceWarning, match=r"device cuda: .*pip install 'gori\[gpu\]'.* on the CPU") as told:
        batch = gori.batch(pendulum(), 3, gori.SemiImplicit(step=1e-3), device="cuda")
    assert told[0].filename == __file__
    other = gori.batch(pendulum(), 3, gori.SemiImplicit(step=1e-3))
    for one in (batch, other):
        one.step(10)
    assert batch.device == "cpu" and np.array_equal(batch.q, other.q)


def test_handles_of_streams_of_other_programs():
    assert stream_handle(None) == 0 and stream_handle(0) == 0 and stream_handle(77) == 77
    assert stream_handle(SimpleNamespace(cuda_stream=5)) == 5 and stream_handle(SimpleNamespace(ptr=6)) == 6
    assert stream_handle(SimpleNamespace(__cuda_stream__=lambda: (0, 7), ptr=8)) == 7
    for wrong in (True, -1, "0", SimpleNamespace()):
        with pytest.raises(InputError, match="stream must be a handle"):
            stream_handle(wrong)
