"""Derivatives back through steps on a GPU: a thread for each machine, with all arrays on the device."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gori.integrate.batch.backward import HEAD
from gori.integrate.batch.many import MANY
from gori.sim.batch.backward import Gradients, backward_memory, refuse_backward
from gori.sim.batch.cuda import CudaMachines, backward_source
from gori.sim.batch.devices import Accelerator, Memory
from gori.sim.batch.program import ProgramSource
from gori.sim.batch.results import HostOrDevice
from gori.sim.batch.varied import Numbers
from gori.sim.simulation import Simulation

FLOAT = 8
"""bytes"""


class DeviceBlock:
    """Numbers (..., machines) of a device, with memory of their own: in memory the machine is the last axis."""

    def __init__(self, device: Accelerator, shape: tuple[int, ...], machines: int):
        self.device, self.shape, self.machines = device, shape, machines
        self.size = FLOAT * machines * int(np.prod(shape, dtype=int))
        self.memory: Memory = device.take(max(self.size, FLOAT))

    def view(self, axis: int = 0, at: int = 0, shape: tuple[int, ...] | None = None) -> Any:
        """The numbers with the machines as this axis; at, shape: of a part, whose first axes are those of the block."""
        shape = self.shape if shape is None else shape
        strides = [FLOAT * self.machines * int(np.prod(self.shape[k + 1 :], dtype=int)) for k in range(len(self.shape))]
        whole, steps = list(shape), strides[: len(shape)]
        whole.insert(axis, self.machines)
        steps.insert(axis, FLOAT)
        return self.device.array(self.memory, at, tuple(whole), tuple(steps), np.float64)

    def take(self, source: tuple[Memory, int, int], at: int = 0) -> None:
        """Copy a block of an engine into this one."""
        memory, start, size = source
        self.device.copy(memory, start, self.memory, at, size)


class DeviceBackward(CudaMachines):
    """The engine that goes back through a number of steps, of machines that stand in a batch."""

    def __init__(
        self,
        make: Callable[[], Simulation],
        count: int,
        steps: int,
        numbers: Sequence[Numbers],
        device: Callable[[ProgramSource], Accelerator],
    ):
        self.steps = steps
        own = [one for one in numbers if one.of_tables or one.path.startswith("data.loops.")]
        super().__init__(make, count, 1, own, device)
        refuse_backward(self.simulation.model)
        self.store(np.ones(count, bool))
        self.put_kept(np.ones(count, bool), False)

    def _source(self, varied: Sequence[Numbers], single: bool) -> ProgramSource:
        self._trace = backward_memory(self.simulation.stepper, self.steps)
        return backward_source(self.simulation, self._many, self._trace, varied)

    def load(self, times: np.ndarray, states: DeviceBlock, values: DeviceBlock) -> None:
        """Where steps began: times (steps, machines), states (steps, numbers of y), values of signals."""
        self._fill("memory.trace.times", times)
        self._load("memory.trace.states", states)
        if self.has("memory.trace.values"):
            self._load("memory.trace.values", values)

    def _load(self, path: str, block: DeviceBlock) -> None:
        memory, at, size = self.block(path)
        self.device.copy(block.memory, 0, memory, at, size)

    def _fill(self, path: str, content: np.ndarray) -> None:
        memory, at, _ = self.block(path)
        self.device.upload(memory, at, content)

    def give(self, given: HostOrDevice) -> bool:
        """Cotangents (machines, 2 nv) or (steps, machines, 2 nv); returns whether they are of each step."""
        memory, at, _ = self.block("memory.trace.given")
        width = 2 * self.simulation.model.nv
        shape, strides = (self.steps, self.count, width), (FLOAT * self.count * width, FLOAT, FLOAT * self.count)
        target = self.device.array(memory, at, shape, strides, np.float64)
        if len(given.shape) == 2:
            target[0] = given
            return False
        target[...] = given
        return True

    def back(self, every: bool, tables: bool, failed: np.ndarray) -> None:
        """Go back through all steps."""
        heads = HEAD.zeros(self.count)
        heads["left"], heads["every"], heads["tables"], heads["lost"] = self.steps, every, tables, failed
        self._fill("memory.head", heads)
        self._fill("many", MANY.zeros(self.count))
        self.step(self.steps)

    def gradients(self) -> Gradients:
        """What came of it, on the host."""
        signals = len(self.simulation.stepper.data.values)
        values = self._own("memory.trace.of_values") if signals else np.zeros((self.count, self.steps, 0))
        tables = [
            self._own(path).reshape(self.count, 1, -1) if self.has(path) else np.zeros((self.count, 1, 0))
            for path in ("memory.work.of_body", "memory.work.of_element")
        ]
        return Gradients(self._own("memory.trace.of_state")[:, None], values[:, None], *tables)
