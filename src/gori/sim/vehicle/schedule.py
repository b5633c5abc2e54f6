"""Controls of the Spec at work: pedals and levers of vehicles over time."""

from typing import TYPE_CHECKING

import numpy as np

from gori.errors import InputError
from gori.kernels.forces.signals import signals_one
from gori.model import Model
from gori.model.signals import SignalTable
from gori.spec.vehicle.control import LEVERS, PEDALS, Schedule, inputs_of, owner

if TYPE_CHECKING:
    from gori.sim.simulation import Simulation


class Scheduled:
    """A schedule of a Model, which sets the inputs of a Simulation: a driver that looks at nothing but its notes."""

    def __init__(self, model: Model, name: str, schedule: Schedule):
        vehicle, inputs = schedule.vehicle or owner(name), inputs_of(model.spec)
        self.every = schedule.every
        self._pedals = [(f"{vehicle}.{kind}", *PEDALS[kind]) for kind in PEDALS if f"{vehicle}.{kind}" in inputs]
        self._levers = [
            (f"{vehicle}.{kind}", schedule.positions(kind)) for kind in LEVERS if f"{vehicle}.{kind}" in inputs
        ]
        signals = SignalTable()
        for port, _, _ in self._pedals:
            kind = port.rpartition(".")[2]
            signals.add(getattr(schedule, kind), f"controls.{name}.{kind}", model)
        self._i, self._f, depth = signals.tables()
        self._values, self._stack = np.zeros(len(self._pedals)), np.zeros(depth)

    def __call__(self, simulation: "Simulation") -> None:
        t, inputs = simulation.time, simulation.inputs
        signals_one(self._i, self._f, t, simulation.q.copy(), simulation.v.copy(), self._values, self._stack)
        for (port, low, high), value in zip(self._pedals, self._values):
            if np.isnan(value):
                raise InputError(f"the schedule of {port} gives no number at t = {t:.6g} s")
            inputs[port] = min(max(float(value), low), high)
        for port, rows in self._levers:
            # held from its time on; before the first, as the first
            inputs[port] = [word for time, word in rows if time <= t + 1e-9 or time == rows[0][0]][-1]


def scheduled(model: Model) -> list[Scheduled]:
    """All controls of the Spec."""
    return [Scheduled(model, name, control) for name, control in model.spec.controls.items()]
