"""The steps of a batch on a CPU as compiled code goes back through them."""

from collections.abc import Iterable, Sequence
from weakref import WeakKeyDictionary

import numpy as np

from gori.model.variants import signal_of
from gori.sim.batch.backward import CpuBackward, Traced
from gori.sim.batch.batch import Batch
from gori.sim.batch.parameters import ParameterSlopes
from gori.sim.batch.results import Cotangents, StepJacobian


def held_signals(batch: Batch) -> list[int]:
    """Signals that are the inputs."""
    names = batch.model.forces.signal_names
    return [names.index(signal_of(batch.model, name)) for name in batch.inputs]


def inputs_now(batch: Batch) -> np.ndarray:
    """As they stand (machines, inputs)."""
    found = [batch.inputs[name] for name in batch.inputs]
    return np.stack(found, axis=1) if found else np.zeros((len(batch), 0))


_engines: "WeakKeyDictionary[Batch, CpuBackward]" = WeakKeyDictionary()
"""runs in which machines of a batch go back"""


class CompiledSteps:
    """Steps of machines, one after the other.

    parameters   paths of numbers of the Spec by which there are to be derivatives too
    """

    def __init__(self, batch: Batch, parameters: Sequence[str]):
        self._batch, self._model, self._held = batch, batch.model, held_signals(batch)
        if batch not in _engines:
            _engines[batch] = CpuBackward([batch.another() for _ in range(batch.threads)])
        self._engine = _engines[batch]
        self._slopes, self._numbers = ParameterSlopes(batch, parameters), batch.numbers()

    def vjp(
        self, time: np.ndarray, q: np.ndarray, v: np.ndarray, inputs: np.ndarray, given: np.ndarray, good: np.ndarray
    ) -> Cotangents:
        """Back through steps that began at times (steps, machines) with q, v and inputs (steps, machines, ...), of
        machines that are good; NaN for the others.

        given   cotangents (machines, 2 nv), or (steps, machines, 2 nv)
        """
        given = given[None] if given.ndim == 2 else given
        found = self._back(time, q, v, inputs, np.moveaxis(given[:, good], 0, 1)[:, None], good)
        of_start, of_inputs, of_parameters = found
        return Cotangents(of_start[:, 0], np.moveaxis(of_inputs[:, 0], 0, 1), {k: x[:, 0] for k, x in of_parameters})

    def jacobian(self, good: np.ndarray) -> StepJacobian:
        """Of the next step of the good machines."""
        batch, nv = self._batch, self._model.nv
        start = batch.time[None], batch.q[None], batch.v[None], inputs_now(batch)[None]
        rows = np.broadcast_to(np.eye(2 * nv)[:, None], (int(good.sum()), 2 * nv, 1, 2 * nv))
        by_state, by_inputs, by_parameters = self._back(*start, rows, good)
        return StepJacobian(by_state, by_inputs[:, :, 0], dict(by_parameters))

    def _back(
        self, time: np.ndarray, q: np.ndarray, v: np.ndarray, inputs: np.ndarray, given: np.ndarray, good: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, Iterable[tuple[str, np.ndarray]]]:
        """Rows of cotangents of the good machines (good, rows, ...) -> those of all (machines, rows, ...), with NaN."""
        chosen, (steps, machines), rows = np.flatnonzero(good), time.shape, given.shape[1]
        values = np.zeros((len(chosen), steps, len(self._model.forces.signal_i)))
        values[:, :, self._held] = np.moveaxis(inputs[:, chosen], 0, 1)
        states = np.moveaxis(np.concatenate([q[:, chosen], v[:, chosen]], axis=2), 0, 1)
        numbers = [one.of_sets(chosen) for one in self._numbers]
        found = self._engine.run(Traced(time[:, chosen].T, states, values), given, bool(self._slopes), numbers)
        of_start = np.full((machines, rows, found.of_state.shape[2]), np.nan)
        of_inputs = np.full((machines, rows, steps, len(self._held)), np.nan)
        of_start[chosen], of_inputs[chosen] = found.of_state, found.of_values[:, :, :, self._held]
        return of_start, of_inputs, self._slopes.of(found, chosen).items()
