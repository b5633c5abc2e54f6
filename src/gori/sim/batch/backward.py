"""Derivatives back through steps by compiled code, machine after machine: loops, and numbers of the tables."""

from typing import Any, NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.integrate.batch.backward import BackwardMemory, steps_back
from gori.kernels.forces import elements as el
from gori.kernels.forces.signals import follows_state
from gori.kernels.loops import tables as lt
from gori.model import Model
from gori.model.axis_forces import NOT_COVERED
from gori.sim.batch.varied import INPUTS, Numbers
from gori.sim.simulation import Simulation

class Traced(NamedTuple):
    """Where steps began, and what was held in them.

    times    (steps, machines)
    states   (steps, machines, nq + nv)
    values   (steps, machines, signals)
    """

    times: np.ndarray
    states: np.ndarray
    values: np.ndarray


class Gradients(NamedTuple):
    """Derivatives of a number by what steps began with.

    of_state     by q and v of the first step (machines, 2 nv)
    of_values    by values of signals (steps, machines, signals)
    of_body      by the numbers of body_f (machines, numbers); of_element: of element_f
    """

    of_state: np.ndarray
    of_values: np.ndarray
    of_body: np.ndarray
    of_element: np.ndarray


def refuse_backward(model: Model) -> None:
    """UnsupportedError names what compiled steps do not go back through."""
    forces = model.forces
    for name, kind in zip(forces.names, forces.element_i[:, el.E_KIND]):
        if kind in NOT_COVERED and kind != el.LINE:
            raise UnsupportedError(
                f"derivatives of steps do not cover {NOT_COVERED[int(kind)]} ({name!r}): remove it from the Spec, or "
                "take differences of steps"
            )
    for s, name in enumerate(forces.signal_names):
        if follows_state.py_func(forces.signal_i, forces.signal_f, s):
            raise UnsupportedError(
                f"derivatives of steps do not cover {name}, an expression of positions or velocities, together with "
                "loops, springs between bodies, parameters or a GPU: take a motor or a spring"
            )
    if not model.loops:
        return
    tables = model.loop_system.kept
    for name, row in zip(tables.names, tables.equation):
        if row["kind"] == lt.SPUN and row["a"] != lt.TURN:
            raise UnsupportedError(f"derivatives of steps do not cover the motion of an angle ({name!r})")


class CpuBackward:
    """Goes back through steps of machines, one after the other, in the arrays of a run of its own.

    numbers   in which machines differ, for the machines as they stand
    """

    def __init__(self, simulation: Simulation, numbers: list[Numbers]):
        refuse_backward(simulation.model)
        self._stepper, self._model = simulation.stepper, simulation.model
        numbers = [one for one in numbers if one.of_machine and one.path != INPUTS]
        self._places = [_members(self._stepper, one) for one in numbers]
        self._numbers = numbers

    def run(self, traced: Traced, given: np.ndarray, every: bool, tables: bool, chosen: np.ndarray) -> Gradients:
        """Gradients for the chosen machines, of which all arrays are; NaN where a step cannot be taken again.

        given   by where machines arrive (1, machines, 2 nv), or with `every` after each step
        """
        stepper, nv = self._stepper, self._model.nv
        steps, machines = traced.times.shape
        memory = backward_memory(stepper, steps)
        trace, work, head = memory.trace, memory.work, memory.head
        of_state = np.full((machines, 2 * nv), np.nan)
        of_values = np.full((steps, machines, traced.values.shape[2]), np.nan)
        of_body = np.full((machines, work.of_body.size), np.nan)
        of_element = np.full((machines, work.of_element.size), np.nan)
        width, h = traced.states.shape[2], stepper.step
        for t in range(machines):
            for (member, words), one in zip(self._places, self._numbers):
                member[words] = one.values[:, chosen[t]]
            trace.times[:], trace.states[:, :width] = traced.times[:, t], traced.states[:, t]
            trace.values[:], trace.given[: len(given)] = traced.values[:, t], given[:, t]
            head["left"], head["every"], head["tables"], head["lost"] = steps, every, tables, 0
            steps_back(stepper.machine, stepper.data, memory, h, work.rates)
            of_state[t], of_values[:, t] = trace.of_state, trace.of_values
            of_body[t], of_element[t] = work.of_body.ravel(), work.of_element.ravel()
        return Gradients(of_state, of_values, of_body, of_element)


def backward_memory(stepper: Any, steps: int) -> Any:
    """The memory of steps that go back, for the machine of a run."""
    machine = stepper.machine
    loops = stepper.data.loops
    nv = len(stepper.data.tau)
    return BackwardMemory.make({
        "nrow": len(machine.body_i), "nv": nv, "nv2": 2 * nv, "ny": len(stepper.y), "nval": len(stepper.data.values),
        "nstep": steps, "nel": len(machine.element_i), "ne": len(loops.state.multipliers),
        "njac": len(loops.work.jac),
    })  # fmt: skip


def _members(stepper: Any, numbers: Numbers) -> tuple[np.ndarray, np.ndarray]:
    """The member in which numbers stand, as a flat array, and their places."""
    member: Any = stepper
    for name in numbers.path.split("."):
        member = getattr(member, name)
    return member.reshape(-1).view(np.float64), numbers.words
