"""Launches of kernels on a GPU: which, in which order, with how many blocks; on a device that only takes notes."""

from types import SimpleNamespace

import numpy as np
import pytest

from gori.sim.particles import launch as module
from gori.sim.particles.launch import APART, BLOCK_THREADS, COOPERATIVE, GRAPH_STEPS, Launch


class Kernels:
    """Kernels that note their launches."""

    def __init__(self):
        self.log = []

    def __getattr__(self, name):
        class Kernel:
            def __getitem__(kernel, shape):
                return lambda g, *numbers: self.log.append((name, shape[:2], numbers))

        return Kernel()


class Array:
    """An array on a device."""

    def __init__(self, shape):
        self.values = np.zeros(shape)

    def copy_to_device(self, values, stream=0):
        self.values[:] = values

    def copy_to_host(self, values, stream=0):
        values[:] = self.values


@pytest.fixture
def device(monkeypatch):
    kernels = Kernels()
    monkeypatch.setattr(module, "SIMULATED", True)
    monkeypatch.setattr(module, "kernels", kernels)
    monkeypatch.setattr(module, "pinned", lambda shape, dtype=np.float64: np.zeros(shape, dtype))
    return kernels


def arrays(bodies=2):
    return SimpleNamespace(flags=Array(33), wrench=Array((bodies, 6)), pose=Array((1, bodies, 18)))


def test_a_graph_of_sub_steps(device):
    g, launch = arrays(), Launch(20, 2, 2)
    assert launch.choose(g, True) == 1 and launch.blocks["inner"] == -(-20 // BLOCK_THREADS)
    launch.poses[:] = 3.0
    g.wrench.values[:], g.flags.values[:] = 5.0, 7.0
    launch.run_steps(g, 2, anew=True)
    names = [name for name, _, _ in device.log]
    assert names == ["reset", "begin", *["inner", "walls", "outer"] * 2, "end", "gather_1", "gather_2"]
    assert [numbers for name, _, numbers in device.log if name in ("reset", "end", "inner")] == [(2,), (0,), (1,), (2,)]
    assert {name: shape for name, shape, _ in device.log}["begin"] == (1, 1)  # by one thread
    assert (g.pose.values == 3.0).all() and (launch.wrench == 5.0).all() and (launch.flags == 7).all()


def test_graphs_have_a_largest_length(device):
    launch = Launch(5, 1, 1)
    launch.run_steps(arrays(1), 1000, anew=False)
    assert sum(name == "inner" for name, _, _ in device.log) == GRAPH_STEPS and device.log[0][0] == "begin"


def test_one_kernel_for_all(device):
    g, launch = arrays(), Launch(20, 2, 2)
    launch.poses[:] = 1.0
    launch.run_march(g, 40, anew=False)
    assert [row[0] for row in device.log] == ["march"] and device.log[0][2] == (40, 0)
    assert not g.pose.values.any()  # which go along with what begins anew
    launch.run_march(g, 0, anew=True)
    assert device.log[1][2] == (0, 1) and not g.pose.values.any()
    assert Launch(10**6, 2, 2).march == "march_lean"
    assert set(launch.blocks) == {*COOPERATIVE, *APART}
