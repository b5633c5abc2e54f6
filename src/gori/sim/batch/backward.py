"""Derivatives back through steps by compiled code, machine after machine: loops, and numbers of the tables."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from threading import Lock
from typing import Any, NamedTuple

import numpy as np

from gori.errors import UnsupportedError
from gori.integrate.batch.backward import BackwardJob, BackwardMemory, back_in_turn
from gori.kernels.forces import elements as el
from gori.kernels.forces.signals import follows_state
from gori.kernels.loops import tables as lt
from gori.model import Model
from gori.model.axis_forces import NOT_COVERED
from gori.sim.batch.varied import INPUTS, Numbers
from gori.sim.simulation import Simulation
from gori.sim.stepper import Stepper

TOGETHER = 16
"""machines that a thread takes at a time"""


class Traced(NamedTuple):
    """Where steps began, and what was held in them.

    times    (machines, steps)
    states   (machines, steps, nq + nv)
    values   (machines, steps, signals)
    """

    times: np.ndarray
    states: np.ndarray
    values: np.ndarray


class Gradients(NamedTuple):
    """Derivatives of numbers, in rows, by what steps began with.

    of_state     by q and v of the first step (machines, rows, 2 nv)
    of_values    by values of signals (machines, rows, steps, signals)
    of_body      by the numbers of body_f (machines, rows, numbers); of_element: of element_f
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
    """Goes back through steps of machines in the arrays of runs of its own, of which each thread has one."""

    def __init__(self, simulations: Sequence[Simulation]):
        refuse_backward(simulations[0].model)
        self._simulations = simulations
        self._model, self._pool = simulations[0].model, ThreadPoolExecutor(len(simulations))

    def run(self, traced: Traced, given: np.ndarray, tables: bool, numbers: Sequence[Numbers]) -> Gradients:
        """Gradients of the machines; NaN where a step cannot be taken again.

        given     in rows, by where machines arrive (machines, rows, 1, 2 nv) or after each step (.., steps, 2 nv)
        tables    whether derivatives by numbers of the tables are asked for
        numbers   in which machines differ
        """
        machines, rows, _, width = given.shape
        steps, signals = traced.values.shape[1:]
        numbers = [one for one in numbers if one.of_machine and one.path != INPUTS]
        stacked = [np.zeros((0, machines)), *(one.values for one in numbers)]
        with_tables = rows if tables else 0
        of_state, of_values = np.empty((machines, rows, width)), np.empty((machines, rows, steps, signals))
        machine = self._simulations[0].stepper.machine
        of_tables = [np.empty((machines, with_tables, *x.shape)) for x in (machine.body_f, machine.element_f)]
        ready, lock = iter(range(0, machines, TOGETHER)), Lock()
        shared = [np.ascontiguousarray(x) for x in (np.concatenate(stacked), *traced, given)]

        def work(simulation: Simulation) -> None:
            stepper = simulation.stepper
            memory = backward_memory(stepper, steps)
            memory.head["every"], memory.head["tables"] = given.shape[2] == steps > 1, tables
            places = [place for one in numbers for place in one.addresses(stepper)]
            names = "values", "times", "states", "signals", "given"
            job = BackwardJob(
                machine=stepper.machine, data=stepper.data, memory=memory, numbers=np.array(places, np.int64),
                of_state=of_state, of_signals=of_values, of_body=of_tables[0], of_element=of_tables[1],
                **dict(zip(names, shared)),
            )  # fmt: skip
            while True:
                with lock:
                    first = next(ready, None)
                if first is None:
                    return
                back_in_turn(job, stepper.step, memory.work.rates, first, min(first + TOGETHER, machines))

        threads = self._simulations[: max(1, -(-machines // TOGETHER))]
        if len(threads) == 1:
            work(threads[0])
        else:
            list(self._pool.map(work, threads))
        return Gradients(of_state, of_values, *(x.reshape(*x.shape[:2], int(np.prod(x.shape[2:]))) for x in of_tables))


def backward_memory(stepper: Stepper, steps: int) -> Any:
    """The memory of steps that go back, for the machine of a run."""
    machine = stepper.machine
    loops = stepper.data.loops
    nv = len(stepper.data.tau)
    return BackwardMemory.make({
        "nrow": len(machine.body_i), "nv": nv, "nv2": 2 * nv, "ny": len(stepper.y), "nval": len(stepper.data.values),
        "nstep": steps, "nel": len(machine.element_i), "ne": len(loops.state.multipliers),
        "njac": len(loops.work.jac),
    })  # fmt: skip
