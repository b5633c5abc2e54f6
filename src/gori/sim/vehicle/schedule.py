"""Schedules of a Model at work: pedals and levers of vehicles over time."""

from typing import TYPE_CHECKING

import numpy as np

from gori.errors import InputError
from gori.kernels.forces.signals import signals_one
from gori.model import Model
from gori.model.signals import readings
from gori.model.vehicle.schedule import CompiledSchedule

if TYPE_CHECKING:
    from gori.sim.simulation import Simulation


class Scheduled:
    """Sets the inputs of a Simulation as a schedule of its Model says."""

    def __init__(self, schedule: CompiledSchedule):
        self._schedule, self.every = schedule, schedule.every
        self._values, self._stack = np.zeros(len(schedule.pedals)), np.zeros(schedule.depth)

    def __call__(self, simulation: "Simulation") -> None:
        t, inputs, own = simulation.time, simulation.inputs, self._schedule
        q, v = simulation.q.copy(), simulation.v.copy()
        read = readings(simulation.model, own.probes, q, v)
        signals_one(own.signal_i, own.signal_f, t, q, v, read, self._values, self._stack)
        for (name, low, high), value in zip(own.pedals, self._values):
            if np.isnan(value):
                raise InputError(f"the schedule of {name} returns no number at t = {t:.6g} s")
            inputs[name] = min(max(float(value), low), high)
        for name, rows in own.levers:
            # held from its time on; before the first, as the first
            inputs[name] = [word for time, word in rows if time <= t + 1e-9 or time == rows[0][0]][-1]


def scheduled(model: Model) -> list[Scheduled]:
    """All schedules of the Model."""
    return [] if model.vehicle is None else [Scheduled(schedule) for schedule in model.vehicle.schedules]
