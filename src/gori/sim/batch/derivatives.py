"""Derivatives of steps of a batch: of one step, and backwards over many, by states, inputs and parameters.

With the method semi_implicit; what is not covered is refused by name. Trees with forces on axes (`axis_forces.py` of
`model`) go by arrays of many states at once (`linear.py`); loops, springs between bodies and parameters by compiled
code, machine after machine (`compiled_steps.py`), on a GPU in threads (`device_steps.py`). A machine that has failed
has NaN for its derivatives.
"""

from collections.abc import Sequence

import numpy as np

from gori.errors import InputError, UnsupportedError
from gori.kernels.forces.elements import LINE
from gori.model import Model
from gori.model.arrays import numbers_of
from gori.model.axis_forces import AxisForces
from gori.sim.batch.batch import Batch
from gori.sim.batch.compiled_steps import CompiledSteps, held_signals, inputs_now
from gori.sim.batch.device_steps import DeviceSteps
from gori.sim.batch.linear import LinearSteps, linear_steps
from gori.sim.batch.results import Cotangents, HostOrDevice, StepJacobian

ROWS = 4096
"""states whose derivatives are found at once"""


def step_jacobian(batch: Batch, parameters: Sequence[str] = ()) -> StepJacobian:
    """Derivatives of the next step from where each machine stands, with its inputs; nothing moves.

    parameters   paths of numbers of the Spec by which there are to be derivatives too
    """
    by_arrays, nv = _by_arrays(batch, parameters), batch.model.nv
    good = ~batch.failed & np.isfinite(np.hstack([batch.q, batch.v])).all(axis=1)
    if by_arrays:
        steps = _ArraySteps(batch)
        inputs = steps.inputs()
        by_state = np.full((len(batch), 2 * nv, 2 * nv), np.nan)
        by_inputs = np.full((len(batch), 2 * nv, inputs.shape[1]), np.nan)
        of_good = steps.at(batch.time[good], batch.q[good], batch.v[good], inputs[good])
        by_state[good], by_inputs[good] = of_good.jacobians()
        return StepJacobian(by_state, by_inputs)
    if batch.device == "cuda":
        return DeviceSteps(batch, parameters).jacobian(good)
    return CompiledSteps(batch, parameters).jacobian(good)


