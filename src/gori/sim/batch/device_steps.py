"""The steps of a batch on a GPU, and their derivatives: all arrays stay on the device, where PyTorch and CuPy take them."""

from collections.abc import Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from gori.errors import InputError
from gori.sim.batch.backward import Gradients, refuse_backward
from gori.sim.batch.batch import Batch
from gori.sim.batch.compiled_steps import held_signals
from gori.sim.batch.device_backward import FLOAT, Block, DeviceBackward
from gori.sim.batch.parameters import ParameterSlopes
from gori.sim.batch.results import Cotangents, StepJacobian

VALUES = "data.values"
_engines: "WeakKeyDictionary[Batch, DeviceBackward]" = WeakKeyDictionary()
"""the last engine that went back through steps of each batch: compiled, with its memory"""


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

    def checked(self, inputs: Any) -> Any:
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

    def record(self, inputs: Any) -> tuple[np.ndarray, Any, Any]:
        """Move the machines by a step for each of the inputs; times, q and v from which each began."""
        batch, engine, steps = self._batch, self._engine, int(inputs.shape[0])
        model, h = batch.model, float(batch.method.settings()["step"])
        self._times = batch.time[None] + h * np.arange(steps)[:, None]
        self._states, self._values = self._blocks(steps)
        rows = Block(self._device, (steps, len(self._held)), len(batch))
        if self._held:
            rows.view(axis=1)[...] = inputs
        for k in range(steps):
            for column, signal in enumerate(self._held):
                memory, at, _ = engine.block(VALUES)
                row = FLOAT * len(batch)
                self._device.copy(
                    rows.memory, row * (k * len(self._held) + column), memory, at + row * signal, row
                )
            self._keep(k)
            batch.step(1)
        whole = self._states.view(axis=1)
        return self._times, whole[:, :, : model.nq], whole[:, :, model.nq : model.nq + model.nv]

    def _blocks(self, steps: int) -> tuple[Block, Block | None]:
        """For states and values of signals at the start of steps."""
        batch = self._batch
        y, signals = self._engine.block("y")[2], len(batch.model.forces.signal_i)
        states = Block(self._device, (steps, y // (FLOAT * len(batch))), len(batch))
        return states, Block(self._device, (steps, signals), len(batch)) if self._engine.has(VALUES) else None

    def _keep(self, k: int) -> None:
        """Where machines stand now, as step k."""
        for block, path in ((self._states, "y"), (self._values, VALUES)):
            if block is not None:
                source = self._engine.block(path)
                block.take(source, k * source[2])

    def _back(self, steps: int) -> DeviceBackward:
        """The engine for so many steps."""
        batch, found = self._batch, _engines.get(self._batch)
        if found is None or found.steps != steps or batch.tables_differ:
            found = DeviceBackward(batch.another, len(batch), steps, self._numbers, type(self._device))
            _engines[batch] = found
        return found

    def vjp(self, given: Any, failed: np.ndarray) -> Cotangents:
        """Back through the steps that were recorded: arrays of the device."""
        steps, machines, nv = len(self._times), len(self._batch), self._batch.model.nv
        if tuple(given.shape) not in ((machines, 2 * nv), (steps, machines, 2 * nv)):
            raise InputError(
                f"cotangent must have shape {(machines, 2 * nv)} or {(steps, machines, 2 * nv)}, not {tuple(given.shape)}"
            )
        engine = self._back(steps)
        engine.load(self._times, self._states, self._values)
        engine.back(engine.give(given), bool(self._slopes), failed)
        of_start = Block(self._device, (2 * nv,), machines)
        of_start.take(engine.block("memory.trace.of_state"))
        of_inputs = Block(self._device, (steps, len(self._held)), machines)
        whole = of_inputs.view(axis=1)
        for column, signal in enumerate(self._held):
            for k in range(steps):
                self._row(engine, of_inputs, k * len(self._held) + column, k, signal)
        return Cotangents(of_start.view(), whole, self._parameters(engine))

    def _row(self, engine: DeviceBackward, target: Block, row: int, k: int, signal: int) -> None:
        """The derivatives by one value of step k into a row."""
        memory, at, size = engine.block("memory.trace.of_values")
        signals, width = size // (FLOAT * engine.steps * engine.count), FLOAT * engine.count
        self._device.copy(memory, at + width * (k * signals + signal), target.memory, width * row, width)

    def _parameters(self, engine: DeviceBackward) -> dict[str, Any]:
        """By parameters, from the tables' numbers, on the host; then on the device."""
        if not self._slopes:
            return {}
        gradients: Gradients = engine.gradients()
        found = self._slopes.of(gradients, np.arange(engine.count))
        return {path: self._on_device(values) for path, values in found.items()}

    def _on_device(self, values: np.ndarray) -> Any:
        block = Block(self._device, values.shape[1:], len(values))
        view = block.view()
        view[...] = values
        return view

    def jacobian(self, good: np.ndarray) -> StepJacobian:
        """Of the next step; nothing moves."""
        batch, nv, machines = self._batch, self._batch.model.nv, len(self._batch)
        engine, (self._states, self._values) = self._back(1), self._blocks(1)
        self._keep(0)
        engine.load(batch.time[None], self._states, self._values)
        by_state = Block(self._device, (2 * nv, 2 * nv), machines)
        by_inputs = Block(self._device, (2 * nv, len(self._held)), machines)
        rows: list[dict[str, Any]] = []
        for r, one in enumerate(np.eye(2 * nv)):
            engine.give(np.broadcast_to(one, (machines, 2 * nv)))
            engine.back(False, bool(self._slopes), ~good)
            source = engine.block("memory.trace.of_state")
            by_state.take(source, r * source[2])
            for column, signal in enumerate(self._held):
                self._row(engine, by_inputs, r * len(self._held) + column, 0, signal)
            rows.append(self._parameters(engine))
        by_parameters = {
            path: self._on_device(np.stack([np.asarray(row[path]) for row in rows], axis=1)) for path in rows[0]
        }
        return StepJacobian(by_state.view(), by_inputs.view(), by_parameters)
