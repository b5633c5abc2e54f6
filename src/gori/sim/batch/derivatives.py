"""Derivatives of steps of a batch: of one step, and backwards over many.

For machines without loops, on a CPU, with the method semi_implicit and forces on axes (`model/axis_forces.py`); all
else is refused by name. A machine that has failed has NaN for its derivatives.
"""

from typing import NamedTuple

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.model import Model
from gori.model.arrays import numbers_of
from gori.model.axis_forces import AxisForces
from gori.model.variants import signal_of
from gori.sim.batch.batch import Batch
from gori.sim.batch.linear import LinearSteps, linear_steps

ROWS = 4096
"""states whose derivatives are found at once"""


class StepJacobian(NamedTuple):
    """Derivatives of the next step of each machine: of its (q', v') by (q, v) and by its inputs.

    Small changes of q and q' are tangent vectors, as in `model.integrate` and `model.difference`.

    by_state    (machines, 2 nv, 2 nv)
    by_inputs   (machines, 2 nv, inputs), in the order of `batch.inputs`
    """

    by_state: np.ndarray
    by_inputs: np.ndarray


class Cotangents(NamedTuple):
    """Derivatives of a number that depends on where machines arrive.

    of_start    by q and v at the start (machines, 2 nv), q in tangent coordinates
    of_inputs   by the inputs of each step (steps, machines, inputs)
    """

    of_start: np.ndarray
    of_inputs: np.ndarray


def step_jacobian(batch: Batch) -> StepJacobian:
    """Derivatives of the next step from where each machine stands, with its inputs; nothing moves."""
    steps, nv = _BatchSteps(batch), batch.model.nv
    good = ~batch.failed & np.isfinite(batch.q).all(axis=1) & np.isfinite(batch.v).all(axis=1)
    inputs = steps.inputs()
    by_state = np.full((len(batch), 2 * nv, 2 * nv), np.nan)
    by_inputs = np.full((len(batch), 2 * nv, inputs.shape[1]), np.nan)
    of_good = steps.at(batch.time[good], batch.q[good], batch.v[good], inputs[good])
    by_state[good], by_inputs[good] = of_good.jacobians()
    return StepJacobian(by_state, by_inputs)