class Rollout:
    """Steps of a batch with inputs of their own, kept so that derivatives can be taken back through them.

    inputs       (steps, machines, inputs), in the order of `batch.inputs`, which afterwards are those of the last step
    parameters   paths of numbers of the Spec by which there are to be derivatives too

    time     (steps, machines), q (steps, machines, nq) and v (steps, machines, nv), from which each step began
    failed   machines that have failed on the way
    """

    def __init__(self, batch: Batch, inputs: HostOrDevice, parameters: Sequence[str] = ()):
        by_arrays, model = _by_arrays(batch, parameters), batch.model
        if batch.device == "cuda":
            self._steps = DeviceSteps(batch, parameters)
            self.inputs = self._steps.checked(inputs)
            self.time, self.q, self.v = self._steps.record(self.inputs)
            self.failed = batch.failed.copy()
            return
        self._steps = _ArraySteps(batch) if by_arrays else CompiledSteps(batch, parameters)
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

    def vjp(self, cotangent: HostOrDevice) -> Cotangents:
        """Derivatives of a number by where the machines start and by their inputs.

        cotangent   its derivatives by where they arrive (machines, 2 nv), q in tangent coordinates; or by where they
                    stand after each step (steps, machines, 2 nv)
        """
        (steps, machines, _), nv = self.v.shape, self.v.shape[2]
        if isinstance(self._steps, DeviceSteps):
            return self._steps.vjp(cotangent, self.failed)
        given = numbers_of(cotangent, "cotangent")
        if given.shape not in ((machines, 2 * nv), (steps, machines, 2 * nv)):
            raise InputError(
                f"cotangent must have shape {(machines, 2 * nv)} or {(steps, machines, 2 * nv)}, not {given.shape}"
            )
        good, found = ~self.failed, self._steps
        if not np.isfinite(given[..., good, :]).all():
            raise InputError("cotangent must hold finite numbers for all machines that have not failed")
        if isinstance(found, CompiledSteps):
            return found.vjp(self.time, self.q, self.v, self.inputs, given, good)
        of_inputs = np.full(self.inputs.shape, np.nan)
        of_start = np.full((machines, 2 * nv), np.nan)
        of_q, of_v = np.zeros((2, int(good.sum()), nv))
        if given.ndim == 2:
            of_q, of_v = given[good, :nv], given[good, nv:]
        at_once = max(1, ROWS // machines)
        for last in range(steps, 0, -at_once):
            first = max(0, last - at_once)
            part = self._linear(found, slice(first, last), good)
            for k in range(last - 1, first - 1, -1):
                if given.ndim == 3:
                    of_q, of_v = of_q + given[k, good, :nv], of_v + given[k, good, nv:]
                rows = slice((k - first) * len(of_q), (k - first + 1) * len(of_q))
                of_q, of_v, of_inputs[k, good] = part.pulled_back(of_q, of_v, rows)
        of_start[good] = np.hstack([of_q, of_v])
        return Cotangents(of_start, of_inputs)

    def _linear(self, by: "_ArraySteps", steps: slice, good: np.ndarray) -> LinearSteps:
        """Some steps of the good machines, in rows: step by step."""
        found = (array[steps][:, good] for array in (self.time, self.q, self.v, self.inputs))
        return by.at(*(x.reshape(x.shape[0] * x.shape[1], *x.shape[2:]) for x in found))


def rollout_vjp(
    batch: Batch, inputs: HostOrDevice, cotangent: HostOrDevice, parameters: Sequence[str] = ()
) -> Cotangents:
    """Move the machines by as many steps as there are inputs (steps, machines, inputs), and take the derivatives of a
    number by where they arrive (machines, 2 nv) back to where they started, to the inputs and to parameters.
    """
    return Rollout(batch, inputs, parameters).vjp(cotangent)


def _by_arrays(batch: Batch, parameters: Sequence[str]) -> bool:
    """Whether arrays of many states do, rather than compiled steps of one machine after the other."""
    _refuse(batch)
    if batch.device == "cuda":
        return False
    lines = (batch.model.forces.element_i[:, 0] == LINE).any()
    return not (parameters or batch.model.loops or batch.tables_differ or lines)


class _ArraySteps:
    """The steps of a batch as functions of rows of states; UnsupportedError where their derivatives are not known."""

    def __init__(self, batch: Batch):
        self._batch, self._model = batch, batch.model
        self._forces, self._h = AxisForces(self._model, held_signals(batch)), float(batch.method.settings()["step"])

    def inputs(self) -> np.ndarray:
        """As they stand (machines, inputs)."""
        return inputs_now(self._batch)

    def at(self, t: np.ndarray, q: np.ndarray, v: np.ndarray, inputs: np.ndarray) -> LinearSteps:
        return linear_steps(self._model, self._forces, self._h, t, q, v, inputs)


def _refuse(batch: Batch) -> None:
    model: Model = batch.model
    refused = {
        f"the method {batch.method.kind}: use semi_implicit": batch.method.kind != "semi_implicit",
        "wheels, tyres and drive trains": model.vehicle is not None,
        f"servos ({', '.join(batch.servos)}): give the Spec motors": bool(batch.servos),
        "contact between bodies": model.contact is not None,
        f"machines in {batch.precision}": batch.precision != "float64",
        f"laws of forces as functions ({', '.join(batch.laws)})": bool(batch.laws),
        "loops that are solved otherwise than by multipliers": bool(model.loops) and batch.loop_solver != "multipliers",
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
