"""The steps of a batch on a GPU and their derivatives: all arrays stay on the device, where PyTorch takes them."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gori.errors import InputError
from gori.integrate.batch.many import MANY
from gori.integrate.batch.recorded import RECORD
from gori.kernels.device_array import DeviceArray
from gori.sim.batch.backward import Gradients, refuse_backward
from gori.sim.batch.batch import Batch
from gori.sim.batch.compiled_steps import held_signals
from gori.sim.batch.cuda import recorded_source
from gori.sim.batch.device_backward import FLOAT, DeviceBackward, DeviceBlock
from gori.sim.batch.devices import Accelerator
from gori.sim.batch.parameters import ParameterSlopes
from gori.sim.batch.program import ProgramSource
from gori.sim.batch.results import Cotangents, HostOrDevice, StepJacobian
from gori.sim.batch.varied import Numbers

VALUES = "data.values"
_engines: "WeakKeyDictionary[Batch, DeviceBackward]" = WeakKeyDictionary()
"""the last engine that went back through steps of each batch: compiled, with its memory"""
_recorders: "WeakKeyDictionary[Batch, tuple[ProgramSource, Accelerator]]" = WeakKeyDictionary()
"""programs that move the machines of a batch"""


def _of_tables(numbers: list[Numbers]) -> list[Numbers]:
    return [one for one in numbers if one.of_tables]


class DeviceSteps:
    """Steps of a batch on a GPU.

    parameters   paths of numbers of the Spec by which there are to be derivatives too
    """

    def __init__(self, batch: Batch, parameters: Sequence[str]):
        self._batch, self._engine, self._held = batch, batch.engine, held_signals(batch)
        self._device = batch.engine.device
        self._slopes = ParameterSlopes(batch, parameters)
        self._numbers = batch.numbers()
        refuse_backward(batch.model)

    def checked(self, inputs: HostOrDevice) -> HostOrDevice:
        """Inputs (steps, machines, inputs) of the host or of the device; those of the host must be finite."""
        wanted, given = (len(self._batch), len(self._held)), inputs
        if not hasattr(inputs, "__cuda_array_interface__"):
            given = np.asarray(inputs, float)
            if not np.isfinite(given).all():
                raise InputError("inputs must hold finite numbers")
        if len(given.shape) != 3 or tuple(given.shape[1:]) != wanted or not given.shape[0]:
            names = ", ".join(self._batch.inputs) or "no input"
            raise InputError(
                f"inputs must have shape (steps, {wanted[0]}, {wanted[1]}), for {names}, not {tuple(given.shape)}"
            )
        return given

    def record(self, inputs: HostOrDevice) -> tuple[np.ndarray, Any, Any]:
        """Move the machines by a step for each of the inputs; times, q and v from which each began."""
        batch, engine, steps = self._batch, self._engine, int(inputs.shape[0])
        model, h, count = batch.model, float(batch.method.settings()["step"]), len(batch)
        self._times = batch.time[None] + h * np.arange(steps)[:, None]
        self._states, self._values = self._blocks(steps)
        values, columns = self._values.view(axis=1), inputs
        if hasattr(inputs, "__cuda_array_interface__"):  # Numba takes seconds to slice an array of its own
            columns = DeviceArray.of(inputs, values.device)
        for column, signal in enumerate(self._held):
            values[:, :, signal] = columns[:, :, column]
        following = DeviceBlock(self._device, (1,), count)
        following.view()[...] = 0.0
        source, device = self._recorder()
        places = {"states": self._states, "values": self._values, "next": following}
        words = engine.words_with(source, {f"memory.trace.{name}": x.memory.address for name, x in places.items()})
        device.launch("advance", count, words.address, count, steps, h)
        device.synchronise()  # the words are gone from here on
        whole = self._states.view(axis=1)
        return self._times, whole[:, :, : model.nq], whole[:, :, model.nq : model.nq + model.nv]

    def _recorder(self) -> tuple[ProgramSource, Accelerator]:
        """The program of steps that keep where they began: one serves for any number of steps."""
        batch = self._batch
        if batch not in _recorders:
            simulation = batch.another()
            stepper = simulation.stepper
            sizes = {"nstep": 1, "ny": len(stepper.y), "nval": len(stepper.data.values)}
            source = recorded_source(simulation, MANY.zeros(1), RECORD.make(**sizes), _of_tables(self._numbers))
            _recorders[batch] = source, type(self._device)(source)
        source, device = _recorders[batch]
        return source, device

    def _blocks(self, steps: int) -> tuple[DeviceBlock, DeviceBlock]:
        """For states and values of signals at the start of steps."""
        count = len(self._batch)
        numbers, signals = self._engine.block("y")[2] // (FLOAT * count), len(self._batch.model.forces.signal_i)
        return DeviceBlock(self._device, (steps, numbers), count), DeviceBlock(self._device, (steps, signals), count)

    def _back(self, steps: int) -> DeviceBackward:
        """The engine for so many steps."""
        batch, found = self._batch, _engines.get(self._batch)
        if found is None or found.steps != steps or batch.tables_differ:
            found = DeviceBackward(batch.another, len(batch), steps, self._numbers, type(self._device))
            _engines[batch] = found
        return found

    def vjp(self, given: HostOrDevice, failed: np.ndarray) -> Cotangents:
        """Back through the steps that were recorded: arrays of the device."""
        steps, machines, nv = len(self._times), len(self._batch), self._batch.model.nv
        if tuple(given.shape) not in ((machines, 2 * nv), (steps, machines, 2 * nv)):
            raise InputError(
                f"cotangent must have shape {(machines, 2 * nv)} or {(steps, machines, 2 * nv)}, not "
                f"{tuple(given.shape)}"
            )
        engine = self._back(steps)
        engine.load(self._times, self._states, self._values)
        engine.back(engine.give(given), bool(self._slopes), failed)
        of_start = DeviceBlock(self._device, (2 * nv,), machines)
        of_start.take(engine.block("memory.trace.of_state"))
        of_inputs = DeviceBlock(self._device, (steps, len(self._held)), machines)
        for column, signal in enumerate(self._held):
            of_inputs.view()[:, :, column] = engine.array("memory.trace.of_values")[:, :, signal]
        return Cotangents(of_start.view(), of_inputs.view(axis=1), self._parameters(engine))

    def _parameters(self, engine: DeviceBackward) -> dict[str, Any]:
        """By parameters, from the tables' numbers, on the host; then on the device."""
        if not self._slopes:
            return {}
        gradients: Gradients = engine.gradients()
        found = self._slopes.of(gradients, np.arange(engine.count))
        return {path: self._on_device(values[:, 0]) for path, values in found.items()}

    def _on_device(self, values: np.ndarray) -> Any:
        block = DeviceBlock(self._device, values.shape[1:], len(values))
        view = block.view()
        view[...] = values
        return view

    def jacobian(self, good: np.ndarray) -> StepJacobian:
        """Of the next step; nothing moves."""
        batch, nv, machines = self._batch, self._batch.model.nv, len(self._batch)
        engine, (self._states, self._values) = self._back(1), self._blocks(1)
        self._states.take(self._engine.block("y"))
        if self._engine.has(VALUES):
            self._values.take(self._engine.block(VALUES))
        engine.load(batch.time[None], self._states, self._values)
        by_state = DeviceBlock(self._device, (2 * nv, 2 * nv), machines)
        by_inputs = DeviceBlock(self._device, (2 * nv, len(self._held)), machines)
        rows: list[dict[str, Any]] = []
        for r, one in enumerate(np.eye(2 * nv)):
            engine.give(np.broadcast_to(one, (machines, 2 * nv)))
            engine.back(False, bool(self._slopes), ~good)
            source = engine.block("memory.trace.of_state")
            by_state.take(source, r * source[2])
            for column, signal in enumerate(self._held):
                by_inputs.view()[:, r, column] = engine.array("memory.trace.of_values")[:, 0, signal]
            rows.append(self._parameters(engine))
        by_parameters = {
            path: self._on_device(np.stack([np.asarray(row[path]) for row in rows], axis=1)) for path in rows[0]
        }
        return StepJacobian(by_state.view(), by_inputs.view(), by_parameters)
