"""How kernels of particles are launched on a GPU: with how many blocks, and as graphs."""

import warnings
from collections.abc import Callable
from typing import Any

import numba
import numpy as np
from numba import cuda

from gori.kernels.particles import cuda as kernels
from gori.kernels.particles.arrays import CudaArrays
from gori.kernels.particles.columns import N_POSE
from gori.kernels.particles.cuda_flags import FRESH, N_FLAGS

SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
BLOCK_THREADS = 8 if SIMULATED else 128
"""of a block"""
COOPERATIVE = {"march": 256, "march_lean": 512, "renew": 512}
"""kernels with barriers for all threads, and threads of their blocks: many registers, few, few"""
ROOMY = 256
"""threads of a multiprocessor that can have many registers"""
GRAPH_STEPS = 64
"""sub-steps of one graph, at most"""
APART = ("inner", "walls", "outer", "begin", "end", "reset", "gather_1", "gather_2")
"""kernels of a graph"""


class Launch:
    """Kernels for a number of particles, on the arrays `g`.

    flags, wrench   of `g` after the last `run` or `run_steps`
    poses         for the next sub-steps that begin anew
    """

    def __init__(self, count: int, bodies: int, holders: int):
        self.blocks: dict[str, int] = dict.fromkeys((*COOPERATIVE, *APART), 1)
        self._count = count
        self._graphs: dict[Any, Graph] = {}
        self.flags, self.wrench = pinned(N_FLAGS, np.int32), pinned((holders, 6))
        self.poses = pinned((1, bodies, N_POSE))
        roomy = ROOMY * (1 if SIMULATED else cuda.get_current_device().MULTIPROCESSOR_COUNT)
        self.march = "march" if count <= roomy else "march_lean"

    def forget(self) -> None:
        """Arrays have changed, so graphs are to be made anew."""
        self._graphs = {}

    def choose(self, g: CudaArrays, large: bool) -> int:
        """As many blocks as the device can keep in step, or as there is work for. Returns the most of any kernel that
        adds up by blocks."""
        wanted = -(-self._count // BLOCK_THREADS)
        if SIMULATED:
            self.blocks["inner"] = wanted
            return 1
        flags = g.flags.copy_to_host()
        flags[FRESH] = 1  # so that the first calls, which compile, do nothing
        g.flags.copy_to_device(flags)
        self._start(g, "renew", 0)
        self._start(g, self.march, 0, 1)
        if large:
            self._start(g, "reset", 0)
            self._queue(g, 1)
        flags[FRESH] = 0
        g.flags.copy_to_device(flags)
        for name in (self.march, "renew"):
            threads = self._threads(name)
            *_, compiled = getattr(kernels, name).overloads.values()
            most = -(-3 * self._count // threads)  # walls have threads of their own
            self.blocks[name] = max(1, min(most, compiled.max_cooperative_grid_blocks(threads)))
        few = min(528, wanted)
        self.blocks |= {"inner": wanted, "walls": few, "outer": few, "gather_1": min(264, wanted)}
        return max(self.blocks[name] for name in (*COOPERATIVE, "gather_1"))

    def run(self, g: CudaArrays, name: str, *numbers: int, anew: bool = False) -> None:
        """A kernel with numbers that come again and again: as a graph, it need not be told of all arrays each time.

        anew   `poses` go to the device before
        """
        self._replay(g, (name, *numbers), lambda stream: self._start(g, name, *numbers, stream=stream), anew)

    def run_march(self, g: CudaArrays, steps: int, anew: bool) -> None:
        """Sub-steps until so many are done, as one kernel; or lists alone, with none."""
        self.run(g, self.march, steps, int(anew), anew=anew and steps > 0)

    def run_steps(self, g: CudaArrays, steps: int, anew: bool) -> None:
        """Some sub-steps of `steps` as one graph."""
        count = min(steps, GRAPH_STEPS)
        if anew:
            self._start(g, "reset", steps)
        self._replay(g, ("steps", count), lambda stream: self._queue(g, count, stream), anew)

    def _replay(self, g: CudaArrays, key: Any, queue: Callable[[Any], None], anew: bool) -> None:
        def all_of_it(stream: Any) -> None:
            if anew:
                g.pose.copy_to_device(self.poses, stream=stream)
            queue(stream)
            g.flags.copy_to_host(self.flags, stream=stream)
            g.wrench.copy_to_host(self.wrench, stream=stream)

        if SIMULATED:
            all_of_it(0)
            return
        if (key, anew) not in self._graphs:
            self._graphs[key, anew] = Graph(all_of_it)
        self._graphs[key, anew].launch()

    def _threads(self, name: str) -> int:
        if name in ("begin", "end"):
            return 1
        return BLOCK_THREADS if SIMULATED else COOPERATIVE.get(name, BLOCK_THREADS)

    def _start(self, g: CudaArrays, name: str, *numbers: int, stream: Any = 0) -> None:
        threads = self._threads(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
            getattr(kernels, name)[self.blocks[name], threads, stream](g, *numbers)

    def _queue(self, g: CudaArrays, count: int, stream: Any = 0) -> None:
        """All kernels of some sub-steps, one after the other."""
        self._start(g, "begin", stream=stream)
        for k in range(count):
            for name in ("inner", "walls", "outer"):
                self._start(g, name, k, stream=stream)
        self._start(g, "end", count, stream=stream)
        self._start(g, "gather_1", stream=stream)
        self._start(g, "gather_2", self.blocks["gather_1"], stream=stream)


def pinned(shape: int | tuple[int, ...], dtype: Any = np.float64) -> np.ndarray:
    """An array of which the device can fetch or leave numbers by itself; it may be empty."""
    return cuda.pinned_array(shape, dtype) if np.prod(shape) else np.zeros(shape, dtype)


class Graph:
    """Kernels that are launched as one, after all that was begun before."""

    def __init__(self, queue: Callable[[Any], None]):
        from cuda.core import Device  # type: ignore[import-not-found]  # comes with numba-cuda

        device = Device()
        device.set_current()
        cuda.synchronize()
        self._stream, self._recorder = device.default_stream, device.create_stream()
        builder = self._recorder.create_graph_builder()
        builder.begin_building()
        queue(cuda.external_stream(int(builder.stream.handle)))
        builder.end_building()
        self._graph = builder.complete()

    def launch(self) -> None:
        self._graph.launch(self._stream)
        self._stream.sync()