class Rollout:
    """Steps of a batch with inputs of their own, kept so that derivatives can be taken back through them.

    inputs   (steps, machines, inputs), in the order of `batch.inputs`, which afterwards are those of the last step

    time     (steps, machines), q (steps, machines, nq) and v (steps, machines, nv), from which each step began
    failed   machines that have failed on the way
    """

    def __init__(self, batch: Batch, inputs: np.ndarray):
        self._steps, model = _BatchSteps(batch), batch.model
        self.inputs = _checked(inputs, len(batch), tuple(batch.inputs))
        count, machines = self.inputs.shape[:2]
        self.time = np.empty((count, machines))
        self.q, self.v = np.empty((count, machines, model.nq)), np.empty((count, machines, model.nv))
        live = [batch.inputs[name] for name in batch.inputs]
        for k in range(count):
            for column, values in enumerate(live):
                values[:] = self.inputs[k, :, column]
            self.time[k], self.q[k], self.v[k] = batch.time, batch.q, batch.v
            batch.step(1)
        self.failed = batch.failed.copy()

    def vjp(self, cotangent: np.ndarray) -> Cotangents:
        """Derivatives of a number by where the machines start and by their inputs.

        cotangent   its derivatives by where they arrive (machines, 2 nv), q in tangent coordinates; or by where they
                    stand after each step (steps, machines, 2 nv)
        """
        (steps, machines, _), nv = self.v.shape, self.v.shape[2]
        given = numbers_of(cotangent, "cotangent")
        if given.shape not in ((machines, 2 * nv), (steps, machines, 2 * nv)):
            raise InputError(
                f"cotangent must have shape {(machines, 2 * nv)} or {(steps, machines, 2 * nv)}, not {given.shape}"
            )
        good = ~self.failed
        if not np.isfinite(given[..., good, :]).all():
            raise InputError("cotangent must hold finite numbers for all machines that have not failed")
        of_inputs = np.full(self.inputs.shape, np.nan)
        of_start = np.full((machines, 2 * nv), np.nan)
        of_q, of_v = np.zeros((2, int(good.sum()), nv))
        if given.ndim == 2:
            of_q, of_v = given[good, :nv], given[good, nv:]
        at_once = max(1, ROWS // machines)
        for last in range(steps, 0, -at_once):
            first = max(0, last - at_once)
            part = self._linear(slice(first, last), good)
            for k in range(last - 1, first - 1, -1):
                if given.ndim == 3:
                    of_q, of_v = of_q + given[k, good, :nv], of_v + given[k, good, nv:]
                rows = slice((k - first) * len(of_q), (k - first + 1) * len(of_q))
                of_q, of_v, of_inputs[k, good] = part.pulled_back(of_q, of_v, rows)
        of_start[good] = np.hstack([of_q, of_v])
        return Cotangents(of_start, of_inputs)

    def _linear(self, steps: slice, good: np.ndarray) -> LinearSteps:
        """Some steps of the good machines, in rows: step by step."""
        found = (array[steps][:, good] for array in (self.time, self.q, self.v, self.inputs))
        return self._steps.at(*(x.reshape(x.shape[0] * x.shape[1], *x.shape[2:]) for x in found))


def rollout_vjp(batch: Batch, inputs: np.ndarray, cotangent: np.ndarray) -> Cotangents:
    """Move the machines by as many steps as there are inputs (steps, machines, inputs), and take the derivatives of a
    number by where they arrive (machines, 2 nv) back to where they started and to the inputs.
    """
    return Rollout(batch, inputs).vjp(cotangent)


class _BatchSteps:
    """The steps of a batch as functions; UnsupportedError where their derivatives are not known."""

    def __init__(self, batch: Batch):
        _refuse(batch)
        self._batch, self._model = batch, batch.model
        names = self._model.forces.signal_names
        held = [names.index(signal_of(self._model, name)) for name in batch.inputs]
        self._forces, self._h = AxisForces(self._model, held), float(batch.method.settings()["step"])

    def inputs(self) -> np.ndarray:
        """As they stand (machines, inputs)."""
        found = [self._batch.inputs[name] for name in self._batch.inputs]
        return np.stack(found, axis=1) if found else np.zeros((len(self._batch), 0))

    def at(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, inputs: np.ndarray) -> LinearSteps:
        return linear_steps(self._model, self._forces, self._h, t, q, v, inputs)


def _refuse(batch: Batch) -> None:
    model: Model = batch.model
    refused = {
        "a batch on a GPU": batch.device != "cpu",
        f"the method {batch.method.kind}: use semi_implicit": batch.method.kind != "semi_implicit",
        f"loops, mimic joints and motions ({', '.join(model.loops)})": bool(model.loops),
        "wheels, tyres and drive trains": model.vehicle is not None,
        f"servos ({', '.join(batch.servos)}): give the Spec motors": bool(batch.servos),
        "contact between bodies": model.contact is not None,
        f"laws of forces as functions ({', '.join(batch.laws)})": bool(batch.laws),
        "machines whose parameters differ": batch.tables_differ,
    }
    for words, there in refused.items():
        if there:
            raise UnsupportedError(f"derivatives of steps do not cover {words}")


def _checked(inputs: np.ndarray, machines: int, names: tuple[str, ...]) -> np.ndarray:
    given = numbers_of(inputs, "inputs")
    if given.ndim != 3 or given.shape[1:] != (machines, len(names)) or not len(given):
        raise InputError(
            f"inputs must have shape (steps, {machines}, {len(names)}), for {', '.join(names) or 'no input'}, not "
            f"{given.shape}"
        )
    if not np.isfinite(given).all():
        k, machine, column = np.argwhere(~np.isfinite(given))[0]
        raise InputError(f"inputs[{k}, {machine}, {column}] of {names[column]!r} must be a finite number")
    return given
