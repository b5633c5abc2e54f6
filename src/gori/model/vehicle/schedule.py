"""Controls of a Spec -> tables of pedals over time, and positions of levers."""

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from gori.model.model import Model
from gori.model.signals import SignalTable
from gori.spec.vehicle.control import LEVERS, PEDALS, owner


class CompiledSchedule(NamedTuple):
    """One schedule.

    every    time from one look at it to the next [s]
    pedals   (input, least, largest), in the order of the signals
    levers   (input, rows (time, position))
    probes   bodies and frames that the signals read
    """

    every: float
    pedals: tuple[tuple[str, float, float], ...]
    levers: tuple[tuple[str, tuple[tuple[float, str | int], ...]], ...]
    signal_i: np.ndarray
    signal_f: np.ndarray
    depth: int
    probes: tuple[str, ...]


def schedule_tables(model: Model, inputs: Iterable[str]) -> tuple[CompiledSchedule, ...]:
    """All controls of the Spec; inputs: names of those that there are."""
    found = []
    for name, schedule in model.spec.controls.items():
        vehicle = schedule.vehicle or owner(name)
        pedals = tuple((f"{vehicle}.{kind}", *PEDALS[kind]) for kind in PEDALS if f"{vehicle}.{kind}" in inputs)
        levers = [(f"{vehicle}.{kind}", schedule.positions(kind)) for kind in LEVERS if f"{vehicle}.{kind}" in inputs]
        signals = SignalTable()
        for port, _, _ in pedals:
            kind = port.rpartition(".")[2]
            signals.add(getattr(schedule, kind), f"controls.{name}.{kind}", model)
        found.append(CompiledSchedule(schedule.every, pedals, tuple(levers), *signals.tables(), tuple(signals.probes)))
    return tuple(found)
