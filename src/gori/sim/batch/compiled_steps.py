"""The steps of a batch on a CPU as compiled code goes back through them."""

from collections.abc import Sequence

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


class CompiledSteps:
    """Steps of machines, one after the other.

    parameters   paths of numbers of the Spec by which there are to be derivatives too
    """

    def __init__(self, batch: Batch, parameters: Sequence[str]):
        self._batch, self._model, self._held = batch, batch.model, held_signals(batch)
        self._engine = CpuBackward(batch.another(), batch.numbers())
        self._slopes = ParameterSlopes(batch, parameters)

    def vjp(
        self, time: np.ndarray, q: np.ndarray, v: np.ndarray, inputs: np.ndarray, given: np.ndarray, good: np.ndarray
    ) -> Cotangents:
        """Back through steps that began at times (steps, machines) with q, v and inputs (steps, machines, ...), of
        machines that are good; NaN for the others.

        given   cotangents (machines, 2 nv), or (steps, machines, 2 nv)
        """
        chosen, (steps, machines), nv = np.flatnonzero(good), time.shape, self._model.nv
        values = np.zeros((steps, len(chosen), len(self._model.forces.signal_i)))
        values[:, :, self._held] = inputs[:, chosen]
        traced = Traced(time[:, chosen], np.concatenate([q[:, chosen], v[:, chosen]], axis=2), values)
        every = given.ndim == 3
        rows = given[:, chosen] if every else given[None, chosen]
        found = self._engine.run(traced, rows, every, bool(self._slopes), chosen)
        of_start, of_inputs = np.full((machines, 2 * nv), np.nan), np.full((steps, machines, len(self._held)), np.nan)
        of_start[chosen], of_inputs[:, chosen] = found.of_state, found.of_values[:, :, self._held]
        return Cotangents(of_start, of_inputs, self._slopes.of(found, chosen))

    def jacobian(self, good: np.ndarray) -> StepJacobian:
        """Of the next step of the good machines."""
        batch, nv = self._batch, self._model.nv
        start = batch.time[None], batch.q[None].copy(), batch.v[None].copy(), inputs_now(batch)[None]
        rows = [self.vjp(*start, np.broadcast_to(one, (len(batch), 2 * nv)), good) for one in np.eye(2 * nv)]
        return StepJacobian(
            np.stack([row.of_start for row in rows], axis=1),
            np.stack([row.of_inputs[0] for row in rows], axis=1),
            {path: np.stack([row.of_parameters[path] for row in rows], axis=1) for path in rows[0].of_parameters},
        )
