"""How kernels of grains are launched on a GPU: with how many blocks, and as graphs."""

import warnings
from collections.abc import Callable
from typing import Any

import numba
from numba import cuda

from gori.kernels.particles import cuda as kernels
from gori.kernels.particles.cuda_tables import FRESH, CudaGrains

SIMULATED = bool(numba.config.ENABLE_CUDASIM)  # type: ignore[attr-defined]
THREADS, MEETING_THREADS, ROOMY_THREADS = (8, 8, 8) if SIMULATED else (128, 512, 128)
"""of a block; of kernels whose threads meet, if those are so many that they have few registers, and if not"""
GRAPH_STEPS = 64
"""sub-steps of one graph, at most"""
MEETING = ("march", "march_lean", "renew")
APART = ("inner", "walls", "outer", "begin", "end", "reset", "gather_1", "gather_2")
"""kernels whose threads meet, and those of a graph"""


class Launch:
    """Kernels for a number of grains; they do what they have been told with all that `g` holds."""

    def __init__(self, count: int):
        self.blocks: dict[str, int] = dict.fromkeys((*MEETING, *APART), 1)
        self._count, self.march = count, "march"
        self._graphs: dict[Any, Graph] = {}

    def forget(self) -> None:
        """Arrays have changed, so graphs are to be made anew."""
        self._graphs = {}

    def choose(self, g: CudaGrains, large: bool) -> int:
        """As many blocks as the device can keep in step, or as there is work for. Returns the most of any kernel that
        adds up by blocks."""
        wanted = -(-self._count // THREADS)
        if not SIMULATED:
            roomy = 256 * cuda.get_current_device().MULTIPROCESSOR_COUNT
            self.march = "march" if self._count <= roomy else "march_lean"
        if SIMULATED:
            self.blocks["inner"] = wanted
            return 1
        flags = g.flags.copy_to_host()
        flags[FRESH] = 1  # so that the first calls, which compile, do nothing
        g.flags.copy_to_device(flags)
        self._start(g, "renew")
        self._start(g, self.march, 0, 1)
        if large:
            self._start(g, "reset", 0)
            self._queue(g, 1)
        flags[FRESH] = 0
        g.flags.copy_to_device(flags)
        for name in (self.march, "renew"):
            threads = self._threads(name)
            *_, compiled = getattr(kernels, name).overloads.values()
            most = -(-2 * self._count // threads)  # twice: walls have threads of their own
            self.blocks[name] = max(1, min(most, compiled.max_cooperative_grid_blocks(threads)))
        few = min(528, wanted)
        self.blocks |= {"inner": wanted, "walls": few, "outer": few, "gather_1": min(264, wanted)}
        return max(self.blocks[name] for name in (*MEETING, "gather_1"))

    def run(self, g: CudaGrains, name: str, *numbers: int) -> None:
        """A kernel with numbers that come again and again: as a graph, it need not be told of all arrays each time."""
        self._replay((name, *numbers), lambda stream: self._start(g, name, *numbers, stream=stream))

    def run_steps(self, g: CudaGrains, steps: int, anew: bool) -> None:
        """Some sub-steps of `steps` as one graph."""
        count = min(steps, GRAPH_STEPS)
        if anew:
            self._start(g, "reset", steps)
        self._replay(("steps", count), lambda stream: self._queue(g, count, stream))

    def _replay(self, key: Any, queue: Callable[[Any], None]) -> None:
        if SIMULATED:
            queue(0)
            return
        if key not in self._graphs:
            self._graphs[key] = Graph(queue)
        cuda.synchronize()
        self._graphs[key].launch()

    def _threads(self, name: str) -> int:
        if name in ("begin", "end"):
            return 1
        if name in MEETING:
            return ROOMY_THREADS if name == "march" else MEETING_THREADS
        return THREADS

    def _start(self, g: CudaGrains, name: str, *numbers: int, stream: Any = 0) -> None:
        threads = self._threads(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", numba.NumbaPerformanceWarning)
            getattr(kernels, name)[self.blocks[name], threads, stream](g, *numbers)

    def _queue(self, g: CudaGrains, count: int, stream: Any = 0) -> None:
        """All kernels of some sub-steps, one after the other."""
        self._start(g, "begin", stream=stream)
        for k in range(count):
            for name in ("inner", "walls", "outer"):
                self._start(g, name, k, stream=stream)
        self._start(g, "end", count, stream=stream)
        self._start(g, "gather_1", stream=stream)
        self._start(g, "gather_2", self.blocks["gather_1"], stream=stream)


class Graph:
    """Kernels that are launched as one."""

    def __init__(self, queue: Callable[[Any], None]):
        from cuda.core import Device  # type: ignore[import-not-found]  # comes with numba-cuda

        device = Device()
        device.set_current()
        self._stream = device.create_stream()
        cuda.synchronize()
        builder = self._stream.create_graph_builder()
        builder.begin_building()
        queue(cuda.external_stream(int(builder.stream.handle)))
        builder.end_building()
        self._graph = builder.complete()

    def launch(self) -> None:
        self._graph.launch(self._stream)
        self._stream.sync()
